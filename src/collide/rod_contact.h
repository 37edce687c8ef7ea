// Rods against rods and against themselves: links as capsules.
#ifndef COND_COLLIDE_ROD_CONTACT_H
#define COND_COLLIDE_ROD_CONTACT_H

#include "collide/touch.h"
#include "geometry/tree.h"

typedef struct CondRodCollider {
    CondContext context;
    CondTree tree; // over the links of all rods that may touch one
    CondTreePairs pairs;
    int n_link;
    int* body;    // of a link                                            (n_link)
    int* link;    // its number in its rod                                (n_link)
    double* from; // where they were, by the sweep                        (n_link x 6)
    double* end;  // both ends of its segment, world [m]                  (n_link x 6)
    double* box;  //                                                      (n_link x 6)
    int built;    // 1: the tree fits the links
    int cap_body, cap_link, cap_end, cap_box, cap_from;
} CondRodCollider;

void cond_rod_collider_begin(const CondContext* context, CondRodCollider* collider);
void cond_rod_collider_end(CondRodCollider* collider);

// Adds one contact for every link and every stretch of another rod, or of the same rod beyond its
// neighbourhood, that comes within reach: at the two nearest points.
CondStatus cond_collide_rods(CondRodCollider* collider, const CondPosture* posture,
                             const double* reach, CondTouchList* list);

// Adds the links that have passed each other between two postures, with the normal of their
// meeting. The second one must be that of the last cond_collide_rods.
CondStatus cond_rods_sweep(CondRodCollider* collider, const CondPosture* before,
                           const CondPosture* after, CondTouchList* list);

// Both ends of a link's segment, world [m].
void cond_rod_link_ends(const CondPosture* posture, int body, int link, double end[6]);

// Nearest points p + s d and q + t e of two segments, s and t in 0 .. 1; returns their distance.
// Where they are parallel, the middle of the stretch along which they face each other.
double cond_segment_nearest(const double p[3], const double d[3], const double q[3],
                            const double e[3], double* s, double* t);

// 1 when end `end` of the attachment holds a rod near the contact's link of it, and the contact is
// with the body that it is held to: attached things overlap where they are attached.
int cond_rod_is_held(const CondModel* model, const CondAttachment* what, int end,
                     const CondTouch* touch);

#endif
