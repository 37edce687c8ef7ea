// Scene files: the ones that ship, every refusal with its line and key, overrides, broken files.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "scene/scene.h"
#include "scene_file/yaml_tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Tests run in a folder of their own.
#define FILE_NAME "s.yaml"

static void write_bytes(const char* bytes, size_t length)
{
    FILE* file = fopen(FILE_NAME, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static CondScene* read_with(const char* text, int n_override, const char* const* override)
{
    CondScene* scene;
    CondError error = {0};
    write_bytes(text, strlen(text));
    if (cond_scene_read(NULL, FILE_NAME, n_override, override, &scene, &error))
        fail_msg("%s", error.message);
    return scene;
}

// The message that a text and at most one override get.
static void refuses(const char* text, const char* override, const char* message)
{
    CondScene* scene;
    CondError error = {0};
    write_bytes(text, strlen(text));
    CondStatus status =
        cond_scene_read(NULL, FILE_NAME, override != NULL, &override, &scene, &error);
    if (!status)
        fail_msg("accepted, instead of: %s", message);
    assert_int_equal(status, COND_BAD_INPUT);
    assert_int_equal(error.status, COND_BAD_INPUT);
    assert_null(scene);
    assert_string_equal(error.message, message);
}

static char* read_bytes(const char* path, size_t* length)
{
    FILE* file = fopen(path, "rb");
    assert_non_null(file);
    char* bytes = malloc(1 << 16);
    assert_non_null(bytes);
    *length = fread(bytes, 1, (1 << 16) - 1, file);
    bytes[*length] = 0;
    fclose(file);
    return bytes;
}

static const char* const scenes[] = {"box", "anisotropic", "drop", "incline", "springs"};
enum { n_scene = sizeof scenes / sizeof *scenes };

static void scene_path(char* path, size_t size, int i)
{
    snprintf(path, size, "%s/%s.yaml", COND_SCENES, scenes[i]);
}

static void test_shipped_scenes(void** state)
{
    (void)state;
    for (int i = 0; i < n_scene; ++i) {
        char path[1024];
        scene_path(path, sizeof path, i);
        CondScene* scene;
        CondError error;
        if (cond_scene_read(NULL, path, 0, NULL, &scene, &error))
            fail_msg("%s", error.message);
        assert_string_equal(scene->settings.name, scenes[i]);
        assert_true(scene->n_body > 0 && scene->n_plane == 1);
        cond_scene_destroy(scene);
    }
}

static void test_paper_box(void** state)
{
    (void)state;
    char path[1024];
    scene_path(path, sizeof path, 0);
    CondScene* scene;
    assert_int_equal(cond_scene_read(NULL, path, 0, NULL, &scene, NULL), COND_OK);
    const CondSceneSettings* s = cond_scene_settings(scene);
    assert_true(s->theta == 0.5 && s->kv == 1e5 && s->time_step == 0.01 && s->duration == 1.0);
    assert_true(!s->gap && s->impact == COND_IMPACT_OFF && !s->position_correction);
    const CondBodyDef* box = &scene->body[0];
    assert_true(box->kind == COND_BODY_RIGID && box->mass == 0.5 && box->n_point == 4);
    assert_true(fabs(box->inertia[1] - 0.5 * 0.2 * 0.2 / 6.0) < 1e-17);
    for (int i = 0; i < 12; ++i)
        assert_true(fabs(box->point[i]) == 0.1);
    assert_true(scene->force[0].force[1] == 2.0 && isinf(scene->force[0].end));
    assert_string_equal(scene->force[0].body, "box");
    assert_true(scene->plane[0].surface.friction[0] == 0.2);
    assert_true(scene->plane[0].surface.friction[1] == 0.2);
    cond_scene_destroy(scene);
}

static const char full[] = //
    "forces:\n"
    "  - {body: b, force: [1, 2, 3], torque: [4, 5, 6], point: [7, 8, 9], start: 1, end: 2}\n"
    "springs:\n"
    "  - {from: {point: [1, 2, 3]}, to: {body: b, point: [4, 5, 6]}, stiffness: 7, damping: 8,\n"
    "     rest_length: 9}\n"
    "name: 'all of it'\n"
    "gravity: [1, -2.5e-1, +3]\n"
    "step: {method: penalty, time_step: 1e-3, theta: 0.75, duration: 0, gap: false,\n"
    "       integrator: variational, mass_root: true, newton_tolerance: 1e-9,\n"
    "       newton_iterations: 7}\n"
    "contact: {law: proximal, omega: 1e-3, kv: inf, margin: 0.5, penetration_limit: 0.01}\n"
    "solver: {tolerance: 1e-6, max_iterations: 1e3, surrogate: bb-alternating, preset: paper}\n"
    "penalty: {stiffness: 1, damping: 2, friction: 3}\n"
    "planes:\n"
    "  - {normal: [0, 3, 0], offset: -1, friction: [0.1, 0.2], direction: [1, 1, 0],\n"
    "     restitution: 1}\n"
    "bodies:\n"
    "  - name: b\n"
    "    mass: 2\n"
    "    shape: {box: [1, 2, 3]}\n"
    "    inertia: [2, 2, 2, 0.1, 0.2, 0.3]\n"
    "    position: [1, 2, 3]\n"
    "    rotation: {axis: [0, 0, 5], degrees: 90}\n"
    "    velocity: [4, 5, 6]\n"
    "    angular_velocity: [7, 8, 9]\n"
    "    friction: 0.5\n"
    "    restitution: 0.25\n"
    "  - {mass: 1, kind: particle, shape: none}\n";

static void test_every_key(void** state)
{
    (void)state;
    CondScene* scene = read_with(full, 0, NULL);
    const CondSceneSettings* s = &scene->settings;
    assert_string_equal(s->name, "all of it");
    assert_true(s->gravity[0] == 1.0 && s->gravity[1] == -0.25 && s->gravity[2] == 3.0);
    assert_int_equal(s->method, COND_STEP_PENALTY);
    assert_true(s->time_step == 1e-3 && s->theta == 0.75 && s->duration == 0.0 && !s->gap);
    assert_int_equal(s->integrator, COND_INTEGRATOR_VARIATIONAL);
    assert_true(s->mass_root && s->newton_tolerance == 1e-9 && s->newton_iterations == 7);
    assert_int_equal(s->solver.law, COND_LAW_PROXIMAL);
    assert_true(s->solver.omega == 1e-3 && isinf(s->kv) && s->margin == 0.5);
    assert_true(s->penetration_limit == 0.01);
    // The preset stands last and yet does not undo the other keys.
    assert_int_equal(s->solver.accelerator, cond_solver_settings_paper().accelerator);
    assert_int_equal(s->solver.stop, COND_STOP_STEP);
    assert_int_equal(s->solver.surrogate, COND_SURROGATE_BB_ALTERNATING);
    assert_true(s->solver.tolerance == 1e-6 && s->solver.max_iterations == 1000);
    assert_true(s->penalty_stiffness == 1 && s->penalty_damping == 2 && s->penalty_friction == 3);
    const CondPlaneDef* plane = &scene->plane[0];
    assert_true(plane->normal[1] == 3.0 && plane->offset == -1.0 && plane->direction[1] == 1.0);
    assert_true(plane->surface.friction[0] == 0.1 && plane->surface.friction[1] == 0.2);
    assert_true(plane->surface.restitution == 1.0);
    assert_string_equal(plane->name, "plane0");
    const CondBodyDef* body = &scene->body[0];
    assert_true(body->kind == COND_BODY_RIGID && body->inertia[5] == 0.3 && body->size[2] == 3.0);
    assert_true(fabs(body->orientation[0] - sqrt(0.5)) < 1e-15);
    assert_true(fabs(body->orientation[3] - sqrt(0.5)) < 1e-15 && body->orientation[1] == 0.0);
    assert_true(body->position[2] == 3 && body->velocity[0] == 4 && body->angular_velocity[1] == 8);
    assert_true(body->surface.friction[1] == 0.5 && body->surface.restitution == 0.25);
    assert_string_equal(scene->body[1].name, "body1");
    assert_true(isnan(scene->body[1].surface.friction[0]));
    const CondForceDef* force = &scene->force[0];
    assert_true(force->force[0] == 1 && force->torque[1] == 5 && force->point[2] == 9);
    assert_true(force->start == 1 && force->end == 2);
    const CondSpringDef* spring = &scene->spring[0];
    assert_string_equal(spring->body[0], "");
    assert_string_equal(spring->body[1], "b");
    assert_true(spring->point[0][2] == 3 && spring->point[1][0] == 4 && spring->stiffness == 7);
    assert_true(spring->damping == 8 && spring->rest_length == 9);
    cond_scene_destroy(scene);
}

#define B "bodies:\n  - name: b\n"
#define RIGID B "    mass: 1\n    shape: {box: [1, 1, 1]}\n"
#define DOT "bodies:\n  - {name: d, kind: particle, mass: 1}\n"

static void test_settings_refusals(void** state)
{
    (void)state;
    static const char* const cases[][2] = {
        {"nmae: x\n", "s.yaml:1: nmae: unknown key (did you mean name?)"},
        {"name: a\nsteps: {}\n", "s.yaml:2: steps: unknown key (did you mean step?)"},
        {"name: a\ntime_step: 1\n",
         "s.yaml:2: time_step: unknown key here; time_step belongs in step"},
        {"solver:\n  law: strict\n",
         "s.yaml:2: solver.law: unknown key here; law belongs in contact"},
        {"contact: {zzzzzz: 1}\n",
         "s.yaml:1: contact.zzzzzz: unknown key (known: law, omega, kv, friction_scale, margin, "
         "penetration_limit)"},
        {"name: a\n\nname: b\n", "s.yaml:3: name: given twice (first on line 1)"},
        {"step:\n  theta: 1\n  theta: 1\n", "s.yaml:3: step.theta: given twice (first on line 2)"},
        {"name:\n", "s.yaml:1: name: has no value (expected a text of at most 63 bytes)"},
        {"step: ~\n", "s.yaml:1: step: has no value (expected a mapping)"},
        {"step: 3\n", "s.yaml:1: step: expected a mapping of keys and values"},
        {"- a\n- b\n", "s.yaml:1: expected a mapping of keys and values"},
        {"hello\n", "s.yaml:1: expected a mapping of keys and values"},
        {"gravity: [0, 0]\n", "s.yaml:1: gravity: expected a vector of 3, not a list of 2"},
        {"gravity: 9.81\n", "s.yaml:1: gravity: expected a vector of 3, not 9.81"},
        {"gravity:\n  - 0\n  - 0\n  - down\n", "s.yaml:4: gravity[2]: expected a number, not down"},
        {"gravity: [0, 0, .inf]\n",
         "s.yaml:1: gravity[2]: .inf is not allowed (expected a vector of 3)"},
        {"gravity: [0, .nan, 0]\n", "s.yaml:1: gravity[1]: expected a number, not .nan"},
        {"step:\n  time_step: 0\n", "s.yaml:2: step.time_step: expected a number > 0, not 0"},
        {"step:\n  time_step: -1\n", "s.yaml:2: step.time_step: expected a number > 0, not -1"},
        {"contact: {penetration_limit: 0}\n",
         "s.yaml:1: contact.penetration_limit: expected a number > 0 or auto, not 0"},
        {"step: {time_step: nan}\n", "s.yaml:1: step.time_step: expected a number > 0, not nan"},
        {"step: {time_step: \"1\"}\n",
         "s.yaml:1: step.time_step: expected a number > 0, not the text \"1\""},
        {"step: {time_step: [1]}\n",
         "s.yaml:1: step.time_step: expected a number > 0, not a list of 1"},
        {"step: {theta: 0.4}\n", "s.yaml:1: step.theta: expected a number in 0.5 .. 1, not 0.4"},
        {"step: {theta: 1.1}\n", "s.yaml:1: step.theta: expected a number in 0.5 .. 1, not 1.1"},
        {"step: {integrator: midpont}\n", "s.yaml:1: step.integrator: expected one of auto, theta, "
                                          "euler, midpoint, variational, not "
                                          "midpont (did you mean midpoint?)"},
        {"step: {newton_iterations: 0}\n",
         "s.yaml:1: step.newton_iterations: expected a whole number >= 1, not 0"},
        {"step: {newton_tolerance: 0}\n",
         "s.yaml:1: step.newton_tolerance: expected a number > 0, not 0"},
        {"step: {gap: yes}\n", "s.yaml:1: step.gap: expected true or false, not yes"},
        {"step: {method: velocty}\n", "s.yaml:1: step.method: expected one of velocity, penalty, "
                                      "pbd, not velocty (did you mean velocity?)"},
        {"contact: {law: 7}\n", "s.yaml:1: contact.law: expected one of strict, proximal, not 7"},
        {"contact: {kv: 0}\n", "s.yaml:1: contact.kv: expected a number > 0 or .inf, not 0"},
        {"contact: {margin: -1}\n",
         "s.yaml:1: contact.margin: expected a number >= 0 or auto, not -1"},
        {"solver: {max_iterations: 2.5}\n",
         "s.yaml:1: solver.max_iterations: expected a whole number >= 1, not 2.5"},
        {"solver: {max_iterations: 1e10}\n",
         "s.yaml:1: solver.max_iterations: expected a whole number >= 1, not 1e10"},
        {"solver: {preset: best}\n",
         "s.yaml:1: solver.preset: expected one of default, paper, not best"},
        {"penalty: {stiffness: -1}\n",
         "s.yaml:1: penalty.stiffness: expected a number >= 0, not -1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        refuses(cases[i][0], NULL, cases[i][1]);
    // The solver's own rules between fields find their line too.
    CondScene* scene;
    CondError error;
    const char text[] = "solver:\n  surrogate: bb1\n  accelerator: anderson\n";
    write_bytes(text, strlen(text));
    assert_int_equal(cond_scene_read(NULL, FILE_NAME, 0, NULL, &scene, &error), COND_BAD_INPUT);
    assert_memory_equal(error.message, "s.yaml:3: solver.accelerator: ", 30);
    const char old[] = "solver:\n  accelerator: primal-dual\n"; // its name in 0.1
    write_bytes(old, strlen(old));
    assert_int_equal(cond_scene_read(NULL, FILE_NAME, 0, NULL, &scene, &error), COND_OK);
    assert_int_equal(cond_scene_settings(scene)->solver.accelerator, COND_ACCELERATOR_NEWTON);
    cond_scene_destroy(scene);
}

static void test_entry_refusals(void** state)
{
    (void)state;
    static const char* const cases[][2] = {
        {"bodies: {}\n", "s.yaml:1: bodies: expected a list of mappings, not a mapping"},
        {"bodies: [1]\n", "s.yaml:1: bodies[0]: expected a mapping of keys and values"},
        {B, "s.yaml:2: bodies.b.mass: is required (a number > 0)"},
        {B "    mass: -1\n", "s.yaml:3: bodies.b.mass: expected a number > 0, not -1"},
        {B "    mass: 1\n", "s.yaml:2: bodies.b.inertia: is required: 3 or 6 numbers (only shapes "
                            "with a volume can do without)"},
        {RIGID "springs:\n  - colour: red\n",
         "s.yaml:6: springs[0].colour: unknown key (known: name, from, to, stiffness, damping, "
         "rest_length)"},
        {RIGID "springs:\n  - {stiffness: 1, rest_length: -1, from: {body: b}, to: {}}\n",
         "s.yaml:6: springs[0].rest_length: expected a number >= 0 or auto, not -1"},
        {RIGID "springs:\n  - {stiffness: 1, from: {body: b, joint: j}, to: {}}\n",
         "s.yaml:6: springs[0].from.body: 'b' is a rigid body and has no joints"},
        {RIGID "springs:\n  - {stiffness: 1, from: {body: b, ratio: 2}, to: {}}\n",
         "s.yaml:6: springs[0].from.ratio: is of joints; the end is a point"},
        {RIGID "    frictoin: 1\n", "s.yaml:5: bodies.b.frictoin: unknown key (did you mean "
                                    "friction?)"},
        {RIGID "    friction: -0.1\n",
         "s.yaml:5: bodies.b.friction: expected a number >= 0 or list of 2, not -0.1"},
        {RIGID "    restitution: 1.5\n",
         "s.yaml:5: bodies.b.restitution: expected a number in 0 .. 1, not 1.5"},
        {RIGID "    inertia: [1, 1, 3]\n",
         "s.yaml:5: bodies.b.inertia: no body has it: each principal moment must be at most the "
         "sum of the other two"},
        {RIGID "    inertia: [1, 1, -1]\n",
         "s.yaml:5: bodies.b.inertia: must be positive definite"},
        {RIGID "    inertia: [1, 1, 1, 1]\n",
         "s.yaml:5: bodies.b.inertia: expected a list of 3 or 6, not a list of 4"},
        {RIGID "    orientation: [0, 0, 0, 0]\n",
         "s.yaml:5: bodies.b.orientation: must not be zero"},
        {RIGID "    orientation: [1, 0, 0, 0]\n    rotation: {axis: [0, 0, 1], degrees: 3}\n",
         "s.yaml:6: bodies.b.rotation: orientation is given already; only one of them may be"},
        {RIGID "    rotation:\n      axis: [0, 0, 0]\n      degrees: 3\n",
         "s.yaml:6: bodies.b.rotation.axis: must not be zero"},
        {RIGID "    rotation:\n      axis: [0, 0, 1]\n",
         "s.yaml:5: bodies.b.rotation.degrees: is required (a number)"},
        {RIGID "  - {name: b, kind: particle, mass: 1}\n",
         "s.yaml:5: bodies.b.name: another body is called 'b' already"},
        {B "    mass: 1\n    shape: {}\n", "s.yaml:4: bodies.b.shape: expected one of box, points, "
                                           "sphere, capsule, cylinder, convex, mesh"},
        {B "    mass: 1\n    shape: {box: [1, 1, 1], points: [[0, 0, 0]]}\n",
         "s.yaml:4: bodies.b.shape: expected one of box, points, sphere, capsule, cylinder, "
         "convex, mesh"},
        {B "    mass: 1\n    shape:\n      box: [1, 0, 1]\n",
         "s.yaml:5: bodies.b.shape.box[1]: 0 is not allowed (expected a vector of 3, each > 0)"},
        {B "    mass: 1\n    shape:\n      points: []\n",
         "s.yaml:5: bodies.b.shape.points: expected a list of vectors of 3, not a list of 0"},
        {B "    mass: 1\n    shape:\n      points:\n        - [0, 0, 0]\n        - [0, 0]\n",
         "s.yaml:7: bodies.b.shape.points[1]: expected a vector of 3, not a list of 2"},
        {"bodies:\n  - kind: particle\n    mass: 1\n    shape: {box: [1, 1, 1]}\n",
         "s.yaml:4: bodies[0].shape: a particle has none (only kind: rigid)"},
        {"bodies:\n  - kind: particle\n    mass: 1\n    rotation: {axis: [1, 0, 0], degrees: 5}\n",
         "s.yaml:4: bodies[0].rotation: a particle has none (only kind: rigid, soft, robot, rod, "
         "shell)"},
        {"planes:\n  - normal: [0, 0, 0]\n", "s.yaml:2: planes[0].normal: must not be zero"},
        {"planes:\n  - normal: [0, 1, 0]\n    direction: [0, -2, 0]\n",
         "s.yaml:3: planes[0].direction: must not be parallel to the normal"},
        {"planes:\n  - name: f\n  - name: f\n",
         "s.yaml:3: planes.f.name: another plane is called 'f' already"},
        {"planes:\n  - friction: [0.1, -0.2]\n", "s.yaml:2: planes[0].friction[1]: -0.2 is not "
                                                 "allowed (expected a number >= 0 or list of 2)"},
        {"forces:\n  - force: [1, 2, 3]\n",
         "s.yaml:2: forces[0].body: is required (a text of at most 63 bytes)"},
        {"forces:\n  - body: b\n", "s.yaml:2: forces[0].body: there is no body called 'b'"},
        {DOT "forces:\n  - body: d\n    torque: [1, 0, 0]\n",
         "s.yaml:5: forces[0].torque: must be zero: 'd' is a particle"},
        {DOT "forces:\n  - body: d\n    end: -1\n",
         "s.yaml:5: forces[0].end: must come after the start (0 s), not at -1 s"},
        {DOT "springs:\n  - {from: {body: d}, stiffness: 1}\n",
         "s.yaml:4: springs[0].to: is required (a mapping)"},
        {DOT "springs:\n  - stiffness: 1\n    from: {body: d}\n    to: {body: e}\n",
         "s.yaml:6: springs[0].to.body: there is no body called 'e' (did you mean 'd'?)"},
        {DOT "springs:\n  - stiffness: 1\n    from: {body: d}\n    to: {body: d}\n",
         "s.yaml:6: springs[0].to.body: must be another body than that of from"},
        {DOT "springs:\n  - {stiffness: 1, from: {}, to: {}}\n",
         "s.yaml:4: springs[0].to.body: at least one end must be on a body"},
        {DOT "springs:\n  - {stiffness: -1, from: {}, to: {body: d}}\n",
         "s.yaml:4: springs[0].stiffness: expected a number >= 0, not -1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        refuses(cases[i][0], NULL, cases[i][1]);
}

static void test_yaml_refusals(void** state)
{
    (void)state;
    static const char* const cases[][2] = {
        {"", "s.yaml:1: the file is empty"},
        {"# nothing\n\n", "s.yaml:1: the file is empty"},
        {"---\n", "s.yaml:1: the file is empty"},
        {"step:\n\ttheta: 1\n", "s.yaml:2: a tab is used to indent; YAML allows spaces only"},
        {"name: a\nstep: {theta: 1\n",
         "s.yaml:3: not valid YAML: did not find expected ',' or '}' while parsing a flow mapping"},
        {"name: a\n\x01\n", "s.yaml:2: this is not text: control characters are not allowed"},
        {"name: \xff\xfe\n", "s.yaml:1: this is not text: invalid leading UTF-8 octet"},
        {"name: &a x\n",
         "s.yaml:1: anchors (&) and aliases (*) are not supported: write the value out"},
        {"name: *a\n",
         "s.yaml:1: anchors (&) and aliases (*) are not supported: write the value out"},
        {"step:\n  <<: {theta: 1}\n",
         "s.yaml:2: merge keys (<<) are not supported: write the keys out"},
        {"name: !!str x\n", "s.yaml:1: tags (!) are not supported"},
        {"name: a\n---\nname: b\n", "s.yaml:2: a second document begins here; one is read"},
        {"[a, b]: 1\n", "s.yaml:1: a key must be a plain word, not a list or a mapping"},
        {"name: \"a\\0b\"\n", "s.yaml:1: a text holds a zero byte"},
        {"name: \"a\\ab\"\n", "s.yaml:1: name: expected a text of at most 63 bytes, without "
                              "control characters"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        refuses(cases[i][0], NULL, cases[i][1]);
    char deep[5001];
    memset(deep, '[', 5000);
    deep[5000] = 0;
    refuses(deep, NULL, "s.yaml:1: lists and mappings are nested too deeply");
}

static void test_files_that_cannot_be_read(void** state)
{
    (void)state;
    CondScene* scene;
    CondError error;
    assert_int_equal(cond_scene_read(NULL, "no/such.yaml", 0, NULL, &scene, &error), COND_NO_FILE);
    assert_string_equal(error.message, "no/such.yaml: the file cannot be opened");
    assert_int_equal(cond_scene_read(NULL, NULL, 0, NULL, &scene, &error), COND_BAD_ARGUMENT);
    assert_int_equal(cond_scene_read(NULL, ".", 0, NULL, &scene, &error), COND_NO_FILE);
    assert_null(scene);
    size_t length = COND_YAML_LARGEST + 1;
    char* bytes = malloc(length);
    assert_non_null(bytes);
    memset(bytes, '#', length);
    write_bytes(bytes, length);
    free(bytes);
    assert_int_equal(cond_scene_read(NULL, FILE_NAME, 0, NULL, &scene, &error), COND_BAD_INPUT);
    assert_string_equal(error.message, "s.yaml: the file is larger than 16 MiB");
    write_bytes("", 0);
}

static void test_overrides(void** state)
{
    (void)state;
    const char* const sets[] = {
        "step.time_step=0.002", "bodies.b.mass=5",         "bodies[1].mass=6",
        "gravity[2]=-1.62",     "planes[0].friction=0.7",  "solver={preset: paper}",
        "contact.kv=1e3",       "bodies.b.shape.box[0]=9", "name=other",
        "step.time_step=0.003", // the last one wins
    };
    CondScene* scene = read_with(full, sizeof sets / sizeof *sets, sets);
    assert_true(scene->settings.time_step == 0.003 && scene->settings.theta == 0.75);
    assert_true(scene->body[0].mass == 5.0 && scene->body[1].mass == 6.0);
    assert_true(scene->body[0].size[0] == 9.0 && scene->body[0].size[1] == 2.0);
    assert_true(scene->settings.gravity[2] == -1.62 && scene->settings.gravity[0] == 1.0);
    assert_true(scene->plane[0].surface.friction[1] == 0.7);
    assert_true(scene->settings.kv == 1e3 && scene->settings.solver.tolerance == 1e-4);
    assert_string_equal(scene->settings.name, "other");
    cond_scene_destroy(scene);
    // Sections that the file lacks are made.
    const char* const more[] = {"step.theta=0.5", "bodies=[{kind: particle, mass: 1}]"};
    scene = read_with("name: a\n", 2, more);
    assert_true(scene->settings.theta == 0.5 && scene->n_body == 1);
    cond_scene_destroy(scene);
}

static void test_override_refusals(void** state)
{
    (void)state;
    static const char* const cases[][2] = {
        {"step.time_step=abc", "expected a number > 0, not abc"},
        {"step.time_step=", "has no value"},
        {"step.time_step=~", "has no value (expected a number > 0)"},
        {"step.time_step", "expected path=value, such as step.time_step=0.001"},
        {"=1", "expected path=value, such as step.time_step=0.001 or bodies.box.mass=2"},
        {"step.=1", "expected path=value, such as step.time_step=0.001 or bodies.box.mass=2"},
        {"step..theta=1", "expected path=value, such as step.time_step=0.001 or bodies.box.mass=2"},
        {"bodies[x].mass=1", "expected a number from 0 in the brackets"},
        {"bodies[0=1", "expected a number from 0 in the brackets"},
        {"bodies[0]mass=1",
         "expected path=value, such as step.time_step=0.001 or bodies.box.mass=2"},
        {"bodies[2].mass=1", "bodies has 2 entries, counted from 0"},
        {"bodies.c.mass=1", "bodies has no entry with name: c"},
        {"name.x=1", "name is a single value, with nothing inside"},
        {"step[0]=1", "step is not a list"},
        {"bodies.b.mass=-1", "expected a number > 0, not -1"},
        {"step.thetta=1", "unknown key (did you mean theta?)"},
        {"step={theta: 2}", "step.theta: expected a number in 0.5 .. 1, not 2"},
        {"gravity=[0, a, 0]", "gravity[1]: expected a number, not a"},
        {"planes[0].direction=[0, 1, 0]", "must not be parallel to the normal"},
        {"springs[0].to.body=zzzz", "there is no body called 'zzzz'"},
        {"step={theta: 2", "not valid YAML: did not find expected ',' or '}' while parsing a flow "
                           "mapping"},
        {"bodies.b.rotation={axis: [1, 0, 0]}",
         "bodies.b.rotation.degrees: is required (a number)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char message[512];
        snprintf(message, sizeof message, "--set %s: %s", cases[i][0], cases[i][1]);
        refuses(full, cases[i][0], message);
    }
}

// Valgrind is slow: it looks at some of the cases only.
static size_t stride(void)
{
    return getenv("COND_VALGRIND") ? 37 : 1;
}

static void test_files_cut_anywhere(void** state)
{
    (void)state;
    for (int i = 0; i <= n_scene; ++i) {
        char path[1024];
        size_t length = strlen(full);
        char* bytes = NULL;
        if (i < n_scene) {
            scene_path(path, sizeof path, i);
            bytes = read_bytes(path, &length);
        }
        for (size_t cut = 0; cut < length; cut += stride()) {
            FailingAllocator allocator = {0};
            CondContext context = failing_allocator_context(&allocator);
            CondScene* scene;
            CondError error = {0};
            write_bytes(bytes ? bytes : full, cut);
            CondStatus status = cond_scene_read(&context, FILE_NAME, 0, NULL, &scene, &error);
            assert_true(status == COND_OK || status == COND_BAD_INPUT);
            assert_true(status == COND_OK ? scene != NULL : scene == NULL && *error.message);
            cond_scene_destroy(scene);
            assert_int_equal(allocator.live, 0);
        }
        free(bytes);
    }
}

// Every byte of a file in turn is another one.
static void test_files_with_a_wrong_byte(void** state)
{
    (void)state;
    static const char others[] = "\0\xff\t:-[]{}'\"9#\n";
    char bytes[sizeof full];
    for (size_t at = 0; at < strlen(full); at += stride()) {
        for (size_t i = 0; i < sizeof others - 1; ++i) {
            FailingAllocator allocator = {0};
            CondContext context = failing_allocator_context(&allocator);
            CondScene* scene;
            CondError error = {0};
            memcpy(bytes, full, sizeof full);
            bytes[at] = others[i];
            write_bytes(bytes, strlen(full));
            CondStatus status = cond_scene_read(&context, FILE_NAME, 0, NULL, &scene, &error);
            assert_true(status == COND_OK || (status == COND_BAD_INPUT && *error.message));
            cond_scene_destroy(scene);
            assert_int_equal(allocator.live, 0);
        }
    }
}

static void test_allocation_failures(void** state)
{
    (void)state;
    const char* const sets[] = {"step.theta=0.5", "contact.omega=0.1",
                                "bodies.b.shape={points: [[1, 2, 3]]}"};
    write_bytes(full, strlen(full));
    FailingAllocator allocator = {0};
    for (long i = 1;; ++i) {
        allocator = (FailingAllocator){.fail_at = i};
        CondContext context = failing_allocator_context(&allocator);
        CondScene* scene;
        CondError error = {0};
        CondStatus status = cond_scene_read(&context, FILE_NAME, 3, sets, &scene, &error);
        cond_scene_destroy(scene);
        assert_int_equal(allocator.live, 0);
        if (!status)
            break;
        assert_int_equal(status, COND_OUT_OF_MEMORY);
        assert_int_equal(error.status, COND_OUT_OF_MEMORY);
        assert_null(scene);
    }
    assert_true(allocator.calls > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shipped_scenes),
        cmocka_unit_test(test_paper_box),
        cmocka_unit_test(test_every_key),
        cmocka_unit_test(test_settings_refusals),
        cmocka_unit_test(test_entry_refusals),
        cmocka_unit_test(test_yaml_refusals),
        cmocka_unit_test(test_files_that_cannot_be_read),
        cmocka_unit_test(test_overrides),
        cmocka_unit_test(test_override_refusals),
        cmocka_unit_test(test_files_cut_anywhere),
        cmocka_unit_test(test_files_with_a_wrong_byte),
        cmocka_unit_test(test_allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
