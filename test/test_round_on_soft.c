// Round shapes on soft surfaces, and soft edges across soft edges: contacts are as far apart as the
// audit says, which shares no code with them, and nothing goes in between the nodes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cond/audit.h"
#include "kinds_make.h"

#include <math.h>
#include <stdio.h>

static CondScene* rubber_scene(double time_step)
{
    CondScene* scene = make_scene();
    cond_scene_settings(scene)->solver.threads = 1;
    cond_scene_settings(scene)->time_step = time_step;
    CondMaterialDef rubber = make_material("rubber", 2e5, 0.02);
    add_material(scene, &rubber);
    return scene;
}

static CondBodyDef round_body(int which)
{
    CondBodyDef body = make_box(0.1, 0.06, 0.09, 0.0, 0.0, 0.0, 0.3);
    body.shape = which == 0   ? COND_SHAPE_SPHERE
                 : which == 1 ? COND_SHAPE_CAPSULE
                              : COND_SHAPE_CYLINDER;
    body.size[0] = which == 1 ? 0.02 : 0.05;
    return body;
}

// Spheres, capsules and cylinders around a coarse soft ball: the least gap of the contacts is the
// distance that the audit finds.
static void test_distance_is_the_audits(void** state)
{
    (void)state;
    for (int which = 0; which < 3; which++) {
        CondScene* scene = rubber_scene(0.001);
        cond_scene_settings(scene)->margin = 0.1;
        CondBodyDef ball = make_soft("ball", "ball:0.05:2", "rubber", 0.0, 0.0, 0.0);
        CondBodyDef body = round_body(which);
        CondAudit* audit = NULL;
        double worst = 0.0;
        add_body(scene, &ball);
        add_body(scene, &body);
        Trial trial = trial_begin(scene);
        assert_int_equal(cond_audit_create(trial.model, &audit, NULL), 0);
        for (int k = 0; k < 40; k++) {
            CondPose pose = trial_pose(&trial, 1);
            double angle = 0.7 * k, up = cos(0.37 * k), rho = sqrt(1.0 - up * up), gap = INFINITY;
            make_turn(cos(angle), sin(1.3 * k), 0.5, 1.1 * k, pose.orientation);
            const double way[3] = {rho * cos(angle), rho * sin(angle), up};
            for (int i = 0; i < 3; i++)
                pose.position[i] = 0.14 * way[i];
            assert_int_equal(cond_state_set_pose(trial.model, trial.state, 1, &pose), 0);
            assert_int_equal(cond_audit_run(audit, trial.state, 0.2), 0);
            assert_int_equal(cond_audit_n_pair(audit), 1);
            assert_int_equal(cond_sim_forces(trial.sim, trial.state), 0);
            assert_int_equal(cond_sim_collide(trial.sim, trial.state), 0);
            for (int c = 0; c < cond_sim_n_contact(trial.sim); c++)
                gap = fmin(gap, cond_sim_contact(trial.sim, c).gap);
            worst = fmax(worst, fabs(gap + cond_audit_pair(audit, 0).depth));
        }
        print_message("shape %d: off by %.1e m\n", which, worst);
        assert_true(worst < 1e-8);
        cond_audit_destroy(audit);
        trial_end(&trial);
    }
}

// Steps and audits; returns what is deepest by the audit, of a length.
static double run_audited(Trial* trial, int steps, double length)
{
    CondAudit* audit = NULL;
    double deepest = 0.0;
    assert_int_equal(cond_audit_create(trial->model, &audit, NULL), 0);
    for (int k = 0; k < steps; k++) {
        trial_step(trial, 1);
        assert_int_equal(trial->info.status, 0);
        assert_int_equal(cond_audit_run(audit, trial->state, 0.0), 0);
        int worst = cond_audit_deepest(audit);
        if (worst >= 0)
            deepest = fmax(deepest, cond_audit_pair(audit, worst).depth / length);
    }
    cond_audit_destroy(audit);
    return deepest;
}

// A cylinder falls on a coarse slab with its rim first, beside all nodes.
static void test_rim_on_a_coarse_slab(void** state)
{
    (void)state;
    CondScene* scene = rubber_scene(0.002);
    CondBodyDef slab = make_soft("slab", "box:3,3,1:0.2,0.2,0.05", "rubber", 0.0, 0.0, 0.025);
    CondBodyDef disc = make_box(0.05, 0.03, 0.03, 0.0, 0.021, 0.013, 0.095);
    disc.shape = COND_SHAPE_CYLINDER;
    make_turn(1.0, 0.3, 0.0, 0.9, disc.orientation);
    disc.velocity[2] = -0.5;
    add_body(scene, &slab);
    add_body(scene, &disc);
    add_floor(scene, 0.5, NAN);
    Trial trial = trial_begin(scene);
    double deepest = run_audited(&trial, 60, 0.06);
    print_message("rim: %.1e of its size\n", deepest);
    assert_true(deepest < 1e-5);
    trial_end(&trial);
}

// A soft bar falls across another, edge on edge and far from all nodes of either.
static void test_edge_across_edge(void** state)
{
    (void)state;
    CondScene* scene = rubber_scene(0.001);
    CondBodyDef low = make_soft("low", "box:3,1,1:0.24,0.04,0.04", "rubber", 0.0, 0.0, 0.06);
    CondBodyDef high = make_soft("high", "box:1,3,1:0.04,0.24,0.04", "rubber", 0.0, 0.0, 0.12);
    const double quarter = 0.5 * acos(0.0);
    make_turn(1.0, 0.0, 0.0, quarter, low.orientation);
    make_turn(0.0, 1.0, 0.0, quarter, high.orientation);
    high.velocity[2] = -1.0;
    low.thickness = high.thickness = 0.0;
    add_body(scene, &low);
    add_body(scene, &high);
    add_floor(scene, 0.5, NAN);
    Trial trial = trial_begin(scene);
    double deepest = run_audited(&trial, 60, 0.24);
    print_message("edges: %.1e of the size\n", deepest);
    assert_true(deepest < 1e-5);
    trial_end(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distance_is_the_audits),
        cmocka_unit_test(test_rim_on_a_coarse_slab),
        cmocka_unit_test(test_edge_across_edge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
