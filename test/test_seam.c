// Sliding over the seam between two things whose tops are flush: nothing is there to be caught on.
// An edge that stands out by a millimetre stops what hits it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene_make.h"

#include <math.h>
#include <stdio.h>

static const char SLIDER[] =
    "bodies:\n"
    "  - {name: a, mass: 1, shape: {%s}, position: [-0.2, 0, 0.1], velocity: [%g, 0, 0],"
    " friction: 0}\n";
static const char FIXED[] =
    "obstacles:\n"
    "  - {name: left, shape: {box: [4, 1, 0.2]}, position: [-2, 0, -0.1], friction: 0}\n"
    "  - {name: right, shape: {box: [4, 1, 0.2]}, position: [%.9g, 0, %.9g], friction: 0}\n";
static const char HEAVY[] =
    "  - {name: left, mass: 1000, shape: {box: [4, 1, 0.2]}, position: [-2, 0, -0.1],"
    " friction: 0}\n"
    "  - {name: right, mass: 1000, shape: {box: [4, 1, 0.2]}, position: [%.9g, 0, %.9g],"
    " friction: 0}\n"
    "planes:\n  - {name: floor, normal: [0, 0, 1], offset: -0.2, friction: 0.8}\n";

typedef struct End {
    double speed, highest;
} End;

// Slides for 0.4 m; the right one has this gap to the left one and stands out by `up`.
static End slide(const char* shape, const char* others, double speed, double time_step, double gap,
                 double up)
{
    char settings[128], text[1024], format[1024];
    End end = {0.0, 0.0};
    snprintf(settings, sizeof settings, "step: {time_step: %g}\n", time_step);
    snprintf(format, sizeof format, "%s%s", SLIDER, others);
    snprintf(text, sizeof text, format, shape, speed, 2.0 + gap, up - 0.1);
    Trial trial = trial_text(settings, text);
    for (double way = 0.0; way < 0.4; way += speed * time_step) {
        CondPose pose = trial_pose(&trial, 0);
        double before = pose.position[0];
        trial_step(&trial, 1);
        pose = trial_pose(&trial, 0);
        end.speed = (pose.position[0] - before) / time_step;
        end.highest = fmax(end.highest, pose.position[2] - 0.1);
    }
    trial_end(&trial);
    return end;
}

static void check_free(const char* shape, const char* others, double speed, double time_step,
                       double gap)
{
    End end = slide(shape, others, speed, time_step, gap, 0.0);
    assert_near(end.speed, speed, 1e-5 * speed);
    assert_near(end.highest, 0.0, 1e-6);
}

static void test_nothing_is_caught_at_a_seam(void** state)
{
    (void)state;
    static const char* const shapes[] = {"box: [0.2, 0.2, 0.2]", "cylinder: [0.1, 0.2]"};
    for (int k = 0; k < 2; k++) {
        check_free(shapes[k], FIXED, 1.0, 0.001, 0.0);
        check_free(shapes[k], FIXED, 1.0, 0.005, 0.0);
        check_free(shapes[k], FIXED, 1.0, 0.01, 0.0);
        check_free(shapes[k], FIXED, 1.0, 0.005, 1e-4);
        check_free(shapes[k], HEAVY, 1.0, 0.005, 0.0);
    }
    check_free(shapes[0], FIXED, 0.5, 0.01, 0.0);
    check_free(shapes[0], FIXED, 5.0, 0.002, 0.0);
}

static void test_an_edge_that_stands_out_stops(void** state)
{
    (void)state;
    End end = slide("box: [0.2, 0.2, 0.2]", FIXED, 1.0, 0.005, 0.0, 1e-3);
    assert_true(end.speed < 0.5);
    end = slide("box: [0.2, 0.2, 0.2]", FIXED, 1.0, 0.005, 0.0, 1e-4);
    assert_true(end.speed < 0.9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_is_caught_at_a_seam),
        cmocka_unit_test(test_an_edge_that_stands_out_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
