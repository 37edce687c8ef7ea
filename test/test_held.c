// Attachments that do not give: what they hold moves as it is told to the last digits, and the
// force that takes is the one of statics.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "model/state.h"
#include "problem/reduce.h"
#include "scene_make.h"

static const char* const integrators[] = {"auto", "theta", "euler", "midpoint"};
enum { N_INTEGRATOR = sizeof integrators / sizeof *integrators };

static Trial begin(const char* integrator, double time_step, const char* text)
{
    char settings[120];
    snprintf(settings, sizeof settings, "step: {integrator: %s, time_step: %g}\n", integrator,
             time_step);
    return trial_text(settings, text);
}

static void wrench_of(const Trial* trial, int attachment, double wrench[6])
{
    assert_int_equal(cond_sim_attachment_wrench(trial->sim, attachment, wrench), COND_OK);
}

// ---- the reduced problem

enum { N = 15, N_CONTACT = 3 };

// A rigid body, three nodes, a coupling, and contacts on both with either side held.
typedef struct Made {
    double dense[36], rows[54], b[N], J[3 * 6], K[9], w[N], side[18];
    int row_begin[4], column[6], coordinate[6], rigid[6], node[2][3];
    CondBlock block[3];
    CondCoupling coupling;
    CondContact contact[N_CONTACT];
    CondProblem problem;
    unsigned char given[N];
} Made;

static void make_problem(Made* m)
{
    Dice dice = {77};
    static const int pattern[] = {0, 1, 0, 1, 2, 2};
    memset(m, 0, sizeof *m);
    for (int i = 0; i < 36; i++)
        m->dense[i] = i % 7 == 0 ? 4.0 : 0.1 * (i / 6 + i % 6);
    memcpy(m->row_begin, (int[]){0, 2, 4, 5}, sizeof m->row_begin);
    memcpy(m->column, pattern, 4 * sizeof *pattern);
    m->column[4] = 2;
    for (int k = 0; k < 5; k++)
        for (int i = 0; i < 9; i++)
            m->rows[9 * k + i] = (k == 0 || k == 3 || k == 4) ? (i % 4 == 0 ? 3.0 : 0.2) : -0.3;
    for (int i = 0; i < N; i++)
        m->b[i] = dice_uniform(&dice, -1.0, 1.0), m->w[i] = dice_uniform(&dice, -1.0, 1.0);
    for (int i = 0; i < 18; i++)
        m->J[i] = dice_uniform(&dice, -1.0, 1.0), m->side[i] = dice_uniform(&dice, -1.0, 1.0);
    for (int i = 0; i < 3; i++)
        m->K[4 * i] = 2.0 + i;
    for (int i = 0; i < 6; i++)
        m->rigid[i] = i, m->coordinate[i] = 2 * i + 1;
    for (int i = 0; i < 3; i++)
        m->node[0][i] = 6 + i, m->node[1][i] = 9 + i;
    m->block[0] = (CondBlock){COND_BLOCK_DENSE, 0, 6, m->dense, NULL, NULL, NULL};
    m->block[1] = (CondBlock){COND_BLOCK_BSR3, 6, 9, m->rows, m->row_begin, m->column, NULL};
    m->coupling = (CondCoupling){3, 6, m->coordinate, m->J, m->K};
    const double frame[9] = {0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0};
    for (int c = 0; c < N_CONTACT; c++) {
        CondContact* contact = &m->contact[c];
        *contact = (CondContact){.friction = {0.5, 0.5}, .phi = {0.1, 0.2, 0.3}, .kv = INFINITY};
        memcpy(contact->frame, frame, sizeof frame);
    }
    const CondSide rigid = {6, m->rigid, m->side};
    m->contact[0].side[0] = (CondSide){3, m->node[0], NULL}; // held node on a free body
    m->contact[0].side[1] = rigid;
    m->contact[1].side[0] = rigid; // free body on a held node
    m->contact[1].side[1] = (CondSide){3, m->node[0], NULL};
    m->contact[2].side[0] = (CondSide){3, m->node[1], NULL}; // held in one direction
    memset(m->given + 6, 1, 3);
    m->given[10] = m->given[2] = 1;
    m->problem = (CondProblem){N, 2, 1, N_CONTACT, m->block, &m->coupling, m->contact, m->b};
}

