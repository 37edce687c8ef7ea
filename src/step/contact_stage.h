// A contact problem that a stage of the step poses besides the step's own one: its contacts, its
// matrix, its solver and its answer. Made when the stage first runs.
#ifndef COND_STEP_CONTACT_STAGE_H
#define COND_STEP_CONTACT_STAGE_H

#include "assemble/assemble.h"

typedef struct CondContactStage {
    CondContext context;
    CondTouchList touches; // its contacts
    CondAssembly assembly; // its problem
    CondSolver* solver;
    double* v;      // the answer                                         (n_dof)
    double* lambda; //                                                    (n_contact x 3)
    int cap_lambda;
    int ready; // 1: all of it is there
} CondContactStage;

// Makes what is missing of an empty stage; nothing where it is there.
CondStatus cond_contact_stage_prepare(const CondModel* model, CondContactStage* stage);
void cond_contact_stage_destroy(CondContactStage* stage);

// Solves the stage's problem from its v and lambda = 0.
CondStatus cond_contact_stage_solve(CondContactStage* stage, CondSolveInfo* info);

#endif
