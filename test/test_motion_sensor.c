// Sensors of motion and of range against closed forms.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene_make.h"

#include "cond/record.h"
#include "cond/recording.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SENSORS                                                                                    \
    "sensors:\n"                                                                                   \
    "  - {name: imu, body: box, point: [0.1, 0, 0], measures: imu}\n"                              \
    "  - {name: eye, body: box, measures: range, range: 5, rotation: {axis: [1, 0, 0], "           \
    "degrees: 180}}\n"

static CondSensorReading read(const Trial* trial, int sensor)
{
    CondSensorReading reading;
    assert_int_equal(cond_sim_sensor(trial->sim, sensor, &reading), COND_OK);
    return reading;
}

// In free fall nothing is felt but the turning: w^2 r inward. The eye looks down at the floor.
static void test_flight(void** state)
{
    (void)state;
    Trial trial = trial_text("step: {time_step: 1.0e-4}\nplanes: [{name: floor}]\n",
                             "bodies:\n  - {name: box, mass: 2, shape: {box: [0.2, 0.2, 0.2]}, "
                             "position: [0, 0, 3], angular_velocity: [0, 0, 4]}\n" SENSORS);
    assert_int_equal(cond_model_sensor_kind(trial.model, 0), COND_SENSOR_IMU);
    assert_int_equal(cond_model_sensor_kind(trial.model, 1), COND_SENSOR_RANGE);
    trial_step(&trial, 500);
    CondSensorReading imu = read(&trial, 0), eye = read(&trial, 1);
    assert_near(imu.acceleration[0], -4.0 * 4.0 * 0.1, 1e-4);
    assert_near(imu.acceleration[1], 0.0, 1e-3); // the mean over the step lags by half of it
    assert_near(imu.acceleration[2], 0.0, 1e-8);
    assert_near(imu.angular_velocity[2], 4.0, 1e-9);
    assert_near(eye.distance, trial_pose(&trial, 0).position[2], 1e-9);
    trial_end(&trial);
}

// At rest the floor is felt: g upward; what lies between the eye and the floor is seen first.
static void test_rest(void** state)
{
    (void)state;
    Trial trial = trial_text(
        "step: {time_step: 0.005}\nplanes: [{name: floor, friction: 0.5}]\n",
        "bodies:\n  - {name: box, mass: 2, shape: {box: [0.2, 0.2, 0.2]}, position: [0, 0, 0.5]}\n"
        "  - {name: table, mass: 5, shape: {box: [0.6, 0.6, 0.4]}, position: [0, 0, "
        "0.2]}\n" SENSORS);
    trial_step(&trial, 100);
    CondSensorReading imu = read(&trial, 0), eye = read(&trial, 1);
    assert_near(imu.acceleration[2], 9.81, 1e-6);
    assert_near(imu.acceleration[0], 0.0, 1e-6);
    assert_near(eye.distance, 0.1, 1e-6); // from its middle to the table
    trial_end(&trial);
}

// A recording holds what they read, infinity of an eye that sees nothing included.
static void test_recorded(void** state)
{
    (void)state;
    Trial trial = trial_text("step: {time_step: 0.005}\n",
                             "bodies:\n  - {name: box, mass: 2, shape: {box: [0.2, 0.2, 0.2]}, "
                             "position: [0, 0, 0.5], angular_velocity: [0, 0, 4]}\n" SENSORS);
    CondRecord* record;
    CondRecording* recording;
    CondError error;
    const CondMoment* moment;
    assert_int_equal(cond_record_open(NULL, "motion.h5", trial.model, NULL, &record, &error),
                     COND_OK);
    for (int k = 0; k < 3; k++) {
        trial_step(&trial, 1);
        assert_int_equal(cond_record_frame(record, trial.sim, trial.state, NULL, &error), COND_OK);
    }
    cond_record_close(record);
    CondSensorReading imu = read(&trial, 0);
    assert_int_equal(cond_recording_open(NULL, "motion.h5", &recording, &error), COND_OK);
    assert_int_equal(cond_recording_frame(recording, 2, &moment, &error), COND_OK);
    for (int k = 0; k < 3; k++) {
        assert_near(moment->sensor_acceleration[k], imu.acceleration[k], 0.0);
        assert_near(moment->sensor_angular_velocity[k], imu.angular_velocity[k], 0.0);
        assert_near(moment->sensor_acceleration[3 + k], 0.0, 0.0);
    }
    assert_near(moment->sensor_distance[0], 0.0, 0.0);
    assert_true(isinf(moment->sensor_distance[1]));
    cond_recording_close(recording);
    trial_end(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_flight), cmocka_unit_test(test_rest),
                                       cmocka_unit_test(test_recorded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
