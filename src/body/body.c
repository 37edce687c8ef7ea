#include "body/body.h"
#include "math/quat.h"
#include "model/rod.h"

#include "model/fem.h"

const CondBodyOps* cond_body_ops(CondBodyKind kind)
{
    static const CondBodyOps* const table[] = {&cond_body_particle, &cond_body_rigid,
                                               &cond_body_soft, &cond_body_robot, &cond_body_rod};
    return table[kind];
}

size_t cond_body_block_size(const CondBody* body)
{
    if (body->kind == COND_BODY_SOFT)
        return 9 * (size_t)body->fem->pattern.row_begin[body->fem->n_node];
    if (body->kind == COND_BODY_ROD)
        return (size_t)body->n_dof * COND_TRIDIAGONAL_ROW;
    return (size_t)body->n_dof * (size_t)body->n_dof;
}

size_t cond_body_mass_size(const CondBody* body)
{
    // A soft body's is a diagonal of 3x3 blocks.
    return body->kind == COND_BODY_SOFT ? 3 * (size_t)body->n_dof : cond_body_block_size(body);
}

void cond_body_add_force(const CondKinematics* kinematics, const CondPoint* point,
                         const double force[3], double* f)
{
    double world[3], *J = kinematics->columns;
    int n = cond_kinematics_point(kinematics, point, world, kinematics->list, J);
    for (int k = 0; k < n; k++)
        f[kinematics->list[k]] += J[k] * force[0] + J[n + k] * force[1] + J[2 * n + k] * force[2];
}

void cond_body_normalize(const CondBody* body, double* q)
{
    int n = body->kind == COND_BODY_ROD ? body->rod->n_link : 0, balls = 0;
    if (body->kind == COND_BODY_ROBOT)
        balls = body->arm->n_ball;
    if (body->kind == COND_BODY_RIGID || (body->kind == COND_BODY_ROBOT && body->arm->floating))
        quat_normalize(q + 3);
    for (int i = 0; i < balls; i++)
        quat_normalize(q + cond_articulation_ball_q(body->arm) + 4 * (size_t)i);
    for (int i = 0; i < n; i++)
        quat_normalize(q + 7 * (size_t)i + 3);
}
