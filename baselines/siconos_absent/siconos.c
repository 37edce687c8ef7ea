// A build without Siconos.
#include "cond/baselines.h"

int cond_siconos_available(void)
{
    return 0;
}

CondStatus cond_siconos_solve(const CondContext* context, const CondProblem* problem,
                              double tolerance, CondSiconosWay way, int max_iterations, double* v,
                              double* lambda, double* seconds, int* iterations)
{
    (void)context;
    (void)problem;
    (void)tolerance;
    (void)way;
    (void)max_iterations;
    (void)v;
    (void)lambda;
    *seconds = 0.0;
    *iterations = 0;
    return COND_NOT_SUPPORTED;
}
