// The statements of the paper about contacts and their law, each as a test. Prop. 1 and 3 are in
// test_nodal.c, Thm. 1 and 2 in test_contraction.c.
#include "dense.h"
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

static const double FULL_TURN = 6.28318530717958647692;

// An answer, its size and the problem it belongs to.
typedef struct Answer {
    double* v;
    double* lambda;
    CondSolveInfo info;
} Answer;

static Answer solve(const CondProblem* problem, const CondSolverSettings* settings)
{
    Answer answer = {
        dense_zeros((size_t)problem->n_dof), dense_zeros(3 * (size_t)problem->n_contact), {0}};
    CondStatus status = verifier_solve(problem, settings, answer.v, answer.lambda, &answer.info);
    assert_int_equal(status, COND_OK);
    return answer;
}

static void answer_free(Answer* answer)
{
    free(answer->v);
    free(answer->lambda);
}

static double relative(int n, const double* x, const double* y)
{
    return dense_distance(n, x, y) / dense_norm(n, y);
}

// Prop. 2: virtual nodes slip by O(1/kv), and the carried multiplier takes even that away.
static void prop2_virtual_nodes_become_exact_as_kv_grows(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        RandomOptions options = random_options_default(seed);
        options.n_contact = 5;
        options.finite_kv = 0.0;
        RandomProblem exact, soft;
        random_problem_make(&options, &exact);
        options.finite_kv = 1.0;
        int n = exact.problem.n_dof, m = 3 * exact.problem.n_contact;
        double *v = dense_zeros((size_t)n), *u = dense_zeros((size_t)m);
        double *lambda = dense_zeros((size_t)m), *v_soft = dense_zeros((size_t)n);
        assert_true(reference_solve(&exact.problem, COND_LAW_STRICT, 0.0, v, u, lambda) < 1e-13);
        CondSolverSettings settings = cond_solver_settings_default();
        settings.tolerance = 1e-11;
        settings.fallback = 0;
        double error[4];
        for (int k = 0; k < 4; k++) {
            options.kv_strength = 10.0 * pow(10.0, k);
            random_problem_make(&options, &soft);
            assert_true(reference_solve(&soft.problem, COND_LAW_STRICT, 0.0, v_soft, u, lambda) <
                        1e-13);
            error[k] = relative(n, v_soft, v);
            if (k < 2) { // a stiff tie costs V-FPI many iterations, see the multiplier below
                Answer answer = solve(&soft.problem, &settings);
                assert_true(relative(n, answer.v, v_soft) < 1e-8);
                answer_free(&answer);
            }
            random_problem_free(&soft);
        }
        for (int k = 1; k < 4; k++) // an order of magnitude in kv is one in the error
            assert_true(error[k] > 0.05 * error[k - 1] && error[k] < 0.2 * error[k - 1]);
        for (double scale = 0.3; scale < 100.0; scale *= 6.0) {
            settings.kv_scale = scale;
            settings.max_outer = 5000;
            Answer answer = solve(&exact.problem, &settings);
            assert_true(relative(n, answer.v, v) < 1e-8);
            assert_true(answer.info.certificate.coupling_slip == 0.0);
            answer_free(&answer);
        }
        free(v);
        free(u);
        free(lambda);
        free(v_soft);
        random_problem_free(&exact);
    }
}

// A one-contact problem: gamma, eta, friction.
typedef struct OneContact {
    double mu[2], gamma, eta[3];
} OneContact;

static OneContact random_contact(Random* random, int anisotropic)
{
    OneContact one = {.gamma = random_uniform(random, 0.2, 3.0)};
    one.mu[0] = one.mu[1] = random_uniform(random, 0.1, 1.2);
    if (anisotropic)
        one.mu[1] = random_uniform(random, 0.1, 1.2);
    for (int i = 0; i < 3; i++)
        one.eta[i] = random_uniform(random, -1.0, i == 0 ? 0.3 : 1.0);
    return one;
}

// u = eta + gamma lambda
static void velocity(const OneContact* one, const double* lambda, double* u)
{
    for (int i = 0; i < 3; i++)
        u[i] = one->eta[i] + one->gamma * lambda[i];
}

// How far (u, lambda) is from eq. (11), every condition on its own, without the natural map.
static double scc_violation(const OneContact* one, const double* lambda)
{
    double u[3], mu = one->mu[0];
    velocity(one, lambda, u);
    double worst = fmax(fmax(-u[0], -lambda[0]), fabs(u[0] * lambda[0]));
    double slip = hypot(u[1], u[2]), friction = hypot(lambda[1], lambda[2]);
    worst = fmax(worst, friction - mu * lambda[0]);
    worst = fmax(worst, slip * (mu * lambda[0] - friction)); // inside the cone: no slip
    // opposite to the slip: u_t |lt| + lt |ut| = 0
    return fmax(worst,
                hypot(u[1] * friction + lambda[1] * slip, u[2] * friction + lambda[2] * slip));
}

