// Rods in contact: with the ground and solids, with each other and with themselves; rods from scene
// files; and memory that runs out.
#include "cond/audit.h"
#include "failing_allocator.h"
#include "geometry/segment.h"
#include "math/vec3.h"
#include "model/rod.h"
#include "rod_make.h"
#include "sim/sim.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double PI = 3.14159265358979323846;

// A short soft rod along x at (x, y, z).
static CondBodyDef short_rod(const char* name, double x, double y, double z)
{
    Beam beam = beam_make(20);
    CondBodyDef def = beam_body(&beam);
    snprintf(def.name, sizeof def.name, "%s", name);
    def.rod.length = 0.2;
    def.rod.circle = 0.005;
    def.position[0] = x;
    def.position[1] = y;
    def.position[2] = z;
    def.surface.friction[0] = def.surface.friction[1] = 0.4;
    return def;
}

static CondScene* rod_scene(void)
{
    CondScene* scene = make_scene();
    CondMaterialDef material = make_material("rubber", 1e6, 0.01);
    material.geometric = COND_GEOMETRIC_CLAMPED;
    material.mass_damping = 1.0;
    add_material(scene, &material);
    return scene;
}

static double total_normal(const Trial* trial, int body, int other)
{
    double sum = 0.0;
    for (int c = 0; c < cond_sim_n_contact(trial->sim); c++) {
        CondContactInfo info = cond_sim_contact(trial->sim, c);
        if (info.body == body && info.other == other)
            sum += info.force[0] * info.frame[2];
        if (info.body == other && info.other == body && other >= 0)
            sum -= info.force[0] * info.frame[2];
    }
    return sum;
}

// Dropped on the floor it comes to rest at its radius and the floor carries its weight.
static void rests_on_the_floor(void** state)
{
    (void)state;
    CondScene* scene = rod_scene();
    CondBodyDef rod = short_rod("rod", 0.0, 0.0, 0.01);
    add_floor(scene, 0.4, NAN);
    add_body(scene, &rod);
    Trial trial = trial_begin(scene);
    trial_step(&trial, 80);
    double weight = 9.81 * trial_mass(&trial, 0);
    for (int i = 0; i < 20; i++)
        assert_near(trial.state->q[7 * i + 2], 0.005, 1e-6);
    assert_near(total_normal(&trial, 0, -1), weight, 1e-4 * weight);
    assert_true(trial.info.penetration < 1e-9);
    trial_end(&trial);
}

// Across a fixed box, capsule and cylinder it hangs over and does not go in.
static void hangs_over_solids(void** state)
{
    (void)state;
    static const CondShapeKind kinds[] = {COND_SHAPE_BOX, COND_SHAPE_CAPSULE, COND_SHAPE_CYLINDER};
    for (int k = 0; k < 3; k++) {
        CondScene* scene = rod_scene();
        CondBodyDef rod = short_rod("rod", -0.1, 0.0, 0.0351);
        double a = k == 0 ? 0.06 : 0.03;
        CondObstacleDef bar = make_obstacle(kinds[k], a, k == 0 ? 0.1 : 0.2, 0.06, 0.0, 0.0, 0.0);
        if (k > 0)
            make_turn(1.0, 0.0, 0.0, 0.5 * PI, bar.orientation); // along y
        add_obstacle(scene, &bar);
        add_body(scene, &rod);
        Trial trial = trial_begin(scene);
        trial_step(&trial, 60);
        double weight = 9.81 * trial_mass(&trial, 0), lowest = 1.0, middle;
        for (int i = 0; i < 20; i++)
            lowest = fmin(lowest, trial.state->q[7 * i + 2]);
        middle = trial.state->q[7 * 10 + 2];
        assert_true(middle > 0.0345 && lowest < middle - 0.003);
        assert_true(trial.info.penetration < 1e-4);
        assert_near(total_normal(&trial, 0, -1), weight, 0.05 * weight);
        trial_end(&trial);
    }
}

