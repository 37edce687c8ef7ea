// The numbers of a hierarchy of aggregates (aggregation.h): matrices of its levels, step lengths,
// and the inverse of the coarsest.
#include "base/parallel.h"
#include "base/processor.h"
#include "base/tuning.h"
#include "linear/block6.h"
#include "linear/cholesky.h"
#include "linear/inverse.h"
#include "soft/aggregation_part.h"
#include "soft/tuning.h"

#include <math.h>
#include <string.h>

enum { PART = COND_SUM_BLOCK / 8 }; // nodes of a partial sum

#define INLINE static inline __attribute__((always_inline))
typedef float Eight __attribute__((vector_size(32), aligned(4), may_alias));
typedef double Wide __attribute__((vector_size(64), aligned(8), may_alias));

#define RESERVE(array, count) COND_RESERVE(&coarse->arena, coarse->array, count)

// Which column of row g is h.
static int column_of(const CondLevel* level, int g, int h)
{
    int at = level->row_begin[g];
    while (level->column[at] != h)
        at++;
    return at - level->row_begin[g];
}

// W += H P_j, three rows
INLINE void add_block(const double* H, const float* rows, Wide W[3])
{
    Wide P[3];
    for (int k = 0; k < 3; k++)
        P[k] = __builtin_convertvector(*(const Eight*)(rows + 8 * k), Wide);
    for (int r = 0; r < 3; r++)
        W[r] += H[3 * r] * P[0] + H[3 * r + 1] * P[1] + H[3 * r + 2] * P[2];
}

// M += P_i' W, six rows `stride` apart
INLINE void add_motions(const float* rows, const Wide W[3], double* M, int stride)
{
    for (int m = 0; m < 6; m++)
        *(Wide*)(M + (ptrdiff_t)m * stride) +=
            (double)rows[m] * W[0] + (double)rows[8 + m] * W[1] + (double)rows[16 + m] * W[2];
}

// Row g of the first level, P' H P of the nodes: six rows `stride` apart, eight numbers a column.
// Where it is inverted, from its own block on.
INLINE void add_nodes(const CondAggregationLoop* loop, int g, double* M, int stride)
{
    const CondSoftPacked* packed = loop->packed;
    const CondAggregation* coarse = &packed->coarse;
    const CondLevel* level = coarse->level;
    const CondBlock* block = &loop->problem->block[coarse->group_body[g]];
    int first = coarse->group_node[g], upper = coarse->n_level == 1, h = g;
    int self = 8 * column_of(level, g, g), at = self;
    for (int place = cond_aggregation_place(packed, g);
         place < cond_aggregation_place(packed, g + 1); place++) {
        int node = packed->order[place], i = node - first;
        const float* rows = coarse->rows + (ptrdiff_t)24 * place;
        Wide own[3] = {{0.0}, {0.0}, {0.0}};
        if (node < 0)
            continue;
        for (int k = block->row_begin[i]; k < block->row_begin[i + 1]; k++) {
            int other = first + block->column[k], to = coarse->node_group[other];
            const double* H = other == node ? loop->diagonal + (ptrdiff_t)9 * node
                                            : block->values + (ptrdiff_t)9 * k;
            const float* there = coarse->rows + (ptrdiff_t)24 * packed->rank[other];
            if (to == g) {
                add_block(H, there, own);
                continue;
            }
            if (upper && to < g)
                continue;
            if (to != h) {
                h = to;
                at = 8 * column_of(level, g, h);
            }
            Wide W[3] = {{0.0}, {0.0}, {0.0}};
            add_block(H, there, W);
            add_motions(rows, W, M + at, stride);
        }
        add_motions(rows, own, M + self, stride);
    }
}

// M += P_i' V P_j between nodes of six coordinates, P = [1, -[a]x; 0, ratio] with their arms a.
//                                                        V by columns, M: rows `stride` apart
INLINE void add_pair(const float* V, const float* ai, const float* aj, double ratio, double* M,
                     int stride)
{
    double N[6][6]; // V P_j
    for (int r = 0; r < 6; r++) {
        double v0 = (double)V[r], v1 = (double)V[6 + r], v2 = (double)V[12 + r];
        N[r][0] = v0;
        N[r][1] = v1;
        N[r][2] = v2;
        N[r][3] = (double)aj[1] * v2 - (double)aj[2] * v1 + ratio * (double)V[18 + r];
        N[r][4] = (double)aj[2] * v0 - (double)aj[0] * v2 + ratio * (double)V[24 + r];
        N[r][5] = (double)aj[0] * v1 - (double)aj[1] * v0 + ratio * (double)V[30 + r];
    }
    double a0 = (double)ai[0], a1 = (double)ai[1], a2 = (double)ai[2];
    for (int c = 0; c < 6; c++) {
        double n0 = N[0][c], n1 = N[1][c], n2 = N[2][c];
        M[c] += n0;
        M[stride + c] += n1;
        M[2 * stride + c] += n2;
        M[3 * stride + c] += a1 * n2 - a2 * n1 + ratio * N[3][c];
        M[4 * stride + c] += a2 * n0 - a0 * n2 + ratio * N[4][c];
        M[5 * stride + c] += a0 * n1 - a1 * n0 + ratio * N[5][c];
    }
}

