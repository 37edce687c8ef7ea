// Bodies that overlap at the start: they are named, leave each other without speed and no faster
// than they may, in a run and before one, and what holds together stays together.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kinds_make.h"

#include "body/body.h"
#include "correct/rigid_motion.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FLOOR "planes: [{name: floor, friction: 0.4}]\n"
#define JELLY                                                                                      \
    "materials: [{name: jelly, youngs_modulus: 1e5, poisson_ratio: 0.4, density: 1000, "           \
    "stiffness_damping: 0.005}]\n"
#define WEIGHTLESS "gravity: [0, 0, 0]\n"
#define BOX "density: 800, shape: {box: [0.4, 0.4, 0.4]}, friction: 0.4"

// A scene that overlaps by half a metre, and by how much its potential energy rises when all is
// apart; NaN: as it may be (bodies that fall over, or sink into themselves).
typedef struct Overlap {
    const char* name;
    const char* text;
    double lift; // [m], of the first body
} Overlap;

static const Overlap OVERLAPS[] = {
    {"box in floor", FLOOR "bodies: [{name: a, " BOX ", position: [0, 0, -0.3]}]\n", 0.5},
    {"sphere in floor",
     FLOOR "bodies: [{name: a, density: 800, shape: {sphere: 0.2}, position: [0, 0, -0.3]}]\n",
     0.5},
    {"cylinder in floor",
     FLOOR "bodies: [{name: a, density: 800, shape: {cylinder: [0.2, 0.4]}, position: [0, 0, -0.3],"
           " friction: 0.4}]\n",
     0.5},
    {"mesh in floor",
     FLOOR "bodies: [{name: a, density: 800, shape: {mesh: 'ball:0.2:3'}, position: [0, 0, -0.3], "
           "friction: 0.4}]\n",
     NAN},
    {"rod in floor",
     JELLY FLOOR "bodies: [{name: a, kind: rod, material: jelly, rod: {length: 1, links: 20, "
                 "circle: 0.02}, position: [-0.5, 0, -0.48], rotation: {axis: [0, 1, 0], degrees: "
                 "90}, friction: 0.4}]\n",
     0.5},
    {"soft ball in floor",
     JELLY FLOOR "bodies: [{name: a, kind: soft, mesh: 'ball:0.2:3', material: jelly, position: "
                 "[0, 0, -0.3], friction: 0.4}]\n",
     NAN},
    {"box in box",
     WEIGHTLESS "bodies:\n  - {name: a, density: 800, shape: {box: [1, 1, 1]}}\n"
                "  - {name: b, density: 80, shape: {box: [1, 1, 1]}, position: [0, 0, 0.5]}\n",
     0.0},
    {"sphere in sphere",
     WEIGHTLESS "bodies:\n  - {name: a, density: 800, shape: {sphere: 0.5}}\n"
                "  - {name: b, density: 8, shape: {sphere: 0.5}, position: [0.1, 0, 0.49]}\n",
     0.0},
    {"rod in rod",
     WEIGHTLESS JELLY
     "bodies:\n  - {name: a, kind: rod, material: jelly, rod: {length: 1, links: 20, circle: 0.02},"
     " position: [0, 0, -0.5]}\n"
     "  - {name: b, kind: rod, material: jelly, rod: {length: 1, links: 20, circle: 0.02}, "
     "position: [-0.5, 0.015, 0.01], rotation: {axis: [0, 1, 0], degrees: 90}}\n",
     0.0},
    {"soft ball in soft ball",
     WEIGHTLESS JELLY "bodies:\n  - {name: a, kind: soft, mesh: 'ball:0.5:3', material: jelly}\n"
                      "  - {name: b, kind: soft, mesh: 'ball:0.5:3', material: jelly, position: "
                      "[0.1, 0.05, 0.5]}\n",
     0.0},
    {"box in soft ball",
     WEIGHTLESS JELLY "bodies:\n  - {name: a, kind: soft, mesh: 'ball:0.5:3', material: jelly}\n"
                      "  - {name: b, density: 800, shape: {box: [1, 1, 1]}, position: [0.1, 0.05, "
                      "0.5]}\n",
     0.0},
    {"capsule in soft ball", // surfaces that cross have no common way out
     WEIGHTLESS JELLY "bodies:\n  - {name: a, density: 500, shape: {capsule: [0.3, 0.6]}, "
                      "orientation: [0.063, 0.835, 1.320, -0.547]}\n"
                      "  - {name: b, kind: soft, mesh: 'ball:0.5:3', material: jelly, position: "
                      "[0.0726, -0.1620, 0.4841]}\n",
     0.0},
};

