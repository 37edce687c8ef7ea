// The one-contact law: projections, the one-shot solve, and the error that recognises an answer.
#include "cone.h"
#include "dense.h"
#include "random_problem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { TRIALS = 3000 };
static const CondLaw laws[] = {COND_LAW_STRICT, COND_LAW_PROXIMAL};

// Friction of every sort: circular, elliptic, very flat, none along one axis, none at all.
static void random_friction(Random* random, int kind, double mu[2])
{
    mu[0] = mu[1] = random_uniform(random, 0.05, 1.5);
    if (kind % 6 == 1 || kind % 6 == 2)
        mu[1] = random_uniform(random, 0.05, 1.5);
    if (kind % 6 == 3)
        mu[kind % 2] = pow(10.0, random_uniform(random, -3.0, 2.0));
    if (kind % 6 == 4)
        mu[kind / 6 % 2] = 0.0;
    if (kind % 6 == 5 && kind % 12 == 5)
        mu[0] = mu[1] = 0.0;
}

static void random_vector(Random* random, double x[3])
{
    double size = pow(10.0, random_uniform(random, -3.0, 3.0));
    for (int i = 0; i < 3; i++)
        x[i] = size * random_uniform(random, -1.0, 1.0);
    if (random_int(random, 8) == 0)
        x[1 + random_int(random, 2)] = 0.0;
    if (random_int(random, 16) == 0)
        x[1] = x[2] = 0.0;
}

// The proximal projection is the nearest point of the cone.
static void proximal_projection_is_the_nearest_point(void** state)
{
    (void)state;
    Random random = random_start(1);
    for (int trial = 0; trial < TRIALS; trial++) {
        double mu[2], x[3], y[3], expected[3];
        random_friction(&random, trial, mu);
        random_vector(&random, x);
        cone_nearest(mu, x, expected);
        cond_law_project(COND_LAW_PROXIMAL, mu, x, y);
        if (!(dense_distance(3, y, expected) <= 1e-11 * dense_norm(3, x)))
            fail_msg("trial %d: mu %g %g, x %g %g %g: %g %g %g, not %g %g %g", trial, mu[0], mu[1],
                     x[0], x[1], x[2], y[0], y[1], y[2], expected[0], expected[1], expected[2]);
        cond_law_project(COND_LAW_PROXIMAL, mu, x, x); // in place
        assert_memory_equal(x, y, sizeof y);
    }
}

// The strict projection keeps the normal part and goes to the nearest point of the ellipse.
static void strict_projection_is_the_nearest_point_of_the_section(void** state)
{
    (void)state;
    Random random = random_start(2);
    for (int trial = 0; trial < TRIALS; trial++) {
        double mu[2], x[3], y[3], t[2];
        random_friction(&random, trial, mu);
        random_vector(&random, x);
        double n = fmax(x[0], 0.0), e[2] = {mu[0] * n, mu[1] * n};
        cone_ellipse_nearest(e, x + 1, t);
        cond_law_project(COND_LAW_STRICT, mu, x, y);
        assert_true(y[0] == n);
        assert_true(hypot(y[1] - t[0], y[2] - t[1]) <= 1e-11 * dense_norm(3, x));
        cond_law_project(COND_LAW_STRICT, mu, x, x);
        assert_memory_equal(x, y, sizeof y);
    }
}

// Points of the cone stay, points of the polar cone go to the tip, and nothing moves twice.
static void projections_are_idempotent(void** state)
{
    (void)state;
    Random random = random_start(3);
    for (int trial = 0; trial < TRIALS; trial++) {
        double mu[2], x[3], y[3], z[3];
        random_friction(&random, trial, mu);
        random_vector(&random, x);
        for (int l = 0; l < 2; l++) {
            cond_law_project(laws[l], mu, x, y);
            assert_true(y[0] >= 0.0);
            cond_law_project(laws[l], mu, y, z);
            assert_true(dense_distance(3, y, z) <= 1e-14 * dense_norm(3, y));
        }
    }
    double mu[2] = {0.5, 0.5}, polar[3] = {-1.0, 1.0, 1.0}, inside[3] = {1.0, 0.3, -0.3}, y[3];
    cond_law_project(COND_LAW_PROXIMAL, mu, polar, y);
    assert_true(dense_norm(3, y) == 0.0);
    for (int l = 0; l < 2; l++) {
        cond_law_project(laws[l], mu, inside, y);
        assert_memory_equal(y, inside, sizeof y);
    }
}

