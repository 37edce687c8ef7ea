// The same bits for any number of threads, on a problem large enough for threads to be used.
#include "base/parallel.h"
#include "dense.h"
#include "random_problem.h"
#include "verifier.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// A chain of particles joined by springs, a sparse chain beside it, contacts everywhere.
enum {
    PARTICLES = 4600,
    CLOTH = 1200, // nodes of the sparse block
    N = 3 * (PARTICLES + CLOTH),
    CONTACTS = 4300,
    CLOTH_ENTRIES = 9 * (3 * CLOTH),
};

typedef struct Chain {
    CondProblem problem;
    CondBlock block[PARTICLES + 1];
    double mass[PARTICLES][9];
    double values[CLOTH_ENTRIES];
    int row_begin[3 * CLOTH + 1], column[CLOTH_ENTRIES];
    CondCoupling coupling[PARTICLES];
    int ends[PARTICLES][6];
    double spring[PARTICLES][6], gain[PARTICLES];
    CondContact contact[CONTACTS];
    int coordinate[2 * CONTACTS][6];
    double jacobian[2 * CONTACTS][18];
    double b[N], v[N], lambda[3 * CONTACTS];
} Chain;

static void make_blocks(Chain* chain, Random* random, int bsr3)
{
    for (int p = 0; p < PARTICLES; p++) {
        random_spd(random, 3, 1.0, 1.0, chain->mass[p]);
        chain->block[p] = (CondBlock){COND_BLOCK_DENSE, 3 * p, 3, chain->mass[p], NULL, NULL, NULL};
    }
    int size = bsr3 ? 3 : 1, count = 0; // 3.5 on the diagonal, -1 to the nodes before and after
    for (int i = 0; i < 3 * CLOTH / size; i++) {
        for (int j = i - 3 / size; j <= i + 3 / size; j += 3 / size)
            if (j >= 0 && j < 3 * CLOTH / size) {
                for (int e = 0; e < size * size; e += size + 1)
                    chain->values[size * size * count + e] = i == j ? 3.5 : -1.0;
                chain->column[count++] = j;
            }
        chain->row_begin[i + 1] = count;
    }
    chain->block[PARTICLES] = (CondBlock){bsr3 ? COND_BLOCK_BSR3 : COND_BLOCK_SPARSE,
                                          3 * PARTICLES,
                                          3 * CLOTH,
                                          chain->values,
                                          chain->row_begin,
                                          chain->column,
                                          NULL};
}

static void make_springs(Chain* chain, Random* random)
{
    for (int p = 0; p < PARTICLES; p++) { // to the next particle; the last one to the cloth
        for (int k = 0; k < 6; k++) {
            chain->ends[p][k] = 3 * p + k;
            chain->spring[p][k] = random_uniform(random, -1.0, 1.0);
        }
        chain->gain[p] = random_uniform(random, 0.1, 1.0);
        chain->coupling[p] =
            (CondCoupling){1, 6, chain->ends[p], chain->spring[p], &chain->gain[p]};
    }
}

static CondSide make_side(Chain* chain, Random* random, int place, int node)
{
    int general = random_int(random, 3) == 0, n = general && node + 6 <= N ? 6 : 3;
    for (int k = 0; k < n; k++)
        chain->coordinate[place][k] = node + k;
    for (int r = 0; r < 3 && n == 6; r++)
        for (int k = 0; k < 6; k++)
            chain->jacobian[place][6 * r + k] = k % 3 == r ? 0.5 : 0.0;
    return (CondSide){n, chain->coordinate[place], n == 6 ? chain->jacobian[place] : NULL};
}

static Chain* chain_make(int bsr3)
{
    Chain* chain = calloc(1, sizeof *chain);
    assert_non_null(chain);
    Random random = random_start(77);
    make_blocks(chain, &random, bsr3);
    make_springs(chain, &random);
    for (int i = 0; i < N; i++)
        chain->b[i] = random_uniform(&random, -2.0, 2.0);
    for (int c = 0; c < CONTACTS; c++) {
        CondContact* contact = &chain->contact[c];
        int node = random_int(&random, N / 3), other = random_int(&random, N / 3);
        contact->side[0] = make_side(chain, &random, 2 * c, 3 * node);
        if (c % 3 == 0 && abs(node - other) > 2)
            contact->side[1] = make_side(chain, &random, 2 * c + 1, 3 * other);
        random_rotation(&random, contact->frame);
        contact->friction[0] = random_uniform(&random, 0.0, 0.5);
        contact->friction[1] = c % 4 ? contact->friction[0] : random_uniform(&random, 0.0, 0.5);
        contact->phi[0] = random_uniform(&random, 0.0, 0.2);
        contact->kv = c % 2 ? INFINITY : 20.0;
    }
    chain->problem = (CondProblem){
        N,       PARTICLES + 1, PARTICLES, CONTACTS, chain->block, chain->coupling, chain->contact,
        chain->b};
    return chain;
}

