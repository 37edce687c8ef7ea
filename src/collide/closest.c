// The nearest points of two things of a scene, part by part.
#include "collide/closest.h"

#include "geometry/box.h"
#include "geometry/mesh_surface.h"

#include <math.h>
#include <string.h>

static void keep(double distance, const double p[3], const double q[3], const double n[3],
                 const double origin[3], int part, int other, CondClosest* nearest)
{
    if (!(distance < nearest->distance))
        return;
    nearest->distance = distance;
    nearest->part[0] = part;
    nearest->part[1] = other;
    for (int i = 0; i < 3; i++) {
        nearest->point[0][i] = p[i] + origin[i];
        nearest->point[1][i] = q[i] + origin[i];
        nearest->normal[i] = n[i];
    }
}

// Two convex cores: what is nearest of where they meet.
static CondStatus between_convex(CondPairWork* work, const CondCore core[2], const double origin[3],
                                 int part, int other, CondClosest* nearest)
{
    CondStatus status = cond_cores_meet(work, &core[0], &core[1], nearest->distance);
    for (int k = 0; k < work->manifold.n && !status; k++) {
        const CondManifoldPoint* at = &work->manifold.meeting[k];
        keep(at->gap, at->point[0], at->point[1], at->normal, origin, part, other, nearest);
    }
    return status;
}

// A surface that need not be convex and anything: by their boundaries, which have no rounding.
static CondStatus between_surfaces(CondPairWork* work, const CondClosestPart* const part[2],
                                   const CondCore core[2], const double origin[3],
                                   CondClosest* nearest)
{
    CondStatus status = COND_OK;
    CondDepth found;
    double thick = core[0].round + core[1].round;
    for (int s = 0; s < 2 && !status; s++) {
        CondBoundary* boundary = &work->deep.boundary[s];
        const CondBody* soft = part[s]->soft;
        status = soft ? cond_boundary_take_surface(boundary, part[s]->n_vertex, part[s]->vertex,
                                                   soft->n_triangle, soft->triangle, origin)
                      : cond_boundary_take_core(boundary, &core[s]);
    }
    if (!status)
        status = cond_boundaries_depth(&work->deep.depth, &work->deep.boundary[0],
                                       &work->deep.boundary[1], nearest->distance + thick, &found);
    if (status || !isfinite(found.gap))
        return status;
    for (int i = 0; i < 3; i++) {
        found.point[0][i] -= core[0].round * found.normal[i];
        found.point[1][i] += core[1].round * found.normal[i];
    }
    keep(found.gap - thick, found.point[0], found.point[1], found.normal, origin, part[0]->part,
         part[1]->part, nearest);
    return COND_OK;
}

CondStatus cond_parts_closest(CondPairWork* work, const CondClosestPart* a,
                              const CondClosestPart* b, CondClosest* nearest)
{
    const CondClosestPart* const part[2] = {a, b};
    CondCore core[2] = {{.round = 0.0}, {.round = 0.0}};
    double origin[3];
    int hollow = 0;
    if (cond_boxes_apart(a->box, b->box, nearest->distance))
        return COND_OK;
    for (int i = 0; i < 3; i++) // near the two: distances keep their digits far from the origin
        origin[i] = a->soft ? a->vertex[i] : a->pose[i];
    for (int s = 0; s < 2; s++) {
        hollow |= part[s]->soft || cond_shape_is_hollow(&part[s]->shape);
        if (!part[s]->soft)
            cond_core_make(&part[s]->shape, part[s]->pose, origin, &core[s]);
    }
    return hollow ? between_surfaces(work, part, core, origin, nearest)
                  : between_convex(work, core, origin, a->part, b->part, nearest);
}

// The lowest point of a part over a plane with the unit normal n.
static void lowest(const CondClosestPart* a, const double n[3], double x[3])
{
    static const double zero[3] = {0.0, 0.0, 0.0};
    const double down[3] = {-n[0], -n[1], -n[2]};
    if (!a->soft) {
        CondCore core;
        cond_core_make(&a->shape, a->pose, zero, &core);
        cond_core_support(&core, down, 0, x);
        for (int i = 0; i < 3; i++)
            x[i] -= core.round * n[i];
        return;
    }
    const int* node = a->soft->triangle;
    int best = node[0];
    for (int k = 1; k < 3 * a->soft->n_triangle; k++)
        if (vec3_dot(n, a->vertex + 3 * (size_t)node[k]) <
            vec3_dot(n, a->vertex + 3 * (size_t)best))
            best = node[k];
    memcpy(x, a->vertex + 3 * (size_t)best, 3 * sizeof *x);
}

void cond_part_closest_plane(const CondClosestPart* a, const CondPlane* plane, CondClosest* nearest)
{
    static const double zero[3] = {0.0, 0.0, 0.0};
    const double* n = plane->frame;
    double x[3], y[3];
    lowest(a, n, x);
    double gap = vec3_dot(n, x) - plane->offset;
    for (int i = 0; i < 3; i++)
        y[i] = x[i] - gap * n[i];
    keep(gap, x, y, n, zero, a->part, -1, nearest);
}
