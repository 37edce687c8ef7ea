// The table of function tables of the five kinds of bodies (body.h).
#include "body/body.h"
#include "base/parallel.h"
#include "math/quat.h"
#include "model/index.h"
#include "model/rod.h"

#include "model/fem.h"

#include <math.h>
#include <string.h>

const CondBodyOps* cond_body_ops(CondBodyKind kind)
{
    static const CondBodyOps* const table[] = {&cond_body_particle, &cond_body_rigid,
                                               &cond_body_soft, &cond_body_robot, &cond_body_rod};
    return table[kind];
}

int cond_body_deforms(const CondBody* body)
{
    return body->kind == COND_BODY_SOFT || body->kind == COND_BODY_ROD;
}

// q = from + t v of nodes
typedef struct NodeLoop {
    const double *from, *v;
    double t, *q;
} NodeLoop;

static void advance_nodes(const void* loop, int first, int last)
{
    const NodeLoop* l = loop;
    for (int i = first; i < last; i++)
        l->q[i] = l->from[i] + l->t * l->v[i];
}

void cond_body_advance(const CondBody* body, const double* from, const double* v, double t,
                       int threads, double* q)
{
    if (body->kind == COND_BODY_SOFT) {
        NodeLoop loop = {from, v, t, q};
        cond_parallel(body->n_dof, cond_threads(4 * (size_t)body->n_dof, threads), advance_nodes,
                      &loop);
        if (q != from && body->n_q > body->n_dof) // plastic curvatures
            memcpy(q + body->n_dof, from + body->n_dof,
                   (size_t)(body->n_q - body->n_dof) * sizeof *q);
        return;
    }
    if (q != from)
        memcpy(q, from, (size_t)body->n_q * sizeof *q);
    cond_body_ops(body->kind)->advance(body, v, t, q);
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

int cond_body_turn(const CondBody* body, int turn)
{
    int floating = body->kind == COND_BODY_ROBOT && body->arm->floating,
        balls = body->kind == COND_BODY_ROBOT ? body->arm->n_ball : 0;
    if (body->kind == COND_BODY_ROD)
        return turn < body->rod->n_link ? 7 * turn + 3 : -1;
    if (body->kind == COND_BODY_RIGID || floating) {
        if (turn == 0)
            return 3;
        turn--;
    }
    return turn < balls ? cond_articulation_ball_q(body->arm) + 4 * turn : -1;
}

void cond_body_between(const CondBody* body, const double* from, const double* to, double* v)
{
    for (int i = 0, k = 0, turn = 0, at = cond_body_turn(body, 0); k < body->n_dof;) {
        if (i != at) {
            v[k++] = to[i] - from[i];
            i++;
            continue;
        }
        double inverse[4] = {from[i], -from[i + 1], -from[i + 2], -from[i + 3]}, d[4];
        quat_product(inverse, to + i, d); // in body axes
        double s = vec3_norm(d + 1), angle = 2.0 * atan2(s, fabs(d[0]));
        for (int r = 0; r < 3; r++)
            v[k++] = s > 0.0 ? (d[0] < 0.0 ? -angle : angle) / s * d[1 + r] : 0.0;
        i += 4;
        at = cond_body_turn(body, ++turn);
    }
}

void cond_body_normalize(const CondBody* body, double* q)
{
    for (int i = 0, at; (at = cond_body_turn(body, i)) >= 0; i++)
        quat_normalize(q + at);
}

int cond_body_turnless(const CondBody* body, const double* q)
{
    for (int i = 0, at; (at = cond_body_turn(body, i)) >= 0; i++) {
        const double* turn = q + at;
        double norm2 =
            turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2] + turn[3] * turn[3];
        if (!(norm2 > 0.0) || !isfinite(norm2))
            return at;
    }
    return -1;
}

CondStatus cond_model_zero_configuration(const CondModel* model, int body, double* q)
{
    CondStatus status = cond_model_check_body(model, body);
    if (status)
        return status;
    const CondBody* one = &model->body[body];
    memset(q, 0, (size_t)one->n_q * sizeof *q);
    for (int i = 0, at; (at = cond_body_turn(one, i)) >= 0; i++)
        q[at] = 1.0;
    return COND_OK;
}
