#include "step/carry.h"

#include "base/memory.h"
#include "linear/cholesky.h"
#include "math/eigen.h"

#include <math.h>
#include <string.h>

CondStatus cond_carry_create(const CondModel* model, CondCarryKind kind, CondCarry* carry)
{
    const CondContext* m = &model->arena.context;
    size_t n = 0, n_q = 0;
    carry->context = *m;
    carry->kind = kind;
    carry->model = model;
    carry->work = cond_allocate(m, (size_t)model->n_body, sizeof *carry->work);
    if (!carry->work)
        return COND_OUT_OF_MEMORY;
    for (int b = 0; b < model->n_body && kind != COND_CARRY_VELOCITY; b++) {
        const CondBody* body = &model->body[b];
        if (body->kind != COND_BODY_ROBOT)
            continue;
        n = (size_t)body->n_dof > n ? (size_t)body->n_dof : n;
        n_q = (size_t)body->n_q > n_q ? (size_t)body->n_q : n_q;
        CondStatus status = cond_articulation_work_create(m, body->arm, &carry->work[b], NULL);
        if (status)
            return status;
    }
    carry->q = cond_allocate(m, n_q, sizeof(double));
    carry->rate = cond_allocate(m, n * n, sizeof(double));
    carry->near = cond_allocate(m, n * n, sizeof(double));
    carry->vectors = cond_allocate(m, n * n, sizeof(double));
    carry->vector = cond_allocate(m, 4 * n, sizeof(double));
    int all = carry->q && carry->rate && carry->near && carry->vectors && carry->vector;
    return all ? COND_OK : COND_OUT_OF_MEMORY;
}

