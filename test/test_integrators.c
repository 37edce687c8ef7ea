// The non-linear integrators and the coordinates M^(1/2) v: orders of convergence, energy, contact,
// and what they say when they fail.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "kinds_make.h"
#include "scene_make.h"

#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Settings under which the linear solves are as good as exact.
static CondScene* sharp_scene(CondIntegrator integrator, double t)
{
    CondScene* scene = make_scene();
    CondSceneSettings* settings = cond_scene_settings(scene);
    settings->integrator = integrator;
    settings->time_step = t;
    settings->theta = 0.8; // which the non-linear integrators must not look at
    settings->newton_tolerance = 1e-11;
    settings->newton_iterations = 60;
    settings->solver.tolerance = 1e-13;
    settings->solver.max_iterations = 20000;
    return scene;
}

// A bob on a stiff spring, released aside and stretched: it swings and vibrates.
static Trial spring_pendulum(CondIntegrator integrator, double t, double damping)
{
    CondScene* scene = sharp_scene(integrator, t);
    CondBodyDef bob = make_particle(0.5, 0.7, 0.1, -0.8);
    bob.velocity[1] = 0.4;
    add_body(scene, &bob);
    CondSpringDef spring = make_spring("", "body0", 400.0);
    spring.rest_length = 1.0;
    spring.damping = damping;
    add_spring(scene, &spring);
    return trial_begin(scene);
}

static Trial pendulum(CondIntegrator integrator, double t)
{
    return spring_pendulum(integrator, t, 0.0);
}

static Trial damped_pendulum(CondIntegrator integrator, double t)
{
    return spring_pendulum(integrator, t, 3.0);
}

// A weightless cube of eight nodes, stretched and sheared at the start.
static Trial soft_cube(CondIntegrator integrator, double t, double damping)
{
    CondScene* scene = sharp_scene(integrator, t);
    cond_scene_settings(scene)->gravity[2] = 0.0;
    CondMaterialDef rubber = make_material("rubber", 2e4, damping);
    rubber.elasticity = COND_ELASTICITY_NEOHOOKEAN;
    rubber.mass_damping = 100.0 * damping;
    add_material(scene, &rubber);
    CondBodyDef cube = make_soft("cube", "box:1,1,1:0.1,0.1,0.1", "rubber", 0.0, 0.0, 0.0);
    add_body(scene, &cube);
    Trial trial = trial_begin(scene);
    for (int i = 0; i < trial.state->n_q / 3; i++) {
        double* x = trial.state->q + 3 * i;
        x[0] += 0.3 * x[0] + 0.2 * x[2];
        x[2] -= 0.1 * x[2];
    }
    return trial;
}

static Trial cube(CondIntegrator integrator, double t)
{
    return soft_cube(integrator, t, 0.0);
}

static Trial damped_cube(CondIntegrator integrator, double t)
{
    return soft_cube(integrator, t, 2e-3);
}

// Two rods on a fixed base, thrown.
static Trial double_pendulum(CondIntegrator integrator, double t)
{
    CondScene* scene = sharp_scene(integrator, t);
    write_chain("double.urdf", 2, 0.4, 0.5, 0.0, 0.0);
    CondBodyDef robot = make_robot("robot", "double.urdf");
    add_body(scene, &robot);
    Trial trial = trial_begin(scene);
    trial.state->q[0] = 1.5;
    trial.state->q[1] = -0.7;
    trial.state->v[0] = 1.0;
    trial.state->v[1] = 4.0;
    return trial;
}

// The same, let go near the vertical, where its motion is regular.
static Trial calm_pendulum(CondIntegrator integrator, double t)
{
    Trial trial = double_pendulum(integrator, t);
    trial.state->q[0] = 0.5;
    trial.state->q[1] = 0.3;
    trial.state->v[0] = trial.state->v[1] = 0.0;
    return trial;
}

