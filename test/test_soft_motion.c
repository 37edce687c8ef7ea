// Soft bodies and rods that touch others keep the motion and the energy that the step resolves:
// balls that bounce and roll, a cable that runs over a cylinder; what is not resolved comes to
// rest. References are theory or converged runs.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kinds_make.h"

#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double G = 9.81;

static CondScene* scene_of(double t, double youngs_modulus, double stiffness_damping)
{
    CondScene* scene = make_scene();
    CondMaterialDef rubber = make_material("rubber", youngs_modulus, stiffness_damping);
    cond_scene_settings(scene)->time_step = t;
    cond_scene_settings(scene)->solver.threads = 1;
    add_material(scene, &rubber);
    return scene;
}

static Trial ball(double t, const char* mesh, double height, double vx, double vz, double friction,
                  double damping)
{
    CondScene* scene = scene_of(t, 1e6, 0.0);
    CondBodyDef body = make_soft("ball", mesh, "rubber", 0.0, 0.0, height);
    cond_scene_settings(scene)->damping = damping;
    body.velocity[0] = vx;
    body.velocity[2] = vz;
    body.surface.friction[0] = body.surface.friction[1] = friction;
    add_body(scene, &body);
    add_floor(scene, friction, NAN);
    return trial_begin(scene);
}

// An elastic ball of 0.1 m that falls by 0.5 m: how high its centre would rise again, from its
// state in free flight. The energy is never above what it was.
static double apex(double t, double damping)
{
    const double radius = 0.1, gap = 1e-3, speed = sqrt(2.0 * G * (0.5 - gap));
    Trial trial = ball(t, "ball:0.1:4", radius + gap, 0.0, -speed, 0.0, damping);
    double start = trial_mass(&trial, 0) * (G * (radius + gap) + 0.5 * speed * speed);
    for (int k = 0; k * t < 0.045; k++) {
        trial_step(&trial, 1);
        assert_true(trial_energy(&trial) < (1.0 + 1e-6) * start);
    }
    CondPose pose = trial_pose(&trial, 0);
    trial_end(&trial);
    return pose.position[2] - radius + 0.5 * pose.velocity[2] * pose.velocity[2] / G;
}

// 0.482 m is the limit of steps that become shorter (0.4798 at 0.5 ms); of implicit Euler, whose
// error falls with the step alone, 0.354 at 0.5 ms and 0.451 at 0.1 ms.
static void test_bounce(void** state)
{
    (void)state;
    const double limit = 0.482;
    for (int with = 0; with < 2; with++) {
        double at_2 = apex(0.002, with ? NAN : 0.0), at_1 = apex(0.001, with ? NAN : 0.0);
        print_message("apex %.4f m at 2 ms, %.4f m at 1 ms%s\n", at_2, at_1,
                      with ? ", damped" : "");
        assert_near(at_2, limit, 0.035);
        assert_near(at_1, limit, 0.012);
        assert_true(limit - at_1 < 0.4 * (limit - at_2));
    }
}

// Thrown along the floor it slides, and rolls on. A rigid ball would have 5/7 of its speed; steps
// of 0.5 to 2 ms give 1.403 +- 0.005, implicit Euler 0.3 m/s at 10 ms.
static void test_roll(void** state)
{
    (void)state;
    Trial trial = ball(0.005, "ball:0.1:4", 0.1, 2.0, 0.0, 0.5, NAN);
    double start = trial_energy(&trial);
    (void)start;
    trial_step(&trial, 1);
    start = trial_energy(&trial);
    for (int k = 1; k < 120; k++) {
        trial_step(&trial, 1);
        assert_true(trial_energy(&trial) < (1.0 + 1e-3) * start);
    }
    double v = trial_pose(&trial, 0).velocity[0];
    print_message("rolls at %.4f m/s\n", v);
    assert_near(v, 1.403, 0.03);
    trial_end(&trial);
}

