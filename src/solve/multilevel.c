#include "solve/multilevel.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "linear/block6.h"
#include "linear/cholesky.h"
#include "solve/multilevel_part.h"

#include <string.h>

enum {
    FEWEST = 60, // nodes below which there is nothing to gain
    VISITS = 2,  // of the next coarser level in a cycle: rigid groups are stiffer than what they
                 // stand for, and a second visit makes up for it
    PART = 16,   // groups of a partial sum
};

#define RESERVE(array, count)                                                                      \
    cond_reserve(&multi->context, &multi->array, &multi->cap_##array, count, sizeof *multi->array)

static int count_bodies(const CondProblem* problem)
{
    int n = 0;
    for (int b = 0; b < problem->n_block; b++)
        n += problem->block[b].kind == COND_BLOCK_BSR3;
    return n;
}

// The bodies and their pattern; returns the number of nodes, or 0 where a body does not say where
// its nodes are.
static int take_bodies(CondMultilevel* multi, const CondProblem* problem, uint64_t* pattern)
{
    int n = 0, known = 1;
    multi->n_body = 0;
    *pattern = COND_HASH_START;
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        if (block->kind != COND_BLOCK_BSR3)
            continue;
        int rows = block->n_dof / 3;
        multi->body[multi->n_body++] = (CondLevelBody){block, n};
        *pattern = cond_hash_bytes(*pattern, block->row_begin,
                                   (size_t)(rows + 1) * sizeof *block->row_begin);
        *pattern = cond_hash_bytes(*pattern, block->column,
                                   (size_t)block->row_begin[rows] * sizeof *block->column);
        known = known && block->position;
        n += rows;
    }
    return known ? n : 0;
}

static CondStatus plan(CondMultilevel* multi, int n)
{
    multi->n_level = 0;
    multi->level[0].n_node = n;
    if (RESERVE(due, n) || RESERVE(state, n) || RESERVE(tied, 6 * n) || RESERVE(soft, 6 * n) ||
        RESERVE(part, 6 * n) || RESERVE(packed, n))
        return COND_OUT_OF_MEMORY;
    CondStatus status = cond_multilevel_plan_levels(multi);
    int last = 6 * multi->level[multi->n_level - 1].n_node;
    if (status || multi->n_level < 2)
        return status;
    return RESERVE(factor, last * last) || RESERVE(coarsest, last) ? COND_OUT_OF_MEMORY : COND_OK;
}

CondStatus cond_multilevel_plan(CondMultilevel* multi, const CondProblem* problem, int threads,
                                int* fits)
{
    uint64_t pattern;
    *fits = 0;
    if (RESERVE(body, count_bodies(problem)))
        return COND_OUT_OF_MEMORY;
    int n = take_bodies(multi, problem, &pattern);
    if (n < FEWEST)
        return COND_OK;
    multi->threads = threads;
    multi->n_team = cond_threads(SIZE_MAX, threads);
    if (multi->n_level == 0 || multi->level[0].n_node != n || multi->pattern != pattern) {
        CondStatus status = plan(multi, n);
        if (status) {
            multi->n_level = 0;
            return status;
        }
        multi->pattern = pattern;
    }
    if (multi->n_level < 2)
        return COND_OK;
    if (RESERVE(row, multi->n_team * multi->n_row) || RESERVE(sum, multi->level[1].n_node + 2))
        return COND_OUT_OF_MEMORY;
    multi->fresh = 1;
    *fits = 1;
    return COND_OK;
}

typedef struct Cycle {
    CondMultilevel* multi;
    const CondBlock6Kernel* kernel;
    CondTeam* team;
    int me, size;
} Cycle;

static int first_of(const Cycle* cycle, int n)
{
    return cond_team_first(n, cycle->me, cycle->size);
}

static int last_of(const Cycle* cycle, int n)
{
    return cond_team_first(n, cycle->me + 1, cycle->size);
}

