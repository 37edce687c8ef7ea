#include "scene/scene.h"

#include "base/definition.h"
#include "base/error.h"
#include "scene/scene_check.h"
#include "scene/shape_kind.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

CondStatus cond_scene_create(const CondContext* context, CondScene** scene, CondError* error)
{
    CondContext own = cond_context_or_default(context);
    CondScene* made = cond_allocate(&own, 1, sizeof *made);
    *scene = made;
    if (!made)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "no memory for a scene");
    cond_arena_begin(&own, &made->arena);
    made->settings = cond_scene_settings_default();
    return COND_OK;
}

void cond_scene_destroy(CondScene* scene)
{
    if (!scene)
        return;
    CondContext context = scene->arena.context;
    cond_arena_release(&scene->arena);
    cond_release(&context, scene);
}

CondStatus cond_scene_note_file(CondScene* scene, const char* file)
{
    size_t n = strlen(file) + 1;
    scene->file = cond_arena_allocate(&scene->arena, n, 1);
    if (scene->file)
        memcpy(scene->file, file, n);
    return scene->file ? COND_OK : COND_OUT_OF_MEMORY;
}

CondStatus cond_scene_note_line(CondScene* scene, CondSceneList list, int line)
{
    int n = scene->n_line[list];
    if (COND_RESERVE(&scene->arena, scene->line[list], n + 1))
        return COND_OUT_OF_MEMORY;
    scene->line[list][scene->n_line[list]++] = line;
    return COND_OK;
}

CondSceneSettings* cond_scene_settings(CondScene* scene)
{
    return &scene->settings;
}

CondStatus cond_scene_warn(CondScene* scene, const char* format, ...)
{
    if (COND_RESERVE(&scene->arena, scene->warning, scene->n_warning + 1))
        return COND_OUT_OF_MEMORY;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(scene->warning[scene->n_warning], sizeof *scene->warning, format, arguments);
    va_end(arguments);
    scene->n_warning++;
    return COND_OK;
}

int cond_scene_find_body(const CondScene* scene, const char* name)
{
    return cond_name_index_find(&scene->body_name, scene->body, sizeof *scene->body, name);
}

int cond_scene_find_material(const CondScene* scene, const char* name)
{
    return cond_name_index_find(&scene->material_name, scene->material, sizeof *scene->material,
                                name);
}

int cond_scene_find_patch(const CondScene* scene, const char* name)
{
    return cond_name_index_find(&scene->patch_name, scene->patch, sizeof *scene->patch, name);
}

int cond_scene_find_attachment(const CondScene* scene, const char* name)
{
    return cond_name_index_find(&scene->attachment_name, scene->attachment,
                                sizeof *scene->attachment, name);
}

int cond_scene_find_trajectory(const CondScene* scene, const char* name)
{
    return cond_name_index_find(&scene->trajectory_name, scene->trajectory,
                                sizeof *scene->trajectory, name);
}

// 1 where a body is a robot with such a link; links of a robot's file are not known yet.
static int may_have(const CondBodyDef* def, const char* link)
{
    int found = def->n_link == 0;
    for (int i = 0; i < def->n_link && !found; i++)
        found = strcmp(def->link[i].name, link) == 0;
    return def->kind == COND_BODY_ROBOT && found;
}

int cond_scene_find_thing(const CondScene* scene, const char* name, CondSceneThing* thing)
{
    const char* slash = strchr(name, '/');
    *thing = (CondSceneThing){.body = cond_scene_find_body(scene, name)};
    thing->obstacle =
        cond_name_index_find(&scene->obstacle_name, scene->obstacle, sizeof *scene->obstacle, name);
    thing->plane =
        cond_name_index_find(&scene->plane_name, scene->plane, sizeof *scene->plane, name);
    int n = (thing->body >= 0) + (thing->obstacle >= 0) + (thing->plane >= 0);
    if (n > 0)
        return n;
    // Names may hold a slash themselves: the robot's ends at the first at which there is one with
    // such a link, as far as its links are known here.
    for (; slash && slash - name < COND_NAME_SIZE; slash = strchr(slash + 1, '/')) {
        char robot[COND_NAME_SIZE];
        snprintf(robot, sizeof robot, "%.*s", (int)(slash - name), name);
        int body = cond_scene_find_body(scene, robot);
        if (body < 0 || strlen(slash + 1) >= COND_NAME_SIZE ||
            !may_have(&scene->body[body], slash + 1))
            continue;
        thing->body = body;
        snprintf(thing->link, sizeof thing->link, "%.63s", slash + 1);
        return 1;
    }
    return 0;
}

