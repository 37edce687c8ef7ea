// Bodies of a scene file: the fields as the table says, then what is nested in them.
#include "base/error.h"
#include "base/memory.h"
#include "scene_file/scene_part.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static CondStatus read_points(const CondSceneReader* reader, const CondYamlNode* list,
                              const char* path, CondBodyDef* def, double** points)
{
    if (list->kind != COND_YAML_SEQUENCE || list->n_child == 0)
        return cond_scene_refuse_type(reader, cond_keys_find("bodies.shape", "points"), list, path);
    *points = cond_allocate(&reader->context, (size_t)list->n_child, 3 * sizeof **points);
    if (!*points)
        return cond_error_set(reader->error, COND_OUT_OF_MEMORY, "no memory for %s", path);
    int n = 0;
    for (const CondYamlNode* point = list->first; point; point = point->next, ++n) {
        char at[COND_KEY_PATH_SIZE + 16];
        snprintf(at, sizeof at, "%s[%d]", path, n);
        CondStatus status = cond_scene_read_point(reader, point, at, *points + 3 * (size_t)n);
        if (status)
            return status;
    }
    def->n_point = n;
    def->point = *points;
    return COND_OK;
}

static CondStatus read_shape(const CondSceneReader* reader, const CondYamlNode* node,
                             const char* path, CondBodyDef* def, double** points)
{
    if (!node || (node->kind == COND_YAML_SCALAR && strcmp(node->text, "none") == 0))
        return COND_OK;
    CondSection section;
    char at[COND_KEY_PATH_SIZE];
    cond_path_join(at, path, "shape");
    CondStatus status =
        cond_shape_read(reader, "bodies.shape", node, at, def, &def->shape, &section);
    for (int k = 0; k < 2 && !status; k++)
        status = cond_path_resolve(reader, cond_section_node(&section, k ? "mesh" : "convex"), at,
                                   def->mesh);
    const CondYamlNode* list = status ? NULL : cond_section_node(&section, "points");
    if (!list)
        return status;
    cond_path_join(at, path, "shape.points");
    return read_points(reader, list, at, def, points);
}

static CondStatus read_rod(const CondSceneReader* reader, const CondYamlNode* node,
                           const char* path, CondBodyDef* def, double** points)
{
    if (!node)
        return COND_OK;
    CondSection section;
    char at[COND_KEY_PATH_SIZE];
    cond_path_join(at, path, "rod");
    CondStatus status = cond_section_read(reader, "bodies.rod", node, at, def, &section);
    const CondYamlNode* list = status ? NULL : cond_section_node(&section, "points");
    if (!list)
        return status;
    def->rod.shape = COND_ROD_POINTS;
    cond_path_join(at, path, "rod.points");
    return read_points(reader, list, at, def, points);
}

static CondStatus read_joint(const CondSceneReader* reader, const CondYamlNode* node,
                             const char* path, int place, void* target)
{
    CondJointDef* joint = (CondJointDef*)target + place;
    CondSection section;
    *joint = cond_joint_def_default();
    return cond_section_read(reader, "bodies.joints", node, path, joint, &section);
}

static CondStatus read_joints(const CondSceneReader* reader, const CondYamlNode* list,
                              const char* path, CondBodyDef* def, CondJointDef** joints)
{
    if (!list)
        return COND_OK;
    char at[COND_KEY_PATH_SIZE];
    cond_path_join(at, path, "joints");
    *joints = cond_allocate(&reader->context, (size_t)list->n_child, sizeof **joints);
    if (!*joints)
        return cond_error_set(reader->error, COND_OUT_OF_MEMORY, "no memory for %s", at);
    def->n_joint = list->n_child;
    def->joint = *joints;
    return cond_list_read(reader, cond_keys_find("bodies", "joints"), list, at, read_joint,
                          *joints);
}

static CondStatus read_link_group(const CondSceneReader* reader, const CondYamlNode* node,
                                  const char* path, int place, void* target)
{
    CondSection section;
    return cond_section_read(reader, "bodies.link_groups", node, path,
                             (CondLinkGroups*)target + place, &section);
}

static CondStatus read_link_groups(const CondSceneReader* reader, const CondYamlNode* list,
                                   const char* path, CondBodyDef* def, CondLinkGroups** links)
{
    if (!list)
        return COND_OK;
    char at[COND_KEY_PATH_SIZE];
    cond_path_join(at, path, "link_groups");
    *links = cond_allocate(&reader->context, (size_t)list->n_child, sizeof **links);
    if (!*links)
        return cond_error_set(reader->error, COND_OUT_OF_MEMORY, "no memory for %s", at);
    for (int i = 0; i < list->n_child; i++)
        (*links)[i] = (CondLinkGroups){.groups = def->groups, .touches = def->touches};
    def->n_link_groups = list->n_child;
    def->link_groups = *links;
    return cond_list_read(reader, cond_keys_find("bodies", "link_groups"), list, at,
                          read_link_group, *links);
}

