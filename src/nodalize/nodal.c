// The nodalized system of the paper, eq. (15), as a view of a CondProblem: contacts act on nodes.
#include "nodalize/nodal.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/tuning.h"
#include "problem/block.h"

#include <limits.h>
#include <math.h>
#include <string.h>

// A node is the own one of the first side that uses it. Of many contacts each coordinate first gets
// the number of the first side on it, whichever thread comes first.
typedef struct OwnLoop {
    const CondProblem* problem;
    int *mark, *own;
    int* crossing; // 1: sides that share some of their coordinates only    (COND_LOOP_PARTS)
} OwnLoop;

static int is_node(const CondSide* side)
{
    return side->n_coordinate == 3 && !side->jacobian;
}

static void forget_sides(const void* data, int first, int last)
{
    const OwnLoop* loop = data;
    for (int i = first; i < last; i++)
        loop->mark[i] = INT_MAX;
}

static void claim_nodes(const void* data, int first, int last)
{
    const OwnLoop* loop = data;
    for (int side = 2 * first; side < 2 * last; side++) {
        const CondSide* at = &loop->problem->contact[side / 2].side[side % 2];
        for (int k = 0; k < 3 && is_node(at); k++) {
            int* mark = &loop->mark[at->coordinate[k]];
            int there = __atomic_load_n(mark, __ATOMIC_RELAXED);
            while (side < there && !__atomic_compare_exchange_n(mark, &there, side, 1,
                                                                __ATOMIC_RELAXED, __ATOMIC_RELAXED))
                ;
        }
    }
}

static void find_own(const void* data, int begin, int end)
{
    const OwnLoop* loop = data;
    int n = 2 * loop->problem->n_contact, parts = cond_loop_parts((size_t)n);
    for (int part = begin; part < end; part++)
        for (int side = cond_team_first(n, part, parts); side < cond_team_first(n, part + 1, parts);
             side++) {
            const CondSide* at = &loop->problem->contact[side / 2].side[side % 2];
            loop->own[side] = is_node(at) && loop->mark[at->coordinate[0]] == side;
            for (int k = 1; k < 3 && is_node(at); k++)
                loop->crossing[part] |=
                    loop->mark[at->coordinate[k]] != loop->mark[at->coordinate[0]];
        }
}

static void find_own_in_turn(const CondProblem* problem, int* mark, int* own)
{
    memset(mark, 0, (size_t)problem->n_dof * sizeof *mark);
    for (int side = 0; side < 2 * problem->n_contact; side++) {
        const CondSide* at = &problem->contact[side / 2].side[side % 2];
        const int* k = at->coordinate;
        own[side] = is_node(at) && !mark[k[0]] && !mark[k[1]] && !mark[k[2]];
        if (own[side])
            mark[k[0]] = mark[k[1]] = mark[k[2]] = 1;
    }
}

void cond_nodal_own_sides(const CondProblem* problem, int threads, int* mark, int* own)
{
    int crosses[COND_LOOP_PARTS] = {0};
    OwnLoop loop = {problem, mark, own, crosses};
    int team = cond_threads(COND_COORDINATE_WORK * (size_t)problem->n_contact, threads),
        crossing = 0;
    if (team <= 1) {
        find_own_in_turn(problem, mark, own);
        return;
    }
    cond_parallel(problem->n_dof, team, forget_sides, &loop);
    cond_parallel(problem->n_contact, team, claim_nodes, &loop);
    cond_parallel(cond_loop_parts(2 * (size_t)problem->n_contact), team, find_own, &loop);
    for (int part = 0; part < COND_LOOP_PARTS; part++)
        crossing |= crosses[part];
    if (crossing)
        find_own_in_turn(problem, mark, own);
}

// Sizes of everything that depends on the contacts, from the own-sides in node (as flags).
typedef struct Sizes {
    int virtual_nodes, rows, entries, jacobian, columns;
} Sizes;

typedef struct SizeLoop {
    const CondProblem* problem;
    const int* own;
    Sizes* size; // of each share of the contacts                            (COND_LOOP_PARTS)
} SizeLoop;

