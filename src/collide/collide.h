// Collision detection of a whole scene: features against planes and solids, soft bodies against
// soft bodies.
#ifndef COND_COLLIDE_COLLIDE_H
#define COND_COLLIDE_COLLIDE_H

#include "base/shared_context.h"
#include "collide/broad.h"
#include "collide/candidate.h"
#include "collide/clearance.h"
#include "collide/fold.h"
#include "collide/pair.h"
#include "collide/pair_memory.h"
#include "collide/rod_contact.h"
#include "collide/volume.h"
#include "geometry/core.h"
#include "model/state.h"

// The space that a body has swept in a step.
typedef struct CondSweptBody {
    double box[6];  // around its features [m]
    double move[6]; // least and largest move of a feature along the axes [m]
    double travel;  // longest move [m]
    int exact;      // 0: box and travel are bounds, and move is not known
} CondSweptBody;

// Of some bodies, which solids may be on their ways.
typedef struct CondSweepNear {
    CondTreeHits hits;   // of one of them
    CondTreePairs pairs; // body and solid
    CondStatus status;
} CondSweepNear;
enum { COND_SWEEP_PARTS = 64 };

// Where everything was at the start of a step, by cond_collide_swept.
typedef struct CondSweep {
    double* place;              // features                                          (n_feature x 3)
    struct CondSweptBody* part; // scratch: of COND_SUM_BLOCK features each
    double* pose;               // solids                                            (n_solid x 7)
    double* box;                // around them on the way                            (n_solid x 6)
    double* thickness;          // least extent of the solids, by create [m]         (n_solid)
    double* travel;             // of their bodies [m]                               (n_solid)
    double* span;               // farthest feature of a robot's link from its origin [m]; -1: none
                                //                                                   (all links)
    int* span_begin;            // where those of a robot are                        (n_body)
    CondSweptBody* body;        //                                                   (n_body)
    CondFold* fold;             // of the soft bodies                                (n_body)
    int n_fold;                 // n_body
    CondSharedContext shared;   // of what follows
    CondSweepNear near[COND_SWEEP_PARTS];
} CondSweep;

typedef struct CondSeamPair CondSeamPair;

typedef struct CondCollider {
    CondArena arena;
    const CondModel* model;
    CondVolume** volume; // of the soft bodies, NULL for others          (n_body)
    int* soft;           // the soft bodies                              (n_soft)
    int n_soft;
    CondVolumeContacts found; // scratch
    CondRodLinks links;       // of all rods
    int* last;                // scratch: triangle of each vertex in the last step
    int n_solid;              // obstacles, then the solids of bodies
    double* pose;             // of the solids now                                (n_solid x 7)
    double* box;              // around them                                      (n_solid x 6)
    CondCore* core;           // of the solids, from their own positions          (n_solid)
    double* far;              // reach of the solids' bodies                      (n_solid)
    CondBroad broad;          // over the solids
    double* place;            // of the features now                              (n_feature x 3)
    int placed;               // 1: obstacles and their features are where they stay
    int cornered;             // 1: features of solids are placed as the others
    int plain;                // 1: there are neither soft bodies nor rods
    CondBoundary* boundary;   // of the obstacles, once one has been asked for    (n_obstacle)
    int n_boundary;           // n_obstacle
    int* bounded;             // 1: it has been                                   (n_obstacle)
    int* soft_edge_begin;     // number of a soft body's first edge (n_body)
    int n_soft_edge;
    CondEdge* edge; // theirs, in the world                             (n_edge)
    CondPairWork pairs;
    CondPairMemory memory;
    CondSharedContext shared; // of the rooms
    CondPairRoom* room;       // one a thread                                    (n_room)
    int n_room;
    struct CondSeamPair* seam; // scratch of collide/seam.c
    int* seam_of;              // last pair of the solids there                  (n_solid)
    CondSweep sweep;
    CondClearance clearance;
    int near_edges;    // 1: edges of shells across each other are listed wherever they are near; 0:
                       // those that bore a force in the last step, and those beyond each other
    double* visited;   // NULL, or boxes around where the bodies were looked for, with their reach
                       //                                                       (n_body x 6)
    const int* wanted; // NULL, or 1: a body whose contacts are asked for; those of rigid shapes
                       // between others are left out                         (n_body)
} CondCollider;

// The core of a solid as it is placed, from `origin`.
static inline CondCore cond_collider_core(const CondCollider* collider, int solid,
                                          const double origin[3])
{
    CondCore core = collider->core[solid];
    for (int i = 0; i < 3; i++)
        core.p[i] = collider->pose[7 * (size_t)solid + (size_t)i] - origin[i];
    return core;
}

// Key of edge ea of soft body a across edge eb of soft body b: a < b, or one body and ea < eb.
static inline CondContactKey cond_key_soft_crossing(const CondCollider* collider, int a, int ea,
                                                    int b, int eb)
{
    uint64_t first = (uint64_t)(collider->soft_edge_begin[a] + ea);
    return (CondContactKey){.pair = COND_KEY_SOFT_CROSSING +
                                    first * (uint64_t)collider->n_soft_edge +
                                    (uint64_t)(collider->soft_edge_begin[b] + eb)};
}

// After the numbers of its model have changed, but for those of soft bodies.
void cond_collider_renew(CondCollider* collider);
CondStatus cond_collider_create(const CondModel* model, CondCollider* collider, CondError* error);
void cond_collider_destroy(CondCollider* collider);

// Puts features, solids and soft surfaces where the kinematics has them.
void cond_collider_place(CondCollider* collider, const CondKinematics* kinematics);

// Stretches the boxes of the bodies with a 1 in `which`, NULL for all, around where they were
// placed last, with their reach.                                reach, which (n_body), box (n_body
// x 6)
void cond_collider_cover(const CondCollider* collider, const double* reach, const int* which,
                         double* box);

// Lists everything within reach of a body, by ascending key. The state's contact memory tells which
// triangle a vertex touched last, and its active attachments which bodies are held together there.
CondStatus cond_collide(CondCollider* collider, const CondKinematics* kinematics,
                        const CondState* state, const double* reach, CondCandidateList* list);

// Lists what met on the way from one kinematics to another and is beyond each other at the second
// one, by ascending key; the last cond_collide must have been at the second one.
CondStatus cond_collide_swept(CondCollider* collider, const CondKinematics* before,
                              const CondKinematics* after, const CondState* state,
                              CondCandidateList* list);

#endif
