// Access of a scene to the files that its definitions name. The core reads no formats: libcond_io
// has a table of readers (cond_scene_files), and a program may supply another.
#ifndef COND_SCENE_SCENE_FILES_H
#define COND_SCENE_SCENE_FILES_H

#include "cond/mesh.h"
#include "scene/scene.h"

struct CondArticulation;
struct CondHeights;

struct CondSceneFiles {
    CondStatus (*read_mesh)(const CondContext* context, const char* path, CondMesh** mesh,
                            CondError* error);
    // The convex hull of a mesh that is not closed; see cond_mesh_hull.
    CondStatus (*make_hull)(const CondMesh* mesh, CondMesh** hull, CondError* error);
    // floating: the root link moves freely, even if the file does not say so. package_dirs: folders
    // of packages, separated by colons.
    CondStatus (*read_robot)(const CondContext* context, const char* path, int floating,
                             const char* package_dirs, struct CondArticulation** robot,
                             CondError* error);
    // Reads from an SRDF file the links of a robot that never touch.
    CondStatus (*read_disabled)(const CondContext* context, const char* path,
                                struct CondArticulation* robot, CondError* error);
    CondStatus (*read_heights)(const CondContext* context, const char* path,
                               struct CondHeights* heights, CondError* error);
};

// The scene's own mesh of that name, NULL: none; and a copy of it, which the caller destroys.
const CondSceneMesh* cond_scene_find_mesh(const CondScene* scene, const char* name);
CondStatus cond_scene_copy_mesh(const CondScene* scene, const CondSceneMesh* mesh, CondMesh** copy,
                                CondError* error);

// A mesh by its name in the scene, its path or its generator; COND_NOT_SUPPORTED if the scene has
// no reader.
CondStatus cond_scene_get_mesh(const CondScene* scene, const char* path, CondMesh** mesh,
                               CondError* error);
CondStatus cond_scene_get_robot(const CondScene* scene, const char* path, int floating,
                                const char* package_dirs, struct CondArticulation** robot,
                                CondError* error);
CondStatus cond_scene_get_disabled(const CondScene* scene, const char* path,
                                   struct CondArticulation* robot, CondError* error);
// Heights by their path or their generator.
CondStatus cond_scene_get_heights(const CondScene* scene, const char* path,
                                  struct CondHeights* heights, CondError* error);

#endif