// A rod across another one that lies on the floor, crosswise: it is carried by it.
static void rods_cross(void** state)
{
    (void)state;
    CondScene* scene = rod_scene();
    CondBodyDef low = short_rod("low", -0.1, 0.0, 0.0051),
                high = short_rod("high", 0.0, -0.1, 0.016);
    make_turn(1.0, 0.0, 0.0, -0.5 * PI, high.orientation); // along y
    add_floor(scene, 0.4, NAN);
    add_body(scene, &low);
    add_body(scene, &high);
    Trial trial = trial_begin(scene);
    trial_step(&trial, 15);
    double carried = fabs(total_normal(&trial, 0, 1)), weight = 9.81 * trial_mass(&trial, 1);
    assert_true(carried > 0.05 * weight && carried < 1.01 * weight);
    double between = trial.state->q[7 * 20 + 7 * 10 + 2] - trial.state->q[7 * 10 + 2];
    assert_near(between, 0.01, 2e-4);
    assert_true(trial.info.penetration < 1e-4);
    trial_end(&trial);
}

// A helix on the floor, about to be pressed flat by gravity.
static CondScene* coil_scene(void)
{
    CondScene* scene = rod_scene();
    CondBodyDef coil = short_rod("coil", 0.0, 0.0, 0.006);
    make_turn(0.0, 0.0, 1.0, 0.0, coil.orientation);
    coil.self_contact = 1;
    coil.rod.shape = COND_ROD_HELIX;
    coil.rod.length = 0.45;
    coil.rod.links = 45;
    coil.rod.bend_radius = 0.03;
    coil.rod.pitch = 0.015;
    add_floor(scene, 0.4, NAN);
    add_body(scene, &coil);
    return scene;
}

// It lies on its own turns, not inside them.
static void coil_lies_on_itself(void** state)
{
    (void)state;
    CondScene* scene = coil_scene();
    cond_scene_settings(scene)->solver.tolerance = 1e-6;
    Trial trial = trial_begin(scene);
    trial_step(&trial, 12);
    int own = 0;
    for (int c = 0; c < cond_sim_n_contact(trial.sim); c++) {
        CondContactInfo info = cond_sim_contact(trial.sim, c);
        own += info.body == 0 && info.other == 0 && info.force[0] > 0.0;
    }
    assert_true(own > 3);
    assert_true(trial.info.penetration < 1e-4);
    trial_end(&trial);
}

// Both ends of every link and its turns on each other: many more than can tell their forces
// apart. The passes alone reach the certificate, in the velocity and in the position problem.
static void redundant_contacts_do_not_cycle(void** state)
{
    (void)state;
    CondScene* scene = coil_scene();
    cond_scene_settings(scene)->solver.tolerance = 1e-7;
    Trial trial = trial_begin(scene);
    int most = 0, sum = 0, steps = 25, rounds = 0;
    for (int k = 0; k < steps; k++) {
        trial_step(&trial, 1);
        const CondSolveInfo *solve = &trial.info.solve, *correction = &trial.info.correction;
        assert_int_equal(trial.info.status, COND_OK);
        assert_int_equal(solve->iterations + correction->iterations, 0); // V-FPI was not asked
        int solves = trial.info.newton_iterations + trial.info.rounds;
        int passes = (solve->passes + solves - 1) / solves;
        most = passes > most ? passes : most;
        most = correction->passes > most ? correction->passes : most;
        sum += passes;
        rounds += trial.info.rounds;
    }
    print_message("%d contacts, %.1f passes a solve, at most %d; %d rounds in %d steps\n",
                  cond_sim_n_contact(trial.sim), (double)sum / steps, most, rounds, steps);
    assert_true(most <= 60 && sum <= 15 * steps);
    trial_end(&trial);
}

