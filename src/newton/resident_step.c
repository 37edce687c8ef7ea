// The resident method: a step, and its certificate.
#include "newton/resident_part.h"

#include "base/error.h"
#include "base/parallel.h"
#include "base/tuning.h"
#include "cuda/soft_cg.h"
#include "newton/tuning.h"
#include "soft/tuning.h"

#include <math.h>
#include <string.h>

#define ROOM(buffers, field, n)                                                                    \
    ((field) = cond_resident_room(r, &r->buffers, (size_t)(n) * sizeof *(field)))
#define PUT(buffers, field, from, n)                                                               \
    ((field) = cond_resident_put(r, &r->buffers, from, (size_t)(n) * sizeof *(field)))

// ---- certificate

// Sums of the dynamics, and the largest of the contacts.
typedef struct Judged {
    double norm[4], speed, error, penetration, coupling;
} Judged;

static Judged judge(CondResident* r)
{
    CondResidentView* v = &r->view;
    Judged j = {{0.0}, 0.0, 0.0, 0.0, 0.0};
    cond_resident_loop(r, &cond_resident_judges, v->n_node, COND_CONTACT_WORK, v);
    cond_resident_loop(r, &cond_resident_judges_contacts, v->n_contact, COND_CONTACT_WORK, v);
    for (int k = 0; k < 4; k++) {
        v->from = v->norm + (ptrdiff_t)k * v->n_node;
        cond_resident_sum(r, &cond_resident_adds, v->n_node, 1, v, &j.norm[k]);
    }
    const double* of_contacts[] = {v->speed, v->error, v->penetration};
    double* most[] = {&j.speed, &j.error, &j.penetration};
    for (int k = 0; k < 3; k++) {
        v->from = of_contacts[k];
        cond_resident_most(r, &cond_resident_largest, v->n_contact, 1, v, most[k]);
    }
    cond_resident_most(r, &cond_resident_couplings, v->n_contact, COND_COORDINATE_WORK, v,
                       &j.coupling);
    cond_resident_wait(r);
    return j;
}

// The contact with the largest error, and the motions that cancel there.
static int find_worst(CondResident* r, const CondSoftSystem* system, double error, double* motion)
{
    CondResidentView* v = &r->view;
    double at = 0.0, own[3] = {0.0, 0.0, 0.0};
    *motion = 0.0;
    if (isnan(error))
        return 0;
    v->worst = error;
    cond_resident_most(r, &cond_resident_worst, v->n_contact, 1, v, &at);
    cond_resident_wait(r);
    if (r->status)
        return -1;
    int c = (int)-at;
    cond_resident_read(r, own, v->asked_v + (ptrdiff_t)3 * system->lone[c], sizeof own);
    cond_resident_wait(r);
    *motion = fabs(own[0]) + fabs(own[1]) + fabs(own[2]);
    return c;
}

CondCertificate cond_resident_certify(CondResident* r, const CondCertificateData* data, int which)
{
    CondResidentView* v = &r->view;
    CondCertificate out;
    double motion;
    memset(&out, 0, sizeof out);
    v->asked_v = which == COND_RESIDENT_BEST ? v->best_v : v->now.v;
    v->asked_lambda = which == COND_RESIDENT_BEST ? v->best_lambda : v->now.lambda;
    v->asked_r = which == COND_RESIDENT_BY_R ? v->now.r : NULL;
    v->measured_r = which == COND_RESIDENT_BEST ? v->dx : v->now.r;
    Judged j = judge(r);
    out.worst_contact = find_worst(r, r->system, j.error, &motion);
    j.speed = fmax(fmax(j.speed, 0.0), COND_CANCELS * motion);
    double scale = fmax(fmax(sqrt(j.norm[0]), sqrt(j.norm[1])), sqrt(j.norm[2]));
    out.dynamics = j.norm[3] == 0.0 ? 0.0 : sqrt(j.norm[3]) / scale;
    out.velocity_scale = j.speed;
    out.contact_speed = j.error;
    out.contact = j.error == 0.0 ? 0.0 : j.error / j.speed;
    out.penetration = fmax(j.penetration, 0.0);
    out.coupling_slip = fmax(j.coupling, 0.0);
    if (data->play) {
        data->play[0] = j.speed;
        data->play[1] = 0.0;
    }
    if (r->status || !isfinite(out.dynamics))
        out.dynamics = INFINITY;
    if (r->status || !isfinite(out.contact))
        out.contact = INFINITY;
    return out;
}

