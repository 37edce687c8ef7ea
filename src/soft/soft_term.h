// A term of the system, |J x|^2 in K: a coupling or the gain of a contact, on nodes of soft
// bodies and coordinates of the interface. A run of its columns (cond_term_run_end with the
// system's node) belongs to one node, or to the interface.
#ifndef COND_SOFT_SOFT_TERM_H
#define COND_SOFT_SOFT_TERM_H

#include "problem/term.h"
#include "soft/soft_system.h"

// Includes K J. Uses scratch of the system: valid until the next term is made.
CondTerm cond_soft_term_coupling(CondSoftSystem* system, const CondCoupling* c);
CondTerm cond_soft_term_contact(CondSoftSystem* system, int c);

// Norm of the columns of a run.
double cond_soft_term_run_size(const CondTerm* term, int first, int last);
// Number of runs that belong to nodes.
int cond_soft_term_count_runs(const CondSoftSystem* system, const CondTerm* term);

#endif
