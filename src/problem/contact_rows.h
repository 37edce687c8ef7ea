// The Jacobians of the contacts of a problem in contiguous memory, for loops over all contacts that
// run many times per solve. Contacts of rigid bodies and links, whose sides are static or have six
// consecutive coordinates and J = [I, A], are packed; others are read from the problem. The
// operations are those of cond_contact_velocity and cond_contact_add_force, so that the results
// have the same bits.
#ifndef COND_PROBLEM_CONTACT_ROWS_H
#define COND_PROBLEM_CONTACT_ROWS_H

#include "base/arena.h"
#include "problem/side.h"

// A packed contact. Vectors of four numbers are read from one before a row of A on, and from a row
// on: what lies before and behind is a number.
typedef struct CondContactRow {
    double before;  // 0
    double A[2][9]; // of both sides
    double R[9];    // the frame
    double behind;  // 0
    int first[2];   // the first coordinate of each side; -1: static
} CondContactRow;

typedef struct CondContactRows {
    CondContactRow* row; // of the packed contacts                             (n_row)
    int n_row;           //
    int* at;             // row of a contact; -1: not packed                       (n_contact)
} CondContactRows;

// The arrays belong to the arena.
CondStatus cond_contact_rows_build(CondContactRows* rows, CondArena* arena,
                                   const CondProblem* problem, int threads);

// u = R (J0 x - J1 x) + phi of the contacts first .. last - 1; `contact` is that of the problem, or
// one that differs from it in phi alone.                                      u (last - first x 3)
void cond_contact_rows_velocity(const CondContactRows* rows, const CondContact* contact,
                                const double* x, int first, int last, double* u);

// y += scale J' R' lambda of the contacts of a list, one after the other, on the coordinates
// first .. last - 1.                                      list (n), lambda of the problem
void cond_contact_rows_add_forces(const CondContactRows* rows, const CondContact* contact, int n,
                                  const int* list, double scale, const double* lambda, int first,
                                  int last, double* y);

#endif
