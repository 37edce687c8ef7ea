// Links of rods as capsules: depths against the geometric audit, points on rods, contacts at
// joints, and rods at speed.
#include "cond/audit.h"
#include "math/vec3.h"
#include "rod_make.h"
#include "sim/sim.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static CondScene* rod_scene(double t)
{
    CondScene* scene = make_scene();
    CondMaterialDef material = make_material("rubber", 1e7, 0.01);
    material.geometric = COND_GEOMETRIC_CLAMPED;
    add_material(scene, &material);
    cond_scene_settings(scene)->time_step = t;
    cond_scene_settings(scene)->solver.threads = 1;
    return scene;
}

// 0.2 m along x, centred at a height.
static CondBodyDef make_rod(const char* name, double z, double radius, int links)
{
    CondBodyDef def = cond_body_def_default();
    snprintf(def.name, sizeof def.name, "%s", name);
    def.kind = COND_BODY_ROD;
    snprintf(def.material, sizeof def.material, "rubber");
    def.rod.length = 0.2;
    def.rod.links = links;
    def.rod.circle = radius;
    def.position[0] = -0.1;
    def.position[2] = z;
    make_turn(0.0, 1.0, 0.0, acos(0.0), def.orientation);
    return def;
}

static double least_gap(const Trial* trial, int* n)
{
    double gap = INFINITY;
    cond_sim_forces(trial->sim, trial->state);
    assert_int_equal(cond_sim_collide(trial->sim, trial->state), COND_OK);
    *n = cond_sim_n_contact(trial->sim);
    for (int c = 0; c < *n; c++)
        gap = fmin(gap, cond_sim_contact(trial->sim, c).gap);
    return gap;
}

static CondBodyDef make_other(int which)
{
    CondBodyDef def = make_box(1.0, 0.08, 0.06, 0.1, 0.0, 0.0, 0.0);
    static const CondShapeKind shapes[] = {COND_SHAPE_BOX, COND_SHAPE_SPHERE, COND_SHAPE_CAPSULE,
                                           COND_SHAPE_CYLINDER, COND_SHAPE_CONVEX};
    if (which == 5) {
        CondBodyDef rod = make_rod("other", 0.0, 0.008, 7);
        rod.self_contact = 0;
        return rod;
    }
    if (which == 6)
        return make_particle(1.0, 0.0, 0.0, 0.0);
    if (which > 6)
        return make_soft("other", which == 7 ? "ball:0.05:2" : "box:2,2,2:0.1,0.1,0.06", "rubber",
                         0.0, 0.0, 0.0);
    def.shape = shapes[which];
    def.size[0] = 0.05;
    if (which == 4)
        snprintf(def.mesh, sizeof def.mesh, "ball:0.05:1");
    return def;
}

// What the audit says of the two bodies.
static CondAuditPair pair_of(const CondAudit* audit)
{
    CondAuditPair pair = {.depth = -INFINITY};
    for (int i = 0; i < cond_audit_n_pair(audit); i++)
        if (cond_audit_pair(audit, i).body[0] != cond_audit_pair(audit, i).body[1])
            pair = cond_audit_pair(audit, i);
    assert_true(isfinite(pair.depth));
    return pair;
}

// At poses drawn by chance the least gap of the contacts is what the audit says, in front and with
// the axis inside.
static void depths_are_true(void** state)
{
    (void)state;
    Dice dice = {12345};
    for (int which = 0; which < 9; which++) {
        CondScene* scene = rod_scene(0.001);
        CondBodyDef rod = make_rod("rod", 0.0, 0.01, 6), other = make_other(which);
        cond_scene_settings(scene)->margin = 0.02;
        rod.rod.shape = COND_ROD_ARC;
        rod.rod.bend_radius = 0.15;
        rod.self_contact = 0;
        add_body(scene, &rod);
        add_body(scene, &other);
        Trial trial = trial_begin(scene);
        CondAudit* audit = NULL;
        assert_int_equal(cond_audit_create(trial.model, &audit, NULL), COND_OK);
        int close = 0;
        for (int k = 0; k < 60; k++) {
            CondPose pose = {.position = {0.0}}, place = {.position = {0.0}};
            for (int i = 0; i < 4; i++) {
                pose.orientation[i] = dice_uniform(&dice, -1.0, 1.0);
                place.orientation[i] = dice_uniform(&dice, -1.0, 1.0);
            }
            for (int i = 0; i < 3; i++)
                place.position[i] = dice_uniform(&dice, -0.1, 0.1);
            assert_int_equal(cond_state_set_pose(trial.model, trial.state, 0, &pose), COND_OK);
            for (int round = 0; round < 3; round++) {
                assert_int_equal(cond_state_set_pose(trial.model, trial.state, 1, &place), COND_OK);
                assert_int_equal(cond_audit_run(audit, trial.state, INFINITY), COND_OK);
                CondAuditPair found = pair_of(audit);
                double wanted = dice_uniform(&dice, -0.01, 0.014);
                double sign = found.body[0] == 1 ? 1.0 : -1.0;
                for (int i = 0; i < 3 && round < 2; i++)
                    place.position[i] += sign * (found.depth - wanted) * found.normal[i];
            }
            int n;
            double gap = least_gap(&trial, &n), depth = pair_of(audit).depth;
            if (fabs(depth) > 0.015)
                continue;
            close++;
            // Over an edge of a soft surface the way out is longer than the deepest point is deep.
            double over = which > 6 && depth > 0.01 ? 0.4143 * depth : 0.0;
            assert_near(gap, -depth - 0.5 * over, 0.5 * over + 1e-9);
        }
        assert_true(close > 30);
        cond_audit_destroy(audit);
        trial_end(&trial);
    }
}