// A robot with motors whose last link is tied to a tumbling box by an attachment that holds
// orientation as well.
static Trial driven(CondIntegrator integrator, double t)
{
    CondScene* scene = sharp_scene(integrator, t);
    write_chain("driven.urdf", 2, 0.4, 0.5, 0.05, 0.0);
    CondBodyDef robot = make_robot("robot", "driven.urdf");
    robot.motor_stiffness = 20.0;
    robot.motor_damping = 0.2;
    add_body(scene, &robot);
    CondBodyDef box = make_box(1.0, 0.2, 0.3, 0.1, 0.4, 0.1, -0.9);
    box.angular_velocity[0] = 2.0;
    box.angular_velocity[2] = 1.0;
    add_body(scene, &box);
    CondAttachmentDef tie = make_attachment("tie", "robot", "body1", 1);
    snprintf(tie.end[0].link, sizeof tie.end[0].link, "rod1");
    tie.stiffness = 100.0;
    tie.damping = 1.0;
    tie.rotation_stiffness = 3.0;
    tie.rotation_damping = 0.05;
    add_attachment(scene, &tie);
    Trial trial = trial_begin(scene);
    trial.state->v[0] = 1.0;
    trial.state->v[1] = -2.0;
    return trial;
}

// Two rigid boxes joined by a stretched spring between corners, tumbling: M is constant but the
// gyroscopic terms are not.
static Trial boxes(CondIntegrator integrator, double t)
{
    CondScene* scene = sharp_scene(integrator, t);
    CondBodyDef one = make_box(1.0, 0.2, 0.3, 0.1, 0.0, 0.0, 0.0);
    CondBodyDef two = make_box(0.5, 0.1, 0.2, 0.3, 2.0, 0.0, 0.0);
    one.angular_velocity[0] = 2.0;
    one.angular_velocity[2] = 1.0;
    two.angular_velocity[1] = 3.0;
    add_body(scene, &one);
    add_body(scene, &two);
    CondSpringDef spring = make_spring("body0", "body1", 50.0);
    spring.point[0][0] = 0.1;
    spring.point[0][1] = 0.15;
    spring.point[1][2] = 0.15;
    spring.rest_length = 1.5;
    add_spring(scene, &spring);
    return trial_begin(scene);
}

typedef Trial (*Make)(CondIntegrator integrator, double t);

static int steps_in(double span, double t)
{
    return (int)(span / t + 0.5);
}

// Configuration after a span of time.
static double* run(Make make, CondIntegrator integrator, double t, double span, int* n_q)
{
    Trial trial = make(integrator, t);
    trial_step(&trial, steps_in(span, t));
    *n_q = trial.state->n_q;
    double* q = malloc((size_t)*n_q * sizeof *q);
    memcpy(q, trial.state->q, (size_t)*n_q * sizeof *q);
    trial_end(&trial);
    return q;
}

static double distance(int n, const double* x, const double* y)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    return sqrt(sum);
}

static void check_order(Make make, CondIntegrator integrator, double t, double span,
                        const double* exact, double order)
{
    double error[2];
    for (int k = 0; k < 2; k++) {
        int n;
        double* q = run(make, integrator, k ? 0.5 * t : t, span, &n);
        error[k] = distance(n, q, exact);
        free(q);
    }
    assert_near(log2(error[0] / error[1]), order, 0.25);
}

// Against the midpoint rule with a step far shorter, which all of them tend to.
static void check_orders(Make make, double t, double span)
{
    int n;
    double* exact = run(make, COND_INTEGRATOR_MIDPOINT, t / 32.0, span, &n);
    check_order(make, COND_INTEGRATOR_MIDPOINT, t, span, exact, 2.0);
    check_order(make, COND_INTEGRATOR_VARIATIONAL, t, span, exact, 2.0);
    check_order(make, COND_INTEGRATOR_EULER, t / 8.0, span, exact, 1.0);
    free(exact);
}

static void test_order_of_springs(void** state)
{
    (void)state;
    check_orders(pendulum, 4e-3, 0.2);
    check_orders(damped_pendulum, 4e-3, 0.2);
    check_orders(boxes, 4e-3, 0.4);
}

