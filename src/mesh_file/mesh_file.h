// A mesh file in memory during reading: text and binary values, and messages that name line or
// byte.
#ifndef COND_MESH_FILE_MESH_FILE_H
#define COND_MESH_FILE_MESH_FILE_H

#include "cond/mesh.h"

#include <stddef.h>
#include <stdint.h>

typedef struct CondMeshPalette CondMeshPalette; // mesh_palette.h

typedef struct CondMeshFile {
    CondContext context;
    const char* path;
    CondError* error;
    char* data;  // the whole file, then a zero byte                                (size + 1)
    size_t size; //
    size_t at;   // the next byte to read
    int binary;  // 1: messages name the byte, else the line
    int swap;    // 1: binary values have the other byte order

    // The resulting mesh.
    double* node;  // (n_node x 3)
    int* tet;      // (n_tet x 4)
    int* triangle; // (n_triangle x 3)
    int* middle;   // nodes in the middles of edges, as CondMesh has them; -1: halfway (n_tet x 6)
    int n_quadratic, middle_capacity;
    int n_node, n_tet, n_triangle;
    int node_capacity, tet_capacity, triangle_capacity;
    int n_ignored;
    CondMeshPalette* palette; // gets the colours of the triangles; NULL: not read
} CondMeshFile;

CondStatus cond_mesh_file_open(CondMeshFile* file, const CondContext* context, const char* path,
                               CondError* error);
void cond_mesh_file_close(CondMeshFile* file);

// COND_BAD_INPUT with "path:line: text" or "path: byte N: text" for the position `at`.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
CondStatus
cond_mesh_file_refuse(const CondMeshFile* file, size_t at, const char* format, ...);
CondStatus cond_mesh_file_no_memory(const CondMeshFile* file);

// Text. Words are separated by white space; they are not terminated by 0, so that they come with
// their length. At the end of the file the next word is empty.
const char* cond_mesh_file_word(CondMeshFile* file, size_t* length);
int cond_mesh_file_word_is(CondMeshFile* file, const char* word); // 1: it was next, and is consumed
void cond_mesh_file_skip_space(CondMeshFile* file);
void cond_mesh_file_skip_line(CondMeshFile* file); // to the start of the next line
CondStatus cond_mesh_file_integer(CondMeshFile* file, const char* what, int64_t* value);
CondStatus cond_mesh_file_number(CondMeshFile* file, const char* what, double* value);

// Binary values.
CondStatus cond_mesh_file_bytes(CondMeshFile* file, const char* what, void* out, size_t size);
CondStatus cond_mesh_file_int32(CondMeshFile* file, const char* what, int32_t* value);
CondStatus cond_mesh_file_int64(CondMeshFile* file, const char* what, int64_t* value);
CondStatus cond_mesh_file_double(CondMeshFile* file, const char* what, double* value);

// Reverses the byte order of n values of the given size.
void cond_bytes_swap(void* data, size_t n, size_t size);

// Checks that a count is not negative and that its items, of at least `smallest` bytes each, fit in
// the rest of the file, so that a damaged file cannot cause a large allocation.
CondStatus cond_mesh_file_count(const CondMeshFile* file, size_t at, const char* what,
                                int64_t count, size_t smallest);

// Reserves memory for further items.
CondStatus cond_mesh_file_reserve(CondMeshFile* file, int64_t n_node, int64_t n_tet,
                                  int64_t n_triangle);

// Adds one. `at` and `number` (as the file counts) are for messages; nodes must be finite and
// indices, from 0, name nodes that are there.
CondStatus cond_mesh_file_add_node(CondMeshFile* file, size_t at, int64_t number,
                                   const double place[3]);
CondStatus cond_mesh_file_add_element(CondMeshFile* file, size_t at, int64_t number, int n_corner,
                                      const int64_t* corner);
// The same for a tetrahedron of ten nodes: corners, then the middles of 01 12 02 03 13 23.
CondStatus cond_mesh_file_add_quadratic(CondMeshFile* file, size_t at, int64_t number,
                                        const int64_t node[10]);

// is_known returns 1 if the extension is that of a format below; read reads the file in that
// format, with decimal points in any locale.
int cond_mesh_file_is_known(const char* path);
CondStatus cond_mesh_file_read(CondMeshFile* file);

// The formats.
CondStatus cond_mesh_read_gmsh(CondMeshFile* file);
// MuJoCo's own meshes also have the extension .msh; 1 if the file's size agrees with its counts.
int cond_mesh_is_mujoco(const CondMeshFile* file);
CondStatus cond_mesh_read_mujoco(CondMeshFile* file);
CondStatus cond_mesh_read_vtk(CondMeshFile* file);
CondStatus cond_mesh_read_vtu(CondMeshFile* file);
CondStatus cond_mesh_read_obj(CondMeshFile* file);
CondStatus cond_mesh_read_stl(CondMeshFile* file);

#endif
