// The default integrator: it never creates energy, whatever is coupled, and loses none while
// nothing touches; short versions of `cond bench energy`.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kinds_make.h"
#include "scene_make.h"

#include "integrate/group.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>

typedef struct Curve {
    double gained, lost; // most of the run, as shares of the largest energy of motion
} Curve;

// The energy of a shipped scene, with what its joints' damping took.
static Curve follow(const char* name, double t, double span, double spin, double damping)
{
    char path[512], step[64];
    const char* set[] = {step};
    CondScene* scene;
    CondError error;
    snprintf(path, sizeof path, "%s/%s.yaml", COND_SCENES, name);
    snprintf(step, sizeof step, "step.time_step=%g", t);
    if (cond_scene_read(NULL, path, 1, set, &scene, &error))
        fail_msg("%s", error.message);
    Trial trial = trial_begin(scene);
    if (spin > 0.0) {
        CondPose pose = cond_state_pose(trial.model, trial.state, 0);
        pose.angular_velocity[2] = spin;
        cond_state_set_pose(trial.model, trial.state, 0, &pose);
    }
    double start = 0.0, peak = 0.0, top = -INFINITY, low = INFINITY, taken = 0.0;
    for (int k = 0; k < (int)(span / t + 0.5); k++) {
        trial_step(&trial, 1);
        if (k == 0)
            start = trial.info.kinetic_before + trial.info.potential_before;
        for (int i = 0; i < trial.model->n_dof && damping > 0.0; i++)
            taken += t * damping * trial.sim->attempt.v_hat[i] * trial.sim->attempt.v_hat[i];
        peak = fmax(peak, fmax(trial.info.kinetic_before, trial.info.kinetic_after));
        top = fmax(top, trial_energy(&trial) + taken);
        low = fmin(low, trial_energy(&trial) + taken);
    }
    trial_end(&trial);
    return (Curve){(top - start) / peak, (start - low) / peak};
}

static void test_scenes_keep_their_energy(void** state)
{
    (void)state;
    enum { ROD = 5 }; // whose waves are too fast for long steps
    static const struct {
        const char* name;
        double span, spin, damping;
    } scenes[] = {{"pendulum2", 2.0, 0.0, 0.0}, {"pendulum3", 2.0, 0.0, 0.0},
                  {"limp", 1.0, 0.0, 0.003},    {"chain10", 0.5, 0.0, 0.0},
                  {"tumble", 1.0, 0.0, 0.0},    {"loop", 0.2, 0.0, 0.0}};
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        Curve fine =
            follow(scenes[i].name, 1e-3, scenes[i].span, scenes[i].spin, scenes[i].damping);
        if (!(fine.gained < 1e-9 && fine.lost < 1e-9))
            fail_msg("%s: gained %g, lost %g", scenes[i].name, fine.gained, fine.lost);
        for (int k = 0; k < 2; k++) {
            Curve coarse = follow(scenes[i].name, k ? 1e-2 : 5e-3, scenes[i].span, scenes[i].spin,
                                  scenes[i].damping);
            if (!(coarse.gained < 1e-9 && (coarse.lost < 1e-9 || i == ROD)))
                fail_msg("%s: gained %g, lost %g", scenes[i].name, coarse.gained, coarse.lost);
        }
    }
    Curve ball = follow("spin", 5e-3, 0.05, 20.0, 0.0);
    assert_true(ball.gained < 1e-8 && ball.lost < 1e-8);
}

// Momentum and angular momentum of the springs' boxes stay while their energy is put right.
static void test_free_groups_keep_momentum(void** state)
{
    (void)state;
    CondScene* scene;
    const char* set[] = {"step.time_step=0.01"};
    assert_int_equal(cond_scene_read(NULL, COND_SCENES "/tumble.yaml", 1, set, &scene, NULL),
                     COND_OK);
    Trial trial = trial_begin(scene);
    static const double mass[] = {1.0, 0.5, 0.7};
    double start[3], now[3];
    for (int k = 0; k <= 100; k++) {
        double* p = k ? now : start;
        p[0] = p[1] = p[2] = 0.0;
        for (int b = 0; b < 3; b++)
            for (int i = 0; i < 3; i++)
                p[i] += mass[b] * trial_pose(&trial, b).velocity[i];
        for (int i = 0; i < 3 && k; i++)
            assert_near(now[i], start[i], 1e-6);
        trial_step(&trial, 1);
    }
    trial_end(&trial);
}