// A strand hangs over a bar. Of all its links that lie on one link of the bar only one is nearest;
// the others hold it as well, and steps must know them from the start.
static void contacts_that_hold_are_known(void** state)
{
    (void)state;
    enum { ROUND = 10, DOWN = 6, POINTS = ROUND + 2 * DOWN };
    double radius = 0.026, point[POINTS][3];
    for (int k = 0; k < POINTS; k++) {
        double turn = PI * (k - DOWN) / (ROUND - 1);
        int begin = k < DOWN, end = k >= DOWN + ROUND;
        point[k][0] = 4e-4 * k;
        point[k][1] = begin ? -radius : end ? radius : -radius * cos(turn);
        point[k][2] = begin ? -0.02 * (DOWN - k)
                      : end ? -0.02 * (k - DOWN - ROUND + 1)
                            : radius * sin(turn);
    }
    CondScene* scene = rod_scene();
    CondBodyDef bar = short_rod("bar", -0.3, 0.0, 0.0), strand = short_rod("strand", 0, 0, 0);
    CondAttachmentDef clamp[2] = {make_attachment("begin", "bar", "", 1),
                                  make_attachment("end", "bar", "", 1)};
    bar.rod.links = 3;
    bar.rod.length = 0.6;
    bar.rod.circle = 0.02;
    strand.rod.circle = 0.006;
    strand.rod.shape = COND_ROD_POINTS;
    strand.n_point = POINTS;
    strand.point = &point[0][0];
    make_turn(1.0, 0.0, 0.0, 0.0, strand.orientation);
    add_body(scene, &bar);
    add_body(scene, &strand);
    for (int k = 0; k < 2; k++) {
        clamp[k].end[0].at = 0.6 * k;
        clamp[k].stiffness = 1e6;
        clamp[k].rotation_stiffness = 1e3;
        add_attachment(scene, &clamp[k]);
    }
    Trial trial = trial_begin(scene);
    trial_step(&trial, 40);
    int rounds = 0;
    for (int k = 0; k < 40; k++) {
        trial_step(&trial, 1);
        assert_int_equal(trial.info.status, COND_OK);
        rounds += trial.info.rounds;
    }
    int bear = 0;
    for (int c = 0; c < cond_sim_n_contact(trial.sim); c++)
        bear += cond_sim_contact(trial.sim, c).force[0] > 0.0;
    assert_true(bear > 3); // the bar's links
    assert_int_equal(rounds, 0);
    trial_end(&trial);
}

// Rods dropped crosswise on each other: every step is certified, and none is in another by the
// audit.
static void heap_of_rods_is_held(void** state)
{
    (void)state;
    CondScene* scene = rod_scene();
    CondAudit* audit = NULL;
    add_floor(scene, 0.4, 0.0);
    for (int k = 0; k < 6; k++) {
        char name[16];
        snprintf(name, sizeof name, "rod%d", k);
        CondBodyDef rod = short_rod(name, 0.0, 0.0, 0.01 + 0.012 * k);
        double turn = 2.4 * k; // the golden angle: no two alike
        rod.rod.links = 4;
        rod.position[0] = -0.1 * cos(turn) + 0.01 * sin(3.0 * k);
        rod.position[1] = -0.1 * sin(turn) + 0.01 * cos(5.0 * k);
        make_turn(-sin(turn), cos(turn), 0.0, 0.5 * PI, rod.orientation);
        add_body(scene, &rod);
    }
    cond_scene_settings(scene)->solver.tolerance = 1e-6;
    Trial trial = trial_begin(scene);
    assert_int_equal(cond_audit_create(trial.model, &audit, NULL), COND_OK);
    for (int k = 0; k < 40; k++) {
        trial_step(&trial, 1);
        assert_int_equal(cond_audit_run(audit, trial.state, 0.0), COND_OK);
        int deepest = cond_audit_deepest(audit);
        assert_true(deepest < 0 || cond_audit_pair(audit, deepest).depth < 1e-5 * 0.2);
    }
    assert_true(cond_sim_n_contact(trial.sim) > 10);
    cond_audit_destroy(audit);
    trial_end(&trial);
}

