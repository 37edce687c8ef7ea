// How deep two bodies are in each other, as the audit defines it, where contacts do not say so:
// where one of them is a mesh that is not convex or a soft body, a contact has the gap of its own
// face, edge or corner, which is not the depth of the deepest point.
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

// 1 where the least gap of the contacts is not the signed distance of the two and what is below
// can tell it: not for points, nor for what an attachment holds together, which overlaps there.
int cond_pair_depth_applies(const struct CondCollider* collider, const CondState* state,
                            const CondBodyPair* pair);

// The signed distance of the two where the collider was placed by the kinematics, with the
// thickness of soft bodies among themselves; INFINITY where it is more than `far`.
CondStatus cond_pair_depth(struct CondCollider* collider, const CondKinematics* kinematics,
                           const CondBodyPair* pair, double far, double* gap);

#endif
