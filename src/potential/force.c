#include "body/body.h"
#include "math/quat.h"
#include "potential/potential.h"

// f += the generalized force of a torque in world axes on a rigid body or a rod's link, whose
// angular coordinates are in body axes.
static void add_torque(const CondKinematics* kinematics, const CondPoint* point,
                       const double torque[3], double* f)
{
    double R[9], origin[3], local[3];
    cond_kinematics_axes(kinematics, point->body, point->part, origin, R);
    mat3_multiply_transposed(R, torque, local);
    for (int i = 0; i < 3; i++)
        f[kinematics->model->body[point->body].dof_begin + 6 * point->part + 3 + i] += local[i];
}

// A force acts in the steps that begin within its span. The small part of a step makes 0.1 + 0.1 +
// ... meet the span's ends as the user means them.
int cond_force_acts(const CondModel* model, const CondForce* force, double time)
{
    double slack = 1e-9 * model->settings.time_step;
    return !(time < force->start - slack || time >= force->end - slack);
}

void cond_force_add(const CondKinematics* kinematics, double time, double* f)
{
    const CondModel* model = kinematics->model;
    for (int i = 0; i < model->n_force; i++) {
        const CondForce* force = &model->force[i];
        if (!cond_force_acts(model, force, time))
            continue;
        cond_body_add_force(kinematics, &force->point, force->force, f);
        const CondBody* body = &model->body[force->point.body];
        if (body->kind == COND_BODY_RIGID || body->kind == COND_BODY_ROD)
            add_torque(kinematics, &force->point, force->torque, f);
    }
}
