// Contacts that a step violates at its end enter its problem, which is solved again.
#include "scene_make.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

// A particle 1 mm over the floor at 3 m/s, whose contact is not found at the start of the step.
static Trial fall(int rounds, double restitution)
{
    CondScene* scene = make_scene();
    CondBodyDef ball = make_particle(2.0, 0.0, 0.0, 1e-3);
    ball.velocity[0] = 0.5;
    ball.velocity[2] = -3.0;
    add_body(scene, &ball);
    add_floor(scene, 0.1, restitution);
    CondSceneSettings* settings = cond_scene_settings(scene);
    settings->time_step = 0.01;
    settings->integrator = COND_INTEGRATOR_THETA; // implicit Euler before it touches too
    settings->theta = 1.0;
    settings->rounds = rounds;
    settings->margin = 1e-5;
    settings->position_correction = 0;
    return trial_begin(scene);
}

// Without rounds it is 30 mm deep after the step; with them it stops on the floor, and friction
// takes its share: mu times the normal impulse.
static void test_contact_found_at_the_end(void** state)
{
    (void)state;
    Trial trial = fall(0, 0.0);
    trial_try(&trial, 1);
    assert_int_equal(trial.info.status, COND_TOO_DEEP); // and it is said
    assert_int_equal(trial.info.rounds, 0);
    assert_near(trial.info.penetration, 0.03 - 0.001 + 9.81e-4, 1e-9);
    trial_end(&trial);

    trial = fall(6, 0.0);
    trial_step(&trial, 1);
    assert_int_equal(trial.info.rounds, 1);
    assert_int_equal(trial.info.added, 1);
    assert_int_equal(trial.info.n_contact, 1);
    assert_true(trial.info.penetration < 1e-9);
    CondPose pose = trial_pose(&trial, 0);
    double normal = 3.0 + 0.0981 - 0.1; // of v, until it arrives after the 1 mm
    assert_near(pose.position[2], 0.0, 1e-9);
    assert_near(pose.velocity[0], 0.5 - 0.1 * normal, 1e-7);
    double force[3], torque[3];
    cond_sim_body_force(trial.sim, 0, force, torque);
    assert_near(force[2], 2.0 * normal / 0.01, 1e-4);
    trial_end(&trial);
}

// What is found late bounces as well, with the speed that it arrives with after 1 mm.
static void test_late_contact_bounces(void** state)
{
    (void)state;
    Trial trial = fall(6, 0.5);
    trial_step(&trial, 1);
    assert_int_equal(trial.info.rounds, 1);
    assert_near(trial_pose(&trial, 0).velocity[2], 0.5 * sqrt(9.0 + 2.0 * 9.81 * 0.001), 1e-6);
    trial_end(&trial);
}

// Penetration that the step began with is not turned into speed.
static void test_old_penetration_makes_no_speed(void** state)
{
    (void)state;
    CondScene* scene = make_scene();
    CondBodyDef box = make_box(1.0, 0.1, 0.1, 0.1, 0.0, 0.0, 0.03);
    add_body(scene, &box);
    add_floor(scene, 0.5, NAN);
    CondSceneSettings* settings = cond_scene_settings(scene);
    settings->position_correction = 0;
    settings->margin = 0.0;
    Trial trial = trial_begin(scene);
    trial_step(&trial, 20);
    CondPose pose = trial_pose(&trial, 0);
    for (int i = 0; i < 3; i++) {
        assert_near(pose.velocity[i], 0.0, 1e-7);
        assert_near(pose.position[i], i == 2 ? 0.03 : 0.0, 1e-7);
    }
    trial_end(&trial);
}

// A heavy paddle turns by 0.3 rad in a step and strikes a particle. A linear motion takes the
// particle to 0.1 m 0.3 in front of the axis; the face, turned, is at 0.1 m tan 0.3, nearly half a
// millimetre beyond it when its own thickness is counted.
static double strike(int rounds)
{
    CondScene* scene = make_scene();
    CondBodyDef paddle = make_box(100.0, 0.5, 0.02, 0.1, 0.0, 0.0, 0.0);
    CondBodyDef ball = make_particle(1e-3, 0.1, 0.0101, 0.0);
    paddle.angular_velocity[2] = 30.0;
    add_body(scene, &paddle);
    add_body(scene, &ball);
    CondSceneSettings* settings = cond_scene_settings(scene);
    settings->time_step = 0.01;
    settings->integrator = COND_INTEGRATOR_THETA; // implicit Euler before it touches too
    settings->theta = 1.0;
    settings->rounds = rounds;
    settings->gravity[2] = 0.0;
    Trial trial = trial_begin(scene);
    trial_step(&trial, 1);
    double depth = trial.info.penetration;
    trial_end(&trial);
    return depth;
}

static void test_turned_normals(void** state)
{
    (void)state;
    assert_true(strike(0) > 4e-4);
    assert_true(strike(6) < 1e-6);
}

// Where nothing is violated the rounds change no bit.
static void test_no_bit_changes_without_violation(void** state)
{
    (void)state;
    uint64_t hash[2];
    for (int k = 0; k < 2; k++) {
        const char* set[] = {k ? "step.rounds=6" : "step.rounds=0"};
        Trial trial = trial_read("push.yaml", 1, set);
        for (int i = 0; i < 20; i++) {
            trial_step(&trial, 1);
            assert_int_equal(trial.info.rounds, 0);
        }
        hash[k] = cond_state_hash(trial.state);
        trial_end(&trial);
    }
    assert_true(hash[0] == hash[1]);
}

// A heavy box at 8 m/s meets a row of boxes at rest, whose gaps are wider than what the step looks
// for around bodies at rest. The impact runs through all of them within one step, and finds the
// gaps it closes at once, not one a round.
static void test_impact_runs_through_a_row(void** state)
{
    enum { N = 12 };
    const double size = 0.1, gap = 1.5e-3, first = 1e-2, speed = 8.0, heavy = 200.0, t = 0.005;
    (void)state;
    CondScene* scene = make_scene();
    CondBodyDef box = make_box(heavy, size, size, size, -size - first, 0.0, 0.0);
    box.velocity[0] = speed;
    add_body(scene, &box);
    for (int k = 0; k < N; k++) {
        box = make_box(1.0, size, size, size, k * (size + gap), 0.0, 0.0);
        add_body(scene, &box);
    }
    CondSceneSettings* settings = cond_scene_settings(scene);
    settings->time_step = t;
    settings->gravity[2] = 0.0;
    Trial trial = trial_begin(scene);
    trial_step(&trial, 1);
    assert_int_equal(trial.info.substeps, 1);
    assert_in_range(trial.info.rounds, 1, 2);
    assert_true(trial.info.penetration < 1e-6);
    // All end the step in touch: box k has gone as far as the heavy one less the gaps between them,
    // and momentum is kept.
    double behind = 0.0, total = 0.0;
    for (int k = 0; k < N; k++)
        total += (first + k * gap) / t;
    double fastest = (heavy * speed + total) / (heavy + N);
    for (int k = 0; k <= N; k++) {
        assert_near(trial_pose(&trial, k).velocity[0], fastest - behind, 1e-5);
        behind += (k == 0 ? first : gap) / t;
    }
    trial_end(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contact_found_at_the_end),
        cmocka_unit_test(test_late_contact_bounces),
        cmocka_unit_test(test_old_penetration_makes_no_speed),
        cmocka_unit_test(test_turned_normals),
        cmocka_unit_test(test_no_bit_changes_without_violation),
        cmocka_unit_test(test_impact_runs_through_a_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
