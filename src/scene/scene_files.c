// How a scene gets at the files that its definitions name.
#include "scene/scene_files.h"

#include "base/error.h"
#include "scene/terrain.h"

void cond_scene_set_files(CondScene* scene, const CondSceneFiles* files)
{
    scene->files = files;
}

static CondStatus cannot_read(const char* path, CondError* error)
{
    return cond_error_set(error, COND_NOT_SUPPORTED,
                          "%.1000s: this scene has no reader of files (cond_scene_set_files)",
                          path);
}

CondStatus cond_scene_get_mesh(const CondScene* scene, const char* path, CondMesh** mesh,
                               CondError* error)
{
    *mesh = NULL;
    const CondSceneMesh* own = cond_scene_find_mesh(scene, path);
    if (own)
        return cond_scene_copy_mesh(scene, own, mesh, error);
    if (cond_mesh_is_recipe(path))
        return cond_mesh_make(&scene->arena.context, path, mesh, error);
    if (!scene->files)
        return cannot_read(path, error);
    return scene->files->read_mesh(&scene->arena.context, path, mesh, error);
}

CondStatus cond_scene_get_robot(const CondScene* scene, const char* path, int floating,
                                const char* package_dirs, struct CondArticulation** robot,
                                CondError* error)
{
    *robot = NULL;
    if (!scene->files)
        return cannot_read(path, error);
    return scene->files->read_robot(&scene->arena.context, path, floating, package_dirs, robot,
                                    error);
}

CondStatus cond_scene_get_disabled(const CondScene* scene, const char* path,
                                   struct CondArticulation* robot, CondError* error)
{
    if (!scene->files)
        return cannot_read(path, error);
    return scene->files->read_disabled(&scene->arena.context, path, robot, error);
}

CondStatus cond_scene_get_heights(const CondScene* scene, const char* path,
                                  struct CondHeights* heights, CondError* error)
{
    if (cond_heights_is_recipe(path))
        return cond_heights_make(&scene->arena.context, path, heights, error);
    if (!scene->files)
        return cannot_read(path, error);
    return scene->files->read_heights(&scene->arena.context, path, heights, error);
}
