// The contacts that act on each range of coordinates, so that threads can sum contact forces: every
// thread has its own ranges (parts), and the forces of a coordinate are summed in the order of the
// contacts, regardless of the thread.
#ifndef COND_PROBLEM_CONTACT_PARTS_H
#define COND_PROBLEM_CONTACT_PARTS_H

#include "base/arena.h"
#include "cond/problem.h"
#include "device/sum.h"
#include "problem/contact_rows.h"

typedef struct CondContactParts {
    CondArena arena;
    const CondProblem* problem;
    int n_part;           // of COND_SUM_BLOCK coordinates, those of partial sums
    int* begin;           // first of the contacts of each part                  (n_part + 1)
    int* contact;         // contacts that act on a coordinate of it, ascending   (begin[n_part])
    int *last, *count;    // scratch for each range of contacts: the last one found in a part, and
                          // their number                           (COND_LOOP_PARTS x n_part)
    CondContactRows rows; // the Jacobians of all contacts
} CondContactParts;

CondStatus cond_contact_parts_build(CondContactParts* parts, const CondProblem* problem,
                                    int threads);
void cond_contact_parts_destroy(CondContactParts* parts);

static inline int cond_contact_parts_first(const CondContactParts* parts, int part)
{
    int first = part * COND_SUM_BLOCK;
    return first < parts->problem->n_dof ? first : parts->problem->n_dof;
}

// A loop over the parts is divided by work, that of the coordinates and of the contacts that act on
// them, in units of one contact. work returns the number of units; range returns the parts of the
// units first .. last - 1.
typedef struct CondPartRange {
    int first, last;
} CondPartRange;

int cond_contact_parts_work(const CondContactParts* parts);
int cond_contact_parts_before(const CondContactParts* parts, int part); // work of those
CondPartRange cond_contact_parts_range(const CondContactParts* parts, int first, int last);

// f += scale Jc' lambda on the coordinates of a part.
void cond_contact_parts_add(const CondContactParts* parts, int part, double scale,
                            const double* lambda, double* f);

#endif
