#include "solve/tie_coarse.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "linear/inverse.h"
#include "math/vec3.h"
#include "solve/tie_packed.h"

#include <math.h>
#include <string.h>

static const double HELD = 10.0;   // tau over the node's own block
static const double ALONG = 1e-6;  // entries beside the diagonal of what ties leave
static const double FEW = 0.1;     // changes a node that a coarse matrix bears
static const double LEAST = 1e-10; // pivot of the coarse matrix over its diagonal
#define INLINE static inline __attribute__((always_inline))
typedef float Eight __attribute__((vector_size(32), aligned(4), may_alias));
typedef double Wide __attribute__((vector_size(64), aligned(8), may_alias));

#define RESERVE(array, count)                                                                      \
    cond_reserve(&coarse->context, &coarse->array, &coarse->cap_##array, count,                    \
                 sizeof *coarse->array)

CondStatus cond_tie_coarse_plan(CondTiePacked* packed, const CondProblem* problem, int* fits)
{
    CondTieCoarse* coarse = &packed->coarse;
    const CondPartition* partition = &packed->partition;
    coarse->context = packed->context;
    coarse->made = 0;
    *fits = 1;
    for (int b = 0; b < problem->n_block; b++)
        if (problem->block[b].kind == COND_BLOCK_BSR3 && !problem->block[b].position)
            *fits = 0;
    if (!*fits)
        return COND_OK;
    coarse->n_group = partition->n_group;
    coarse->n = 6 * coarse->n_group;
    coarse->stride = (coarse->n + 2 + COND_COARSE_WIDE - 1) / COND_COARSE_WIDE * COND_COARSE_WIDE;
    int size = coarse->n * coarse->stride;
    if (RESERVE(group_begin, coarse->n_group + 1) || RESERVE(group_body, coarse->n_group) ||
        RESERVE(group_node, coarse->n_group) || RESERVE(frame, 32 * packed->n_four) ||
        RESERVE(skew, 4 * packed->n_four) || RESERVE(n_skew, packed->n_part) ||
        RESERVE(rows, 96 * packed->n_four) || RESERVE(matrix, size) || RESERVE(work, size) ||
        RESERVE(inverse, size) || RESERVE(sum, 8 * packed->n_part) ||
        RESERVE(left, packed->n_part) || RESERVE(held, 4 * packed->n_four) ||
        RESERVE(held_then, 4 * packed->n_four) ||
        RESERVE(vectors, 2 * packed->n_team * coarse->stride))
        return COND_OUT_OF_MEMORY;
    for (int part = packed->n_part - 1; part >= 0; part--)
        coarse->group_begin[partition->leaf_group[part]] = part;
    coarse->group_begin[coarse->n_group] = packed->n_part;
    for (int b = 0, g = 0, first = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        if (block->kind != COND_BLOCK_BSR3)
            continue;
        int end = first + block->n_dof / 3;
        for (; g < coarse->n_group &&
               packed->order[4 * packed->part_four[coarse->group_begin[g]]] < end;
             g++) {
            coarse->group_body[g] = b;
            coarse->group_node[g] = first;
        }
        first = end;
    }
    return COND_OK;
}

// What a loop over the groups reads and writes.
typedef struct GroupLoop {
    CondTiePacked* packed;
    const CondProblem* problem;
    const double *diagonal, *rest;
} GroupLoop;

static int place_begin(const CondTiePacked* packed, int group)
{
    return 4 * packed->part_four[packed->coarse.group_begin[group]];
}

static const double* position(const GroupLoop* loop, int group, int node)
{
    const CondTieCoarse* coarse = &loop->packed->coarse;
    return loop->problem->block[coarse->group_body[group]].position +
           (ptrdiff_t)3 * (node - coarse->group_node[group]);
}

double cond_tie_coarse_weight(const double* rest)
{
    return 3.0 / (rest[0] + rest[4] + rest[8]);
}

