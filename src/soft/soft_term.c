#include "soft/soft_term.h"

#include "problem/side.h"

#include <math.h>

static CondSoftTerm make(CondSoftSystem* system, int n_row, int n_entry, const int* coordinate,
                         const double* K)
{
    double* KJ = system->column + n_row * n_entry;
    for (int k = 0; k < n_entry; k++)
        for (int r = 0; r < n_row; r++) {
            const double* J = system->column + k * n_row;
            double sum = 0.0;
            for (int s = 0; s < n_row; s++)
                sum += K[r * n_row + s] * J[s];
            KJ[k * n_row + r] = sum;
        }
    return (CondSoftTerm){n_row, n_entry, coordinate, system->column, K, KJ};
}

CondSoftTerm cond_soft_term_coupling(CondSoftSystem* system, const CondCoupling* c)
{
    for (int k = 0; k < c->n_coordinate; k++)
        for (int r = 0; r < c->n_row; r++)
            system->column[k * c->n_row + r] = c->jacobian[r * c->n_coordinate + k];
    return make(system, c->n_row, c->n_coordinate, c->coordinate, c->gain);
}

CondSoftTerm cond_soft_term_contact(CondSoftSystem* system, int c)
{
    const CondContact* contact = &system->problem->contact[c];
    int n = 0;
    for (int s = 0; s < 2; s++) {
        const CondSide* side = &contact->side[s];
        double sign = s == 0 ? 1.0 : -1.0;
        for (int k = 0; k < side->n_coordinate; k++, n++) {
            system->entry[n] = side->coordinate[k];
            for (int r = 0; r < 3; r++)
                system->column[3 * n + r] =
                    sign * (side->jacobian ? side->jacobian[r * side->n_coordinate + k]
                                           : (double)(r == k));
        }
    }
    return make(system, 3, n, system->entry, system->T + 9 * (size_t)c);
}

// (J' K J)_kl
double cond_soft_term_entry(const CondSoftTerm* term, int k, int l)
{
    const double *J = term->column + k * term->n_row, *KJ = term->KJ + l * term->n_row;
    double value = 0.0;
    for (int r = 0; r < term->n_row; r++)
        value += J[r] * KJ[r];
    return value;
}

// Entries first .. returned value - 1 belong to the same node.
int cond_soft_term_run_end(const CondSoftSystem* system, const CondSoftTerm* term, int first)
{
    int node = system->node[term->coordinate[first]], k = first + 1;
    while (k < term->n_entry && system->node[term->coordinate[k]] == node)
        k++;
    return k;
}

double cond_soft_term_run_size(const CondSoftTerm* term, int first, int last)
{
    double sum = 0.0;
    for (int i = first * term->n_row; i < last * term->n_row; i++)
        sum += term->column[i] * term->column[i];
    return sqrt(sum);
}

// Runs of entries of the same node in a term, the interface's left out.
int cond_soft_term_count_runs(const CondSoftSystem* system, const CondSoftTerm* term)
{
    int count = 0;
    for (int k = 0; k < term->n_entry; k = cond_soft_term_run_end(system, term, k))
        count += system->node[term->coordinate[k]] >= 0;
    return count;
}
