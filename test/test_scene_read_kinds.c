// Scene files with materials, soft bodies, robots, obstacles, patches, attachments, trajectories:
// every key, every refusal with its line, the library of materials, paths, overrides.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// Tests run in a folder of their own.
#define FILE_NAME "s.yaml"

static void write_file(const char* path, const char* bytes, size_t length)
{
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static CondScene* read_with(const char* path, const char* text, int n_override,
                            const char* const* override)
{
    CondScene* scene;
    CondError error = {0};
    write_file(path, text, strlen(text));
    if (cond_scene_read(NULL, path, n_override, override, &scene, &error))
        fail_msg("%s", error.message);
    return scene;
}

static void refuses_file(const char* path, const char* text, const char* override,
                         const char* message)
{
    CondScene* scene;
    CondError error = {0};
    write_file(path, text, strlen(text));
    CondStatus status = cond_scene_read(NULL, path, override != NULL, &override, &scene, &error);
    if (!status)
        fail_msg("accepted, instead of: %s", message);
    assert_int_equal(status, COND_BAD_INPUT);
    assert_null(scene);
    assert_string_equal(error.message, message);
}

static const char library[] = "materials:\n"
                              "  - {name: oak, youngs_modulus: 1e10, poisson_ratio: 0.3,\n"
                              "     density: 700, source: a guess}\n";

static const char full[] = //
    "library: oak.yaml\n"
    "trajectories:\n"
    "  - {name: fold, body: arm, link: hand, point: [0, 0, 0.1], waypoints: [\n"
    "     {time: 0, position: [1, 2, 3], orientation: [0, 1, 0, 0]},\n"
    "     {time: 1.5, position: [4, 5, 6], rotation: {axis: [0, 0, 2], degrees: 180}},\n"
    "     {time: 2, position: [7, 8, 9]}]}\n"
    "attachments:\n"
    "  - {name: grip, from: {body: arm, link: hand, point: [0, 0, 0.1]}, to: {body: mat,\n"
    "     patch: edge}, turns: false, stiffness: 1, damping: 2, rotation_stiffness: 3,\n"
    "     rotation_damping: 4, start: 5, end: 6}\n"
    "  - {from: {point: [1, 2, 3]}, to: {body: ball}}\n"
    "patches:\n"
    "  - {name: edge, body: mat, low: [-1, -2, -3], high: [1, 2, 3]}\n"
    "obstacles:\n"
    "  - {name: drum, shape: {cylinder: [0.05, 0.2]}, position: [1, 2, 3],\n"
    "     rotation: {axis: [1, 0, 0], degrees: 90}, friction: 0.5, restitution: 0.25}\n"
    "  - {shape: {sphere: 2}}\n"
    "  - {shape: {capsule: [1, 2]}, orientation: [1, 0, 0, 1]}\n"
    "  - {shape: {box: [1, 2, 3]}}\n"
    "bodies:\n"
    "  - {name: mat, kind: soft, mesh: 'mat:27,27,2:0.3,0.3,0.01', material: silicone,\n"
    "     position: [1, 2, 3], rotation: {axis: [0, 0, 1], degrees: 90}, velocity: [4, 5, 6],\n"
    "     friction: 0.5, self_contact: false, thickness: 0.002, scale: 2}\n"
    "  - {name: log, kind: soft, mesh: log.msh, material: oak}\n"
    "  - {name: arm, kind: robot, urdf: arm.urdf, floating: true, velocity: [1, 2, 3],\n"
    "     motor: {stiffness: 2000, damping: 100}, joints: [{name: j1, position: 1, velocity: 2,\n"
    "     stiffness: 3, damping: 4}, {name: j2}]}\n"
    "  - {name: ball, mass: 1, shape: {sphere: 0.5}}\n"
    "  - {name: pill, mass: 1, shape: {capsule: [0.5, 2]}}\n"
    "  - {name: tin, mass: 1, shape: {cylinder: [0.5, 2]}}\n"
    "materials:\n"
    "  - {name: silicone, youngs_modulus: 75e3, poisson_ratio: 0.35, density: 1070,\n"
    "     elasticity: neohookean, geometric: bound, mass_damping: 1, stiffness_damping: 2,\n"
    "     source: 'where the numbers come from'}\n";

static int write_library(void** state)
{
    (void)state;
    write_file("oak.yaml", library, strlen(library));
    return 0;
}

static void check_bodies(const CondScene* scene)
{
    const CondBodyDef* mat = &scene->body[0];
    assert_int_equal(mat->kind, COND_BODY_SOFT);
    assert_string_equal(mat->mesh, "mat:27,27,2:0.3,0.3,0.01");
    assert_string_equal(mat->material, "silicone");
    assert_true(mat->position[2] == 3 && mat->velocity[0] == 4 && mat->thickness == 0.002);
    assert_true(mat->mesh_scale == 2 && !mat->self_contact && mat->surface.friction[1] == 0.5);
    assert_true(fabs(mat->orientation[3] - sqrt(0.5)) < 1e-15);
    assert_string_equal(scene->body[1].mesh, "log.msh");
    assert_true(scene->body[1].self_contact && scene->body[1].thickness == 1e-3);
    const CondBodyDef* arm = &scene->body[2];
    assert_int_equal(arm->kind, COND_BODY_ROBOT);
    assert_string_equal(arm->urdf, "arm.urdf");
    assert_true(arm->floating && arm->motor_stiffness == 2000 && arm->motor_damping == 100);
    assert_int_equal(arm->n_joint, 2);
    assert_string_equal(arm->joint[0].name, "j1");
    assert_true(arm->joint[0].position == 1 && arm->joint[0].velocity == 2);
    assert_true(arm->joint[0].stiffness == 3 && arm->joint[0].damping == 4);
    assert_true(arm->joint[1].position == 0 && isnan(arm->joint[1].stiffness));
    assert_int_equal(scene->body[3].shape, COND_SHAPE_SPHERE);
    assert_int_equal(scene->body[4].shape, COND_SHAPE_CAPSULE);
    assert_int_equal(scene->body[5].shape, COND_SHAPE_CYLINDER);
    assert_true(scene->body[3].size[0] == 0.5 && scene->body[5].size[1] == 2.0);
    double mass, inertia[6];
    cond_scene_inertial(&scene->body[3], &mass, inertia);
    assert_true(fabs(inertia[0] - 0.4 * 0.25) < 1e-16);
}

static void test_every_key(void** state)
{
    (void)state;
    CondScene* scene = read_with(FILE_NAME, full, 0, NULL);
    check_bodies(scene);
    assert_int_equal(scene->n_material, 2);
    const CondMaterialDef* oak =
        &scene->material[cond_scene_find(scene, COND_SCENE_MATERIAL, "oak")];
    assert_string_equal(oak->source, "a guess");
    const CondMaterialDef* soft =
        &scene->material[cond_scene_find(scene, COND_SCENE_MATERIAL, "silicone")];
    assert_true(soft->youngs_modulus == 75e3 && soft->poisson_ratio == 0.35);
    assert_true(soft->density == 1070 && soft->mass_damping == 1 && soft->stiffness_damping == 2);
    assert_int_equal(soft->elasticity, COND_ELASTICITY_NEOHOOKEAN);
    assert_int_equal(soft->geometric, COND_GEOMETRIC_BOUND);
    const CondObstacleDef* drum = &scene->obstacle[0];
    assert_true(drum->shape == COND_SHAPE_CYLINDER && drum->size[1] == 0.2);
    assert_true(drum->position[1] == 2 && fabs(drum->orientation[1] - sqrt(0.5)) < 1e-15);
    assert_true(drum->surface.friction[0] == 0.5 && drum->surface.restitution == 0.25);
    assert_true(scene->obstacle[1].shape == COND_SHAPE_SPHERE && scene->obstacle[1].size[0] == 2);
    assert_true(scene->obstacle[2].orientation[3] == 1 && scene->obstacle[3].size[2] == 3);
    assert_true(scene->patch[0].low[2] == -3 && scene->patch[0].high[0] == 1);
    const CondAttachmentDef* grip = &scene->attachment[0];
    assert_string_equal(grip->end[0].link, "hand");
    assert_string_equal(grip->end[1].patch, "edge");
    assert_true(grip->end[0].point[2] == 0.1 && !grip->turns && grip->stiffness == 1);
    assert_true(grip->damping == 2 && grip->rotation_stiffness == 3 && grip->rotation_damping == 4);
    assert_true(grip->start == 5 && grip->end_time == 6);
    assert_true(scene->attachment[1].turns && isinf(scene->attachment[1].end_time));
    const CondTrajectoryDef* fold = &scene->trajectory[0];
    assert_string_equal(fold->body, "arm");
    assert_string_equal(fold->link, "hand");
    assert_true(fold->point[2] == 0.1 && fold->n_waypoint == 3);
    assert_true(fold->waypoint[0].orientation[1] == 1 && fold->waypoint[1].time == 1.5);
    assert_true(fabs(fold->waypoint[1].orientation[3] - 1.0) < 1e-15);
    assert_true(fold->waypoint[2].position[1] == 8 && fold->waypoint[2].orientation[0] == 1);
    cond_scene_destroy(scene);
}

static void test_overrides(void** state)
{
    (void)state;
    const char* const sets[] = {
        "materials.silicone.youngs_modulus=1e6", "bodies.arm.joints.j2.position=0.5",
        "bodies.arm.joints[0].damping=9",        "bodies.arm.motor.damping=7",
        "trajectories.fold.waypoints[2].time=3", "attachments.grip.to.patch=edge",
        "obstacles.drum.shape.cylinder[1]=0.3",  "patches.edge.low[0]=0",
    };
    CondScene* scene = read_with(FILE_NAME, full, sizeof sets / sizeof *sets, sets);
    assert_true(
        scene->material[cond_scene_find(scene, COND_SCENE_MATERIAL, "silicone")].youngs_modulus ==
        1e6);
    assert_true(scene->body[2].joint[1].position == 0.5 && scene->body[2].joint[0].damping == 9);
    assert_true(scene->body[2].motor_damping == 7 && scene->obstacle[0].size[1] == 0.3);
    assert_true(scene->trajectory[0].waypoint[2].time == 3 && scene->patch[0].low[0] == 0);
    cond_scene_destroy(scene);
    static const char* const cases[][2] = {
        {"bodies.mat.material=silicn",
         "there is no material called 'silicn' (did you mean 'silicone'?)"},
        {"bodies.arm.joints.j2.name=j1", "another joint is called 'j1' already"},
        {"trajectories.fold.waypoints[1].time=0",
         "must come after the one before (0 s), not at 0 s"},
        {"library=none.yaml", "the file none.yaml cannot be read"},
        {"bodies.arm.joints=[{name: a, position: x}]",
         "bodies.arm.joints.a.position: expected a number, not x"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char message[512];
        snprintf(message, sizeof message, "--set %s: %s", cases[i][0], cases[i][1]);
        refuses_file(FILE_NAME, full, cases[i][0], message);
    }
}

#define M "materials:\n  - {name: m, youngs_modulus: 1, poisson_ratio: 0.3, density: 1}\n"
#define S M "bodies:\n  - name: s\n    kind: soft\n    mesh: 'ball:0.1:3'\n    material: m\n"
#define R "bodies:\n  - name: r\n    kind: robot\n    urdf: r.urdf\n"
#define P S "patches:\n  - {name: p, body: s, low: [0, 0, 0], high: [1, 1, 1]}\n"

static void test_material_refusals(void** state)
{
    (void)state;
    static const char* const cases[][2] = {
        {"materials:\n  - name: m\n    density: 1\n    youngs_modulus: 1\n",
         "s.yaml:2: materials.m.poisson_ratio: is required (a number > -1 and < 0.5)"},
        {"materials:\n  - name: m\n    poisson_ratio: 0.5\n",
         "s.yaml:2: materials.m.youngs_modulus: is required (a number > 0)"},
        {"materials:\n  - name: m\n    youngs_modulus: 0\n",
         "s.yaml:3: materials.m.youngs_modulus: expected a number > 0, not 0"},
        {"materials:\n  - name: m\n    youngs_modulus: 1\n    poisson_ratio: 0.5\n",
         "s.yaml:4: materials.m.poisson_ratio: expected a number > -1 and < 0.5, not 0.5"},
        {"materials:\n  - name: m\n    youngs_modulus: 1\n    poisson_ratio: 0\n    density: 0\n",
         "s.yaml:5: materials.m.density: expected a number > 0, not 0"},
        {M
         "  - {name: n, youngs_modulus: 1, poisson_ratio: 0, density: 1,\n     mass_damping: -1}\n",
         "s.yaml:4: materials.n.mass_damping: expected a number >= 0, not -1"},
        {M "  - {name: m, youngs_modulus: 1, poisson_ratio: 0, density: 1}\n",
         "s.yaml:3: materials.m.name: another material is called 'm' already"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        refuses_file(FILE_NAME, cases[i][0], NULL, cases[i][1]);
}

static void test_body_refusals(void** state)
{
    (void)state;
    static const char* const cases[][2] = {
        {M "bodies:\n  - name: s\n    kind: soft\n    material: m\n",
         "s.yaml:4: bodies.s.mesh: is required: a file, or a generator such as "
         "mat:27,27,2:0.3,0.3,0.01"},
        {"bodies:\n  - kind: soft\n    mesh: a.msh\n    material: steel\n",
         "s.yaml:4: bodies[0].material: there is no material called 'steel'"},
        {S "    mass: 1\n", "s.yaml:8: bodies.s.mass: a soft body has none: its mass comes from "
                            "the density of its material"},
        {S "    shape: {box: [1, 1, 1]}\n",
         "s.yaml:8: bodies.s.shape: a soft body has none: its mesh is what touches"},
        {S "    joints:\n      - name: a\n",
         "s.yaml:8: bodies.s.joints: a soft body has none (only kind: robot)"},
        {S "    urdf: a.urdf\n",
         "s.yaml:8: bodies.s.urdf: a soft body has none (only kind: robot)"},
        {R "    mass: 1\n",
         "s.yaml:5: bodies.r.mass: a robot has none: its mass comes from its URDF"},
        {R "    shape: {sphere: 1}\n",
         "s.yaml:5: bodies.r.shape: a robot has none: its shapes come from its URDF"},
        {R "    joints: {a: 1}\n",
         "s.yaml:5: bodies.r.joints: expected a list of mappings, not a mapping"},
        {R "    joints:\n      - name: a\n      - position: 1\n",
         "s.yaml:7: bodies.r.joints[1].name: is required (a text of at most 63 bytes)"},
        {R "    joints:\n      - name: a\n      - name: a\n",
         "s.yaml:7: bodies.r.joints[1].name: another joint is called 'a' already"},
        {R "    joints:\n      - name: a\n        postion: 1\n",
         "s.yaml:7: bodies.r.joints.a.postion: unknown key (did you mean position?)"},
        {R "    motor:\n      damping: -1\n",
         "s.yaml:6: bodies.r.motor.damping: expected a number >= 0, not -1"},
        {R "    angular_velocity: [0, 0, 1]\n",
         "s.yaml:5: bodies.r.angular_velocity: the base stands still (unless floating: true)"},
        {"bodies:\n  - kind: robot\n",
         "s.yaml:2: bodies[0].urdf: is required: the file that describes the robot (or links)"},
        {"bodies:\n  - mass: 1\n    shape:\n      capsule: [1, 0]\n",
         "s.yaml:4: bodies[0].shape.capsule[1]: 0 is not allowed (expected a vector of 2, each > "
         "0)"},
        {"bodies:\n  - mass: 1\n    shape: {sphere: [1]}\n",
         "s.yaml:3: bodies[0].shape.sphere: expected a number > 0, not a list of 1"},
        {"bodies:\n  - mass: 0\n    shape: {sphere: 1}\n",
         "s.yaml:2: bodies[0].mass: expected a number > 0, not 0"},
        {"obstacles:\n  - name: o\n", "s.yaml:2: obstacles.o.shape: is required (a mapping)"},
        {"obstacles:\n  - shape: {points: [[0, 0, 0]]}\n",
         "s.yaml:2: obstacles[0].shape.points: unknown key here; points belongs in bodies.shape"},
        {"obstacles:\n  - shape: {sphere: 1, box: [1, 1, 1]}\n",
         "s.yaml:2: obstacles[0].shape: expected one of box, sphere, capsule, cylinder, convex, "
         "mesh, heightfield, terrain"},
        {"obstacles:\n  - shape: {sphere: 1}\n    orientation: [1, 0, 0, 0]\n"
         "    rotation: {axis: [1, 0, 0], degrees: 1}\n",
         "s.yaml:4: obstacles[0].rotation: orientation is given already; only one of them may be"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        refuses_file(FILE_NAME, cases[i][0], NULL, cases[i][1]);
}

static void test_attachment_refusals(void** state)
{
    (void)state;
    static const char* const cases[][2] = {
        {R "patches:\n  - {body: r, low: [0, 0, 0], high: [1, 1, 1]}\n",
         "s.yaml:6: patches[0].body: 'r' is a robot; only soft bodies have patches"},
        {S "patches:\n  - body: s\n    low: [0, 0, 0]\n    high: [0, 0, -1]\n",
         "s.yaml:11: patches[0].high: must not lie below low (z: -1 < 0)"},
        {S "patches:\n  - body: s\n    low: [0, 0, 0]\n",
         "s.yaml:9: patches[0].high: is required (a vector of 3)"},
        {P "attachments:\n  - from: {}\n    to: {body: s, patch: q}\n",
         "s.yaml:12: attachments[0].to.patch: there is no patch called 'q' (did you mean 'p'?)"},
        {P "attachments:\n  - from: {}\n    to: {body: s}\n",
         "s.yaml:12: attachments[0].to.patch: is required: 's' is a soft body"},
        {P "attachments:\n  - from: {}\n    to:\n      body: s\n      link: a\n      patch: p\n",
         "s.yaml:14: attachments[0].to.link: only robots have links; 's' is a soft body"},
        {P "attachments:\n  - from: {}\n", "s.yaml:11: attachments[0].to: is required (a mapping)"},
        {P "attachments:\n  - from: {}\n    to: {}\n",
         "s.yaml:12: attachments[0].to.body: at least one end must be on a body"},
        {P "attachments:\n  - from: {}\n    to: {body: s, patch: p}\n    stiffness: 0\n",
         "s.yaml:13: attachments[0].stiffness: expected a number > 0 or .inf, not 0"},
        {S "forces:\n  - body: s\n    force: [1, 0, 0]\n",
         "s.yaml:9: forces[0].patch: is required: 's' is a soft body"},
        {S "forces:\n  - {body: s, patch: q, pressure: 3}\n",
         "s.yaml:9: forces[0].patch: there is no patch called 'q'"},
        {S "springs:\n  - {from: {}, to: {body: s}, stiffness: 1}\n",
         "s.yaml:9: springs[0].to.body: 's' is a soft body; springs, and forces at a point, act on "
         "particles, rigid bodies and rods"},
        {S "trajectories:\n  - {body: s, link: a, waypoints: []}\n",
         "s.yaml:9: trajectories[0].body: 's' is a soft body; only robots follow trajectories"},
        {R "trajectories:\n  - {body: r, link: a, waypoints: []}\n",
         "s.yaml:6: trajectories[0].waypoints: expected at least one"},
        {R "trajectories:\n  - {body: r, link: a}\n",
         "s.yaml:6: trajectories[0].waypoints: is required (a list of mappings)"},
        {R "trajectories:\n  - {body: r, link: a, waypoints: 3}\n",
         "s.yaml:6: trajectories[0].waypoints: expected a list of mappings, not 3"},
        {R "trajectories:\n  - body: r\n    link: a\n    waypoints:\n"
           "      - {time: 1, position: [0, 0, 0]}\n      - {time: 1, position: [0, 0, 0]}\n",
         "s.yaml:10: trajectories[0].waypoints[1].time: must come after the one before (1 s), not "
         "at 1 s"},
        {R "trajectories:\n  - body: r\n    link: a\n    waypoints:\n"
           "      - {time: 1, position: [0, 0, 0], orientation: [0, 0, 0, 0]}\n",
         "s.yaml:9: trajectories[0].waypoints[0].orientation: must not be zero"},
        {R "trajectories:\n  - body: r\n    link: a\n    waypoints:\n      - {time: 1}\n",
         "s.yaml:9: trajectories[0].waypoints[0].position: is required (a vector of 3)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        refuses_file(FILE_NAME, cases[i][0], NULL, cases[i][1]);
}

static void test_library(void** state)
{
    (void)state;
    refuses_file(FILE_NAME, "name: a\nlibrary: none.yaml\n", NULL,
                 "s.yaml:2: library: the file none.yaml cannot be read");
    refuses_file(FILE_NAME,
                 "library: oak.yaml\n"
                 "materials:\n  - {name: oak, youngs_modulus: 1, poisson_ratio: 0,\n"
                 "     density: 1}\n",
                 NULL, "s.yaml:3: materials.oak.name: another material is called 'oak' already");
    static const char* const cases[][2] = {
        {"materials:\n  - name: m\n    density: -1\n",
         "lib.yaml:2: materials.m.youngs_modulus: is required (a number > 0)"},
        {"materials:\n  - name: m\n    youngs_modulus: -1\n",
         "lib.yaml:3: materials.m.youngs_modulus: expected a number > 0, not -1"},
        {"name: a\nmaterials: []\n", "lib.yaml:1: a library holds the key materials and no other"},
        {"materials: []\nbodies: []\n",
         "lib.yaml:1: a library holds the key materials and no other"},
        {"- a\n", "lib.yaml:1: a library holds the key materials and no other"},
        {"materials: 3\n", "lib.yaml:1: materials: expected a list of mappings, not 3"},
        {"materials: [\n", "lib.yaml:2: not valid YAML: did not find expected node content while "
                           "parsing a flow node"},
        {"", "lib.yaml:1: the file is empty"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        write_file("lib.yaml", cases[i][0], strlen(cases[i][0]));
        refuses_file(FILE_NAME, "library: lib.yaml\n", NULL, cases[i][1]);
    }
}

static void test_shipped_library(void** state)
{
    (void)state;
    char text[1024];
    snprintf(text, sizeof text, "library: %s/materials.yaml\n", COND_SCENES);
    CondScene* scene = read_with(FILE_NAME, text, 0, NULL);
    assert_true(scene->n_material >= 10);
    for (int i = 0; i < scene->n_material; ++i)
        assert_true(scene->material[i].source[0]); // every entry says where it comes from
    int ecoflex = cond_scene_find(scene, COND_SCENE_MATERIAL, "ecoflex-0050");
    assert_true(ecoflex >= 0);
    assert_true(scene->material[ecoflex].youngs_modulus == 83e3);
    assert_true(scene->material[ecoflex].poisson_ratio == 0.42);
    assert_true(scene->material[ecoflex].density == 1070);
    cond_scene_destroy(scene);
}

// Files are looked for beside the scene file.
static void test_paths(void** state)
{
    (void)state;
    mkdir("sub", 0777);
    write_file("sub/oak.yaml", library, strlen(library));
    CondScene* scene = read_with("sub/t.yaml", full, 0, NULL);
    assert_string_equal(scene->body[0].mesh, "mat:27,27,2:0.3,0.3,0.01");
    assert_string_equal(scene->body[1].mesh, "sub/log.msh");
    assert_string_equal(scene->body[2].urdf, "sub/arm.urdf");
    cond_scene_destroy(scene);
    static const char* const meshes[][3] = {
        {"bodies.log.mesh=/a/b.msh", "/a/b.msh"},
        {"bodies.log.mesh='ball:0.1:3'", "ball:0.1:3"},
        {"bodies.log.mesh='cylinder:1,2:3,4'", "cylinder:1,2:3,4"},
        {"bodies.log.mesh='box:1,1,1:1,1,1'", "box:1,1,1:1,1,1"},
        {"bodies.log.mesh='bal:0.1:3'", "sub/bal:0.1:3"}, // a file, with a strange name
        {"bodies.log.mesh=mat", "sub/mat"},
        {"bodies.log.mesh=../log.msh", "sub/../log.msh"},
    };
    for (size_t i = 0; i < sizeof meshes / sizeof *meshes; ++i) {
        scene = read_with("sub/t.yaml", full, 1, meshes[i]);
        assert_string_equal(scene->body[1].mesh, meshes[i][1]);
        cond_scene_destroy(scene);
    }
    char set[400] = "bodies.log.mesh=";
    size_t start = strlen(set);
    memset(set + start, 'x', 251);
    scene = read_with("sub/t.yaml", full, 1, (const char* const[]){set}); // 4 + 251 = 255
    assert_int_equal(strlen(scene->body[1].mesh), 255);
    cond_scene_destroy(scene);
    set[start + 251] = 'x';
    CondError error;
    const char* sets[] = {set};
    assert_int_equal(cond_scene_read(NULL, "sub/t.yaml", 1, sets, &scene, &error), COND_BAD_INPUT);
    assert_non_null(strstr(error.message, "the path is longer than 255 bytes, with the folder"));
}

// Valgrind is slow: it looks at some of the cases only.
static size_t stride(void)
{
    return getenv("COND_VALGRIND") ? 37 : 1;
}

static void read_broken(const char* bytes, size_t length)
{
    FailingAllocator allocator = {0};
    CondContext context = failing_allocator_context(&allocator);
    CondScene* scene;
    CondError error = {0};
    write_file(FILE_NAME, bytes, length);
    CondStatus status = cond_scene_read(&context, FILE_NAME, 0, NULL, &scene, &error);
    assert_true(status == COND_OK || (status == COND_BAD_INPUT && *error.message));
    cond_scene_destroy(scene);
    assert_int_equal(allocator.live, 0);
}

static void test_broken_files(void** state)
{
    (void)state;
    static const char others[] = "\0[9";
    char bytes[sizeof full];
    memcpy(bytes, full, sizeof full);
    for (size_t at = 0; at < strlen(full); at += stride()) {
        read_broken(full, at);
        for (size_t i = 0; i < sizeof others - 1; ++i) {
            bytes[at] = others[i];
            read_broken(bytes, strlen(full));
        }
        bytes[at] = full[at];
    }
}

static void test_allocation_failures(void** state)
{
    (void)state;
    write_file(FILE_NAME, full, strlen(full));
    FailingAllocator allocator = {0};
    for (long i = 1;; ++i) {
        allocator = (FailingAllocator){.fail_at = i};
        CondContext context = failing_allocator_context(&allocator);
        CondScene* scene;
        CondError error = {0};
        CondStatus status = cond_scene_read(&context, FILE_NAME, 0, NULL, &scene, &error);
        cond_scene_destroy(scene);
        assert_int_equal(allocator.live, 0);
        if (!status)
            break;
        assert_int_equal(status, COND_OUT_OF_MEMORY);
        assert_int_equal(error.status, COND_OUT_OF_MEMORY);
        assert_null(scene);
    }
    assert_true(allocator.calls > 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_key),           cmocka_unit_test(test_overrides),
        cmocka_unit_test(test_material_refusals),   cmocka_unit_test(test_body_refusals),
        cmocka_unit_test(test_attachment_refusals), cmocka_unit_test(test_library),
        cmocka_unit_test(test_shipped_library),     cmocka_unit_test(test_paths),
        cmocka_unit_test(test_broken_files),        cmocka_unit_test(test_allocation_failures),
    };
    return cmocka_run_group_tests(tests, write_library, NULL);
}