static void count_share(const void* data, int begin, int end)
{
    const SizeLoop* loop = data;
    int n_contact = loop->problem->n_contact, parts = cond_loop_parts((size_t)n_contact);
    for (int part = begin; part < end; part++) {
        Sizes size = {0};
        for (int c = cond_team_first(n_contact, part, parts);
             c < cond_team_first(n_contact, part + 1, parts); c++)
            for (int s = 0; s < 2; s++) {
                int n = loop->problem->contact[c].side[s].n_coordinate;
                if (n == 0 || loop->own[2 * c + s])
                    continue;
                size.virtual_nodes++;
                size.rows += 3;
                size.entries += n + 3;
                size.jacobian += 3 * (n + 3);
            }
        loop->size[part] = size;
    }
}

static Sizes count_sizes(const CondProblem* problem, const int* own, int threads)
{
    Sizes size = {0}, of[COND_LOOP_PARTS];
    SizeLoop loop = {problem, own, of};
    size_t work = COND_COORDINATE_WORK * (size_t)problem->n_contact;
    for (int i = 0; i < problem->n_coupling; i++) {
        const CondCoupling* c = &problem->coupling[i];
        size.rows += c->n_row;
        size.entries += c->n_coordinate;
        size.columns += c->n_row * c->n_coordinate;
    }
    int parts = cond_loop_parts((size_t)problem->n_contact);
    cond_parallel(parts, cond_threads(work, threads), count_share, &loop);
    for (int part = 0; part < parts; part++) {
        size.virtual_nodes += of[part].virtual_nodes;
        size.rows += of[part].rows;
        size.entries += of[part].entries;
        size.jacobian += of[part].jacobian;
    }
    size.columns += size.jacobian;
    return size;
}

// Puts the arrays of a view into memory one after the other; returns how many bytes they take.
static size_t place(CondNodal* nodal, const Sizes* size, char* memory)
{
    size_t at = 0, n = (size_t)nodal->n, n_contact = (size_t)nodal->problem->n_contact;
#define PLACE(array, count)                                                                        \
    do {                                                                                           \
        size_t bytes = (size_t)(count) * sizeof *nodal->array;                                     \
        nodal->array = memory ? (void*)(memory + at) : NULL;                                       \
        at += (bytes + COND_ARENA_ALIGNMENT - 1) / COND_ARENA_ALIGNMENT * COND_ARENA_ALIGNMENT;    \
    } while (0)
    PLACE(term, nodal->n_term);
    PLACE(term_row, nodal->n_term);
    PLACE(coordinate, size->entries);
    PLACE(jacobian, size->jacobian);
    PLACE(force, size->rows);
    PLACE(rate, size->rows);
    PLACE(incidence_begin, n + 1);
    PLACE(incidence, size->entries);
    PLACE(incidence_jacobian, size->columns);
    PLACE(touched, n);
    PLACE(compliance, n_contact);
    PLACE(carried, n_contact);
    PLACE(diagonal, nodal->n_dof);
    PLACE(delassus, n_contact);
    PLACE(mark, n);
#undef PLACE
    return at;
}

// Where the next term goes.
typedef struct Cursor {
    int term, row, entry, jacobian;
} Cursor;

// Its coordinates are to be filled in.
static int* add_term(CondNodal* nodal, const CondTerm* term, Cursor* at)
{
    int* coordinate = nodal->coordinate + at->entry;
    nodal->term[at->term] = *term;
    nodal->term[at->term].coordinate = coordinate;
    nodal->term_row[at->term++] = at->row;
    at->row += term->n_row;
    at->entry += term->n_entry;
    return coordinate;
}

static void add_coupling(CondNodal* nodal, const CondCoupling* coupling, Cursor* at)
{
    CondTerm term = cond_term_coupling(coupling);
    memcpy(add_term(nodal, &term, at), coupling->coordinate,
           (size_t)coupling->n_coordinate * sizeof(int));
}

// Tie of a virtual node at coordinates node .. node + 2: rows [J, -I], K = kv I.
static void add_tie(CondNodal* nodal, const CondSide* side, int node, double kv, Cursor* at)
{
    int n = side->n_coordinate;
    double* J = nodal->jacobian + at->jacobian;
    CondTerm term = {.n_row = 3, .n_entry = n + 3, .J = J, .row = 1, .entry = 3, .kv = kv};
    int* coordinate = add_term(nodal, &term, at);
    at->jacobian += 3 * (n + 3);
    for (int k = 0; k < n + 3; k++) {
        coordinate[k] = k < n ? side->coordinate[k] : node + k - n;
        for (int r = 0; r < 3; r++) {
            double value = k < n ? (double)(r == k) : -(double)(r == k - n);
            if (k < n && side->jacobian)
                value = side->jacobian[r * n + k];
            J[3 * k + r] = value;
        }
    }
}

