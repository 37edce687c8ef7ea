// Finds corners with equal positions by hashing, so that they become one node (mesh_weld.h).
#include "mesh_file/mesh_weld.h"

#include "base/memory.h"

#include <string.h>

CondStatus cond_mesh_weld_create(CondMeshFile* file, CondMeshWeld* weld, size_t n_corner)
{
    weld->n_slot = 16;
    while (weld->n_slot < 2 * n_corner)
        weld->n_slot *= 2;
    weld->slot = cond_allocate(&file->context, weld->n_slot, sizeof *weld->slot);
    return weld->slot ? COND_OK : cond_mesh_file_no_memory(file);
}

CondStatus cond_mesh_weld_node(CondMeshFile* file, CondMeshWeld* weld, size_t at,
                               const double given[3], int64_t* index)
{
    double place[3];
    uint64_t hash = 14695981039346656037u, bits;
    for (int k = 0; k < 3; k++) {
        place[k] = given[k] + 0.0; // -0 becomes 0
        memcpy(&bits, &place[k], sizeof bits);
        hash = (hash ^ (bits >> 32) ^ bits) * 1099511628211u;
        hash ^= hash >> 29;
    }
    size_t slot = (size_t)hash & (weld->n_slot - 1);
    for (; weld->slot[slot]; slot = (slot + 1) & (weld->n_slot - 1)) {
        *index = weld->slot[slot] - 1;
        if (memcmp(file->node + 3 * (size_t)*index, place, sizeof place) == 0)
            return COND_OK;
    }
    *index = file->n_node;
    CondStatus status = cond_mesh_file_add_node(file, at, file->n_triangle, place);
    if (status == COND_OK)
        weld->slot[slot] = file->n_node;
    return status;
}
