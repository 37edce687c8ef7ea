// A scene that is listed, read, changed and reduced by calls, and definitions of programs whose
// headers are older: every definition that refers to another one is kept whole.
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

#define SET_TEXT(field, text) snprintf(field, sizeof(field), "%s", text)

static CondError error;

static CondBodyDef box_def(const char* name, double mass)
{
    CondBodyDef def = cond_body_def_default();
    SET_TEXT(def.name, name);
    def.mass = mass;
    def.shape = COND_SHAPE_BOX;
    def.size[0] = def.size[1] = def.size[2] = 0.2;
    return def;
}

static CondBodyDef arm_def(const char* name)
{
    static CondLinkDef link[2];
    static CondLinkShapeDef shape;
    CondBodyDef def = cond_body_def_default();
    link[0] = cond_link_def_default();
    link[1] = cond_link_def_default();
    shape = cond_link_shape_def_default();
    SET_TEXT(link[0].name, "base");
    SET_TEXT(link[1].name, "upper");
    SET_TEXT(link[1].parent, "base");
    link[1].kind = COND_JOINT_REVOLUTE;
    link[1].mass = 1.0;
    link[1].inertia[0] = link[1].inertia[1] = link[1].inertia[2] = 0.01;
    shape.shape = COND_SHAPE_SPHERE;
    shape.size[0] = 0.1;
    link[1].n_shape = 1;
    link[1].shape = &shape;
    SET_TEXT(def.name, name);
    def.kind = COND_BODY_ROBOT;
    def.n_link = 2;
    def.link = link;
    return def;
}

// Two boxes, one of them held to the world, with a sensor of what holds it; a floor.
static CondScene* make_scene(void)
{
    CondScene* scene;
    int index = -1;
    assert_int_equal(cond_scene_create(NULL, &scene, NULL), COND_OK);
    const CondBodyDef first = box_def("first", 1.0), second = box_def("second", 2.0);
    const CondPlaneDef floor = cond_plane_def_default();
    CondAttachmentDef hold = cond_attachment_def_default();
    CondSensorDef sensor = cond_sensor_def_default();
    SET_TEXT(hold.name, "hold");
    SET_TEXT(hold.end[0].body, "second");
    SET_TEXT(sensor.attachment, "hold");
    assert_int_equal(cond_scene_add(scene, COND_SCENE_BODY, &first, &index, &error), COND_OK);
    assert_int_equal(index, 0);
    assert_int_equal(cond_scene_add(scene, COND_SCENE_BODY, &second, &index, &error), COND_OK);
    assert_int_equal(index, 1);
    assert_int_equal(cond_scene_add_plane(scene, &floor, &error), COND_OK);
    assert_int_equal(cond_scene_add_attachment(scene, &hold, &error), COND_OK);
    assert_int_equal(cond_scene_add_sensor(scene, &sensor, &error), COND_OK);
    return scene;
}

static void things_are_listed_and_found(void** state)
{
    (void)state;
    CondScene* scene = make_scene();
    assert_int_equal(cond_scene_count(scene, COND_SCENE_BODY), 2);
    assert_int_equal(cond_scene_count(scene, COND_SCENE_FORCE), 0);
    assert_int_equal(cond_scene_count(scene, (CondSceneKind)99), 0);
    assert_int_equal(cond_scene_find(scene, COND_SCENE_BODY, "second"), 1);
    assert_int_equal(cond_scene_find(scene, COND_SCENE_BODY, "third"), -1);
    assert_string_equal(cond_scene_name(scene, COND_SCENE_PLANE, 0), "plane0");
    assert_null(cond_scene_name(scene, COND_SCENE_PLANE, 1));
    assert_null(cond_scene_get(scene, COND_SCENE_PLANE, -1));
    const CondBodyDef* body = cond_scene_get(scene, COND_SCENE_BODY, 1);
    assert_string_equal(body->name, "second");
    assert_true(body->mass == 2.0);
    for (int kind = 0; cond_scene_kind_name((CondSceneKind)kind); kind++)
        assert_true(cond_scene_count(scene, (CondSceneKind)kind) <= 2);
    assert_string_equal(cond_scene_kind_name(COND_SCENE_MESH), "mesh");
    assert_string_equal(cond_scene_kind_name(COND_SCENE_CAMERA), "camera");
    assert_null(cond_scene_kind_name((CondSceneKind)(COND_SCENE_CAMERA + 1)));
    cond_scene_destroy(scene);
}

