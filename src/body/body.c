#include "body/body.h"

#include <stddef.h>

const CondBodyOps* cond_body_ops(CondBodyKind kind)
{
    static const CondBodyOps* const table[] = {&cond_body_particle, &cond_body_rigid};
    return table[kind];
}

void cond_body_add_force(const CondBody* body, const double* position, const double* orientation,
                         const double* local, const double* force, double* f)
{
    double J[18], world[3];
    int n = body->n_dof;
    cond_body_ops(body->kind)->point(position, orientation, local, world, J);
    for (int k = 0; k < n; k++)
        f[k] += J[k] * force[0] + J[n + k] * force[1] + J[2 * n + k] * force[2];
}

double cond_body_kinetic(const CondBody* body, const double* v)
{
    double M[36], sum = 0.0;
    int n = body->n_dof;
    cond_body_ops(body->kind)->mass(body, M);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            sum += v[i] * M[i * n + j] * v[j];
    return 0.5 * sum;
}