// Two links whose joint is stretched: a mode of the frequency om = sqrt(2 k/m). It follows the
// recursion of body/spectral.h, and is damped as that says.
static void test_spectral_damping(void** state)
{
    (void)state;
    static const double wave[] = {0.1, 1.0, 100.0}; // om t
    for (int i = 0; i < 9; i++) {
        const double damping = 0.5 * (i / 3), m = damping / 3.0, g = damping / 16.0;
        CondScene* scene = scene_of(0.01, 1.0, 0.0);
        CondMaterialDef material = make_material("thread", 1e4, 0.0);
        CondBodyDef rod = cond_body_def_default();
        double point[9] = {0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.2, 0.0, 0.0}, amount[2] = {0.0, 0.0};
        const double k = 1e4 * 1e-4 / 0.1, mass = 1000.0 * 1e-4 * 0.1, om = sqrt(2.0 * k / mass);
        const double t = wave[i % 3] / om, h = 0.5 * t;
        CondSceneSettings* settings = cond_scene_settings(scene);
        settings->gravity[2] = 0.0;
        settings->time_step = t;
        settings->damping = damping;
        settings->substeps = 1;
        add_material(scene, &material);
        rod.kind = COND_BODY_ROD;
        strcpy(rod.material, "thread");
        rod.rod.shape = COND_ROD_POINTS;
        rod.n_point = 3;
        rod.point = point;
        rod.rod.rectangle[0] = rod.rod.rectangle[1] = 0.01;
        rod.self_contact = 0;
        add_body(scene, &rod);
        Trial trial = trial_begin(scene);
        double x = 0.0, v = 1e-4, w = v, largest = 0.0; // half of the stretch, and its rate
        for (int end = 0; end < 2; end++)
            trial.state->v[6 * end] = trial.state->v_hat[6 * end] = end ? v : -v;
        for (int n = 1; n <= 40; n++) {
            // v_s is what the mass is held against; K acts at q* = x + h v_hat + g t (v_hat - w).
            double v_s = ((1.0 - m) * v + 0.5 * m * w) / (1.0 - 0.5 * m),
                   mass_h = (1.0 - 0.5 * m) / h;
            double v_hat =
                (mass_h * v_s - om * om * (x - g * t * w)) / (mass_h + om * om * (h + g * t));
            v += t * mass_h * (v_hat - v_s);
            x += t * v_hat;
            w = v_hat;
            trial_step(&trial, 1);
            double stretch = 0.5 * (trial.state->q[7] - trial.state->q[0] - 0.1);
            largest = fmax(largest, fabs(v));
            assert_near(trial.state->v[6], v, 1e-6 * largest);
            assert_near(stretch, x, 1e-6 * largest / om + 1e-15);
            amount[n > 20] += v * v + om * om * x * x;
        }
        print_message("damping %.1f, om t %5.1f: a factor of %.6f a step\n", damping, om * t,
                      pow(amount[1] / amount[0], 1.0 / 40.0));
        trial_end(&trial);
    }
}

// A block that is thrown on the floor; its material has no damping. What a step of 10 ms does not
// resolve of its vibrations is gone after a while, and what is left is slow.
static void test_rest(void** state)
{
    (void)state;
    CondScene* scene = scene_of(0.01, 1e5, 0.0);
    CondBodyDef body = make_soft("block", "box:3,3,2:0.2,0.2,0.1", "rubber", 0.0, 0.0, 0.1);
    body.velocity[0] = 1.0;
    body.surface.friction[0] = body.surface.friction[1] = 0.5;
    add_body(scene, &body);
    add_floor(scene, 0.5, NAN);
    Trial trial = trial_begin(scene);
    trial_step(&trial, 200);
    print_message("kinetic energy %.2e J\n", trial.info.kinetic_after);
    assert_true(trial.info.kinetic_after < 1e-3);
    trial_end(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounce),
        cmocka_unit_test(test_roll),
        cmocka_unit_test(test_spectral_damping),
        cmocka_unit_test(test_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
