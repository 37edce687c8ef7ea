// Meshes in the formats that assimp reads: COLLADA (.dae), glTF (.glb, .gltf), .ply, .3ds, and .obj
// and .stl with their materials.
#ifndef COND_IO_MESH_IMPORT_H
#define COND_IO_MESH_IMPORT_H

#include "io/mesh_file.h"

// Triangles with the colours of their materials.
typedef struct CondColouredMesh {
    CondContext context;
    int n_node, n_triangle;
    double* node;  // [m]                                                    (n_node x 3)
    int* triangle; //                                                        (n_triangle x 3)
    float* colour; // red, green, blue, opacity, 0 .. 1; -1: none given      (n_triangle x 4)
} CondColouredMesh;

// 1 where the ending of a path names a format that assimp is asked to read as a plain mesh.
int cond_mesh_is_import(const char* path);

// All triangles of the file in the axes of its root, metres: the transforms of its nodes and the
// unit of a COLLADA file are applied; its up axis is not, as robots are made in ROS. Equal places
// become one node.
CondStatus cond_mesh_read_import(CondMeshFile* file);

// The same with colours, from any of the formats above, nodes as the file has them. Release it with
// cond_coloured_mesh_release, also where it failed.
CondStatus cond_coloured_mesh_read(const CondContext* context, const char* path,
                                   CondColouredMesh* mesh, CondError* error);
void cond_coloured_mesh_release(CondColouredMesh* mesh);

#endif
