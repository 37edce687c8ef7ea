// Edges of soft surfaces across edges of soft surfaces.
#ifndef COND_COLLIDE_SOFT_CROSSING_H
#define COND_COLLIDE_SOFT_CROSSING_H

#include "collide/collide.h"

// Appends the crossings of edges of soft bodies a < b that have passed through each other, and, up
// to a gap of `reach`, those that carried a force in the last step.
CondStatus cond_collide_soft_crossings(CondCollider* collider, const CondKinematics* kinematics,
                                       const CondState* state, int a, int b, double reach,
                                       CondCandidateList* list);

// The same for one soft body, near the contacts of its vertices with itself in collider->found, and
// at crossings that carried a force in the last step.
CondStatus cond_collide_own_soft_crossings(CondCollider* collider, const CondKinematics* kinematics,
                                           const CondState* state, int a, double reach,
                                           CondCandidateList* list);

#endif
