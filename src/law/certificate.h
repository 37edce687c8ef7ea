// The certificate from precomputed inputs, for solvers that evaluate it often.
#ifndef COND_LAW_CERTIFICATE_H
#define COND_LAW_CERTIFICATE_H

#include "base/arena.h"
#include "cond/certificate.h"
#include "law/contact_law.h"
#include "math/scalar.h"
#include "problem/contact_parts.h"
#include "problem/ranks.h"
#include "problem/side.h"

#include <math.h>
#include <stddef.h>

// Inputs of the certificate besides the answer. compliance is 0 if kv = INFINITY.
typedef struct CondCertificateData {
    const CondProblem* problem;
    CondLaw law;
    double omega;
    const double* diagonal;   // of A                                       (n_dof)
    const double* delassus;   // scale gamma_c                              (n_contact)
    const double* compliance; // slip per force that belongs to the problem (n_contact)
    const int* carried;       // 1: the compliance is internal to the solver       (n_contact)
    const double* carry; // not NULL: certify an inner problem of the multiplier loop, whose carried
                         // contacts obey the law at u + compliance (lambda - carry)
                         //                                                    (n_contact x 3)
    const int* relaxed;  // not NULL: 1 for contacts with the proximal law, whatever `law` is
                         //                                                        (n_contact)
    int bounded;         // 1: some contacts have an interval of forces
    int threads;         // 0: one
    const CondContactParts* parts; // of the problem; NULL: one thread adds up the contact forces
    const CondRanks* ranks;        // not NULL: the problem is one rank's share of a larger one
    double* error; // not NULL: gets the law error of each contact [m/s]           (n_contact)
    double* play;  // not NULL: gets the velocity scales: of the friction cones [m/s], and of all
                   // contacts over the root of their scale [W^(1/2)]                      (2)
    double* u;     // not NULL: gets the velocity Jc v + phi of each contact (n_contact x 3)
} CondCertificateData;

// The law of contact c.
static inline CondLaw cond_certificate_law(const CondCertificateData* data, int c)
{
    return data->relaxed && data->relaxed[c] ? COND_LAW_PROXIMAL : data->law;
}

// Slip per force in it: the law is posed at u + slip lambda.
static inline double cond_certificate_slip(const CondCertificateData* data, int c)
{
    return (data->carried[c] ? 0.0 : data->compliance[c]) +
           cond_contact_law_slip(&data->problem->contact[c], data->omega);
}

// Jc x + phi of the contacts first .. last - 1.                              u (last - first x 3)
static inline void cond_certificate_velocity(const CondCertificateData* data, const double* x,
                                             int first, int last, double* u)
{
    const CondContact* contact = data->problem->contact;
    if (data->parts)
        cond_contact_rows_velocity(&data->parts->rows, contact, x, first, last, u);
    else
        for (int c = first; c < last; c++)
            cond_contact_velocity(&contact[c], x, u + (ptrdiff_t)3 * (c - first));
}

// The velocity at which the law of contact c is posed, from u = Jc v + phi: that of its virtual
// node.
static inline void cond_certificate_add_slip(const CondCertificateData* data, int c,
                                             const double* lambda, double u[3])
{
    double slip = cond_certificate_slip(data, c);
    for (int i = 0; i < 3; i++)
        u[i] += slip * lambda[i];
    for (int i = 0; i < 3 && data->carry && data->carried[c]; i++)
        u[i] += data->compliance[c] * (lambda[i] - data->carry[(ptrdiff_t)3 * c + i]);
}

// Includes |u| of contact c, in the rows in which it acts, in the maxima of `play`.
static inline void cond_certificate_add_speed(const CondCertificateData* data, int c,
                                              const double* u, double play[2])
{
    int cone = cond_contact_rows(&data->problem->contact[c]) == 3;
    double speed = cone ? sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) : fabs(u[0]);
    if (cone)
        play[0] = scalar_max(play[0], speed);
    if (data->bounded)
        play[1] = scalar_max(play[1], speed / sqrt(data->delassus[c]));
}

// Workspace for certificates of whole problems; it grows to the largest problem.
typedef struct CondCertifier {
    CondArena arena;
    double *diagonal, *work; //                                         (n_dof), (2 n_dof)
    double* delassus;        //                                         (n_contact)
    double* compliance;      //                                         (n_contact)
    int *mark, *own;         //                                         (n_dof), (2 n_contact)
    int* carried;            // all 0                                   (n_contact)
    int threads;             // 0: one
} CondCertifier;

void cond_certifier_begin(const CondContext* context, CondCertifier* certifier);
void cond_certifier_end(CondCertifier* certifier);
// As cond_certify_relaxed; relaxed and error (n_contact) may be NULL.
CondStatus cond_certifier_judge(CondCertifier* certifier, const CondProblem* problem, CondLaw law,
                                double omega, const int* relaxed, const double* v,
                                const double* lambda, double* error, CondCertificate* certificate);

// Computes the fields that decide: dynamics, contact, penetration and slip of virtual nodes;
// cond_certificate_detail computes the others. work holds 2 n_dof numbers; its second half becomes
// A v - b - Jc' lambda.
CondCertificate cond_certificate_compute(const CondCertificateData* data, const double* v,
                                         const double* lambda, double* work);

// The same without a product, from the solver's r = A v - b - Jc' lambda, and only as accurate as
// r. r NULL: as above.
CondCertificate cond_certificate_estimate(const CondCertificateData* data, const double* v,
                                          const double* lambda, const double* r, double* work);

// Error of the natural map and penetration of contacts first .. first + n - 1 (CondLawError), from
// the velocity at which their law is posed.         u, lambda (n x 3), natural, penetration (n)
void cond_certificate_law_errors(const CondCertificateData* data, int first, int n, const double* u,
                                 const double* lambda, double* natural, double* penetration);

// Computes pull, cone, complementarity and angle of a certificate, for the returned answer. They do
// not affect decisions and take longer than the other fields.
void cond_certificate_detail(const CondCertificateData* data, const double* v, const double* lambda,
                             CondCertificate* certificate);

#endif
