// The certificate: how well (v, lambda) solves a CondProblem, from the problem data alone.
#ifndef COND_CERTIFICATE_H
#define COND_CERTIFICATE_H

#include "cond/law.h"
#include "cond/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

// Norms of forces are weighted by the inverse diagonal of A, |f|_D = sqrt(sum f_i^2 / a_ii), so
// that newtons and newton metres are never added. Contact errors are velocities, relative to the
// largest velocity at play in any contact: its own, |J_c v|; what all contact forces together
// change of it, |J_c D^-1 Jc' lambda| with D the diagonal of A; and c_c |lambda_c|, where c_c is
// the slip per force that belongs to the law. Of gamma_c |lambda_c|, with gamma_c the contact's own
// scale (cond_contact_delassus) plus c_c, a billionth counts in any case, so that rounding does
// not. Errors and velocities of intervals of forces are those
// of their one row and may be angular; divided by sqrt(gamma_c), which makes them roots of a power
// whatever the unit, they are relative to the largest such velocity of any contact.
typedef struct CondCertificate {
    double dynamics;        // |A v - b - Jc' lambda|_D / max(|A v|_D, |b|_D, |Jc' lambda|_D)
    double contact;         // worst of natural-map error and penetration over that velocity scale
    double contact_speed;   // the same, absolute, in the unit of worst_contact [m/s, rad/s]
    double velocity_scale;  //                                                  [m/s, rad/s]
    double penetration;     // worst parts of the law error                           [m/s]
    double pull;            //                                                        [N]
    double cone;            //                                                        [N]
    double complementarity; //                                                        [W]
    double angle;           //                                                        [rad]
    double coupling_slip; // worst |lambda| / kv of a virtual node, part of the problem posed [m/s]
    int worst_contact;    // index of the contact with the largest such error; -1: none
} CondCertificate;

// The larger of dynamics and contact: the one number that a tolerance bounds.
COND_API double cond_certificate_residual(const CondCertificate* certificate);

// Computes the certificate of v (n_dof) and lambda (n_contact x 3); omega > 0 is the invertible
// law. Non-finite numbers give an infinite residual. Allocates and releases its workspace.
COND_API CondStatus cond_certify(const CondContext* context, const CondProblem* problem,
                                 CondLaw law, double omega, const double* v, const double* lambda,
                                 CondCertificate* certificate);

// The same where some contacts are held to the proximal law whatever `law` is: those with a 1 in
// relaxed (n_contact).
COND_API CondStatus cond_certify_relaxed(const CondContext* context, const CondProblem* problem,
                                         CondLaw law, double omega, const int* relaxed,
                                         const double* v, const double* lambda,
                                         CondCertificate* certificate);

// The law error of each contact, absolute, of which the certificate has the worst as contact_speed
// [m/s, rad/s].                                                              (n_contact)
COND_API CondStatus cond_certify_contacts(const CondContext* context, const CondProblem* problem,
                                          CondLaw law, double omega, const double* v,
                                          const double* lambda, double* error);

// Sides of contact i that get a virtual node: static sides never, a node on its first use never,
// anything else does. virtual_sides counts them per contact.                  (n_contact)
// Their compliance (virtual_sides / kv) is part of the problem posed when kv is finite.
COND_API CondStatus cond_problem_virtual_sides(const CondContext* context,
                                               const CondProblem* problem, int* virtual_sides);

#ifdef __cplusplus
}
#endif
#endif
