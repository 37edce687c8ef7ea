// Features of bodies against static planes.
#ifndef COND_COLLIDE_PLANE_H
#define COND_COLLIDE_PLANE_H

#include "collide/candidate.h"

// Appends every feature whose gap is at most the reach of its body; place: positions of the
// features.                                             place (n_feature x 3), reach (n_body)
CondStatus cond_collide_planes(const CondKinematics* kinematics, const double* place,
                               const double* reach, CondCandidateList* list);

#endif