static void scale_contacts(const void* loop, int first, int last)
{
    const CondNodal* nodal = loop;
    for (int c = first; c < last; c++)
        nodal->delassus[c] = cond_contact_delassus(&nodal->problem->contact[c], nodal->diagonal);
}

static double tie_gain(const CondNodal* nodal, int c)
{
    double kv = nodal->problem->contact[c].kv;
    return isfinite(kv) ? kv : nodal->kv_scale / nodal->delassus[c];
}

// What virtual nodes add to the contacts.
typedef struct WeighLoop {
    CondNodal* nodal;
    int *any_carried, *bounded; // of each share                             (COND_LOOP_PARTS)
} WeighLoop;

static void weigh_share(const void* data, int begin, int end)
{
    const WeighLoop* loop = data;
    CondNodal* nodal = loop->nodal;
    int n = nodal->problem->n_contact, parts = cond_loop_parts((size_t)n);
    for (int part = begin; part < end; part++)
        for (int c = cond_team_first(n, part, parts); c < cond_team_first(n, part + 1, parts);
             c++) {
            const CondContact* contact = &nodal->problem->contact[c];
            int n_virtual = 0;
            for (int s = 0; s < 2; s++)
                n_virtual += contact->side[s].n_coordinate > 0 && !nodal->own[2 * c + s];
            nodal->compliance[c] = n_virtual / tie_gain(nodal, c);
            nodal->carried[c] = n_virtual > 0 && !isfinite(contact->kv);
            loop->any_carried[part] |= nodal->carried[c];
            loop->bounded[part] |= contact->set == COND_FORCE_INTERVAL;
        }
}

static void weigh_contacts(CondNodal* nodal)
{
    int carried[COND_LOOP_PARTS] = {0}, bounded[COND_LOOP_PARTS] = {0};
    WeighLoop loop = {nodal, carried, bounded};
    size_t work = COND_COORDINATE_WORK * (size_t)nodal->problem->n_contact;
    cond_parallel(cond_loop_parts((size_t)nodal->problem->n_contact),
                  cond_threads(work, nodal->threads), weigh_share, &loop);
    nodal->any_carried = nodal->bounded = 0;
    for (int part = 0; part < COND_LOOP_PARTS; part++) {
        nodal->any_carried |= carried[part];
        nodal->bounded |= bounded[part];
    }
}

// Nodes of the contacts where none is virtual.
static void take_own_nodes(const void* data, int first, int last)
{
    const CondNodal* nodal = data;
    for (int side = 2 * first; side < 2 * last; side++) {
        const CondSide* at = &nodal->problem->contact[side / 2].side[side % 2];
        nodal->node[side] = at->n_coordinate > 0 ? at->coordinate[0] : -1;
    }
}

static void build_terms(CondNodal* nodal)
{
    const CondProblem* problem = nodal->problem;
    Cursor at = {0};
    for (int i = 0; i < problem->n_coupling; i++)
        add_coupling(nodal, &problem->coupling[i], &at);
    int next = nodal->n_dof;
    if (nodal->n_virtual == 0) {
        size_t work = COND_COORDINATE_WORK * (size_t)problem->n_contact;
        cond_parallel(problem->n_contact, cond_threads(work, nodal->threads), take_own_nodes,
                      nodal);
        return;
    }
    for (int c = 0; c < problem->n_contact; c++) {
        double kv = tie_gain(nodal, c);
        for (int s = 0; s < 2; s++) {
            const CondSide* side = &problem->contact[c].side[s];
            int* node = &nodal->node[2 * c + s];
            if (side->n_coordinate == 0) {
                *node = -1;
            } else if (nodal->own[2 * c + s]) {
                *node = side->coordinate[0];
            } else {
                *node = next;
                add_tie(nodal, side, next, kv, &at);
                next += 3;
            }
        }
    }
}

