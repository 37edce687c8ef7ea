// The stepping machinery: stages, copies, hashes, threads, read-outs. The physics has its own
// tests.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene_make.h"

#include "base/parallel.h"
#include "model/state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* const SCENES[] = {"box.yaml",     "anisotropic.yaml", "drop.yaml",
                                     "incline.yaml", "springs.yaml",     "push.yaml"};
enum { N_SCENE = sizeof SCENES / sizeof SCENES[0] };

static int step_count(int n)
{
    return getenv("COND_VALGRIND") ? n / 10 + 1 : n;
}

static void test_stages_make_a_step(void** state)
{
    (void)state;
    for (int s = 0; s < N_SCENE; s++) {
        Trial whole = trial_read(SCENES[s], 0, NULL), parts = trial_read(SCENES[s], 0, NULL);
        for (int k = 0; k < step_count(60); k++) {
            trial_step(&whole, 1);
            CondStepInfo info;
            memset(&info, 0, sizeof info);
            assert_int_equal(cond_sim_forces(parts.sim, parts.state), COND_OK);
            assert_int_equal(cond_sim_matrix(parts.sim), COND_OK);
            assert_int_equal(cond_sim_collide(parts.sim, parts.state), COND_OK);
            assert_int_equal(cond_sim_assemble(parts.sim, parts.state), COND_OK);
            CondError error;
            if (cond_problem_check(NULL, cond_sim_problem(parts.sim), &error))
                fail_msg("%s: %s", SCENES[s], error.message);
            if (k % 2) // every other time the solve does it
                assert_int_equal(cond_sim_nodalize(parts.sim), COND_OK);
            assert_int_equal(cond_sim_solve(parts.sim, parts.state, &info.solve), COND_OK);
            assert_int_equal(cond_sim_recheck(parts.sim, parts.state, &info), COND_OK);
            assert_int_equal(cond_sim_integrate(parts.sim, parts.state, &info), COND_OK);
            assert_true(cond_state_hash(whole.state) == cond_state_hash(parts.state));
            assert_int_equal(info.n_contact, whole.info.n_contact);
            assert_near(info.time, whole.info.time, 0.0);
            assert_near(info.kinetic_after, whole.info.kinetic_after, 0.0);
            for (int i = 0; i <= COND_STAGE_INTEGRATE; i++)
                assert_true(info.seconds[i] > 0.0 && whole.info.seconds[i] > 0.0);
            assert_true(info.seconds[COND_STAGE_COMMIT] > 0.0);
        }
        trial_end(&whole);
        trial_end(&parts);
    }
}

static void test_runs_repeat(void** state)
{
    (void)state;
    for (int s = 0; s < N_SCENE; s++) {
        Trial a = trial_read(SCENES[s], 0, NULL), b = trial_read(SCENES[s], 0, NULL);
        trial_try(&a, step_count(100));
        trial_try(&b, step_count(100));
        assert_true(cond_state_hash(a.state) == cond_state_hash(b.state));
        trial_end(&a);
        trial_end(&b);
    }
}

// A copy goes on as its original does, also with a workspace that never saw the first half.
static void test_copies_continue(void** state)
{
    (void)state;
    for (int s = 0; s < N_SCENE; s++) {
        Trial trial = trial_read(SCENES[s], 0, NULL);
        trial_try(&trial, step_count(80));
        CondState* copy;
        CondSim* fresh;
        assert_int_equal(cond_state_create(trial.model, &copy, NULL), COND_OK);
        assert_int_equal(cond_sim_create(trial.model, &fresh, NULL), COND_OK);
        assert_int_equal(cond_state_copy(copy, trial.state), COND_OK);
        assert_true(cond_state_hash(copy) == cond_state_hash(trial.state));
        for (int k = 0; k < step_count(40); k++) {
            trial_try(&trial, 1);
            assert_true(cond_sim_step(fresh, copy, NULL) >= 0);
            assert_true(cond_state_hash(copy) == cond_state_hash(trial.state));
        }
        cond_sim_destroy(fresh);
        cond_state_destroy(copy);
        trial_end(&trial);
    }
}

