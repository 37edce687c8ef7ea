// Edges that cross: the gap against a brute search, boxes and rods laid crosswise, and contact
// frames that turn with the normal and no more.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kinds_make.h"

#include "geometry/edge.h"
#include "math/quat.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// The smallest distance between points of two boxes' surfaces that lie on edges, by search: along
// every edge of a the distance to b is convex, so a golden section finds its least value.
static double edge_distance(const CondShape* a, const double pose[7], const CondShape* b,
                            const double other[7])
{
    const double golden = 0.5 * (sqrt(5.0) - 1.0);
    double least = INFINITY, R[9];
    quat_matrix(pose + 3, R);
    for (int k = 0; k < 12; k++) {
        int axis = k / 4, u = (axis + 1) % 3, v = (axis + 2) % 3;
        double low = -1.0, high = 1.0, gap = 0.0;
        for (int pass = 0; pass < 120; pass++) {
            double value[2], s[2] = {high - golden * (high - low), low + golden * (high - low)};
            for (int i = 0; i < 2; i++) {
                double x[3], world[3];
                CondProbe probe;
                x[axis] = s[i] * a->half[axis];
                x[u] = k & 1 ? a->half[u] : -a->half[u];
                x[v] = k & 2 ? a->half[v] : -a->half[v];
                mat3_multiply(R, x, world);
                for (int j = 0; j < 3; j++)
                    world[j] += pose[j];
                cond_shape_probe(b, other, world, &probe);
                value[i] = probe.gap;
            }
            gap = fmin(value[0], value[1]);
            if (value[0] < value[1])
                high = s[1];
            else
                low = s[0];
        }
        least = fmin(least, gap);
    }
    return least;
}

// Random boxes a little apart whose nearest points lie inside two edges: the crossing reports that
// distance. What touches otherwise is left to corners and faces.
static void test_gap_of_crossing_edges(void** state)
{
    (void)state;
    Dice dice = {7};
    int crossings = 0;
    for (int trial = 0; trial < 300; trial++) {
        CondScene* scene = make_scene();
        CondBodyDef a = make_box(1.0, 0.1, 0.2, 0.3, 0.0, 0.0, 0.0), b = a;
        b.position[0] = dice_uniform(&dice, -0.2, 0.2);
        b.position[1] = dice_uniform(&dice, -0.2, 0.2);
        b.position[2] = 0.3;
        for (int i = 0; i < 4; i++) {
            a.orientation[i] = dice_uniform(&dice, -1.0, 1.0);
            b.orientation[i] = dice_uniform(&dice, -1.0, 1.0);
        }
        add_body(scene, &a);
        add_body(scene, &b);
        cond_scene_settings(scene)->margin = 1.0;
        Trial t = trial_begin(scene);
        assert_int_equal(cond_sim_forces(t.sim, t.state), COND_OK);
        assert_int_equal(cond_sim_collide(t.sim, t.state), COND_OK);
        double least = INFINITY;
        int crosses = 0; // the nearest contact is one of two edges
        for (int c = 0; c < t.sim->attempt.candidates.n; c++) {
            const CondCandidate* candidate = &t.sim->attempt.candidates.candidate[c];
            crosses = candidate->gap < least ? (candidate->key.role >> 30 & 3) == 2 : crosses;
            least = fmin(least, candidate->gap);
        }
        CondShape shape = {.form = COND_FORM_BOX, .half = {0.05, 0.1, 0.15}};
        double expected = edge_distance(&shape, t.state->q, &shape, t.state->q + 7);
        expected = fmin(expected, edge_distance(&shape, t.state->q + 7, &shape, t.state->q));
        if (expected > 1e-3) {
            // Corners are the ends of edges; whichever is nearest, it is found.
            assert_near(least, expected, 1e-7);
            crossings += crosses;
        }
        trial_end(&t);
    }
    assert_true(crossings > 20);
}

// Two boxes crossed edge over edge fall on each other fast, and stay apart.
static void test_edge_over_edge(void** state)
{
    (void)state;
    const double quarter = 0.5 * acos(0.0), diagonal = 0.05 * sqrt(2.0);
    for (int which = 0; which < 2; which++) {
        CondScene* scene = make_scene();
        CondBodyDef a = make_box(1.0, 0.1, 0.1, 0.1, 0.0, 0.0, diagonal + 0.02);
        CondObstacleDef b = make_obstacle(COND_SHAPE_BOX, 0.1, 0.1, 0.1, 0.0, 0.0, -diagonal);
        make_turn(1.0, 0.0, 0.0, quarter, a.orientation);
        make_turn(0.0, 1.0, 0.0, quarter, b.orientation);
        a.velocity[2] = which ? -2.0 : 0.0;
        add_body(scene, &a);
        add_obstacle(scene, &b);
        Trial trial = trial_begin(scene);
        for (int k = 0; k < 30; k++) {
            trial_step(&trial, 1);
            assert_true(trial.info.penetration < 1e-6);
        }
        assert_near(trial_pose(&trial, 0).position[2], diagonal, 1e-6);
        trial_end(&trial);
    }
}