// F = (I + (T / tau)^2)^-2, T = diagonal - rest, by an adjugate.
static void cut(const double* diagonal, const double* rest, double* F)
{
    double tau = HELD / cond_tie_coarse_weight(rest), T[9], M[9];
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

static float* frame_of(const CondTieCoarse* coarse, int place)
{
    return coarse->frame + (ptrdiff_t)16 * (place / 2) + (ptrdiff_t)4 * (place % 2);
}

// Where the nodes of groups are, from the middle of the group and over its size.
static void place_groups(const void* data, int first, int last)
{
    const GroupLoop* loop = data;
    CondTiePacked* packed = loop->packed;
    for (int g = first; g < last; g++) {
        int begin = place_begin(packed, g), end = place_begin(packed, g + 1), count = 0;
        double middle[3] = {0.0, 0.0, 0.0}, size = 0.0;
        for (int place = begin; place < end; place++)
            if (packed->order[place] >= 0) {
                const double* x = position(loop, g, packed->order[place]);
                for (int k = 0; k < 3; k++)
                    middle[k] += x[k];
                count++;
            }
        for (int k = 0; k < 3; k++)
            middle[k] /= count;
        for (int place = begin; place < end; place++)
            for (int k = 0; k < 3 && packed->order[place] >= 0; k++)
                size = fmax(size, fabs(position(loop, g, packed->order[place])[k] - middle[k]));
        for (int place = begin; place < end; place++) {
            int node = packed->order[place];
            float* frame = frame_of(&packed->coarse, place);
            memset(frame, 0, 4 * sizeof *frame);
            memset(frame + 8, 0, 4 * sizeof *frame);
            packed->coarse.held[place] = 0.0F;
            if (node < 0)
                continue;
            for (int k = 0; k < 3 && size > 0.0; k++)
                frame[8 + (k + 2) % 3] = (float)((position(loop, g, node)[k] - middle[k]) / size);
            frame[11] = (float)cond_tie_coarse_weight(loop->rest + (ptrdiff_t)9 * node);
        }
    }
}

// P = F [I, -[d]x] of one node; d is in its frame.
static void move_node(CondTieCoarse* coarse, int place, const double* F)
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

// What ties leave of the nodes' motions.
static void cut_parts(const void* data, int first, int last)
{
    const GroupLoop* loop = data;
    CondTiePacked* packed = loop->packed;
    CondTieCoarse* coarse = &packed->coarse;
    for (int part = first; part < last; part++) {
        int begin = 4 * packed->part_four[part], end = 4 * packed->part_four[part + 1];
        coarse->n_skew[part] = 0;
        for (int place = begin; place < end; place++) {
            int node = packed->order[place];
            if (node < 0)
                continue;
            float* frame = frame_of(coarse, place);
            const double* diagonal = loop->diagonal + (ptrdiff_t)9 * node;
            const double* rest = loop->rest + (ptrdiff_t)9 * node;
            if (memcmp(diagonal, rest, 9 * sizeof *rest) == 0) {
                frame[0] = frame[1] = frame[2] = 1.0F;
                coarse->held[place] = 0.0F;
                continue;
            }
            double F[9];
            cut(diagonal, rest, F);
            coarse->held[place] = (float)(3.0 - F[0] - F[4] - F[8]);
            int skew = fmax(fmax(fabs(F[1]), fabs(F[2])), fabs(F[5])) > ALONG;
            for (int k = 0; k < 3; k++)
                frame[k] = skew ? 0.0F : (float)F[4 * k];
            if (skew) {
                coarse->skew[begin + coarse->n_skew[part]++] = place;
                move_node(coarse, place, F);
            }
        }
    }
}

// P of the nodes that are cut along the axes, or not at all.
static void move_parts(const void* data, int first, int last)
{
    CondTiePacked* packed = ((const GroupLoop*)data)->packed;
    CondTieCoarse* coarse = &packed->coarse;
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

INLINE void take_row(const float* from, Wide* to)
{
    *to = __builtin_convertvector(*(const Eight*)from, Wide);
}

// W += H P_j, three rows
INLINE void add_block(const double* H, const float* rows, Wide W[3])
{
    Wide P[3];
    for (int k = 0; k < 3; k++)
        take_row(rows + 8 * k, &P[k]);
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

// The rows of the coarse matrix that belong to a group, from its own block on.
INLINE void multiply_group(const GroupLoop* loop, int g)
{
    CondTiePacked* packed = loop->packed;
    CondTieCoarse* coarse = &packed->coarse;
    const CondBlock* block = &loop->problem->block[coarse->group_body[g]];
    const int* leaf_group = packed->partition.leaf_group;
    int first = coarse->group_node[g], stride = coarse->stride;
    double* M = coarse->matrix + (ptrdiff_t)6 * g * stride;
    memset(M, 0, 6 * (size_t)stride * sizeof *M);
    for (int place = place_begin(packed, g); place < place_begin(packed, g + 1); place++) {
        int node = packed->order[place], i = node - first;
        const float* rows = coarse->rows + (ptrdiff_t)24 * place;
        Wide own[3] = {{0.0}, {0.0}, {0.0}};
        for (int k = node < 0 ? 0 : block->row_begin[i]; node >= 0 && k < block->row_begin[i + 1];
             k++) {
            int to = packed->rank[first + block->column[k]];
            int h = leaf_group[packed->four_part[to / 4]];
            const double* H = block->column[k] == i ? loop->diagonal + (ptrdiff_t)9 * node
                                                    : block->values + (ptrdiff_t)9 * k;
            if (h == g) {
                add_block(H, coarse->rows + (ptrdiff_t)24 * to, own);
            } else if (h > g) {
                Wide W[3] = {{0.0}, {0.0}, {0.0}};
                add_block(H, coarse->rows + (ptrdiff_t)24 * to, W);
                add_motions(rows, W, M + (ptrdiff_t)6 * h, stride);
            }
        }
        if (node >= 0)
            add_motions(rows, own, M + (ptrdiff_t)6 * g, stride);
    }
}

static void multiply_generic(const void* loop, int first, int last)
{
    for (int g = first; g < last; g++)
        multiply_group(loop, g);
}

#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx2"))) static void multiply_avx2(const void* loop, int first, int last)
{
    for (int g = first; g < last; g++)
        multiply_group(loop, g);
}
#endif

static CondLoopBody multiply_groups(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx2"))
        return multiply_avx2;
#endif
    return multiply_generic;
}

// Cells by joins, in the order of their parts.
static CondStatus sort_cells(CondTiePacked* packed)
{
    CondTieCoarse* coarse = &packed->coarse;
    int nj = packed->n_join;
    if (RESERVE(gain, nj) || RESERVE(motion, 72 * packed->n_cell) ||
        RESERVE(cell_group, packed->n_cell) || RESERVE(cell_order, packed->n_cell) ||
        RESERVE(join_begin, nj + 2))
        return COND_OUT_OF_MEMORY;
    memset(coarse->join_begin, 0, (size_t)(nj + 2) * sizeof *coarse->join_begin);
    for (int c = 0; c < packed->n_cell; c++)
        coarse->join_begin[packed->share[packed->cell_begin[c]].join + 2]++;
    for (int j = 0; j < nj; j++)
        coarse->join_begin[j + 2] += coarse->join_begin[j + 1];
    for (int part = 0; part < packed->n_part; part++)
        for (int c = packed->part_cell[part]; c < packed->part_cell[part + 1]; c++) {
            coarse->cell_group[c] = packed->partition.leaf_group[part];
            coarse
                ->cell_order[coarse->join_begin[packed->share[packed->cell_begin[c]].join + 1]++] =
                c;
        }
    return COND_OK;
}

// Y += G P of a cell, and KY = K Y once it is complete.                          (rows x 6 each)
static void add_cell(const CondTiePacked* packed, int cell, int size, double* Y)
{
    const CondTieCoarse* coarse = &packed->coarse;
    int wide = packed->cell_row[cell + 1] - packed->cell_row[cell];
    for (int s = packed->cell_begin[cell]; s < packed->cell_begin[cell + 1]; s++) {
        const float* G = packed->share_value + packed->share[s].value;
        const float* rows = coarse->rows + (ptrdiff_t)24 * packed->share[s].node;
        for (int r = 0; r < size; r++)
            for (int m = 0; m < 6; m++)
                for (int k = 0; k < 3; k++)
                    Y[6 * r + m] += (double)G[k * wide + r] * (double)rows[8 * k + m];
    }
}

// The block of the join between its a-th and b-th group.
static void add_pair(CondTieCoarse* coarse, int a, int b, int size)
{
    const double* Y = coarse->motion + (ptrdiff_t)72 * a;
    const double* KY = coarse->motion + (ptrdiff_t)72 * b + 36;
    int g = coarse->cell_group[a], h = coarse->cell_group[b];
    double* M = coarse->matrix + (ptrdiff_t)6 * g * coarse->stride + (ptrdiff_t)6 * h;
    for (int m = 0; m < 6; m++)
        for (int k = 0; k < 6; k++)
            for (int r = 0; r < size; r++)
                M[(ptrdiff_t)m * coarse->stride + k] += Y[6 * r + m] * KY[6 * r + k];
}

// Joins: G' K G between the motions of all their groups.
static void add_joins(CondTiePacked* packed)
{
    CondTieCoarse* coarse = &packed->coarse;
    for (int j = 0; j < packed->n_join; j++) {
        int size = packed->join_size[j], first = coarse->join_begin[j], count = 0;
        int* cell = coarse->cell_order + first;
        const double* K = packed->gain + packed->join_gain[j];
        for (int k = 0; k < coarse->join_begin[j + 1] - first; k++) {
            int fresh =
                count == 0 || coarse->cell_group[cell[count - 1]] != coarse->cell_group[cell[k]];
            int at = fresh ? cell[k] : cell[count - 1];
            double* Y = coarse->motion + (ptrdiff_t)72 * at;
            if (fresh)
                memset(Y, 0, 36 * sizeof *Y);
            add_cell(packed, cell[k], size, Y);
            cell[fresh ? count++ : count - 1] = at;
        }
        for (int k = 0; k < count; k++) {
            double *Y = coarse->motion + (ptrdiff_t)72 * cell[k], *KY = Y + 36;
            for (int r = 0; r < size; r++)
                for (int m = 0; m < 6; m++) {
                    KY[6 * r + m] = 0.0;
                    for (int c = 0; c < size; c++)
                        KY[6 * r + m] += K[r * size + c] * Y[6 * c + m];
                }
        }
        for (int a = 0; a < count; a++)
            for (int b = a; b < count; b++)
                add_pair(coarse, cell[a], cell[b], size);
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
static double count_changes(const CondTiePacked* packed)
{
    const CondTieCoarse* coarse = &packed->coarse;
    double sum = 0.0;
    for (int place = 0; place < 4 * packed->n_four; place++)
        sum += fabs((double)coarse->held[place] - (double)coarse->held_then[place]);
    for (int j = 0; j < packed->n_join; j++) {
        double now = trace(packed->join_size[j], packed->gain + packed->join_gain[j]);
        sum += now > 2.0 * coarse->gain[j] || coarse->gain[j] > 2.0 * now;
    }
    return sum;
}

// The inverse in single precision, its rows padded.
static void round_rows(const void* data, int first, int last)
{
    const CondTieCoarse* coarse = data;
    for (int i = first; i < last; i++)
        for (int j = 0; j < coarse->stride; j++) {
            ptrdiff_t at = (ptrdiff_t)i * coarse->stride + j;
            coarse->inverse[at] = j < coarse->n ? (float)coarse->matrix[at] : 0.0F;
        }
}

CondStatus cond_tie_coarse_build(CondTiePacked* packed, const CondProblem* problem,
                                 const double* diagonal, const double* rest, int threads)
{
    CondTieCoarse* coarse = &packed->coarse;
    GroupLoop loop = {packed, problem, diagonal, rest};
    int team = cond_threads(64 * (size_t)packed->n_node, threads), n = coarse->n;
    CondStatus status = sort_cells(packed);
    if (status)
        return status;
    if (!coarse->made)
        cond_parallel(coarse->n_group, team, place_groups, &loop);
    cond_parallel(packed->n_part, team, cut_parts, &loop);
    if (coarse->made && count_changes(packed) <= FEW * packed->n_node)
        return COND_OK;
    coarse->made = 1;
    memcpy(coarse->held_then, coarse->held, 4 * (size_t)packed->n_four * sizeof *coarse->held);
    for (int j = 0; j < packed->n_join; j++)
        coarse->gain[j] = trace(packed->join_size[j], packed->gain + packed->join_gain[j]);
    cond_parallel(packed->n_part, team, move_parts, &loop);
    cond_parallel(coarse->n_group, team, multiply_groups(), &loop);
    add_joins(packed);
    cond_inverse(n, coarse->stride, LEAST, coarse->matrix, coarse->work, threads);
    size_t size = (size_t)n * (size_t)coarse->stride;
    cond_parallel(n, cond_threads(size, threads), round_rows, coarse);
    return COND_OK;
}

void cond_tie_coarse_destroy(CondTieCoarse* coarse)
{
    void* arrays[] = {
        coarse->group_begin, coarse->group_body, coarse->group_node, coarse->frame,
        coarse->skew,        coarse->n_skew,     coarse->rows,       coarse->matrix,
        coarse->work,        coarse->inverse,    coarse->sum,        coarse->left,
        coarse->held,        coarse->held_then,  coarse->gain,       coarse->vectors,
        coarse->motion,      coarse->cell_group, coarse->cell_order, coarse->join_begin};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        cond_release(&coarse->context, arrays[i]);
}
