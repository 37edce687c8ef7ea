// Half storage: its product against the full one, the same bits from every variant and number of
// threads, and V-FPI on it, with doubles and with floats, through the verifier.
#include "base/memory.h"
#include "dense.h"
#include "failing_allocator.h"
#include "nodalize/nodal.h"
#include "problem/block.h"
#include "problem/packed.h"
#include "soft_problem.h"
#include "solve/iteration.h"
#include "verifier.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static double* random_vector(int n)
{
    uint64_t seed = 17;
    double* x = dense_zeros((size_t)n);
    for (int i = 0; i < n; i++)
        x[i] = fem_random(&seed);
    return x;
}

static void test_product(void** state)
{
    (void)state;
    if (!cond_half_serves())
        skip();
    SoftProblem bench;
    soft_problem_create(&bench, 0);
    int n = bench.problem.n_dof;
    double *x = random_vector(n), *y = dense_zeros((size_t)n), *once = dense_zeros((size_t)n);
    double* full = dense_zeros((size_t)n);
    CondPacked packed = {.context = bench.context};
    for (int single = 0; single < 2; single++)
        for (int shifted = 0; shifted < 2; shifted++) {
            const double* shift = shifted ? bench.b : NULL;
            assert_int_equal(cond_packed_build(&packed, &bench.problem, single, 1), COND_OK);
            assert_true(packed.on);
            // One of two mirrored blocks, and all on the diagonal.
            int stored = 0;
            for (int m = 0; m < N_MATRIX; m++)
                stored +=
                    bench.pattern[m].row_begin[bench.pattern[m].n_row] + bench.pattern[m].n_row;
            assert_int_equal(packed.half.n_block, stored / 2);
            cond_problem_multiply_blocks(&bench.problem, x, shift, full, 1);
            cond_packed_multiply(&packed, &bench.problem, x, shift, once, 1);
            assert_true(dense_distance(n, once, full) <=
                        (single ? 1e-7 : 1e-15) * dense_norm(n, full));
            for (int threads = 2; threads <= 5; threads++) {
                cond_packed_multiply(&packed, &bench.problem, x, shift, y, threads);
                assert_memory_equal(y, once, (size_t)n * sizeof *y);
            }
            // Chunk by chunk without vector instructions.
            CondHalfTask task = {.x = x, .shift = shift, .y = y};
            memset(y, 0, (size_t)n * sizeof *y);
            memcpy(y + bench.block[1].dof_begin, once + bench.block[1].dof_begin,
                   ARM * sizeof *y); // not theirs
            for (int c = 0; c < packed.half.n_chunk; c++)
                cond_half_chunk_generic(&packed.half, &task, c);
            cond_half_finish(&packed.half, &task, 0, packed.half.n_chunk);
            assert_memory_equal(y, once, (size_t)n * sizeof *y);
        }
    cond_packed_destroy(&packed);
    free(x);
    free(y);
    free(once);
    free(full);
    soft_problem_destroy(&bench);
}

// Other numbers on the same pattern, and another pattern at the same place in memory.
static void test_packed_again(void** state)
{
    (void)state;
    if (!cond_half_serves())
        skip();
    SoftProblem bench;
    soft_problem_create(&bench, 0);
    int n = bench.problem.n_dof;
    double *x = random_vector(n), *y = dense_zeros((size_t)n), *full = dense_zeros((size_t)n);
    CondPacked packed = {.context = bench.context};
    for (int turn = 0; turn < 3; turn++) {
        uint64_t seed = 40 + (uint64_t)turn;
        if (turn == 2) { // the last mesh node's tetrahedra are gone: its row is its diagonal
            CondBsr3Pattern* p = &bench.pattern[0];
            int last = bench.grid[0].n_node - 1;
            cond_bsr3_destroy(&bench.context, &bench.A[0]);
            cond_bsr3_pattern_destroy(&bench.context, p);
            for (int k = 0; k < 4 * bench.grid[0].n_tet; k++)
                if (bench.grid[0].tet[k] == last)
                    bench.grid[0].tet[k] = bench.grid[0].tet[k - k % 4];
            assert_int_equal(cond_bsr3_pattern_create(&bench.context, last + 2, bench.grid[0].n_tet,
                                                      bench.grid[0].tet, p),
                             COND_OK);
            assert_int_equal(cond_bsr3_create(&bench.context, p, &bench.A[0]), COND_OK);
            bench.block[0].values = bench.A[0].value;
            bench.block[0].row_begin = p->row_begin;
            bench.block[0].column = p->column;
        }
        soft_problem_fill(&bench.A[0], &seed);
        assert_int_equal(cond_packed_build(&packed, &bench.problem, 0, 2), COND_OK);
        assert_true(packed.on);
        cond_problem_multiply_blocks(&bench.problem, x, NULL, full, 1);
        cond_packed_multiply(&packed, &bench.problem, x, NULL, y, 2);
        assert_true(dense_distance(n, y, full) <= 1e-15 * dense_norm(n, full));
    }
    cond_packed_destroy(&packed);
    free(x);
    free(y);
    free(full);
    soft_problem_destroy(&bench);
}

