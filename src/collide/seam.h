// Edges of soft surfaces across edges of soft surfaces.
#ifndef COND_COLLIDE_SEAM_H
#define COND_COLLIDE_SEAM_H

#include "collide/collide.h"

// Appends the crossings of edges of soft bodies a < b that have gone through each other.
CondStatus cond_collide_seams(CondCollider* collider, const CondPosture* posture, int a, int b,
                              CondTouchList* list);

// The same for one soft body, near the contacts of its vertices with itself in collider->found.
CondStatus cond_collide_own_seams(CondCollider* collider, const CondPosture* posture, int a,
                                  CondTouchList* list);

#endif
