// One attempt at a step: the time interval, the contact problem and the answer. Stages write their
// results here; later stages and the table of retries read them.
#ifndef COND_SIM_ATTEMPT_H
#define COND_SIM_ATTEMPT_H

#include "assemble/assemble.h"
#include "base/components.h"
#include "collide/candidate.h"
#include "cond/sim.h"
#include "strategy/solver.h"

// Results of the stages of a step, in their order. A stage runs if its result is missing.
typedef enum CondResult {
    COND_RESULT_BEGIN,     // kinematics at q_k, targets, prescribed coordinates, rows of joints
    COND_RESULT_FORCES,    // f
    COND_RESULT_MATRIX,    // A
    COND_RESULT_COLLIDE,   // contacts
    COND_RESULT_THETA,     // theta of each group
    COND_RESULT_ASSEMBLE,  // the problem
    COND_RESULT_START,     // v_hat and lambda to start from
    COND_RESULT_NODALIZE,  // its islands and nodes
    COND_RESULT_SOLVE,     // v_hat and lambda of the linear problem
    COND_RESULT_ITERATE,   // the test whether they solve the non-linear problem
    COND_RESULT_RECHECK,   // contacts that they violate
    COND_RESULT_INTEGRATE, // q_{k+1}, v_{k+1}
    COND_RESULT_IMPACT,    // v_{k+1} by the law of impacts
    COND_RESULT_CORRECT,   // q_{k+1} without penetration
    COND_RESULT_FINISH,    // v_{k+1} with the balance of energy
    COND_RESULT_COMMIT,    // the state
    COND_N_RESULT,
} CondResult;

// Continuation of a step after a solve.
typedef enum CondNext {
    COND_NEXT_DONE = 0, // finish the step
    COND_NEXT_SOLVE,    // solve at Newton's next iterate: the problem is posed
    COND_NEXT_FORCES,   // start again from q_k with another theta
} CondNext;

// Outcome of the stages; the table of retries reads it (step/retry.c).
typedef struct CondVerdict {
    CondStatus status;  // the worst since the start of the step; for the problem that of the last
                        // solve
    CondStatus solved;  // of the last solve
    CondStatus impact;  // of the impact stage
    CondSolveInfo last; // of the last solve
    CondNext next;      // by the integrator
    int other_theta;    // 1: forces and A are those of another theta
    int coarse_solve;   // 1: the last solve has only the coarse tolerance
    int coarse_iterate; // 1: Newton's method has ended at the coarse tolerance
    int n_violated;     // violated contacts and joint limits to be added
} CondVerdict;

typedef struct CondAttempt {
    const CondState* from;  // the state that it begins with
    CondState* to;          // the state that it changes at its end
    double begun;           // when it begins [s]
    double time_step;       // of the step, or of the substep [s]
    double share_begun;     // its start as a fraction of the step: 0 .. 1; 0 except for pieces
                            // (step/piece.c)
    double share;           // its fraction of the step, all substeps together; 1: the whole step
    int ends;               // 1: it is the last one of the step
    int substep, n_substep; // which substep, of how many; 0 of 1: the step as a whole
    int divides;            // 1: smaller substeps may follow
    int contacts_last;      // 1: groups may have persistent contacts (integrate/persistent.h)

    unsigned done;          // results that are available, 1 << CondResult
    int round;              // number of rechecks after which the step was solved again
    int late;               // 1: contacts have joined the problem since the last solve
    int at_iterate;         // 1: the problem is linearised at an iterate of Newton's method
    int retreats;           // number of times that groups returned from there to q_k
    CondSolveBudget budget; // of the solves
    CondVerdict verdict;
    CondStepInfo info; // of this attempt
    CondStepInfo made; // of the substeps before it
    CondStepInfo vain; // work of discarded attempts

    CondCandidateList candidates; // contacts of the step, by collide
    CondCandidateList middle;     // the same, with persistent ones at the middle of the step, by
                                  // auto
    CondCandidateList end;        // contacts at the end of the step, by recheck
    CondCandidateList swept;      // by recheck: features that met on the way and passed each other

    CondComponents heaps;   // bodies that touch each other, directly or through others
    CondComponents islands; // bodies that contacts of the step join; scratch

    double* yields; // displacement by which a body may yield to late contacts [m] (n_body x 3)
    int* rests;     // of an island, 1: it starts at rest; scratch                     (n_body)

    CondAssembly assembly; // the problem: A by matrix, the rest by assemble
    double* v_hat;         // by solve                                        (n_dof)
    double* lambda;        // by solve; contacts, then rows ((n_contact + rows) x 3)
    int* relaxed;          // by solve: 1 where the law was relaxed           (n_contact)
    double* impulse;       // by integrate: impulses over the step [N s]                 (as lambda)

    double penetration;      // deepest at the end [m]; NaN: not computed
    CondPenetration deepest; // among the contacts there, by collide_next
    double depth_before;     // of that pair at the start of the step, if it is beyond its limit [m]

    int moved; // 1: the problem is posed on the contacts in `middle`
} CondAttempt;

// The worse of two statuses; a failure is worse than any.
static inline CondStatus cond_status_worst(CondStatus a, CondStatus b)
{
    return a < 0 || (b >= 0 && a > b) ? a : b;
}

// Adds the work; keeps the worst certificate.
void cond_sim_add_solve(const CondSolveInfo* part, CondSolveInfo* sum);
// Adds the work of another attempt at the same step.
void cond_sim_add_attempt(const CondStepInfo* other, CondStepInfo* info);

#endif
