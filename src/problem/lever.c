#include "problem/lever.h"

#include <math.h>

void cond_contact_levers(const CondProblem* problem, const double* delassus, double* lever)
{
    double sum[2] = {0.0, 0.0}; // of logarithms
    int count[2] = {0, 0};      // cones, intervals
    for (int c = 0; c < problem->n_contact; c++) {
        lever[c] = 1.0;
        count[problem->contact[c].set == COND_FORCE_INTERVAL]++;
    }
    if (count[1] == 0)
        return;
    for (int c = 0; c < problem->n_contact; c++)
        sum[problem->contact[c].set == COND_FORCE_INTERVAL] += log(delassus[c]);
    double middle = count[0] > 0 ? sum[0] / count[0] : sum[1] / count[1];
    for (int c = 0; c < problem->n_contact; c++)
        if (problem->contact[c].set == COND_FORCE_INTERVAL)
            lever[c] = exp(0.5 * (middle - log(delassus[c])));
}
