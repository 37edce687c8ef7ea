// Static equilibrium: beams, chains and ropes against theory, friction at its angle, contact of
// soft bodies, cloth and a pile, what has no equilibrium, and runs that stay where they begin.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kinds_make.h"

#include "model/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static Trial text(const char* format, ...)
{
    char all[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(all, sizeof all, format, arguments);
    va_end(arguments);
    return trial_text("solver: {threads: 1}\n", all);
}

// The equilibrium, whose forces balance to 1e-6 of the load of each body, and from which the bodies
// do not move in steps of time.
static CondEquilibriumInfo find(Trial* trial)
{
    CondEquilibriumInfo info;
    CondStatus status = cond_sim_equilibrium(trial->sim, trial->state, NULL, &info);
    print_message("%d steps, %d again, unbalanced %.1e, moved %g: %s\n", info.steps, info.discarded,
                  info.balance, info.moved, cond_sim_message(trial->sim));
    assert_int_equal(status, COND_OK);
    assert_int_equal(info.status, COND_OK);
    assert_true(info.balance <= 1e-6 && info.certificate < 1e-6);
    assert_true(cond_state_time(trial->state) == 0.0);
    for (int i = 0; i < cond_model_n_dof(trial->model); i++)
        assert_true(trial->state->v[i] == 0.0);
    return info;
}

static void refuse(Trial* trial, const char* name)
{
    CondEquilibriumInfo info;
    CondEquilibriumDef def = cond_equilibrium_def_default();
    def.max_steps = 60;
    assert_int_equal(cond_sim_equilibrium(trial->sim, trial->state, &def, &info),
                     COND_NOT_CONVERGED);
    print_message("%s\n", cond_sim_message(trial->sim));
    assert_non_null(strstr(cond_sim_message(trial->sim), name));
    assert_true(info.balance > def.tolerance && info.steps == 60);
}

// How far the coordinates are after some steps of time from where they are now.
static double drift(Trial* trial, int steps)
{
    enum { MOST = 20000 };
    static double q[MOST];
    int n = cond_model_n_q(trial->model);
    double most = 0.0;
    assert_true(n <= MOST);
    const double* now = trial->state->q;
    memcpy(q, now, (size_t)n * sizeof *q);
    trial_step(trial, steps);
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(trial->state->q[i] - q[i]));
    print_message("after %d steps of time: %.1e m\n", steps, most);
    return most;
}

static const double* body_q(const Trial* trial, int body, int* n)
{
    *n = trial->model->body[body].n_q;
    return trial->state->q + trial->model->body[body].q_begin;
}

// The lowest node of a soft body.
static double lowest(const Trial* trial, int body)
{
    int n;
    const double* q = body_q(trial, body, &n);
    double low = INFINITY;
    for (int i = 2; i < n; i += 3)
        low = fmin(low, q[i]);
    return low;
}

// A strip under its own weight, clamped level: w L^3/EI = 10 gives large deflections. theta(s) of
// EI theta'' = -w (L - s) cos(theta), by shooting.
static double elastica(double k, double* across)
{
    enum { N = 4000 };
    double low = 0.0, high = 10.0, x = 0.0, y = 0.0;
    for (int trial = 0; trial < 80; trial++) {
        double bend = 0.5 * (low + high), theta = 0.0, curvature = bend, h = 1.0 / N;
        x = y = 0.0;
        for (int i = 0; i < N; i++) { // midpoint rule
            double s = i * h, middle = theta + 0.5 * h * curvature,
                   slope = curvature - 0.5 * h * k * (1.0 - s) * cos(theta);
            curvature -= h * k * (1.0 - s - 0.5 * h) * cos(middle);
            theta += h * slope;
            x += h * cos(middle);
            y += h * sin(middle);
        }
        if (curvature > 0.0)
            high = bend;
        else
            low = bend;
    }
    *across = x;
    return y;
}

