// Frames: a point of a rigid body or a link with its axes, or a frame fitted to nodes.
#include "body/body.h"
#include "body/kinematics.h"
#include "math/polar.h"
#include "math/quat.h"

#include <string.h>

static const double IDENTITY[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};

// Centre c = sum w x, and R from the polar decomposition of sum w (x - c) rest'. Momentum defines
// the velocities: J_c = w I and the angular velocity I_c^-1 sum w (x - c) x v, with the inertia
// I_c = sum w (|r|^2 - r r').
static int patch_frame(const CondKinematics* kinematics, const CondPatch* patch, double position[3],
                       double R[9], int* coordinate, double* J)
{
    const CondBody* body = &kinematics->model->body[patch->body];
    const double* x = kinematics->q + body->q_begin;
    double fit[9] = {0.0}, inertia[9] = {0.0};
    int n = 3 * patch->n_node;
    memset(position, 0, 3 * sizeof *position);
    for (int k = 0; k < patch->n_node; k++)
        for (int i = 0; i < 3; i++)
            position[i] += patch->weight[k] * x[3 * patch->node[k] + i];
    for (int k = 0; k < patch->n_node; k++) {
        double r[3], w = patch->weight[k];
        for (int i = 0; i < 3; i++)
            r[i] = x[3 * patch->node[k] + i] - position[i];
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                fit[3 * i + j] += w * r[i] * patch->rest[3 * k + j];
                inertia[3 * i + j] += w * ((i == j ? vec3_dot(r, r) : 0.0) - r[i] * r[j]);
            }
    }
    cond_polar_rotation(fit, R);
    for (int k = 0; k < patch->n_node && J; k++) {
        double r[3], S[9], column[3], turn[3], w = patch->weight[k];
        for (int i = 0; i < 3; i++)
            r[i] = x[3 * patch->node[k] + i] - position[i];
        mat3_cross(r, S);
        for (int j = 0; j < 3; j++) {
            coordinate[3 * k + j] = body->dof_begin + 3 * patch->node[k] + j;
            for (int i = 0; i < 3; i++)
                column[i] = w * S[3 * i + j]; // w r x e_j
            if (mat3_solve(inertia, column, turn))
                memset(turn, 0, sizeof turn);
            for (int i = 0; i < 3; i++) {
                J[i * n + 3 * k + j] = i == j ? w : 0.0;
                J[(3 + i) * n + 3 * k + j] = turn[i];
            }
        }
    }
    return n;
}

void cond_kinematics_axes(const CondKinematics* kinematics, int body, int part, double origin[3],
                          double R[9])
{
    const CondBody* owner = &kinematics->model->body[body];
    const double* q = kinematics->q + owner->q_begin;
    if (owner->kind == COND_BODY_ROBOT) {
        const CondArticulationWork* work = kinematics->arm[body].work;
        memcpy(origin, work->position + 3 * (size_t)part, 3 * sizeof *origin);
        memcpy(R, work->rotation + 9 * (size_t)part, 9 * sizeof *R);
        return;
    }
    q += owner->kind == COND_BODY_ROD ? 7 * (size_t)part : 0;
    memcpy(origin, q, 3 * sizeof *origin);
    if (owner->kind == COND_BODY_PARTICLE) { // it does not turn: its axes are the world's
        memcpy(R, IDENTITY, sizeof IDENTITY);
        return;
    }
    quat_matrix(q + 3, R);
}

int cond_kinematics_frame(const CondKinematics* kinematics, const CondFrame* frame,
                          double position[3], double R[9], int* coordinate, double* J)
{
    const CondPoint* point = &frame->point;
    memcpy(R, IDENTITY, sizeof IDENTITY);
    if (frame->patch >= 0)
        return patch_frame(kinematics, &kinematics->model->patch[frame->patch], position, R,
                           coordinate, J);
    if (frame->guide > 0) {
        const CondIkTarget* guide = &kinematics->guide[frame->guide - 1];
        memcpy(position, guide->position, sizeof guide->position);
        quat_matrix(guide->orientation, R);
        return 0;
    }
    const CondBody* body = point->body < 0 ? NULL : &kinematics->model->body[point->body];
    if (body && !J && (body->kind == COND_BODY_RIGID || body->kind == COND_BODY_ROD)) {
        double origin[3];
        cond_kinematics_axes(kinematics, point->body, point->link, origin, R);
        mat3_multiply(R, point->local, position);
        for (int i = 0; i < 3; i++)
            position[i] = origin[i] + position[i];
        return 6;
    }
    int n = cond_kinematics_point(kinematics, point, position, coordinate, J);
    if (!body)
        return n;
    if (J)
        memset(J + 3 * n, 0, 3 * (size_t)n * sizeof *J);
    if (body->kind == COND_BODY_RIGID || body->kind == COND_BODY_ROD) {
        double origin[3];
        cond_kinematics_axes(kinematics, point->body, point->link, origin, R);
        for (int i = 0; i < 3 && J; i++)
            for (int j = 0; j < 3; j++)
                J[(3 + i) * n + 3 + j] = R[3 * i + j];
    } else if (body->kind == COND_BODY_ROBOT) {
        const CondArticulationWork* work = kinematics->arm[point->body].work;
        memcpy(R, work->rotation + 9 * point->link, 9 * sizeof *R);
        if (J)
            cond_articulation_frame_jacobian(body->arm, work, point->link, point->local, J);
    }
    return n;
}

void cond_kinematics_frame_rate(const CondKinematics* kinematics, const CondFrame* frame,
                                double rate[6])
{
    memset(rate, 0, 6 * sizeof *rate);
    if (frame->guide == 0)
        return;
    const CondIkTarget* guide = &kinematics->guide[frame->guide - 1];
    memcpy(rate, guide->velocity, sizeof guide->velocity);
    memcpy(rate + 3, guide->angular, sizeof guide->angular);
}
