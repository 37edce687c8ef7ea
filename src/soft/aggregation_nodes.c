// The nodes of level 0: where they are in their groups, and what the linearised law leaves of their
// motions.
#include "base/parallel.h"
#include "base/tuning.h"
#include "math/vec3.h"
#include "soft/aggregation_part.h"
#include "soft/tuning.h"

#include <math.h>
#include <string.h>

double cond_aggregation_weight(const double* rest)
{
    return 3.0 / (rest[0] + rest[4] + rest[8]);
}

// F = (I + (T / tau)^2)^-2, T = diagonal - rest, by an adjugate.
static void cut(const double* diagonal, const double* rest, double* F)
{
    double tau = COND_SOFT_HELD / cond_aggregation_weight(rest), T[9], M[9];
    for (int e = 0; e < 9; e++)
        T[e] = (diagonal[e] - rest[e]) / tau;
    mat3_product(T, T, M);
    M[0] += 1.0;
    M[4] += 1.0;
    M[8] += 1.0;
    F[0] = M[4] * M[8] - M[5] * M[7];
    F[4] = M[0] * M[8] - M[2] * M[6];
    F[8] = M[0] * M[4] - M[1] * M[3];
    F[1] = F[3] = M[2] * M[7] - M[1] * M[8];
    F[2] = F[6] = M[1] * M[5] - M[2] * M[4];
    F[5] = F[7] = M[2] * M[3] - M[0] * M[5];
    double determinant = M[0] * F[0] + M[1] * F[3] + M[2] * F[6];
    for (int e = 0; e < 9; e++)
        T[e] = F[e] / determinant;
    mat3_product(T, T, F);
}

static float* frame_of(const CondAggregation* coarse, int place)
{
    return coarse->frame + (ptrdiff_t)16 * (place / 2) + (ptrdiff_t)4 * (place % 2);
}

static const double* position(const CondAggregationLoop* loop, int group, int node)
{
    const CondAggregation* coarse = &loop->packed->coarse;
    return loop->problem->block[coarse->group_body[group]].position +
           (ptrdiff_t)3 * (node - coarse->group_node[group]);
}

// The middle of each group, and in `left` how far its nodes are from it.
static void find_middles(const void* data, int first, int last)
{
    const CondAggregationLoop* loop = data;
    const CondSoftPacked* packed = loop->packed;
    for (int g = first; g < last; g++) {
        int begin = cond_aggregation_place(packed, g), end = cond_aggregation_place(packed, g + 1);
        double *middle = packed->coarse.level[0].place + (ptrdiff_t)3 * g, size = 0.0;
        int count = 0;
        middle[0] = middle[1] = middle[2] = 0.0;
        for (int place = begin; place < end; place++) {
            count += packed->order[place] >= 0;
            for (int k = 0; k < 3 && packed->order[place] >= 0; k++)
                middle[k] += position(loop, g, packed->order[place])[k];
        }
        for (int k = 0; k < 3; k++)
            middle[k] /= count;
        for (int place = begin; place < end; place++)
            for (int k = 0; k < 3 && packed->order[place] >= 0; k++)
                size = fmax(size, fabs(position(loop, g, packed->order[place])[k] - middle[k]));
        packed->coarse.left[g] = size;
    }
}

// Places from the middle of the group, over the length of the level.
static void place_groups(const void* data, int first, int last)
{
    const CondAggregationLoop* loop = data;
    const CondSoftPacked* packed = loop->packed;
    const CondLevel* level = packed->coarse.level;
    for (int g = first; g < last; g++)
        for (int place = cond_aggregation_place(packed, g);
             place < cond_aggregation_place(packed, g + 1); place++) {
            int node = packed->order[place];
            float* frame = frame_of(&packed->coarse, place);
            memset(frame, 0, 4 * sizeof *frame);
            memset(frame + 8, 0, 4 * sizeof *frame);
            packed->coarse.held[place] = 0.0F;
            if (node < 0)
                continue;
            for (int k = 0; k < 3; k++)
                frame[8 + (k + 2) % 3] =
                    (float)((position(loop, g, node)[k] - level->place[3 * g + k]) / level->length);
            frame[11] = (float)cond_aggregation_weight(loop->rest + (ptrdiff_t)9 * node);
        }
}

