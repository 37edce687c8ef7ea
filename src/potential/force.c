#include "body/body.h"
#include "potential/potential.h"

void cond_force_add(const CondModel* model, const CondState* state, double* f)
{
    for (int i = 0; i < model->n_force; i++) {
        const CondForce* force = &model->force[i];
        // The step begins at state->time; a force acts in the steps that begin within its span. The
        // small part of a step makes 0.1 + 0.1 + ... meet the span's ends as the user means them.
        double slack = 1e-9 * model->settings.time_step;
        if (state->time < force->start - slack || state->time >= force->end - slack)
            continue;
        const CondBody* body = &model->body[force->body];
        const double* orientation = state->orientation + 4 * force->body;
        double* out = f + body->dof_begin;
        cond_body_add_force(body, state->position + 3 * force->body, orientation, force->point,
                            force->force, out);
        cond_body_ops(body->kind)->add_torque(orientation, force->torque, out);
    }
}
