// The closed triangle surface of a solid: its faces, who is whose neighbour, and a tree.
#include "geometry/mesh_surface.h"
#include "base/tuning.h"

#include "base/error.h"
#include "base/memory.h"
#include "geometry/box.h"
#include "geometry/sort.h"
#include "geometry/triangle.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static CondStatus refuse_edge(const CondIndexKey* key, int n_left, CondError* error)
{
    char why[64] = "one triangle alone has it";
    int n = 1;
    while (n < n_left && !cond_keys_differ(&key[0], &key[n]))
        n++;
    if (n == 2)
        snprintf(why, sizeof why, "its two triangles run along it the same way");
    if (n > 2)
        snprintf(why, sizeof why, "%d triangles have it", n);
    return cond_error_set(error, COND_BAD_ARGUMENT,
                          "the mesh is not closed and oriented at the edge of the vertices %d and "
                          "%d: %s",
                          key->part[0], key->part[1], why);
}

// Every directed edge must occur once, and once the other way round; the two are neighbours.
static CondStatus find_neighbours(CondMeshSurface* mesh_surface, const int* face, CondError* error)
{
    int n = 3 * mesh_surface->n_face;
    CondIndexKey* key = cond_allocate(&mesh_surface->context, (size_t)n, sizeof *key);
    if (!key)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    for (int k = 0; k < n; k++) {
        int from = face[k], to = face[k - k % 3 + (k + 1) % 3];
        key[k] = (CondIndexKey){{from < to ? from : to, from < to ? to : from, 0}, k};
    }
    cond_keys_sort(key, n);
    CondStatus status = COND_OK;
    for (int k = 0; k < n && !status; k += 2) {
        int pair = k + 1 < n && !cond_keys_differ(&key[k], &key[k + 1]);
        int third = pair && k + 2 < n && !cond_keys_differ(&key[k], &key[k + 2]);
        int a = key[k].value, b = pair ? key[k + 1].value : a;
        // Both begin at the same vertex where they run the same way.
        if (!pair || third || face[a] == face[b])
            status = refuse_edge(key + k, n - k, error);
        mesh_surface->neighbour[a] = b / 3;
        mesh_surface->neighbour[b] = a / 3;
    }
    cond_release(&mesh_surface->context, key);
    return status;
}

// Copies the vertices in use and renumbers the faces.
static CondStatus copy_mesh(CondMeshSurface* mesh_surface, int n_vertex, const double* vertex,
                            const int* face, CondError* error)
{
    int* number = cond_allocate(&mesh_surface->context, (size_t)n_vertex, sizeof *number);
    if (!number)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    CondStatus status = COND_OK;
    for (int k = 0; k < 3 * mesh_surface->n_face && !status; k++) {
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
            mesh_surface->vertex[3 * mesh_surface->n_vertex + i] = vertex[3 * v + i];
            if (!isfinite(vertex[3 * v + i]))
                status = cond_error_set(error, COND_BAD_ARGUMENT, "vertex %d is not finite", v);
        }
        number[v] = mesh_surface->n_vertex++;
    }
    for (int k = 0; k < 3 * mesh_surface->n_face && !status; k++)
        mesh_surface->face[k] = number[face[k]];
    double diagonal[3] = {high[0] - low[0], high[1] - low[1], high[2] - low[2]};
    mesh_surface->size = vec3_norm(diagonal);
    cond_release(&mesh_surface->context, number);
    return status;
}

// Turns all faces outward, by the sign of the enclosed volume about the first vertex.
static void turn_outward(CondMeshSurface* mesh_surface)
{
    double volume = 0.0, n[3], r[3];
    for (int f = 0; f < mesh_surface->n_face; f++) {
        const int* face = mesh_surface->face + 3 * f;
        const double* a = mesh_surface->vertex + 3 * face[0];
        triangle_area_vector(a, mesh_surface->vertex + 3 * face[1],
                             mesh_surface->vertex + 3 * face[2], n);
        for (int i = 0; i < 3; i++)
            r[i] = a[i] - mesh_surface->vertex[i];
        volume += vec3_dot(r, n);
    }
    for (int f = 0; f < mesh_surface->n_face && volume < 0.0; f++) {
        int* face = mesh_surface->face + 3 * f;
        int* next = mesh_surface->neighbour + 3 * f;
        int second = face[1], first = next[0];
        face[1] = face[2];
        face[2] = second;
        next[0] = next[2];
        next[2] = first;
    }
}

