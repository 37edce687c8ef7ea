// Tetrahedral and surface meshes: made by generators, read from files, checked and written.
#ifndef COND_MESH_H
#define COND_MESH_H

#include "cond/context.h"
#include "cond/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// Tetrahedra (a, b, c, d) are positively oriented: (b - a) x (c - a) . (d - a) > 0. In a mesh with
// tetrahedra the triangles are their boundary, outward; in a mesh without, they are the mesh
// itself.
typedef struct CondMesh {
    int n_node;          //
    double* node;        // positions [m]                                           (n_node x 3)
    int n_tet;           //
    int* tet;            // nodes of the tetrahedra                                 (n_tet x 4)
    int n_triangle;      //
    int* triangle;       // nodes of the surface                                    (n_triangle x 3)
    CondContext context; // the allocator of the arrays
    double* middle; // from files with quadratic tetrahedra: positions of the nodes in the middle of
                    // the edges 01 12 02 03 13 23 of each [m]; NULL: halfway   (n_tet x 6 x 3)
} CondMesh;

// A mesh with the given counts; all arrays are zero.
COND_API CondStatus cond_mesh_create(const CondContext* context, int n_node, int n_tet,
                                     int n_triangle, CondMesh** mesh, CondError* error);
COND_API void cond_mesh_destroy(CondMesh* mesh);

// Recomputes the triangles: the faces that belong to one tetrahedron only, outward, in the order of
// the tetrahedra. On failure the mesh stays as it was.
COND_API CondStatus cond_mesh_surface(CondMesh* mesh, CondError* error);

// A new mesh of the surface alone, with the nodes that it uses.
COND_API CondStatus cond_mesh_boundary(const CondContext* context, const CondMesh* mesh,
                                       CondMesh** boundary, CondError* error);

// Removes the nodes that no tetrahedron and no triangle uses; the others keep their order.
COND_API CondStatus cond_mesh_compact(CondMesh* mesh, CondError* error);

// x <- R (scale x) + translation. scale > 0; rotation is a quaternion (w, x, y, z) that is
// normalised here; a NULL pointer omits its operation.
COND_API CondStatus cond_mesh_transform(CondMesh* mesh, double scale, const double rotation[4],
                                        const double translation[3], CondError* error);

// Quality of a mesh. Indices count from 0; -1: none.
typedef struct CondMeshReport {
    int n_inverted;          // tetrahedra of negative volume; after cond_mesh_read: those that were
                             // inverted
    int n_degenerate;        // tetrahedra without volume, or triangles of a surface without area
    int first_degenerate;    //
    int n_loose;             // nodes that nothing uses
    int first_loose;         //
    int n_duplicate;         // nodes with exactly the position of an earlier one
    int n_nonmanifold;       // edges of the surface not shared by two opposite triangles, and
                             // faces shared by more than two tetrahedra
    int n_open;              // edges of the surface with one triangle only
    int n_ignored;           // by cond_mesh_read: elements of other kinds in the file
    double volume;           // of the tetrahedra, or enclosed by a closed surface [m3]
    double extent[3];        // of the box around all nodes in use [m]
    double min_dihedral;     // smallest angle between two faces of a tetrahedron [degrees]
    double mean_dihedral;    // mean over the tetrahedra of their smallest such angle [degrees]
    double min_radius_ratio; // 3 r_in / r_out of a tetrahedron; 1 when regular
    double max_edge_ratio;   // longest edge by shortest, of one tetrahedron or triangle
    int worst;               // the tetrahedron with the smallest angle
    char warning[256];       // a sentence about size or direction that looks wrong; "" if none
} CondMeshReport;

// Angles and radius ratio of a mesh without tetrahedra are NaN. A mesh whose indices are out of
// range or whose positions are not finite is refused with COND_BAD_ARGUMENT.
COND_API CondStatus cond_mesh_check_sized(const CondContext* context, const CondMesh* mesh,
                                          CondMeshReport* report, CondError* error, size_t size);
static inline CondStatus cond_mesh_check(const CondContext* context, const CondMesh* mesh,
                                         CondMeshReport* report, CondError* error)
{
    return cond_mesh_check_sized(context, mesh, report, error, sizeof(CondMeshReport));
}

// COND_OK if the mesh serves for a solid body: it has tetrahedra, none is degenerate or inverted,
// and no node is loose. The message names the first fault.
COND_API CondStatus cond_mesh_check_solid(const CondContext* context, const CondMesh* mesh,
                                          CondError* error);

// The same for a shell: the mesh has triangles and no tetrahedra, none is degenerate, and no node
// is loose.
COND_API CondStatus cond_mesh_check_shell(const CondContext* context, const CondMesh* mesh,
                                          CondError* error);

// Reads a mesh; the ending of the path says the format: .msh (gmsh 2.2 and 4.1), .vtk (legacy),
// .vtu, .obj, .stl, and in a build with assimp .dae, .glb, .gltf, .ply and .3ds. The orientation of
// inverted tetrahedra is reversed; the report, which may be NULL, counts them. Errors name the file
// and the line, or the byte in a binary file.
COND_IO_API CondStatus cond_mesh_read_sized(const CondContext* context, const char* path,
                                            CondMesh** mesh, CondMeshReport* report,
                                            CondError* error, size_t size);