void cond_resident_add_speeds(CondResident* r, double fastest[2])
{
    double most = 0.0;
    cond_resident_most(r, &cond_resident_speeds, r->view.n_contact, COND_COORDINATE_WORK, &r->view,
                       &most);
    cond_resident_wait(r);
    fastest[0] = fmax(fastest[0], most);
}

// ---- merits

static double join_merits(CondResident* r, double coordinates, double contacts)
{
    return r->status ? INFINITY : sqrt(coordinates + contacts);
}

double cond_resident_merit(CondResident* r)
{
    double a = 0.0, b = 0.0;
    const CondResidentView* v = &r->view;
    cond_resident_sum(r, &cond_resident_merits, v->n_node, COND_COORDINATE_WORK, v, &a);
    cond_resident_sum(r, &cond_resident_merits_contacts, v->n_contact, COND_CONTACT_WORK, v, &b);
    cond_resident_wait(r);
    return join_merits(r, a, b);
}

double cond_resident_try(CondResident* r, double share)
{
    double a = 0.0, b = 0.0;
    CondResidentView* v = &r->view;
    v->share = share;
    cond_resident_sum(r, &cond_resident_tries, v->n_node, COND_COORDINATE_WORK, v, &a);
    cond_resident_sum(r, &cond_resident_tries_contacts, v->n_contact, COND_CONTACT_WORK, v, &b);
    cond_resident_wait(r);
    return join_merits(r, a, b);
}

double cond_resident_strain(CondResident* r)
{
    double most = -INFINITY;
    cond_resident_most(r, &cond_resident_leaves, r->view.n_contact, COND_CONTACT_WORK, &r->view,
                       &most);
    cond_resident_wait(r);
    return -most;
}

// ---- prediction, with patches

static void put_patch_level(CondResident* r, const CondPatchLevel* level, CondPatchView* to)
{
    int n = 0, *list = r->list; // chunks
    for (int g = 0; g < level->n_group; g++)
        n += (level->begin[g + 1] - level->begin[g] + COND_PACKED_BLOCK - 1) / COND_PACKED_BLOCK;
    if (COND_RESERVE(&r->arena, r->list, 2 * n + 1 + level->n_group + 1)) {
        r->status = COND_OUT_OF_MEMORY;
        return;
    }
    list = r->list;
    int *group = list, *begin = group + n, *chunk = begin + n + 1, at = 0;
    for (int g = 0; g < level->n_group; g++) {
        chunk[g] = at;
        for (int k = level->begin[g]; k < level->begin[g + 1]; k += COND_PACKED_BLOCK) {
            group[at] = g;
            begin[at++] = k;
        }
    }
    chunk[level->n_group] = at;
    begin[n] = level->begin[level->n_group];
    to->n_group = level->n_group;
    to->n_chunk = n;
    PUT(of_patches, to->chunk_group, group, n);
    PUT(of_patches, to->chunk_begin, begin, n + 1);
    PUT(of_patches, to->group_chunk, chunk, level->n_group + 1);
    PUT(of_patches, to->group_contact, level->contact, level->begin[level->n_group]);
}

static void put_patches(CondResident* r, CondSemismooth* newton)
{
    CondContactPatches* patches = &newton->patches;
    int most_chunks = 0, most_groups = 0;
    if (!newton->patched) {
        CondStatus status = cond_contact_patches_plan(patches, &newton->soft.system);
        r->status = r->status ? r->status : status;
        newton->patched = !status;
    }
    r->of_patches.next = 0;
    r->n_patch_level = 0;
    for (int l = 0; l < patches->n_level && !r->status; l++) {
        put_patch_level(r, &patches->level[l], &r->patch[l]);
        most_chunks = r->patch[l].n_chunk > most_chunks ? r->patch[l].n_chunk : most_chunks;
        most_groups = r->patch[l].n_group > most_groups ? r->patch[l].n_group : most_groups;
        r->n_patch_level++;
    }
    ROOM(of_patches, r->view.chunk_first, most_chunks);
    ROOM(of_patches, r->view.group_first, most_groups);
    ROOM(of_patches, r->view.chunk_load, COND_PATCH_LOAD * (size_t)most_chunks);
    ROOM(of_patches, r->view.group_load, COND_PATCH_LOAD * (size_t)most_groups);
}

