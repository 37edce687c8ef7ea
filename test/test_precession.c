// A disc that rolls on its rim without slipping, its axis tilted from the vertical by a constant
// angle, turns at a steady rate: the contact wanders over the rim, and every change of velocity is
// as large as the velocity itself over a turn.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene_make.h"

#include "math/quat.h"
#include "sim/sim.h"

#include <math.h>
#include <string.h>

static const double G = 9.81, RADIUS = 0.1, HALF = 0.005, MASS = 1.0;

typedef struct Steady {
    double tilt;   // of the axis from the vertical [rad]
    double rate;   // at which the axis turns about the vertical [rad/s]
    double w1, w3; // angular velocity towards the contact, across the axis, and along the axis
    double v;      // of the centre, across both
} Steady;

// With e3 the axis, e1 in the plane of the disc down to the contact, e2 = e3 x e1, and C = r e1 - h
// e3 the contact from the centre, w = w1 e1 + w3 e3, w1 = -rate sin a, and the centre moves at
// -w x C = -(w1 h + w3 r) e2. The momentum rate z x (I1 w1 e1 + I3 w3 e3) is C x F with F the
// weight and m times the acceleration of the centre:
//     rate (I1 w1 cos a + I3 w3 sin a) = m g (h sin a - r cos a) - m rate (w1 h + w3 r)(r sin a + h
//     cos a)
static void solve_spin(Steady* s)
{
    double c = cos(s->tilt), d = sin(s->tilt), r = RADIUS, h = HALF;
    double I3 = 0.5 * MASS * r * r, I1 = MASS * (r * r / 4.0 + h * h / 3.0);
    s->w1 = -s->rate * d;
    s->w3 = (MASS * G * (h * d - r * c) - MASS * s->rate * s->w1 * h * (r * d + h * c) -
             s->rate * I1 * s->w1 * c) /
            (s->rate * (I3 * d + MASS * r * (r * d + h * c)));
    s->v = -(s->w1 * h + s->w3 * r);
}

// The rate at which the centre rests: w is along C.
static Steady steady_at_rest(double tilt)
{
    double c = cos(tilt), d = sin(tilt), r = RADIUS, h = HALF;
    double I3 = 0.5 * MASS * r * r, I1 = MASS * (r * r / 4.0 + h * h / 3.0);
    Steady s = {.tilt = tilt};
    s.rate = sqrt(MASS * G * (r * c - h * d) / (d * (I1 * c - I3 * d * h / r)));
    solve_spin(&s);
    return s;
}

// Azimuth of the axis over `seconds` in steps of t, over that of theory, and the energy's change.
static double turn_ratio(Steady s, double t, double seconds, double* energy)
{
    CondScene* scene = make_scene();
    CondBodyDef def = make_box(MASS, RADIUS, 2.0 * HALF, 0.0, 0.0, 0.0, 0.0);
    double axis[3] = {0.0, 0.0, 0.0}, before = 0.0, turned = 0.0;
    int steps = (int)(seconds / t + 0.5);
    cond_scene_settings(scene)->time_step = t;
    def.shape = COND_SHAPE_CYLINDER;
    def.surface.friction[0] = def.surface.friction[1] = 5.0;
    make_turn(0.0, 1.0, 0.0, s.tilt, def.orientation); // e3 leans towards x, e2 = y
    def.position[2] = RADIUS * sin(s.tilt) + HALF * cos(s.tilt);
    const double e1[3] = {cos(s.tilt), 0.0, -sin(s.tilt)}, e3[3] = {sin(s.tilt), 0.0, cos(s.tilt)};
    for (int i = 0; i < 3; i++)
        def.angular_velocity[i] = s.w1 * e1[i] + s.w3 * e3[i];
    def.velocity[1] = s.v;
    add_body(scene, &def);
    add_floor(scene, 5.0, NAN);
    Trial trial = trial_begin(scene);
    double start = 0.0;
    for (int k = 0; k < steps; k++) {
        trial_step(&trial, 1);
        if (k == 0)
            start = trial.info.kinetic_before + trial.info.potential_before;
        CondPose pose = trial_pose(&trial, 0);
        double R[9];
        quat_matrix(pose.orientation, R);
        for (int i = 0; i < 3; i++)
            axis[i] = R[3 * i + 2];
        double now = atan2(axis[1], axis[0]);
        turned += remainder(now - before, 4.0 * acos(0.0));
        before = now;
    }
    *energy = (trial.info.kinetic_after + trial.info.potential_after - start) / start;
    trial_end(&trial);
    return turned / (s.rate * seconds);
}

// Half the step, a quarter of the error; and no energy from nowhere at any step.
static void check_order(Steady s, double limit)
{
    double error[3];
    for (int k = 0; k < 3; k++) {
        double energy;
        error[k] = fabs(turn_ratio(s, (k == 2 ? 5e-3 : 2e-3 / (1 + k)), 2.0, &energy) - 1.0);
        assert_true(energy < 1e-9 && energy > -1e-3);
    }
    assert_true(error[0] < 4.0 * limit);
    assert_true(error[1] < limit);
    assert_true(error[2] < 5e-3);
    assert_true(error[0] > 3.0 * error[1] || error[0] < 1e-6);
}

static void test_centre_at_rest(void** state)
{
    (void)state;
    for (int a = 0; a < 3; a++)
        check_order(steady_at_rest((30.0 + 15.0 * a) * acos(0.0) / 90.0), 5e-5);
}

// A coin that runs in a circle, fast enough not to fall over.
static void test_circle(void** state)
{
    (void)state;
    for (int a = 0; a < 2; a++) {
        Steady s = {.tilt = (60.0 + 15.0 * a) * acos(0.0) / 90.0, .rate = a ? 2.0 : 6.0};
        solve_spin(&s);
        check_order(s, 5e-5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_centre_at_rest),
        cmocka_unit_test(test_circle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
