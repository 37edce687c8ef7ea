#include "solvers.h"

#include "cli.h"

#include <stddef.h>

#ifdef COND_BASELINES
#include "cond/baselines.h"
#include "memory.h"
#else
static const char* cond_baseline_name(int index)
{
    (void)index;
    return NULL;
}

static const CondSolverOps* cond_baseline(const char* name)
{
    (void)name;
    return NULL;
}
#endif

const char* solvers_name(int index)
{
    int n = 0;
    while (cond_solver_name(n))
        n++;
    return index < n ? cond_solver_name(index) : cond_baseline_name(index - n);
}

CondStatus solvers_create(const char* name, const CondSolverSettings* settings, CondSolver** solver,
                          CondError* error)
{
    const CondSolverOps* ops = cond_baseline(name);
    if (ops)
        return cond_solver_create_from(memory_context(), ops, settings, solver, error);
    return cond_solver_create(memory_context(), name, settings, solver, error);
}