// For any v of the free coordinates both problems have the same residual and contact velocities.
static void reduction(void** state)
{
    (void)state;
    static Made m;
    CondReduction r = {.arena.context = {0}};
    CondError error;
    Dice dice = {5};
    double v[N], whole[N], left[N], lambda[3 * N_CONTACT], f[N] = {0.0}, g[N] = {0.0};
    make_problem(&m);
    cond_arena_begin(NULL, &r.arena);
    assert_int_equal(cond_problem_check(NULL, &m.problem, &error), COND_OK);
    assert_int_equal(cond_problem_reduce(&m.problem, m.given, m.w, &r), COND_OK);
    if (cond_problem_check(NULL, &r.problem, &error))
        fail_msg("%s", error.message);
    for (int i = 0; i < N; i++)
        v[i] = m.given[i] ? m.w[i] : dice_uniform(&dice, -1.0, 1.0);
    for (int i = 0; i < 3 * N_CONTACT; i++)
        lambda[i] = dice_uniform(&dice, -1.0, 1.0);
    cond_problem_multiply(&m.problem, v, whole);
    double u[N_CONTACT][3];
    for (int c = 0; c < N_CONTACT; c++) {
        cond_contact_velocity(&m.contact[c], v, u[c]);
        cond_contact_add_force(&m.contact[c], 1.0, lambda + 3 * c, f);
    }
    cond_reduction_enter(&r, m.given, v, lambda);
    cond_problem_multiply(&r.problem, v, left);
    for (int c = 0; c < N_CONTACT; c++) {
        double reduced[3];
        cond_contact_velocity(&r.problem.contact[c], v, reduced);
        reduced[2] *= r.swapped[c] ? -1.0 : 1.0;
        for (int i = 0; i < 3; i++)
            assert_near(reduced[i], u[c][i], 1e-14);
        cond_contact_add_force(&r.problem.contact[c], 1.0, lambda + 3 * c, g);
    }
    assert_true(r.swapped[0] && !r.swapped[1] && !r.swapped[2]);
    for (int i = 0; i < N; i++) {
        if (m.given[i])
            assert_true(left[i] == 0.0 && r.problem.b[i] == 0.0 && g[i] == 0.0);
        else
            assert_near(left[i] - r.problem.b[i] - g[i], whole[i] - m.b[i] - f[i], 1e-13);
    }
    cond_reduction_leave(&r, m.given, v, lambda);
    for (int i = 0; i < N; i++)
        if (m.given[i])
            assert_true(v[i] == m.w[i]);
    cond_reduction_destroy(&r);
}

// ---- soft bodies

// Poisson's ratio 0: the bar is strained evenly, and linear elements have that exactly.
static const char bar[] =
    "gravity: [0, 0, 0]\n"
    "materials: [{name: rubber, density: 1000, youngs_modulus: 1.0e+5, poisson_ratio: 0, "
    "mass_damping: 100}]\n"
    "bodies: [{name: bar, kind: soft, mesh: \"box:4,2,1:0.6,0.2,0.1\", material: rubber}]\n"
    "patches:\n"
    "  - {name: left, body: bar, low: [-0.31, -1, -1], high: [-0.29, 1, 1]}\n"
    "  - {name: right, body: bar, low: [0.29, -1, -1], high: [0.31, 1, 1]}\n"
    "attachments:\n"
    "  - {name: wall, from: {body: bar, patch: left}, to: {}, stiffness: .inf}\n"
    "  - {name: hand, from: {trajectory: pull}, to: {body: bar, patch: right}, stiffness: .inf}\n"
    "trajectories: [{name: pull, waypoints: [{time: 0, position: [0.2, 0.1, 0]}, {time: 0.1, ";

static void pulled_bar(void** state)
{
    (void)state;
    for (int k = 0; k < N_INTEGRATOR; k++) {
        double wall[6], hand[6], force = 1e5 * 0.2 * 0.1 * 0.03 / 0.6;
        char text[1600];
        snprintf(text, sizeof text, "%sposition: [0.23, 0.1, 0]}]}]\n", bar);
        Trial trial = begin(integrators[k], 0.01, text);
        const CondBody* body = &trial.model->body[0];
        trial_step(&trial, 80);
        wrench_of(&trial, 0, wall);
        wrench_of(&trial, 1, hand);
        assert_near(wall[0], -force, 1e-6 * force);
        assert_near(hand[0], -force, 1e-6 * force); // what the bar does to the hand
        for (int i = 1; i < 3; i++) {
            assert_near(wall[i], 0.0, 1e-6 * force);
            assert_near(hand[i], 0.0, 1e-6 * force);
        }
        for (int p = 0; p < 2; p++) {
            const CondPatch* patch = &trial.model->patch[p];
            for (int i = 0; i < 3 * patch->n_node; i++) {
                int at = 3 * patch->node[i / 3] + i % 3;
                double told = body->start[at] + (p == 1 && i % 3 == 0 ? 0.03 : 0.0);
                assert_near(trial.state->q[at], told, 1e-12);
                assert_true(trial.state->v[at] == 0.0);
            }
        }
        trial_end(&trial);
    }
}