static void let_patches_slip(CondResident* r)
{
    CondResidentView v = r->view;
    cond_resident_loop(r, &cond_patch_forgets, v.n_contact, 1, &v);
    for (int l = 0; l < r->n_patch_level; l++) {
        const CondPatchView* patch = &r->patch[l];
        v.chunk_group = patch->chunk_group;
        v.chunk_begin = patch->chunk_begin;
        v.group_chunk = patch->group_chunk;
        v.group_contact = patch->group_contact;
        cond_resident_loop(r, &cond_patch_firsts, patch->n_chunk, COND_COORDINATE_WORK, &v);
        cond_resident_loop(r, &cond_patch_firsts_of_groups, patch->n_group, COND_COORDINATE_WORK,
                           &v);
        cond_resident_loop(r, &cond_patch_loads, patch->n_chunk, COND_CONTACT_WORK, &v);
        cond_resident_loop(r, &cond_patch_loads_of_groups, patch->n_group, COND_CONTACT_WORK, &v);
        cond_resident_loop(r, &cond_patch_shares, patch->n_chunk, COND_CONTACT_WORK, &v);
    }
    cond_resident_loop(r, &cond_patch_takes, v.n_contact, 4, &v);
}

void cond_resident_predict(CondSemismooth* newton)
{
    CondResident* r = newton->resident;
    const CondResidentView* v = &r->view;
    double overloaded = 0.0;
    cond_resident_loop(r, &cond_resident_predicts, v->n_contact, COND_CONTACT_WORK, v);
    cond_resident_sum(r, &cond_resident_overloads, v->n_contact, COND_COORDINATE_WORK, v,
                      &overloaded);
    cond_resident_wait(r);
    if (r->status || overloaded == 0.0)
        return;
    if (r->n_patch_level < 0)
        put_patches(r, newton);
    let_patches_slip(r);
}

void cond_resident_linearise(CondSemismooth* newton, double resistance)
{
    CondResident* r = newton->resident;
    CondResidentView* v = &r->view;
    double turned = 0.0, closed = 0.0, slipping = 0.0;
    v->resistance = resistance;
    cond_resident_loop(r, &cond_resident_linearises, v->n_contact, COND_CONTACT_WORK, v);
    cond_resident_loop(r, &cond_resident_right_hand, v->n_node, COND_COORDINATE_WORK, v);
    cond_resident_sum(r, &cond_resident_turned, v->n_contact, 1, v, &turned);
    cond_resident_sum(r, &cond_resident_closed, v->n_contact, 1, v, &closed);
    cond_resident_sum(r, &cond_resident_slipping, v->n_contact, 1, v, &slipping);
    cond_resident_wait(r);
    newton->turned = (int)turned;
    newton->closed = (int)closed;
    newton->slipping = (int)slipping;
}

// ---- the linear system

static void show_levels(const CondResident* r, const CondSoftPacked* packed, CondCudaSystem* to)
{
    const CondAggregation* coarse = &packed->coarse;
    for (int l = 0; l < coarse->n_level; l++) {
        const CondLevel* level = &coarse->level[l];
        to->level[l] = (CondCudaLevel){.n_node = level->n_node,
                                       .n_group = level->n_group,
                                       .row_begin = level->row_begin,
                                       .column = level->column,
                                       .A = r->level[l].level_A,
                                       .D = r->level[l].level_D,
                                       .group = level->group,
                                       .member_begin = level->member_begin,
                                       .member = level->member,
                                       .arm = r->arm[l],
                                       .step = level->step,
                                       .ratio = level->ratio};
    }
}

static const uint64_t OWN_VERSION = UINT64_C(1) << 63; // not one of the host's

