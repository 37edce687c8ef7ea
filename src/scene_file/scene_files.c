// The readers that libcond_io brings for the files a scene names.
#include "scene/scene_files.h"

#include "base/error.h"
#include "base/memory.h"
#include "mesh_file/heights_read.h"
#include "robot_file/srdf.h"
#include "robot_file/urdf.h"

#include <stdlib.h>
#include <string.h>

static CondStatus read_mesh(const CondContext* context, const char* path, CondMesh** mesh,
                            CondError* error)
{
    return cond_mesh_read(context, path, mesh, NULL, error);
}

// The folders of packages: those of the scene, then those that the environment names for ROS.
static CondStatus read_robot(const CondContext* context, const char* path, int floating,
                             const char* package_dirs, CondArticulation** robot, CondError* error)
{
    const char* part[] = {package_dirs, getenv("ROS_PACKAGE_PATH"), getenv("AMENT_PREFIX_PATH")};
    CondContext m = cond_context_or_default(context);
    size_t length = 1;
    for (int i = 0; i < 3; i++)
        length += part[i] ? strlen(part[i]) + 1 : 0;
    char* all = cond_allocate(&m, length, 1);
    if (!all)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "no memory for the folders of packages");
    for (int i = 0; i < 3; i++)
        if (part[i])
            strcat(strcat(all, part[i]), ":");
    const CondUrdfOptions options = {.package_path = all, .floating = floating};
    CondStatus status = cond_urdf_read(context, path, &options, robot, error);
    cond_release(&m, all);
    return status;
}

const CondSceneFiles* cond_scene_files(void)
{
    static const CondSceneFiles files = {read_mesh, cond_mesh_hull, read_robot, cond_srdf_read,
                                         cond_heights_read};
    return &files;
}
