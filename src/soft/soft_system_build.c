// The numbers of the linear system of soft bodies (soft_system.h): gains of the contacts, blocks,
// and the packed copy.
#include "base/memory.h"
#include "base/parallel.h"
#include "linear/lu.h"
#include "soft/soft_interface.h"
#include "soft/soft_system.h"
#include "soft/soft_term.h"

#include <math.h>
#include <string.h>

#define RESERVE(array, count) COND_RESERVE(&system->arena, system->array, count)

// The term's blocks on nodes, as the head of soft_system.h says, to `out`; returns how many.
static int list_nodes(const CondSoftSystem* system, const CondTerm* term, CondSoftJoined* out)
{
    double total = 0.0;
    int n = 0;
    for (int k = 0; k < term->n_entry; k = cond_term_run_end(term, system->node, k))
        if (system->node[term->coordinate[k]] >= 0)
            total += cond_soft_term_run_size(term, k, cond_term_run_end(term, system->node, k));
    for (int k = 0, end; k < term->n_entry; k = end) {
        end = cond_term_run_end(term, system->node, k);
        int node = system->node[term->coordinate[k]];
        double size = cond_soft_term_run_size(term, k, end);
        if (node < 0 || !(size > 0.0))
            continue;
        CondSoftJoined* block = &out[n++];
        *block = (CondSoftJoined){.node = node};
        for (int i = k; i < end; i++) {
            int r = term->coordinate[i] - system->place[node];
            for (int j = k; j < end; j++)
                block->B[3 * r + term->coordinate[j] - system->place[node]] +=
                    total / size * cond_term_entry(term, i, j);
        }
    }
    return n;
}

static void add_listed(int n, const CondSoftJoined* block, double* B)
{
    for (int k = 0; k < n; k++)
        for (int e = 0; e < 9; e++)
            B[9 * (size_t)block[k].node + (size_t)e] += block[k].B[e];
}

// The blocks on the diagonal of a body, to those of its nodes.
typedef struct BodyLoop {
    const CondBlock* block;
    double* B;
} BodyLoop;

static void take_diagonal(const void* loop, int first, int last)
{
    const BodyLoop* l = loop;
    for (int i = first; i < last; i++)
        for (int k = l->block->row_begin[i]; k < l->block->row_begin[i + 1]; k++)
            if (l->block->column[k] == i)
                memcpy(l->B + 9 * (size_t)i, l->block->values + 9 * (size_t)k, 9 * sizeof *l->B);
}

// The blocks of A itself on nodes and interface.
static void start_blocks(CondSoftSystem* system, double* B, double* S)
{
    const CondProblem* problem = system->problem;
    int nb = system->n_interface;
    memset(S, 0, (size_t)nb * (size_t)nb * sizeof *S);
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        if (block->kind == COND_BLOCK_BSR3) {
            int n = block->n_dof / 3;
            BodyLoop loop = {block, B + 9 * (size_t)system->node[block->dof_begin]};
            cond_parallel(n, cond_threads((size_t)block->row_begin[n], system->threads),
                          take_diagonal, &loop);
            continue;
        }
        for (int i = 0; i < block->n_dof; i++)
            for (int j = 0; j < block->n_dof; j++)
                S[system->interface[block->dof_begin + i] * nb +
                  system->interface[block->dof_begin + j]] =
                    block->values[(size_t)i * (size_t)block->n_dof + (size_t)j];
    }
}

// B = its inverse, a symmetric 3x3 matrix, by B = L D L', B^-1 = M' D^-1 M with M = L^-1: a firm
// gain in one direction makes the determinant a small difference of large numbers. 1: not positive.
static int invert3(double* B)
{
    double i0 = 1.0 / B[0], a = B[3] * i0, b = B[6] * i0;
    double d1 = B[4] - a * B[3], i1 = 1.0 / d1, c = (B[7] - b * B[3]) * i1;
    double d2 = B[8] - b * B[6] - c * c * d1, i2 = 1.0 / d2;
    if (!(B[0] > 0.0 && d1 > 0.0 && d2 > 0.0 && isfinite(B[0] + d1 + d2)))
        return 1;
    double m10 = -a, m21 = -c, m20 = a * c - b;
    B[0] = i0 + m10 * m10 * i1 + m20 * m20 * i2;
    B[1] = B[3] = m10 * i1 + m20 * m21 * i2;
    B[2] = B[6] = m20 * i2;
    B[4] = i1 + m21 * m21 * i2;
    B[5] = B[7] = m21 * i2;
    B[8] = i2;
    return 0;
}

