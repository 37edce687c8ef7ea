// Topology and per-step geometry of a tetrahedral volume; volume_contact.c finds its contacts.
#include "collide/volume.h"

#include "base/error.h"
#include "base/memory.h"
#include "collide/sort.h"
#include "collide/triangle.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// Faces of a tetrahedron with positive volume, counter-clockwise seen from outside.
static const int FACE[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

static CondStatus check_mesh(const CondVolume* volume, CondError* error)
{
    for (int k = 0; k < 3 * volume->n_vertex; k++)
        if (!isfinite(volume->rest[k]))
            return cond_error_set(error, COND_BAD_ARGUMENT, "vertex %d is not finite", k / 3);
    for (int k = 0; k < 4 * volume->n_tet; k++) {
        const int* tet = volume->tet + k - k % 4;
        if (volume->tet[k] < 0 || volume->tet[k] >= volume->n_vertex)
            return cond_error_set(error, COND_BAD_ARGUMENT, "tetrahedron %d names vertex %d of %d",
                                  k / 4, volume->tet[k], volume->n_vertex);
        for (int i = 0; i < k % 4; i++)
            if (tet[i] == volume->tet[k])
                return cond_error_set(error, COND_BAD_ARGUMENT,
                                      "tetrahedron %d has vertex %d twice", k / 4, tet[i]);
    }
    return COND_OK;
}

static double rest_volume(const CondVolume* volume, int t)
{
    const int* tet = volume->tet + 4 * (size_t)t;
    const double* a = volume->rest + 3 * (size_t)tet[0];
    const double* d = volume->rest + 3 * (size_t)tet[3];
    double n[3], r[3] = {d[0] - a[0], d[1] - a[1], d[2] - a[2]};
    triangle_area_vector(a, volume->rest + 3 * (size_t)tet[1], volume->rest + 3 * (size_t)tet[2],
                         n);
    return vec3_dot(n, r) / 6.0;
}

static void sort_three(int x[3])
{
    for (int pass = 0; pass < 3; pass++) {
        int i = pass % 2, swap = x[i];
        if (x[i] > x[i + 1]) {
            x[i] = x[i + 1];
            x[i + 1] = swap;
        }
    }
}

// Marks the faces that belong to one tetrahedron only: inner[4 t + f] = 0.
static CondStatus mark_faces(const CondVolume* volume, char* inner, CondError* error)
{
    int n = 4 * volume->n_tet;
    CondKey* key = cond_allocate(&volume->context, (size_t)n, sizeof *key);
    if (!key)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < 3; i++)
            key[k].part[i] = volume->tet[k - k % 4 + FACE[k % 4][i]];
        sort_three(key[k].part);
        key[k].value = k;
    }
    cond_keys_sort(key, n);
    CondStatus status = COND_OK;
    for (int k = 0, run; k < n && !status; k += run) {
        for (run = 1; k + run < n && !cond_keys_differ(&key[k], &key[k + run]); run++)
            ;
        for (int i = 0; i < run; i++)
            inner[key[k + i].value] = run > 1;
        if (run > 2)
            status = cond_error_set(error, COND_BAD_ARGUMENT,
                                    "%d tetrahedra share the face of the vertices %d, %d, %d", run,
                                    key[k].part[0], key[k].part[1], key[k].part[2]);
    }
    cond_release(&volume->context, key);
    return status;
}

