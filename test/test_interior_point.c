// The interior-point method and proximal-point steps on redundant contacts: stored dominoes and a
// wall that is struck, random problems with every contact several times, both laws, a finite gain,
// elliptic friction, memory that runs out.
#include "base/memory.h"
#include "cond/fclib.h"
#include "cond/solver.h"
#include "dense.h"
#include "failing_allocator.h"
#include "newton/interior_point.h"
#include "nodalize/nodal.h"
#include "random_problem.h"
#include "strategy/strategy.h"
#include "verifier.h"

#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// A strategy that is ready for the problem, at zero.
static CondStrategy* ready(const CondContext* context, const CondProblem* problem,
                           const CondSolverSettings* settings, CondSolveInfo* info)
{
    CondStrategy* s = cond_solver_strategy.create(context, settings);
    double *v = dense_zeros((size_t)problem->n_dof),
           *lambda = dense_zeros(3 * (size_t)problem->n_contact + 1);
    assert_int_equal(cond_nodal_build(&s->view, problem, settings->kv_scale), COND_OK);
    assert_int_equal(cond_vfpi_begin(&s->vfpi, &s->view, info), COND_OK);
    assert_int_equal(cond_answer_reserve(context, problem, &s->best), COND_OK);
    assert_int_equal(cond_answer_reserve(context, problem, &s->start), COND_OK);
    cond_semismooth_plan(&s->newton);
    s->small = 1;
    cond_answer_set(problem, v, lambda, NULL, &s->best);
    cond_answer_copy(problem, &s->best, &s->start);
    s->settings.tolerance = settings->tolerance;
    free(v), free(lambda);
    return s;
}

enum { N_STORED = 4 };

static CondProblemFile* stored(int i)
{
    static const char* const names[N_STORED] = {"dominoes_319", "dominoes_330", "dominoes_393",
                                                "wall_struck"};
    char path[512];
    CondProblemFile* file = NULL;
    snprintf(path, sizeof path, "%s/problems/%s.hdf5", COND_TEST_DATA, names[i]);
    assert_int_equal(cond_fclib_read(NULL, path, &file, NULL), COND_OK);
    return file;
}

// Stored problems: certified with the method, missed by Newton's method alone.
static void stored_problems(void** state)
{
    (void)state;
    CondContext context = cond_context_or_default(NULL);
    for (int i = 0; i < N_STORED; i++) {
        CondProblemFile* file = stored(i);
        const CondProblem* problem = cond_problem_file_problem(file);
        CondSolverSettings settings = cond_solver_settings_default();
        settings.tolerance = 1e-6;
        double *v = dense_zeros((size_t)problem->n_dof),
               *lambda = dense_zeros(3 * (size_t)problem->n_contact);
        CondSolveInfo info = {0};
        assert_int_equal(verifier_solve(problem, &settings, v, lambda, &info), COND_OK);
        assert_int_equal(info.solved_by, COND_BY_INTERIOR_POINT);
        assert_true(info.passes < 100); // other methods take thousands, in vain
        CondSolveInfo without = {0};
        CondStrategy* s = ready(&context, problem, &settings, &without);
        CondCertificateData data = cond_strategy_certificate_data(s);
        CondSemismoothLimits limits = {
            .tolerance = 1e-6, .max_steps = 200, .max_products = INT_MAX};
        assert_int_equal(cond_semismooth_solve(&s->newton, &cond_back_end_factored, &data, &limits,
                                               &s->best, &without),
                         COND_NOT_CONVERGED);
        cond_solver_strategy.destroy(s);
        free(v), free(lambda);
        cond_problem_file_destroy(file);
    }
}

enum { REPEAT = 3 };

// Rigid bodies and particles with every contact three times.
static void redundant_make(uint64_t seed, double kv_share, int anisotropic, double friction,
                           RandomProblem* made, CondProblem* problem, CondContact** contact)
{
    RandomOptions options = random_options_default(seed);
    options.n_cloth = 0;
    options.n_rigid = 5;
    options.n_particle = 2;
    options.n_contact = 12;
    options.general = 1;
    options.friction = friction;
    options.anisotropic = anisotropic;
    options.finite_kv = kv_share;
    random_problem_make(&options, made);
    *problem = made->problem;
    *contact = malloc((size_t)(REPEAT * problem->n_contact) * sizeof **contact);
    for (int c = 0; c < REPEAT * problem->n_contact; c++) {
        (*contact)[c] = problem->contact[c % problem->n_contact];
        (*contact)[c].key = (uint64_t)c + 1;
    }
    problem->n_contact *= REPEAT;
    problem->contact = *contact;
}

