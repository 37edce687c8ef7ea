// Elastic energy of one tetrahedron: one file per material, the same verbs in each.
#ifndef COND_MODEL_STRAIN_H
#define COND_MODEL_STRAIN_H

#include "model/fem.h"

// An element matrix (12 x 12) is symmetric; its upper block triangle is kept as 3x3 row-major
// blocks (0,0) (0,1) (0,2) (0,3) (1,1) (1,2) (1,3) (2,2) (2,3) (3,3).
enum { COND_STRAIN_BLOCKS = 10, COND_STRAIN_HALF = 90 };

// The spin moduli of co-rotational elements grow like 1/(s_i + s_j) as an element turns inside
// out. Below this sum, a twentieth of its rest value, they are held, so that E stays bounded for
// any shape.
#define COND_STRAIN_LEAST_STRETCH_SUM 0.1

// Where block (a, b), a <= b, starts.
static inline int cond_strain_block(int a, int b)
{
    return 9 * (a * (7 - a) / 2 + b);
}

typedef struct CondStrainOps {
    CondFemMaterialKind kind;
    const char* name;
    // The constants of the energy from Young's modulus and Poisson's ratio.
    CondFemModuli (*moduli)(const CondFemMaterial* material);
    // At positions x of all nodes: the energy (J), the forces f = -d energy/dx on the corners, and,
    // unless S is NULL, S = k K + g E (upper half) with the positive semi-definite stiffness K and
    // the stand-in E for the geometric stiffness (CONSTANT is left to the caller, who knows nodes).
    void (*evaluate)(const CondFem* fem, int i_tet, const double* x, CondFemGeometric geometric,
                     double k, double g, double* energy, double f[12], double* S);
    // First Piola-Kirchhoff stress P(F) = d(energy density)/dF, Pa.
    void (*piola)(const CondFemModuli* moduli, const double F[9], double P[9]);
} CondStrainOps;

extern const CondStrainOps cond_strain_corotational;
extern const CondStrainOps cond_strain_neohookean;

const CondStrainOps* cond_strain_ops(CondFemMaterialKind kind);

// Lame's constants of linear elasticity.
static inline CondFemModuli cond_strain_lame(const CondFemMaterial* material)
{
    double E = material->youngs_modulus, nu = material->poisson_ratio;
    CondFemModuli lame = {E * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)), E / (2.0 * (1.0 + nu))};
    return lame;
}

// F = Ds Dm^-1 = sum_a (x_a - x_0) g_a'
static inline void cond_strain_deformation(const CondFem* fem, int i_tet, const double* x,
                                           double F[9])
{
    const int* corner = fem->tet + 4 * (size_t)i_tet;
    const double* g = fem->gradient + 9 * (size_t)i_tet;
    const double *x0 = x + 3 * (size_t)corner[0], *x1 = x + 3 * (size_t)corner[1];
    const double *x2 = x + 3 * (size_t)corner[2], *x3 = x + 3 * (size_t)corner[3];
    for (int i = 0; i < 3; i++) {
        double d1 = x1[i] - x0[i], d2 = x2[i] - x0[i], d3 = x3[i] - x0[i];
        for (int j = 0; j < 3; j++)
            F[3 * i + j] = d1 * g[j] + d2 * g[3 + j] + d3 * g[6 + j];
    }
}

// h_a = Q g_a for all four corners: shape gradients turned by Q.
static inline void cond_strain_gradients(const double* g, const double Q[9], double h[4][3])
{
    for (int i = 0; i < 3; i++) {
        for (int a = 1; a < 4; a++)
            h[a][i] =
                Q[3 * i] * g[3 * a - 3] + Q[3 * i + 1] * g[3 * a - 2] + Q[3 * i + 2] * g[3 * a - 1];
        h[0][i] = -(h[1][i] + h[2][i] + h[3][i]);
    }
}

// f_a = -V P g_a, which sums to zero over the corners.
static inline void cond_strain_forces(const double* g, double volume, const double P[9],
                                      double f[12])
{
    for (int i = 0; i < 3; i++) {
        for (int a = 1; a < 4; a++)
            f[3 * a + i] = -volume * (P[3 * i] * g[3 * a - 3] + P[3 * i + 1] * g[3 * a - 2] +
                                      P[3 * i + 2] * g[3 * a - 1]);
        f[i] = -(f[3 + i] + f[6 + i] + f[9 + i]);
    }
}

#endif
