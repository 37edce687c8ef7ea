// A contact problem that a stage of the step poses besides the step's own one: its contacts, its
// matrix, its solver and its answer. Made when the stage first runs.
#ifndef COND_SIM_CONTACT_STAGE_H
#define COND_SIM_CONTACT_STAGE_H

#include "assemble/assemble.h"
#include "base/arena.h"
#include "problem/reduce.h"
#include "strategy/frictionless.h"
#include "strategy/solver.h"

typedef struct CondContactStage {
    CondArena arena;
    CondCandidateList candidates; // its contacts
    CondAssembly assembly;        // its problem
    CondSolver* solver;
    double* v;      // the answer                                         (n_dof)
    double* lambda; //                                                    (n_contact x 3)
    int ready;      // 1: all of it is there
    const unsigned char* given; // coordinates that are given, by who solves; NULL: none (n_dof)
    const double* rate;         // their velocities; NULL: zero                     (n_dof)
    CondReduction reduction;
    CondFrictionless frictionless; // for problems without friction,
    CondLaw law;                   // with the law and the tolerance of the solver
    double tolerance;
    CondSolveBudget budget; // of every solve
} CondContactStage;

// How a stage solves its problem whatever the step's stop test is: to the certificate, with the
// limits of the step where that is solved to it too.
CondSolverSettings cond_contact_stage_settings(const CondModel* model);

// Makes what is missing of an empty stage; nothing where it is there.
CondStatus cond_contact_stage_prepare(const CondModel* model, CondAssemblyContent content,
                                      const CondSolverSettings* settings, CondContactStage* stage);
void cond_contact_stage_destroy(CondContactStage* stage);

// Solves a problem, the stage's or one derived from it with no more coordinates, from the stage's v
// and the forces `start`, NULL: none.                                      start (n_contact x 3)
CondStatus cond_contact_stage_solve(CondContactStage* stage, const CondProblem* problem,
                                    const double* start, CondSolveInfo* info);

#endif
