// Internals of CondQuery: one tree over the boxes of all bounded surfaces.
#ifndef COND_COLLIDE_QUERY_H
#define COND_COLLIDE_QUERY_H

#include "base/arena.h"
#include "body/kinematics.h"
#include "collide/pair.h"
#include "cond/query.h"
#include "geometry/ray.h"

typedef enum CondPrimitiveKind {
    COND_PRIMITIVE_SOLID,
    COND_PRIMITIVE_LINK,
    COND_PRIMITIVE_TRIANGLE
} CondPrimitiveKind;

typedef struct CondPrimitive {
    CondPrimitiveKind kind;
    int body;  // -1: static
    int index; // solid of all, link of the rod, triangle of the soft body
} CondPrimitive;

struct CondQuery {
    CondArena arena;
    const CondModel* model;
    CondKinematics kinematics;
    unsigned char* off; // 1: the body is switched off                                (n_body)
    double* q; //                                                                       (n_q)
    CondTree tree;
    CondTreeHits near;        // of the last query
    CondPrimitive* primitive; // solids, links of rods, triangles                           (n)
    double* box;              // around them                                                (n x 6)
    double* pose;             // of solids and links, which come first                 (n x 7)
    int n;
    double extent;     // sum of the extents of the tree's boxes when it was built [m]
    CondPairWork pair; // for closest points
};

// The query in a search of the tree.
typedef struct CondWalk {
    const CondQuery* query;
    CondRay ray; // for a point: its position, as origin
    double limit;
    const int* leave_out;
} CondWalk;

// A primitive: its shape, or the corners and the outward unit normal of its triangle; the last
// function stores its body, link, plane or obstacle in the hit.
CondShape cond_primitive_shape(const CondQuery* query, const CondPrimitive* p);
void cond_primitive_corners(const CondQuery* query, const CondPrimitive* p,
                            const double* corner[3]);
void cond_primitive_normal(const double* const corner[3], double normal[3]);
void cond_primitive_name(const CondQuery* query, const CondPrimitive* p, CondHit* hit);

CondHit cond_hit_nothing(void);
int cond_walk_leaves_out(const CondWalk* walk, int body);
// 1 if all numbers are finite.
int cond_is_point(const double x[3]);
// COND_BAD_ARGUMENT, with a message, where a point is not finite or a length negative or NaN.
CondStatus cond_query_check(const char* what, const double x[3], const char* length, double most);

#endif
