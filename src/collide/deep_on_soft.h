// Contacts at the deepest points of a soft surface in rigid shapes with flat faces, where no other
// contact has that depth.
#ifndef COND_COLLIDE_DEEP_ON_SOFT_H
#define COND_COLLIDE_DEEP_ON_SOFT_H

#include "collide/collide.h"

// Appends the deepest point of each soft surface in each rigid shape where the contacts of the list
// do not say as much; after all others.
CondStatus cond_collide_deep_on_soft(CondCollider* collider, const CondKinematics* kinematics,
                                     CondCandidateList* list);

#endif