// Turns the terms' coordinate lists round: which terms touch each coordinate, in term order.
static void build_incidence(CondNodal* nodal)
{
    int* begin = nodal->incidence_begin;
    memset(begin, 0, ((size_t)nodal->n + 1) * sizeof *begin);
    if (nodal->n_term == 0) {
        memset(nodal->mark, 0, (size_t)nodal->n * sizeof *nodal->mark);
        nodal->n_touched = 0;
        return;
    }
    for (int t = 0; t < nodal->n_term; t++)
        for (int k = 0; k < nodal->term[t].n_entry; k++)
            begin[nodal->term[t].coordinate[k] + 1]++;
    for (int i = 0; i < nodal->n; i++)
        begin[i + 1] += begin[i];
    memcpy(nodal->mark, begin, (size_t)nodal->n * sizeof *begin);
    for (int t = 0; t < nodal->n_term; t++) {
        const CondTerm* term = &nodal->term[t];
        for (int k = 0; k < term->n_entry; k++) {
            int place = nodal->mark[term->coordinate[k]]++;
            nodal->incidence[place] = (CondIncidence){t, k, term->n_row, nodal->term_row[t], 0};
        }
    }
    for (int p = 0, at = 0; p < begin[nodal->n]; at += nodal->incidence[p++].n_row) {
        CondIncidence* incidence = &nodal->incidence[p];
        const CondTerm* term = &nodal->term[incidence->term];
        incidence->jacobian = at;
        for (int r = 0; r < incidence->n_row; r++)
            nodal->incidence_jacobian[at + r] =
                term->J[r * term->row + incidence->entry * term->entry];
    }
    memset(nodal->mark, 0, (size_t)nodal->n * sizeof *nodal->mark);
    nodal->n_touched = 0;
    for (int i = 0; i < nodal->n; i++)
        if (begin[i] < begin[i + 1])
            nodal->touched[nodal->n_touched++] = i;
}

int cond_nodal_plan(CondNodal* nodal, const CondProblem* problem, int* mark)
{
    nodal->problem = problem;
    nodal->n_dof = problem->n_dof;
    cond_nodal_own_sides(problem, nodal->threads, mark, nodal->own);
    Sizes size = count_sizes(problem, nodal->own, nodal->threads);
    nodal->n_virtual = size.virtual_nodes;
    nodal->n = nodal->n_dof + 3 * nodal->n_virtual;
    nodal->n_term = problem->n_coupling + nodal->n_virtual;
    return (int)(place(nodal, &size, NULL) / COND_ARENA_ALIGNMENT);
}

void cond_nodal_fill(CondNodal* nodal, CondNodalLine* memory, double kv_scale)
{
    const CondProblem* problem = nodal->problem;
    Sizes size = count_sizes(problem, nodal->own, nodal->threads);
    place(nodal, &size, (char*)memory);
    cond_problem_diagonal_by(problem, nodal->diagonal, nodal->threads);
    size_t work = COND_CONTACT_WORK * (size_t)problem->n_contact;
    cond_parallel(problem->n_contact, cond_threads(work, nodal->threads), scale_contacts, nodal);
    nodal->kv_scale = kv_scale;
    nodal->complete = 0;
    weigh_contacts(nodal);
}

void cond_nodal_complete(CondNodal* nodal)
{
    if (nodal->complete)
        return;
    build_terms(nodal);
    build_incidence(nodal);
    nodal->complete = 1;
}

CondStatus cond_nodal_build(CondNodal* nodal, const CondProblem* problem, double kv_scale)
{
    CondArena* m = &nodal->arena;
    if (COND_RESERVE(m, nodal->own, 2 * problem->n_contact) ||
        COND_RESERVE(m, nodal->node, 2 * problem->n_contact) ||
        COND_RESERVE(m, nodal->scratch, problem->n_dof))
        return COND_OUT_OF_MEMORY;
    int lines = cond_nodal_plan(nodal, problem, nodal->scratch);
    if (COND_RESERVE(m, nodal->memory, lines))
        return COND_OUT_OF_MEMORY;
    cond_nodal_fill(nodal, nodal->memory, kv_scale);
    cond_nodal_complete(nodal);
    return COND_OK;
}

void cond_nodal_destroy(CondNodal* nodal)
{
    cond_arena_release(&nodal->arena);
}

// Terms write rows of their own: no two threads meet.
void cond_nodal_term_forces(const CondNodal* nodal, const int* coordinate, const double* x,
                            int first, int last)
{
    for (int t = first; t < last; t++)
        cond_term_force(&nodal->term[t], coordinate + cond_nodal_entries(nodal, t), x,
                        nodal->rate + nodal->term_row[t], nodal->force + nodal->term_row[t]);
}

