// What of a soft surface is deep in a rigid shape with flat faces and has no contact of its kind.
#ifndef COND_COLLIDE_DEEP_ON_SOFT_H
#define COND_COLLIDE_DEEP_ON_SOFT_H

#include "collide/collide.h"

// Appends the deepest point of each soft surface in each rigid shape where the contacts of the list
// do not say as much; after all others.
CondStatus cond_collide_deep_on_soft(CondCollider* collider, const CondKinematics* kinematics,
                                     CondCandidateList* list);

#endif
