// Edges of rigid shapes against edges of others.
#ifndef COND_COLLIDE_CROSSING_H
#define COND_COLLIDE_CROSSING_H

#include "collide/collide.h"

// Appends the crossings of edges of two rigid shapes of different bodies, of which one moves. The
// collider's solids must be placed.                                          reach (n_body)
CondStatus cond_collide_crossings(const CondCollider* collider, const CondPosture* posture,
                                  const double* reach, CondTouchList* list);

#endif
