// The contacts of a pile that may bear. Those that open in the pair at hand, faster than the pair
// may be off, are left out of the solve: they have no part in its systems, whose factors then have
// less fill, and what they alone join falls into islands of its own. The answer is certified with
// all contacts; those left out that it violates join, and the solve goes on from there.
#ifndef COND_STRATEGY_WORKING_SET_H
#define COND_STRATEGY_WORKING_SET_H

#include "law/answer.h"
#include "nodalize/nodal.h"
#include "strategy/solver.h"

typedef struct CondWorkingSet {
    CondArena arena;
    double* u;           // Jc v + phi of all contacts, of the pair measured last (n_contact x 3)
    int* bears;          // 1: the contact is in the set                          (n_contact)
    int* contact;        // which they are, ascending                             (n)
    int n;               //
    double width;        // of the margin of the contacts that join next
    CondProblem problem; // of the set alone
    CondContact* list;   // its contacts                                          (n)
    double* lambda;      // their forces                                          (n x 3)
    void* strategy;      // of this problem; made when it is needed
} CondWorkingSet;

// Memory for a problem of which nothing has been left out.
CondStatus cond_working_set_begin(CondWorkingSet* set, const CondContext* context,
                                  const CondProblem* problem);
void cond_working_set_destroy(CondWorkingSet* set);

// Takes the contacts that bear in the pair, whose velocities are in set->u, or may do so, into the
// set: all but those that open faster than a share of the velocities at play, and than the residual
// of the pair. Each call after the first takes a margin ten times as wide. Returns how many joined.
int cond_working_set_join(CondWorkingSet* set, const CondNodal* nodal, const CondAnswer* pair);

// 1 where contacts outside of the set are violated in the pair, whose velocities are in set->u.
int cond_working_set_is_violated(const CondWorkingSet* set, const CondProblem* problem);

// 1 where enough is left out to gain by it.
int cond_working_set_pays(const CondWorkingSet* set, const CondProblem* problem);

// The problem of the set from the pair, which becomes the answer; contacts outside of the set have
// no force. `settings` are those of the solver, the budget that of the problem.
CondStatus cond_working_set_solve(CondWorkingSet* set, const CondSolverSettings* settings,
                                  const CondProblem* problem, CondSolveBudget budget,
                                  CondAnswer* pair, CondSolveInfo* info, CondSolveOutcome* outcome);

#endif
