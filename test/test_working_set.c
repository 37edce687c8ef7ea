// Contacts of piles that open are left out of a solve: the answer obeys the law in all of them,
// from starts that are right and from starts that are wrong about which ones open.
#include "dense.h"
#include "failing_allocator.h"
#include "random_problem.h"
#include "verifier.h"

#include "base/memory.h"
#include "strategy/strategy.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { COPIES = 3 };

// Rigid bodies with many contacts, each with two copies that lie farther away.
static void pile_make(uint64_t seed, RandomProblem* made, CondProblem* problem,
                      CondContact** contact)
{
    RandomOptions options = random_options_default(seed);
    options.n_cloth = options.n_chain = options.n_robot = options.n_interval = 0;
    options.n_coupling = 0;
    options.n_particle = 0;
    options.n_rigid = 14;
    options.n_contact = 30;
    options.general = 1;
    options.friction = 0.5;
    options.finite_kv = 0.0;
    random_problem_make(&options, made);
    *problem = made->problem;
    *contact = malloc((size_t)(COPIES * problem->n_contact) * sizeof **contact);
    assert_non_null(*contact);
    for (int c = 0; c < COPIES * problem->n_contact; c++) {
        (*contact)[c] = problem->contact[c / COPIES];
        (*contact)[c].key = (uint64_t)c + 1;
        (*contact)[c].phi[0] += (c % COPIES) * 10.0;
    }
    problem->n_contact *= COPIES;
    problem->contact = *contact;
}

static CondSolverSettings exact(void)
{
    CondSolverSettings settings = cond_solver_settings_default();
    settings.tolerance = 1e-8;
    return settings;
}

// Starts: an answer, the same with all velocities turned round, and one with forces everywhere.
static void answers_obey_the_law_in_all_contacts(void** state)
{
    (void)state;
    int left_out = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        RandomProblem made;
        CondProblem problem;
        CondContact* contact;
        pile_make(seed, &made, &problem, &contact);
        CondSolverSettings settings = exact();
        CondContext context = cond_context_or_default(NULL);
        size_t n = (size_t)problem.n_dof, nc = (size_t)problem.n_contact;
        double *v = dense_zeros(n), *lambda = dense_zeros(3 * nc);
        CondSolveInfo info = {0};
        assert_int_equal(verifier_solve(&problem, &settings, v, lambda, &info), COND_OK);
        for (int start = 0; start < 3; start++) {
            CondStrategy* s = cond_solver_strategy.create(&context, &settings);
            assert_non_null(s);
            for (size_t i = 0; i < n; i++)
                v[i] *= start == 1 ? -1.0 : 1.001;
            for (size_t c = 0; c < nc && start == 2; c++)
                lambda[3 * c] += 1.0;
            memset(&info, 0, sizeof info);
            assert_int_equal(cond_solver_strategy.solve(s, &problem, v, lambda, &info), COND_OK);
            CondCertificate judged = verifier_certificate(&problem, settings.law, 0.0, v, lambda);
            assert_true(cond_certificate_residual(&judged) <= 1.001 * settings.tolerance);
            left_out += s->set.n > 0 && s->set.n < problem.n_contact;
            cond_solver_strategy.destroy(s);
        }
        free(v), free(lambda);
        free(contact);
        random_problem_free(&made);
    }
    assert_true(left_out >= 20);
}

// Contacts that the set leaves out and the answer violates join: from a start that moves away from
// everything the first set is too small.
static void violated_contacts_join(void** state)
{
    (void)state;
    CondContext context = cond_context_or_default(NULL);
    RandomProblem made;
    CondProblem problem;
    CondContact* contact;
    pile_make(3, &made, &problem, &contact);
    CondWorkingSet set = {0};
    CondNodal nodal = {.arena.context = context};
    CondAnswer pair = {.residual = 1e-3, .certificate.velocity_scale = 1.0};
    assert_int_equal(cond_nodal_build(&nodal, &problem, 1e3), COND_OK);
    assert_int_equal(cond_answer_reserve(&context, &problem, &pair), COND_OK);
    memset(pair.lambda, 0, 3 * (size_t)problem.n_contact * sizeof *pair.lambda);
    assert_int_equal(cond_working_set_begin(&set, &context, &problem), COND_OK);
    for (int c = 0; c < problem.n_contact; c++)
        set.u[3 * c] = c % COPIES == 0 ? -1.0 : c % COPIES == 1 ? 0.1 : 10.0;
    int third = problem.n_contact / COPIES;
    assert_int_equal(cond_working_set_join(&set, &nodal, &pair), third);
    assert_true(cond_working_set_pays(&set, &problem));
    assert_false(cond_working_set_is_violated(&set, &problem));
    set.u[3 * 2] = -1e-3;
    assert_true(cond_working_set_is_violated(&set, &problem));
    assert_int_equal(cond_working_set_join(&set, &nodal, &pair), third + 1); // 0.1 is near by now
    assert_false(cond_working_set_is_violated(&set, &problem));
    assert_int_equal(set.n, 2 * third + 1);
    for (int k = 1; k < set.n; k++)
        assert_true(set.contact[k] > set.contact[k - 1]);
    assert_int_equal(cond_working_set_join(&set, &nodal, &pair), 0);
    cond_answer_destroy(&pair);
    cond_nodal_destroy(&nodal);
    cond_working_set_destroy(&set);
    free(contact);
    random_problem_free(&made);
}

// The n-th allocation fails, for every n: an error, and nothing is lost.
static void memory(void** state)
{
    (void)state;
    RandomProblem made;
    CondProblem problem;
    CondContact* contact;
    pile_make(5, &made, &problem, &contact);
    CondSolverSettings settings = exact();
    size_t n = (size_t)problem.n_dof, nc = (size_t)problem.n_contact;
    double *v = dense_zeros(n), *lambda = dense_zeros(3 * nc);
    CondSolveInfo info = {0};
    assert_int_equal(verifier_solve(&problem, &settings, v, lambda, &info), COND_OK);
    for (size_t i = 0; i < n; i++)
        v[i] *= 1.001;
    for (long fail = 1, done = 0; !done; fail += 1 + fail / 8) {
        FailingAllocator allocator = {0};
        CondContext context = failing_allocator_context(&allocator);
        double *at = dense_zeros(n), *force = dense_zeros(3 * nc);
        memcpy(at, v, n * sizeof *at);
        memcpy(force, lambda, 3 * nc * sizeof *force);
        CondSolver* solver = NULL;
        assert_int_equal(cond_solver_create(&context, "strategy", &settings, &solver, NULL),
                         COND_OK);
        allocator.fail_at = allocator.calls + fail;
        CondStatus status = cond_solver_solve(solver, &problem, at, force, &info);
        done = allocator.calls < allocator.fail_at;
        assert_true(done ? status >= 0 : status == COND_OUT_OF_MEMORY);
        cond_solver_destroy(solver);
        assert_int_equal(allocator.live, 0);
        free(at), free(force);
    }
    free(v), free(lambda);
    free(contact);
    random_problem_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_obey_the_law_in_all_contacts),
        cmocka_unit_test(violated_contacts_join),
        cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
