// Forces with a start and an end that lie within steps: the impulse is that of the span, by every
// integrator and method, for all kinds of bodies.
#include "kinds_make.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char BODIES[] =
    "gravity: [0, 0, 0]\n"
    "materials: [{name: m, youngs_modulus: 1.0e+5, poisson_ratio: 0.3, density: 2000}]\n"
    "bodies:\n"
    "  - {name: point, kind: particle, mass: 2, position: [0, 0, 0]}\n"
    "  - {name: ball, mass: 2, shape: {sphere: 0.1}, position: [2, 0, 0]}\n"
    "  - {name: soft, kind: soft, material: m, mesh: 'box:1,1,1:0.1,0.1,0.1', position: [4, 0, "
    "0]}\n"
    "  - {name: rod, kind: rod, material: m, position: [6, 0, 0],\n"
    "     rod: {length: 0.4, links: 4, circle: 0.02}}\n"
    "patches: [{name: all, body: soft, low: [3, -1, -1], high: [5, 1, 1]}]\n"
    "forces:\n"
    "  - {name: a, body: point, force: [3, 0, 1], start: %.17g, end: %.17g}\n"
    "  - {name: b, body: ball, force: [3, 0, 1], torque: [0, 0, 0.2], start: %.17g, end: %.17g}\n"
    "  - {name: c, body: soft, patch: all, force: [3, 0, 1], start: %.17g, end: %.17g}\n"
    "  - {name: d, body: rod, at: 0.2, force: [3, 0, 1], start: %.17g, end: %.17g}\n";
enum { N_BODY = 4, STEPS = 10 };

static const char* const ways[] = {
    "integrator: auto",
    "integrator: theta, theta: 1",
    "integrator: theta, theta: 0.5",
    "integrator: euler",
    "integrator: midpoint",
    "integrator: variational",
    "integrator: auto, substeps: 1",
};
enum { N_WAY = sizeof ways / sizeof ways[0] };

// Spans from within a step to within another, within one, along whole steps, and before the run.
static const double spans[][2] = {
    {0.0137, 0.0423}, {0.0312, 0.0371}, {0.03, 0.06}, {-1.0, 0.0055}, {0.0999, 7.0},
};
enum { N_SPAN = sizeof spans / sizeof spans[0] };

static Trial span_trial(const char* way, const double span[2])
{
    char settings[256], text[4096];
    snprintf(settings, sizeof settings, "step: {time_step: 0.01, %s}\nsolver: {threads: 1}\n", way);
    snprintf(text, sizeof text, BODIES, span[0], span[1], span[0], span[1], span[0], span[1],
             span[0], span[1]);
    return trial_text(settings, text);
}

static void test_impulse_is_that_of_the_span(void** state)
{
    (void)state;
    for (int w = 0; w < N_WAY; w++)
        for (int s = 0; s < N_SPAN; s++) {
            Trial trial = span_trial(ways[w], spans[s]);
            double length = fmin(spans[s][1], 0.1) - fmax(spans[s][0], 0.0);
            trial_step(&trial, STEPS);
            for (int b = 0; b < N_BODY; b++) {
                CondPose pose = trial_pose(&trial, b);
                double mass = trial_mass(&trial, b);
                assert_near(mass * pose.velocity[0], 3.0 * length, 1e-8);
                assert_near(mass * pose.velocity[1], 0.0, 1e-8);
                assert_near(mass * pose.velocity[2], 1.0 * length, 1e-8);
            }
            double inertia = 0.4 * 2.0 * 0.1 * 0.1;
            assert_near(inertia * trial_pose(&trial, 1).angular_velocity[2], 0.2 * length, 1e-8);
            trial_end(&trial);
        }
}

// Where the force of a sleeper ends within a step it wakes in that step.
static void test_sleepers_feel_the_end(void** state)
{
    (void)state;
    Trial trial = trial_text("step: {time_step: 0.01}\nsolver: {threads: 1}\n",
                             "planes: [{name: floor, friction: 0.5}]\n"
                             "bodies:\n"
                             "  - {name: box, mass: 1, shape: {box: [0.2, 0.2, 0.2]},\n"
                             "     position: [0, 0, 0.1]}\n"
                             "forces: [{name: hold, body: box, force: [0, 0, -3], end: 2.0037}]\n"
                             "sensors: [{name: s, body: box}]\n");
    trial_step(&trial, 200);
    for (int k = 0; k < 3; k++) {
        CondSensorReading reading;
        trial_step(&trial, 1);
        assert_int_equal(cond_sim_sensor(trial.sim, 0, &reading), COND_OK);
        assert_near(reading.force[2], k == 0 ? 9.81 + 3.0 * 0.37 : 9.81, 1e-6);
    }
    trial_end(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_impulse_is_that_of_the_span),
        cmocka_unit_test(test_sleepers_feel_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
