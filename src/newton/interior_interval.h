// The interior-point method on a contact whose force lies in an interval.
#ifndef COND_NEWTON_INTERIOR_INTERVAL_H
#define COND_NEWTON_INTERIOR_INTERVAL_H

#include "base/lanes.h"
#include "cond/problem.h"

// One contact's part of the arrays of the method (interior_point.h), a lane of them: number i of an
// array is COND_LANES i doubles on. Of the three numbers of each,
//     z = (lambda, lambda - low, high - lambda),     y = (0, y_low, y_high),
//     r = (rc_1 - rc_2 - rp, rc_1, rc_2);
// a bound that is infinite, and both where they are equal, has y = z = 0.
typedef struct CondInteriorInterval {
    const CondContact* contact;
    double *y, *z, *dy, *dz, *rp, *r; //                                        (3)
    double* eta;                      // root of what stands for W^2            (1)
    double* w;                        //                                        (3)
    double* M;                        //                                        (3 x 3)
} CondInteriorInterval;

// Pairs y_i z_i of the contact that are positive.
int cond_interior_interval_pairs(const CondContact* contact);

// A start within the bounds, a force of that size from them where there is room, y z = mean.
void cond_interior_interval_begin(const CondInteriorInterval* at, double force, double mean);

// rp, W and M at u + slip lambda; gamma is the scale of the natural map.
void cond_interior_interval_linearise(const CondInteriorInterval* at, double velocity, double slip,
                                      double gamma);

// r for y_i z_i = aim; correct: with what dy and dz of the predictor leave.
void cond_interior_interval_aim(const CondInteriorInterval* at, double aim, int correct);

// dy and the rest of dz from the change of the force, dz_0.
void cond_interior_interval_direct(const CondInteriorInterval* at);

// The longest step, at most 1, that leaves y and z positive.
double cond_interior_interval_longest(const CondInteriorInterval* at);

#endif
