// The distance that bodies can move before any two can touch. After a search that found nothing
// near, collision detection is skipped until a body has moved by that distance.
#ifndef COND_COLLIDE_CLEARANCE_H
#define COND_COLLIDE_CLEARANCE_H

#include "base/arena.h"
#include "body/kinematics.h"

// A rigid frame: that of a rigid body, a particle, or a link of a robot with shapes.
typedef struct CondClearFrame {
    int body, link;
    double radius; // of all its features and solids around its origin [m]
} CondClearFrame;

// The result of a search: at the poses `pose`, the distance of any bodies a and b is at least
// reach[a] + reach[b], and that of links of one body at least its reach.
typedef struct CondClearance {
    CondArena arena;
    int serves;            // 1: applicable: all bodies are rigid bodies, particles or robots
    int known;             // 1: pose and reach are those of a search that found nothing
    int n;                 //
    CondClearFrame* frame; //                                                  (n)
    double* pose;          // position and quaternion of each                  (n x 7)
    double* reach;         // [m]                                              (n_body)
    double* asked;         // scratch: the reach of a wider search [m]         (n_body)
    double wider;          // factor of the reach in the next wider search
    int wait;              // searches left before the next wider one
    int patience;          // number of searches waited after the last wider one that found
                           // something
    int found;             // 1: the last search found something
} CondClearance;

CondStatus cond_clearance_create(const CondContext* context, const CondModel* model,
                                 CondClearance* clearance);
void cond_clearance_destroy(CondClearance* clearance);
// To be called after shapes have changed.
void cond_clearance_renew(const CondModel* model, CondClearance* clearance);

// 1 if no two bodies can be within reach of each other at the kinematics. reach NULL: 0   (n_body)
int cond_clearance_holds(const CondClearance* clearance, const CondKinematics* kinematics,
                         const double* reach);
// The reach of a wider search that measures the clearance; NULL if none is due.
const double* cond_clearance_ask(CondClearance* clearance, const CondModel* model,
                                 const double* reach);
// To be called after that search, which has set `found`.
void cond_clearance_answer(CondClearance* clearance, const CondKinematics* kinematics);

#endif