// Without friction the cone is a half line; a trial straight away from it must not pull.
static void no_friction_no_pull(void** state)
{
    (void)state;
    double mu[2] = {0.0, 0.0}, open[3] = {-2.0, 0.0, 0.0}, closed[3] = {2.0, 1.0, -1.0}, y[3];
    double u[3] = {2.0, 0.0, 0.0}, zero[3] = {0.0, 0.0, 0.0};
    for (int l = 0; l < 2; l++) {
        cond_law_project(laws[l], mu, open, y);
        assert_true(dense_norm(3, y) == 0.0);
        cond_law_project(laws[l], mu, closed, y);
        assert_true(y[0] == 2.0 && y[1] == 0.0 && y[2] == 0.0);
        // A contact that opens straight and carries nothing obeys every law.
        assert_true(cond_law_error(laws[l], mu, 1.0, u, zero).natural == 0.0);
    }
}

static double worst_part(const CondLawError* e, double gamma)
{
    double worst = fmax(e->natural, e->penetration);
    return fmax(worst, fmax(gamma * fmax(e->pull, e->cone), fabs(e->angle)));
}

// Every map has its inverse check: (u, lambda) of the one-shot solve obeys the law, and a pair
// that was pushed off does not.
static void solve_and_error_agree(void** state)
{
    (void)state;
    Random random = random_start(4);
    for (int trial = 0; trial < TRIALS; trial++) {
        double mu[2], eta[3], lambda[3], u[3];
        random_friction(&random, trial, mu);
        random_vector(&random, eta);
        double gamma = pow(10.0, random_uniform(&random, -2.0, 2.0));
        double omega = trial % 3 ? 0.0 : gamma * random_uniform(&random, 0.01, 1.0);
        double size = dense_norm(3, eta) * (1.0 + fmax(mu[0], mu[1]));
        for (int l = 0; l < 2; l++) {
            cond_law_solve(laws[l], mu, omega, gamma, eta, lambda);
            for (int i = 0; i < 3; i++)
                u[i] = eta[i] + (gamma + omega) * lambda[i];
            CondLawError e = cond_law_error(laws[l], mu, gamma, u, lambda);
            assert_true(e.natural <= 1e-12 * size);
            assert_true(worst_part(&e, gamma) <= 1e-6 + 1e-9 * size);
            assert_true(e.penetration <= 1e-11 * size);
            assert_true(e.pull == 0.0);
            assert_true(gamma * e.cone <= 1e-12 * size);
            assert_true(gamma * e.complementarity <= 1e-11 * size * size);

            double push = 1e-3 * dense_norm(3, eta); // straight through the ground
            double off[3] = {u[0] - push - fmax(u[0], 0.0), u[1], u[2]};
            CondLawError bad = cond_law_error(laws[l], mu, gamma, off, lambda);
            assert_true(bad.natural > 1e-6 * push);
            assert_true(bad.penetration >= 0.99 * push);
        }
    }
}

// All numbers of cond_law_error, on pairs that obey nothing at all.
static void error_is_what_its_definition_says(void** state)
{
    (void)state;
    Random random = random_start(5);
    for (int trial = 0; trial < TRIALS; trial++) {
        double mu[2], u[3], lambda[3];
        random_friction(&random, trial, mu);
        random_vector(&random, u);
        random_vector(&random, lambda);
        double gamma = pow(10.0, random_uniform(&random, -2.0, 2.0));
        double size =
            (1.0 + fmax(mu[0], mu[1])) * (dense_norm(3, u) + gamma * dense_norm(3, lambda));
        for (int l = 0; l < 2; l++) {
            CondLawError e = cond_law_error(laws[l], mu, gamma, u, lambda);
            ConeError mine = cone_law_error(laws[l], mu, gamma, u, lambda);
            assert_true(fabs(e.natural - mine.natural) <= 1e-10 * size);
            assert_true(fabs(e.penetration - mine.penetration) <= 1e-12 * size);
            assert_true(e.pull == mine.pull);
            assert_true(gamma * fabs(e.cone - mine.cone) <= 1e-11 * size);
            assert_true(gamma * fabs(e.complementarity - mine.complementarity) <=
                        1e-12 * size * size);
            double angle = mine.slip > mine.slip_floor ? mine.angle : 0.0;
            assert_true(fabs(e.angle - angle) <= 1e-9);
        }
    }
}

