// The parts of a Newton step that loop over coordinates and contacts.
#include "newton/semismooth_step.h"

#include "base/parallel.h"
#include "base/tuning.h"
#include "device/sum.h"
#include "math/vec3.h"
#include "newton/resident.h"
#include "problem/block.h"
#include "problem/side.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum {
    N_KIND = 3, // open, sticks, slips
    FEW = 32,   // contacts whose velocities are made at a time
};

// Loops over parts of the coordinates, those of partial sums, or over contacts.
typedef struct Loop {
    CondSemismooth* newton;
    const CondCertificateData* data;
    const CondPair* pair;
    double share; // of the way from now to next, where `moves`
    int moves;
    int between; // 1: the contacts' velocities are known at both ends of the way
    double resistance;
} Loop;

// Two loops that a team makes in one go; the second waits for the first.
static void run_named(const Loop* loop, const CondPhase* phase, int n_phase, const char* name)
{
    const CondProblem* problem = loop->data->problem;
    size_t work = COND_COORDINATE_WORK * (size_t)problem->n_dof +
                  COND_CONTACT_WORK * (size_t)problem->n_contact;
    cond_parallel_phases(n_phase, phase, cond_threads_chained(work, loop->newton->threads), name);
}
#define run(loop, phase, n_phase) run_named(loop, phase, n_phase, __func__)

// One over coordinates and one over contacts, which read x; of a problem over ranks they see
// others' coordinates of it as well.
static void run_both(const Loop* loop, CondPhase coordinates, double* x, CondPhase contacts)
{
    const CondRanks* ranks = loop->data->ranks;
    CondPhase phase[] = {coordinates, contacts};
    if (!ranks) {
        run(loop, phase, 2);
        return;
    }
    run(loop, phase, 1);
    ranks->exchange(ranks->data, x);
    run(loop, phase + 1, 1);
}

// 1 where the contact counts in sums: of a problem over ranks one rank alone counts it.
static int is_counted(const CondCertificateData* data, int c)
{
    return !data->ranks || data->ranks->counted[c];
}

static CondPhase each_part(const Loop* loop, CondLoopBody body, int apart)
{
    return (CondPhase){body, loop, cond_sum_parts(loop->data->problem->n_dof), apart};
}

static CondPhase each_contact(const Loop* loop, CondLoopBody body, int apart)
{
    return (CondPhase){body, loop, loop->data->problem->n_contact, apart};
}

// First coordinate of a part.
static int part_begin(const Loop* loop, int part)
{
    return cond_contact_parts_first(loop->data->parts, part);
}

static CondNaturalMap map_of(const Loop* loop, int c)
{
    return (CondNaturalMap){cond_certificate_law(loop->data, c), &loop->data->problem->contact[c],
                            loop->newton->gamma[c], cond_certificate_slip(loop->data, c)};
}

static void invert_sums(const void* data, int first, int last)
{
    const Loop* loop = data;
    double* sum = loop->newton->w;
    for (int i = part_begin(loop, first); i < part_begin(loop, last); i++)
        sum[i] = 1.0 / sum[i];
}

// trace(J W J') in the rows in which the contact acts
static double weighted_trace(const CondContact* contact, const CondSide* side, const double* w)
{
    double trace = 0.0;
    for (int k = 0; k < side->n_coordinate; k++)
        trace += cond_contact_square(contact, side, k) * w[side->coordinate[k]];
    return trace;
}

// The scale of the tangential rows is the geometric mean of theirs and that of all. Across cloth a
// node gives way a thousand times as easily as along it: with one scale its friction turns by far
// too little in a step, with their own by too much, because neighbours move along. The strict law
// alone may scale rows apart, and slip that belongs to the law has no rows.
static double tangential_share(const Loop* loop, int c, double trace)
{
    const CondContact* contact = &loop->data->problem->contact[c];
    double normal = 0.0;
    if (contact->set != COND_FORCE_CONE || cond_certificate_slip(loop->data, c) > 0.0 ||
        cond_certificate_law(loop->data, c) != COND_LAW_STRICT || !(trace > 0.0))
        return 1.0;
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < contact->side[s].n_coordinate; k++) {
            double along = cond_side_normal(contact, &contact->side[s], k);
            normal += along * along * loop->newton->w[contact->side[s].coordinate[k]];
        }
    double share = 0.5 * (trace - normal) / (trace / 3.0);
    return share > 0.0 && share < 1.0 ? sqrt(share) : 1.0;
}

