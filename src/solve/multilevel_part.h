// What the files of the multilevel correction share.
#ifndef COND_SOLVE_MULTILEVEL_PART_H
#define COND_SOLVE_MULTILEVEL_PART_H

#include "solve/multilevel.h"

// How a tie holds a node of level 0.
enum { COND_NODE_FREE, COND_NODE_CUT, COND_NODE_HELD };

// Of the arrow beside the coarse correction: its blocks alone go too far, for no eigenvalue of
// D^-1 A exceeds the nodes of an element, four.
static const double COND_MULTILEVEL_DAMPING = 0.5;

// Groups, patterns and room of all levels, from the pattern of level 0.
CondStatus cond_multilevel_plan_levels(CondMultilevel* multi);

#endif
