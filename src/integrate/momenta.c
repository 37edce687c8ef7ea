// Rates of the momenta of a robot's links (momenta.h). Reads kinematics; writes its arguments
// alone.
#include "integrate/momenta.h"

#include <string.h>

void cond_momenta_begin(const CondMomentaStep* step)
{
    cond_articulation_momenta(step->arm, step->start, step->v_k, step->scratch);
}

void cond_momenta_rate(const CondMomentaStep* step, const double* v, double* f)
{
    const CondArticulation* arm = step->arm;
    size_t n = (size_t)arm->n_link;
    double *begin = step->scratch, *end = begin + 6 * n, *load = end + 6 * n, *x = load + 6 * n;
    for (int i = 0; i < arm->n_dof; i++)
        x[i] = 2.0 * v[i] - step->v_k[i];
    cond_articulation_momenta(arm, step->end, x, end);
    memset(load, 0, 6 * n * sizeof *load);
    for (int i = 0; i < arm->n_link; i++) {
        const double *a = begin + 6 * (size_t)i, *b = end + 6 * (size_t)i;
        double centre[3], force[3], torque[3];
        double weight =
            (1.0 - arm->link[i].borne) * cond_articulation_link_centre(step->middle, i, centre);
        for (int k = 0; k < 3; k++) {
            force[k] = (b[k] - a[k]) / step->t - weight * step->gravity[k];
            torque[k] = (b[3 + k] - a[3 + k]) / step->t;
        }
        cond_articulation_push(step->middle, centre, force, torque, load + 6 * (size_t)i);
    }
    memset(f, 0, (size_t)arm->n_dof * sizeof *f);
    cond_articulation_project(arm, step->middle, load, f);
}
