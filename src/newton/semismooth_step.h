// The parts of a Newton step that loop over coordinates and contacts.
#ifndef COND_NEWTON_SEMISMOOTH_STEP_H
#define COND_NEWTON_SEMISMOOTH_STEP_H

#include "newton/semismooth.h"

// w_i = 1 / sum_j |a_ij|, so that no eigenvalue of W A exceeds 1; gamma = trace(J W J')/3 + slip of
// each contact, with A^-1 in the place of W on rods.
void cond_semismooth_scale(CondSemismooth* newton, const CondCertificateData* data);

// sqrt(sum gamma |lambda - P(x)|^2 + r' W r) of a pair, x at the velocity v - W r.
double cond_semismooth_merit(CondSemismooth* newton, const CondCertificateData* data,
                             const CondPair* pair);

// The same at a share a of the way from `now` to `next`, made in `tried`.
double cond_semismooth_try(CondSemismooth* newton, const CondCertificateData* data, double a);

// Trial forces of the current pair, at the velocity v - W r, and where contacts slip as patches.
CondStatus cond_semismooth_predict(CondSemismooth* newton, const CondCertificateData* data);

// The law at the trial forces, and in next.r the right-hand side Jc' (fix - D u - lambda) - r.
void cond_semismooth_linearise(CondSemismooth* newton, const CondCertificateData* data,
                               double resistance);

// Adds the velocities of all contacts to the largest so far, as CondCertificateData.play has them.
void cond_semismooth_add_speeds(CondSemismooth* newton, const CondCertificateData* data,
                                double fastest[2]);

// The slips of the law at hand become those of the step before.
void cond_semismooth_keep_slips(CondSemismooth* newton, const CondCertificateData* data);

// next = now + (x, fix - D (u + J x) - lambda), with its residual.
void cond_semismooth_arrive(CondSemismooth* newton, const CondCertificateData* data);

#endif
