// Definitions of materials, soft bodies, robots, obstacles, patches, attachments and trajectories,
// by calls: what is copied, what is refused, what a shape weighs about its centre.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SET_TEXT(field, text) snprintf(field, sizeof(field), "%s", text)

static CondMaterialDef material_def(const char* name)
{
    CondMaterialDef def = cond_material_def_default();
    SET_TEXT(def.name, name);
    def.youngs_modulus = 75e3;
    def.poisson_ratio = 0.35;
    def.density = 1070.0;
    return def;
}

static CondBodyDef soft_def(const char* name)
{
    CondBodyDef def = cond_body_def_default();
    SET_TEXT(def.name, name);
    def.kind = COND_BODY_SOFT;
    SET_TEXT(def.mesh, "mat:5,5,2:0.3,0.3,0.01");
    SET_TEXT(def.material, "silicone");
    return def;
}

static CondBodyDef robot_def(const char* name, CondJointDef* joint, int n_joint)
{
    CondBodyDef def = cond_body_def_default();
    SET_TEXT(def.name, name);
    def.kind = COND_BODY_ROBOT;
    SET_TEXT(def.urdf, "arm.urdf");
    def.joint = joint;
    def.n_joint = n_joint;
    return def;
}

static CondBodyDef rigid_def(const char* name, CondShapeKind shape, double a, double b)
{
    CondBodyDef def = cond_body_def_default();
    SET_TEXT(def.name, name);
    def.mass = 3.0;
    def.shape = shape;
    def.size[0] = a;
    def.size[1] = b;
    return def;
}

static CondPatchDef patch_def(const char* name, const char* body)
{
    CondPatchDef def = cond_patch_def_default();
    SET_TEXT(def.name, name);
    SET_TEXT(def.body, body);
    def.high[0] = def.high[1] = def.high[2] = 1.0;
    return def;
}

static CondAttachmentDef attachment_def(void)
{
    CondAttachmentDef def = cond_attachment_def_default();
    SET_TEXT(def.end[0].body, "arm");
    SET_TEXT(def.end[0].link, "hand");
    SET_TEXT(def.end[1].body, "mat");
    SET_TEXT(def.end[1].patch, "edge");
    return def;
}

static CondTrajectoryDef trajectory_def(const CondWaypoint* waypoint, int n_waypoint)
{
    CondTrajectoryDef def = cond_trajectory_def_default();
    SET_TEXT(def.body, "arm");
    SET_TEXT(def.link, "hand");
    def.waypoint = waypoint;
    def.n_waypoint = n_waypoint;
    return def;
}

// A scene with a soft mat (patches edge and middle), a soft ball (patch top), a robot, a box and a
// particle.
static CondStatus fill(CondScene* scene, CondError* error)
{
    CondMaterialDef material = material_def("silicone");
    CondJointDef joint[2] = {{.name = "a", .position = 1.0}, {.name = "b", .stiffness = NAN}};
    CondBodyDef box = rigid_def("box", COND_SHAPE_SPHERE, 1.0, 0.0);
    CondBodyDef dot = cond_body_def_default();
    SET_TEXT(dot.name, "dot");
    dot.kind = COND_BODY_PARTICLE;
    dot.mass = 1.0;
    CondBodyDef body[5] = {soft_def("mat"), soft_def("ball"), robot_def("arm", joint, 2), box, dot};
    CondPatchDef patch[3] = {patch_def("edge", "mat"), patch_def("middle", "mat"),
                             patch_def("top", "ball")};
    CondStatus status = cond_scene_add_material(scene, &material, error);
    for (int i = 0; i < 5 && !status; ++i)
        status = cond_scene_add_body(scene, &body[i], error);
    for (int i = 0; i < 3 && !status; ++i)
        status = cond_scene_add_patch(scene, &patch[i], error);
    return status;
}

static CondScene* new_scene(void)
{
    CondScene* scene;
    CondError error;
    assert_int_equal(cond_scene_create(NULL, &scene, &error), COND_OK);
    cond_scene_set_files(scene, cond_scene_files());
    if (fill(scene, &error))
        fail_msg("%s", error.message);
    return scene;
}

static void expect(CondStatus status, const CondError* error, const char* message)
{
    if (!status)
        fail_msg("accepted, instead of: %s", message);
    assert_int_equal(status, COND_BAD_ARGUMENT);
    assert_string_equal(error->message, message);
}