// Prop. 4: the strict one-shot solve obeys SCC, and no other force does.
static void prop4_strict_is_the_unique_solution(void** state)
{
    (void)state;
    Random random = random_start(4);
    enum { GRID = 24 };
    for (int trial = 0; trial < 60; trial++) {
        OneContact one = random_contact(&random, 0);
        double lambda[3], size = dense_norm(3, one.eta) / one.gamma;
        cond_law_solve(COND_LAW_STRICT, one.mu, 0.0, one.gamma, one.eta, lambda);
        assert_true(scc_violation(&one, lambda) < 1e-14);
        double shift = random_uniform(&random, 0.0, 1.0); // the grid never hits the answer itself
        for (int k = 0; k < GRID * GRID * GRID; k++) {
            double at[3] = {size * (k % GRID + shift) / GRID * 1.5 - 0.1 * size,
                            size * (k / GRID % GRID + shift) / GRID * 3.0 - 1.5 * size,
                            size * (k / GRID / GRID + shift) / GRID * 3.0 - 1.5 * size};
            double distance = dense_distance(3, at, lambda);
            if (distance > 0.1 * size)
                assert_true(scc_violation(&one, at) > 1e-4 * size);
        }
    }
}

// Prop. 5: the proximal one-shot solve obeys the relaxed conditions, eq. (28), with
// delta = |u_t|, and minimises the convex problem (19).
static void prop5_proximal_obeys_the_relaxed_conditions(void** state)
{
    (void)state;
    Random random = random_start(5);
    for (int trial = 0; trial < 2000; trial++) {
        OneContact one = random_contact(&random, 0);
        double lambda[3], u[3], mu = one.mu[0];
        cond_law_solve(COND_LAW_PROXIMAL, one.mu, 0.0, one.gamma, one.eta, lambda);
        velocity(&one, lambda, u);
        double delta = lambda[0] > 0.0 ? hypot(u[1], u[2]) : fmin(hypot(u[1], u[2]), u[0] / mu);
        double room = mu * lambda[0] - hypot(lambda[1], lambda[2]);
        assert_true(lambda[0] >= 0.0 && u[0] - mu * delta >= -1e-14);
        assert_true(fabs(lambda[0] * (u[0] - mu * delta)) < 1e-14);
        assert_true(delta >= 0.0 && room >= -1e-15 && fabs(delta * room) < 1e-14);
        for (int i = 1; i < 3; i++)
            assert_true(fabs(delta * lambda[i] + mu * lambda[0] * u[i]) < 1e-14);
        double cost = 0.0;
        for (int i = 0; i < 3; i++)
            cost += 0.5 * one.gamma * lambda[i] * lambda[i] + lambda[i] * one.eta[i];
        for (int other = 0; other < 50; other++) { // any force of the cone costs more
            double n = random_uniform(&random, 0.0, 2.0), r = random_uniform(&random, 0.0, mu * n);
            double a = random_uniform(&random, 0.0, FULL_TURN), value = 0.0;
            double x[3] = {n, r * cos(a), r * sin(a)};
            for (int i = 0; i < 3; i++)
                value += 0.5 * one.gamma * x[i] * x[i] + x[i] * one.eta[i];
            assert_true(value >= cost - 1e-14);
        }
    }
}

// Prop. 6: with an elliptic cone the strict solve dissipates most among all friction forces that
// the normal force allows - before the contact acts (the cost of the proof) and at its velocity.
static void prop6_strict_is_the_maximal_dissipation_solution(void** state)
{
    (void)state;
    Random random = random_start(6);
    int slipping = 0;
    for (int trial = 0; trial < 400; trial++) {
        OneContact one = random_contact(&random, 1);
        double lambda[3], u[3];
        cond_law_solve(COND_LAW_STRICT, one.mu, 0.0, one.gamma, one.eta, lambda);
        velocity(&one, lambda, u);
        assert_true(lambda[0] >= 0.0 && u[0] >= -1e-15 && fabs(lambda[0] * u[0]) < 1e-15);
        double cost = 0.0, power = -(lambda[1] * u[1] + lambda[2] * u[2]);
        for (int i = 1; i < 3; i++)
            cost += 0.5 * one.gamma * lambda[i] * lambda[i] + lambda[i] * one.eta[i];
        for (int k = 0; k < 720; k++) {
            double a = k * FULL_TURN / 360.0, rim = k < 360 ? 1.0 : random_uniform(&random, 0, 1);
            double x = rim * one.mu[0] * lambda[0] * cos(a),
                   y = rim * one.mu[1] * lambda[0] * sin(a);
            double value = 0.5 * one.gamma * (x * x + y * y) + x * one.eta[1] + y * one.eta[2];
            assert_true(value >= cost - 1e-14);
            assert_true(-(x * u[1] + y * u[2]) <= power + 1e-13);
        }
        slipping += lambda[0] > 0.0 && hypot(u[1], u[2]) > 1e-6;
    }
    assert_true(slipping > 100);
}

