// A round shape on the surface of a soft body, between the body's nodes.
#ifndef COND_COLLIDE_ROUND_ON_SOFT_H
#define COND_COLLIDE_ROUND_ON_SOFT_H

#include "collide/collide.h"

// The shape that meets the surface: a convex core and its body.
typedef struct CondRoundOnSoft {
    CondCore core;    // relative to `origin`
    double origin[3]; // [m]
    int body;         // -1: static
    int part;         // link of a robot or rod
    const CondSkin* surface;
    int open;  // 1: parts of its core inside the body are handled elsewhere
    int index; // among all shapes that may meet a soft surface: solids, then links of rods
} CondRoundOnSoft;

// Appends the contacts of the core with the triangles and edges of soft body b within `far`, at
// local minima of the distance that are not nodes. The volume must be updated.
CondStatus cond_collide_round_on_soft(CondCollider* collider, const CondKinematics* kinematics,
                                      const CondRoundOnSoft* on_soft, int b, double far,
                                      CondCandidateList* list);

// The same for the spheres, capsules and cylinders among the solids, which must be placed.
//                                                                             reach (n_body)
CondStatus cond_collide_rounds_on_soft(CondCollider* collider, const CondKinematics* kinematics,
                                       const double* reach, CondCandidateList* list);

#endif
