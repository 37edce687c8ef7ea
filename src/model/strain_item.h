// The materials at a point of an element, inline, for C and for CUDA: strain_corotational.c and
// strain_neohookean.c explain the formulas.
#ifndef COND_MODEL_STRAIN_ITEM_H
#define COND_MODEL_STRAIN_ITEM_H

#include "math/eigen_item.h"
#include "math/polar_item.h"
#include "model/strain.h"

// ---- co-rotational

COND_DEVICE void cond_corotational_measure(CondStrainPoint* point)
{
    const double* F = point->F;
    double trace = 0.0, *R = point->R;
    cond_polar_rotate(F, R);
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++) {
            double sij = 0.0, sji = 0.0;
            for (int k = 0; k < 3; k++) {
                sij += R[3 * k + i] * F[3 * k + j];
                sji += R[3 * k + j] * F[3 * k + i];
            }
            point->S[3 * i + j] = point->S[3 * j + i] = 0.5 * (sij + sji);
        }
    for (int i = 0; i < 3; i++)
        trace += point->S[4 * i] - 1.0;
    point->theta = trace;
    memcpy(point->slope, R, sizeof point->slope);
}

COND_DEVICE void cond_corotational_evaluate(const CondFemModuli* moduli, CondStrainPoint* point)
{
    double square = 0.0;
    for (int i = 0; i < 9; i++) {
        double e = point->S[i] - (i % 4 == 0 ? 1.0 : 0.0);
        square += e * e;
        point->sigma[i] = 2.0 * moduli->mu * e + (i % 4 == 0 ? point->pressure : 0.0);
    }
    point->energy = moduli->mu * square;
    mat3_product(point->R, point->sigma, point->P);
}

// Block (a, b) of R Ke R' in closed form, h = R g:
//     lambda h_a h_b' + mu h_b h_a' + mu (h_a . h_b) I
COND_DEVICE void cond_corotational_block(double lambda, double mu, const double ha[3],
                                         const double hb[3], double B[9])
{
    double shear = mu * vec3_dot(ha, hb);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            B[3 * i + j] = lambda * (ha[i] * hb[j]) + mu * (hb[i] * ha[j]);
        B[4 * i] += shear;
    }
}

// ---- neo-Hookean

// C = cof F, so that J = det F = row 0 of F . row 0 of C and dJ/dF = C.
COND_DEVICE void cond_neohookean_cofactors(const double F[9], double C[9])
{
    vec3_cross(F + 3, F + 6, C);
    vec3_cross(F + 6, F, C + 3);
    vec3_cross(F, F + 3, C + 6);
}

COND_DEVICE double cond_neohookean_norm2(const double F[9])
{
    double sum = 0.0;
    for (int i = 0; i < 9; i++)
        sum += F[i] * F[i];
    return sum;
}

COND_DEVICE void cond_neohookean_measure(CondStrainPoint* point)
{
    cond_neohookean_cofactors(point->F, point->slope);
    point->theta = vec3_dot(point->F, point->slope);
}

COND_DEVICE double cond_neohookean_free(const CondFemModuli* moduli)
{
    return 1.0 + 0.75 * moduli->mu / moduli->lambda;
}

COND_DEVICE void cond_neohookean_evaluate(const CondFemModuli* moduli, CondStrainPoint* point)
{
    double I = cond_neohookean_norm2(point->F), a = moduli->mu * (1.0 - 1.0 / (I + 1.0));
    for (int i = 0; i < 9; i++)
        point->P[i] = a * point->F[i] + point->pressure * point->slope[i];
    point->energy = 0.5 * moduli->mu * (I - 3.0 - log1p((I - 3.0) / 4.0));
}

