// Shapes and orientations, which bodies, obstacles and waypoints have in common; paths of files.
#include "scene_file/scene_part.h"

#include "scene/scene_files.h"
#include "scene/shape_kind.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

CondStatus cond_shape_read(const CondSceneReader* reader, const char* name,
                           const CondYamlNode* node, const char* path, void* structure,
                           CondShapeKind* shape, CondSection* section)
{
    *shape = COND_SHAPE_NONE;
    CondStatus status = cond_section_read(reader, name, node, path, structure, section);
    if (status)
        return status;
    int n_given = 0;
    const CondShapeRow* row;
    for (int i = COND_SHAPE_BOX; (row = cond_shape_row((CondShapeKind)i)); ++i) {
        if (!cond_section_node(section, row->name))
            continue;
        *shape = (CondShapeKind)i;
        ++n_given;
    }
    if (n_given == 1)
        return COND_OK;
    char known[160] = "";
    size_t length = 0;
    for (int i = 0; i < section->n_key && length < sizeof known; ++i) {
        const char* key = section->key[i].text.key;
        int is_shape = 0; // and not a size beside one
        for (int k = COND_SHAPE_BOX; (row = cond_shape_row((CondShapeKind)k)); ++k)
            is_shape = is_shape || strcmp(row->name, key) == 0;
        if (is_shape)
            length += (size_t)snprintf(known + length, sizeof known - length, "%s%s",
                                       length ? ", " : "", key);
    }
    return cond_scene_refuse(reader, node, path, "expected one of %s", known);
}

// orientation = (cos(angle/2), sin(angle/2) axis / |axis|)
static CondStatus read_rotation(const CondSceneReader* reader, const char* name,
                                const CondYamlNode* node, const char* path, double* orientation)
{
    CondRotationDraft rotation = {{0.0, 0.0, 0.0}, 0.0};
    CondSection section;
    CondStatus status = cond_section_read(reader, name, node, path, &rotation, &section);
    if (status)
        return status;
    const double* axis = rotation.axis;
    double length = hypot(hypot(axis[0], axis[1]), axis[2]);
    if (!(length > 0.0 && isfinite(length))) {
        char at[COND_KEY_PATH_SIZE];
        cond_path_join(at, path, "axis");
        return cond_scene_refuse(reader, cond_section_node(&section, "axis"), at,
                                 "must not be zero");
    }
    double half = fmod(rotation.degrees, 2.0 * 360.0) * (3.14159265358979323846 / 360.0);
    orientation[0] = cos(half);
    for (int i = 0; i < 3; ++i)
        orientation[1 + i] = sin(half) * (axis[i] / length);
    return COND_OK;
}

CondStatus cond_rotation_read(const CondSceneReader* reader, const CondSection* section,
                              const char* name, const char* path, double* orientation)
{
    const CondYamlNode* node = cond_section_node(section, "rotation");
    if (!node)
        return COND_OK;
    char at[COND_KEY_PATH_SIZE];
    cond_path_join(at, path, "rotation");
    if (cond_section_node(section, "orientation"))
        return cond_scene_refuse(reader, node, at,
                                 "orientation is given already; only one of them may be");
    return read_rotation(reader, name, node, at, orientation);
}

CondStatus cond_path_resolve(const CondSceneReader* reader, const CondYamlNode* node,
                             const char* path, char* text)
{
    const char* slash = strrchr(reader->file, '/');
    if (!node || !*text || *text == '/' || !slash || cond_mesh_is_recipe(text) ||
        (reader->scene && cond_scene_find_mesh(reader->scene, text))) // studies have no scene
        return COND_OK;
    size_t folder = (size_t)(slash - reader->file) + 1;
    size_t length = strlen(text);
    if (folder + length >= COND_PATH_SIZE)
        return cond_scene_refuse(reader, node, path,
                                 "the path is longer than %d bytes, with the folder of the scene",
                                 COND_PATH_SIZE - 1);
    memmove(text + folder, text, length + 1);
    memcpy(text, reader->file, folder);
    return COND_OK;
}