static void test_order_of_soft_bodies(void** state)
{
    (void)state;
    check_orders(cube, 1e-3, 0.02);
    check_orders(damped_cube, 1e-3, 0.02);
}

static void test_order_of_robots(void** state)
{
    (void)state;
    check_orders(double_pendulum, 4e-3, 0.4);
    check_orders(driven, 4e-3, 0.2);
}

// No drift: the energy error over the second half of a long run is as large as over the first, and
// falls with the square of the step.
static double energy_error(Make make, CondIntegrator integrator, double t, int n, double half[2])
{
    Trial trial = make(integrator, t);
    trial_step(&trial, 1);
    double start = trial.info.kinetic_before + trial.info.potential_before;
    half[0] = half[1] = 0.0;
    for (int i = 1; i < n; i++) {
        trial_step(&trial, 1);
        double error = fabs(trial_energy(&trial) - start);
        half[2 * i / n] = fmax(half[2 * i / n], error);
    }
    trial_end(&trial);
    return fmax(half[0], half[1]);
}

static void test_energy_stays(void** state)
{
    (void)state;
    double half[2];
    double coarse = energy_error(pendulum, COND_INTEGRATOR_MIDPOINT, 8e-3, 1000, half);
    assert_true(half[1] < 1.2 * half[0]);
    double fine = energy_error(pendulum, COND_INTEGRATOR_MIDPOINT, 4e-3, 2000, half);
    assert_true(half[1] < 1.2 * half[0]);
    assert_near(log2(coarse / fine), 2.0, 0.4);
    // M of a double pendulum is not constant; the variational integrator is symplectic all the
    // same.
    coarse = energy_error(calm_pendulum, COND_INTEGRATOR_VARIATIONAL, 0.02, 2000, half);
    assert_true(half[1] < 1.2 * half[0]);
    fine = energy_error(calm_pendulum, COND_INTEGRATOR_VARIATIONAL, 0.01, 4000, half);
    assert_true(half[1] < 1.2 * half[0]);
    assert_near(log2(coarse / fine), 2.0, 0.4);
    // Implicit Euler loses energy, and only ever that.
    Trial trial = pendulum(COND_INTEGRATOR_EULER, 8e-3);
    for (int i = 0; i < 500; i++) {
        trial_step(&trial, 1);
        assert_true(trial.info.kinetic_after + trial.info.potential_after <
                    trial.info.kinetic_before + trial.info.potential_before + 1e-10);
    }
    trial_end(&trial);
}

// A constant M: discrete Euler-Lagrange is the midpoint rule.
static void test_variational_is_midpoint(void** state)
{
    (void)state;
    const Make makes[] = {damped_pendulum, damped_cube, boxes};
    for (int k = 0; k < 3; k++) {
        int n;
        double* a = run(makes[k], COND_INTEGRATOR_MIDPOINT, 2e-3, 0.1, &n);
        double* b = run(makes[k], COND_INTEGRATOR_VARIATIONAL, 2e-3, 0.1, &n);
        assert_true(distance(n, a, b) == 0.0);
        free(a);
        free(b);
    }
}

// A spring along its axis is linear: one iteration, and the answers of the theta rule.
static void test_linear_problems(void** state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        double x[2], v[2];
        for (int newton = 0; newton < 2; newton++) {
            CondScene* scene = sharp_scene(COND_INTEGRATOR_THETA, 0.01);
            CondSceneSettings* settings = cond_scene_settings(scene);
            settings->gravity[2] = 0.0;
            settings->theta = k ? 1.0 : 0.5;
            if (newton)
                settings->integrator = k ? COND_INTEGRATOR_EULER : COND_INTEGRATOR_MIDPOINT;
            CondBodyDef bob = make_particle(0.5, 1.1, 0.0, 0.0);
            add_body(scene, &bob);
            CondSpringDef spring = make_spring("", "body0", 200.0);
            spring.rest_length = 1.0;
            spring.damping = 1.0;
            add_spring(scene, &spring);
            Trial trial = trial_begin(scene);
            for (int i = 0; i < 100; i++) {
                trial_step(&trial, 1);
                assert_int_equal(trial.info.newton_iterations, newton ? 2 : 0);
            }
            x[newton] = trial_pose(&trial, 0).position[0];
            v[newton] = trial_pose(&trial, 0).velocity[0];
            trial_end(&trial);
        }
        assert_near(x[1], x[0], 1e-11);
        assert_near(v[1], v[0], 1e-10);
    }
}

