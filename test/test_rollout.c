// Rollouts: the same bits as states led one by one, for any number of threads; controls of every
// kind; failures and cancelling leave what is finished.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kinds_make.h"

#include "cond/rollout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 5, STEPS = 6 };

// Arrays of a rollout of N states.
typedef struct Arrays {
    double *control, *state, *sensor, *certificate;
    int status[N * STEPS], finished[N];
    CondState* end[N];
    CondRolloutDef def;
} Arrays;

static Arrays begin_arrays(const Trial* trial, int controls)
{
    Arrays a;
    size_t n_control = (size_t)cond_model_n_control(trial->model, controls);
    Dice dice = {7};
    a.control = malloc(N * STEPS * (n_control + 1) * sizeof(double));
    for (size_t i = 0; i < N * STEPS * n_control; i++)
        a.control[i] = dice_uniform(&dice, -0.3, 0.3);
    a.state = malloc(N * STEPS * (size_t)cond_model_n_state(trial->model) * sizeof(double));
    a.sensor = malloc(N * STEPS * COND_SENSOR_SIZE *
                      ((size_t)cond_model_n_sensor(trial->model) + 1) * sizeof(double));
    a.certificate = malloc(N * STEPS * sizeof(double));
    for (int i = 0; i < N; i++) {
        assert_int_equal(cond_state_create(trial->model, &a.end[i], NULL), COND_OK);
        assert_int_equal(cond_state_copy(a.end[i], trial->state), COND_OK);
    }
    a.def = cond_rollout_def_default();
    a.def.n_step = STEPS;
    a.def.controls = controls;
    a.def.control = a.control;
    a.def.state = a.state;
    a.def.sensor = a.sensor;
    a.def.certificate = a.certificate;
    return a;
}

static void end_arrays(Arrays* a)
{
    free(a->control), free(a->state), free(a->sensor), free(a->certificate);
    for (int i = 0; i < N; i++)
        cond_state_destroy(a->end[i]);
}

static CondStatus run(const Trial* trial, int threads, Arrays* a)
{
    CondRollout* rollout;
    CondError error = {.message = ""};
    assert_int_equal(cond_rollout_create(trial->model, threads, &rollout, &error), COND_OK);
    a->def.status = a->status;
    a->def.finished = a->finished;
    CondStatus status = cond_rollout_run(rollout, N, a->end, &a->def, &error);
    cond_rollout_destroy(rollout);
    return status;
}

// State i led by its own controls and compared with what the rollout says.
static void check_alone(Trial* trial, const Arrays* a, int i)
{
    const CondModel* model = trial->model;
    CondState* state;
    CondSim* sim;
    int n_control = cond_model_n_control(model, a->def.controls), n = cond_model_n_dof(model);
    int n_state = cond_model_n_state(model), n_motor = cond_model_n_coordinate(model, 0);
    assert_int_equal(cond_state_create(model, &state, NULL), COND_OK);
    assert_int_equal(cond_sim_create(model, &sim, NULL), COND_OK);
    assert_int_equal(cond_state_copy(state, trial->state), COND_OK);
    for (int k = 0; k < STEPS; k++) {
        const double* control = a->control + (size_t)(i * STEPS + k) * (size_t)n_control;
        const double* row = a->state + (size_t)(i * STEPS + k) * (size_t)n_state;
        CondStepInfo info;
        assert_int_equal(cond_state_set_targets(model, state, 0, NULL, 0, NULL, control), COND_OK);
        assert_int_equal(cond_state_set_force(model, state, 0, control + n_motor), COND_OK);
        assert_true(cond_sim_step(sim, state, &info) >= 0);
        assert_true(row[0] == cond_state_time(state));
        assert_memory_equal(row + n_state - n, cond_state_velocity(state),
                            (size_t)n * sizeof(double));
        assert_true(a->certificate[i * STEPS + k] ==
                    cond_certificate_residual(&info.solve.certificate));
        assert_int_equal(a->status[i * STEPS + k], info.status);
    }
    assert_true(cond_state_hash(state) == cond_state_hash(a->end[i]));
    assert_int_equal(a->finished[i], STEPS);
    cond_state_destroy(state);
    cond_sim_destroy(sim);
}

static void test_same_bits_as_alone(void** state)
{
    (void)state;
    Trial trial = trial_read("walk.yaml", 0, NULL);
    for (int threads = 1; threads <= 3; threads += 2) {
        Arrays a = begin_arrays(&trial, COND_CONTROL_TORQUE | COND_CONTROL_FORCE);
        assert_true(run(&trial, threads, &a) >= 0);
        for (int i = 0; i < N; i++)
            check_alone(&trial, &a, i);
        end_arrays(&a);
    }
    trial_end(&trial);
}

