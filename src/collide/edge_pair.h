// Edges of rigid shapes against the surfaces of soft bodies.
#ifndef COND_COLLIDE_EDGE_PAIR_H
#define COND_COLLIDE_EDGE_PAIR_H

#include "collide/collide.h"

// Appends the crossings of edges of rigid shapes with edges of soft surfaces. The collider's solids
// must be placed and the volumes updated.                                    reach (n_body)
CondStatus cond_collide_edges_on_soft(CondCollider* collider, const CondKinematics* kinematics,
                                      const double* reach, CondCandidateList* list);

#endif
