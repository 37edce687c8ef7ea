// Jc of all contacts in contact frames: rows R (J0, -J1), three per contact, entries by contact.
#ifndef COND_BASELINES_JACOBIAN_H
#define COND_BASELINES_JACOBIAN_H

#include "cond/problem.h"

typedef struct CondJacobian {
    CondContext context;
    int n_contact;
    int* begin;      // first entry of each contact                         (n_contact + 1)
    int* coordinate; // of an entry; both sides may name the same one       (begin[n_contact])
    double* value;   // the entry's column of R (J0, -J1), three numbers    (begin[n_contact] x 3)
    int cap_begin, cap_coordinate, cap_value;
} CondJacobian;

CondStatus cond_jacobian_build(CondJacobian* Jc, const CondProblem* problem);
void cond_jacobian_destroy(CondJacobian* Jc);

// u = Jc v                                                    v (n_dof), u (n_contact x 3)
void cond_jacobian_multiply(const CondJacobian* Jc, const double* v, double* u);
// f += Jc' lambda                                             lambda (n_contact x 3), f (n_dof)
void cond_jacobian_add_transposed(const CondJacobian* Jc, const double* lambda, double* f);

#endif
