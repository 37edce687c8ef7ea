#include "base/memory.h"
#include "solve/flight.h"
#include "solve/settings.h"

#include <string.h>

enum {
    LEAST_NODES = 128, // of soft bodies
    ITEM_WORK = 4,     // of a term or coordinate in itself, beside its entries
};

#define RESERVE(array, count)                                                                      \
    cond_reserve(&f->context, &f->array, &f->cap_##array, count, sizeof *f->array)

// The soft bodies' matrices, and how many coordinates they have.
static CondStatus list_bodies(CondFlight* f, const CondProblem* problem)
{
    f->n_body = f->A.n_node = 0;
    if (RESERVE(body, problem->n_block))
        return COND_OUT_OF_MEMORY;
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        if (block->kind != COND_BLOCK_BSR3)
            continue;
        f->body[f->n_body++] = (CondBsr3Part){
            {block->row_begin, block->column, block->values}, block->n_dof / 3, block->dof_begin};
        f->A.n_node += block->n_dof / 3;
    }
    return COND_OK;
}

static int can_fly(const CondFlight* f, const CondSolverSettings* settings)
{
    int soft = 3 * f->A.n_node, rest = f->nodal->n_dof - soft;
    return settings->stop == COND_STOP_STEP && settings->storage != COND_STORAGE_DOUBLE &&
           (settings->accelerator == COND_ACCELERATOR_NONE ||
            settings->accelerator == COND_ACCELERATOR_CHEBYSHEV) &&
           !cond_surrogate_varies(settings->surrogate) && f->W->chain.matrix.n_band == 0 &&
           f->A.n_node >= LEAST_NODES && rest <= soft / 16;
}

static CondStatus reserve(CondFlight* f)
{
    const CondNodal* nodal = f->nodal;
    int n_contact = nodal->problem->n_contact, n = f->n_vector;
    int failed = RESERVE(origin, 4 * f->A.n_four) || RESERVE(place, nodal->n) ||
                 RESERVE(node, 2 * n_contact) || RESERVE(order, n_contact) ||
                 RESERVE(coordinate, nodal->touch_begin[nodal->n]) ||
                 RESERVE(touched, nodal->n_touched) || RESERVE(rest, f->n_rest) ||
                 RESERVE(part_work, f->A.n_part + 1) || RESERVE(term_work, nodal->n_term + 1) ||
                 RESERVE(touch_work, nodal->n_touched + 1) || RESERVE(rest_work, f->n_rest + 1) ||
                 RESERVE(v, n) || RESERVE(v_old, n) || RESERVE(plain, n) || RESERVE(g, n) ||
                 RESERVE(w, n) || RESERVE(base, n) || RESERVE(shift, n) || RESERVE(sum, f->n_sum);
    return failed ? COND_OUT_OF_MEMORY : COND_OK;
}

// Where everything is. Returns 0 when a contact's node is not one of A's.
static int lay_out(CondFlight* f)
{
    const CondNodal* nodal = f->nodal;
    int n_node = 0, soft = 0, rest = 0, n_entry = nodal->touch_begin[nodal->n];
    for (int i = 0; i < nodal->n; i++)
        f->place[i] = i;
    for (int k = 0; k < 4 * f->A.n_four; k++)
        f->origin[k] = -1;
    for (int b = 0; b < f->n_body; b++)
        for (int i = 0; i < f->body[b].n_row; i++) {
            int rank = f->A.rank[n_node++], at = f->body[b].begin + 3 * i;
            f->origin[rank] = at;
            for (int a = 0; a < 3; a++)
                f->place[at + a] = f->soft_begin + 4 * rank + a;
        }
    for (int k = 0; k < n_entry; k++)
        f->coordinate[k] = f->place[nodal->coordinate[k]];
    for (int k = 0; k < nodal->n_touched; k++)
        if (f->place[nodal->touched[k]] >= f->soft_begin)
            f->touched[soft++] = nodal->touched[k];
    f->n_touched = soft;
    for (int i = 0; i < nodal->n; i++)
        if (f->place[i] < f->soft_begin)
            f->rest[rest++] = i;
    for (int k = 0; k < 2 * nodal->problem->n_contact; k++) {
        int node = nodal->node[k];
        f->node[k] = node < 0 ? -1 : f->place[node];
        if (node >= 0 &&
            (f->place[node + 1] != f->place[node] + 1 || f->place[node + 2] != f->place[node] + 2))
            return 0;
    }
    return 1;
}

