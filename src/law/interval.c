// The law of an interval of forces: a clip, and how far a pair is from obeying it.
#include "cond/law.h"

#include "law/law_item.h"

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
    return cond_law_interval(bound, compliance, delassus, u, lambda);
}
