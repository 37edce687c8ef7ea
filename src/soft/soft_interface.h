// The interface: coordinates of rigid bodies and robots, and their coupling to nodes.
#ifndef COND_SOFT_SOFT_INTERFACE_H
#define COND_SOFT_SOFT_INTERFACE_H

#include "soft/soft_system.h"
#include "soft/soft_term.h"

// Adds the term's entries of the interface, to C, E and S.
void cond_soft_interface_add(CondSoftSystem* system, const CondTerm* term);

// BC = B C, EB = B' E, then S -= E' B C and its factor. Returns a value other than 0 if the
// factorisation fails.
int cond_soft_interface_finish(CondSoftSystem* system);

// Packs the interface's share of the preconditioner for the inner iterations.
void cond_soft_interface_pack(CondSoftSystem* system);

#endif
