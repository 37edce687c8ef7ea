// Runs that run away are ended, and only those; contacts of every method can be read.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cond/snapshot.h"
#include "kinds_make.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A box called "box" above the floor.
static CondScene* box_scene(CondStepMethod method, double height)
{
    CondScene* scene = make_scene();
    cond_scene_settings(scene)->method = method;
    add_floor(scene, 0.5, NAN);
    CondBodyDef box = make_box(5.0, 0.1, 0.1, 0.1, 0.0, 0.0, 0.05 + height);
    strcpy(box.name, "box");
    add_body(scene, &box);
    return scene;
}

// Steps until one diverges and says so; returns how many were made before. The state is that
// before the step.
static int step_to_the_end(Trial* trial, int most, const char* message)
{
    for (int k = 0; k < most; k++) {
        uint64_t before = cond_state_hash(trial->state);
        CondStatus status = cond_sim_step(trial->sim, trial->state, &trial->info);
        if (status != COND_DIVERGED) {
            assert_true(status >= 0);
            assert_int_equal(*cond_sim_message(trial->sim) == 0, status == COND_OK);
            continue;
        }
        assert_int_equal(trial->info.status, COND_DIVERGED);
        assert_true(cond_state_hash(trial->state) == before);
        if (!strstr(cond_sim_message(trial->sim), message))
            fail_msg("'%s' instead of '%s'", cond_sim_message(trial->sim), message);
        return k;
    }
    fail_msg("no step diverged");
    return -1;
}

// Springs that are far too stiff for the step throw the box up.
static void test_energy_runs_away(void** state)
{
    (void)state;
    CondScene* scene = box_scene(COND_STEP_PENALTY, 0.01);
    cond_scene_settings(scene)->penalty_stiffness = 1e9;
    cond_scene_settings(scene)->penalty_damping = 0.0;
    Trial trial = trial_begin(scene);
    step_to_the_end(&trial, 100, "body 'box': the energy has become ");
    CondPose pose = cond_state_pose(trial.model, trial.state, 0);
    assert_true(isfinite(pose.position[2]) && fabs(pose.position[2]) < 1.0);
    // The state is good for a second try, which ends as the first.
    step_to_the_end(&trial, 1, "body 'box': the energy has become ");
    trial_end(&trial);
}

// Without springs the box falls through the floor, with all energy accounted for.
static void test_penetration_runs_away(void** state)
{
    (void)state;
    CondScene* scene = box_scene(COND_STEP_PENALTY, 0.01);
    cond_scene_settings(scene)->penalty_stiffness = 0.0;
    cond_scene_settings(scene)->penalty_damping = 0.0;
    Trial trial = trial_begin(scene);
    step_to_the_end(&trial, 100, "body 'box': 0.1");
    assert_true(trial_gap(&trial) < 0.0 && trial_gap(&trial) >= -0.1);
    trial_end(&trial);
    // What is in the floor from the start is allowed to be, with its size more.
    scene = box_scene(COND_STEP_PENALTY, -0.3);
    cond_scene_settings(scene)->penalty_stiffness = 0.0;
    cond_scene_settings(scene)->penalty_damping = 0.0;
    trial = trial_begin(scene);
    step_to_the_end(&trial, 100, "and 0.3 m at the start");
    assert_true(trial_gap(&trial) < -0.35 && trial_gap(&trial) >= -0.4);
    trial_end(&trial);
}

static void test_not_finite(void** state)
{
    (void)state;
    CondScene* scene = box_scene(COND_STEP_PENALTY, 0.0);
    CondForceDef push = cond_force_def_default();
    strcpy(push.body, "box");
    push.force[0] = 1e99;
    push.point[1] = 1e99; // its torque squared is no number
    add_force(scene, &push);
    Trial trial = trial_begin(scene);
    step_to_the_end(&trial, 5, "not finite");
    trial_end(&trial);
}