void cond_carry_destroy(CondCarry* carry)
{
    const CondContext* m = &carry->context;
    if (!carry->model)
        return;
    for (int b = 0; b < carry->model->n_body && carry->work; b++)
        if (carry->work[b])
            cond_articulation_work_destroy(carry->work[b]);
    cond_release(m, carry->work);
    cond_release(m, carry->q);
    cond_release(m, carry->rate);
    cond_release(m, carry->near);
    cond_release(m, carry->vectors);
    cond_release(m, carry->vector);
    memset(carry, 0, sizeof *carry);
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
static void decompose(const CondCarry* carry, int n, const double* M, double* s)
{
    memcpy(carry->near, M, (size_t)(n * n) * sizeof *M);
    cond_eigen_symmetric(n, carry->near, s, carry->vectors);
    for (int i = 0; i < n; i++)
        s[i] = sqrt(s[i]); // positive definite: the robot was checked
}

// v <- M^(power/2) v for power 1 or -1
static void root(const CondCarry* carry, int n, const double* M, int power, double* v)
{
    double *s = carry->vector, *x = s + n;
    decompose(carry, n, M, s);
    to_eigen(n, carry->vectors, v, x);
    for (int i = 0; i < n; i++)
        x[i] = power > 0 ? s[i] * x[i] : x[i] / s[i];
    multiply(n, carry->vectors, x, v);
}

void cond_carry_move(const CondCarry* carry, const CondBody* body, const CondPosture* from,
                     const CondPosture* to, double* v)
{
    const CondArmPosture *source = &from->arm[body->index], *target = &to->arm[body->index];
    int n = body->n_dof;
    if (carry->kind == COND_CARRY_MOMENTUM) {
        multiply(n, source->M, v, carry->vector);
        memcpy(v, carry->vector, (size_t)n * sizeof *v);
        cond_cholesky_solve(n, target->L, v);
    } else if (carry->kind == COND_CARRY_ROOT) {
        root(carry, n, source->M, 1, v);
        root(carry, n, target->M, -1, v);
    }
}

// dM/dt along v, by central differences of the fourth order. The coordinates move by about a
// thousandth: the truncation, some 1e-12 of M, then is about as large as the rounding.
static void mass_rate(const CondCarry* carry, const CondBody* body, const CondPosture* posture,
                      const double* v)
{
    static const double at[4] = {-2.0, -1.0, 1.0, 2.0}, weight[4] = {1.0, -8.0, 8.0, -1.0};
    int n = body->n_dof;
    double fastest = 0.0;
    memset(carry->rate, 0, (size_t)(n * n) * sizeof *carry->rate);
    for (int i = 0; i < n; i++)
        fastest = fmax(fastest, fabs(v[i]));
    if (!(fastest > 0.0))
        return;
    double step = 1e-3 / fastest;
    for (int k = 0; k < 4; k++) {
        memcpy(carry->q, posture->q + body->q_begin, (size_t)body->n_q * sizeof *carry->q);
        cond_articulation_advance(body->arm, v, at[k] * step, carry->q);
        cond_articulation_kinematics(body->arm, carry->q, carry->work[body->index]);
        cond_articulation_mass(body->arm, carry->work[body->index], carry->near);
        for (int i = 0; i < n * n; i++)
            carry->rate[i] += weight[k] / (12.0 * step) * carry->near[i];
    }
}

// f += R (dR/dt) v with R = M^(1/2). From (dR/dt) R + R (dR/dt) = dM/dt follows, in the axes of M's
// eigenvectors, (dR/dt)_ij = (dM/dt)_ij / (s_i + s_j).
static void add_root_rate(const CondCarry* carry, int n, const double* M, const double* v,
                          double* f)
{
    double *s = carry->vector, *x = s + n, *y = x + n, *column = y + n, *Q = carry->vectors;
    decompose(carry, n, M, s);
    to_eigen(n, Q, v, x);
    memset(y, 0, (size_t)n * sizeof *y);
    for (int j = 0; j < n; j++) {    // column j of Q' (dM/dt) Q
        double* moved = carry->near; // free again
        for (int i = 0; i < n; i++) {
            moved[i] = 0.0;
            for (int k = 0; k < n; k++)
                moved[i] += carry->rate[i * n + k] * Q[k * n + j];
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
static void keep_energy(const CondCarry* carry, int n, const CondArmPosture* arm, const double* v,
                        double t, double* e)
{
    double *p = carry->vector, *a = p + n;
    multiply(n, arm->M, v, p);
    double energy = dot(n, v, p);
    if (!(energy > 0.0))
        return;
    double power = dot(n, v, e);
    for (int i = 0; i < n; i++)
        e[i] -= power / energy * p[i];
    if (!(t > 0.0))
        return;
    memcpy(a, e, (size_t)n * sizeof *a);
    cond_cholesky_solve(n, arm->L, a);
    double z2 = 0.25 * t * t * dot(n, e, a) / energy;
    for (int i = 0; i < n; i++)
        e[i] = (e[i] - 2.0 * z2 / t * p[i]) / (1.0 + z2);
}

void cond_carry_bias(const CondCarry* carry, const CondBody* body, const CondPosture* posture,
                     const double* v, double t, const double gravity[3], double* f)
{
    static const double none[3] = {0.0, 0.0, 0.0};
    const CondArmPosture* arm = &posture->arm[body->index];
    int n = body->n_dof;
    if (carry->kind == COND_CARRY_VELOCITY) {
        cond_articulation_bias(body->arm, arm->work, v, gravity, f);
        return;
    }
    mass_rate(carry, body, posture, v);
    if (carry->kind == COND_CARRY_MOMENTUM) {
        cond_articulation_bias(body->arm, arm->work, v, gravity, f);
        multiply(n, carry->rate, v, carry->vector);
        for (int i = 0; i < n; i++)
            f[i] += carry->vector[i];
        return;
    }
    cond_articulation_bias(body->arm, arm->work, v, none, f);
    add_root_rate(carry, n, arm->M, v, f);
    keep_energy(carry, n, arm, v, t, f);
    double *weight = carry->vector, *still = weight + n;
    memset(still, 0, (size_t)n * sizeof *still);
    cond_articulation_bias(body->arm, arm->work, still, gravity, weight);
    for (int i = 0; i < n; i++)
        f[i] += weight[i];
}
