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
// found = 1 where two solids of that robot overlap by more than rounding, or than links that touch
// as they were made.
CondStatus cond_link_overlap_find(CondLinkOverlap* overlap, const CondSolid* a, const CondSolid* b,
                                  int* found);

#endif
