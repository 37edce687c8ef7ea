// Steps that know their error: motions against theory, whole steps outside, the same bits whenever
// and however a run goes on, and what happens where the accuracy cannot be reached.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "scene_make.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static Trial begin(const char* scene, const char* accuracy, const char* more)
{
    const char* set[] = {accuracy, "step.time_step=0.01", more};
    return trial_read(scene, more ? 3 : 2, set);
}

static int n_step(const Trial* trial)
{
    const CondSceneSettings* settings = cond_model_settings(trial->model);
    return (int)(settings->duration / settings->time_step + 0.5);
}

// A billiard ball that slides and then rolls: y as theory has it.
static void motions_are_as_near_as_asked_for(void** state)
{
    static const double y = -0.115309242963; // tools/make_motion.py
    (void)state;
    double error[3];
    const char* accuracy[] = {"step.accuracy=0", "step.accuracy=1e-3", "step.accuracy=1e-5"};
    for (int k = 0; k < 3; k++) {
        Trial trial = begin("motion/billiard.yaml", accuracy[k], NULL);
        int pieces = 0, attempts = 0;
        for (int n = n_step(&trial); n > 0; n--) {
            trial_step(&trial, 1);
            pieces += trial.info.pieces;
            attempts += trial.info.attempts;
            assert_true(k > 0 || (trial.info.pieces == 1 && trial.info.error == 0.0));
            if (k > 0)
                assert_true(trial.info.error <= (k == 1 ? 1e-3 : 1e-5));
        }
        assert_true(k == 0 || pieces > 2 * n_step(&trial));
        assert_true(k == 0 || attempts < 3 * pieces); // what goes on as it was is not made twice
        error[k] = fabs(trial_pose(&trial, 0).position[1] - y) / 0.115;
        trial_end(&trial);
    }
    assert_true(error[0] > 5.0 * error[2]);
    assert_true(error[1] < 5e-3);
    assert_true(error[2] < 2e-4);
}

// Vibrations that reports at the rate of the steps cannot show, of a block whose nodes slip and
// stick and of a cable whose links land on a drum, do not decide the lengths of pieces.
static void vibrations_are_not_followed(void** state)
{
    static const struct {
        const char* scene;
        int body, axis, most; // most: pieces that may be begun
        double place, scale;  // as cli/bench_motion_cases.c has them [m]
    } cases[] = {
        {"motion/soft_block_slides.yaml", 0, 0, 800, 0.5617, 0.5},
        {"motion/atwood_smooth.yaml", 2, 2, 1200, -0.656313, 0.16},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        Trial trial = begin(cases[k].scene, "step.accuracy=1e-3", NULL);
        int attempts = 0;
        for (int n = n_step(&trial); n > 0; n--) {
            trial_step(&trial, 1);
            attempts += trial.info.attempts;
        }
        double error = trial_pose(&trial, cases[k].body).position[cases[k].axis] - cases[k].place;
        assert_true(fabs(error) < 5e-3 * cases[k].scale);
        assert_true(attempts < cases[k].most);
        trial_end(&trial);
    }
}

// Outside, a step stays a step, and what is read from it is its mean: the momentum of a ball that
// bounces within it changes by the impulses that are reported.
static void steps_stay_steps(void** state)
{
    (void)state;
    Trial trial = begin("motion/bounces.yaml", "step.accuracy=1e-3", NULL);
    int bounced = 0;
    for (int k = 0; k < 120; k++) {
        double before = trial_pose(&trial, 0).velocity[2], force[3], torque[3];
        trial_step(&trial, 1);
        double change = trial_pose(&trial, 0).velocity[2] - before;
        cond_sim_body_force(trial.sim, 0, force, torque);
        assert_near(change, 0.01 * (force[2] - 9.81), 1e-9);
        assert_true(cond_state_time(trial.state) == (k + 1) * 0.01);
        bounced += force[2] > 0.0;
    }
    assert_true(bounced >= 2);
    trial_end(&trial);
}

static uint64_t hash_after(Trial* trial, int n)
{
    trial_step(trial, n);
    return cond_state_hash(trial->state);
}