// A patch that is turned: its nodes are where the rotation takes them, and the torques of both ends
// balance.
static void turned_patch(void** state)
{
    (void)state;
    char text[1600];
    snprintf(text, sizeof text,
             "%sposition: [0.2, 0.1, 0], rotation: {axis: [1, 0, 0], degrees: 40}}]}]\n", bar);
    double wall[6], hand[6], c = cos(40.0 * 0.017453292519943295), s = sqrt(1.0 - c * c);
    Trial trial = begin("auto", 0.01, text);
    const CondPatch* patch = &trial.model->patch[1];
    const double* start = trial.model->body[0].start;
    trial_step(&trial, 200);
    for (int k = 0; k < patch->n_node; k++) {
        const double *x = trial.state->q + 3 * (size_t)patch->node[k],
                     *x0 = start + 3 * (size_t)patch->node[k];
        double y = x0[1] - 0.1, z = x0[2]; // about the frame's origin
        assert_near(x[0], x0[0], 1e-11);
        assert_near(x[1], 0.1 + c * y - s * z, 1e-11);
        assert_near(x[2], s * y + c * z, 1e-11);
    }
    wrench_of(&trial, 0, wall);
    wrench_of(&trial, 1, hand);
    for (int i = 0; i < 3; i++)
        assert_near(wall[i] - hand[i], 0.0, 1e-6 * fabs(wall[0] + 1.0));
    trial_end(&trial);
}

// A beam that swings on a fixed end under auto, without damping, keeps its energy.
static void swinging_beam(void** state)
{
    (void)state;
    Trial trial = begin(
        "auto", 0.005,
        "materials: [{name: rubber, density: 1000, youngs_modulus: 1.0e+5, poisson_ratio: 0.3}]\n"
        "bodies: [{name: bar, kind: soft, mesh: \"box:6,1,1:0.6,0.1,0.1\", "
        "material: rubber}]\n"
        "patches: [{name: left, body: bar, low: [-0.31, -1, -1], "
        "high: [-0.29, 1, 1]}]\n"
        "attachments: [{from: {body: bar, patch: left}, to: {}, "
        "stiffness: .inf}]\n");
    double first = NAN, drift = 0.0, fastest = 0.0;
    for (int k = 0; k < 100; k++) {
        trial_step(&trial, 1);
        double energy = trial.info.kinetic_after + trial.info.potential_after;
        if (isnan(first))
            first = energy;
        drift = fmax(drift, fabs(energy - first));
        fastest = fmax(fastest, trial.info.kinetic_after);
    }
    print_message("kinetic energy up to %.3g J, all of it within %.2g J\n", fastest, drift);
    assert_true(fastest > 0.1 && drift < 1e-3 * fastest);
    trial_end(&trial);
}

// A bar that is held at one end and begins deep in the floor, beside another body. As a rigid body
// it rests, and has contacts between points that do not move; what is not held comes out.
static void deep_in_the_floor(void** state)
{
    (void)state;
    Trial trial = begin(
        "auto", 0.01,
        "materials: [{name: rubber, density: 1000, youngs_modulus: 1.0e+5, poisson_ratio: 0.3}]\n"
        "planes: [{name: floor, offset: -0.03}]\n"
        "bodies:\n"
        "  - {name: bar, kind: soft, mesh: \"box:6,1,1:0.6,0.1,0.1\", material: rubber}\n"
        "  - {name: ball, mass: 1, shape: {sphere: 0.05}, position: [0.2, 0, 0.1]}\n"
        "patches: [{name: left, body: bar, low: [-0.31, -1, -1], high: [-0.29, 1, 1]}]\n"
        "attachments: [{from: {body: bar, patch: left}, to: {}, stiffness: .inf}]\n");
    trial_step(&trial, 20);
    const CondBody* body = &trial.model->body[0];
    for (int i = 0; i < body->n_dof; i += 3)
        if (body->start[i] > -0.29)
            assert_true(trial.state->q[body->q_begin + i + 2] > -0.03 - 1e-4);
    trial_end(&trial);
}

// ---- rods

