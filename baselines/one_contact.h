// One contact with its full 3x3 Delassus block: u = D lambda + q and lambda obey the law.
#ifndef COND_BASELINES_ONE_CONTACT_H
#define COND_BASELINES_ONE_CONTACT_H

#include "cond/law.h"
#include "cond/problem.h"

// The exact answer under the strict law: open, stick or slip, the elliptic cone included. Where
// there are several (large friction), open comes before stick and stick before slip.
void cond_one_contact_strict(const double* mu, const double* D, const double* q, double* lambda);

// The answer under the proximal law, to rounding or until a bound of steps: projected gradient from
// the lambda handed in.
void cond_one_contact_proximal(const double* mu, const double* D, const double* q, double* lambda);

// The answer under either law of a contact whose force lies in any set, from the lambda handed in.
void cond_one_contact_solve(CondLaw law, const CondContact* contact, const double* D,
                            const double* q, double* lambda);

// A bound from above of the largest eigenvalue of a symmetric 3x3 matrix: the largest row sum.
double cond_one_contact_bound(const double* D);

#endif
