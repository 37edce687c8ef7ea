// The law of one contact as Newton's method sees it: its natural map, and the map linearised.
#include "newton/linear_law.h"

#include "newton/linear_law_item.h"

void cond_natural_map_trial(const CondNaturalMap* map, const double u[3], const double lambda[3],
                            double x[3])
{
    cond_natural_map_trial_item(map, u, lambda, x);
}

void cond_natural_map_error(const CondNaturalMap* map, const double u[3], const double lambda[3],
                            double error[3])
{
    double x[3], p[3];
    cond_natural_map_trial(map, u, lambda, x);
    cond_contact_law_project(map->law, map->contact, x, p);
    for (int i = 0; i < 3; i++)
        error[i] = lambda[i] - p[i];
}

void cond_natural_map_linearise(const CondNaturalMap* map, double sigma, int follows,
                                const double x[3], const double lambda[3],
                                const double slip_before[2], CondLinearLaw* out)
{
    cond_natural_map_linearise_item(map, sigma, follows, x, lambda, slip_before, out);
}

CondContactKind cond_linear_law_kind(const CondLinearLaw* law)
{
    return cond_linear_law_kind_item(law);
}
