#include "base/parallel.h"
#include "linear/block6.h"
#include "linear/cholesky.h"
#include "math/eigen.h"
#include "math/vec3.h"
#include "solve/multilevel_part.h"

#include <math.h>
#include <string.h>

static const double HELD = 10.0;         // a tie this many times as stiff as the node holds it
static const double SHIFT = 1e-6;        // on coarse diagonals: rotations of a group of two nodes
static const double SAFETY = 1.15;       // on the largest eigenvalue found by powers
static const double CHANGE = 0.2;        // of a tie, below which what was built with it stays
static const double DAMPING = 4.0 / 3.0; // of a smoother, over the largest eigenvalue
enum {
    POWERS = 7, // steps of the power method
    PART = 64,  // nodes of a partial sum
};

#define INLINE static inline __attribute__((always_inline))

// The body of a node of level 0.
static const CondLevelBody* body_of(const CondMultilevel* multi, int i)
{
    int b = 0, end = multi->n_body;
    while (end - b > 1) {
        int middle = (b + end) / 2;
        if (multi->body[middle].first <= i)
            b = middle;
        else
            end = middle;
    }
    return &multi->body[b];
}

static const double* diagonal_block(const CondLevelBody* body, int i)
{
    const CondBlock* block = body->block;
    int row = i - body->first;
    for (int k = block->row_begin[row]; k < block->row_begin[row + 1]; k++)
        if (block->column[k] == row)
            return block->values + 9 * (size_t)k;
    return NULL; // not in a matrix that was checked
}

static const double* place_of(const CondMultilevel* multi, const CondLevel* level, int i)
{
    if (level->place)
        return level->place + 3 * (size_t)i;
    const CondLevelBody* body = body_of(multi, i);
    return body->block->position + 3 * (size_t)(i - body->first);
}

// Centres and size of the groups, which are the places of the nodes of the next level, and the
// nodes' arms.
static void place_groups(const CondMultilevel* multi, CondLevel* fine)
{
    CondLevel* coarse = fine + 1;
    double sum = 0.0;
    for (int g = 0; g < fine->n_group; g++) {
        int first = fine->member_begin[g], last = fine->member_begin[g + 1];
        double centre[3] = {0.0};
        for (int m = first; m < last; m++)
            for (int k = 0; k < 3; k++)
                centre[k] += place_of(multi, fine, fine->member[m])[k] / (last - first);
        memcpy(coarse->place + 3 * (size_t)g, centre, sizeof centre);
        for (int m = first; m < last; m++)
            for (int k = 0; k < 3; k++) {
                double d = place_of(multi, fine, fine->member[m])[k] - centre[k];
                sum += d * d;
            }
    }
    coarse->length = sqrt(sum / fine->n_node);
    if (!(coarse->length > 0.0))
        coarse->length = 1.0;
    fine->ratio = (float)(fine->length / coarse->length);
    for (int m = 0; m < fine->n_node; m++) {
        const double* x = place_of(multi, fine, fine->member[m]);
        const double* c = coarse->place + 3 * (size_t)fine->group[fine->member[m]];
        for (int k = 0; k < 3; k++)
            fine->arm[3 * (size_t)m + (size_t)k] = (float)((x[k] - c[k]) / coarse->length);
    }
}

// A symmetric 3x3 matrix and its six numbers.
static void keep(const double* S, float* out)
{
    for (int k = 0; k < 6; k++)
        out[k] = (float)S[(int[]){0, 1, 2, 4, 5, 8}[k]];
}

static void take(const float* S, double* out)
{
    for (int k = 0; k < 9; k++)
        out[k] = (double)S[(int[]){0, 1, 2, 1, 3, 4, 2, 4, 5}[k]];
}

typedef struct TieLoop {
    CondMultilevel* multi;
    const double* tied;
} TieLoop;

enum { CHANGED = 4 }; // beside the state of a node

