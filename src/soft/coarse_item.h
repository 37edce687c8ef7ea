// The matrices of the coarse levels (aggregation.h) by items: loops over nodes, groups or columns
// of blocks, for C and for CUDA. Galerkin sums are gathered: a column of a coarse block sums the
// fine blocks of its list in their order, so that no two items write to the same number.
//
// The results are those of aggregation_nodes.c and aggregation_build.c up to the order of sums.
#ifndef COND_SOFT_COARSE_ITEM_H
#define COND_SOFT_COARSE_ITEM_H

#include "base/tuning.h"
#include "device/item.h"
#include "math/vec3.h"
#include "soft/tuning.h"

// A fine block of a coarse one: its row and its index.
typedef struct CondFineBlock {
    int row, at;
} CondFineBlock;

typedef struct CondCoarseView {
    int n_node, n_place, n_part;
    const int *order, *rank;             // node at an index, index of a node
    const int* part_four;                // first four of each part                     (n_part + 1)
    int n_group;                         // groups of the nodes, unions of parts
    const int *group_begin, *part_group; // as CondAggregation has them
    const int *row_begin, *column;       // of the nodes
    const int* at_diagonal;              // block on the diagonal of each node       (n_node)
    const double *A, *B;                 // blocks; those on the diagonal with gains (9 n_node)
    const double* rest;                  // those on the diagonal without contacts   (9 n_node)
    const double* position;              //                                          (3 n_node)
    double* middle;                      // of the groups                            (3 n_group)
    double length;                       // of the first level
    float *frame, *rows, *held, *held_then; // as CondAggregation has them
    int *changed, *skewed, *near_change, *due;
    int levels;         // 1: several levels, and rows are made anew where they have changed
    int made;           // 1: rows of an older matrix exist
    int *n_skew, *skew; // as CondAggregation has them
    int* skew_begin;    // the same without gaps                    (n_part + 1)
    int* skew_place;    //                                          (n_place)
    float* skew_rows;   //                                          (24 n_place)
    // A level: its blocks, and the fine blocks of each.
    int n; // nodes of it
    const int *level_begin, *level_column;
    const int* block_row;      // row of each block                                 (nnz)
    const int* fine_begin;     // first fine block of each                          (nnz + 1)
    const CondFineBlock* fine; //
    const float *fine_A, *arm; // of the level below
    const int* fine_column;    //
    double ratio;              //
    float *level_A, *level_D;  //
    double* own;               // blocks on the diagonal                            (36 n)
    int dense;                 // 1: into `matrix`
    double* matrix;            //
    int stride;
    float *from, *to; // vectors of a level
} CondCoarseView;

COND_DEVICE double cond_coarse_weight(const double* rest)
{
    return 3.0 / (rest[0] + rest[4] + rest[8]);
}

COND_DEVICE float* cond_coarse_frame(const CondCoarseView* a, int place)
{
    return a->frame + (ptrdiff_t)16 * (place / 2) + (ptrdiff_t)4 * (place % 2);
}

COND_DEVICE int cond_coarse_part(const CondCoarseView* a, int place)
{
    int low = 0, high = a->n_part; // part_four[low] <= place / 4 < part_four[high]
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (a->part_four[middle] <= place / 4)
            low = middle;
        else
            high = middle;
    }
    return low;
}

COND_DEVICE int cond_coarse_first_place(const CondCoarseView* a, int group)
{
    return 4 * a->part_four[a->group_begin[group]];
}

// ---- positions of the nodes in their groups

COND_DEVICE void cond_coarse_middle_item(const CondCoarseView* a, int group)
{
    double* middle = a->middle + (ptrdiff_t)3 * group;
    int count = 0;
    middle[0] = middle[1] = middle[2] = 0.0;
    for (int place = cond_coarse_first_place(a, group);
         place < cond_coarse_first_place(a, group + 1); place++) {
        int node = a->order[place];
        count += node >= 0;
        for (int k = 0; k < 3 && node >= 0; k++)
            middle[k] += a->position[3 * node + k];
    }
    for (int k = 0; k < 3; k++)
        middle[k] /= count;
}

