// Vectors of three numbers and 3x3 matrices (row-major), inline.
#ifndef COND_MATH_VEC3_H
#define COND_MATH_VEC3_H

#include "base/inline.h"
#include "base/tuning.h"

#include <math.h>

COND_DEVICE double vec3_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

COND_DEVICE double vec3_norm(const double a[3])
{
    return sqrt(vec3_dot(a, a));
}

// c = a x b; c may not be a or b.
COND_DEVICE void vec3_cross(const double a[3], const double b[3], double c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

// y = M x; y may not be x.
COND_DEVICE void mat3_multiply(const double M[9], const double x[3], double y[3])
{
    for (int i = 0; i < 3; i++)
        y[i] = M[3 * i] * x[0] + M[3 * i + 1] * x[1] + M[3 * i + 2] * x[2];
}

// y = M' x; y may not be x.
COND_DEVICE void mat3_multiply_transposed(const double M[9], const double x[3], double y[3])
{
    for (int i = 0; i < 3; i++)
        y[i] = M[i] * x[0] + M[3 + i] * x[1] + M[6 + i] * x[2];
}

// S = [a]x, so that S b = a x b.
COND_DEVICE void mat3_cross(const double a[3], double S[9])
{
    S[0] = S[4] = S[8] = 0.0;
    S[1] = -a[2];
    S[2] = a[1];
    S[3] = a[2];
    S[5] = -a[0];
    S[6] = -a[1];
    S[7] = a[0];
}

// C = A B; C may be neither.
COND_DEVICE void mat3_product(const double A[9], const double B[9], double C[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}

// The adjugate of A, transposed; returns det A.
COND_DEVICE double mat3_cofactors(const double A[9], double C[9])
{
    vec3_cross(A + 3, A + 6, C);
    vec3_cross(A + 6, A, C + 3);
    vec3_cross(A, A + 3, C + 6);
    return vec3_dot(A, C);
}

// x = A^-1 b by Cramer's rule; 0 when done, 1 when A is singular.
COND_DEVICE int mat3_solve(const double A[9], const double b[3], double x[3])
{
    double C[9], det = mat3_cofactors(A, C);
    if (det == 0.0 || !isfinite(det))
        return 1;
    for (int i = 0; i < 3; i++)
        x[i] = (C[i] * b[0] + C[3 + i] * b[1] + C[6 + i] * b[2]) / det;
    return 0;
}

// R with rows n, t1, t2: t1 is the part of `hint` orthogonal to the unit vector n, or, where that
// vanishes, of the axis least along n; t2 = n x t1.
COND_DEVICE void mat3_frame(const double n[3], const double hint[3], double R[9])
{
    double t[3], length = 0.0, axis[3] = {0.0, 0.0, 0.0};
    int least = 0;
    for (int i = 1; i < 3; i++)
        least = fabs(n[i]) < fabs(n[least]) ? i : least;
    axis[least] = 1.0;
    for (int attempt = 0; attempt < 2 && !(length > COND_INPUT_ROUNDING); attempt++) {
        const double* from = attempt == 0 ? hint : axis;
        double along = vec3_dot(n, from);
        for (int i = 0; i < 3; i++)
            t[i] = from[i] - along * n[i];
        length = vec3_norm(t);
    }
    for (int i = 0; i < 3; i++) {
        R[i] = n[i];
        R[3 + i] = t[i] / length;
    }
    vec3_cross(R, R + 3, R + 6);
}

#endif
