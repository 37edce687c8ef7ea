// Soft bodies in time: rest, free flight, oscillation, weight on a table, sliding on a slope.
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
    settings->solver.tolerance = 1e-12;
    settings->solver.threads = 1;
    return scene;
}

// A body that nothing acts on stays where it is, however it is turned and wherever it lies.
static void test_rest_in_free_space(void** state)
{
    (void)state;
    for (int which = 0; which < 4; which++) {
        CondScene* scene = soft_scene(which & 1 ? 1.0 : 0.5, 0.01, 0.0);
        CondMaterialDef rubber = make_material("rubber", 1e6, 0.0);
        rubber.elasticity = which & 2 ? COND_ELASTICITY_NEOHOOKEAN : COND_ELASTICITY_COROTATIONAL;
        add_material(scene, &rubber);
        CondBodyDef cube = make_soft("cube", "box:2,2,2:0.1,0.1,0.1", "rubber", 3.0, -2.0, 1.0);
        make_turn(1.0, 2.0, 3.0, 0.7, cube.orientation);
        add_body(scene, &cube);
        Trial trial = trial_begin(scene);
        int n;
        double start[81];
        const double* x = cond_state_configuration(trial.model, trial.state, 0, &n);
        assert_int_equal(n, 81);
        memcpy(start, x, sizeof start);
        trial_step(&trial, 100);
        x = cond_state_configuration(trial.model, trial.state, 0, &n);
        for (int i = 0; i < n; i++)
            assert_near(x[i], start[i], 1e-13);
        // Rounding of positions near 3 m is a strain of 1e-14, a force of 1e-10 N on grams.
        assert_near(trial_speed(&trial), 0.0, 1e-10);
        trial_end(&trial);
    }
}

// A cube that flies, tumbles (w, rad/s) and is shaken (random nodal velocities up to `shake`).
static Trial fly(double theta, double time_step, const CondMaterialDef* material, double shake,
                 double w)
{
    CondScene* scene = soft_scene(theta, time_step, 0.0);
    add_material(scene, material);
    CondBodyDef cube = make_soft("cube", "box:2,2,2:0.1,0.12,0.08", material->name, 0.3, 0.2, 0.1);
    cube.velocity[0] = 1.0;
    cube.velocity[1] = -0.5;
    add_body(scene, &cube);
    Trial trial = trial_begin(scene);
    CondPose pose = trial_pose(&trial, 0);
    const double spin[3] = {0.3 * w, -0.5 * w, 0.8 * w};
    memcpy(pose.angular_velocity, spin, sizeof spin);
    assert_int_equal(cond_state_set_pose(trial.model, trial.state, 0, &pose), COND_OK);
    Dice dice = {7};
    for (int i = 0; i < trial.model->n_dof; i++)
        trial.state->v[i] += dice_uniform(&dice, -shake, shake);
    return trial;
}

// Linear momentum is kept at any theta. Angular momentum is not a linear function of the unknowns:
// what is lost of it is little and falls with the step, at the midpoint in first order only,
// because the tangent leaves the geometric stiffness of stressed elements out.
static void test_momentum_in_flight(void** state)
{
    (void)state;
    const double T = 0.1;
    for (int which = 0; which < 2; which++) {
        double lost[2][2] = {{0.0}};
        CondMaterialDef rubber = make_material("rubber", 5e4, 0.0);
        rubber.elasticity = which ? COND_ELASTICITY_NEOHOOKEAN : COND_ELASTICITY_COROTATIONAL;
        for (int run = 0; run < 4; run++) {
            int steps = 100 << (run & 1), euler = run >> 1;
            Trial trial = fly(euler ? 1.0 : 0.5, T / steps, &rubber, 0.1, 5.0);
            double before[6], after[6], change[3];
            trial_momentum(&trial, before);
            trial_step(&trial, steps);
            trial_momentum(&trial, after);
            for (int i = 0; i < 3; i++)
                assert_near(after[i], before[i], 1e-11);
            for (int i = 0; i < 3; i++)
                change[i] = after[3 + i] - before[3 + i];
            lost[euler][run & 1] = vec3_norm(change) / vec3_norm(before + 3);
            trial_end(&trial);
        }
        for (int euler = 0; euler < 2; euler++) {
            assert_true(lost[euler][0] < 2e-4);
            assert_true(lost[euler][1] < 0.8 * lost[euler][0]);
        }
    }
}