static void test_elastica(void** state)
{
    (void)state;
    // 0.5 x 0.02 x 0.01 m, E such that rho g A L^3/(E I) = 10
    double k = 10.0, h = 0.01, L = 0.5, rho = 1000.0;
    double E = rho * 9.81 * L * L * L * 12.0 / (k * h * h), x, y = elastica(k, &x);
    Trial trial =
        text("materials: [{name: rubber, youngs_modulus: %g, poisson_ratio: 0, density: 1000}]\n"
             "bodies: [{name: strip, kind: soft, mesh: 'mat:16,2,2:0.5,0.02,0.01', element: "
             "quadratic, material: rubber}]\n"
             "patches: [{name: end, body: strip, low: [-0.251, -1, -1], high: [-0.249, 1, 1]}]\n"
             "attachments: [{from: {body: strip, patch: end}, to: {}, stiffness: .inf}]\n",
             E);
    CondEquilibriumInfo info = find(&trial);
    double tip = lowest(&trial, 0) + 0.5 * h * x / 1.0; // the tip is nearly upright
    print_message("elastica: tip %.4f of %.4f, steps %d\n", tip / L, -y, info.steps);
    assert_true(drift(&trial, 20) < 1e-5);
    assert_near(tip / L, -y, 0.02 * y);
    trial_end(&trial);
}

// Links of a chain hang straight down, one below the other.
static void test_chain(void** state)
{
    (void)state;
    Trial trial = trial_read("chain10.yaml", 0, NULL);
    find(&trial);
    double weight = 0.0;
    for (int b = 9; b >= 0; b--) {
        CondPose pose = trial_pose(&trial, b);
        weight += 0.05 * 9.81;
        assert_near(pose.position[0], 0.0, 1e-6);
        assert_true(pose.position[2] < 0.0);
    }
    // Springs of 1e5 N/m carry the weight of what hangs below.
    double stretch = 0.0, below = weight;
    for (int b = 0; b < 10; b++, below -= 0.05 * 9.81) {
        stretch += below / 1e5;
        assert_near(trial_pose(&trial, b).position[2], -0.04 - 0.08 * b - stretch, 1e-6);
    }
    assert_true(drift(&trial, 20) < 1e-6);
    trial_end(&trial);
}

// A rope between two points: y = a cosh(x/a) where it does not resist bending.
static void test_catenary(void** state)
{
    (void)state;
    Trial trial = text(
        "materials: [{name: rope, youngs_modulus: 1e7, poisson_ratio: 0.3, density: 1000}]\n"
        "bodies: [{name: rope, kind: rod, material: rope, rod: {links: 80, length: 1, circle: "
        "0.001}, position: [-0.5, 0, 0], rotation: {axis: [0, 1, 0], degrees: 90}}]\n"
        "attachments:\n"
        "  - {from: {body: rope, at: 0}, to: {}, turns: false, stiffness: 1e5}\n"
        "  - {from: {body: rope, at: 1}, to: {trajectory: hand}, turns: false, stiffness: 1e5, "
        "position: [0, 0, 0]}\n"
        "trajectories: [{name: hand, waypoints: [{time: 0, position: [0.2, 0, 0]}, {time: 1, "
        "position: [0.4, 0, 0]}]}]\n");
    find(&trial);
    int n;
    const double* q = body_q(&trial, 0, &n);
    double low = INFINITY, a = 0.1, half = 0.35;
    for (int i = 2; i < n; i += 7)
        low = fmin(low, q[i]);
    for (int i = 0; i < 100; i++) // 2 a sinh(half/a) = 1
        a += 0.5 * (half / asinh(0.5 / a) - a);
    double sag = a * (cosh(half / a) - 1.0);
    print_message("catenary: sag %.5f of %.5f\n", -low, sag);
    assert_near(-low, sag, 0.005 * sag);
    trial_end(&trial);
}

static Trial on_incline(double angle, const char* body)
{
    return text(
        "gravity: [%.17g, 0, %.17g]\n"
        "planes: [{name: floor, friction: 0.5}]\n"
        "materials: [{name: rubber, youngs_modulus: 1e5, poisson_ratio: 0.3, density: 1000}]\n"
        "bodies: [{name: block, %s, position: [0, 0, 0.06], friction: 0.5}]\n",
        9.81 * sin(angle), -9.81 * cos(angle), body);
}

