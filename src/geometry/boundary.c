// The boundary of a body, placed, for asking how deep a point is in it: the distance of the point
// to the nearest part of the boundary.
#include "geometry/boundary.h"

#include "geometry/mesh_surface.h"
#include "geometry/triangle.h"

#include <math.h>
#include <string.h>

void cond_boundary_begin(const CondContext* context, CondBoundary* boundary)
{
    *boundary = (CondBoundary){.n_vertex = 0};
    cond_arena_begin(context, &boundary->arena);
    cond_tree_begin(context, &boundary->tree);
}

void cond_boundary_end(CondBoundary* boundary)
{
    cond_arena_release(&boundary->arena);
    cond_tree_end(&boundary->tree);
}

static const double* vertex_at(const CondBoundary* b, int v)
{
    return b->vertex + 3 * (size_t)v;
}

static const double* corner_of(const CondBoundary* b, int t, int k)
{
    return vertex_at(b, b->triangle[3 * (size_t)t + k % 3]);
}

static CondStatus reserve(CondBoundary* b, int n_vertex, int n_triangle, int n_plane)
{
    b->n_vertex = n_vertex;
    b->n_triangle = n_triangle;
    b->n_plane = n_plane;
    b->side = 0;
    b->hollow = 0;
    if (COND_RESERVE(&b->arena, b->vertex, 3 * n_vertex) ||
        COND_RESERVE(&b->arena, b->triangle, 3 * n_triangle) ||
        COND_RESERVE(&b->arena, b->normal, 3 * n_triangle) ||
        COND_RESERVE(&b->arena, b->box_of, 6 * n_triangle) ||
        COND_RESERVE(&b->arena, b->fan, 3 * n_triangle) ||
        COND_RESERVE(&b->arena, b->fan_begin, n_vertex + 1) ||
        COND_RESERVE(&b->arena, b->plane, 4 * n_plane))
        return COND_OUT_OF_MEMORY;
    return COND_OK;
}

static void widen(double box[6], const double x[3])
{
    for (int i = 0; i < 3; i++) {
        box[i] = fmin(box[i], x[i]);
        box[3 + i] = fmax(box[3 + i], x[i]);
    }
}

static void empty_box(double box[6])
{
    for (int i = 0; i < 3; i++) {
        box[i] = INFINITY;
        box[3 + i] = -INFINITY;
    }
}

static void measure_size(CondBoundary* b)
{
    double d[3];
    for (int i = 0; i < 3; i++)
        d[i] = b->box[3 + i] - b->box[i];
    b->size = vec3_norm(d);
}

// Boxes and normals, from vertices and triangles.
static void finish(CondBoundary* b)
{
    empty_box(b->box);
    for (int v = 0; v < b->n_vertex; v++)
        widen(b->box, vertex_at(b, v));
    measure_size(b);
    for (int t = 0; t < b->n_triangle; t++) {
        double *n = b->normal + 3 * (size_t)t, *box = b->box_of + 6 * (size_t)t;
        empty_box(box);
        for (int k = 0; k < 3; k++)
            widen(box, corner_of(b, t, k));
        triangle_area_vector(corner_of(b, t, 0), corner_of(b, t, 1), corner_of(b, t, 2), n);
        double length = vec3_norm(n);
        for (int i = 0; i < 3 && length > 0.0; i++)
            n[i] /= length;
    }
}

// Which triangles are around which vertex.
static void make_fans(CondBoundary* b)
{
    int n = 3 * b->n_triangle;
    memset(b->fan_begin, 0, (size_t)(b->n_vertex + 1) * sizeof *b->fan_begin);
    for (int k = 0; k < n; k++)
        b->fan_begin[b->triangle[k] + 1]++;
    for (int v = 0; v < b->n_vertex; v++)
        b->fan_begin[v + 1] += b->fan_begin[v];
    for (int k = 0; k < n; k++) // each fan is filled from its end, which moves to its begin
        b->fan[--b->fan_begin[b->triangle[n - 1 - k] + 1]] = (n - 1 - k) / 3;
    for (int v = 0; v < b->n_vertex; v++)
        b->fan_begin[v] = b->fan_begin[v + 1];
    b->fan_begin[b->n_vertex] = n;
}

