// Rotation vectors: logarithm and the derivatives of the exponential map, inline.
#ifndef COND_MATH_SO3_H
#define COND_MATH_SO3_H

#include "math/tuning.h"
#include "math/vec3.h"

#include <float.h>

#define SO3_PI 3.14159265358979323846

// The rotation vector of a unit quaternion, at most half a turn long.
static inline void so3_log(const double q[4], double w[3])
{
    double s = vec3_norm(q + 1), c = q[0], factor;
    double sign = c < 0.0 ? -1.0 : 1.0;
    factor = s > 0.0 ? 2.0 * atan2(s, sign * c) / s : 2.0;
    for (int i = 0; i < 3; i++)
        w[i] = sign * factor * q[1 + i];
}

// M = I + a [w]x + b [w]x^2
static inline void so3_series(const double w[3], double a, double b, double M[9])
{
    double n2 = vec3_dot(w, w);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            M[3 * i + j] = (i == j ? 1.0 - b * n2 : 0.0) + b * w[i] * w[j];
    M[1] -= a * w[2];
    M[2] += a * w[1];
    M[3] += a * w[2];
    M[5] -= a * w[0];
    M[6] -= a * w[1];
    M[7] += a * w[0];
}

// The right Jacobian: exp(w + dw) = exp(w) exp(J dw) to first order;
// J = I - (1 - cos)/n^2 [w]x + (n - sin)/n^3 [w]x^2.
static inline void so3_right(const double w[3], double J[9])
{
    double n = vec3_norm(w), n2 = n * n;
    double half = sin(0.5 * n);
    double a = n2 * n2 > 0.5 * DBL_EPSILON ? 2.0 * half * half / n2 : 0.5 - n2 / 24.0;
    double b = n > COND_SERIES_ANGLE
                   ? (n - sin(n)) / (n2 * n)
                   : 1.0 / 6.0 - n2 * (1.0 / 120.0 - n2 * (1.0 / 5040.0 - n2 / 362880.0));
    so3_series(w, -a, b, J);
}

// Its inverse: I + [w]x/2 + (1/n^2 - (1 + cos)/(2 n sin)) [w]x^2, fine up to a whole turn, where it
// is singular.
static inline void so3_right_inverse(const double w[3], double T[9])
{
    double n = vec3_norm(w), n2 = n * n, half = 0.5 * n;
    // (1 + cos n)/(2 n sin n) = cot(n/2)/(2 n)
    double b = n > COND_SERIES_ANGLE
                   ? 1.0 / n2 - cos(half) / (2.0 * n * sin(half))
                   : 1.0 / 12.0 + n2 * (1.0 / 720.0 + n2 * (1.0 / 30240.0 + n2 / 1209600.0));
    so3_series(w, 0.5, b, T);
}

#endif