// Blocks stay up to the angle of friction, and not beyond.
static void test_incline(void** state)
{
    (void)state;
    static const char* const bodies[] = {
        "mass: 1, shape: {box: [0.2, 0.2, 0.1]}",
        "kind: soft, mesh: 'box:4,4,3:0.2,0.2,0.1', material: rubber",
    };
    double angle = atan(0.5);
    for (int k = 0; k < 2; k++) {
        double margin = k == 0 ? 1e-4 : 0.02;
        Trial trial = on_incline(angle - margin, bodies[k]);
        find(&trial);
        assert_true(drift(&trial, 20) < 1e-5);
        trial_end(&trial);
        trial = on_incline(angle + margin, bodies[k]);
        refuse(&trial, "'block'");
        trial_end(&trial);
    }
}

static void test_refusals(void** state)
{
    (void)state;
    Trial trial = text("bodies: [{name: stone, mass: 1, shape: {sphere: 0.1}}]\n");
    refuse(&trial, "'stone'");
    CondEquilibriumDef def = cond_equilibrium_def_default();
    def.tolerance = -1.0;
    assert_int_equal(cond_sim_equilibrium(trial.sim, trial.state, &def, NULL), COND_BAD_ARGUMENT);
    trial_end(&trial);
    trial = text("gravity: [0, 0, 0]\nbodies: [{name: stone, mass: 1, shape: {sphere: 0.1}}]\n");
    assert_int_equal(find(&trial).steps, 0);
    trial_end(&trial);
}

static int stop_at_three(void* user, const CondEquilibriumInfo* info)
{
    *(int*)user = info->steps;
    return info->steps == 3;
}

// Cancelled from outside the state is as it was.
static void test_cancel(void** state)
{
    (void)state;
    Trial trial = text("bodies: [{name: stone, mass: 1, shape: {sphere: 0.1}}]\n");
    uint64_t before = cond_state_hash(trial.state);
    int seen = 0;
    CondEquilibriumDef def = cond_equilibrium_def_default();
    def.user = &seen;
    def.progress = stop_at_three;
    assert_int_equal(cond_sim_equilibrium(trial.sim, trial.state, &def, NULL), COND_CANCELLED);
    assert_int_equal(seen, 3);
    assert_true(cond_state_hash(trial.state) == before);
    trial_end(&trial);
}

// Springs, motors and given forces: a hanging mass, a joint that its motor holds, a pushed ball.
static void test_forces(void** state)
{
    (void)state;
    Trial trial = text("bodies:\n"
                       "  - {name: bob, kind: particle, mass: 2, position: [0.3, 0, -1]}\n"
                       "springs: [{from: {body: bob}, to: {}, stiffness: 100, damping: 1, "
                       "rest_length: 1}]\n"
                       "forces: [{name: wind, body: bob, force: [5, 0, 0]}, {name: later, body: "
                       "bob, force: [0, 50, 0], start: 3}]\n");
    find(&trial);
    double force = hypot(5.0, 2.0 * 9.81), length = 1.0 + force / 100.0;
    CondPose pose = trial_pose(&trial, 0);
    assert_near(pose.position[0], length * 5.0 / force, 1e-5);
    assert_near(pose.position[1], 0.0, 1e-9);
    assert_near(pose.position[2], -length * 2.0 * 9.81 / force, 1e-5);
    trial_end(&trial);
    write_chain("chain.urdf", 1, 1.0, 1.0, 0.1, 0.0);
    trial = text("bodies: [{name: arm, kind: robot, urdf: chain.urdf, joints: [{name: hinge0, "
                 "position: 1.0, stiffness: 20, damping: 1}]}]\n");
    find(&trial); // 20 (1 - q) = m g l/2 sin(q)
    double q = trial.state->q[0];
    assert_near(20.0 * (1.0 - q), 9.81 * 0.5 * sin(q), 1e-4);
    trial_end(&trial);
}

