// What rounding leaves of the residual of the dynamics. A coordinate of size x is known to eps x.
// The forces of elements, springs and attachments take differences of coordinates, so they are as
// wrong as if the body had moved by eps x in the step, with a velocity of eps x/h; and that force,
// h K eps x/h, is at most A eps x/h. Of a group, in the norm of its residual g (sqrt(g' diag(A)^-1
// g)),
//     rounding^2 = sum_i a_ii (eps x_i/h)^2,    h = th t,
// with x_i the distance of the body from the origin and its size; for an angle over the size. The
// rounding of a body that rests without a load is all there is of its residual.
#include "body/body.h"
#include "math/vec3.h"
#include "sim/sim.h"

#include <float.h>

static int is_angle(const CondBody* body, int k)
{
    if (body->kind == COND_BODY_RIGID || body->kind == COND_BODY_ROD)
        return k % 6 >= 3;
    if (body->kind != COND_BODY_ROBOT)
        return 0;
    const CondArticulation* arm = body->arm;
    int base = arm->floating ? 6 : 0, joint = k - base - 3 * arm->n_ball;
    return k < base ? k >= 3 : joint < 0 || !arm->coordinate[joint].slides;
}

double cond_sim_rounding_of(const CondSim* sim, int b)
{
    const CondBody* body = &sim->model->body[b];
    CondPose pose =
        cond_body_ops(body->kind)
            ->pose(body, sim->at_end.q + body->q_begin, sim->attempt.v_hat + body->dof_begin);
    double size = body->size, x = vec3_norm(pose.position) + size, sum = 0.0;
    for (int k = 0; k < body->n_dof; k++) {
        double off = is_angle(body, k) && size > 0.0 ? x / size : x;
        sum += sim->newton.diagonal[body->dof_begin + k] * off * off;
    }
    return DBL_EPSILON * DBL_EPSILON * sum / (sim->length[b] * sim->length[b]);
}
