// Convex mesh: inside the largest plane distance, outside the nearest point of the faces in view.
#include "collide/convex.h"

#include "base/error.h"
#include "base/memory.h"
#include "collide/shape_ops.h"
#include "collide/sort.h"
#include "collide/triangle.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const double FLAT = 1e-6; // how far a vertex may stand out of a face, of the size

// Every directed edge must occur once, and once the other way round.
static CondStatus check_closed(const CondConvex* convex, const int* face, CondError* error)
{
    int n = 3 * convex->n_face;
    CondKey* key = cond_allocate(&convex->context, (size_t)n, sizeof *key);
    if (!key)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    for (int k = 0; k < n; k++) {
        int from = face[k], to = face[k - k % 3 + (k + 1) % 3];
        key[k] = (CondKey){{from < to ? from : to, from < to ? to : from, 0}, from < to};
    }
    cond_keys_sort(key, n);
    CondStatus status = COND_OK;
    for (int k = 0; k < n && !status; k += 2) {
        int pair = k + 1 < n && !cond_keys_differ(&key[k], &key[k + 1]);
        int third = pair && k + 2 < n && !cond_keys_differ(&key[k], &key[k + 2]);
        if (!pair || third || key[k].value == key[k + 1].value)
            status = cond_error_set(error, COND_BAD_ARGUMENT,
                                    "the mesh is not closed and oriented at the edge of the "
                                    "vertices %d and %d",
                                    key[k].part[0], key[k].part[1]);
    }
    cond_release(&convex->context, key);
    return status;
}

// Copies the vertices in use and renumbers the faces.
static CondStatus copy_mesh(CondConvex* convex, int n_vertex, const double* vertex, const int* face,
                            CondError* error)
{
    int* number = cond_allocate(&convex->context, (size_t)n_vertex, sizeof *number);
    if (!number)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    CondStatus status = COND_OK;
    for (int k = 0; k < 3 * convex->n_face && !status; k++) {
        if (face[k] < 0 || face[k] >= n_vertex)
            status = cond_error_set(error, COND_BAD_ARGUMENT, "face %d names vertex %d of %d",
                                    k / 3, face[k], n_vertex);
        else
            number[face[k]] = 1;
    }
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int v = 0; v < n_vertex && !status; v++) {
        if (!number[v])
            continue;
        for (int i = 0; i < 3; i++) {
            low[i] = fmin(low[i], vertex[3 * v + i]);
            high[i] = fmax(high[i], vertex[3 * v + i]);
            convex->vertex[3 * convex->n_vertex + i] = vertex[3 * v + i];
            if (!isfinite(vertex[3 * v + i]))
                status = cond_error_set(error, COND_BAD_ARGUMENT, "vertex %d is not finite", v);
        }
        number[v] = convex->n_vertex++;
    }
    for (int k = 0; k < 3 * convex->n_face && !status; k++)
        convex->face[k] = number[face[k]];
    double diagonal[3] = {high[0] - low[0], high[1] - low[1], high[2] - low[2]};
    convex->size = vec3_norm(diagonal);
    cond_release(&convex->context, number);
    return status;
}

// Turns all faces outward, by the sign of the enclosed volume about the first vertex.
static void turn_outward(CondConvex* convex)
{
    double volume = 0.0, n[3], r[3];
    for (int f = 0; f < convex->n_face; f++) {
        const int* face = convex->face + 3 * f;
        const double* a = convex->vertex + 3 * face[0];
        triangle_area_vector(a, convex->vertex + 3 * face[1], convex->vertex + 3 * face[2], n);
        for (int i = 0; i < 3; i++)
            r[i] = a[i] - convex->vertex[i];
        volume += vec3_dot(r, n);
    }
    for (int f = 0; f < convex->n_face && volume < 0.0; f++) {
        int* face = convex->face + 3 * f;
        int second = face[1];
        face[1] = face[2];
        face[2] = second;
    }
}