static CondStatus make_planes(CondMeshSurface* mesh_surface, CondError* error)
{
    for (int f = 0; f < mesh_surface->n_face; f++) {
        const int* face = mesh_surface->face + 3 * f;
        double* plane = mesh_surface->plane + 4 * f;
        const double* a = mesh_surface->vertex + 3 * face[0];
        triangle_area_vector(a, mesh_surface->vertex + 3 * face[1],
                             mesh_surface->vertex + 3 * face[2], plane);
        double area = vec3_norm(plane);
        if (!(area > COND_PRODUCT_ROUNDING * mesh_surface->size * mesh_surface->size))
            return cond_error_set(error, COND_BAD_ARGUMENT, "face %d has no area", f);
        for (int i = 0; i < 3; i++)
            plane[i] /= area;
        plane[3] = vec3_dot(plane, a);
    }
    return COND_OK;
}

// vertex_normal = sum over the faces around a vertex of (angle there) (normal), made a unit vector.
static void make_vertex_normals(CondMeshSurface* mesh_surface)
{
    for (int k = 0; k < 3 * mesh_surface->n_face; k++) {
        const int* face = mesh_surface->face + k - k % 3;
        const double* at = mesh_surface->vertex + 3 * face[k % 3];
        const double* next = mesh_surface->vertex + 3 * face[(k + 1) % 3];
        const double* last = mesh_surface->vertex + 3 * face[(k + 2) % 3];
        double a[3], b[3], c[3];
        for (int i = 0; i < 3; i++) {
            a[i] = next[i] - at[i];
            b[i] = last[i] - at[i];
        }
        vec3_cross(a, b, c);
        double angle = atan2(vec3_norm(c), vec3_dot(a, b));
        for (int i = 0; i < 3; i++)
            mesh_surface->vertex_normal[3 * face[k % 3] + i] +=
                angle * mesh_surface->plane[4 * (k / 3) + i];
    }
    for (int v = 0; v < mesh_surface->n_vertex; v++) {
        double length = vec3_norm(mesh_surface->vertex_normal + 3 * v);
        for (int i = 0; i < 3 && length > 0.0; i++)
            mesh_surface->vertex_normal[3 * v + i] /= length;
    }
}

// fan: the directed edges by the vertex where they begin.
static void make_fans(CondMeshSurface* mesh_surface)
{
    int n = 3 * mesh_surface->n_face;
    for (int k = 0; k < n; k++)
        mesh_surface->fan_begin[mesh_surface->face[k]]++;
    for (int v = 0; v < mesh_surface->n_vertex; v++)
        mesh_surface->fan_begin[v + 1] += mesh_surface->fan_begin[v];
    // Now each entry is the end of its vertex's part; filling from behind moves it to the
    // beginning.
    for (int k = n - 1; k >= 0; k--)
        mesh_surface->fan[--mesh_surface->fan_begin[mesh_surface->face[k]]] = k;
    mesh_surface->fan_begin[mesh_surface->n_vertex] = n;
}

int cond_mesh_surface_is_corner(const CondMeshSurface* mesh_surface, int vertex)
{
    const double same = 1.0 - COND_INPUT_ROUNDING;
    const double *first = NULL, *second = NULL;
    for (int k = mesh_surface->fan_begin[vertex]; k < mesh_surface->fan_begin[vertex + 1]; k++) {
        const double* n = mesh_surface->plane + 4 * (mesh_surface->fan[k] / 3);
        if (!first)
            first = n;
        else if (vec3_dot(first, n) > same)
            continue;
        else if (!second)
            second = n;
        else if (!(vec3_dot(second, n) > same))
            return 1;
    }
    return 0;
}

static CondStatus make_tree(CondMeshSurface* mesh_surface)
{
    double* box =
        cond_allocate(&mesh_surface->context, 6 * (size_t)mesh_surface->n_face, sizeof *box);
    if (!box)
        return COND_OUT_OF_MEMORY;
    for (int f = 0; f < mesh_surface->n_face; f++) {
        for (int i = 0; i < 3; i++) {
            double x[3];
            for (int k = 0; k < 3; k++)
                x[k] = mesh_surface->vertex[3 * mesh_surface->face[3 * f + k] + i];
            box[6 * f + i] = fmin(x[0], fmin(x[1], x[2]));
            box[6 * f + 3 + i] = fmax(x[0], fmax(x[1], x[2]));
        }
    }
    CondStatus status = cond_tree_build(&mesh_surface->tree, mesh_surface->n_face, box);
    cond_release(&mesh_surface->context, box);
    return status;
}