static void assert_follows(const double from[9], const double to[9])
{
    double turn = 0.0, change = 0.0;
    for (int i = 0; i < 3; i++)
        turn += (to[i] - from[i]) * (to[i] - from[i]);
    for (int i = 3; i < 9; i++)
        change = fmax(change, fabs(to[i] - from[i]));
    assert_true(change <= 1.01 * sqrt(turn) + 1e-12);
}

// A normal that wanders over the whole sphere, also through the x axis, takes its tangents along.
static void test_frames_follow_any_normal(void** state)
{
    (void)state;
    Dice dice = {3};
    double frame[9], n[3] = {1.0, 0.0, 0.0}, x[3] = {1.0, 0.0, 0.0}, axis[3] = {0.3, 0.2, 1.0};
    mat3_frame(n, x, frame);
    for (int k = 0; k < 20000; k++) {
        double next[9], w[3], length;
        for (int i = 0; i < 3; i++)
            axis[i] += dice_uniform(&dice, -0.1, 0.1);
        vec3_cross(axis, n, w);
        length = vec3_norm(axis);
        for (int i = 0; i < 3; i++)
            n[i] += 0.02 * w[i] / length;
        length = vec3_norm(n);
        for (int i = 0; i < 3; i++)
            n[i] /= length;
        mat3_frame(n, frame + 3, next);
        assert_follows(frame, next);
        memcpy(frame, next, sizeof frame);
    }
}

// A ball that rolls down a larger one: contact by contact the frame turns with the normal, and the
// same key names the contact from step to step.
static void test_frames_follow_a_rolling_ball(void** state)
{
    (void)state;
    CondScene* scene = make_scene();
    cond_scene_settings(scene)->time_step = 2e-3;
    CondBodyDef ball = make_box(1.0, 0.05, 0.0, 0.0, 0.0, 0.0, 0.25);
    ball.shape = COND_SHAPE_SPHERE;
    ball.velocity[1] = -0.5;
    CondObstacleDef hill = make_obstacle(COND_SHAPE_SPHERE, 0.2, 0.0, 0.0, 0.0, 0.0, 0.0);
    hill.surface.friction[0] = hill.surface.friction[1] = 0.8;
    add_body(scene, &ball);
    add_obstacle(scene, &hill);
    Trial trial = trial_begin(scene);
    double last[9];
    CondContactKey key = {0};
    int followed = 0;
    for (int k = 0; k < 150; k++) {
        trial_step(&trial, 1);
        if (trial.sim->attempt.candidates.n != 1)
            break;
        const CondCandidate* candidate = &trial.sim->attempt.candidates.candidate[0];
        if (key.pair) {
            assert_true(cond_key_equal(candidate->key, key));
            assert_follows(last, candidate->frame);
            followed++;
        }
        key = candidate->key;
        memcpy(last, candidate->frame, sizeof last);
    }
    assert_true(followed > 50 && last[1] < -0.3); // it has rolled down a good way
    trial_end(&trial);
}

// Boxes whose corners coincide to a micrometre: several contacts at one place, all solved to the
// certificate.
static void test_crowded_contacts(void** state)
{
    (void)state;
    CondScene* scene = make_scene();
    cond_scene_settings(scene)->solver.tolerance = 1e-10;
    CondBodyDef lower = make_box(1.0, 0.1, 0.1, 0.1, 0.0, 0.0, 0.05);
    CondBodyDef upper = make_box(1.0, 0.1, 0.1, 0.1, 1e-6, -2e-6, 0.15);
    CondBodyDef top = make_box(1.0, 0.1, 0.1, 0.1, -1e-6, 1e-7, 0.25);
    add_body(scene, &lower);
    add_body(scene, &upper);
    add_body(scene, &top);
    add_floor(scene, 0.5, NAN);
    Trial trial = trial_begin(scene);
    for (int k = 0; k < 50; k++) {
        trial_step(&trial, 1);
        assert_true(cond_certificate_residual(&trial.info.solve.certificate) <= 1e-10);
    }
    assert_near(trial_pose(&trial, 2).position[2], 0.25, 1e-7);
    assert_near(trial_speed(&trial), 0.0, 1e-7);
    trial_end(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gap_of_crossing_edges),
        cmocka_unit_test(test_edge_over_edge),
        cmocka_unit_test(test_frames_follow_any_normal),
        cmocka_unit_test(test_frames_follow_a_rolling_ball),
        cmocka_unit_test(test_crowded_contacts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
