// The dynamics of an articulated body straight from Lagrange's equations: dense, slow, and sharing
// with the library nothing but the description of the links.
#include "lagrangian.h"

#include "dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// C = A B, 4x4.
static void product(const double A[16], const double B[16], double C[16])
{
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            C[4 * i + j] = 0.0;
            for (int k = 0; k < 4; k++)
                C[4 * i + j] += A[4 * i + k] * B[4 * k + j];
        }
}

static void unit(double T[16])
{
    for (int i = 0; i < 16; i++)
        T[i] = i % 5 == 0;
}

// F = a turn by s about a unit axis, dF its derivative, by Rodrigues' formula.
static void turn(const double axis[3], double s, double F[16], double dF[16])
{
    double x = axis[0], y = axis[1], z = axis[2];
    double K[9] = {0, -z, y, z, 0, -x, -y, x, 0};
    unit(F);
    memset(dF, 0, 16 * sizeof *dF);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double KK = 0.0;
            for (int k = 0; k < 3; k++)
                KK += K[3 * i + k] * K[3 * k + j];
            F[4 * i + j] += sin(s) * K[3 * i + j] + (1.0 - cos(s)) * KK;
            dF[4 * i + j] = cos(s) * K[3 * i + j] + sin(s) * KK;
        }
}

static void slide(const double axis[3], double s, double F[16], double dF[16])
{
    unit(F);
    memset(dF, 0, 16 * sizeof *dF);
    for (int i = 0; i < 3; i++) {
        F[4 * i + 3] = s * axis[i];
        dF[4 * i + 3] = axis[i];
    }
}

static void pose(const double position[3], const double q[4], double F[16])
{
    double angle = 2.0 * atan2(sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]), q[0]);
    double s = sin(0.5 * angle), axis[3] = {1.0, 0.0, 0.0}, dF[16];
    for (int i = 0; i < 3 && s != 0.0; i++)
        axis[i] = q[1 + i] / s;
    turn(axis, angle, F, dF);
    for (int i = 0; i < 3; i++)
        F[4 * i + 3] = position[i];
}

// (T, dT) <- (T, dT) (F, scale dF): the product rule, where dF counts only for the coordinate
// asked.
static void append(double T[16], double dT[16], const double F[16], const double dF[16],
                   double scale)
{
    double TF[16], dTF[16], TdF[16];
    product(T, F, TF);
    product(dT, F, dTF);
    product(T, dF, TdF);
    for (int i = 0; i < 16; i++) {
        T[i] = TF[i];
        dT[i] = dTF[i] + scale * TdF[i];
    }
}

// Pose of a link and its derivative by coordinate d.
static void pose_and_derivative(const CondArticulation* a, const double* x, int link, int d,
                                double T[16], double dT[16])
{
    static const double none[16] = {0};
    double F[16], dF[16];
    if (link == 0) {
        unit(T);
        memset(dT, 0, 16 * sizeof *dT);
        if (!a->floating) {
            pose(a->base_position, a->base_orientation, T);
            return;
        }
        for (int k = 0; k < 6; k++) {
            double axis[3] = {0.0, 0.0, 0.0};
            axis[k < 3 ? k : 5 - k] = 1.0; // x, y, z; yaw, pitch, roll
            (k < 3 ? slide : turn)(axis, x[k], F, dF);
            append(T, dT, F, dF, k == d);
        }
        return;
    }
    const CondLink* l = &a->link[link];
    pose_and_derivative(a, x, l->parent, d, T, dT);
    pose(l->position, l->orientation, F);
    append(T, dT, F, none, 0.0);
    if (l->kind == COND_LINK_FIXED)
        return;
    // Mimics are followed here once more, joint by joint.
    double scale = 1.0, shift = 0.0;
    while (l->mimic >= 0) {
        shift += scale * l->offset;
        scale *= l->multiplier;
        l = &a->link[l->mimic];
    }
    int ball = (a->floating ? 6 : 0) + 3 * l->ball;
    int c = (a->floating ? 6 : 0) + 3 * a->n_ball + l->coordinate;
    l = &a->link[link];
    for (int k = 0; k < l->n_slide; k++, c++) {
        slide(l->along + 3 * k, scale * x[c] + shift, F, dF);
        append(T, dT, F, dF, c == d ? scale : 0.0);
    }
    if (l->n_turn == 1) {
        turn(l->axis, scale * x[c] + shift, F, dF);
        append(T, dT, F, dF, c == d ? scale : 0.0);
    }
    for (int k = 0; k < 3 && l->n_turn == 3; k++) { // yaw, pitch, roll
        double axis[3] = {0.0, 0.0, 0.0};
        axis[2 - k] = 1.0;
        turn(axis, x[ball + k], F, dF);
        append(T, dT, F, dF, ball + k == d);
    }
}

