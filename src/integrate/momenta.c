// Rates of the momenta of a robot's links (momenta.h). Reads kinematics; writes its arguments
// alone.
#include "integrate/momenta.h"

#include <string.h>

void cond_momenta_rate(const CondMomentaStep* step, const double* v, double* f)
{
    const CondArticulation* arm = step->arm;
    int n = arm->n_link;
    double *begin = step->scratch, *end = begin + 6 * (ptrdiff_t)n, *load = end + 6 * (ptrdiff_t)n,
           *x = load + 6 * (ptrdiff_t)n;
    for (int i = 0; i < arm->n_dof; i++)
        x[i] = 2.0 * v[i] - step->v_k[i];
    cond_articulation_momenta(arm, step->start, step->v_k, begin);
    cond_articulation_momenta(arm, step->end, x, end);
    memset(x, 0, (size_t)arm->n_dof * sizeof *x);
    cond_articulation_bias(arm, step->middle, x, step->gravity, f); // weight
    memset(load, 0, 6 * (size_t)n * sizeof *load);
    for (int i = 0; i < n; i++) {
        const double *a = begin + 6 * (ptrdiff_t)i, *b = end + 6 * (ptrdiff_t)i;
        double centre[3], force[3], torque[3];
        cond_articulation_link_centre(step->middle, i, centre);
        for (int k = 0; k < 3; k++) {
            force[k] = -(b[k] - a[k]) / step->t;
            torque[k] = -(b[3 + k] - a[3 + k]) / step->t;
        }
        cond_articulation_push(step->middle, centre, force, torque, load + 6 * (ptrdiff_t)i);
    }
    cond_articulation_project(arm, step->middle, load, f);
    for (int i = 0; i < arm->n_dof; i++)
        f[i] = -f[i];
}
