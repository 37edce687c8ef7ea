#include "math/vec3.h"
#include "potential/potential.h"

void cond_gravity_add(const CondModel* model, double* f)
{
    for (int b = 0; b < model->n_body; b++)
        for (int i = 0; i < 3; i++)
            f[model->body[b].dof_begin + i] += model->body[b].mass * model->settings.gravity[i];
}

double cond_gravity_energy(const CondModel* model, const CondState* state)
{
    double energy = 0.0;
    for (int b = 0; b < model->n_body; b++)
        energy -= model->body[b].mass * vec3_dot(model->settings.gravity, state->position + 3 * b);
    return energy;
}