// The arrays of one kind, seen without its type: every definition begins with its name.
typedef struct Kind {
    const char* word;
    void* data; // address of the array
    int* count;
    CondNameIndex* index;
    size_t size;
} Kind;

#define KIND(scene, kind)                                                                          \
    ((Kind){.word = #kind,                                                                         \
            .data = &(scene)->kind,                                                                \
            .count = &(scene)->n_##kind,                                                           \
            .index = &(scene)->kind##_name,                                                        \
            .size = sizeof *(scene)->kind})

_Static_assert(offsetof(CondBodyDef, name) == 0, "a definition begins with its name");
_Static_assert(offsetof(CondPlaneDef, name) == 0, "a definition begins with its name");
_Static_assert(offsetof(CondForceDef, name) == 0, "a definition begins with its name");
_Static_assert(offsetof(CondSpringDef, name) == 0, "a definition begins with its name");
_Static_assert(offsetof(CondMaterialDef, name) == 0, "a definition begins with its name");
_Static_assert(offsetof(CondObstacleDef, name) == 0, "a definition begins with its name");
_Static_assert(offsetof(CondPatchDef, name) == 0, "a definition begins with its name");
_Static_assert(offsetof(CondAttachmentDef, name) == 0, "a definition begins with its name");
_Static_assert(offsetof(CondTrajectoryDef, name) == 0, "a definition begins with its name");
_Static_assert(offsetof(CondSensorDef, name) == 0, "a definition begins with its name");
_Static_assert(offsetof(CondVariationDef, name) == 0, "a definition begins with its name");
_Static_assert(offsetof(CondActionDef, name) == 0, "a definition begins with its name");
_Static_assert(offsetof(CondRewardDef, name) == 0, "a definition begins with its name");
_Static_assert(offsetof(CondObservationDef, name) == 0, "a definition begins with its name");
_Static_assert(offsetof(CondExcludeDef, name) == 0, "a definition begins with its name");

static CondStatus no_memory(const Kind* kind, CondSceneIssue* issue)
{
    cond_scene_issue_set(issue, "", "no memory for another %s", kind->word);
    return COND_OUT_OF_MEMORY;
}

static void drop_links(CondScene* scene, int n_link, CondLinkDef* link)
{
    for (int i = 0; i < n_link && link; i++)
        cond_arena_drop(&scene->arena, (void*)link[i].shape);
    cond_arena_drop(&scene->arena, link);
}

// Arrays that a definition of this kind owns.
static void drop_arrays(CondScene* scene, const Kind* kind, const void* def)
{
    if (kind->count == &scene->n_body) {
        const CondBodyDef* body = def;
        cond_arena_drop(&scene->arena, (void*)body->point);
        cond_arena_drop(&scene->arena, (void*)body->joint);
        drop_links(scene, body->n_link, (CondLinkDef*)body->link);
        cond_arena_drop(&scene->arena, (void*)body->link_groups);
    } else if (kind->count == &scene->n_obstacle) {
        cond_arena_drop(&scene->arena, (void*)((const CondObstacleDef*)def)->heights);
    } else if (kind->count == &scene->n_trajectory) {
        cond_arena_drop(&scene->arena, (void*)((const CondTrajectoryDef*)def)->waypoint);
    }
}

// A checked definition takes the place of one whose name it has.
static CondStatus put_again(CondScene* scene, const Kind* kind, const void* def)
{
    char name[COND_NAME_SIZE], *first;
    memcpy(&first, kind->data, sizeof first);
    char* place = first + (size_t)(kind->index->put - 1) * kind->size;
    memcpy(name, place, sizeof name);
    drop_arrays(scene, kind, place);
    memcpy(place, def, kind->size);
    memcpy(place, name, sizeof name);
    return COND_OK;
}

