// States as bytes and as files: what is loaded goes on with the same bits, and what is damaged is
// refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "kinds_make.h"

#include "model/state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Bytes {
    unsigned char* data;
    size_t size;
} Bytes;

static Bytes save(const Trial* trial)
{
    Bytes bytes = {NULL, 0};
    assert_int_equal(cond_state_save(trial->model, trial->state, NULL, 0, &bytes.size), COND_OK);
    bytes.data = malloc(bytes.size);
    assert_non_null(bytes.data);
    size_t size = 0;
    assert_int_equal(cond_state_save(trial->model, trial->state, bytes.data, bytes.size - 1, &size),
                     COND_BAD_ARGUMENT);
    assert_int_equal(cond_state_save(trial->model, trial->state, bytes.data, bytes.size, &size),
                     COND_OK);
    assert_int_equal(size, bytes.size);
    return bytes;
}

// Saves after `first` steps, goes on for `second`; then the same from the bytes, with a workspace
// that never saw the first part: after every step the same hash.
static void resumes(Trial trial, int first, int second)
{
    for (int k = 0; k < first; k++)
        assert_true(cond_sim_step(trial.sim, trial.state, NULL) >= 0);
    Bytes bytes = save(&trial);
    CondState* state;
    CondSim* sim;
    CondError error = {0};
    assert_int_equal(cond_state_create(trial.model, &state, NULL), COND_OK);
    assert_int_equal(cond_sim_create(trial.model, &sim, NULL), COND_OK);
    CondStatus status = cond_state_load(trial.model, state, bytes.data, bytes.size, &error);
    if (status)
        fail_msg("%s", error.message);
    assert_true(cond_state_hash(state) == cond_state_hash(trial.state));
    for (int k = 0; k < second; k++) {
        assert_true(cond_sim_step(trial.sim, trial.state, NULL) >= 0);
        assert_true(cond_sim_step(sim, state, NULL) >= 0);
        if (cond_state_hash(state) != cond_state_hash(trial.state))
            fail_msg("step %d of %d after loading differs", k, second);
    }
    free(bytes.data);
    cond_sim_destroy(sim);
    cond_state_destroy(state);
    trial_end(&trial);
}

static void test_scenes_resume(void** state)
{
    (void)state;
    static const char* const scenes[] = {"box.yaml",     "anisotropic.yaml", "drop.yaml",
                                         "incline.yaml", "springs.yaml",     "push.yaml"};
    for (size_t s = 0; s < sizeof scenes / sizeof scenes[0]; s++)
        resumes(trial_read(scenes[s], 0, NULL), 60, 40);
}

// A robot that follows a trajectory and lifts a soft block that it is attached to, off the floor.
static CondScene* robot_and_block(const CondContext* context)
{
    CondScene* scene;
    assert_int_equal(cond_scene_create(context, &scene, NULL), COND_OK);
    cond_scene_set_files(scene, cond_scene_files());
    CondMaterialDef rubber = make_material("rubber", 1e5, 1e-3);
    add_material(scene, &rubber);
    CondBodyDef block = make_soft("block", "box:2,2,2:0.1,0.1,0.1", "rubber", 0.0, 0.0, 0.05);
    block.surface.friction[0] = block.surface.friction[1] = 0.4;
    add_body(scene, &block);
    add_floor(scene, NAN, NAN);
    const double low[3] = {-1.0, -1.0, 0.09}, high[3] = {1.0, 1.0, 0.11};
    add_patch(scene, "top", "block", low, high);
    write_slider("saved.urdf", 1.0, 0.02);
    CondBodyDef hand = make_robot("hand", "saved.urdf");
    hand.position[2] = 0.5;
    hand.motor_stiffness = 1e4;
    hand.motor_damping = 100.0;
    add_body(scene, &hand);
    CondAttachmentDef grip = make_attachment("grip", "block", "hand", 1);
    snprintf(grip.end[0].patch, sizeof grip.end[0].patch, "top");
    snprintf(grip.end[1].link, sizeof grip.end[1].link, "foot");
    grip.start = 0.03;
    add_attachment(scene, &grip);
    CondWaypoint way[2] = {{.time = 0.05, .position = {0.0, 0.0, 0.5}, .orientation = {1.0}},
                           {.time = 0.3, .position = {0.0, 0.0, 0.6}, .orientation = {1.0}}};
    CondTrajectoryDef lift = cond_trajectory_def_default();
    snprintf(lift.body, sizeof lift.body, "hand");
    snprintf(lift.link, sizeof lift.link, "foot");
    lift.n_waypoint = 2;
    lift.waypoint = way;
    assert_int_equal(cond_scene_add_trajectory(scene, &lift, NULL), COND_OK);
    return scene;
}

