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

#include "math/polar.h"
#include "math/vec3.h"
#include "model/strain_item.h"

static CondFemModuli neohookean_moduli(const CondFemMaterial* material)
{
    CondFemModuli lame = cond_strain_lame(material);
    CondFemModuli moduli = {.lambda = lame.lambda + 5.0 / 6.0 * lame.mu, .mu = 4.0 / 3.0 * lame.mu};
    return moduli;
}

static double neohookean_theta_free(const CondFemModuli* moduli)
{
    return cond_neohookean_free(moduli);
}

static void neohookean_stiffen(const CondFemModuli* moduli, const CondStrainPoint* point,
                               double volume, int n, const double* gradient, double lambda,
                               CondFemGeometric geometric, double k, double g, double* S)
{
    double U[9], s[3], V[9], Vt[9], h[COND_STRAIN_NODES][3];
    CondNeohookeanModes modes;
    cond_svd3(point->F, U, s, V);
    cond_neohookean_modes(moduli, s, point->pressure, lambda, &modes);
    cond_neohookean_combine(geometric, k, g, &modes);
    for (int i = 0; i < 9; i++)
        Vt[i] = V[3 * (i % 3) + i / 3];
    cond_strain_gradients(n, gradient, Vt, h);
    for (int a = 0; a < n; a++)
        for (int b = a; b < n; b++, S += 9) {
            double B[9];
            cond_neohookean_block(volume, &modes, U, h[a], h[b], B);
            if (a == b)
                cond_neohookean_symmetric(B);
            for (int i = 0; i < 9; i++)
                S[i] += B[i];
        }
}

static void neohookean_measure(CondStrainPoint* point)
{
    cond_neohookean_measure(point);
}

static void neohookean_evaluate(const CondFemModuli* moduli, CondStrainPoint* point)
{
    cond_neohookean_evaluate(moduli, point);
}

const CondStrainOps cond_strain_neohookean = {
    COND_FEM_NEOHOOKEAN, "neohookean",          1.0,
    neohookean_moduli,   neohookean_theta_free, neohookean_measure,
    neohookean_evaluate, neohookean_stiffen,
};
