// A term of the tied system, |J x|^2 in K: a coupling or the tie of a contact, on nodes of soft
// bodies and coordinates of the border.
#ifndef COND_SOLVE_TIE_TERM_H
#define COND_SOLVE_TIE_TERM_H

#include "solve/tie_system.h"

// Its coordinates, and J by columns of n_row numbers. Lives in the scratch of the system until the
// next one is made.
typedef struct CondTieTerm {
    int n_row, n_entry;
    const int* coordinate;
    const double* column;
    const double* K;  // n_row x n_row
    const double* KJ; // K J by columns, as J
} CondTieTerm;

CondTieTerm cond_tie_term_coupling(CondTieSystem* system, const CondCoupling* c);
CondTieTerm cond_tie_term_contact(CondTieSystem* system, int c);

// (J' K J)_kl
double cond_tie_term_entry(const CondTieTerm* term, int k, int l);

// Entries first .. returned value - 1 belong to the same node, or are all of the border: a run.
int cond_tie_term_run_end(const CondTieSystem* system, const CondTieTerm* term, int first);
// Norm of its columns.
double cond_tie_term_run_size(const CondTieTerm* term, int first, int last);
// Runs of nodes.
int cond_tie_term_count_runs(const CondTieSystem* system, const CondTieTerm* term);

#endif
