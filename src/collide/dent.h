// Points and balls of rigid shapes against the volumes of soft bodies.
#ifndef COND_COLLIDE_DENT_H
#define COND_COLLIDE_DENT_H

#include "collide/collide.h"

// Appends every corner, point or small ball of a rigid body, a robot or an obstacle within reach of
// the surface of a soft body. The volumes must be updated.                   reach (n_body)
CondStatus cond_collide_dents(CondCollider* collider, const CondPosture* posture,
                              const CondState* state, const double* reach, CondTouchList* list);

#endif
