// Contacts of pairs that lie on each other: few, and they span the same forces and moments as all
// the points the pair has in common.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kinds_make.h"

#include "math/quat.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 4096 };

// The largest w . (f, p x f) over forces f in the friction cone of unit normal force at p, normal
// z.
static double wrench_reach(const double p[3], double mu, const double w[6])
{
    // w . (f, p x f) = f . (w_f + w_t x p)
    double t[3];
    vec3_cross(w + 3, p, t);
    for (int i = 0; i < 3; i++)
        t[i] += w[i];
    return t[2] + mu * hypot(t[0], t[1]);
}

static double reach_of(int n, const double* p, double mu, const double w[6])
{
    double most = -INFINITY;
    for (int k = 0; k < n; k++)
        most = fmax(most, wrench_reach(p + 3 * k, mu, w));
    return most;
}

// 1 when the cross-section of a standing shape holds the point (x, y) of the plane they meet in.
static int holds(const CondBodyDef* def, const double* pose, double x, double y)
{
    double R[9], d[3] = {x - pose[0], y - pose[1], 0.0}, l[3];
    quat_matrix(pose + 3, R);
    mat3_multiply_transposed(R, d, l);
    if (def->shape == COND_SHAPE_CYLINDER)
        return hypot(l[0], l[1]) <= def->size[0];
    return fabs(l[0]) <= 0.5 * def->size[0] && fabs(l[1]) <= 0.5 * def->size[1];
}

static CondBodyDef standing(int kind, double scale, Dice* dice, double z)
{
    CondBodyDef def =
        make_box(1.0, scale * dice_uniform(dice, 0.1, 0.3), scale * dice_uniform(dice, 0.1, 0.3),
                 0.1, dice_uniform(dice, -0.08, 0.08), dice_uniform(dice, -0.08, 0.08), z);
    if (kind == 1) {
        def.shape = COND_SHAPE_CYLINDER;
        def.size[1] = 0.1;
        def.size[0] *= 0.5;
    }
    if (kind == 2) {
        def.shape = COND_SHAPE_MESH;
        def.mesh_scale = 1.0;
        snprintf(def.mesh, sizeof def.mesh, "box:3,2,2:%.17g,%.17g,0.1", def.size[0], def.size[1]);
    }
    make_turn(0.0, 0.0, 1.0, dice_uniform(dice, -3.0, 3.0), def.orientation);
    return def;
}

// Boxes, cylinders and boxes of triangles stand on each other, turned and shifted.
static void test_wrenches_are_kept(void** state)
{
    (void)state;
    static double all[3 * MOST], kept[3 * 16];
    Dice dice = {11};
    for (int trial = 0; trial < 90; trial++) {
        CondScene* scene = make_scene();
        CondBodyDef lower = standing(trial % 3, 1.0, &dice, 0.05);
        CondBodyDef upper = standing(trial / 3 % 3, dice_uniform(&dice, 0.6, 1.2), &dice, 0.15);
        add_body(scene, &lower);
        add_body(scene, &upper);
        Trial t = trial_begin(scene);
        assert_int_equal(cond_sim_forces(t.sim, t.state), COND_OK);
        assert_int_equal(cond_sim_collide(t.sim, t.state), COND_OK);
        const double *p0 = t.state->q, *p1 = t.state->q + 7;
        int n_all = 0, n_kept = t.sim->attempt.candidates.n;
        double step = 0.006;
        for (int i = -32; i < 32; i++)
            for (int j = -32; j < 32; j++) {
                double x = (i + 0.5) * step, y = (j + 0.5) * step;
                if (!holds(&lower, p0, x, y) || !holds(&upper, p1, x, y))
                    continue;
                all[3 * n_all] = x, all[3 * n_all + 1] = y, all[3 * n_all + 2] = 0.1;
                n_all++;
            }
        if (n_all < 20) { // they hardly meet
            trial_end(&t);
            continue;
        }
        assert_in_range(n_kept, 3, 8);
        for (int c = 0; c < n_kept; c++) {
            const CondCandidate* candidate = &t.sim->attempt.candidates.candidate[c];
            memcpy(kept + 3 * c, candidate->position, 3 * sizeof(double));
            assert_near(candidate->gap, 0.0, 1e-12);
            assert_near(fabs(candidate->frame[2]), 1.0, 1e-12);
            // No point that is not of both.
            double inward[2] = {0.999 * candidate->position[0] + 0.001 * all[0],
                                0.999 * candidate->position[1] + 0.001 * all[1]};
            assert_true(holds(&lower, p0, inward[0], inward[1]));
            assert_true(holds(&upper, p1, inward[0], inward[1]));
        }
        // Eight points of a circle stand for it up to 1 - cos(pi/8) of its radius; corners are all
        // there.
        int round = lower.shape == COND_SHAPE_CYLINDER || upper.shape == COND_SHAPE_CYLINDER;
        double lost = round ? 0.08 * 0.18 : 1e-9;
        for (int k = 0; k < 200; k++) {
            double w[6], mu = 0.5;
            for (int i = 0; i < 6; i++)
                w[i] = dice_uniform(&dice, -1.0, 1.0);
            double scale = vec3_norm(w + 3) * (1.0 + mu);
            assert_true(reach_of(n_kept, kept, mu, w) >=
                        reach_of(n_all, all, mu, w) - lost * scale);
        }
        trial_end(&t);
    }
}

