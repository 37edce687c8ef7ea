// The readers that libcond_io brings for the files a scene names.
#include "scene/scene_files.h"

#include "io/srdf.h"
#include "io/urdf.h"

#include <stdlib.h>

static CondStatus read_mesh(const CondContext* context, const char* path, CondMesh** mesh,
                            CondError* error)
{
    return cond_mesh_read(context, path, mesh, NULL, error);
}

static CondStatus read_robot(const CondContext* context, const char* path, int floating,
                             CondArticulation** robot, CondError* error)
{
    const CondUrdfOptions options = {.package_path = getenv("ROS_PACKAGE_PATH"),
                                     .floating = floating};
    return cond_urdf_read(context, path, &options, robot, error);
}

const CondSceneFiles* cond_scene_files(void)
{
    static const CondSceneFiles files = {read_mesh, cond_mesh_hull, read_robot, cond_srdf_read};
    return &files;
}
