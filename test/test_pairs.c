// Every kind of body on every other: one is laid on the other, which lies on the floor. Both come
// to rest at the height their shapes say, the contact between them carries the weight of the upper
// one and the floor that of both, and each feels the opposite of what the other does.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kinds_make.h"

#include "math/vec3.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double G = 9.81;

typedef enum Kind {
    BALL,         // a sphere
    ROD,          // a capsule, lying
    DISC,         // a cylinder, standing
    ROLLER,       // a cylinder, lying
    CUBE,         // a box, on a face
    ROOF,         // a box, on an edge
    PLANK,        // a long box, lying
    CRYSTAL,      // a convex mesh, on a face
    CRYSTAL_ROOF, // a convex mesh, on an edge
    BLOCK,        // a triangle mesh, on a face
    BLOCK_ROOF,   // a triangle mesh, on an edge
    N_RIGID,
    JELLY = N_RIGID, // a soft cube
    N_KIND,
} Kind;

static const char* const NAME[] = {"ball",         "rod",   "disc",       "roller",
                                   "cube",         "roof",  "plank",      "crystal",
                                   "crystal_roof", "block", "block_roof", "jelly"};

// A body of one kind, its long side or edge along x, or along y; returns half its height.
static double make_kind(Kind kind, int along_y, CondBodyDef* def)
{
    const double quarter = 0.5 * acos(0.0), right = acos(0.0);
    double height = 0.05;
    *def = make_box(1.0, 0.1, 0.1, 0.1, 0.0, 0.0, 0.0);
    switch (kind) {
    case BALL:
        def->shape = COND_SHAPE_SPHERE;
        def->size[0] = height;
        break;
    case ROD:
    case ROLLER:
        def->shape = kind == ROD ? COND_SHAPE_CAPSULE : COND_SHAPE_CYLINDER;
        def->size[0] = 0.03;
        def->size[1] = 0.3;
        make_turn(along_y ? 1.0 : 0.0, along_y ? 0.0 : 1.0, 0.0, right, def->orientation);
        height = 0.03;
        break;
    case DISC:
        def->shape = COND_SHAPE_CYLINDER;
        def->size[0] = 0.06;
        def->size[1] = 0.1;
        break;
    case PLANK:
        def->size[along_y ? 1 : 0] = 0.3;
        def->size[along_y ? 0 : 1] = 0.04;
        def->size[2] = 0.04;
        height = 0.02;
        break;
    case JELLY:
        *def = make_soft("", "box:2,2,2:0.09,0.09,0.1", "rubber", 0.0, 0.0, 0.0);
        break;
    case CUBE:
    case ROOF:
        break;
    case CRYSTAL:
    case CRYSTAL_ROOF:
        def->shape = COND_SHAPE_CONVEX;
        snprintf(def->mesh, sizeof def->mesh, "box:1,1,1:0.1,0.1,0.1");
        break;
    default:
        def->shape = COND_SHAPE_MESH;
        snprintf(def->mesh, sizeof def->mesh, "box:2,2,2:0.1,0.1,0.1");
        break;
    }
    if (kind == ROOF || kind == CRYSTAL_ROOF || kind == BLOCK_ROOF) {
        make_turn(along_y ? 0.0 : 1.0, along_y ? 1.0 : 0.0, 0.0, quarter, def->orientation);
        height *= sqrt(2.0);
    }
    snprintf(def->name, sizeof def->name, "%s", along_y ? "upper" : "lower");
    return height;
}

// Force on the upper body from the lower one, and from the floor on both.
static void read_forces(const Trial* trial, double between[3], double floor[3])
{
    double t = cond_model_settings(trial->model)->time_step, world[3];
    memset(between, 0, 3 * sizeof *between);
    memset(floor, 0, 3 * sizeof *floor);
    for (int c = 0; c < cond_sim_n_contact(trial->sim); c++) {
        CondContactInfo info = cond_sim_contact(trial->sim, c);
        mat3_multiply_transposed(info.frame, info.impulse, world);
        for (int i = 0; i < 3; i++) {
            if (info.plane >= 0)
                floor[i] += world[i] / t;
            else
                between[i] += (info.body == 1 ? 1.0 : -1.0) * world[i] / t;
        }
    }
}

