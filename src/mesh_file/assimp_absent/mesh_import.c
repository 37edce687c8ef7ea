// A build without assimp.
#include "mesh_file/mesh_import.h"

#include "base/error.h"

int cond_mesh_import_available(void)
{
    return 0;
}

CondStatus cond_mesh_read_import(CondMeshFile* file)
{
    return cond_error_set(file->error, COND_NOT_SUPPORTED,
                          "%s: meshes in %s are read by assimp, and this build is made without it "
                          "(build with -DCOND_ASSIMP=ON, or convert the mesh to .obj or .stl)",
                          file->path, cond_mesh_import_format(file->path));
}

CondStatus cond_coloured_mesh_import(CondMeshFile* file, CondColouredMesh* mesh)
{
    (void)mesh;
    return cond_mesh_read_import(file);
}