// A coordinate gathers from its terms in term order, so there are no races and no atomics.
double cond_nodal_add_forces(const CondNodal* nodal, int i, double sum)
{
    for (int p = nodal->incidence_begin[i]; p < nodal->incidence_begin[i + 1]; p++) {
        const CondIncidence* incidence = &nodal->incidence[p];
        const double *J = nodal->incidence_jacobian + incidence->jacobian,
                     *f = nodal->force + incidence->row;
        if (incidence->n_row == 3) { // ties: the next sum waits for one addition alone
            sum += J[0] * f[0] + J[1] * f[1] + J[2] * f[2];
        } else if (incidence->n_row == 6) { // attachments
            sum += (J[0] * f[0] + J[1] * f[1]) + (J[2] * f[2] + J[3] * f[3]) +
                   (J[4] * f[4] + J[5] * f[5]);
        } else {
            for (int r = 0; r < incidence->n_row; r++)
                sum += J[r] * f[r];
        }
    }
    return sum;
}

// y += J' K J x of every term
typedef struct TermLoop {
    const CondNodal* nodal;
    const double* x;
    double* y;
} TermLoop;

static void term_forces(const void* loop, int first, int last)
{
    const TermLoop* l = loop;
    cond_nodal_term_forces(l->nodal, l->nodal->coordinate, l->x, first, last);
}

static void gather_terms(const void* loop, int first, int last)
{
    const TermLoop* l = loop;
    for (int k = first; k < last; k++) {
        int i = l->nodal->touched[k];
        l->y[i] = cond_nodal_add_forces(l->nodal, i, l->y[i]);
    }
}

void cond_nodal_add_terms(CondNodal* nodal, const double* x, double* y, int threads)
{
    for (int i = nodal->n_dof; i < nodal->n; i++)
        y[i] = 0.0;
    if (nodal->n_term == 0)
        return;
    TermLoop loop = {nodal, x, y};
    int n_thread = cond_threads(COND_COORDINATE_WORK * (size_t)nodal->n_touched, threads);
    cond_parallel(nodal->n_term, n_thread, term_forces, &loop);
    cond_parallel(nodal->n_touched, n_thread, gather_terms, &loop);
}

// y = A x - shift, shift NULL for zero; it has the problem's own coordinates only.
static void multiply(CondNodal* nodal, const double* x, const double* shift, double* y, int threads)
{
    cond_problem_multiply_blocks(nodal->problem, x, shift, y, threads);
    cond_nodal_add_terms(nodal, x, y, threads);
}

void cond_nodal_multiply(CondNodal* nodal, const double* x, double* y, int threads)
{
    multiply(nodal, x, NULL, y, threads);
}

void cond_nodal_residual(CondNodal* nodal, const double* v, double* g, int threads)
{
    multiply(nodal, v, nodal->problem->b, g, threads);
}

int cond_nodal_block(const CondProblem* problem, int i)
{
    int low = 0, high = problem->n_block - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (problem->block[middle].dof_begin <= i)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static int add_entry(int j, double value, double* row, int* list, int* mark, int count)
{
    if (!mark[j]) {
        mark[j] = 1;
        list[count++] = j;
    }
    row[j] += value;
    return count;
}

int cond_nodal_row(const CondNodal* nodal, int i, double* row, int* list, int* mark)
{
    int count = 0;
    if (i < nodal->n_dof) {
        const CondBlock* block = &nodal->problem->block[cond_nodal_block(nodal->problem, i)];
        int local = i - block->dof_begin;
        int size = cond_block_row_size(block, local), j;
        for (int k = 0; k < size; k++) {
            double value = cond_block_entry(block, local, k, &j);
            count = add_entry(block->dof_begin + j, value, row, list, mark, count);
        }
    }
    for (int p = nodal->incidence_begin[i]; p < nodal->incidence_begin[i + 1]; p++)
        for (int l = 0, t = nodal->incidence[p].term; l < nodal->term[t].n_entry; l++)
            count = add_entry(nodal->term[t].coordinate[l],
                              cond_term_entry(&nodal->term[t], nodal->incidence[p].entry, l), row,
                              list, mark, count);
    for (int k = 0; k < count; k++)
        mark[list[k]] = 0;
    return count;
}

void cond_nodal_lift(const CondNodal* nodal, double* v)
{
    for (int t = nodal->problem->n_coupling; t < nodal->n_term; t++) {
        const CondTerm* term = &nodal->term[t];
        const int* coordinate = term->coordinate;
        int n = term->n_entry - 3; // the last three entries are the node itself
        for (int r = 0; r < 3; r++) {
            double sum = 0.0;
            for (int k = 0; k < n; k++)
                sum += term->J[3 * k + r] * v[coordinate[k]];
            v[coordinate[n + r]] = sum;
        }
    }
}
