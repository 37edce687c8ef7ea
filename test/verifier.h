// The independent verifier: recomputes the certificate from the problem's data with code of its
// own, and checks that a solver told the truth about its answer.
#ifndef COND_TEST_VERIFIER_H
#define COND_TEST_VERIFIER_H

#include "cond/solver.h"

// Sides of every contact that need a virtual node; returns their number.  sides (n_contact)
int verifier_virtual_sides(const CondProblem* problem, int* sides);

// The certificate of (v, lambda), every number from its definition in cond/certificate.h.
CondCertificate verifier_certificate(const CondProblem* problem, CondLaw law, double omega,
                                     const double* v, const double* lambda);

// The residual where the contacts with a 1 in relaxed (n_contact) are held to the proximal law.
double verifier_relaxed_residual(const CondProblem* problem, CondLaw law, double omega,
                                 const int* relaxed, const double* v, const double* lambda);

// Fails the test unless `reported` is the certificate of (v, lambda).
void verifier_check_certificate(const CondProblem* problem, CondLaw law, double omega,
                                const double* v, const double* lambda,
                                const CondCertificate* reported);

// Fails the test unless everything in info is true of the answer: certificate, status against
// tolerance, counts against limits.
void verifier_check(const CondProblem* problem, const CondSolverSettings* settings, const double* v,
                    const double* lambda, const CondSolveInfo* info);

// Solves with a fresh solver from the given start and verifies; returns what the solver returned.
CondStatus verifier_solve(const CondProblem* problem, const CondSolverSettings* settings, double* v,
                          double* lambda, CondSolveInfo* info);

#endif
