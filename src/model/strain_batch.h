// Four integration points of co-rotational elements at a time: of four linear tetrahedra, or of one
// quadratic one. The operations are those of strain_corotational.c, which explains formulas and
// names, so that both give the same bits. Rare cases are left to that file: shapes close to
// singular, and policies that need principal axes.
#ifndef COND_MODEL_STRAIN_BATCH_H
#define COND_MODEL_STRAIN_BATCH_H

#include "base/lanes.h"
#include "base/tuning.h"
#include "math/polar.h"
#include "math/tuning.h"
#include "model/strain.h"
#include "model/tuning.h"

#include <float.h>

typedef struct CondStrainBatch {
    CondLanes F[9];         // deformation gradients, by the caller
    CondLanes theta;        // tr(S) - 3, by measure
    CondLanes pressure;     // by the caller, once theta is known
    CondLanes R[9], S[9];   // by measure
    CondLanes sigma[9];     // by evaluate
    CondLanes P[9], energy; // by evaluate; energy density without the part of theta
    CondLanes volume, mu;   // by the caller
    CondLanes lambda, k, g; // the lambda in K; scales of K and E
} CondStrainBatch;

// 1 if the batch supports the policy.
static inline int cond_strain_batch_serves(CondFemMaterialKind kind, CondFemGeometric geometric)
{
    return kind == COND_FEM_COROTATIONAL && geometric != COND_FEM_GEOMETRIC_CLAMPED &&
           geometric != COND_FEM_GEOMETRIC_PROJECTED;
}