// A straight rod does not touch itself however wide the reach.
static void straight_rod_leaves_itself_alone(void** state)
{
    (void)state;
    CondScene* scene = rod_scene();
    CondBodyDef rod = short_rod("rod", 0.0, 0.0, 0.0);
    rod.self_contact = 1;
    rod.rod.links = 100;
    cond_scene_settings(scene)->margin = 0.05;
    add_body(scene, &rod);
    Trial trial = trial_begin(scene);
    trial_step(&trial, 2);
    assert_int_equal(cond_sim_n_contact(trial.sim), 0);
    trial_end(&trial);
}

static void nearest_points_of_segments(void** state)
{
    (void)state;
    Dice dice = {12345};
    for (int k = 0; k < 200; k++) {
        double p[3], d[3], q[3], e[3], s, t, least = 1e9;
        for (int i = 0; i < 3; i++) {
            p[i] = dice_uniform(&dice, -1.0, 1.0);
            q[i] = dice_uniform(&dice, -1.0, 1.0);
            d[i] = dice_uniform(&dice, -1.0, 1.0);
            e[i] = k % 4 == 0 ? -0.7 * d[i] : dice_uniform(&dice, -1.0, 1.0);
        }
        double found = cond_segment_nearest(p, d, q, e, &s, &t);
        assert_true(s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0);
        for (int a = 0; a <= 100; a++) // the best t for a given s is plain
            for (int once = 0; once < 1; once++) {
                double x[3], c = vec3_dot(e, e), along;
                for (int i = 0; i < 3; i++)
                    x[i] = p[i] + 0.01 * a * d[i] - q[i];
                along = fmin(fmax(vec3_dot(x, e) / c, 0.0), 1.0);
                for (int i = 0; i < 3; i++)
                    x[i] -= along * e[i];
                least = fmin(least, vec3_norm(x));
            }
        assert_true(found <= least + 1e-12 && found >= least - 0.02);
    }
}

static void expect_refused(const char* text, const char* message)
{
    FILE* file = fopen("rod_test.yaml", "w");
    CondScene* scene = NULL;
    CondError error = {COND_OK, ""};
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    CondStatus status = cond_scene_read(NULL, "rod_test.yaml", 0, NULL, &scene, &error);
    remove("rod_test.yaml");
    if (!*message) {
        if (status)
            fail_msg("%s", error.message);
        cond_scene_destroy(scene);
        return;
    }
    assert_int_not_equal(status, COND_OK);
    if (!strstr(error.message, message))
        fail_msg("'%s' does not hold '%s'", error.message, message);
}

#define HEAD "materials:\n  - {name: m, youngs_modulus: 1e6, poisson_ratio: 0.3, density: 1e3}\n"
#define BODY HEAD "bodies:\n  - {name: a, kind: rod, material: m, rod: "