static void refuse_body(CondScene* scene, const CondBodyDef* def, const char* message)
{
    CondError error = {0};
    expect(cond_scene_add_body(scene, def, &error), &error, message);
}

static void refuse_attachment(CondScene* scene, const CondAttachmentDef* def, const char* message)
{
    CondError error = {0};
    expect(cond_scene_add_attachment(scene, def, &error), &error, message);
}

static void test_half_filled_definitions_are_refused(void** state)
{
    (void)state;
    CondScene* scene = new_scene();
    CondError error;
    CondMaterialDef material = {.youngs_modulus = 1.0, .density = 1.0};
    CondObstacleDef obstacle = {.shape = COND_SHAPE_SPHERE, .size = {1.0}};
    CondPatchDef patch = {.body = "mat"};
    CondAttachmentDef attachment = {.stiffness = 1.0};
    CondTrajectoryDef trajectory = {.body = "arm"};
    expect(cond_scene_add_material(scene, &material, &error), &error,
           "material '': the definition was not made by cond_material_def_default()");
    assert_int_equal(cond_scene_add_obstacle(scene, &obstacle, &error), COND_BAD_ARGUMENT);
    assert_int_equal(cond_scene_add_patch(scene, &patch, &error), COND_BAD_ARGUMENT);
    assert_int_equal(cond_scene_add_attachment(scene, &attachment, &error), COND_BAD_ARGUMENT);
    assert_int_equal(cond_scene_add_trajectory(scene, &trajectory, NULL), COND_BAD_ARGUMENT);
    assert_int_equal(scene->n_material, 1);
    assert_int_equal(scene->n_obstacle + scene->n_attachment + scene->n_trajectory, 0);
    cond_scene_destroy(scene);
}

static void test_materials(void** state)
{
    (void)state;
    CondScene* scene = new_scene();
    CondError error;
    CondMaterialDef def = material_def("silicone");
    expect(cond_scene_add_material(scene, &def, &error), &error,
           "material 'silicone': name: another material is called 'silicone' already");
    static const double bad[] = {0.5, -1.0, 0.7, NAN};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        def = material_def("m");
        def.poisson_ratio = bad[i];
        assert_int_equal(cond_scene_add_material(scene, &def, &error), COND_BAD_ARGUMENT);
        assert_non_null(strstr(error.message, "poisson_ratio: expected a number > -1 and < 0.5"));
    }
    def = cond_material_def_default();
    expect(cond_scene_add_material(scene, &def, &error), &error,
           "material '': youngs_modulus: expected a number > 0, not 0");
    def = material_def("m");
    def.density = -1.0;
    assert_int_equal(cond_scene_add_material(scene, &def, &error), COND_BAD_ARGUMENT);
    def = material_def("m");
    def.stiffness_damping = -1.0;
    assert_int_equal(cond_scene_add_material(scene, &def, &error), COND_BAD_ARGUMENT);
    def = material_def("m");
    def.elasticity = (CondElasticity)2;
    assert_int_equal(cond_scene_add_material(scene, &def, &error), COND_BAD_ARGUMENT);
    def = material_def("m");
    memset(def.source, 'x', sizeof def.source); // no end
    assert_int_equal(cond_scene_add_material(scene, &def, &error), COND_BAD_ARGUMENT);
    def = material_def("");
    def.poisson_ratio = -0.9; // auxetic, but possible
    assert_int_equal(cond_scene_add_material(scene, &def, &error), COND_OK);
    assert_string_equal(scene->material[1].name, "material1");
    assert_int_equal(cond_scene_find(scene, COND_SCENE_MATERIAL, "material1"), 1);
    assert_int_equal(cond_scene_find(scene, COND_SCENE_MATERIAL, "steel"), -1);
    cond_scene_destroy(scene);
}

