// What a program adds to steps: forces with their tangents, a say about contacts, a look at steps.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene_make.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Program {
    double stiffness, damping; // [N/m, N s/m]
    int explicit_force;        // 1: without tangent
    int refuse;                // the body whose contacts are refused; -1: none
    double friction;           // of all contacts; NaN: as they are
    int steps, lines, contacts;
    char line[256];
} Program;

// f = -k x - d v of the first body's centre, about the origin, along z; v is left to the tangent.
static void spring_force(void* user, const CondModel* model, double time, const double* q,
                         CondForceSink* sink)
{
    const Program* program = user;
    int coordinate = cond_model_dof_begin(model, 0) + 2;
    double f = -program->stiffness * q[2], K = program->stiffness, D = program->damping;
    assert_true(time >= 0.0);
    assert_int_equal(
        cond_force_sink_add(sink, 1, &coordinate, &f, program->explicit_force ? NULL : &K, &D),
        COND_OK);
}

static int see_contact(void* user, const CondModel* model, CondContactInfo* contact)
{
    Program* program = user;
    (void)model;
    program->contacts++;
    if (!isnan(program->friction))
        contact->friction[0] = contact->friction[1] = program->friction;
    return contact->body != program->refuse;
}

static void see_step(void* user, const CondState* state, const CondStepInfo* info)
{
    Program* program = user;
    assert_true(fabs(cond_state_time(state) - info->time) < 1e-12 || info->status < 0);
    program->steps++;
}

static void see_line(void* user, CondStatus status, const char* message)
{
    Program* program = user;
    assert_true(status != COND_OK);
    snprintf(program->line, sizeof program->line, "%s", message);
    program->lines++;
}

static CondHooks make_hooks(Program* program)
{
    CondHooks hooks = cond_hooks_default();
    hooks.user = program;
    return hooks;
}

// A linear oscillator keeps its energy and has the period of the midpoint rule,
// tan(w' h / 2) = w h / 2; with damping it comes to rest.
static void test_force(void** state)
{
    (void)state;
    Program program = {.stiffness = 100.0, .refuse = -1, .friction = NAN};
    CondHooks hooks = make_hooks(&program);
    hooks.force = spring_force;
    CondScene* scene = make_scene();
    CondBodyDef particle = make_particle(2.0, 0.0, 0.0, 0.1);
    add_body(scene, &particle);
    memset(cond_scene_settings(scene)->gravity, 0, 3 * sizeof(double));
    cond_scene_settings(scene)->time_step = 0.01;
    Trial trial = trial_begin(scene);
    assert_int_equal(cond_sim_set_hooks(trial.sim, &hooks), COND_OK);
    double w = 2.0 / 0.01 * atan(0.5 * 0.01 * sqrt(100.0 / 2.0));
    for (int k = 1; k <= 300; k++) {
        trial_step(&trial, 1);
        CondPose pose = trial_pose(&trial, 0);
        double energy = 0.5 * 2.0 * pose.velocity[2] * pose.velocity[2] +
                        0.5 * 100.0 * pose.position[2] * pose.position[2];
        assert_near(energy, 0.5, 1e-11);
        assert_near(pose.position[2], 0.1 * cos(w * 0.01 * k), 1e-10);
    }
    program.damping = 20.0;
    trial_step(&trial, 1000);
    assert_near(trial_pose(&trial, 0).position[2], 0.0, 1e-12);
    // Without hooks nothing pulls any more.
    assert_int_equal(cond_sim_set_hooks(trial.sim, NULL), COND_OK);
    CondPose pose = {.position = {0.0, 0.0, 0.1}, .orientation = {1.0, 0.0, 0.0, 0.0}};
    assert_int_equal(cond_state_set_pose(trial.model, trial.state, 0, &pose), COND_OK);
    trial_step(&trial, 10);
    assert_near(trial_pose(&trial, 0).position[2], 0.1, 0.0);
    trial_end(&trial);
}

static void add_nonsense(void* user, const CondModel* model, double time, const double* q,
                         CondForceSink* sink)
{
    int coordinate = 99;
    double f = 1.0;
    (void)user;
    (void)model;
    (void)time;
    (void)q;
    assert_int_equal(cond_force_sink_add(sink, 1, &coordinate, &f, NULL, NULL), COND_BAD_ARGUMENT);
}

static void test_nonsense(void** state)
{
    (void)state;
    Program program = {.refuse = -1, .friction = NAN};
    CondHooks hooks = make_hooks(&program);
    hooks.force = add_nonsense;
    hooks.log = see_line;
    CondScene* scene = make_scene();
    CondBodyDef particle = make_particle(2.0, 0.0, 0.0, 0.1);
    add_body(scene, &particle);
    Trial trial = trial_begin(scene);
    assert_int_equal(cond_sim_set_hooks(trial.sim, &hooks), COND_OK);
    uint64_t hash = cond_state_hash(trial.state);
    assert_int_equal(cond_sim_step(trial.sim, trial.state, NULL), COND_BAD_ARGUMENT);
    assert_true(cond_state_hash(trial.state) == hash);
    assert_int_equal(program.lines, 1);
    assert_non_null(strstr(program.line, "matrix"));
    CondHooks raw = {.user = NULL};
    assert_int_equal(cond_sim_set_hooks(trial.sim, &raw), COND_BAD_ARGUMENT);
    trial_end(&trial);
}

// One box is refused its contacts and falls through the floor, the other lies on it; without
// friction that one slides on as it was thrown.
static void test_contact(void** state)
{
    (void)state;
    Program program = {.refuse = 1, .friction = 0.0};
    CondHooks hooks = make_hooks(&program);
    hooks.contact = see_contact;
    hooks.step = see_step;
    CondScene* scene = make_scene();
    CondBodyDef box = make_box(1.0, 0.2, 0.2, 0.2, 0.0, 0.0, 0.1), other = box;
    box.velocity[0] = 0.5;
    other.position[1] = 1.0;
    add_body(scene, &box);
    add_body(scene, &other);
    add_floor(scene, 0.8, 0.0);
    Trial trial = trial_begin(scene);
    assert_int_equal(cond_sim_set_hooks(trial.sim, &hooks), COND_OK);
    trial_step(&trial, 100);
    double t = cond_state_time(trial.state);
    assert_near(trial_pose(&trial, 0).position[0], 0.5 * t, 1e-9);
    assert_near(trial_pose(&trial, 0).position[2], 0.1, 1e-6);
    assert_near(trial_pose(&trial, 1).velocity[2], -9.81 * t, 1e-9);
    assert_true(program.contacts > 0);
    assert_int_equal(program.steps, 100);
    assert_string_equal(cond_sim_message(trial.sim), "");
    trial_end(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_force),
        cmocka_unit_test(test_nonsense),
        cmocka_unit_test(test_contact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
