// One attempt at a step: which piece of time it covers, the contact problem that is posed for it,
// and the answer. What a stage finds it leaves here for the stages after it.
#ifndef COND_SIM_ATTEMPT_H
#define COND_SIM_ATTEMPT_H

#include "assemble/assemble.h"
#include "base/components.h"
#include "collide/candidate.h"
#include "cond/sim.h"

// What becomes of contacts that last in this step.
typedef enum CondPersistent {
    COND_PERSISTENT_FREE,   // contacts last where they can
    COND_PERSISTENT_TRIED,  // the same, and the step is tried again where the impact stage misses
    COND_PERSISTENT_BARRED, // none do: it has missed
} CondPersistent;

typedef struct CondAttempt {
    double begun;           // when the step began [s]
    double time_step;       // of the step, or of the substep [s]
    int substep, n_substep; // which substep, of how many; 0 of 1: the step as a whole

    CondCandidateList candidates; // contacts of the step, by collide
    CondCandidateList middle;     // the same, persistent ones in the middle of the step, by auto
    CondCandidateList end;        // contacts at the end of the step, by recheck
    CondCandidateList swept;      // by recheck: what met on the way and is beyond each other

    CondComponents heaps;   // bodies that touch each other, directly or through others
    CondComponents islands; // bodies that contacts of the step join; scratch

    CondAssembly assembly; // the problem: A by matrix, all else by assemble
    double* v_hat;         // by solve                                        (n_dof)
    double* lambda;  // by solve; those of the rows behind the contacts ((n_contact + rows) x 3)
    int* relaxed;    // by solve: 1 where the law was relaxed           (n_contact)
    double* impulse; // by integrate: what changed the momentum [N s]   (as lambda)

    double penetration;      // deepest at the end [m]
    CondPenetration deepest; // among the contacts there, by collide_next
    double depth_before;     // of that pair when the step began, where it is beyond its limit [m]

    int divisible; // 1: it can still be made in more substeps
    int spared;    // 1: so that the solver has left out methods of last resort
    int rough;     // 1: a coarse tolerance suffices, to be looked at
    int coarse;    // 1: the last solve has made use of that
    CondPersistent persistent;
    int moved;     // 1: the problem is posed on the contacts in the middle
    int loaded;    // 1: A is that of this step
    int nodalized; // 1: the solver has the problem as it is now
    int checked;   // 1: by recheck, v_hat leads where `penetration` says
} CondAttempt;

#endif
