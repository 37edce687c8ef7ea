// A pair (v, lambda) with its certificate, which the stages of the strategy pass to each other.
#ifndef COND_LAW_ANSWER_H
#define COND_LAW_ANSWER_H

#include "base/arena.h"
#include "cond/certificate.h"
#include "cond/solver.h"

typedef struct CondAnswer {
    CondArena arena;
    int threads;                 // that copy it; 0: as base/cores.h says
    double* v;                   //                                             (n_dof)
    double* lambda;              //                                             (n_contact x 3)
    CondCertificate certificate; // valid if the residual is finite
    double residual;             // of the certificate; INFINITY: not known, or not finite
} CondAnswer;

// Reserves memory for an answer to the problem.
CondStatus cond_answer_reserve(const CondContext* context, const CondProblem* problem,
                               CondAnswer* answer);

// Stores a pair; certificate NULL: not known. Pointers to empty arrays may be NULL.
void cond_answer_set(const CondProblem* problem, const double* v, const double* lambda,
                     const CondCertificate* certificate, CondAnswer* answer);

void cond_answer_copy(const CondProblem* problem, const CondAnswer* from, CondAnswer* to);

void cond_answer_destroy(CondAnswer* answer);

// The work of two solves added up: iterations, products, Newton steps, time.
void cond_solve_info_add_work(const CondSolveInfo* a, const CondSolveInfo* b, CondSolveInfo* sum);

#endif
