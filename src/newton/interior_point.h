// A primal-dual interior-point method for the contact problem, as a start for Newton's method where
// contacts are redundant: bricks, dominoes, walls. There the forces are not unique, and Newton's
// step on the natural map wanders among them; the central path does not.
#ifndef COND_NEWTON_INTERIOR_POINT_H
#define COND_NEWTON_INTERIOR_POINT_H

#include "base/arena.h"
#include "law/answer.h"
#include "newton/semismooth.h"

typedef struct CondInteriorPoint {
    CondArena arena;
    double *y, *z;           // scaled velocity and force, inside the cone; of an
                             // interval: interior_interval.h                       (n_contact x 3)
    double *dy, *dz;         // direction                                           (n_contact x 3)
    double *rp, *rc;         // residuals of y, and what dy + W^2 dz is to be       (n_contact x 3)
    double *W, *M;           // Nesterov-Todd scaling; (W^2 + c E T^2)^-1           (n_contact x 9)
    double* e;               // first row of E beyond the identity                  (n_contact x 2)
    double *v, *dv, *rd, *x; //                                                     (n_dof)
    double* lambda;          //                                                     (n_contact x 3)
    double* u;               // Jc v + phi, by the certificate                      (n_contact x 3)
    double* du;              // Jc d + phi of a direction d, by refine              (n_contact x 3)
    double theta;            // of the start,
    double resistance;       // as well
    int n_pair; // products y'z that are to vanish: one a cone, one a bound of an interval
} CondInteriorPoint;

typedef struct CondCentralStart {
    double force;      // a share of what stops the fastest contact
    double theta;      // how much of the change of |u_t| an iteration foresees
    double resistance; // against changes of the forces of friction cones, a share of their scale
} CondCentralStart;

// Iterations from the middle of the cone, with the velocity of *best and the forces of `start`,
// until the certificate's residual is at most the
// tolerance or rounding ends the progress. *best becomes the best pair seen, if it is better than
// its residual says. `newton` is planned for the problem and lends its matrix. The factorisations
// are added to *passes.
CondStatus cond_interior_point_solve(CondInteriorPoint* ip, CondSemismooth* newton,
                                     const CondCertificateData* data, double tolerance,
                                     CondCentralStart start, CondAnswer* best, int* passes,
                                     int* products);

void cond_interior_point_destroy(CondInteriorPoint* ip);

#endif
