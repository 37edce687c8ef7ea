// Overlap of shapes of a robot's links at the start of the scene.
#ifndef COND_SCENE_LINK_OVERLAP_H
#define COND_SCENE_LINK_OVERLAP_H

#include "geometry/depth.h"
#include "model/model.h"

typedef struct CondLinkOverlap {
    CondContext context;
    CondDepthWork depth;
    CondBoundary boundary[2];
    struct CondArticulationWork* work; // poses of the present robot
} CondLinkOverlap;

void cond_link_overlap_begin(const CondContext* context, CondLinkOverlap* overlap);
void cond_link_overlap_end(CondLinkOverlap* overlap);
// Selects a robot, at its start.
CondStatus cond_link_overlap_place(CondLinkOverlap* overlap, const CondBody* robot);
// Penetration of two solids of that robot [m]; 0 if it is within rounding, or within that of links
// modelled as touching.
CondStatus cond_link_overlap_find(CondLinkOverlap* overlap, const CondSolid* a, const CondSolid* b,
                                  double* depth);
// 1 for a surface that is not convex.
int cond_link_overlap_is_hollow(const CondSolid* solid);

#endif