// The same for any B that is not singular.
static int invert3_general(double* B)
{
    double LU[9], column[3];
    int pivot[3];
    memcpy(LU, B, sizeof LU);
    if (cond_lu_factor(3, LU, pivot))
        return 1;
    for (int j = 0; j < 3; j++) {
        for (int i = 0; i < 3; i++)
            column[i] = i == j;
        cond_lu_solve(3, LU, pivot, column);
        for (int i = 0; i < 3; i++)
            B[3 * i + j] = column[i];
    }
    return 0;
}

// T = R' D R
static void rotate(const double* R, const double* D, double* T)
{
    double DR[9];
    for (int i = 0; i < 9; i++)
        DR[i] = D[3 * (i / 3)] * R[i % 3] + D[3 * (i / 3) + 1] * R[3 + i % 3] +
                D[3 * (i / 3) + 2] * R[6 + i % 3];
    for (int i = 0; i < 9; i++)
        T[i] = R[i / 3] * DR[i % 3] + R[3 + i / 3] * DR[3 + i % 3] + R[6 + i / 3] * DR[6 + i % 3];
}

static int is_open(const double* D)
{
    return D[0] == 0.0 && D[4] == 0.0 && D[8] == 0.0;
}

// A term of several nodes, as a join of the packed system.
static CondStatus add_join(CondSoftSystem* system, const CondTerm* term)
{
    CondSoftPacked* packed = &system->packed;
    int n = term->n_row, wide = cond_soft_packed_wide(n), at = packed->n_share;
    CondStatus status =
        cond_soft_packed_add_join(packed, n, cond_soft_term_count_runs(system, term));
    if (status)
        return status;
    for (int k = 0, end; k < term->n_entry; k = end) {
        end = cond_term_run_end(term, system->node, k);
        int node = system->node[term->coordinate[k]];
        if (node < 0)
            continue;
        float* G = packed->share_value + packed->share[at].value;
        memset(G, 0, 3 * (size_t)wide * sizeof *G);
        for (int i = k; i < end; i++)
            for (int r = 0; r < n; r++)
                G[(term->coordinate[i] - system->place[node]) * wide + r] +=
                    (float)term->J[r * term->row + i * term->entry];
        packed->share[at++].node = packed->rank[node];
    }
    return COND_OK;
}

// 1 where a coupling joins several nodes.
static int joins_several(const CondSoftSystem* system, const CondCoupling* coupling)
{
    CondTerm term = cond_term_coupling(coupling);
    return cond_soft_term_count_runs(system, &term) > 1;
}

// Couplings first, whose gains stay what they are.
static CondStatus add_joins(CondSoftSystem* system)
{
    const CondProblem* problem = system->problem;
    CondSoftPacked* packed = &system->packed;
    CondStatus status = COND_OK;
    for (int i = 0; i < problem->n_coupling && !status; i++)
        if (joins_several(system, &problem->coupling[i])) {
            CondTerm term = cond_term_coupling(&problem->coupling[i]);
            status = add_join(system, &term);
            if (!status)
                memcpy(packed->gain + packed->join_gain[packed->n_join - 1], term.K,
                       (size_t)(term.n_row * term.n_row) * sizeof *packed->gain);
        }
    system->n_coupled = packed->n_join;
    for (int k = 0; k < system->n_other && !status; k++)
        if (system->joins[system->other[k]] == COND_JOINS_SEVERAL) {
            CondTerm term = cond_soft_term_contact(system, system->other[k]);
            status = add_join(system, &term);
        }
    return status ? status : cond_soft_packed_sort_joins(packed);
}

// The gains of the contacts among the joins, in the order in which they were added.
static void set_gains(CondSoftSystem* system)
{
    CondSoftPacked* packed = &system->packed;
    for (int k = 0, join = system->n_coupled; k < system->n_other; k++)
        if (system->joins[system->other[k]] == COND_JOINS_SEVERAL)
            memcpy(packed->gain + packed->join_gain[join++],
                   system->T + 9 * (size_t)system->other[k], 9 * sizeof *packed->gain);
}

// The contacts that are not lone, of one node or of several.
static void add_contacts(CondSoftSystem* system, const double* D, int stride, int several)
{
    for (int k = 0; k < system->n_other; k++) {
        int c = system->other[k];
        if (is_open(D + (size_t)c * (size_t)stride) ||
            (system->joins[c] == COND_JOINS_SEVERAL) != several)
            continue;
        CondTerm term = cond_soft_term_contact(system, c);
        add_listed(list_nodes(system, &term, system->listed), system->listed, system->B);
        cond_soft_interface_add(system, &term);
    }
}

