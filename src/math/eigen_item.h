// Eigenvalues of small symmetric matrices (eigen.h), inline, for C and for CUDA.
#ifndef COND_MATH_EIGEN_ITEM_H
#define COND_MATH_EIGEN_ITEM_H

#include "base/inline.h"

#include <float.h>
#include <math.h>

// A Jacobi sweep squares the size of the off-diagonal entries, so that a few usually suffice. The
// limit, a sweep for each bit of a number, only guards against input that is not finite.
enum { COND_EIGEN_SWEEPS = DBL_MANT_DIG };

// A <- G' A G and Q <- Q G with the rotation G in the plane (p, q) that makes a_pq vanish.
COND_DEVICE void cond_eigen_rotate(int n, int p, int q, double* A, double* Q)
{
    double zeta = (A[q * n + q] - A[p * n + p]) / (2.0 * A[p * n + q]);
    double t = copysign(1.0, zeta) / (fabs(zeta) + sqrt(1.0 + zeta * zeta));
    double c = 1.0 / sqrt(1.0 + t * t), s = c * t;
    for (int k = 0; k < n; k++) {
        double akp = A[k * n + p], akq = A[k * n + q];
        A[k * n + p] = c * akp - s * akq;
        A[k * n + q] = s * akp + c * akq;
    }
    for (int k = 0; k < n; k++) {
        double apk = A[p * n + k], aqk = A[q * n + k];
        A[p * n + k] = c * apk - s * aqk;
        A[q * n + k] = s * apk + c * aqk;
        double qkp = Q[k * n + p], qkq = Q[k * n + q];
        Q[k * n + p] = c * qkp - s * qkq;
        Q[k * n + q] = s * qkp + c * qkq;
    }
    A[p * n + q] = A[q * n + p] = 0.0;
}

COND_DEVICE void cond_eigen_sweep(int n, double* A, double* w, double* Q)
{
    double norm2 = 0.0;
    for (int i = 0; i < n * n; i++) {
        Q[i] = i % (n + 1) == 0 ? 1.0 : 0.0;
        norm2 += A[i] * A[i];
    }
    double small = DBL_EPSILON / 16.0 * sqrt(norm2); // far below the rounding of any eigenvalue
    for (int sweep = 0; sweep < COND_EIGEN_SWEEPS; sweep++) {
        int rotated = 0;
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++)
                if (fabs(A[p * n + q]) > small) {
                    cond_eigen_rotate(n, p, q, A, Q);
                    rotated = 1;
                }
        if (!rotated)
            break;
    }
    for (int i = 0; i < n; i++)
        w[i] = A[i * n + i];
}

#endif