// A run that goes on from a saved state is ended at the same step.
static void test_resumed_runs(void** state)
{
    (void)state;
    for (int split = 0; split < 4; split += 3) {
        CondScene* scene = box_scene(COND_STEP_PENALTY, 0.05);
        cond_scene_settings(scene)->penalty_stiffness = 2e6;
        cond_scene_settings(scene)->penalty_damping = 0.0;
        Trial trial = trial_begin(scene);
        Trial other = trial;
        int whole = step_to_the_end(&trial, 200, "box");
        assert_true(whole > 4);
        assert_int_equal(cond_state_create(trial.model, &other.state, NULL), COND_OK);
        assert_int_equal(cond_sim_create(trial.model, &other.sim, NULL), COND_OK);
        trial_try(&other, split);
        size_t size;
        assert_int_equal(cond_state_save(other.model, other.state, NULL, 0, &size), COND_OK);
        void* bytes = malloc(size);
        assert_int_equal(cond_state_save(other.model, other.state, bytes, size, &size), COND_OK);
        cond_sim_destroy(other.sim);
        assert_int_equal(cond_sim_create(trial.model, &other.sim, NULL), COND_OK);
        assert_int_equal(cond_state_load(other.model, other.state, bytes, size, NULL), COND_OK);
        assert_int_equal(step_to_the_end(&other, 200, "box") + split, whole);
        assert_true(cond_state_hash(other.state) == cond_state_hash(trial.state));
        free(bytes);
        cond_sim_destroy(other.sim);
        cond_state_destroy(other.state);
        trial_end(&trial);
    }
}

// Gravity may set free whatever lies below: a fall of a kilometre, and one without an end.
static void test_falls(void** state)
{
    (void)state;
    for (int floor = 0; floor < 2; floor++) {
        CondScene* scene = make_scene();
        if (floor)
            add_floor(scene, 0.5, 0.5);
        CondBodyDef ball = make_particle(1e-3, 0.0, 0.0, 1000.0);
        add_body(scene, &ball);
        Trial trial = trial_begin(scene);
        trial_step(&trial, 1600);
        assert_true(floor || trial_pose(&trial, 0).position[2] < -100.0);
        trial_end(&trial);
    }
}

static CondScene* floating_scene(void)
{
    CondScene* scene = make_scene();
    memset(cond_scene_settings(scene)->gravity, 0, sizeof cond_scene_settings(scene)->gravity);
    return scene;
}

// What is put in counts: by a force, by a motor whose target jumps, by the user who sets a pose or
// pulls; nothing was there before.
static void test_work_is_counted(void** state)
{
    (void)state;
    CondScene* scene = floating_scene();
    CondBodyDef box = make_box(1.0, 0.1, 0.1, 0.1, 0.0, 0.0, 0.0);
    strcpy(box.name, "box");
    add_body(scene, &box);
    CondForceDef push = cond_force_def_default();
    strcpy(push.body, "box");
    push.force[1] = 1e6;
    push.torque[2] = 1e3;
    push.end = 0.5;
    add_force(scene, &push);
    Trial trial = trial_begin(scene);
    trial_step(&trial, 100);
    assert_near(trial_pose(&trial, 0).velocity[1], 5e5, 1.0);
    trial_end(&trial);

    scene = floating_scene();
    cond_scene_settings(scene)->integrator = COND_INTEGRATOR_THETA; // 1e9 N are not for Newton's
    cond_scene_settings(scene)->theta = 1.0;                        // method
    add_body(scene, &box);
    trial = trial_begin(scene);
    trial_step(&trial, 3);
    CondPose pose = trial_pose(&trial, 0);
    pose.velocity[0] = 1e4;
    assert_int_equal(cond_state_set_pose(trial.model, trial.state, 0, &pose), COND_OK);
    trial_step(&trial, 3);
    CondSnapshot* snapshot = NULL;
    assert_int_equal(cond_snapshot_create(NULL, trial.model, &snapshot, NULL), COND_OK);
    const double target[3] = {0.0, 1e5, 0.0};
    assert_int_equal(cond_sim_pull(trial.sim, snapshot, 0, target, 1e4, 10.0), COND_OK);
    trial_step(&trial, 200);
    cond_snapshot_destroy(snapshot);
    trial_end(&trial);
}

static void test_motors_are_counted(void** state)
{
    (void)state;
    write_slider("watch_slider.urdf", 1.0, 0.05);
    for (int method = COND_STEP_VELOCITY; method <= COND_STEP_PBD; method++) {
        CondScene* scene = floating_scene();
        cond_scene_settings(scene)->method = (CondStepMethod)method;
        CondBodyDef robot = make_robot("robot", "watch_slider.urdf");
        robot.motor_stiffness = 100.0;
        robot.motor_damping = 1.0;
        add_body(scene, &robot);
        CondBodyDef box = make_box(1.0, 0.1, 0.1, 0.1, 0.0, 0.0, 0.2);
        strcpy(box.name, "box");
        add_body(scene, &box);
        Trial trial = trial_begin(scene);
        trial_step(&trial, 2);
        for (int k = 1; k <= 20; k++) {
            assert_int_equal(
                cond_state_set_joint_target(trial.model, trial.state, 0, "slide", 0.02 * k),
                COND_OK);
            trial_try(&trial, 1);
        }
        trial_try(&trial, 80);
        assert_true(trial_pose(&trial, 1).velocity[2] > 0.1); // it was hit
        trial_end(&trial);
    }
    remove("watch_slider.urdf");
}

