// What fused V-FPI (fused.h) prepares before its iterations: the matrix, the contacts, and the
// shares of the threads.
#include "base/memory.h"
#include "law/settings.h"
#include "soft/tuning.h"
#include "vfpi/fused.h"
#include "vfpi/tuning.h"

#include <string.h>

#define RESERVE(array, count) COND_RESERVE(&f->arena, f->array, count)

static int is_soft(const CondBlock* block)
{
    return block->kind == COND_BLOCK_BSR3;
}

static int can_serve(const CondFused* f, const CondSolverSettings* settings)
{
    int soft = 3 * f->A.n_node, rest = f->nodal->n_dof - soft;
    return settings->stop == COND_STOP_STEP && settings->storage != COND_STORAGE_DOUBLE &&
           (settings->accelerator == COND_ACCELERATOR_NONE ||
            settings->accelerator == COND_ACCELERATOR_CHEBYSHEV) &&
           !cond_surrogate_varies(settings->surrogate) && f->W->chain.n_node == 0 &&
           f->A.n_node >= COND_SOFT_SMALL && rest <= soft / 16;
}

static CondStatus reserve(CondFused* f)
{
    const CondNodal* nodal = f->nodal;
    int n_contact = nodal->problem->n_contact, parts = f->A.n_part;
    int failed = RESERVE(origin, 4 * f->A.n_four) || RESERVE(place, nodal->n) ||
                 RESERVE(node, 2 * n_contact) || RESERVE(order, n_contact + 3 * parts + 3) ||
                 RESERVE(near_begin, parts + 1) || RESERVE(late, parts) ||
                 RESERVE(coordinate, nodal->incidence_begin[nodal->n]) ||
                 RESERVE(touched, nodal->n_touched) || RESERVE(touched_begin, parts + 1) ||
                 RESERVE(rest, f->n_rest) || RESERVE(part_work, parts + 1) ||
                 RESERVE(term_work, nodal->n_term + 1) || RESERVE(rest_work, f->n_rest + 1) ||
                 RESERVE(g, nodal->n) || RESERVE(sum, f->n_sum) || RESERVE(v, f->n_vector) ||
                 RESERVE(v_old, f->n_vector) || RESERVE(plain, f->n_vector) ||
                 RESERVE(w, f->n_vector) || RESERVE(base, f->n_vector) ||
                 RESERVE(shift, f->n_vector);
    return failed ? COND_OUT_OF_MEMORY : COND_OK;
}

// Where soft nodes are, once for a pattern.
static void place_nodes(CondFused* f)
{
    const CondProblem* problem = f->nodal->problem;
    int n_node = 0;
    for (int k = 0; k < 4 * f->A.n_four; k++)
        f->origin[k] = -1;
    for (int b = 0; b < problem->n_block; b++)
        for (int i = 0; i < problem->block[b].n_dof && is_soft(&problem->block[b]); i += 3) {
            int rank = f->A.rank[n_node++], at = problem->block[b].dof_begin + i;
            f->origin[rank] = at;
            for (int a = 0; a < 3; a++)
                f->place[at + a] = 4 * rank + a;
        }
    // The fourth number of a node, and nodes that fill up the last four, are zero and stay so.
    double* vectors[] = {f->v, f->v_old, f->plain, f->w, f->base, f->shift};
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
        memset(vectors[k], 0, (size_t)f->usual * sizeof *vectors[k]);
}

// The part that a place belongs to; -1 for the rest.
static int part_at(const CondFused* f, int place)
{
    return place < f->usual ? f->A.four_part[place / 16] : -1;
}

static void lay_out_rest(CondFused* f)
{
    const CondProblem* problem = f->nodal->problem;
    int rest = 0;
    for (int b = 0; b < problem->n_block; b++)
        for (int i = 0; i < problem->block[b].n_dof; i++)
            if (!is_soft(&problem->block[b]))
                f->rest[rest++] = problem->block[b].dof_begin + i;
    for (int i = f->nodal->n_dof; i < f->nodal->n; i++)
        f->rest[rest++] = i;
    for (int k = 0; k < rest; k++)
        f->place[f->rest[k]] = f->usual + f->rest[k];
}

static void lay_out_terms(CondFused* f)
{
    const CondNodal* nodal = f->nodal;
    int *begin = f->touched_begin, *next = f->part_work; // free until work is counted
    int n = f->A.n_part, n_entry = nodal->incidence_begin[nodal->n];
    for (int k = 0; k < n_entry; k++)
        f->coordinate[k] = f->place[nodal->coordinate[k]];
    memset(begin, 0, (size_t)(n + 1) * sizeof *begin);
    for (int k = 0; k < nodal->n_touched; k++)
        if (f->place[nodal->touched[k]] < f->usual)
            begin[part_at(f, f->place[nodal->touched[k]]) + 1]++;
    for (int p = 0; p < n; p++) {
        begin[p + 1] += begin[p];
        next[p] = begin[p];
    }
    for (int k = 0; k < nodal->n_touched; k++)
        if (f->place[nodal->touched[k]] < f->usual)
            f->touched[next[part_at(f, f->place[nodal->touched[k]])]++] = nodal->touched[k];
}

// The part of a near contact; -1: a far one.
static int near_part(const CondFused* f, int c)
{
    int i = f->node[2 * c], j = f->node[2 * c + 1], part = part_at(f, i);
    return j < 0 || part_at(f, j) == part ? part : -1;
}