// The part of A that a contact's soft node belongs to; the last one where there is none.
static int part_of(const CondFlight* f, int c)
{
    for (int s = 0; s < 2; s++)
        if (f->node[2 * c + s] >= f->soft_begin)
            return f->A.four_part[(f->node[2 * c + s] - f->soft_begin) / 16];
    return f->A.n_part - 1;
}

// Contacts by parts of A, so that a thread mostly has those of its own nodes.
static void sort_contacts(CondFlight* f)
{
    int *next = f->part_work, n = f->nodal->problem->n_contact; // free until work is counted
    memset(next, 0, ((size_t)f->A.n_part + 1) * sizeof *next);
    for (int c = 0; c < n; c++)
        next[part_of(f, c) + 1]++;
    for (int p = 0; p < f->A.n_part; p++)
        next[p + 1] += next[p];
    for (int c = 0; c < n; c++)
        f->order[next[part_of(f, c)]++] = c;
}

// What is done before each item of a loop, so that threads can have equal shares.
static void count_work(CondFlight* f)
{
    const CondNodal* nodal = f->nodal;
    for (int p = 0; p <= f->A.n_part; p++)
        f->part_work[p] = f->A.row_begin[f->A.part_four[p]];
    f->term_work[0] = f->touch_work[0] = f->rest_work[0] = 0;
    for (int t = 0; t < nodal->n_term; t++)
        f->term_work[t + 1] = f->term_work[t] + nodal->term[t].n_entry + ITEM_WORK;
    for (int k = 0; k < f->n_touched; k++) {
        const int* begin = nodal->touch_begin + f->touched[k];
        f->touch_work[k + 1] = f->touch_work[k] + begin[1] - begin[0] + ITEM_WORK;
    }
    for (int k = 0; k < f->n_rest; k++) {
        const int* begin = nodal->touch_begin + f->rest[k];
        f->rest_work[k + 1] = f->rest_work[k] + begin[1] - begin[0] + ITEM_WORK;
    }
}

CondStatus cond_flight_build(CondFlight* f, CondNodal* nodal, const CondSurrogate* W,
                             const CondSolverSettings* settings, int* serves)
{
    *serves = 0;
    f->nodal = nodal;
    f->W = W;
    f->threads = settings->threads;
    f->A.context = f->context;
    CondStatus status = list_bodies(f, nodal->problem);
    if (status || !can_fly(f, settings))
        return status;
    status = cond_tie_packed_plan(&f->A, nodal->problem, settings->threads);
    if (!status)
        status = cond_tie_packed_plan_border(&f->A, 0, 0, NULL);
    if (!status)
        status = cond_tie_packed_sort_joins(&f->A);
    f->soft_begin = (nodal->n + 7) / 8 * 8;
    f->n_vector = f->soft_begin + 16 * f->A.n_four;
    f->n_rest = nodal->n - 3 * f->A.n_node;
    f->n_sum = f->A.n_part + (f->n_rest + COND_FLIGHT_REST - 1) / COND_FLIGHT_REST;
    if (!status)
        status = reserve(f);
    if (status)
        return status;
    *serves = lay_out(f);
    sort_contacts(f);
    count_work(f);
    memset(f->w, 0, (size_t)f->n_vector * sizeof *f->w);
    for (int i = 0; i < nodal->n; i++)
        f->w[f->place[i]] = W->w[i];
    // The fourth number of a node, and nodes that fill up the last four, are zero and stay so.
    double* vectors[] = {f->v, f->v_old, f->plain, f->base, f->shift};
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
        memset(vectors[k] + f->soft_begin, 0, 16 * (size_t)f->A.n_four * sizeof *vectors[k]);
    return COND_OK;
}

void cond_flight_destroy(CondFlight* f)
{
    cond_tie_packed_destroy(&f->A);
    void* arrays[] = {f->body,       f->origin,     f->place,     f->node,      f->order,
                      f->coordinate, f->touched,    f->rest,      f->part_work, f->v,
                      f->term_work,  f->touch_work, f->rest_work, f->v_old,     f->plain,
                      f->g,          f->w,          f->base,      f->shift,     f->sum};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        cond_release(&f->context, arrays[i]);
}
