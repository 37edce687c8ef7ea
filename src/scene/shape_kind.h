// The table of shapes: names and keys in scenes, and their compilation; one row for each kind of
// shape. The functions of the solids are in src/geometry/.
#ifndef COND_SCENE_SHAPE_KIND_H
#define COND_SCENE_SHAPE_KIND_H

#include "cond/scene.h"
#include "geometry/shape.h"

typedef struct CondShapeRow {
    const char* name;   // of its key in scene files
    int is_mesh;        // 1: given by a surface mesh; size is unused
    int has_rims;       // 1: its points lie on rims
    CondShapeForm form; // of the solid, if `solid` is not NULL
    int n_point;        // contact points; 0 for a mesh, whose points are its vertices
    // Contact point k, in the shape's own axes; returns the radius around it.
    double (*point)(const double* size, int k, double local[3]);
    // Sets radius and half lengths of the solid, which are zero before; NULL: no solid.
    void (*solid)(const double* size, CondShape* shape);
    // Volume, and moments of inertia about the centre (xx, yy, zz, xy, xz, yz), zero before.
    double (*volume)(const double* size);
    void (*inertia)(double mass, const double* size, double inertia[6]);
} CondShapeRow;

// NULL for COND_SHAPE_NONE and for an invalid kind.
const CondShapeRow* cond_shape_row(CondShapeKind kind);

// The shape of a robot's link.
CondShapeKind cond_shape_of_link(int link_shape);

// 1 for the shapes that a surface mesh gives.
int cond_shape_is_mesh(CondShapeKind kind);

#endif
