// Bodies at rest without a load. All forces are zero, and of stiff bodies the rounding of their
// places is left of them: no step may be spent on that.
#include "scene_make.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

// A helix held at its begin, at `far` from the origin.
static const char ROD[] =
    "materials: [{name: m, youngs_modulus: %g, poisson_ratio: 0.3, density: 1000}]\n"
    "bodies:\n"
    "  - {name: c, kind: rod, material: m, self_contact: false, position: [%g, 0, 0],\n"
    "     rod: {shape: helix, bend_radius: 0.03, pitch: 0.015, length: 0.945, links: %d,\n"
    "           circle: 0.002}}\n"
    "attachments:\n"
    "  - {name: a, from: {body: c, at: 0}, to: {point: [%g, 0, 0]}, stiffness: .inf}\n";
static const char SETTINGS[] = "gravity: [0, 0, %g]\nstep: {time_step: %g, integrator: %s}\n"
                               "solver: {threads: 1}\n";

typedef struct Rest {
    double modulus, gravity, time_step, far;
    const char* integrator;
    int links;
} Rest;

static void test_stiff_rods_rest(void** state)
{
    (void)state;
    static const Rest rests[] = {
        {1e9, 0.0, 0.01, 0.0, "auto", 160},        {1e11, 0.0, 0.01, 0.0, "auto", 80},
        {1e13, 0.0, 0.01, 0.0, "auto", 40},        {1e6, 0.0, 0.001, 10.0, "auto", 80},
        {1e9, -1e-9, 0.01, 0.0, "auto", 80},       {1e11, 0.0, 0.001, 100.0, "auto", 40},
        {1e11, 0.0, 0.01, 0.0, "midpoint", 40},    {1e11, 0.0, 0.01, 0.0, "euler", 40},
        {1e11, 0.0, 0.01, 0.0, "variational", 40},
    };
    for (size_t k = 0; k < sizeof rests / sizeof *rests; k++) {
        const Rest* r = &rests[k];
        char settings[256], text[1024];
        snprintf(settings, sizeof settings, SETTINGS, r->gravity, r->time_step, r->integrator);
        snprintf(text, sizeof text, ROD, r->modulus, r->far, r->links, r->far);
        Trial trial = trial_text(settings, text);
        for (int i = 0; i < 10; i++) {
            trial_step(&trial, 1);
            assert_int_equal(trial.info.substeps, 1);
            assert_in_range(trial.info.solve.passes, 0, 3);
            assert_true(trial.info.kinetic_after < 1e-18);
        }
        trial_end(&trial);
    }
}

// The same of a stiff soft body in the air and of one that touches the ground.
static void test_stiff_solids_rest(void** state)
{
    (void)state;
    static const double height[] = {1.0, 0.1};
    for (int k = 0; k < 2; k++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "materials: [{name: m, youngs_modulus: 1e10, poisson_ratio: 0.3, density: 1000}]\n"
                 "planes: [{name: floor, friction: 0.8}]\n"
                 "bodies:\n"
                 "  - {name: c, kind: soft, material: m, position: [0, 0, %g],\n"
                 "     mesh: 'box:3,3,3:0.2,0.2,0.2'}\n",
                 height[k]);
        Trial trial = trial_text("gravity: [0, 0, 0]\nsolver: {threads: 1}\n", text);
        for (int i = 0; i < 10; i++) {
            trial_step(&trial, 1);
            assert_int_equal(trial.info.substeps, 1);
            assert_true(trial.info.kinetic_after < 1e-18);
        }
        trial_end(&trial);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stiff_rods_rest),
        cmocka_unit_test(test_stiff_solids_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