static void test_soft_bodies(void** state)
{
    (void)state;
    CondScene* scene = new_scene();
    assert_true(scene->body[0].mesh_scale == 1.0 && scene->body[0].self_contact == 1);
    CondBodyDef def = soft_def("s");
    def.mass = 1.0;
    refuse_body(scene, &def,
                "body 's': mass: a soft body has none: its mass comes from the density of its "
                "material");
    def = soft_def("s");
    def.shape = COND_SHAPE_BOX;
    refuse_body(scene, &def, "body 's': shape: a soft body has none: its mesh is what touches");
    def = soft_def("s");
    def.inertia[0] = 1.0;
    refuse_body(scene, &def, "body 's': inertia: a soft body has none (only kind: rigid)");
    def = soft_def("s");
    def.angular_velocity[2] = 1.0;
    refuse_body(scene, &def,
                "body 's': angular_velocity: a soft body has none (only kind: rigid, robot)");
    def = soft_def("s");
    def.mesh[0] = 0;
    refuse_body(scene, &def,
                "body 's': mesh: is required: a file, or a generator such as "
                "mat:27,27,2:0.3,0.3,0.01");
    def = soft_def("s");
    def.material[0] = 0;
    refuse_body(scene, &def, "body 's': material: is required (the name of a material)");
    def = soft_def("s");
    SET_TEXT(def.material, "silicon");
    refuse_body(scene, &def,
                "body 's': material: there is no material called 'silicon' (did you mean "
                "'silicone'?)");
    def = soft_def("s");
    def.thickness = -1.0;
    refuse_body(scene, &def, "body 's': thickness: expected a number >= 0, not -1");
    def = soft_def("s");
    def.mesh_scale = 0.0;
    refuse_body(scene, &def, "body 's': scale: expected a number > 0, not 0");
    def = soft_def("s");
    def.floating = 1;
    refuse_body(scene, &def, "body 's': floating: a soft body has none (only kind: robot)");
    def = soft_def("s");
    def.motor_damping = 1.0;
    refuse_body(scene, &def, "body 's': motor: a soft body has none (only kind: robot)");
    def = rigid_def("r", COND_SHAPE_SPHERE, 1.0, 0.0);
    def.thickness = 0.5;
    refuse_body(scene, &def, "body 'r': thickness: a rigid body has none (only kind: soft, shell)");
    def.thickness = cond_body_def_default().thickness;
    SET_TEXT(def.mesh, "ball.msh");
    refuse_body(scene, &def, "body 'r': mesh: a rigid body has none (only kind: soft, shell)");
    cond_scene_destroy(scene);
}

static void test_robots(void** state)
{
    (void)state;
    CondScene* scene = new_scene();
    CondJointDef joint[2] = {{.name = "a"}, {.name = "b"}};
    CondBodyDef def = robot_def("r", joint, 2);
    assert_int_equal(cond_scene_add_body(scene, &def, NULL), COND_OK);
    const CondBodyDef* own = &scene->body[scene->n_body - 1];
    joint[1].position = 5.0; // the scene has a copy
    assert_true(own->joint != joint && own->n_joint == 2 && own->joint[1].position == 0.0);
    joint[1].position = NAN;
    def = robot_def("s", joint, 2);
    refuse_body(scene, &def, "body 's': joints[1].position: expected a number, not nan");
    joint[1] = (CondJointDef){.name = "a"};
    refuse_body(scene, &def, "body 's': joints[1].name: another joint is called 'a' already");
    joint[1].name[0] = 0;
    refuse_body(scene, &def, "body 's': joints[1].name: is required (as in the URDF)");
    def = robot_def("s", NULL, 2);
    refuse_body(scene, &def, "body 's': joints: n_joint is 2, but there are none");
    def = robot_def("s", NULL, 0);
    def.mass = 1.0;
    refuse_body(scene, &def, "body 's': mass: a robot has none: its mass comes from its URDF");
    def = robot_def("s", NULL, 0);
    def.shape = COND_SHAPE_SPHERE;
    refuse_body(scene, &def, "body 's': shape: a robot has none: its shapes come from its URDF");
    def = robot_def("s", NULL, 0);
    def.urdf[0] = 0;
    refuse_body(scene, &def,
                "body 's': urdf: is required: the file that describes the robot (or links)");
    def = robot_def("s", NULL, 0);
    def.motor_stiffness = -1.0;
    refuse_body(scene, &def, "body 's': motor.stiffness: expected a number >= 0, not -1");
    def = robot_def("s", NULL, 0);
    def.velocity[0] = 1.0;
    refuse_body(scene, &def, "body 's': velocity: the base stands still (unless floating: true)");
    def.floating = 1;
    assert_int_equal(cond_scene_add_body(scene, &def, NULL), COND_OK);
    assert_null(scene->body[scene->n_body - 1].joint);
    def = rigid_def("t", COND_SHAPE_SPHERE, 1.0, 0.0);
    def.n_joint = 1;
    refuse_body(scene, &def, "body 't': joints: a rigid body has none (only kind: robot)");
    cond_scene_destroy(scene);
}