// What the midpoint rule makes of a body that spins and is shaken: the largest change of its
// angular momentum over 0.1 s, relative to what it has. The rule keeps it, as it keeps every
// quadratic invariant; what the default then takes out of the energy leaves it alone.
static double lost_spin(CondIntegrator integrator, CondElasticity elasticity, double t)
{
    CondScene* scene = soft_scene(0.5, t, 0.0);
    CondMaterialDef rubber = make_material("rubber", 5e4, 0.0);
    rubber.elasticity = elasticity;
    cond_scene_settings(scene)->integrator = integrator;
    cond_scene_settings(scene)->theta = NAN; // which would choose the linear rule
    add_material(scene, &rubber);
    CondBodyDef cube = make_soft("cube", "box:2,2,2:0.1,0.12,0.08", "rubber", 0.0, 0.0, 0.0);
    add_body(scene, &cube);
    Trial trial = trial_begin(scene);
    CondPose pose = trial_pose(&trial, 0);
    pose.angular_velocity[0] = 6.0;
    pose.angular_velocity[2] = 16.0;
    assert_int_equal(cond_state_set_pose(trial.model, trial.state, 0, &pose), COND_OK);
    Dice dice = {7};
    for (int i = 0; i < trial.model->n_dof; i++)
        trial.state->v[i] += dice_uniform(&dice, -0.1, 0.1);
    double before[6], after[6], worst = 0.0;
    trial_momentum(&trial, before);
    for (int k = 0; k < (int)(0.1 / t + 0.5); k++) {
        double change[3];
        trial_step(&trial, 1);
        trial_momentum(&trial, after);
        for (int i = 0; i < 3; i++)
            change[i] = after[3 + i] - before[3 + i];
        worst = fmax(worst, vec3_norm(change) / vec3_norm(before + 3));
    }
    trial_end(&trial);
    return worst;
}

static void test_midpoint_keeps_spin(void** state)
{
    (void)state;
    for (int which = 0; which < 4; which++) {
        CondIntegrator integrator = which & 1 ? COND_INTEGRATOR_MIDPOINT : COND_INTEGRATOR_AUTO;
        CondElasticity elasticity =
            which & 2 ? COND_ELASTICITY_NEOHOOKEAN : COND_ELASTICITY_COROTATIONAL;
        assert_true(lost_spin(integrator, elasticity, 2e-3) < 1e-9);
    }
}

// Without work from outside the energy of a long free oscillation never grows: implicit Euler loses
// some in every step.
static void test_energy_never_grows(void** state)
{
    (void)state;
    for (int which = 0; which < 8; which++) {
        CondMaterialDef rubber = make_material("rubber", 5e4, which & 4 ? 1e-4 : 0.0);
        rubber.geometric = which & 1 ? COND_GEOMETRIC_BOUND : COND_GEOMETRIC_NONE;
        rubber.elasticity = which & 2 ? COND_ELASTICITY_NEOHOOKEAN : COND_ELASTICITY_COROTATIONAL;
        Trial trial = fly(1.0, 0.002, &rubber, 0.5, 0.0);
        double first = 0.0, last = INFINITY, worst = 0.0;
        for (int k = 0; k < 500; k++) {
            trial_step(&trial, 1);
            double before = trial.info.kinetic_before + trial.info.potential_before;
            if (k == 0)
                first = last = before;
            assert_near(before, last, 1e-12 * first);
            last = trial_energy(&trial);
            worst = fmax(worst, (last - before) / first);
        }
        assert_true(worst <= 1e-12);
        trial_end(&trial);
    }
}

