// Primal-dual passes for problems with soft bodies, too large to factor. The one-shot contact solve
// of V-FPI predicts which contacts are open, stick or slip, alone or with the patch they belong to
// (contact_patch.h); the prediction becomes symmetric ties,
// in which the friction force of a slipping contact lags behind its normal force by a pass; and
// conjugate gradients solve the tied system loosely before the next prediction. Where that makes no
// progress though the contacts stay what they are (much friction: the lag feeds itself), the
// friction follows the normal force within the pass, and biconjugate gradients solve the system,
// which is no longer symmetric. Where they need many iterations, a multilevel preconditioner takes
// over. Nothing depends on kv: contacts act on the points of the bodies, and sticking ones are held
// by a gain with the multiplier carried along.
#ifndef COND_NEWTON_LAGGED_H
#define COND_NEWTON_LAGGED_H

#include "base/arena.h"
#include "cond/solver.h"
#include "law/certificate.h"
#include "newton/primal_dual.h"
#include "soft/contact_patch.h"
#include "soft/soft_system.h"

// What goes with the blocks of the preconditioner (soft_system.h).
enum { COND_DEPTH_PLAIN, COND_DEPTH_GROUPS, COND_DEPTH_LEVELS };

typedef struct CondLagged {
    CondArena arena;
    CondSoftSystem system;
    CondContactPatches patches;
    CondTie* tie;   //                                                          (n_contact)
    double* w;      // weights of the prediction, 1 / sum of absolute values    (n_dof)
    double* gamma;  // its scale at each contact, slip included                 (n_contact)
    double* gain;   // of held directions                                       (n_contact)
    double* trial;  // forces of the prediction                                 (n_contact x 3)
    int* sticks;    // 1: in the last pass, and closed in this; later kinds, old and new (n_contact)
    double* share;  // of each contact in the merit                             (n_contact)
    double* part;   // partial sums of the merit                            (cond_sum_parts(n_dof))
    double* v;      // current pair                                             (n_dof)
    double* lambda; //                                                          (n_contact x 3)
    double* r;      // A v - b - Jc' lambda                                     (n_dof)
    double *v_new, *lambda_new, *r_new; // at the end of the pass
    double *v_try, *lambda_try, *r_try; // along the line between them
    double *v_best, *lambda_best;       // best certified pair
    double* x;    // scratch: step of conjugate gradients                     (n_dof)
    double* work; // scratch of certificate and general solve          (2, later 5 n_dof)
    CondMultilevelUse multilevel;
    int depth;      // of the preconditioner: COND_DEPTH_...
    int products;   // of the passes so far
    int may_follow; // 1: where friction that lags makes little progress, it follows within a pass;
                    // 0: the passes end there
    int patched;    // 1: the patches are those of the problem
    int turned;     // contacts that a pass made open, sticking or slipping and were not before
    int closed;     // contacts not open
    int slipping;   // of these, slipping
    int flights;    // passes in a row whose full step was taken though the merit grew
    int full;       // 1: friction follows the normal force within a pass
} CondLagged;

// *fits is 1 when the passes can serve the problem.
CondStatus cond_lagged_plan(CondLagged* lagged, const CondProblem* problem,
                            const CondSolverSettings* settings, int* fits);

// Passes from (v, lambda) until the certificate's residual is at most the tolerance, or the
// iterations of conjugate gradients are used up, or nothing gets better any more
// (COND_NOT_CONVERGED). On return v, lambda and *certificate are the best pair seen, the start
// included; the counters of info (passes, iterations, cg_iterations, products) are added to.
CondStatus cond_lagged_solve(CondLagged* lagged, const CondCertificateData* data, double tolerance,
                             int max_iterations, double* v, double* lambda,
                             CondCertificate* certificate, CondSolveInfo* info);

void cond_lagged_destroy(CondLagged* lagged);

#endif
