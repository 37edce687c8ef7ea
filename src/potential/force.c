#include "body/body.h"
#include "potential/potential.h"

// f += J' torque, J being that of the angular velocity of the axes that a point moves with.
static void twist(const CondKinematics* kinematics, const CondPoint* point, const double torque[3],
                  double* f)
{
    CondFrame frame = {.point = *point, .patch = -1};
    double position[3], R[9], *J = kinematics->frame_columns;
    int* coordinate = kinematics->frame_list;
    int n = cond_kinematics_frame(kinematics, &frame, position, R, coordinate, J);
    for (int k = 0; k < n; k++)
        f[coordinate[k]] +=
            J[3 * n + k] * torque[0] + J[4 * n + k] * torque[1] + J[5 * n + k] * torque[2];
}

static void push(const CondKinematics* kinematics, const CondPoint* point, const double force[3],
                 const double torque[3], double* f)
{
    cond_body_add_force(kinematics, point, force, f);
    if (torque[0] != 0.0 || torque[1] != 0.0 || torque[2] != 0.0)
        twist(kinematics, point, torque, f);
}

// A force acts in the steps that begin within its span. The small part of a step makes 0.1 + 0.1 +
// ... meet the span's ends as the user means them.
int cond_force_acts(const CondModel* model, const CondForce* force, double time)
{
    double slack = 1e-9 * model->settings.time_step;
    return !(time < force->start - slack || time >= force->end - slack);
}

void cond_force_add(const CondKinematics* kinematics, const CondState* state, double* f)
{
    const CondModel* model = kinematics->model;
    for (int i = 0; i < model->n_force; i++) {
        const CondForce* force = &model->force[i];
        if (!cond_force_acts(model, force, state->time))
            continue;
        if (model->body[force->point.body].kind == COND_BODY_SOFT)
            cond_load_add(kinematics, force, f);
        else
            push(kinematics, &force->point, force->force, force->torque, f);
    }
    for (int i = 0; i < state->n_push; i++)
        if (state->push[i].point.body >= 0)
            push(kinematics, &state->push[i].point, state->push[i].force, state->push[i].torque, f);
    for (int i = 0; i < model->n_dof; i++)
        f[i] += state->force[i];
}