// Positions of the nodes of a group from its centre.
COND_DEVICE double cond_coarse_size_term(const CondCoarseView* a, int group)
{
    double size = 0.0;
    for (int place = cond_coarse_first_place(a, group);
         place < cond_coarse_first_place(a, group + 1); place++) {
        int node = a->order[place];
        for (int k = 0; k < 3 && node >= 0; k++)
            size = fmax(size, fabs(a->position[3 * node + k] - a->middle[3 * group + k]));
    }
    return size;
}

COND_DEVICE void cond_coarse_place_item(const CondCoarseView* a, int place)
{
    int node = a->order[place], group = a->part_group[cond_coarse_part(a, place)];
    float* frame = cond_coarse_frame(a, place);
    for (int k = 0; k < 4; k++)
        frame[k] = frame[8 + k] = 0.0F;
    a->held[place] = 0.0F;
    if (node < 0)
        return;
    for (int k = 0; k < 3; k++)
        frame[8 + (k + 2) % 3] =
            (float)((a->position[3 * node + k] - a->middle[3 * group + k]) / a->length);
    frame[11] = (float)cond_coarse_weight(a->rest + (ptrdiff_t)9 * node);
}

// ---- reduced motions of the nodes

// F = (I + (T / tau)^2)^-2, T = diagonal - rest, by an adjugate.
COND_DEVICE void cond_coarse_cut(const double* diagonal, const double* rest, double* F)
{
    double tau = COND_SOFT_HELD / cond_coarse_weight(rest), T[9], M[9];
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

// P = F [I, -[d]x] of one node; d is in its frame.
COND_DEVICE void cond_coarse_move(const CondCoarseView* a, int place, const double* F)
{
    const float* d = cond_coarse_frame(a, place) + 8;
    double back[3] = {-(double)d[2], -(double)d[0], -(double)d[1]}, turn[9], moved[9];
    mat3_cross(back, turn);
    mat3_product(F, turn, moved);
    float* rows = a->rows + (ptrdiff_t)24 * place;
    for (int r = 0; r < 3; r++)
        for (int m = 0; m < 3; m++) {
            rows[8 * r + m] = (float)F[3 * r + m];
            rows[8 * r + 3 + m] = (float)moved[3 * r + m];
        }
}

COND_DEVICE void cond_coarse_cut_item(const CondCoarseView* a, int place)
{
    int node = a->order[place], same = 1, skew = 0;
    a->skewed[place] = a->changed[place] = 0;
    if (node < 0)
        return;
    const double* diagonal = a->B + (ptrdiff_t)9 * node;
    const double* rest = a->rest + (ptrdiff_t)9 * node;
    double F[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, most = 0.0;
    for (int e = 0; e < 9; e++)
        same = same && diagonal[e] == rest[e];
    if (!same)
        cond_coarse_cut(diagonal, rest, F);
    const float* rows = a->rows + (ptrdiff_t)24 * place;
    for (int e = 0; e < 9 && a->made && a->levels; e++)
        most = fmax(most, fabs(F[e] - (double)rows[8 * (e / 3) + e % 3]));
    for (int e = 0; e < 9 && a->made && a->levels && most <= COND_SOFT_CHANGED; e++)
        F[e] = (double)rows[8 * (e / 3) + e % 3];
    a->changed[place] = most > COND_SOFT_CHANGED;
    a->held[place] = (float)(3.0 - F[0] - F[4] - F[8]);
    skew = fmax(fmax(fabs(F[1]), fabs(F[2])), fabs(F[5])) > COND_SINGLE_PRECISION;
    float* frame = cond_coarse_frame(a, place);
    for (int k = 0; k < 3; k++)
        frame[k] = skew ? 0.0F : (float)F[4 * k];
    a->skewed[place] = skew;
    if (skew)
        cond_coarse_move(a, place, F);
}

// The nodes of a part that are not reduced along the axes.
COND_DEVICE void cond_coarse_list_skew_item(const CondCoarseView* a, int part)
{
    int begin = 4 * a->part_four[part], count = 0;
    for (int place = begin; place < 4 * a->part_four[part + 1]; place++)
        if (a->skewed[place])
            a->skew[begin + count++] = place;
    a->n_skew[part] = a->skew_begin[part] = count;
}

// The same without gaps; skew_begin has become offsets.
COND_DEVICE void cond_coarse_gather_skew_item(const CondCoarseView* a, int part)
{
    for (int k = 0; k < a->n_skew[part]; k++) {
        int at = a->skew_begin[part] + k, place = a->skew[4 * a->part_four[part] + k];
        a->skew_place[at] = place;
        for (int e = 0; e < 8 * 3; e++)
            a->skew_rows[(ptrdiff_t)24 * at + e] = a->rows[(ptrdiff_t)24 * place + e];
    }
}

// P of the nodes that are reduced along the axes, or not at all.
COND_DEVICE void cond_coarse_move_item(const CondCoarseView* a, int place)
{
    const float* frame = cond_coarse_frame(a, place);
    const double F[9] = {(double)frame[0], 0.0, 0.0, 0.0, (double)frame[1], 0.0, 0.0, 0.0,
                         (double)frame[2]};
    if (a->order[place] >= 0 && !a->skewed[place])
        cond_coarse_move(a, place, F);
}

// ---- rows of the first level that have changed

COND_DEVICE void cond_coarse_near_item(const CondCoarseView* a, int node)
{
    int any = 0;
    for (int k = a->row_begin[node]; k < a->row_begin[node + 1]; k++)
        any |= a->changed[a->rank[a->column[k]]];
    a->near_change[a->rank[node]] = any;
}

// 1 if the row of a group must be recomputed.
COND_DEVICE double cond_coarse_due_term(const CondCoarseView* a, int group)
{
    int due = !a->made;
    for (int place = cond_coarse_first_place(a, group);
         place < cond_coarse_first_place(a, group + 1) && !due; place++)
        due = a->order[place] >= 0 && a->near_change[place];
    a->due[group] = due;
    return (double)due;
}

// Directions in which a node is held now and was not when the matrix was made, or the other way
// round.
COND_DEVICE double cond_coarse_change_term(const CondCoarseView* a, int place)
{
    return a->order[place] >= 0 ? fabs((double)a->held[place] - (double)a->held_then[place]) : 0.0;
}

COND_DEVICE void cond_coarse_keep_item(const CondCoarseView* a, int place)
{
    a->held_then[place] = a->held[place];
}

// ---- Galerkin sums: column m of a block of 6x6

COND_DEVICE void cond_coarse_store(const CondCoarseView* a, int block, int m, const double* M)
{
    int row = a->block_row[block], column = a->level_column[block];
    for (int r = 0; r < 6; r++) {
        if (a->dense)
            a->matrix[(ptrdiff_t)(6 * row + r) * a->stride + 6 * column + m] = M[r];
        else if (row == column)
            a->own[(ptrdiff_t)36 * row + 6 * r + m] = M[r];
        else
            a->level_A[(ptrdiff_t)36 * block + 6 * m + r] = (float)M[r];
    }
}

// Of the first level, from the blocks of the nodes: sum P_i' H_ij P_j.
COND_DEVICE void cond_coarse_first_item(const CondCoarseView* a, int item)
{
    int block = item / 6, m = item % 6;
    double M[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    if (!a->due[a->block_row[block]])
        return;
    for (int k = a->fine_begin[block]; k < a->fine_begin[block + 1]; k++) {
        int i = a->fine[k].row, at = a->fine[k].at, j = a->column[at];
        const double* H = i == j ? a->B + (ptrdiff_t)9 * i : a->A + (ptrdiff_t)9 * at;
        const float* to = a->rows + (ptrdiff_t)24 * a->rank[i];
        const float* from = a->rows + (ptrdiff_t)24 * a->rank[j] + m;
        double p0 = (double)from[0], p1 = (double)from[8], p2 = (double)from[16];
        double w0 = H[0] * p0 + H[1] * p1 + H[2] * p2;
        double w1 = H[3] * p0 + H[4] * p1 + H[5] * p2;
        double w2 = H[6] * p0 + H[7] * p1 + H[8] * p2;
        for (int r = 0; r < 6; r++)
            M[r] += (double)to[r] * w0 + (double)to[8 + r] * w1 + (double)to[16 + r] * w2;
    }
    cond_coarse_store(a, block, m, M);
}

// Of a level above: sum P_i' V_ij P_j with P = [1, -[a]x; 0, ratio] of arms a.
COND_DEVICE void cond_coarse_next_item(const CondCoarseView* a, int item)
{
    int block = item / 6, m = item % 6, c = m % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
    double M[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    for (int k = a->fine_begin[block]; k < a->fine_begin[block + 1]; k++) {
        int at = a->fine[k].at;
        const float* V = a->fine_A + (ptrdiff_t)36 * at;
        const float* ai = a->arm + (ptrdiff_t)3 * a->fine[k].row;
        const float* aj = a->arm + (ptrdiff_t)3 * a->fine_column[at];
        double N[6]; // column m of V P_j
        for (int r = 0; r < 6; r++)
            N[r] = m < 3 ? (double)V[6 * m + r]
                         : (double)aj[c1] * (double)V[6 * c2 + r] -
                               (double)aj[c2] * (double)V[6 * c1 + r] +
                               a->ratio * (double)V[6 * m + r];
        double a0 = (double)ai[0], a1 = (double)ai[1], a2 = (double)ai[2];
        M[0] += N[0];
        M[1] += N[1];
        M[2] += N[2];
        M[3] += a1 * N[2] - a2 * N[1] + a->ratio * N[3];
        M[4] += a2 * N[0] - a0 * N[2] + a->ratio * N[4];
        M[5] += a0 * N[1] - a1 * N[0] + a->ratio * N[5];
    }
    cond_coarse_store(a, block, m, M);
}

// x = L'^-1 L^-1 x, L the lower triangle.
COND_DEVICE void cond_coarse_solve6(const double* L, double* x)
{
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < i; j++)
            x[i] -= L[6 * i + j] * x[j];
        x[i] /= L[6 * i + i];
    }
    for (int i = 5; i >= 0; i--) {
        for (int j = i + 1; j < 6; j++)
            x[i] -= L[6 * j + i] * x[j];
        x[i] /= L[6 * i + i];
    }
}

// The block on the diagonal of a row: shifted slightly, and inverted; NAN if it is not positive
// definite.
COND_DEVICE void cond_coarse_invert_item(const CondCoarseView* a, int row)
{
    double L[36], trace = 0.0;
    const double* M = a->own + (ptrdiff_t)36 * row;
    int bad = 0, at = a->level_begin[row];
    while (a->level_column[at] != row)
        at++;
    for (int k = 0; k < 6; k++)
        trace += M[7 * k];
    double lift = trace > 0.0 ? COND_SINGLE_PRECISION * trace : 1.0;
    for (int e = 0; e < 6 * 6; e++)
        L[e] = M[e] + (e % 7 == 0 ? lift : 0.0);
    for (int e = 0; e < 6 * 6; e++)
        a->level_A[(ptrdiff_t)36 * at + 6 * (e % 6) + e / 6] = (float)L[e];
    for (int j = 0; j < 6; j++) {
        double d = L[7 * j];
        for (int k = 0; k < j; k++)
            d -= L[6 * j + k] * L[6 * j + k];
        bad |= !(d > 0.0);
        d = sqrt(d);
        L[7 * j] = d;
        for (int i = j + 1; i < 6; i++) {
            double e = L[6 * i + j];
            for (int k = 0; k < j; k++)
                e -= L[6 * i + k] * L[6 * j + k];
            L[6 * i + j] = e / d;
        }
    }
    bad |= !(trace - trace == 0.0);
    for (int j = 0; j < 6; j++) {
        double x[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
        x[j] = 1.0;
        cond_coarse_solve6(L, x);
        for (int i = 0; i < 6; i++)
            a->level_D[(ptrdiff_t)36 * row + 6 * j + i] = bad ? NAN : (float)x[i];
    }
}

// ---- the largest eigenvalue of D A by powers

COND_DEVICE void cond_coarse_start_item(const CondCoarseView* a, int item)
{
    int i = item / 8, k = item % 8; // no symmetry of the mesh
    a->to[item] = k < 6 ? 1.0F + 0.5F * (float)((7 * i + 3 * k) % 11) : 0.0F;
}

// to = A from
COND_DEVICE void cond_coarse_multiply_item(const CondCoarseView* a, int item)
{
    int i = item / 8, m = item % 8;
    float sum = 0.0F;
    for (int k = a->level_begin[i]; k < a->level_begin[i + 1] && m < 6; k++) {
        const float* V = a->level_A + (ptrdiff_t)36 * k + m;
        const float* x = a->from + (ptrdiff_t)8 * a->level_column[k];
        for (int c = 0; c < 6; c++)
            sum += V[6 * c] * x[c];
    }
    a->to[item] = sum;
}

// to = D from
COND_DEVICE void cond_coarse_relax_item(const CondCoarseView* a, int item)
{
    int i = item / 8, m = item % 8;
    float sum = 0.0F;
    for (int c = 0; c < 6 && m < 6; c++)
        sum += a->level_D[(ptrdiff_t)36 * i + 6 * c + m] * a->from[(ptrdiff_t)8 * i + c];
    a->to[item] = sum;
}

COND_DEVICE double cond_coarse_square_term(const CondCoarseView* a, int item)
{
    return (double)a->from[item] * (double)a->from[item];
}

// ---- joins (soft/soft_packed.h) in the matrix of a few groups

typedef struct CondJoinView {
    CondCoarseView coarse;
    int n_join, n_cell;
    const int *size, *gain_begin;      // rows of each, where its K begins
    const double* gain;                // K
    const int* share;                  // node, join and place of the Jacobian   (3 n_share)
    const float* share_value;          //
    const int *cell_begin, *cell_row;  // as CondSoftPacked has them             (n_cell + 1)
    const int* cell_group;             //                                        (n_cell)
    const int* group_cell;             // first cell of each group               (n_group + 1)
    const int *join_begin, *join_cell; // cells of each join        (n_join + 1), (n_cell)
    double *Y, *KY;                    // G P of each cell, and K times that      (36 n_cell)
    double* gain_then;                 // trace of K at the last build           (n_join)
} CondJoinView;

COND_DEVICE void cond_join_move_item(const CondJoinView* a, int cell)
{
    int wide = a->cell_row[cell + 1] - a->cell_row[cell];
    int join = a->share[3 * a->cell_begin[cell] + 1], n = a->size[join];
    const double* K = a->gain + a->gain_begin[join];
    double *Y = a->Y + (ptrdiff_t)36 * cell, *KY = a->KY + (ptrdiff_t)36 * cell;
    for (int e = 0; e < 6 * n; e++) {
        double sum = 0.0;
        for (int s = a->cell_begin[cell]; s < a->cell_begin[cell + 1]; s++) {
            const float* G = a->share_value + a->share[3 * s + 2];
            const float* rows = a->coarse.rows + (ptrdiff_t)24 * a->share[3 * s];
            for (int k = 0; k < 3; k++)
                sum += (double)G[k * wide + e / 6] * (double)rows[8 * k + e % 6];
        }
        Y[e] = sum;
    }
    for (int e = 0; e < 6 * n; e++) {
        double sum = 0.0;
        for (int c = 0; c < n; c++)
            sum += K[e / 6 * n + c] * Y[6 * c + e % 6];
        KY[e] = sum;
    }
}

// Column m of the block of two groups: sum Y_a' K Y_b of the joins that have cells in both.
COND_DEVICE void cond_join_add_item(const CondJoinView* a, int item)
{
    int m = item % 6, g = item / 6 / a->coarse.n_group, h = item / 6 % a->coarse.n_group;
    double M[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    for (int c = a->group_cell[g]; c < a->group_cell[g + 1]; c++) {
        int join = a->share[3 * a->cell_begin[c] + 1], n = a->size[join];
        const double* Y = a->Y + (ptrdiff_t)36 * c;
        for (int k = a->join_begin[join]; k < a->join_begin[join + 1]; k++) {
            const double* KY = a->KY + (ptrdiff_t)36 * a->join_cell[k] + m;
            if (a->cell_group[a->join_cell[k]] != h)
                continue;
            for (int r = 0; r < n; r++)
                for (int i = 0; i < 6; i++)
                    M[i] += Y[6 * r + i] * KY[6 * r];
        }
    }
    for (int i = 0; i < 6; i++)
        a->coarse.matrix[(ptrdiff_t)(6 * g + i) * a->coarse.stride + 6 * h + m] += M[i];
}

COND_DEVICE double cond_join_trace(const CondJoinView* a, int join)
{
    double sum = 0.0;
    for (int i = 0; i < a->size[join]; i++)
        sum += a->gain[a->gain_begin[join] + i * (a->size[join] + 1)];
    return sum;
}

// 1 where the gain of a join has changed a lot.
COND_DEVICE double cond_join_change_term(const CondJoinView* a, int join)
{
    double now = cond_join_trace(a, join), then = a->gain_then[join];
    return now > 2.0 * then || then > 2.0 * now;
}

COND_DEVICE void cond_join_keep_item(const CondJoinView* a, int join)
{
    a->gain_then[join] = cond_join_trace(a, join);
}

COND_KERNEL(cond_coarse_middles, CondCoarseView, cond_coarse_middle_item)
COND_MOST_KERNEL(cond_coarse_sizes, CondCoarseView, cond_coarse_size_term)
COND_KERNEL(cond_coarse_places, CondCoarseView, cond_coarse_place_item)
COND_KERNEL(cond_coarse_cuts, CondCoarseView, cond_coarse_cut_item)
COND_KERNEL(cond_coarse_list_skew, CondCoarseView, cond_coarse_list_skew_item)
COND_KERNEL(cond_coarse_gather_skew, CondCoarseView, cond_coarse_gather_skew_item)
COND_KERNEL(cond_coarse_moves, CondCoarseView, cond_coarse_move_item)
COND_KERNEL(cond_coarse_near, CondCoarseView, cond_coarse_near_item)
COND_SUM_KERNEL(cond_coarse_due, CondCoarseView, cond_coarse_due_term)
COND_SUM_KERNEL(cond_coarse_changes, CondCoarseView, cond_coarse_change_term)
COND_KERNEL(cond_coarse_keeps, CondCoarseView, cond_coarse_keep_item)
COND_KERNEL(cond_coarse_first, CondCoarseView, cond_coarse_first_item)
COND_KERNEL(cond_coarse_next, CondCoarseView, cond_coarse_next_item)
COND_KERNEL(cond_coarse_invert, CondCoarseView, cond_coarse_invert_item)
COND_KERNEL(cond_coarse_start, CondCoarseView, cond_coarse_start_item)
COND_KERNEL(cond_coarse_multiply, CondCoarseView, cond_coarse_multiply_item)
COND_KERNEL(cond_coarse_relax, CondCoarseView, cond_coarse_relax_item)
COND_SUM_KERNEL(cond_coarse_squares, CondCoarseView, cond_coarse_square_term)
COND_KERNEL(cond_join_moves, CondJoinView, cond_join_move_item)
COND_KERNEL(cond_join_adds, CondJoinView, cond_join_add_item)
COND_SUM_KERNEL(cond_join_changes, CondJoinView, cond_join_change_term)
COND_KERNEL(cond_join_keeps, CondJoinView, cond_join_keep_item)

#endif
