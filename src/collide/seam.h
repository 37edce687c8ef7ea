// Seams: the edges between two things over which a third one slides.
#ifndef COND_COLLIDE_SEAM_H
#define COND_COLLIDE_SEAM_H

#include "collide/collide.h"

// Of the contacts of rigid shapes and planes from `first` on, those of a pair together, leaves out
// the pairs whose normal is that of a face that a seam hides.
CondStatus cond_seams_leave_out(CondCollider* collider, int first, CondCandidateList* list);

#endif
