// The penetration depth of two bodies as the audit defines it, for pairs whose contacts do not give
// it. If one of them is a non-convex mesh or a soft body, a contact has the gap of its own face,
// edge or corner, which is not the depth of the deepest point.
#ifndef COND_COLLIDE_PAIR_DEPTH_H
#define COND_COLLIDE_PAIR_DEPTH_H

#include "body/kinematics.h"
#include "geometry/depth.h"
#include "model/state.h"

struct CondCollider;

// Two bodies, or with other < 0 a body and an obstacle.
typedef struct CondBodyPair {
    int body, other, obstacle;
} CondBodyPair;

// Workspace for pairs, one after the other.
typedef struct CondPairDepthWork {
    CondDepthWork depth;
    CondBoundary boundary[2];
} CondPairDepthWork;

void cond_pair_depth_begin(const CondContext* context, CondPairDepthWork* work);
void cond_pair_depth_end(CondPairDepthWork* work);

// 1 if the smallest gap of the contacts is not the signed distance of the pair and cond_pair_depth
// can compute it. 0 for points, and for bodies that an attachment holds together, since these
// overlap there.
int cond_pair_depth_applies(const struct CondCollider* collider, const CondState* state,
                            const CondBodyPair* pair);

// The signed distance of the pair at the kinematics by which the collider was placed, less the
// thickness between two soft bodies; INFINITY if it is more than `far`.
CondStatus cond_pair_depth(struct CondCollider* collider, const CondKinematics* kinematics,
                           const CondBodyPair* pair, double far, double* gap);

#endif
