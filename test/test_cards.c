// Cards that lean on each other stand with the friction that statics asks for, and slip below it:
// where their edges meet, the normal is neither card's, but lies in the middle.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene_make.h"

#include "base/memory.h"
#include "collide/pair.h"
#include "geometry/fan.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double LENGTH = 0.1, WIDTH = 0.06, WEAK = 0.05;
static const double PI = 3.14159265358979323846;
enum { MOST = 4096 };

typedef enum Kind { BOX, HULL, MESH, N_KIND } Kind;

// A card with a notch in either side, so that it is not convex; T junctions and all.
static void write_notched(const char* path, double thickness)
{
    const double y = 0.5 * WIDTH, z = 0.5 * LENGTH, in = 0.6 * y, low = z / 3.0;
    const double outline[12][2] = {{-y, -z},  {y, -z},    {y, -low},   {in, -low},
                                   {in, low}, {y, low},   {y, z},      {-y, z},
                                   {-y, low}, {-in, low}, {-in, -low}, {-y, -low}};
    static const int flat[30] = {0,  1, 2, 0, 2, 3, 0, 3, 10, 0, 10, 11, 10, 3, 4,
                                 10, 4, 9, 7, 8, 9, 7, 9, 4,  7, 4,  5,  7,  5, 6};
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    for (int k = 0; k < 24; k++)
        fprintf(file, "v %.17g %.17g %.17g\n", (k < 12 ? -0.5 : 0.5) * thickness,
                outline[k % 12][0], outline[k % 12][1]);
    for (int k = 0; k < 12; k++)
        fprintf(file, "f %d %d %d %d\n", k + 1, (k + 1) % 12 + 1, (k + 1) % 12 + 13, k + 13);
    for (int k = 0; k < 30; k += 3)
        fprintf(file, "f %d %d %d\nf %d %d %d\n", flat[k] + 13, flat[k + 1] + 13, flat[k + 2] + 13,
                flat[k] + 1, flat[k + 2] + 1, flat[k + 1] + 1);
    assert_int_equal(fclose(file), 0);
}

static int add_card(char* text, const char* name, Kind kind, double thickness, double x, double z,
                    double degrees)
{
    char shape[128];
    if (kind == BOX)
        snprintf(shape, sizeof shape, "box: [%.17g, %g, %g]", thickness, WIDTH, LENGTH);
    else if (kind == HULL)
        snprintf(shape, sizeof shape, "convex: \"box:1,1,1:%.17g,%g,%g\"", thickness, WIDTH,
                 LENGTH);
    else
        snprintf(shape, sizeof shape, "mesh: card.obj");
    return snprintf(text, MOST,
                    "  - {name: %s, mass: 0.002, shape: {%s}, position: [%.17g, 0, %.17g], "
                    "rotation: {axis: [0, 1, 0], degrees: %.17g}, friction: %g}\n",
                    name, shape, x, z, degrees, WEAK);
}

// Two cards that lean on each other by an angle from upright, their inner edges at x = 0, and where
// there is a roof a third one that lies on their outer edges. Cards are nearly smooth among
// themselves. Returns by how much the first has sunk after 0.4 s.
static double sunk(Kind kind, double degrees, double thickness, int roof, double friction)
{
    char settings[256], text[MOST];
    double a = degrees * PI / 180.0, up[2] = {sin(a), cos(a)}, out[2] = {cos(a), -sin(a)};
    double x = 0.5 * (LENGTH * up[0] + thickness * out[0]);
    double z = 0.5 * (LENGTH * up[1] - thickness * out[1]);
    // Two surfaces have the geometric mean of their frictions.
    snprintf(settings, sizeof settings, "planes: [{name: floor, friction: %.17g}]\nbodies:\n",
             friction * friction / WEAK);
    int n = add_card(text, "left", kind, thickness, -x, z, degrees);
    n += add_card(text + n, "right", kind, thickness, x, z, -degrees);
    if (roof)
        add_card(text + n, "roof", kind, thickness, 0.0,
                 LENGTH * up[1] - thickness * out[1] + 0.5 * thickness, 90.0);
    if (kind == MESH)
        write_notched("card.obj", thickness);
    Trial trial = trial_text(settings, text);
    double before = trial_pose(&trial, 0).position[2];
    trial_try(&trial, 40);
    double after = trial_pose(&trial, 0).position[2];
    trial_end(&trial);
    return before - after;
}

// The foot of a card carries W + P and must hold back F: about the foot, with the force F of the
// other card at the height L cos a,
//     F L cos a = (W / 2 + P) (L sin a - t cos a),
// P what the roof, of weight W, puts on each. The force at the top is level, as all is symmetric.
static double least_friction(double degrees, double thickness, int roof)
{
    double load = roof ? 0.5 : 0.0;
    return (0.5 + load) / (1.0 + load) * (tan(degrees * PI / 180.0) - thickness / LENGTH);
}