// Moments of a solid of revolution about z by summing slices: a disc of radius r(z) has
// dI_zz = dm r^2 / 2 and dI_xx = dm (r^2 / 4 + z^2).
static void sum_slices(CondShapeKind shape, double r, double l, double mass, double* across,
                       double* along)
{
    enum { n = 200000 };
    double half = shape == COND_SHAPE_CYLINDER ? l / 2.0 : l / 2.0 + r;
    double volume = 0.0;
    *across = *along = 0.0;
    for (int i = 0; i < n; ++i) {
        double z = half * (2.0 * (i + 0.5) / n - 1.0);
        double beyond = fmax(fabs(z) - l / 2.0, 0.0);
        double r2 = r * r - beyond * beyond;
        volume += r2;
        *along += r2 * r2 / 2.0;
        *across += r2 * (r2 / 4.0 + z * z);
    }
    *along *= mass / volume;
    *across *= mass / volume;
}

static void test_inertia_of_shapes(void** state)
{
    (void)state;
    static const struct {
        CondShapeKind shape;
        double radius, length;
    } cases[] = {{COND_SHAPE_SPHERE, 0.5, 0.0},
                 {COND_SHAPE_CAPSULE, 0.5, 2.0},
                 {COND_SHAPE_CAPSULE, 2.0, 0.1},
                 {COND_SHAPE_CYLINDER, 0.5, 2.0}};
    CondScene* scene = new_scene();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        CondBodyDef def = rigid_def("", cases[i].shape, cases[i].radius, cases[i].length);
        assert_int_equal(cond_scene_add_body(scene, &def, NULL), COND_OK);
        double mass, inertia[6], across, along;
        cond_scene_inertial(&scene->body[scene->n_body - 1], &mass, inertia);
        sum_slices(cases[i].shape, cases[i].radius, cases[i].length, def.mass, &across, &along);
        assert_true(fabs(inertia[0] - across) < 1e-7 * across && inertia[1] == inertia[0]);
        assert_true(fabs(inertia[2] - along) < 1e-7 * along);
        assert_true(inertia[3] == 0.0 && inertia[4] == 0.0 && inertia[5] == 0.0);
    }
    CondBodyDef def = rigid_def("c", COND_SHAPE_CAPSULE, 1.0, -1.0);
    refuse_body(scene, &def, "body 'c': shape.capsule: expected a vector of 2, each > 0, not -1");
    def = rigid_def("c", COND_SHAPE_SPHERE, 0.0, 0.0);
    refuse_body(scene, &def, "body 'c': shape.sphere: expected a number > 0, not 0");
    def = rigid_def("c", COND_SHAPE_SPHERE, 1.0, 0.0);
    def.mass = 0.0;
    refuse_body(scene, &def, "body 'c': mass: is required (a number > 0)");
    cond_scene_destroy(scene);
}

static void test_obstacles(void** state)
{
    (void)state;
    CondScene* scene = new_scene();
    CondError error;
    CondObstacleDef def = cond_obstacle_def_default();
    expect(cond_scene_add_obstacle(scene, &def, &error), &error,
           "obstacle '': shape: expected one of box, sphere, capsule, cylinder, convex, mesh, "
           "heightfield, terrain");
    def.shape = COND_SHAPE_POINTS;
    assert_int_equal(cond_scene_add_obstacle(scene, &def, &error), COND_BAD_ARGUMENT);
    def.shape = (CondShapeKind)99;
    assert_int_equal(cond_scene_add_obstacle(scene, &def, &error), COND_BAD_ARGUMENT);
    def.shape = COND_SHAPE_CYLINDER;
    def.size[0] = 0.05;
    expect(cond_scene_add_obstacle(scene, &def, &error), &error,
           "obstacle '': shape.cylinder: expected a vector of 2, each > 0, not 0");
    def.size[1] = 0.2;
    assert_int_equal(cond_scene_add_obstacle(scene, &def, &error), COND_OK);
    assert_string_equal(scene->obstacle[0].name, "obstacle0");
    def.orientation[0] = 0.0;
    assert_int_equal(cond_scene_add_obstacle(scene, &def, &error), COND_BAD_ARGUMENT);
    cond_scene_destroy(scene);
}

