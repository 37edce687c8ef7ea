// Semismooth Newton behind V-FPI: what it solves, and when it is not used.
#include "dense.h"
#include "newton/linear_law.h"
#include "random_problem.h"
#include "reference.h"
#include "verifier.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// One iteration of V-FPI and then the passes.
static CondSolverSettings passes_only(CondLaw law)
{
    CondSolverSettings settings = cond_solver_settings_default();
    settings.law = law;
    settings.max_iterations = 1;
    settings.tolerance = 1e-10;
    settings.fallback = 1;
    return settings;
}

// Compares the passes' answer with the dense reference; returns how many there were.
static int check_against_reference(const RandomOptions* options, CondLaw law, double omega)
{
    RandomProblem made;
    random_problem_make(options, &made);
    int n = made.problem.n_dof, m = 3 * made.problem.n_contact;
    double *v = dense_zeros((size_t)n), *lambda = dense_zeros((size_t)m);
    double *v_ref = dense_zeros((size_t)n), *u_ref = dense_zeros((size_t)m);
    double* lambda_ref = dense_zeros((size_t)m);
    CondSolverSettings settings = passes_only(law);
    settings.omega = omega;
    CondSolveInfo info;
    if (verifier_solve(&made.problem, &settings, v, lambda, &info) != COND_OK)
        fail_msg("seed %d, %s: residual %g after %d passes", (int)options->seed, cond_law_name(law),
                 cond_certificate_residual(&info.certificate), info.passes);
    assert_true(reference_solve(&made.problem, law, omega, v_ref, u_ref, lambda_ref) < 1e-13);
    assert_true(dense_distance(n, v, v_ref) < 1e-7 * dense_norm(n, v_ref));
    free(v);
    free(lambda);
    free(v_ref);
    free(u_ref);
    free(lambda_ref);
    random_problem_free(&made);
    return info.passes;
}

static void strict_answers_are_those_of_the_reference(void** state)
{
    (void)state;
    int passes = 0;
    for (uint64_t seed = 400; seed < 420; seed++) {
        RandomOptions options = random_options_default(seed);
        options.n_contact = 3 + (int)(seed % 6);
        options.friction = 0.5;
        passes += check_against_reference(&options, COND_LAW_STRICT, seed % 3 ? 0.0 : 0.05);
    }
    assert_true(passes > 20);
}

static void proximal_answers_are_those_of_the_reference(void** state)
{
    (void)state;
    int passes = 0;
    for (uint64_t seed = 420; seed < 440; seed++) {
        RandomOptions options = random_options_default(seed);
        options.n_contact = 3 + (int)(seed % 6);
        options.anisotropic = 0; // the passes do not know the elliptic cone's nearest point
        passes += check_against_reference(&options, COND_LAW_PROXIMAL, seed % 3 ? 0.0 : 0.05);
    }
    assert_true(passes > 20);
}

// Stiff springs, on which V-FPI alone needs tens of thousands of iterations.
static void stiff_springs(void** state)
{
    (void)state;
    RandomOptions options = random_options_default(2);
    options.n_contact = 5;
    options.finite_kv = 1.0;
    options.kv_strength = 1e5;
    RandomProblem made;
    random_problem_make(&options, &made);
    double* v = dense_zeros((size_t)made.problem.n_dof);
    double* lambda = dense_zeros(3 * (size_t)made.problem.n_contact);
    CondSolverSettings settings = cond_solver_settings_default();
    settings.max_iterations = 1000;
    settings.fallback = 0;
    CondSolveInfo info;
    assert_int_equal(verifier_solve(&made.problem, &settings, v, lambda, &info),
                     COND_NOT_CONVERGED);
    assert_int_equal(info.passes, 0);
    settings.fallback = 1;
    memset(v, 0, (size_t)made.problem.n_dof * sizeof *v);
    memset(lambda, 0, 3 * (size_t)made.problem.n_contact * sizeof *lambda);
    assert_int_equal(verifier_solve(&made.problem, &settings, v, lambda, &info), COND_OK);
    assert_in_range(info.passes, 1, 30);
    free(v);
    free(lambda);
    random_problem_free(&made);
}

