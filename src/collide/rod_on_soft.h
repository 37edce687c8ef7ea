// Rods against the surfaces of soft bodies, between their nodes.
#ifndef COND_COLLIDE_ROD_ON_SOFT_H
#define COND_COLLIDE_ROD_ON_SOFT_H

#include "collide/collide.h"

// Appends the contacts of links with triangles and edges of soft bodies, and at the points where
// the axes of links are deepest in them. Links must be placed and volumes updated.   reach (n_body)
CondStatus cond_collide_rods_on_soft(CondCollider* collider, const CondKinematics* kinematics,
                                     const CondState* state, const double* reach,
                                     CondCandidateList* list);

#endif
