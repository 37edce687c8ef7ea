// The resident method: a problem on the device. Nodes of soft bodies and, behind them, the
// interface in threes are its points; vectors and blocks of A are in their order.
#include "newton/resident_part.h"

#include "base/memory.h"

#include <string.h>

#define RESERVE(array, count) COND_RESERVE(&r->arena, r->array, count)
#define ROOM(buffers, field, n)                                                                    \
    ((field) = cond_resident_room(r, &r->buffers, (size_t)(n) * sizeof *(field)))
#define PUT(buffers, field, from, n)                                                               \
    ((field) = cond_resident_put(r, &r->buffers, from, (size_t)(n) * sizeof *(field)))

// ---- vectors of the problem, point by point

// Each range of coordinates that is one on the device too, with its place there.
typedef struct Range {
    int from, to, n;
} Range;

static Range range_of(const CondSoftSystem* system, int block)
{
    const CondBlock* b = &system->problem->block[block];
    int node = system->node[b->dof_begin], first = system->interface[b->dof_begin];
    return (Range){b->dof_begin, node >= 0 ? 3 * node : 3 * system->n_node + first, b->n_dof};
}

void cond_resident_write_points(CondResident* r, double* to, const double* from, double rest)
{
    const CondSoftSystem* system = r->system;
    const double fill[2] = {rest, rest};
    int n = 3 * system->n_node + system->n_interface;
    for (int b = 0; b < system->problem->n_block; b++) {
        Range range = range_of(system, b);
        cond_resident_write(r, to + range.to, from + range.from, (size_t)range.n * sizeof *to);
    }
    cond_resident_write(r, to + n, fill, (size_t)(3 * r->linear.v.n_point - n) * sizeof *to);
}

void cond_resident_read_points(CondResident* r, double* to, const double* from)
{
    for (int b = 0; b < r->system->problem->n_block; b++) {
        Range range = range_of(r->system, b);
        cond_resident_read(r, to + range.from, from + range.to, (size_t)range.n * sizeof *to);
    }
}

// ---- the problem

// The coordinates of the interface that share a block with those of a point.
static void span_of(const CondSoftSystem* system, int point, int span[2])
{
    const CondProblem* problem = system->problem;
    int last = 3 * point + 2 < system->n_interface ? 3 * point + 2 : system->n_interface - 1;
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        int first = system->interface[block->dof_begin];
        if (block->kind == COND_BLOCK_BSR3 || block->n_dof == 0)
            continue;
        if (first <= 3 * point && 3 * point < first + block->n_dof)
            span[0] = first;
        if (first <= last && last < first + block->n_dof)
            span[1] = first + block->n_dof;
    }
}

static int count_blocks(const CondSoftSystem* system)
{
    int size = 0;
    for (int b = 0; b < system->problem->n_block; b++) {
        const CondBlock* block = &system->problem->block[b];
        if (block->kind == COND_BLOCK_BSR3)
            size += block->row_begin[block->n_dof / 3];
    }
    return size;
}

static uint64_t key_of(const CondSoftSystem* system)
{
    uint64_t key = system->packed.key;
    for (int b = 0; b < system->problem->n_block; b++)
        if (system->problem->block[b].kind != COND_BLOCK_BSR3)
            key = (31 * key + (uint64_t)system->problem->block[b].n_dof) * 0x9E3779B97F4A7C15U;
    return key | 1;
}

// Rows of the points of the interface, behind those of the nodes.
static int list_interface(const CondSoftSystem* system, int at, int* begin, int* diagonal,
                          int* column)
{
    for (int p = 0; p < (system->n_interface + 2) / 3; p++) {
        int span[2] = {0, 0};
        span_of(system, p, span);
        begin[system->n_node + p] = at;
        for (int q = span[0] / 3; q <= (span[1] - 1) / 3; q++, at++) {
            if (q == p)
                diagonal[system->n_node + p] = at;
            if (column)
                column[at] = system->n_node + q;
        }
    }
    return at;
}

