// Carries velocities of robots between configurations (transport.h). Reads kinematics; writes
// its own arrays.
#include "body/transport.h"

#include "base/memory.h"
#include "body/tuning.h"
#include "linear/cholesky.h"
#include "math/eigen.h"

#include <math.h>
#include <string.h>

CondStatus cond_transport_create(const CondModel* model, CondTransportKind kind,
                                 CondTransport* transport)
{
    const CondContext* m = &model->arena.context;
    size_t n = 0, n_q = 0;
    transport->context = *m;
    transport->kind = kind;
    transport->model = model;
    transport->work = cond_allocate(m, (size_t)model->n_body, sizeof *transport->work);
    if (!transport->work)
        return COND_OUT_OF_MEMORY;
    for (int b = 0; b < model->n_body && kind != COND_TRANSPORT_VELOCITY; b++) {
        const CondBody* body = &model->body[b];
        if (body->kind != COND_BODY_ROBOT)
            continue;
        n = (size_t)body->n_dof > n ? (size_t)body->n_dof : n;
        n_q = (size_t)body->n_q > n_q ? (size_t)body->n_q : n_q;
        CondStatus status = cond_articulation_work_create(m, body->arm, &transport->work[b], NULL);
        if (status)
            return status;
    }
    transport->q = cond_allocate(m, n_q, sizeof(double));
    transport->rate = cond_allocate(m, n * n, sizeof(double));
    transport->near = cond_allocate(m, n * n, sizeof(double));
    transport->vectors = cond_allocate(m, n * n, sizeof(double));
    transport->vector = cond_allocate(m, 4 * n, sizeof(double));
    int all = transport->q && transport->rate && transport->near && transport->vectors &&
              transport->vector;
    return all ? COND_OK : COND_OUT_OF_MEMORY;
}

void cond_transport_destroy(CondTransport* transport)
{
    const CondContext* m = &transport->context;
    if (!transport->model)
        return;
    for (int b = 0; b < transport->model->n_body && transport->work; b++)
        if (transport->work[b])
            cond_articulation_work_destroy(transport->work[b]);
    cond_release(m, transport->work);
    cond_release(m, transport->q);
    cond_release(m, transport->rate);
    cond_release(m, transport->near);
    cond_release(m, transport->vectors);
    cond_release(m, transport->vector);
    memset(transport, 0, sizeof *transport);
}

static double dot(int n, const double* x, const double* y)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

static void multiply(int n, const double* A, const double* x, double* y)
{
    for (int i = 0; i < n; i++)
        y[i] = dot(n, A + i * n, x);
}

// y = Q' x
static void to_eigen(int n, const double* Q, const double* x, double* y)
{
    for (int i = 0; i < n; i++) {
        y[i] = 0.0;
        for (int k = 0; k < n; k++)
            y[i] += Q[k * n + i] * x[k];
    }
}

// M = Q diag(s^2) Q': eigenvectors in carry->vectors, s (n). Uses carry->near.
static void decompose(const CondTransport* transport, int n, const double* M, double* s)
{
    memcpy(transport->near, M, (size_t)(n * n) * sizeof *M);
    cond_eigen_symmetric(n, transport->near, s, transport->vectors);
    for (int i = 0; i < n; i++)
        s[i] = sqrt(s[i]); // positive definite: the robot was checked
}

// v <- M^(power/2) v for power 1 or -1
static void root(const CondTransport* transport, int n, const double* M, int power, double* v)
{
    double *s = transport->vector, *x = s + n;
    decompose(transport, n, M, s);
    to_eigen(n, transport->vectors, v, x);
    for (int i = 0; i < n; i++)
        x[i] = power > 0 ? s[i] * x[i] : x[i] / s[i];
    multiply(n, transport->vectors, x, v);
}

void cond_transport_move(const CondTransport* transport, const CondBody* body,
                         const CondKinematics* from, const CondKinematics* to, double* v)
{
    int n = body->n_dof, b = body->index;
    if (transport->kind == COND_TRANSPORT_MOMENTUM) {
        multiply(n, cond_kinematics_mass(from, b), v, transport->vector);
        memcpy(v, transport->vector, (size_t)n * sizeof *v);
        cond_cholesky_solve(n, cond_kinematics_mass_factor(to, b), v);
    } else if (transport->kind == COND_TRANSPORT_ROOT) {
        root(transport, n, cond_kinematics_mass(from, b), 1, v);
        root(transport, n, cond_kinematics_mass(to, b), -1, v);
    }
}