COND_LANES_INLINE void batch_cross(const CondLanes a[3], const CondLanes b[3], CondLanes c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

#define BATCH_DOT(a, b) ((a)[0] * (b)[0] + (a)[1] * (b)[1] + (a)[2] * (b)[2])

COND_LANES_INLINE void batch_product(const CondLanes A[9], const CondLanes B[9], CondLanes C[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}

COND_LANES_INLINE void batch_norm2(const CondLanes X[9], CondLanes* sum)
{
    *sum = (CondLanes){0.0};
    for (int i = 0; i < 9; i++)
        *sum += X[i] * X[i];
}

COND_LANES_INLINE void batch_cofactors(const CondLanes X[9], CondLanes C[9])
{
    batch_cross(X + 3, X + 6, C);
    batch_cross(X + 6, X, C + 3);
    batch_cross(X, X + 3, C + 6);
}

// X <- its rotation by Newton's iteration, as polar_newton; a converged lane does not change while
// the others continue. Lanes for which the iteration fails are marked in *rare.
COND_LANES_INLINE void batch_polar(CondLanes X[9], CondLaneMask* rare)
{
    CondLaneMask busy = {-1, -1, -1, -1}, in_range = busy, some = {0};
    for (int i = 0; i < 9; i++) {
        CondLanes size = X[i];
        cond_lanes_abs(&size);
        in_range &= size < 1e30; // NaN is not
        some |= size > 1e-30;
    }
    in_range &= some;
    busy &= in_range;
    CondLanes change2 = {1.0, 1.0, 1.0, 1.0};
    for (int step = 0; step < COND_QUADRATIC_STEPS && cond_lanes_any(&busy); step++) {
        CondLanes C[9], size2, norm2, g, one = {1.0, 1.0, 1.0, 1.0};
        batch_cofactors(X, C);
        CondLanes det = BATCH_DOT(X, C);
        batch_norm2(X, &size2);
        CondLanes mean2 = size2 / 3.0;
        if (step == 0)
            busy &= (det > 0.0) & (det * det > COND_POLAR_REGULAR * mean2 * mean2 * mean2);
        in_range = step == 0 ? busy : in_range;
        CondLaneMask far = change2 > COND_POLAR_FAR;
        g = one;
        if (cond_lanes_any(&far)) {
            batch_norm2(C, &norm2);
            CondLanes ratio = norm2 / size2;
            cond_lanes_sqrt(&ratio);
            ratio = ratio / det;
            cond_lanes_sqrt(&ratio);
            g = COND_LANES_SELECT(far, ratio, one);
        }
        CondLanes of_X = 0.5 * g, of_C = 0.5 / (g * det), change = {0.0};
        for (int i = 0; i < 9; i++) {
            CondLanes next = of_X * X[i] + of_C * C[i];
            change += (next - X[i]) * (next - X[i]);
            X[i] = COND_LANES_SELECT(busy, next, X[i]);
        }
        change2 = COND_LANES_SELECT(busy, change, change2);
        busy &= ~((change2 < DBL_EPSILON) & (g == 1.0));
    }
    *rare = ~in_range | busy;
}

COND_LANES_INLINE void cond_strain_batch_measure(CondStrainBatch* batch, CondLaneMask* rare)
{
    CondLanes *R = batch->R, *F = batch->F, trace = {0.0};
    for (int i = 0; i < 9; i++)
        R[i] = F[i];
    batch_polar(R, rare);
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++) {
            CondLanes sij = {0.0}, sji = {0.0};
            for (int k = 0; k < 3; k++) {
                sij += R[3 * k + i] * F[3 * k + j];
                sji += R[3 * k + j] * F[3 * k + i];
            }
            batch->S[3 * i + j] = batch->S[3 * j + i] = 0.5 * (sij + sji);
        }
    for (int i = 0; i < 3; i++)
        trace += batch->S[4 * i] - 1.0;
    batch->theta = trace;
}

COND_LANES_INLINE void cond_strain_batch_evaluate(CondStrainBatch* batch)
{
    CondLanes square = {0.0}, none = {0.0};
    for (int i = 0; i < 9; i++) {
        CondLanes e = batch->S[i] - (i % 4 == 0 ? 1.0 : 0.0);
        square += e * e;
        batch->sigma[i] = 2.0 * batch->mu * e + (i % 4 == 0 ? batch->pressure : none);
    }
    batch->energy = batch->mu * square;
    batch_product(batch->R, batch->sigma, batch->P);
}

// h_a = Q g_a of n nodes, the first minus the sum of the others.
COND_LANES_INLINE void cond_strain_batch_gradients(int n, const CondLanes* g, const CondLanes Q[9],
                                                   CondLanes h[][3])
{
    for (int i = 0; i < 3; i++) {
        CondLanes sum = {0.0};
        for (int a = 1; a < n; a++) {
            h[a][i] = BATCH_DOT(Q + 3 * i, g + 3 * a - 3);
            sum = a == 1 ? h[a][i] : sum + h[a][i];
        }
        h[0][i] = -sum;
    }
}

// f_a = -V P g_a of n nodes, the first minus the sum of the others.
COND_LANES_INLINE void cond_strain_batch_forces(int n, const CondStrainBatch* batch,
                                                const CondLanes* g, CondLanes* f)
{
    for (int i = 0; i < 3; i++) {
        CondLanes sum = {0.0};
        for (int a = 1; a < n; a++) {
            f[3 * a + i] = -batch->volume * BATCH_DOT(batch->P + 3 * i, g + 3 * a - 3);
            sum = a == 1 ? f[3 * a + i] : sum + f[3 * a + i];
        }
        f[i] = -sum;
    }
}

COND_LANES_INLINE void batch_elastic(const CondStrainBatch* batch, int n, CondLanes h[][3],
                                     CondLanes* S)
{
    CondLanes scale = batch->k * batch->volume, lambda = scale * batch->lambda;
    CondLanes mu = scale * batch->mu;
    for (int a = 0; a < n; a++)
        for (int b = a; b < n; b++) {
            CondLanes *B = S + cond_strain_block(n, a, b), P[9];
            for (int i = 0; i < 9; i++)
                P[i] = h[a][i / 3] * h[b][i % 3];
            CondLanes shear = mu * (P[0] + P[4] + P[8]);
            for (int i = 0; i < 3; i++) {
                for (int j = 0; j < 3; j++)
                    B[3 * i + j] = lambda * P[3 * i + j] + mu * P[3 * j + i];
                B[4 * i] += shear;
            }
        }
}

// Gamma by the inverse; lanes that need the principal axes are marked.
COND_LANES_INLINE void batch_spin_moduli(const CondStrainBatch* batch, CondLanes Gamma[9],
                                         CondLaneMask* rare)
{
    const CondLanes *S = batch->S, none = {0.0};
    CondLanes trace = S[0] + S[4] + S[8], T[9], C[9], RC[9];
    for (int i = 0; i < 9; i++)
        T[i] = (i % 4 == 0 ? trace - COND_STRETCH_SUM : none) - S[i];
    batch_cross(T + 3, T + 6, C);
    *rare |= ~((T[0] > 0.0) & (T[0] * T[4] - T[1] * T[3] > 0.0) & (BATCH_DOT(T, C) > 0.0));
    for (int i = 0; i < 3; i++)
        T[4 * i] += COND_STRETCH_SUM;
    batch_cofactors(T, C);
    CondLanes scale = (batch->pressure - 2.0 * batch->mu) / BATCH_DOT(T, C);
    batch_product(batch->R, C, RC);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            Gamma[3 * i + j] =
                (i == j ? batch->mu : none) + scale * BATCH_DOT(RC + 3 * i, batch->R + 3 * j);
}

// W_b = V Gamma [h_b], from which block (a, b) of G has the columns w x h_a.
COND_LANES_INLINE void batch_spin_columns(const CondLanes* volume, const CondLanes Gamma[9],
                                          const CondLanes h[3], CondLanes W[9])
{
    CondLanes none = {0.0};
    CondLanes X[9] = {none, -h[2], h[1], h[2], none, -h[0], -h[1], h[0], none};
    batch_product(Gamma, X, W);
    for (int i = 0; i < 9; i++)
        W[i] *= *volume;
}

COND_LANES_INLINE void batch_spin_block(const CondLanes W[9], const CondLanes h[3], int diagonal,
                                        CondLanes B[9])
{
    for (int j = 0; j < 3; j++) {
        CondLanes w0 = W[j], w1 = W[3 + j], w2 = W[6 + j];
        B[j] = w1 * h[2] - w2 * h[1];
        B[3 + j] = w2 * h[0] - w0 * h[2];
        B[6 + j] = w0 * h[1] - w1 * h[0];
    }
    if (diagonal) {
        B[3] = B[1];
        B[6] = B[2];
        B[7] = B[5];
    }
}

// S += g E with E from the column sums of G.
COND_LANES_INLINE void batch_add_column_sums(const CondLanes* g, int n, CondLanes* sum,
                                             CondLanes* S)
{
    CondLanes none = {0.0};
    for (int k = 0; k < 3; k++) {
        CondLanes total = {0.0};
        for (int a = 0; a < n; a++)
            total += sum[3 * a + k];
        CondLaneMask some = total > 0.0;
        for (int a = 0; a < n; a++)
            for (int b = a; b < n; b++) {
                CondLanes* at = S + cond_strain_block(n, a, b) + 4 * k;
                CondLanes with = *at + *g * ((a == b ? sum[3 * a + k] : none) -
                                             sum[3 * a + k] * sum[3 * b + k] / total);
                *at = COND_LANES_SELECT(some, with, *at);
            }
    }
}

COND_LANES_INLINE void batch_geometric(const CondStrainBatch* batch, int n, CondLanes h[][3],
                                       int bound, CondLanes* S, CondLaneMask* rare)
{
    CondLanes Gamma[9], W[COND_STRAIN_NODES][9], B[9], sum[3 * COND_STRAIN_NODES];
    batch_spin_moduli(batch, Gamma, rare);
    for (int b = 0; b < n; b++)
        batch_spin_columns(&batch->volume, Gamma, h[b], W[b]);
    for (int i = 0; i < 3 * n; i++)
        sum[i] = (CondLanes){0.0};
    for (int a = 0; a < n; a++)
        for (int b = a; b < n; b++) {
            CondLanes* at = S + cond_strain_block(n, a, b);
            batch_spin_block(W[b], h[a], a == b, B);
            for (int i = 0; i < 9 && !bound; i++)
                at[i] += batch->g * B[i];
            for (int i = 0; i < 9 && bound; i++) {
                cond_lanes_abs(B + i);
                sum[3 * b + i % 3] += B[i];
                if (a != b)
                    sum[3 * a + i / 3] += B[i];
            }
        }
    if (bound)
        batch_add_column_sums(&batch->g, n, sum, S);
}

// S = V (k K + g E) of n nodes with these gradients. Lanes marked in *rare are not computed.
COND_LANES_INLINE void cond_strain_batch_stiffen(const CondStrainBatch* batch, int n,
                                                 const CondLanes* gradient,
                                                 CondFemGeometric geometric, CondLanes* S,
                                                 CondLaneMask* rare)
{
    CondLanes h[COND_STRAIN_NODES][3];
    cond_strain_batch_gradients(n, gradient, batch->R, h);
    batch_elastic(batch, n, h, S);
    if (geometric >= COND_FEM_GEOMETRIC_BOUND)
        batch_geometric(batch, n, h, geometric == COND_FEM_GEOMETRIC_BOUND, S, rare);
}

#endif
