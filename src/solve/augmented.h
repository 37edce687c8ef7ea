// The proximal law by the method of multipliers. With the forces lambda_0 of the last round,
//     F(v) = v'A v/2 - b'v + sum_c max over lambda in K of -u'lambda - c |lambda|^2/2
//                                                      - sigma |lambda - lambda_0|^2/2
// is convex and smooth; its forces are lambda = P_K((sigma lambda_0 - u)/(c + sigma)), its gradient
// is A v - b - Jc' lambda, and at its minimum the law holds but for sigma (lambda - lambda_0).
// Newton's method with a search along F finds the minimum from anywhere, the system of a step being
// that of symmetric ties with D = P'/(c + sigma); then lambda_0 follows. Slower than primal-dual
// passes, but nothing leads it astray.
#ifndef COND_SOLVE_AUGMENTED_H
#define COND_SOLVE_AUGMENTED_H

#include "cond/solver.h"
#include "solve/answer.h"
#include "solve/certificate.h"
#include "solve/soft_system.h"

typedef struct CondAugmented {
    CondContext context;
    double* sigma;  //                                                          (n_contact)
    double* base;   // lambda_0                                                 (n_contact x 3)
    double* D;      // of the ties                                              (n_contact x 9)
    double* u;      // contact velocities, phi included                         (n_contact x 3)
    double* du;     // their change in a step                                   (n_contact x 3)
    double* lambda; //                                                          (n_contact x 3)
    double* v;      //                                                          (n_dof)
    double* dv;     // a step                                                   (n_dof)
    double* Av;     //                                                          (n_dof)
    double* Adv;    //                                                          (n_dof)
    double* g;      // gradient of F                                            (n_dof)
    double* work;   // scratch of the certificate                               (2 n_dof)
    int cap_sigma, cap_base, cap_D, cap_u, cap_du, cap_lambda, cap_v, cap_dv, cap_Av, cap_Adv;
    int cap_g, cap_work;
} CondAugmented;

// Goes on from *best, under the proximal law for all contacts whatever data says, until data's
// certificate is at most the tolerance, or max_iterations of conjugate gradients are used up. The
// system is planned for the problem. *best is the best pair seen by data's certificate, the start
// included; the counters of info are added to.
CondStatus cond_augmented_solve(CondAugmented* augmented, const CondCertificateData* data,
                                CondSoftSystem* system, double tolerance, int max_iterations,
                                CondAnswer* best, CondSolveInfo* info);

void cond_augmented_destroy(CondAugmented* augmented);

#endif