static CondStatus solve_on_cuda(CondResident* r, CondSoftPacked* packed, CondCg* cg)
{
    const CondAggregation* coarse = &packed->coarse;
    CondCudaSystem system = {.pattern = packed->key,
                             .n_part = packed->n_part,
                             .n_four = packed->n_four,
                             .part_four = packed->part_four,
                             .row_begin = packed->row_begin,
                             .column = packed->column,
                             .diagonal = packed->diagonal,
                             .order = packed->order,
                             .matrix = packed->n_plan,
                             .resident = 1,
                             .A = r->view.A,
                             .A_begin = r->view.row_begin,
                             .A_node = r->view.order,
                             .on_diagonal = r->view.on_diagonal,
                             .B = r->view.pairs,
                             .joins = packed->n_plan,
                             .part_begin = packed->part_begin,
                             .part_sum = packed->part_sum,
                             .part_cell = packed->part_cell,
                             .coarse = 1,
                             .deep = 1,
                             .n_group = coarse->n_group,
                             .n_level = coarse->n_level,
                             .groups = coarse->n_plan,
                             .levels = OWN_VERSION | r->n_made,
                             .group_begin = coarse->group_begin,
                             .part_group = coarse->part_group,
                             .n_coarse = coarse->n,
                             .wide_coarse = coarse->wide,
                             .inverse = r->inverse,
                             .frame = r->coarse.frame,
                             .skew_begin = r->coarse.skew_begin,
                             .skew = r->coarse.skew_place,
                             .skew_rows = r->coarse.skew_rows,
                             .scale = (float)cond_aggregation_damping(coarse)};
    show_levels(r, packed, &system);
    double none = 0.0;
    CondCudaSolve work = {.r = r->view.packed_r,
                          .x = r->view.packed_x,
                          .interface = &none,
                          .goal = cg->goal,
                          .reduction = cg->reduction,
                          .max_products = cg->max_products};
    cond_resident_wait(r); // the other stream begins
    CondError error;
    CondStatus status = r->status;
    if (!status && (status = cond_cuda_soft_solve(packed->device, &system, &work, &error)))
        cond_error_set(NULL, status, "%s", error.message);
    cg->products = work.products;
    cg->failed = work.failed;
    cg->goal = work.goal;
    return status;
}

// By the solver of the host, whose arrays those of the device are.
static CondStatus solve_on_host(CondResident* r, CondSoftPacked* packed, CondCg* cg)
{
    double none = 0.0;
    for (int place = 0; place < r->coarse.n_place; place++)
        for (int e = 0; e < 9 && packed->order[place] >= 0; e++)
            packed->value[packed->diagonal[place] + 12 * (e / 3) + e % 3] =
                r->view.on_diagonal[9 * (ptrdiff_t)place + e];
    packed->coarse.on = 1;
    CondSoftPackedSolve solve = {.cg = *cg, .factor = &none, .interface = &none};
    CondStatus status = cond_soft_packed_solve(packed, &solve);
    *cg = solve.cg;
    return status;
}

// One round in single precision, as solve_single of soft_system_solve.c: the products, and in
// *left the norm of what is left.
static int solve_round(CondSemismooth* newton, double reduction, double peak, double* goal,
                       double* left, double* next_peak, int max_products)
{
    CondResident* r = newton->resident;
    CondResidentView* v = &r->view;
    CondSoftPacked* packed = &newton->soft.system.packed;
    if (!(peak > 0.0) || !isfinite(peak))
        return 0;
    v->scale = peak;
    cond_resident_loop(r, &cond_resident_packs, r->coarse.n_place, 8, v);
    CondCg cg = {.context = &newton->arena.context,
                 .goal = -1.0,
                 .reduction = fmax(reduction, COND_SOFT_ROUND),
                 .max_products = max_products - 1};
    CondStatus status = r->apart ? solve_on_cuda(r, packed, &cg) : solve_on_host(r, packed, &cg);
    if (status || cg.failed)
        return (int)status;
    cond_resident_loop(r, &cond_resident_unpacks, v->n_node, 8, v);
    cond_resident_loop(r, &cond_resident_corrects, v->n_node, COND_CONTACT_WORK, v);
    cond_resident_sum(r, &cond_resident_left, v->n_node, COND_COORDINATE_WORK, v, left);
    cond_resident_most(r, &cond_resident_peaks, v->n_node, COND_COORDINATE_WORK, v, next_peak);
    cond_resident_wait(r);
    if (*goal < 0.0) {
        double part = reduction / cg.reduction;
        *goal = part * part * peak * peak * cg.goal;
    }
    return r->status ? (int)r->status : cg.products + 1;
}

