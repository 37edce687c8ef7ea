// Whether shapes of a robot's links are in each other as the scene starts.
#ifndef COND_SCENE_LINK_OVERLAP_H
#define COND_SCENE_LINK_OVERLAP_H

#include "geometry/depth.h"
#include "model/model.h"

typedef struct CondLinkOverlap {
    CondContext context;
    CondDepthWork depth;
    CondBoundary boundary[2];
    struct CondArticulationWork* work; // poses of the robot in hand
} CondLinkOverlap;

void cond_link_overlap_begin(const CondContext* context, CondLinkOverlap* overlap);
void cond_link_overlap_end(CondLinkOverlap* overlap);
// Takes a robot at its start.
CondStatus cond_link_overlap_place(CondLinkOverlap* overlap, const CondBody* robot);
// How deep two solids of that robot are in each other [m]; 0 where that is no more than rounding,
// or than links that touch as they were made.
CondStatus cond_link_overlap_find(CondLinkOverlap* overlap, const CondSolid* a, const CondSolid* b,
                                  double* depth);
// 1 for a surface that is not convex.
int cond_link_overlap_is_hollow(const CondSolid* solid);

#endif
