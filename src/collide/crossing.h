// Edges of rigid shapes against the surfaces of soft bodies.
#ifndef COND_COLLIDE_CROSSING_H
#define COND_COLLIDE_CROSSING_H

#include "collide/collide.h"

// A contact on a soft surface this near to a node, of the radius of what touches, is the node's:
// the sagitta there is a thousandth of the radius.
#define COND_NEAR_NODE 0.05

// Appends the crossings of edges of rigid shapes with edges of soft surfaces. The collider's solids
// must be placed and the volumes updated.                                    reach (n_body)
CondStatus cond_collide_skins(CondCollider* collider, const CondPosture* posture,
                              const double* reach, CondTouchList* list);

#endif
