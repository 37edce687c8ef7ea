// A round shape on the surface of a soft body, between the body's nodes.
#ifndef COND_COLLIDE_ROUND_ON_SOFT_H
#define COND_COLLIDE_ROUND_ON_SOFT_H

#include "collide/collide.h"

// What meets the surface: a convex core, and whose it is.
typedef struct CondRoundOnSoft {
    CondCore core;    // its position taken from `origin`
    double origin[3]; // [m]
    int body;         // -1: nothing moves it
    int part;         // link of a robot or rod
    const CondSkin* surface;
    int open;  // 1: parts of its core inside the body are handled elsewhere
    int index; // of all that may meet a soft surface: solids, then links of rods
} CondRoundOnSoft;

// Appends where the core meets the triangles and edges of soft body b within `far`, at places where
// the distance has a local minimum that is no node. The volume must be updated.
CondStatus cond_collide_round_on_soft(CondCollider* collider, const CondKinematics* kinematics,
                                      const CondRoundOnSoft* on_soft, int b, double far,
                                      CondCandidateList* list);

// The same for the spheres, capsules and cylinders among the solids, which must be placed.
//                                                                             reach (n_body)
CondStatus cond_collide_rounds_on_soft(CondCollider* collider, const CondKinematics* kinematics,
                                       const double* reach, CondCandidateList* list);

#endif