// On the floor every link has its own two contacts, and on the edge of a box those that are near
// it.
static void every_link_stands_on_its_ends(void** state)
{
    (void)state;
    CondScene* scene = rod_scene(0.001);
    CondBodyDef rod = make_rod("rod", 0.01, 0.01, 10);
    add_floor(scene, 0.5, NAN);
    add_body(scene, &rod);
    Trial trial = trial_begin(scene);
    trial_step(&trial, 20);
    assert_int_equal(cond_sim_n_contact(trial.sim), 20);
    assert_true(trial.info.penetration < 1e-12);
    trial_end(&trial);
}

// A particle falls on the middle of a rod, on a joint or between two, and is carried.
static void particles_rest_on_rods(void** state)
{
    (void)state;
    for (int which = 0; which < 3; which++) {
        CondScene* scene = rod_scene(0.001);
        CondBodyDef rod = make_rod("rod", 0.02, 0.02, 4);
        CondBodyDef bead = make_particle(0.01, which * 0.025, 0.0, 0.041);
        rod.surface.friction[0] = rod.surface.friction[1] = 0.8;
        add_floor(scene, 0.8, NAN);
        add_body(scene, &rod);
        add_body(scene, &bead);
        Trial trial = trial_begin(scene);
        trial_step(&trial, 200);
        CondPose pose = trial_pose(&trial, 1);
        assert_near(pose.position[2], 0.04, 2e-5); // the rod gives way a little
        double force[3], torque[3];
        cond_sim_body_force(trial.sim, 1, force, torque);
        assert_near(force[2], 0.01 * 9.81, 1e-3 * 0.0981);
        trial_end(&trial);
    }
}

// A rod at 60 m/s, 6 cm a step, ends in front of a plate of 2 mm, and a particle in front of a rod
// that floats in space; also where the step does not look ahead, so that what met on the way is all
// that is known.
static void nothing_passes_at_speed(void** state)
{
    (void)state;
    for (int which = 0; which < 4; which++) {
        int thrown = which % 2; // the particle
        CondScene* scene = rod_scene(0.001);
        CondBodyDef rod = make_rod("rod", thrown ? 0.0 : 0.1, 0.002, 5);
        CondBodyDef plate = make_box(10.0, 0.3, 0.3, 0.002, 0.0, 0.0, 0.0);
        CondBodyDef bead = make_particle(1e-4, 0.0, 0.0, 0.05);
        bead.velocity[2] = -60.0;
        cond_scene_settings(scene)->gravity[2] = 0.0;
        cond_scene_settings(scene)->margin = which < 2 ? NAN : 0.0;
        add_body(scene, &rod);
        add_body(scene, thrown ? &bead : &plate);
        Trial trial = trial_begin(scene);
        CondPose pose = trial_pose(&trial, 0);
        pose.velocity[2] = -60.0;
        if (!thrown)
            assert_int_equal(cond_state_set_pose(trial.model, trial.state, 0, &pose), COND_OK);
        for (int k = 0; k < 4; k++) {
            trial_step(&trial, 1);
            double lowest = INFINITY, z = trial_pose(&trial, 1).position[2];
            for (int i = 0; i < 5; i++)
                lowest = fmin(lowest, trial.state->q[7 * i + 2]);
            if (thrown) // the link under it
                assert_true(z > trial.state->q[7 * 2 + 2]);
            else
                assert_true(lowest > z);
        }
        trial_end(&trial);
    }
}

// A rod at 20 m/s on a sheet of five centimetres a triangle: no step leaves it in the sheet.
static void rods_are_held_by_sheets(void** state)
{
    (void)state;
    for (int which = 0; which < 3; which++) {
        CondScene* scene = rod_scene(0.001);
        CondBodyDef sheet = make_soft("sheet", "box:4,4,1:0.2,0.2,0.01", "rubber", 0.0, 0.0, 0.0);
        CondBodyDef rod = make_rod("rod", 0.11, 0.004, 8);
        make_turn(0.3, 1.0, 0.2, 0.4 + 0.5 * which, rod.orientation);
        rod.position[0] = -0.03;
        cond_scene_settings(scene)->gravity[2] = 0.0;
        add_body(scene, &sheet);
        add_body(scene, &rod);
        Trial trial = trial_begin(scene);
        CondAudit* audit = NULL;
        assert_int_equal(cond_audit_create(trial.model, &audit, NULL), COND_OK);
        CondPose pose = trial_pose(&trial, 1);
        pose.position[2] = 0.11;
        pose.velocity[2] = -20.0;
        assert_int_equal(cond_state_set_pose(trial.model, trial.state, 1, &pose), COND_OK);
        int met = 0;
        for (int k = 0; k < 14; k++) {
            trial_step(&trial, 1);
            met += trial.info.n_contact > 0;
            assert_int_equal(cond_audit_run(audit, trial.state, 0.0), COND_OK);
            int deepest = cond_audit_deepest(audit);
            if (deepest >= 0)
                assert_true(cond_audit_pair(audit, deepest).depth < 2e-6);
        }
        assert_true(met > 0);
        cond_audit_destroy(audit);
        trial_end(&trial);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depths_are_true),         cmocka_unit_test(every_link_stands_on_its_ends),
        cmocka_unit_test(particles_rest_on_rods),  cmocka_unit_test(nothing_passes_at_speed),
        cmocka_unit_test(rods_are_held_by_sheets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