// Row g of a level above, from the one before it.
INLINE void add_members(const CondLevel* fine, int g, double* M, int stride)
{
    for (int m = fine->member_begin[g]; m < fine->member_begin[g + 1]; m++) {
        int i = fine->member[m];
        for (int k = fine->row_begin[i]; k < fine->row_begin[i + 1]; k++) {
            int j = fine->column[k], at = column_of(fine + 1, g, fine->group[j]);
            add_pair(fine->A + (ptrdiff_t)6 * 6 * k, fine->arm + (ptrdiff_t)3 * i,
                     fine->arm + (ptrdiff_t)3 * j, (double)fine->ratio, M + (ptrdiff_t)8 * at,
                     stride);
        }
    }
}

// Inverse of a block on the diagonal, symmetric, in D; NAN where it is not positive definite. The
// block is lifted a little first: a group may have motions that move none of its nodes, such as
// rotations of one or two nodes, or of nodes all held.
static void lift_and_invert(double* M, int stride, float* D)
{
    double L[6 * 6], trace = 0.0;
    for (int k = 0; k < 6; k++)
        trace += M[k * stride + k];
    for (int k = 0; k < 6; k++)
        M[k * stride + k] += trace > 0.0 ? COND_SINGLE_PRECISION * trace : 1.0;
    for (int k = 0; k < 6 * 6; k++)
        L[k] = M[k / 6 * stride + k % 6];
    int bad = !isfinite(trace) || cond_cholesky_factor(6, L);
    for (int j = 0; j < 6; j++) {
        double x[6] = {0.0};
        x[j] = 1.0;
        if (!bad)
            cond_cholesky_solve(6, L, x);
        for (int i = 0; i < 6; i++)
            D[6 * j + i] = bad ? NAN : (float)x[i];
    }
}

// Row g of the matrix to be inverted.
static void keep_dense(CondAggregation* coarse, const CondLevel* level, int g, const double* M,
                       int stride)
{
    double* row = coarse->matrix + (ptrdiff_t)6 * g * coarse->stride;
    memset(row, 0, 6 * (size_t)coarse->stride * sizeof *row);
    for (int k = level->row_begin[g]; k < level->row_begin[g + 1]; k++, M += 8)
        for (int e = 0; e < 6 * 6; e++)
            row[(ptrdiff_t)(e / 6) * coarse->stride + 6 * level->column[k] + e % 6] =
                M[e / 6 * stride + e % 6];
}

// Row g of a matrix for products.
static void keep_blocks(const CondLevel* level, int g, double* M, int stride)
{
    lift_and_invert(M + (ptrdiff_t)8 * column_of(level, g, g), stride,
                    level->D + (ptrdiff_t)6 * 6 * g);
    for (int k = level->row_begin[g]; k < level->row_begin[g + 1]; k++, M += 8)
        for (int e = 0; e < 6 * 6; e++)
            level->A[(ptrdiff_t)6 * 6 * k + 6 * (e % 6) + e / 6] = (float)M[e / 6 * stride + e % 6];
}

typedef struct Build {
    CondAggregationLoop loop;
    int l; // the level that is made
    int n_due;
    double value;
} Build;

// Rows of P' H P, on the first level of the groups that are due.
INLINE void make_rows(const Build* build, int rank, int first, int last)
{
    CondAggregation* coarse = &build->loop.packed->coarse;
    const CondLevel* level = &coarse->level[build->l];
    double* M = coarse->row + (ptrdiff_t)rank * coarse->n_row;
    for (int k = first; k < last; k++) {
        int g = build->l == 0 ? coarse->due[k] : k;
        int stride = 8 * (level->row_begin[g + 1] - level->row_begin[g]);
        memset(M, 0, 6 * (size_t)stride * sizeof *M);
        if (build->l == 0)
            add_nodes(&build->loop, g, M, stride);
        else
            add_members(level - 1, g, M, stride);
        if (build->l + 1 == coarse->n_level)
            keep_dense(coarse, level, g, M, stride);
        else
            keep_blocks(level, g, M, stride);
    }
}

