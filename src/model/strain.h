// Elastic energy at one integration point of an element: one file per material, each with the same
// functions. An element of n nodes has at each of its points the gradients of the shape functions
// of nodes 1 .. n - 1; node 0 has minus their sum.
#ifndef COND_MODEL_STRAIN_H
#define COND_MODEL_STRAIN_H

#include "base/inline.h"
#include "model/fem.h"

// An element matrix (3n x 3n) is symmetric; its upper block triangle is kept as 3x3 row-major
// blocks (0,0) (0,1) .. (0,n-1) (1,1) ..; HALF numbers for a tetrahedron, MOST at most.
enum CondStrainLayout {
    COND_STRAIN_NODES = 12, // at most, of an element
    COND_STRAIN_HALF = 90,
    COND_STRAIN_MOST = 9 * COND_STRAIN_NODES * (COND_STRAIN_NODES + 1) / 2,
};

// Where block (a, b), a <= b, of an element of n nodes starts.
COND_DEVICE int cond_strain_block(int n, int a, int b)
{
    return 9 * (a * (2 * n - 1 - a) / 2 + b);
}

// The state of the material at a point. The energy density is a function of F plus lambda/2 (theta
// - theta_free)^2, where theta is the change of volume: tr(S) - 3 or det F. The element decides
// whether theta is that of the point or the mean of the element (fem_element.c).
typedef struct CondStrainPoint {
    double F[9];     // deformation gradient, by the caller
    double theta;    // change of volume
    double slope[9]; // d theta/dF
    double R[9];     // co-rotational: rotation of F,
    double S[9];     // sym(R'F),
    double sigma[9]; // and the stress in the frame of the element [Pa]
    double P[9];     // first Piola-Kirchhoff stress, d(energy density)/dF [Pa]
    double pressure; // d(energy density)/d theta, by the caller [Pa]
    double energy;   // density without the term of theta [Pa]
} CondStrainPoint;

typedef struct CondStrainOps {
    CondFemMaterialKind kind;
    const char* name;
    double theta_rest; // of an undeformed body
    // The constants of the energy from Young's modulus and Poisson's ratio.
    CondFemModuli (*moduli)(const CondFemMaterial* material);
    double (*theta_free)(const CondFemModuli* moduli);
    // Computes the quantities that depend on F alone: theta, its slope, R and S.
    void (*measure)(CondStrainPoint* point);
    // Computes P and energy at the given pressure.
    void (*evaluate)(const CondFemModuli* moduli, CondStrainPoint* point);
    // S += volume (k K + g E), upper half, of n nodes with these gradients ((n - 1) x 3): the
    // positive semi-definite stiffness K, with the lambda given here, and the approximation E of
    // the geometric stiffness (the caller, which knows the nodes, adds CONSTANT).
    void (*stiffen)(const CondFemModuli* moduli, const CondStrainPoint* point, double volume, int n,
                    const double* gradient, double lambda, CondFemGeometric geometric, double k,
                    double g, double* S);
} CondStrainOps;

extern const CondStrainOps cond_strain_corotational;
extern const CondStrainOps cond_strain_neohookean;

const CondStrainOps* cond_strain_ops(CondFemMaterialKind kind);

// Lame's constants of linear elasticity.
static inline CondFemModuli cond_strain_lame(const CondFemMaterial* material)
{
    double E = material->youngs_modulus, nu = material->poisson_ratio;
    CondFemModuli lame = {.lambda = E * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)),
                          .mu = E / (2.0 * (1.0 + nu))};
    return lame;
}

// F = sum_a (x_a - x_0) g_a'
COND_DEVICE void cond_strain_deformation(int n, const int* node, const double* gradient,
                                         const double* x, double F[9])
{
    const double *x0 = x + 3 * (size_t)node[0], *first = x + 3 * (size_t)node[1];
    for (int i = 0; i < 9; i++)
        F[i] = (first[i / 3] - x0[i / 3]) * gradient[i % 3];
    for (int a = 2; a < n; a++) {
        const double *xa = x + 3 * (size_t)node[a], *g = gradient + 3 * (a - 1);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                F[3 * i + j] += (xa[i] - x0[i]) * g[j];
    }
}

// h_a = Q g_a for all n nodes: shape gradients rotated by Q.
COND_DEVICE void cond_strain_gradients(int n, const double* g, const double Q[9], double h[][3])
{
    for (int i = 0; i < 3; i++) {
        double sum = 0.0;
        for (int a = 1; a < n; a++) {
            h[a][i] =
                Q[3 * i] * g[3 * a - 3] + Q[3 * i + 1] * g[3 * a - 2] + Q[3 * i + 2] * g[3 * a - 1];
            sum = a == 1 ? h[a][i] : sum + h[a][i];
        }
        h[0][i] = -sum;
    }
}

// f_a -= V P g_a, which sums to zero over the nodes.
COND_DEVICE void cond_strain_add_forces(int n, const double* g, double volume, const double P[9],
                                        double* f)
{
    for (int i = 0; i < 3; i++) {
        double sum = 0.0;
        for (int a = 1; a < n; a++) {
            double force = -volume * (P[3 * i] * g[3 * a - 3] + P[3 * i + 1] * g[3 * a - 2] +
                                      P[3 * i + 2] * g[3 * a - 1]);
            f[3 * a + i] += force;
            sum = a == 1 ? force : sum + force;
        }
        f[i] -= sum;
    }
}

#endif
