// The resident method: the linear system of a step, its build and its rounds in single precision.
#include "newton/resident_part.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/tuning.h"
#include "cuda/soft_cg.h"
#include "linear/cholesky.h"
#include "linear/lu.h"
#include "newton/tuning.h"
#include "soft/soft_packed_device.h"
#include "soft/tuning.h"

#include <math.h>
#include <string.h>

#define RESERVE(array, count) COND_RESERVE(&r->arena, r->array, count)
#define ROOM(field, n)                                                                             \
    ((field) = cond_resident_room(r, &r->of_system, (size_t)(n) * sizeof *(field)))
#define PUT(field, from, n)                                                                        \
    ((field) = cond_resident_put(r, &r->of_system, from, (size_t)(n) * sizeof *(field)))
// An array of the host, or one of the device in its place.
#define ALIAS(field, host, n)                                                                      \
    ((field) =                                                                                     \
         r->apart ? cond_resident_room(r, &r->of_system, (size_t)(n) * sizeof *(field)) : (host))

// ---- once a problem

// Contacts among the joins of the packed system, in its order, and their gains.
static void put_joins(CondResident* r, const CondSoftSystem* system)
{
    const CondSoftPacked* packed = &system->packed;
    CondResidentSystemView* s = &r->linear;
    int n = packed->n_join - system->n_coupled, at = 0;
    r->n_join_contact = n;
    if (n > 0 && RESERVE(list, n)) {
        r->status = COND_OUT_OF_MEMORY;
        return;
    }
    for (int k = 0; k < system->n_other; k++)
        if (system->joins[system->other[k]] == COND_JOINS_SEVERAL)
            r->list[at++] = system->other[k];
    int first = system->n_coupled;
    size_t size = packed->n_join > 0 ? (size_t)packed->join_gain[packed->n_join] : 0;
    PUT(s->join_contact, r->list, n);
    PUT(s->join_gain, n > 0 ? packed->join_gain + first : NULL, n);
    ALIAS(s->gain, packed->gain, size);
    if (r->apart && first > 0)
        cond_resident_write(r, s->gain, packed->gain,
                            (size_t)packed->join_gain[first] * sizeof *s->gain);
}

static void make_interface_room(CondResident* r, CondSoftSystem* system)
{
    CondSoftPacked* packed = &system->packed;
    CondResidentSystemView* s = &r->linear;
    int nb = system->n_interface, na = packed->n_attached;
    s->n_interface = nb;
    s->n_attached = na;
    s->wide = cond_soft_packed_wide(nb);
    s->n_chunk = (na + COND_PACKED_BLOCK - 1) / COND_PACKED_BLOCK;
    size_t rows = 3 * (size_t)na, square = (size_t)nb * (size_t)nb;
    if (RESERVE(schur, (int)square) || RESERVE(schur_inverse, (int)square) || RESERVE(column, nb) ||
        RESERVE(pivot, nb)) {
        r->status = COND_OUT_OF_MEMORY;
        return;
    }
    PUT(s->attached, packed->node, na);
    ROOM(s->C_rest, rows * (size_t)nb);
    ROOM(s->C, rows * (size_t)nb);
    ROOM(s->BC, rows * (size_t)nb);
    ROOM(s->E, rows * (size_t)nb);
    ROOM(s->EB, rows * (size_t)nb);
    ROOM(s->S_rest, square);
    ROOM(s->S, square);
    ROOM(s->schur, square);
    ROOM(s->schur_part, (size_t)s->n_chunk * square);
    ROOM(s->small, nb);
    ROOM(s->small_part, s->n_chunk * nb);
    ROOM(s->interface, nb);
    ALIAS(s->inverse, r->schur_inverse, square);
    ALIAS(s->own, packed->S, square);
    ALIAS(s->packed_C, packed->C, rows * (size_t)s->wide);
    ALIAS(s->packed_BC, packed->BC, rows * (size_t)s->wide);
}

static int points_of_interface(const CondResident* r)
{
    return (r->linear.n_interface + 2) / 3;
}

void cond_resident_put_system(CondResident* r, CondSoftSystem* system)
{
    CondSoftPacked* packed = &system->packed;
    CondResidentSystemView* s = &r->linear;
    int nn = system->n_node, nc = s->v.n_contact, places = r->coarse.n_place;
    int coupled = system->problem->n_coupling > 0;
    r->of_system.next = 0;
    ROOM(s->T, 9 * (size_t)nc);
    ROOM(s->push, 3 * (size_t)nc);
    ROOM(s->rest, 9 * (size_t)nn);
    ROOM(s->joined, coupled ? 9 * (size_t)nn : 0);
    s->joined = coupled ? s->joined : NULL;
    ROOM(s->B, 9 * (size_t)nn);
    ROOM(s->B_own, 9 * (size_t)nn);
    ROOM(s->on_diagonal, 9 * (size_t)places);
    ALIAS(s->pairs, packed->B, 12 * (size_t)places);
    ALIAS(s->packed_r, packed->r, 4 * (size_t)places);
    ALIAS(s->packed_x, packed->x, 4 * (size_t)places);
    put_joins(r, system);
    make_interface_room(r, system);
    int np = points_of_interface(r);
    cond_resident_loop(r, &cond_system_rests, nn, COND_CONTACT_WORK, s);
    if (np == 0)
        return;
    cond_resident_loop(r, &cond_system_rests_attached, s->n_attached, COND_CONTACT_WORK, s);
    cond_resident_loop(r, &cond_system_rests_own, np * np, COND_CONTACT_WORK, s);
}

