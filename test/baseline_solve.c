// Solving with a baseline in a test: every answer goes through the independent verifier.
#include "baseline_solve.h"

#include "cond/baselines.h"
#include "dense.h"
#include "verifier.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

BaselineAnswer baseline_zero(const CondProblem* problem)
{
    BaselineAnswer answer = {.v = dense_zeros((size_t)problem->n_dof + 1),
                             .lambda = dense_zeros(3 * (size_t)problem->n_contact + 1)};
    return answer;
}

void baseline_free(BaselineAnswer* answer)
{
    free(answer->v);
    free(answer->lambda);
}

// Solves with a baseline from what the answer holds, and lets the verifier have a look.
CondStatus baseline_solve_from(const char* name, const CondProblem* problem,
                               const CondSolverSettings* settings, BaselineAnswer* answer)
{
    CondSolver* solver = NULL;
    CondError error;
    int n = 0;
    const CondSolverOps* ops = cond_baseline(name);
    assert_non_null(ops);
    if (cond_solver_create_from(NULL, ops, settings, &solver, &error))
        fail_msg("%s", error.message);
    CondStatus status =
        cond_solver_solve(solver, problem, answer->v, answer->lambda, &answer->info);
    assert_int_equal(status, answer->info.status);
    if (status >= 0 || status == COND_DIVERGED)
        verifier_check(problem, settings, answer->v, answer->lambda, &answer->info);
    assert_true(answer->info.delassus_seconds >= 0.0);
    assert_true(answer->info.delassus_seconds <= answer->info.seconds);
    cond_solver_history(solver, &n);
    if (status >= 0)
        assert_int_equal(n, answer->info.iterations);
    cond_solver_destroy(solver);
    return status;
}

BaselineAnswer baseline_solve(const char* name, const CondProblem* problem,
                              const CondSolverSettings* settings)
{
    BaselineAnswer answer = baseline_zero(problem);
    CondStatus status = baseline_solve_from(name, problem, settings, &answer);
    if (status != COND_OK)
        fail_msg("%s, %s law: %s after %d iterations, residual %g", name,
                 cond_law_name(settings->law), cond_status_name(status), answer.info.iterations,
                 cond_certificate_residual(&answer.info.certificate));
    return answer;
}

BaselineAnswer baseline_vfpi(const CondProblem* problem, const CondSolverSettings* settings)
{
    BaselineAnswer answer = baseline_zero(problem);
    CondSolverSettings mine = *settings;
    mine.max_outer = 2000;
    assert_int_equal(verifier_solve(problem, &mine, answer.v, answer.lambda, &answer.info),
                     COND_OK);
    return answer;
}

void baseline_same_motion(const char* name, const CondProblem* problem, const BaselineAnswer* a,
                          const BaselineAnswer* b, double tolerance)
{
    double far = dense_distance(problem->n_dof, a->v, b->v);
    if (!(far <= tolerance * dense_norm(problem->n_dof, b->v)))
        fail_msg("%s: v is %g off, |v| is %g", name, far, dense_norm(problem->n_dof, b->v));
}

CondSolverSettings baseline_settings(CondLaw law)
{
    CondSolverSettings settings = cond_solver_settings_default();
    settings.law = law;
    settings.tolerance = 1e-10;
    settings.max_iterations = 200000;
    return settings;
}
