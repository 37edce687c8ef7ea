// A term of the system, |J x|^2 in K: a coupling or the gain of a contact, on nodes of soft
// bodies and coordinates of the interface.
#ifndef COND_SOFT_SOFT_TERM_H
#define COND_SOFT_SOFT_TERM_H

#include "soft/soft_system.h"

// Its coordinates, and J by columns of n_row numbers. Lives in the scratch of the system until the
// next one is made.
typedef struct CondSoftTerm {
    int n_row, n_entry;
    const int* coordinate;
    const double* column;
    const double* K;  // n_row x n_row
    const double* KJ; // K J by columns, as J
} CondSoftTerm;

CondSoftTerm cond_soft_term_coupling(CondSoftSystem* system, const CondCoupling* c);
CondSoftTerm cond_soft_term_contact(CondSoftSystem* system, int c);

// (J' K J)_kl
double cond_soft_term_entry(const CondSoftTerm* term, int k, int l);

// Entries first .. returned value - 1 belong to the same node, or are all of the interface: a run.
int cond_soft_term_run_end(const CondSoftSystem* system, const CondSoftTerm* term, int first);
// Norm of its columns.
double cond_soft_term_run_size(const CondSoftTerm* term, int first, int last);
// Runs of nodes.
int cond_soft_term_count_runs(const CondSoftSystem* system, const CondSoftTerm* term);

#endif
