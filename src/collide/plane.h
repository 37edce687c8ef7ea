// Contact points of bodies against static planes.
#ifndef COND_COLLIDE_PLANE_H
#define COND_COLLIDE_PLANE_H

#include "step/state.h"

// A point of a body near a plane.
typedef struct CondTouch {
    int body;
    int plane;
    int point;          // index into CondModel.point
    uint64_t key;       // the same point and plane in any step; never 0
    double position[3]; // world [m]
    double gap;         // [m], negative inside
    double friction[2]; //
    double restitution; //
} CondTouch;

typedef struct CondTouchList {
    CondContext context;
    int n;
    CondTouch* touch; // by ascending key                                     (n)
    int cap_touch;
} CondTouchList;

// Lists every point whose gap is at most the reach of its body.              reach (n_body)
CondStatus cond_collide_planes(const CondModel* model, const CondState* state, const double* reach,
                               CondTouchList* list);

// Smallest gap of any point to any plane; INFINITY when there is none.
double cond_collide_smallest_gap(const CondModel* model, const double* position,
                                 const double* orientation);

#endif