// Splits the ties of the nodes: directions that are held are cut from P, the rest is `soft`. Nodes
// whose tie differs from the one they were split by are marked.
static void take_ties(const void* loop, int first, int last)
{
    CondMultilevel* multi = ((const TieLoop*)loop)->multi;
    for (int m = first; m < last; m++) {
        int i = multi->level[0].member[m];
        const double* tied = ((const TieLoop*)loop)->tied + 9 * (size_t)i;
        double old[9], T[9], w[3], Q[9], change = 0.0, size = 0.0;
        take(multi->tied + 6 * (size_t)m, old);
        for (int e = 0; e < 9; e++) {
            change += (tied[e] - old[e]) * (tied[e] - old[e]);
            size += old[e] * old[e];
        }
        // A tie that is stronger by a little holds as well.
        if (!multi->fresh && !(change > CHANGE * CHANGE * size))
            continue;
        const double* A = diagonal_block(body_of(multi, i), i);
        double scale = (A[0] + A[4] + A[8]) / 3.0, most = 0.0;
        double part[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, soft[9] = {0.0};
        int held = 0;
        for (int e = 0; e < 9; e++) {
            T[e] = tied[e] - A[e];
            most = fmax(most, fabs(T[e]));
        }
        if (most > 1e-12 * scale) {
            cond_eigen_symmetric(3, T, w, Q);
            for (int e = 0; e < 3; e++) {
                held += w[e] > HELD * scale;
                for (int a = 0; a < 3; a++)
                    for (int b = 0; b < 3; b++) {
                        double qq = Q[3 * a + e] * Q[3 * b + e];
                        if (w[e] > HELD * scale)
                            part[3 * a + b] -= qq;
                        else
                            soft[3 * a + b] += fmax(w[e], 0.0) * qq;
                    }
            }
        }
        keep(tied, multi->tied + 6 * (size_t)m);
        keep(part, multi->part + 6 * (size_t)m);
        keep(soft, multi->soft + 6 * (size_t)m);
        multi->state[m] = held == 0 ? COND_NODE_FREE : held == 3 ? COND_NODE_HELD : COND_NODE_CUT;
        multi->state[m] += CHANGED;
    }
}

// The groups whose rows nodes with changed ties have a part in.
static void find_due(CondMultilevel* multi)
{
    const int* group = multi->level[0].group;
    for (int m = 0; m < multi->level[0].n_node; m++) {
        if (multi->state[m] < CHANGED)
            continue;
        multi->state[m] -= CHANGED;
        multi->n_due++;
        if (multi->fresh)
            continue;
        int i = multi->level[0].member[m];
        const CondLevelBody* body = body_of(multi, i);
        const CondBlock* block = body->block;
        int row = i - body->first;
        for (int k = block->row_begin[row]; k < block->row_begin[row + 1]; k++)
            multi->due[group[body->first + block->column[k]]] = 1;
    }
    for (int g = 0; g < multi->level[0].n_group && multi->fresh; g++)
        multi->due[g] = 1;
}

// S += P_j' V P_i with V (w x w), P = [1, (a x)'; 0, ratio] of arms a.                   S (6 x 6)
INLINE void add_block(const int w, const double* V, const float* ai, const float* aj, double ratio,
                      double* S)
{
    double N[36]; // V P_i
    for (int r = 0; r < w; r++) {
        const double* v = V + (ptrdiff_t)w * r;
        double* n = N + (ptrdiff_t)6 * r;
        n[0] = v[0];
        n[1] = v[1];
        n[2] = v[2];
        n[3] = (double)ai[1] * v[2] - (double)ai[2] * v[1];
        n[4] = (double)ai[2] * v[0] - (double)ai[0] * v[2];
        n[5] = (double)ai[0] * v[1] - (double)ai[1] * v[0];
        for (int k = 3; k < w; k++)
            n[k] += ratio * v[k];
    }
    double a0 = (double)aj[0], a1 = (double)aj[1], a2 = (double)aj[2];
    for (int c = 0; c < 6; c++) {
        double n0 = N[c], n1 = N[6 + c], n2 = N[12 + c];
        S[c] += n0;
        S[6 + c] += n1;
        S[12 + c] += n2;
        S[18 + c] += a1 * n2 - a2 * n1;
        S[24 + c] += a2 * n0 - a0 * n2;
        S[30 + c] += a0 * n1 - a1 * n0;
        for (int r = 3; r < w; r++)
            S[6 * r + c] += ratio * N[6 * r + c];
    }
}

static int column_of(const CondLevel* level, int g, int h)
{
    int at = level->row_begin[g];
    while (level->column[at] != h)
        at++;
    return at - level->row_begin[g];
}

// V = (A_ij + soft)' between what is not held of two members.
static void cut_block(const CondMultilevel* multi, const double* A, int i, int j, double* V)
{
    double S[9], B[9];
    memcpy(B, A, sizeof B);
    if (i == j) {
        take(multi->soft + 6 * (size_t)i, S);
        for (int e = 0; e < 9; e++)
            B[e] += S[e];
    }
    if (multi->state[i] == COND_NODE_CUT) {
        double old[9];
        memcpy(old, B, sizeof old);
        take(multi->part + 6 * (size_t)i, S);
        mat3_product(S, old, B);
    }
    if (multi->state[j] == COND_NODE_CUT) {
        double old[9];
        memcpy(old, B, sizeof old);
        take(multi->part + 6 * (size_t)j, S);
        mat3_product(old, S, B);
    }
    for (int e = 0; e < 9; e++)
        V[e] = B[3 * (e % 3) + e / 3];
}

// What a member of level 0 adds to the row of its group, blocks by columns.
INLINE void add_node(const CondMultilevel* multi, int m, double* row)
{
    const CondLevel *fine = multi->level, *coarse = fine + 1;
    int i = fine->member[m], h = -1, at = 0;
    const CondLevelBody* body = body_of(multi, i);
    const CondBlock* block = body->block;
    const int* begin = block->row_begin + (i - body->first);
    if (multi->state[m] == COND_NODE_HELD)
        return;
    for (int k = begin[0]; k < begin[1]; k++) {
        int j = body->first + block->column[k], other = fine->slot[j];
        double V[9];
        if (multi->state[other] == COND_NODE_HELD)
            continue;
        if (fine->group[j] != h) {
            h = fine->group[j];
            at = column_of(coarse, fine->group[i], h);
        }
        cut_block(multi, block->values + 9 * (size_t)k, m, other, V);
        add_block(3, V, fine->arm + 3 * (size_t)m, fine->arm + 3 * (size_t)other, 0.0,
                  row + 36 * (size_t)at);
    }
}

// The same for a node of a coarse level.
INLINE void add_coarse_node(const CondLevel* fine, int m, double* row)
{
    int i = fine->member[m];
    for (int k = fine->row_begin[i]; k < fine->row_begin[i + 1]; k++) {
        int j = fine->column[k], at = column_of(fine + 1, fine->group[i], fine->group[j]);
        double V[36];
        for (int e = 0; e < 36; e++)
            V[e] = (double)fine->A[36 * (size_t)k + (size_t)e];
        add_block(6, V, fine->arm + 3 * (size_t)m, fine->arm + 3 * (size_t)fine->slot[j],
                  (double)fine->ratio, row + 36 * (size_t)at);
    }
}

// Inverse of a block on the diagonal, symmetric, in D; NAN where it is not positive definite. The
// block is lifted a little first: a group may have motions that move none of its nodes, such as
// rotations of one or two nodes, or of nodes all held.
static void lift_and_invert(double* block, float* D)
{
    double L[36], trace = 0.0;
    for (int k = 0; k < 6; k++)
        trace += block[7 * k];
    for (int k = 0; k < 6; k++)
        block[7 * k] += trace > 0.0 ? SHIFT * trace : 1.0;
    memcpy(L, block, sizeof L);
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

typedef struct Build {
    CondMultilevel* multi;
    int l; // the level that is made
    double value;
} Build;

// Rows of P' A P of the groups that are due.
INLINE void coarsen(const Build* build, int rank, int first, int last)
{
    const CondMultilevel* multi = build->multi;
    const CondLevel *coarse = &multi->level[build->l], *fine = coarse - 1;
    double* row = multi->row + (size_t)rank * (size_t)multi->n_row;
    for (int g = first; g < last; g++) {
        size_t begin = 36 * (size_t)coarse->row_begin[g];
        size_t size = 36 * (size_t)coarse->row_begin[g + 1] - begin;
        if (build->l == 1 && !multi->due[g])
            continue;
        memset(row, 0, size * sizeof *row);
        for (int m = fine->member_begin[g]; m < fine->member_begin[g + 1]; m++)
            if (build->l == 1)
                add_node(multi, m, row);
            else
                add_coarse_node(fine, m, row);
        lift_and_invert(row + 36 * (size_t)column_of(coarse, g, g), coarse->D + 36 * (size_t)g);
        for (size_t k = 0; k < size; k++)
            coarse->A[begin + k] = (float)row[k];
    }
}

// The same loop for each processor. No fused operations: all give the same bits.
static void coarsen_generic(const Build* build, int rank, int first, int last)
{
    coarsen(build, rank, first, last);
}

#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx2"))) static void coarsen_avx2(const Build* build, int rank, int first,
                                                         int last)
{
    coarsen(build, rank, first, last);
}
#endif

static void make_rows(const Build* build, int rank, int first, int last)
{
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx2")) {
        coarsen_avx2(build, rank, first, last);
        return;
    }
#endif
    coarsen_generic(build, rank, first, last);
}

