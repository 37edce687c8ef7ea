// Conjugate gradients on the packed system (soft_packed.h), in single precision.
#include "base/memory.h"
#include "base/parallel.h"
#include "base/tiny.h"
#include "device/item.h"
#include "device/sum.h"
#include "linear/cholesky.h"
#include "soft/soft_packed.h"
#include "soft/soft_packed_device.h"
#include "soft/soft_packed_kernel.h"

#include <limits.h>
#include <math.h>
#include <string.h>

// What each thread knows of the interface: the same numbers on all of them.
typedef struct Interface {
    double r[COND_LARGEST_INTERFACE], p[COND_LARGEST_INTERFACE], x[COND_LARGEST_INTERFACE],
        q[COND_LARGEST_INTERFACE], z[COND_LARGEST_INTERFACE];
    float single[COND_LARGEST_INTERFACE]; // z or p for the nodes
} Interface;

// Every thread adds all of them, lanes side by side, in an order that does not depend on the
// threads.
static double add_parts(const CondSoftPacked* packed, const double* sums)
{
    enum { LANES = COND_SUM_LANES };
    double lane[LANES] = {0.0}, sum = 0.0;
    int n = packed->n_part, i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int k = 0; k < LANES; k++)
            lane[k] += sums[i + k];
    for (; i < n; i++)
        sum += sums[i];
    for (int k = 0; k < LANES; k++)
        sum += lane[k];
    return sum;
}

// out += s (sums over the parts)
static void add_interface_sums(const CondSoftPacked* packed, const float* sums, double s,
                               double* out)
{
    int nb = packed->n_interface, wide = cond_soft_packed_wide(nb);
    for (int k = 0; k < packed->n_interface_sum; k++)
        for (int j = 0; j < nb; j++)
            out[j] += s * (double)sums[(ptrdiff_t)k * wide + j];
}

// q = S p + sums of C' p; returns p'q.
static double multiply_interface(const CondSoftPacked* packed, Interface* interface)
{
    int nb = packed->n_interface;
    double sum = 0.0;
    for (int i = 0; i < nb; i++) {
        interface->q[i] = 0.0;
        for (int j = 0; j < nb; j++)
            interface->q[i] += packed->S[(ptrdiff_t)i * nb + j] * interface->p[j];
    }
    add_interface_sums(packed, packed->product_interface, 1.0, interface->q);
    for (int i = 0; i < nb; i++)
        sum += interface->p[i] * interface->q[i];
    return sum;
}

// x += alpha p, r -= alpha q, z = Schur^-1 (r - sums of C' z); returns its share of r'z.
static double advance_interface(const CondSoftPacked* packed, const double* factor, double alpha,
                                Interface* interface)
{
    int nb = packed->n_interface;
    double s[COND_LARGEST_INTERFACE], sum = 0.0;
    if (nb <= 0) // the compiler cannot know that it is never negative
        return 0.0;
    for (int i = 0; i < nb; i++) {
        interface->x[i] += alpha * interface->p[i];
        interface->r[i] -= alpha * interface->q[i];
        s[i] = interface->r[i];
    }
    add_interface_sums(packed, packed->step_interface, -1.0, s);
    memcpy(interface->z, s, (size_t)nb * sizeof *s);
    cond_cholesky_solve(nb, factor, interface->z);
    for (int i = 0; i < nb; i++)
        sum += s[i] * interface->z[i];
    return sum;
}

