// A rod as a body: six coordinates per link, as for a rigid body the velocity of the centre in
// world axes and the angular velocity in link axes. Its block of A is block tridiagonal.
#include "body/body.h"
#include "body/gyroscopic.h"
#include "body/spectral.h"
#include "math/quat.h"
#include "model/rod.h"

#include <math.h>
#include <string.h>

static const double* links_of(const CondBody* body, const CondKinematics* kinematics)
{
    return kinematics->q + body->q_begin;
}

static void bias(const CondBody* body, const CondKinematics* kinematics, const double* v, double t,
                 const double gravity[3], double* f)
{
    const CondRod* rod = body->rod;
    (void)kinematics;
    for (int i = 0; i < rod->n_link; i++) {
        const double* I = rod->inertia + 3 * (size_t)i;
        double full[9] = {I[0], 0.0, 0.0, 0.0, I[1], 0.0, 0.0, 0.0, I[2]}, torque[3];
        cond_gyroscopic_torque(full, v + 6 * i + 3, t, torque);
        for (int k = 0; k < 3; k++) {
            f[6 * i + k] = rod->mass[i] * gravity[k];
            f[6 * i + 3 + k] = -torque[k];
        }
    }
}

// The linear step takes E as the material asks; Newton's method the positive part itself.
static CondRodGeometric geometric(const CondBody* body, const CondKinematics* kinematics)
{
    if (kinematics->model->settings.integrator != COND_INTEGRATOR_THETA)
        return COND_ROD_GEOMETRIC_CLAMPED;
    switch (body->geometric) {
    case COND_GEOMETRIC_BOUND:
        return COND_ROD_GEOMETRIC_BOUND;
    case COND_GEOMETRIC_CLAMPED:
    case COND_GEOMETRIC_PROJECTED:
        return COND_ROD_GEOMETRIC_CLAMPED;
    default:
        return COND_ROD_GEOMETRIC_NONE;
    }
}

static CondBlock block_of(const CondBody* body, const double* values)
{
    return (CondBlock){.kind = COND_BLOCK_TRIDIAGONAL, .n_dof = body->n_dof, .values = values};
}

static void block(const CondBody* body, const CondKinematics* kinematics, double step,
                  double* values, CondBlock* out, double* f)
{
    double d = cond_kinematics_damped(kinematics, body->index);
    cond_rod_assemble(body->rod, links_of(body, kinematics), cond_spectral_mass(d) / step,
                      cond_spectral_stiffness(d) * step, 1.0, geometric(body, kinematics), values,
                      f);
    int constant = body->geometric == COND_GEOMETRIC_CONSTANT &&
                   kinematics->model->settings.integrator == COND_INTEGRATOR_THETA;
    for (int i = 0; i < body->n_dof && constant; i++) // at every link
        if (i % 6 < 3)
            values[(size_t)i * COND_TRIDIAGONAL_ROW + 6 + (size_t)(i % 6)] +=
                step * body->geometric_stiffness;
    *out = block_of(body, values);
}

static void mass(const CondBody* body, const CondKinematics* kinematics, double* values,
                 CondBlock* out)
{
    cond_rod_assemble(body->rod, links_of(body, kinematics), 1.0, 0.0, 0.0, COND_ROD_GEOMETRIC_NONE,
                      values, NULL);
    *out = block_of(body, values);
}

static void damping(const CondBody* body, const CondKinematics* kinematics, double* values,
                    CondBlock* out)
{
    cond_rod_assemble(body->rod, links_of(body, kinematics), 0.0, 0.0, 1.0, COND_ROD_GEOMETRIC_NONE,
                      values, NULL);
    *out = block_of(body, values);
}

static void accelerate(const CondBody* body, const CondKinematics* kinematics, const double* f,
                       double* a)
{
    (void)kinematics;
    for (int i = 0; i < body->n_dof; i++)
        a[i] = f[i] /
               (i % 6 < 3 ? body->rod->mass[i / 6] : body->rod->inertia[3 * (i / 6) + i % 6 - 3]);
}

static void advance(const CondBody* body, const double* v, double t, double* q)
{
    for (int i = 0; i < body->rod->n_link; i++) {
        double turn[3], dq[4], turned[4], *qi = q + 7 * (size_t)i;
        for (int k = 0; k < 3; k++) {
            qi[k] += t * v[6 * i + k];
            turn[k] = t * v[6 * i + 3 + k];
        }
        quat_exp(turn, dq);
        quat_product(qi + 3, dq, turned);
        quat_normalize(turned); // rounding only
        memcpy(qi + 3, turned, sizeof turned);
    }
}