// ---- a round in single precision

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
                             .A = r->linear.v.A,
                             .A_begin = r->linear.v.row_begin,
                             .A_node = r->linear.order,
                             .on_diagonal = r->linear.on_diagonal,
                             .B = r->linear.pairs,
                             .coarse = coarse->on,
                             .deep = coarse->deep,
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
    cond_soft_packed_show_joins(packed, &system);
    system.gain = r->linear.gain;
    system.C = r->linear.packed_C;
    system.BC = r->linear.packed_BC;
    system.S = r->linear.own;
    system.S_inverse = r->linear.inverse;
    if (coarse->on)
        show_levels(r, packed, &system);
    CondCudaSolve work = {.r = r->linear.packed_r,
                          .x = r->linear.packed_x,
                          .interface = r->linear.interface,
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
    for (int place = 0; place < r->coarse.n_place; place++)
        for (int e = 0; e < 9 && packed->order[place] >= 0; e++)
            packed->value[packed->diagonal[place] + 12 * (e / 3) + e % 3] =
                r->linear.on_diagonal[9 * (ptrdiff_t)place + e];
    CondSoftPackedSolve solve = {.cg = *cg, .factor = r->schur, .interface = r->linear.interface};
    CondStatus status = cond_soft_packed_solve(packed, &solve);
    *cg = solve.cg;
    return status;
}

// As solve_single of soft_system_solve.c: the products, and in *left the norm of what is left.
typedef struct Round {
    double reduction, goal, left, peak;
    int max_products;
} Round;

static void find_peak(CondResident* r, double* peak)
{
    cond_resident_most(r, &cond_system_peaks, r->linear.v.n_point, COND_COORDINATE_WORK, &r->linear,
                       peak);
}

// Interface and all: x += dx, r -= H dx, and norms of r.
static void correct(CondResident* r, Round* round)
{
    CondResidentSystemView* s = &r->linear;
    int nb = s->n_interface;
    double interface = 0.0;
    cond_resident_loop(r, &cond_system_unpacks, s->v.n_point, 8, s);
    cond_resident_multiply(r, s->v.dx);
    cond_resident_loop(r, &cond_system_corrects, s->v.n_point, COND_CONTACT_WORK, s);
    cond_resident_sum(r, &cond_system_left, s->v.n_node, COND_COORDINATE_WORK, s, &round->left);
    find_peak(r, &round->peak);
    if (nb > 0) {
        cond_resident_reduce(r, s->v.next.r);
        cond_resident_sum(r, &cond_system_small_norm, nb * nb, 2, s, &interface);
    }
    cond_resident_wait(r);
    round->left += interface;
}

static int solve_round(CondSemismooth* newton, Round* round)
{
    CondResident* r = newton->resident;
    CondResidentSystemView* s = &r->linear;
    CondSoftPacked* packed = &newton->soft.system.packed;
    double peak = round->peak;
    if (!(peak > 0.0) || !isfinite(peak))
        return 0;
    s->v.scale = peak;
    cond_resident_loop(r, &cond_system_packs, r->coarse.n_place, 8, s);
    cond_resident_loop(r, &cond_system_packs_interface, s->n_interface, 2, s);
    CondCg cg = {.context = &newton->arena.context,
                 .goal = -1.0,
                 .reduction = fmax(round->reduction, COND_SOFT_ROUND),
                 .max_products = round->max_products - 1};
    CondStatus status = r->apart ? solve_on_cuda(r, packed, &cg) : solve_on_host(r, packed, &cg);
    if (status || cg.failed)
        return (int)status;
    correct(r, round);
    if (round->goal < 0.0) {
        double part = round->reduction / cg.reduction;
        round->goal = part * part * peak * peak * cg.goal;
    }
    return r->status ? (int)r->status : cg.products + 1;
}