static void test_robot_and_soft_body_resume(void** state)
{
    (void)state;
    for (int integrator = 0; integrator < 4; integrator++)
        for (int first = 2; first <= 20; first += 9) { // before, and while it holds
            CondScene* scene = robot_and_block(NULL);
            cond_scene_settings(scene)->integrator = (CondIntegrator)integrator;
            resumes(trial_begin(scene), first, 8);
        }
}

// Attachments made and released at run time, and joint targets, are part of what is saved.
static void test_what_the_user_did_is_kept(void** state)
{
    (void)state;
    Trial trial = trial_begin(robot_and_block(NULL));
    trial_try(&trial, 3);
    CondAttachmentDef string = make_attachment("string", "block", "", 1);
    snprintf(string.end[0].patch, sizeof string.end[0].patch, "top");
    int index;
    assert_int_equal(cond_state_attach(trial.model, trial.state, &string, &index, NULL), COND_OK);
    assert_int_equal(cond_state_release(trial.state, 0), COND_OK);
    assert_int_equal(cond_state_set_joint_target(trial.model, trial.state, 1, "slide", 0.01),
                     COND_OK);
    resumes(trial, 2, 10);
}

// With W kept over several steps, a state at a multiple of `reuse` tells all.
static void test_kept_surrogate(void** state)
{
    (void)state;
    static const char* const overrides[] = {"solver.preset=paper", "solver.reuse=4"};
    resumes(trial_read("incline.yaml", 2, overrides), 20, 11);
    CondScene* scene = robot_and_block(NULL);
    CondSolverSettings* solver = &cond_scene_settings(scene)->solver;
    *solver = cond_solver_settings_paper();
    solver->reuse = 5;
    resumes(trial_begin(scene), 10, 12);
}

static void refuse(const Trial* trial, const void* data, size_t size, CondStatus expected,
                   const char* words)
{
    CondError error = {0};
    uint64_t hash = cond_state_hash(trial->state);
    CondStatus status = cond_state_load(trial->model, trial->state, data, size, &error);
    if (status != expected || !strstr(error.message, words))
        fail_msg("%zu bytes: status %d, '%s'", size, status, error.message);
    assert_true(cond_state_hash(trial->state) == hash);
}

