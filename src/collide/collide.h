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

// Bounds of the space that a body sweeps in a step.
typedef struct CondSweptBody {
    double box[6];  // around its features [m]
    double move[6]; // least and largest move of a feature along the axes [m]
    double travel;  // longest move [m]
    int exact;      // 0: box and travel are bounds, and move is not known
} CondSweptBody;

// Result of one range of bodies: the solids that they may hit, by swept boxes.
typedef struct CondSweepNear {
    CondTreeHits hits;   // scratch, for one body
    CondTreePairs pairs; // body and solid
    CondStatus status;
} CondSweepNear;
enum { COND_SWEEP_PARTS = 64 };

// Positions at the start of a step, and motions in it, by cond_collide_swept.
typedef struct CondSweep {
    double* place;              // of the features [m]                               (n_feature x 3)
    struct CondSweptBody* part; // scratch: one for each COND_SUM_BLOCK features
    double* pose;               // of the solids                                     (n_solid x 7)
    double* box;                // bounds of their motion in the step                (n_solid x 6)
    double* thickness;          // least extent of the solids, by create [m]         (n_solid)
    double* travel;             // of their bodies [m]                               (n_solid)
    double* span;               // farthest feature of a robot's link from its origin [m]; -1: none
                                //                                                   (all links)
    int* span_begin;            // first entry of a robot in span                    (n_body)
    CondSweptBody* body;        //                                                   (n_body)
    CondFold* fold;             // of the soft bodies                                (n_body)
    int n_fold;                 // n_body
    CondSharedContext shared;   // for `near`
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
    int* last;                // scratch: triangle that each vertex touched in the last step
    int n_solid;              // obstacles, then the solids of bodies
    double* pose;             // of the solids now                                (n_solid x 7)
    double* box;              // boxes around them                               (n_solid x 6)
    CondCore* core;           // of the solids, relative to their own positions      (n_solid)
    double* far;              // reach of the body of each solid                     (n_solid)
    CondBroad broad;          // over the solids
    double* place;            // of the features now                              (n_feature x 3)
    int placed;               // 1: obstacles and their features have been placed; they do not move
    int cornered;             // 1: `place` is also valid for features of solids
    int plain;                // 1: there are neither soft bodies nor rods
    CondBoundary* boundary;   // of the obstacles, computed when first needed     (n_obstacle)
    int n_boundary;           // n_obstacle
    int* bounded;             // 1: the boundary has been computed                (n_obstacle)
    int* soft_edge_begin;     // number of a soft body's first edge (n_body)
    int n_soft_edge;
    CondEdge* edge; // theirs, in the world                             (n_edge)
    CondPairWork pairs;
    CondPairMemory memory;
    CondSharedContext shared; // for `room`
    CondPairRoom* room;       // scratch, one for each thread                    (n_room)
    int n_room;
    struct CondSeamPair* seam; // scratch of collide/seam.c
    int* seam_of;              // last pair of each solid in `seam`              (n_solid)
    CondSweep sweep;
    CondClearance clearance;
    int near_edges;    // 1: list all pairs of shell edges within reach; 0: only those that carried
                       // a force in the last step or have passed each other
    double* visited;   // NULL, or boxes around the bodies, widened by their reach, over all
                       // detections                                              (n_body x 6)
    const int* wanted; // NULL, or 1 for each body whose contacts are needed; pairs of rigid
                       // shapes of two other bodies are skipped              (n_body)
} CondCollider;

// The core of a solid at its present pose, relative to `origin`.
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

// Recomputes the data that depend on parameters of the model after these have changed; parameters
// of soft bodies must not have changed.
void cond_collider_renew(CondCollider* collider);
CondStatus cond_collider_create(const CondModel* model, CondCollider* collider, CondError* error);
void cond_collider_destroy(CondCollider* collider);

// Moves features, solids and soft surfaces to their positions in the kinematics.
void cond_collider_place(CondCollider* collider, const CondKinematics* kinematics);

// Extends the box of each body with which[body] = 1 (NULL: every body) by its last placed geometry,
// widened by its reach.                             reach, which (n_body), box (n_body x 6)
void cond_collider_cover(const CondCollider* collider, const double* reach, const int* which,
                         double* box);

// Lists all pairs of features within reach, by ascending key. The state supplies the triangle that
// each vertex touched last (contact memory), and the active attachments, whose bodies do not touch.
CondStatus cond_collide(CondCollider* collider, const CondKinematics* kinematics,
                        const CondState* state, const double* reach, CondCandidateList* list);

// Lists features that met between two kinematics and have passed each other at the second one, by
// ascending key. The last cond_collide must have been called with the second one.
CondStatus cond_collide_swept(CondCollider* collider, const CondKinematics* before,
                              const CondKinematics* after, const CondState* state,
                              CondCandidateList* list);

#endif