// The same loop for each processor. No fused operations: all give the same bits.
static void make_generic(const Build* build, int rank, int first, int last)
{
    make_rows(build, rank, first, last);
}

COND_AVX2 static void make_avx2(const Build* build, int rank, int first, int last)
{
    make_rows(build, rank, first, last);
}

static void sum_squares(const CondLevel* level, const float* x, int first, int last, double* sum)
{
    for (int part = first; part < last; part++) {
        int end = 8 * ((part + 1) * PART < level->n_node ? (part + 1) * PART : level->n_node);
        sum[part] = 0.0;
        for (int i = 8 * part * PART; i < end; i++)
            sum[part] += (double)x[i] * (double)x[i];
    }
}

static double total(int n, const double* part)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++)
        sum += part[k];
    return sum;
}

// The largest eigenvalue of D A by the power method, from a fixed start.
static double largest(const CondAggregation* coarse, const CondLevel* level, CondTeam* team,
                      int rank, int size)
{
    const CondBlock6Kernel* kernel = cond_block6_kernel();
    CondBlock6Rows A = {level->row_begin, level->column, level->A};
    int n = level->n_node, parts = (n + PART - 1) / PART;
    int first_part = cond_team_first(parts, rank, size);
    int last_part = cond_team_first(parts, rank + 1, size);
    int first = PART * first_part, last = PART * last_part < n ? PART * last_part : n;
    float *x = level->x, *y = level->y;
    // Two sets of sums in turn: one is written while a slower thread still reads the other.
    double *sum = coarse->square, *next = sum + parts, norm = 0.0;
    for (int i = first; i < last; i++)
        for (int k = 0; k < 8; k++) // no symmetry of the mesh
            x[8 * (ptrdiff_t)i + k] = k < 6 ? 1.0F + 0.5F * (float)((7 * i + 3 * k) % 11) : 0.0F;
    sum_squares(level, x, first_part, last_part, sum);
    cond_team_wait(team, size);
    for (int step = 0; step <= COND_SOFT_POWERS; step++) {
        norm = sqrt(total(parts, sum));
        if (step == COND_SOFT_POWERS || !isfinite(norm) || !(norm > 0.0))
            break;
        kernel->residual(&A, x, NULL, y, first, last);
        kernel->relax(level->D, NULL, y, (float)(-1.0 / norm), y, first, last);
        sum_squares(level, y, first_part, last_part, next);
        cond_team_wait(team, size);
        float* kept = x;
        x = y;
        y = kept;
        double* turn = sum;
        sum = next;
        next = turn;
    }
    return norm;
}

static void make_level(void* data, CondTeam* team, int rank, int size)
{
    Build* build = data;
    const CondAggregation* coarse = &build->loop.packed->coarse;
    const CondLevel* level = &coarse->level[build->l];
    int n = build->l == 0 ? build->n_due : level->n_node;
    (COND_HAS_AVX2 ? make_avx2 : make_generic)(build, rank, cond_team_first(n, rank, size),
                                               cond_team_first(n, rank + 1, size));
    if (build->l + 1 == coarse->n_level)
        return;
    double value = largest(coarse, level, team, rank, size);
    if (rank == 0)
        build->value = value;
}

// Middles and arms of the groups that the nodes of a level form.
void cond_aggregation_place_level(CondLevel* fine)
{
    CondLevel* coarse = fine + 1;
    double sum = 0.0;
    for (int g = 0; g < fine->n_group; g++) {
        int first = fine->member_begin[g], last = fine->member_begin[g + 1];
        double* middle = coarse->place + (ptrdiff_t)3 * g;
        memset(middle, 0, 3 * sizeof *middle);
        for (int k = 0; k < 3; k++)
            for (int m = first; m < last; m++)
                middle[k] += fine->place[3 * fine->member[m] + k] / (last - first);
        for (int k = 0; k < 3; k++)
            for (int m = first; m < last; m++)
                sum += pow(fine->place[3 * fine->member[m] + k] - middle[k], 2.0);
    }
    coarse->length = sum > 0.0 ? sqrt(sum / fine->n_node) : 1.0;
    fine->ratio = (float)(fine->length / coarse->length);
    for (int i = 0; i < fine->n_node; i++)
        for (int k = 0; k < 3; k++)
            fine->arm[3 * i + k] =
                (float)((fine->place[3 * i + k] - coarse->place[3 * fine->group[i] + k]) /
                        coarse->length);
}