static double add_parts(int n, const double* sum)
{
    double total = 0.0;
    for (int k = 0; k < n; k++)
        total += sum[k];
    return total;
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

// The rows, and the largest eigenvalue of D A by the power method, from a fixed start.
static void make_level(void* data, CondTeam* team, int rank, int size)
{
    Build* build = data;
    const CondMultilevel* multi = build->multi;
    const CondLevel* level = &multi->level[build->l];
    const CondBlock6Kernel* kernel = cond_block6_kernel();
    CondBlock6Rows A = {level->row_begin, level->column, level->A};
    int n = level->n_node, parts = (n + PART - 1) / PART;
    int first_part = cond_team_first(parts, rank, size);
    int last_part = cond_team_first(parts, rank + 1, size);
    int first = PART * first_part, last = PART * last_part < n ? PART * last_part : n;
    float *x = level->x, *y = level->y;
    // Two sets of sums in turn: one is written while a slower thread still reads the other.
    double *sum = multi->sum, *next = multi->sum + parts, total = 0.0;
    make_rows(build, rank, cond_team_first(n, rank, size), cond_team_first(n, rank + 1, size));
    for (int i = first; i < last; i++)
        for (int k = 0; k < 8; k++) // no symmetry of the mesh
            x[8 * (ptrdiff_t)i + k] = k < 6 ? 1.0F + 0.5F * (float)((7 * i + 3 * k) % 11) : 0.0F;
    sum_squares(level, x, first_part, last_part, sum);
    cond_team_wait(team, size);
    for (int step = 0; step <= POWERS; step++) {
        total = sqrt(add_parts(parts, sum));
        if (step == POWERS || !isfinite(total) || !(total > 0.0))
            break;
        kernel->residual(&A, x, NULL, y, first, last);
        kernel->relax(level->D, NULL, y, (float)(-1.0 / total), y, first, last);
        sum_squares(level, y, first_part, last_part, next);
        cond_team_wait(team, size);
        float* kept = x;
        x = y;
        y = kept;
        double* turn = sum;
        sum = next;
        next = turn;
    }
    if (rank == 0)
        build->value = total;
}

static CondStatus build_level(CondMultilevel* multi, int l)
{
    CondLevel* level = &multi->level[l];
    Build build = {multi, l, 0.0};
    size_t work = 36 * (size_t)level->row_begin[level->n_node];
    int threads = cond_threads(work, multi->threads);
    cond_team(threads < multi->n_team ? threads : multi->n_team, make_level, &build);
    if (!isfinite(build.value))
        return COND_DIVERGED;
    level->step = (float)(DAMPING / fmax(1.0, SAFETY * build.value));
    return COND_OK;
}

static CondStatus factor_coarsest(CondMultilevel* multi)
{
    const CondLevel* level = &multi->level[multi->n_level - 1];
    size_t n = 6 * (size_t)level->n_node;
    memset(multi->factor, 0, n * n * sizeof *multi->factor);
    for (int i = 0; i < level->n_node; i++)
        for (int k = level->row_begin[i]; k < level->row_begin[i + 1]; k++)
            for (size_t e = 0; e < 36; e++)
                multi->factor[(6 * (size_t)i + e % 6) * n + 6 * (size_t)level->column[k] + e / 6] =
                    (double)level->A[36 * (size_t)k + e];
    return cond_cholesky_factor((int)n, multi->factor) ? COND_DIVERGED : COND_OK;
}

CondStatus cond_multilevel_build(CondMultilevel* multi, const double* tied, const int* rank)
{
    CondLevel* top = multi->level;
    TieLoop loop = {multi, tied};
    memset(multi->due, 0, (size_t)top->n_group * sizeof *multi->due);
    multi->n_due = 0;
    if (multi->fresh) {
        memset(multi->state, 0, (size_t)top->n_node * sizeof *multi->state);
        for (int m = 0; m < top->n_node; m++)
            multi->packed[m] = 4 * rank[top->member[m]];
        top->length = 0.0;
        for (int l = 0; l + 1 < multi->n_level; l++)
            place_groups(multi, &multi->level[l]);
    }
    cond_parallel(top->n_node, cond_threads(9 * (size_t)top->n_node, multi->threads), take_ties,
                  &loop);
    find_due(multi);
    if (multi->n_due == 0)
        return COND_OK;
    CondStatus status = COND_OK;
    for (int l = 1; l < multi->n_level && !status; l++)
        status = build_level(multi, l);
    if (!status)
        status = factor_coarsest(multi);
    multi->fresh = status != COND_OK;
    return status;
}
