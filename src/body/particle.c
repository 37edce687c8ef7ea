// A point mass: three coordinates, the velocity of the point.
#include "body/body.h"
#include "math/vec3.h"

#include <string.h>

static void bias(const CondBody* body, const CondKinematics* kinematics, const double* v, double t,
                 const double gravity[3], double* f)
{
    (void)kinematics;
    (void)v;
    (void)t;
    for (int i = 0; i < 3; i++)
        f[i] = body->mass * gravity[i];
}

static void fill(double mass, double* values, CondBlock* block)
{
    for (int i = 0; i < 9; i++)
        values[i] = i % 4 == 0 ? mass : 0.0;
    *block = (CondBlock){.kind = COND_BLOCK_DENSE, .n_dof = 3, .values = values};
}

static void block(const CondBody* body, const CondKinematics* kinematics, double step,
                  double* values, CondBlock* out, double* f)
{
    (void)kinematics;
    (void)f;
    fill(body->mass / step, values, out);
}

static void mass(const CondBody* body, const CondKinematics* kinematics, double* values,
                 CondBlock* out)
{
    (void)kinematics;
    fill(body->mass, values, out);
}

static void damping(const CondBody* body, const CondKinematics* kinematics, double* values,
                    CondBlock* out)
{
    (void)body;
    (void)kinematics;
    fill(0.0, values, out);
}

static void accelerate(const CondBody* body, const CondKinematics* kinematics, const double* f,
                       double* a)
{
    (void)kinematics;
    for (int i = 0; i < 3; i++)
        a[i] = f[i] / body->mass;
}

static void advance(const CondBody* body, const double* v, double t, double* q)
{
    (void)body;
    for (int i = 0; i < 3; i++)
        q[i] += t * v[i];
}

// A particle has no extent and no axes: every point of it is the point.
static int point(const CondBody* body, const CondKinematics* kinematics, const CondPoint* at,
                 double* world, int* coordinate, double* J)
{
    (void)at;
    for (int i = 0; i < 3; i++) {
        world[i] = kinematics->q[body->q_begin + i];
        if (coordinate)
            coordinate[i] = body->dof_begin + i;
    }
    for (int i = 0; i < 9 && J; i++)
        J[i] = i % 4 == 0 ? 1.0 : 0.0;
    return 3;
}

static double speed(const CondBody* body, const CondKinematics* kinematics, const double* v)
{
    (void)body;
    (void)kinematics;
    return vec3_norm(v);
}

static double potential(const CondBody* body, const CondKinematics* kinematics,
                        const double gravity[3])
{
    return -body->mass * vec3_dot(gravity, kinematics->q + body->q_begin);
}

static CondPose pose(const CondBody* body, const double* q, const double* v)
{
    (void)body;
    CondPose out = {.orientation = {1.0, 0.0, 0.0, 0.0}};
    memcpy(out.position, q, sizeof out.position);
    memcpy(out.velocity, v, sizeof out.velocity);
    return out;
}

static int set_pose(const CondBody* body, const CondPose* in, double* q, double* v)
{
    (void)body;
    memcpy(q, in->position, sizeof in->position);
    memcpy(v, in->velocity, sizeof in->velocity);
    return 0;
}

static void drift(const CondBody* body, const double* q, const double twist[6],
                  const double about[3], double* v)
{
    for (int i = 0; i < body->n_dof; i += 3) {
        double r[3] = {q[i] - about[0], q[i + 1] - about[1], q[i + 2] - about[2]};
        vec3_cross(twist + 3, r, v + i);
        for (int k = 0; k < 3; k++)
            v[i + k] += twist[k];
    }
}

const CondBodyOps cond_body_particle = {
    COND_BODY_PARTICLE, bias,  block, mass,    damping, accelerate, advance, point, speed,
    potential,          drift, pose,  set_pose};
