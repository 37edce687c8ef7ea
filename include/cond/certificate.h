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
// velocity scale. The velocity scale is the largest of these velocities over all contacts: |J_c v|;
// the change of it by all contact forces together, |J_c D^-1 Jc' lambda| with D the diagonal of A;
// and c_c |lambda_c|, where c_c is the slip per force that belongs to the law. It is at least a
// billionth of gamma_c |lambda_c|, with gamma_c the contact's own scale (cond_contact_delassus)
// plus c_c, so that rounding errors do not count. Errors and velocities of force intervals are
// those of their single row and may be angular. They are divided by sqrt(gamma_c), which gives the
// root of a power whatever the unit, and compared with the largest such velocity of any contact.
typedef struct CondCertificate {
    double dynamics;        // |A v - b - Jc' lambda|_D / max(|A v|_D, |b|_D, |Jc' lambda|_D)
    double contact;         // worst of natural-map error and penetration, over the velocity scale
    double contact_speed;   // the same, absolute, in the unit of worst_contact [m/s, rad/s]
    double velocity_scale;  //                                                  [m/s, rad/s]
    double penetration;     // worst parts of the law error                           [m/s]
    double pull;            //                                                        [N]
    double cone;            //                                                        [N]
    double complementarity; //                                                        [W]
    double angle;           //                                                        [rad]
    double coupling_slip;   // worst |lambda| / kv of a virtual node; belongs to the problem [m/s]
    int worst_contact;      // index of the contact with the largest such error; -1: none
} CondCertificate;

// The larger of dynamics and contact: the one number that a tolerance bounds.
COND_API double cond_certificate_residual(const CondCertificate* certificate);

// Computes the certificate of v (n_dof) and lambda (n_contact x 3); omega > 0 is the invertible
// law. Non-finite numbers give an infinite residual. Allocates and releases its workspace.
COND_API CondStatus cond_certify(const CondContext* context, const CondProblem* problem,
                                 CondLaw law, double omega, const double* v, const double* lambda,
                                 CondCertificate* certificate);

// The same, but contacts with a 1 in relaxed (n_contact) are checked against the proximal law
// whatever `law` is.
COND_API CondStatus cond_certify_relaxed(const CondContext* context, const CondProblem* problem,
                                         CondLaw law, double omega, const int* relaxed,
                                         const double* v, const double* lambda,
                                         CondCertificate* certificate);

// The absolute law error of each contact [m/s, rad/s]; the certificate holds the largest as
// contact_speed.                                                                  (n_contact)
COND_API CondStatus cond_certify_contacts(const CondContext* context, const CondProblem* problem,
                                          CondLaw law, double omega, const double* v,
                                          const double* lambda, double* error);

// The number of sides of each contact that get a virtual node. Static sides get none, nor does a
// node at its first use; all other sides do.                                      (n_contact)
// Their compliance (virtual_sides / kv) is part of the problem if kv is finite.
COND_API CondStatus cond_problem_virtual_sides(const CondContext* context,
                                               const CondProblem* problem, int* virtual_sides);

#ifdef __cplusplus
}
#endif
#endif