void cond_aggregation_place_nodes(const CondAggregationLoop* loop, int team)
{
    CondAggregation* coarse = &loop->packed->coarse;
    double length = 0.0;
    cond_parallel(coarse->n_group, team, find_middles, loop);
    for (int g = 0; g < coarse->n_group; g++)
        length = fmax(length, coarse->left[g]);
    coarse->level[0].length = length > 0.0 ? length : 1.0;
    cond_parallel(coarse->n_group, team, place_groups, loop);
}

// P = F [I, -[d]x] of one node; d is in its frame.
static void move_node(CondAggregation* coarse, int place, const double* F)
{
    const float* a = frame_of(coarse, place) + 8;
    double back[3] = {-(double)a[2], -(double)a[0], -(double)a[1]}, turn[9], moved[9];
    mat3_cross(back, turn);
    mat3_product(F, turn, moved);
    float* rows = coarse->rows + (ptrdiff_t)24 * place;
    for (int r = 0; r < 3; r++)
        for (int m = 0; m < 3; m++) {
            rows[8 * r + m] = (float)F[3 * r + m];
            rows[8 * r + 3 + m] = (float)moved[3 * r + m];
        }
}

// The matrix of levels goes with the P it was made of: F stays what it is there until it has
// changed by more than a little. 1: it has.
static int changes(const float* rows, double* F)
{
    double most = 0.0;
    for (int e = 0; e < 9; e++)
        most = fmax(most, fabs(F[e] - (double)rows[8 * (e / 3) + e % 3]));
    for (int e = 0; e < 9 && most <= COND_SOFT_CHANGED; e++)
        F[e] = (double)rows[8 * (e / 3) + e % 3];
    return most > COND_SOFT_CHANGED;
}

static void cut_node(const CondAggregationLoop* loop, int part, int place)
{
    CondAggregation* coarse = &loop->packed->coarse;
    ptrdiff_t block = (ptrdiff_t)9 * loop->packed->order[place];
    const double *diagonal = loop->diagonal + block, *rest = loop->rest + block;
    double F[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    float* frame = frame_of(coarse, place);
    if (memcmp(diagonal, rest, sizeof F) != 0)
        cut(diagonal, rest, F);
    if (coarse->n_level > 1 && coarse->made)
        coarse->changed[place] = changes(coarse->rows + (ptrdiff_t)24 * place, F);
    coarse->held[place] = (float)(3.0 - F[0] - F[4] - F[8]);
    int skew = fmax(fmax(fabs(F[1]), fabs(F[2])), fabs(F[5])) > COND_SINGLE_PRECISION;
    for (int k = 0; k < 3; k++)
        frame[k] = skew ? 0.0F : (float)F[4 * k];
    if (skew) {
        int begin = 4 * loop->packed->part_four[part];
        coarse->skew[begin + coarse->n_skew[part]++] = place;
        move_node(coarse, place, F);
    }
}

static void cut_parts(const void* data, int first, int last)
{
    const CondAggregationLoop* loop = data;
    const CondSoftPacked* packed = loop->packed;
    for (int part = first; part < last; part++) {
        packed->coarse.n_skew[part] = 0;
        for (int place = 4 * packed->part_four[part]; place < 4 * packed->part_four[part + 1];
             place++)
            if (packed->order[place] >= 0)
                cut_node(loop, part, place);
    }
}

// P of the nodes that are cut along the axes, or not at all.
static void move_parts(const void* data, int first, int last)
{
    CondSoftPacked* packed = ((const CondAggregationLoop*)data)->packed;
    CondAggregation* coarse = &packed->coarse;
    for (int part = first; part < last; part++) {
        int begin = 4 * packed->part_four[part], end = 4 * packed->part_four[part + 1], at = 0;
        for (int place = begin; place < end; place++) {
            const float* frame = frame_of(coarse, place);
            const double F[9] = {(double)frame[0], 0.0, 0.0, 0.0, (double)frame[1], 0.0, 0.0, 0.0,
                                 (double)frame[2]};
            if (at < coarse->n_skew[part] && coarse->skew[begin + at] == place)
                at++;
            else
                move_node(coarse, place, F);
        }
    }
}

void cond_aggregation_cut_nodes(const CondAggregationLoop* loop, int team)
{
    cond_parallel(loop->packed->n_part, team, cut_parts, loop);
}

void cond_aggregation_move_nodes(const CondAggregationLoop* loop, int team)
{
    cond_parallel(loop->packed->n_part, team, move_parts, loop);
}
