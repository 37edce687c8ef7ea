// A primal-dual interior-point method for the contact problem, as a start for Newton's method where
// contacts are redundant: bricks, dominoes, walls. There the forces are not unique, and Newton's
// step on the natural map wanders among them; the central path does not.
#ifndef COND_NEWTON_INTERIOR_POINT_H
#define COND_NEWTON_INTERIOR_POINT_H

#include "base/arena.h"
#include "law/answer.h"
#include "newton/interior_contacts.h"
#include "newton/semismooth.h"

typedef struct CondInteriorPoint {
    CondArena arena;
    CondInteriorContacts contacts;
    double *v, *dv, *rd, *x; //                                                     (n_dof)
    double* change;          // A dv                                                (n_dof)
    int n_pair; // products y'z that are to vanish: one a cone, one a bound of an interval
} CondInteriorPoint;

typedef struct CondCentralStart {
    double force;      // a share of what stops the fastest contact
    double near;       // 1: in the middle of the cone; less: at the pair at hand, and inwards from
                       // there by such a share
    double theta;      // how much of the change of |u_t| an iteration foresees
    double resistance; // against changes of the forces of friction cones, a share of their scale
} CondCentralStart;

// Iterations from the middle of the cone or from near the pair of *best until the certificate's
// residual is at most the tolerance or rounding ends the progress. *best becomes the best pair
// seen, if it is better than its residual says. `newton` is planned for the problem and lends its
// matrix. The factorisations are added to *passes.
CondStatus cond_interior_point_solve(CondInteriorPoint* ip, CondSemismooth* newton,
                                     const CondCertificateData* data, double tolerance,
                                     CondCentralStart start, CondAnswer* best, int* passes,
                                     int* products);

void cond_interior_point_destroy(CondInteriorPoint* ip);

#endif
