// Triangles to be looked at, with the colours of their materials.
#ifndef COND_MESH_FILE_MESH_COLOURED_H
#define COND_MESH_FILE_MESH_COLOURED_H

#include "cond/context.h"
#include "cond/status.h"

typedef struct CondColouredMesh {
    CondContext context;
    int n_node, n_triangle;
    double* node;  // [m]                                                    (n_node x 3)
    int* triangle; //                                                        (n_triangle x 3)
    float* colour; // red, green, blue, opacity, 0 .. 1; -1: none given      (n_triangle x 4)
} CondColouredMesh;

// Surfaces of every format that meshes are read from; colours are in .obj, by its .mtl files, and
// in those of mesh_import.h. Release it with cond_coloured_mesh_release, also where it failed.
CondStatus cond_coloured_mesh_read(const CondContext* context, const char* path,
                                   CondColouredMesh* mesh, CondError* error);
void cond_coloured_mesh_release(CondColouredMesh* mesh);

#endif