// The loop of cond_soft_system_solve. COND_RESIDENT_HOST: single precision does not do.
static int solve_rounds(CondSemismooth* newton, double reduction, int max_products)
{
    CondResident* r = newton->resident;
    CondResidentView* v = &r->view;
    int products = 0;
    double goal = -1.0, last = INFINITY, left = 0.0, peak = 0.0;
    cond_resident_most(r, &cond_resident_peaks, v->n_node, COND_COORDINATE_WORK, v, &peak);
    cond_resident_wait(r);
    while (products + 2 < max_products && !cond_cancelled(&newton->arena.context)) {
        int count =
            solve_round(newton, reduction, peak, &goal, &left, &peak, max_products - products);
        if (count < 0)
            return count;
        products += count;
        if (count == 0)
            break;
        if (left <= 4.0 * goal || products + 2 >= max_products)
            return products;
        if (!(4.0 * left < last))
            break;
        last = left;
    }
    return COND_RESIDENT_HOST;
}

int cond_resident_solve(CondSemismooth* newton, int max_products)
{
    CondResident* r = newton->resident;
    CondResidentView* v = &r->view;
    CondSoftBackEnd* soft = &newton->soft;
    double failed = 0.0;
    cond_resident_loop(r, &cond_resident_diagonals, v->n_node, COND_CONTACT_WORK, v);
    CondStatus status = cond_resident_build_levels(r, &soft->system);
    if (status)
        return status == COND_DIVERGED ? COND_RESIDENT_HOST : (int)status;
    cond_resident_sum(r, &cond_resident_inverts, v->n_node, COND_CONTACT_WORK, v, &failed);
    cond_resident_wait(r);
    if (r->status)
        return (int)r->status;
    if (failed > 0.0)
        return COND_RESIDENT_HOST;
    int limit = max_products < COND_STEP_PRODUCTS ? max_products : COND_STEP_PRODUCTS;
    int count = solve_rounds(newton, COND_GROUPED_REDUCTION * soft->sharper, limit);
    if (count == COND_RESIDENT_HOST) { // with the right-hand side as it was
        cond_resident_loop(r, &cond_resident_right_hand, v->n_node, COND_COORDINATE_WORK, v);
        return count;
    }
    soft->products += count > 0 ? count : 0;
    soft->longest = count > soft->longest ? count : soft->longest;
    return count;
}

// ---- pairs

static void copy(CondResident* r, int n, const double* from, double* to)
{
    CondResidentView v = r->view;
    v.from = from;
    v.to = to;
    cond_resident_loop(r, &cond_resident_copies, n, 1, &v);
}

static void swap(CondPairView* a, CondPairView* b)
{
    CondPairView kept = *a;
    *a = *b;
    *b = kept;
}

void cond_resident_arrive(CondResident* r)
{
    const CondResidentView* v = &r->view;
    cond_resident_loop(r, &cond_resident_arrives, v->n_node, 4, v);
    cond_resident_loop(r, &cond_resident_arrives_contacts, v->n_contact, COND_COORDINATE_WORK, v);
}

void cond_resident_keep_slips(CondResident* r)
{
    cond_resident_loop(r, &cond_resident_slips_kept, r->view.n_contact, 2, &r->view);
}

void cond_resident_forget_slips(CondResident* r)
{
    cond_resident_loop(r, &cond_resident_slips_forgotten, r->view.n_contact, 2, &r->view);
}

void cond_resident_keep_best(CondResident* r)
{
    copy(r, 3 * r->view.n_node, r->view.now.v, r->view.best_v);
    copy(r, 3 * r->view.n_contact, r->view.now.lambda, r->view.best_lambda);
}

void cond_resident_take_tried(CondResident* r)
{
    swap(&r->view.now, &r->view.tried);
}

void cond_resident_swap_reference(CondResident* r)
{
    swap(&r->view.now, &r->reference);
}
