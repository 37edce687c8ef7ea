// The law of one contact as Newton's method sees it: its natural map, and the map linearised.
//
// With x = lambda - (u + c lambda)/gamma, the trial force, and P the projection of the law, the law
// is the equation lambda = P(x). c >= 0 is the slip per force that belongs to the law (virtual
// node, omega), gamma the scale of the map.
#ifndef COND_NEWTON_LINEAR_LAW_H
#define COND_NEWTON_LINEAR_LAW_H

#include "law/contact_law.h"

typedef struct CondNaturalMap {
    CondLaw law;
    const CondContact* contact;
    double gamma, c;
} CondNaturalMap;

// lambda = fix - D u
typedef struct CondLinearLaw {
    double D[9];
    double fix[3];
    double slip[2]; // direction of the trial friction force while slipping, else 0
} CondLinearLaw;

typedef enum CondContactKind {
    COND_CONTACT_OPEN,
    COND_CONTACT_STICKS,
    COND_CONTACT_SLIPS
} CondContactKind;

// x at the velocity u and the force lambda.
void cond_natural_map_trial(const CondNaturalMap* map, const double u[3], const double lambda[3],
                            double x[3]);

// The error lambda - P(x).
void cond_natural_map_error(const CondNaturalMap* map, const double u[3], const double lambda[3],
                            double error[3]);

// gamma |lambda - P(x)|^2 of n contacts.                     u, lambda (n x 3), share (n)
void cond_natural_map_shares(int n, const CondNaturalMap* map, const double* u,
                             const double* lambda, double* share);

// The map linearised at the trial force x, with a resistance sigma > 0 against changes of the force
// from `lambda`: u becomes u + sigma (lambda_new - lambda). follows: 1 in full; 0 with D symmetric:
// while slipping under the strict law the friction force belongs to the normal force of x.
// slip_before (2) is the direction of slip of the last step.
void cond_natural_map_linearise(const CondNaturalMap* map, double sigma, int follows,
                                const double x[3], const double lambda[3],
                                const double slip_before[2], CondLinearLaw* out);

CondContactKind cond_linear_law_kind(const CondLinearLaw* law);

#endif
