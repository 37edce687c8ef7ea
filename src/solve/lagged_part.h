// What the files of the passes for soft bodies share: the contacts of a pass.
#ifndef COND_SOLVE_LAGGED_PART_H
#define COND_SOLVE_LAGGED_PART_H

#include "solve/lagged.h"

// w_i = 1 / sum_j |a_ij|, so that no eigenvalue of W A exceeds 1.
void cond_lagged_weigh(CondLagged* lagged, const CondProblem* problem);

// gamma = trace(J W J')/3 + slip of each contact, and the gain of what is held.
void cond_lagged_scale(CondLagged* lagged, const CondCertificateData* data);

// sqrt(sum gamma |lambda - P(l*)|^2 + r' W r); leaves the velocity that predicts in x.
double cond_lagged_merit(CondLagged* lagged, const CondCertificateData* data, const double* v,
                         const double* lambda, const double* r);

// Ties from the current pair, and in r_new the residual of the tied system at v, with its sign
// turned: b + Jc' (fix - D u) - A v.
CondStatus cond_lagged_make_ties(CondLagged* lagged, const CondCertificateData* data);

// lambda_new, the forces of the ties at v_new.
void cond_lagged_take_forces(CondLagged* lagged, const CondCertificateData* data);

// 1 where the pair that was tried closes a contact whose tie is open.
int cond_lagged_closes(const CondLagged* lagged, const CondCertificateData* data);

// out = from + s (to - from)                                                   (n)
void cond_lagged_interpolate(CondLagged* lagged, int n, double s, const double* from,
                             const double* to, double* out);

#endif
