// A rigid body in maximal coordinates: velocity of the centre of mass in world axes, then angular
// velocity w in BODY axes. In body axes the inertia is constant, so that Euler's equation
//     I dw/dt + w x I w = torque
// fits A v = b exactly, and the configuration moves by R <- R exp(t w).
#include "body/body.h"
#include "body/gyroscopic.h"
#include "math/quat.h"

#include <string.h>

static void fill(const CondBody* body, double scale, double* values, CondBlock* block)
{
    memset(values, 0, 36 * sizeof *values);
    for (int i = 0; i < 3; i++) {
        values[7 * i] = scale * body->mass;
        for (int j = 0; j < 3; j++)
            values[6 * (3 + i) + 3 + j] = scale * body->inertia[3 * i + j];
    }
    *block = (CondBlock){.kind = COND_BLOCK_DENSE, .n_dof = 6, .values = values};
}

static void block(const CondBody* body, const CondKinematics* kinematics, double step,
                  double* values, CondBlock* out, double* f)
{
    (void)kinematics;
    (void)f;
    fill(body, 1.0 / step, values, out);
}

static void mass(const CondBody* body, const CondKinematics* kinematics, double* values,
                 CondBlock* out)
{
    (void)kinematics;
    fill(body, 1.0, values, out);
}

static void damping(const CondBody* body, const CondKinematics* kinematics, double* values,
                    CondBlock* out)
{
    (void)kinematics;
    fill(body, 0.0, values, out);
}

static void bias(const CondBody* body, const CondKinematics* kinematics, const double* v, double t,
                 const double gravity[3], double* f)
{
    double torque[3];
    (void)kinematics;
    cond_gyroscopic_torque(body->inertia, v + 3, t, torque);
    for (int i = 0; i < 3; i++) {
        f[i] = body->mass * gravity[i];
        f[3 + i] = -torque[i];
    }
}

static void accelerate(const CondBody* body, const CondKinematics* kinematics, const double* f,
                       double* a)
{
    (void)kinematics;
    for (int i = 0; i < 3; i++)
        a[i] = f[i] / body->mass;
    mat3_solve(body->inertia, f + 3, a + 3); // positive definite: the scene was checked
}

static void advance(const CondBody* body, const double* v, double t, double* q)
{
    double turn[3], dq[4], turned[4];
    (void)body;
    for (int i = 0; i < 3; i++) {
        q[i] += t * v[i];
        turn[i] = t * v[3 + i];
    }
    if (turn[0] == 0.0 && turn[1] == 0.0 && turn[2] == 0.0)
        return; // another rounding would be a motion
    quat_exp(turn, dq);
    quat_product(q + 3, dq, turned);
    quat_normalize(turned); // rounding only
    memcpy(q + 3, turned, sizeof turned);
}

// p = x + R r,  dp/dt = v + R (w x r) = [I, -R [r]x] (v, w)
static int point(const CondBody* body, const CondKinematics* kinematics, const CondPoint* at,
                 double* world, int* coordinate, double* J)
{
    const double* q = kinematics->q + body->q_begin;
    quat_rigid_point(q, at->local, world, J);
    for (int i = 0; i < 6 && coordinate; i++)
        coordinate[i] = body->dof_begin + i;
    return 6;
}

static double speed(const CondBody* body, const CondKinematics* kinematics, const double* v)
{
    (void)kinematics;
    return vec3_norm(v) + body->radius * vec3_norm(v + 3);
}

static double potential(const CondBody* body, const CondKinematics* kinematics,
                        const double gravity[3])
{
    return -body->mass * vec3_dot(gravity, kinematics->q + body->q_begin);
}

static CondPose pose(const CondBody* body, const double* q, const double* v)
{
    CondPose out;
    double R[9];
    (void)body;
    memcpy(out.position, q, sizeof out.position);
    memcpy(out.orientation, q + 3, sizeof out.orientation);
    memcpy(out.velocity, v, sizeof out.velocity);
    quat_matrix(q + 3, R);
    mat3_multiply(R, v + 3, out.angular_velocity);
    return out;
}

static int set_pose(const CondBody* body, const CondPose* in, double* q, double* v)
{
    double R[9];
    (void)body;
    memcpy(q, in->position, sizeof in->position);
    memcpy(q + 3, in->orientation, sizeof in->orientation);
    quat_normalize(q + 3);
    memcpy(v, in->velocity, sizeof in->velocity);
    quat_matrix(q + 3, R);
    mat3_multiply_transposed(R, in->angular_velocity, v + 3);
    return 0;
}

static void drift(const CondBody* body, const double* q, const double twist[6],
                  const double about[3], double* v)
{
    (void)body;
    quat_rigid_drift(q, twist, about, v);
}

const CondBodyOps cond_body_rigid = {COND_BODY_RIGID, bias,    block,   mass,  damping,
                                     accelerate,      advance, point,   speed, potential,
                                     drift,           pose,    set_pose};