// The forces of the joins, f = K w with w = G p; returns w'f.
static double join_forces(const CondSoftPacked* packed, double* w, float* f)
{
    int n = packed->n_join, rows = n > 0 ? packed->join_row[n] : 0;
    double total = 0.0;
    memset(w, 0, (size_t)rows * sizeof *w);
    for (int c = 0; c < packed->n_cell; c++) {
        double* at = w + packed->join_row[packed->share[packed->cell_begin[c]].join];
        for (int k = packed->cell_row[c]; k < packed->cell_row[c + 1]; k++)
            *at++ += (double)packed->cell_sum[k];
    }
    for (int j = 0; j < n; j++) {
        int first = packed->join_row[j], size = packed->join_size[j];
        const double* K = packed->gain + packed->join_gain[j];
        for (int r = 0; r < size; r++) {
            double sum = 0.0;
            for (int c = 0; c < size; c++)
                sum += K[r * size + c] * w[first + c];
            total += w[first + r] * sum;
            f[first + r] = (float)sum;
        }
    }
    return total;
}

typedef struct Team {
    CondSoftPacked* packed;
    CondSoftPackedSolve* solve;
} Team;

static void start_interface(int nb, const double* r, Interface* interface)
{
    size_t size = (size_t)nb * sizeof *r;
    memcpy(interface->r, r, size);
    memset(interface->x, 0, size);
    memset(interface->p, 0, size);
    memset(interface->q, 0, size);
}

// The share of a thread in a step: its parts, and room for the forces of the joins.
typedef struct Share {
    CondSoftPacked* packed;
    const CondSoftPackedSolve* solve;
    const CondSoftPackedKernel* kernel;
    CondTeam* team;
    int first, last, rank, size;
    int n_next; // parts next to its own
    const CondNextPart* next;
    float* p; // on both
    double* velocity;
    float* force;
    const float* motion; // of the groups; NULL where there is no coarse correction
    double scale;        // of what the blocks do beside it
    Interface interface;
} Share;

// Lists the parts of others that have columns of the rows of the thread's own.
static void find_next(Share* share)
{
    CondSoftPacked* packed = share->packed;
    CondNextPart* next = packed->next + (ptrdiff_t)packed->n_part * share->rank;
    int rank = share->rank, n = 0;
    if (packed->next_of[rank] != share->size) {
        memset(next, 0, (size_t)packed->n_part * sizeof *next);
        int first = packed->row_begin[packed->part_four[share->first]];
        int last = packed->row_begin[packed->part_four[share->last]];
        for (int at = 4 * first; at < 4 * last; at++) {
            int pair = packed->column[at] / 8, part = packed->four_part[pair / 2];
            next[part].pairs |= 1u << (pair - 2 * packed->part_four[part]);
        }
        for (int part = 0; part < packed->n_part; part++)
            if (next[part].pairs && (part < share->first || part >= share->last))
                next[n++] = (CondNextPart){part, next[part].pairs};
        packed->n_next[rank] = n;
        packed->next_of[rank] = share->size;
    }
    share->next = next;
    share->n_next = packed->n_next[rank];
}

static void share_start(Share* share, const Team* all, CondTeam* team, int rank, int size)
{
    CondSoftPacked* packed = all->packed;
    share->solve = all->solve;
    share->team = team;
    share->rank = rank;
    int rows = packed->n_join > 0 ? packed->join_row[packed->n_join] : 0;
    share->packed = packed;
    share->kernel = cond_soft_packed_kernel();
    share->first = cond_team_first(packed->n_part, rank, size);
    share->last = cond_team_first(packed->n_part, rank + 1, size);
    share->size = size;
    share->velocity = packed->velocity + (ptrdiff_t)rows * rank;
    share->force = packed->force + (ptrdiff_t)rows * rank;
    memset(share->force, 0, (size_t)rows * sizeof *share->force);
    memset(share->interface.single, 0, sizeof share->interface.single);
    share->p = packed->p + (ptrdiff_t)16 * packed->n_four * rank;
    find_next(share);
    share->motion = NULL;
    share->scale = cond_aggregation_damping(&packed->coarse);
}

static void to_single(int n, const double* from, float* to)
{
    for (int i = 0; i < n; i++)
        to[i] = (float)from[i];
}