// Where the blocks of the points are: rows of all soft bodies, one after the other, and those of
// the interface.
void cond_resident_put_pattern(CondResident* r, const CondSoftSystem* system)
{
    const CondProblem* problem = system->problem;
    const CondSoftPacked* packed = &system->packed;
    CondCoarseView* a = &r->coarse;
    CondResidentView* v = &r->linear.v;
    int n = r->linear.v.n_point, size = count_blocks(system), row = 0, at = 0;
    uint64_t key = key_of(system);
    if (r->apart && r->key == key)
        return;
    r->key = 0;
    r->of_pattern.next = 0;
    int most = (n - system->n_node) * (n - system->n_node);
    if (RESERVE(list, 2 * (size_t)n + 1 + (size_t)size > INT32_MAX ? 0 : 2 * n + 1 + size + most)) {
        r->status = COND_OUT_OF_MEMORY;
        return;
    }
    int *begin = r->list, *diagonal = begin + n + 1, *column = diagonal + n;
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        int first = row;
        for (int i = 0; block->kind == COND_BLOCK_BSR3 && i < block->n_dof / 3; i++, row++) {
            begin[row] = at;
            for (int k = block->row_begin[i]; k < block->row_begin[i + 1]; k++, at++) {
                column[at] = first + block->column[k];
                diagonal[row] = block->column[k] == i ? at : diagonal[row];
            }
        }
    }
    r->n_soft_block = at;
    r->n_block = list_interface(system, at, begin, diagonal, column);
    begin[n] = r->n_block;
    a->n_node = system->n_node;
    a->n_part = packed->n_part;
    a->n_place = 4 * packed->n_four;
    PUT(of_pattern, a->row_begin, begin, n + 1);
    PUT(of_pattern, a->column, column, r->n_block);
    PUT(of_pattern, a->at_diagonal, diagonal, n);
    PUT(of_pattern, a->order, packed->order, a->n_place);
    PUT(of_pattern, a->rank, packed->rank, system->n_node);
    PUT(of_pattern, a->part_four, packed->part_four, a->n_part + 1);
    v->row_begin = a->row_begin;
    v->column = a->column;
    v->at_diagonal = a->at_diagonal;
    r->linear.rank = a->rank;
    r->linear.order = a->order;
    r->key = key;
}

static void room_for_pair(CondResident* r, CondPairView* pair, int n, int nc)
{
    ROOM(of_problem, pair->v, n);
    ROOM(of_problem, pair->lambda, 3 * nc);
    ROOM(of_problem, pair->r, n);
    ROOM(of_problem, pair->u, 3 * nc);
}

// The dense blocks of the interface as rows of points; a coordinate that is none has a one.
static void put_interface(CondResident* r, const CondSoftSystem* system, double* A)
{
    const CondProblem* problem = system->problem;
    int np = (system->n_interface + 2) / 3, size = r->n_block - r->n_soft_block, at = 0;
    if (size == 0 || RESERVE(numbers, 9 * size)) {
        r->status = size == 0 ? r->status : COND_OUT_OF_MEMORY;
        return;
    }
    memset(r->numbers, 0, 9 * (size_t)size * sizeof *r->numbers);
    for (int p = 0; p < np; p++) {
        int span[2] = {0, 0};
        span_of(system, p, span);
        for (int q = span[0] / 3; q <= (span[1] - 1) / 3; q++, at++)
            for (int e = 0; e < 9; e++) {
                int i = 3 * p + e / 3, j = 3 * q + e % 3, n = system->n_interface;
                double* to = &r->numbers[9 * (ptrdiff_t)at + e];
                if (i >= n || j >= n) {
                    *to = i == j;
                    continue;
                }
                int first = system->member[i], second = system->member[j];
                for (int b = 0; b < problem->n_block; b++) {
                    const CondBlock* block = &problem->block[b];
                    int k = first - block->dof_begin, l = second - block->dof_begin;
                    if (k >= 0 && k < block->n_dof && l >= 0 && l < block->n_dof)
                        *to = block->values[(ptrdiff_t)k * block->n_dof + l];
                }
            }
    }
    cond_resident_write(r, A + 9 * (ptrdiff_t)r->n_soft_block, r->numbers,
                        9 * (size_t)size * sizeof *A);
}

// A, of all bodies one after the other; it may be there, where all bodies are soft.
static void put_matrix(CondResident* r, const CondSoftSystem* system, const CondDeviceMatrix* made)
{
    const CondProblem* problem = system->problem;
    size_t at = 0;
    double* A;
    if (cond_device_matrix_is_of(made, problem)) {
        r->of_problem.next++;
        r->linear.v.A = made->A;
        return;
    }
    ROOM(of_problem, A, 9 * (size_t)r->n_block);
    r->linear.v.A = A;
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        if (block->kind != COND_BLOCK_BSR3)
            continue;
        size_t own = 9 * (size_t)block->row_begin[block->n_dof / 3];
        cond_resident_write(r, A + at, block->values, own * sizeof *A);
        at += own;
    }
    put_interface(r, system, A);
}

