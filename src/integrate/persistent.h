// Persistent contacts, which last through a step: bodies roll, slide or lean on each other without
// impact. Implicit Euler would remove 1/2 dv'M dv of their energy for each change of velocity dv;
// they are stepped by the midpoint rule instead, with their contacts at the positions of the middle
// of the step.
#ifndef COND_INTEGRATE_PERSISTENT_H
#define COND_INTEGRATE_PERSISTENT_H

#include "collide/candidate.h"

typedef struct CondSim CondSim;

// Marks in groups.persistent the bodies of groups with persistent contacts whose motion implicit
// Euler would damp; needs the groups, their fall, sim->f at q_k and the contacts.
void cond_persistent_choose(CondSim* sim, const CondState* state);

// After a linear step by implicit Euler: marks the bodies of deformable groups whose motion it has
// damped, by 1/2 dv'M dv with dv the change of their velocity. The effect of the forces can be
// predicted only for groups of rigid bodies; those of deformable bodies depend on the step. Returns
// 1 if there are any.
int cond_persistent_reconsider(CondSim* sim, const CondState* state);

// Makes the marks consistent after contacts have joined groups: all bodies of a group are marked or
// none.
void cond_persistent_agree(CondSim* sim);

// Sets able to 1 for the bodies whose contacts may last, by their kind and their prescribed motion.
//                                                                               able (n_body)
void cond_persistent_find_able(const CondSim* sim, int* able);

// 1 if any body is marked.
int cond_persistent_any(const CondSim* sim);

// 1 if the step is to be repeated without persistent contacts when the impact stage misses its
// tolerance.
int cond_persistent_may_be_barred(const CondSim* sim);

// Fills sim->attempt.middle: the contacts of the step, those of marked bodies at the positions that
// v_hat leads to in the middle of the step; sim->at_end is the kinematics there. From now on the
// step's problem is posed on them.
CondStatus cond_persistent_move(CondSim* sim, const CondState* state);

// The bodies of a contact are struck: none of their contacts is persistent in this step.
void cond_persistent_end(CondSim* sim, const CondCandidate* candidate);

// Moves the contacts of bodies that are no longer marked back to the start of the step.
void cond_persistent_drop(CondSim* sim);

// 1 if contact c is posed in the middle of the step.
int cond_persistent_is_moved(const CondSim* sim, int c);

// Widens sim->reach so that the contacts of marked bodies are also found at the end of the step,
// where they may be slightly open.
void cond_persistent_widen(CondSim* sim);

// The list that the step's problem is posed on.
const CondCandidateList* cond_persistent_list(const CondSim* sim);

// The candidate between the same features as one of the step, with nearly the same normal; -1:
// none. Searches from *from on, which advances with the keys.
int cond_persistent_find(const CondCandidateList* list, const CondCandidate* candidate, int* from);

#endif