// The surface triangles in the order of their tetrahedra, turned outward by the shape at rest.
static CondStatus make_triangles(CondVolume* volume, CondError* error)
{
    const CondContext* context = &volume->context;
    char* inner = cond_allocate(context, (size_t)volume->n_tet, 4);
    CondStatus status = inner ? mark_faces(volume, inner, error)
                              : cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    for (int k = 0; k < 4 * volume->n_tet && !status; k++)
        volume->n_triangle += !inner[k];
    if (!status) {
        size_t n = (size_t)volume->n_triangle;
        volume->triangle = cond_allocate(context, n, 3 * sizeof(int));
        volume->triangle_tet = cond_allocate(context, n, sizeof(int));
        if (!volume->triangle || !volume->triangle_tet)
            status = cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    }
    for (int k = 0, n = 0; k < 4 * volume->n_tet && !status; k++) {
        if (inner[k])
            continue;
        int turned = rest_volume(volume, k / 4) < 0.0;
        for (int i = 0; i < 3; i++)
            volume->triangle[3 * n + i] = volume->tet[k - k % 4 + FACE[k % 4][turned ? 2 - i : i]];
        volume->triangle_tet[n++] = k / 4;
    }
    cond_release(context, inner);
    return status;
}

// Which of n items (width corners each) stand around each vertex: offsets and list.
static CondStatus make_incidence(const CondVolume* volume, int n, int width, const int* corner,
                                 int** begin, int** list)
{
    *begin = cond_allocate(&volume->context, (size_t)volume->n_vertex + 1, sizeof **begin);
    *list = cond_allocate(&volume->context, (size_t)n, (size_t)width * sizeof **list);
    if (!*begin || !*list)
        return COND_OUT_OF_MEMORY;
    int* end = *begin;
    for (int k = 0; k < width * n; k++)
        end[corner[k] + 1]++;
    for (int v = 0; v < volume->n_vertex; v++)
        end[v + 1] += end[v];
    // Filled from the back, each offset falls from the end of its run to the beginning, which
    // leaves the offsets shifted by one place.
    for (int k = width * n - 1; k >= 0; k--)
        (*list)[--end[corner[k] + 1]] = k / width;
    for (int v = 0; v < volume->n_vertex; v++)
        end[v] = end[v + 1];
    end[volume->n_vertex] = width * n;
    return COND_OK;
}

// Appends to the ring the unmarked corners of the tetrahedra around a vertex.
static CondStatus widen_ring(CondVolume* volume, const int* star_begin, const int* star, int vertex,
                             char* mark, int* n)
{
    for (int s = star_begin[vertex]; s < star_begin[vertex + 1]; s++) {
        for (int i = 0; i < 4; i++) {
            int v = volume->tet[4 * (size_t)star[s] + i];
            if (mark[v])
                continue;
            mark[v] = 1;
            if (cond_reserve(&volume->context, &volume->ring, &volume->cap_ring, *n + 1,
                             sizeof(int)))
                return COND_OUT_OF_MEMORY;
            volume->ring[(*n)++] = v;
        }
    }
    return COND_OK;
}

// ring of a surface vertex = itself and all vertices within n_ring edges.
static CondStatus make_rings(CondVolume* volume, int n_ring)
{
    const CondContext* context = &volume->context;
    int *star_begin = NULL, *star = NULL, n = 0;
    char* mark = cond_allocate(context, (size_t)volume->n_vertex, 1);
    CondStatus status = mark ? COND_OK : COND_OUT_OF_MEMORY;
    if (!status)
        status = make_incidence(volume, volume->n_tet, 4, volume->tet, &star_begin, &star);
    for (int v = 0; v < volume->n_vertex && !status; v++) {
        int begin = n;
        volume->ring_begin[v] = begin;
        if (volume->fan_begin[v] == volume->fan_begin[v + 1])
            continue; // an inner vertex touches nothing
        status = cond_reserve(context, &volume->ring, &volume->cap_ring, n + 1, sizeof(int));
        if (status)
            break;
        volume->ring[n++] = v;
        mark[v] = 1;
        for (int level = 0, from = begin; level < n_ring && !status; level++) {
            int to = n;
            for (; from < to && !status; from++)
                status = widen_ring(volume, star_begin, star, volume->ring[from], mark, &n);
        }
        for (int k = begin; k < n; k++)
            mark[volume->ring[k]] = 0;
    }
    volume->ring_begin[volume->n_vertex] = n;
    cond_release(context, star_begin);
    cond_release(context, star);
    cond_release(context, mark);
    return status;
}

