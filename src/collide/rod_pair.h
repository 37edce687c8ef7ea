// Rods against planes, rigid shapes and points: every link is a capsule.
#ifndef COND_COLLIDE_ROD_PAIR_H
#define COND_COLLIDE_ROD_PAIR_H

#include "collide/collide.h"

// Appends the contacts of the links of all rods. Links, solids and features must be placed and the
// broad phase built.                                                       reach (n_body)
CondStatus cond_collide_rod_pairs(CondCollider* collider, const CondPosture* posture,
                                  const double* reach, CondTouchList* list);

#endif
