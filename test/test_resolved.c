// What steps of a length resolve of a difference of two motions: two masses on a spring and an
// attachment against their frequencies, and a soft body, of which rigid motions stay and waves go.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kinds_make.h"

#include "integrate/resolved.h"
#include "sim/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static Trial begin(CondScene* scene)
{
    cond_scene_settings(scene)->accuracy = 1e-3;
    cond_scene_settings(scene)->solver.threads = 1;
    Trial trial = trial_begin(scene);
    trial_step(&trial, 1);
    return trial;
}

static void resolve(Trial* trial, double t, double* x)
{
    CondSim* sim = trial->sim;
    assert_int_equal(cond_resolved_create(sim), COND_OK);
    cond_kinematics_set(&sim->at_end, trial->state->q);
    assert_int_equal(cond_resolved_parts(sim, t, 1, &x), COND_OK);
}

// Particles of 1 and 3 kg on a spring of 600 N/m along x swing with om^2 = 600 (1 + 1/3); one of 2
// kg is held by an attachment of 500 N/m.
static void springs_are_filtered_by_frequency(void** state)
{
    (void)state;
    CondScene* scene = make_scene();
    memset(cond_scene_settings(scene)->gravity, 0, 3 * sizeof(double));
    const CondBodyDef bodies[] = {make_particle(1.0, 0.0, 0.0, 0.0),
                                  make_particle(3.0, 0.5, 0.0, 0.0),
                                  make_particle(2.0, 9.0, 0.0, 0.0)};
    for (int i = 0; i < 3; i++)
        add_body(scene, &bodies[i]);
    CondSpringDef spring = make_spring("body0", "body1", 600.0);
    spring.damping = 0.0;
    spring.rest_length = 0.5;
    add_spring(scene, &spring);
    CondAttachmentDef hold = make_attachment("hold", "body2", "", 0);
    hold.stiffness = 500.0;
    hold.damping = 0.0;
    hold.end[1].point[0] = 9.0;
    add_attachment(scene, &hold);
    Trial trial = begin(scene);
    for (double t = 0.001; t < 2.0; t *= 4.0) {
        double x[9] = {3.0 + 0.7, 0.2, 0.0, -1.0 + 0.7, 0.2, 0.0, 0.4, 0.0, 0.0};
        resolve(&trial, t, x);
        double swing = 1.0 / (1.0 + 800.0 * t * t), held = 1.0 / (1.0 + 250.0 * t * t);
        assert_near(x[0], 3.0 * swing + 0.7, 1e-4);
        assert_near(x[3], -swing + 0.7, 1e-4);
        assert_near(x[1], 0.2, 1e-4); // across, where the spring has no stiffness
        assert_near(x[4], 0.2, 1e-4);
        assert_near(x[6], 0.4 * held, 1e-4);
    }
    trial_end(&trial);
}

// A block that is not loaded: a translation with a turn stays, and nodes that go to and fro by
// turns lose the more, the longer the step is.
static void rigid_motions_stay(void** state)
{
    (void)state;
    CondScene* scene = make_scene();
    memset(cond_scene_settings(scene)->gravity, 0, 3 * sizeof(double));
    CondMaterialDef rubber = make_material("rubber", 1e5, 0.0);
    add_material(scene, &rubber);
    CondBodyDef block = make_soft("block", "box:3,2,2:0.3,0.2,0.2", "rubber", 0.0, 0.0, 0.0);
    add_body(scene, &block);
    Trial trial = begin(scene);
    int n = trial.model->n_dof;
    double* x = malloc((size_t)n * sizeof *x);
    double* rigid = malloc((size_t)n * sizeof *rigid);
    assert_true(x && rigid);
    double last = 1.0;
    for (double t = 1e-3; t < 0.2; t *= 5.0) {
        double norm = 0.0;
        for (int i = 0; i < n; i += 3) {
            const double* q = trial.state->q + i;
            x[i] = rigid[i] = 0.3 - 2.0 * q[1];
            x[i + 1] = rigid[i + 1] = 2.0 * q[0];
            x[i + 2] = rigid[i + 2] = -0.1;
        }
        resolve(&trial, t, x);
        for (int i = 0; i < n; i++)
            assert_near(x[i], rigid[i], 2e-3);
        for (int i = 0; i < n; i++)
            x[i] = i / 3 % 2 ? 1.0 : -1.0;
        resolve(&trial, t, x);
        for (int i = 0; i < n; i++)
            norm += x[i] * x[i] / n;
        assert_true(sqrt(norm) < last);
        last = sqrt(norm);
    }
    assert_true(last < 0.2); // the rigid part of the pattern
    free(x);
    free(rigid);
    trial_end(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(springs_are_filtered_by_frequency),
        cmocka_unit_test(rigid_motions_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