// Velocities in the rows of a contact, those of its tangents over their scale.
static void scale_rows(const CondSemismooth* newton, int first, int last, double* u)
{
    for (int c = first; c < last && newton->by_rows; c++, u += 3) {
        u[1] /= newton->tangential[c];
        u[2] /= newton->tangential[c];
    }
}

static void scale_contacts(const void* data, int first, int last)
{
    const Loop* loop = data;
    CondSemismooth* newton = loop->newton;
    const CondProblem* problem = loop->data->problem;
    for (int c = first; c < last; c++) {
        const CondContact* contact = &problem->contact[c];
        double trace = 0.0;
        int of_rods = 0;
        for (int s = 0; s < 2; s++) {
            double rod = cond_rod_scale_trace(&newton->rods, problem, contact, s);
            of_rods |= rod > 0.0;
            trace += rod > 0.0 ? rod : weighted_trace(contact, &contact->side[s], newton->w);
        }
        if (newton->by_rows)
            newton->tangential[c] = of_rods ? 1.0 : tangential_share(loop, c, trace);
        newton->gamma[c] =
            trace / cond_contact_rows(contact) + cond_certificate_slip(loop->data, c);
    }
}

void cond_semismooth_scale(CondSemismooth* newton, const CondCertificateData* data)
{
    const CondProblem* problem = data->problem;
    double* sum = newton->w;
    if (data->ranks)
        data->ranks->sum_rows(data->ranks->data, sum);
    for (int b = 0; b < problem->n_block && !data->ranks; b++)
        cond_block_row_sums(&problem->block[b], sum + problem->block[b].dof_begin, newton->threads);
    // |J'K J| <= |J|' |K| |J|, entry by entry.
    for (int i = 0; i < problem->n_coupling; i++) {
        const CondCoupling* c = &problem->coupling[i];
        int n = c->n_coordinate;
        for (int r = 0; r < c->n_row; r++) {
            double force = 0.0;
            for (int s = 0; s < c->n_row; s++)
                for (int k = 0; k < n; k++)
                    force += fabs(c->gain[r * c->n_row + s] * c->jacobian[s * n + k]);
            for (int k = 0; k < n; k++)
                sum[c->coordinate[k]] += fabs(c->jacobian[r * n + k]) * force;
        }
    }
    Loop loop = {.newton = newton, .data = data};
    run_both(&loop, each_part(&loop, invert_sums, 0), newton->w,
             each_contact(&loop, scale_contacts, 1));
}

// The pair at a share of the way, on its coordinates; the velocity that predicts, that after a step
// of V-FPI, x = v - W r; and r' W r.
static void coordinate_merits(const void* data, int first, int last)
{
    const Loop* loop = data;
    CondSemismooth* newton = loop->newton;
    const CondPair *now = &newton->now, *next = &newton->next, *pair = loop->pair;
    for (int part = first; part < last; part++) {
        int begin = part_begin(loop, part), end = part_begin(loop, part + 1);
        for (int i = begin; i < end && loop->moves; i++) {
            pair->v[i] = now->v[i] + loop->share * (next->v[i] - now->v[i]);
            pair->r[i] = now->r[i] + loop->share * (next->r[i] - now->r[i]);
        }
        for (int i = begin; i < end; i++)
            newton->x[i] = pair->v[i] - newton->w[i] * pair->r[i];
        int counted = loop->data->ranks && end > loop->data->ranks->n_own
                          ? loop->data->ranks->n_own - begin
                          : end - begin;
        newton->part[part] =
            cond_dot_scaled(counted, newton->w + begin, pair->r + begin, pair->r + begin, 1);
    }
}

