// Rigid shapes with a pose: the signed distance of a point and bounding boxes.
#include "geometry/shape.h"
#include "base/tuning.h"

#include "base/error.h"
#include "geometry/mesh_surface.h"
#include "geometry/shape_ops.h"
#include "geometry/tuning.h"
#include "math/quat.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const CondShapeOps* shape_ops(CondShapeForm form)
{
    static const CondShapeOps* const TABLE[] = {
        &COND_PLANE_OPS,    &COND_SPHERE_OPS, &COND_CAPSULE_OPS, &COND_BOX_OPS,
        &COND_CYLINDER_OPS, &COND_CONVEX_OPS, &COND_MESH_OPS};
    for (size_t i = 0; i < sizeof TABLE / sizeof *TABLE; i++)
        if (TABLE[i]->form == form)
            return TABLE[i];
    return NULL;
}

CondStatus cond_shape_check_length(double value, const char* name, CondError* error)
{
    if (!(value > 0.0) || !isfinite(value))
        return cond_error_set(error, COND_BAD_ARGUMENT, "%s must be positive, not %g", name, value);
    return COND_OK;
}

CondStatus cond_shape_check(const CondShape* shape, CondError* error)
{
    const CondShapeOps* ops = shape_ops(shape->form);
    if (!ops)
        return cond_error_set(error, COND_BAD_ARGUMENT, "%d is no form of a shape",
                              (int)shape->form);
    if (!(shape->margin >= 0.0) || !isfinite(shape->margin))
        return cond_error_set(error, COND_BAD_ARGUMENT, "margin must not be negative, as %g is",
                              shape->margin);
    return ops->check(shape, error);
}

int cond_shape_nearest_plane(int n, const double* plane, const double x[3], const double* last)
{
    int nearest = 0;
    double largest = -INFINITY;
    for (int f = 0; f < n; f++) {
        double distance = vec3_dot(plane + 4 * f, x) - plane[4 * f + 3];
        if (distance > largest) {
            largest = distance;
            nearest = f;
        }
    }
    if (!last)
        return nearest;
    // The distances are negative inside: (1 + COND_KEPT_DEEPER) times the largest is a little
    // deeper.
    double most = -INFINITY, limit = (1.0 + COND_KEPT_DEEPER) * largest;
    for (int f = 0; f < n; f++) {
        double along = vec3_dot(plane + 4 * f, last);
        if (vec3_dot(plane + 4 * f, x) - plane[4 * f + 3] >= limit && along > most) {
            most = along;
            nearest = f;
        }
    }
    return nearest;
}

double cond_shape_radial(const double d[3], double size, const double* last, double u[3])
{
    const double first[3] = {1.0, 0.0, 0.0};
    const double* from = d;
    double length = hypot(d[0], d[1]);
    if (!(length > COND_INPUT_ROUNDING * size)) {
        // On the axis every direction is as good: the last one where it says something, else x.
        from = last && hypot(last[0], last[1]) > 0.5 ? last : first;
        length = hypot(from[0], from[1]);
    }
    u[0] = from[0] / length;
    u[1] = from[1] / length;
    u[2] = 0.0;
    return u[0] * d[0] + u[1] * d[1];
}

void cond_shape_probe(const CondShape* shape, const double pose[7], const double point[3],
                      CondProbe* probe)
{
    cond_shape_probe_again(shape, pose, point, NULL, probe);
}

void cond_shape_probe_again(const CondShape* shape, const double pose[7], const double point[3],
                            const double* last_normal, CondProbe* probe)
{
    double R[9], d[3], x[3], last[3], normal[3];
    quat_matrix(pose + 3, R);
    for (int i = 0; i < 3; i++)
        d[i] = point[i] - pose[i];
    mat3_multiply_transposed(R, d, x);
    if (last_normal)
        mat3_multiply_transposed(R, last_normal, last);
    // The distance to a convex set moved outward by the margin is the old distance less the margin,
    // inside and outside, with the same normal.
    probe->gap =
        shape_ops(shape->form)->probe(shape, x, last_normal ? last : NULL, normal) - shape->margin;
    mat3_multiply(R, normal, probe->normal);
    for (int i = 0; i < 3; i++)
        probe->point[i] = point[i] - probe->gap * probe->normal[i];
}