// The iteration in one team against the one stage by stage, and both norms of its step.
static void test_iteration(void** state)
{
    (void)state;
    SoftProblem bench;
    soft_problem_create(&bench, 0);
    CondNodal nodal = {.context = bench.context};
    CondSurrogate W = {.context = bench.context};
    CondContactSweep sweep = {.context = bench.context};
    CondIteration it = {.context = bench.context};
    CondSolverSettings settings = cond_solver_settings_default();
    assert_int_equal(cond_nodal_build(&nodal, &bench.problem, 10.0), COND_OK);
    assert_int_equal(cond_surrogate_build(&W, &nodal, &settings), COND_OK);
    assert_int_equal(cond_contact_sweep_build(&sweep, &nodal, NULL, &settings, NULL), COND_OK);
    int n = nodal.n, n_lambda = 3 * N_CONTACT;
    double *v = random_vector(n), *carry = dense_zeros((size_t)n_lambda);
    double *g = dense_zeros((size_t)n), *metric = dense_zeros((size_t)n);
    double* v_out[6];
    double* lambda[6];
    CondIterates at[6];
    for (int i = 0; i < n; i++)
        metric[i] = 1.0 / W.w[i];
    // Stage by stage; doubles with 1, 2, 3 threads; floats with 1 and 3.
    for (int k = 0; k < 6; k++) {
        settings.threads = k == 5 ? 3 : k == 4 || k == 0 ? 1 : k;
        settings.storage = k >= 4 ? COND_STORAGE_FLOAT : COND_STORAGE_DOUBLE;
        v_out[k] = dense_zeros((size_t)n);
        lambda[k] = dense_zeros((size_t)n_lambda);
        assert_int_equal(cond_iteration_build(&it, &nodal, &W, &sweep, &settings), COND_OK);
        assert_int_equal(it.fused, cond_half_serves());
        it.fused = it.fused && k > 0;
        at[k] = (CondIterates){v, carry, metric, g, v_out[k], lambda[k], 0.0, 0.0, 0};
        cond_iteration_run(&it, &at[k]);
        assert_int_equal(at[k].products, k >= 4 && it.fused ? 2 : 1);
        double length = 0.0, residual = 0.0;
        for (int i = 0; i < n; i++) {
            double d = v_out[k][i] - v[i];
            length += d * d;
            residual += d * d * metric[i];
        }
        assert_true(fabs(at[k].length - sqrt(length)) <= 1e-13 * sqrt(length));
        assert_true(fabs(at[k].residual - sqrt(residual)) <= 1e-13 * sqrt(residual));
        assert_true(dense_distance(n, v_out[k], v_out[0]) <= 1e-14 * dense_norm(n, v_out[0]));
        assert_true(dense_distance(n_lambda, lambda[k], lambda[0]) <=
                    1e-13 * dense_norm(n_lambda, lambda[0]));
        int same = k == 2 || k == 3 ? 1 : k == 5 ? 4 : k;
        assert_memory_equal(v_out[k], v_out[same], (size_t)n * sizeof(double));
        assert_memory_equal(lambda[k], lambda[same], (size_t)n_lambda * sizeof(double));
        assert_true(at[k].length == at[same].length && at[k].residual == at[same].residual);
    }
    for (int k = 0; k < 6; k++) {
        free(v_out[k]);
        free(lambda[k]);
    }
    cond_iteration_destroy(&it);
    cond_contact_sweep_destroy(&sweep);
    cond_surrogate_destroy(&W);
    cond_nodal_destroy(&nodal);
    free(v);
    free(carry);
    free(g);
    free(metric);
    soft_problem_destroy(&bench);
}

// Floats reach the certificate of doubles, far below their own precision; and threads change no
// bit of an answer, whatever accelerates.
static void test_solve(void** state)
{
    (void)state;
    SoftProblem bench;
    soft_problem_create(&bench, 0);
    int n = bench.problem.n_dof;
    static const CondAcceleratorKind kind[] = {COND_ACCELERATOR_NONE, COND_ACCELERATOR_CHEBYSHEV,
                                               COND_ACCELERATOR_ANDERSON};
    for (int k = 0; k < 3; k++) {
        double* v[3];
        for (int turn = 0; turn < 3; turn++) {
            CondSolverSettings settings = cond_solver_settings_default();
            CondSolveInfo info;
            double* lambda = dense_zeros(3 * N_CONTACT);
            v[turn] = dense_zeros((size_t)n);
            settings.accelerator = kind[k];
            settings.storage = turn == 1 ? COND_STORAGE_FLOAT : COND_STORAGE_DOUBLE;
            settings.fallback = 0;
            settings.tolerance = 1e-12;
            settings.threads = 1 + turn;
            CondStatus status = verifier_solve(&bench.problem, &settings, v[turn], lambda, &info);
            assert_int_equal(status, COND_OK);
            free(lambda);
        }
        assert_true(dense_distance(n, v[0], v[1]) <= 1e-10 * dense_norm(n, v[0]));
        assert_memory_equal(v[0], v[2], (size_t)n * sizeof(double));
        for (int turn = 0; turn < 3; turn++)
            free(v[turn]);
    }
    soft_problem_destroy(&bench);
}

static void test_memory_that_runs_out(void** state)
{
    (void)state;
    if (!cond_half_serves())
        skip();
    SoftProblem bench;
    soft_problem_create(&bench, 0);
    CondStatus status = COND_OUT_OF_MEMORY;
    for (long k = 1; status == COND_OUT_OF_MEMORY; k++) {
        FailingAllocator allocator = {.fail_at = k};
        CondPacked packed = {.context = failing_allocator_context(&allocator)};
        status = cond_packed_build(&packed, &bench.problem, 0, 1);
        assert_int_equal(packed.on, !status);
        cond_packed_destroy(&packed);
        assert_int_equal(allocator.live, 0);
    }
    assert_int_equal(status, COND_OK);
    soft_problem_destroy(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_product),
        cmocka_unit_test(test_packed_again),
        cmocka_unit_test(test_iteration),
        cmocka_unit_test(test_solve),
        cmocka_unit_test(test_memory_that_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