// Chain of links, the first of which is held: joint j at x_j turns by M_j l/EI, so that the tip
// sinks by F l/EI sum (L - x_j)^2, and by shear F l/GA a joint.
static void cantilever(void** state)
{
    (void)state;
    for (int k = 0; k < N_INTEGRATOR; k++) {
        const double E = 1e7, r = 0.01, L = 1.0, F = 1e-3, G = E / 2.6;
        const double I = 0.25 * 3.14159265358979 * r * r * r * r, A = 3.14159265358979 * r * r;
        enum { LINKS = 10 };
        double l = L / LINKS, sink = 0.0, wrench[6];
        Trial trial = begin(
            integrators[k], 0.02,
            "gravity: [0, 0, 0]\n"
            "materials: [{name: steel, density: 1000, youngs_modulus: 1.0e+7, poisson_ratio: 0.3, "
            "mass_damping: 3, stiffness_damping: 0.02}]\n"
            "bodies: [{name: rod, kind: rod, material: steel, rotation: {axis: [0, 1, 0], "
            "degrees: 90}, rod: {links: 10, length: 1, circle: 0.01}}]\n"
            "forces: [{body: rod, at: 1, force: [0, 0, -1.0e-3]}]\n"
            "attachments: [{from: {body: rod, at: 0}, to: {}, stiffness: .inf}]\n");
        double start[7];
        memcpy(start, trial.state->q, sizeof start);
        for (int j = 1; j < LINKS; j++)
            sink += F * l / (E * I) * (L - j * l) * (L - j * l) + F * l / (G * A);
        trial_step(&trial, 500);
        const double* last = trial.state->q + 7 * (LINKS - 1);
        double R33 = 1.0 - 2.0 * (last[4] * last[4] + last[5] * last[5]);
        double tip = last[2] + 0.5 * l * R33 - start[2];
        print_message("%s: sinks by %.8f m, expected %.8f\n", integrators[k], -tip, sink);
        assert_near(-tip, sink, 1e-4 * sink); // of the second order in the slope
        assert_memory_equal(trial.state->q, start, sizeof start);
        wrench_of(&trial, 0, wrench);
        assert_near(wrench[2], F, 1e-4 * F);
        assert_near(wrench[4], -F * L, 1e-3 * F * L);

        trial_end(&trial);
    }
}

// ---- kinematic bodies

static const char conveyor[] =
    "bodies:\n"
    "  - {name: belt, mass: 1, shape: {box: [4, 1, 0.1]}, friction: 0.5}\n"
    "  - {name: box, mass: 3, shape: {box: [0.2, 0.2, 0.2]}, position: [-0.5, 0, 0.15], "
    "friction: 0.5}\n"
    "planes: [{name: floor, friction: 0.5}]\n" // through the belt, which does not mind
    "trajectories: [{name: along, velocity: [0.3, 0, 0], waypoints: [{time: 0, "
    "position: [0, 0, 0]}]}]\n"
    "attachments: [{name: drive, from: {body: belt}, to: {trajectory: along}, stiffness: .inf}]\n";

// Friction speeds the box up at mu g, then it rides along; the drive feels its weight and friction.
static void carried(void** state)
{
    (void)state;
    const double t = 0.01, g = 9.81, mu = 0.5;
    for (int k = 0; k < N_INTEGRATOR; k++) {
        double wrench[6];
        Trial trial = begin(integrators[k], t, conveyor);
        for (int i = 1; i <= 60; i++) {
            trial_step(&trial, 1);
            CondPose belt = trial_pose(&trial, 0), box = trial_pose(&trial, 1);
            assert_near(belt.position[0], 0.3 * i * t, 1e-14);
            assert_true(belt.velocity[0] == 0.3 && belt.velocity[2] == 0.0);
            assert_near(box.velocity[0], fmin(mu * g * i * t, 0.3), 1e-7);
            wrench_of(&trial, 0, wrench);
            if (i > 1) // before, the belt was at rest
                assert_near(wrench[2], (1.0 + 3.0) * g, 1e-5);
            if (i > 1 && i < 6)
                assert_near(wrench[0], 3.0 * mu * g, 1e-5);
            if (i > 8)
                assert_near(wrench[0], 0.0, 1e-5);
        }
        trial_end(&trial);
    }
}