// What was given comes back as it was given, and can be given again.
static void what_was_given_is_read_and_given_again(void** state)
{
    (void)state;
    CondScene* scene = make_scene();
    CondBodyDef dense = box_def("dense", 0.0);
    const CondBodyDef arm = arm_def("arm");
    dense.density = 500.0;
    assert_int_equal(cond_scene_add_body(scene, &dense, &error), COND_OK);
    assert_int_equal(cond_scene_add_body(scene, &arm, &error), COND_OK);
    const CondBodyDef* body = cond_scene_get(scene, COND_SCENE_BODY, 2);
    assert_true(body->density == 500.0 && body->mass == 0.0);
    CondPlaneDef plane = *(const CondPlaneDef*)cond_scene_get(scene, COND_SCENE_PLANE, 0);
    assert_true(isnan(plane.direction[0]));
    for (int kind = 0; cond_scene_kind_name((CondSceneKind)kind); kind++)
        for (int i = 0; kind != COND_SCENE_MESH && i < cond_scene_count(scene, (CondSceneKind)kind);
             i++) {
            const void* same = cond_scene_get(scene, (CondSceneKind)kind, i);
            assert_int_equal(cond_scene_replace(scene, (CondSceneKind)kind, i, same, &error),
                             COND_OK);
        }
    body = cond_scene_get(scene, COND_SCENE_BODY, 3);
    assert_int_equal(body->n_link, 2);
    assert_string_equal(body->link[1].name, "upper");
    assert_true(body->link[1].shape[0].size[0] == 0.1);
    // One of the scene's own can be added again under another name; the arrays are copied.
    int copy = -1;
    CondBodyDef again = *body;
    again.name[0] = 0;
    assert_int_equal(cond_scene_add(scene, COND_SCENE_BODY, &again, &copy, &error), COND_OK);
    const CondBodyDef* other = cond_scene_get(scene, COND_SCENE_BODY, copy);
    assert_string_equal(other->name, "body4");
    assert_true(other->link !=
                ((const CondBodyDef*)cond_scene_get(scene, COND_SCENE_BODY, 3))->link);
    cond_scene_destroy(scene);
}

static void a_definition_is_replaced(void** state)
{
    (void)state;
    CondScene* scene = make_scene();
    CondBodyDef body = *(const CondBodyDef*)cond_scene_get(scene, COND_SCENE_BODY, 1);
    body.mass = 7.0;
    body.name[0] = 0; // it keeps the old one
    assert_int_equal(cond_scene_replace(scene, COND_SCENE_BODY, 1, &body, &error), COND_OK);
    const CondBodyDef* now = cond_scene_get(scene, COND_SCENE_BODY, 1);
    assert_true(now->mass == 7.0);
    assert_string_equal(now->name, "second");
    // Nothing refers to the first one: it may get another name.
    body = box_def("crate", 3.0);
    assert_int_equal(cond_scene_replace(scene, COND_SCENE_BODY, 0, &body, &error), COND_OK);
    assert_int_equal(cond_scene_find(scene, COND_SCENE_BODY, "crate"), 0);
    assert_int_equal(cond_scene_find(scene, COND_SCENE_BODY, "first"), -1);
    cond_scene_destroy(scene);
}

static void expect_replace(CondScene* scene, int index, const CondBodyDef* def, const char* message)
{
    assert_int_equal(cond_scene_replace(scene, COND_SCENE_BODY, index, def, &error),
                     COND_BAD_ARGUMENT);
    if (!strstr(error.message, message))
        fail_msg("'%s' is not in '%s'", message, error.message);
}