// A run that goes on from bytes, one with more threads, and one that goes on with a copy of the
// state in another workspace have the same bits.
static void bits_are_the_same(void** state)
{
    static const char* const scenes[] = {"motion/block_rocks.yaml", "motion/soft_block_slides.yaml",
                                         "motion/bounces.yaml"};
    (void)state;
    for (size_t s = 0; s < sizeof scenes / sizeof scenes[0]; s++) {
        Trial a = begin(scenes[s], "step.accuracy=1e-3", "solver.threads=1");
        Trial b = begin(scenes[s], "step.accuracy=1e-3", "solver.threads=3");
        trial_step(&a, 4);
        size_t size = 0;
        assert_int_equal(cond_state_save(a.model, a.state, NULL, 0, &size), COND_OK);
        void* bytes = malloc(size);
        assert_int_equal(cond_state_save(a.model, a.state, bytes, size, &size), COND_OK);
        uint64_t last = hash_after(&a, 8);
        assert_int_equal(cond_state_load(b.model, b.state, bytes, size, NULL), COND_OK);
        assert_true(hash_after(&b, 8) == last);
        trial_end(&b);
        free(bytes);
        b = begin(scenes[s], "step.accuracy=1e-3", "step.sleeping=false");
        assert_true(hash_after(&b, 12) == last);
        trial_end(&b);
        trial_end(&a);
    }
}

// Joint targets move in proportion over the pieces, and are there at the end of the step.
static void targets_move_in_proportion(void** state)
{
    (void)state;
    Trial trial = begin("motion/robot_pendulum.yaml", "step.accuracy=1e-3", NULL);
    int arm = cond_model_find_coordinate(trial.model, 0, "arm");
    double turned = 0.0, rate = 0.0;
    for (int k = 0; k < 20; k++) {
        assert_int_equal(cond_state_move_target(trial.model, trial.state, 0, arm, 0.02 * (k + 1)),
                         COND_OK);
        trial_try(&trial, 1);
    }
    cond_state_coordinate(trial.model, trial.state, 0, arm, &turned, &rate);
    assert_near(rate, 2.0, 0.1); // it follows a target that moves at 2 rad/s
    assert_near(turned, 0.4, 0.05);
    trial_end(&trial);
}

// What cannot be reached is said, and the step is made all the same.
static void too_many_pieces_are_said(void** state)
{
    (void)state;
    Trial trial = begin("motion/whip.yaml", "step.accuracy=1e-10", "step.substeps=1");
    assert_int_equal(cond_sim_step(trial.sim, trial.state, &trial.info), COND_NOT_CONVERGED);
    assert_true(trial.info.error > 1e-10);
    assert_non_null(strstr(cond_sim_message(trial.sim), "step.accuracy: after "));
    assert_true(cond_state_time(trial.state) == 0.01);
    trial_end(&trial);
}

static void baselines_refuse_it(void** state)
{
    (void)state;
    const char* set[] = {"step.accuracy=1e-3", "step.method=pbd"};
    CondScene* scene = NULL;
    CondModel* model = NULL;
    CondSim* sim = NULL;
    CondError error;
    assert_int_equal(
        cond_scene_read(NULL, COND_SCENES "/motion/billiard.yaml", 2, set, &scene, &error),
        COND_OK);
    assert_int_equal(cond_scene_compile(scene, &model, &error), COND_OK);
    assert_int_equal(cond_sim_create(model, &sim, &error), COND_NOT_SUPPORTED);
    assert_non_null(strstr(error.message, "step.accuracy"));
    cond_model_destroy(model);
    cond_scene_destroy(scene);
}

