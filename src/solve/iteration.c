// Half of A is read, and v** is made while A v - b is at hand:
//   1  what chunks of A find, v* = v - W (A v - b) of soft bodies inside them, K J v of the terms,
//      products of the other blocks
//   2  v* where chunks meet
//   3  the terms' forces on v* of the soft coordinates they touch; v* on all that is not soft
//   4  contact solves: v**, lambda
//   5  |v** - v|
//
// With A stored as floats, A_f, the iteration has A_f (v - v_0) + (A v_0 - b) in place of A v - b.
// What the rounding of A spoils is in proportion to the way that v has come since v_0, which is
// taken anew every few iterations, so nothing is left of it in the end.
#include "solve/iteration.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/sum.h"
#include "linear/bsr3_product.h"
#include "problem/block.h"
#include "solve/settings.h"

#include <math.h>

enum { BASE_EVERY = 16 }; // iterations that a v_0 serves

#define RESERVE(array, count)                                                                      \
    cond_reserve(&it->context, &it->array, &it->cap_##array, count, sizeof *it->array)

// Fused where soft bodies are most of the problem; the rest of it is left to one thread then.
static int can_fuse(const CondIteration* it)
{
    int rest = it->nodal->n_dof - it->A.n_soft;
    return it->A.on && rest <= it->A.n_soft / 16 && it->W->chain.matrix.n_band == 0;
}

static int is_soft(const CondNodal* nodal, int i)
{
    const CondProblem* problem = nodal->problem;
    return i < nodal->n_dof && problem->block[cond_nodal_block(problem, i)].kind == COND_BLOCK_BSR3;
}

static void sort_touched(CondIteration* it)
{
    const CondNodal* nodal = it->nodal;
    int n = 0;
    for (int soft = 1; soft >= 0; soft--) {
        for (int k = 0; k < nodal->n_touched; k++)
            if (is_soft(nodal, nodal->touched[k]) == soft)
                it->touched[n++] = nodal->touched[k];
        it->n_soft = soft ? n : it->n_soft;
    }
}

CondStatus cond_iteration_build(CondIteration* it, CondNodal* nodal, CondSurrogate* W,
                                CondContactSweep* sweep, const CondSolverSettings* settings)
{
    it->nodal = nodal;
    it->W = W;
    it->sweep = sweep;
    it->settings = settings;
    it->fused = it->age = 0;
    it->A.context = it->context;
    it->n_part = cond_sum_parts(nodal->n);
    cond_contact_sweep_weigh(sweep, W->w);
    if (RESERVE(part, 2 * it->n_part))
        return COND_OUT_OF_MEMORY;
    if (cond_surrogate_varies(settings->surrogate))
        return COND_OK;
    int single = settings->storage == COND_STORAGE_FLOAT;
    CondStatus status = cond_packed_build(&it->A, nodal->problem, single, settings->threads);
    if (status || !can_fuse(it))
        return status;
    if (RESERVE(touched, nodal->n_touched) ||
        (single &&
         (RESERVE(base, nodal->n) || RESERVE(shift, nodal->n) || RESERVE(away, nodal->n))))
        return COND_OUT_OF_MEMORY;
    sort_touched(it);
    it->fused = 1;
    return COND_OK;
}

void cond_iteration_destroy(CondIteration* it)
{
    cond_packed_destroy(&it->A);
    void* arrays[] = {it->touched, it->part, it->base, it->shift, it->away};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        cond_release(&it->context, arrays[i]);
}

typedef struct Loop {
    const CondIteration* it;
    const CondIterates* at;
    CondHalfTask soft; // with v, or with v - v_0
} Loop;

static void add_up(const void* loop, int first, int last)
{
    const Loop* l = loop;
    cond_half_add_up(&l->it->A.half, &l->soft, first, last);
}

static void term_forces(const void* loop, int first, int last)
{
    const Loop* l = loop;
    cond_nodal_term_forces(l->it->nodal, l->it->nodal->coordinate, l->at->v, first, last);
}

// g = A v - b of the other blocks, and 0 on virtual nodes; one item.
static void multiply_others(const void* loop, int first, int last)
{
    const Loop* l = loop;
    const CondNodal* nodal = l->it->nodal;
    (void)first;
    (void)last;
    cond_problem_multiply_others(nodal->problem, l->at->v, nodal->problem->b, l->at->g, 1);
    for (int i = nodal->n_dof; i < nodal->n; i++)
        l->at->g[i] = 0.0;
}

static void step_soft(const void* loop, int first, int last)
{
    const Loop* l = loop;
    cond_half_finish(&l->it->A.half, &l->soft, first, last);
}

static void gather_terms(const void* loop, int first, int last)
{
    const Loop* l = loop;
    const CondIteration* it = l->it;
    for (int k = first; k < last; k++) {
        int i = it->touched[k];
        l->at->plain[i] -= it->W->w[i] * cond_nodal_add_forces(it->nodal, i, 0.0);
    }
}

// One item.
static void step_others(const void* loop, int first, int last)
{
    const Loop* l = loop;
    const CondIteration* it = l->it;
    (void)first;
    (void)last;
    for (int k = it->n_soft; k < it->nodal->n_touched; k++) {
        int i = it->touched[k];
        l->at->g[i] = cond_nodal_add_forces(it->nodal, i, l->at->g[i]);
    }
    cond_surrogate_apply_others(it->W, it->nodal, l->at->g, l->at->v, l->at->plain, 1);
}

static void solve_contacts(const void* loop, int first, int last)
{
    const Loop* l = loop;
    cond_contact_sweep_run_parts(l->it->sweep, l->at->carry, l->at->plain, l->at->lambda, first,
                                 last);
}

static void measure(const void* loop, int first, int last)
{
    const Loop* l = loop;
    const CondIterates* at = l->at;
    int n = l->it->nodal->n;
    cond_distance2_parts(n, at->plain, at->v, first, last, l->it->part);
    if (at->metric)
        cond_distance2_scaled_parts(n, at->metric, at->plain, at->v, first, last,
                                    l->it->part + l->it->n_part);
}

static void move_away(const void* loop, int first, int last)
{
    const Loop* l = loop;
    const CondIteration* it = l->it;
    for (int i = first; i < last; i++)
        it->away[i] = l->at->v[i] - it->base[i];
}

static void take_base(const void* loop, int first, int last)
{
    const Loop* l = loop;
    for (int i = first; i < last; i++)
        l->it->base[i] = l->at->v[i];
}

// shift = b - A v_0 on soft bodies, in double.
static void refresh_base(CondIteration* it, CondIterates* at)
{
    const CondProblem* problem = it->nodal->problem;
    Loop loop = {.it = it, .at = at};
    int n = it->nodal->n, threads = it->settings->threads;
    cond_parallel(n, cond_threads((size_t)n, threads), take_base, &loop);
    for (int p = 0; p < it->A.n_part; p++) {
        const CondBsr3Part* part = &it->A.part[p];
        int i = part->begin, size = 3 * part->n_row;
        cond_bsr3_product(&part->rows, part->n_row, it->base + i, problem->b + i, it->shift + i,
                          threads);
        for (int k = 0; k < size; k++)
            it->shift[i + k] = -it->shift[i + k];
    }
    at->products++;
}

static void run_fused(CondIteration* it, CondIterates* at)
{
    const CondNodal* nodal = it->nodal;
    int single = it->A.half.single, n_chunk = it->A.half.n_chunk;
    if (single && it->age++ % BASE_EVERY == 0)
        refresh_base(it, at);
    Loop loop = {it,
                 at,
                 {.x = single ? it->away : at->v,
                  .shift = single ? it->shift : nodal->problem->b,
                  .w = it->W->w,
                  .v = at->v,
                  .y = at->plain}};
    int others = nodal->n > it->A.n_soft, parts = cond_contact_sweep_parts(it->sweep);
    CondPhase phase[] = {
        {move_away, &loop, single ? nodal->n : 0, 0},
        {add_up, &loop, n_chunk, single},
        {term_forces, &loop, nodal->n_term, 0},
        {multiply_others, &loop, others, 0},
        {step_soft, &loop, n_chunk, 1},
        {gather_terms, &loop, it->n_soft, it->n_soft > 0},
        {step_others, &loop, others, 0},
        {solve_contacts, &loop, parts, 1},
        {measure, &loop, it->n_part, 1},
    };
    int n_thread = cond_threads(9 * (size_t)it->A.half.n_block, it->settings->threads);
    cond_parallel_phases(sizeof phase / sizeof phase[0], phase, n_thread);
}

void cond_iteration_run(CondIteration* it, CondIterates* at)
{
    const CondSolverSettings* settings = it->settings;
    int threads = settings->threads;
    at->products = 1;
    if (it->fused) {
        run_fused(it, at);
    } else {
        Loop loop = {.it = it, .at = at};
        cond_surrogate_step(it->W, it->nodal, settings, at->v, at->g, at->plain);
        if (cond_surrogate_varies(settings->surrogate))
            cond_contact_sweep_weigh(it->sweep, it->W->w);
        cond_contact_sweep_run(it->sweep, at->carry, at->plain, at->lambda, threads);
        cond_parallel(it->n_part, cond_threads((size_t)it->nodal->n, threads), measure, &loop);
    }
    at->length = sqrt(cond_sum_total(it->n_part, it->part));
    at->residual = at->metric ? sqrt(cond_sum_total(it->n_part, it->part + it->n_part)) : 0.0;
}