// The loop of cond_soft_system_solve: rounds in single precision, and what they cannot do in
// double.
static int solve_rounds(CondSemismooth* newton, double reduction, int max_products)
{
    CondResident* r = newton->resident;
    Round round = {.reduction = reduction, .goal = -1.0};
    int products = 0;
    double last = INFINITY;
    find_peak(r, &round.peak);
    cond_resident_wait(r);
    while (products + 2 < max_products && !cond_cancelled(&newton->arena.context)) {
        round.max_products = max_products - products;
        int count = solve_round(newton, &round);
        if (count < 0)
            return count;
        products += count;
        if (count == 0)
            break;
        if (round.left <= 4.0 * round.goal || products + 2 >= max_products)
            return products;
        if (!(4.0 * round.left < last))
            break;
        last = round.left;
    }
    CondCg wide = {.context = &newton->arena.context,
                   .goal = round.goal,
                   .reduction = reduction,
                   .max_products = max_products - products};
    cond_resident_solve_wide(r, &wide);
    if (r->status || wide.failed)
        return r->status ? (int)r->status : COND_DIVERGED;
    return products + wide.products;
}

// ---- the system of a step

// The Schur complement of the interface: its factor and its inverse are the host's work, which n^2
// numbers cross for each way.
static CondStatus build_interface(CondResident* r)
{
    CondResidentSystemView* s = &r->linear;
    int nb = s->n_interface, np = points_of_interface(r);
    size_t square = (size_t)nb * (size_t)nb;
    if (nb == 0)
        return COND_OK;
    cond_resident_loop(r, &cond_system_attach, s->n_attached, COND_CONTACT_WORK, s);
    cond_resident_loop(r, &cond_system_owns, np * np, COND_CONTACT_WORK, s);
    cond_resident_loop(r, &cond_system_schur_parts, s->n_chunk * nb * nb, 96, s);
    cond_resident_loop(r, &cond_system_schurs, nb * nb, 8, s);
    cond_resident_read(r, r->schur, s->schur, square * sizeof *r->schur);
    cond_resident_wait(r);
    int failed = r->status    ? 1
                 : s->general ? cond_lu_factor(nb, r->schur, r->pivot)
                              : cond_cholesky_factor(nb, r->schur);
    if (failed)
        return r->status ? r->status : COND_DIVERGED;
    for (int j = 0; j < nb; j++) {
        memset(r->column, 0, (size_t)nb * sizeof *r->column);
        r->column[j] = 1.0;
        if (s->general)
            cond_lu_solve(nb, r->schur, r->pivot, r->column);
        else
            cond_cholesky_solve(nb, r->schur, r->column);
        for (int i = 0; i < nb; i++)
            r->schur_inverse[(ptrdiff_t)i * nb + j] = r->column[i];
    }
    if (r->apart)
        cond_resident_write(r, (double*)s->inverse, r->schur_inverse,
                            square * sizeof *r->schur_inverse);
    return r->status;
}

// Blocks, coarse correction and interface. COND_DIVERGED: not positive definite, or singular. As on
// the host, many levels do not go with friction that follows, and a system that is not symmetric
// has no coarse correction at all.
static CondStatus build(CondSemismooth* newton)
{
    CondResident* r = newton->resident;
    CondResidentSystemView* s = &r->linear;
    CondSoftSystem* system = &newton->soft.system;
    CondStatus status = COND_OK;
    double failed = 0.0;
    s->general = newton->follows && newton->slipping > 0;
    if (newton->follows)
        system->deep = 0;
    system->packed.coarse.on = s->coarse = system->deep || system->grouped;
    if (s->coarse && r->depth != (int)newton->soft.depth) {
        cond_resident_lay_out_levels(r, system);
        r->depth = (int)newton->soft.depth;
    }
    cond_resident_loop(r, &cond_system_gains, s->v.n_contact, COND_CONTACT_WORK, s);
    cond_resident_loop(r, &cond_system_joins, r->n_join_contact, 9, s);
    cond_resident_loop(r, &cond_system_diagonals, s->v.n_node, COND_CONTACT_WORK, s);
    if (s->coarse && !s->general)
        status = cond_resident_build_levels(r, system);
    cond_resident_sum(r, s->general ? &cond_system_inverts_general : &cond_system_inverts,
                      s->v.n_node, COND_CONTACT_WORK, s, &failed);
    cond_resident_wait(r);
    if (r->status || status)
        return r->status ? r->status : status;
    return failed > 0.0 ? COND_DIVERGED : build_interface(r);
}

int cond_resident_solve(CondSemismooth* newton, int max_products)
{
    CondResident* r = newton->resident;
    CondStatus status = build(newton);
    if (status)
        return (int)status;
    CondSoftEffort effort = cond_soft_back_end_effort(&newton->soft, newton->follows, max_products);
    int count = r->linear.general ? cond_resident_solve_general(r, &newton->arena.context,
                                                                effort.reduction, effort.limit)
                                  : solve_rounds(newton, effort.reduction, effort.limit);
    status = cond_soft_back_end_record(&newton->soft, &effort, count);
    return status ? (int)status : count;
}
