// V-FPI: the velocity fixed-point iteration of the paper (vfpi.c), its stop tests (vfpi_stop.c),
// and the multiplier loop around it (vfpi_run.c).
#ifndef COND_VFPI_VFPI_H
#define COND_VFPI_VFPI_H

#include "base/arena.h"
#include "cond/solver.h"
#include "law/answer.h"
#include "law/certificate.h"
#include "law/history.h"
#include "nodalize/nodal.h"
#include "vfpi/accelerate.h"
#include "vfpi/contact_solve.h"
#include "vfpi/fused.h"
#include "vfpi/surrogate.h"

// How a multiplier iteration, or the run, ended.
typedef enum CondVfpiEnd {
    COND_VFPI_DONE,    // the stop test holds
    COND_VFPI_CARRY,   // the inner stop test holds: the next multiplier iteration follows
    COND_VFPI_LIMIT,   // the iterations are used up, or only rounding errors remain
    COND_VFPI_DIVERGED //
} CondVfpiEnd;

typedef struct CondVfpi {
    CondArena arena;
    CondSolverSettings settings;
    CondNodal nodal; // a copy of the view, whose arrays it borrows
    CondSurrogate W;
    CondAccelerator accelerator;
    CondContactSolve contacts;
    CondFused fused;  // replaces the loop over iterations
    int is_fused;     // if 1
    CondAnswer* best; // of the run                                          (n_dof, n_contact x 3)
    int built;        // 1: W and the accelerator are those of the problem
    int max_iterations;  // of this run, counted from the start of the solve
    double* v;           // v^l                                                  (nodal.n)
    double* g;           // A v - b                                              (nodal.n)
    double* plain;       // v**                                                  (nodal.n)
    double* next;        // v^{l+1}                                              (nodal.n)
    double residual;     // |v** - v| in the norm of the metric
    double* metric;      // 1 / diagonal of W                                    (nodal.n)
    double* lambda;      // of the last contact solve                            (n_contact x 3)
    double* carry;       // lambda_prev of the multiplier loop                   (n_contact x 3)
    double* work;        // scratch of the certificate                           (2 n_dof)
    CondHistory history; // of this solve
    // The certificate stop of a multiplier iteration.
    int passed, judged;     // iterations made, and the iteration of the last certificate
    double trigger;         // residual below which the next pair is certified
    double inner_tolerance; // of the certificate with the given multiplier
} CondVfpi;

// A zeroed object is empty.
void cond_vfpi_create(const CondContext* context, const CondSolverSettings* settings,
                      CondVfpi* vfpi);
void cond_vfpi_destroy(CondVfpi* vfpi);

// Sets the problem of the runs below, as nodalized by the stage nodalize; the view's arrays must
// outlive them.
CondStatus cond_vfpi_begin(CondVfpi* vfpi, const CondNodal* view, CondSolveInfo* info);

// Inputs of the certificate for this problem.
CondCertificateData cond_vfpi_certificate_data(const CondVfpi* vfpi);

// Continues from the pair in *best, whose residual need not be known, for at most the given numbers
// of iterations and multiplier iterations, within the settings. *best becomes the best pair found,
// the start included; with the step stop the last one. *end is never COND_VFPI_CARRY with the
// certificate stop while multiplier iterations remain.
CondStatus cond_vfpi_run(CondVfpi* vfpi, int max_iterations, int max_outer, CondAnswer* best,
                         CondSolveInfo* info, CondVfpiEnd* end);

// One iteration: v** and lambda from v (Alg. 1, lines 4 to 11); and all iterations for one
// multiplier.
void cond_vfpi_iterate(CondVfpi* vfpi);
CondVfpiEnd cond_vfpi_loop(CondVfpi* vfpi, CondSolveInfo* info);

// Its stop tests: of (v**, lambda), and of a step of this length from v^l to v^{l+1}. They return a
// CondVfpiEnd, or -1 to continue.
void cond_vfpi_stop_begin(CondVfpi* vfpi);
int cond_vfpi_stop_plain(CondVfpi* vfpi, CondSolveInfo* info);
int cond_vfpi_stop_step(CondVfpi* vfpi, double length, CondSolveInfo* info);

// The certificate of a pair; carry not NULL: with this multiplier.
CondCertificate cond_vfpi_certify(CondVfpi* vfpi, const double* v, const double* lambda,
                                  const double* carry, CondSolveInfo* info);

#endif