static void fill_up(CondFused* f)
{
    while (f->n_order % 4)
        f->order[f->n_order++] = -1;
}

// Returns 0 when a contact's node is not one of A's.
static int lay_out_contacts(CondFused* f)
{
    const CondNodal* nodal = f->nodal;
    int n = nodal->problem->n_contact, *next = f->part_work; // free until work is counted
    for (int k = 0; k < 2 * n; k++) {
        int node = nodal->node[k];
        f->node[k] = node < 0 ? -1 : f->place[node];
        if (node >= 0 &&
            (f->place[node + 1] != f->place[node] + 1 || f->place[node + 2] != f->place[node] + 2))
            return 0;
    }
    memset(next, 0, (size_t)(f->A.n_part + 1) * sizeof *next);
    memset(f->late, 0, (size_t)f->A.n_part * sizeof *f->late);
    for (int c = 0; c < n; c++) {
        int part = near_part(f, c);
        if (part >= 0)
            next[part]++;
        for (int s = 0; s < 2 && part < 0; s++)
            if (f->node[2 * c + s] >= 0 && part_at(f, f->node[2 * c + s]) >= 0)
                f->late[part_at(f, f->node[2 * c + s])] = 1;
    }
    f->n_order = 0;
    for (int p = 0; p < f->A.n_part; p++) { // room for each part, full of -1
        int count = next[p];
        f->near_begin[p] = f->n_order / 4;
        next[p] = f->n_order;
        for (int k = 0; k < count; k++)
            f->order[f->n_order++] = -1;
        fill_up(f);
    }
    f->near_begin[f->A.n_part] = f->n_order / 4;
    f->n_far = 0;
    for (int c = 0; c < n; c++) {
        int part = near_part(f, c);
        if (part >= 0)
            f->order[next[part]++] = c;
        else if (++f->n_far)
            f->order[f->n_order++] = c;
    }
    fill_up(f);
    return 1;
}

// What is done before each item of a loop, so that threads can have equal shares: numbers of A by
// four blocks, four contacts as much as four of these; what terms do by their touches.
static void count_work(CondFused* f)
{
    const CondNodal* nodal = f->nodal;
    f->part_work[0] = f->term_work[0] = f->rest_work[0] = 0;
    for (int p = 0; p < f->A.n_part; p++) {
        int first = f->A.part_four[p], last = f->A.part_four[p + 1];
        f->part_work[p + 1] = f->part_work[p] + f->A.row_begin[last] - f->A.row_begin[first] +
                              4 * (f->near_begin[p + 1] - f->near_begin[p]);
    }
    for (int t = 0; t < nodal->n_term; t++)
        f->term_work[t + 1] = f->term_work[t] + nodal->term[t].n_entry + 1;
    for (int k = 0; k < f->n_rest; k++) {
        const int* begin = nodal->incidence_begin + f->rest[k];
        f->rest_work[k + 1] = f->rest_work[k] + begin[1] - begin[0] + 1;
    }
}

static void take_weights(CondFused* f)
{
    for (int k = 0; k < 4 * f->A.n_four; k++)
        for (int a = 0; a < 3 && f->origin[k] >= 0; a++)
            f->w[4 * k + a] = f->W->w[f->origin[k] + a];
    for (int k = 0; k < f->n_rest; k++)
        f->w[f->usual + f->rest[k]] = f->W->w[f->rest[k]];
}

CondStatus cond_fused_build(CondFused* f, CondNodal* nodal, const CondSurrogate* W,
                            const CondSolverSettings* settings, int* serves)
{
    *serves = f->based = 0;
    f->nodal = nodal;
    f->W = W;
    f->threads = settings->threads;
    f->A.arena.context = f->arena.context;
    f->A.n_node = 0;
    for (int b = 0; b < nodal->problem->n_block; b++)
        if (is_soft(&nodal->problem->block[b]))
            f->A.n_node += nodal->problem->block[b].n_dof / 3;
    if (!can_serve(f, settings))
        return COND_OK;
    CondStatus status = cond_soft_packed_plan(&f->A, nodal->problem, settings->threads);
    if (!status)
        status = cond_soft_packed_plan_interface(&f->A, 0, 0, NULL);
    if (!status)
        status = cond_soft_packed_sort_joins(&f->A);
    f->usual = 16 * f->A.n_four;
    f->n_vector = f->usual + nodal->n;
    f->n_rest = nodal->n - 3 * f->A.n_node;
    f->n_sum = f->A.n_part + (f->n_rest + COND_FUSED_BLOCK - 1) / COND_FUSED_BLOCK;
    if (!status)
        status = reserve(f);
    if (status)
        return status;
    if (f->key != f->A.key || !f->placed)
        place_nodes(f);
    f->key = f->A.key;
    f->placed = 1;
    lay_out_rest(f);
    lay_out_terms(f);
    *serves = lay_out_contacts(f);
    count_work(f);
    take_weights(f);
    return COND_OK;
}

CondStatus cond_fused_lay_contacts(CondFused* f, const CondContactSolve* contacts)
{
    CondContactSolve own = *contacts;
    own.node = f->node;
    own.w = f->w;
    f->sweep.arena.context = f->arena.context;
    return cond_contact_sweep_build(&f->sweep, &own, f->order, f->n_order, f->usual);
}

void cond_fused_destroy(CondFused* f)
{
    cond_soft_packed_destroy(&f->A);
    cond_arena_release(&f->sweep.arena);
    cond_arena_release(&f->arena);
}