typedef struct Setup {
    CondSurrogateKind surrogate;
    CondAcceleratorKind accelerator;
    CondLaw law;
    CondStop stop;
    int max_iterations;
} Setup;

static void same_bits_for_any_number_of_threads(void** state)
{
    (void)state;
    const Setup setups[] = {
        {COND_SURROGATE_BLOCK, COND_ACCELERATOR_ANDERSON, COND_LAW_STRICT, COND_STOP_CERTIFICATE,
         50},
        {COND_SURROGATE_FROBENIUS, COND_ACCELERATOR_CHEBYSHEV, COND_LAW_STRICT, COND_STOP_STEP, 25},
        {COND_SURROGATE_BB_ALTERNATING, COND_ACCELERATOR_NONE, COND_LAW_PROXIMAL,
         COND_STOP_CERTIFICATE, 25},
        {COND_SURROGATE_SPECTRUM, COND_ACCELERATOR_ANDERSON, COND_LAW_PROXIMAL,
         COND_STOP_CERTIFICATE, 10},
    };
    assert_true(N > 5000 && N > COND_PARALLEL_FROM);
    double *v = dense_zeros(N), *lambda = dense_zeros(3 * CONTACTS);
    for (size_t k = 0; k < sizeof setups / sizeof setups[0]; k++) {
        CondSolveInfo first = {0};
        CondError error = {0};
        Chain* chain = chain_make((int)k % 2);
        if (cond_problem_check(NULL, &chain->problem, &error))
            fail_msg("%s", error.message);
        int stride = setups[k].surrogate == COND_SURROGATE_SPECTRUM ? 2 : 1; // Lanczos takes long
        for (int threads = 1; threads <= 5; threads += stride) { // 5: as the run time decides
            CondSolverSettings settings = cond_solver_settings_default();
            settings.surrogate = setups[k].surrogate;
            settings.accelerator = setups[k].accelerator;
            settings.law = setups[k].law;
            settings.stop = setups[k].stop;
            settings.max_iterations = setups[k].max_iterations;
            settings.tolerance = 1e-6;
            settings.threads = threads % 5;
            memset(chain->v, 0, sizeof chain->v);
            memset(chain->lambda, 0, sizeof chain->lambda);
            CondSolveInfo info;
            verifier_solve(&chain->problem, &settings, chain->v, chain->lambda, &info);
            info.seconds = 0.0;
            if (threads == 1) {
                memcpy(v, chain->v, sizeof chain->v);
                memcpy(lambda, chain->lambda, sizeof chain->lambda);
                first = info;
                assert_true(info.iterations >= 5 && info.virtual_nodes > 100);
                continue;
            }
            assert_memory_equal(v, chain->v, sizeof chain->v);
            assert_memory_equal(lambda, chain->lambda, sizeof chain->lambda);
            assert_int_equal(info.status, first.status);
            assert_int_equal(info.iterations, first.iterations);
            assert_int_equal(info.restarts, first.restarts);
            assert_true(info.step_length == first.step_length);
            assert_memory_equal(&info.certificate, &first.certificate, sizeof info.certificate);
        }
        free(chain);
    }
    free(v);
    free(lambda);
}

// The same solver twice, and a solver that solved something else before: the same bits again.
static void the_past_of_a_workspace_leaves_no_trace(void** state)
{
    (void)state;
    RandomProblem small[2];
    for (int k = 0; k < 2; k++) {
        RandomOptions options = random_options_default(50 + (uint64_t)k);
        options.n_rigid = 3 + 2 * k;
        random_problem_make(&options, &small[k]);
    }
    for (int kind = 0; kind <= COND_SURROGATE_BLOCK; kind++) {
        CondSolverSettings settings = cond_solver_settings_default();
        settings.surrogate = (CondSurrogateKind)kind;
        settings.accelerator = COND_ACCELERATOR_CHEBYSHEV;
        CondSolver* solver = NULL;
        assert_int_equal(cond_solver_create(NULL, "strategy", &settings, &solver, NULL), COND_OK);
        double first_v[64], first_lambda[64];
        for (int round = 0; round < 5; round++) {
            const CondProblem* problem = &small[round % 2].problem;
            double v[64] = {0.0}, lambda[64] = {0.0};
            assert_true(problem->n_dof <= 64 && 3 * problem->n_contact <= 64);
            CondSolveInfo info;
            assert_int_equal(cond_solver_solve(solver, problem, v, lambda, &info), COND_OK);
            if (round == 0) {
                memcpy(first_v, v, sizeof v);
                memcpy(first_lambda, lambda, sizeof lambda);
            } else if (round % 2 == 0) {
                assert_memory_equal(v, first_v, sizeof v);
                assert_memory_equal(lambda, first_lambda, sizeof lambda);
            }
        }
        cond_solver_destroy(solver);
    }
    for (int k = 0; k < 2; k++)
        random_problem_free(&small[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bits_for_any_number_of_threads),
        cmocka_unit_test(the_past_of_a_workspace_leaves_no_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