static int has_positions(const CondProblem* problem)
{
    for (int b = 0; b < problem->n_block; b++)
        if (problem->block[b].kind == COND_BLOCK_BSR3 && !problem->block[b].position)
            return 0;
    return 1;
}

// Positions of the nodes, where all bodies have them.
static void put_positions(CondResident* r, const CondSoftSystem* system,
                          const CondDeviceMatrix* made)
{
    const CondProblem* problem = system->problem;
    double* position;
    if (cond_device_matrix_is_of(made, problem)) {
        r->of_problem.next++;
        r->coarse.position = made->position;
        return;
    }
    ROOM(of_problem, position, 3 * system->n_node);
    r->coarse.position = position;
    for (int b = 0; b < problem->n_block && has_positions(problem); b++)
        if (problem->block[b].kind == COND_BLOCK_BSR3)
            cond_resident_write(r, position + range_of(system, b).to, problem->block[b].position,
                                (size_t)problem->block[b].n_dof * sizeof *position);
}

static void put_law(CondResident* r, const CondCertificateData* data)
{
    CondResidentView* v = &r->linear.v;
    int nc = data->problem->n_contact, *relaxed;
    v->law = data->law;
    v->omega = data->omega;
    v->bounded = data->bounded;
    PUT(of_problem, v->contact, data->problem->contact, nc);
    PUT(of_problem, v->delassus, data->delassus, nc);
    PUT(of_problem, v->compliance, data->compliance, nc);
    PUT(of_problem, v->carried, data->carried, nc);
    ROOM(of_problem, relaxed, nc);
    if (data->relaxed)
        cond_resident_write(r, relaxed, data->relaxed, (size_t)nc * sizeof *relaxed);
    v->relaxed = data->relaxed ? relaxed : NULL;
}

static void make_room(CondResident* r)
{
    CondResidentView* v = &r->linear.v;
    int n = 3 * v->n_point, nc = v->n_contact;
    ROOM(of_problem, v->w, n);
    ROOM(of_problem, v->gamma, nc);
    ROOM(of_problem, v->tangential, nc);
    ROOM(of_problem, v->best_v, n);
    ROOM(of_problem, v->best_lambda, 3 * nc);
    ROOM(of_problem, v->linear, nc);
    ROOM(of_problem, v->trial, 3 * nc);
    ROOM(of_problem, v->slip_before, 2 * nc);
    ROOM(of_problem, v->predicted, 3 * nc);
    ROOM(of_problem, v->kind, nc);
    ROOM(of_problem, v->patch, 3 * nc);
    ROOM(of_problem, v->x, n);
    ROOM(of_problem, v->dx, n);
    ROOM(of_problem, v->change, n);
    ROOM(of_problem, v->norm, 4 * v->n_point);
    ROOM(of_problem, v->speed, nc);
    ROOM(of_problem, v->power, nc);
    ROOM(of_problem, v->error, nc);
    ROOM(of_problem, v->error_bounded, nc);
    ROOM(of_problem, v->penetration, nc);
}

void cond_resident_put_problem(CondResident* r, CondSemismooth* newton,
                               const CondCertificateData* data, const CondAnswer* answer)
{
    const CondProblem* problem = data->problem;
    const CondSoftSystem* system = r->system;
    CondResidentView* v = &r->linear.v;
    int n = 3 * v->n_point, nc = problem->n_contact;
    double *b, *diagonal;
    r->of_problem.next = 0;
    v->n_contact = nc;
    v->by_rows = newton->by_rows;
    put_matrix(r, system, newton->soft.matrix);
    ROOM(of_problem, b, n);
    ROOM(of_problem, diagonal, n);
    cond_resident_write_points(r, b, problem->b, 0.0);
    cond_resident_write_points(r, diagonal, data->diagonal, 1.0);
    v->b = b;
    v->diagonal = diagonal;
    put_law(r, data);
    room_for_pair(r, &v->now, n, nc);
    room_for_pair(r, &v->next, n, nc);
    room_for_pair(r, &v->tried, n, nc);
    room_for_pair(r, &r->reference, n, nc);
    cond_resident_write_points(r, v->now.v, answer->v, 0.0);
    cond_resident_write(r, v->now.lambda, answer->lambda, 3 * (size_t)nc * sizeof *v->now.lambda);
    put_positions(r, system, newton->soft.matrix);
    make_room(r);
}
