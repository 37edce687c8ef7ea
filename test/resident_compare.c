// Newton's method on the host and on the device of the processors, compared.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "dense.h"
#include "newton/resident_part.h"
#include "resident_compare.h"
#include "strategy/strategy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Solved {
    int n, nc, resident, newton;
    double *v, *lambda, residual;
    CondStatus status;
} Solved;

// threads 0: by the host.
static Solved solve(const CondProblem* problem, CondLaw law, CondMultilevelUse multilevel,
                    double tolerance, int threads)
{
    CondSolverSettings settings = cond_solver_settings_default();
    CondContext context = cond_context_or_default(NULL);
    CondDevice device = cond_device_threads(NULL, threads);
    settings.tolerance = tolerance;
    settings.threads = threads > 0 ? threads : 1;
    settings.multilevel = multilevel;
    settings.law = law;
    CondStrategy* strategy = cond_solver_strategy.create(&context, &settings);
    assert_non_null(strategy);
    strategy->newton.soft.device = threads > 0 ? &device : NULL;
    strategy->left_out = 1U << COND_BY_FACTORED_NEWTON; // conjugate gradients are compared
    Solved out = {.n = problem->n_dof,
                  .nc = problem->n_contact,
                  .v = dense_zeros((size_t)problem->n_dof),
                  .lambda = dense_zeros(3 * (size_t)problem->n_contact)};
    CondSolveInfo info;
    memset(&info, 0, sizeof info);
    out.status = cond_solver_strategy.solve(strategy, problem, out.v, out.lambda, &info);
    out.residual = cond_certificate_residual(&info.certificate);
    out.newton = info.passes;
    out.resident = strategy->newton.residence && strategy->newton.residence->n_begun > 0;

    cond_solver_strategy.destroy(strategy);
    return out;
}

static void release(Solved* solved)
{
    free(solved->v);
    free(solved->lambda);
}

static double apart(int n, const double* a, const double* b)
{
    double most = 0.0, scale = 0.0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(a[i] - b[i]));
        scale = fmax(scale, fabs(b[i]));
    }
    return scale > 0.0 ? most / scale : most;
}

const CondProblem* resident_assemble(Trial* trial)
{
    cond_sim_forces(trial->sim, trial->state);
    cond_sim_matrix(trial->sim);
    cond_sim_collide(trial->sim, trial->state);
    cond_sim_assemble(trial->sim, trial->state);
    return cond_sim_problem(trial->sim);
}

ResidentCounts resident_compare(const CondProblem* problem, CondLaw law,
                                CondMultilevelUse multilevel, double tolerance)
{
    Solved host = solve(problem, law, multilevel, tolerance, 0);
    Solved one = solve(problem, law, multilevel, tolerance, 1),
           three = solve(problem, law, multilevel, tolerance, 3);
    ResidentCounts counts = {host.newton, one.newton};
    assert_false(host.resident);
    if (problem->n_contact > 0)
        assert_true(one.resident);
    assert_int_equal(one.status, host.status);
    if (host.status == COND_OK)
        assert_true(one.residual <= tolerance);
    assert_true(apart(one.n, one.v, host.v) <= 1e-5);
    assert_int_equal(one.newton, three.newton);
    assert_memory_equal(one.v, three.v, (size_t)one.n * sizeof *one.v);
    assert_memory_equal(one.lambda, three.lambda, 3 * (size_t)one.nc * sizeof *one.lambda);
    release(&host);
    release(&one);
    release(&three);
    return counts;
}
