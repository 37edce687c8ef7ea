// What stands and what falls, where statics knows the border: three stacked cylinders by their two
// frictions, an arch of voussoirs by its thickness; and a tower that does not creep. One percent on
// either side of the border decides.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene_make.h"

#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double R = 0.05;

// A cylinder along y.
static void add_cylinder(CondScene* scene, double x, double z, double mu)
{
    CondBodyDef def = make_box(1.0, R, 0.2, 0.0, x, 0.0, z);
    def.shape = COND_SHAPE_CYLINDER;
    make_turn(1.0, 0.0, 0.0, acos(0.0), def.orientation);
    def.surface.friction[0] = def.surface.friction[1] = mu;
    add_body(scene, &def);
}

// How far the third of three cylinders has come down after a second. At rest the force between it
// and a lower one is along the line from the floor's contact: at 15 degrees to the normal, so that
// mu = tan 15 degrees between them, and on the floor a third of it, as it carries three halves of a
// weight where it passes on a half.
static double sag(double between, double on_floor)
{
    CondScene* scene = make_scene();
    double top = R + sqrt(3.0) * R;
    cond_scene_settings(scene)->time_step = 0.005;
    add_floor(scene, on_floor * on_floor / between, NAN); // the geometric mean is on_floor
    add_cylinder(scene, -R, R, between);
    add_cylinder(scene, R, R, between);
    add_cylinder(scene, 0.0, top, between);
    Trial trial = trial_begin(scene);
    trial_step(&trial, 200);
    double fallen = top - trial_pose(&trial, 2).position[2];
    trial_end(&trial);
    return fallen;
}

static void test_cylinders_stand_by_their_friction(void** state)
{
    (void)state;
    double between = tan(acos(-1.0) / 12.0), on_floor = between / 3.0;
    assert_true(fabs(sag(1.01 * between, 1.01 * on_floor)) < 1e-8);
    assert_true(sag(0.99 * between, 1.01 * on_floor) > 0.01 * R);
    assert_true(sag(1.01 * between, 0.99 * on_floor) > 0.01 * R);
}

// The corners of a voussoir's cross-section, about its centroid, which lies on its middle line at
// *radius.
static void voussoir(double angle, double thickness, double corner[4][2], double* radius)
{
    double area = 0.0, moment = 0.0;
    for (int k = 0; k < 4; k++) {
        double r = 1.0 + (k == 1 || k == 2 ? 0.5 : -0.5) * thickness;
        corner[k][0] = r * cos(0.5 * angle);
        corner[k][1] = (k < 2 ? -1.0 : 1.0) * r * sin(0.5 * angle);
    }
    for (int k = 0; k < 4; k++) {
        const double *a = corner[k], *b = corner[(k + 1) % 4];
        double cross = a[0] * b[1] - b[0] * a[1];
        area += cross / 2.0;
        moment += (a[0] + b[0]) * cross / 6.0;
    }
    *radius = moment / area;
    for (int k = 0; k < 4; k++)
        corner[k][0] -= *radius;
}

static void write_voussoir(const char* path, const double corner[4][2])
{
    static const int face[6][4] = {{1, 2, 3, 4}, {8, 7, 6, 5}, {1, 5, 6, 2},
                                   {2, 6, 7, 3}, {3, 7, 8, 4}, {4, 8, 5, 1}};
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    for (int k = 0; k < 8; k++)
        fprintf(file, "v %.17g %g %.17g\n", corner[k % 4][0], k < 4 ? -0.15 : 0.15,
                corner[k % 4][1]);
    for (int k = 0; k < 6; k++)
        fprintf(file, "f %d %d %d\nf %d %d %d\n", face[k][0], face[k][1], face[k][2], face[k][0],
                face[k][2], face[k][3]);
    fclose(file);
}

// How far the keystone of a half circle of 15 flat voussoirs with the middle radius 1 has come down
// after a second.
static double arch_sag(double thickness)
{
    enum { N = 15 };
    const char* path = "voussoir.obj";
    double corner[4][2], radius, angle = acos(-1.0) / N;
    CondScene* scene = make_scene();
    cond_scene_settings(scene)->time_step = 0.005;
    cond_scene_settings(scene)->solver.tolerance = 1e-6;
    add_floor(scene, 1.5, NAN);
    voussoir(angle, thickness, corner, &radius);
    write_voussoir(path, (const double(*)[2])corner);
    for (int k = 0; k < N; k++) {
        double a = (k + 0.5) * angle;
        CondBodyDef def = make_box(1.0, 1.0, 1.0, 1.0, radius * cos(a), 0.0, radius * sin(a));
        def.shape = COND_SHAPE_CONVEX;
        snprintf(def.mesh, sizeof def.mesh, "%s", path);
        make_turn(0.0, -1.0, 0.0, a, def.orientation);
        def.surface.friction[0] = def.surface.friction[1] = 1.5;
        add_body(scene, &def);
    }
    Trial trial = trial_begin(scene);
    trial_step(&trial, 200);
    double fallen = radius - trial_pose(&trial, N / 2).position[2];
    trial_end(&trial);
    remove(path);
    return fallen;
}

static void test_arch_stands_by_its_thickness(void** state)
{
    (void)state;
    assert_true(fabs(arch_sag(1.01 * 0.1061)) < 1e-6);
    assert_true(arch_sag(0.99 * 0.1061) > 0.1);
}

static void test_tower_does_not_creep(void** state)
{
    (void)state;
    enum { N = 100 };
    CondScene* scene = make_scene();
    cond_scene_settings(scene)->time_step = 0.01;
    add_floor(scene, 0.5, NAN);
    for (int k = 0; k < N; k++) {
        CondBodyDef def = make_box(1.0, 0.1, 0.1, 0.1, 0.0, 0.0, 0.05 + 0.1 * k);
        def.surface.friction[0] = def.surface.friction[1] = 0.5;
        add_body(scene, &def);
    }
    Trial trial = trial_begin(scene);
    trial_step(&trial, 300);
    CondPose top = trial_pose(&trial, N - 1);
    assert_near(top.position[0], 0.0, 1e-9);
    assert_near(top.position[1], 0.0, 1e-9);
    assert_near(top.position[2], 0.05 + 0.1 * (N - 1), 1e-7);
    trial_end(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cylinders_stand_by_their_friction),
        cmocka_unit_test(test_arch_stands_by_its_thickness),
        cmocka_unit_test(test_tower_does_not_creep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
