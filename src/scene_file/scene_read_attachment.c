// Obstacles and trajectories of a scene file.
#include "base/error.h"
#include "base/memory.h"
#include "scene/terrain.h"
#include "scene_file/scene_part.h"

#include <math.h>
#include <string.h>

// Heights: rows of numbers, or the text of a file or generator.
static CondStatus read_heights(const CondSceneReader* reader, const CondYamlNode* node,
                               const char* path, CondObstacleDef* def, double** heights)
{
    static const CondKey number = {.text = {"", "", "number", "", "", ""}, .type = COND_KEY_NUMBER};
    const CondKey* key = cond_keys_find("obstacles.shape", "heightfield");
    int n = 0;
    if (node->kind == COND_YAML_SCALAR && strlen(node->text) < sizeof def->mesh) {
        strcpy(def->mesh, node->text);
        return cond_heights_is_recipe(def->mesh) ? COND_OK
                                                 : cond_path_resolve(reader, node, path, def->mesh);
    }
    if (node->kind != COND_YAML_SEQUENCE || !node->first || node->first->kind != COND_YAML_SEQUENCE)
        return cond_scene_refuse_type(reader, key, node, path);
    def->n_row = node->n_child;
    def->n_column = node->first->n_child;
    *heights = cond_allocate(&reader->context, (size_t)def->n_row * (size_t)def->n_column,
                             sizeof **heights);
    if (!*heights)
        return cond_error_set(reader->error, COND_OUT_OF_MEMORY, "no memory for %s", path);
    def->heights = *heights;
    for (const CondYamlNode* row = node->first; row; row = row->next) {
        if (row->kind != COND_YAML_SEQUENCE || row->n_child != def->n_column)
            return cond_scene_refuse(reader, row, path, "expected a row of %d numbers",
                                     def->n_column);
        for (const CondYamlNode* value = row->first; value; value = value->next) {
            CondStatus status =
                cond_scene_read_number(reader, &number, value, path, &(*heights)[n++]);
            if (status)
                return status;
        }
    }
    return COND_OK;
}

CondStatus cond_obstacle_read(const CondSceneReader* reader, const CondYamlNode* node,
                              const char* path, int place, void* target)
{
    (void)place;
    (void)target;
    static const char* const files[] = {"mesh", "convex", "terrain"};
    CondObstacleDef def = cond_obstacle_def_default();
    double* heights = NULL;
    CondSection section, shape;
    CondSceneIssue issue;
    char at[COND_KEY_PATH_SIZE];
    CondStatus status = cond_section_read(reader, "obstacles", node, path, &def, &section);
    if (!status) {
        cond_path_join(at, path, "shape");
        status = cond_shape_read(reader, "obstacles.shape", cond_section_node(&section, "shape"),
                                 at, &def, &def.shape, &shape);
    }
    for (int k = 0; k < 3 && !status; k++)
        status = cond_path_resolve(reader, cond_section_node(&shape, files[k]), at, def.mesh);
    if (!status && def.shape == COND_SHAPE_HEIGHTFIELD)
        status = read_heights(reader, cond_section_node(&shape, "heightfield"), at, &def, &heights);
    if (!status)
        status = cond_rotation_read(reader, &section, "obstacles.rotation", path, def.orientation);
    if (!status) {
        status = cond_scene_put_def(reader->scene, COND_SCENE_OBSTACLE, &def, &issue);
        if (status)
            status = cond_scene_refuse_issue(reader, status, node, path, &issue);
    }
    cond_release(&reader->context, heights);
    return status;
}

static CondStatus read_waypoint(const CondSceneReader* reader, const CondYamlNode* node,
                                const char* path, int place, void* target)
{
    CondWaypoint* waypoint = (CondWaypoint*)target + place;
    CondSection section;
    *waypoint = cond_waypoint_default();
    CondStatus status =
        cond_section_read(reader, "trajectories.waypoints", node, path, waypoint, &section);
    if (status)
        return status;
    return cond_rotation_read(reader, &section, "trajectories.waypoints.rotation", path,
                              waypoint->orientation);
}

CondStatus cond_trajectory_read(const CondSceneReader* reader, const CondYamlNode* node,
                                const char* path, int place, void* target)
{
    (void)place;
    (void)target;
    CondTrajectoryDef def = cond_trajectory_def_default();
    CondSection section;
    CondStatus status = cond_section_read(reader, "trajectories", node, path, &def, &section);
    if (status)
        return status;
    const CondYamlNode* list = cond_section_node(&section, "waypoints");
    char at[COND_KEY_PATH_SIZE];
    cond_path_join(at, path, "waypoints");
    CondWaypoint* waypoints =
        cond_allocate(&reader->context, (size_t)list->n_child, sizeof *waypoints);
    if (!waypoints)
        return cond_error_set(reader->error, COND_OUT_OF_MEMORY, "no memory for %s", at);
    def.n_waypoint = list->n_child;
    def.waypoint = waypoints;
    status = cond_list_read(reader, cond_keys_find("trajectories", "waypoints"), list, at,
                            read_waypoint, waypoints);
    if (!status) {
        CondSceneIssue issue;
        status = cond_scene_put_def(reader->scene, COND_SCENE_TRAJECTORY, &def, &issue);
        if (status)
            status = cond_scene_refuse_issue(reader, status, node, path, &issue);
    }
    cond_release(&reader->context, waypoints);
    return status;
}