// Planes of the faces; no vertex may stand out of any of them.
static CondStatus make_planes(CondConvex* convex, CondError* error)
{
    for (int f = 0; f < convex->n_face; f++) {
        const int* face = convex->face + 3 * f;
        double* plane = convex->plane + 4 * f;
        const double* a = convex->vertex + 3 * face[0];
        triangle_area_vector(a, convex->vertex + 3 * face[1], convex->vertex + 3 * face[2], plane);
        double area = vec3_norm(plane);
        if (!(area > 1e-14 * convex->size * convex->size))
            return cond_error_set(error, COND_BAD_ARGUMENT, "face %d has no area", f);
        for (int i = 0; i < 3; i++)
            plane[i] /= area;
        plane[3] = vec3_dot(plane, a);
        for (int v = 0; v < convex->n_vertex; v++) {
            double out = vec3_dot(plane, convex->vertex + 3 * v) - plane[3];
            if (out > FLAT * convex->size)
                return cond_error_set(error, COND_BAD_ARGUMENT,
                                      "the mesh is not convex: a vertex stands %g m out of face %d",
                                      out, f);
        }
    }
    return COND_OK;
}

CondStatus cond_convex_create(const CondContext* context, int n_vertex, const double* vertex,
                              int n_face, const int* face, CondConvex** out, CondError* error)
{
    *out = NULL;
    if (n_vertex < 4 || n_face < 4)
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "a solid needs 4 vertices and 4 faces, not %d and %d", n_vertex,
                              n_face);
    CondContext own = cond_context_or_default(context);
    CondConvex* convex = cond_allocate(&own, 1, sizeof *convex);
    if (!convex)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    convex->context = own;
    convex->n_face = n_face;
    convex->vertex = cond_allocate(&own, (size_t)n_vertex, 3 * sizeof(double));
    convex->face = cond_allocate(&own, (size_t)n_face, 3 * sizeof(int));
    convex->plane = cond_allocate(&own, (size_t)n_face, 4 * sizeof(double));
    CondStatus status = COND_OK;
    if (!convex->vertex || !convex->face || !convex->plane)
        status = cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    if (!status)
        status = copy_mesh(convex, n_vertex, vertex, face, error);
    if (!status)
        status = check_closed(convex, face, error);
    if (!status) {
        turn_outward(convex);
        status = make_planes(convex, error);
    }
    if (status)
        cond_convex_destroy(convex);
    else
        *out = convex;
    return status;
}

void cond_convex_destroy(CondConvex* convex)
{
    if (!convex)
        return;
    CondContext own = convex->context;
    cond_release(&own, convex->vertex);
    cond_release(&own, convex->face);
    cond_release(&own, convex->plane);
    cond_release(&own, convex);
}

static CondStatus convex_check(const CondShape* shape, CondError* error)
{
    return shape->convex ? COND_OK
                         : cond_error_set(error, COND_BAD_ARGUMENT, "a convex shape has no mesh");
}

static double convex_probe(const CondShape* shape, const double x[3], const double* last,
                           double normal[3])
{
    const CondConvex* convex = shape->convex;
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
    if (!(deepest > 0.0) || distance < 1e-10 * convex->size) {
        // Inside, or so near the surface that the direction to it is lost in rounding.
        for (int i = 0; i < 3; i++)
            normal[i] = face[i];
        return deepest;
    }
    for (int i = 0; i < 3; i++)
        normal[i] = (x[i] - point[i]) / distance;
    return distance;
}

static double convex_support(const CondShape* shape, const double d[3])
{
    double most = -INFINITY;
    for (int v = 0; v < shape->convex->n_vertex; v++)
        most = fmax(most, vec3_dot(d, shape->convex->vertex + 3 * v));
    return most;
}

static int convex_point_count(const CondShape* shape)
{
    return shape->convex->n_vertex;
}

static void convex_plane_point(const CondShape* shape, const double n[3], int i, double x[3])
{
    (void)n;
    memcpy(x, shape->convex->vertex + 3 * (size_t)i, 3 * sizeof *x);
}

const CondShapeOps COND_CONVEX_OPS = {COND_FORM_CONVEX, convex_check,       convex_probe,
                                      convex_support,   convex_point_count, convex_plane_point};