static void scene_files(void** state)
{
    (void)state;
    expect_refused(BODY "{length: 1, circle: 0.01}}\n", "");
    expect_refused(BODY "{points: [[0, 0, 0], [0, 0, 1], [0, 1, 1]], rectangle: [0.01, 0.02]}}\n",
                   "");
    expect_refused(BODY "{shape: helix, length: 1, bend_radius: 0.1, pitch: 0.02, circle: 0.01, "
                        "rest: uniform, rest_curvature: [1, 0, 2]}}\n",
                   "");
    expect_refused(BODY "{circle: 0.01}}\n", "rod.length: is required");
    expect_refused(BODY "{length: 1}}\n", "rod.circle: is required, or rectangle");
    expect_refused(BODY "{length: 1, circle: 0.01, rectangle: [1, 1]}}\n", "rod.rectangle");
    expect_refused(BODY "{length: 1, circle: 0.01, shape: arc}}\n", "rod.bend_radius: is required");
    expect_refused(BODY "{length: 1, circle: 0.01, rest_curvature: [1, 0, 0]}}\n", "rest: uniform");
    expect_refused(BODY "{circle: 0.01, points: [[0, 0, 0], [0, 0, 0]]}}\n", "are the same");
    expect_refused(BODY "{circle: 0.01, points: [[0, 0, 0]]}}\n", "at least two points");
    expect_refused(HEAD "bodies:\n  - {name: a, mass: 1, shape: {sphere: 1}, rod: {length: 1}}\n",
                   "only kind: rod");
    expect_refused(BODY "{length: 1, circle: 0.01}}\n"
                        "forces:\n  - {body: a, force: [0, 0, 1]}\n",
                   "at: is required: 'a' is a rod");
    expect_refused(BODY "{length: 1, circle: 0.01}}\n"
                        "attachments:\n  - {from: {body: a, at: 2}, to: {}}\n",
                   "from.at: 'a' is only 1 m long");
    expect_refused(BODY "{length: 1, circle: 0.01}}\n"
                        "springs:\n  - {from: {body: a, at: 1}, to: {}, stiffness: 1}\n",
                   "");
    expect_refused(BODY "{length: 1, circle: 0.01}}\n"
                        "springs:\n  - {from: {body: a, at: 1}, to: {body: a}, stiffness: 1}\n",
                   "to.at: is required: 'a' is a rod");
    expect_refused(BODY
                   "{length: 1, circle: 0.01}}\n"
                   "springs:\n  - {from: {body: a, at: 1}, to: {body: a, at: 1}, stiffness: 1}\n",
                   "to.at: must be another point of 'a'");
}

// Every allocation of making, stepping and ending a simulation of rods fails in turn.
static void memory_runs_out(void** state)
{
    (void)state;
    for (long fail = 1;; fail++) {
        FailingAllocator allocator = {.fail_at = fail};
        CondContext context = failing_allocator_context(&allocator);
        CondScene* scene = NULL;
        CondModel* model = NULL;
        CondState* at = NULL;
        CondSim* sim = NULL;
        CondMaterialDef material = make_material("rubber", 1e6, 0.01);
        CondBodyDef a = short_rod("a", 0.0, 0.0, 0.0051), b = short_rod("b", 0.1, -0.1, 0.0152);
        CondPlaneDef floor = cond_plane_def_default();
        CondStepInfo info;
        a.rod.links = b.rod.links = 3;
        make_turn(1.0, 0.0, 0.0, -0.5 * PI, b.orientation);
        CondStatus status = cond_scene_create(&context, &scene, NULL);
        if (!status)
            status = cond_scene_add_material(scene, &material, NULL);
        if (!status)
            status = cond_scene_add_plane(scene, &floor, NULL);
        if (!status)
            status = cond_scene_add_body(scene, &a, NULL);
        if (!status)
            status = cond_scene_add_body(scene, &b, NULL);
        if (!status)
            status = cond_scene_compile(scene, &model, NULL);
        if (!status)
            status = cond_state_create(model, &at, NULL);
        if (!status)
            status = cond_sim_create(model, &sim, NULL);
        for (int k = 0; k < 1 && status >= 0; k++)
            status = cond_sim_step(sim, at, &info);
        cond_sim_destroy(sim);
        cond_state_destroy(at);
        cond_model_destroy(model);
        cond_scene_destroy(scene);
        assert_int_equal(allocator.live, 0);
        if (status >= 0)
            break;
        assert_int_equal(status, COND_OUT_OF_MEMORY);
        assert_true(fail < 2000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rests_on_the_floor),
        cmocka_unit_test(hangs_over_solids),
        cmocka_unit_test(rods_cross),
        cmocka_unit_test(coil_lies_on_itself),
        cmocka_unit_test(redundant_contacts_do_not_cycle),
        cmocka_unit_test(contacts_that_hold_are_known),
        cmocka_unit_test(heap_of_rods_is_held),
        cmocka_unit_test(straight_rod_leaves_itself_alone),
        cmocka_unit_test(nearest_points_of_segments),
        cmocka_unit_test(scene_files),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
