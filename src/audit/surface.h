// A closed triangle surface for the audit: a mesh or the boundary of a soft body, in world axes.
#ifndef COND_AUDIT_SURFACE_H
#define COND_AUDIT_SURFACE_H

#include "audit/piece.h"
#include "cond/status.h"

typedef struct CondSurface {
    int n_vertex, n_face, n_edge;
    const int* face;     // counter-clockwise seen from outside              (n_face x 3)
    int* edge;           // two vertices each, the lower first               (n_edge x 2)
    char* used;          // 1: a vertex of some face                         (n_vertex)
    char* held;          // 1: excluded for the present pair                        (n_vertex)
    double* vertex;      // [m], by place                                    (n_vertex x 3)
    double* face_box;    // by place                                         (n_face x 6)
    double box[6];       // by place
    const double* local; // vertices in the axes of a solid; NULL: nodes of a soft body
} CondSurface;

// Allocates it, and lists its edges. The faces belong to the caller.
CondStatus cond_surface_create(const CondContext* context, int n_vertex, int n_face,
                               const int* face, CondSurface* surface);
void cond_surface_destroy(const CondContext* context, CondSurface* surface);
// Boxes, after the vertices have been written.
void cond_surface_place(CondSurface* surface);

// Distance of x to the nearest face without a vertex marked in `skip` (NULL: none is marked), with
// that face (-1: all are skipped) and its nearest point. Distances above `limit` are not searched.
double cond_surface_nearest(const CondSurface* surface, const double x[3], const char* skip,
                            double limit, int* face, double near[3]);

// 1 inside: the solid angles of the faces seen from x add up to at least half of the full sphere.
int cond_surface_holds(const CondSurface* surface, const double x[3]);

// A surface against a convex piece, and two surfaces: their signed distance. Apart: the distance.
// Overlapping: minus the depth of the deepest point of either in the other, where the depth of a
// point is its distance to the surface. `normal` from the second to the first. Faces and edges with
// held vertices are excluded.
void cond_surface_piece(const CondSurface* a, const CondPiece* b, CondTranslation* out);
void cond_surface_surface(const CondSurface* a, const CondSurface* b, CondTranslation* out);

// Finds the deepest point in the surface of the segment from p to q with the radius `radius`. If it
// is deeper than *out it replaces *out, with the segment as the first of the two.
void cond_surface_stretch(const CondSurface* surface, const double p[3], const double q[3],
                          double radius, CondTranslation* out);

#endif
