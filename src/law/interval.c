// The law of an interval of forces: a clip, and how far a pair is from obeying it.
#include "cond/law.h"

#include <math.h>

static double clip(const double* bound, double x)
{
    return fmin(fmax(x, bound[0]), bound[1]);
}

void cond_interval_project(const double* bound, const double* trial, double* lambda)
{
    lambda[0] = isnan(trial[0]) ? trial[0] : clip(bound, trial[0]);
    lambda[1] = lambda[2] = 0.0;
}

void cond_interval_solve(const double* bound, double compliance, double gamma, const double* eta,
                         double* lambda)
{
    double trial[3] = {-eta[0] / (gamma + compliance), 0.0, 0.0};
    cond_interval_project(bound, trial, lambda);
}

CondLawError cond_interval_error(const double* bound, double compliance, double delassus,
                                 const double* u, const double* lambda)
{
    double gamma = delassus + compliance, share = delassus / gamma; // of u that is the force's
    double trial[3] = {lambda[0] - u[0] / gamma, 0.0, 0.0}, nearest[3];
    cond_interval_project(bound, trial, nearest);
    double aside = hypot(lambda[1], lambda[2]), wrong = hypot(lambda[0] - nearest[0], aside);
    CondLawError error = {.natural = delassus * wrong,
                          .pull = fmax(bound[0] - lambda[0], 0.0),
                          .cone = fmax(fmax(lambda[0] - bound[1], 0.0), aside)};
    if (bound[1] == INFINITY)
        error.penetration = fmax(-share * u[0], 0.0);
    if (bound[0] == -INFINITY)
        error.penetration = fmax(error.penetration, share * u[0]);
    double way = u[0] > 0.0 ? lambda[0] - bound[0] : bound[1] - lambda[0]; // to where u pushes it
    error.complementarity = fabs(u[0] * (isfinite(way) ? way : lambda[0]));
    return error;
}
