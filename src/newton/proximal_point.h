// Proximal-point steps on the contact forces, for contacts that are redundant: walls, stacks,
// dominoes (docs/newton.md). A round solves the problem with a resistance sigma against leaving the
// forces lambda_c of the last one, the centre,
//     A v = b + Jc' lambda,      the law at  u + c lambda + sigma (lambda - lambda_c),
// by Newton's method. It has one force for each motion, so that Newton's method finds it; and what
// is left of the term vanishes as the centres come to rest.
#ifndef COND_NEWTON_PROXIMAL_POINT_H
#define COND_NEWTON_PROXIMAL_POINT_H

#include "newton/semismooth.h"

typedef struct CondProximalPoint {
    CondArena arena;
    CondProblem problem;  // of a round: phi - sigma lambda_c in the place of phi
    CondContact* contact; //                                                   (n_contact)
    double* compliance;   // c + sigma                                         (n_contact)
    int* carried;         // all 0                                             (n_contact)
    double* work;         //                                                   (2 n_dof)
    CondAnswer centre;    // where the last round ended
    CondAnswer next;      // where this one does
    double* pull; // sigma times the change of the forces in the last round     (n_contact x 3)
} CondProximalPoint;

// Rounds from *start until the residual of *best is at most the tolerance, so many Newton steps are
// made, or the rounds get nowhere (COND_NOT_CONVERGED). *best becomes the best pair seen, if it is
// better than its residual says. `newton` is planned for the problem. With `brief` a round ends
// where Newton's method finds no way down, and does not damp its steps.
CondStatus cond_proximal_point_solve(CondProximalPoint* point, CondSemismooth* newton,
                                     const CondCertificateData* data, double tolerance,
                                     int max_steps, int brief, const CondAnswer* start,
                                     CondAnswer* best, CondSolveInfo* info);

void cond_proximal_point_destroy(CondProximalPoint* point);

#endif
