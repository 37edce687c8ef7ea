// A piece of the surface of a body: a convex polygon, of a cylinder's cap what of the polygon lies
// on the cap, or a patch of its side between two angles and two heights. What is asked of it: the
// most that the distance to one part of another body's boundary, or a mean of two of them, can be
// on it. Pieces are cut into smaller ones until enough is known.
#ifndef COND_GEOMETRY_CELL_H
#define COND_GEOMETRY_CELL_H

#include "geometry/boundary.h"

enum { COND_CELL_CORNERS = 8, COND_CELL_HULL = 24, COND_CELL_PARTS = 3 };

typedef struct CondCell {
    int level;                           // how often it was cut
    int known[COND_CELL_PARTS];          // parts that are near, the last one found first; -1
    int n;                               // corners of the polygon
    double corner[COND_CELL_CORNERS][3]; // [m]
    const CondCore* core;                // of the cylinder; NULL: a polygon and no more
    int cap;                             // 1: of a cap, 0: of the side
    double u[2], angle[2];               // of the side: heights [m] and angles [rad]
    // What follows from it.
    int n_hull;
    double hull[COND_CELL_HULL][3]; // corners of a convex hull: of a polygon in their order [m]
    unsigned outer;                 // bit k: hull[k] is where tangents of an arc meet
    double middle[3], radius;       // a point of it, and how far its hull reaches from there [m]
} CondCell;

// A polygon of two (a segment) or more corners; of a cap with the cylinder's core.  corner (n x 3)
void cond_cell_polygon(int n, const double* const* corner, const CondCore* core, CondCell* cell);
void cond_cell_patch(const CondCore* core, const double u[2], const double angle[2],
                     CondCell* cell);

// No less than the largest distance to a part on the cell; x is a point of the cell where it is
// that, or nearly. INFINITY where nothing of the polygon is on the cap.
double cond_cell_most(const CondCell* cell, const CondBoundary* boundary, int part, double x[3]);
// No less than the largest value of the smaller one of the distances to two parts.
double cond_cell_most_of_two(const CondCell* cell, const CondBoundary* boundary, int one, int two);

// z = the point of a patch of the side at `share` of the way along it from x to y.
void cond_cell_between(const CondCell* cell, const double x[3], const double y[3], double share,
                       double z[3]);

// Cuts a polygon by the plane through p across n: what is in front and what is behind. 0, and
// nothing done, where one of them would be empty, or for a patch.
int cond_cell_cut(const CondCell* cell, const double p[3], const double n[3], CondCell half[2]);
// Cuts it in the middle, across where it is longest.
void cond_cell_halve(const CondCell* cell, CondCell half[2]);

// 1 where a triangle with its unit normal goes through the hull of a polygon by more than `small`.
int cond_cell_is_crossed(const CondCell* cell, double triangle[3][3], const double normal[3],
                         double small);

#endif
