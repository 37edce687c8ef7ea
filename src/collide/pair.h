// Rigid shapes against each other and against planes: the contacts of a pair at its pose.
#ifndef COND_COLLIDE_PAIR_H
#define COND_COLLIDE_PAIR_H

#include "collide/candidate.h"
#include "collide/manifold.h"
#include "collide/mesh_near.h"
#include "collide/pair_depth.h"
#include "geometry/tree.h"

struct CondCollider;

// Workspace for the detection of pairs, one after the other.
typedef struct CondPairWork {
    CondFacet facet[2];
    CondManifold manifold, part;
    CondTreeHits hits[2];
    CondArena arena;
    CondPairDepthWork deep;
    int* seen;  // near faces of a mesh                                               (n_face)
    int* near;  // the same, ascending                                        (n_near)
    int n_near; //
    CondMeshNear near_of[2];
    double box[6]; // around the other shape, widened by its reach, in the mesh's axes
} CondPairWork;

// Workspace of one thread.
typedef struct CondPairRoom {
    CondPairWork work;
    CondCandidateList list; // its contacts, when several threads search
    CondCandidateList* to;  // `list`, or the caller's list
    CondStatus status;
} CondPairRoom;

void cond_pair_work_begin(const CondContext* context, CondPairWork* work);
void cond_pair_work_end(CondPairWork* work);
void cond_pair_rooms_end(struct CondCollider* collider);

// 1 for a mesh that is not convex.
int cond_shape_is_hollow(const CondShape* shape);

// Writes to work->manifold the contacts of two shapes within `far`; their cores are placed relative
// to the same origin.
CondStatus cond_shapes_meet(CondPairWork* work, const CondShape* a, const CondCore* core_a,
                            const CondShape* b, const CondCore* core_b, double far);
// Writes to work->manifold the contacts of two convex cores within `far` of each other, a in front
// of b.
CondStatus cond_cores_meet(CondPairWork* work, const CondCore* a, const CondCore* b, double far);

// Appends the contacts of rigid shapes of different bodies, of which one moves, and those of moving
// shapes with planes. The collider's solids must be placed and its broad phase built.   reach
// (n_body)
CondStatus cond_collide_pairs(struct CondCollider* collider, const CondKinematics* kinematics,
                              const double* reach, CondCandidateList* list);

#endif
