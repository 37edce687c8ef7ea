// Edges against edges: of rigid shapes, and of these against the surfaces of soft bodies.
#ifndef COND_COLLIDE_CROSSING_H
#define COND_COLLIDE_CROSSING_H

#include "collide/collide.h"

// A contact on a soft surface this near to a node, of the radius of what touches, is the node's:
// the sagitta there is a thousandth of the radius.
#define COND_NEAR_NODE 0.05

// Appends the crossings of edges of two rigid shapes of different bodies, of which one moves. The
// collider's solids must be placed.                                          reach (n_body)
CondStatus cond_collide_crossings(const CondCollider* collider, const CondPosture* posture,
                                  const double* reach, CondTouchList* list);

// Appends the crossings of edges of rigid shapes with edges of soft surfaces. The volumes must be
// updated too.
CondStatus cond_collide_skins(CondCollider* collider, const CondPosture* posture,
                              const double* reach, CondTouchList* list);

#endif
