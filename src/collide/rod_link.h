// The links of all rods as capsules: their positions, boxes, and a tree over these.
#ifndef COND_COLLIDE_ROD_LINK_H
#define COND_COLLIDE_ROD_LINK_H

#include "base/arena.h"
#include "collide/candidate.h"
#include "geometry/core.h"
#include "geometry/tree.h"
#include "model/state.h"

typedef struct CondRodLinks {
    CondArena arena;
    CondTree tree; // over all links
    CondTreePairs pairs;
    CondTreeHits hits;
    int n;         // links of all rods
    int* first;    // first link of the rod that body b is; n links before         (n_body + 1)
    int* body;     // of a link                                                     (n)
    int* link;     // its number in its rod                                         (n)
    int* clamped;  // 1, 2: its first or second half is attached to the world              (n)
    double* end;   // both ends of its segment, world [m]                           (n x 6)
    double* from;  // the previous ends, by the sweep                                  (n x 6)
    double* box;   // around it, with its radius and reach                          (n x 6)
    double travel; // longest motion of an end, by the sweep [m]
    int built;     // 1: the tree fits the links
} CondRodLinks;

// Lists the links of a model.
CondStatus cond_rod_links_create(const CondModel* model, CondRodLinks* links);
void cond_rod_links_destroy(CondRodLinks* links);

// Updates the links to the kinematics, with boxes that overlap if two links are within reach, and
// finds the halves that attachments of the state clamp.                        reach (n_body)
CondStatus cond_rod_links_place(CondRodLinks* links, const CondKinematics* kinematics,
                                const CondState* state, const double* reach);

// Stores the ends at an earlier kinematics, and replaces the boxes by boxes around the motions.
void cond_rod_links_sweep(CondRodLinks* links, const CondKinematics* before);

// Both ends of a link's segment, world [m].
void cond_rod_link_ends(const CondKinematics* kinematics, int body, int link, double end[6]);

// The capsule of link i relative to `origin`. With `clamped` the half that is attached to the world
// is left out: the attachment fixes its position, whatever it touches.
void cond_rod_link_core(const CondRodLinks* links, const CondKinematics* kinematics, int i,
                        int clamped, const double origin[3], CondCore* core);

// 1 when link k exists and belongs to the same rod as link i.
static inline int cond_rod_links_joined(const CondRodLinks* links, int i, int k)
{
    return k >= 0 && k < links->n && links->body[k] == links->body[i];
}

// 1 if end `end` of the attachment holds a rod near the link of the contact, and the contact is
// with the body at the other end: attached bodies overlap at their attachment.
int cond_rod_is_held(const CondModel* model, const CondAttachment* what, int end,
                     const CondCandidate* candidate);

#endif