// Two beads and a spring that hit the floor: what is struck takes implicit Euler, what stays there
// or does not touch the midpoint rule; energy never rises, and the pendulum beside them keeps all
// of its own.
static void test_groups_choose_for_themselves(void** state)
{
    (void)state;
    CondScene* scene = make_scene();
    cond_scene_settings(scene)->time_step = 5e-3;
    CondBodyDef one = make_particle(0.5, 0.0, 0.0, 0.05), two = make_particle(0.5, 0.0, 0.0, 0.35);
    CondBodyDef bob = make_particle(0.5, 3.0, 0.0, 2.0);
    add_body(scene, &one);
    add_body(scene, &two);
    add_body(scene, &bob);
    CondSpringDef spring = make_spring("body0", "body1", 400.0);
    spring.rest_length = 0.3;
    add_spring(scene, &spring);
    CondSpringDef string = make_spring("", "body2", 400.0);
    string.point[0][0] = 2.0;
    string.point[0][2] = 2.0;
    string.rest_length = 1.0;
    add_spring(scene, &string);
    add_floor(scene, 0.5, 0.0);
    Trial trial = trial_begin(scene);
    int touched = 0, struck = 0;
    for (int k = 0; k < 200; k++) {
        trial_step(&trial, 1);
        assert_int_equal(trial.sim->groups->n, 2);
        assert_true(trial.sim->theta[2] == 0.5);
        assert_true(trial.sim->theta[0] == trial.sim->theta[1]);
        touched += trial.info.n_contact > 0;
        struck += trial.sim->theta[0] == 1.0;
        double gain =
            trial_energy(&trial) - (trial.info.kinetic_before + trial.info.potential_before);
        assert_true(gain < 1e-9);
        // Pendulums go through the floor of nobody: x, z about (2, 2).
        CondPose pose = trial_pose(&trial, 2);
        double x = pose.position[0] - 2.0, z = pose.position[2] - 2.0, l = hypot(x, z) - 1.0;
        double v2 = pose.velocity[0] * pose.velocity[0] + pose.velocity[2] * pose.velocity[2];
        double energy = 0.25 * v2 + 0.5 * 9.81 * z + 200.0 * l * l;
        assert_near(energy, 0.0, 1e-8);
    }
    assert_true(touched > 20 && struck > 0 && struck < touched);
    trial_end(&trial);
}

// A body that turns over and over (Dzhanibekov), against Euler's solution in elliptic functions.
// With I1 < I2 < I3, E = w' I w / 2, M = |I w| and M^2 > 2 E I2, w2 passes 0 every
//     2 K(k) / sqrt((I3 - I2)(M^2 - 2 E I1)/(I1 I2 I3)),
//     1 - k^2 = (I3 - I1)(M^2 - 2 E I2)/((I3 - I2)(M^2 - 2 E I1)),      K(k) = (pi/2)/agm(1, sqrt(1
//     - k^2)).
static double exact_turning_time(const double I[3], const double w[3])
{
    double least = 0.0, middle = 0.0, root;
    for (int i = 0; i < 3; i++) { // M^2 - 2 E I1 and M^2 - 2 E I2, without cancellation
        least += I[i] * w[i] * w[i] * (I[i] - I[0]);
        middle += I[i] * w[i] * w[i] * (I[i] - I[1]);
    }
    assert_true(I[0] < I[1] && I[1] < I[2] && middle > 0.0);
    double a = 1.0, g = sqrt((I[2] - I[0]) * middle / ((I[2] - I[1]) * least));
    for (int k = 0; k < 20; k++) {
        root = sqrt(a * g);
        a = 0.5 * (a + g);
        g = root;
    }
    return 2.0 * acos(0.0) / a / sqrt((I[2] - I[1]) * least / (I[0] * I[1] * I[2]));
}

static double turning_time(double t)
{
    CondScene* scene = make_scene();
    CondSceneSettings* settings = cond_scene_settings(scene);
    settings->gravity[2] = 0.0;
    settings->time_step = t;
    CondBodyDef box = make_box(1.0, 0.1, 0.2, 0.3, 0.0, 0.0, 0.0);
    box.angular_velocity[0] = 0.01;
    box.angular_velocity[1] = 10.0;
    box.angular_velocity[2] = 0.01;
    add_body(scene, &box);
    Trial trial = trial_begin(scene);
    double first = 0.0, last = 0.0, before = 1.0;
    int turns = 0;
    for (int k = 1; k * t < 20.0 && turns < 3; k++) {
        trial_step(&trial, 1);
        double w = trial.state->v[4];
        if (w * before < 0.0) {
            double at = (k - w / (w - before)) * t;
            first = turns == 0 ? at : first;
            last = at;
            turns++;
        }
        before = w;
    }
    trial_end(&trial);
    assert_int_equal(turns, 3);
    return 0.5 * (last - first);
}

static void test_turning_over(void** state)
{
    (void)state;
    // A box of 0.1, 0.2, 0.3 m and 1 kg, which spins about y; its axis z has the least inertia.
    const double I[3] = {0.05 / 12.0, 0.1 / 12.0, 0.13 / 12.0}, w[3] = {0.01, 10.0, 0.01};
    double exact = exact_turning_time(I, w);
    assert_near(turning_time(1e-3), exact, 1e-5 * exact);
    assert_near(turning_time(5e-3), exact, 1e-4 * exact);
    assert_near(turning_time(1e-2), exact, 1e-3 * exact);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scenes_keep_their_energy),
        cmocka_unit_test(test_free_groups_keep_momentum),
        cmocka_unit_test(test_groups_choose_for_themselves),
        cmocka_unit_test(test_turning_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