// p = x + R r of a link: J = [I, -R [r]x] as for a rigid body.
static int point(const CondBody* body, const CondKinematics* kinematics, const CondPoint* at,
                 double* world, int* coordinate, double* J)
{
    const double* q = links_of(body, kinematics) + 7 * (size_t)at->link;
    quat_rigid_point(q, at->local, world, J);
    for (int i = 0; i < 6 && coordinate; i++)
        coordinate[i] = body->dof_begin + 6 * at->link + i;
    return 6;
}

static double speed(const CondBody* body, const CondKinematics* kinematics, const double* v)
{
    double fastest = 0.0;
    (void)kinematics;
    for (int i = 0; i < body->rod->n_link; i++)
        fastest =
            fmax(fastest, vec3_norm(v + 6 * i) + (0.5 * body->rod->length[i] + body->rod->radius) *
                                                     vec3_norm(v + 6 * i + 3));
    return fastest;
}

static double potential(const CondBody* body, const CondKinematics* kinematics,
                        const double gravity[3])
{
    const double* q = links_of(body, kinematics);
    double energy = cond_rod_energy(body->rod, q);
    for (int i = 0; i < body->rod->n_link; i++)
        energy -= body->rod->mass[i] * vec3_dot(gravity, q + 7 * (size_t)i);
    return energy;
}

// Mean by mass of what lies in x at a stride.
static void centre(const CondBody* body, const double* x, int stride, double c[3])
{
    c[0] = c[1] = c[2] = 0.0;
    for (int i = 0; i < body->rod->n_link; i++)
        for (int k = 0; k < 3; k++)
            c[k] += body->rod->mass[i] / body->mass * x[(size_t)stride * (size_t)i + (size_t)k];
}

// Centre of mass and its velocity; the orientation is that of the link in the middle.
static CondPose pose(const CondBody* body, const double* q, const double* v)
{
    CondPose out;
    double R[9];
    int i = body->rod->n_link / 2;
    centre(body, q, 7, out.position);
    centre(body, v, 6, out.velocity);
    memcpy(out.orientation, q + 7 * (size_t)i + 3, sizeof out.orientation);
    quat_matrix(out.orientation, R);
    mat3_multiply(R, v + 6 * i + 3, out.angular_velocity);
    return out;
}

// The shape it started with, moved as a whole so that pose() gives the pose asked for.
static int set_pose(const CondBody* body, const CondPose* in, double* q, double* v)
{
    const double* middle = body->start + 7 * (size_t)(body->rod->n_link / 2) + 3;
    double unit[4], inverse[4] = {middle[0], -middle[1], -middle[2], -middle[3]};
    double turn[4], R[9], c[3];
    memcpy(unit, in->orientation, sizeof unit);
    quat_normalize(unit);
    quat_product(unit, inverse, turn);
    quat_matrix(turn, R);
    centre(body, body->start, 7, c);
    for (int i = 0; i < body->rod->n_link; i++) {
        const double* from = body->start + 7 * (size_t)i;
        double r[3], turned[3], w[3], Ri[9], *qi = q + 7 * (size_t)i, *vi = v + 6 * (size_t)i;
        for (int k = 0; k < 3; k++)
            r[k] = from[k] - c[k];
        mat3_multiply(R, r, turned);
        vec3_cross(in->angular_velocity, turned, w);
        for (int k = 0; k < 3; k++) {
            qi[k] = in->position[k] + turned[k];
            vi[k] = in->velocity[k] + w[k];
        }
        quat_product(turn, from + 3, qi + 3);
        quat_normalize(qi + 3);
        quat_matrix(qi + 3, Ri);
        mat3_multiply_transposed(Ri, in->angular_velocity, vi + 3);
    }
    return 0;
}

static void drift(const CondBody* body, const double* q, const double twist[6],
                  const double about[3], double* v)
{
    for (int i = 0; i < body->rod->n_link; i++)
        quat_rigid_drift(q + 7 * (size_t)i, twist, about, v + 6 * (size_t)i);
}

const CondBodyOps cond_body_rod = {COND_BODY_ROD, bias,    block,   mass,  damping,
                                   accelerate,    advance, point,   speed, potential,
                                   drift,         pose,    set_pose};