// Copies a checked definition to the end of its array and enters its name. A nameless one is called
// after its kind and its place ("body3"), or the next number that is free.
static CondStatus append(CondScene* scene, const Kind* kind, const void* def, CondSceneIssue* issue)
{
    int number = *kind->count;
    if (kind->index->put > 0)
        return put_again(scene, kind, def);
    if (cond_arena_reserve(&scene->arena, kind->data, number + 1, kind->size))
        return no_memory(kind, issue);
    char* first;
    memcpy(&first, kind->data, sizeof first);
    if (cond_name_index_reserve(&scene->arena, kind->index, first, kind->size, number, number + 1))
        return no_memory(kind, issue);
    char* place = first + (size_t)number * kind->size;
    memcpy(place, def, kind->size);
    if (!*place) {
        int suffix = number;
        char name[COND_NAME_SIZE] = ""; // all of it is copied, and reaches files
        do
            snprintf(name, sizeof name, "%s%d", kind->word, suffix++);
        while (cond_name_index_find(kind->index, first, kind->size, name) >= 0);
        memcpy(place, name, sizeof name);
    }
    cond_name_index_add(kind->index, first, kind->size, number);
    *kind->count = number + 1;
    return COND_OK;
}

// A copy of the elements of an array; NULL for none of them. Returns 0 when memory is short.
static int copy_array(CondScene* scene, const void* array, int count, size_t size, void** copy)
{
    *copy = count > 0 ? cond_arena_allocate(&scene->arena, (size_t)count, size) : NULL;
    if (*copy)
        memcpy(*copy, array, (size_t)count * size);
    return count <= 0 || *copy;
}

// A copy of the links with their shapes; what was made is kept in *links also where memory is
// short.
static int copy_links(CondScene* scene, const CondBodyDef* def, CondLinkDef** links)
{
    void* copy;
    int fits = copy_array(scene, def->link, def->n_link, sizeof *def->link, &copy);
    *links = copy;
    for (int i = 0; i < def->n_link && copy; i++)
        (*links)[i].shape = NULL;
    for (int i = 0; i < def->n_link && fits; i++) {
        const CondLinkDef* from = &def->link[i];
        void* shape;
        fits = copy_array(scene, from->shape, from->n_shape, sizeof *from->shape, &shape);
        (*links)[i].shape = shape;
    }
    return fits;
}

CondStatus cond_scene_put_body(CondScene* scene, const CondBodyDef* def, CondSceneIssue* issue)
{
    Kind kind = KIND(scene, body);
    CondStatus status = cond_scene_check_body(scene, def, issue);
    if (status)
        return status;
    CondBodyDef own = *def;
    const CondShapeRow* shape = cond_shape_row(own.shape);
    void* point = NULL;
    void* joint = NULL;
    CondLinkDef* link = NULL;
    void* link_groups = NULL;
    if (own.shape != COND_SHAPE_POINTS &&
        !(own.kind == COND_BODY_ROD && own.rod.shape == COND_ROD_POINTS))
        own.n_point = 0;
    if (!copy_array(scene, def->point, own.n_point, 3 * sizeof *def->point, &point) ||
        !copy_array(scene, def->joint, own.n_joint, sizeof *def->joint, &joint) ||
        !copy_links(scene, def, &link) ||
        !copy_array(scene, def->link_groups, own.n_link_groups, sizeof *def->link_groups,
                    &link_groups))
        status = no_memory(&kind, issue);
    own.point = point;
    own.joint = joint;
    own.link = link;
    own.link_groups = link_groups;
    if (own.density > 0.0 && !cond_shape_is_mesh(own.shape)) {
        own.mass = shape && shape->volume ? own.density * shape->volume(own.size) : 0.0;
        own.density = 0.0;
    }
    if (own.kind == COND_BODY_RIGID && own.inertia_from_shape) {
        memset(own.inertia, 0, sizeof own.inertia);
        if (shape && shape->inertia)
            shape->inertia(own.mass, own.size, own.inertia);
    }
    if (!status && own.kind == COND_BODY_RIGID && !cond_shape_is_mesh(own.shape))
        status = cond_check_inertial(def, own.mass, own.inertia, issue);
    if (!status)
        status = append(scene, &kind, &own, issue);
    if (status) {
        cond_arena_drop(&scene->arena, point);
        cond_arena_drop(&scene->arena, joint);
        drop_links(scene, def->n_link, link);
        cond_arena_drop(&scene->arena, link_groups);
    }
    return status;
}

// The x axis, or y for a normal within 45 degrees of x.
static void choose_direction(const double* normal, double* direction)
{
    double x2 = normal[0] * normal[0];
    int axis = x2 > normal[1] * normal[1] + normal[2] * normal[2] ? 1 : 0;
    for (int i = 0; i < 3; ++i)
        direction[i] = i == axis ? 1.0 : 0.0;
}