// The same for every policy of the geometric stiffness, through small strains and through large
// ones that turn elements over. The exact positive projection is what the others stand for.
static void test_energy_never_grows_with_any_policy(void** state)
{
    (void)state;
    for (int which = 0; which < 10; which++) {
        CondMaterialDef rubber = make_material("rubber", 5e4, 0.0);
        rubber.geometric = (CondGeometricStiffness)(which % 5);
        rubber.geometric_stiffness = rubber.geometric == COND_GEOMETRIC_CONSTANT ? 50.0 : 0.0;
        Trial trial = fly(1.0, 0.002, &rubber, which < 5 ? 0.5 : 5.0, 0.0);
        double first = 0.0, worst = 0.0;
        for (int k = 0; k < 200; k++) {
            trial_step(&trial, 1);
            double before = trial.info.kinetic_before + trial.info.potential_before;
            first = k == 0 ? before : first;
            worst = fmax(worst, (trial_energy(&trial) - before) / first);
        }
        print_message("policy %d: energy grows by %g at most, ends at %g of %g J\n", which % 5,
                      worst, trial_energy(&trial), first);
        assert_true(worst <= 1e-12);
        assert_true(trial_energy(&trial) < first);
        trial_end(&trial);
    }
}

// The constant E resists all motion alike: a body that flies through nothing slows down as
// m (v' - v)/t = -t E v' at each of its nodes.
static void test_constant_policy_damps(void** state)
{
    (void)state;
    const double t = 0.002, E = 200.0;
    CondMaterialDef rubber = make_material("rubber", 5e4, 0.0);
    rubber.geometric = COND_GEOMETRIC_CONSTANT;
    rubber.geometric_stiffness = E;
    CondScene* scene = soft_scene(1.0, t, 0.0);
    add_material(scene, &rubber);
    CondBodyDef cube = make_soft("cube", "box:1,1,1:0.1,0.1,0.1", "rubber", 0.0, 0.0, 0.0);
    cube.velocity[0] = 1.0;
    add_body(scene, &cube);
    Trial trial = trial_begin(scene);
    const CondFem* fem = trial.model->body[0].fem;
    double heavy = 0.0, light = INFINITY;
    for (int i = 0; i < fem->n_node; i++) {
        heavy = fmax(heavy, fem->mass[i]);
        light = fmin(light, fem->mass[i]);
    }
    trial_step(&trial, 1);
    double v = trial_pose(&trial, 0).velocity[0];
    assert_true(v >= 1.0 / (1.0 + t * t * E / light));
    assert_true(v <= 1.0 / (1.0 + t * t * E / heavy));
    trial_end(&trial);
    CondError error;
    scene = soft_scene(1.0, 0.002, 0.0);
    rubber.geometric_stiffness = 0.0;
    assert_true(cond_scene_add_material(scene, &rubber, &error) < 0);
    assert_non_null(strstr(error.message, "geometric_stiffness: is required"));
    rubber.geometric = COND_GEOMETRIC_BOUND;
    rubber.geometric_stiffness = 1.0;
    assert_true(cond_scene_add_material(scene, &rubber, &error) < 0);
    cond_scene_destroy(scene);
}

// At the midpoint the energy of an oscillation within the linear range stays, to second order.
static void test_energy_at_the_midpoint(void** state)
{
    (void)state;
    double drift[2];
    for (int level = 0; level < 2; level++) {
        CondMaterialDef rubber = make_material("rubber", 5e4, 0.0);
        Trial trial = fly(0.5, 0.002 / (1 << level), &rubber, 0.05, 0.0);
        double first = 0.0, worst = 0.0;
        for (int k = 0; k < 250 << level; k++) {
            trial_step(&trial, 1);
            if (k == 0)
                first = trial.info.kinetic_before + trial.info.potential_before;
            worst = fmax(worst, fabs(trial_energy(&trial) - first) / first);
        }
        drift[level] = worst;
        trial_end(&trial);
    }
    assert_true(drift[0] < 1e-2);
    assert_true(drift[1] < 0.6 * drift[0]);
}

// The bound of the geometric stiffness leaves translations free: a shaken body keeps its momentum.
static void test_momentum_with_bound(void** state)
{
    (void)state;
    CondMaterialDef rubber = make_material("rubber", 5e4, 0.0);
    rubber.geometric = COND_GEOMETRIC_BOUND;
    Trial trial = fly(0.5, 1e-3, &rubber, 0.1, 5.0);
    double before[6], after[6];
    trial_momentum(&trial, before);
    trial_step(&trial, 100);
    trial_momentum(&trial, after);
    for (int i = 0; i < 3; i++)
        assert_near(after[i], before[i], 1e-11);
    trial_end(&trial);
}

