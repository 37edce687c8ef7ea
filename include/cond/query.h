// CondQuery: geometric queries. Rays, the nearest surface to a point, entities within a sphere, and
// the nearest points of two bodies, over all shapes for contact: planes, obstacles, rigid bodies,
// links of robots, rods and soft bodies. For range sensors, planners and picking with the mouse.
//
// A query is a workspace of one thread. cond_query_set takes the positions from a state, in time
// linear in the size of the surfaces; a ray then traverses one tree. After the create only
// cond_query_closest allocates, until it has seen its largest surfaces.
#ifndef COND_QUERY_H
#define COND_QUERY_H

#include "cond/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CondQuery CondQuery;

// The result of a query. If nothing was found, distance is INFINITY and all indices are -1.
typedef struct CondHit {
    double distance;    // [m]; negative: the query point is inside
    double position[3]; // of the surface, world [m]
    double normal[3];   // outward there, world
    int body;           // -1: static
    int part;           // link of a robot or rod, triangle of a soft surface; else 0
    int plane;          // -1: something else
    int obstacle;       // -1: something else
} CondHit;

// Created at the initial configuration of the model, which must outlive it. Destroy it with
// cond_query_destroy.
COND_API CondStatus cond_query_create(const CondModel* model, CondQuery** query, CondError* error);
COND_API void cond_query_destroy(CondQuery* query);
COND_API void cond_query_set(CondQuery* query, const CondState* state);

// The first surface along a ray, within `limit` metres (INFINITY: at any distance). The direction
// may have any length but 0. Bodies b with leave_out[b] != 0 are ignored (NULL: none). A ray that
// begins inside a solid hits it at distance 0; one that begins inside a soft body hits its surface
// from within. COND_BAD_ARGUMENT: a zero direction, or numbers that are not finite. leave_out
// (n_body)
COND_API CondStatus cond_query_ray_sized(CondQuery* query, const double origin[3],
                                         const double direction[3], double limit,
                                         const int* leave_out, CondHit* hit, size_t size);
static inline CondStatus cond_query_ray(CondQuery* query, const double origin[3],
                                        const double direction[3], double limit,
                                        const int* leave_out, CondHit* hit)
{
    return cond_query_ray_sized(query, origin, direction, limit, leave_out, hit, sizeof(CondHit));
}
// The same for n rays.                      origin, direction (n x 3), limit (n), hit (n)
COND_API CondStatus cond_query_rays_sized(CondQuery* query, int n, const double* origin,
                                          const double* direction, const double* limit,
                                          const int* leave_out, CondHit* hit, size_t size);
static inline CondStatus cond_query_rays(CondQuery* query, int n, const double* origin,
                                         const double* direction, const double* limit,
                                         const int* leave_out, CondHit* hit)
{
    return cond_query_rays_sized(query, n, origin, direction, limit, leave_out, hit,
                                 sizeof(CondHit));
}
// The surface nearest to a point within `limit`; the distance is negative inside a solid or a soft
// body.
COND_API CondStatus cond_query_nearest_sized(CondQuery* query, const double point[3], double limit,
                                             const int* leave_out, CondHit* hit, size_t size);
static inline CondStatus cond_query_nearest(CondQuery* query, const double point[3], double limit,
                                            const int* leave_out, CondHit* hit)
{
    return cond_query_nearest_sized(query, point, limit, leave_out, hit, sizeof(CondHit));
}
// Everything nearer to a point than `radius`: one hit for each plane, shape, link of a rod, and
// soft body (its nearest triangle). Writes at most `capacity` hits, and the number of all in *n.
//                                                                              hit (capacity)
COND_API CondStatus cond_query_within_sized(CondQuery* query, const double point[3], double radius,
                                            int capacity, CondHit* hit, int* n, size_t size);
static inline CondStatus cond_query_within(CondQuery* query, const double point[3], double radius,
                                           int capacity, CondHit* hit, int* n)
{
    return cond_query_within_sized(query, point, radius, capacity, hit, n, sizeof(CondHit));
}

// The nearest points of two bodies, or of a body and all static shapes.
typedef struct CondClosest {
    double distance;    // [m]; negative: they overlap, by the depth of the deepest point
    double point[2][3]; // on the first and on the second, world [m]
    double normal[3];   // unit, from the second to the first
    int part[2];        // link of a robot or rod; else 0; second: -1: a plane
    int plane;          // the second one; -1: something else
    int obstacle;       // the second one; -1: something else
} CondClosest;

// Computed for the true surfaces, without the contact thickness of soft bodies. other may be
// COND_STATIC_BODY: planes and obstacles. If they are farther apart than `limit`, or one is a point
// without a surface, the distance is INFINITY and all indices are -1. COND_BAD_ARGUMENT: unknown
// bodies, or the same body twice. COND_OUT_OF_MEMORY: non-convex surfaces need memory.
COND_API CondStatus cond_query_closest_sized(CondQuery* query, int body, int other, double limit,
                                             CondClosest* closest, size_t size);
static inline CondStatus cond_query_closest(CondQuery* query, int body, int other, double limit,
                                            CondClosest* closest)
{
    return cond_query_closest_sized(query, body, other, limit, closest, sizeof(CondClosest));
}

#ifdef __cplusplus
}
#endif
#endif
