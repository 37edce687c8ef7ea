// What may go wrong: memory that runs out at every single call, empty scenes, extreme numbers.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "scene_make.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Reads, compiles and steps a scene with an allocator that fails once. A step that fails is
// repeated, and must then go on as if nothing had happened. Returns the hash after the last step,
// or 0 when the scene could not be set up; *failures counts statuses of exhausted memory.
static uint64_t live_through(FailingAllocator* allocator, const char* file, int n_override,
                             const char* const* override, int steps, int* failures)
{
    CondContext context = failing_allocator_context(allocator);
    CondScene* scene = NULL;
    CondModel* model = NULL;
    CondState* state = NULL;
    CondSim* sim = NULL;
    CondError error = {COND_OK, ""};
    uint64_t hash = 0;
    CondStatus status = cond_scene_read(&context, file, n_override, override, &scene, &error);
    if (!status)
        status = cond_scene_compile(scene, &model, &error);
    cond_scene_destroy(scene);
    if (!status)
        status = cond_state_create(model, &state, &error);
    if (!status)
        status = cond_sim_create(model, &sim, &error);
    if (status) {
        assert_int_equal(status, COND_OUT_OF_MEMORY);
        assert_int_equal(error.status, COND_OUT_OF_MEMORY);
        assert_true(error.message[0] != '\0');
        ++*failures;
    }
    for (int k = 0; k < steps && !status; k++) {
        uint64_t before = cond_state_hash(state);
        CondStepInfo info;
        CondStatus step = cond_sim_step(sim, state, &info);
        if (step < 0) {
            double force[3], torque[3];
            assert_int_equal(step, COND_OUT_OF_MEMORY);
            assert_int_equal(info.status, COND_OUT_OF_MEMORY);
            assert_true(cond_state_hash(state) == before);
            // Reading forces after a step that failed is harmless.
            cond_sim_body_force(sim, 0, force, torque);
            for (int c = 0; c < cond_sim_n_contact(sim); c++)
                (void)cond_sim_contact(sim, c);
            ++*failures;
            step = cond_sim_step(sim, state, &info);
        }
        assert_true(step >= 0);
        hash = cond_state_hash(state);
    }
    cond_sim_destroy(sim);
    cond_state_destroy(state);
    cond_model_destroy(model);
    assert_int_equal(allocator->live, 0);
    return hash;
}

static void check_every_allocation(const char* scene, int n_override, const char* const* override)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", COND_SCENES, scene);
    FailingAllocator allocator = {0, 0, 0};
    int failures = 0;
    uint64_t hash = live_through(&allocator, path, n_override, override, 20, &failures);
    long calls = allocator.calls;
    assert_int_equal(failures, 0);
    assert_true(calls > 50);
    long stride = getenv("COND_VALGRIND") ? 17 : 1;
    for (long fail = 1; fail <= calls; fail += stride) {
        allocator = (FailingAllocator){.fail_at = fail};
        failures = 0;
        uint64_t other = live_through(&allocator, path, n_override, override, 20, &failures);
        assert_int_equal(failures, 1);
        assert_true(other == 0 || other == hash);
    }
}

static void test_memory_runs_out(void** state)
{
    (void)state;
    // Impact and correction need their memory too, so the bodies begin close to the floor or in it.
    const char* const box[] = {"step.theta=0.5", "bodies.box.position=[0,0,0.099]"};
    check_every_allocation("push.yaml", 2, box);
    const char* const drop[] = {"bodies.box.position=[0,0,0.2]", "bodies.box.velocity=[0,0,-2]"};
    check_every_allocation("drop.yaml", 2, drop);
    const char* const springs[] = {"bodies.a.position=[0,0,0.01]", "bodies.bob.position=[1,0,0.0]"};
    check_every_allocation("springs.yaml", 2, springs);
    const char* const penalty[] = {"step.method=penalty"};
    check_every_allocation("push.yaml", 1, penalty);
}

// Once a workspace has seen its largest problem, stepping asks for no more memory.
static void test_no_allocation_after_warm_up(void** state)
{
    (void)state;
    const char* const scenes[] = {"push.yaml", "box.yaml", "incline.yaml", "anisotropic.yaml"};
    for (size_t s = 0; s < sizeof scenes / sizeof scenes[0]; s++) {
        FailingAllocator allocator = {0, 0, 0};
        CondContext context = failing_allocator_context(&allocator);
        char path[512];
        snprintf(path, sizeof path, "%s/%s", COND_SCENES, scenes[s]);
        CondScene* scene;
        assert_int_equal(cond_scene_read(&context, path, 0, NULL, &scene, NULL), COND_OK);
        Trial trial = trial_begin(scene);
        trial_step(&trial, 10);
        long calls = allocator.calls;
        trial_step(&trial, 100);
        assert_int_equal(allocator.calls, calls);
        trial_end(&trial);
        assert_int_equal(allocator.live, 0);
    }
}

