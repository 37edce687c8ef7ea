// Scenes built by calls: defaults, checks, names, and the table of keys against the definitions.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "scene/scene_keys.h"
#include "scene_file/scene_part.h"

#include "base/memory.h"
#include "base/number.h"

#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static CondScene* new_scene(void)
{
    CondScene* scene;
    assert_int_equal(cond_scene_create(NULL, &scene, NULL), COND_OK);
    return scene;
}

static CondBodyDef box_def(const char* name)
{
    CondBodyDef def = cond_body_def_default();
    snprintf(def.name, sizeof def.name, "%s", name);
    def.mass = 2.0;
    def.shape = COND_SHAPE_BOX;
    def.size[0] = 1.0;
    def.size[1] = 2.0;
    def.size[2] = 3.0;
    return def;
}

static CondBodyDef particle_def(const char* name)
{
    CondBodyDef def = cond_body_def_default();
    snprintf(def.name, sizeof def.name, "%s", name);
    def.kind = COND_BODY_PARTICLE;
    def.mass = 1.0;
    return def;
}

static void test_defaults(void** state)
{
    (void)state;
    CondSceneSettings s = cond_scene_settings_default();
    assert_true(s.gravity[0] == 0.0 && s.gravity[1] == 0.0 && s.gravity[2] == -9.81);
    assert_int_equal(s.method, COND_STEP_VELOCITY);
    assert_true(s.time_step == 0.01 && isnan(s.theta) && s.duration == 1.0);
    assert_int_equal(s.integrator, COND_INTEGRATOR_AUTO);
    assert_true(isinf(s.kv) && s.kv > 0.0 && isnan(s.margin));
    assert_true(isnan(s.penetration_limit));
    assert_true(s.gap == 1 && s.impact == 1 && s.position_correction == 1);
    assert_int_equal(cond_scene_settings_check(&s, NULL), COND_OK);
}

static void test_settings_are_checked(void** state)
{
    (void)state;
    CondError error;
    CondSceneSettings s = cond_scene_settings_default();
    s.theta = 0.4;
    assert_int_equal(cond_scene_settings_check(&s, &error), COND_BAD_ARGUMENT);
    assert_string_equal(error.message,
                        "settings: step.theta: expected a number in 0.5 .. 1, not 0.4");
    s = cond_scene_settings_default();
    s.solver.anderson_depth = 0;
    assert_int_equal(cond_scene_settings_check(&s, &error), COND_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "solver.anderson_depth"));
    s = (CondSceneSettings){.time_step = 0.01};
    assert_int_equal(cond_scene_settings_check(&s, &error), COND_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "cond_scene_settings_default()"));
}

static void test_half_filled_definitions_are_refused(void** state)
{
    (void)state;
    CondScene* scene = new_scene();
    CondError error;
    CondBodyDef body = {.name = "b", .mass = 1.0};
    CondPlaneDef plane = {.normal = {0.0, 0.0, 1.0}};
    CondForceDef force = {.body = "b"};
    CondSpringDef spring = {.body = {"b", ""}};
    assert_int_equal(cond_scene_add_body(scene, &body, &error), COND_BAD_ARGUMENT);
    assert_string_equal(error.message,
                        "body 'b': the definition was not made by cond_body_def_default()");
    assert_int_equal(cond_scene_add_plane(scene, &plane, &error), COND_BAD_ARGUMENT);
    assert_int_equal(cond_scene_add_force(scene, &force, &error), COND_BAD_ARGUMENT);
    assert_int_equal(cond_scene_add_spring(scene, &spring, &error), COND_BAD_ARGUMENT);
    assert_int_equal(cond_scene_add_spring(scene, &spring, NULL), COND_BAD_ARGUMENT);
    assert_int_equal(scene->n_body + scene->n_plane + scene->n_force + scene->n_spring, 0);
    cond_scene_destroy(scene);
}

static void test_box_gets_its_inertia(void** state)
{
    (void)state;
    CondScene* scene = new_scene();
    CondBodyDef def = box_def("box");
    assert_int_equal(cond_scene_add_body(scene, &def, NULL), COND_OK);
    double mass, inertia[6];
    cond_scene_inertial(&scene->body[0], &mass, inertia);
    assert_true(mass == 2.0);
    assert_true(fabs(inertia[0] - 2.0 * 13.0 / 12.0) < 1e-15);
    assert_true(fabs(inertia[1] - 2.0 * 10.0 / 12.0) < 1e-15);
    assert_true(fabs(inertia[2] - 2.0 * 5.0 / 12.0) < 1e-15);
    cond_scene_destroy(scene);
}

