// The list of solvers of the tool: those of libcond, then the baselines (solvers.h).
#include "solvers.h"

#include "cli.h"
#include "memory.h"

#include <stdio.h>
#include <string.h>

#ifdef COND_BASELINES
#include "cond/baselines.h"
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

int solvers_is_built(const char* name)
{
    for (int i = 0; solvers_name(i); i++)
        if (strcmp(solvers_name(i), cond_solver_present_name(name)) == 0)
            return 1;
    return 0;
}

const char* solvers_hint(const char* name)
{
    static const char* const baselines[] = {"pgs",  "pgs-simplicial",  "pgs-paper",
                                            "apgd", "apgd-simplicial", "ccs"};
    if (solvers_is_built(name))
        return "";
    for (size_t i = 0; i < sizeof baselines / sizeof *baselines; i++)
        if (strcmp(name, baselines[i]) == 0)
            return "; the solvers COND is compared with are built by -DCOND_BASELINES=ON";
    return "";
}

void solvers_say_left_out(const char* what)
{
    static int said;
    if (cond_baseline_name(0) || said)
        return;
    said = 1;
    fprintf(stderr,
            "%s left out: this tool is built without the solvers COND is compared with "
            "(-DCOND_BASELINES=ON)\n",
            what);
}

CondStatus solvers_create(const char* name, const CondSolverSettings* settings, CondSolver** solver,
                          CondError* error)
{
    const CondSolverOps* ops = cond_baseline(name);
    if (ops)
        return cond_solver_create_from(memory_context(), ops, settings, solver, error);
    CondStatus status = cond_solver_create(memory_context(), name, settings, solver, error);
    if (status && error && *solvers_hint(name)) {
        size_t length = strlen(error->message);
        snprintf(error->message + length, sizeof error->message - length, "%s", solvers_hint(name));
    }
    return status;
}