static void lay(Kind below, Kind above)
{
    CondScene* scene = make_scene();
    int soft = below == JELLY || above == JELLY;
    cond_scene_settings(scene)->solver.tolerance = soft ? 1e-8 : 1e-10;
    cond_scene_settings(scene)->solver.threads = 1;
    cond_scene_settings(scene)->time_step = 0.005;
    CondBodyDef lower, upper;
    double h0 = make_kind(below, 0, &lower), h1 = make_kind(above, 1, &upper);
    if (below == JELLY && above == JELLY) // node upon node would make every contact twice
        snprintf(upper.mesh, sizeof upper.mesh, "box:3,3,2:0.07,0.08,0.1");
    CondMaterialDef rubber = make_material("rubber", 3e5, 0.03);
    add_material(scene, &rubber);
    lower.position[2] = h0;
    upper.position[2] = 2.0 * h0 + h1 + (below == JELLY && above == JELLY ? 1.2e-3 : 2e-4);
    add_body(scene, &lower);
    add_body(scene, &upper);
    add_floor(scene, 0.5, NAN);
    Trial trial = trial_begin(scene);
    double deepest = 0.0;
    for (int k = 0; k < (soft ? 120 : 15); k++) {
        trial_step(&trial, 1);
        deepest = fmax(deepest, trial.info.penetration);
    }
    double m0 = trial_mass(&trial, 0), m1 = trial_mass(&trial, 1);
    double between[3], floor[3], force[3], torque[3], on_lower[3];
    read_forces(&trial, between, floor);
    cond_sim_body_force(trial.sim, 1, force, torque);
    cond_sim_body_force(trial.sim, 0, on_lower, torque);
    double speed = trial_speed(&trial), z = trial_pose(&trial, 1).position[2] - 2.0 * h0 - h1;
    double error = fabs(between[2] - m1 * G) / (m1 * G);
    print_message("%12s on %-12s contacts %2d, force off by %7.1e, penetration %7.1e, speed %7.1e, "
                  "height off by %8.1e\n",
                  NAME[above], NAME[below], trial.info.n_contact, error, deepest, speed, z);
    assert_true(error < 1e-6);
    assert_near(floor[2], (m0 + m1) * G, 1e-6 * (m0 + m1) * G);
    for (int i = 0; i < 3; i++) {
        assert_near(between[i], force[i], 1e-12 * m1 * G);
        assert_near(on_lower[i], floor[i] - between[i], 1e-12 * (m0 + m1) * G);
        assert_near(between[i], i == 2 ? m1 * G : 0.0, 1e-6 * m1 * G);
    }
    assert_true(deepest < (soft ? 1e-4 : 1e-6));
    assert_true(speed < (soft ? 1e-4 : 1e-6));
    assert_true(fabs(z) < (soft ? 0.01 : 1e-6));
    trial_end(&trial);
}

static void test_rigid_on_rigid(void** state)
{
    (void)state;
    for (int below = 0; below < N_RIGID; below++)
        for (int above = 0; above < N_RIGID; above++)
            lay((Kind)below, (Kind)above);
}

// Not on a ball or a roof: from there a soft body rolls or tips, as it should.
static void test_soft_on_rigid(void** state)
{
    (void)state;
    const Kind below[] = {ROD, DISC, ROLLER, CUBE, PLANK, CRYSTAL, BLOCK};
    for (size_t k = 0; k < sizeof below / sizeof *below; k++)
        lay(below[k], JELLY);
}

// Not a roof: on what gives way it tips over, as it should.
static void test_anything_on_soft(void** state)
{
    (void)state;
    const Kind above[] = {BALL, ROD, DISC, ROLLER, CUBE, PLANK, CRYSTAL, BLOCK, JELLY};
    for (size_t k = 0; k < sizeof above / sizeof *above; k++)
        lay(JELLY, above[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rigid_on_rigid),
        cmocka_unit_test(test_soft_on_rigid),
        cmocka_unit_test(test_anything_on_soft),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
