// The two back ends of Newton's method.
#include "newton/semismooth.h"

#include "newton/tuning.h"

#include <string.h>

static CondStatus factored_serves(CondSemismooth* newton, const CondProblem* problem, int* serves)
{
    return cond_factored_system_plan(&newton->factored, problem, serves);
}

static CondStatus factored_build(CondSemismooth* newton, const CondProblem* problem)
{
    const CondLinearLaw* law = newton->law;
    return cond_factored_system_build(&newton->factored, problem,
                                      problem->n_contact > 0 ? law[0].D : NULL,
                                      (int)(sizeof *law / sizeof law->D[0]));
}

static int factored_solve(CondSemismooth* newton, double* f, double* x, int max_products)
{
    const CondBlockLu* H = &newton->factored.H;
    size_t n = (size_t)H->first[H->n_node];
    (void)max_products;
    memcpy(x, f, n * sizeof *x);
    memset(f, 0, n * sizeof *f);
    cond_factored_system_solve(&newton->factored, x);
    return 0;
}

const CondLinearBackEnd cond_back_end_factored = {.resistance = COND_RESISTANCE_FACTORED,
                                                  .serves = factored_serves,
                                                  .build = factored_build,
                                                  .solve = factored_solve};

static CondStatus iterative_serves(CondSemismooth* newton, const CondProblem* problem, int* serves)
{
    return cond_soft_back_end_plan(&newton->soft, problem, newton->threads, serves);
}

static CondStatus iterative_build(CondSemismooth* newton, const CondProblem* problem)
{
    (void)problem;
    return cond_soft_back_end_build(&newton->soft, newton->law, newton->follows, newton->slipping);
}

static CondStatus iterative_begin(CondSemismooth* newton)
{
    return cond_soft_back_end_begin(&newton->soft);
}

static double iterative_resist(const CondSemismooth* newton, const CondContact* contact)
{
    return cond_soft_back_end_resistance(&newton->soft, contact);
}

static int iterative_solve(CondSemismooth* newton, double* f, double* x, int max_products)
{
    return cond_soft_back_end_solve(&newton->soft, f, x, newton->follows, max_products);
}

const CondLinearBackEnd cond_back_end_iterative = {.resistance = COND_RESISTANCE_ITERATIVE,
                                                   .symmetric = 1,
                                                   .serves = iterative_serves,
                                                   .build = iterative_build,
                                                   .begin = iterative_begin,
                                                   .resist = iterative_resist,
                                                   .solve = iterative_solve};