// dM/dt along v, by central differences of the fourth order. The coordinates move by about
// COND_MASS_STEP.
static void mass_rate(const CondTransport* transport, const CondBody* body,
                      const CondKinematics* kinematics, const double* v)
{
    static const double at[4] = {-2.0, -1.0, 1.0, 2.0}, weight[4] = {1.0, -8.0, 8.0, -1.0};
    int n = body->n_dof;
    double fastest = 0.0;
    memset(transport->rate, 0, (size_t)(n * n) * sizeof *transport->rate);
    for (int i = 0; i < n; i++)
        fastest = fmax(fastest, fabs(v[i]));
    if (!(fastest > 0.0))
        return;
    double step = COND_MASS_STEP / fastest;
    for (int k = 0; k < 4; k++) {
        memcpy(transport->q, kinematics->q + body->q_begin,
               (size_t)body->n_q * sizeof *transport->q);
        cond_articulation_advance(body->arm, v, at[k] * step, transport->q);
        cond_articulation_kinematics(body->arm, transport->q, transport->work[body->index]);
        cond_articulation_mass(body->arm, transport->work[body->index], transport->near);
        for (int i = 0; i < n * n; i++)
            transport->rate[i] += weight[k] / (12.0 * step) * transport->near[i];
    }
}

// f += R (dR/dt) v with R = M^(1/2). From (dR/dt) R + R (dR/dt) = dM/dt follows, in the axes of M's
// eigenvectors, (dR/dt)_ij = (dM/dt)_ij / (s_i + s_j).
static void add_root_rate(const CondTransport* transport, int n, const double* M, const double* v,
                          double* f)
{
    double *s = transport->vector, *x = s + n, *y = x + n, *column = y + n, *Q = transport->vectors;
    decompose(transport, n, M, s);
    to_eigen(n, Q, v, x);
    memset(y, 0, (size_t)n * sizeof *y);
    for (int j = 0; j < n; j++) {        // column j of Q' (dM/dt) Q
        double* moved = transport->near; // free again
        for (int i = 0; i < n; i++) {
            moved[i] = 0.0;
            for (int k = 0; k < n; k++)
                moved[i] += transport->rate[i * n + k] * Q[k * n + j];
        }
        to_eigen(n, Q, moved, column);
        for (int i = 0; i < n; i++)
            y[i] += s[i] / (s[i] + s[j]) * column[i] * x[j];
    }
    for (int i = 0; i < n; i++)
        f[i] += dot(n, Q + i * n, y);
}

// In the coordinates c = R v the motion without forces is dc/dt = a with a = R^-1 e, e the force
// given here. It turns c: a.c = 0, which is made exact. With e = R a and |c|^2 = v' M v all of this
// needs no R. Over a step, Cayley's rotation in the plane of c and a,
//     c* = c + t (a - (2 z^2/t) c)/(1 + z^2),      z = t |a| / (2 |c|),
// keeps |c*| = |c|; its mean force is R (c* - c)/t = (e - (2 z^2/t) M v)/(1 + z^2).
static void keep_energy(const CondTransport* transport, int n, const CondKinematics* kinematics,
                        int body, const double* v, double t, double* e)
{
    double *p = transport->vector, *a = p + n;
    multiply(n, cond_kinematics_mass(kinematics, body), v, p);
    double energy = dot(n, v, p);
    if (!(energy > 0.0))
        return;
    double power = dot(n, v, e);
    for (int i = 0; i < n; i++)
        e[i] -= power / energy * p[i];
    if (!(t > 0.0))
        return;
    memcpy(a, e, (size_t)n * sizeof *a);
    cond_cholesky_solve(n, cond_kinematics_mass_factor(kinematics, body), a);
    double z2 = 0.25 * t * t * dot(n, e, a) / energy;
    for (int i = 0; i < n; i++)
        e[i] = (e[i] - 2.0 * z2 / t * p[i]) / (1.0 + z2);
}

void cond_transport_bias(const CondTransport* transport, const CondBody* body,
                         const CondKinematics* kinematics, const double* v, double t,
                         const double gravity[3], double* f)
{
    static const double none[3] = {0.0, 0.0, 0.0};
    const CondArmPosture* arm = &kinematics->arm[body->index];
    int n = body->n_dof;
    if (transport->kind == COND_TRANSPORT_VELOCITY) {
        cond_articulation_bias(body->arm, arm->work, v, gravity, f);
        return;
    }
    mass_rate(transport, body, kinematics, v);
    if (transport->kind == COND_TRANSPORT_MOMENTUM) {
        cond_articulation_bias(body->arm, arm->work, v, gravity, f);
        multiply(n, transport->rate, v, transport->vector);
        for (int i = 0; i < n; i++)
            f[i] += transport->vector[i];
        return;
    }
    cond_articulation_bias(body->arm, arm->work, v, none, f);
    add_root_rate(transport, n, cond_kinematics_mass(kinematics, body->index), v, f);
    keep_energy(transport, n, kinematics, body->index, v, t, f);
    double *weight = transport->vector, *still = weight + n;
    memset(still, 0, (size_t)n * sizeof *still);
    cond_articulation_bias(body->arm, arm->work, still, gravity, weight);
    for (int i = 0; i < n; i++)
        f[i] += weight[i];
}