// Two workspaces and two states on one model, stepped in turn, do what one alone does.
static void test_sims_do_not_disturb_each_other(void** state)
{
    (void)state;
    Trial alone = trial_read("drop.yaml", 0, NULL), shared = trial_read("drop.yaml", 0, NULL);
    CondState* other;
    CondSim* sim;
    assert_int_equal(cond_state_create(shared.model, &other, NULL), COND_OK);
    assert_int_equal(cond_sim_create(shared.model, &sim, NULL), COND_OK);
    CondPose pose = cond_state_pose(shared.model, other, 0);
    pose.velocity[0] = 1.0;
    assert_int_equal(cond_state_set_pose(shared.model, other, 0, &pose), COND_OK);
    for (int k = 0; k < step_count(150); k++) {
        trial_try(&alone, 1);
        trial_try(&shared, 1);
        assert_true(cond_sim_step(sim, other, NULL) >= 0);
    }
    assert_true(cond_state_hash(alone.state) == cond_state_hash(shared.state));
    assert_true(cond_state_hash(other) != cond_state_hash(shared.state));
    cond_sim_destroy(sim);
    cond_state_destroy(other);
    trial_end(&alone);
    trial_end(&shared);
}

static void flip(void* memory, size_t bit)
{
    ((unsigned char*)memory)[bit / 8] ^= (unsigned char)(1u << bit % 8);
}

static void test_hash_sees_every_bit(void** state)
{
    (void)state;
    Trial trial = trial_read("push.yaml", 0, NULL);
    trial_step(&trial, 5);
    CondState* s = trial.state;
    uint64_t hash = cond_state_hash(s);
    assert_true(s->n_memory > 0);
    struct {
        void* memory;
        size_t bytes;
    } parts[] = {
        {&s->time, sizeof s->time},     {&s->step, sizeof s->step},
        {s->q, 7 * sizeof(double)},     {s->v, 6 * sizeof(double)},
        {s->v_hat, 6 * sizeof(double)}, {s->memory, (size_t)s->n_memory * sizeof *s->memory}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        for (size_t bit = 0; bit < 8 * parts[i].bytes; bit++) {
            flip(parts[i].memory, bit);
            assert_true(cond_state_hash(s) != hash);
            flip(parts[i].memory, bit);
        }
    }
    assert_true(cond_state_hash(s) == hash);
    s->n_memory--;
    assert_true(cond_state_hash(s) != hash);
    s->n_memory++;
    trial_end(&trial);
}

// Enough boxes for the parallel loops to start a team.
static CondScene* crowd(int threads)
{
    CondScene* scene = make_scene();
    cond_scene_settings(scene)->solver.threads = threads;
    cond_scene_settings(scene)->time_step = 0.005;
    add_floor(scene, 0.4, 0.3);
    Dice dice = {7};
    for (int i = 0; i < (getenv("COND_VALGRIND") ? 20 : 250); i++) {
        CondBodyDef box =
            make_box(dice_uniform(&dice, 0.5, 2.0), 0.2, 0.2, 0.1, i % 20, 0.0, 0.053);
        box.position[1] = i / 20;
        make_turn(dice_uniform(&dice, -1.0, 1.0), 1.0, 0.0, dice_uniform(&dice, -0.02, 0.02),
                  box.orientation);
        for (int k = 0; k < 3; k++)
            box.velocity[k] = dice_uniform(&dice, -1.0, 0.0);
        add_body(scene, &box);
    }
    return scene;
}

static void test_threads_do_not_matter(void** state)
{
    (void)state;
    const int threads[] = {1, 2, 4};
    uint64_t hash[3];
    for (int k = 0; k < 3; k++) {
        Trial trial = trial_begin(crowd(threads[k]));
        int most = 0;
        for (int i = 0; i < 3; i++) {
            trial_try(&trial, 1);
            most = trial.info.n_contact > most ? trial.info.n_contact : most;
        }
        assert_true(getenv("COND_VALGRIND") || 50 * most > COND_PARALLEL_FROM);
        hash[k] = cond_state_hash(trial.state);
        trial_end(&trial);
    }
    assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
}

