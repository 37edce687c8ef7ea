// Contacts that last through a step: where bodies roll, slide and lean on each other and nothing is
// struck. Implicit Euler takes half the square of every change of velocity from their energy; they
// take the midpoint rule instead, with their contacts where these are in the middle of the step.
#ifndef COND_INTEGRATE_PERSISTENT_H
#define COND_INTEGRATE_PERSISTENT_H

#include "collide/candidate.h"

typedef struct CondSim CondSim;

// Marks the bodies of the groups whose contacts last and whose motion implicit Euler would brake,
// in groups.persistent; needs the groups, their fall, sim->f at q_k and the contacts.
void cond_persistent_choose(CondSim* sim, const CondState* state);

// After a linear step by implicit Euler: marks the bodies of groups that can change their shape and
// whose motion it has braked, by 1/2 dv'M dv with dv the change of their velocity. What their
// forces would do to it is known for groups of rigid bodies alone; those of others answer to the
// step. Returns 1 where there are any.
int cond_persistent_reconsider(CondSim* sim, const CondState* state);

// The same once contacts have joined groups: all bodies of a group are marked or none.
void cond_persistent_agree(CondSim* sim);

// 1 for the bodies whose contacts may last, by kind and by what leads them.           able (n_body)
void cond_persistent_find_able(const CondSim* sim, int* able);

// 1 where a body is marked.
int cond_persistent_any(const CondSim* sim);

// 1 where the step is tried again without contacts that last if the impact stage misses.
int cond_persistent_may_be_barred(const CondSim* sim);

// sim->attempt.middle: the contacts of the step, those of marked bodies as they are where v_hat
// leads in the middle of the step; sim->at_end is there. The step's problem is posed on them from
// now on.
CondStatus cond_persistent_move(CondSim* sim, const CondState* state);

// The bodies of a contact are struck: nothing of theirs lasts in this step.
void cond_persistent_end(CondSim* sim, const CondCandidate* candidate);

// Takes the contacts of bodies that are not marked any more back to where the step begins.
void cond_persistent_drop(CondSim* sim);

// 1 where contact c of the step is posed in its middle.
int cond_persistent_is_moved(const CondSim* sim, int c);

// Lets sim->reach find the contacts of marked bodies where the step ends too; they may be open by a
// little there.
void cond_persistent_widen(CondSim* sim);

// The list that the step's problem is posed on.
const CondCandidateList* cond_persistent_list(const CondSim* sim);

// The candidate between the same features as one of the step, with nearly the same normal; -1:
// none. Looks from *from on, which moves with the keys.
int cond_persistent_find(const CondCandidateList* list, const CondCandidate* candidate, int* from);

#endif