// Every length but the right one, and every single bit flipped, is refused.
static void test_damage_is_seen(void** state)
{
    (void)state;
    Trial trial = trial_read("push.yaml", 0, NULL);
    trial_step(&trial, 5);
    Bytes bytes = save(&trial);
    for (size_t size = 0; size < bytes.size; size++)
        refuse(&trial, bytes.data, size, COND_BAD_INPUT, size < 8 ? "not a saved" : "cut short");
    for (size_t bit = 0; bit < 8 * bytes.size; bit++) {
        CondError error;
        bytes.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        assert_true(cond_state_load(trial.model, trial.state, bytes.data, bytes.size, &error) < 0);
        bytes.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    bytes.data[0] ^= 1;
    refuse(&trial, bytes.data, bytes.size, COND_BAD_INPUT, "not a saved state");
    bytes.data[0] ^= 1;
    unsigned char swapped[4] = {bytes.data[11], bytes.data[10], bytes.data[9], bytes.data[8]};
    unsigned char kept[4];
    memcpy(kept, bytes.data + 8, 4);
    memcpy(bytes.data + 8, swapped, 4);
    refuse(&trial, bytes.data, bytes.size, COND_NOT_SUPPORTED, "another byte order");
    memcpy(bytes.data + 8, kept, 4);
    uint32_t version = 77;
    memcpy(kept, bytes.data + 12, 4);
    memcpy(bytes.data + 12, &version, 4);
    refuse(&trial, bytes.data, bytes.size, COND_NOT_SUPPORTED, "format version 77");
    memcpy(bytes.data + 12, kept, 4);
    bytes.data[bytes.size / 2] ^= 64;
    refuse(&trial, bytes.data, bytes.size, COND_BAD_INPUT, "damaged");
    free(bytes.data);
    trial_end(&trial);
}

// States of another scene do not fit; one under other conditions does.
static void test_fingerprint(void** state)
{
    (void)state;
    static const char* const step[] = {"step.time_step=0.005"};
    static const char* const mass[] = {"bodies[0].mass=2"};
    Trial push = trial_read("push.yaml", 0, NULL), fine = trial_read("push.yaml", 1, step),
          heavy = trial_read("push.yaml", 1, mass), springs = trial_read("springs.yaml", 0, NULL);
    trial_step(&push, 3);
    Bytes bytes = save(&push);
    refuse(&fine, bytes.data, bytes.size, COND_BAD_INPUT, "another scene");
    refuse(&springs, bytes.data, bytes.size, COND_BAD_INPUT, "another scene");
    assert_int_equal(cond_state_load(heavy.model, heavy.state, bytes.data, bytes.size, NULL),
                     COND_OK);
    trial_step(&heavy, 3);
    assert_int_equal(cond_state_load(springs.model, push.state, bytes.data, bytes.size, NULL),
                     COND_BAD_ARGUMENT);
    size_t size;
    assert_int_equal(cond_state_save(springs.model, push.state, NULL, 0, &size), COND_BAD_ARGUMENT);
    free(bytes.data);
    trial_end(&push);
    trial_end(&fine);
    trial_end(&heavy);
    trial_end(&springs);
}

static void expect_no_file(const char* path)
{
    FILE* file = fopen(path, "rb");
    assert_null(file);
}

static void test_files(void** state)
{
    (void)state;
    CondError error;
    Trial trial = trial_read("push.yaml", 0, NULL);
    trial_step(&trial, 5);
    assert_int_equal(cond_state_write(trial.model, trial.state, "push.state", &error), COND_OK);
    expect_no_file("push.state.part");
    uint64_t hash = cond_state_hash(trial.state);
    trial_step(&trial, 5);
    assert_int_equal(cond_state_read(trial.model, trial.state, "push.state", &error), COND_OK);
    assert_true(cond_state_hash(trial.state) == hash);
    assert_int_equal(cond_state_read(trial.model, trial.state, "no.state", &error), COND_NO_FILE);
    assert_non_null(strstr(error.message, "no.state"));
    assert_int_equal(cond_state_read(trial.model, trial.state, ".", &error), COND_NO_FILE);
    assert_int_equal(cond_state_write(trial.model, trial.state, "no/such/folder", &error),
                     COND_NO_FILE);
    FILE* file = fopen("short.state", "wb");
    assert_non_null(file);
    fputs("CONDstat", file);
    fclose(file);
    assert_int_equal(cond_state_read(trial.model, trial.state, "short.state", &error),
                     COND_BAD_INPUT);
    assert_non_null(strstr(error.message, "short.state: is cut short"));
    assert_true(cond_state_hash(trial.state) == hash);
    remove("push.state");
    remove("short.state");
    trial_end(&trial);
}

static void test_memory_runs_out(void** state)
{
    (void)state;
    FailingAllocator allocator = {0, 0, 0};
    CondContext context = failing_allocator_context(&allocator);
    Trial trial = trial_begin(robot_and_block(&context));
    trial_try(&trial, 5);
    assert_int_equal(cond_state_write(trial.model, trial.state, "full.state", NULL), COND_OK);
    trial_try(&trial, 5);
    uint64_t hash = cond_state_hash(trial.state);
    long live = allocator.live;
    for (int reading = 0; reading < 2; reading++) {
        CondStatus status = COND_OUT_OF_MEMORY;
        for (long fail = 1; status; fail++) {
            allocator.calls = 0;
            allocator.fail_at = fail;
            status = reading ? cond_state_read(trial.model, trial.state, "full.state", NULL)
                             : cond_state_write(trial.model, trial.state, "other.state", NULL);
            if (status) {
                assert_int_equal(status, COND_OUT_OF_MEMORY);
                assert_true(cond_state_hash(trial.state) == hash);
                assert_int_equal(allocator.live, live);
            }
        }
    }
    remove("full.state");
    remove("other.state");
    trial_end(&trial);
    assert_int_equal(allocator.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scenes_resume),
        cmocka_unit_test(test_robot_and_soft_body_resume),
        cmocka_unit_test(test_what_the_user_did_is_kept),
        cmocka_unit_test(test_kept_surrogate),
        cmocka_unit_test(test_damage_is_seen),
        cmocka_unit_test(test_fingerprint),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
