// A cell of the surface of a body: a convex polygon, the intersection of a polygon with a
// cylinder's cap, or a patch of a cylinder's side between two angles and two heights. For a cell
// there are upper bounds of the distance to one element of another body's boundary, and of the
// smaller one of two such distances. The search for the depth subdivides cells until the bounds
// suffice.
#ifndef COND_GEOMETRY_CELL_H
#define COND_GEOMETRY_CELL_H

#include "geometry/boundary.h"

enum { COND_CELL_CORNERS = 8, COND_CELL_HULL = 24, COND_CELL_PARTS = 3 };

typedef struct CondCell {
    int level;                           // number of cuts that led to it
    int known[COND_CELL_PARTS];          // elements that are near, the last found first; -1: none
    int n;                               // corners of the polygon
    double corner[COND_CELL_CORNERS][3]; // [m]
    const CondCore* core;                // of the cylinder; NULL: a plain polygon
    int cap;                             // 1: on a cap, 0: on the side
    double u[2], angle[2];               // of the side: heights [m] and angles [rad]
    // Derived from the fields above.
    int n_hull;
    double hull[COND_CELL_HULL][3]; // corners of a convex hull; for a polygon in order [m]
    unsigned outer;                 // bit k: hull[k] is the intersection of two tangents of an arc
    double middle[3], radius;       // a point of the cell, and the radius of the hull about it [m]
} CondCell;

// A polygon of two (a segment) or more corners; core: that of the cylinder if it is on a cap, else
// NULL. corner (n x 3)
void cond_cell_polygon(int n, const double* const* corner, const CondCore* core, CondCell* cell);
void cond_cell_patch(const CondCore* core, const double u[2], const double angle[2],
                     CondCell* cell);

// An upper bound of the distance to an element on the cell; x is a point of the cell at which the
// distance is the bound, or nearly. INFINITY if no point of the polygon is on the cap.
double cond_cell_most(const CondCell* cell, const CondBoundary* boundary, int part, double x[3]);
// An upper bound of the smaller one of the distances to two elements.
double cond_cell_most_of_two(const CondCell* cell, const CondBoundary* boundary, int one, int two);

// z = the point of a patch of the side at the fraction `share` of the path on it from x to y.
void cond_cell_between(const CondCell* cell, const double x[3], const double y[3], double share,
                       double z[3]);

// Cuts a polygon by the plane through p with the normal n into the halves in front and behind.
// Returns 0, and does nothing, if one of them would be empty, or for a patch.
int cond_cell_cut(const CondCell* cell, const double p[3], const double n[3], CondCell half[2]);
// Bisects it across its longest extent.
void cond_cell_halve(const CondCell* cell, CondCell half[2]);

// 1 if a triangle with its unit normal passes through the hull of a polygon by more than `small`.
int cond_cell_is_crossed(const CondCell* cell, double triangle[3][3], const double normal[3],
                         double small);

#endif