static void test_empty_scenes(void** state)
{
    (void)state;
    for (int which = 0; which < 4; which++) {
        CondScene* scene = make_scene();
        cond_scene_settings(scene)->theta = which & 1 ? 1.0 : 0.5;
        if (which & 2)
            add_floor(scene, 0.5, NAN);
        Trial trial = trial_begin(scene);
        trial_step(&trial, 10);
        assert_near(cond_state_time(trial.state), 0.1, 1e-15);
        assert_int_equal(trial.info.n_contact, 0);
        assert_near(trial.info.kinetic_after, 0.0, 0.0);
        trial_end(&trial);
    }
    // Bodies without planes, and without weight or touch: they keep what they have.
    CondScene* scene = make_scene();
    memset(cond_scene_settings(scene)->gravity, 0, sizeof cond_scene_settings(scene)->gravity);
    CondBodyDef still = make_box(1.0, 0.2, 0.2, 0.2, 0.0, 0.0, 0.1), moving = still;
    moving.position[0] = 5.0;
    moving.velocity[1] = 2.0;
    add_body(scene, &still);
    add_body(scene, &moving);
    Trial trial = trial_begin(scene);
    trial_step(&trial, 100);
    for (int a = 0; a < 3; a++)
        assert_near(trial_pose(&trial, 0).position[a], still.position[a], 0.0);
    assert_near(trial_pose(&trial, 1).position[1], 2.0, 1e-12);
    trial_end(&trial);
    // A box that touches the floor in weightlessness feels nothing.
    scene = make_scene();
    memset(cond_scene_settings(scene)->gravity, 0, sizeof cond_scene_settings(scene)->gravity);
    add_floor(scene, 0.5, 0.5);
    add_body(scene, &still);
    trial = trial_begin(scene);
    trial_step(&trial, 100);
    for (int a = 0; a < 3; a++)
        assert_near(trial_pose(&trial, 0).position[a], still.position[a], 0.0);
    trial_end(&trial);
}

// A body that rests stays at rest at any length of the step, and falls as it should.
static void test_time_steps(void** state)
{
    (void)state;
    const double steps[] = {1e-6, 1e-4, 0.1};
    for (int s = 0; s < 3; s++) {
        for (int which = 0; which < 2; which++) {
            CondScene* scene = make_scene();
            cond_scene_settings(scene)->time_step = steps[s];
            cond_scene_settings(scene)->theta = which ? 1.0 : 0.5;
            add_floor(scene, 0.5, NAN);
            CondBodyDef box = make_box(1.0, 0.2, 0.2, 0.2, 0.0, 0.0, 0.1);
            CondBodyDef faller = make_box(1.0, 0.2, 0.2, 0.2, 1.0, 0.0, 1e3);
            CondBodyDef slider = make_box(1.0, 0.2, 0.2, 0.2, 0.0, 1.0, 0.1);
            slider.velocity[0] = 10.0;
            add_body(scene, &box);
            add_body(scene, &faller);
            add_body(scene, &slider);
            Trial trial = trial_begin(scene);
            trial_step(&trial, 20);
            CondPose pose = trial_pose(&trial, 0);
            double force[3], torque[3], t = 20.0 * steps[s];
            for (int a = 0; a < 3; a++)
                assert_near(pose.velocity[a], 0.0, 1e-6);
            assert_near(trial_pose(&trial, 1).velocity[2], -9.81 * t, 1e-9);
            cond_sim_body_force(trial.sim, 0, force, torque);
            // Forces are relative to the momentum that a step could change, M v / t.
            assert_near(force[2], 9.81, 1e-8 * 20.0 / steps[s]);
            assert_near(trial_pose(&trial, 2).velocity[0], fmax(10.0 - 0.5 * 9.81 * t, 0.0), 1e-6);
            trial_end(&trial);
        }
    }
}

// A heavy body held by a spring above a light one on the floor, a million to one.
static void test_mass_ratio_on_the_floor(void** state)
{
    (void)state;
    CondScene* scene = make_scene();
    add_floor(scene, 0.5, NAN);
    CondBodyDef light = make_particle(1e-3, 0.0, 0.0, 0.0);
    CondBodyDef heavy = make_particle(1e3, 0.0, 0.0, 1.0);
    add_body(scene, &light);
    add_body(scene, &heavy);
    CondSpringDef spring = make_spring("body0", "body1", 1e6);
    spring.damping = 3e4;
    add_spring(scene, &spring);
    Trial trial = trial_begin(scene);
    trial_step(&trial, 300);
    double force[3], torque[3];
    cond_sim_body_force(trial.sim, 0, force, torque);
    assert_near(force[2], 9.81e3 + 9.81e-3, 0.1);
    assert_near(trial_pose(&trial, 1).position[2], 1.0 - 9.81e3 / 1e6, 1e-5);
    trial_end(&trial);
}

// Numbers that run away are refused, and the state stays.
static void test_divergence_keeps_the_state(void** state)
{
    (void)state;
    CondScene* scene = make_scene();
    CondBodyDef dot = make_particle(1.0, 0.0, 0.0, 0.0);
    dot.velocity[0] = 1e308;
    dot.position[0] = 1.7e308;
    cond_scene_settings(scene)->time_step = 10.0;
    add_body(scene, &dot);
    Trial trial = trial_begin(scene);
    uint64_t hash = cond_state_hash(trial.state);
    assert_int_equal(cond_sim_step(trial.sim, trial.state, &trial.info), COND_DIVERGED);
    assert_int_equal(trial.info.status, COND_DIVERGED);
    assert_true(cond_state_hash(trial.state) == hash);
    trial_end(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_runs_out),
        cmocka_unit_test(test_no_allocation_after_warm_up),
        cmocka_unit_test(test_empty_scenes),
        cmocka_unit_test(test_time_steps),
        cmocka_unit_test(test_mass_ratio_on_the_floor),
        cmocka_unit_test(test_divergence_keeps_the_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