void lagrangian_pose(const CondArticulation* a, const double* x, int link, double T[16])
{
    double dT[16];
    pose_and_derivative(a, x, link, -1, T, dT);
}

// The quaternion of yaw, pitch and roll.
static void turned(const double x[3], double q[4])
{
    double cz = cos(0.5 * x[0]), sz = sin(0.5 * x[0]), cy = cos(0.5 * x[1]);
    double sy = sin(0.5 * x[1]), cx = cos(0.5 * x[2]), sx = sin(0.5 * x[2]);
    q[0] = cx * cy * cz + sx * sy * sz;
    q[1] = sx * cy * cz - cx * sy * sz;
    q[2] = cx * sy * cz + sx * cy * sz;
    q[3] = cx * cy * sz - sx * sy * cz;
}

void lagrangian_configuration(const CondArticulation* a, const double* x, double* q)
{
    if (a->floating) {
        memcpy(q, x, 3 * sizeof *q);
        turned(x + 3, q + 3);
        q += 7;
        x += 6;
    }
    for (int i = 0; i < a->n_ball; i++, q += 4, x += 3)
        turned(x, q);
    memcpy(q, x, (size_t)a->n_joint * sizeof *q);
}

// The 3x3 block at (first, first) of W: angular velocity in body axes of a turn by yaw, pitch and
// roll at x[first], from their rates.
static void turn_rates(const double* x, int n, int first, double* W)
{
    static const double none[16] = {0};
    for (int d = 0; d < 3; d++) {
        double T[16], dT[16], F[16], dF[16], S[9];
        unit(T);
        memcpy(dT, none, sizeof dT);
        for (int k = 0; k < 3; k++) {
            double axis[3] = {0.0, 0.0, 0.0};
            axis[2 - k] = 1.0;
            turn(axis, x[first + k], F, dF);
            append(T, dT, F, dF, k == d);
        }
        for (int i = 0; i < 3; i++) // [w]x = R' dR
            for (int j = 0; j < 3; j++) {
                S[3 * i + j] = 0.0;
                for (int k = 0; k < 3; k++)
                    S[3 * i + j] += T[4 * k + i] * dT[4 * k + j];
            }
        W[first * n + first + d] = S[7];
        W[(first + 1) * n + first + d] = S[2];
        W[(first + 2) * n + first + d] = S[3];
    }
}

void lagrangian_rates(const CondArticulation* a, const double* x, double* W)
{
    int n = a->n_dof;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            W[i * n + j] = i == j;
    if (a->floating)
        turn_rates(x, n, 3, W);
    for (int i = 0; i < a->n_ball; i++)
        turn_rates(x, n, (a->floating ? 6 : 0) + 3 * i, W);
}

// The 4x4 second moment of the mass, sum of m (r, 1)(r, 1)', in link axes.
static void second_moment(const CondLink* link, double P[16])
{
    const double *c = link->com, *I = link->inertia;
    double half = 0.5 * (I[0] + I[4] + I[8]);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            P[4 * i + j] = (i == j) * half - I[3 * i + j] + link->mass * c[i] * c[j];
        P[4 * i + 3] = P[12 + i] = link->mass * c[i];
    }
    P[15] = link->mass;
}

