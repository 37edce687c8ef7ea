// Small dense LU factorisation with partial pivoting, for unsymmetric tie systems.
#include "linear/lu.h"

#include <math.h>
#include <stddef.h>

int cond_lu_factor(int n, double* A, int* pivot)
{
    for (int k = 0; k < n; k++) {
        double* restrict Ak = A + (size_t)k * (size_t)n;
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[(size_t)i * (size_t)n + (size_t)k]) >
                fabs(A[(size_t)best * (size_t)n + (size_t)k]))
                best = i;
        pivot[k] = best;
        double* row = A + (size_t)best * (size_t)n;
        if (!(fabs(row[k]) > 0.0) || !isfinite(row[k]))
            return 1;
        for (int j = 0; j < n && best != k; j++) {
            double swap = Ak[j];
            Ak[j] = row[j];
            row[j] = swap;
        }
        for (int i = k + 1; i < n; i++) {
            double* restrict Ai = A + (size_t)i * (size_t)n;
            if (Ai[k] == 0.0)
                continue;
            double l = Ai[k] /= Ak[k];
            for (int j = k + 1; j < n; j++)
                Ai[j] -= l * Ak[j];
        }
    }
    return 0;
}

void cond_lu_solve(int n, const double* LU, const int* pivot, double* x)
{
    for (int k = 0; k < n; k++) { // P first: rows were exchanged whole
        double swap = x[k];
        x[k] = x[pivot[k]];
        x[pivot[k]] = swap;
    }
    for (int i = 0; i < n; i++) // L y = P x
        for (int j = 0; j < i; j++)
            x[i] -= LU[(size_t)i * (size_t)n + (size_t)j] * x[j];
    for (int i = n - 1; i >= 0; i--) { // U x = y
        for (int j = i + 1; j < n; j++)
            x[i] -= LU[(size_t)i * (size_t)n + (size_t)j] * x[j];
        x[i] /= LU[(size_t)i * (size_t)n + (size_t)i];
    }
}
