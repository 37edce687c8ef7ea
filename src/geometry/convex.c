// Convex mesh: inside the largest plane distance, outside the nearest point of the faces in view.
#include "geometry/convex.h"
#include "base/tuning.h"

#include "base/error.h"
#include "geometry/shape_ops.h"
#include "geometry/triangle.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

CondStatus cond_convex_create(const CondContext* context, int n_vertex, const double* vertex,
                              int n_face, const int* face, CondConvex** out, CondError* error)
{
    CondMeshSurface* mesh_surface;
    CondStatus status =
        cond_mesh_surface_create(context, n_vertex, vertex, n_face, face, &mesh_surface, error);
    *out = NULL;
    if (status)
        return status;
    for (int f = 0; f < mesh_surface->n_face && !status; f++) {
        for (int v = 0; v < mesh_surface->n_vertex && !status; v++) {
            const double* plane = mesh_surface->plane + 4 * f;
            double out_of = vec3_dot(plane, mesh_surface->vertex + 3 * v) - plane[3];
            if (out_of > COND_SINGLE_PRECISION * mesh_surface->size)
                status = cond_error_set(
                    error, COND_BAD_ARGUMENT,
                    "the mesh is not convex: a vertex stands %g m out of face %d", out_of, f);
        }
    }
    if (status)
        cond_mesh_surface_destroy(mesh_surface);
    else
        *out = mesh_surface;
    return status;
}

static CondStatus convex_check(const CondShape* shape, CondError* error)
{
    return shape->mesh_surface
               ? COND_OK
               : cond_error_set(error, COND_BAD_ARGUMENT, "a convex shape has no mesh");
}

static double convex_probe(const CondShape* shape, const double x[3], const double* last,
                           double normal[3])
{
    const CondConvex* convex = shape->mesh_surface;
    const double* face =
        convex->plane + 4 * cond_shape_nearest_plane(convex->n_face, convex->plane, x, last);
    double deepest = vec3_dot(face, x) - face[3];
    // The nearest point of a convex solid lies on a face that x sees.
    double nearest = INFINITY, point[3], weight[3], c[3];
    for (int f = 0; f < convex->n_face && deepest > 0.0; f++) {
        const int* corner = convex->face + 3 * f;
        if (!(vec3_dot(convex->plane + 4 * f, x) - convex->plane[4 * f + 3] > 0.0))
            continue;
        double distance2 =
            triangle_nearest(x, convex->vertex + 3 * corner[0], convex->vertex + 3 * corner[1],
                             convex->vertex + 3 * corner[2], weight, c);
        if (distance2 < nearest) {
            nearest = distance2;
            memcpy(point, c, sizeof point);
        }
    }
    double distance = sqrt(nearest);
    if (!(deepest > 0.0) || distance < COND_INPUT_ROUNDING * convex->size) {
        // Inside, or so near the surface that the direction to it is lost in rounding.
        for (int i = 0; i < 3; i++)
            normal[i] = face[i];
        return deepest;
    }
    for (int i = 0; i < 3; i++)
        normal[i] = (x[i] - point[i]) / distance;
    return distance;
}

double cond_mesh_surface_support(const CondShape* shape, const double d[3])
{
    double most = -INFINITY;
    for (int v = 0; v < shape->mesh_surface->n_vertex; v++)
        most = fmax(most, vec3_dot(d, shape->mesh_surface->vertex + 3 * v));
    return most;
}

const CondShapeOps COND_CONVEX_OPS = {COND_FORM_CONVEX, convex_check, convex_probe,
                                      cond_mesh_surface_support};
