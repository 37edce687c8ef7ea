// The polyhedron of a closed triangle surface: its flat faces, regardless of their triangulation,
// the straight edges between them, and the corners where these meet.
#ifndef COND_GEOMETRY_POLYHEDRON_H
#define COND_GEOMETRY_POLYHEDRON_H

#include "cond/context.h"
#include "cond/status.h"

struct CondMeshSurface;

// A side of a flat face, its face to the left seen from outside.
typedef struct CondPolyEdge {
    int from, to; // vertices of the shell
    int face;     // flat face to the left
    int twin;     // the same edge in the opposite direction
    int convex;   // 1: the faces meet at less than 180 degrees inside
    int next;     // the side of its face that begins where it ends, counted within the face
} CondPolyEdge;

typedef struct CondPolyhedron {
    int n_corner, n_face, n_edge;
    int convex;         // 1: no vertex is in front of a face by more than 1e-6 of the size
    int* corner;        // vertices of the shell                               (n_corner)
    double* plane;      // unit outward normal, offset [m]                     (n_face x 4)
    int* edge_begin;    // sides of each face                                  (n_face + 1)
    CondPolyEdge* edge; // by face                                            (n_edge)
    int* face_of;       // flat face of each triangle                 (n_face of the shell)
    int* corner_of;     // of each vertex; -1: not a corner            (n_vertex of the shell)
    int* fan_begin;     // edges that begin at corner k                        (n_corner + 1)
    int* fan;           //                                                     (n_edge)
} CondPolyhedron;

// Computes it for a surface whose triangles, neighbours and planes are set. After a failure poly is
// zero.
CondStatus cond_polyhedron_make(const struct CondMeshSurface* mesh_surface, CondPolyhedron* poly);
void cond_polyhedron_end(const CondContext* context, CondPolyhedron* poly);

#endif
