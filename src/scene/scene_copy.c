// A copy of a scene in memory: its settings, meshes and definitions, and what its reader noted of
// files, lines and groups.
#include "base/error.h"
#include "scene/scene.h"

#include <string.h>

// What a reader noted: the file, the lines of definitions, warnings, the names of groups.
static CondStatus copy_notes(const CondScene* scene, CondScene* copy)
{
    CondArena* arena = &copy->arena;
    if (scene->file && cond_scene_note_file(copy, scene->file))
        return COND_OUT_OF_MEMORY;
    for (int kind = 0; kind < COND_SCENE_N_KIND; kind++)
        for (int i = 0; i < scene->n_line[kind]; i++)
            if (cond_scene_note_line(copy, (CondSceneKind)kind, i, scene->line[kind][i]))
                return COND_OUT_OF_MEMORY;
    for (int i = 0; i < scene->n_warning; i++)
        if (cond_scene_warn(copy, "%s", scene->warning[i]))
            return COND_OUT_OF_MEMORY;
    if (scene->n_group > 0) {
        if (COND_RESERVE(arena, copy->group, scene->n_group))
            return COND_OUT_OF_MEMORY;
        memcpy(copy->group, scene->group, (size_t)scene->n_group * sizeof *scene->group);
        copy->n_group = scene->n_group;
    }
    return COND_OK;
}

// Meshes before the definitions that name them, and these in the order of kinds, in which each may
// name those before.
static CondStatus copy_definitions(const CondScene* scene, CondScene* copy, CondError* error)
{
    CondStatus status = COND_OK;
    for (int i = 0; i < scene->n_mesh && !status; i++)
        status = cond_scene_add_mesh(copy, scene->mesh[i].name, &scene->mesh[i].mesh, error);
    for (int k = 0; k < COND_SCENE_N_KIND && !status; k++) {
        CondSceneKind kind = (CondSceneKind)k;
        int n = kind == COND_SCENE_MESH ? 0 : cond_scene_count(scene, kind);
        for (int i = 0; i < n && !status; i++)
            status = cond_scene_add(copy, kind, cond_scene_get(scene, kind, i), NULL, error);
    }
    return status;
}

CondStatus cond_scene_copy(const CondScene* scene, CondScene** copy, CondError* error)
{
    *copy = NULL;
    CondScene* made;
    CondStatus status = cond_scene_create(&scene->arena.context, &made, error);
    if (status)
        return status;
    made->files = scene->files;
    made->settings = scene->settings;
    if (copy_notes(scene, made))
        status = cond_error_set(error, COND_OUT_OF_MEMORY, "no memory for the copy of a scene");
    else
        status = copy_definitions(scene, made, error);
    if (status)
        cond_scene_destroy(made);
    else
        *copy = made;
    return status;
}