static CondStatus try_inertia(const double inertia[6], char* message)
{
    CondScene* scene = new_scene();
    CondError error = {0};
    CondBodyDef def = box_def("box");
    def.inertia_from_shape = 0;
    memcpy(def.inertia, inertia, sizeof def.inertia);
    CondStatus status = cond_scene_add_body(scene, &def, &error);
    strcpy(message, error.message);
    cond_scene_destroy(scene);
    return status;
}

static void test_inertia_is_that_of_a_body(void** state)
{
    (void)state;
    char message[512];
    assert_int_equal(try_inertia((double[6]){1, 1, 1, 0, 0, 0}, message), COND_OK);
    assert_int_equal(try_inertia((double[6]){1, 1, 2, 0, 0, 0}, message), COND_OK); // flat
    assert_int_equal(try_inertia((double[6]){1e-30, 1e-30, 2e-30, 0, 0, 0}, message), COND_OK);
    assert_int_equal(try_inertia((double[6]){1.5, 1.5, 2, 0.5, 0, 0}, message), COND_OK); // 1 2 2
    assert_int_equal(try_inertia((double[6]){1, 1, 2.01, 0, 0, 0}, message), COND_BAD_ARGUMENT);
    assert_non_null(strstr(message, "inertia: no body has it"));
    // principal moments 0.2, 1.8 and 1
    assert_int_equal(try_inertia((double[6]){1, 1, 1, 0.8, 0, 0}, message), COND_BAD_ARGUMENT);
    assert_non_null(strstr(message, "inertia: no body has it"));
    assert_int_equal(try_inertia((double[6]){1, 1, 0, 0, 0, 0}, message), COND_BAD_ARGUMENT);
    assert_non_null(strstr(message, "inertia: must be positive definite"));
    assert_int_equal(try_inertia((double[6]){1, 1, 1, 2, 0, 0}, message), COND_BAD_ARGUMENT);
    assert_int_equal(try_inertia((double[6]){1, NAN, 1, 0, 0, 0}, message), COND_BAD_ARGUMENT);
}

static void test_body_rules(void** state)
{
    (void)state;
    CondScene* scene = new_scene();
    CondError error;
    CondBodyDef def = box_def("box");
    def.mass = -1.0;
    assert_int_equal(cond_scene_add_body(scene, &def, &error), COND_BAD_ARGUMENT);
    assert_string_equal(error.message, "body 'box': mass: expected a number > 0, not -1");
    def = box_def("box");
    def.inertia[0] = 1.0;
    assert_int_equal(cond_scene_add_body(scene, &def, &error), COND_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "inertia_from_shape"));
    def = box_def("box");
    def.surface.friction[1] = 0.5;
    assert_int_equal(cond_scene_add_body(scene, &def, &error), COND_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "friction: "));
    def = box_def("box");
    memset(def.name, 'x', sizeof def.name); // no end
    assert_int_equal(cond_scene_add_body(scene, &def, &error), COND_BAD_ARGUMENT);
    def = box_def("box");
    def.kind = (CondBodyKind)7;
    assert_int_equal(cond_scene_add_body(scene, &def, &error), COND_BAD_ARGUMENT);
    def = box_def("box");
    def.shape = (CondShapeKind)77;
    assert_int_equal(cond_scene_add_body(scene, &def, &error), COND_BAD_ARGUMENT);
    def = box_def("box");
    def.shape = COND_SHAPE_POINTS;
    def.inertia_from_shape = 0;
    def.inertia[0] = def.inertia[1] = def.inertia[2] = 1.0;
    assert_int_equal(cond_scene_add_body(scene, &def, &error), COND_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "shape.points: expected at least one point"));
    double point[3] = {1.0, 2.0, INFINITY};
    def.n_point = 1;
    def.point = point;
    assert_int_equal(cond_scene_add_body(scene, &def, &error), COND_BAD_ARGUMENT);
    point[2] = 3.0;
    assert_int_equal(cond_scene_add_body(scene, &def, &error), COND_OK);
    point[2] = 4.0; // the scene has a copy
    assert_true(scene->body[0].point[2] == 3.0);
    cond_scene_destroy(scene);
}