// |change of v| falls with its square where A is the whole derivative: a spring in tension.
static void test_newton_is_quadratic(void** state)
{
    (void)state;
    CondScene* scene = sharp_scene(COND_INTEGRATOR_EULER, 0.05);
    CondBodyDef bob = make_particle(0.5, 1.2, 0.0, 0.0);
    bob.velocity[1] = 6.0;
    add_body(scene, &bob);
    CondSpringDef spring = make_spring("", "body0", 400.0);
    spring.rest_length = 1.0;
    add_spring(scene, &spring);
    Trial trial = trial_begin(scene);
    trial_step(&trial, 1);
    const double* change = trial.sim->newton.history.length;
    int n = trial.info.newton_iterations;
    assert_in_range(n, 4, 8);
    assert_true(change[1] > 0.01 && change[n - 1] < 1e-11);
    for (int i = 2; i < n && change[i - 1] > 1e-6; i++)
        assert_true(change[i] < change[i - 1] * change[i - 1]);
    trial_end(&trial);
}

static void test_not_converged_is_said(void** state)
{
    (void)state;
    for (int limit = 1; limit < 3; limit++) {
        Trial trial = pendulum(COND_INTEGRATOR_MIDPOINT, 0.02);
        // The settings of a simulation are for reading; a test may bend them.
        ((CondSceneSettings*)&trial.sim->model->settings)->newton_iterations = limit;
        assert_int_equal(cond_sim_step(trial.sim, trial.state, &trial.info), COND_NOT_CONVERGED);
        assert_int_equal(trial.info.status, COND_NOT_CONVERGED);
        assert_int_equal(trial.info.newton_iterations, limit);
        trial_end(&trial);
    }
}

// A soft cube dropped on the floor comes to rest there: the floor carries its weight.
static void test_soft_cube_comes_to_rest(void** state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        CondScene* scene = make_scene();
        CondSceneSettings* settings = cond_scene_settings(scene);
        settings->integrator = k ? COND_INTEGRATOR_MIDPOINT : COND_INTEGRATOR_EULER;
        settings->time_step = 5e-3;
        CondMaterialDef rubber = make_material("rubber", 5e4, k ? 0.02 : 5e-3);
        rubber.elasticity = COND_ELASTICITY_NEOHOOKEAN;
        rubber.mass_damping = k ? 10.0 : 2.0;
        add_material(scene, &rubber);
        CondBodyDef def = make_soft("cube", "box:2,2,2:0.1,0.1,0.1", "rubber", 0.0, 0.0, 0.02);
        add_body(scene, &def);
        add_floor(scene, 0.5, 0.0);
        Trial trial = trial_begin(scene);
        trial_step(&trial, 400);
        double force[3], torque[3];
        cond_sim_body_force(trial.sim, 0, force, torque);
        assert_near(force[2], 9.81 * trial_mass(&trial, 0), 1e-3 * force[2]);
        assert_near(force[0], 0.0, 1e-3 * force[2]);
        assert_near(force[1], 0.0, 1e-3 * force[2]);
        assert_true(trial_speed(&trial) < 1e-3);
        assert_true(trial.info.penetration < 1e-6);
        assert_true(trial.info.newton_iterations >= 2);
        trial_end(&trial);
    }
}

