// Co-rotational linear elasticity.
//
//   F = R S,  e = S - I (six strains),  energy = V (mu |e|^2 + lambda/2 (tr e)^2) = 1/2 e'K e
//   sigma = 2 mu e + lambda tr(e) I,  P = R sigma,  theta = tr e
//
// P is the exact derivative of the energy although R moves with F: the extra term is
// sigma : [w] S with R'dR = [w] skew, and it vanishes because sigma S is symmetric.
#include <math.h>
#include <string.h>

#include "math/eigen.h"
#include "math/vec3.h"
#include "model/strain_item.h"
#include "model/tuning.h"

static double corotational_theta_free(const CondFemModuli* moduli)
{
    (void)moduli;
    return 0.0;
}

// S += k R Ke R'
static void add_elastic(double lambda, double mu, int n, double h[][3], double* S)
{
    for (int a = 0; a < n; a++)
        for (int b = a; b < n; b++, S += 9) {
            double B[9];
            cond_corotational_block(lambda, mu, h[a], h[b], B);
            for (int i = 0; i < 9; i++)
                S[i] += B[i];
        }
}

// The geometric stiffness is G = V C' Gamma C, where C (3 x 12) takes the motion of the corners to
// twice their spin, sum_a h_a x dx_a, and Gamma has the principal axes q_k of S, turned by R, and
//   gamma_k = (sigma_i + sigma_j)/2 / (s_i + s_j).
// It acts on spin alone, the elastic part on strain alone: their sum is the Hessian.
static void spin_moduli_by_axes(const CondFemModuli* moduli, const CondStrainPoint* frame,
                                int clamped, double Gamma[9])
{
    double S[9], s[3], Q[9];
    memcpy(S, frame->S, sizeof S);
    cond_eigen_symmetric(3, S, s, Q);
    memset(Gamma, 0, 9 * sizeof *Gamma);
    for (int k = 0; k < 3; k++) {
        double sum = s[(k + 1) % 3] + s[(k + 2) % 3];
        double mean_stress = moduli->mu * (sum - 2.0) + frame->pressure;
        double q[3] = {Q[k], Q[3 + k], Q[6 + k]}, axis[3];
        double gamma = mean_stress / fmax(sum, COND_STRETCH_SUM);
        mat3_multiply(frame->R, q, axis);
        for (int i = 0; i < 9 && !(clamped && gamma < 0.0); i++)
            Gamma[i] += gamma * (axis[i / 3] * axis[i % 3]);
    }
}

// The same without the axes, Gamma = mu I + c T^-1 with T = tr(S) I - S and
// c = pressure - 2 mu, for a shape whose sums s_i + s_j, the eigenvalues of T, all exceed the
// least: T less that sum is then positive definite. 0 where it is not.
static int spin_moduli_by_inverse(const CondFemModuli* moduli, const CondStrainPoint* frame,
                                  double Gamma[9])
{
    const double* S = frame->S;
    double trace = S[0] + S[4] + S[8], T[9], C[9], RC[9];
    for (int i = 0; i < 9; i++)
        T[i] = (i % 4 == 0 ? trace - COND_STRETCH_SUM : 0.0) - S[i];
    vec3_cross(T + 3, T + 6, C);
    if (!(T[0] > 0.0 && T[0] * T[4] - T[1] * T[3] > 0.0 && vec3_dot(T, C) > 0.0))
        return 0;
    for (int i = 0; i < 3; i++)
        T[4 * i] += COND_STRETCH_SUM;
    vec3_cross(T + 3, T + 6, C);
    vec3_cross(T + 6, T, C + 3);
    vec3_cross(T, T + 3, C + 6);
    double scale = (frame->pressure - 2.0 * moduli->mu) / vec3_dot(T, C);
    mat3_product(frame->R, C, RC);
    for (int i = 0; i < 3; i++) // R (mu I + c T^-1) R'
        for (int j = 0; j < 3; j++)
            Gamma[3 * i + j] =
                (i == j ? moduli->mu : 0.0) + scale * vec3_dot(RC + 3 * i, frame->R + 3 * j);
    return 1;
}

// The upper half of G: block (a, b) = V [h_a]' Gamma [h_b].
static void spin_matrix(double volume, const double Gamma[9], int n, double h[][3], double* G)
{
    for (int b = 0; b < n; b++) {
        double X[9], W[9];
        mat3_cross(h[b], X);
        mat3_product(Gamma, X, W);
        for (int i = 0; i < 9; i++)
            W[i] *= volume;
        for (int a = 0; a <= b; a++) {
            double* B = G + cond_strain_block(n, a, b);
            for (int j = 0; j < 3; j++) { // column j: w x h_a, w column j of W
                double w0 = W[j], w1 = W[3 + j], w2 = W[6 + j];
                B[j] = w1 * h[a][2] - w2 * h[a][1];
                B[3 + j] = w2 * h[a][0] - w0 * h[a][2];
                B[6 + j] = w0 * h[a][1] - w1 * h[a][0];
            }
        }
        double* D = G + cond_strain_block(n, b, b); // symmetric to the last bit
        D[3] = D[1];
        D[6] = D[2];
        D[7] = D[5];
    }
}

