// Four co-rotational tetrahedra at a time, operation by operation as strain_corotational.c does
// one, so that both give the same bits. Formulas and names are explained there. What is rare stays
// there too: elements close to singular, and policies that need principal axes.
#ifndef COND_MODEL_STRAIN_BATCH_H
#define COND_MODEL_STRAIN_BATCH_H

#include "base/lanes.h"
#include "math/polar.h"
#include "model/strain.h"

typedef struct CondStrainBatch {
    CondLanes x[4][3];             // positions of the corners
    CondLanes gradient[9];         // Dm^-1
    CondLanes volume, lambda, mu;  //
    CondLanes k, g;                // scales of K and E
    CondLanes energy;              // out
    CondLanes f[12];               // out
    CondLanes S[COND_STRAIN_HALF]; // out
} CondStrainBatch;

// 1 where the policy can be had from a batch.
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

// X <- its rotation by Newton's iteration, as polar_newton; a lane that has arrived rests while the
// others go on. Lanes where that does not serve are marked in *rare.
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
    for (int step = 0; step < COND_POLAR_NEWTON_STEPS && cond_lanes_any(&busy); step++) {
        CondLanes C[9], size2, norm2, g, one = {1.0, 1.0, 1.0, 1.0};
        batch_cofactors(X, C);
        CondLanes det = BATCH_DOT(X, C);
        batch_norm2(X, &size2);
        CondLanes mean2 = size2 / 3.0;
        if (step == 0)
            busy &= (det > 0.0) & (det * det > 1e-3 * mean2 * mean2 * mean2);
        in_range = step == 0 ? busy : in_range;
        CondLaneMask far = change2 > 1e-2;
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
        busy &= ~((change2 < 1e-16) & (g == 1.0));
    }
    *rare = ~in_range | busy;
}

typedef struct BatchFrame {
    CondLanes R[9], S[9], sigma[9], pressure;
} BatchFrame;

COND_LANES_INLINE void batch_frame(CondStrainBatch* batch, const CondLanes F[9], BatchFrame* frame,
                                   CondLaneMask* rare)
{
    CondLanes e[9], trace = {0.0}, square = {0.0}, none = {0.0}, *R = frame->R;
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
            frame->S[3 * i + j] = frame->S[3 * j + i] = 0.5 * (sij + sji);
        }
    for (int i = 0; i < 9; i++) {
        e[i] = frame->S[i] - (i % 4 == 0 ? 1.0 : 0.0);
        square += e[i] * e[i];
        trace += i % 4 == 0 ? e[i] : none;
    }
    frame->pressure = batch->lambda * trace;
    for (int i = 0; i < 9; i++)
        frame->sigma[i] = 2.0 * batch->mu * e[i] + (i % 4 == 0 ? frame->pressure : none);
    batch->energy = batch->volume * (batch->mu * square + 0.5 * batch->lambda * trace * trace);
}