static void bound_corners(int n, int width, const int* corner, const double* x, double* box)
{
    for (int k = 0; k < n; k++) {
        double* b = box + 6 * (size_t)k;
        for (int i = 0; i < 3; i++) {
            b[i] = INFINITY;
            b[3 + i] = -INFINITY;
            for (int c = 0; c < width; c++) {
                double value = x[3 * (size_t)corner[width * (size_t)k + c] + i];
                b[i] = fmin(b[i], value);
                b[3 + i] = fmax(b[3 + i], value);
            }
        }
    }
}

static CondStatus make_trees(CondVolume* volume)
{
    bound_corners(volume->n_triangle, 3, volume->triangle, volume->rest, volume->box);
    CondStatus status = cond_tree_build(&volume->rest_tree, volume->n_triangle, volume->box);
    if (!status)
        status = cond_tree_build(&volume->triangle_tree, volume->n_triangle, volume->box);
    bound_corners(volume->n_tet, 4, volume->tet, volume->rest, volume->box);
    if (!status)
        status = cond_tree_build(&volume->tet_tree, volume->n_tet, volume->box);
    return status;
}

static void measure_size(CondVolume* volume)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int k = 0; k < 4 * volume->n_tet; k++) {
        const double* x = volume->rest + 3 * (size_t)volume->tet[k];
        for (int i = 0; i < 3; i++) {
            low[i] = fmin(low[i], x[i]);
            high[i] = fmax(high[i], x[i]);
        }
    }
    double diagonal[3] = {high[0] - low[0], high[1] - low[1], high[2] - low[2]};
    volume->size = vec3_norm(diagonal);
}

// Everything that follows from the surface: fans, rings, trees, arrays of the current state.
static CondStatus make_parts(CondVolume* volume, int n_ring)
{
    const CondContext* context = &volume->context;
    size_t n_vertex = (size_t)volume->n_vertex, n_triangle = (size_t)volume->n_triangle;
    size_t n_box = n_triangle > (size_t)volume->n_tet ? n_triangle : (size_t)volume->n_tet;
    if (make_incidence(volume, volume->n_triangle, 3, volume->triangle, &volume->fan_begin,
                       &volume->fan))
        return COND_OUT_OF_MEMORY;
    volume->surface = cond_allocate(context, n_vertex, sizeof(int));
    volume->ring_begin = cond_allocate(context, n_vertex + 1, sizeof(int));
    volume->position = cond_allocate(context, n_vertex, 3 * sizeof(double));
    volume->vertex_normal = cond_allocate(context, n_vertex, 3 * sizeof(double));
    volume->normal = cond_allocate(context, n_triangle, 3 * sizeof(double));
    volume->box = cond_allocate(context, n_box, 6 * sizeof(double));
    if (!volume->surface || !volume->ring_begin || !volume->position || !volume->vertex_normal ||
        !volume->normal || !volume->box)
        return COND_OUT_OF_MEMORY;
    for (int v = 0; v < volume->n_vertex; v++)
        if (volume->fan_begin[v] < volume->fan_begin[v + 1])
            volume->surface[volume->n_surface++] = v;
    measure_size(volume);
    CondStatus status = make_rings(volume, n_ring);
    return status ? status : make_trees(volume);
}