// x += alpha p, r -= alpha q, z = M r but for the interface's part in the nodes and the coarse
// correction; returns r'z, and the square of the norm of what is left.
static double advance(void* self, double alpha, double* left)
{
    Share* share = self;
    CondSoftPacked* packed = share->packed;
    share->kernel->advance(packed, share->first, share->last, (float)alpha, share->force, share->p);
    cond_team_wait(share->team, share->size);
    double interface = advance_interface(packed, share->solve->factor, alpha, &share->interface);
    double rz = interface + add_parts(packed, packed->step_sum);
    *left = rz;
    if (!packed->coarse.on)
        return rz;
    *left = interface + add_parts(packed, packed->coarse.left);
    return share->scale * rz +
           cond_aggregation_correct(packed, share->team, share->rank, share->size, &share->motion);
}

static void turn_part(Share* share, int part, unsigned pairs, double beta)
{
    share->kernel->turn(share->packed, part, pairs, (float)share->scale, (float)beta, share->motion,
                        share->p);
    share->kernel->spread_interface(share->packed, part, share->interface.single, share->p);
}

// p = z + beta p
static void turn(void* self, double beta)
{
    Share* share = self;
    Interface* interface = &share->interface;
    for (int i = 0; i < share->packed->n_interface; i++) {
        interface->z[i] *= share->scale;
        interface->single[i] = (float)interface->z[i];
        interface->p[i] = interface->z[i] + beta * interface->p[i];
    }
    for (int part = share->first; part < share->last; part++)
        turn_part(share, part, UINT_MAX, beta);
    for (int k = 0; k < share->n_next; k++)
        turn_part(share, share->next[k].part, share->next[k].pairs, beta);
}

// q = H p, but for what the joins do; returns p'H p.
static double multiply(void* self)
{
    Share* share = self;
    CondSoftPacked* packed = share->packed;
    to_single(packed->n_interface, share->interface.p, share->interface.single);
    share->kernel->multiply(packed, share->first, share->last, share->p, share->interface.single,
                            packed->q);
    cond_team_wait(share->team, share->size);
    return multiply_interface(packed, &share->interface) + add_parts(packed, packed->product_sum) +
           join_forces(packed, share->velocity, share->force);
}

// Each thread its parts: they are then near it, and no other reads them before all have met.
static void clear_vectors(const Share* share)
{
    const CondSoftPacked* packed = share->packed;
    size_t first = 16 * (size_t)packed->part_four[share->first];
    size_t size = (16 * (size_t)packed->part_four[share->last] - first) * sizeof *packed->x;
    memset(packed->x + first, 0, size);
    memset(share->p + first, 0, size);
    memset(packed->q + first, 0, size);
    for (int k = 0; k < share->n_next; k++) {
        const int* four = packed->part_four + share->next[k].part;
        memset(share->p + (ptrdiff_t)16 * four[0], 0,
               16 * (size_t)(four[1] - four[0]) * sizeof *share->p);
    }
}

// Two loops an iteration. Every thread has the scalars and the interface for itself, from the
// same partial sums.
static void iterate(void* data, CondTeam* team, int rank, int size)
{
    static const CondCgSteps steps = {advance, turn, multiply};
    const Team* all = data;
    unsigned before = cond_tiny_flush();
    Share share;
    share_start(&share, all, team, rank, size);
    clear_vectors(&share);
    start_interface(all->packed->n_interface, all->solve->interface, &share.interface);
    cond_team_wait(team, size);
    cond_cg_iterate(&steps, &share, rank, &all->solve->cg);
    cond_tiny_restore(before);
    if (rank == 0)
        memcpy(all->solve->interface, share.interface.x,
               (size_t)all->packed->n_interface * sizeof *all->solve->interface);
}

CondStatus cond_soft_packed_solve(CondSoftPacked* packed, CondSoftPackedSolve* solve)
{
    if (packed->device)
        return cond_soft_packed_solve_on_device(packed, solve);
    Team team = {.packed = packed, .solve = solve};
    cond_team(packed->n_team, iterate, &team, __func__);
    return COND_OK;
}
