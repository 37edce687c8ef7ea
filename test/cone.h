// The friction cone by other means than the library's: nearest points by a search over the angle
// on the cone's rim, in place of the library's secular equations.
#ifndef COND_TEST_CONE_H
#define COND_TEST_CONE_H

#include "cond/law.h"

// y = nearest point to x of the cone (t1/mu1)^2 + (t2/mu2)^2 <= n^2, n >= 0.
void cone_nearest(const double mu[2], const double x[3], double y[3]);

// t = nearest point to a of the ellipse with half axes e; an axis of 0 makes it a segment.
void cone_ellipse_nearest(const double e[2], const double a[2], double t[2]);

// The parts of the law error of one pair (u, lambda), from their definitions in cond/law.h.
typedef struct ConeError {
    double natural, penetration, pull, cone, complementarity;
    double angle;      // as it is, whatever the slip
    double slip;       // as far as it meets friction: |(mu1^2 u1, mu2^2 u2)| / max mu^2
    double slip_floor; // slip below it is not told from stick
} ConeError;

ConeError cone_law_error(CondLaw law, const double mu[2], double gamma, const double u[3],
                         const double lambda[3]);

#endif
