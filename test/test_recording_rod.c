// Rods in a recording: what they carry along their length comes back from the file, and is what
// statics says.
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cond/cond.h"
#include "rod_make.h"

enum { N_LINK = 12, N_CORNER = 8 };

// A rod that hangs from its clamp, and is twisted at its end: the tension is the weight below, the
// twisting moment the same everywhere, and nothing bends.
static void test_hanging(void** state)
{
    (void)state;
    Beam beam = beam_make(N_LINK);
    CondScene* scene = beam_scene(&beam, 0.1);
    CondForceDef force = cond_force_def_default();
    const double g = 9.81, twist = 0.3 * beam.GJ / beam.length;
    strcpy(force.body, "rod");
    force.at = beam.length;
    force.torque[0] = twist;
    add_force(scene, &force);
    beam_clamp(scene, &beam, beam.EI);
    cond_scene_settings(scene)->gravity[0] = g; // the rod lies along x
    Trial trial = trial_begin(scene);
    CondRecord* record;
    CondRecording* recording;
    const CondMoment* moment;
    CondError error;
    trial_step(&trial, 300);
    assert_int_equal(cond_record_open(NULL, "rod_test.h5", trial.model, NULL, &record, &error),
                     COND_OK);
    assert_int_equal(cond_record_frame(record, trial.sim, trial.state, &trial.info, &error),
                     COND_OK);
    cond_record_close(record);
    if (cond_recording_open(NULL, "rod_test.h5", &recording, &error) ||
        cond_recording_frame(recording, 0, &moment, &error))
        fail_msg("%s", error.message);
    const CondScenery* scenery = cond_recording_scenery(recording);
    assert_true(scenery->has_rods);
    assert_int_equal(scenery->n_point, (N_LINK + 1) * N_CORNER);
    double weight = beam.weight * beam.length * g;
    for (int ring = 1; ring < N_LINK; ring++)
        for (int k = 0; k < N_CORNER; k++) {
            const double* f = moment->rod_force + 3 * (ring * N_CORNER + k);
            const double* m = moment->rod_moment + 3 * (ring * N_CORNER + k);
            assert_near(f[2], weight * (N_LINK - ring) / N_LINK, 1e-4 * weight);
            assert_near(hypot(f[0], f[1]), 0.0, 1e-4 * weight);
            assert_near(m[2], twist, 1e-4 * twist);
            assert_near(hypot(m[0], m[1]), 0.0, 1e-4 * twist);
        }
    cond_recording_close(recording);
    trial_end(&trial);
    remove("rod_test.h5");
}

// A scene without rods has no such arrays.
static void test_without(void** state)
{
    (void)state;
    CondScene* scene = make_scene();
    CondBodyDef box = make_box(1.0, 0.1, 0.1, 0.1, 0.0, 0.0, 0.0);
    CondSnapshot* snapshot;
    CondError error;
    add_body(scene, &box);
    Trial trial = trial_begin(scene);
    assert_int_equal(cond_snapshot_create(NULL, trial.model, &snapshot, &error), COND_OK);
    assert_false(cond_snapshot_scenery(snapshot)->has_rods);
    assert_null(cond_snapshot_moment(snapshot)->rod_force);
    cond_snapshot_destroy(snapshot);
    trial_end(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_hanging),
                                       cmocka_unit_test(test_without)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
