// Contacts four at a time and one by one against the equations, contact after contact: the same
// bits, for nodes and virtual nodes, one side and two, open, sticking and sliding, under both laws.
#include "dense.h"
#include "random_problem.h"
#include "vfpi/contact_sweep.h"

#include "base/memory.h"
#include "cond/law.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// The reference (eqs. 23-25): contact after contact.
static void run_plain(const CondContactSolve* one, double* v, double* lambda)
{
    const CondNodal* nodal = one->nodal;
    const double *w = one->w, *carry = one->carry;
    for (int c = 0; c < nodal->problem->n_contact; c++) {
        const CondContact* contact = &nodal->problem->contact[c];
        const double* R = contact->frame;
        int i = nodal->node[2 * c], j = nodal->node[2 * c + 1];
        double wi = w[i], wj = j >= 0 ? w[j] : 0.0, d[3], eta[3], *force = lambda + 3 * c;
        for (int k = 0; k < 3; k++)
            d[k] = j >= 0 ? v[i + k] - v[j + k] : v[i + k];
        for (int r = 0; r < 3; r++) {
            eta[r] = contact->phi[r] + R[3 * r] * d[0] + R[3 * r + 1] * d[1] + R[3 * r + 2] * d[2];
            if (nodal->carried[c])
                eta[r] -= nodal->compliance[c] * carry[3 * c + r];
        }
        cond_law_solve(one->law, contact->friction, one->omega, wi + wj, eta, force);
        for (int k = 0; k < 3; k++) {
            double f = R[k] * force[0] + R[3 + k] * force[1] + R[6 + k] * force[2];
            v[i + k] += wi * f;
            if (j >= 0)
                v[j + k] -= wj * f;
        }
    }
}

// Runs both from the same v*; counts[0..2] gather how many contacts were open, stuck and slid.
static void compare(CondContactSweep* sweep, const CondContactSolve* one, const double* v,
                    int counts[3])
{
    const CondProblem* problem = one->nodal->problem;
    int n_order = (problem->n_contact + 3) / 4 * 4, order[128];
    size_t n = (size_t)one->nodal->n, nc3 = 3 * (size_t)problem->n_contact;
    double *plain = dense_zeros((int)(n + nc3)), *fast = dense_zeros((int)(n + nc3));
    for (int k = 0; k < n_order; k++)
        order[k] = k < problem->n_contact ? k : -1;
    assert_int_equal(cond_contact_sweep_build(sweep, one, order, n_order, 0), COND_OK);
    for (int turn = 0; turn < 2; turn++) {
        memcpy(plain, v, n * sizeof *v);
        memcpy(fast, v, n * sizeof *v);
        run_plain(one, plain, plain + n);
        if (turn == 0)
            cond_contact_sweep_run(sweep, fast, fast + n, 0, n_order / 4);
        for (int c = 0; c < problem->n_contact && turn == 1; c++)
            cond_contact_solve(one, c, fast, fast + n + (ptrdiff_t)3 * c);
        assert_memory_equal(plain, fast, (n + nc3) * sizeof *plain);
    }
    for (int c = 0; c < problem->n_contact; c++) {
        const double* lambda = plain + n + 3 * c;
        double t = hypot(lambda[1], lambda[2]);
        counts[lambda[0] == 0.0                                                  ? 0
               : t < (1.0 - 1e-12) * problem->contact[c].friction[0] * lambda[0] ? 1
                                                                                 : 2]++;
    }
    free(plain);
    free(fast);
}

static void test_same_bits(void** state)
{
    (void)state;
    int counts[3] = {0, 0, 0};
    for (int trial = 0; trial < 40; trial++) {
        RandomOptions options = random_options_default(100 + (uint64_t)trial);
        options.n_particle = 30;
        options.n_contact = 61 + trial % 4;
        options.anisotropic = trial % 5 == 0;
        options.finite_kv = trial % 3 == 0 ? 0.5 : 1.0;
        options.friction = trial % 7 == 0 ? 0.0 : 0.6;
        RandomProblem made;
        random_problem_make(&options, &made);
        CondContext context = cond_context_or_default(NULL);
        CondNodal nodal = {.arena.context = context};
        CondContactSweep sweep = {.arena.context = context};
        CondSolverSettings settings = cond_solver_settings_default();
        settings.law = trial % 8 == 7 ? COND_LAW_PROXIMAL : COND_LAW_STRICT;
        settings.omega = trial % 2 ? 1e-3 : 0.0;
        assert_int_equal(cond_nodal_build(&nodal, &made.problem, 100.0), COND_OK);
        Random random = random_start((uint64_t)trial);
        int nc3 = 3 * made.problem.n_contact;
        double *v = dense_zeros(nodal.n), *w = dense_zeros(nodal.n), *carry = dense_zeros(nc3);
        // From nothing at all to numbers whose squares overflow.
        const double size[] = {1.0, 0.0, 1e-3, 1e-120, 1e120, 1.0};
        for (int k = 0; k < 6; k++) {
            for (int i = 0; i < nodal.n; i++) {
                v[i] = size[k] * random_uniform(&random, -1.0, 1.0);
                w[i] = i % 3 == 0 ? random_uniform(&random, 0.1, 2.0) : w[i - 1];
            }
            for (int i = 0; i < nc3; i++)
                carry[i] = random_uniform(&random, -1.0, 1.0);
            if (k == 5)
                v[trial % nodal.n] = NAN;
            CondContactSolve one = {.nodal = &nodal,
                                    .law = settings.law,
                                    .omega = settings.omega,
                                    .node = nodal.node,
                                    .w = w,
                                    .carry = carry};
            compare(&sweep, &one, v, counts);
        }
        free(v);
        free(w);
        free(carry);
        cond_arena_release(&sweep.arena);
        cond_nodal_destroy(&nodal);
        random_problem_free(&made);
    }
    for (int k = 0; k < 3; k++)
        assert_true(counts[k] > 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