static void edge_ends(const CondMeshSurface* mesh_surface, int e, double box[6])
{
    const CondPolyEdge* edge = &mesh_surface->poly.edge[e];
    cond_box_empty(box);
    cond_box_stretch(box, mesh_surface->vertex + 3 * (size_t)edge->from);
    cond_box_stretch(box, mesh_surface->vertex + 3 * (size_t)edge->to);
}

// What two meshes meet with, for meshes that are not convex.
static CondStatus make_sharp_trees(CondMeshSurface* mesh_surface)
{
    const CondContext* m = &mesh_surface->context;
    const CondPolyhedron* poly = &mesh_surface->poly;
    size_t most = (size_t)(poly->n_edge > poly->n_corner ? poly->n_edge : poly->n_corner);
    int n = 0;
    if (poly->convex)
        return COND_OK;
    double* box = cond_allocate(m, most, 6 * sizeof *box);
    if (!mesh_surface->sharp)
        mesh_surface->sharp = cond_allocate(m, most, sizeof *mesh_surface->sharp);
    CondStatus status = box && mesh_surface->sharp ? COND_OK : COND_OUT_OF_MEMORY;
    for (int c = 0; c < poly->n_corner && !status; c++) {
        const double* x = mesh_surface->vertex + 3 * (size_t)poly->corner[c];
        memcpy(box + 6 * (size_t)c, x, 3 * sizeof *x);
        memcpy(box + 6 * (size_t)c + 3, x, 3 * sizeof *x);
    }
    if (!status)
        status = cond_tree_build(&mesh_surface->corner_tree, poly->n_corner, box);
    for (int e = 0; e < poly->n_edge && !status; e++)
        if (poly->edge[e].convex && e <= poly->edge[e].twin) {
            edge_ends(mesh_surface, e, box + 6 * (size_t)n);
            mesh_surface->sharp[n++] = e;
        }
    if (!status)
        status = cond_tree_build(&mesh_surface->edge_tree, n, box);
    cond_release(m, box);
    return status;
}

CondStatus cond_mesh_surface_create(const CondContext* context, int n_vertex, const double* vertex,
                                    int n_face, const int* face, CondMeshSurface** out,
                                    CondError* error)
{
    *out = NULL;
    if (n_vertex < 4 || n_face < 4)
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "a solid needs 4 vertices and 4 faces, not %d and %d", n_vertex,
                              n_face);
    CondContext own = cond_context_or_default(context);
    CondMeshSurface* mesh_surface = cond_allocate(&own, 1, sizeof *mesh_surface);
    if (!mesh_surface)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    mesh_surface->context = own;
    mesh_surface->n_face = n_face;
    cond_tree_begin(&own, &mesh_surface->tree);
    cond_tree_begin(&own, &mesh_surface->corner_tree);
    cond_tree_begin(&own, &mesh_surface->edge_tree);
    mesh_surface->vertex = cond_allocate(&own, (size_t)n_vertex, 3 * sizeof(double));
    mesh_surface->vertex_normal = cond_allocate(&own, (size_t)n_vertex, 3 * sizeof(double));
    mesh_surface->face = cond_allocate(&own, (size_t)n_face, 3 * sizeof(int));
    mesh_surface->neighbour = cond_allocate(&own, (size_t)n_face, 3 * sizeof(int));
    mesh_surface->plane = cond_allocate(&own, (size_t)n_face, 4 * sizeof(double));
    mesh_surface->fan_begin = cond_allocate(&own, (size_t)n_vertex + 1, sizeof(int));
    mesh_surface->fan = cond_allocate(&own, (size_t)n_face, 3 * sizeof(int));
    CondStatus status = COND_OK;
    if (!mesh_surface->vertex || !mesh_surface->vertex_normal || !mesh_surface->face ||
        !mesh_surface->neighbour || !mesh_surface->plane || !mesh_surface->fan_begin ||
        !mesh_surface->fan)
        status = cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    if (!status)
        status = copy_mesh(mesh_surface, n_vertex, vertex, face, error);
    if (!status)
        status = find_neighbours(mesh_surface, face, error);
    if (!status) {
        turn_outward(mesh_surface);
        status = make_planes(mesh_surface, error);
    }
    if (!status) {
        make_vertex_normals(mesh_surface);
        make_fans(mesh_surface);
        status = make_tree(mesh_surface);
        if (!status)
            status = cond_polyhedron_make(mesh_surface, &mesh_surface->poly);
        if (!status)
            status = make_sharp_trees(mesh_surface);
        if (status)
            cond_error_set(error, status, "out of memory");
    }
    if (status)
        cond_mesh_surface_destroy(mesh_surface);
    else
        *out = mesh_surface;
    return status;
}