static void test_targets(void** state)
{
    (void)state;
    Trial trial = trial_read("quadruped.yaml", 0, NULL);
    int n = 0;
    for (int b = 0; b < cond_model_n_body(trial.model); b++)
        n += cond_model_n_coordinate(trial.model, b);
    assert_int_equal(cond_model_n_control(trial.model, 0), 0);
    assert_int_equal(cond_model_n_control(trial.model, COND_CONTROL_TARGET | COND_CONTROL_SPEED),
                     2 * n);
    assert_int_equal(cond_model_n_control(trial.model, COND_CONTROL_TARGET | COND_CONTROL_MOVE),
                     -1);
    Arrays held = begin_arrays(&trial, COND_CONTROL_TARGET);
    Arrays moved = begin_arrays(&trial, COND_CONTROL_MOVE);
    assert_true(run(&trial, 1, &held) >= 0 && run(&trial, 1, &moved) >= 0);
    assert_true(cond_state_hash(held.end[0]) != cond_state_hash(moved.end[0]));
    end_arrays(&held);
    end_arrays(&moved);
    trial_end(&trial);
}

static void test_sensors(void** state)
{
    (void)state;
    Trial trial = trial_read("forces.yaml", 0, NULL);
    Arrays a = begin_arrays(&trial, 0);
    int n = cond_model_n_sensor(trial.model);
    assert_true(n > 0);
    assert_true(run(&trial, 2, &a) >= 0);
    trial_try(&trial, STEPS);
    for (int s = 0; s < n; s++) {
        CondSensorReading reading;
        const double* row = a.sensor + ((size_t)(N * STEPS - 1) * (size_t)n + (size_t)s) * 6;
        assert_int_equal(cond_sim_sensor(trial.sim, s, &reading), COND_OK);
        if (cond_model_sensor_kind(trial.model, s) <= COND_SENSOR_JOINT)
            assert_memory_equal(row, reading.force, sizeof reading.force);
    }
    end_arrays(&a);
    trial_end(&trial);
}

// A control that makes no sense ends the rows of its state, and of no other.
static void test_failure_ends_one_state(void** state)
{
    (void)state;
    Trial trial = trial_read("walk.yaml", 0, NULL);
    Arrays a = begin_arrays(&trial, COND_CONTROL_TORQUE);
    int n = cond_model_n_control(trial.model, COND_CONTROL_TORQUE);
    a.control[(size_t)(1 * STEPS + 2) * (size_t)n] = NAN;
    assert_true(run(&trial, 2, &a) >= 0);
    assert_int_equal(a.finished[1], 2);
    assert_int_equal(a.status[STEPS + 2], COND_BAD_ARGUMENT);
    assert_int_equal(a.status[STEPS + 3], COND_CANCELLED);
    assert_true(isnan(a.certificate[STEPS + 2]) && !isnan(a.certificate[STEPS + 1]));
    assert_int_equal(a.finished[0], STEPS);
    assert_int_equal(a.finished[2], STEPS);
    end_arrays(&a);
    trial_end(&trial);
}

static int stop_at_third(void* user)
{
    return ++*(int*)user >= 3;
}

static void test_cancelled(void** state)
{
    (void)state;
    Trial trial = trial_read("walk.yaml", 0, NULL);
    Arrays a = begin_arrays(&trial, 0);
    int asked = 0;
    a.def.cancelled = stop_at_third;
    a.def.user = &asked;
    assert_int_equal(run(&trial, 1, &a), COND_CANCELLED);
    assert_int_equal(a.finished[0], 2);
    assert_int_equal(a.finished[1], 0);
    assert_true(!isnan(a.certificate[1]) && isnan(a.certificate[2]));
    end_arrays(&a);
    trial_end(&trial);
}

static void test_refusals(void** state)
{
    (void)state;
    Trial trial = trial_read("push.yaml", 0, NULL);
    CondRollout* rollout;
    CondError error;
    CondRolloutDef def = cond_rollout_def_default();
    assert_int_equal(cond_rollout_create(trial.model, -1, &rollout, &error), COND_BAD_ARGUMENT);
    assert_int_equal(cond_rollout_create(trial.model, 1, &rollout, &error), COND_OK);
    assert_int_equal(cond_rollout_run(rollout, 0, NULL, &def, &error), COND_OK);
    def.controls = COND_CONTROL_FORCE;
    assert_int_equal(cond_rollout_run(rollout, 1, &trial.state, &def, &error), COND_BAD_ARGUMENT);
    def.controls = 64;
    assert_int_equal(cond_rollout_run(rollout, 1, &trial.state, &def, &error), COND_BAD_ARGUMENT);
    def = (CondRolloutDef){0};
    assert_int_equal(cond_rollout_run(rollout, 1, &trial.state, &def, &error), COND_BAD_ARGUMENT);
    cond_rollout_destroy(rollout);
    cond_rollout_destroy(NULL);
    trial_end(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits_as_alone),
        cmocka_unit_test(test_targets),
        cmocka_unit_test(test_sensors),
        cmocka_unit_test(test_failure_ends_one_state),
        cmocka_unit_test(test_cancelled),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