COND_LANES_INLINE void batch_elastic(CondStrainBatch* batch, CondLanes h[4][3])
{
    CondLanes scale = batch->k * batch->volume, lambda = scale * batch->lambda;
    CondLanes mu = scale * batch->mu;
    for (int a = 0; a < 4; a++)
        for (int b = a; b < 4; b++) {
            CondLanes *B = batch->S + cond_strain_block(4, a, b), P[9];
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

// Gamma by the inverse; lanes where the axes are needed are marked.
COND_LANES_INLINE void batch_spin_moduli(const CondStrainBatch* batch, const BatchFrame* frame,
                                         CondLanes Gamma[9], CondLaneMask* rare)
{
    const CondLanes *S = frame->S, none = {0.0};
    CondLanes trace = S[0] + S[4] + S[8], T[9], C[9], RC[9];
    for (int i = 0; i < 9; i++)
        T[i] = (i % 4 == 0 ? trace - COND_STRAIN_LEAST_STRETCH_SUM : none) - S[i];
    batch_cross(T + 3, T + 6, C);
    *rare |= ~((T[0] > 0.0) & (T[0] * T[4] - T[1] * T[3] > 0.0) & (BATCH_DOT(T, C) > 0.0));
    for (int i = 0; i < 3; i++)
        T[4 * i] += COND_STRAIN_LEAST_STRETCH_SUM;
    batch_cofactors(T, C);
    CondLanes scale = (frame->pressure - 2.0 * batch->mu) / BATCH_DOT(T, C);
    batch_product(frame->R, C, RC);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            Gamma[3 * i + j] =
                (i == j ? batch->mu : none) + scale * BATCH_DOT(RC + 3 * i, frame->R + 3 * j);
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
COND_LANES_INLINE void batch_add_column_sums(CondStrainBatch* batch, CondLanes sum[12])
{
    CondLanes none = {0.0};
    for (int k = 0; k < 3; k++) {
        CondLanes total = sum[k] + sum[3 + k] + sum[6 + k] + sum[9 + k];
        CondLaneMask some = total > 0.0;
        for (int a = 0; a < 4; a++)
            for (int b = a; b < 4; b++) {
                CondLanes* at = batch->S + cond_strain_block(4, a, b) + 4 * k;
                CondLanes with = *at + batch->g * ((a == b ? sum[3 * a + k] : none) -
                                                   sum[3 * a + k] * sum[3 * b + k] / total);
                *at = COND_LANES_SELECT(some, with, *at);
            }
    }
}

COND_LANES_INLINE void batch_geometric(CondStrainBatch* batch, const BatchFrame* frame,
                                       CondLanes h[4][3], int bound, CondLaneMask* rare)
{
    CondLanes Gamma[9], W[4][9], B[9], sum[12];
    batch_spin_moduli(batch, frame, Gamma, rare);
    for (int b = 0; b < 4; b++)
        batch_spin_columns(&batch->volume, Gamma, h[b], W[b]);
    for (int i = 0; i < 12; i++)
        sum[i] = (CondLanes){0.0};
    for (int a = 0; a < 4; a++)
        for (int b = a; b < 4; b++) {
            CondLanes* S = batch->S + cond_strain_block(4, a, b);
            batch_spin_block(W[b], h[a], a == b, B);
            for (int i = 0; i < 9 && !bound; i++)
                S[i] += batch->g * B[i];
            for (int i = 0; i < 9 && bound; i++) {
                cond_lanes_abs(B + i);
                sum[3 * b + i % 3] += B[i];
                if (a != b)
                    sum[3 * a + i / 3] += B[i];
            }
        }
    if (bound)
        batch_add_column_sums(batch, sum);
}

// Energy, forces and, if asked for, S of four elements. Lanes marked in *rare are not done.
COND_LANES_INLINE void cond_strain_batch_evaluate(CondStrainBatch* batch, int stiffness,
                                                  CondFemGeometric geometric, CondLaneMask* rare)
{
    const CondLanes* g = batch->gradient;
    CondLanes F[9], P[9], h[4][3];
    BatchFrame frame;
    for (int i = 0; i < 3; i++) {
        CondLanes d1 = batch->x[1][i] - batch->x[0][i], d2 = batch->x[2][i] - batch->x[0][i];
        CondLanes d3 = batch->x[3][i] - batch->x[0][i];
        for (int j = 0; j < 3; j++)
            F[3 * i + j] = d1 * g[j] + d2 * g[3 + j] + d3 * g[6 + j];
    }
    batch_frame(batch, F, &frame, rare);
    batch_product(frame.R, frame.sigma, P);
    for (int i = 0; i < 3; i++) {
        CondLanes* f = batch->f;
        for (int a = 1; a < 4; a++) {
            const CondLanes* ga = g + 3 * a - 3;
            f[3 * a + i] = -batch->volume * BATCH_DOT(P + 3 * i, ga);
            h[a][i] = BATCH_DOT(frame.R + 3 * i, ga);
        }
        f[i] = -(f[3 + i] + f[6 + i] + f[9 + i]);
        h[0][i] = -(h[1][i] + h[2][i] + h[3][i]);
    }
    if (!stiffness)
        return;
    batch_elastic(batch, h);
    if (geometric >= COND_FEM_GEOMETRIC_BOUND)
        batch_geometric(batch, &frame, h, geometric == COND_FEM_GEOMETRIC_BOUND, rare);
}

#endif
