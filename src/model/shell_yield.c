// Creases of shells: plastic curvature of every triangle.
//
// The curvature of a triangle is the sum of an elastic part and a plastic one, kp. With the moments
// M = D (kappa - kp) and back moments harden D kp it yields where
//   s' D s >= D_11 yield^2,    s = kappa - kp - harden kp,
// a ball in the norm of the elastic energy. The plastic flow is normal to it (associated), so that
// the closest point is along s itself:
//   kp += (1 - r)/(1 + harden) s,    r = yield sqrt(D_11 / s' D s)
// and what is lost is (1 - r^2)/2 s' D s/(1 + harden) per area, never below 0. Bent on, the moment
// grows with harden/(1 + harden) of the elastic stiffness.
#include "model/shell.h"

#include <math.h>

#include "math/vec3.h"

static double yield_element(const CondFem* fem, int i, const double* x, double kp[3])
{
    const CondShellPart* part = &fem->shell[i];
    const CondShellModuli* m = &fem->shell_moduli[fem->material_of_element[i]];
    double theta[COND_SHELL_HINGES], D[9], s[3], square = 0.0;
    cond_shell_angles(fem, i, x, theta);
    cond_shell_plate(fem, i, D);
    for (int c = 0; c < 3; c++) {
        s[c] = -(1.0 + m->harden) * kp[c];
        for (int h = 0; h < COND_SHELL_HINGES; h++)
            s[c] += part->curve[COND_SHELL_HINGES * c + h] * theta[h];
    }
    for (int c = 0; c < 3; c++)
        square += s[c] * vec3_dot(D + 3 * c, s);
    double most = m->bend[0] * m->yield * m->yield;
    if (!(square > most))
        return 0.0;
    double r = sqrt(most / square);
    for (int c = 0; c < 3; c++)
        kp[c] += (1.0 - r) / (1.0 + m->harden) * s[c];
    return 0.5 * part->area * (1.0 - r * r) * square / (1.0 + m->harden);
}

double cond_shell_yield(const CondFem* fem, double* x)
{
    double lost = 0.0, *kp = x + 3 * (size_t)fem->n_node;
    for (int i = 0; i < fem->n_element && fem->n_inner > 0; i++, kp += 3)
        if (fem->shell_moduli[fem->material_of_element[i]].yield > 0.0)
            lost += yield_element(fem, i, x, kp);
    return lost;
}