// A soft block on a soft block, a cloth over an edge, and boxes in a pile: the forces on the ground
// are the weight, and the bodies stay.
static void test_contacts(void** state)
{
    (void)state;
    static const char* const scenes[] = {
        "planes: [{name: floor, friction: 0.5}]\n"
        "materials: [{name: rubber, youngs_modulus: 2e4, poisson_ratio: 0.45, density: 1000}]\n"
        "bodies:\n"
        "  - {name: low, kind: soft, mesh: 'box:4,4,3:0.2,0.2,0.1', material: rubber, position: "
        "[0, 0, 0.05], friction: 0.5}\n"
        "  - {name: high, kind: soft, mesh: 'box:3,3,3:0.1,0.1,0.1', material: rubber, position: "
        "[0.01, 0, 0.16], friction: 0.5, element: quadratic}\n",
        "planes: [{name: floor, friction: 0.5}]\n"
        "bodies:\n"
        "  - {name: a, density: 500, shape: {box: [0.1, 0.1, 0.1]}, position: [0, 0, 0.06], "
        "friction: 0.5}\n"
        "  - {name: b, density: 500, shape: {box: [0.1, 0.1, 0.1]}, position: [0.12, 0, 0.06], "
        "friction: 0.5}\n"
        "  - {name: c, density: 500, shape: {box: [0.1, 0.1, 0.1]}, position: [0.06, 0.01, 0.18], "
        "friction: 0.5}\n"
        "  - {name: d, density: 500, shape: {sphere: 0.05}, position: [0.03, 0.2, 0.2], "
        "friction: 0.5}\n"
        "  - {name: e, density: 500, shape: {cylinder: [0.05, 0.1]}, position: [0.06, 0, 0.32], "
        "rotation: {axis: [1, 0, 0], degrees: 30}, friction: 0.5}\n",
    };
    for (int k = 0; k < 2; k++) {
        Trial trial = text("%s", scenes[k]);
        double weight = 0.0, total = 0.0, least = INFINITY;
        find(&trial);
        for (int b = 0; b < cond_model_n_body(trial.model); b++)
            weight += 9.81 * cond_model_mass(trial.model, b);
        assert_true(drift(&trial, 1) < 1e-5);
        for (int c = 0; c < cond_sim_n_contact(trial.sim); c++) {
            CondContactInfo contact = cond_sim_contact(trial.sim, c);
            total += contact.other < 0 ? contact.impulse[0] / 0.01 : 0.0;
            least = fmin(least, contact.impulse[0]);
        }
        assert_true(least >= 0.0);
        assert_near(total, weight, 1e-4 * weight);
        assert_true(drift(&trial, 30) < 1e-4);
        trial_end(&trial);
    }
}

static void test_cloth(void** state)
{
    (void)state;
    Trial trial = trial_read("cloth.yaml", 0, NULL);
    CondEquilibriumInfo info = find(&trial);
    assert_true(info.moved > 0.05 && info.n_contact > 50);
    assert_true(drift(&trial, 30) < 1e-3);
    trial_end(&trial);
}

// A trajectory stands still where it is at the time of the state.
static void test_time(void** state)
{
    (void)state;
    Trial trial =
        text("bodies: [{name: cart, kind: particle, mass: 1}]\n"
             "attachments: [{from: {body: cart}, to: {trajectory: path}, turns: false, stiffness: "
             "1000, damping: 10, position: [0, 0, 0]}]\n"
             "trajectories: [{name: path, waypoints: [{time: 0, position: [0, 0, 0]}, {time: 1, "
             "position: [1, 0, 0]}]}]\n");
    trial_step(&trial, 50);
    CondEquilibriumInfo info;
    assert_int_equal(cond_sim_equilibrium(trial.sim, trial.state, NULL, &info), COND_OK);
    CondPose pose = trial_pose(&trial, 0);
    assert_near(pose.position[0], 0.5, 1e-6);
    assert_near(pose.position[2], -9.81 / 1000.0, 1e-6);
    assert_near(cond_state_time(trial.state), 0.5, 1e-12);
    trial_step(&trial, 1); // the trajectory leads on
    assert_true(trial_pose(&trial, 0).position[0] > 0.5);
    trial_end(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elastica), cmocka_unit_test(test_chain),
        cmocka_unit_test(test_catenary), cmocka_unit_test(test_incline),
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_forces),   cmocka_unit_test(test_contacts),
        cmocka_unit_test(test_cloth),    cmocka_unit_test(test_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
