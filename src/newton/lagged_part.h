// What the files of the passes for soft bodies share: the contacts of a pass.
#ifndef COND_NEWTON_LAGGED_PART_H
#define COND_NEWTON_LAGGED_PART_H

#include "newton/lagged.h"

// w_i = 1 / sum_j |a_ij|, so that no eigenvalue of W A exceeds 1; gamma = trace(J W J')/3 + slip of
// each contact, and the gain of what is held.
void cond_lagged_weigh(CondLagged* lagged, const CondCertificateData* data);

// sqrt(sum gamma |lambda - P(l*)|^2 + r' W r) of the current pair; leaves the velocity that
// predicts in x.
double cond_lagged_merit(CondLagged* lagged, const CondCertificateData* data);

// The same of the pair at a part s of the way to the end of the pass, made in v_try, lambda_try and
// r_try.
double cond_lagged_try(CondLagged* lagged, const CondCertificateData* data, double s);

// Ties from the current pair and the velocity in x that predicts, and in r_new the residual of the
// tied system at v, with its sign turned: b + Jc' (fix - D u) - A v.
CondStatus cond_lagged_make_ties(CondLagged* lagged, const CondCertificateData* data);

// v_new = v + x, lambda_new, the forces of the ties there, and r_new with its sign turned back.
void cond_lagged_take_step(CondLagged* lagged, const CondCertificateData* data);

// 1 where the pair that was tried closes a contact whose tie is open.
int cond_lagged_closes(const CondLagged* lagged, const CondCertificateData* data);

#endif
