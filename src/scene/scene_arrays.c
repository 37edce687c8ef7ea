// Arrays within definitions: joints, links, shapes, groups, waypoints, points and heights. A
// program says how far its elements are apart, which is their size in the headers it was compiled
// with; the scene's own copies have the size that this library knows, with defaults where a program
// knew less.
#include "base/definition.h"
#include "scene/scene_check.h"
#include "scene/scene_kind.h"

#include <string.h>

// An array of structs in a definition, as a program of any age gives it.
typedef struct Array {
    const char* field; // of the scene file, for messages
    const void* first;
    int n;
    size_t stride;        // 0: a program of version 0.1
    size_t first_stride;  // what it is then
    const void* defaults; // of an element, of `size` bytes
    size_t size;
} Array;

// What is not there, or cannot be, becomes NULL: the check of the definition says so.
static CondStatus copy_array(CondScene* scene, const Array* array, void** copy,
                             CondSceneIssue* issue)
{
    size_t stride = array->stride ? array->stride : array->first_stride;
    *copy = NULL;
    if (array->n <= 0 || !array->first)
        return COND_OK;
    if (!cond_definition_fits(stride, array->size))
        return cond_scene_issue_set(issue, array->field,
                                    "an element has %zu bytes and this library knows %zu: it is "
                                    "older than the headers, or the definition was not made by its "
                                    "default function",
                                    stride, array->size);
    char* own = cond_arena_allocate(&scene->arena, (size_t)array->n, array->size);
    *copy = own;
    if (!own) {
        cond_scene_issue_set(issue, array->field, "no memory for them");
        return COND_OUT_OF_MEMORY;
    }
    for (int i = 0; i < array->n; i++, own += array->size) {
        memcpy(own, array->defaults, array->size);
        memcpy(own, (const char*)array->first + (size_t)i * stride, stride);
    }
    return COND_OK;
}

// The same of numbers, whose size never changes.
static CondStatus copy_numbers(CondScene* scene, const char* field, const double* number,
                               size_t count, const double** copy, CondSceneIssue* issue)
{
    *copy = NULL;
    if (count == 0 || !number)
        return COND_OK;
    double* own = cond_arena_allocate(&scene->arena, count, sizeof *own);
    if (!own) {
        cond_scene_issue_set(issue, field, "no memory for them");
        return COND_OUT_OF_MEMORY;
    }
    memcpy(own, number, count * sizeof *own);
    *copy = own;
    return COND_OK;
}

static CondStatus copy_links(CondScene* scene, CondBodyDef* def, CondSceneIssue* issue)
{
    const CondLinkDef initial = cond_link_def_default();
    const CondLinkShapeDef plain = cond_link_shape_def_default();
    void* copy;
    CondStatus status =
        copy_array(scene,
                   &(Array){"links", def->link, def->n_link, def->link_stride,
                            offsetof(CondLinkDef, shape_stride), &initial, sizeof initial},
                   &copy, issue);
    // A program of version 0.1 gives no stride of the shapes, wherever those of the links begin.
    int knows = def->link_stride > offsetof(CondLinkDef, shape_stride);
    CondLinkDef* link = copy;
    def->link = link;
    def->link_stride = sizeof *link;
    for (int i = 0; i < def->n_link && link; i++) {
        const CondLinkShapeDef* given = link[i].shape;
        size_t stride = knows ? link[i].shape_stride : 0;
        link[i].shape = NULL;
        link[i].shape_stride = sizeof *link[i].shape;
        if (status)
            continue; // those before it are released
        status = copy_array(
            scene,
            &(Array){"links", given, link[i].n_shape, stride, sizeof plain, &plain, sizeof plain},
            &copy, issue);
        link[i].shape = copy;
    }
    return status;
}

CondStatus cond_body_copy_arrays(CondScene* scene, void* definition, CondSceneIssue* issue)
{
    CondBodyDef* def = definition;
    const CondJointDef joint = cond_joint_def_default();
    const CondLinkGroups groups = cond_link_groups_default();
    const Array joints = {"joints",     def->joint, def->n_joint, def->joint_stride,
                          sizeof joint, &joint,     sizeof joint};
    const Array link_groups = {
        "link_groups", def->link_groups, def->n_link_groups, def->link_groups_stride,
        sizeof groups, &groups,          sizeof groups};
    const double* points = def->point;
    int has_points = def->shape == COND_SHAPE_POINTS ||
                     (def->kind == COND_BODY_ROD && def->rod.shape == COND_ROD_POINTS);
    void *joint_copy = NULL, *groups_copy = NULL;
    CondStatus status = copy_links(scene, def, issue);
    if (!status)
        status = copy_array(scene, &joints, &joint_copy, issue);
    if (!status)
        status = copy_array(scene, &link_groups, &groups_copy, issue);
    def->joint = joint_copy;
    def->joint_stride = sizeof joint;
    def->link_groups = groups_copy;
    def->link_groups_stride = sizeof groups;
    def->point = NULL;
    if (!has_points)
        def->n_point = 0;
    if (!status && def->n_point > 0)
        status =
            copy_numbers(scene, "points", points, 3 * (size_t)def->n_point, &def->point, issue);
    return status;
}

void cond_body_drop_arrays(CondScene* scene, void* definition)
{
    CondBodyDef* def = definition;
    for (int i = 0; i < def->n_link && def->link; i++)
        cond_arena_drop(&scene->arena, (void*)def->link[i].shape);
    cond_arena_drop(&scene->arena, (void*)def->link);
    cond_arena_drop(&scene->arena, (void*)def->joint);
    cond_arena_drop(&scene->arena, (void*)def->link_groups);
    cond_arena_drop(&scene->arena, (void*)def->point);
}

CondStatus cond_obstacle_copy_arrays(CondScene* scene, void* definition, CondSceneIssue* issue)
{
    CondObstacleDef* def = definition;
    const double* heights = def->heights;
    def->heights = NULL;
    return def->n_row > 0 && def->n_column > 0
               ? copy_numbers(scene, "shape.heightfield", heights,
                              (size_t)def->n_row * (size_t)def->n_column, &def->heights, issue)
               : COND_OK;
}

void cond_obstacle_drop_arrays(CondScene* scene, void* definition)
{
    cond_arena_drop(&scene->arena, (void*)((CondObstacleDef*)definition)->heights);
}

CondStatus cond_trajectory_copy_arrays(CondScene* scene, void* definition, CondSceneIssue* issue)
{
    CondTrajectoryDef* def = definition;
    const CondWaypoint waypoint = cond_waypoint_default();
    void* copy;
    CondStatus status =
        copy_array(scene,
                   &(Array){"waypoints", def->waypoint, def->n_waypoint, def->waypoint_stride,
                            sizeof waypoint, &waypoint, sizeof waypoint},
                   &copy, issue);
    def->waypoint = copy;
    def->waypoint_stride = sizeof waypoint;
    return status;
}

void cond_trajectory_drop_arrays(CondScene* scene, void* definition)
{
    cond_arena_drop(&scene->arena, (void*)((CondTrajectoryDef*)definition)->waypoint);
}

void cond_scene_mesh_drop(CondScene* scene, CondSceneMesh* mesh)
{
    cond_arena_drop(&scene->arena, mesh->mesh.node);
    cond_arena_drop(&scene->arena, mesh->mesh.tet);
    cond_arena_drop(&scene->arena, mesh->mesh.triangle);
}
