// Features of bodies against rigid shapes: static obstacles, rigid bodies, links of robots.
#ifndef COND_COLLIDE_SOLID_H
#define COND_COLLIDE_SOLID_H

#include "collide/touch.h"

// Appends every feature within reach of a solid of another body.             reach (n_body)
CondStatus cond_collide_solids(const CondPosture* posture, const double* reach,
                               CondTouchList* list);

#endif