// The elliptic cone under the proximal law is served; the step-length stop is left to V-FPI.
static void used_for_every_law_but_not_every_stop(void** state)
{
    (void)state;
    RandomOptions options = random_options_default(3);
    RandomProblem made;
    random_problem_make(&options, &made);
    double* v = dense_zeros((size_t)made.problem.n_dof);
    double* lambda = dense_zeros(3 * (size_t)made.problem.n_contact);
    CondSolverSettings settings = passes_only(COND_LAW_PROXIMAL);
    CondSolveInfo info;
    assert_int_equal(verifier_solve(&made.problem, &settings, v, lambda, &info), COND_OK);
    assert_in_range(info.passes, 1, 100);
    settings = passes_only(COND_LAW_STRICT);
    settings.stop = COND_STOP_STEP;
    assert_int_equal(verifier_solve(&made.problem, &settings, v, lambda, &info),
                     COND_NOT_CONVERGED);
    assert_int_equal(info.passes, 0);
    free(v);
    free(lambda);
    random_problem_free(&made);
}

// The linearised law of slip under the proximal law, against finite differences J of the nearest
// point: off the edge of the cone, where J has no eigenvalue 1, D = J (I - J)^-1/gamma.
static void proximal_slip_is_the_derivative(void** state)
{
    (void)state;
    Random random = random_start(17);
    int slips = 0;
    for (int k = 0; k < 2000; k++) {
        double mu[2] = {random_uniform(&random, 0.05, 3.0), random_uniform(&random, 0.05, 3.0)};
        double x[3], y[3], J[9], gamma = 0.7, h = 1e-6;
        mu[1] = k % 4 == 0 ? mu[0] : mu[1];
        for (int i = 0; i < 3; i++)
            x[i] = random_uniform(&random, -1.0, 1.0);
        cond_law_project(COND_LAW_PROXIMAL, mu, x, y);
        if (!(y[0] > 0.05) || dense_distance(3, x, y) < 0.01)
            continue; // open, sticking, or at a kink
        for (int j = 0; j < 3; j++) {
            double ahead[3], behind[3], to[3] = {x[0], x[1], x[2]};
            to[j] += h;
            cond_law_project(COND_LAW_PROXIMAL, mu, to, ahead);
            to[j] -= 2.0 * h;
            cond_law_project(COND_LAW_PROXIMAL, mu, to, behind);
            for (int i = 0; i < 3; i++)
                J[3 * i + j] = (ahead[i] - behind[i]) / (2.0 * h);
        }
        static const double none[2] = {0.0, 0.0};
        CondContact contact = {.friction = {mu[0], mu[1]}};
        CondNaturalMap map = {COND_LAW_PROXIMAL, &contact, gamma, 0.0};
        CondLinearLaw linear;
        cond_natural_map_linearise(&map, 1e-9, 1, x, y, none, &linear);
        double w[3], Jw[3], rest[3], along = 0.0, yy = dense_norm(3, y);
        for (int i = 0; i < 3; i++)
            w[i] = random_uniform(&random, -1.0, 1.0);
        for (int i = 0; i < 3; i++)
            along += w[i] * y[i] / (yy * yy);
        for (int i = 0; i < 3; i++)
            w[i] -= along * y[i]; // across the edge
        for (int i = 0; i < 3; i++)
            Jw[i] = J[3 * i] * w[0] + J[3 * i + 1] * w[1] + J[3 * i + 2] * w[2];
        along = 0.0; // what differences leave along the edge would meet the gain there
        for (int i = 0; i < 3; i++)
            along += Jw[i] * y[i] / (yy * yy);
        for (int i = 0; i < 3; i++)
            rest[i] = gamma * (w[i] - Jw[i] + along * y[i]);
        for (int i = 0; i < 3; i++) {
            double Dw = linear.D[3 * i] * rest[0] + linear.D[3 * i + 1] * rest[1] +
                        linear.D[3 * i + 2] * rest[2];
            assert_true(fabs(Dw - (Jw[i] - along * y[i])) < 1e-5);
        }
        assert_true(fabs(along) < 1e-6);
        slips++;
    }
    assert_true(slips > 300);
}