// A cube dropped on a table comes to rest on it. In every step the momentum changes by the
// contact forces and the weight, and at rest the forces carry the weight.
static void test_weight_on_a_table(void** state)
{
    (void)state;
    for (int which = 0; which < 3; which++) {
        CondScene* scene = soft_scene(which == 2 ? 0.5 : 1.0, 0.005, G);
        CondMaterialDef rubber = make_material("rubber", 2e5, 2e-3);
        rubber.geometric = which == 1 ? COND_GEOMETRIC_BOUND : COND_GEOMETRIC_NONE;
        add_material(scene, &rubber);
        CondBodyDef cube = make_soft("cube", "box:3,3,3:0.1,0.1,0.1", "rubber", 0.0, 0.0, 0.06);
        add_body(scene, &cube);
        add_floor(scene, 0.5, NAN);
        Trial trial = trial_begin(scene);
        double m = trial_mass(&trial, 0), t = 0.005;
        assert_near(m, 1.0, 1e-12);
        for (int k = 0; k < 400; k++) {
            double force[3], torque[3];
            CondPose before = trial_pose(&trial, 0);
            trial_step(&trial, 1);
            CondPose after = trial_pose(&trial, 0);
            cond_sim_body_force(trial.sim, 0, force, torque);
            if (which != 1)
                for (int i = 0; i < 3; i++)
                    assert_near(m * (after.velocity[i] - before.velocity[i]) / t,
                                force[i] - (i == 2 ? m * G : 0.0), 1e-7);
            if (k == 399) {
                assert_near(force[2], m * G, 1e-6 * m * G);
                assert_near(force[0], 0.0, 1e-6 * m * G);
            }
        }
        assert_near(trial_speed(&trial), 0.0, 1e-7);
        assert_true(trial_gap(&trial) > -1e-8);
        trial_end(&trial);
    }
}

// A stiff block on a slope: speed along it and friction.
static Trial on_a_slope(double angle, double friction)
{
    CondScene* scene = soft_scene(1.0, 0.01, G);
    cond_scene_settings(scene)->solver.tolerance = 1e-9; // 1e8 Pa leave no more digits
    CondMaterialDef hard = make_material("hard", 1e8, 0.0);
    add_material(scene, &hard);
    CondBodyDef block = make_soft("block", "box:4,4,2:0.2,0.2,0.05", "hard", 0.0, 0.0, 0.0);
    make_turn(0.0, 1.0, 0.0, angle, block.orientation);
    block.position[0] = 0.025 * sin(angle);
    block.position[2] = 0.025 * cos(angle);
    add_body(scene, &block);
    add_plane(scene, sin(angle), 0.0, cos(angle), 0.0, friction, NAN);
    return trial_begin(scene);
}

static void test_stiff_block_on_a_slope(void** state)
{
    (void)state;
    const double angle = 0.5, mu = 0.3, t = 0.01;
    const double down[3] = {cos(angle), 0.0, -sin(angle)};
    Trial trial = on_a_slope(angle, mu);
    trial_step(&trial, 20);
    double begin = vec3_dot(trial_pose(&trial, 0).velocity, down);
    trial_step(&trial, 50);
    double a = (vec3_dot(trial_pose(&trial, 0).velocity, down) - begin) / (50 * t);
    double expected = G * (sin(angle) - mu * cos(angle));
    assert_near(a, expected, 1e-3 * expected);
    trial_end(&trial);
    // Below tan(angle) = mu it stays.
    trial = on_a_slope(atan(0.3), 0.33);
    trial_step(&trial, 20);
    CondPose at = trial_pose(&trial, 0);
    trial_step(&trial, 50);
    CondPose then = trial_pose(&trial, 0);
    for (int i = 0; i < 3; i++) {
        assert_near(then.position[i], at.position[i], 1e-7);
        assert_near(then.velocity[i], 0.0, 1e-6);
    }
    trial_end(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rest_in_free_space),
        cmocka_unit_test(test_momentum_in_flight),
        cmocka_unit_test(test_midpoint_keeps_spin),
        cmocka_unit_test(test_momentum_with_bound),
        cmocka_unit_test(test_energy_never_grows_with_any_policy),
        cmocka_unit_test(test_constant_policy_damps),
        cmocka_unit_test(test_energy_never_grows),
        cmocka_unit_test(test_energy_at_the_midpoint),
        cmocka_unit_test(test_weight_on_a_table),
        cmocka_unit_test(test_stiff_block_on_a_slope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
