// A rigid body in maximal coordinates: velocity of the centre of mass in world axes, then angular
// velocity w in BODY axes. In body axes the inertia is constant, so that Euler's equation
//     I dw/dt + w x I w = torque
// fits A v = b exactly, and the configuration moves by R <- R exp(t w).
#include "body/body.h"
#include "math/quat.h"

#include <string.h>

static void mass(const CondBody* body, double* M)
{
    memset(M, 0, 36 * sizeof *M);
    for (int i = 0; i < 3; i++) {
        M[7 * i] = body->mass;
        for (int j = 0; j < 3; j++)
            M[6 * (3 + i) + 3 + j] = body->inertia[3 * i + j];
    }
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

static void bias(const CondBody* body, const double* v, double t, double* f)
{
    double w[3], torque[3];
    middle(body->inertia, v + 3, t, w);
    gyroscopic(body->inertia, w, torque);
    for (int i = 0; i < 3; i++) {
        f[i] = 0.0;
        f[3 + i] = -torque[i];
    }
}

static void accelerate(const CondBody* body, const double* f, double* v)
{
    for (int i = 0; i < 3; i++)
        v[i] = f[i] / body->mass;
    mat3_solve(body->inertia, f + 3, v + 3); // positive definite: the scene was checked
}

static void advance(const double* v, double t, double* position, double* orientation)
{
    double turn[3], dq[4], q[4];
    for (int i = 0; i < 3; i++) {
        position[i] += t * v[i];
        turn[i] = t * v[3 + i];
    }
    quat_exp(turn, dq);
    quat_product(orientation, dq, q);
    quat_normalize(q); // rounding only
    memcpy(orientation, q, sizeof q);
}

// p = x + R r,  dp/dt = v + R (w x r) = [I, -R [r]x] (v, w)
static void point(const double* position, const double* orientation, const double* local,
                  double* world, double* jacobian)
{
    double R[9], S[9], RS[9], Rr[3];
    quat_matrix(orientation, R);
    mat3_multiply(R, local, Rr);
    mat3_cross(local, S);
    mat3_product(R, S, RS);
    for (int i = 0; i < 3; i++) {
        world[i] = position[i] + Rr[i];
        for (int j = 0; j < 3; j++) {
            jacobian[6 * i + j] = i == j;
            jacobian[6 * i + 3 + j] = -RS[3 * i + j];
        }
    }
}

static void add_torque(const double* orientation, const double* torque, double* f)
{
    double R[9], local[3];
    quat_matrix(orientation, R);
    mat3_multiply_transposed(R, torque, local);
    for (int i = 0; i < 3; i++)
        f[3 + i] += local[i];
}

const CondBodyOps cond_body_rigid = {COND_BODY_RIGID, 6,       mass,  bias,
                                     accelerate,      advance, point, add_torque};