// Y += G P of a cell
static void add_cell(const CondSoftPacked* packed, int cell, int size, double* Y)
{
    int wide = packed->cell_row[cell + 1] - packed->cell_row[cell];
    for (int s = packed->cell_begin[cell]; s < packed->cell_begin[cell + 1]; s++) {
        const float* G = packed->share_value + packed->share[s].value;
        const float* rows = packed->coarse.rows + (ptrdiff_t)24 * packed->share[s].node;
        for (int r = 0; r < size; r++)
            for (int m = 0; m < 6; m++)
                for (int k = 0; k < 3; k++)
                    Y[6 * r + m] += (double)G[k * wide + r] * (double)rows[8 * k + m];
    }
}

// The motions of all joins, as lists in the order of their groups.
static void move_joins(CondSoftPacked* packed)
{
    CondAggregation* coarse = &packed->coarse;
    int count = 0, *first = coarse->join_first, *last = coarse->join_last;
    for (int j = 0; j < packed->n_join; j++)
        first[j] = last[j] = -1;
    for (int part = 0; part < packed->n_part; part++)
        for (int c = packed->part_cell[part]; c < packed->part_cell[part + 1]; c++) {
            int j = packed->share[packed->cell_begin[c]].join, group = coarse->part_group[part];
            if (last[j] < 0 || coarse->motion[last[j]].group != group) {
                coarse->motion[count] = (CondJoinMotion){.group = group, .next = -1};
                *(last[j] < 0 ? &first[j] : &coarse->motion[last[j]].next) = count;
                last[j] = count++;
            }
            add_cell(packed, c, packed->join_size[j], coarse->motion[last[j]].Y);
        }
}

// Joins: G' K G between the motions of all their groups.
static void add_joins(CondSoftPacked* packed)
{
    CondAggregation* coarse = &packed->coarse;
    CondJoinMotion* motion = coarse->motion;
    move_joins(packed);
    for (int j = 0; j < packed->n_join; j++) {
        int n = packed->join_size[j];
        const double* K = packed->gain + packed->join_gain[j];
        for (int b = coarse->join_first[j]; b >= 0; b = motion[b].next)
            for (int e = 0; e < 6 * n; e++)
                for (int c = 0; c < n; c++)
                    motion[b].KY[e] += K[e / 6 * n + c] * motion[b].Y[6 * c + e % 6];
        for (int a = coarse->join_first[j]; a >= 0; a = motion[a].next)
            for (int b = a; b >= 0; b = motion[b].next) {
                double* M = coarse->matrix + (ptrdiff_t)6 * motion[a].group * coarse->stride +
                            (ptrdiff_t)6 * motion[b].group;
                for (int e = 0; e < 6 * 6; e++)
                    for (int r = 0; r < n; r++)
                        M[(ptrdiff_t)(e / 6) * coarse->stride + e % 6] +=
                            motion[a].Y[6 * r + e / 6] * motion[b].KY[6 * r + e % 6];
            }
    }
}

static double trace(int n, const double* K)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += K[i * n + i];
    return sum;
}

// Directions that are held now and were not when the matrix was made, or the other way round. A
// join counts as one where its gain has changed a lot.
static double count_changes(const CondSoftPacked* packed)
{
    const CondAggregation* coarse = &packed->coarse;
    double sum = 0.0;
    for (int place = 0; place < 4 * packed->n_four; place++)
        sum += fabs((double)coarse->held[place] - (double)coarse->held_then[place]);
    for (int j = 0; j < packed->n_join; j++) {
        double now = trace(packed->join_size[j], packed->gain + packed->join_gain[j]);
        sum += now > 2.0 * coarse->gain[j] || coarse->gain[j] > 2.0 * now;
    }
    return sum;
}

// 1 where a neighbour of the node, or itself, has changed.
static int is_near_change(const CondAggregationLoop* loop, int g, int node)
{
    const CondSoftPacked* packed = loop->packed;
    int first = packed->coarse.group_node[g];
    const CondBlock* block = &loop->problem->block[packed->coarse.group_body[g]];
    for (int k = block->row_begin[node - first]; k < block->row_begin[node - first + 1]; k++)
        if (packed->coarse.changed[packed->rank[first + block->column[k]]])
            return 1;
    return 0;
}