// One pair per kind of offence; each shows in its own number.
static void every_offence_has_its_number(void** state)
{
    (void)state;
    double mu[2] = {0.5, 0.5};
    double stick_u[3] = {0.0, 0.0, 0.0}, slip_u[3] = {0.0, 1.0, 0.0}, deep[3] = {-0.25, 0.0, 0.0};
    double stick[3] = {2.0, 0.5, 0.5}, slip[3] = {2.0, -1.0, 0.0}, pull[3] = {-1.0, 0.0, 0.0};
    double wide[3] = {2.0, -3.0, 0.0}, askew[3] = {2.0, 0.0, -1.0}, along[3] = {0.5, 0.0, 0.0};

    CondLawError e = cond_law_error(COND_LAW_STRICT, mu, 1.0, stick_u, stick);
    assert_true(e.natural == 0.0 && e.complementarity == 0.0 && e.angle == 0.0);
    e = cond_law_error(COND_LAW_STRICT, mu, 1.0, slip_u, slip);
    assert_true(e.natural < 1e-15 && e.angle < 1e-15 && e.cone == 0.0);
    e = cond_law_error(COND_LAW_STRICT, mu, 1.0, deep, stick);
    assert_true(e.penetration == 0.25 && e.natural > 0.1);
    e = cond_law_error(COND_LAW_STRICT, mu, 1.0, stick_u, pull);
    assert_true(e.pull == 1.0 && e.natural >= 1.0);
    e = cond_law_error(COND_LAW_STRICT, mu, 1.0, slip_u, wide);
    assert_true(fabs(e.cone - 2.0) < 1e-15);
    double fast[3] = {0.0, 100.0, 0.0};
    e = cond_law_error(COND_LAW_STRICT, mu, 0.001, fast, askew);
    assert_true(e.natural > 0.0 && fabs(e.angle - asin(1.0)) < 1e-12); // a right angle
    e = cond_law_error(COND_LAW_STRICT, mu, 1.0, slip_u, askew);
    assert_true(e.natural > 0.1 && e.angle == 0.0); // slip below ten natural errors: not judged
    e = cond_law_error(COND_LAW_STRICT, mu, 1.0, along, stick);
    assert_true(e.complementarity == 1.0);
    // The proximal law asks u_n = mu |u_t| of a sliding contact: sliding along the ground offends.
    e = cond_law_error(COND_LAW_PROXIMAL, mu, 1.0, slip_u, slip);
    assert_true(e.penetration == 0.5 && e.natural > 0.1);
    double glide[3] = {0.5, 1.0, 0.0};
    e = cond_law_error(COND_LAW_PROXIMAL, mu, 1.0, glide, slip);
    assert_true(e.natural < 1e-15 && e.penetration == 0.0);
    e = cond_law_error(COND_LAW_STRICT, mu, 1.0, glide, slip);
    assert_true(e.complementarity == 1.0);
}

// Forces and velocities a billion times larger or smaller, and friction without bound.
static void extreme_numbers(void** state)
{
    (void)state;
    double sizes[] = {1e-290, 1e-150, 1.0, 1e150, 1e290}, y[3];
    for (int k = 0; k < 5; k++)
        for (int l = 0; l < 2; l++) {
            double s = sizes[k], mu[2] = {0.3, 0.7}, x[3] = {s, 2.0 * s, -1.5 * s};
            double unit[3] = {1.0, 2.0, -1.5}, expected[3] = {1.0};
            if (laws[l] == COND_LAW_PROXIMAL)
                cone_nearest(mu, unit, expected);
            else
                cone_ellipse_nearest(mu, unit + 1, expected + 1);
            cond_law_project(laws[l], mu, x, y);
            for (int i = 0; i < 3; i++)
                assert_true(fabs(y[i] / s - expected[i]) <= 1e-14);
        }
    double mu[2] = {1e9, 1e9}, eta[3] = {-1.0, 3.0, -4.0}, lambda[3];
    for (int l = 0; l < 2; l++) {
        cond_law_solve(laws[l], mu, 0.0, 2.0, eta, lambda); // sticks
        assert_true(lambda[0] == 0.5 && lambda[1] == -1.5 && lambda[2] == 2.0);
    }
}

static void names(void** state)
{
    (void)state;
    assert_string_equal(cond_law_name(COND_LAW_STRICT), "strict");
    assert_string_equal(cond_law_name(COND_LAW_PROXIMAL), "proximal");
    assert_null(cond_law_name((CondLaw)2));
    assert_null(cond_law_name((CondLaw)-1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(proximal_projection_is_the_nearest_point),
        cmocka_unit_test(strict_projection_is_the_nearest_point_of_the_section),
        cmocka_unit_test(projections_are_idempotent),
        cmocka_unit_test(no_friction_no_pull),
        cmocka_unit_test(solve_and_error_agree),
        cmocka_unit_test(error_is_what_its_definition_says),
        cmocka_unit_test(every_offence_has_its_number),
        cmocka_unit_test(extreme_numbers),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
