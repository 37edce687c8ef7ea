// A term of the system, |J x|^2 in K: a coupling or the gain of a contact, on nodes of soft bodies
// and coordinates of the interface.
#include "soft/soft_term.h"

#include <math.h>

CondTerm cond_soft_term_coupling(CondSoftSystem* system, const CondCoupling* c)
{
    CondTerm term = cond_term_coupling(c);
    cond_term_keep(&term, system->column);
    return term;
}

CondTerm cond_soft_term_contact(CondSoftSystem* system, int c)
{
    CondTerm term = cond_term_contact(&system->problem->contact[c], 0, system->T + 9 * (size_t)c,
                                      system->entry, system->column);
    cond_term_keep(&term, system->column + 3 * (size_t)term.n_entry);
    return term;
}

double cond_soft_term_run_size(const CondTerm* term, int first, int last)
{
    double sum = 0.0;
    for (int k = first; k < last; k++)
        for (int r = 0; r < term->n_row; r++) {
            double a = term->J[r * term->row + k * term->entry];
            sum += a * a;
        }
    return sqrt(sum);
}

int cond_soft_term_count_runs(const CondSoftSystem* system, const CondTerm* term)
{
    int count = 0;
    for (int k = 0; k < term->n_entry; k = cond_term_run_end(term, system->node, k))
        count += system->node[term->coordinate[k]] >= 0;
    return count;
}