// Memory that runs out anywhere in the first step leaves the state as it was.
static void memory_runs_out(void** state)
{
    (void)state;
    const char* set[] = {"step.accuracy=1e-3", "step.time_step=0.01", "solver.threads=1"};
    int done = 0;
    for (long fail_at = 0; !done; fail_at++) {
        FailingAllocator allocator = {.fail_at = 0};
        CondContext context = failing_allocator_context(&allocator);
        CondScene* scene = NULL;
        CondModel* model = NULL;
        CondState* at = NULL;
        CondSim* sim = NULL;
        CondStepInfo info;
        CondError error;
        if (cond_scene_read(&context, COND_SCENES "/motion/block_rocks.yaml", 3, set, &scene,
                            &error) ||
            cond_scene_compile(scene, &model, &error) || cond_state_create(model, &at, &error) ||
            cond_sim_create(model, &sim, &error))
            fail_msg("%s", error.message);
        allocator.fail_at = allocator.calls + 1 + fail_at;
        uint64_t before = cond_state_hash(at);
        CondStatus status = cond_sim_step(sim, at, &info);
        if (status == COND_OUT_OF_MEMORY)
            assert_true(cond_state_hash(at) == before);
        else
            assert_int_equal(status, COND_OK);
        done = allocator.calls < allocator.fail_at;
        allocator.fail_at = 0;
        assert_int_equal(cond_sim_step(sim, at, &info), COND_OK);
        cond_sim_destroy(sim);
        cond_state_destroy(at);
        cond_model_destroy(model);
        cond_scene_destroy(scene);
        assert_int_equal(allocator.live, 0);
        assert_true(fail_at < 1000);
    }
}

// Between two states: a body that falls and turns is where theory has it; refused where the time or
// the states are not such.
static void states_in_between(void** state)
{
    (void)state;
    const char* set[] = {"step.time_step=0.01"};
    Trial trial = trial_read("motion/spring_pendulum.yaml", 1, set);
    CondState *from = NULL, *made = NULL;
    assert_int_equal(cond_state_create(trial.model, &from, NULL), COND_OK);
    assert_int_equal(cond_state_create(trial.model, &made, NULL), COND_OK);
    const char* fine[] = {"step.time_step=0.001"};
    Trial other = trial_read("motion/spring_pendulum.yaml", 1, fine);
    for (int k = 0; k < 20; k++) {
        assert_int_equal(cond_state_copy(from, trial.state), COND_OK);
        trial_step(&trial, 1);
        trial_step(&other, 3);
        assert_int_equal(cond_state_between(trial.model, from, trial.state, k * 0.01 + 0.003, made),
                         COND_OK);
        CondPose pose = cond_state_pose(trial.model, made, 0), expected = trial_pose(&other, 0);
        for (int i = 0; i < 3; i++) {
            assert_near(pose.position[i], expected.position[i], 2e-4);
            assert_near(pose.velocity[i], expected.velocity[i], 2e-2);
        }
        trial_step(&other, 7);
    }
    double t = cond_state_time(from);
    assert_int_equal(cond_state_between(trial.model, from, trial.state, t, made), COND_OK);
    assert_true(cond_state_hash(made) == cond_state_hash(from));
    assert_int_equal(cond_state_between(trial.model, from, trial.state, t + 0.02, made),
                     COND_BAD_ARGUMENT);
    assert_int_equal(cond_state_between(trial.model, from, trial.state, t, from),
                     COND_BAD_ARGUMENT);
    cond_state_destroy(from);
    cond_state_destroy(made);
    trial_end(&trial);
    trial_end(&other);
}

// What the works of all steps add up to: friction takes the energy of a box that slides to rest,
// none of a ball that rolls, and impacts that of a ball that bounces; they account for all of the
// change.
static void works_add_up(void** state)
{
    static const struct {
        const char* scene;
        double seconds, friction, impact, tolerance; // [s, J]
    } cases[] = {
        {"motion/slide_stop.yaml", 1.0, -2.0, 0.0, 1e-5},
        {"motion/ball_slope.yaml", 1.0, 0.0, 0.0, 1e-6},
        {"motion/bounces.yaml", 0.6, 0.0, -0.36 * 9.81, 2e-3},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const char* set[] = {"step.time_step=0.001"};
        Trial trial = trial_read(cases[k].scene, 1, set);
        double friction = 0.0, impact = 0.0, all = 0.0, start = 0.0;
        for (int n = 0; n < (int)(1000.0 * cases[k].seconds + 0.5); n++) {
            trial_step(&trial, 1);
            const CondStepInfo* info = &trial.info;
            if (n == 0)
                start = info->kinetic_before + info->potential_before;
            friction += info->work_friction;
            impact += info->work_impact;
            all += info->work_friction + info->work_impact + info->work_given + info->work_damping +
                   info->work_numerical + info->work_correction + info->work_other;
        }
        double end = trial.info.kinetic_after + trial.info.potential_after;
        assert_near(friction, cases[k].friction, cases[k].tolerance);
        assert_near(impact, cases[k].impact, cases[k].tolerance);
        assert_near(all, end - start, 1e-9);
        trial_end(&trial);
    }
}