CondStatus cond_scene_put_plane(CondScene* scene, const CondPlaneDef* def, CondSceneIssue* issue)
{
    Kind kind = KIND(scene, plane);
    CondStatus status = cond_scene_check_plane(scene, def, issue);
    if (status)
        return status;
    CondPlaneDef own = *def;
    if (isnan(own.direction[0]))
        choose_direction(own.normal, own.direction);
    return append(scene, &kind, &own, issue);
}

CondStatus cond_scene_put_force(CondScene* scene, const CondForceDef* def, CondSceneIssue* issue)
{
    Kind kind = KIND(scene, force);
    CondStatus status = cond_scene_check_force(scene, def, issue);
    return status ? status : append(scene, &kind, def, issue);
}

CondStatus cond_scene_put_spring(CondScene* scene, const CondSpringDef* def, CondSceneIssue* issue)
{
    Kind kind = KIND(scene, spring);
    CondStatus status = cond_scene_check_spring(scene, def, issue);
    return status ? status : append(scene, &kind, def, issue);
}

CondStatus cond_scene_put_material(CondScene* scene, const CondMaterialDef* def,
                                   CondSceneIssue* issue)
{
    Kind kind = KIND(scene, material);
    CondStatus status = cond_scene_check_material(scene, def, issue);
    return status ? status : append(scene, &kind, def, issue);
}

CondStatus cond_scene_put_obstacle(CondScene* scene, const CondObstacleDef* def,
                                   CondSceneIssue* issue)
{
    Kind kind = KIND(scene, obstacle);
    CondStatus status = cond_scene_check_obstacle(scene, def, issue);
    CondObstacleDef own = *def;
    void* heights = NULL;
    if (status)
        return status;
    if (!copy_array(scene, def->heights, def->n_row * def->n_column, sizeof *def->heights,
                    &heights))
        return no_memory(&kind, issue);
    own.heights = heights;
    status = append(scene, &kind, &own, issue);
    if (status)
        cond_arena_drop(&scene->arena, heights);
    return status;
}

CondStatus cond_scene_put_patch(CondScene* scene, const CondPatchDef* def, CondSceneIssue* issue)
{
    Kind kind = KIND(scene, patch);
    CondStatus status = cond_scene_check_patch(scene, def, issue);
    return status ? status : append(scene, &kind, def, issue);
}

CondStatus cond_scene_put_attachment(CondScene* scene, const CondAttachmentDef* def,
                                     CondSceneIssue* issue)
{
    Kind kind = KIND(scene, attachment);
    CondStatus status = cond_scene_check_attachment(scene, def, issue);
    return status ? status : append(scene, &kind, def, issue);
}

CondStatus cond_scene_put_variation(CondScene* scene, const CondVariationDef* def,
                                    CondSceneIssue* issue)
{
    Kind kind = KIND(scene, variation);
    CondStatus status = cond_scene_check_variation(scene, def, issue);
    return status ? status : append(scene, &kind, def, issue);
}

CondStatus cond_scene_put_action(CondScene* scene, const CondActionDef* def, CondSceneIssue* issue)
{
    Kind kind = KIND(scene, action);
    CondStatus status = cond_scene_check_action(scene, def, issue);
    return status ? status : append(scene, &kind, def, issue);
}

CondStatus cond_scene_put_reward(CondScene* scene, const CondRewardDef* def, CondSceneIssue* issue)
{
    Kind kind = KIND(scene, reward);
    CondStatus status = cond_scene_check_reward(scene, def, issue);
    return status ? status : append(scene, &kind, def, issue);
}

CondStatus cond_scene_put_observation(CondScene* scene, const CondObservationDef* def,
                                      CondSceneIssue* issue)
{
    Kind kind = KIND(scene, observation);
    CondStatus status = cond_scene_check_observation(scene, def, issue);
    return status ? status : append(scene, &kind, def, issue);
}

CondStatus cond_scene_put_exclude(CondScene* scene, const CondExcludeDef* def,
                                  CondSceneIssue* issue)
{
    Kind kind = KIND(scene, exclude);
    CondStatus status = cond_scene_check_exclude(scene, def, issue);
    return status ? status : append(scene, &kind, def, issue);
}