static inline CondStatus cond_mesh_read(const CondContext* context, const char* path,
                                        CondMesh** mesh, CondMeshReport* report, CondError* error)
{
    return cond_mesh_read_sized(context, path, mesh, report, error, sizeof(CondMeshReport));
}

// The convex hull of the nodes as a closed surface, allocated with the context of the mesh.
// COND_BAD_ARGUMENT when they lie in a plane.
COND_IO_API CondStatus cond_mesh_hull(const CondMesh* mesh, CondMesh** hull, CondError* error);

typedef enum CondMeshEncoding {
    COND_MESH_BINARY = 0, // .vtu: raw appended data; .obj has text only
    COND_MESH_ASCII = 1,  //
    COND_MESH_BASE64 = 2, // .vtu only
} CondMeshEncoding;
COND_ENUM_NAMES(COND_IO_API, CondMeshEncoding, cond_mesh_encoding)

typedef struct CondMeshWriteSettings {
    size_t struct_size; // of this struct, by its default function
    CondMeshEncoding encoding;
    int gmsh_version; // 22 or 41
    int compress;     // 1: zlib, .vtu only and not ASCII
} CondMeshWriteSettings;

// Binary, gmsh 4.1, not compressed.
COND_DEFAULT(COND_IO_API, CondMeshWriteSettings, cond_mesh_write_settings_default)

// Writes a mesh in the format of the path's ending. If it has tetrahedra, only these are written:
// reading recomputes the surface. .obj and .stl hold surfaces only and refuse tetrahedra with
// COND_NOT_SUPPORTED (see cond_mesh_boundary). settings may be NULL.
COND_IO_API CondStatus cond_mesh_write(const CondContext* context, const char* path,
                                       const CondMesh* mesh, const CondMeshWriteSettings* settings,
                                       CondError* error);

// How the cells of a box are cut. Neighbours are mirror images, so that their faces match.
typedef enum CondMeshPattern {
    COND_MESH_FIVE = 0, // one regular-like tetrahedron inside, four at the corners
    COND_MESH_SIX = 1,  // six around a diagonal of the cell
} CondMeshPattern;
COND_ENUM_NAMES(COND_API, CondMeshPattern, cond_mesh_pattern)

// All generators centre the shape at the origin and also compute the surface. A box of n[0] x n[1]
// x n[2] cells.
COND_API CondStatus cond_mesh_box(const CondContext* context, const int n[3], const double size[3],
                                  CondMeshPattern pattern, CondMesh** mesh, CondError* error);

// A mat of n_x x n_y nodes in layers of nodes (at least 2) through its thickness, six tetrahedra
// per cell: 27, 27, 2 give 1458 nodes and 4056 tetrahedra; 35, 21, 2 give 1470 and 4080.
COND_API CondStatus cond_mesh_mat(const CondContext* context, int n_x, int n_y, int layers,
                                  const double size[3], CondMesh** mesh, CondError* error);

// A flat sheet of n_x x n_y nodes across the z axis: triangles alone, two per cell, all cut along
// the same diagonal.
COND_API CondStatus cond_mesh_sheet(const CondContext* context, int n_x, int n_y,
                                    const double size[2], CondMesh** mesh, CondError* error);

// A flat disc of `rings` rings across the z axis: triangles alone, 6 rings^2.
COND_API CondStatus cond_mesh_disc(const CondContext* context, double radius, int rings,
                                   CondMesh** mesh, CondError* error);

// A ball of `shells` spherical shells around its centre: the twenty tetrahedra between the centre
// and an icosahedron, each cut in shells^3. The cut leaves octahedra; `extra` of them in each of
// the twenty, innermost first, get a node in their middle, which adds 20 nodes and 80 tetrahedra,
// so that a wanted size can be met. 7, 2 give 1455 nodes and 7020 tetrahedra.
COND_API CondStatus cond_mesh_ball(const CondContext* context, double radius, int shells, int extra,
                                   CondMesh** mesh, CondError* error);

// A cylinder about z: rings of 6, 12, 18 ... nodes around the axis, in layers of cells along it.
COND_API CondStatus cond_mesh_cylinder(const CondContext* context, double radius, double height,
                                       int rings, int layers, CondMesh** mesh, CondError* error);

// The same from a line of text: "box:4,4,4:0.1,0.1,0.1", "mat:27,27,2:0.3,0.3,0.01",
// "ball:0.05:7,2", "cylinder:0.02,0.1:3,8".
COND_API CondStatus cond_mesh_make(const CondContext* context, const char* text, CondMesh** mesh,
                                   CondError* error);
// 1 if the text begins with the name of such a generator and a colon.
COND_API int cond_mesh_is_recipe(const char* text);
// The syntax of the text of generator `index`; NULL past the end.
COND_API const char* cond_mesh_recipe(int index);

#ifdef __cplusplus
}
#endif
#endif