// The Hessian of the density in the frame F = U diag(s) V': `stretch` acts on the diagonal of
// U'dF V, and each pair (i, j) of other entries splits into a symmetric and a skew mode.
typedef struct CondNeohookeanModes {
    double stretch[9];
    double strain[3]; // modulus of (dF_ij + dF_ji)/sqrt 2, k the third index
    double spin[3];   // modulus of (dF_ij - dF_ji)/sqrt 2
} CondNeohookeanModes;

// lambda: the one in the second derivative of the energy by J.
COND_DEVICE void cond_neohookean_modes(const CondFemModuli* moduli, const double s[3],
                                       double pressure, double lambda, CondNeohookeanModes* modes)
{
    double I = vec3_dot(s, s), mu = moduli->mu;
    double a = mu * (1.0 - 1.0 / (I + 1.0)), c = pressure;
    double log_term = 2.0 * mu / ((I + 1.0) * (I + 1.0));
    double dJ[3] = {s[1] * s[2], s[2] * s[0], s[0] * s[1]};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            modes->stretch[3 * i + j] =
                log_term * s[i] * s[j] + lambda * dJ[i] * dJ[j] + (i == j ? a : c * s[3 - i - j]);
        modes->strain[i] = a - c * s[i];
        modes->spin[i] = a + c * s[i];
    }
}

// The moduli of k K + g E: K has the positive parts; with EXACT, E has the rest.
COND_DEVICE void cond_neohookean_combine(CondFemGeometric geometric, double k, double g,
                                         CondNeohookeanModes* modes)
{
    double A[9], w[3], Q[9];
    double left_out = geometric == COND_FEM_GEOMETRIC_EXACT ? g : 0.0;
    for (int i = 0; i < 9; i++)
        A[i] = modes->stretch[i];
    cond_eigen_sweep(3, A, w, Q);
    for (int i = 0; i < 3; i++) {
        w[i] = k * fmax(w[i], 0.0) + left_out * fmin(w[i], 0.0);
        modes->strain[i] = k * fmax(modes->strain[i], 0.0) + left_out * fmin(modes->strain[i], 0.0);
        modes->spin[i] = k * fmax(modes->spin[i], 0.0) + left_out * fmin(modes->spin[i], 0.0);
    }
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++)
            modes->stretch[3 * i + j] = modes->stretch[3 * j + i] =
                w[0] * (Q[3 * i] * Q[3 * j]) + w[1] * (Q[3 * i + 1] * Q[3 * j + 1]) +
                w[2] * (Q[3 * i + 2] * Q[3 * j + 2]);
}

// Block (a, b) = V U M U' with h = V'g and
//   M_ii = stretch_ii ha_i hb_i + sum_j (strain + spin)/2 ha_j hb_j
//   M_ij = stretch_ij ha_i hb_j + (strain - spin)/2 ha_j hb_i
COND_DEVICE void cond_neohookean_block(double volume, const CondNeohookeanModes* modes,
                                       const double U[9], const double ha[3], const double hb[3],
                                       double B[9])
{
    double M[9], UM[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int k = 3 - i - j;
            M[3 * i + j] = modes->stretch[3 * i + j] * ha[i] * hb[j];
            if (i != j)
                M[3 * i + j] += 0.5 * (modes->strain[k] - modes->spin[k]) * ha[j] * hb[i];
        }
    for (int k = 0; k < 3; k++) {
        double half = 0.5 * (modes->strain[k] + modes->spin[k]);
        int i = (k + 1) % 3, j = (k + 2) % 3;
        M[4 * i] += half * ha[j] * hb[j];
        M[4 * j] += half * ha[i] * hb[i];
    }
    mat3_product(U, M, UM);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            B[3 * i + j] = volume * vec3_dot(UM + 3 * i, U + 3 * j);
}

// Makes a diagonal block symmetric to the last bit.
COND_DEVICE void cond_neohookean_symmetric(double B[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = i + 1; j < 3; j++)
            B[3 * i + j] = B[3 * j + i] = 0.5 * (B[3 * i + j] + B[3 * j + i]);
}

#endif
