// A coarse correction for the packed system by groups of nodes that move as rigid bodies: its use
// in an iteration.
#include "soft/aggregation_part.h"

#include "base/parallel.h"
#include "device/sum.h"
#include "linear/block6.h"
#include "soft/soft_packed_kernel.h"

#include <string.h>

// The share of a thread in a cycle. The fewer blocks a level has, the fewer threads are at it: the
// first ones of the team, while the others wait for them on the level below.
typedef struct Cycle {
    CondAggregation* coarse;
    CondTeam* team;
    int rank, size[COND_LEVELS];
} Cycle;

static Cycle cycle_begin(CondAggregation* coarse, CondTeam* team, int rank, int size)
{
    Cycle cycle = {.coarse = coarse, .team = team, .rank = rank, .size = {size}};
    for (int l = 1; l < coarse->n_level; l++) {
        const CondLevel* level = &coarse->level[l];
        cycle.size[l] =
            cond_threads(3 * 6 * (size_t)level->row_begin[level->n_node], cycle.size[l - 1]);
    }
    return cycle;
}

static void meet(const Cycle* cycle, int l)
{
    cond_team_meet(cycle->team, &cycle->coarse->gate[l], cycle->size[l]);
}

typedef float Four __attribute__((vector_size(16), aligned(4), may_alias));

// (x, y, z, w) to (y, z, x, w) and to (z, x, y, w)
#define TURN_BACK(v) __builtin_shufflevector(v, v, 1, 2, 0, 3)
#define TURN_ON(v) __builtin_shufflevector(v, v, 2, 0, 1, 3)

// r of the next level = P' y
static void restrict_level(const CondLevel* fine, int first, int last)
{
    for (int g = first; g < last; g++) {
        float* e = fine[1].r + (ptrdiff_t)8 * g;
        Four force = {0.0F}, moment = {0.0F};
        for (int m = fine->member_begin[g]; m < fine->member_begin[g + 1]; m++) {
            const float* y = fine->y + (ptrdiff_t)8 * fine->member[m];
            Four a = *(const Four*)(fine->arm + (ptrdiff_t)3 * fine->member[m]);
            Four f = *(const Four*)y, own = *(const Four*)(y + 3);
            force += f;
            moment += (TURN_BACK(a) * TURN_ON(f) - TURN_ON(a) * TURN_BACK(f)) + fine->ratio * own;
        }
        *(Four*)e = force;
        *(Four*)(e + 3) = moment;
        e[6] = e[7] = 0.0F;
    }
}

// x += P (y of the next level)
static void prolong_level(const CondLevel* fine, int first, int last)
{
    for (int i = first; i < last; i++) {
        const float* e = fine[1].y + (ptrdiff_t)8 * fine->group[i];
        float* x = fine->x + (ptrdiff_t)8 * i;
        Four a = *(const Four*)(fine->arm + (ptrdiff_t)3 * i), turn = *(const Four*)(e + 3);
        Four shift = *(const Four*)x, own = *(const Four*)(x + 3);
        shift += *(const Four*)e + (TURN_BACK(turn) * TURN_ON(a) - TURN_ON(turn) * TURN_BACK(a));
        *(Four*)x = shift;
        *(Four*)(x + 3) = own + fine->ratio * turn;
    }
}

// Where the groups are many, sums of r'y over so many of them each, by who has made their y.
enum { PRODUCT_BLOCK = 16 };

static int is_summed_by_parts(const CondAggregation* coarse)
{
    return coarse->n_level > 1 && coarse->n_group > COND_SUM_BLOCK;
}

static double add_products(const CondAggregation* coarse, int first, int last, const float* r,
                           const float* y)
{
    double sum = 0.0;
    for (int g = first; g < last && g < coarse->n_group; g++)
        for (int m = 0; m < 6; m++)
            sum += (double)r[8 * g + m] * (double)y[8 * g + m];
    return sum;
}

static int n_together(const CondAggregation* coarse)
{
    return (coarse->n_group + PRODUCT_BLOCK - 1) / PRODUCT_BLOCK;
}

// The first node of a thread on a level.
static int first_node(const Cycle* cycle, int l, int rank)
{
    const CondAggregation* coarse = cycle->coarse;
    int n = coarse->level[l].n_node, size = cycle->size[l];
    if (l > 0 || !is_summed_by_parts(coarse))
        return cond_team_first(n, rank, size);
    int first = PRODUCT_BLOCK * cond_team_first(n_together(coarse), rank, size);
    return first < n ? first : n;
}

// y = about A^-1 r on level l, symmetric; above the first level r is P' y of the level before. The
// threads of the level go through it together; y is there when they have met again. Each makes the
// r that it needs itself, so that they do not have to meet for it.
static void cycle_level(const Cycle* cycle, int l)
{
    CondAggregation* coarse = cycle->coarse;
    CondLevel* level = &coarse->level[l];
    const CondBlock6Kernel* kernel = cond_block6_kernel();
    int first = first_node(cycle, l, cycle->rank), last = first_node(cycle, l, cycle->rank + 1);
    if (cycle->rank >= cycle->size[l])
        return;
    if (l == coarse->n_level - 1) {
        if (cycle->rank > 0)
            return;
        restrict_level(level - 1, 0, level->n_node);
        cond_soft_packed_kernel()->solve(coarse, level->r, level->y);
        return;
    }
    if (l > 0)
        restrict_level(level - 1, first, last);
    CondBlock6Rows A = {level->row_begin, level->column, level->A};
    // A W-cycle: rigid groups are stiffer than what they stand for, and a second visit makes up for
    // it. The coarsest level is solved.
    int visits = l + 2 < coarse->n_level ? 2 : 1;
    kernel->relax(level->D, NULL, level->r, level->step, level->x, first, last);
    meet(cycle, l);
    for (int visit = 0; visit < visits; visit++) {
        kernel->residual(&A, level->x, level->r, level->y, first, last);
        meet(cycle, l);
        cycle_level(cycle, l + 1);
        meet(cycle, l);
        prolong_level(level, first, last);
        meet(cycle, l);
    }
    kernel->residual(&A, level->x, level->r, level->y, first, last);
    kernel->relax(level->D, level->x, level->y, level->step, level->y, first, last);
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
    Cycle cycle = cycle_begin(coarse, team, rank, size);
    int n = coarse->n_group, n_part = n_together(coarse);
    float *r = coarse->level[0].r, *y = coarse->level[0].y;
    double total = 0.0;
    if (coarse->n_level == 1) { // each thread for itself
        r = coarse->vectors + (ptrdiff_t)2 * rank * coarse->wide;
        y = r + coarse->wide;
        gather(coarse, 0, n, r);
        cond_soft_packed_kernel()->solve(coarse, r, y);
    } else {
        gather(coarse, first_node(&cycle, 0, rank), first_node(&cycle, 0, rank + 1), r);
        cycle_level(&cycle, 0);
        int by_parts = is_summed_by_parts(coarse), begin = cond_team_first(n_part, rank, size);
        for (int k = begin; k < cond_team_first(n_part, rank + 1, size) && by_parts; k++)
            coarse->product[k] =
                add_products(coarse, PRODUCT_BLOCK * k, PRODUCT_BLOCK * (k + 1), r, y);
        meet(&cycle, 0);
    }
    *motion = y;
    if (!is_summed_by_parts(coarse))
        return add_products(coarse, 0, n, r, y);
    for (int k = 0; k < n_part; k++)
        total += coarse->product[k];
    return total;
}