// P'(x) by differences.
static void derivative_of(CondLaw law, const double* mu, const double* x, double J[9])
{
    const double h = 1e-6;
    for (int j = 0; j < 3; j++) {
        double ahead[3], behind[3], to[3] = {x[0], x[1], x[2]};
        to[j] += h;
        cond_law_project(law, mu, to, ahead);
        to[j] -= 2.0 * h;
        cond_law_project(law, mu, to, behind);
        for (int i = 0; i < 3; i++)
            J[3 * i + j] = (ahead[i] - behind[i]) / (2.0 * h);
    }
}

// For any u, lambda = fix - D u fulfils Newton's equation with compliance and resistance,
//     lambda = P'(x) ((1 - (c + sigma)/gamma) lambda - (u - sigma lambda_old)/gamma),
// for both laws and all kinds of contacts; and where friction does not follow, D is symmetric.
static void linearised_law_is_newtons_equation(void** state)
{
    (void)state;
    Random random = random_start(77);
    int kinds[3] = {0};
    for (int k = 0; k < 4000; k++) {
        CondLaw law = k % 2 ? COND_LAW_STRICT : COND_LAW_PROXIMAL;
        double mu[2] = {random_uniform(&random, 0.1, 2.0), random_uniform(&random, 0.1, 2.0)};
        double gamma = 0.7, c = k % 3 ? 0.1 : 0.0, sigma = random_uniform(&random, 0.01, 0.5);
        double x[3], y[3], u[3], old[3], J[9], lambda[3], trial[3];
        static const double none[2] = {0.0, 0.0};
        for (int i = 0; i < 3; i++) {
            x[i] = random_uniform(&random, -1.0, 1.0);
            u[i] = random_uniform(&random, -1.0, 1.0);
            old[i] = random_uniform(&random, -1.0, 1.0);
        }
        cond_law_project(law, mu, x, y);
        double inside = fmax(0.0, x[0]) - hypot(x[1] / mu[0], x[2] / mu[1]);
        if (fabs(x[0]) < 0.02 || (y[0] > 0.0 && fabs(inside) < 0.02) ||
            (y[0] > 0.0 && y[0] < 0.02) ||
            (!(y[0] > 0.0) && law == COND_LAW_PROXIMAL &&
             x[0] + hypot(mu[0] * x[1], mu[1] * x[2]) > -0.02))
            continue; // at a kink
        CondContact contact = {.friction = {mu[0], mu[1]}};
        CondNaturalMap map = {law, &contact, gamma, c};
        CondLinearLaw full;
        cond_natural_map_linearise(&map, sigma, 1, x, old, none, &full);
        CondLinearLaw even;
        cond_natural_map_linearise(&map, sigma, 0, x, old, none, &even);
        derivative_of(law, mu, x, J);
        for (int i = 0; i < 3; i++)
            lambda[i] = full.fix[i] - full.D[3 * i] * u[0] - full.D[3 * i + 1] * u[1] -
                        full.D[3 * i + 2] * u[2];
        for (int i = 0; i < 3; i++)
            trial[i] = (1.0 - (c + sigma) / gamma) * lambda[i] - (u[i] - sigma * old[i]) / gamma;
        for (int i = 0; i < 3; i++) {
            double image = J[3 * i] * trial[0] + J[3 * i + 1] * trial[1] + J[3 * i + 2] * trial[2];
            assert_true(fabs(lambda[i] - image) < 1e-5 * (1.0 + dense_norm(3, trial)));
            for (int j = 0; j < i; j++)
                assert_true(fabs(even.D[3 * i + j] - even.D[3 * j + i]) <= 1e-12 / sigma);
        }
        kinds[cond_linear_law_kind(&full)]++;
    }
    assert_true(kinds[COND_CONTACT_OPEN] > 300 && kinds[COND_CONTACT_STICKS] > 300 &&
                kinds[COND_CONTACT_SLIPS] > 300);
}

