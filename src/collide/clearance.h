// How far everything may move before anything can touch: where nothing was near, collision
// detection is left out until something has moved by that much.
#ifndef COND_COLLIDE_CLEARANCE_H
#define COND_COLLIDE_CLEARANCE_H

#include "base/arena.h"
#include "body/kinematics.h"

// What moves as a rigid whole: a rigid body, a particle, a link of a robot with shapes.
typedef struct CondClearFrame {
    int body, link;
    double radius; // of all its features and solids around its origin [m]
} CondClearFrame;

// Nothing is within reach[a] + reach[b] of each other, for bodies a and b where they stood in
// `pose`, nor links of one body within its reach.
typedef struct CondClearance {
    CondArena arena;
    int serves;            // 1: all bodies are rigid bodies, particles and robots
    int known;             // 1: pose and reach are those of a search that found nothing
    int n;                 //
    CondClearFrame* frame; //                                                  (n)
    double* pose;          // position and quaternion of each                  (n x 7)
    double* reach;         // [m]                                              (n_body)
    double* asked;         // scratch: the reach of a wider search [m]         (n_body)
    double wider;          // times the reach that the next wider search has
    int wait;              // searches left before the next wider one
    int patience;          // how many there were after the last that found something
    int found;             // 1: the last search has found something
} CondClearance;

CondStatus cond_clearance_create(const CondContext* context, const CondModel* model,
                                 CondClearance* clearance);
void cond_clearance_destroy(CondClearance* clearance);
// Shapes may be others than they were.
void cond_clearance_renew(const CondModel* model, CondClearance* clearance);

// 1 where nothing can be within reach of each other at the kinematics. reach NULL: 0   (n_body)
int cond_clearance_holds(const CondClearance* clearance, const CondKinematics* kinematics,
                         const double* reach);
// The reach of a search that is to find out how far all is clear, NULL where none is due.
const double* cond_clearance_ask(CondClearance* clearance, const CondModel* model,
                                 const double* reach);
// After that search, which has left in `found` whether anything is there.
void cond_clearance_answer(CondClearance* clearance, const CondKinematics* kinematics);

#endif