CondStatus cond_scene_put_trajectory(CondScene* scene, const CondTrajectoryDef* def,
                                     CondSceneIssue* issue)
{
    Kind kind = KIND(scene, trajectory);
    CondStatus status = cond_scene_check_trajectory(scene, def, issue);
    if (status)
        return status;
    CondTrajectoryDef own = *def;
    void* waypoint;
    if (!copy_array(scene, def->waypoint, def->n_waypoint, sizeof *def->waypoint, &waypoint))
        return no_memory(&kind, issue);
    own.waypoint = waypoint;
    status = append(scene, &kind, &own, issue);
    if (status)
        cond_arena_drop(&scene->arena, waypoint);
    return status;
}

CondStatus cond_scene_put_sensor(CondScene* scene, const CondSensorDef* def, CondSceneIssue* issue)
{
    Kind kind = KIND(scene, sensor);
    CondStatus status = cond_scene_check_sensor(scene, def, issue);
    return status ? status : append(scene, &kind, def, issue);
}

// "body 'box': mass: what is wrong"
static CondStatus report(CondError* error, CondStatus status, const char* word, const char* name,
                         const CondSceneIssue* issue)
{
    if (status)
        cond_error_set(error, status, "%s '%.*s': %s%s%s", word, COND_NAME_SIZE - 1, name,
                       issue->field, *issue->field ? ": " : "", issue->text);
    return status;
}

// A definition as programs make it, of any age, becomes one of this library's.
static CondStatus take(const void* def, void* own, size_t known, size_t at, const char* function,
                       CondSceneIssue* issue)
{
    CondError inner;
    if (!cond_definition_take(def, own, known, at, function, &inner))
        return COND_OK;
    return cond_scene_issue_set(issue, "", "%s", inner.message);
}

// The joints of a program that knows no more of them than their motors.
static CondStatus widen_joints(CondScene* scene, CondBodyDef* def, CondSceneIssue* issue)
{
    size_t known = offsetof(CondJointDef, bounded);
    CondJointDef* joint =
        cond_arena_allocate(&scene->arena, (size_t)def->n_joint, sizeof *def->joint);
    Kind kind = KIND(scene, body);
    if (!joint)
        return no_memory(&kind, issue);
    for (int i = 0; i < def->n_joint; i++) {
        joint[i] = cond_joint_def_default();
        memcpy(&joint[i], (const char*)def->joint + (size_t)i * known, known);
    }
    def->joint = joint;
    return COND_OK;
}

CondStatus cond_scene_add_body(CondScene* scene, const CondBodyDef* def, CondError* error)
{
    CondSceneIssue issue;
    CondBodyDef own = cond_body_def_default();
    CondStatus status = take(def, &own, sizeof own, offsetof(CondBodyDef, struct_size),
                             "cond_body_def_default", &issue);
    if (!status && def->struct_size <= offsetof(CondBodyDef, joint_limits) && own.n_joint > 0 &&
        own.joint)
        status = widen_joints(scene, &own, &issue);
    if (!status)
        status = cond_scene_put_body(scene, &own, &issue);
    if (own.joint != def->joint)
        cond_arena_drop(&scene->arena, (void*)own.joint);
    return report(error, status, "body", def->name, &issue);
}

#define ADD(kind, Type)                                                                            \
    CondStatus cond_scene_add_##kind(CondScene* scene, const Type* def, CondError* error)          \
    {                                                                                              \
        CondSceneIssue issue;                                                                      \
        Type own = cond_##kind##_def_default();                                                    \
        CondStatus status = take(def, &own, sizeof own, offsetof(Type, struct_size),               \
                                 "cond_" #kind "_def_default", &issue);                            \
        if (!status)                                                                               \
            status = cond_scene_put_##kind(scene, &own, &issue);                                   \
        return report(error, status, #kind, def->name, &issue);                                    \
    }

ADD(plane, CondPlaneDef)
ADD(force, CondForceDef)
ADD(spring, CondSpringDef)
ADD(material, CondMaterialDef)
ADD(obstacle, CondObstacleDef)
ADD(patch, CondPatchDef)
ADD(attachment, CondAttachmentDef)
ADD(trajectory, CondTrajectoryDef)
ADD(sensor, CondSensorDef)
ADD(variation, CondVariationDef)
ADD(action, CondActionDef)
ADD(reward, CondRewardDef)
ADD(observation, CondObservationDef)
ADD(exclude, CondExcludeDef)