// Velocities of the contacts at the share of the way: what is affine along it needs no product
// but at its ends.
static void merit_velocities(const Loop* loop, int first, int last, double* u)
{
    const CondSemismooth* newton = loop->newton;
    const double* now = newton->predicted + (ptrdiff_t)3 * first;
    const double* end = newton->arrived + (ptrdiff_t)3 * first;
    int n = 3 * (last - first);
    if (!loop->between)
        cond_certificate_velocity(loop->data, newton->x, first, last, u);
    else if (loop->share == 1.0)
        memcpy(u, end, (size_t)n * sizeof *u);
    for (int i = 0; i < n && loop->between && loop->share != 1.0; i++)
        u[i] = now[i] + loop->share * (end[i] - now[i]);
}

// The same of the contacts: gamma |lambda - P(x)|^2 of each at the predicted velocity.
static void contact_merits(const void* data, int first, int last)
{
    const Loop* loop = data;
    const CondSemismooth* newton = loop->newton;
    const CondPair *now = &newton->now, *next = &newton->next, *pair = loop->pair;
    for (int i = 3 * first; i < 3 * last && loop->moves; i++)
        pair->lambda[i] = now->lambda[i] + loop->share * (next->lambda[i] - now->lambda[i]);
    for (int few = first; few < last; few += FEW) {
        int stop = few + FEW < last ? few + FEW : last;
        double u[3 * FEW];
        CondNaturalMap map[FEW];
        merit_velocities(loop, few, stop, u);
        for (int c = few; c < stop; c++)
            map[c - few] = map_of(loop, c);
        if (loop->moves && loop->share == 1.0 && !loop->between)
            memcpy(newton->arrived + (ptrdiff_t)3 * few, u, 3 * (size_t)(stop - few) * sizeof *u);
        scale_rows(newton, few, stop, u);
        cond_natural_map_shares(stop - few, map, u, pair->lambda + (ptrdiff_t)3 * few,
                                newton->share + few);
    }
}

// ---- blocks of contacts, which have sums of their own

// The contacts of a block.
static int block_end(const Loop* loop, int block)
{
    int n = loop->data->problem->n_contact, end = (block + 1) * COND_SUM_BLOCK;
    return end < n ? end : n;
}

static CondPhase each_block(const Loop* loop, CondLoopBody body)
{
    return (CondPhase){body, loop, cond_sum_parts(loop->data->problem->n_contact), 1};
}

static void sum_shares(const void* data, int first, int last)
{
    const Loop* loop = data;
    const CondSemismooth* newton = loop->newton;
    double* sum = newton->part + cond_sum_parts(loop->data->problem->n_dof);
    for (int block = first; block < last; block++) {
        sum[block] = 0.0;
        for (int c = block * COND_SUM_BLOCK; c < block_end(loop, block); c++)
            sum[block] += is_counted(loop->data, c) ? newton->share[c] : 0.0;
    }
}

static double merit(const Loop* loop)
{
    const CondSemismooth* newton = loop->newton;
    const CondProblem* problem = loop->data->problem;
    const CondRanks* ranks = loop->data->ranks;
    CondPhase phase[] = {each_part(loop, coordinate_merits, 0),
                         each_contact(loop, contact_merits, !loop->between),
                         each_block(loop, sum_shares)};
    if (ranks && !loop->between) {
        run_both(loop, phase[0], newton->x, phase[1]);
        run(loop, phase + 2, 1);
    } else {
        run(loop, phase, 3);
    }
    int n_part = cond_sum_parts(problem->n_dof);
    double sum = cond_sum_total(n_part, newton->part);
    for (int k = 0; k < phase[2].n; k++)
        sum += newton->part[n_part + k];
    if (ranks)
        sum = cond_sum_total(ranks->n_rank, ranks->gather(ranks->data, sizeof sum, &sum));
    return sqrt(sum);
}