enum { N_OVERLAP = sizeof OVERLAPS / sizeof OVERLAPS[0] };

static int n_overlap(const Trial* trial)
{
    const CondOverlap* overlap;
    int n;
    assert_int_equal(cond_sim_overlaps(trial->sim, trial->state, &overlap, &n), COND_OK);
    return n;
}

static double potential(const Trial* trial)
{
    cond_kinematics_set(&trial->sim->at_end, trial->state->q);
    return cond_sim_potential(&trial->sim->at_end, trial->state);
}

// In a run: no step moves anything farther than it may, nothing gets any speed, and the energy is
// that of the lift.
static void test_overlap_leaves_without_speed(void** state)
{
    (void)state;
    for (int k = 0; k < N_OVERLAP; k++) {
        Trial trial =
            trial_text("step: {time_step: 0.005}\nsolver: {threads: 1}\n", OVERLAPS[k].text);
        double mass = cond_model_mass(trial.model, 0), start = potential(&trial);
        double scale = mass * 9.81 * 0.5, fastest = 0.0, largest = 0.0;
        for (int b = 0; b < cond_model_n_body(trial.model); b++)
            largest = fmax(largest, cond_model_size(trial.model, b));
        print_message("%s\n", OVERLAPS[k].name);
        assert_int_equal(n_overlap(&trial), 1);
        for (int i = 0; i < 60; i++) {
            trial_step(&trial, 1);
            assert_true(trial.info.corrected <= 5.0 * 0.005 * largest * (1.0 + 1e-9));
            fastest = fmax(fastest, trial.info.kinetic_after);
        }
        assert_int_equal(n_overlap(&trial), 0);
        if (!isnan(OVERLAPS[k].lift)) { // else it rolls or sinks into itself of its own weight
            assert_true(fastest < 1e-6 * scale);
            assert_near(trial.info.potential_after - start, mass * 9.81 * OVERLAPS[k].lift,
                        1e-6 * scale);
        }
        trial_end(&trial);
    }
}

// Before a run: all of it at once, with no velocity and no more energy than the lift has.
static void test_settle(void** state)
{
    (void)state;
    for (int k = 0; k < N_OVERLAP; k++) {
        Trial trial =
            trial_text("step: {time_step: 0.005}\nsolver: {threads: 1}\n", OVERLAPS[k].text);
        double mass = cond_model_mass(trial.model, 0), start = potential(&trial), moved[2];
        CondSettleInfo info;
        print_message("%s\n", OVERLAPS[k].name);
        assert_int_equal(cond_sim_settle(trial.sim, trial.state, 400, moved, &info), COND_OK);
        assert_true(info.rounds > 0 && info.rounds < 60);
        assert_true(info.before > 0.02 && info.after < 1e-6);
        assert_true(moved[0] > 0.0 && moved[0] < 2.0);
        assert_int_equal(n_overlap(&trial), 0);
        for (int i = 0; i < trial.model->n_dof; i++)
            assert_true(cond_state_velocity(trial.state)[i] == 0.0);
        double lift = isnan(OVERLAPS[k].lift) ? 0.5 : OVERLAPS[k].lift, scale = mass * 9.81 * 0.5;
        double rise = potential(&trial) - start;
        assert_true(rise <= mass * 9.81 * lift + 1e-6 * scale); // a mesh may turn on the way
        assert_near(rise, mass * 9.81 * lift, 1e-5 * scale);
        trial_end(&trial);
    }
}

