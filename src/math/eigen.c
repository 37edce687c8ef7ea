// Eigenvalues and eigenvectors of small symmetric matrices.
#include "math/eigen.h"

#include "math/eigen_item.h"

void cond_eigen_symmetric(int n, double* A, double* w, double* Q)
{
    if (n == 3) // the order of nearly every call: with a constant the compiler unrolls the loops
        cond_eigen_sweep(3, A, w, Q);
    else
        cond_eigen_sweep(n, A, w, Q);
}