double cond_semismooth_merit(CondSemismooth* newton, const CondCertificateData* data,
                             const CondPair* pair)
{
    Loop loop = {.newton = newton, .data = data, .pair = pair};
    return newton->resident ? cond_resident_merit(newton->resident) : merit(&loop);
}

double cond_semismooth_try(CondSemismooth* newton, const CondCertificateData* data, double a)
{
    Loop loop = {.newton = newton,
                 .data = data,
                 .pair = &newton->tried,
                 .share = a,
                 .moves = 1,
                 .between = newton->has_arrived};
    if (newton->resident)
        return cond_resident_try(newton->resident, a);
    double out = merit(&loop);
    newton->has_arrived |= a == 1.0;
    return out;
}

// That of a step of V-FPI; at first, with a factorisation and scales of rows, of the start. In
// cloth r is large where it hardly moves, and contacts that were right in the last step would come
// out wrong.
static void predict_velocities(const void* data, int first, int last)
{
    const Loop* loop = data;
    const CondSemismooth* newton = loop->newton;
    int plain = newton->by_rows && newton->merit == INFINITY && !newton->back_end->symmetric;
    for (int i = part_begin(loop, first); i < part_begin(loop, last); i++)
        newton->x[i] = newton->now.v[i] - (plain ? 0.0 : newton->w[i] * newton->now.r[i]);
}

static void predict_forces(const void* data, int first, int last)
{
    const Loop* loop = data;
    const CondSemismooth* newton = loop->newton;
    cond_certificate_velocity(loop->data, newton->x, first, last,
                              newton->predicted + (ptrdiff_t)3 * first);
    for (int c = first; c < last; c++) {
        double u[3];
        memcpy(u, newton->predicted + (ptrdiff_t)3 * c, sizeof u);
        scale_rows(newton, c, c + 1, u);
        double* x = newton->trial + (ptrdiff_t)3 * c;
        CondNaturalMap map = map_of(loop, c);
        cond_natural_map_trial(&map, u, newton->now.lambda + (ptrdiff_t)3 * c, x);
        newton->kind[c] = map.contact->set == COND_FORCE_CONE && x[0] > 0.0 &&
                          cond_linear_law_kind(&newton->law[c]) == COND_CONTACT_STICKS;
    }
}

// Whether a block has contacts that patches may let slip.
static void look_for_patches(const void* data, int first, int last)
{
    const Loop* loop = data;
    const CondSemismooth* newton = loop->newton;
    for (int block = first; block < last; block++)
        newton->count[N_KIND * block] =
            cond_contact_patches_any(loop->data->problem, block * COND_SUM_BLOCK,
                                     block_end(loop, block), newton->kind, newton->trial);
}

static int any_patches(const Loop* loop)
{
    CondPhase phase = each_block(loop, look_for_patches);
    int any = 0;
    run(loop, &phase, 1);
    for (int block = 0; block < phase.n; block++)
        any |= loop->newton->count[N_KIND * block];
    return any;
}

CondStatus cond_semismooth_predict(CondSemismooth* newton, const CondCertificateData* data)
{
    const CondProblem* problem = data->problem;
    Loop loop = {.newton = newton, .data = data};
    if (newton->resident) {
        cond_resident_predict(newton);
        return cond_resident_status(newton->resident);
    }
    run_both(&loop, each_part(&loop, predict_velocities, 0), newton->x,
             each_contact(&loop, predict_forces, 1));
    if (data->ranks) // patches would be others on each of the ranks that have a contact
        return COND_OK;
    if (!newton->back_end->symmetric || !any_patches(&loop))
        return COND_OK;
    CondStatus status = newton->patched
                            ? COND_OK
                            : cond_contact_patches_plan(&newton->patches, &newton->soft.system);
    newton->patched = !status;
    if (!status)
        cond_contact_patches_slip(&newton->patches, problem, newton->kind, newton->trial);
    return status;
}

