// J' K J on a few coordinates: a coupling of bodies, the tie of a virtual node, the linearised law
// of a contact; with functions for its entries and products.
#ifndef COND_PROBLEM_TERM_H
#define COND_PROBLEM_TERM_H

#include "cond/problem.h"

// All pointers are borrowed.
typedef struct CondTerm {
    int n_row, n_entry;    // of J: rows and columns
    const int* coordinate; // of the columns                                  (n_entry)
    const double* J;       // J_rk at J[r row + k entry]
    int row, entry;        //
    const double* K;       // NULL: kv I                                      (n_row x n_row)
    double kv;             //
    const double* KJ;      // K J by columns, if stored; else NULL           (n_entry x n_row)
} CondTerm;

// A coupling as it stands in the problem.
static inline CondTerm cond_term_coupling(const CondCoupling* c)
{
    return (CondTerm){.n_row = c->n_row,
                      .n_entry = c->n_coordinate,
                      .coordinate = c->coordinate,
                      .J = c->jacobian,
                      .row = c->n_coordinate,
                      .entry = 1,
                      .K = c->gain};
}

// A contact with the gain K (3 x 3): J consists of that of side 0 and the negative of that of side
// 1, in contact axes if `turned`, else in world axes. Both sides together have n coordinates.
//                                                       coordinate (n), J (n x 3, by columns)
CondTerm cond_term_contact(const CondContact* contact, int turned, const double* K, int* coordinate,
                           double* J);

// Stores K J, so that an entry takes n_row multiplications.              KJ (n_entry x n_row)
void cond_term_keep(CondTerm* term, double* KJ);

// (K J)_rl
static inline double cond_term_pressed(const CondTerm* t, int r, int l)
{
    const double* b = t->J + l * t->entry;
    double sum = 0.0;
    if (t->KJ)
        return t->KJ[l * t->n_row + r];
    if (!t->K)
        return t->kv * b[r * t->row];
    for (int s = 0; s < t->n_row; s++)
        sum += t->K[r * t->n_row + s] * b[s * t->row];
    return sum;
}

// (J' K J)_kl
static inline double cond_term_entry(const CondTerm* t, int k, int l)
{
    const double* a = t->J + k * t->entry;
    double sum = 0.0;
    for (int r = 0; r < t->n_row; r++)
        sum += a[r * t->row] * cond_term_pressed(t, r, l);
    return sum;
}

// Entries first .. returned value - 1 have coordinates of the same group: a run.
static inline int cond_term_run_end(const CondTerm* t, const int* group, int first)
{
    int k = first + 1;
    while (k < t->n_entry && group[t->coordinate[k]] == group[t->coordinate[first]])
        k++;
    return k;
}

// d += diag(J' K J)                                       d (at the coordinates of the entries)
void cond_term_add_diagonal(const CondTerm* term, double* d);

// rate = J x and force = K rate, x having the entries at `coordinate`.      rate, force (n_row)
void cond_term_force(const CondTerm* term, const int* coordinate, const double* x, double* rate,
                     double* force);

// y += J' K J x
void cond_term_multiply(const CondTerm* term, const double* x, double* y);

#endif
