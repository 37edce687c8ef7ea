// A dense reference solver of the contact problem, for comparison: forms A^-1 and the Delassus
// matrix, and sweeps over the contacts, each solved exactly by a search over its slip angle.
#ifndef COND_TEST_REFERENCE_H
#define COND_TEST_REFERENCE_H

#include "cond/law.h"
#include "cond/problem.h"

// The contact problem in the contacts' own space: u = W lambda + q, where W holds Jc A^-1 Jc', the
// slip of virtual nodes with a finite kv, and omega. u is the velocity the law is posed on.
typedef struct Delassus {
    int n;          // 3 n_contact
    int n_dof;      //
    double* W;      //                                                        (n x n)
    double* q;      //                                                        (n)
    double* lift;   // A^-1 Jc'                                               (n_dof x n)
    double* v_free; // A^-1 b                                                 (n_dof)
} Delassus;

void delassus_make(const CondProblem* problem, double omega, Delassus* out);
void delassus_free(Delassus* made);

// Solves from lambda = 0. v (n_dof), u and lambda (n_contact x 3). Returns the largest change of u
// in the last sweep over the largest |q|: below 1e-13 when it converged.
double reference_solve(const CondProblem* problem, CondLaw law, double omega, double* v, double* u,
                       double* lambda);

#endif
