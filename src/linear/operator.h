// The interface of iterative methods to a linear system: the product with its matrix, and one with
// what is about the inverse of it. Storage, threads and devices are behind these.
#ifndef COND_LINEAR_OPERATOR_H
#define COND_LINEAR_OPERATOR_H

// A square matrix.
typedef struct CondOperator {
    int n;
    void (*apply)(const void* data, const double* x, double* y); // y = A x, x and y apart
    const void* data;
} CondOperator;

// M, about A^-1; for conjugate gradients it is symmetric and positive definite.
typedef struct CondPreconditioner {
    void (*apply)(const void* data, const double* r, double* z); // z = M r, r and z apart
    const void* data;
} CondPreconditioner;

#endif
