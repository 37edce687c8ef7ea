#include "soft/aggregation_part.h"

#include "linear/block6.h"
#include "soft/soft_packed_kernel.h"

#include <string.h>

enum {
    VISITS = 2
}; // of the next coarser level in a cycle: rigid groups are stiffer than what they
   // stand for, and a second visit makes up for it

// The share of a thread in a cycle.
typedef struct Cycle {
    CondAggregation* coarse;
    CondTeam* team;
    int rank, size;
} Cycle;

static int first_of(const Cycle* cycle, int n)
{
    return cond_team_first(n, cycle->rank, cycle->size);
}

static int last_of(const Cycle* cycle, int n)
{
    return cond_team_first(n, cycle->rank + 1, cycle->size);
}

// r of the next level = P' y
static void restrict_level(const Cycle* cycle, const CondLevel* fine)
{
    for (int g = first_of(cycle, fine->n_group); g < last_of(cycle, fine->n_group); g++) {
        float* e = fine[1].r + (ptrdiff_t)8 * g;
        memset(e, 0, 8 * sizeof *e);
        for (int m = fine->member_begin[g]; m < fine->member_begin[g + 1]; m++) {
            const float* f = fine->y + (ptrdiff_t)8 * fine->member[m];
            const float* a = fine->arm + (ptrdiff_t)3 * fine->member[m];
            for (int k = 0; k < 3; k++) {
                int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
                e[k] += f[k];
                e[3 + k] += (a[k1] * f[k2] - a[k2] * f[k1]) + fine->ratio * f[3 + k];
            }
        }
    }
}

// x += P (y of the next level)
static void prolong_level(const Cycle* cycle, const CondLevel* fine)
{
    for (int i = first_of(cycle, fine->n_node); i < last_of(cycle, fine->n_node); i++) {
        const float* e = fine[1].y + (ptrdiff_t)8 * fine->group[i];
        const float* a = fine->arm + (ptrdiff_t)3 * i;
        float* x = fine->x + (ptrdiff_t)8 * i;
        for (int k = 0; k < 3; k++) {
            int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
            x[k] += e[k] + (e[3 + k1] * a[k2] - e[3 + k2] * a[k1]);
            x[3 + k] += fine->ratio * e[3 + k];
        }
    }
}

// y = about A^-1 r on level l, symmetric. All threads of the team go through it together.
static void cycle_level(const Cycle* cycle, int l)
{
    CondAggregation* coarse = cycle->coarse;
    CondLevel* level = &coarse->level[l];
    const CondBlock6Kernel* kernel = cond_block6_kernel();
    int n = level->n_node, first = first_of(cycle, n), last = last_of(cycle, n);
    if (l == coarse->n_level - 1) {
        if (cycle->rank == 0)
            cond_soft_packed_kernel()->solve(coarse, level->r, level->y);
        cond_team_wait(cycle->team, cycle->size);
        return;
    }
    CondBlock6Rows A = {level->row_begin, level->column, level->A};
    int visits = l + 2 < coarse->n_level ? VISITS : 1; // the coarsest one is solved
    kernel->relax(level->D, NULL, level->r, level->step, level->x, first, last);
    cond_team_wait(cycle->team, cycle->size);
    for (int visit = 0; visit < visits; visit++) {
        kernel->residual(&A, level->x, level->r, level->y, first, last);
        cond_team_wait(cycle->team, cycle->size);
        restrict_level(cycle, level);
        cond_team_wait(cycle->team, cycle->size);
        cycle_level(cycle, l + 1);
        prolong_level(cycle, level);
        cond_team_wait(cycle->team, cycle->size);
    }
    kernel->residual(&A, level->x, level->r, level->y, first, last);
    kernel->relax(level->D, level->x, level->y, level->step, level->y, first, last);
    cond_team_wait(cycle->team, cycle->size);
}

// r of the first level, eight numbers a group.
static void gather(const CondAggregation* coarse, int first, int last, float* r)
{
    for (int g = first; g < last; g++)
        for (int m = 0; m < 8; m++) {
            double sum = 0.0;
            for (int part = coarse->group_begin[g]; part < coarse->group_begin[g + 1]; part++)
                sum += (double)coarse->sum[8 * part + m];
            r[8 * g + m] = (float)sum;
        }
}

double cond_aggregation_correct(CondSoftPacked* packed, CondTeam* team, int rank, int size,
                                const float** motion)
{
    CondAggregation* coarse = &packed->coarse;
    Cycle cycle = {coarse, team, rank, size};
    int n = coarse->n_group;
    float *r = coarse->level[0].r, *y = coarse->level[0].y;
    double total = 0.0;
    if (coarse->n_level == 1) { // each thread for itself
        r = coarse->vectors + (ptrdiff_t)2 * rank * coarse->wide;
        y = r + coarse->wide;
        gather(coarse, 0, n, r);
        cond_soft_packed_kernel()->solve(coarse, r, y);
    } else {
        gather(coarse, first_of(&cycle, n), last_of(&cycle, n), r);
        cond_team_wait(team, size);
        cycle_level(&cycle, 0);
    }
    for (int g = 0; g < n; g++)
        for (int m = 0; m < 6; m++)
            total += (double)r[8 * g + m] * (double)y[8 * g + m];
    *motion = y;
    return total;
}
