// Force intervals in FCLib files. The FCLib layout has only friction cones: intervals are in an
// additional group, which other programs ignore, with the column of H, the offset, the index among
// all contacts, the bounds and the compliance of each.
#ifndef COND_FCLIB_FCLIB_INTERVAL_H
#define COND_FCLIB_FCLIB_INTERVAL_H

#include "cond/problem.h"
#include "fclib/fclib_matrix.h"

typedef struct CondFclibIntervals {
    int n;              // 0: the file has none
    int* contact;       // their indices among all contacts, ascending (n)
    CondFclibMatrix H;  //                                             (n_dof x n)
    double* w;          //                                             (n)
    double *low, *high; //                                             (n)
    double* compliance; //                                             (n)
    double* kv;         // NULL: all INFINITY                          (n)
} CondFclibIntervals;

// Writes those of a problem; kv has the gain of each (NULL: all INFINITY), v and lambda (of all
// contacts) may be NULL.
CondStatus cond_fclib_intervals_write(const CondDataFile* file, const CondProblem* problem,
                                      const double* kv, CondFclibLayout layout, const double* v,
                                      const double* lambda);

// Reads and checks those of a file with n_cone cones.
CondStatus cond_fclib_intervals_read(const CondDataFile* file, int n_dof, int n_cone,
                                     CondFclibIntervals* intervals);
void cond_fclib_intervals_destroy(const CondContext* context, CondFclibIntervals* intervals);

// Inserts them between the cones: three columns of H each, the last two empty, and three numbers of
// w; friction 0. The arrays are replaced; *kv stays NULL if all are INFINITY.
CondStatus cond_fclib_intervals_join(const CondDataFile* file, const CondFclibIntervals* intervals,
                                     CondFclibMatrix* H, double** w, double** mu, double** kv);

// Sets the force sets, bounds and compliances of the contacts of such a problem.
void cond_fclib_intervals_set(const CondFclibIntervals* intervals, CondContact* contact);

#endif
