#include "newton/interior_cone.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

// sqrt(x_0^2 - |x_t|^2), 0 on the boundary and outside.
static double root_determinant(const double x[3])
{
    double t = hypot(x[1], x[2]);
    return sqrt(fmax((x[0] - t) * (x[0] + t), 0.0));
}

void cond_cone_multiply(const double a[3], const double b[3], double out[3])
{
    double first = vec3_dot(a, b);
    out[1] = a[0] * b[1] + b[0] * a[1];
    out[2] = a[0] * b[2] + b[0] * a[2];
    out[0] = first;
}

void cond_cone_divide(const double a[3], const double b[3], double x[3])
{
    double t = hypot(a[1], a[2]), det = (a[0] - t) * (a[0] + t);
    double along = a[1] * b[1] + a[2] * b[2];
    double first = (a[0] * b[0] - along) / det;
    for (int i = 1; i < 3; i++)
        x[i] = (b[i] - first * a[i]) / a[0];
    x[0] = first;
}

// eta [w0, q'; q, I + q q'/(1 + w0)].
void cond_cone_scaling(const double y[3], const double z[3], double W[9])
{
    double ry = root_determinant(y), rz = root_determinant(z), w[3], unit = 0.0;
    double inner = vec3_dot(y, z) / (ry * rz), eta = sqrt(ry / rz);
    double g = sqrt(0.5 * (1.0 + inner));
    for (int i = 0; i < 3; i++)
        w[i] = (y[i] / ry + (i == 0 ? 1.0 : -1.0) * z[i] / rz) / (2.0 * g);
    unit = sqrt(1.0 + w[1] * w[1] + w[2] * w[2]); // w0, without cancellation
    W[0] = eta * unit;
    for (int i = 1; i < 3; i++) {
        W[i] = W[3 * i] = eta * w[i];
        for (int j = 1; j < 3; j++)
            W[3 * i + j] = eta * ((i == j) + w[i] * w[j] / (1.0 + unit));
    }
}

// eta^2 = W00^2 - |W0t|^2
static double eta_square(const double W[9])
{
    double t = hypot(W[1], W[2]);
    return (W[0] - t) * (W[0] + t);
}

// The same matrix with -q and 1/eta.
static inline void unscale(const double W[9], double eta2, double x[3])
{
    double y[3] = {W[0] * x[0] - W[1] * x[1] - W[2] * x[2], 0.0, 0.0};
    for (int i = 1; i < 3; i++)
        y[i] = -W[i] * x[0] + W[3 * i + 1] * x[1] + W[3 * i + 2] * x[2];
    for (int i = 0; i < 3; i++)
        x[i] = y[i] / eta2;
}

void cond_cone_unscale(const double W[9], double x[3])
{
    unscale(W, eta_square(W), x);
}

void cond_cone_scale(const double W[9], const double x[3], double out[3])
{
    double y[3];
    mat3_multiply(W, x, y);
    memcpy(out, y, sizeof y);
}

// (I + slip W^-2 E T^2)^-1 W^-2
void cond_cone_gain(const double W[9], double slip, const double T[3], const double e[2],
                    double M[9])
{
    double N[9], C[9], eta2 = eta_square(W);
    for (int j = 0; j < 3; j++) {
        double a[3] = {0.0}, b[3] = {0.0};
        a[j] = 1.0;
        b[j] = slip * T[j] * T[j];
        b[0] += j > 0 ? e[j - 1] * b[j] : 0.0;
        for (int k = 0; k < 2; k++)
            unscale(W, eta2, a);
        for (int k = 0; k < 2 && slip > 0.0; k++)
            unscale(W, eta2, b);
        for (int i = 0; i < 3; i++) {
            M[3 * i + j] = a[i];
            N[3 * i + j] = b[i] + (i == j);
        }
    }
    if (!(slip > 0.0))
        return;
    double det = mat3_cofactors(N, C);
    for (int j = 0; j < 3; j++) {
        double column[3] = {M[j], M[3 + j], M[6 + j]}, x[3];
        mat3_multiply_transposed(C, column, x);
        for (int i = 0; i < 3; i++)
            M[3 * i + j] = x[i] / det;
    }
}

// The least positive root of (x_0 + a d_0)^2 = |x_t + a d_t|^2.
double cond_cone_longest(const double x[3], const double d[3])
{
    double t = hypot(x[1], x[2]);
    double c = (x[0] - t) * (x[0] + t), b = x[0] * d[0] - x[1] * d[1] - x[2] * d[2];
    double a = d[0] * d[0] - d[1] * d[1] - d[2] * d[2], step = 1.0;
    double under = b * b - a * c;
    if (d[0] < 0.0)
        step = fmin(step, -x[0] / d[0]);
    if (under >= 0.0) {
        double q = -(b + copysign(sqrt(under), b)); // the root that does not cancel
        double root[2] = {a != 0.0 ? q / a : INFINITY, q != 0.0 ? c / q : INFINITY};
        for (int i = 0; i < 2; i++)
            if (root[i] > 0.0)
                step = fmin(step, root[i]);
    }
    return step;
}
