// Triangles for drawing, with the colours of their materials.
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

// Reads the surface of a mesh in any supported format; .obj, with its .mtl files, and the formats
// of mesh_import.h have colours. Release it with cond_coloured_mesh_release, even after a failure.
CondStatus cond_coloured_mesh_read(const CondContext* context, const char* path,
                                   CondColouredMesh* mesh, CondError* error);
void cond_coloured_mesh_release(CondColouredMesh* mesh);

#endif
