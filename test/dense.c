// Dense reference algebra for the tests: slow, short, and sharing nothing with the library.
#include "dense.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

double* dense_zeros(size_t n)
{
    double* x = calloc(n + 1, sizeof *x); // one more, so that n = 0 is no special case
    assert_non_null(x);
    return x;
}

double dense_norm(int n, const double* x)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

double dense_distance(int n, const double* x, const double* y)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    return sqrt(sum);
}

double dense_largest(int n, const double* x)
{
    double largest = 0.0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(x[i]));
    return largest;
}

void dense_multiply(int m, int n, const double* A, const double* x, double* y)
{
    for (int i = 0; i < m; i++) {
        double sum = 0.0;
        for (int j = 0; j < n; j++)
            sum += A[(size_t)i * n + j] * x[j];
        y[i] = sum;
    }
}

int dense_cholesky(int n, double* A)
{
    for (int j = 0; j < n; j++) {
        double pivot = A[(size_t)j * n + j];
        for (int k = 0; k < j; k++)
            pivot -= A[(size_t)j * n + k] * A[(size_t)j * n + k];
        if (!(pivot > 0.0))
            return 0;
        A[(size_t)j * n + j] = sqrt(pivot);
        for (int i = j + 1; i < n; i++) {
            double sum = A[(size_t)i * n + j];
            for (int k = 0; k < j; k++)
                sum -= A[(size_t)i * n + k] * A[(size_t)j * n + k];
            A[(size_t)i * n + j] = sum / A[(size_t)j * n + j];
        }
    }
    return 1;
}

void dense_cholesky_solve(int n, const double* L, double* x)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++)
            x[i] -= L[(size_t)i * n + k] * x[k];
        x[i] /= L[(size_t)i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            x[i] -= L[(size_t)k * n + i] * x[k];
        x[i] /= L[(size_t)i * n + i];
    }
}

static int ascending(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// One rotation that makes A(p, q) zero.
static void rotate(int n, double* A, int p, int q)
{
    double apq = A[(size_t)p * n + q];
    if (apq == 0.0)
        return;
    double theta = (A[(size_t)q * n + q] - A[(size_t)p * n + p]) / (2.0 * apq);
    double t = (theta >= 0.0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    for (int k = 0; k < n; k++) {
        double kp = A[(size_t)k * n + p], kq = A[(size_t)k * n + q];
        A[(size_t)k * n + p] = c * kp - s * kq;
        A[(size_t)k * n + q] = s * kp + c * kq;
    }
    for (int k = 0; k < n; k++) {
        double pk = A[(size_t)p * n + k], qk = A[(size_t)q * n + k];
        A[(size_t)p * n + k] = c * pk - s * qk;
        A[(size_t)q * n + k] = s * pk + c * qk;
    }
}

void dense_eigenvalues(int n, double* A, double* w)
{
    for (int sweep = 0; sweep < 60; sweep++) {
        double off = 0.0, diagonal = 0.0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                *(i == j ? &diagonal : &off) += A[(size_t)i * n + j] * A[(size_t)i * n + j];
        if (off <= 1e-30 * diagonal)
            break;
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++)
                rotate(n, A, p, q);
    }
    for (int i = 0; i < n; i++)
        w[i] = A[(size_t)i * n + i];
    qsort(w, (size_t)n, sizeof *w, ascending);
}

double dense_norm2(int n, const double* A)
{
    double* S = dense_zeros((size_t)n * n);
    double* w = dense_zeros((size_t)n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                S[(size_t)i * n + j] += A[(size_t)k * n + i] * A[(size_t)k * n + j];
    dense_eigenvalues(n, S, w);
    double largest = n > 0 ? sqrt(fmax(w[n - 1], 0.0)) : 0.0;
    free(S);
    free(w);
    return largest;
}

void dense_problem_matrix(const CondProblem* problem, double* A)
{
    size_t n = (size_t)problem->n_dof;
    memset(A, 0, n * n * sizeof *A);
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        double* corner = A + (size_t)block->dof_begin * n + (size_t)block->dof_begin;
        if (block->kind == COND_BLOCK_BSR3) {
            for (int i = 0; i < block->n_dof / 3; i++)
                for (int k = block->row_begin[i]; k < block->row_begin[i + 1]; k++)
                    for (int e = 0; e < 9; e++)
                        corner[(size_t)(3 * i + e / 3) * n +
                               (size_t)(3 * block->column[k] + e % 3)] = block->values[9 * k + e];
            continue;
        }
        for (int i = 0; i < block->n_dof; i++) {
            if (block->kind == COND_BLOCK_TRIDIAGONAL)
                for (int c = 0; c < 18; c++) {
                    int j = 6 * (i / 6) - 6 + c;
                    if (j >= 0 && j < block->n_dof)
                        corner[(size_t)i * n + (size_t)j] = block->values[18 * i + c];
                }
            else if (block->kind == COND_BLOCK_DENSE)
                for (int j = 0; j < block->n_dof; j++)
                    corner[(size_t)i * n + (size_t)j] = block->values[i * block->n_dof + j];
            else
                for (int k = block->row_begin[i]; k < block->row_begin[i + 1]; k++)
                    corner[(size_t)i * n + (size_t)block->column[k]] = block->values[k];
        }
    }
    for (int c = 0; c < problem->n_coupling; c++) {
        const CondCoupling* p = &problem->coupling[c];
        for (int k = 0; k < p->n_coordinate; k++)
            for (int l = 0; l < p->n_coordinate; l++)
                for (int r = 0; r < p->n_row; r++)
                    for (int s = 0; s < p->n_row; s++)
                        A[(size_t)p->coordinate[k] * n + (size_t)p->coordinate[l]] +=
                            p->jacobian[r * p->n_coordinate + k] * p->gain[r * p->n_row + s] *
                            p->jacobian[s * p->n_coordinate + l];
    }
}

void dense_contact_jacobian(const CondContact* contact, int n_dof, double* J)
{
    memset(J, 0, 3 * (size_t)n_dof * sizeof *J);
    for (int s = 0; s < 2; s++) {
        const CondSide* side = &contact->side[s];
        for (int k = 0; k < side->n_coordinate; k++)
            for (int r = 0; r < 3; r++)
                for (int i = 0; i < 3; i++) {
                    double entry =
                        side->jacobian ? side->jacobian[i * side->n_coordinate + k] : (i == k);
                    J[r * n_dof + side->coordinate[k]] +=
                        (s == 0 ? 1.0 : -1.0) * contact->frame[3 * r + i] * entry;
                }
    }
}

double* dense_pressed_matrix(const CondProblem* problem, const double* D, int stride)
{
    size_t n = (size_t)problem->n_dof;
    double *H = dense_zeros(n * n), *J = dense_zeros(3 * n);
    dense_problem_matrix(problem, H);
    for (int c = 0; c < problem->n_contact; c++, D += stride) {
        dense_contact_jacobian(&problem->contact[c], problem->n_dof, J);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                for (int r = 0; r < 9; r++)
                    H[i * n + j] += J[(size_t)(r / 3) * n + i] * D[r] * J[(size_t)(r % 3) * n + j];
    }
    free(J);
    return H;
}
