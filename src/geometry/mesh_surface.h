// The closed triangle surface of a solid: its faces, their neighbours, and a tree.
#ifndef COND_GEOMETRY_MESH_SURFACE_H
#define COND_GEOMETRY_MESH_SURFACE_H

#include "geometry/polyhedron.h"
#include "geometry/tree.h"

typedef struct CondMeshSurface {
    CondContext context;
    int n_vertex;
    int n_face;
    double size;           // diagonal of the bounding box [m]
    double* vertex;        // those that a face uses, in the given order [m] (n_vertex x 3)
    int* face;             // counter-clockwise seen from outside             (n_face x 3)
    double* plane;         // unit outward normal, offset [m]                 (n_face x 4)
    int* neighbour;        // face beyond the edge from corner k to k + 1     (n_face x 3)
    double* vertex_normal; // mean of faces' normals by angle                   (n_vertex x 3)
    int* fan_begin;        // edges that begin at a vertex                    (n_vertex + 1)
    int* fan;              // 3 face + corner                                 (3 n_face)
    CondTree tree;         // of the faces
    CondPolyhedron poly;   // its flat faces, straight edges and corners
    CondTree corner_tree;  // of poly.corner; empty, as the next two, if poly is convex
    CondTree edge_tree;    // of sharp
    int* sharp;            // convex edges of poly, each once                 (edge_tree.n)
} CondMeshSurface;

// Copies the mesh. If all triangles face inward, all are reversed. COND_BAD_ARGUMENT when the mesh
// is not closed, not oriented the same way all over, or has a triangle without area.
CondStatus cond_mesh_surface_create(const CondContext* context, int n_vertex, const double* vertex,
                                    int n_face, const int* face, CondMeshSurface** out,
                                    CondError* error);
void cond_mesh_surface_destroy(CondMeshSurface* mesh_surface);

// The point of the surface nearest to x, the face it lies on, and the distance with its sign:
// negative inside. The outward normal there is that of the face; at an edge or vertex it is the
// mean of the adjacent faces, weighted by angle, which distinguishes inside from outside for any
// closed mesh.
typedef struct CondMeshSurfacePoint {
    int face;
    double gap;       // [m]
    double point[3];  // [m]
    double normal[3]; // unit
} CondMeshSurfacePoint;
void cond_mesh_surface_nearest(const CondMeshSurface* mesh_surface, const double x[3],
                               CondMeshSurfacePoint* nearest);

// 1 if faces of at least three directions meet at the vertex: it is not inside a triangulated flat
// face or a straight edge.
int cond_mesh_surface_is_corner(const CondMeshSurface* mesh_surface, int vertex);

// Distance of x to one face [m].
double cond_mesh_surface_face_distance(const CondMeshSurface* mesh_surface, int face,
                                       const double x[3]);

// Moves all vertices.
CondStatus cond_mesh_surface_shift(CondMeshSurface* mesh_surface, const double shift[3]);

// Volume [m3], centre of mass [m], and for the density 1 kg/m3 the inertia about that centre
// [kg m2]: xx, yy, zz, xy, xz, yz. By the divergence theorem, exact for the mesh.
void cond_mesh_surface_inertia(const CondMeshSurface* mesh_surface, double* volume,
                               double centre[3], double inertia[6]);

#endif