// The works that are measured by themselves add up to the change of energy: soft bodies that
// bounce and lie beside others, a cable that slides over a drum, a robot with a motor, a belt, a
// block that rocks; in fixed steps and in pieces. No work but that of what is given is above zero.
static void balance_closes(void** state)
{
    static const char* const scenes[] = {
        "motion/soft_ball_bounces.yaml", "motion/capstan.yaml",     "motion/robot_pendulum.yaml",
        "motion/conveyor.yaml",          "motion/block_rocks.yaml", "motion/disc_and_soft.yaml"};
    static const char* const accuracies[] = {"step.accuracy=0", "step.accuracy=1e-2"};
    (void)state;
    for (size_t s = 0; s < sizeof scenes / sizeof scenes[0]; s++)
        for (int k = 0; k < 2; k++) {
            Trial trial = begin(scenes[s], accuracies[k], NULL);
            double works = 0.0, given = 0.0, start = 0.0, peak = 0.0, worst = 0.0, gained = 0.0;
            int n_step_of = n_step(&trial);
            for (int n = 0; n < n_step_of && n < 50; n++) {
                trial_step(&trial, 1);
                const CondStepInfo* info = &trial.info;
                double energy = info->kinetic_after + info->potential_after;
                start = n == 0 ? info->kinetic_before + info->potential_before : start;
                peak = fmax(peak, fmax(info->kinetic_before, info->kinetic_after));
                given += info->work_given;
                works += info->work_friction + info->work_impact + info->work_given +
                         info->work_damping + info->work_numerical + info->work_correction;
                worst = fmax(worst, fabs(energy - start - works));
                gained = fmax(gained, energy - start - given);
                assert_true(info->work_damping <= 0.0 && info->work_correction <= 1e-6 * peak);
            }
            assert_true(peak > 0.0);
            assert_true(worst <= 1e-6 * peak);
            assert_true(gained <= 1e-6 * peak);
            trial_end(&trial);
        }
}

// Spectral damping in pieces of a step: none unless it is asked for; then what lies on the floor
// loses by it, and the motion of the whole hardly does.
static void damping_holds_in_pieces(void** state)
{
    static const char* const damping[] = {"step.damping=0", "step.damping=1"};
    (void)state;
    double lost[2] = {0.0, 0.0}, place[2];
    for (int k = 0; k < 2; k++) {
        Trial trial = begin("motion/soft_block_slides.yaml", "step.accuracy=1e-2", damping[k]);
        for (int n = 0; n < 10; n++) {
            trial_step(&trial, 1);
            lost[k] += trial.info.work_numerical;
        }
        place[k] = trial_pose(&trial, 0).position[0];
        trial_end(&trial);
    }
    assert_true(lost[0] == 0.0);
    assert_true(lost[1] < -1e-6);
    assert_near(place[1], place[0], 0.01 * place[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motions_are_as_near_as_asked_for),
        cmocka_unit_test(vibrations_are_not_followed),
        cmocka_unit_test(steps_stay_steps),
        cmocka_unit_test(bits_are_the_same),
        cmocka_unit_test(targets_move_in_proportion),
        cmocka_unit_test(too_many_pieces_are_said),
        cmocka_unit_test(baselines_refuse_it),
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(states_in_between),
        cmocka_unit_test(works_add_up),
        cmocka_unit_test(balance_closes),
        cmocka_unit_test(damping_holds_in_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