// A box thrown onto the floor slides and stops there with a non-linear integrator too.
static void test_box_slides_and_stops(void** state)
{
    (void)state;
    const CondIntegrator which[] = {COND_INTEGRATOR_EULER, COND_INTEGRATOR_MIDPOINT};
    for (int k = 0; k < 2; k++) {
        CondScene* scene = make_scene();
        cond_scene_settings(scene)->integrator = which[k];
        cond_scene_settings(scene)->time_step = 2e-3;
        CondBodyDef box = make_box(0.5, 0.2, 0.2, 0.05, 0.0, 0.0, 0.025);
        box.velocity[0] = 1.0;
        add_body(scene, &box);
        add_floor(scene, 0.3, 0.0);
        Trial trial = trial_begin(scene);
        trial_step(&trial, 400);
        assert_near(trial_pose(&trial, 0).position[0], 1.0 / (2.0 * 0.3 * 9.81), 4e-3);
        assert_near(trial_pose(&trial, 0).velocity[0], 0.0, 1e-7);
        trial_end(&trial);
    }
}

// The wrench of an attachment is the force that the step felt: m (v_{k+1} - v_k)/t - m g.
static void test_attachment_wrench(void** state)
{
    (void)state;
    for (int k = COND_INTEGRATOR_EULER; k <= COND_INTEGRATOR_VARIATIONAL; k++) {
        const double t = 5e-3;
        CondScene* scene = sharp_scene((CondIntegrator)k, t);
        CondBodyDef box = make_box(1.0, 0.2, 0.3, 0.1, 0.0, 0.0, 0.0);
        box.angular_velocity[1] = 4.0;
        add_body(scene, &box);
        CondAttachmentDef tie = make_attachment("tie", "body0", "", 0);
        tie.end[0].point[0] = 0.1;
        tie.end[1].point[0] = 0.1;
        tie.stiffness = 200.0;
        tie.damping = 2.0;
        add_attachment(scene, &tie);
        Trial trial = trial_begin(scene);
        for (int i = 0; i < 100; i++) {
            double before[3], wrench[6];
            memcpy(before, trial.state->v, sizeof before);
            trial_step(&trial, 1);
            assert_int_equal(cond_sim_attachment_wrench(trial.sim, 0, wrench), COND_OK);
            for (int j = 0; j < 3; j++) {
                double force = (trial.state->v[j] - before[j]) / t + (j == 2 ? 9.81 : 0.0);
                assert_near(wrench[j], force, 1e-6);
            }
        }
        trial_end(&trial);
    }
}

// A heavy base that floats, and three rods on axes that cross.
static void write_floater(const char* path)
{
    static const char* const axis[3] = {"0 1 0", "1 0 0", "0 1 0.5"};
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "<robot name=\"floater\">\n");
    for (int i = 0; i < 4; i++)
        fprintf(file,
                "<link name=\"l%d\"><inertial><origin xyz=\"0.02 0 %g\"/><mass value=\"%g\"/>"
                "<inertia ixx=\"0.02\" ixy=\"0\" ixz=\"0.001\" iyy=\"0.015\" iyz=\"0\" "
                "izz=\"0.008\"/></inertial></link>\n",
                i, i ? -0.2 : 0.0, i ? 0.5 : 1.5);
    for (int i = 0; i < 3; i++)
        fprintf(file,
                "<joint name=\"j%d\" type=\"continuous\"><parent link=\"l%d\"/>"
                "<child link=\"l%d\"/><origin xyz=\"0 0 %g\"/><axis xyz=\"%s\"/></joint>\n",
                i, i, i + 1, i ? -0.4 : 0.0, axis[i]);
    fprintf(file, "</robot>\n");
    assert_int_equal(fclose(file), 0);
}

static Trial floater(CondIntegrator integrator, double theta, int root, double t, double gravity)
{
    CondScene* scene = sharp_scene(integrator, t);
    CondSceneSettings* settings = cond_scene_settings(scene);
    settings->theta = theta;
    settings->mass_root = root;
    settings->gravity[2] = gravity;
    write_floater("floater.urdf");
    CondBodyDef robot = make_robot("robot", "floater.urdf");
    robot.floating = 1;
    add_body(scene, &robot);
    Trial trial = trial_begin(scene);
    static const double v[9] = {0.3, -0.2, 0.1, 1.0, -0.5, 0.8, 3.0, -4.0, 5.0};
    memcpy(trial.state->v, v, sizeof v);
    trial.state->q[7] = 0.4;
    trial.state->q[8] = -0.9;
    trial.state->q[9] = 1.3;
    return trial;
}