static void test_names(void** state)
{
    (void)state;
    CondScene* scene = new_scene();
    CondError error;
    CondBodyDef def = particle_def("body1");
    assert_int_equal(cond_scene_add_body(scene, &def, NULL), COND_OK);
    assert_int_equal(cond_scene_add_body(scene, &def, &error), COND_BAD_ARGUMENT);
    assert_string_equal(error.message,
                        "body 'body1': name: another body is called 'body1' already");
    def.name[0] = 0;
    for (int i = 0; i < 1000; ++i)
        assert_int_equal(cond_scene_add_body(scene, &def, NULL), COND_OK);
    assert_string_equal(scene->body[1].name, "body2"); // body1 was taken
    for (int i = 0; i < scene->n_body; ++i)
        assert_int_equal(cond_scene_find(scene, COND_SCENE_BODY, scene->body[i].name), i);
    assert_int_equal(cond_scene_find(scene, COND_SCENE_BODY, "nobody"), -1);
    CondPlaneDef plane = cond_plane_def_default();
    snprintf(plane.name, sizeof plane.name, "body1"); // another kind
    assert_int_equal(cond_scene_add_plane(scene, &plane, NULL), COND_OK);
    cond_scene_destroy(scene);
}

static void test_plane_direction(void** state)
{
    (void)state;
    CondScene* scene = new_scene();
    CondPlaneDef plane = cond_plane_def_default();
    assert_int_equal(cond_scene_add_plane(scene, &plane, NULL), COND_OK);
    double direction[3];
    cond_scene_plane_direction(&scene->plane[0], direction);
    assert_true(direction[0] == 1.0);
    plane.normal[0] = -2.0;
    plane.normal[2] = 0.0;
    assert_int_equal(cond_scene_add_plane(scene, &plane, NULL), COND_OK);
    cond_scene_plane_direction(&scene->plane[1], direction);
    assert_true(direction[0] == 0.0 && direction[1] == 1.0);
    CondError error;
    memcpy(plane.direction, plane.normal, sizeof plane.direction);
    assert_int_equal(cond_scene_add_plane(scene, &plane, &error), COND_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "direction: must not be parallel to the normal"));
    cond_scene_destroy(scene);
}

static void test_forces_and_springs(void** state)
{
    (void)state;
    CondScene* scene = new_scene();
    CondError error;
    CondBodyDef box = box_def("box");
    CondBodyDef particle = particle_def("dot");
    assert_int_equal(cond_scene_add_body(scene, &box, NULL), COND_OK);
    assert_int_equal(cond_scene_add_body(scene, &particle, NULL), COND_OK);
    CondForceDef force = cond_force_def_default();
    assert_int_equal(cond_scene_add_force(scene, &force, &error), COND_BAD_ARGUMENT);
    strcpy(force.body, "dot");
    force.torque[1] = 1.0;
    assert_int_equal(cond_scene_add_force(scene, &force, &error), COND_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "torque: must be zero: 'dot' is a particle"));
    strcpy(force.body, "box");
    assert_int_equal(cond_scene_add_force(scene, &force, &error), COND_OK);
    force.start = force.end = 2.0;
    assert_int_equal(cond_scene_add_force(scene, &force, &error), COND_BAD_ARGUMENT);
    CondSpringDef spring = cond_spring_def_default();
    assert_int_equal(cond_scene_add_spring(scene, &spring, &error), COND_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "to.body: at least one end must be on a body"));
    strcpy(spring.body[0], "dot");
    assert_int_equal(cond_scene_add_spring(scene, &spring, &error), COND_OK);
    strcpy(spring.body[1], "dot");
    assert_int_equal(cond_scene_add_spring(scene, &spring, &error), COND_BAD_ARGUMENT);
    strcpy(spring.body[1], "bos");
    assert_int_equal(cond_scene_add_spring(scene, &spring, &error), COND_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "there is no body called 'bos' (did you mean 'box'?)"));
    cond_scene_destroy(scene);
}