static void a_wrong_replacement_changes_nothing(void** state)
{
    (void)state;
    CondScene* scene = make_scene();
    CondBodyDef body = box_def("second", -1.0);
    expect_replace(scene, 1, &body, "body 'second': mass");
    body = box_def("first", 1.0);
    expect_replace(scene, 1, &body, "another body is called 'first' already");
    body = box_def("renamed", 1.0);
    expect_replace(scene, 1, &body, "attachment 'hold' refers to it");
    body = box_def("second", 1.0); // the attachment holds orientation, which a particle has not
    body.kind = COND_BODY_PARTICLE;
    body.shape = COND_SHAPE_NONE;
    body.size[0] = body.size[1] = body.size[2] = 0.0;
    expect_replace(scene, 1, &body, "attachment 'hold' refers to it: turns");
    expect_replace(scene, 2, &body, "the scene has no body 2: it has 2");
    const CondBodyDef* now = cond_scene_get(scene, COND_SCENE_BODY, 1);
    assert_true(now->mass == 2.0 && now->kind == COND_BODY_RIGID);
    assert_int_equal(cond_scene_find(scene, COND_SCENE_BODY, "second"), 1);
    assert_int_equal(cond_scene_find(scene, COND_SCENE_BODY, "renamed"), -1);
    cond_scene_destroy(scene);
}

static void what_nothing_refers_to_is_removed(void** state)
{
    (void)state;
    CondScene* scene = make_scene();
    assert_int_equal(cond_scene_remove(scene, COND_SCENE_BODY, 1, &error), COND_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "body 'second': attachment 'hold' refers to it"));
    assert_int_equal(cond_scene_remove(scene, COND_SCENE_ATTACHMENT, 0, &error), COND_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "sensor 'sensor0' refers to it"));
    assert_int_equal(cond_scene_find(scene, COND_SCENE_BODY, "second"), 1);
    assert_int_equal(cond_scene_remove(scene, COND_SCENE_BODY, 0, &error), COND_OK);
    assert_int_equal(cond_scene_count(scene, COND_SCENE_BODY), 1);
    assert_int_equal(cond_scene_find(scene, COND_SCENE_BODY, "second"), 0);
    assert_int_equal(cond_scene_remove(scene, COND_SCENE_SENSOR, 0, &error), COND_OK);
    assert_int_equal(cond_scene_remove(scene, COND_SCENE_ATTACHMENT, 0, &error), COND_OK);
    assert_int_equal(cond_scene_remove(scene, COND_SCENE_BODY, 0, &error), COND_OK);
    assert_int_equal(cond_scene_remove(scene, COND_SCENE_BODY, 0, &error), COND_BAD_ARGUMENT);
    assert_int_equal(cond_scene_remove(scene, (CondSceneKind)77, 0, &error), COND_BAD_ARGUMENT);
    cond_scene_destroy(scene);
}

static void meshes_are_counted_and_removed(void** state)
{
    (void)state;
    CondScene* scene = make_scene();
    double node[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    int triangle[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    const CondMesh mesh = {.n_node = 4, .node = node, .n_triangle = 4, .triangle = triangle};
    CondObstacleDef rock = cond_obstacle_def_default();
    rock.shape = COND_SHAPE_MESH;
    SET_TEXT(rock.mesh, "rock");
    assert_int_equal(cond_scene_add_mesh(scene, "rock", &mesh, &error), COND_OK);
    assert_int_equal(cond_scene_add_obstacle(scene, &rock, &error), COND_OK);
    const CondMesh* held = cond_scene_get(scene, COND_SCENE_MESH, 0);
    assert_int_equal(held->n_node, 4);
    assert_int_equal(cond_scene_add(scene, COND_SCENE_MESH, &mesh, NULL, &error),
                     COND_BAD_ARGUMENT);
    assert_int_equal(cond_scene_replace(scene, COND_SCENE_MESH, 0, &mesh, &error),
                     COND_BAD_ARGUMENT);
    assert_int_equal(cond_scene_remove(scene, COND_SCENE_MESH, 0, &error), COND_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "mesh 'rock': obstacle 'obstacle0' refers to it"));
    assert_int_equal(cond_scene_remove(scene, COND_SCENE_OBSTACLE, 0, &error), COND_OK);
    assert_int_equal(cond_scene_remove(scene, COND_SCENE_MESH, 0, &error), COND_OK);
    assert_int_equal(cond_scene_find(scene, COND_SCENE_MESH, "rock"), -1);
    cond_scene_destroy(scene);
}

// Elements of arrays as an older program has them: fewer bytes each, the rest by default.
static void elements_of_older_programs_are_taken(void** state)
{
    (void)state;
    enum { OLD = offsetof(CondWaypoint, target) };
    CondScene* scene = make_scene();
    CondTrajectoryDef def = cond_trajectory_def_default();
    char old[2 * OLD];
    for (int i = 0; i < 2; i++) {
        CondWaypoint waypoint = cond_waypoint_default();
        waypoint.time = i;
        waypoint.target = 5.0; // not known to that program
        memset(waypoint.position, 0, sizeof waypoint.position);
        memcpy(old + (size_t)i * OLD, &waypoint, OLD);
    }
    assert_int_equal(def.waypoint_stride, sizeof(CondWaypoint));
    def.waypoint = (const CondWaypoint*)(void*)old;
    def.n_waypoint = 2;
    def.waypoint_stride = OLD;
    assert_int_equal(cond_scene_add_trajectory(scene, &def, &error), COND_OK);
    const CondTrajectoryDef* own = cond_scene_get(scene, COND_SCENE_TRAJECTORY, 0);
    assert_int_equal(own->waypoint_stride, sizeof(CondWaypoint));
    assert_true(own->waypoint[1].time == 1.0 && isnan(own->waypoint[1].target));
    def.waypoint_stride = sizeof(CondWaypoint) + 8;
    assert_int_equal(cond_scene_add_trajectory(scene, &def, &error), COND_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "waypoints: an element has"));
    cond_scene_destroy(scene);
}

