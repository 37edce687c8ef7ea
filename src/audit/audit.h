// Internals of CondAudit: the bodies, links and obstacles of a scene as convex pieces and closed
// surfaces.
#ifndef COND_AUDIT_AUDIT_H
#define COND_AUDIT_AUDIT_H

#include "audit/surface.h"
#include "base/arena.h"
#include "body/kinematics.h"
#include "cond/audit.h"
#include "model/state.h"

// The source of a piece.
typedef struct CondPieceSource {
    const CondSolid* solid; // its shape; NULL: a point or a link of a rod
    CondPoint point;        // of a body without solids
    int link;               // of a rod, or -1
    // A convex mesh in world axes; owned.
    double *vertex, *normal, *edge;
    int* edge_vertex; // two vertices of each edge                            (n_edge x 2)
} CondPieceSource;

// A body, a link of a robot or an obstacle.
typedef struct CondThing {
    int body;     // -1: an obstacle
    int part;     // link of a robot; else -1
    int obstacle; // -1: none
    int moves;    // 0: static
    int entity;   // of the model
    int hollow;   // 1: points without volume
    double size;  // diagonal at rest [m]
    int piece_begin, n_piece;
    int surface_begin, n_surface;
    double box[6]; // now
} CondThing;

struct CondAudit {
    CondArena arena;
    const CondModel* model;
    CondKinematics kinematics;
    CondThing* thing; // obstacles first                                      (n_thing)
    int n_thing;
    CondPiece* piece; //                                                      (n_piece)
    CondPieceSource* source;
    int n_piece;
    CondSurface* surface;           //                                        (n_surface)
    const CondSolid** surface_from; // NULL: the boundary of a soft body         (n_surface)
    int n_surface;
    CondAuditPair* pair; // found by the last run                             (n_pair)
    int n_pair;
    char* mark; // scratch: vertices of one soft body                     (largest n_node)
};

// Lists the things of the model.
CondStatus cond_audit_list(CondAudit* audit);
// Moves them to their poses in the kinematics.
void cond_audit_place(CondAudit* audit);

// 1 if two things may touch each other.
int cond_audit_may_touch(const CondModel* model, const CondState* state, const CondThing* a,
                         const CondThing* b);
// 1 if a rod's link does not touch another thing because an attachment holds the rod there.
int cond_audit_is_held(const CondModel* model, const CondState* state, int rod, int link,
                       const CondThing* other);
// Marks the nodes of a soft body that attachments hold to another body, in surface->held.
void cond_audit_mark_held(const CondModel* model, const CondState* state, int soft, int other,
                          CondSurface* surface);
// 1 if two links of one rod are too near along it to touch.
int cond_audit_are_neighbours(const struct CondRod* rod, int i, int j);

// A soft body against itself; 1 if a pair was found.
int cond_audit_fold(CondAudit* audit, const CondThing* thing, CondTranslation* out);

#endif
