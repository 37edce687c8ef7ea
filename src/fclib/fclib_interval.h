// Intervals of forces in FCLib files. The layout knows friction cones alone: intervals lie in a
// group of ours, which other programs do not look for, with the column of H and the offset that
// each has, its place among all contacts, its bounds and compliance.
#ifndef COND_FCLIB_FCLIB_INTERVAL_H
#define COND_FCLIB_FCLIB_INTERVAL_H

#include "cond/problem.h"
#include "fclib/fclib_matrix.h"

typedef struct CondFclibIntervals {
    int n;              // 0: the file has none
    int* contact;       // their places among all contacts, ascending  (n)
    CondFclibMatrix H;  //                                             (n_dof x n)
    double* w;          //                                             (n)
    double *low, *high; //                                             (n)
    double* compliance; //                                             (n)
    double* kv;         // NULL: all INFINITY                          (n)
} CondFclibIntervals;

// Those of a problem; kv has the gain of each (NULL: all INFINITY), v and lambda of all contacts
// may be NULL.
CondStatus cond_fclib_intervals_write(const CondDataFile* file, const CondProblem* problem,
                                      const double* kv, CondFclibLayout layout, const double* v,
                                      const double* lambda);

// Those of a file whose cones are n_cone, checked.
CondStatus cond_fclib_intervals_read(const CondDataFile* file, int n_dof, int n_cone,
                                     CondFclibIntervals* intervals);
void cond_fclib_intervals_destroy(const CondContext* context, CondFclibIntervals* intervals);

// Puts them between the cones: three columns of H each, the last two empty, and three numbers of w;
// friction 0. The arrays are replaced; *kv stays NULL where all are INFINITY.
CondStatus cond_fclib_intervals_join(const CondDataFile* file, const CondFclibIntervals* intervals,
                                     CondFclibMatrix* H, double** w, double** mu, double** kv);

// Sets, bounds and compliance of the contacts of a problem made so.
void cond_fclib_intervals_set(const CondFclibIntervals* intervals, CondContact* contact);

#endif
