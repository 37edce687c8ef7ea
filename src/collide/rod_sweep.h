// Links of rods that hit rigid shapes or points during the step.
#ifndef COND_COLLIDE_ROD_SWEEP_H
#define COND_COLLIDE_ROD_SWEEP_H

#include "collide/collide.h"

// Adds the links of rod b that have met solid i between two kinematics and are beyond it at the
// second, with the normal of their meeting. Solids and links must be swept.
CondStatus cond_rod_sweep_solid(CondCollider* collider, const CondKinematics* after, int b, int i,
                                CondCandidateList* list);

// The same for links and the points of all other bodies, nodes of soft bodies among them.
CondStatus cond_rod_sweep_points(CondCollider* collider, const CondKinematics* after,
                                 CondCandidateList* list);

#endif
