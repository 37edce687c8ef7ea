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
    COND_RESULT_BEGIN,     // where all is at q_k, targets, prescribed coordinates, rows of joints
    COND_RESULT_FORCES,    // f
    COND_RESULT_MATRIX,    // A
    COND_RESULT_COLLIDE,   // contacts
    COND_RESULT_THETA,     // theta of each group
    COND_RESULT_ASSEMBLE,  // the problem
    COND_RESULT_START,     // v_hat and lambda to start from
    COND_RESULT_NODALIZE,  // its islands and nodes
    COND_RESULT_SOLVE,     // v_hat and lambda of the linear problem
    COND_RESULT_ITERATE,   // whether they solve the non-linear one
    COND_RESULT_RECHECK,   // contacts that they violate
    COND_RESULT_INTEGRATE, // q_{k+1}, v_{k+1}
    COND_RESULT_IMPACT,    // v_{k+1} by the law of impacts
    COND_RESULT_CORRECT,   // q_{k+1} without penetration
    COND_RESULT_FINISH,    // v_{k+1} with the balance of energy
    COND_RESULT_COMMIT,    // the state
    COND_N_RESULT,
} CondResult;

// Where a step goes on after a solve.
typedef enum CondNext {
    COND_NEXT_DONE = 0, // its end
    COND_NEXT_SOLVE,    // at Newton's next iterate: the problem is posed
    COND_NEXT_FORCES,   // with another theta, from q_k again
} CondNext;

// Outcome of the stages; the table of retries reads it (step/retry.c).
typedef struct CondVerdict {
    CondStatus status;  // the worst since the step was begun; of the last solve for the problem
    CondStatus solved;  // of the last solve
    CondStatus impact;  // of the impact stage
    CondSolveInfo last; // of the last solve
    CondNext next;      // by the integrator
    int other_theta;    // 1: forces and A belong to another theta
    int coarse_solve;   // 1: the last solve has the coarse tolerance only
    int coarse_iterate; // 1: Newton's method has ended at it
    int n_violated;     // contacts and limits of joints that are to join
} CondVerdict;

typedef struct CondAttempt {
    const CondState* from;  // the state that it begins with
    CondState* to;          // the state that it changes at its end
    double begun;           // when it begins [s]
    double time_step;       // of the step, or of the substep [s]
    double share_begun;     // where it begins in the step: 0 .. 1, 0 but for pieces (step/piece.c)
    double share;           // and how much of the step it is, all substeps together; 1: the whole
    int ends;               // 1: the step ends with it
    int substep, n_substep; // which substep, of how many; 0 of 1: the step as a whole
    int divides;            // 1: smaller substeps may follow
    int contacts_last;      // 1: groups may have contacts that last (integrate/persistent.h)

    unsigned done;          // results of stages that are there, 1 << CondResult
    int round;              // rechecks after which the step was solved again
    int late;               // 1: contacts have joined the problem since it was solved
    int at_iterate;         // 1: the problem is linearised at an iterate of Newton's method
    int retreats;           // times that groups have gone back to q_k from there
    CondSolveBudget budget; // of the solves
    CondVerdict verdict;
    CondStepInfo info; // of this attempt
    CondStepInfo made; // of the substeps before it
    CondStepInfo vain; // work of the attempts that were given up

    CondCandidateList candidates; // contacts of the step, by collide
    CondCandidateList middle;     // the same, persistent ones in the middle of the step, by auto
    CondCandidateList end;        // contacts at the end of the step, by recheck
    CondCandidateList swept;      // by recheck: what met on the way and is beyond each other

    CondComponents heaps;   // bodies that touch each other, directly or through others
    CondComponents islands; // bodies that contacts of the step join; scratch

    double* yields; // displacement by which a body may give way to late contacts [m]  (n_body x 3)
    int* rests;     // of an island, 1: it starts at rest; scratch                     (n_body)

    CondAssembly assembly; // the problem: A by matrix, all else by assemble
    double* v_hat;         // by solve                                        (n_dof)
    double* lambda;  // by solve; those of the rows behind the contacts ((n_contact + rows) x 3)
    int* relaxed;    // by solve: 1 where the law was relaxed           (n_contact)
    double* impulse; // by integrate: what changed the momentum [N s]   (as lambda)

    double penetration;      // deepest at the end [m]; NaN: not looked at
    CondPenetration deepest; // among the contacts there, by collide_next
    double depth_before;     // of that pair when the step began, where it is beyond its limit [m]

    int moved; // 1: the problem is posed on the contacts in the middle
} CondAttempt;

// The worse of two statuses; a failure is worse than any.
static inline CondStatus cond_status_worst(CondStatus a, CondStatus b)
{
    return a < 0 || (b >= 0 && a > b) ? a : b;
}

// Work is added up; of the certificates the worst stands.
void cond_sim_add_solve(const CondSolveInfo* part, CondSolveInfo* sum);
// Adds the work of another attempt at the same step.
void cond_sim_add_attempt(const CondStepInfo* other, CondStepInfo* info);

#endif
