// Meshes in the formats that assimp reads: COLLADA (.dae), glTF (.glb, .gltf), .ply and .3ds. A
// build without assimp refuses them.
#ifndef COND_MESH_FILE_MESH_IMPORT_H
#define COND_MESH_FILE_MESH_IMPORT_H

#include "mesh_file/mesh_coloured.h"
#include "mesh_file/mesh_file.h"

int cond_mesh_import_available(void); // 1: built with assimp

// The format by the extension of a path, for messages; NULL if it is none of the above.
const char* cond_mesh_import_format(const char* path);

// All triangles of the file in the axes of its root, metres: the transforms of its nodes and the
// unit of a COLLADA file are applied; its up axis is not, as in ROS. Equal positions become one
// node.
CondStatus cond_mesh_read_import(CondMeshFile* file);

// The same with colours, nodes as the file has them.
CondStatus cond_coloured_mesh_import(CondMeshFile* file, CondColouredMesh* mesh);

#endif