static void test_patches(void** state)
{
    (void)state;
    CondScene* scene = new_scene();
    CondError error;
    CondPatchDef def = patch_def("p", "box");
    expect(cond_scene_add_patch(scene, &def, &error), &error,
           "patch 'p': body: 'box' is a rigid body; only soft bodies have patches");
    def = patch_def("p", "met");
    expect(cond_scene_add_patch(scene, &def, &error), &error,
           "patch 'p': body: there is no body called 'met' (did you mean 'mat'?)");
    def = patch_def("p", "mat");
    def.low[1] = 2.0;
    expect(cond_scene_add_patch(scene, &def, &error), &error,
           "patch 'p': high: must not lie below low (y: 1 < 2)");
    def = patch_def("edge", "ball");
    assert_int_equal(cond_scene_add_patch(scene, &def, &error), COND_BAD_ARGUMENT);
    assert_int_equal(cond_scene_find(scene, COND_SCENE_PATCH, "top"), 2);
    cond_scene_destroy(scene);
}

static void test_forces_and_springs_need_something_hard(void** state)
{
    (void)state;
    CondScene* scene = new_scene();
    CondError error;
    CondForceDef force = cond_force_def_default();
    SET_TEXT(force.body, "mat");
    force.force[0] = 1.0;
    expect(cond_scene_add_force(scene, &force, &error), &error,
           "force '': patch: is required: 'mat' is a soft body");
    CondSpringDef spring = cond_spring_def_default();
    SET_TEXT(spring.body[0], "dot");
    SET_TEXT(spring.body[1], "arm");
    expect(
        cond_scene_add_spring(scene, &spring, &error), &error,
        "spring '': to.body: 'arm' is a robot; springs, and forces at a point, act on particles, "
        "rigid bodies and rods");
    cond_scene_destroy(scene);
}

static void test_attachments(void** state)
{
    (void)state;
    CondScene* scene = new_scene();
    CondAttachmentDef def = attachment_def();
    assert_int_equal(cond_scene_add_attachment(scene, &def, NULL), COND_OK);
    assert_true(isinf(scene->attachment[0].end_time) && scene->attachment[0].turns == 1);
    def.end[0].link[0] = 0;
    refuse_attachment(scene, &def, "attachment '': from.link: is required: 'arm' is a robot");
    def = attachment_def();
    def.end[1].patch[0] = 0;
    refuse_attachment(scene, &def, "attachment '': to.patch: is required: 'mat' is a soft body");
    SET_TEXT(def.end[1].patch, "egde");
    refuse_attachment(
        scene, &def,
        "attachment '': to.patch: there is no patch called 'egde' (did you mean 'edge'?)");
    SET_TEXT(def.end[1].patch, "top");
    refuse_attachment(scene, &def,
                      "attachment '': to.patch: 'top' is a patch of 'ball', not of 'mat'");
    def = attachment_def();
    SET_TEXT(def.end[1].link, "hand");
    refuse_attachment(scene, &def,
                      "attachment '': to.link: only robots have links; 'mat' is a soft body");
    def = attachment_def();
    SET_TEXT(def.end[0].patch, "edge");
    refuse_attachment(scene, &def,
                      "attachment '': from.patch: only soft bodies have patches; 'arm' is a robot");
    def = attachment_def();
    def.end[1].point[0] = 1.0;
    refuse_attachment(scene, &def,
                      "attachment '': to.point: must be zero: a patch has its own centre");
    def = attachment_def();
    def.end[0].body[0] = 0;
    refuse_attachment(scene, &def, "attachment '': from.body: is required where a link is named");
    def = attachment_def();
    def.stiffness = 0.0;
    refuse_attachment(scene, &def,
                      "attachment '': stiffness: expected a number > 0 or .inf, not 0");
    def = attachment_def();
    def.rotation_stiffness = 0.0;
    refuse_attachment(scene, &def,
                      "attachment '': rotation_stiffness: must be > 0 where orientation is held "
                      "(turns: false makes a ball joint)");
    def.turns = 0;
    assert_int_equal(cond_scene_add_attachment(scene, &def, NULL), COND_OK);
    def = attachment_def();
    def.start = def.end_time = 1.0;
    refuse_attachment(scene, &def,
                      "attachment '': end: must come after the start (1 s), not at 1 s");
    cond_scene_destroy(scene);
}

