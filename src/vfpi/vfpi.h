// V-FPI: the velocity fixed-point iteration of the paper (Alg. 1-3), with a certified stop and the
// multiplier loop around it.
#ifndef COND_VFPI_VFPI_H
#define COND_VFPI_VFPI_H

#include "base/arena.h"
#include "cond/solver.h"
#include "law/answer.h"
#include "law/certificate.h"
#include "law/history.h"
#include "nodalize/nodal.h"
#include "vfpi/accelerate.h"
#include "vfpi/contact_sweep.h"
#include "vfpi/fused.h"
#include "vfpi/surrogate.h"

// How a pass, or all of them, ended.
typedef enum CondVfpiEnd {
    COND_VFPI_DONE,    // the stop test holds
    COND_VFPI_CARRY,   // the inner one does: the multiplier is carried over to another pass
    COND_VFPI_LIMIT,   // the iterations are used up, or nothing is left but rounding
    COND_VFPI_DIVERGED //
} CondVfpiEnd;

typedef struct CondVfpi {
    CondArena arena;
    CondSolverSettings settings;
    CondNodal nodal;
    CondSurrogate W;
    CondAccelerator accelerator;
    CondContactSweep sweep;
    const int* relaxed; // not NULL: 1 where the law is the proximal one            (n_contact)
    CondFused fused;    // in place of the loop over iterations,
    int is_fused;       // where it serves
    CondAnswer* best; // of the run                                          (n_dof, n_contact x 3)
    int built;        // 1: W and the accelerator are those of the problem
    int max_iterations;  // of this run, counted from the beginning of the solve
    double* v;           // v^l                                                  (nodal.n)
    double* g;           // A v - b                                              (nodal.n)
    double* plain;       // v**                                                  (nodal.n)
    double* next;        // v^{l+1}                                              (nodal.n)
    double* metric;      // 1 / diagonal of W                                    (nodal.n)
    double* lambda;      // of the last contact solve                            (n_contact x 3)
    double* carry;       // lambda_prev of the multiplier loop                   (n_contact x 3)
    double* work;        // scratch of the certificate                           (2 n_dof)
    CondHistory history; // of this solve
} CondVfpi;

// Everything that is zero is empty.
void cond_vfpi_create(const CondContext* context, const CondSolverSettings* settings,
                      CondVfpi* vfpi);
void cond_vfpi_destroy(CondVfpi* vfpi);

// The problem that the runs below serve, until the next call.
CondStatus cond_vfpi_begin(CondVfpi* vfpi, const CondProblem* problem, CondSolveInfo* info);

// Another problem in its place that differs from it in the friction and the offsets alone.
CondStatus cond_vfpi_pose(CondVfpi* vfpi, const CondProblem* problem);

// Contacts that are held to the proximal law until the problem is changed (n_contact); NULL: none.
CondStatus cond_vfpi_relax(CondVfpi* vfpi, const int* relaxed);

// What the certificate needs, for this problem and the laws in force.
CondCertificateData cond_vfpi_certificate_data(const CondVfpi* vfpi);

// Goes on from the pair in *best, of which the residual need not be known, for at most that many
// iterations and passes of the multiplier loop, within what the settings allow. Leaves the best
// pair that was seen there, the start included; with the step stop the last one. *end never is
// COND_VFPI_CARRY where the stop is the certificate's and passes are left.
CondStatus cond_vfpi_run(CondVfpi* vfpi, int max_iterations, int max_outer, CondAnswer* best,
                         CondSolveInfo* info, CondVfpiEnd* end);

#endif