static CondStatus take_box(CondBoundary* b, const CondCore* core)
{
    static const int quad[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                   {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    if (reserve(b, 8, 12, 6))
        return COND_OUT_OF_MEMORY;
    for (int v = 0; v < 8; v++) {
        const double local[3] = {v & 1 ? core->half[0] : -core->half[0],
                                 v & 2 ? core->half[1] : -core->half[1],
                                 v & 4 ? core->half[2] : -core->half[2]};
        cond_core_place(core, local, b->vertex + 3 * (size_t)v);
    }
    for (int f = 0; f < 6; f++) {
        double* plane = b->plane + 4 * (size_t)f;
        cond_core_axis(core, f / 2, plane);
        for (int i = 0; i < 3 && f % 2 == 0; i++)
            plane[i] = -plane[i];
        plane[3] = vec3_dot(plane, core->p) + core->half[f / 2];
        for (int k = 0; k < 3; k++) {
            b->triangle[6 * f + k] = quad[f][k];
            b->triangle[6 * f + 3 + k] = quad[f][k > 0 ? k + 1 : 0];
        }
    }
    finish(b);
    return COND_OK;
}

static CondStatus take_mesh(CondBoundary* b, const CondCore* core)
{
    const CondMeshSurface* mesh = core->mesh_surface;
    const CondPolyhedron* poly = &mesh->poly;
    if (reserve(b, mesh->n_vertex, mesh->n_face, poly->convex ? poly->n_face : 0))
        return COND_OUT_OF_MEMORY;
    for (int v = 0; v < mesh->n_vertex; v++)
        cond_core_place(core, mesh->vertex + 3 * (size_t)v, b->vertex + 3 * (size_t)v);
    memcpy(b->triangle, mesh->face, 3 * (size_t)mesh->n_face * sizeof *b->triangle);
    for (int f = 0; f < b->n_plane; f++) {
        const double* local = poly->plane + 4 * (size_t)f;
        double* plane = b->plane + 4 * (size_t)f;
        mat3_multiply(core->R, local, plane);
        plane[3] = local[3] + vec3_dot(plane, core->p);
    }
    finish(b);
    return COND_OK;
}

static CondStatus take_cylinder(CondBoundary* b, const CondCore* core)
{
    if (reserve(b, 0, 0, 2))
        return COND_OUT_OF_MEMORY;
    for (int f = 0; f < 2; f++) {
        double* plane = b->plane + 4 * (size_t)f;
        cond_core_axis(core, 2, plane);
        for (int i = 0; i < 3 && f == 0; i++)
            plane[i] = -plane[i];
        plane[3] = vec3_dot(plane, core->p) + core->half[2];
    }
    for (int k = 0; k < 6; k++) {
        double d[3] = {0.0, 0.0, 0.0}, x[3];
        d[k % 3] = k < 3 ? -1.0 : 1.0;
        cond_core_support(core, d, 0, x);
        b->box[k] = x[k % 3];
    }
    b->side = 1;
    measure_size(b);
    return COND_OK;
}

// Trees and fans of a surface with triangles as its parts; `like` is a tree of them in other axes,
// or NULL.
static CondStatus make_hollow(CondBoundary* b, const CondTree* like)
{
    b->hollow = 1;
    make_fans(b);
    return like ? cond_tree_build_as(&b->tree, like, b->box_of)
                : cond_tree_build(&b->tree, b->n_triangle, b->box_of);
}

CondStatus cond_boundary_take_core(CondBoundary* b, const CondCore* core)
{
    const double end[3] = {0.0, 0.0, core->half[2]}, other[3] = {0.0, 0.0, -core->half[2]};
    CondStatus status = COND_OK;
    b->core = *core;
    switch (core->form) {
    case COND_FORM_BOX:
        return take_box(b, core);
    case COND_FORM_CYLINDER:
        return take_cylinder(b, core);
    case COND_FORM_CONVEX:
    case COND_FORM_MESH:
        status = take_mesh(b, core);
        return status || core->mesh_surface->poly.convex
                   ? status
                   : make_hollow(b, &core->mesh_surface->tree);
    default:
        status = reserve(b, core->form == COND_FORM_CAPSULE ? 2 : 1, 0, 0);
        if (status)
            return status;
        cond_core_place(core, end, b->vertex);
        if (b->n_vertex == 2)
            cond_core_place(core, other, b->vertex + 3);
        finish(b);
        return COND_OK;
    }
}

CondStatus cond_boundary_take_surface(CondBoundary* b, int n_vertex, const double* vertex,
                                      int n_triangle, const int* triangle, const double origin[3])
{
    if (reserve(b, n_vertex, n_triangle, 0))
        return COND_OUT_OF_MEMORY;
    for (int k = 0; k < 3 * n_vertex; k++)
        b->vertex[k] = vertex[k] - origin[k % 3];
    memcpy(b->triangle, triangle, 3 * (size_t)n_triangle * sizeof *triangle);
    finish(b);
    return make_hollow(b, NULL);
}

// ---- depths

typedef struct Asked {
    const CondBoundary* boundary;
    const double* x;
} Asked;

static double distance_to(void* user, int t)
{
    const Asked* asked = user;
    const CondBoundary* b = asked->boundary;
    double weight[3], point[3];
    return sqrt(triangle_nearest(asked->x, corner_of(b, t, 0), corner_of(b, t, 1),
                                 corner_of(b, t, 2), weight, point));
}

// The mean of the normals around a vertex, by the triangles' angles there.
static void vertex_normal(const CondBoundary* b, int v, double n[3])
{
    n[0] = n[1] = n[2] = 0.0;
    for (int f = b->fan_begin[v]; f < b->fan_begin[v + 1]; f++) {
        int t = b->fan[f], k = 0;
        double d[3], e[3];
        while (k < 2 && b->triangle[3 * (size_t)t + k] != v)
            k++;
        const double *p = corner_of(b, t, k), *q = corner_of(b, t, k + 1),
                     *r = corner_of(b, t, k + 2);
        for (int i = 0; i < 3; i++) {
            d[i] = q[i] - p[i];
            e[i] = r[i] - p[i];
        }
        double angle = acos(fmax(-1.0, fmin(1.0, vec3_dot(d, e) / (vec3_norm(d) * vec3_norm(e)))));
        for (int i = 0; i < 3; i++)
            n[i] += angle * b->normal[3 * (size_t)t + i];
    }
}

// The triangle beyond the edge of t across from its corner k; t where there is none.
static int beyond(const CondBoundary* b, int t, int k)
{
    int u = b->triangle[3 * (size_t)t + (k + 1) % 3], v = b->triangle[3 * (size_t)t + (k + 2) % 3];
    for (int f = b->fan_begin[u]; f < b->fan_begin[u + 1]; f++) {
        const int* c = b->triangle + 3 * (size_t)b->fan[f];
        if (b->fan[f] != t && (c[0] == v || c[1] == v || c[2] == v))
            return b->fan[f];
    }
    return t;
}

// 1 inside: x lies behind triangle t, whose nearest point has the given weights. Nearest to an edge
// the triangle that faces x more decides, nearest to a corner the mean normal.
static int is_inside(const CondBoundary* b, const double x[3], int t, const double weight[3],
                     const double point[3])
{
    double n[3], d[3] = {x[0] - point[0], x[1] - point[1], x[2] - point[2]};
    int zero[3], n_zero = 0;
    for (int k = 0; k < 3; k++)
        if (!(weight[k] > 0.0))
            zero[n_zero++] = k;
    double along = vec3_dot(b->normal + 3 * (size_t)t, d);
    if (n_zero == 2) {
        vertex_normal(b, b->triangle[3 * (size_t)t + (3 - zero[0] - zero[1])], n);
        along = vec3_dot(n, d);
    } else if (n_zero == 1) {
        double other = vec3_dot(b->normal + 3 * (size_t)beyond(b, t, zero[0]), d);
        along = fabs(other) > fabs(along) ? other : along;
    }
    return along < 0.0;
}

static double convex_depth(const CondBoundary* b, const double x[3], int* part)
{
    double least = INFINITY, gradient[3];
    for (int f = 0; f < b->n_plane + b->side; f++) {
        double depth = cond_boundary_part(b, f, x, gradient);
        *part = depth < least ? f : *part;
        least = fmin(least, depth);
    }
    return least;
}

double cond_boundary_depth(const CondBoundary* b, const double x[3], int hint, int* part)
{
    Asked asked = {b, x};
    double distance = hint >= 0 && b->hollow ? distance_to(&asked, hint) : INFINITY;
    double weight[3], point[3];
    *part = hint;
    if (!b->hollow)
        return convex_depth(b, x, part);
    int found = cond_tree_nearest(&b->tree, x, distance_to, &asked, &distance);
    *part = found >= 0 ? found : hint;
    triangle_nearest(x, corner_of(b, *part, 0), corner_of(b, *part, 1), corner_of(b, *part, 2),
                     weight, point);
    return is_inside(b, x, *part, weight, point) ? distance : -distance;
}

static double side_part(const CondBoundary* b, const double x[3], double gradient[3])
{
    double local[3];
    cond_core_local(&b->core, x, local);
    double rho = hypot(local[0], local[1]);
    const double out[3] = {rho > 0.0 ? -local[0] / rho : -1.0, rho > 0.0 ? -local[1] / rho : 0.0,
                           0.0};
    mat3_multiply(b->core.R, out, gradient);
    return b->core.disc - rho;
}

double cond_boundary_part(const CondBoundary* b, int part, const double x[3], double gradient[3])
{
    if (!b->hollow && part == b->n_plane)
        return side_part(b, x, gradient);
    if (!b->hollow) {
        const double* plane = b->plane + 4 * (size_t)part;
        for (int i = 0; i < 3; i++)
            gradient[i] = -plane[i];
        return plane[3] - vec3_dot(plane, x);
    }
    double weight[3], point[3];
    double distance = sqrt(triangle_nearest(x, corner_of(b, part, 0), corner_of(b, part, 1),
                                            corner_of(b, part, 2), weight, point));
    for (int i = 0; i < 3; i++)
        gradient[i] =
            distance > 0.0 ? (x[i] - point[i]) / distance : -b->normal[3 * (size_t)part + i];
    return distance;
}

double cond_boundary_wall(const CondBoundary* b, int t, int k, const double x[3], double inward[3])
{
    const double *p = corner_of(b, t, k), *q = corner_of(b, t, k + 1);
    double d[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]}, along = 0.0;
    vec3_cross(b->normal + 3 * (size_t)t, d, inward);
    double length = vec3_norm(inward);
    for (int i = 0; i < 3; i++) {
        inward[i] /= length > 0.0 ? length : 1.0;
        along += inward[i] * (x[i] - p[i]);
    }
    return along;
}