static CondStatus build(const CondContext* context, CondError* error)
{
    double points[6] = {0.0, 0.0, 0.0, 1.0, 1.0, 1.0};
    CondScene* scene;
    CondStatus status = cond_scene_create(context, &scene, error);
    if (status)
        return status;
    CondBodyDef body = box_def("");
    body.shape = COND_SHAPE_POINTS;
    body.inertia_from_shape = 0;
    body.inertia[0] = body.inertia[1] = body.inertia[2] = 1.0;
    body.n_point = 2;
    body.point = points;
    for (int i = 0; i < 20 && !status; ++i)
        status = cond_scene_add_body(scene, &body, error);
    CondPlaneDef plane = cond_plane_def_default();
    CondForceDef force = cond_force_def_default();
    CondSpringDef spring = cond_spring_def_default();
    strcpy(force.body, "body1");
    strcpy(spring.body[0], "body2");
    if (!status)
        status = cond_scene_add_plane(scene, &plane, error);
    if (!status)
        status = cond_scene_add_force(scene, &force, error);
    if (!status)
        status = cond_scene_add_spring(scene, &spring, error);
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
    assert_true(allocator.calls > 20);
}

// The value of a row's text, as a file would give it, is what the default functions give.
static void check_initial(const CondKey* key, const void* defaults)
{
    char initial[96];
    cond_key_initial(key, initial, sizeof initial);
    const char* at = (const char*)defaults + key->offset;
    CondError error = {0};
    CondSceneReader reader = {cond_context_or_default(NULL), "table", &error, NULL};
    union {
        CondSettingsDraft settings;
        CondBodyDef body;
        CondSpringDef spring;
        CondAttachmentDef attachment;
        CondSensorDef sensor;
        CondCameraDef camera;
    } made;
    memset(&made, 0, sizeof made);
    if (strcmp(initial, "not given") == 0) {
        for (int i = 0; i < key->count; ++i) {
            double value;
            memcpy(&value, at + (size_t)i * sizeof value, sizeof value);
            assert_true(isnan(value));
        }
        return;
    }
    static const char* const words[] = {"required",           "required for particle, rigid",
                                        "from the shape",     "none",
                                        "those of the robot", "those of the link"};
    for (int i = 0; i < 6; ++i)
        if (strcmp(initial, words[i]) == 0)
            return;
    if (key->type == COND_KEY_TEXT) {
        assert_string_equal(at, initial);
        return;
    }
    CondYamlNode* node;
    assert_int_equal(cond_scene_create(NULL, &reader.scene, &error), COND_OK);
    assert_int_equal(cond_groups_begin(&reader), COND_OK);
    assert_int_equal(
        cond_yaml_parse(&reader.context, initial, strlen(initial), "table", NULL, &node, &error),
        COND_OK);
    CondStatus status = cond_scene_read_value(&reader, key, node, key->text.key, &made);
    cond_yaml_destroy(&reader.context, node);
    cond_scene_destroy(reader.scene);
    if (status)
        fail_msg("%s", error.message);
    int whole = key->type == COND_KEY_WHOLE || key->type == COND_KEY_SWITCH ||
                key->type == COND_KEY_CHOICE || key->type == COND_KEY_GROUPS;
    const char* ours = (const char*)&made + key->offset;
    if (whole) {
        if (memcmp(ours, at, sizeof(int)) != 0)
            fail_msg("%s.%s: the table's default is not the real one", key->text.section,
                     key->text.key);
        return;
    }
    for (int i = 0; i < key->count; ++i) {
        double a, b;
        memcpy(&a, ours + (size_t)i * sizeof a, sizeof a);
        memcpy(&b, at + (size_t)i * sizeof b, sizeof b);
        if (!(a == b || (isnan(a) && isnan(b))))
            fail_msg("%s.%s: the table says %g, the default is %g", key->text.section,
                     key->text.key, a, b);
    }
}