// A program of version 0.1 knows no strides: its definitions end before them.
static void definitions_of_version_0_1_are_taken(void** state)
{
    (void)state;
    enum { LINK = offsetof(CondLinkDef, shape_stride) };
    CondScene* scene = make_scene();
    const CondBodyDef arm = arm_def("arm");
    unsigned char* old = malloc(offsetof(CondBodyDef, joint_stride));
    char* links = malloc(2 * (size_t)LINK);
    assert_non_null(old);
    assert_non_null(links);
    for (size_t i = 0; i < 2; i++)
        memcpy(links + i * LINK, &arm.link[i], LINK);
    CondBodyDef def = arm;
    def.link = (const CondLinkDef*)(void*)links;
    def.struct_size = offsetof(CondBodyDef, joint_stride);
    memcpy(old, &def, def.struct_size);
    assert_int_equal(cond_scene_add_body(scene, (const CondBodyDef*)(const void*)old, &error),
                     COND_OK);
    const CondBodyDef* own = cond_scene_get(scene, COND_SCENE_BODY, 2);
    assert_string_equal(own->link[1].name, "upper");
    assert_true(own->link[1].shape[0].size[0] == 0.1);
    free(links);
    free(old);
    cond_scene_destroy(scene);
}

// Memory that ends in the middle leaves the scene as it was.
static void failed_changes_leave_the_scene(void** state)
{
    (void)state;
    CondStatus status = COND_OUT_OF_MEMORY;
    for (long i = 1; status == COND_OUT_OF_MEMORY; i++) {
        FailingAllocator allocator = {0};
        CondContext context = failing_allocator_context(&allocator);
        CondScene* scene;
        assert_int_equal(cond_scene_create(&context, &scene, NULL), COND_OK);
        const CondBodyDef first = box_def("arm", 1.0), arm = arm_def("arm");
        assert_int_equal(cond_scene_add_body(scene, &first, NULL), COND_OK);
        allocator.fail_at = allocator.calls + i;
        status = cond_scene_replace(scene, COND_SCENE_BODY, 0, &arm, &error);
        const CondBodyDef* now = cond_scene_get(scene, COND_SCENE_BODY, 0);
        assert_int_equal(now->kind, status ? COND_BODY_RIGID : COND_BODY_ROBOT);
        cond_scene_destroy(scene);
        assert_int_equal(allocator.live, 0);
    }
    assert_int_equal(status, COND_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(things_are_listed_and_found),
        cmocka_unit_test(what_was_given_is_read_and_given_again),
        cmocka_unit_test(a_definition_is_replaced),
        cmocka_unit_test(a_wrong_replacement_changes_nothing),
        cmocka_unit_test(what_nothing_refers_to_is_removed),
        cmocka_unit_test(meshes_are_counted_and_removed),
        cmocka_unit_test(elements_of_older_programs_are_taken),
        cmocka_unit_test(definitions_of_version_0_1_are_taken),
        cmocka_unit_test(failed_changes_leave_the_scene),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
