// Singular values and rotations of 3x3 matrices (polar.h), inline, for C and for CUDA.
#ifndef COND_MATH_POLAR_ITEM_H
#define COND_MATH_POLAR_ITEM_H

#include <float.h>
#include <string.h>

#include "base/tuning.h"
#include "math/tuning.h"
#include "math/vec3.h"

// One-sided Jacobi converges quadratically; a sweep for each bit is never met by finite input.
enum { COND_POLAR_SWEEPS = DBL_MANT_DIG };

// Two columns count as orthogonal when their cosine is at the level of rounding.
static const double COND_POLAR_ORTHOGONAL = 2.0 * DBL_EPSILON;
// A column this small relative to the largest one is only rounding error.
static const double COND_POLAR_NEGLIGIBLE = 4.0 * DBL_EPSILON;

COND_DEVICE void cond_polar_set_identity(double R[9])
{
    memset(R, 0, 9 * sizeof *R);
    R[0] = R[4] = R[8] = 1.0;
}

// X = F / 2^exponent, such that no power below overflows or underflows; dividing by a power of two
// is exact. 0 when F is zero or not finite.
COND_DEVICE int cond_polar_scale_exactly(const double F[9], double X[9], int* exponent)
{
    double largest = 0.0;
    for (int i = 0; i < 9; i++) {
        if (!isfinite(F[i]))
            return 0;
        largest = fabs(F[i]) > largest ? fabs(F[i]) : largest;
    }
    if (largest == 0.0)
        return 0;
    *exponent = 0;
    if (largest > 1e-30 && largest < 1e30) {
        memcpy(X, F, 9 * sizeof *X);
        return 1;
    }
    frexp(largest, exponent);
    for (int i = 0; i < 9; i++)
        X[i] = ldexp(F[i], -*exponent);
    return 1;
}

// Turns the columns p and q, kept as rows of B and V, until those of B are orthogonal; 1 when they
// were not already.
COND_DEVICE int cond_polar_rotate_columns(double B[3][3], double V[3][3], int p, int q)
{
    double a = vec3_dot(B[p], B[p]), b = vec3_dot(B[q], B[q]), c = vec3_dot(B[p], B[q]);
    if (fabs(c) <= COND_POLAR_ORTHOGONAL * sqrt(a * b))
        return 0;
    double zeta = (b - a) / (2.0 * c);
    double t = copysign(1.0, zeta) / (fabs(zeta) + sqrt(1.0 + zeta * zeta));
    double cosine = 1.0 / sqrt(1.0 + t * t), sine = cosine * t;
    for (int i = 0; i < 3; i++) {
        double bp = B[p][i], bq = B[q][i], vp = V[p][i], vq = V[q][i];
        B[p][i] = cosine * bp - sine * bq;
        B[q][i] = sine * bp + cosine * bq;
        V[p][i] = cosine * vp - sine * vq;
        V[q][i] = sine * vp + cosine * vq;
    }
    return 1;
}

COND_DEVICE void cond_polar_swap_columns(double B[3][3], double V[3][3], int p, int q)
{
    for (int i = 0; i < 3; i++) {
        double b = B[p][i], v = V[p][i];
        B[p][i] = B[q][i];
        B[q][i] = b;
        V[p][i] = V[q][i];
        V[q][i] = v;
    }
}

// u1 for a matrix of rank one: the image of v1 under the smallest rotation that takes v0 to u0, so
// that a needle turns no more than it must.
COND_DEVICE void cond_polar_turn_with(const double v0[3], const double u0[3], const double v1[3],
                                      double u1[3])
{
    double c = vec3_dot(v0, u0);
    if (c < -0.5) { // nearly opposite: the smallest rotation is ill-defined
        double frame[9];
        mat3_frame(u0, v1, frame);
        memcpy(u1, frame + 3, 3 * sizeof *u1);
        return;
    }
    double k[3], kv[3], kkv[3]; // v1 + k x v1 + k x (k x v1)/(1 + c),  k = v0 x u0
    vec3_cross(v0, u0, k);
    vec3_cross(k, v1, kv);
    vec3_cross(k, kv, kkv);
    for (int i = 0; i < 3; i++)
        u1[i] = v1[i] + kv[i] + kkv[i] / (1.0 + c);
}

// Removes the component along the unit vector u from b; returns the remaining length.
COND_DEVICE double cond_polar_remove_along(const double u[3], double b[3])
{
    double along = vec3_dot(u, b);
    for (int i = 0; i < 3; i++)
        b[i] -= along * u[i];
    return vec3_norm(b);
}