static void test_attachments_hold_two_things(void** state)
{
    (void)state;
    CondScene* scene = new_scene();
    CondAttachmentDef def = cond_attachment_def_default();
    refuse_attachment(scene, &def, "attachment '': to.body: at least one end must be on a body");
    def = attachment_def();
    def.end[1] = def.end[0];
    refuse_attachment(scene, &def,
                      "attachment '': to.body: must be another body or link than that of from");
    def = attachment_def();
    def.end[0] = def.end[1];
    refuse_attachment(scene, &def,
                      "attachment '': to.patch: must be another patch than that of from");
    SET_TEXT(def.end[0].patch, "middle"); // a soft body folded onto itself
    assert_int_equal(cond_scene_add_attachment(scene, &def, NULL), COND_OK);
    def = attachment_def();
    def.end[0] = (CondEndDef){.point = {1.0, 2.0, 3.0}}; // the world
    assert_int_equal(cond_scene_add_attachment(scene, &def, NULL), COND_OK);
    def.end[0] = (CondEndDef){.body = "dot"};
    refuse_attachment(scene, &def,
                      "attachment '': turns: must be false: 'dot' is a particle, which has no "
                      "orientation");
    def.turns = 0;
    assert_int_equal(cond_scene_add_attachment(scene, &def, NULL), COND_OK);
    def.end[0].point[1] = 1.0;
    refuse_attachment(scene, &def, "attachment '': from.point: must be zero: 'dot' is a particle");
    def.end[0] = (CondEndDef){.body = "box", .point = {1.0, 2.0, 3.0}};
    assert_int_equal(cond_scene_add_attachment(scene, &def, NULL), COND_OK);
    cond_scene_destroy(scene);
}

static void test_trajectories(void** state)
{
    (void)state;
    CondScene* scene = new_scene();
    CondError error;
    CondWaypoint waypoint[2] = {{.time = 0.0, .orientation = {1.0}},
                                {.time = 1.0, .orientation = {1.0}}};
    CondTrajectoryDef def = trajectory_def(waypoint, 2);
    assert_int_equal(cond_scene_add_trajectory(scene, &def, NULL), COND_OK);
    waypoint[1].time = 0.0; // the scene has a copy
    assert_true(scene->trajectory[0].waypoint[1].time == 1.0);
    expect(cond_scene_add_trajectory(scene, &def, &error), &error,
           "trajectory '': waypoints[1].time: must come after the one before (0 s), not at 0 s");
    waypoint[1].time = 1.0;
    waypoint[1].orientation[0] = 0.0;
    expect(cond_scene_add_trajectory(scene, &def, &error), &error,
           "trajectory '': waypoints[1].orientation: must not be zero");
    waypoint[0].position[1] = INFINITY;
    assert_int_equal(cond_scene_add_trajectory(scene, &def, &error), COND_BAD_ARGUMENT);
    def = trajectory_def(waypoint, 0);
    expect(cond_scene_add_trajectory(scene, &def, &error), &error,
           "trajectory '': waypoints: expected at least one");
    def = trajectory_def(NULL, 1);
    assert_int_equal(cond_scene_add_trajectory(scene, &def, &error), COND_BAD_ARGUMENT);
    def = trajectory_def(waypoint, 1);
    SET_TEXT(def.body, "mat");
    expect(cond_scene_add_trajectory(scene, &def, &error), &error,
           "trajectory '': body: 'mat' is a soft body; only robots follow trajectories");
    def = trajectory_def(waypoint, 1);
    def.link[0] = 0;
    expect(cond_scene_add_trajectory(scene, &def, &error), &error,
           "trajectory '': link: is required (the link that follows)");
    cond_scene_destroy(scene);
}

static void refuse_sensor(CondScene* scene, const CondSensorDef* def, const char* message)
{
    CondError error = {0};
    assert_int_equal(cond_scene_add_sensor(scene, def, &error), COND_BAD_ARGUMENT);
    if (!strstr(error.message, message))
        fail_msg("%s, instead of: %s", error.message, message);
}

