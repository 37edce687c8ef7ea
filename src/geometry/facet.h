// The support feature of a convex core in a direction, with all that lies nearly in the same
// support plane: a corner, a segment, a polygon or a disc.
#ifndef COND_GEOMETRY_FACET_H
#define COND_GEOMETRY_FACET_H

#include "base/arena.h"
#include "geometry/core.h"

typedef struct CondFacet {
    CondArena arena;
    int n_point, n_edge;
    double* point; // corners, ends, points of the rim [m]                    (n_point x 3)
    int* id;       // identifies the point, the same in every step                   (n_point)
    int* edge;     // between two of the points; a disc has none                  (n_edge x 2)
    int* edge_id;  //                                                         (n_edge)
    int flat;      // 1: a polygon or a disc, in `plane`
    double plane[4];
    int disc; // 1: all within `radius` of `centre`
    double centre[3], radius;
    double curve; // segment: radius of the surface around it, without rounding [m]
} CondFacet;

void cond_facet_begin(const CondContext* context, CondFacet* facet);
void cond_facet_end(CondFacet* facet);

// The facet of a core in the direction of the unit vector d.
CondStatus cond_facet_make(const CondCore* core, const double d[3], CondFacet* facet);
// The flat face k of a shell's polyhedron, at the core's pose.
CondStatus cond_facet_of_face(const CondCore* core, int k, CondFacet* facet);
// One edge of it.
CondStatus cond_facet_of_edge(const CondCore* core, int k, CondFacet* facet);

#endif