static CondStatus read_motor(const CondSceneReader* reader, const CondYamlNode* node,
                             const char* path, CondBodyDef* def)
{
    if (!node)
        return COND_OK;
    CondSection section;
    char at[COND_KEY_PATH_SIZE];
    cond_path_join(at, path, "motor");
    return cond_section_read(reader, "bodies.motor", node, at, def, &section);
}

static CondStatus read_path(const CondSceneReader* reader, const CondSection* section,
                            const char* key, const char* path, char* text)
{
    char at[COND_KEY_PATH_SIZE];
    cond_path_join(at, path, key);
    return cond_path_resolve(reader, cond_section_node(section, key), at, text);
}

// Adds a folder, relative to that of the scene, to those before it.
static CondStatus read_package_dir(const CondSceneReader* reader, const CondYamlNode* node,
                                   const char* path, int place, void* target)
{
    char folder[COND_PATH_SIZE], *dirs = target;
    (void)place;
    if (node->kind != COND_YAML_SCALAR || strlen(node->text) >= sizeof folder)
        return cond_scene_refuse(reader, node, path, "must be a text of at most %d bytes",
                                 COND_PATH_SIZE - 1);
    strcpy(folder, node->text);
    CondStatus status = cond_path_resolve(reader, node, path, folder);
    size_t length = strlen(dirs);
    if (status)
        return status;
    if (length + strlen(folder) + 2 > COND_DIRS_SIZE)
        return cond_scene_refuse(reader, node, path,
                                 "the folders are longer than %d bytes together",
                                 COND_DIRS_SIZE - 1);
    snprintf(dirs + length, COND_DIRS_SIZE - length, "%s%s", length ? ":" : "", folder);
    return COND_OK;
}

static CondStatus read_package_dirs(const CondSceneReader* reader, const CondYamlNode* list,
                                    const char* path, CondBodyDef* def)
{
    char at[COND_KEY_PATH_SIZE];
    cond_path_join(at, path, "package_dirs");
    return list ? cond_list_read(reader, cond_keys_find("bodies", "package_dirs"), list, at,
                                 read_package_dir, def->package_dirs)
                : COND_OK;
}

static CondStatus put_body(const CondSceneReader* reader, const CondSection* section,
                           const CondYamlNode* node, const char* path, const CondBodyDef* def)
{
    CondSceneIssue issue;
    CondStatus status = cond_scene_put_def(reader->scene, COND_SCENE_BODY, def, &issue);
    if (!status)
        return COND_OK;
    // A rotation is what the file called it.
    if (strcmp(issue.field, "orientation") == 0 && cond_section_node(section, "rotation"))
        strcpy(issue.field, "rotation");
    return cond_scene_refuse_issue(reader, status, node, path, &issue);
}

CondStatus cond_body_read(const CondSceneReader* reader, const CondYamlNode* node, const char* path,
                          int place, void* target)
{
    (void)place;
    (void)target;
    CondBodyDef def = cond_body_def_default();
    double* points = NULL;
    CondJointDef* joints = NULL;
    CondLinkGroups* links = NULL;
    CondSection section;
    CondStatus status = cond_section_read(reader, "bodies", node, path, &def, &section);
    def.inertia_from_shape = status || !cond_section_node(&section, "inertia");
    if (!status && def.kind == COND_BODY_RIGID && cond_section_node(&section, "mesh"))
        status = cond_scene_refuse(reader, cond_section_node(&section, "mesh"), path,
                                   "a rigid body has none: its surface is given as shape: {mesh: "
                                   "FILE} or {convex: FILE}");
    if (!status)
        status = read_shape(reader, cond_section_node(&section, "shape"), path, &def, &points);
    if (!status && !points)
        status = read_rod(reader, cond_section_node(&section, "rod"), path, &def, &points);
    if (!status)
        status = cond_rotation_read(reader, &section, "bodies.rotation", path, def.orientation);
    if (!status)
        status = read_joints(reader, cond_section_node(&section, "joints"), path, &def, &joints);
    if (!status)
        status = cond_links_read(reader, cond_section_node(&section, "links"), path, &def);
    if (!status)
        status = read_link_groups(reader, cond_section_node(&section, "link_groups"), path, &def,
                                  &links);
    if (!status)
        status = read_motor(reader, cond_section_node(&section, "motor"), path, &def);
    if (!status && (def.kind == COND_BODY_SOFT || def.kind == COND_BODY_SHELL))
        status = read_path(reader, &section, "mesh", path, def.mesh);
    if (!status)
        status = read_path(reader, &section, "urdf", path, def.urdf);
    if (!status)
        status = read_path(reader, &section, "srdf", path, def.srdf);
    if (!status)
        status = read_package_dirs(reader, cond_section_node(&section, "package_dirs"), path, &def);
    if (!status)
        status = put_body(reader, &section, node, path, &def);
    cond_release(&reader->context, points);
    cond_release(&reader->context, joints);
    cond_links_release(&reader->context, &def);
    cond_release(&reader->context, links);
    return status;
}
