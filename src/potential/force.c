// Adds forces and torques on points of bodies to f (potential.h).
#include "base/parallel.h"
#include "base/tuning.h"
#include "body/body.h"
#include "potential/potential.h"

#include <math.h>

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

// A share of a force and a torque.
static void push(const CondKinematics* kinematics, const CondPoint* point, double share,
                 const double force[3], const double torque[3], double* f)
{
    double F[3] = {share * force[0], share * force[1], share * force[2]};
    double T[3] = {share * torque[0], share * torque[1], share * torque[2]};
    cond_body_add_force(kinematics, point, F, f);
    if (T[0] != 0.0 || T[1] != 0.0 || T[2] != 0.0)
        twist(kinematics, point, T, f);
}

// The overlap of [time, time + t] and [start, end] over t, so that the impulse of the force is
// exact wherever its span begins and ends. An overlap within COND_INPUT_ROUNDING of none or all
// counts as none or all, so that 0.1 + 0.1 + ... meets the ends of the span as the user means them.
double cond_force_share(const CondForce* force, double time, double t)
{
    double from = fmax(force->start - time, 0.0), to = fmin(force->end - time, t);
    double share = (to - from) / t;
    return share < COND_INPUT_ROUNDING ? 0.0 : share > 1.0 - COND_INPUT_ROUNDING ? 1.0 : share;
}

// f += what the state is given.
typedef struct GivenLoop {
    const double* given;
    double* f;
} GivenLoop;

static void add_given(const void* loop, int first, int last)
{
    const GivenLoop* l = loop;
    for (int i = first; i < last; i++)
        l->f[i] += l->given[i];
}

void cond_force_add(const CondKinematics* kinematics, const CondState* state, double t, double* f)
{
    const CondModel* model = kinematics->model;
    for (int i = 0; i < model->n_force; i++) {
        const CondForce* force = &model->force[i];
        double share = cond_force_share(force, state->time, t);
        if (share == 0.0)
            continue;
        if (model->body[force->point.body].kind == COND_BODY_SOFT)
            cond_load_add(kinematics, force, share, f);
        else
            push(kinematics, &force->point, share, force->force, force->torque, f);
    }
    for (int i = 0; i < state->n_push; i++) {
        const CondPush* given = &state->push[i];
        if (given->point.body >= 0)
            push(kinematics, &given->point, 1.0, given->force, given->torque, f);
    }
    GivenLoop given = {state->force, f};
    cond_parallel(model->n_dof, cond_threads((size_t)model->n_dof, model->settings.solver.threads),
                  add_given, &given);
}