// Marks the groups in whose rows a changed node has a part.
static void mark_due(const void* data, int from, int to)
{
    const CondAggregationLoop* loop = data;
    const CondSoftPacked* packed = loop->packed;
    for (int g = from; g < to; g++) {
        int due = 0;
        for (int place = cond_aggregation_place(packed, g);
             place < cond_aggregation_place(packed, g + 1) && !due; place++)
            due = packed->order[place] >= 0 && is_near_change(loop, g, packed->order[place]);
        packed->coarse.due[g] = due;
    }
}

// Lists the groups that have to be made anew; returns how many.
static int find_due(const CondAggregationLoop* loop, int team)
{
    const CondSoftPacked* packed = loop->packed;
    CondAggregation* coarse = &loop->packed->coarse;
    int levels = coarse->n_level > 1; // what is inverted is made as a whole
    int all =
        !coarse->made || (!levels && count_changes(packed) > COND_SOFT_CHANGED * packed->n_node);
    int n_due = 0, places = 4 * packed->n_four;
    if (levels && !all)
        cond_parallel(coarse->n_group, team, mark_due, loop);
    for (int g = 0; g < coarse->n_group; g++) {
        int due = all || (levels && coarse->due[g]);
        if (due)
            coarse->due[n_due++] = g;
    }
    for (int place = 0; place < places && all; place++)
        coarse->held_then[place] = coarse->held[place];
    for (int j = 0; j < packed->n_join && all; j++)
        coarse->gain[j] = trace(packed->join_size[j], packed->gain + packed->join_gain[j]);
    return n_due;
}

// The inverse in single precision, its rows padded.
static void round_rows(const void* data, int first, int last)
{
    const CondAggregation* coarse = data;
    for (int i = first; i < last; i++) {
        float* to = coarse->inverse + (ptrdiff_t)i * coarse->wide;
        for (int j = 0; j < coarse->n; j++)
            to[8 * (j / 6) + j % 6] = (float)coarse->matrix[(ptrdiff_t)i * coarse->stride + j];
    }
}

void cond_aggregation_invert(CondAggregation* coarse, int threads)
{
    int n = coarse->n;
    size_t size = (size_t)n * (size_t)coarse->stride;
    cond_inverse(n, coarse->stride, COND_ROUNDING, coarse->matrix, coarse->work, threads);
    cond_parallel(n, cond_threads(size, threads), round_rows, coarse);
}

CondStatus cond_aggregation_build(CondSoftPacked* packed, const CondProblem* problem,
                                  const double* diagonal, const double* rest, int threads)
{
    CondAggregation* coarse = &packed->coarse;
    Build build = {.loop = {packed, problem, diagonal, rest}};
    int team = cond_threads(COND_CONTACT_WORK * (size_t)packed->n_node, threads);
    if (RESERVE(gain, packed->n_join) || RESERVE(join_first, packed->n_join) ||
        RESERVE(join_last, packed->n_join) || RESERVE(motion, packed->n_cell))
        return COND_OUT_OF_MEMORY;
    if (!coarse->made) {
        cond_aggregation_place_nodes(&build.loop, team);
        for (int l = 0; l + 1 < coarse->n_level; l++)
            cond_aggregation_place_level(&coarse->level[l]);
    }
    cond_aggregation_cut_nodes(&build.loop, team);
    build.n_due = find_due(&build.loop, team);
    if (build.n_due == 0)
        return COND_OK;
    cond_aggregation_move_nodes(&build.loop, team);
    coarse->made = 0; // until all is done
    for (build.l = 0; build.l < coarse->n_level; build.l++) {
        CondLevel* level = &coarse->level[build.l];
        // A block of the level below takes two products of 6x6 blocks that are half empty.
        size_t work = build.l == 0
                          ? COND_CONTACT_WORK * (size_t)packed->n_node
                          : (size_t)(6 * 6 * 6) * (size_t)level[-1].row_begin[level[-1].n_node];
        int most = cond_threads(work, threads);
        cond_team(most < packed->n_team ? most : packed->n_team, make_level, &build, __func__);
        if (!isfinite(build.value))
            return COND_DIVERGED;
        level->step = (float)(4.0 / 3.0 / fmax(1.0, COND_SOFT_EIGENVALUE * build.value));
    }
    if (!coarse->deep)
        add_joins(packed);
    cond_aggregation_invert(coarse, threads);
    coarse->made = 1;
    coarse->n_made++;
    return COND_OK;
}