static void test_pose_round_trip_and_refusals(void** state)
{
    (void)state;
    Trial trial = trial_read("springs.yaml", 0, NULL), box = trial_read("drop.yaml", 0, NULL);
    CondPose pose = {{1.0, 2.0, 3.0}, {0.0, 0.0, 3.0, 4.0}, {4.0, 5.0, 6.0}, {7.0, 8.0, 9.0}};
    assert_int_equal(cond_state_set_pose(box.model, box.state, 0, &pose), COND_OK);
    CondPose back = trial_pose(&box, 0);
    for (int i = 0; i < 3; i++) {
        assert_near(back.position[i], pose.position[i], 0.0);
        assert_near(back.velocity[i], pose.velocity[i], 0.0);
        assert_near(back.angular_velocity[i], pose.angular_velocity[i], 1e-14);
    }
    assert_near(back.orientation[2], 0.6, 1e-16);
    uint64_t hash = cond_state_hash(box.state);
    for (size_t i = 0; i < sizeof pose / sizeof(double); i++) {
        CondPose bad = pose;
        double* entry = (double*)(void*)((char*)&bad + i * sizeof(double));
        const double wrong[] = {NAN, INFINITY, -INFINITY};
        for (int k = 0; k < 3; k++) {
            *entry = wrong[k];
            assert_int_equal(cond_state_set_pose(box.model, box.state, 0, &bad), COND_BAD_ARGUMENT);
        }
    }
    CondPose flat = pose;
    memset(flat.orientation, 0, sizeof flat.orientation);
    assert_int_equal(cond_state_set_pose(box.model, box.state, 0, &flat), COND_BAD_ARGUMENT);
    assert_int_equal(cond_state_set_pose(box.model, box.state, 1, &pose), COND_BAD_ARGUMENT);
    assert_int_equal(cond_state_set_pose(box.model, box.state, -1, &pose), COND_BAD_ARGUMENT);
    assert_true(cond_state_hash(box.state) == hash);
    assert_int_equal(cond_state_copy(box.state, trial.state), COND_BAD_ARGUMENT);
    assert_true(cond_state_hash(box.state) == hash);
    assert_near(cond_state_pose(box.model, box.state, 7).orientation[0], 1.0, 0.0);
    trial_end(&trial);
    trial_end(&box);
}

static void test_read_outs(void** state)
{
    (void)state;
    Trial trial = trial_read("push.yaml", 0, NULL);
    double force[3], torque[3];
    // Before any step there is nothing to read; after collide alone there is geometry.
    assert_int_equal(cond_sim_n_contact(trial.sim), 0);
    cond_sim_body_force(trial.sim, 0, force, torque);
    assert_true(force[2] == 0.0 && torque[0] == 0.0);
    assert_int_equal(cond_sim_forces(trial.sim, trial.state), COND_OK);
    assert_int_equal(cond_sim_collide(trial.sim, trial.state), COND_OK);
    assert_int_equal(cond_sim_assemble(trial.sim, trial.state), COND_BAD_ARGUMENT); // without A
    assert_int_equal(cond_sim_n_contact(trial.sim), 4);
    for (int c = 0; c < 4; c++) {
        CondContactInfo contact = cond_sim_contact(trial.sim, c);
        assert_int_equal(contact.body, 0);
        assert_int_equal(contact.plane, 0);
        assert_near(contact.frame[2], 1.0, 0.0);
        assert_near(contact.force[0], 0.0, 0.0);
    }
    cond_sim_body_force(trial.sim, 0, force, torque);
    assert_near(force[2], 0.0, 0.0);
    trial_step(&trial, 3);
    cond_sim_body_force(trial.sim, 0, force, torque);
    assert_near(force[2], 0.5 * 9.81, 1e-6);
    double sum = 0.0;
    for (int c = 0; c < 4; c++) {
        CondContactInfo contact = cond_sim_contact(trial.sim, c);
        sum += contact.impulse[0];
        assert_near(contact.impulse[0], 0.01 * contact.force[0], 1e-9);
        assert_near(contact.friction[1], 0.2, 0.0);
    }
    assert_near(sum, 0.01 * 0.5 * 9.81, 1e-8);
    assert_int_equal(cond_sim_contact(trial.sim, 4).body, -1);
    assert_int_equal(cond_sim_contact(trial.sim, -1).body, -1);
    assert_string_equal(cond_stage_name(COND_STAGE_NODALIZE), "nodalize");
    assert_string_equal(cond_stage_name(COND_STAGE_IMPACT), "impact");
    assert_null(cond_stage_name(COND_N_STAGE));
    trial_end(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stages_make_a_step),
        cmocka_unit_test(test_runs_repeat),
        cmocka_unit_test(test_copies_continue),
        cmocka_unit_test(test_sims_do_not_disturb_each_other),
        cmocka_unit_test(test_hash_sees_every_bit),
        cmocka_unit_test(test_threads_do_not_matter),
        cmocka_unit_test(test_pose_round_trip_and_refusals),
        cmocka_unit_test(test_read_outs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
