// MuJoCo's own binary meshes, which share their ending .msh with those of gmsh: four counts, then
// positions, normals and texture coordinates as floats, then the corners of the faces.
#include "mesh_file/mesh_file.h"

#include <string.h>

int cond_mesh_is_mujoco(const CondMeshFile* file)
{
    int32_t count[4];
    if (file->size < sizeof count || memcmp(file->data, "$Mesh", 5) == 0)
        return 0;
    memcpy(count, file->data, sizeof count);
    for (int k = 0; k < 4; k++)
        if (count[k] < 0)
            return 0;
    uint64_t bytes = sizeof count + 12 * (uint64_t)count[0] + 12 * (uint64_t)count[1] +
                     8 * (uint64_t)count[2] + 12 * (uint64_t)count[3];
    return bytes == file->size;
}

static CondStatus read_float(CondMeshFile* file, const char* what, double* value)
{
    float number;
    CondStatus status = cond_mesh_file_bytes(file, what, &number, sizeof number);
    *value = number;
    return status;
}

CondStatus cond_mesh_read_mujoco(CondMeshFile* file)
{
    int32_t count[4];
    file->binary = 1;
    CondStatus status = COND_OK;
    for (int k = 0; k < 4 && !status; k++)
        status = cond_mesh_file_int32(file, "a count", &count[k]);
    if (!status)
        status = cond_mesh_file_reserve(file, count[0], 0, count[3]);
    for (int i = 0; i < count[0] && !status; i++) {
        double place[3];
        size_t at = file->at;
        for (int k = 0; k < 3 && !status; k++)
            status = read_float(file, "a vertex", &place[k]);
        if (!status)
            status = cond_mesh_file_add_node(file, at, i, place);
    }
    if (!status) // normals and texture coordinates
        file->at += 12 * (size_t)count[1] + 8 * (size_t)count[2];
    for (int i = 0; i < count[3] && !status; i++) {
        int64_t corner[3];
        size_t at = file->at;
        for (int k = 0; k < 3 && !status; k++) {
            int32_t one = 0;
            status = cond_mesh_file_int32(file, "a corner", &one);
            corner[k] = one;
        }
        if (!status)
            status = cond_mesh_file_add_element(file, at, i, 3, corner);
    }
    return status;
}
