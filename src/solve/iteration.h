// One plain iteration of V-FPI (Alg. 1): product, surrogate, contact solves and the norms of the
// step, in one team of threads that is woken once.
#ifndef COND_SOLVE_ITERATION_H
#define COND_SOLVE_ITERATION_H

#include "cond/solver.h"
#include "nodalize/nodal.h"
#include "problem/packed.h"
#include "solve/contact_sweep.h"
#include "solve/surrogate.h"

typedef struct CondIteration {
    CondContext context;
    CondNodal* nodal;                   // borrowed, as the next two
    CondSurrogate* W;                   //
    CondContactSweep* sweep;            //
    const CondSolverSettings* settings; //
    CondPacked A;
    int fused;     // 1: as said above; 0: stage by stage
    int* touched;  // coordinates that terms touch, those of soft bodies first (nodal->n_touched)
    int n_soft;    // of these, those of soft bodies
    double* part;  // of both norms                              (2 cond_sum_parts(nodal->n))
    int n_part;    //
    double* base;  // float storage: v_0                                      (nodal->n)
    double* shift; // float storage: b - A v_0, of soft bodies alone          (nodal->n)
    double* away;  // float storage: v - v_0                                  (nodal->n)
    int age;       // iterations since v_0 was taken
    int cap_touched, cap_part, cap_base, cap_shift, cap_away;
} CondIteration;

// What an iteration starts from and leaves.                       (nodal->n, n_contact x 3)
typedef struct CondIterates {
    const double* v;
    const double* carry;
    const double* metric; // NULL: the residual is not asked for
    double *g, *plain, *lambda;
    double residual; // |v** - v| in the norm of the metric
    double length;   // |v** - v|
    int products;    // with A
} CondIterates;

// For a problem, its W and its contacts.
CondStatus cond_iteration_build(CondIteration* it, CondNodal* nodal, CondSurrogate* W,
                                CondContactSweep* sweep, const CondSolverSettings* settings);
void cond_iteration_destroy(CondIteration* it);

// v** and lambda from v. The same bits for any number of threads.
void cond_iteration_run(CondIteration* it, CondIterates* iterates);

#endif
