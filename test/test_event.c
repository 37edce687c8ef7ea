// Contacts that begin and end: a ball that bounces, a box that slides off a table, robots' links,
// patches; nothing begins or ends while bodies rest or sleep, and states carry what touches.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cond/cond.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Run {
    CondScene* scene;
    CondModel* model;
    CondState* state;
    CondSim* sim;
    int began, ended;
} Run;

static int is_cancelled(void* user)
{
    return *(const int*)user;
}

static Run begin_in(const CondContext* context, const char* text)
{
    Run run = {.began = 0};
    CondError error;
    if (cond_scene_read_text(context, text, NULL, 0, NULL, &run.scene, &error) ||
        cond_scene_compile(run.scene, &run.model, &error) ||
        cond_state_create(run.model, &run.state, &error) ||
        cond_sim_create(run.model, &run.sim, &error))
        fail_msg("%s", error.message);
    return run;
}

static Run begin(const char* text)
{
    return begin_in(NULL, text);
}

static void end(Run* run)
{
    cond_sim_destroy(run->sim);
    cond_state_destroy(run->state);
    cond_model_destroy(run->model);
    cond_scene_destroy(run->scene);
}

static CondStepInfo step(Run* run)
{
    CondStepInfo info;
    if (cond_sim_step(run->sim, run->state, &info) < 0)
        fail_msg("%s", cond_sim_message(run->sim));
    for (int i = 0; i < cond_sim_n_event(run->sim); i++) {
        CondContactEvent event = cond_sim_event(run->sim, i);
        assert_true(fabs(event.time - cond_state_time(run->state)) < 1e-12);
        run->began += event.change == COND_CONTACT_BEGAN;
        run->ended += event.change == COND_CONTACT_ENDED;
    }
    return info;
}

static const char BALL[] =
    "step: {time_step: 0.005}\n"
    "planes: [{name: floor, normal: [0, 0, 1], friction: 0.5, restitution: 0.8}]\n"
    "bodies: [{name: ball, mass: 2, shape: {sphere: 0.1}, position: [0, 0, 0.6]}]\n";

// It falls 0.5 m: sqrt(2 g h) = 3.13 m/s, and leaves with 0.8 of that.
static void test_bounce(void** state)
{
    (void)state;
    Run run = begin(BALL);
    CondContactEvent hit = {.impulse = 0.0};
    int first = -1;
    for (int k = 0; k < 100 && first < 0; k++) {
        step(&run);
        if (cond_sim_n_event(run.sim) > 0) {
            first = k;
            hit = cond_sim_event(run.sim, 0);
        }
    }
    assert_int_equal(hit.change, COND_CONTACT_BEGAN);
    assert_int_equal(hit.body[0], 0);
    assert_int_equal(hit.body[1], -1);
    assert_int_equal(hit.plane, 0);
    assert_int_equal(hit.obstacle, -1);
    double speed = sqrt(2.0 * 9.81 * 0.5);
    assert_true(fabs(hit.speed - speed) < 0.1);
    assert_true(fabs(hit.impulse - 2.0 * 1.8 * speed) < 0.3);
    assert_true(fabs(hit.normal[2] - 1.0) < 1e-12 && fabs(hit.position[2]) < 0.05);
    for (int k = 0; k < 5; k++)
        step(&run);
    assert_int_equal(run.began, 1);
    assert_int_equal(run.ended, 1);
    CondContactEvent none = cond_sim_event(run.sim, 7);
    assert_int_equal(none.body[0], -1);
    end(&run);
}

// A step that is cancelled before it begins has no events, not those of the step before it.
static void test_cancelled(void** state)
{
    (void)state;
    int wanted = 0;
    CondContext context = {.user = &wanted, .cancelled = is_cancelled};
    Run run = begin_in(&context, BALL);
    for (int k = 0; k < 100 && run.began == 0; k++)
        step(&run);
    assert_true(cond_sim_n_event(run.sim) > 0);
    wanted = 1;
    assert_int_equal(cond_sim_step(run.sim, run.state, NULL), COND_CANCELLED);
    assert_int_equal(cond_sim_n_event(run.sim), 0);
    wanted = 0;
    for (int k = 0; k < 5; k++)
        step(&run);
    assert_int_equal(run.ended, 1);
    end(&run);
}

// The time at which it touches the floor does not depend on the step: sqrt(2 h/g), of a ball
// with and without restitution, thrown down, in whole steps and in pieces.
static void test_contact_time(void** state)
{
    static const char* const scenes[] = {
        "step: {time_step: %g, accuracy: %g}\nplanes: [{name: floor, restitution: 0.8}]\n"
        "bodies: [{name: ball, mass: 2, shape: {sphere: 0.1}, position: [0, 0, 0.6]}]\n",
        "step: {time_step: %g, accuracy: %g}\nplanes: [{name: floor}]\n"
        "bodies: [{name: ball, mass: 2, shape: {sphere: 0.1}, position: [0, 0, 0.6],\n"
        "          velocity: [0.5, 0, -1]}]\n",
    };
    static const double thrown[] = {0.0, 1.0}, steps[] = {0.01, 0.004, 0.0007};
    (void)state;
    for (size_t s = 0; s < 2; s++)
        for (size_t k = 0; k < 3; k++)
            for (int pieces = 0; pieces < 2; pieces++) {
                char text[512];
                snprintf(text, sizeof text, scenes[s], steps[k], pieces ? 1e-3 : 0.0);
                Run run = begin(text);
                while (run.began == 0)
                    step(&run);
                double time = cond_sim_event(run.sim, 0).contact_time, v = thrown[s];
                double theory = (sqrt(v * v + 2.0 * 9.81 * 0.5) - v) / 9.81;
                assert_true(fabs(time - theory) < (s == 0 || pieces ? 1e-6 : 1e-4));
                assert_true(time <= cond_state_time(run.state));
                end(&run);
            }
}