// The law of each contact, its kind before and now, and what it changes of lambda at v in
// next.lambda: fix - D u - lambda.
static void linearise_contacts(const void* data, int first, int last)
{
    const Loop* loop = data;
    const CondSemismooth* newton = loop->newton;
    for (int c = first; c < last; c++) {
        const CondContact* contact = &loop->data->problem->contact[c];
        const double* lambda = newton->now.lambda + (ptrdiff_t)3 * c;
        const double* u = newton->now.u + (ptrdiff_t)3 * c;
        double* change = newton->next.lambda + (ptrdiff_t)3 * c;
        CondNaturalMap map = map_of(loop, c);
        CondContactKind before = cond_linear_law_kind(&newton->law[c]);
        double least = newton->follows ? newton->back_end->resistance
                                       : newton->back_end->resist(newton, contact);
        double sigma = fmax(least, loop->resistance) * map.gamma;
        cond_natural_map_linearise(&map, sigma, newton->follows, newton->trial + (ptrdiff_t)3 * c,
                                   lambda, newton->slip_before + (ptrdiff_t)2 * c, &newton->law[c]);
        for (int i = 0; i < 3 && newton->by_rows; i++)
            scale_rows(newton, c, c + 1, newton->law[c].D + 3 * i);
        newton->kind[c] = N_KIND * (int)before + (int)cond_linear_law_kind(&newton->law[c]);
        const CondLinearLaw* law = &newton->law[c];
        for (int i = 0; i < 3; i++)
            change[i] = law->fix[i] - vec3_dot(law->D + 3 * i, u) - lambda[i];
    }
}

// next.r = Jc' next.lambda - r
static void right_hand_side(const void* data, int first, int last)
{
    const Loop* loop = data;
    const CondSemismooth* newton = loop->newton;
    const CondContactParts* parts = loop->data->parts;
    CondPartRange range = cond_contact_parts_range(parts, first, last);
    for (int part = range.first; part < range.last; part++) {
        for (int i = part_begin(loop, part); i < part_begin(loop, part + 1); i++)
            newton->next.r[i] = -newton->now.r[i];
        cond_contact_parts_add(parts, part, 1.0, newton->next.lambda, newton->next.r);
    }
}

// How many contacts of a block have turned, are closed, slip.
static void count_block(const void* data, int first, int last)
{
    const Loop* loop = data;
    const CondSemismooth* newton = loop->newton;
    for (int block = first; block < last; block++) {
        int* count = newton->count + (ptrdiff_t)N_KIND * block;
        memset(count, 0, N_KIND * sizeof *count);
        for (int c = block * COND_SUM_BLOCK; c < block_end(loop, block); c++) {
            int kind = newton->kind[c] % N_KIND, counted = is_counted(loop->data, c);
            count[0] += counted && kind != newton->kind[c] / N_KIND;
            count[1] += counted && kind != COND_CONTACT_OPEN;
            count[2] += counted && kind == COND_CONTACT_SLIPS;
        }
    }
}

// The same of all, from those of the blocks.
static void count_kinds(CondSemismooth* newton, const CondCertificateData* data)
{
    const CondRanks* ranks = data->ranks;
    int count[N_KIND] = {0};
    for (int i = 0; i < N_KIND * cond_sum_parts(data->problem->n_contact); i++)
        count[i % N_KIND] += newton->count[i];
    const int* all = ranks ? ranks->gather(ranks->data, sizeof count, count) : count;
    newton->turned = newton->closed = newton->slipping = 0;
    for (int r = 0; r < (ranks ? ranks->n_rank : 1); r++) {
        newton->turned += all[N_KIND * r];
        newton->closed += all[N_KIND * r + 1];
        newton->slipping += all[N_KIND * r + 2];
    }
}

