// Meshes of a scene file: nodes, tetrahedra and triangles as numbers.
#include "base/error.h"
#include "base/memory.h"
#include "cond/mesh.h"
#include "scene_file/scene_part.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

static int length(const CondYamlNode* list)
{
    return list && list->kind == COND_YAML_SEQUENCE ? list->n_child : 0;
}

static CondStatus check_list(const CondSceneReader* reader, const char* key,
                             const CondYamlNode* list, const char* path)
{
    return list && list->kind != COND_YAML_SEQUENCE
               ? cond_scene_refuse_type(reader, cond_keys_find("meshes", key), list, path)
               : COND_OK;
}

// A list of lists of n numbers of nodes.
static CondStatus read_corners(const CondSceneReader* reader, const CondYamlNode* list, int n,
                               const char* path, int* corner)
{
    CondKey key = {.text = {"", "", n == 4 ? "list of 4 nodes" : "list of 3 nodes", "", "", ""},
                   .type = COND_KEY_VECTOR,
                   .count = n};
    int at = 0;
    for (const CondYamlNode* row = list ? list->first : NULL; row; row = row->next, at += n) {
        char place[COND_KEY_PATH_SIZE + 16];
        double number[4];
        snprintf(place, sizeof place, "%s[%d]", path, at / n);
        CondStatus status = cond_scene_read_value(reader, &key, row, place, number);
        for (int k = 0; k < n && !status; k++) {
            if (number[k] != floor(number[k]) || !(fabs(number[k]) < INT_MAX))
                return cond_scene_refuse(reader, row, place, "expected the number of a node");
            corner[at + k] = (int)number[k];
        }
        if (status)
            return status;
    }
    return COND_OK;
}

static CondStatus fill(const CondSceneReader* reader, const CondSection* section, const char* path,
                       CondMesh* mesh)
{
    char at[COND_KEY_PATH_SIZE];
    const CondYamlNode* nodes = cond_section_node(section, "nodes");
    int n = 0;
    CondStatus status = COND_OK;
    cond_path_join(at, path, "nodes");
    for (const CondYamlNode* point = nodes->first; point && !status; point = point->next, n++) {
        char place[COND_KEY_PATH_SIZE + 16];
        snprintf(place, sizeof place, "%s[%d]", at, n);
        status = cond_scene_read_point(reader, point, place, mesh->node + 3 * (size_t)n);
    }
    cond_path_join(at, path, "tets");
    if (!status)
        status = read_corners(reader, cond_section_node(section, "tets"), 4, at, mesh->tet);
    cond_path_join(at, path, "triangles");
    if (!status)
        status =
            read_corners(reader, cond_section_node(section, "triangles"), 3, at, mesh->triangle);
    return status;
}

CondStatus cond_mesh_read_entry(const CondSceneReader* reader, const CondYamlNode* node,
                                const char* path, int place, void* target)
{
    (void)place;
    (void)target;
    static const char* const keys[] = {"nodes", "tets", "triangles"};
    CondSceneMesh draft = {.name = ""};
    CondSection section;
    CondMesh* mesh = NULL;
    CondError inner = {COND_OK, ""};
    CondStatus status = cond_section_read(reader, "meshes", node, path, &draft, &section);
    for (size_t k = 0; k < sizeof keys / sizeof *keys && !status; k++) {
        char at[COND_KEY_PATH_SIZE];
        cond_path_join(at, path, keys[k]);
        status = check_list(reader, keys[k], cond_section_node(&section, keys[k]), at);
    }
    if (status)
        return status;
    status = cond_mesh_create(&reader->context, length(cond_section_node(&section, "nodes")),
                              length(cond_section_node(&section, "tets")),
                              length(cond_section_node(&section, "triangles")), &mesh, &inner);
    if (!status && (status = fill(reader, &section, path, mesh))) {
        cond_mesh_destroy(mesh);
        return status;
    }
    if (!status)
        status = cond_scene_add_mesh(reader->scene, draft.name, mesh, &inner);
    cond_mesh_destroy(mesh);
    if (status == COND_BAD_ARGUMENT)
        return cond_scene_refuse(reader, node, path, "%s", inner.message);
    return status ? cond_error_set(reader->error, status, "%s", inner.message) : COND_OK;
}
