// Contacts at the deepest points of a soft surface in rigid shapes with flat faces, where no other
// contact has that depth.
#ifndef COND_COLLIDE_DEEP_ON_SOFT_H
#define COND_COLLIDE_DEEP_ON_SOFT_H

#include "collide/collide.h"

// Appends the deepest point of each soft surface in each rigid shape if no contact of the list has
// that depth. To be called after all other detections.
CondStatus cond_collide_deep_on_soft(CondCollider* collider, const CondKinematics* kinematics,
                                     CondCandidateList* list);

#endif
