// Forces on nodes and faces of soft bodies against what is known of them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "body/kinematics.h"
#include "model/model.h"
#include "model/state.h"
#include "potential/potential.h"
#include "scene_make.h"

static const char bar[] =
    "gravity: [0, 0, 0]\n"
    "materials: [{name: rubber, density: 1000, youngs_modulus: 1.0e+5, poisson_ratio: 0, "
    "mass_damping: 40}]\n"
    "bodies: [{name: bar, kind: soft, mesh: \"box:3,1,1:0.6,0.2,0.1\", material: rubber}]\n"
    "patches:\n"
    "  - {name: left, body: bar, low: [-0.31, -1, -1], high: [-0.29, 1, 1]}\n"
    "  - {name: right, body: bar, low: [0.29, -1, -1], high: [0.31, 1, 1]}\n"
    "attachments: [{name: wall, from: {body: bar, patch: left}, to: {}, stiffness: .inf}]\n";

// Poisson's ratio is 0: the bar is strained evenly by a force of any kind on its end.
static void pushed_bar(void** state)
{
    (void)state;
    static const char* const integrators[] = {"auto", "theta", "midpoint"};
    static const char* const loads[] = {"force: [50, 0, 0]", "pressure: 2500"};
    static const double force[] = {50.0, -50.0};
    for (int k = 0; k < 6; k++) {
        char settings[80], text[1400];
        double wrench[6];
        snprintf(settings, sizeof settings, "step: {integrator: %s}\n", integrators[k / 2]);
        snprintf(text, sizeof text, "%sforces: [{body: bar, patch: right, %s}]\n", bar,
                 loads[k % 2]);
        Trial trial = trial_text(settings, text);
        const CondPatch* right = &trial.model->patch[1];
        trial_step(&trial, 120);
        assert_int_equal(cond_sim_attachment_wrench(trial.sim, 0, wrench), COND_OK);
        assert_near(wrench[0], -force[k % 2], 1e-5);
        for (int i = 0; i < right->n_node; i++) {
            int at = 3 * right->node[i];
            double d = force[k % 2] * 0.6 / (1e5 * 0.02);
            assert_near(trial.state->q[at] - trial.model->body[0].start[at], d, 1e-6 * fabs(d));
        }
        trial_end(&trial);
    }
}

// Pressure all around makes a body smaller and leaves its shape: E/(1 - 2 nu) e = -p (1 + e)^2,
// because the area that it acts on shrinks as well. No force is left on the whole.
static void squeezed_box(void** state)
{
    (void)state;
    const double p = 2e4, modulus = 1e5 / (1.0 - 2.0 * 0.3);
    double e = 0.0;
    for (int i = 0; i < 50; i++)
        e = -p * (1.0 + e) * (1.0 + e) / modulus;
    Trial trial = trial_text(
        "step: {time_step: 0.01}\n",
        "gravity: [0, 0, 0]\n"
        "materials: [{name: rubber, density: 1000, youngs_modulus: 1.0e+5, poisson_ratio: 0.3, "
        "mass_damping: 40, stiffness_damping: 0.002}]\n"
        "bodies: [{name: box, kind: soft, mesh: \"box:2,2,2:0.3,0.2,0.1\", material: rubber}]\n"
        "forces: [{body: box, pressure: 2.0e+4}]\n");
    trial_step(&trial, 120);
    const double *x = trial.state->q, *x0 = trial.model->body[0].start;
    for (int i = 3; i < trial.model->n_q; i += 3) {
        double d[3], d0[3];
        for (int k = 0; k < 3; k++)
            d[k] = x[i + k] - x[k], d0[k] = x0[i + k] - x0[k];
        double now = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        double then = sqrt(d0[0] * d0[0] + d0[1] * d0[1] + d0[2] * d0[2]);
        assert_near(now / then, 1.0 + e, 1e-6);
    }
    CondPose pose = trial_pose(&trial, 0);
    assert_near(pose.position[0], 0.0, 1e-9);
    print_message("smaller by %.6f, expected %.6f\n", 1.0 - (1.0 + e), -e);
    trial_end(&trial);
}

// Over a closed surface the faces' stiffnesses add up to the derivative of the force.
static void tangent(void** state)
{
    (void)state;
    Trial trial = trial_text(
        "",
        "materials: [{name: rubber, density: 1000, youngs_modulus: 1.0e+5, poisson_ratio: 0.3}]\n"
        "bodies: [{name: box, kind: soft, mesh: \"box:2,1,1:0.3,0.2,0.1\", "
        "material: rubber}]\n"
        "forces: [{body: box, pressure: 1000}]\n");
    enum { MOST = 36 };
    const CondModel* model = trial.model;
    const CondForce* force = &model->force[0];
    int n = model->n_q;
    double x[MOST], K[MOST * MOST] = {0.0}, f[2][MOST];
    CondKinematics kinematics = {.model = model, .q = x};
    Dice dice = {3};
    assert_true(n <= MOST && force->n_triangle == 20);
    for (int i = 0; i < n; i++)
        x[i] = model->body[0].start[i] + dice_uniform(&dice, -0.02, 0.02);
    for (int t = 0; t < force->n_triangle; t++) {
        const int* corner = force->triangle + 3 * t;
        double face[81];
        cond_load_face_stiffness(x, corner, force->pressure, face);
        for (int k = 0; k < 81; k++)
            K[n * (3 * corner[k / 27] + k / 9 % 3) + 3 * corner[k % 9 / 3] + k % 3] += face[k];
    }
    for (int j = 0; j < n; j++) {
        const double h = 1e-5;
        for (int side = 0; side < 2; side++) {
            double keep = x[j];
            x[j] += side ? h : -h;
            memset(f[side], 0, sizeof f[side]);
            cond_load_add(&kinematics, force, 1.0, f[side]);
            x[j] = keep;
        }
        for (int i = 0; i < n; i++)
            assert_near(K[n * i + j], -(f[1][i] - f[0][i]) / (2.0 * h), 1e-7);
    }
    trial_end(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pushed_bar), cmocka_unit_test(squeezed_box),
                                       cmocka_unit_test(tangent)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