// e = P' y: what the members of a group do to it. f is one of their forces, arms are a.
static void add_force(const float* a, const float* f, float e[6])
{
    e[0] += f[0];
    e[1] += f[1];
    e[2] += f[2];
    e[3] += a[1] * f[2] - a[2] * f[1];
    e[4] += a[2] * f[0] - a[0] * f[2];
    e[5] += a[0] * f[1] - a[1] * f[0];
}

// The directions of a node that are not held.                                       out = S in
static void project(const float* S, const float* in, float out[3])
{
    out[0] = S[0] * in[0] + S[1] * in[1] + S[2] * in[2];
    out[1] = S[1] * in[0] + S[3] * in[1] + S[4] * in[2];
    out[2] = S[2] * in[0] + S[4] * in[1] + S[5] * in[2];
}

static void store(float* to, const float e[6])
{
    memcpy(to, e, 6 * sizeof *to);
    to[6] = to[7] = 0.0F;
}

// Level 0 to level 1.
static void restrict_nodes(const Cycle* cycle, const float* vector)
{
    const CondMultilevel* multi = cycle->multi;
    const CondLevel* fine = multi->level;
    for (int g = first_of(cycle, fine->n_group); g < last_of(cycle, fine->n_group); g++) {
        float e[6] = {0.0F};
        for (int m = fine->member_begin[g]; m < fine->member_begin[g + 1]; m++) {
            const float* r = vector + multi->packed[m];
            float f[3];
            if (multi->state[m] == COND_NODE_HELD)
                continue;
            if (multi->state[m] == COND_NODE_CUT) {
                project(multi->part + (ptrdiff_t)6 * m, r, f);
                r = f;
            }
            add_force(fine->arm + (ptrdiff_t)3 * m, r, e);
        }
        store(fine[1].r + (ptrdiff_t)8 * g, e);
    }
}

// From y of a coarse level to r of the next.
static void restrict_level(const Cycle* cycle, const CondLevel* fine)
{
    for (int g = first_of(cycle, fine->n_group); g < last_of(cycle, fine->n_group); g++) {
        float e[6] = {0.0F};
        for (int m = fine->member_begin[g]; m < fine->member_begin[g + 1]; m++) {
            const float* y = fine->y + (ptrdiff_t)8 * fine->member[m];
            add_force(fine->arm + (ptrdiff_t)3 * m, y, e);
            for (int k = 3; k < 6; k++)
                e[k] += fine->ratio * y[k];
        }
        store(fine[1].r + (ptrdiff_t)8 * g, e);
    }
}

// The motion e of its group at a node: v + omega x a.
static void move(const float* a, const float* e, float v[3])
{
    v[0] = e[0] + (e[4] * a[2] - e[5] * a[1]);
    v[1] = e[1] + (e[5] * a[0] - e[3] * a[2]);
    v[2] = e[2] + (e[3] * a[1] - e[4] * a[0]);
}

// z = s z + P (y of level 1) for the members of a group; returns their r'z.
static double prolong_group(const CondMultilevel* multi, int g, const float* vector, float s,
                            float* out)
{
    const CondLevel* fine = multi->level;
    const float* e = fine[1].y + (ptrdiff_t)8 * g;
    double sum = 0.0;
    for (int m = fine->member_begin[g]; m < fine->member_begin[g + 1]; m++) {
        const float* r = vector + multi->packed[m];
        float v[3] = {0.0F}, f[3], *z = out + multi->packed[m];
        if (multi->state[m] != COND_NODE_HELD)
            move(fine->arm + (ptrdiff_t)3 * m, e, v);
        if (multi->state[m] == COND_NODE_CUT) {
            project(multi->part + (ptrdiff_t)6 * m, v, f);
            memcpy(v, f, sizeof v);
        }
        for (int k = 0; k < 3; k++) {
            z[k] = s * z[k] + v[k];
            sum += (double)z[k] * (double)r[k];
        }
    }
    return sum;
}

