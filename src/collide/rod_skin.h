// Rods against the surfaces of soft bodies, between their nodes.
#ifndef COND_COLLIDE_ROD_SKIN_H
#define COND_COLLIDE_ROD_SKIN_H

#include "collide/collide.h"

// Appends where links meet triangles and edges of soft bodies, and where their axes are deepest in
// them. Links must be placed and volumes updated.                             reach (n_body)
CondStatus cond_collide_rod_skins(CondCollider* collider, const CondPosture* posture,
                                  const CondState* state, const double* reach, CondTouchList* list);

#endif
