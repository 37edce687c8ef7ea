// A closed triangle surface as the audit sees it: a mesh or the boundary of a soft body, in world
// axes.
#ifndef COND_AUDIT_SURFACE_H
#define COND_AUDIT_SURFACE_H

#include "audit/piece.h"
#include "cond/status.h"

typedef struct CondSurface {
    int n_vertex, n_face, n_edge;
    const int* face;     // counter-clockwise seen from outside              (n_face x 3)
    int* edge;           // two vertices each, the lower first               (n_edge x 2)
    char* used;          // 1: a vertex of some face                         (n_vertex)
    char* held;          // 1: left out, for the pair being looked at        (n_vertex)
    double* vertex;      // [m], by place                                    (n_vertex x 3)
    double* face_box;    // by place                                         (n_face x 6)
    double box[6];       // by place
    const double* local; // vertices in the axes of a solid; NULL: nodes of a soft body
} CondSurface;

// Room for it, and its edges. The faces are the caller's.
CondStatus cond_surface_create(const CondContext* context, int n_vertex, int n_face,
                               const int* face, CondSurface* surface);
void cond_surface_destroy(const CondContext* context, CondSurface* surface);
// Boxes, after the vertices have been written.
void cond_surface_place(CondSurface* surface);

// Distance of x to the nearest face none of whose vertices is marked in `skip` (NULL: none is), and
// where: its face (-1: all are skipped) and point. What is farther than `limit` is not looked for.
double cond_surface_nearest(const CondSurface* surface, const double x[3], const char* skip,
                            double limit, int* face, double near[3]);

// 1 inside: the faces' solid angles as seen from x make at least one half of the full sphere.
int cond_surface_holds(const CondSurface* surface, const double x[3]);

// A surface against a convex piece, and two surfaces: their signed distance. Apart: the distance.
// Overlapping: minus the depth of the deepest point of either in the other, where the depth of a
// point is its distance to the surface. `normal` from the second to the first. Vertices that are
// held leave out the faces and edges that they belong to.
void cond_surface_piece(const CondSurface* a, const CondPiece* b, CondTranslation* out);
void cond_surface_surface(const CondSurface* a, const CondSurface* b, CondTranslation* out);

// The deepest point, in the surface, of the stretch from p to q of something that is `radius`
// thick, where it is deeper than *out: the stretch is then the first of the two.
void cond_surface_stretch(const CondSurface* surface, const double p[3], const double q[3],
                          double radius, CondTranslation* out);

#endif