// x += P (y of the next level)
static void prolong_level(const Cycle* cycle, const CondLevel* fine)
{
    for (int i = first_of(cycle, fine->n_node); i < last_of(cycle, fine->n_node); i++) {
        const float* e = fine[1].y + (ptrdiff_t)8 * fine->group[i];
        float v[3], *x = fine->x + (ptrdiff_t)8 * i;
        move(fine->arm + (ptrdiff_t)3 * fine->slot[i], e, v);
        for (int k = 0; k < 3; k++) {
            x[k] += v[k];
            x[3 + k] += fine->ratio * e[3 + k];
        }
    }
}

static void solve_coarsest(CondMultilevel* multi)
{
    CondLevel* level = &multi->level[multi->n_level - 1];
    double* x = multi->coarsest;
    for (int i = 0; i < level->n_node; i++)
        for (int k = 0; k < 6; k++)
            x[6 * i + k] = (double)level->r[8 * i + k];
    cond_cholesky_solve(6 * level->n_node, multi->factor, x);
    for (int i = 0; i < level->n_node; i++)
        for (int k = 0; k < 6; k++)
            level->y[8 * i + k] = (float)x[6 * i + k];
}

// y = about A^-1 r on level l, symmetric. All threads of the team go through it together.
static void cycle_level(const Cycle* cycle, int l)
{
    CondMultilevel* multi = cycle->multi;
    CondLevel* level = &multi->level[l];
    int n = level->n_node, first = first_of(cycle, n), last = last_of(cycle, n);
    if (l == multi->n_level - 1) {
        if (cycle->me == 0)
            solve_coarsest(multi);
        cond_team_wait(cycle->team, cycle->size);
        return;
    }
    CondBlock6Rows A = {level->row_begin, level->column, level->A};
    int visits = l + 2 < multi->n_level ? VISITS : 1; // the coarsest one is solved
    cycle->kernel->relax(level->D, NULL, level->r, level->step, level->x, first, last);
    cond_team_wait(cycle->team, cycle->size);
    for (int visit = 0; visit < visits; visit++) {
        cycle->kernel->residual(&A, level->x, level->r, level->y, first, last);
        cond_team_wait(cycle->team, cycle->size);
        restrict_level(cycle, level);
        cond_team_wait(cycle->team, cycle->size);
        cycle_level(cycle, l + 1);
        prolong_level(cycle, level);
        cond_team_wait(cycle->team, cycle->size);
    }
    cycle->kernel->residual(&A, level->x, level->r, level->y, first, last);
    cycle->kernel->relax(level->D, level->x, level->y, level->step, level->y, first, last);
    cond_team_wait(cycle->team, cycle->size);
}

double cond_multilevel_correct(CondMultilevel* multi, CondTeam* team, int rank, int size,
                               const float* r, float s, float* z)
{
    Cycle cycle = {multi, cond_block6_kernel(), team, rank, size};
    int n = multi->level[0].n_group, parts = (n + PART - 1) / PART;
    restrict_nodes(&cycle, r);
    cond_team_wait(team, size);
    cycle_level(&cycle, 1);
    for (int part = first_of(&cycle, parts); part < last_of(&cycle, parts); part++) {
        int end = (part + 1) * PART < n ? (part + 1) * PART : n;
        multi->sum[part] = 0.0;
        for (int g = part * PART; g < end; g++)
            multi->sum[part] += prolong_group(multi, g, r, s, z);
    }
    cond_team_wait(team, size);
    double total = 0.0;
    for (int part = 0; part < parts; part++)
        total += multi->sum[part];
    return total;
}

void cond_multilevel_destroy(CondMultilevel* multi)
{
    for (int l = 0; l < COND_LEVELS; l++) {
        CondLevel* level = &multi->level[l];
        void* arrays[] = {level->row_begin, level->column, level->A,   level->D,
                          level->group,     level->member, level->arm, level->member_begin,
                          level->slot,      level->place,  level->x,   level->r,
                          level->y};
        for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
            cond_release(&multi->context, arrays[i]);
    }
    void* arrays[] = {multi->factor, multi->coarsest, multi->tied,  multi->soft,
                      multi->part,   multi->state,    multi->due,   multi->row,
                      multi->sum,    multi->body,     multi->packed};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        cond_release(&multi->context, arrays[i]);
}
