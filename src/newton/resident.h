// The semismooth method with its vectors on a device (device/device.h): of a Newton step only a few
// sums cross, and the matrices that the host inverts: that of the coarsest level, and the Schur
// complement of the interface. semismooth.c decides, as it does on the host; what it asks for is
// made here by the item functions of resident_item.h, resident_judge_item.h, resident_system_item.h
// and coarse_item.h.
//
// It serves every problem that the iterative back end serves, except one rank's share of a larger
// problem.
#ifndef COND_NEWTON_RESIDENT_H
#define COND_NEWTON_RESIDENT_H

#include "newton/semismooth.h"

typedef struct CondResident CondResident;

// 1 where it serves the problem of a solve, so far as is known before it begins.
int cond_resident_serves(const CondSemismooth* newton, const CondCertificateData* data);

// Takes the problem and the pair that the solve begins with; sets newton->resident.
CondStatus cond_resident_begin(CondSemismooth* newton, const CondCertificateData* data,
                               const CondAnswer* answer);

// What the functions below have met; 0 so far.
CondStatus cond_resident_status(const CondResident* resident);

// Certificates: of the current pair by its r, or with r anew; of the best pair.
enum { COND_RESIDENT_BY_R, COND_RESIDENT_ANEW, COND_RESIDENT_BEST };
CondCertificate cond_resident_certify(CondResident* resident, const CondCertificateData* data,
                                      int which);
void cond_resident_add_speeds(CondResident* resident, double fastest[2]);

double cond_resident_merit(CondResident* resident);
double cond_resident_try(CondResident* resident, double share);
// The length at which a force leaves its cone; INFINITY: none beyond 1.
double cond_resident_strain(CondResident* resident);

void cond_resident_predict(CondSemismooth* newton);
void cond_resident_linearise(CondSemismooth* newton, double resistance);
// The products made, or a negative status.
int cond_resident_solve(CondSemismooth* newton, int max_products);
void cond_resident_arrive(CondResident* resident);
void cond_resident_keep_slips(CondResident* resident);

void cond_resident_keep_best(CondResident* resident);
void cond_resident_take_tried(CondResident* resident);     // now <-> tried
void cond_resident_swap_reference(CondResident* resident); // now <-> reference
void cond_resident_forget_slips(CondResident* resident);
// The best pair in newton->v_best and lambda_best.
CondStatus cond_resident_read_best(CondSemismooth* newton, const CondCertificateData* data);

void cond_resident_destroy(CondResident* resident);

#endif