// On a table that shakes with an acceleration of a, a body stays put on it where a < mu g.
static double slip_on_shaker(double amplitude, const char* integrator)
{
    char text[700];
    snprintf(text, sizeof text,
             "bodies:\n"
             "  - {name: table, mass: 1, shape: {box: [4, 1, 0.1]}, friction: 0.5, "
             "velocity: [%.17g, 0, 0]}\n"
             "  - {name: box, mass: 3, shape: {box: [0.2, 0.2, 0.1]}, position: [0, 0, 0.1], "
             "friction: 0.5, velocity: [%.17g, 0, 0]}\n"
             "trajectories: [{name: shake, amplitude: [%.17g, 0, 0], frequency: 2, waypoints: "
             "[{time: 0, position: [0, 0, 0]}]}]\n"
             "attachments: [{from: {body: table}, to: {trajectory: shake}, stiffness: .inf}]\n",
             amplitude * 4.0 * 3.14159265358979, amplitude * 4.0 * 3.14159265358979, amplitude);
    Trial trial = begin(integrator, 0.002, text);
    double slip = 0.0;
    for (int i = 0; i < 500; i++) {
        trial_step(&trial, 1);
        slip =
            fmax(slip, fabs(trial_pose(&trial, 0).position[0] - trial_pose(&trial, 1).position[0]));
    }
    trial_end(&trial);
    return slip;
}

static void shaken(void** state)
{
    (void)state;
    double o = 4.0 * 3.14159265358979, threshold = 0.5 * 9.81 / (o * o);
    for (int k = 0; k < 2; k++) {
        double below = slip_on_shaker(0.97 * threshold, integrators[k]);
        double above = slip_on_shaker(1.1 * threshold, integrators[k]);
        print_message("%s: slips %.2g m below mu g, %.2g m above\n", integrators[k], below, above);
        assert_true(below < 1e-6 && above > 1e-4);
    }
}

// A bat at 20 m/s, ten times its thickness a step, does not pass a ball: it flies off at
// v + e v, and what is led alone needs no balance.
static void struck(void** state)
{
    (void)state;
    for (int k = 0; k < N_INTEGRATOR; k++) {
        Trial trial =
            begin(integrators[k], 0.01,
                  "gravity: [0, 0, 0]\n"
                  "bodies:\n"
                  "  - {name: bat, mass: 1, shape: {box: [0.02, 0.5, 0.5]}, position: [-1, 0, 0], "
                  "velocity: [20, 0, 0]}\n"
                  "  - {name: ball, mass: 0.1, shape: {sphere: 0.05}, position: [0.03, 0, 0], "
                  "restitution: 0.5}\n"
                  "trajectories: [{name: swing, velocity: [20, 0, 0], waypoints: [{time: 0, "
                  "position: [0, 0, 0]}]}]\n"
                  "attachments: [{from: {body: bat}, to: {trajectory: swing}, stiffness: .inf}]\n");
        trial_step(&trial, 30);
        assert_near(trial_pose(&trial, 0).position[0], 5.0, 1e-12);
        assert_near(trial_pose(&trial, 1).velocity[0], 30.0, 1e-6);
        trial_end(&trial);
    }
}

// ---- what is refused

static void refused(void** state)
{
    (void)state;
    static const struct {
        const char *text, *word;
    } cases[] = {
        {"bodies: [{name: a, mass: 1, shape: {sphere: 1}}, {name: b, mass: 1, shape: {sphere: 1}, "
         "position: [3, 0, 0]}]\n"
         "attachments: [{from: {body: a}, to: {body: b}, stiffness: .inf}]\n",
         "an end without a body"},
        {"step: {method: penalty}\nbodies: [{name: a, mass: 1, shape: {sphere: 1}}]\n"
         "attachments: [{from: {body: a}, to: {}, stiffness: .inf}]\n",
         "step.method velocity"},
        {"bodies: [{name: a, mass: 1, shape: {sphere: 1}}]\n"
         "attachments: [{from: {body: a, point: [0, 0, 1]}, to: {}, stiffness: .inf, "
         "turns: false}]\n",
         "holds the origin"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        CondScene* scene = NULL;
        CondModel* model = NULL;
        CondError error;
        FILE* file = fopen("held.yaml", "w");
        assert_non_null(file);
        fputs(cases[k].text, file);
        fclose(file);
        assert_int_equal(cond_scene_read(NULL, "held.yaml", 0, NULL, &scene, &error), COND_OK);
        assert_true(cond_scene_compile(scene, &model, &error) != COND_OK);
        if (!strstr(error.message, cases[k].word))
            fail_msg("%s", error.message);
        cond_scene_destroy(scene);
        remove("held.yaml");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reduction),    cmocka_unit_test(pulled_bar),
        cmocka_unit_test(turned_patch), cmocka_unit_test(swinging_beam),
        cmocka_unit_test(cantilever),   cmocka_unit_test(carried),
        cmocka_unit_test(shaken),       cmocka_unit_test(struck),
        cmocka_unit_test(refused),      cmocka_unit_test(deep_in_the_floor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
