// Cusick's drape coefficient of fabrics of the library: a disc of 300 mm hangs over a support of
// 180 mm; the share of the ring between them that its shadow covers, in percent.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kinds_make.h"

#include "sim/sim.h"

#include <math.h>
#include <stdio.h>

static const double PI = 3.14159265358979323846;

// Area within the rim of the disc, seen from above: its nodes are the last ones.
static double shadow(const Trial* trial, int rings)
{
    const CondBody* body = &trial->model->body[0];
    int n = 6 * rings, first = body->n_dof / 3 - n;
    const double* x = trial->state->q + body->q_begin + 3 * first;
    double twice = 0.0;
    for (int i = 0; i < n; i++) {
        const double *a = x + 3 * i, *b = x + 3 * ((i + 1) % n);
        twice += a[0] * b[1] - a[1] * b[0];
    }
    // A polygon of so many edges fills that share of a circle.
    return 0.5 * twice / (sin(2.0 * PI / n) / (2.0 * PI / n));
}

static double fastest(const Trial* trial)
{
    double most = 0.0;
    for (int i = 0; i < trial->model->n_dof; i++)
        most = fmax(most, fabs(trial->state->v[i]));
    return most;
}

static double drape(const char* fabric, double thickness, int rings)
{
    char text[1024];
    CondScene* scene = NULL;
    CondError error = {COND_OK, ""};
    snprintf(text, sizeof text,
             "library: materials.yaml\n"
             "step: {time_step: 0.02, theta: 1}\n"
             "solver: {tolerance: 1.0e-6, threads: 1}\n"
             "obstacles:\n"
             "  - {name: support, shape: {cylinder: [0.09, 0.1]}, friction: 0.5}\n"
             "bodies:\n"
             "  - {name: disc, kind: shell, mesh: \"disc:0.15:%d\", thickness: %g,\n"
             "     material: %s, position: [0, 0, %g]}\n",
             rings, thickness, fabric, 0.05 + 0.5 * thickness + 1e-4);
    if (cond_scene_read_text(NULL, text, COND_SCENES, 0, NULL, &scene, &error))
        print_error("%s\n", error.message);
    Trial trial = trial_begin(scene);
    int steps = 0;
    for (; steps < 10 || (steps < 150 && fastest(&trial) > 2e-3); steps++)
        trial_step(&trial, 1);
    double ring = PI * (0.15 * 0.15 - 0.09 * 0.09);
    double out = 100.0 * (shadow(&trial, rings) - PI * 0.09 * 0.09) / ring;
    print_message("%s: %.1f after %d steps\n", fabric, out, steps);
    trial_end(&trial);
    return out;
}

static void test_drape(void** state)
{
    (void)state;
    // Published ranges of Cusick's coefficient.
    static const struct {
        const char* name;
        double thickness, low, high;
        int rings;
    } fabric[] = {{"cotton", 0.0004, 60.0, 76.0, 10},
                  {"wool", 0.0006, 40.0, 70.0, 10},
                  {"denim", 0.0009, 70.0, 90.0, 10},
                  {"leather", 0.0011, 47.0, 70.0, 10}};
    for (size_t i = 0; i < sizeof fabric / sizeof fabric[0]; i++) {
        double share = drape(fabric[i].name, fabric[i].thickness, fabric[i].rings);
        assert_true(share > fabric[i].low && share < fabric[i].high);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
