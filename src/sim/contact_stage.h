// A contact problem that a stage poses in addition to the step's own: its contacts, matrix, solver
// and answer. Created when the stage first runs.
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
    int ready;      // 1: everything is allocated
    const unsigned char* given; // 1: prescribed, by the caller; NULL: none (n_dof)
    const double* rate;         // prescribed velocities; NULL: zero                   (n_dof)
    CondReduction reduction;
    CondFrictionless frictionless; // solver for problems without friction,
    CondLaw law;                   // with the law and the tolerance of the solver
    double tolerance;
    CondSolveBudget budget; // of every solve
} CondContactStage;

// Settings of a stage's solver: it always stops by the certificate, with the tolerance and limits
// of the step if that also does.
CondSolverSettings cond_contact_stage_settings(const CondModel* model);

// Allocates an empty stage; does nothing if it is ready.
CondStatus cond_contact_stage_prepare(const CondModel* model, CondAssemblyContent content,
                                      const CondSolverSettings* settings, CondContactStage* stage);
void cond_contact_stage_destroy(CondContactStage* stage);

// Solves a problem, the stage's or one derived from it with no more coordinates, from the stage's v
// and the forces `start`, NULL: none.                                      start (n_contact x 3)
CondStatus cond_contact_stage_solve(CondContactStage* stage, const CondProblem* problem,
                                    const double* start, CondSolveInfo* info);

#endif
