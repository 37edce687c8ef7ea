// The law of a contact by its set of forces. Every solver and the certificate use these functions;
// no other code depends on the set.
#ifndef COND_LAW_CONTACT_LAW_H
#define COND_LAW_CONTACT_LAW_H

#include "cond/law.h"
#include "cond/problem.h"

// The projection of the law's natural map.
static inline void cond_contact_law_project(CondLaw law, const CondContact* contact,
                                            const double* trial, double* lambda)
{
    if (contact->set == COND_FORCE_INTERVAL)
        cond_interval_project(contact->bound, trial, lambda);
    else
        cond_law_project(law, contact->friction, trial, lambda);
}

// lambda for which u + slip lambda with u = eta + gamma lambda obeys the law.
static inline void cond_contact_law_solve(CondLaw law, const CondContact* contact, double slip,
                                          double gamma, const double* eta, double* lambda)
{
    if (contact->set == COND_FORCE_INTERVAL)
        cond_interval_solve(contact->bound, slip, gamma, eta, lambda);
    else
        cond_law_solve(law, contact->friction, slip, gamma, eta, lambda);
}

// Slip per force that the law itself has, beside that of virtual nodes: an interval has its own,
// omega is the friction cone's.
static inline double cond_contact_law_slip(const CondContact* contact, double omega)
{
    return contact->set == COND_FORCE_INTERVAL ? contact->compliance : omega;
}

// The error at u, which contains slip lambda, all slip per force; gamma = delassus + slip.
// essential: only the fields that decide.
static inline CondLawError cond_contact_law_error(CondLaw law, const CondContact* contact,
                                                  double delassus, double slip, double gamma,
                                                  const double* u, const double* lambda,
                                                  int essential)
{
    if (contact->set == COND_FORCE_INTERVAL)
        return cond_interval_error(contact->bound, slip, delassus, u, lambda);
    return essential ? cond_law_essential_error(law, contact->friction, gamma, u, lambda)
                     : cond_law_error(law, contact->friction, gamma, u, lambda);
}

#endif