// Lemma 2: the strict operator is Lipschitz; its constant lies between sqrt(1 + mu^2) (sliding,
// pressed harder) and sqrt(2 + mu^2), and so grows with the friction.
static void lemma2_strict_operator_is_lipschitz(void** state)
{
    (void)state;
    Random random = random_start(7);
    double before = 0.0;
    for (double value = 0.25; value < 5.0; value *= 2.0) {
        double mu[2] = {value, value}, constant = 0.0;
        for (int trial = 0; trial < 40000; trial++) {
            double x[3], y[3], a[3], b[3], step = pow(10.0, random_uniform(&random, -5.0, 0.0));
            for (int i = 0; i < 3; i++) {
                x[i] = random_uniform(&random, i == 0 ? -0.2 : -2.0 * value, i ? 2.0 * value : 1.0);
                y[i] = x[i] + step * random_uniform(&random, -1.0, 1.0) * (i == 0 || trial % 2);
            }
            cond_law_project(COND_LAW_STRICT, mu, x, a);
            cond_law_project(COND_LAW_STRICT, mu, y, b);
            constant = fmax(constant, dense_distance(3, a, b) / dense_distance(3, x, y));
        }
        assert_true(constant >= sqrt(1.0 + value * value) * (1.0 - 1e-9));
        assert_true(constant <= sqrt(2.0 + value * value) * (1.0 + 1e-9));
        assert_true(constant > before);
        before = constant;
    }
}

// (xi1 - xi2).(lambda1 - lambda2) with xi = trial - lambda.
static double monotony(CondLaw law, const double* mu, const double* x, const double* y)
{
    double a[3], b[3], sum = 0.0;
    cond_law_project(law, mu, x, a);
    cond_law_project(law, mu, y, b);
    for (int i = 0; i < 3; i++)
        sum += ((x[i] - a[i]) - (y[i] - b[i])) * (a[i] - b[i]);
    return sum;
}

// Lemma 3: the proximal operator is monotone, circular and elliptic; the strict one is not.
static void lemma3_proximal_operator_is_monotone(void** state)
{
    (void)state;
    Random random = random_start(8);
    for (int trial = 0; trial < 20000; trial++) {
        OneContact one = random_contact(&random, trial % 2);
        double x[3], y[3];
        for (int i = 0; i < 3; i++) {
            x[i] = random_uniform(&random, -2.0, 2.0);
            y[i] = random_uniform(&random, -2.0, 2.0);
        }
        assert_true(monotony(COND_LAW_PROXIMAL, one.mu, x, y) >= -1e-13);
    }
    double mu[2] = {1.0, 1.0}, x[3] = {1.0, 3.0, 0.0}, y[3] = {2.0, 2.1, 0.0}; // Fig. 3
    assert_true(fabs(monotony(COND_LAW_STRICT, mu, x, y) + 1.9) < 1e-14);
}

// The invertible law, eq. (37): lambda = SOL(Jc v, Omega), from the motion alone.
static void invertible_law_recovers_forces_from_motion(void** state)
{
    (void)state;
    for (int law = 0; law < 2; law++)
        for (uint64_t seed = 1; seed <= 4; seed++) {
            RandomOptions options = random_options_default(seed);
            options.finite_kv = 0.0;
            RandomProblem made;
            random_problem_make(&options, &made);
            CondSolverSettings settings = cond_solver_settings_default();
            settings.law = (CondLaw)law;
            settings.omega = 0.2;
            settings.fallback = 0;
            settings.tolerance = 1e-11;
            Answer answer = solve(&made.problem, &settings);
            double size = dense_largest(3 * made.problem.n_contact, answer.lambda);
            assert_true(size > 0.1);
            for (int c = 0; c < made.problem.n_contact; c++) {
                const CondContact* contact = &made.problem.contact[c];
                double u[3], lambda[3];
                cond_contact_velocity(contact, answer.v, u);
                cond_law_solve((CondLaw)law, contact->friction, 0.0, settings.omega, u, lambda);
                assert_true(dense_distance(3, lambda, answer.lambda + 3 * c) < 1e-8 * size);
            }
            answer_free(&answer);
            random_problem_free(&made);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prop2_virtual_nodes_become_exact_as_kv_grows),
        cmocka_unit_test(prop4_strict_is_the_unique_solution),
        cmocka_unit_test(prop5_proximal_obeys_the_relaxed_conditions),
        cmocka_unit_test(prop6_strict_is_the_maximal_dissipation_solution),
        cmocka_unit_test(lemma2_strict_operator_is_lipschitz),
        cmocka_unit_test(lemma3_proximal_operator_is_monotone),
        cmocka_unit_test(invertible_law_recovers_forces_from_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
