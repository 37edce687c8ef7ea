// The closed triangle surface of a solid: its faces, who is whose neighbour, and a tree.
#ifndef COND_GEOMETRY_MESH_SURFACE_H
#define COND_GEOMETRY_MESH_SURFACE_H

#include "geometry/polyhedron.h"
#include "geometry/tree.h"

typedef struct CondMeshSurface {
    CondContext context;
    int n_vertex;
    int n_face;
    double size;           // diagonal of the bounding box [m]
    double* vertex;        // those that a face uses, in the order given [m]  (n_vertex x 3)
    int* face;             // counter-clockwise seen from outside             (n_face x 3)
    double* plane;         // unit outward normal, offset [m]                 (n_face x 4)
    int* neighbour;        // face beyond the edge from corner k to k + 1     (n_face x 3)
    double* vertex_normal; // faces' normals by their angles at the vertex    (n_vertex x 3)
    int* fan_begin;        // edges that begin at a vertex                    (n_vertex + 1)
    int* fan;              // 3 face + corner                                 (3 n_face)
    CondTree tree;         // of the faces
    CondPolyhedron poly;   // its flat faces, straight edges and corners
    CondTree corner_tree;  // of poly.corner; with the next two empty where poly is convex
    CondTree edge_tree;    // of sharp
    int* sharp;            // convex edges of poly, each once                 (edge_tree.n)
} CondMeshSurface;

// Copies the mesh. All triangles may be turned inward; then all are turned round. COND_BAD_ARGUMENT
// when the mesh is not closed, not oriented the same way all over, or has a triangle without area.
CondStatus cond_mesh_surface_create(const CondContext* context, int n_vertex, const double* vertex,
                                    int n_face, const int* face, CondMeshSurface** out,
                                    CondError* error);
void cond_mesh_surface_destroy(CondMeshSurface* mesh_surface);

// The point of the surface nearest to x, the face it lies on, and the distance with its sign:
// negative inside. The outward normal there is that of the face, or of an edge or vertex the mean
// of its faces by angle, which tells inside from outside for any closed mesh.
typedef struct CondMeshSurfacePoint {
    int face;
    double gap;       // [m]
    double point[3];  // [m]
    double normal[3]; // unit
} CondMeshSurfacePoint;
void cond_mesh_surface_nearest(const CondMeshSurface* mesh_surface, const double x[3],
                               CondMeshSurfacePoint* nearest);

// 1 when faces of at least three directions meet at the vertex: it is not in the middle of a face
// that was cut into triangles, nor of a straight edge.
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