// G <- its nearest positive semi-definite matrix: negative eigenvalues become zero.
static void project_positive(int n, double* G)
{
    enum { MOST = 9 * COND_STRAIN_NODES * COND_STRAIN_NODES };
    double A[MOST], w[3 * COND_STRAIN_NODES], Q[MOST];
    int order = 3 * n;
    for (int a = 0; a < n; a++)
        for (int b = a; b < n; b++)
            for (int i = 0; i < 9; i++) {
                int row = 3 * a + i / 3, column = 3 * b + i % 3;
                A[order * row + column] = A[order * column + row] =
                    G[cond_strain_block(n, a, b) + i];
            }
    cond_eigen_symmetric(order, A, w, Q);
    for (int a = 0; a < n; a++)
        for (int b = a; b < n; b++)
            for (int i = 0; i < 9; i++) {
                const double *p = Q + order * (3 * a + i / 3), *q = Q + order * (3 * b + i % 3);
                double sum = 0.0;
                for (int k = 0; k < order; k++)
                    sum += w[k] > 0.0 ? w[k] * (p[k] * q[k]) : 0.0;
                G[cond_strain_block(n, a, b) + i] = sum;
            }
}

// S += g E, E made of the paper's diagonal d_j = sum_i |g_ij|. D - G and D + G are diagonally
// dominant, so D bounds G from both sides; but a diagonal holds on to the world, and a free body
// would lose its momentum to it. G leaves translations alone, and so does
//     E = D - D 1 1' D / (1' D 1)     for each of the three axes, over the nodes:
// for x = y + c 1 with 1'D y = 0 it gives x'E x = y'D y >= |y'G y| = |x'G x|, the same bound.
static void add_column_sums(int n, const double* G, double g, double* S)
{
    double sum[3 * COND_STRAIN_NODES] = {0.0};
    for (int a = 0; a < n; a++)
        for (int b = a; b < n; b++) {
            const double* B = G + cond_strain_block(n, a, b);
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) {
                    double size = fabs(B[3 * i + j]);
                    sum[3 * b + j] += size;
                    if (a != b)
                        sum[3 * a + i] += size; // its mirror image below the diagonal
                }
        }
    for (int k = 0; k < 3; k++) {
        double total = 0.0;
        for (int a = 0; a < n; a++)
            total += sum[3 * a + k];
        for (int a = 0; a < n && total > 0.0; a++)
            for (int b = a; b < n; b++)
                S[cond_strain_block(n, a, b) + 4 * k] +=
                    g * ((a == b ? sum[3 * a + k] : 0.0) - sum[3 * a + k] * sum[3 * b + k] / total);
    }
}

// S += g E
static void add_geometric(const CondFemModuli* moduli, const CondStrainPoint* frame, double volume,
                          int n, double h[][3], CondFemGeometric geometric, double g, double* S)
{
    double Gamma[9], G[COND_STRAIN_MOST];
    int clamped = geometric == COND_FEM_GEOMETRIC_CLAMPED;
    if (clamped || !spin_moduli_by_inverse(moduli, frame, Gamma))
        spin_moduli_by_axes(moduli, frame, clamped, Gamma);
    spin_matrix(volume, Gamma, n, h, G);
    if (geometric == COND_FEM_GEOMETRIC_BOUND) {
        add_column_sums(n, G, g, S);
        return;
    }
    if (geometric == COND_FEM_GEOMETRIC_PROJECTED)
        project_positive(n, G);
    for (int i = 0; i < cond_strain_block(n, n, n); i++)
        S[i] += g * G[i];
}

static void corotational_stiffen(const CondFemModuli* moduli, const CondStrainPoint* point,
                                 double volume, int n, const double* gradient, double lambda,
                                 CondFemGeometric geometric, double k, double g, double* S)
{
    double h[COND_STRAIN_NODES][3], scale = k * volume;
    cond_strain_gradients(n, gradient, point->R, h);
    add_elastic(scale * lambda, scale * moduli->mu, n, h, S);
    if (geometric >= COND_FEM_GEOMETRIC_BOUND)
        add_geometric(moduli, point, volume, n, h, geometric, g, S);
}

static void corotational_measure(CondStrainPoint* point)
{
    cond_corotational_measure(point);
}

static void corotational_evaluate(const CondFemModuli* moduli, CondStrainPoint* point)
{
    cond_corotational_evaluate(moduli, point);
}

const CondStrainOps cond_strain_corotational = {
    COND_FEM_COROTATIONAL, "corotational",          0.0,
    cond_strain_lame,      corotational_theta_free, corotational_measure,
    corotational_evaluate, corotational_stiffen,
};
