// The materials of an .obj file: its .mtl files, and the colour of each triangle.
#ifndef COND_MESH_FILE_MESH_PALETTE_H
#define COND_MESH_FILE_MESH_PALETTE_H

#include "base/arena.h"
#include "mesh_file/mesh_file.h"

typedef struct CondMeshMaterial {
    const char* name;
    float colour[4]; // red, green, blue, opacity, 0 .. 1; red -1: none given
} CondMeshMaterial;

struct CondMeshPalette {
    CondArena arena;            // of the materials and their names
    CondMeshMaterial* material; //                                          (n_material)
    int n_material;
    int current;   // material of the next triangles, -1: none
    float* colour; // of each triangle, red -1: none; of the context     (n_painted x 4)
    int n_painted, colour_capacity;
};

void cond_mesh_palette_begin(const CondContext* context, CondMeshPalette* palette);
void cond_mesh_palette_end(CondMeshPalette* palette);

// mtllib: adds the materials of a file in the folder of the .obj; a missing file adds none.
CondStatus cond_mesh_palette_load(CondMeshFile* file, const char* name, size_t length);
// usemtl: sets the material of the next triangles.
CondStatus cond_mesh_palette_choose(CondMeshFile* file, const char* name, size_t length);
// Gives the triangles since the last call the current colour.
CondStatus cond_mesh_palette_paint(CondMeshFile* file);

#endif