// What rests begins once and never ends, asleep or awake.
static void test_rest(void** state)
{
    (void)state;
    char text[8192] = "step: {time_step: 0.01}\n"
                      "planes: [{name: floor, normal: [0, 0, 1], friction: 0.5}]\nbodies:\n";
    for (int i = 0; i < 20; i++) {
        size_t n = strlen(text);
        snprintf(text + n, sizeof text - n,
                 "  - {name: b%d, mass: 1, shape: {box: [0.1, 0.1, 0.1]}, position: [%g, 0, %g]}\n",
                 i, 0.3 * (i / 2), 0.05 + 0.1 * (i % 2));
    }
    size_t n = strlen(text);
    snprintf(text + n, sizeof text - n,
             "  - {name: ball, mass: 1, shape: {sphere: 0.1}, position: [0, 2, 0.1], velocity: "
             "[1, 0, 0], angular_velocity: [0, 10, 0]}\n");
    Run run = begin(text);
    int most = 0;
    for (int k = 0; k < 200; k++) {
        CondStepInfo info = step(&run);
        most = info.asleep > most ? info.asleep : most;
    }
    assert_int_equal(most, 20); // all but the ball, which rolls
    assert_int_equal(run.began, 21);
    assert_int_equal(run.ended, 0);
    // One that is lifted from those asleep: it ends, and nothing else does.
    CondPose pose = cond_state_pose(run.model, run.state, 1);
    pose.position[2] += 1.0;
    assert_int_equal(cond_state_set_pose(run.model, run.state, 1, &pose), COND_OK);
    step(&run);
    assert_int_equal(run.ended, 1);
    assert_int_equal(cond_sim_n_event(run.sim), 1);
    CondContactEvent event = cond_sim_event(run.sim, 0);
    assert_int_equal(event.body[0], 0);
    assert_int_equal(event.body[1], 1);
    end(&run);
}

// A state that was saved goes on with the same events, in a simulation that has seen nothing.
static void test_saved(void** state)
{
    (void)state;
    Run run = begin(BALL), other = begin(BALL);
    for (int k = 0; k < 60 || run.began == run.ended; k++)
        step(&run);
    assert_true(run.began > run.ended);
    size_t size;
    CondError error;
    assert_int_equal(cond_state_save(run.model, run.state, NULL, 0, &size), COND_OK);
    void* bytes = malloc(size);
    assert_int_equal(cond_state_save(run.model, run.state, bytes, size, &size), COND_OK);
    assert_int_equal(cond_state_load(other.model, other.state, bytes, size, &error), COND_OK);
    free(bytes);
    int began = run.began, ended = run.ended;
    for (int k = 0; k < 40; k++) {
        step(&run);
        step(&other);
    }
    assert_int_equal(other.ended, run.ended - ended);
    assert_int_equal(other.began, run.began - began);
    assert_true(other.ended > 0);
    end(&other);
    end(&run);
}

// A soft block falls on a step with its patch; a link of a robot meets a box, which is static
// ground for none of them.
static void test_kinds(void** state)
{
    (void)state;
    Run run = begin(
        "step: {time_step: 0.005}\n"
        "materials: [{name: rubber, youngs_modulus: 2.0e+5, poisson_ratio: 0.3, density: 1000, "
        "stiffness_damping: 0.01}]\n"
        "obstacles: [{name: table, shape: {box: [1, 1, 0.2]}, position: [0, 0, -0.1]}]\n"
        "bodies:\n"
        "  - name: arm\n"
        "    kind: robot\n"
        "    position: [0, 0, 0.4]\n"
        "    links:\n"
        "      - {name: base, shapes: []}\n"
        "      - {name: bar, parent: base, mass: 0.5, center: [0.2, 0, 0], inertia: [0.001, "
        "0.002, "
        "0.002], joint: {kind: revolute, axis: [0, 1, 0]}, shapes: [{sphere: 0.03, position: "
        "[0.2, "
        "0, 0]}]}\n"
        "  - {name: box, mass: 1, shape: {box: [0.2, 0.2, 0.2]}, position: [0.1, 0, 0.1]}\n"
        "  - {name: block, kind: soft, mesh: \"box:2,2,2:0.1,0.1,0.1\", material: rubber, "
        "position: "
        "[-0.3, 0, 0.1]}\n"
        "patches: [{name: sole, body: block, low: [-1, -1, 0], high: [1, 1, 0.051]}]\n");
    int seen[3] = {0, 0, 0};
    for (int k = 0; k < 100; k++) {
        step(&run);
        for (int i = 0; i < cond_sim_n_event(run.sim); i++) {
            CondContactEvent event = cond_sim_event(run.sim, i);
            if (event.change != COND_CONTACT_BEGAN)
                continue;
            if (event.body[0] == 0) {
                assert_int_equal(event.body[1], 1);
                assert_int_equal(event.link[0], 1);
                assert_int_equal(event.link[1], 0);
                assert_true(event.normal[2] > 0.5 && event.impulse > 0.0);
            } else {
                assert_int_equal(event.obstacle, 0);
                assert_int_equal(event.plane, -1);
            }
            if (event.body[0] == 2)
                assert_int_equal(event.patch[0], 0);
            seen[event.body[0]]++;
        }
    }
    assert_true(seen[0] > 0 && seen[1] > 0 && seen[2] > 0);
    end(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounce), cmocka_unit_test(test_cancelled),

        cmocka_unit_test(test_bounce), cmocka_unit_test(test_contact_time),
        cmocka_unit_test(test_rest),   cmocka_unit_test(test_saved),
        cmocka_unit_test(test_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