static void test_statics(void** state)
{
    (void)state;
    static const double angles[] = {10.0, 20.0, 35.0}, thick[] = {0.0005, 0.002, 0.008};
    for (int kind = 0; kind < N_KIND; kind++)
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) {
                double least = least_friction(angles[i], thick[k], 0);
                assert_true(fabs(sunk((Kind)kind, angles[i], thick[k], 0, 1.02 * least)) < 1e-7);
                assert_true(sunk((Kind)kind, angles[i], thick[k], 0, 0.98 * least) > 1e-5);
            }
    remove("card.obj");
}

static void test_roof(void** state)
{
    (void)state;
    for (int kind = 0; kind < N_KIND; kind++) {
        double least = least_friction(20.0, 0.002, 1);
        assert_true(fabs(sunk((Kind)kind, 20.0, 0.002, 1, 1.02 * least)) < 1e-7);
        assert_true(sunk((Kind)kind, 20.0, 0.002, 1, 0.98 * least) > 1e-5);
    }
    remove("card.obj");
}

static CondCore make_core(const double x[3], double degrees)
{
    const CondShape shape = {.form = COND_FORM_BOX, .half = {0.5, 0.5, 0.5}};
    const double origin[3] = {0.0, 0.0, 0.0}, a = 0.5 * degrees * PI / 180.0;
    const double pose[7] = {x[0], x[1], x[2], cos(a), 0.0, sin(a), 0.0};
    CondCore core;
    cond_core_make(&shape, pose, origin, &core);
    return core;
}

// Normals of cubes that touch: edges along each other and corners have the middle of their fan,
// faces, crossed edges and what is apart have the only one.
static void test_normals(void** state)
{
    (void)state;
    const double s = sqrt(0.5), c = sqrt(1.0 / 3.0);
    const struct {
        double x[3], degrees, normal[3];
    } cases[] = {
        {{1, 0, 1}, 0, {s, 0, s}},        // edges along each other
        {{1, 0.5, 1}, 0, {s, 0, s}},      // halves of them
        {{1, 1, 1}, 0, {c, c, c}},        // corners
        {{0.2, 0.1, 1}, 0, {0, 0, 1}},    // faces
        {{1, 0, 1 + 1e-3}, 0, {0, 0, 1}}, // apart, and over the edge
        {{0.5, 0, 0.5 + 0.70710678118654752},
         45,
         {sin(PI / 8), 0, cos(PI / 8)}}, // one over the other
    };
    CondPairWork work;
    CondContext context = cond_context_or_default(NULL);
    cond_pair_work_begin(&context, &work);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        for (int out = -1; out <= 1; out++) {
            const double origin[3] = {0.0, 0.0, 0.0};
            double x[3];
            for (int i = 0; i < 3; i++)
                x[i] = cases[k].x[i] + 1e-8 * out * cases[k].normal[i];
            CondCore a = make_core(x, cases[k].degrees), b = make_core(origin, 0.0);
            assert_int_equal(cond_cores_meet(&work, &a, &b, 0.1), COND_OK);
            assert_true(work.manifold.n > 0);
            for (int i = 0; i < 3; i++)
                assert_near(work.manifold.meeting[0].normal[i], cases[k].normal[i], 1e-6);
            assert_near(work.manifold.meeting[0].gap, k == 4 ? 1e-3 + 1e-8 * out : 1e-8 * out,
                        1e-12);
        }
    cond_pair_work_end(&work);
}

// Edges along each other that are turned by a little: the normals of the fan separate the cubes by
// less than the best one, which says how far they are apart. No contact may be deeper than that.
static void test_turned(void** state)
{
    (void)state;
    const double origin[3] = {0.0, 0.0, 0.0};
    CondPairWork work;
    CondContext context = cond_context_or_default(NULL);
    cond_pair_work_begin(&context, &work);
    for (int k = -3; k <= 3; k++) {
        const double x[3] = {1.0, 0.0, 1.0}, turn = 0.5 * 1e-6 * k;
        const double pose[7] = {x[0], x[1], x[2], cos(turn), 0.0, 0.0, sin(turn)};
        const CondShape wide = {.form = COND_FORM_BOX, .half = {0.5, 2.0, 0.5}};
        const CondShape cube = {.form = COND_FORM_BOX, .half = {0.5, 0.5, 0.5}};
        const double unit[7] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};
        CondCore a, b;
        cond_core_make(&cube, pose, origin, &a);
        cond_core_make(&wide, unit, origin, &b);
        assert_int_equal(cond_cores_meet(&work, &a, &b, 0.1), COND_OK);
        assert_true(work.manifold.n > 0);
        assert_true(work.manifold.meeting[0].normal[0] > 0.5); // the middle, not the top
        for (int i = 0; i < work.manifold.n; i++)              // the cube stands on the level top
            assert_true(work.manifold.meeting[i].gap > -1e-9);
    }
    cond_pair_work_end(&work);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_statics),
        cmocka_unit_test(test_roof),
        cmocka_unit_test(test_normals),
        cmocka_unit_test(test_turned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
