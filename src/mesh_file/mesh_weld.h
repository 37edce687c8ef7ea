// For triangles given by the positions of their corners: merges equal positions into one node.
#ifndef COND_MESH_FILE_MESH_WELD_H
#define COND_MESH_FILE_MESH_WELD_H

#include "mesh_file/mesh_file.h"

typedef struct CondMeshWeld {
    int* slot; // node + 1 by hash, 0 where empty                          (n_slot, a power of two)
    size_t n_slot;
} CondMeshWeld;

// Allocates it for n_corner corners; the caller releases slot.
CondStatus cond_mesh_weld_create(CondMeshFile* file, CondMeshWeld* weld, size_t n_corner);

// The node at a position, created if there is none; `at` is for messages.
CondStatus cond_mesh_weld_node(CondMeshFile* file, CondMeshWeld* weld, size_t at,
                               const double given[3], int64_t* index);

#endif