// Largest relative change of the energy of the free motion.
static double drift(CondIntegrator integrator, double theta, int root, double t, int n)
{
    Trial trial = floater(integrator, theta, root, t, 0.0);
    double start = 0.0, worst = 0.0;
    for (int i = 0; i < n; i++) {
        CondStatus status = cond_sim_step(trial.sim, trial.state, &trial.info);
        if (status == COND_DIVERGED) {
            worst = INFINITY;
            break;
        }
        assert_int_equal(status, COND_OK);
        if (i == 0)
            start = trial.info.kinetic_before;
        worst = fmax(worst, fabs(trial.info.kinetic_after / start - 1.0));
    }
    trial_end(&trial);
    return worst;
}

// In the coordinates M^(1/2) v the motion without forces only turns: energy is kept to rounding, at
// steps where the standard form gains a multiple of it.
static void test_root_keeps_energy(void** state)
{
    (void)state;
    assert_true(drift(COND_INTEGRATOR_THETA, 0.5, 1, 5e-3, 2000) < 1e-10);
    assert_true(drift(COND_INTEGRATOR_THETA, 1.0, 1, 5e-3, 500) < 1e-10);
    assert_true(drift(COND_INTEGRATOR_THETA, 0.5, 1, 0.2, 500) < 1e-10);
    assert_true(drift(COND_INTEGRATOR_THETA, 0.5, 0, 5e-3, 2000) > 0.1);
    assert_true(drift(COND_INTEGRATOR_MIDPOINT, 0.5, 1, 5e-3, 500) < 1e-9);
    double plain = drift(COND_INTEGRATOR_MIDPOINT, 0.5, 0, 5e-3, 500);
    assert_true(plain > 1e-6 && plain < 0.05);
}

static double* float_for(CondIntegrator integrator, int root, double t, double span, int* n_q)
{
    Trial trial = floater(integrator, 0.5, root, t, -9.81);
    trial_step(&trial, steps_in(span, t));
    *n_q = trial.state->n_q;
    double* q = malloc((size_t)*n_q * sizeof *q);
    memcpy(q, trial.state->q, (size_t)*n_q * sizeof *q);
    trial_end(&trial);
    return q;
}

// All forms tend to the same motion: the linear one with the first order, as its M and C are those
// of the start of the step; the midpoint rule with the second.
static void test_root_has_its_order(void** state)
{
    (void)state;
    int n;
    double* exact = float_for(COND_INTEGRATOR_MIDPOINT, 0, 1e-4, 0.2, &n);
    const struct {
        CondIntegrator integrator;
        int root;
        double t, order;
    } forms[] = {
        {COND_INTEGRATOR_THETA, 0, 1e-3, 1.0},    {COND_INTEGRATOR_THETA, 1, 1e-3, 1.0},
        {COND_INTEGRATOR_EULER, 1, 1e-3, 1.0},    {COND_INTEGRATOR_MIDPOINT, 0, 4e-3, 2.0},
        {COND_INTEGRATOR_MIDPOINT, 1, 4e-3, 2.0}, {COND_INTEGRATOR_VARIATIONAL, 0, 4e-3, 2.0}};
    for (size_t k = 0; k < sizeof forms / sizeof forms[0]; k++) {
        double* a = float_for(forms[k].integrator, forms[k].root, forms[k].t, 0.2, &n);
        double* b = float_for(forms[k].integrator, forms[k].root, 0.5 * forms[k].t, 0.2, &n);
        assert_near(log2(distance(n, a, exact) / distance(n, b, exact)), forms[k].order, 0.25);
        free(a);
        free(b);
    }
    free(exact);
}