// From zero, both laws, with and without slip at virtual nodes, round and elliptic cones.
static void random_problems(void** state)
{
    (void)state;
    CondContext context = cond_context_or_default(NULL);
    for (uint64_t seed = 1; seed <= 40; seed++) {
        RandomProblem made;
        CondProblem problem;
        CondContact* contact;
        CondLaw law = seed % 2 ? COND_LAW_STRICT : COND_LAW_PROXIMAL;
        redundant_make(seed, seed % 4 < 2 ? 0.0 : 0.5, seed % 8 < 2, seed % 3 ? 0.5 : 0.1, &made,
                       &problem, &contact);
        CondSolverSettings settings = cond_solver_settings_default();
        settings.tolerance = 1e-6;
        settings.law = law;
        CondSolveInfo info = {0};
        CondStrategy* s = ready(&context, &problem, &settings, &info);
        CondStatus status = cond_stage_interior_point(s, &info);
        CondCertificate judged =
            verifier_certificate(&problem, law, 0.0, s->best.v, s->best.lambda);
        if (status)
            print_message("seed %d: %g\n", (int)seed, cond_certificate_residual(&judged));
        assert_int_equal(status, COND_OK);
        assert_true(cond_certificate_residual(&judged) <= 1.001e-6);
        cond_solver_strategy.destroy(s);
        free(contact);
        random_problem_free(&made);
    }
}

// Proximal-point steps alone, from zero: what they find obeys the law as it is, without resistance.
static void check_proximal(const CondProblem* problem, CondLaw law)
{
    CondContext context = cond_context_or_default(NULL);
    CondSolverSettings settings = cond_solver_settings_default();
    settings.tolerance = 1e-6;
    settings.law = law;
    CondSolveInfo info = {0};
    CondStrategy* s = ready(&context, problem, &settings, &info);
    CondCertificateData data = cond_strategy_certificate_data(s);
    assert_int_equal(cond_proximal_point_solve(&s->proximal, &s->newton, &data, 1e-6, 1000, 0,
                                               &s->start, &s->best, &info),
                     COND_OK);
    CondCertificate judged = verifier_certificate(problem, law, 0.0, s->best.v, s->best.lambda);
    assert_true(cond_certificate_residual(&judged) <= 1.001e-6);
    cond_solver_strategy.destroy(s);
}

static void proximal_point_alone(void** state)
{
    (void)state;
    for (int i = 0; i < N_STORED; i++) {
        CondProblemFile* file = stored(i);
        check_proximal(cond_problem_file_problem(file), COND_LAW_STRICT);
        cond_problem_file_destroy(file);
    }
    for (uint64_t seed = 1; seed <= 20; seed++) {
        RandomProblem made;
        CondProblem problem;
        CondContact* contact;
        redundant_make(seed, 0.0, seed % 4 == 0, 0.5, &made, &problem, &contact);
        check_proximal(&problem, seed % 2 ? COND_LAW_STRICT : COND_LAW_PROXIMAL);
        free(contact);
        random_problem_free(&made);
    }
}

// The n-th allocation fails, for every n: an error, and nothing is lost.
static void memory(void** state)
{
    (void)state;
    RandomProblem made;
    CondProblem problem;
    CondContact* contact;
    redundant_make(7, 0.0, 0, 0.5, &made, &problem, &contact);
    CondSolverSettings settings = cond_solver_settings_default();
    settings.tolerance = 1e-6;
    double *v = dense_zeros((size_t)problem.n_dof),
           *lambda = dense_zeros(3 * (size_t)problem.n_contact);
    for (long fail = 1, done = 0; !done; fail += 1 + fail / 8) {
        FailingAllocator allocator = {0};
        CondContext context = failing_allocator_context(&allocator);
        CondSolver* solver = NULL;
        CondSolveInfo info = {0};
        assert_int_equal(cond_solver_create(&context, "strategy", &settings, &solver, NULL),
                         COND_OK);
        allocator.fail_at = allocator.calls + fail;
        memset(v, 0, (size_t)problem.n_dof * sizeof *v);
        memset(lambda, 0, 3 * (size_t)problem.n_contact * sizeof *lambda);
        CondStatus status = cond_solver_solve(solver, &problem, v, lambda, &info);
        done = allocator.calls < allocator.fail_at;
        assert_true(done ? status >= 0 : status == COND_OUT_OF_MEMORY);
        cond_solver_destroy(solver);
        assert_int_equal(allocator.live, 0);
    }
    free(v), free(lambda), free(contact);
    random_problem_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stored_problems), cmocka_unit_test(random_problems),
        cmocka_unit_test(proximal_point_alone), cmocka_unit_test(memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
