// Rods against rods and against themselves: links as capsules.
#ifndef COND_COLLIDE_ROD_CONTACT_H
#define COND_COLLIDE_ROD_CONTACT_H

#include "collide/rod_link.h"

// Adds the contacts of links of different rods, or of the same rod beyond its neighbourhood, within
// reach: for every link and every stretch of another strand at the two nearest points, or, where
// they are nearly parallel, at the middle of the link and at the nearest points of the strands; and
// the contacts that carried a force in the last step. The links must be placed.   reach (n_body)
CondStatus cond_collide_rods(CondRodLinks* links, const CondKinematics* kinematics,
                             const CondState* state, const double* reach, CondCandidateList* list);

// Adds the links that have passed each other between two kinematics, with the normal of their
// meeting. The links must be swept.
CondStatus cond_rods_sweep(CondRodLinks* links, const CondKinematics* after,
                           CondCandidateList* list);

#endif
