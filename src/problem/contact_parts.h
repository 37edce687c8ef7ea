// Which contacts act on each part of the coordinates, so that threads can add up contact forces:
// every thread has parts of its own, and a coordinate gets its forces in the order of the contacts,
// whoever adds them.
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
    int* contact;         // which act on a coordinate of it, ascending          (begin[n_part])
    int *last, *count;    // scratch of each share of the contacts: the last one found in a part,
                          // and how many                              (COND_LOOP_PARTS x n_part)
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

// A loop over the parts shares out their work, that of their coordinates and of the contacts that
// act on them, in units of one contact. So many items has the loop, and those from first to last -
// 1 are the parts of the range.
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
