// The impact stage: the velocity at the end of the step obeys the contact law of impacts.
#ifndef COND_STEP_IMPACT_H
#define COND_STEP_IMPACT_H

#include "step/contact_stage.h"

typedef struct CondImpact {
    CondContactStage stage; // its contacts are the closed ones of the step
    int* contact_of;        // their index among the contacts of the step   (n_contact)
    int* island;            // of each body, by its lowest one; then 1 where it takes part
                            //                                              (2 x n_body)
    int n_row;              // rows of joints behind them, sim->rows.part
    double* before;         // v before the impulses                        (n_dof)
    double* expected;       // impulses of the step's forces [N s]          (n_contact x 3)
    double growth;          // of the energy exchanged: above this restitution is lowered
    // of the sequence of impacts
    double* after;      // v after it                                       (n_dof)
    double* impulse;    // sums over it [N s]                               (n_contact x 3)
    CondContact* group; // the contacts of one impact                       (n_contact)
    int* member;        // which of the closed ones they are                (n_contact)
} CondImpact;

void cond_impact_destroy(CondImpact* impact);

// Replaces the velocity of sim->next by one that the law of impacts allows, and sim->impulse by
// what led there, where contacts closed in a way that asks for it.
CondStatus cond_sim_impact(CondSim* sim, const CondState* state, CondSolveInfo* info);

// Impulses at n contacts, whose restitution is in their phi, change impact->before = M^-1 b: v in
// stage->v, impulses in stage->lambda. Energy does not grow: where it would, as friction may let
// it, all restitution is lowered until it does not. The solver starts from v = start and the
// impulses expected; NULL: none.
CondStatus cond_impact_solve(CondImpact* impact, const double* start, const double* expected,
                             CondContact* contact, int n, CondSolveInfo* info);

// One impact after the other, from the velocity v_k of the state on; the velocity after them in
// impact->after, their impulses in impact->impulse.
CondStatus cond_impact_sequence(CondSim* sim, const CondState* state, CondSolveInfo* info);

#endif