// Velocities that a state is given are kept, and light bodies give way to heavy ones.
static void test_settle_keeps_velocities(void** state)
{
    (void)state;
    Trial trial =
        trial_text("step: {time_step: 0.005}\nsolver: {threads: 1}\n", WEIGHTLESS
                   "bodies:\n"
                   "  - {name: a, mass: 1000, shape: {sphere: 0.5}, velocity: [1, 2, 3]}\n"
                   "  - {name: b, mass: 1, shape: {sphere: 0.5}, position: [0, 0, 0.8],"
                   " angular_velocity: [0, 1, 0]}\n");
    CondSettleInfo info;
    double moved[2];
    assert_int_equal(cond_sim_settle(trial.sim, trial.state, 400, moved, &info), COND_OK);
    assert_near(moved[0], 0.2 / 1001.0, 1e-9);
    assert_near(moved[1], 0.2 * 1000.0 / 1001.0, 1e-9);
    CondPose a = trial_pose(&trial, 0), b = trial_pose(&trial, 1);
    assert_near(a.velocity[2], 3.0, 0.0);
    assert_near(b.angular_velocity[1], 1.0, 1e-15);
    assert_near(b.position[2] - a.position[2], 1.0, 1e-9);
    trial_end(&trial);
}

// A chain of links that are attached to each other, half of it in the floor: what is pushed out
// takes the others along, and no joint is torn open.
static void test_attachments_are_not_torn(void** state)
{
    (void)state;
    char text[4096];
    int n = snprintf(text, sizeof text, FLOOR "bodies:\n");
    for (int i = 0; i < 5; i++)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "  - {name: a%d, density: 800, shape: {box: [0.1, 0.05, 0.05]}, position: "
                      "[%g, 0, %g], friction: 0.4}\n",
                      i, 0.1 * i, 0.15 - 0.1 * i);
    n += snprintf(text + n, sizeof text - (size_t)n, "attachments:\n");
    for (int i = 0; i < 4; i++)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "  - {name: j%d, from: {body: a%d, point: [0.05, 0, -0.05]}, to: {body: a%d, "
                      "point: [-0.05, 0, 0.05]}, turns: false}\n",
                      i, i, i + 1);
    Trial trial = trial_text("step: {time_step: 0.005}\nsolver: {threads: 1}\n", text);
    CondSettleInfo info;
    assert_int_equal(cond_sim_settle(trial.sim, trial.state, 400, NULL, &info), COND_OK);
    for (int i = 0; i < 4; i++) {
        CondPoint end[2] = {{.body = i, .local = {0.05, 0.0, -0.05}},
                            {.body = i + 1, .local = {-0.05, 0.0, 0.05}}};
        double p[2][3];
        for (int s = 0; s < 2; s++)
            cond_kinematics_point(&trial.sim->at_end, &end[s], p[s], NULL, NULL);
        for (int c = 0; c < 3; c++)
            assert_near(p[0][c], p[1][c], 1e-3);
    }
    trial_end(&trial);
}

// The link of a robot leaves the floor by turning its joints.
static void test_link_leaves_floor(void** state)
{
    (void)state;
    write_slider("slider.urdf", 2.0, 0.1);
    Trial trial = trial_text("step: {time_step: 0.005}\nsolver: {threads: 1}\n",
                             FLOOR "bodies: [{name: a, kind: robot, urdf: slider.urdf, position: "
                                   "[0, 0, 0], joints: [{name: slide, position: -0.4}]}]\n");
    double fastest = 0.0;
    assert_int_equal(n_overlap(&trial), 1);
    for (int i = 0; i < 200; i++) {
        trial_step(&trial, 1);
        assert_true(trial.info.corrected <= 5.0 * 0.005 * 0.2 * (1.0 + 1e-9));
        fastest = fmax(fastest, trial.info.kinetic_after);
    }
    int n;
    assert_near(cond_state_configuration(trial.model, trial.state, 0, &n)[0], 0.1, 1e-6);
    assert_true(fastest < 1e-6 * 2.0 * 9.81 * 0.5);
    trial_end(&trial);
}

// What has no way out: a box between a floor and a lid that are too near. Nothing happens to it, it
// costs little, and it is said.
static void test_no_way_out(void** state)
{
    (void)state;
    Trial trial =
        trial_text("step: {time_step: 0.005}\nsolver: {threads: 1}\n",
                   FLOOR "obstacles: [{name: lid, shape: {box: [1, 1, 0.1]}, position: "
                         "[0, 0, 0.35]}]\nbodies: [{name: a, " BOX ", position: [0, 0, 0.15]}]\n");
    CondSettleInfo info;
    assert_int_equal(n_overlap(&trial), 2);
    assert_int_equal(cond_sim_settle(trial.sim, trial.state, 400, NULL, &info), COND_NOT_CONVERGED);
    assert_true(info.rounds <= 400);
    assert_near(info.after, 0.05, 1e-3);
    for (int i = 0; i < 50; i++) {
        trial_try(&trial, 1);
        assert_true(trial.info.correction.iterations <= 2000);
        assert_true(trial.info.kinetic_after < 1e-9);
    }
    assert_near(trial_pose(&trial, 0).position[2], 0.15, 0.05);
    trial_end(&trial);
}