// The planes of a box, or those that touch a cylinder near x: normal, offset.  (at most 6 x 4)
static int shape_planes(const CondShape* shape, const double x[3], double* plane)
{
    memset(plane, 0, 24 * sizeof *plane);
    if (shape->form == COND_FORM_BOX) {
        for (int f = 0; f < 6; f++) {
            plane[4 * f + f / 2] = f % 2 ? -1.0 : 1.0;
            plane[4 * f + 3] = shape->half[f / 2];
        }
        return 6;
    }
    if (shape->form != COND_FORM_CYLINDER)
        return 0;
    cond_shape_radial(x, shape->radius, NULL, plane);
    plane[3] = shape->radius;
    plane[4 + 2] = 1.0;
    plane[8 + 2] = -1.0;
    plane[4 + 3] = plane[8 + 3] = shape->half[2];
    return 3;
}

typedef struct Facing {
    const CondShape* shape;
    const double *R, *x; // x in the axes of the shape
    CondNormalAllowed allowed;
    void* user;
} Facing;

static int is_allowed(const Facing* facing, const double* plane)
{
    double normal[3];
    mat3_multiply(facing->R, plane, normal);
    return facing->allowed(facing->user, normal);
}

static double facing_distance(void* user, int face)
{
    const Facing* facing = user;
    const CondMeshSurface* mesh_surface = facing->shape->mesh_surface;
    if (!is_allowed(facing, mesh_surface->plane + 4 * (size_t)face))
        return INFINITY;
    return cond_mesh_surface_face_distance(mesh_surface, face, facing->x);
}

int cond_shape_probe_allowed(const CondShape* shape, const double pose[7], const double point[3],
                             CondNormalAllowed allowed, void* user, CondProbe* probe)
{
    double R[9], d[3], x[3], plane[24], least = -INFINITY;
    const double* found = NULL;
    quat_matrix(pose + 3, R);
    for (int i = 0; i < 3; i++)
        d[i] = point[i] - pose[i];
    mat3_multiply_transposed(R, d, x);
    Facing facing = {shape, R, x, allowed, user};
    if (shape->form == COND_FORM_CONVEX || shape->form == COND_FORM_MESH) {
        const CondMeshSurface* mesh_surface = shape->mesh_surface;
        double near = fabs(probe->gap + shape->margin) + COND_NEARLY * mesh_surface->size;
        int face = cond_tree_nearest(&mesh_surface->tree, x, facing_distance, &facing, &near);
        if (probe->gap < COND_NEARLY * mesh_surface->size && face >= 0)
            found = mesh_surface->plane + 4 * (size_t)face;
    } else {
        int n = shape_planes(shape, x, plane);
        double size = shape->radius + shape->half[0] + shape->half[1] + shape->half[2];
        for (int f = 0; f < n && probe->gap < COND_NEARLY * size; f++) {
            double gap = vec3_dot(plane + 4 * f, x) - plane[4 * f + 3];
            if (!(gap > least) || !is_allowed(&facing, plane + 4 * f))
                continue;
            least = gap;
            found = plane + 4 * f;
        }
    }
    if (!found)
        return 0;
    probe->gap = vec3_dot(found, x) - found[3] - shape->margin;
    mat3_multiply(R, found, probe->normal);
    for (int i = 0; i < 3; i++)
        probe->point[i] = point[i] - probe->gap * probe->normal[i];
    return 1;
}

void cond_shape_bound(const CondShape* shape, const double pose[7], double box[6])
{
    const CondShapeOps* ops = shape_ops(shape->form);
    double R[9];
    quat_matrix(pose + 3, R);
    for (int i = 0; i < 3; i++) {
        // The world axis e_i in the shape's axes is row i of R.
        const double *up = R + 3 * i, down[3] = {-up[0], -up[1], -up[2]};
        box[i] = pose[i] - ops->support(shape, down) - shape->margin;
        box[3 + i] = pose[i] + ops->support(shape, up) + shape->margin;
    }
}