static void test_table_tells_the_defaults(void** state)
{
    (void)state;
    CondSettingsDraft settings = {.settings = cond_scene_settings_default()};
    CondBodyDef body = cond_body_def_default();
    CondPlaneDef plane = cond_plane_def_default();
    CondExcludeDef pair = cond_exclude_def_default();
    CondForceDef force = cond_force_def_default();
    CondSpringDef spring = cond_spring_def_default();
    CondMaterialDef material = cond_material_def_default();
    CondObstacleDef obstacle = cond_obstacle_def_default();
    CondPatchDef patch = cond_patch_def_default();
    CondAttachmentDef attachment = cond_attachment_def_default();
    CondTrajectoryDef trajectory = cond_trajectory_def_default();
    CondSensorDef sensor = cond_sensor_def_default();
    CondCameraDef camera = cond_camera_def_default();
    CondVariationDef variation = cond_variation_def_default();
    CondActionDef action = cond_action_def_default();
    CondRewardDef reward = cond_reward_def_default();
    CondObservationDef observation = cond_observation_def_default();
    CondJointDef joint = cond_joint_def_default();
    CondLinkDef link = cond_link_def_default();
    CondMjcfDraft mjcf = {.orientation = {1.0, 0.0, 0.0, 0.0}};
    CondLinkShapeDef link_shape = cond_link_shape_def_default();
    CondWaypoint waypoint = {
        .position = {NAN, NAN, NAN}, .orientation = {1.0, 0.0, 0.0, 0.0}, .target = NAN};
    // The longer names come first: the first that the section begins with is taken.
    const struct {
        const char* section;
        const void* defaults;
    } homes[] = {
        {"bodies.joints", &joint},
        {"mjcf", &mjcf},
        {"bodies.links.shapes", &link_shape},
        {"bodies.links", &link},
        {"trajectories.waypoints", &waypoint},
        {"bodies", &body},
        {"planes", &plane},
        {"pairs", &pair},
        {"forces", &force},
        {"springs", &spring},
        {"materials", &material},
        {"obstacles", &obstacle},
        {"patches", &patch},
        {"attachments", &attachment},
        {"trajectories", &trajectory},
        {"sensors", &sensor},
        {"cameras", &camera},
        {"randomise", &variation},
        {"actions", &action},
        {"rewards", &reward},
        {"observations", &observation},
        {"", &settings},
    };
    int n_checked = 0;
    CondSceneKey row;
    for (int i = 0; cond_scene_key(i, &row); ++i) {
        const CondKey* key = cond_keys_find(row.section, row.key);
        assert_non_null(key);
        assert_true(*row.meaning && *row.type);
        const void* defaults = NULL;
        for (size_t j = 0; j < sizeof homes / sizeof *homes && !defaults; ++j)
            if (strncmp(row.section, homes[j].section, strlen(homes[j].section)) == 0)
                defaults = homes[j].defaults;
        if (key->type == COND_KEY_SECTION || key->type == COND_KEY_LIST ||
            key->type == COND_KEY_POINTS)
            continue;
        check_initial(key, defaults);
        ++n_checked;
    }
    assert_true(n_checked > 50);
    assert_int_equal(cond_scene_key(-1, &row), 0);
    assert_int_equal(cond_scene_key(100000, &row), 0);
}

// What the table tells programs: fields of structs, bounds, kinds of bodies, names of choices.
static void test_table_is_told_to_programs(void** state)
{
    (void)state;
    CondKeyInfo key;
    int n_field = 0;
    for (int i = 0; cond_key_get(i, &key, sizeof key); ++i) {
        assert_true(key.words[0] && key.meaning[0] && key.since[0]);
        assert_true(!key.field[0] == !key.structure[0]);
        assert_true(key.low <= key.high);
        if (key.type == COND_KEY_CHOICE) {
            assert_non_null(cond_key_choice(i, key.count - 1));
            assert_null(cond_key_choice(i, key.count));
        }
        if (strcmp(key.section, "bodies.rod") == 0 && strcmp(key.key, "length") == 0) {
            assert_string_equal(key.structure, "CondBodyDef");
            assert_string_equal(key.field, "rod.length");
            assert_int_equal(key.offset, offsetof(CondBodyDef, rod.length));
            assert_true(key.low == 0.0 && key.low_is_open && !key.infinite);
            assert_string_equal(key.bodies, "rod");
            assert_string_equal(key.unit, "m");
            assert_string_equal(key.initial, "none");
        }
        if (strcmp(key.section, "step") == 0 && strcmp(key.key, "time_step") == 0) {
            assert_string_equal(key.structure, "CondSceneSettings");
            assert_string_equal(key.field, "time_step");
            assert_int_equal(key.offset, offsetof(CondSceneSettings, time_step));
            assert_string_equal(key.initial, "0.01");
        }
        n_field += key.field[0] != 0;
    }
    assert_true(n_field > 250);
    CondSceneKey old[2];
    for (int i = 0; i < 2; ++i) // name and gravity: each keeps its text
        assert_int_equal(cond_scene_key(i, &old[i]), 1);
    assert_string_equal(old[0].initial, "");
    assert_string_equal(old[1].initial, "[0, 0, -9.81]");
    assert_int_equal(cond_key_get(cond_key_count(), &key, sizeof key), 0);
    assert_null(cond_key_choice(-1, 0));
    // A program that knows less of a row gets less.
    memset(&key, 7, sizeof key);
    assert_int_equal(cond_key_get(0, &key, offsetof(CondKeyInfo, words)), 1);
    assert_string_equal(key.key, "name");
    assert_int_equal(key.low_is_open, 0x07070707);
}

