// A term of the system, |J x|^2 in K: a coupling or the gain of a contact, on nodes of soft
// bodies and coordinates of the interface. Its runs (cond_term_run_end with the system's node) are
// nodes, or all that is of the interface.
#ifndef COND_SOFT_SOFT_TERM_H
#define COND_SOFT_SOFT_TERM_H

#include "problem/term.h"
#include "soft/soft_system.h"

// With K J, in the scratch of the system until the next one is made.
CondTerm cond_soft_term_coupling(CondSoftSystem* system, const CondCoupling* c);
CondTerm cond_soft_term_contact(CondSoftSystem* system, int c);

// Norm of the columns of a run.
double cond_soft_term_run_size(const CondTerm* term, int first, int last);
// Runs of nodes.
int cond_soft_term_count_runs(const CondSoftSystem* system, const CondTerm* term);

#endif
