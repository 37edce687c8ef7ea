// What the files of the multilevel correction share.
#ifndef COND_SOLVE_MULTILEVEL_PART_H
#define COND_SOLVE_MULTILEVEL_PART_H

#include "solve/multilevel.h"

static const double COND_MULTILEVEL_DAMPING = 4.0 / 3.0; // of a smoother, over the largest
                                                         // eigenvalue

// Groups and patterns of all levels from the pattern of level 0.
CondStatus cond_multilevel_plan_levels(CondMultilevel* multi);

#endif