// One life of a floating robot above a soft body on the floor, with Newton's method and M^(1/2).
static CondStatus live_through(FailingAllocator* allocator)
{
    CondContext context = failing_allocator_context(allocator);
    CondScene* scene = NULL;
    CondModel* model = NULL;
    CondState* state = NULL;
    CondSim* sim = NULL;
    CondBodyDef robot = make_robot("robot", "floater.urdf");
    CondBodyDef block = make_soft("block", "box:1,1,1:0.1,0.1,0.1", "rubber", 0.0, 0.0, 0.0);
    CondMaterialDef rubber = make_material("rubber", 5e4, 1e-3);
    CondPlaneDef plane = cond_plane_def_default();
    CondBodyDef bob = make_particle(1.0, 1.0, 0.0, 1.0);
    CondSpringDef spring = make_spring("", "bob", 10.0);
    snprintf(bob.name, sizeof bob.name, "bob");
    robot.floating = 1;
    robot.position[2] = 2.0;
    robot.motor_stiffness = 1.0;
    CondStatus status = cond_scene_create(&context, &scene, NULL);
    if (!status) {
        cond_scene_set_files(scene, cond_scene_files());
        cond_scene_settings(scene)->integrator = COND_INTEGRATOR_MIDPOINT;
        cond_scene_settings(scene)->mass_root = 1;
        status = cond_scene_add_material(scene, &rubber, NULL);
    }
    status = status ? status : cond_scene_add_body(scene, &robot, NULL);
    status = status ? status : cond_scene_add_body(scene, &block, NULL);
    status = status ? status : cond_scene_add_body(scene, &bob, NULL);
    status = status ? status : cond_scene_add_plane(scene, &plane, NULL);
    status = status ? status : cond_scene_add_spring(scene, &spring, NULL);
    status = status ? status : cond_scene_compile(scene, &model, NULL);
    status = status ? status : cond_state_create(model, &state, NULL);
    status = status ? status : cond_sim_create(model, &sim, NULL);
    for (int i = 0; i < 2 && status >= 0; i++) {
        CondStatus step = cond_sim_step(sim, state, NULL);
        status = step < 0 ? step : status;
    }
    cond_sim_destroy(sim);
    cond_state_destroy(state);
    cond_model_destroy(model);
    cond_scene_destroy(scene);
    return status;
}

static void test_memory_may_run_out(void** state)
{
    (void)state;
    write_floater("floater.urdf");
    FailingAllocator all = {0, 0, 0};
    assert_int_equal(live_through(&all), COND_OK);
    assert_int_equal(all.live, 0);
    for (long fail = 1; fail <= all.calls; fail++) {
        FailingAllocator allocator = {.fail_at = fail};
        assert_int_equal(live_through(&allocator), COND_OUT_OF_MEMORY);
        assert_int_equal(allocator.live, 0);
    }
}

static void test_refusals(void** state)
{
    (void)state;
    CondScene* scene = sharp_scene(COND_INTEGRATOR_VARIATIONAL, 0.01);
    cond_scene_settings(scene)->mass_root = 1;
    CondBodyDef bob = make_particle(1.0, 0.0, 0.0, 0.0);
    add_body(scene, &bob);
    CondModel* model;
    CondSim* sim;
    CondError error;
    assert_int_equal(cond_scene_compile(scene, &model, NULL), COND_OK);
    assert_int_equal(cond_sim_create(model, &sim, &error), COND_NOT_SUPPORTED);
    assert_null(sim);
    assert_non_null(strstr(error.message, "mass_root"));
    cond_model_destroy(model);
    cond_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_of_springs),
        cmocka_unit_test(test_order_of_soft_bodies),
        cmocka_unit_test(test_order_of_robots),
        cmocka_unit_test(test_energy_stays),
        cmocka_unit_test(test_variational_is_midpoint),
        cmocka_unit_test(test_linear_problems),
        cmocka_unit_test(test_newton_is_quadratic),
        cmocka_unit_test(test_not_converged_is_said),
        cmocka_unit_test(test_soft_cube_comes_to_rest),
        cmocka_unit_test(test_box_slides_and_stops),
        cmocka_unit_test(test_attachment_wrench),
        cmocka_unit_test(test_root_keeps_energy),
        cmocka_unit_test(test_root_has_its_order),
        cmocka_unit_test(test_memory_may_run_out),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