// M_ab = sum of trace(dT_a P dT_b')
void lagrangian_mass(const CondArticulation* a, const double* x, double* M)
{
    int n = a->n_dof;
    double *dT = dense_zeros((size_t)n * 16), T[16], P[16], dTP[16];
    memset(M, 0, (size_t)n * (size_t)n * sizeof *M);
    for (int link = 0; link < a->n_link; link++) {
        second_moment(&a->link[link], P);
        for (int d = 0; d < n; d++)
            pose_and_derivative(a, x, link, d, T, dT + 16 * d);
        for (int i = 0; i < n; i++) {
            product(dT + 16 * i, P, dTP);
            for (int j = 0; j < n; j++)
                for (int k = 0; k < 16; k++)
                    M[i * n + j] += dTP[k] * dT[16 * j + k];
        }
    }
    free(dT);
}

// Derivative of a matrix function of x along a direction, by differences of fourth order.
static void difference(void (*f)(const CondArticulation*, const double*, double*),
                       const CondArticulation* a, const double* x, const double* along, double* dF)
{
    static const double place[] = {-2, -1, 1, 2}, weight[] = {1, -8, 8, -1};
    double h = 1e-3;
    size_t n = (size_t)a->n_dof;
    double *F = dense_zeros(n * n), *at = dense_zeros(n);
    memset(dF, 0, n * n * sizeof *dF);
    for (int s = 0; s < 4; s++) {
        for (size_t i = 0; i < n; i++)
            at[i] = x[i] + h * place[s] * along[i];
        f(a, at, F);
        for (size_t i = 0; i < n * n; i++)
            dF[i] += weight[s] * F[i] / (12.0 * h);
    }
    free(F);
    free(at);
}

// c_k = sum_ij (dM_kj/dx_i - 1/2 dM_ij/dx_k) x'_i x'_j
static void christoffel(const CondArticulation* a, const double* x, const double* rate, double* c)
{
    int n = a->n_dof;
    double *dM = dense_zeros((size_t)(n * n)), *along = dense_zeros((size_t)n);
    memset(c, 0, (size_t)n * sizeof *c);
    for (int i = 0; i < n; i++) {
        memset(along, 0, (size_t)n * sizeof *along);
        along[i] = 1.0;
        difference(lagrangian_mass, a, x, along, dM);
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++) {
                c[k] += dM[k * n + j] * rate[i] * rate[j];
                c[i] -= 0.5 * dM[k * n + j] * rate[k] * rate[j];
            }
    }
    free(dM);
    free(along);
}

void lagrangian_acceleration(const CondArticulation* a, const double* x, const double* rate,
                             const double gravity[3], double* dv)
{
    int n = a->n_dof;
    double *M = dense_zeros((size_t)(n * n)), *W = dense_zeros((size_t)(n * n));
    double *f = dense_zeros((size_t)n), *turned = dense_zeros((size_t)n), T[16], dT[16];
    christoffel(a, x, rate, f);
    for (int i = 0; i < n; i++)
        f[i] = -f[i];
    for (int link = 0; link < a->n_link; link++) // -dU/dx with U = -sum m g.(T c)
        for (int d = 0; d < n; d++) {
            const CondLink* l = &a->link[link];
            pose_and_derivative(a, x, link, d, T, dT);
            for (int k = 0; k < 3; k++)
                f[d] += l->mass * gravity[k] *
                        (dT[4 * k] * l->com[0] + dT[4 * k + 1] * l->com[1] +
                         dT[4 * k + 2] * l->com[2] + dT[4 * k + 3]);
        }
    lagrangian_mass(a, x, M);
    if (!dense_cholesky(n, M))
        abort();
    dense_cholesky_solve(n, M, f);
    lagrangian_rates(a, x, W);
    dense_multiply(n, n, W, f, dv);
    difference(lagrangian_rates, a, x, rate, W); // dv/dt = W x'' + dW/dt x'
    dense_multiply(n, n, W, rate, turned);
    for (int i = 0; i < n; i++)
        dv[i] += turned[i];
    free(M);
    free(W);
    free(f);
    free(turned);
}