// An L of a mesh, which is not convex.
static void write_angle(const char* path)
{
    static const double corner[6][2] = {{-0.06, -0.06}, {0.1, -0.06}, {0.1, -0.01},
                                        {-0.01, -0.01}, {-0.01, 0.1}, {-0.06, 0.1}};
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    for (int k = 0; k < 12; k++)
        fprintf(file, "v %g %g %g\n", corner[k % 6][0], corner[k % 6][1], k < 6 ? -0.025 : 0.025);
    for (int k = 1; k < 5; k++)
        fprintf(file, "f 1 %d %d\nf 7 %d %d\n", k + 2, k + 1, k + 7, k + 8);
    for (int k = 0; k < 6; k++) {
        int next = (k + 1) % 6;
        fprintf(file, "f %d %d %d\nf %d %d %d\n", k + 1, next + 1, next + 7, k + 1, next + 7,
                k + 7);
    }
    fclose(file);
}

// Forty shapes of very different sizes in one place, some inside others; with `angles` a third of
// them are not convex.
static Trial make_heap(uint64_t seed, int angles)
{
    static const CondShapeKind kinds[] = {COND_SHAPE_BOX, COND_SHAPE_SPHERE, COND_SHAPE_CAPSULE,
                                          COND_SHAPE_CYLINDER};
    CondScene* scene = make_scene();
    Dice dice = {seed};
    for (int i = 0; i < 40; i++) {
        double size = exp(dice_uniform(&dice, log(0.01), log(0.4))), place[3];
        for (int k = 0; k < 3; k++)
            place[k] = dice_uniform(&dice, -0.1, 0.1);
        CondBodyDef def = make_box(1.0 + 1000.0 * size * size * size, size, 0.7 * size, 0.5 * size,
                                   place[0], place[1], place[2]);
        def.shape = kinds[i % 4];
        if (angles && i % 3 == 0) {
            def.shape = COND_SHAPE_MESH;
            snprintf(def.mesh, sizeof def.mesh, "test_overlap_angle.obj");
        }
        make_turn(dice_uniform(&dice, -1.0, 1.0), dice_uniform(&dice, -1.0, 1.0), 0.5,
                  dice_uniform(&dice, 0.0, 3.0), def.orientation);
        add_body(scene, &def);
    }
    add_floor(scene, 0.5, NAN);
    return trial_begin(scene);
}

// Settled, it is free of overlap in few rounds, without a velocity, and the first steps make none
// of it but what weight gives.
static void test_heap(void** state)
{
    (void)state;
    write_angle("test_overlap_angle.obj");
    for (int k = 0; k < 4; k++) {
        Trial trial = make_heap(17 + (uint64_t)k, k % 2);
        CondSettleInfo info;
        assert_true(n_overlap(&trial) > 100);
        assert_int_equal(cond_sim_settle(trial.sim, trial.state, 400, NULL, &info), COND_OK);
        assert_true(info.rounds < 100);
        assert_int_equal(n_overlap(&trial), 0);
        for (int i = 0; i < trial.model->n_dof; i++)
            assert_true(trial.state->v[i] == 0.0);
        double before = potential(&trial);
        trial_step(&trial, 1);
        assert_true(trial_energy(&trial) <= before * (1.0 + 1e-9));
        trial_end(&trial);
    }
    remove("test_overlap_angle.obj");
}

