// The algebra of four cones side by side, against what defines it: products and quotients, the
// scaling that takes y and z to the same point, the gain as an inverse, the longest step.
#include "newton/interior_cone.h"
#include "random_problem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { TRIALS = 2000 };

// A point inside each cone, up to `near` of the way to its boundary.
static void inside(Random* random, double near, CondLanes x[3])
{
    for (int k = 0; k < COND_LANES; k++) {
        double angle = random_uniform(random, 0.0, 6.283185307179586);
        double first = pow(10.0, random_uniform(random, -3.0, 3.0));
        double share = near * random_uniform(random, 0.0, 1.0);
        x[0][k] = first;
        x[1][k] = first * share * cos(angle);
        x[2][k] = first * share * sin(angle);
    }
}

static void anywhere(Random* random, double size, CondLanes x[3])
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < COND_LANES; k++)
            x[i][k] = size * random_uniform(random, -1.0, 1.0);
}

static void expect(const CondLanes a[3], const CondLanes b[3], double share)
{
    for (int k = 0; k < COND_LANES; k++) {
        double size = 0.0;
        for (int i = 0; i < 3; i++)
            size = fmax(size, fabs(b[i][k]));
        for (int i = 0; i < 3; i++)
            assert_true(fabs(a[i][k] - b[i][k]) <= share * size);
    }
}

static void quotients_are_those_of_products(void** state)
{
    (void)state;
    Random random = random_start(1);
    for (int trial = 0; trial < TRIALS; trial++) {
        CondLanes a[3], b[3], x[3], back[3];
        inside(&random, 0.9, a);
        anywhere(&random, 1.0, b);
        cond_cone_divide(a, b, x);
        cond_cone_multiply(a, x, back);
        expect(back, b, 1e-12);
    }
}

static void scaling_takes_both_to_one_point(void** state)
{
    (void)state;
    Random random = random_start(2);
    for (int trial = 0; trial < TRIALS; trial++) {
        CondLanes y[3], z[3], x[3], from_y[3], from_z[3], back[3];
        CondConeScaling W;
        inside(&random, 0.999, y);
        inside(&random, 0.999, z);
        anywhere(&random, 1.0, x);
        cond_cone_scaling(y, z, &W);
        cond_cone_scale(&W, z, from_z);
        cond_cone_unscale(&W, y, from_y);
        expect(from_y, from_z, 1e-9);
        cond_cone_scale(&W, x, from_z);
        cond_cone_unscale(&W, from_z, back);
        expect(back, x, 1e-9);
        cond_cone_unscale(&W, x, from_y);
        cond_cone_unscale(&W, from_y, from_z);
        cond_cone_unscale_twice(&W, x, back);
        expect(back, from_z, 1e-9);
    }
}

// (W^2 + slip E T^2) M x = x
static void gain_is_an_inverse(void** state)
{
    (void)state;
    Random random = random_start(3);
    for (int trial = 0; trial < TRIALS; trial++) {
        CondLanes y[3], z[3], x[3], mu[2], e[2], slip, M[9], h[3], once[3], back[3];
        CondConeScaling W;
        inside(&random, 0.99, y);
        inside(&random, 0.99, z);
        anywhere(&random, 1.0, x);
        for (int k = 0; k < COND_LANES; k++) {
            double angle = random_uniform(&random, 0.0, 6.283185307179586);
            slip[k] = k == 0 ? 0.0 : pow(10.0, random_uniform(&random, -3.0, 1.0));
            mu[0][k] = random_uniform(&random, 0.0, 2.0);
            mu[1][k] = random_uniform(&random, 0.0, 2.0);
            e[0][k] = 0.9 * cos(angle);
            e[1][k] = 0.9 * sin(angle);
        }
        cond_cone_scaling(y, z, &W);
        cond_cone_gain(&W, &slip, mu, e, M);
        cond_cone_transform(M, x, h);
        cond_cone_scale(&W, h, once);
        cond_cone_scale(&W, once, back);
        CondLanes soft[3] = {h[0], mu[0] * mu[0] * h[1], mu[1] * mu[1] * h[2]};
        soft[0] = soft[0] + e[0] * soft[1] + e[1] * soft[2];
        for (int i = 0; i < 3; i++)
            back[i] = back[i] + slip * soft[i];
        expect(back, x, 1e-7);
    }
}

// At the step a cone is left, or the step is 1 and it is not.
static void the_longest_step_ends_on_the_boundary(void** state)
{
    (void)state;
    Random random = random_start(4);
    int ended = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        CondLanes x[3], d[3], step = {1.0, 1.0, 1.0, 1.0};
        inside(&random, 0.99, x);
        anywhere(&random, 10.0, d);
        cond_cone_shorten(x, d, &step);
        for (int k = 0; k < COND_LANES; k++) {
            double a = step[k], first = x[0][k] + a * d[0][k];
            double rest = hypot(x[1][k] + a * d[1][k], x[2][k] + a * d[2][k]);
            double size = x[0][k] + fabs(d[0][k]) + hypot(d[1][k], d[2][k]);
            assert_true(a > 0.0 && a <= 1.0);
            assert_true(first - rest >= -1e-12 * size);
            if (a < 1.0)
                assert_true(fabs(first - rest) <= 1e-9 * size);
            ended += a < 1.0;
        }
    }
    assert_true(ended > TRIALS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quotients_are_those_of_products),
        cmocka_unit_test(scaling_takes_both_to_one_point),
        cmocka_unit_test(gain_is_an_inverse),
        cmocka_unit_test(the_longest_step_ends_on_the_boundary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
