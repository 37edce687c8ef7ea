// One-contact maps: projections on the friction cone and the check whether a pair obeys the law.
#include "cond/law.h"

#include "base/tuning.h"
#include "law/law_item.h"
#include "math/scalar.h"

#include <math.h>

void cond_law_project(CondLaw law, const double* mu, const double* trial, double* lambda)
{
    cond_law_project_item(law, mu, trial, lambda);
}

void cond_law_solve(CondLaw law, const double* mu, double omega, double gamma, const double* eta,
                    double* lambda)
{
    double trial[3], scale = -1.0 / (gamma + omega); // l* = -(eta + phi) / (gamma + omega), Alg. 2
    for (int i = 0; i < 3; i++)
        trial[i] = eta[i] * scale;
    cond_law_project(law, mu, trial, lambda);
}

// Angle between the friction force and the one that dissipates most at the slip velocity (u1, u2):
// t_i = -mu_i^2 u_i up to scale. Zero where there is no slip or no friction force. Slip counts as
// far as it meets friction, |(mu1^2 u1, mu2^2 u2)| / max mu^2: slip along an axis without any says
// nothing about the direction of the force.
static double slip_angle(const double* mu, const double* u, const double* lambda, double slip_floor)
{
    double d1 = -mu[0] * mu[0] * u[1], d2 = -mu[1] * mu[1] * u[2];
    double t1 = lambda[1], t2 = lambda[2], most = fmax(mu[0], mu[1]);
    if (scalar_length(d1, d2) <= slip_floor * most * most || (t1 == 0.0 && t2 == 0.0))
        return 0.0;
    return fabs(atan2(d1 * t2 - d2 * t1, d1 * t1 + d2 * t2));
}

CondLawError cond_law_essential_error(CondLaw law, const double* mu, double gamma, const double* u,
                                      const double* lambda)
{
    return cond_law_essential(law, mu, gamma, u, lambda, scalar_length(mu[0] * u[1], mu[1] * u[2]));
}

// How far the friction force is beyond the cone of the normal force n >= 0.
static double cone_error(const double* mu, double n, const double* friction)
{
    double e[2] = {mu[0] * n, mu[1] * n}, t[2];
    if (mu[0] == mu[1])
        return scalar_max(0.0, scalar_length(friction[0], friction[1]) - e[0]);
    cond_law_project_ellipse(e, friction, t);
    return scalar_length(friction[0] - t[0], friction[1] - t[1]);
}

CondLawError cond_law_error(CondLaw law, const double* mu, double gamma, const double* u,
                            const double* lambda)
{
    double slip = scalar_length(mu[0] * u[1], mu[1] * u[2]);
    CondLawError error = cond_law_essential(law, mu, gamma, u, lambda, slip);
    double n = scalar_max(0.0, lambda[0]);
    error.pull = scalar_max(0.0, -lambda[0]);
    error.cone = cone_error(mu, n, lambda + 1);
    error.complementarity = fabs(lambda[0] * (law == COND_LAW_STRICT ? u[0] : u[0] - slip));
    // Slip slower than the natural-map error is not told from stick.
    error.angle = slip_angle(mu, u, lambda, 10.0 * error.natural + COND_INPUT_ROUNDING * gamma * n);
    return error;
}
