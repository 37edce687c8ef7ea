// A rigid body in maximal coordinates: velocity of the centre of mass in world axes, then angular
// velocity w in BODY axes. In body axes the inertia is constant, so that Euler's equation
//     I dw/dt + w x I w = torque
// fits A v = b exactly, and the configuration moves by R <- R exp(t w).
#include "body/body.h"
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

static void block(const CondBody* body, const CondPosture* posture, double step, double* values,
                  CondBlock* out, double* f)
{
    (void)posture;
    (void)f;
    fill(body, 1.0 / step, values, out);
}

static void mass(const CondBody* body, const CondPosture* posture, double* values, CondBlock* out)
{
    (void)posture;
    fill(body, 1.0, values, out);
}

static void damping(const CondBody* body, const CondPosture* posture, double* values,
                    CondBlock* out)
{
    (void)posture;
    fill(body, 0.0, values, out);
}

// w x I w
static void gyroscopic(const double I[9], const double w[3], double out[3])
{
    double L[3];
    mat3_multiply(I, w, L);
    vec3_cross(w, L, out);
}

// The middle of the force-free implicit midpoint step from w0:
//     F(w) = I (w - w0) + t/2 w x I w = 0,    dF/dw = I + t/2 ([w]x I - [I w]x),
// by Newton's method. That step keeps the energy and |I w| exactly, so taking -C v there makes
// tumbling neither gain nor lose energy at any step length, where -C v at w0 would gain.
static void middle(const double I[9], const double w0[3], double t, double w[3])
{
    memcpy(w, w0, 3 * sizeof *w);
    for (int k = 0; k < 30; k++) {
        double F[3], L[3], S[9], SI[9], SL[9], J[9], change[3], d[3];
        gyroscopic(I, w, F);
        for (int i = 0; i < 3; i++)
            d[i] = w[i] - w0[i];
        mat3_multiply(I, d, L);
        for (int i = 0; i < 3; i++)
            F[i] = L[i] + 0.5 * t * F[i];
        mat3_multiply(I, w, L);
        mat3_cross(w, S);
        mat3_product(S, I, SI);
        mat3_cross(L, SL);
        for (int i = 0; i < 9; i++)
            J[i] = I[i] + 0.5 * t * (SI[i] - SL[i]);
        if (mat3_solve(J, F, change))
            return;
        for (int i = 0; i < 3; i++)
            w[i] -= change[i];
        if (vec3_norm(change) <= 1e-15 * vec3_norm(w))
            return;
    }
}

static void bias(const CondBody* body, const CondPosture* posture, const double* v, double t,
                 const double gravity[3], double* f)
{
    double w[3], torque[3];
    (void)posture;
    middle(body->inertia, v + 3, t, w);
    gyroscopic(body->inertia, w, torque);
    for (int i = 0; i < 3; i++) {
        f[i] = body->mass * gravity[i];
        f[3 + i] = -torque[i];
    }
}

static void accelerate(const CondBody* body, const CondPosture* posture, const double* f, double* a)
{
    (void)posture;
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
    quat_exp(turn, dq);
    quat_product(q + 3, dq, turned);
    quat_normalize(turned); // rounding only
    memcpy(q + 3, turned, sizeof turned);
}

// p = x + R r,  dp/dt = v + R (w x r) = [I, -R [r]x] (v, w)
static int point(const CondBody* body, const CondPosture* posture, const CondPoint* at,
                 double* world, int* coordinate, double* J)
{
    const double* q = posture->q + body->q_begin;
    double R[9], S[9], RS[9], Rr[3];
    quat_matrix(q + 3, R);
    mat3_multiply(R, at->local, Rr);
    mat3_cross(at->local, S);
    mat3_product(R, S, RS);
    for (int i = 0; i < 3; i++) {
        world[i] = q[i] + Rr[i];
        for (int j = 0; j < 3 && J; j++) {
            J[6 * i + j] = i == j;
            J[6 * i + 3 + j] = -RS[3 * i + j];
        }
    }
    for (int i = 0; i < 6 && coordinate; i++)
        coordinate[i] = body->dof_begin + i;
    return 6;
}

static double speed(const CondBody* body, const CondPosture* posture, const double* v)
{
    (void)posture;
    return vec3_norm(v) + body->radius * vec3_norm(v + 3);
}

static double potential(const CondBody* body, const CondPosture* posture, const double gravity[3])
{
    return -body->mass * vec3_dot(gravity, posture->q + body->q_begin);
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

const CondBodyOps cond_body_rigid = {COND_BODY_RIGID, bias,  block, mass,      damping, accelerate,
                                     advance,         point, speed, potential, pose,    set_pose};
