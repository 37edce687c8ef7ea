// Seams: the edges between two adjacent bodies over which a third one slides.
#ifndef COND_COLLIDE_SEAM_H
#define COND_COLLIDE_SEAM_H

#include "collide/collide.h"

// Removes pairs whose normal is that of a face hidden by a seam, from the contacts of rigid shapes
// and planes from `first` on. The contacts of a pair must be adjacent in the list.
CondStatus cond_seams_leave_out(CondCollider* collider, int first, CondCandidateList* list);

#endif