// U from the sorted orthogonal columns B = X V: normalised, the third as the cross product of the
// first two, which makes U proper and gives the last singular value its sign.
COND_DEVICE void cond_polar_build_left(double B[3][3], double V[3][3], double U[3][3], double s[3])
{
    s[0] = vec3_norm(B[0]);
    for (int i = 0; i < 3; i++)
        U[0][i] = B[0][i] / s[0];
    double second[3];
    memcpy(second, B[1], sizeof second);
    if (vec3_norm(second) <= COND_POLAR_NEGLIGIBLE * s[0])
        cond_polar_turn_with(V[0], U[0], V[1], second);
    for (int pass = 0; pass < 2; pass++) { // the second pass removes the rounding of the first
        double length = cond_polar_remove_along(U[0], second);
        for (int i = 0; i < 3; i++)
            second[i] /= length;
    }
    memcpy(U[1], second, sizeof second);
    vec3_cross(U[0], U[1], U[2]);
    s[1] = fmax(vec3_dot(U[1], B[1]), 0.0);
    s[2] = vec3_dot(U[2], B[2]);
    if (fabs(s[2]) > s[1]) // they are equal up to rounding
        s[2] = copysign(s[1], s[2]);
}

// cond_svd3
COND_DEVICE void cond_polar_svd(const double F[9], double U[9], double s[3], double V[9])
{
    double X[9], B[3][3], W[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, L[3][3];
    int exponent;
    if (!cond_polar_scale_exactly(F, X, &exponent)) {
        cond_polar_set_identity(U);
        cond_polar_set_identity(V);
        s[0] = s[1] = s[2] = 0.0;
        return;
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            B[j][i] = X[3 * i + j];
    for (int sweep = 0, rotated = 1; rotated && sweep < COND_POLAR_SWEEPS; sweep++) {
        rotated = cond_polar_rotate_columns(B, W, 0, 1);
        rotated |= cond_polar_rotate_columns(B, W, 0, 2);
        rotated |= cond_polar_rotate_columns(B, W, 1, 2);
    }
    for (int pass = 0; pass < 2; pass++)
        for (int p = 0; p + 1 < 3 - pass; p++)
            if (vec3_dot(B[p], B[p]) < vec3_dot(B[p + 1], B[p + 1]))
                cond_polar_swap_columns(B, W, p, p + 1);
    double third[3];
    vec3_cross(W[0], W[1], third);
    if (vec3_dot(third, W[2]) < 0.0) // the sorting reflected V
        for (int i = 0; i < 3; i++)
            B[2][i] = -B[2][i];
    memcpy(W[2], third, sizeof third);
    cond_polar_build_left(B, W, L, s);
    for (int i = 0; i < 3; i++) {
        s[i] = exponent == 0 ? s[i] : ldexp(s[i], exponent);
        for (int j = 0; j < 3; j++) {
            U[3 * i + j] = L[j][i];
            V[3 * i + j] = W[j][i];
        }
    }
}

COND_DEVICE double cond_polar_norm2(const double X[9])
{
    double sum = 0.0;
    for (int i = 0; i < 9; i++)
        sum += X[i] * X[i];
    return sum;
}

// Newton's iteration X <- (g X + X^-T / g)/2 with g^2 = |X^-1|/|X| while far away: several times
// faster than the decomposition above, and as accurate, for a matrix well away from singular.
// 0 where F is not such a matrix.
COND_DEVICE int cond_polar_newton(double X[9])
{
    double C[9]; // cofactors: X^-T = C / det
    double change2 = 1.0;
    for (int step = 0; step < COND_QUADRATIC_STEPS; step++) {
        vec3_cross(X + 3, X + 6, C);
        vec3_cross(X + 6, X, C + 3);
        vec3_cross(X, X + 3, C + 6);
        double det = vec3_dot(X, C), size2 = cond_polar_norm2(X);
        double mean2 = size2 / 3.0; // mean square singular value
        if (step == 0 && !(det > 0.0 && det * det > COND_POLAR_REGULAR * mean2 * mean2 * mean2))
            return 0;
        double g = change2 > COND_POLAR_FAR ? sqrt(sqrt(cond_polar_norm2(C) / size2) / det) : 1.0;
        double of_X = 0.5 * g, of_C = 0.5 / (g * det);
        change2 = 0.0;
        for (int i = 0; i < 9; i++) {
            double next = of_X * X[i] + of_C * C[i];
            change2 += (next - X[i]) * (next - X[i]);
            X[i] = next;
        }
        if (change2 < DBL_EPSILON && g == 1.0) // the error is the square of the change
            return 1;
    }
    return 0;
}

// cond_polar_rotation
COND_DEVICE void cond_polar_rotate(const double F[9], double R[9])
{
    double U[9], s[3], V[9];
    int exponent;
    if (!cond_polar_scale_exactly(F, R, &exponent)) {
        cond_polar_set_identity(R);
        return;
    }
    if (cond_polar_newton(R))
        return;
    cond_polar_svd(F, U, s, V);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            R[3 * i + j] = vec3_dot(U + 3 * i, V + 3 * j); // R = U V'
}

#endif