// A contact between two points that move as one can never open: no answer, and the report says so.
static void unsolvable_problems_are_missed_honestly(void** state)
{
    (void)state;
    double mass[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, b[3] = {-1.0, 0.5, 0.2};
    double J[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    int coordinate[3] = {0, 1, 2};
    CondBlock block = {COND_BLOCK_DENSE, 0, 3, mass, NULL, NULL, NULL};
    CondContact contact = {.side = {{3, coordinate, J}, {3, coordinate, J}},
                           .frame = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                           .friction = {0.3, 0.3},
                           .phi = {-1.0, 0.0, 0.0},
                           .kv = INFINITY};
    CondProblem problem = {3, 1, 0, 1, &block, NULL, &contact, b};
    for (int law = 0; law < 2; law++)
        for (int fallback = 0; fallback < 2; fallback++) {
            CondSolverSettings settings = cond_solver_settings_default();
            settings.law = (CondLaw)law;
            settings.fallback = fallback;
            settings.max_iterations = 2000;
            double v[3] = {0.0}, lambda[3] = {0.0};
            CondSolveInfo info;
            assert_int_not_equal(verifier_solve(&problem, &settings, v, lambda, &info), COND_OK);
            for (int i = 0; i < 3; i++)
                assert_true(isfinite(v[i]) && isfinite(lambda[i]));
            assert_true(info.certificate.penetration > 0.9);
        }
}

// A bar pressed on the floor by two points that are not at the same height, one of which has a
// little way to go: its turning moves that point sideways by `contradiction`, so that not both can
// stick. The forces along the bar grow against each other until one of them slips. v and lambda are
// the start; the residual of the answer.
static double press_bar(double contradiction, double* v, double* lambda, CondSolveInfo* info)
{
    enum { N = 6 };
    static const int coordinate[N] = {0, 1, 2, 3, 4, 5};
    static const double b[N] = {0.0, 0.0, -10.0, 0.0, 0.0, 0.0};
    double A[N * N] = {0.0}, J[2][3 * N] = {{0.0}};
    for (int i = 0; i < N; i++)
        A[(N + 1) * i] = i < 3 ? 1.0 : 0.1;
    double way = 1e-3, arm[2][3] = {{-0.5, 0.0, 0.0}, {0.5, 0.0, contradiction / way}};
    CondContact contact[2];
    for (int c = 0; c < 2; c++) {
        const double* r = arm[c]; // velocity v + w x r
        const double turn[9] = {0.0, r[2], -r[1], -r[2], 0.0, r[0], r[1], -r[0], 0.0};
        for (int i = 0; i < 3; i++) {
            J[c][N * i + i] = 1.0;
            memcpy(J[c] + N * i + 3, turn + 3 * i, 3 * sizeof *turn);
        }
        contact[c] = (CondContact){.side[0] = {N, coordinate, J[c]},
                                   .frame = {0, 0, 1, 1, 0, 0, 0, 1, 0},
                                   .friction = {0.5, 0.5},
                                   .phi = {c ? way : 0.0, 0.0, 0.0},
                                   .kv = INFINITY};
    }
    CondBlock block = {.kind = COND_BLOCK_DENSE, .n_dof = N, .values = A};
    CondProblem problem = {
        .n_dof = N, .n_block = 1, .n_contact = 2, .block = &block, .contact = contact, .b = b};
    CondSolverSettings settings = passes_only(COND_LAW_STRICT);
    verifier_solve(&problem, &settings, v, lambda, info);
    return cond_certificate_residual(&info->certificate);
}

static void contradicting_contacts_slip(void** state)
{
    (void)state;
    for (double contradiction = 1e-4; contradiction > 1e-8; contradiction *= 0.1) {
        double v[6] = {0.0}, lambda[6] = {5.0, 0.0, 0.0, 5.0, 0.0, 0.0};
        CondSolveInfo info;
        double residual = press_bar(contradiction, v, lambda, &info);
        if (!(residual <= 1e-10) || info.passes > 20)
            fail_msg("%g: residual %g after %d Newton steps", contradiction, residual, info.passes);
        assert_true(fabs(fabs(lambda[1]) - 0.5 * lambda[0]) < 1e-6 * lambda[0] ||
                    fabs(fabs(lambda[4]) - 0.5 * lambda[3]) < 1e-6 * lambda[3]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strict_answers_are_those_of_the_reference),
        cmocka_unit_test(proximal_answers_are_those_of_the_reference),
        cmocka_unit_test(stiff_springs),
        cmocka_unit_test(contradicting_contacts_slip),
        cmocka_unit_test(linearised_law_is_newtons_equation),
        cmocka_unit_test(proximal_slip_is_the_derivative),
        cmocka_unit_test(used_for_every_law_but_not_every_stop),
        cmocka_unit_test(unsolvable_problems_are_missed_honestly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