// Names that keys had before are read, and names of kinds that do not have a key are told.
static void test_aliases_and_kinds(void** state)
{
    (void)state;
    const CondKey* key = cond_keys_find("bodies", "mesh_scale");
    assert_non_null(key);
    assert_string_equal(key->text.key, "scale");
    CondScene* scene = new_scene();
    CondError error;
    CondBodyDef def = box_def("box");
    def.neighbours = COND_NEIGHBOURS_NONE;
    assert_int_equal(cond_scene_add_body(scene, &def, &error), COND_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "neighbours: a rigid body has none (only kind: robot)"));
    def = box_def("box");
    def.rod.pitch = 1.0;
    assert_int_equal(cond_scene_add_body(scene, &def, &error), COND_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "rod: a rigid body has none (only kind: rod)"));
    cond_scene_destroy(scene);
}

static void test_table_names_the_choices(void** state)
{
    (void)state;
    CondSceneKey row;
    for (int i = 0; cond_scene_key(i, &row); ++i) {
        int n_key;
        const CondKey* first = cond_keys_section(row.section, &n_key);
        assert_true(n_key <= COND_SECTION_SIZE);
        assert_string_equal(first[n_key - 1].text.section, row.section); // in one piece
        const CondKey* key = cond_keys_find(row.section, row.key);
        if (key->type != COND_KEY_CHOICE)
            continue;
        char type[200] = "one of ";
        for (int j = 0; j < key->count; ++j) {
            strcat(type, j ? ", " : "");
            strcat(type, key->choice(j));
        }
        assert_string_equal(row.type, type);
    }
    assert_null(cond_law_name((CondLaw)2));
    assert_null(cond_surrogate_name((CondSurrogateKind)6));
    assert_null(cond_accelerator_name((CondAcceleratorKind)4));
    assert_null(cond_stop_name((CondStop)2));
}

static void test_numbers(void** state)
{
    (void)state;
    static const struct {
        const char* text;
        double value;
    } good[] = {{"1", 1.0},        {"-0.5", -0.5},    {"+2.", 2.0},       {".5", 0.5},
                {"1e-3", 1e-3},    {"2.5E+2", 250.0}, {".inf", INFINITY}, {"-.inf", -INFINITY},
                {"inf", INFINITY}, {"1e-400", 0.0}};
    static const char* const bad[] = {"",  " 1",  "1 ",    "0x10", "nan",   ".nan",     "1e", "e1",
                                      ".", "1,5", "1.2.3", "--1",  "1e999", "infinity", "1f", "-"};
    double value;
    for (size_t i = 0; i < sizeof good / sizeof *good; ++i) {
        assert_int_equal(cond_number_parse(good[i].text, &value), 1);
        assert_true(value == good[i].value);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
        assert_int_equal(cond_number_parse(bad[i], &value), 0);
    // A host program may speak another language; such a locale may not be installed here.
    if (setlocale(LC_NUMERIC, "de_DE.UTF-8")) {
        assert_int_equal(cond_number_parse("0.5", &value), 1);
        assert_true(value == 0.5);
        setlocale(LC_NUMERIC, "C");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_settings_are_checked),
        cmocka_unit_test(test_half_filled_definitions_are_refused),
        cmocka_unit_test(test_box_gets_its_inertia),
        cmocka_unit_test(test_inertia_is_that_of_a_body),
        cmocka_unit_test(test_body_rules),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_plane_direction),
        cmocka_unit_test(test_forces_and_springs),
        cmocka_unit_test(test_allocation_failures),
        cmocka_unit_test(test_table_tells_the_defaults),
        cmocka_unit_test(test_table_is_told_to_programs),
        cmocka_unit_test(test_aliases_and_kinds),
        cmocka_unit_test(test_table_names_the_choices),
        cmocka_unit_test(test_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
