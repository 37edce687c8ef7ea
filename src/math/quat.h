// Unit quaternions (w, x, y, z) and the exponential map of SO(3), inline.
#ifndef COND_MATH_QUAT_H
#define COND_MATH_QUAT_H

#include "math/vec3.h"

#include <float.h>

// c = a b; c may be neither.
static inline void quat_product(const double a[4], const double b[4], double c[4])
{
    c[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    c[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    c[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    c[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

static inline void quat_normalize(double q[4])
{
    double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; i++)
        q[i] /= norm;
}

// exp of the rotation vector w: (cos(|w|/2), sin(|w|/2) w/|w|).
static inline void quat_exp(const double w[3], double q[4])
{
    double half = 0.5 * vec3_norm(w);
    // sin(h)/h is even and analytic; its series is exact where the next term, of h^4, is rounding.
    double h2 = half * half, sinc = h2 * h2 > 0.5 * DBL_EPSILON ? sin(half) / half : 1.0 - h2 / 6.0;
    q[0] = cos(half);
    for (int i = 0; i < 3; i++)
        q[1 + i] = 0.5 * sinc * w[i];
}

// L(x) = sum [x]x^n/(n + 1)! = I + (1 - cos a)/a^2 [x]x + (a - sin a)/a^3 [x]x^2,  a = |x|: the
// mean of exp(s x) over s in 0 .. 1. exp(x) = I + [x]x L(x), and exp(x + dx) = exp(L(x) dx) exp(x)
// to first order.
static inline void rotation_mean(const double x[3], double L[9])
{
    double s = vec3_dot(x, x), a = sqrt(s), S[9], SS[9], p = 1.0, q = 1.0;
    if (s < 0.25) { // the series, to rounding
        for (int k = 5; k > 0; k--) {
            p = 1.0 - p * s / ((2 * k + 1) * (2 * k + 2));
            q = 1.0 - q * s / ((2 * k + 2) * (2 * k + 3));
        }
        p /= 2.0;
        q /= 6.0;
    } else {
        p = (1.0 - cos(a)) / s;
        q = (1.0 - sin(a) / a) / s;
    }
    mat3_cross(x, S);
    mat3_product(S, S, SS);
    for (int i = 0; i < 9; i++)
        L[i] = (i % 4 == 0 ? 1.0 : 0.0) + p * S[i] + q * SS[i];
}

// The shortest rotation vector, in world axes, that rotates a into b.
static inline void quat_between(const double a[4], const double b[4], double w[3])
{
    double inverse[4] = {a[0], -a[1], -a[2], -a[3]}, d[4];
    quat_product(b, inverse, d);
    double sign = d[0] < 0.0 ? -1.0 : 1.0;
    double s = vec3_norm(d + 1), angle = 2.0 * atan2(s, sign * d[0]);
    for (int i = 0; i < 3; i++)
        w[i] = s > 0.0 ? sign * angle / s * d[1 + i] : 0.0;
}

// Rotation matrix, row-major: world = R body.
static inline void quat_matrix(const double q[4], double R[9])
{
    double w = q[0], x = q[1], y = q[2], z = q[3];
    R[0] = 1.0 - 2.0 * (y * y + z * z);
    R[1] = 2.0 * (x * y - w * z);
    R[2] = 2.0 * (x * z + w * y);
    R[3] = 2.0 * (x * y + w * z);
    R[4] = 1.0 - 2.0 * (x * x + z * z);
    R[5] = 2.0 * (y * z - w * x);
    R[6] = 2.0 * (x * z - w * y);
    R[7] = 2.0 * (y * z + w * x);
    R[8] = 1.0 - 2.0 * (x * x + y * y);
}

// World position of the point r of a rigid body at q = (x, quaternion), and J (3 x 6) of its
// velocity by (velocity of x in world axes, angular velocity in body axes): J = [I, -R [r]x],
// unless NULL.
static inline void quat_rigid_point(const double* q, const double* r, double* world, double* J)
{
    double R[9], S[9], RS[9], Rr[3];
    quat_matrix(q + 3, R);
    mat3_multiply(R, r, Rr);
    for (int i = 0; i < 3; i++)
        world[i] = q[i] + Rr[i];
    if (!J)
        return;
    mat3_cross(r, S);
    mat3_product(R, S, RS);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            J[6 * i + j] = i == j;
            J[6 * i + 3 + j] = -RS[3 * i + j];
        }
}

// Velocity (world axes, then angular in body axes) of a rigid body at q that follows a motion with
// a velocity and an angular velocity (6) about a point.
static inline void quat_rigid_drift(const double* q, const double* twist, const double* about,
                                    double* v)
{
    double R[9], r[3] = {q[0] - about[0], q[1] - about[1], q[2] - about[2]};
    quat_matrix(q + 3, R);
    vec3_cross(twist + 3, r, v);
    for (int i = 0; i < 3; i++)
        v[i] += twist[i];
    mat3_multiply_transposed(R, twist + 3, v + 3);
}

#endif