void cond_semismooth_linearise(CondSemismooth* newton, const CondCertificateData* data,
                               double resistance)
{
    Loop loop = {.newton = newton, .data = data, .resistance = resistance};
    if (newton->resident) {
        cond_resident_linearise(newton, resistance);
        return;
    }
    int work = cond_contact_parts_work(data->parts);
    CondPhase phase[] = {each_contact(&loop, linearise_contacts, 0),
                         {right_hand_side, &loop, work, 1},
                         each_block(&loop, count_block)};
    phase[2].apart = 0; // the kinds are there before the right-hand side begins
    run(&loop, phase, 3);
    count_kinds(newton, data);
}

static void arrive_coordinates(const void* data, int first, int last)
{
    const Loop* loop = data;
    const CondSemismooth* newton = loop->newton;
    for (int i = part_begin(loop, first); i < part_begin(loop, last); i++) {
        newton->next.v[i] = newton->now.v[i] + newton->x[i];
        newton->next.r[i] = -newton->next.r[i]; // what is left of b + Jc' lambda - A v
    }
}

// Differences, because gains are large: what rounding leaves falls with them from step to step.
static void arrive_contacts(const void* data, int first, int last)
{
    const Loop* loop = data;
    const CondSemismooth* newton = loop->newton;
    double* J_x = newton->arrived; // with phi; not of the pair yet
    cond_certificate_velocity(loop->data, newton->x, first, last, J_x + (ptrdiff_t)3 * first);
    for (int c = first; c < last; c++) {
        const double *phi = loop->data->problem->contact[c].phi, *D = newton->law[c].D;
        double du[3];
        for (int i = 0; i < 3; i++)
            du[i] = J_x[3 * c + i] - phi[i];
        for (int i = 0; i < 3; i++)
            newton->next.lambda[3 * c + i] +=
                newton->now.lambda[3 * c + i] - vec3_dot(D + 3 * i, du);
    }
}

void cond_semismooth_arrive(CondSemismooth* newton, const CondCertificateData* data)
{
    Loop loop = {.newton = newton, .data = data};
    if (newton->resident) {
        cond_resident_arrive(newton->resident);
        return;
    }
    CondPhase phase[] = {each_part(&loop, arrive_coordinates, 0),
                         each_contact(&loop, arrive_contacts, 0)};
    run(&loop, phase, 2);
    newton->has_arrived = 0;
}

static void add_speeds(const void* data, int first, int last)
{
    const Loop* loop = data;
    const CondSemismooth* newton = loop->newton;
    for (int block = first; block < last; block++) {
        double* most = newton->share + (ptrdiff_t)2 * block;
        most[0] = most[1] = 0.0;
        for (int c = block * COND_SUM_BLOCK; c < block_end(loop, block); c++)
            cond_certificate_add_speed(loop->data, c, newton->now.u + (ptrdiff_t)3 * c, most);
    }
}

void cond_semismooth_add_speeds(CondSemismooth* newton, const CondCertificateData* data,
                                double fastest[2])
{
    Loop loop = {.newton = newton, .data = data};
    if (newton->resident) {
        cond_resident_add_speeds(newton->resident, fastest);
        return;
    }
    CondPhase phase = each_block(&loop, add_speeds);
    run(&loop, &phase, 1);
    for (int k = 0; k < 2 * phase.n; k++)
        fastest[k % 2] = fmax(fastest[k % 2], newton->share[k]);
}

static void keep_slips(const void* data, int first, int last)
{
    const CondSemismooth* newton = ((const Loop*)data)->newton;
    for (int c = first; c < last; c++)
        memcpy(newton->slip_before + (ptrdiff_t)2 * c, newton->law[c].slip,
               sizeof newton->law[c].slip);
}

void cond_semismooth_keep_slips(CondSemismooth* newton, const CondCertificateData* data)
{
    Loop loop = {.newton = newton, .data = data};
    if (newton->resident) {
        cond_resident_keep_slips(newton->resident);
        return;
    }
    CondPhase phase = each_contact(&loop, keep_slips, 0);
    run(&loop, &phase, 1);
}
