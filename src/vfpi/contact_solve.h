// The contact solve of one V-FPI iteration: Alg. 2 and line 11 of Alg. 1,
//   eta = Jc v* + phi,  lambda = SOL(eta, gamma),  v** = v* + W Jc' lambda.
#ifndef COND_VFPI_CONTACT_SOLVE_H
#define COND_VFPI_CONTACT_SOLVE_H

#include "cond/solver.h"
#include "nodalize/nodal.h"

// Data that all contacts share; borrowed.
typedef struct CondContactSolve {
    const CondNodal* nodal;
    CondLaw law;
    double omega;        //
    const int* node;     // indices in v of the contacts' nodes, -1 static     (n_contact x 2)
    const double* w;     // diagonal of W                                       (as v)
    const double* carry; // the multiplier of the contacts that have one       (n_contact x 3)
} CondContactSolve;

// v holds v* and receives v** on the nodes of contact c.                     lambda (3)
void cond_contact_solve(const CondContactSolve* s, int c, double* v, double* lambda);

#endif