CondStatus cond_volume_create(const CondContext* context, int body, int n_vertex,
                              const double* rest, int n_tet, const int* tet, int n_ring,
                              CondVolume** out, CondError* error)
{
    *out = NULL;
    if (n_vertex < 4 || n_tet < 1 || n_ring < 0 || n_tet > (1 << 26) || n_vertex > (1 << 28))
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "%d vertices, %d tetrahedra and %d rings make no volume", n_vertex,
                              n_tet, n_ring);
    CondContext own = cond_context_or_default(context);
    CondVolume* volume = cond_allocate(&own, 1, sizeof *volume);
    if (!volume)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    *volume = (CondVolume){.context = own, .body = body, .n_vertex = n_vertex, .n_tet = n_tet};
    cond_tree_begin(&own, &volume->rest_tree);
    cond_tree_begin(&own, &volume->tet_tree);
    cond_tree_begin(&own, &volume->triangle_tree);
    volume->rest = cond_allocate(&own, (size_t)n_vertex, 3 * sizeof *rest);
    volume->tet = cond_allocate(&own, (size_t)n_tet, 4 * sizeof *tet);
    CondStatus status = COND_OK;
    if (!volume->rest || !volume->tet)
        status = cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    if (!status) {
        memcpy(volume->rest, rest, (size_t)n_vertex * 3 * sizeof *rest);
        memcpy(volume->tet, tet, (size_t)n_tet * 4 * sizeof *tet);
        status = check_mesh(volume, error);
    }
    if (!status)
        status = make_triangles(volume, error);
    if (!status && make_parts(volume, n_ring))
        status = cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    if (status) {
        cond_volume_destroy(volume);
        return status;
    }
    cond_volume_update(volume, rest);
    *out = volume;
    return COND_OK;
}

void cond_volume_destroy(CondVolume* volume)
{
    if (!volume)
        return;
    CondContext own = volume->context;
    void* const memory[] = {volume->tet,      volume->rest,          volume->triangle,
                            volume->surface,  volume->triangle_tet,  volume->fan_begin,
                            volume->fan,      volume->ring_begin,    volume->ring,
                            volume->position, volume->vertex_normal, volume->normal,
                            volume->box,      volume->edge,          volume->triangle_edge};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        cond_release(&own, memory[i]);
    cond_tree_end(&volume->rest_tree);
    cond_tree_end(&volume->tet_tree);
    cond_tree_end(&volume->triangle_tree);
    cond_release(&own, volume);
}

static void scale_to_unit(double n[3])
{
    double length = vec3_norm(n);
    for (int i = 0; i < 3; i++)
        n[i] = length > 0.0 ? n[i] / length : 0.0;
}

// Angle at corner a of the triangle a b c. Weighing normals by it makes a vertex normal independent
// of how the faces around it are cut into triangles.
static double corner_angle(const double a[3], const double b[3], const double c[3])
{
    double u[3], v[3], n[3];
    for (int i = 0; i < 3; i++) {
        u[i] = b[i] - a[i];
        v[i] = c[i] - a[i];
    }
    vec3_cross(u, v, n);
    return atan2(vec3_norm(n), vec3_dot(u, v));
}

void cond_volume_update(CondVolume* volume, const double* position)
{
    memcpy(volume->position, position, (size_t)volume->n_vertex * 3 * sizeof *position);
    memset(volume->vertex_normal, 0, (size_t)volume->n_vertex * 3 * sizeof(double));
    for (int t = 0; t < volume->n_triangle; t++) {
        const int* corner = volume->triangle + 3 * (size_t)t;
        double* n = volume->normal + 3 * (size_t)t;
        const double* x[3];
        for (int c = 0; c < 3; c++)
            x[c] = position + 3 * (size_t)corner[c];
        triangle_area_vector(x[0], x[1], x[2], n);
        scale_to_unit(n);
        for (int c = 0; c < 3; c++) {
            double angle = corner_angle(x[c], x[(c + 1) % 3], x[(c + 2) % 3]);
            for (int i = 0; i < 3; i++)
                volume->vertex_normal[3 * (size_t)corner[c] + i] += angle * n[i];
        }
    }
    for (int k = 0; k < volume->n_surface; k++)
        scale_to_unit(volume->vertex_normal + 3 * (size_t)volume->surface[k]);
    bound_corners(volume->n_triangle, 3, volume->triangle, position, volume->box);
    cond_tree_refit(&volume->triangle_tree, volume->box);
    bound_corners(volume->n_tet, 4, volume->tet, position, volume->box);
    cond_tree_refit(&volume->tet_tree, volume->box);
}