// Adds the couplings of one node to B, and lists those of several.
static CondStatus add_couplings(CondSoftSystem* system, double* B)
{
    const CondProblem* problem = system->problem;
    system->n_joined = 0;
    for (int i = 0; i < problem->n_coupling; i++) {
        CondTerm term = cond_soft_term_coupling(system, &problem->coupling[i]);
        int n = cond_soft_term_count_runs(system, &term), first = system->n_joined;
        if (RESERVE(joined, first + n))
            return COND_OUT_OF_MEMORY;
        n = list_nodes(system, &term, system->joined + first);
        if (joins_several(system, &problem->coupling[i]))
            system->n_joined += n;
        else
            add_listed(n, system->joined + first, B);
    }
    return COND_OK;
}

// Loops over the contacts, or over the nodes of parts of the coordinates.
typedef struct BuildLoop {
    CondSoftSystem* system;
    const double* D;
    int stride;
    int packs; // 1: what the loop makes is packed too
} BuildLoop;

static void run(const BuildLoop* loop, int n_phase, const CondPhase* phase, const char* name)
{
    const CondSoftSystem* system = loop->system;
    size_t work = 9 * (size_t)system->n_node + 32 * (size_t)system->problem->n_contact;
    cond_parallel_phases(n_phase, phase, cond_threads(work, system->threads), name);
}

static void rotate_gains(const void* data, int first, int last)
{
    const BuildLoop* loop = data;
    for (int c = first; c < last; c++)
        rotate(loop->system->problem->contact[c].frame, loop->D + (size_t)c * (size_t)loop->stride,
               loop->system->T + 9 * (size_t)c);
}

static void pack_diagonal(const void* data, int first, int last)
{
    const CondSoftSystem* system = ((const BuildLoop*)data)->system;
    const CondSoftPacked* packed = &system->packed;
    for (int i = system->node_begin[first]; i < system->node_begin[last]; i++)
        cond_soft_packed_block(system->B + 9 * (size_t)i,
                               packed->value + packed->diagonal[packed->rank[i]], 12);
}

// B as A and the couplings have it, with the lone contacts. A part lists the contacts of its
// coordinates, so it has those of its nodes; some may be of a node of the part before.
static void start_nodes(const void* data, int first, int last)
{
    const BuildLoop* loop = data;
    const CondSoftSystem* system = loop->system;
    const CondContactParts* parts = &system->parts;
    CondPartRange range = cond_contact_parts_range(parts, first, last);
    for (int part = range.first; part < range.last; part++) {
        int begin = system->node_begin[part], end = system->node_begin[part + 1];
        memcpy(system->B + 9 * (size_t)begin, system->rest + 9 * (size_t)begin,
               9 * (size_t)(end - begin) * sizeof *system->B);
        for (int k = parts->begin[part]; k < parts->begin[part + 1]; k++) {
            int c = parts->contact[k], node = system->lone[c];
            if (node < begin || node >= end || is_open(loop->D + (size_t)c * (size_t)loop->stride))
                continue;
            for (int i = 0; i < 9; i++)
                system->B[9 * (size_t)node + (size_t)i] += system->T[9 * (size_t)c + (size_t)i];
        }
    }
    if (loop->packs)
        pack_diagonal(loop, range.first, range.last);
}

// The inverse of each block; those of a part that has one without are marked.
static void invert_nodes(const void* data, int first, int last)
{
    const BuildLoop* loop = data;
    const CondSoftSystem* system = loop->system;
    const CondSoftPacked* packed = &system->packed;
    for (int part = first; part < last; part++) {
        system->failed[part] = 0;
        for (int i = system->node_begin[part]; i < system->node_begin[part + 1]; i++) {
            double* B = system->B + 9 * (size_t)i;
            system->failed[part] |= system->general ? invert3_general(B) : invert3(B);
            if (loop->packs)
                cond_soft_packed_block(B, packed->B + cond_soft_packed_place(packed->rank[i]), 8);
        }
    }
}

static int is_inverted(const CondSoftSystem* system)
{
    for (int part = 0; part < system->parts.n_part; part++)
        if (system->failed[part])
            return 0;
    return 1;
}