// A cube laid on a flat floor of many triangles, which is part of a mesh that is not convex,
// touches it with its four corners; a ball with one point wherever it lies; a lying log with its
// two ends.
static void test_flat_floors_have_no_seams(void** state)
{
    (void)state;
    // An L in the x-z plane, 2 m deep: a floor at z = 0 and a wall at x = 1.
    const double x[6] = {-1.0, 1.0, 1.0, 1.2, 1.2, -1.0}, z[6] = {0.0, 0.0, 1.0, 1.0, -0.2, -0.2};
    FILE* file = fopen("test_manifold_ell.obj", "w");
    assert_non_null(file);
    enum { ROWS = 7 };
    for (int r = 0; r <= ROWS; r++)
        for (int k = 0; k < 6; k++)
            fprintf(file, "v %.17g %.17g %.17g\n", x[k], -1.0 + 2.0 * r / ROWS, z[k]);
    for (int r = 0; r < ROWS; r++)
        for (int k = 0; k < 6; k++) {
            int a = 6 * r + k + 1, b = 6 * r + (k + 1) % 6 + 1;
            fprintf(file, "f %d %d %d\nf %d %d %d\n", a, b, b + 6, a, b + 6, a + 6);
        }
    const int cap[4][3] = {{0, 1, 5}, {1, 4, 5}, {1, 2, 4}, {2, 3, 4}};
    for (int k = 0; k < 4; k++) {
        fprintf(file, "f %d %d %d\n", cap[k][1] + 1, cap[k][0] + 1, cap[k][2] + 1);
        fprintf(file, "f %d %d %d\n", 6 * ROWS + cap[k][0] + 1, 6 * ROWS + cap[k][1] + 1,
                6 * ROWS + cap[k][2] + 1);
    }
    fclose(file);
    const int count[] = {4, 1, 2, 8};
    for (int kind = 0; kind < 4; kind++)
        for (int place = 0; place < 40; place++) {
            CondScene* scene = make_scene();
            CondObstacleDef floor = make_obstacle(COND_SHAPE_MESH, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
            snprintf(floor.mesh, sizeof floor.mesh, "test_manifold_ell.obj");
            Dice dice = {(uint64_t)place + 1};
            CondBodyDef body = make_box(1.0, 0.1, 0.1, 0.1, dice_uniform(&dice, -0.8, 0.8),
                                        dice_uniform(&dice, -0.8, 0.8), 0.05);
            double turn = dice_uniform(&dice, 0.0, 3.0);
            make_turn(0.0, 0.0, 1.0, turn, body.orientation);
            if (kind == 1) {
                body.shape = COND_SHAPE_SPHERE;
                body.size[0] = 0.05;
            } else if (kind >= 2) {
                body.shape = COND_SHAPE_CYLINDER;
                body.size[0] = 0.05;
                if (kind == 2)
                    make_turn(cos(turn), sin(turn), 0.0, acos(0.0), body.orientation);
            }
            add_obstacle(scene, &floor);
            add_body(scene, &body);
            Trial t = trial_begin(scene);
            assert_int_equal(cond_sim_forces(t.sim, t.state), COND_OK);
            assert_int_equal(cond_sim_collide(t.sim, t.state), COND_OK);
            assert_int_equal(t.sim->attempt.candidates.n, count[kind]);
            for (int c = 0; c < t.sim->attempt.candidates.n; c++) {
                assert_near(t.sim->attempt.candidates.candidate[c].frame[2], 1.0, 1e-14);
                assert_near(t.sim->attempt.candidates.candidate[c].gap, 0.0, 1e-12);
            }
            trial_end(&t);
        }
    remove("test_manifold_ell.obj");
}

// A capsule across a lying cylinder touches it in one point, which keeps its name while the capsule
// is drawn over it until its end lies there, and beyond.
static void test_crossed_lines_meet_in_one_point(void** state)
{
    (void)state;
    CondContactKey name = {0, 0};
    const double R = 0.2, r = 0.02, half = 0.3;
    for (int k = 0; k <= 60; k++) {
        // From the middle to an end by steps that become shorter towards it, and 3 mm on.
        double left = k <= 50 ? half * pow(0.7, k) : -3e-4 * (k - 50), x = half - left;
        CondScene* scene = make_scene();
        CondObstacleDef drum = make_obstacle(COND_SHAPE_CYLINDER, R, 1.0, 0.0, 0.0, 0.0, 0.0);
        CondBodyDef rod = make_box(1.0, r, 2.0 * half, 0.0, -x, 0.0, R + r);
        rod.shape = COND_SHAPE_CAPSULE;
        make_turn(1.0, 0.0, 0.0, acos(0.0), drum.orientation);
        make_turn(0.0, 1.0, 0.0, acos(0.0), rod.orientation);
        cond_scene_settings(scene)->margin = 1e-3;
        add_obstacle(scene, &drum);
        add_body(scene, &rod);
        Trial t = trial_begin(scene);
        assert_int_equal(cond_sim_forces(t.sim, t.state), COND_OK);
        assert_int_equal(cond_sim_collide(t.sim, t.state), COND_OK);
        assert_int_equal(t.sim->attempt.candidates.n, 1);
        const CondCandidate* candidate = &t.sim->attempt.candidates.candidate[0];
        double beyond = fmax(x - half, 0.0);
        assert_near(candidate->gap, hypot(beyond, R + r) - R - r, 1e-12);
        assert_true(k == 0 || cond_key_equal(candidate->key, name));
        name = candidate->key;
        trial_end(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrenches_are_kept),
        cmocka_unit_test(test_flat_floors_have_no_seams),
        cmocka_unit_test(test_crossed_lines_meet_in_one_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
