// Soft bodies against soft bodies, and against themselves.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kinds_make.h"

#include "math/quat.h"
#include "model/fem.h"
#include "sim/sim.h"

#include <math.h>
#include <string.h>

static const double G = 9.81;

static CondScene* soft_scene(double theta, double time_step, double gravity)
{
    CondScene* scene = make_scene();
    CondSceneSettings* settings = cond_scene_settings(scene);
    settings->gravity[2] = -gravity;
    settings->theta = theta;
    settings->time_step = time_step;
    settings->solver.tolerance = 1e-11;
    settings->solver.threads = 1;
    return scene;
}

// Force between two bodies on the first one, world axes [N].
static void force_between(const Trial* trial, int body, int other, double force[3])
{
    double t = cond_model_settings(trial->model)->time_step;
    memset(force, 0, 3 * sizeof *force);
    for (int c = 0; c < cond_sim_n_contact(trial->sim); c++) {
        CondContactInfo info = cond_sim_contact(trial->sim, c);
        double world[3], sign = info.body == body ? 1.0 : -1.0;
        if (!((info.body == body && info.other == other) ||
              (info.body == other && info.other == body)))
            continue;
        mat3_multiply_transposed(info.frame, info.impulse, world);
        for (int i = 0; i < 3; i++)
            force[i] += sign * world[i] / t;
    }
}

// Of two cubes on each other the lower one carries both, at either theta.
static void test_two_cubes_stand(void** state)
{
    (void)state;
    for (int which = 0; which < 2; which++) {
        CondScene* scene = soft_scene(which ? 0.5 : 1.0, 0.01, G);
        CondMaterialDef rubber = make_material("rubber", 3e5, 5e-3);
        add_material(scene, &rubber);
        CondBodyDef low = make_soft("low", "box:2,2,2:0.1,0.1,0.1", "rubber", 0.0, 0.0, 0.05);
        CondBodyDef high = make_soft("high", "box:2,2,2:0.08,0.08,0.08", "rubber", 0.004, 0.007,
                                     0.1 + 0.04 + 0.0011);
        add_body(scene, &low);
        add_body(scene, &high);
        add_floor(scene, 0.5, NAN);
        Trial trial = trial_begin(scene);
        double force[3], torque[3], m[2] = {trial_mass(&trial, 0), trial_mass(&trial, 1)};
        trial_step(&trial, which ? 230 : 80);
        force_between(&trial, 1, 0, force);
        assert_near(force[2], m[1] * G, 1e-6 * m[1] * G);
        cond_sim_body_force(trial.sim, 1, force, torque);
        assert_near(force[2], m[1] * G, 1e-6 * m[1] * G);
        cond_sim_body_force(trial.sim, 0, force, torque);
        assert_near(force[2], m[0] * G, 1e-6 * m[0] * G); // the floor's less the upper cube's
        assert_near(trial_speed(&trial), 0.0, 1e-6);
        // Surfaces keep the thickness as their distance, less what the contact deforms.
        double height = trial_pose(&trial, 1).position[2] - trial_pose(&trial, 0).position[2];
        assert_near(height, 0.05 + 0.04 + 1e-3, 1e-3);
        trial_end(&trial);
    }
}

// Two balls that fly against each other off centre: what one loses the other gains.
static void test_collision_keeps_momentum(void** state)
{
    (void)state;
    for (int which = 0; which < 2; which++) {
        CondScene* scene = soft_scene(which ? 0.5 : 1.0, 0.004, 0.0);
        CondMaterialDef rubber = make_material("rubber", 1e5, 0.0);
        add_material(scene, &rubber);
        CondBodyDef a = make_soft("a", "ball:0.05:3", "rubber", -0.06, 0.0, 0.01);
        CondBodyDef b = make_soft("b", "ball:0.04:3", "rubber", 0.05, 0.01, 0.0);
        a.velocity[0] = 1.0;
        b.velocity[0] = -1.0;
        a.surface.friction[0] = a.surface.friction[1] = 0.5;
        add_body(scene, &a);
        add_body(scene, &b);
        Trial trial = trial_begin(scene);
        double before[6], after[6], most = 0.0;
        trial_momentum(&trial, before);
        for (int k = 0; k < 40; k++) {
            double force[3];
            trial_step(&trial, 1);
            force_between(&trial, 0, 1, force);
            most = fmax(most, -force[0]);
        }
        trial_momentum(&trial, after);
        assert_true(most > 1.0);
        assert_true(trial_pose(&trial, 0).velocity[0] < 0.5);
        for (int i = 0; i < 3; i++)
            assert_near(after[i], before[i], 1e-9);
        // The two points of a contact are a gap apart, and so are the two forces.
        for (int i = 3; i < 6; i++)
            assert_near(after[i], before[i], 2e-4);
        trial_end(&trial);
    }
}

// A strip folded over by moving its far half above its near one, let fall: it lies on itself and
// does not pass through.
static void test_strip_on_itself(void** state)
{
    (void)state;
    CondScene* scene = soft_scene(1.0, 0.01, G);
    cond_scene_settings(scene)->solver.tolerance = 1e-7;
    CondMaterialDef rubber = make_material("rubber", 2e4, 2e-2);
    add_material(scene, &rubber);
    CondBodyDef strip = make_soft("strip", "box:16,1,1:0.24,0.03,0.005", "rubber", 0.0, 0.0, 0.003);
    strip.self_contact = 1;
    add_body(scene, &strip);
    add_floor(scene, 0.5, NAN);
    Trial trial = trial_begin(scene);
    // Bent about a half circle of radius 0.02 m in its middle: arc length is kept.
    const double pi = acos(-1.0), r = 0.02, half = 0.5 * pi * r;
    double* q = trial.state->q;
    for (int i = 0; i < trial.model->body[0].fem->n_node; i++) {
        double s = q[3 * i], h = q[3 * i + 2] - 0.003, angle = (s + half) / r;
        if (s <= -half)
            continue;
        if (s < half) {
            q[3 * i] = -half + (r - h) * sin(angle);
            q[3 * i + 2] = 0.003 + r - (r - h) * cos(angle);
        } else {
            q[3 * i] = -half - (s - half);
            q[3 * i + 2] = 0.003 + 2.0 * r - h;
        }
    }
    double m = trial_mass(&trial, 0), force[3], torque[3];
    int touching = 0;
    trial_step(&trial, 150);
    for (int c = 0; c < cond_sim_n_contact(trial.sim); c++) {
        CondContactInfo info = cond_sim_contact(trial.sim, c);
        touching += info.other == 0 && info.force[0] > 0.0;
        assert_true(info.gap > -1e-3); // the thickness: surfaces themselves never cross
    }
    assert_true(touching > 0);
    // Its own contacts cancel in the sum; the floor carries the weight.
    cond_sim_body_force(trial.sim, 0, force, torque);
    assert_near(force[2], m * G, 1e-3 * m * G);
    trial_end(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_cubes_stand),
        cmocka_unit_test(test_collision_keeps_momentum),
        cmocka_unit_test(test_strip_on_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