// The reduced problem is B' P B: r' A_r r = (B r)' A (B r), with masses and elements, and contacts
// move alike.
static void test_rigid_motion_is_a_projection(void** state)
{
    (void)state;
    Trial trial =
        trial_text("step: {time_step: 0.005}\nsolver: {threads: 1}\n", FLOOR JELLY
                   "bodies:\n"
                   "  - {name: a, kind: soft, mesh: 'ball:0.1:2', material: jelly, position: [0, "
                   "0, 0.05]}\n"
                   "  - {name: b, kind: rod, material: jelly, rod: {length: 0.5, links: 6, circle:"
                   " 0.02}, position: [-0.2, 0.02, 0.1], rotation: {axis: [1, 2, 0], degrees: "
                   "70}}\n"
                   "  - {name: c, " BOX ", position: [0.1, 0.1, 0.1]}\n"
                   "springs: [{name: s, from: {body: b, at: 0.1}, to: {body: c}, stiffness: "
                   "50}]\n");
    CondSim* sim = trial.sim;
    CondAssembly assembly = {.n_coupling = 0};
    CondRigidMotion motion = {.n_reduced = 0};
    Dice dice = {7};
    const double step = 0.01;
    double deepest, r[18], *v = calloc((size_t)trial.model->n_dof, sizeof *v);
    double* y = calloc((size_t)trial.model->n_dof, sizeof *y);
    assert_int_equal(cond_sim_forces(sim, trial.state), COND_OK);
    cond_kinematics_set(&sim->at_end, trial.state->q);
    assert_int_equal(cond_sim_collide_next(sim, &deepest), COND_OK);
    assert_true(sim->attempt.end.n > 4);
    assert_int_equal(cond_assembly_create(trial.model, COND_ASSEMBLY_ALL, &assembly), COND_OK);
    for (int b = 0; b < trial.model->n_body; b++)
        sim->length[b] = step;
    cond_assembly_begin(&assembly, &sim->at_end, sim->length, y);
    assert_int_equal(
        cond_sim_couple(sim, &sim->at_end, COND_COUPLED_ALL, sim->length, &assembly, y), COND_OK);
    assert_int_equal(
        cond_assembly_finish(&assembly, &sim->at_end, NULL, &sim->attempt.end, INFINITY), COND_OK);
    for (int i = 0; i < trial.model->n_dof; i++)
        assembly.b[i] = dice_uniform(&dice, -1.0, 1.0);
    assert_int_equal(cond_rigid_motion_reduce(&sim->at_end, &assembly, &motion), COND_OK);
    assert_int_equal(motion.problem.n_dof, 18);
    CondError error;
    if (cond_problem_check(NULL, &motion.problem, &error))
        fail_msg("%s", error.message);
    for (int round = 0; round < 10; round++) {
        double full = 0.0, reduced = 0.0, z[18];
        for (int i = 0; i < 18; i++)
            r[i] = dice_uniform(&dice, -1.0, 1.0);
        cond_rigid_motion_expand(&sim->at_end, &motion, r, v);
        cond_problem_multiply(&assembly.problem, v, y);
        cond_problem_multiply(&motion.problem, r, z);
        for (int i = 0; i < trial.model->n_dof; i++)
            full += v[i] * y[i];
        for (int i = 0; i < 18; i++)
            reduced += r[i] * z[i];
        assert_near(reduced, full, 1e-12 * full);
        full = reduced = 0.0;
        for (int i = 0; i < trial.model->n_dof; i++)
            full += v[i] * assembly.b[i];
        for (int i = 0; i < 18; i++)
            reduced += r[i] * motion.b[i];
        assert_near(reduced, full, 1e-10);
        for (int c = 0; c < sim->attempt.end.n; c++) {
            double u[3], w[3];
            cond_contact_velocity(&assembly.contact[c], v, u);
            cond_contact_velocity(&motion.contact[c], r, w);
            for (int k = 0; k < 3; k++)
                assert_near(w[k], u[k], 1e-12);
        }
    }
    free(v), free(y);
    cond_rigid_motion_destroy(&motion);
    cond_assembly_destroy(&assembly);
    trial_end(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_overlap_leaves_without_speed),
        cmocka_unit_test(test_settle),
        cmocka_unit_test(test_settle_keeps_velocities),
        cmocka_unit_test(test_attachments_are_not_torn),
        cmocka_unit_test(test_link_leaves_floor),
        cmocka_unit_test(test_no_way_out),
        cmocka_unit_test(test_heap),
        cmocka_unit_test(test_rigid_motion_is_a_projection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