static void test_sensors(void** state)
{
    (void)state;
    CondScene* scene = new_scene();
    CondAttachmentDef grip = attachment_def();
    SET_TEXT(grip.name, "grip");
    assert_int_equal(cond_scene_add_attachment(scene, &grip, NULL), COND_OK);
    CondSensorDef def = {.on = {.body = "mat"}};
    assert_int_equal(cond_scene_add_sensor(scene, &def, NULL), COND_BAD_ARGUMENT); // no size
    def = cond_sensor_def_default();
    refuse_sensor(scene, &def, "body: ");
    SET_TEXT(def.on.body, "mat");
    SET_TEXT(def.name, "skin");
    assert_int_equal(cond_scene_add_sensor(scene, &def, NULL), COND_OK);
    refuse_sensor(scene, &def, "sensor 'skin': name: another sensor is called 'skin' already");
    SET_TEXT(def.name, "");
    def.kind = COND_SENSOR_JOINT;
    refuse_sensor(scene, &def, "measures: only robots have joints; 'mat' is a soft body");
    SET_TEXT(def.on.body, "arm");
    refuse_sensor(scene, &def, "link: is required");
    SET_TEXT(def.on.link, "hand");
    assert_int_equal(cond_scene_add_sensor(scene, &def, NULL), COND_OK);
    SET_TEXT(def.against, "mat");
    refuse_sensor(scene, &def, "against: only sensors of contact");
    def.kind = COND_SENSOR_CONTACT;
    assert_int_equal(cond_scene_add_sensor(scene, &def, NULL), COND_OK);
    SET_TEXT(def.attachment, "grap");
    refuse_sensor(scene, &def, "against: ");
    SET_TEXT(def.against, "");
    refuse_sensor(scene, &def, "only one of body and attachment");
    def.on = (CondEndDef){.body = ""};
    refuse_sensor(scene, &def,
                  "attachment: there is no attachment called 'grap' (did you mean 'grip'?)");
    SET_TEXT(def.attachment, "grip");
    assert_int_equal(cond_scene_add_sensor(scene, &def, NULL), COND_OK);
    assert_string_equal(scene->sensor[scene->n_sensor - 1].name, "sensor3");
    cond_scene_destroy(scene);
}

static CondStatus build(const CondContext* context, CondError* error)
{
    CondScene* scene;
    CondStatus status = cond_scene_create(context, &scene, error);
    if (status)
        return status;
    CondWaypoint waypoint = {.orientation = {1.0}};
    CondObstacleDef obstacle = cond_obstacle_def_default();
    obstacle.shape = COND_SHAPE_SPHERE;
    obstacle.size[0] = 1.0;
    CondAttachmentDef attachment = attachment_def();
    CondTrajectoryDef trajectory = trajectory_def(&waypoint, 1);
    CondSensorDef sensor = cond_sensor_def_default();
    SET_TEXT(sensor.on.body, "mat");
    status = fill(scene, error);
    for (int i = 0; i < 12 && !status; ++i) {
        status = cond_scene_add_obstacle(scene, &obstacle, error);
        if (!status)
            status = cond_scene_add_attachment(scene, &attachment, error);
        if (!status)
            status = cond_scene_add_trajectory(scene, &trajectory, error);
        if (!status)
            status = cond_scene_add_sensor(scene, &sensor, error);
    }
    cond_scene_destroy(scene);
    return status;
}

static void test_allocation_failures(void** state)
{
    (void)state;
    FailingAllocator allocator = {0};
    for (long i = 1;; ++i) {
        allocator = (FailingAllocator){.fail_at = i};
        CondContext context = failing_allocator_context(&allocator);
        CondError error = {0};
        CondStatus status = build(&context, &error);
        assert_int_equal(allocator.live, 0);
        if (!status)
            break;
        assert_int_equal(status, COND_OUT_OF_MEMORY);
        assert_int_equal(error.status, COND_OUT_OF_MEMORY);
    }
    assert_true(allocator.calls > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_half_filled_definitions_are_refused),
        cmocka_unit_test(test_materials),
        cmocka_unit_test(test_soft_bodies),
        cmocka_unit_test(test_robots),
        cmocka_unit_test(test_inertia_of_shapes),
        cmocka_unit_test(test_obstacles),
        cmocka_unit_test(test_patches),
        cmocka_unit_test(test_forces_and_springs_need_something_hard),
        cmocka_unit_test(test_attachments),
        cmocka_unit_test(test_attachments_hold_two_things),
        cmocka_unit_test(test_trajectories),
        cmocka_unit_test(test_sensors),
        cmocka_unit_test(test_allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