// What A and the couplings give, which is the same for every step; in the blocks of nodes couplings
// of one node alone, because those of several are joins of the packed system.
static CondStatus prepare_rest(CondSoftSystem* system)
{
    size_t nb = (size_t)system->n_interface;
    size_t size = 3 * (size_t)system->n_attached * nb;
    if (RESERVE(rest, 9 * system->n_node) || RESERVE(rest_C, (int)size) ||
        RESERVE(rest_S, (int)(nb * nb)))
        return COND_OUT_OF_MEMORY;
    system->general = 0;
    memset(system->C, 0, size * sizeof *system->C);
    start_blocks(system, system->rest, system->S);
    if (add_couplings(system, system->rest))
        return COND_OUT_OF_MEMORY;
    for (int i = 0; i < system->problem->n_coupling; i++) {
        CondTerm term = cond_soft_term_coupling(system, &system->problem->coupling[i]);
        cond_soft_interface_add(system, &term);
    }
    memcpy(system->rest_C, system->C, size * sizeof *system->C);
    memcpy(system->rest_S, system->S, nb * nb * sizeof *system->S);
    system->rested = 1;
    return COND_OK;
}

CondStatus cond_soft_system_plan_packed(CondSoftSystem* system)
{
    CondSoftPacked* packed = &system->packed;
    if (packed->ready)
        return COND_OK;
    CondStatus status = cond_soft_packed_plan(packed, system->problem, system->threads);
    if (!status)
        status = cond_soft_packed_plan_interface(packed, system->n_interface, system->n_attached,
                                                 system->attached);
    if (!status)
        status = add_joins(system);
    packed->ready = !status;
    return status;
}

// The coarse correction that goes with them, if any. In that of a few groups terms of several nodes
// are joins, and B must not have them yet; in that of levels they are part of B.
static CondStatus correct_coarsely(CondSoftSystem* system, int deep)
{
    CondSoftPacked* packed = &system->packed;
    if (deep != system->deep)
        return COND_OK;
    packed->coarse.on = system->grouped || system->deep;
    return packed->coarse.on ? cond_aggregation_build(packed, system->problem, system->B,
                                                      system->rest, system->threads)
                             : COND_OK;
}

// The interface's blocks as A and the couplings have them.
static CondStatus start(CondSoftSystem* system, int general)
{
    size_t nb = (size_t)system->n_interface, size = 3 * (size_t)system->n_attached * nb;
    CondStatus status = system->rested ? COND_OK : prepare_rest(system);
    if (status)
        return status;
    system->general = general;
    memcpy(system->C, system->rest_C, size * sizeof *system->C);
    memcpy(system->S, system->rest_S, nb * nb * sizeof *system->S);
    if (!general)
        return COND_OK;
    if (RESERVE(E, (int)size) || RESERVE(EB, (int)size))
        return COND_OUT_OF_MEMORY;
    memcpy(system->E, system->rest_C, size * sizeof *system->E); // couplings are symmetric
    return COND_OK;
}

CondStatus cond_soft_system_build(CondSoftSystem* system, const double* D, int stride, int general)
{
    size_t interface2 = (size_t)system->n_interface * (size_t)system->n_interface;
    int packs = !general && (system->deep || system->n_node >= system->pack_from);
    int n_contact = system->problem->n_contact;
    CondStatus status =
        system->parted ? COND_OK
                       : cond_contact_parts_build(&system->parts, system->problem, system->threads);
    system->parted = !status;
    if (!status)
        status = start(system, general);
    int n_part = system->parts.n_part;
    if (!status && packs)
        status = cond_soft_system_plan_packed(system);
    if (status)
        return status;
    // A packed block on the diagonal has the contacts of its node alone.
    BuildLoop loop = {system, D, stride, packs && system->n_other == 0};
    CondPhase start_phase[] = {{rotate_gains, &loop, n_contact, 0},
                               {start_nodes, &loop, cond_contact_parts_work(&system->parts), 1}};
    run(&loop, 2, start_phase, "start_nodes");
    add_contacts(system, D, stride, 0);
    CondPhase pack = {pack_diagonal, &loop, n_part, 0};
    if (packs && system->n_other > 0)
        run(&loop, 1, &pack, "pack_diagonal");
    if (packs) {
        set_gains(system);
        status = correct_coarsely(system, 0);
    }
    if (status)
        return status;
    add_listed(system->n_joined, system->joined, system->B);
    add_contacts(system, D, stride, 1);
    if (packs && interface2 > 0)
        memcpy(system->packed.S, system->S, interface2 * sizeof *system->S);
    if (packs && (status = correct_coarsely(system, 1)))
        return status;
    loop.packs = packs;
    CondPhase invert = {invert_nodes, &loop, n_part, 0};
    run(&loop, 1, &invert, "invert_nodes");
    if (!is_inverted(system) || cond_soft_interface_finish(system))
        return COND_DIVERGED;
    if (packs)
        cond_soft_interface_pack(system);
    return COND_OK;
}
