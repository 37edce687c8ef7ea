// The interface: coordinates of rigid bodies and robots, and how nodes go with them.
#ifndef COND_SOFT_SOFT_INTERFACE_H
#define COND_SOFT_SOFT_INTERFACE_H

#include "soft/soft_system.h"
#include "soft/soft_term.h"

// Adds the term's entries of the interface, to C, E and S.
void cond_soft_interface_add(CondSoftSystem* system, const CondTerm* term);

// BC = B C, EB = B' E, then S -= E' B C and its factor. Not 0: there is none.
int cond_soft_interface_finish(CondSoftSystem* system);

// The interface's part in the preconditioner of the inner iterations.
void cond_soft_interface_pack(CondSoftSystem* system);

#endif
