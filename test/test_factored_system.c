// The factored system of a Newton step against dense algebra: contacts of rigid bodies by pairs and
// others one by one, factorisations in a row by one thread and by two, memory that runs out.
#include "base/memory.h"
#include "dense.h"
#include "failing_allocator.h"
#include "linear/lu.h"
#include "newton/factored_system.h"
#include "random_problem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROUNDS = 6, CONTACTS = 40, STRIDE = 11 };

// A third of the contacts open, others stick, slip with a D that is not symmetric, or are stiff.
static void make_law(Random* random, double* D)
{
    double gain = pow(10.0, random_uniform(random, -1.0, 2.0));
    memset(D, 0, 9 * sizeof *D);
    switch (random_int(random, 3)) {
    case 0:
        break;
    case 1:
        D[0] = D[4] = D[8] = gain;
        break;
    default:
        D[0] = gain, D[3] = -0.3 * gain, D[4] = 0.01 * gain, D[5] = D[7] = 0.002 * gain;
        D[8] = 0.03 * gain;
    }
}

static RandomOptions options_of(uint64_t seed)
{
    RandomOptions options = random_options_default(seed);
    int mixed = seed % 2 == 0; // other kinds of sides as well
    options.n_rigid = 12;
    options.n_particle = mixed ? 3 : 0;
    options.n_cloth = mixed ? 1 : 0;
    options.cloth_nodes = 5;
    options.bsr3 = 1;
    options.n_chain = 1;
    options.chain_links = 5;
    options.n_coupling = 4;
    options.n_contact = CONTACTS;
    options.general = 1;
    options.second = 1;
    return options;
}

static CondFactoredSystem system_of(const CondContext* context)
{
    return (CondFactoredSystem){.arena.context = *context, .allowed = INFINITY};
}

static void compare(uint64_t seed, int* paired, int* others)
{
    RandomProblem made;
    RandomOptions options = options_of(seed);
    Random random = random_start(seed);
    random_problem_make(&options, &made);
    const CondProblem* problem = &made.problem;
    CondContext context = cond_context_or_default(NULL);
    CondFactoredSystem system = system_of(&context), fresh = system_of(&context);
    system.threads = 2;
    int n = problem->n_dof, serves, *pivot = malloc((size_t)n * sizeof *pivot);
    double *x = dense_zeros((size_t)n), *y = dense_zeros((size_t)n), *z = dense_zeros((size_t)n);
    double* D = dense_zeros(STRIDE * (size_t)problem->n_contact);
    for (int c = 0; c < problem->n_contact; c++)
        make_law(&random, D + (ptrdiff_t)STRIDE * c);
    assert_int_equal(cond_factored_system_plan(&system, problem, &serves), COND_OK);
    assert_true(serves);
    for (int round = 0; round < ROUNDS; round++) {
        for (int k = 0; k < round; k++) // few of them
            make_law(&random, D + (ptrdiff_t)STRIDE * random_int(&random, problem->n_contact));
        for (int i = 0; i < n; i++)
            x[i] = y[i] = z[i] = random_uniform(&random, -1.0, 1.0);
        assert_int_equal(cond_factored_system_build(&system, problem, D, STRIDE), COND_OK);
        cond_factored_system_solve(&system, x);
        fresh.planned = 0;
        assert_int_equal(cond_factored_system_plan(&fresh, problem, &serves), COND_OK);
        assert_int_equal(cond_factored_system_build(&fresh, problem, D, STRIDE), COND_OK);
        cond_factored_system_solve(&fresh, z);
        assert_memory_equal(x, z, (size_t)n * sizeof *x);
        double* H = dense_pressed_matrix(problem, D, STRIDE);
        assert_int_equal(cond_lu_factor(n, H, pivot), 0);
        cond_lu_solve(n, H, pivot, y);
        assert_true(dense_distance(n, x, y) <= 1e-9 * dense_norm(n, y));
        free(H);
    }
    *paired += system.contacts.n_contact;
    *others += system.terms.n;
    cond_factored_system_destroy(&system);
    cond_factored_system_destroy(&fresh);
    free(pivot), free(x), free(y), free(z), free(D);
    random_problem_free(&made);
}

static void the_dense_system_is_solved(void** state)
{
    (void)state;
    int paired = 0, others = 0;
    for (uint64_t seed = 1; seed <= 12; seed++)
        compare(seed, &paired, &others);
    assert_true(paired > 12 * CONTACTS / 4 && others > 12);
}

static void memory(void** state)
{
    (void)state;
    RandomProblem made;
    RandomOptions options = options_of(1);
    random_problem_make(&options, &made);
    double* D = dense_zeros(STRIDE * (size_t)made.problem.n_contact);
    for (long fail = 1, done = 0; !done; fail++) {
        FailingAllocator allocator = {.fail_at = fail};
        CondContext context = failing_allocator_context(&allocator);
        CondFactoredSystem system = system_of(&context);
        int serves;
        CondStatus status = cond_factored_system_plan(&system, &made.problem, &serves);
        for (int k = 0; k < 3 && !status; k++)
            status = cond_factored_system_build(&system, &made.problem, D, STRIDE);
        done = allocator.calls < fail;
        assert_int_equal(status, done ? COND_OK : COND_OUT_OF_MEMORY);
        cond_factored_system_destroy(&system);
        assert_int_equal(allocator.live, 0);
    }
    free(D);
    random_problem_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_dense_system_is_solved),
                                       cmocka_unit_test(memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