// Frames in space that lead bodies, robots that are told where to go, and bodies that overlap.
static void test_scenes_are_not_accused(void** state)
{
    static const char* const CASES[][3] = {
        {"pusher.yaml", "step.method=velocity", "gravity=[0,0,0]"},
        {"pusher.yaml", "step.method=pbd", "gravity=[0,0,0]"},
        {"capsule.yaml", "step.method=pbd", "gravity=[0,0,-9.81]"},
        {"push.yaml", "step.method=pbd", "bodies.box.position=[0,0,0.06]"},
        {"push.yaml", "step.method=penalty", "bodies.box.position=[0,0,0.06]"},
        {"push.yaml", "step.method=velocity", "bodies.box.position=[0,0,0.06]"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        Trial trial = trial_read(CASES[i][0], 2, CASES[i] + 1);
        trial_try(&trial, 60);
        trial_end(&trial);
    }
}

// The contacts of a box at rest, read one by one, carry its weight with every method.
static void test_contacts_can_be_read(void** state)
{
    (void)state;
    for (int method = COND_STEP_VELOCITY; method <= COND_STEP_PBD; method++) {
        Trial trial = trial_begin(box_scene((CondStepMethod)method, 0.0));
        trial_step(&trial, 100);
        double force = 0.0;
        assert_true(cond_sim_n_contact(trial.sim) >= 4);
        for (int c = 0; c < cond_sim_n_contact(trial.sim); c++) {
            CondContactInfo info = cond_sim_contact(trial.sim, c);
            assert_int_equal(info.body, 0);
            assert_int_equal(info.relaxed, 0);
            assert_near(info.impulse[0], 0.01 * info.force[0], 1e-12);
            for (int i = 0; i < 3; i++)
                assert_near(info.velocity[i], 0.0, 2e-2);
            force += info.force[0];
        }
        assert_near(force, 5.0 * 9.81, 0.5);
        trial_end(&trial);
    }
}

// A particle, which has a place but no axes, rests on a soft block between its nodes.
static void test_particle_on_soft_body(void** state)
{
    (void)state;
    CondScene* scene = make_scene();
    add_floor(scene, 0.4, NAN);
    CondMaterialDef rubber = make_material("rubber", 1e5, 0.01);
    add_material(scene, &rubber);
    CondBodyDef block = make_soft("block", "box:2,2,2:0.1,0.1,0.1", "rubber", 0.0, 0.0, 0.05);
    CondBodyDef particle = make_particle(0.1, 0.01, 0.017, 0.11);
    add_body(scene, &block);
    add_body(scene, &particle);
    Trial trial = trial_begin(scene);
    trial_try(&trial, 100);
    CondResultant sum = cond_sim_pair_force(trial.sim, 1, 0);
    assert_true(sum.n_contact > 0);
    assert_near(sum.force[2], 0.981, 0.05);
    assert_near(trial_pose(&trial, 1).position[0], 0.01, 0.005);
    assert_near(trial_pose(&trial, 1).position[2], 0.1, 0.01);
    trial_end(&trial);
}

// However thin, a rod is its links and the joints between them.
static void test_thin_rods(void** state)
{
    static const double radii[] = {0.03, 0.0041, 1e-3, 1e-6, 1e-9};
    (void)state;
    for (int i = 0; i < 5; i++) {
        CondScene* scene = make_scene();
        CondMaterialDef rubber = make_material("rubber", 1e6, 0.0);
        add_material(scene, &rubber);
        CondBodyDef rod = cond_body_def_default();
        strcpy(rod.name, "rod");
        strcpy(rod.material, "rubber");
        rod.kind = COND_BODY_ROD;
        rod.rod.links = 5;
        rod.rod.length = 0.2;
        rod.rod.circle = radii[i];
        add_body(scene, &rod);
        Trial trial = trial_begin(scene);
        assert_int_equal(trial.model->n_feature, 6);
        trial_end(&trial);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_energy_runs_away),
        cmocka_unit_test(test_penetration_runs_away),
        cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_resumed_runs),
        cmocka_unit_test(test_falls),
        cmocka_unit_test(test_work_is_counted),
        cmocka_unit_test(test_motors_are_counted),
        cmocka_unit_test(test_scenes_are_not_accused),
        cmocka_unit_test(test_contacts_can_be_read),
        cmocka_unit_test(test_particle_on_soft_body),
        cmocka_unit_test(test_thin_rods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
