// A file that is built in memory, and the writers of the formats.
#ifndef COND_MESH_FILE_MESH_WRITE_H
#define COND_MESH_FILE_MESH_WRITE_H

#include "cond/mesh.h"

#include <stdint.h>

typedef struct CondMeshText {
    CondContext context;
    char* data;
    size_t size, capacity;
    int failed; // 1: memory ran out; later data is lost
} CondMeshText;

void cond_mesh_text_bytes(CondMeshText* text, const void* bytes, size_t size);
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void cond_mesh_text_add(CondMeshText* text, const char* format, ...);
void cond_mesh_text_int32(CondMeshText* text, int32_t value);
void cond_mesh_text_int64(CondMeshText* text, int64_t value);

// Text escaped for a quoted XML attribute.
void cond_mesh_text_escaped(CondMeshText* text, const char* from);

// Bytes as base64, padded.
void cond_mesh_text_base64(CondMeshText* text, const void* bytes, size_t size);

// Writes at most COND_MESH_TEXT_PARTS consecutive texts as a file, which is replaced only when all
// of them are written. COND_OUT_OF_MEMORY if a text has failed.
enum { COND_MESH_TEXT_PARTS = 3 };
CondStatus cond_mesh_text_file(const CondContext* context, const char* path, int n,
                               const CondMeshText* const* text, CondError* error);

// The elements for a volume format: the tetrahedra, or the triangles if there are none.
typedef struct CondMeshElements {
    int n, corners;
    const int* node; // (n x corners)
} CondMeshElements;
CondMeshElements cond_mesh_elements(const CondMesh* mesh);

// The formats. Each writes the whole file to text.
void cond_mesh_write_gmsh(CondMeshText* text, const CondMesh* mesh,
                          const CondMeshWriteSettings* settings);
void cond_mesh_write_vtk(CondMeshText* text, const CondMesh* mesh,
                         const CondMeshWriteSettings* settings);
void cond_mesh_write_vtu(CondMeshText* text, const CondMesh* mesh,
                         const CondMeshWriteSettings* settings);
void cond_mesh_write_obj(CondMeshText* text, const CondMesh* mesh,
                         const CondMeshWriteSettings* settings);
void cond_mesh_write_stl(CondMeshText* text, const CondMesh* mesh,
                         const CondMeshWriteSettings* settings);

#endif