void cond_mesh_surface_destroy(CondMeshSurface* mesh_surface)
{
    if (!mesh_surface)
        return;
    CondContext own = mesh_surface->context;
    cond_tree_end(&mesh_surface->tree);
    cond_tree_end(&mesh_surface->corner_tree);
    cond_tree_end(&mesh_surface->edge_tree);
    cond_polyhedron_end(&own, &mesh_surface->poly);
    void* arrays[] = {mesh_surface->vertex,    mesh_surface->vertex_normal, mesh_surface->face,
                      mesh_surface->neighbour, mesh_surface->plane,         mesh_surface->fan_begin,
                      mesh_surface->fan,       mesh_surface->sharp,         mesh_surface};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        cond_release(&own, arrays[i]);
}

CondStatus cond_mesh_surface_shift(CondMeshSurface* mesh_surface, const double shift[3])
{
    for (int k = 0; k < 3 * mesh_surface->n_vertex; k++)
        mesh_surface->vertex[k] += shift[k % 3];
    for (int f = 0; f < mesh_surface->n_face; f++)
        mesh_surface->plane[4 * f + 3] += vec3_dot(mesh_surface->plane + 4 * f, shift);
    for (int f = 0; f < mesh_surface->poly.n_face; f++)
        mesh_surface->poly.plane[4 * f + 3] += vec3_dot(mesh_surface->poly.plane + 4 * f, shift);
    CondStatus status = make_tree(mesh_surface);
    return status ? status : make_sharp_trees(mesh_surface);
}

// ---- distance

typedef struct Query {
    const CondMeshSurface* mesh_surface;
    const double* x;
} Query;

static double face_distance2(const Query* query, int f, double weight[3], double point[3])
{
    const CondMeshSurface* mesh_surface = query->mesh_surface;
    const int* corner = mesh_surface->face + 3 * f;
    return triangle_nearest(query->x, mesh_surface->vertex + 3 * corner[0],
                            mesh_surface->vertex + 3 * corner[1],
                            mesh_surface->vertex + 3 * corner[2], weight, point);
}

static double face_distance(void* user, int f)
{
    double weight[3], point[3];
    return sqrt(face_distance2(user, f, weight, point));
}

double cond_mesh_surface_face_distance(const CondMeshSurface* mesh_surface, int face,
                                       const double x[3])
{
    Query query = {mesh_surface, x};
    return face_distance(&query, face);
}

// The outward normal at a point of a face with these weights.
static void normal_at(const CondMeshSurface* mesh_surface, int f, const double weight[3],
                      double normal[3])
{
    const double small = COND_ROUNDING;
    const double* plane = mesh_surface->plane + 4 * f;
    memcpy(normal, plane, 3 * sizeof *normal);
    for (int k = 0; k < 3; k++) {
        if (weight[k] >= 1.0 - small) {
            memcpy(normal, mesh_surface->vertex_normal + 3 * mesh_surface->face[3 * f + k],
                   3 * sizeof *normal);
            return;
        }
    }
    for (int k = 0; k < 3; k++) {
        if (weight[k] > small)
            continue;
        // Opposite to corner k lies the edge that begins at corner k + 1.
        const double* other =
            mesh_surface->plane + 4 * mesh_surface->neighbour[3 * f + (k + 1) % 3];
        double sum[3], length;
        for (int i = 0; i < 3; i++)
            sum[i] = plane[i] + other[i];
        length = vec3_norm(sum);
        for (int i = 0; i < 3 && length > small; i++)
            normal[i] = sum[i] / length;
        return;
    }
}

void cond_mesh_surface_nearest(const CondMeshSurface* mesh_surface, const double x[3],
                               CondMeshSurfacePoint* nearest)
{
    Query query = {mesh_surface, x};
    double weight[3], pseudo[3], distance = INFINITY;
    int f = cond_tree_nearest(&mesh_surface->tree, x, face_distance, &query, &distance);
    nearest->face = f > 0 ? f : 0;
    distance = sqrt(face_distance2(&query, nearest->face, weight, nearest->point));
    normal_at(mesh_surface, nearest->face, weight, pseudo);
    double d[3];
    for (int i = 0; i < 3; i++)
        d[i] = x[i] - nearest->point[i];
    double sign = vec3_dot(d, pseudo) < 0.0 ? -1.0 : 1.0;
    nearest->gap = sign * distance;
    memcpy(nearest->normal, pseudo, sizeof pseudo);
    // So near the surface the direction to it is lost in rounding.
    for (int i = 0; i < 3 && distance > COND_INPUT_ROUNDING * mesh_surface->size; i++)
        nearest->normal[i] = sign * d[i] / distance;
}
