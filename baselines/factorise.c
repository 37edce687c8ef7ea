// Factorises A of a problem once, for benchmarks that compare times with CHOLMOD's.
#include "cond/baselines.h"

#include "base/memory.h"
#include "factor.h"

#include <cblas.h>

int cond_baseline_set_threads(int threads)
{
    int before = openblas_get_num_threads();
    openblas_set_num_threads(threads);
    return before;
}

CondStatus cond_baseline_factorise(const CondContext* context, const CondProblem* problem, int n,
                                   double* seconds)
{
    CondContext m = cond_context_or_default(context);
    CondFactor factor;
    cond_factor_create(&factor, &m, COND_FACTOR_SUPERNODAL);
    CondStatus status = cond_factor_build(&factor, problem, NULL, NULL);
    for (int i = 0; i < n && !status; i++) {
        status = cond_factor_build(&factor, problem, NULL, NULL);
        seconds[i] = factor.seconds;
    }
    cond_factor_destroy(&factor);
    return status;
}
