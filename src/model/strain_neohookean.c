// Stable neo-Hookean elasticity, defined for every F, inverted or not.
//
//   energy density = mu/2 (I - 3) - mu/2 log((I + 1)/4) + lambda/2 ((J - alpha)^2 - (1 - alpha)^2)
//   I = |F|^2,  J = det F,  alpha = 1 + 3 mu/(4 lambda)
//   P = a F + c cof F,  a = mu (1 - 1/(I + 1)),  c = lambda (J - alpha)
//
// alpha makes the undeformed shape free of stress. Expanding P about it gives Lame's constants
// (3/4) mu and lambda - (5/8) mu, so mu = (4/3) mu_Lame and lambda = lambda_Lame + (5/6) mu_Lame
// agree with linear elasticity for small strains; lambda is positive for all admissible ratios.
#include <math.h>

#include "math/eigen.h"
#include "math/polar.h"
#include "math/vec3.h"
#include "model/strain.h"

static CondFemModuli neohookean_moduli(const CondFemMaterial* material)
{
    CondFemModuli lame = cond_strain_lame(material);
    CondFemModuli moduli = {.lambda = lame.lambda + 5.0 / 6.0 * lame.mu, .mu = 4.0 / 3.0 * lame.mu};
    return moduli;
}

// C = cof F, so that J = det F = row 0 of F . row 0 of C and dJ/dF = C.
static void cofactors(const double F[9], double C[9])
{
    vec3_cross(F + 3, F + 6, C);
    vec3_cross(F + 6, F, C + 3);
    vec3_cross(F, F + 3, C + 6);
}

static double norm2(const double F[9])
{
    double sum = 0.0;
    for (int i = 0; i < 9; i++)
        sum += F[i] * F[i];
    return sum;
}

static void neohookean_measure(CondStrainPoint* point)
{
    cofactors(point->F, point->slope);
    point->theta = vec3_dot(point->F, point->slope);
}

static double neohookean_theta_free(const CondFemModuli* moduli)
{
    return 1.0 + 0.75 * moduli->mu / moduli->lambda;
}

static void neohookean_evaluate(const CondFemModuli* moduli, CondStrainPoint* point)
{
    double I = norm2(point->F), a = moduli->mu * (1.0 - 1.0 / (I + 1.0));
    for (int i = 0; i < 9; i++)
        point->P[i] = a * point->F[i] + point->pressure * point->slope[i];
    point->energy = 0.5 * moduli->mu * (I - 3.0 - log1p((I - 3.0) / 4.0));
}

// The Hessian of the density in the frame F = U diag(s) V': `stretch` acts on the diagonal of
// U'dF V, and each pair (i, j) of other entries splits into a symmetric and a skew mode.
typedef struct Modes {
    double stretch[9];
    double strain[3]; // modulus of (dF_ij + dF_ji)/sqrt 2, k the third index
    double spin[3];   // modulus of (dF_ij - dF_ji)/sqrt 2
} Modes;

// lambda: as far as the second derivative of the energy by J counts.
static void modes_at(const CondFemModuli* moduli, const double s[3], double pressure, double lambda,
                     Modes* modes)
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

// The moduli of k K + g E: K has the positive parts; with EXACT, E is what they leave out.
static void combine_modes(CondFemGeometric geometric, double k, double g, Modes* modes)
{
    double A[9], w[3], Q[9];
    double left_out = geometric == COND_FEM_GEOMETRIC_EXACT ? g : 0.0;
    for (int i = 0; i < 9; i++)
        A[i] = modes->stretch[i];
    cond_eigen_symmetric(3, A, w, Q);
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
static void set_block(double volume, const Modes* modes, const double U[9], const double ha[3],
                      const double hb[3], double B[9])
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
static void set_symmetric(double B[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = i + 1; j < 3; j++)
            B[3 * i + j] = B[3 * j + i] = 0.5 * (B[3 * i + j] + B[3 * j + i]);
}

static void neohookean_stiffen(const CondFemModuli* moduli, const CondStrainPoint* point,
                               double volume, int n, const double* gradient, double lambda,
                               CondFemGeometric geometric, double k, double g, double* S)
{
    double U[9], s[3], V[9], Vt[9], h[COND_STRAIN_NODES][3];
    Modes modes;
    cond_svd3(point->F, U, s, V);
    modes_at(moduli, s, point->pressure, lambda, &modes);
    combine_modes(geometric, k, g, &modes);
    for (int i = 0; i < 9; i++)
        Vt[i] = V[3 * (i % 3) + i / 3];
    cond_strain_gradients(n, gradient, Vt, h);
    for (int a = 0; a < n; a++)
        for (int b = a; b < n; b++, S += 9) {
            double B[9];
            set_block(volume, &modes, U, h[a], h[b], B);
            if (a == b)
                set_symmetric(B);
            for (int i = 0; i < 9; i++)
                S[i] += B[i];
        }
}

const CondStrainOps cond_strain_neohookean = {
    COND_FEM_NEOHOOKEAN, "neohookean",          1.0,
    neohookean_moduli,   neohookean_theta_free, neohookean_measure,
    neohookean_evaluate, neohookean_stiffen,
};
