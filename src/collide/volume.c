// Topology and per-step geometry of a tetrahedral volume; volume_contact.c finds its contacts.
#include "collide/volume.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/tuning.h"
#include "collide/tuning.h"
#include "collide/volume_ring.h"
#include "geometry/sort.h"
#include "geometry/triangle.h"

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
    CondIndexKey* key = cond_allocate(&volume->context, (size_t)n, sizeof *key);
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

// The boxes of the clusters at rest, which they have when they are made.
static CondStatus keep_rest_boxes(CondVolume* volume)
{
    size_t n = 2 * (size_t)volume->triangles.n_cluster - 1;
    volume->rest_box = cond_allocate(&volume->context, n, sizeof *volume->rest_box);
    for (size_t i = 0; i < n && volume->rest_box; i++)
        volume->rest_box[i] = volume->triangles.node[i].box;
    return volume->rest_box ? COND_OK : COND_OUT_OF_MEMORY;
}

static CondStatus make_trees(CondVolume* volume)
{
    const CondContext* m = &volume->context;
    CondStatus status = cond_clusters_create(m, volume->rest, volume->n_triangle, 3,
                                             volume->triangle, &volume->triangles);
    if (!status)
        status =
            cond_clusters_create(m, volume->rest, volume->n_tet, 4, volume->tet, &volume->tets);
    if (!status)
        status = cond_clusters_create(m, volume->rest, volume->n_surface, 1, volume->surface,
                                      &volume->groups);
    if (!status)
        cond_clusters_forget_tree(&volume->groups);
    return status ? status : keep_rest_boxes(volume);
}

static void stretch_box(const double x[3], double low[3], double high[3])
{
    for (int i = 0; i < 3; i++) {
        low[i] = x[i] < low[i] ? x[i] : low[i];
        high[i] = x[i] > high[i] ? x[i] : high[i];
    }
}

static void measure_size(CondVolume* volume)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int k = 0; k < 4 * volume->n_tet; k++)
        stretch_box(volume->rest + 3 * (size_t)volume->tet[k], low, high);
    for (int k = 0; k < 3 * volume->n_front; k++)
        stretch_box(volume->rest + 3 * (size_t)volume->triangle[k], low, high);
    double diagonal[3] = {high[0] - low[0], high[1] - low[1], high[2] - low[2]};
    volume->size = vec3_norm(diagonal);
    if (volume->n_front > 0) {
        volume->layer = volume->thickness;
        return;
    }
    volume->thickness = fmin(diagonal[0], fmin(diagonal[1], diagonal[2]));
    for (int t = 0; t < volume->n_tet; t++)
        volume->layer += cond_volume_tet_height(volume, t) / volume->n_tet;
}

// Everything that follows from the surface: fans, rings, trees, arrays of the current state.
static CondStatus make_parts(CondVolume* volume, int n_ring)
{
    const CondContext* context = &volume->context;
    size_t n_vertex = (size_t)volume->n_vertex, n_triangle = (size_t)volume->n_triangle;
    if (cond_volume_incidence(volume, volume->n_triangle, 3, volume->triangle, &volume->fan_begin,
                              &volume->fan))
        return COND_OUT_OF_MEMORY;
    volume->surface = cond_allocate(context, n_vertex, sizeof(int));
    volume->ring_begin = cond_allocate(context, n_vertex + 1, sizeof(int));
    volume->position = cond_allocate(context, n_vertex, 3 * sizeof(double));
    volume->normal = cond_allocate(context, n_triangle, 3 * sizeof(double));
    if (!volume->surface || !volume->ring_begin || !volume->position || !volume->normal)
        return COND_OUT_OF_MEMORY;
    for (int v = 0; v < volume->n_vertex; v++)
        if (volume->fan_begin[v] < volume->fan_begin[v + 1])
            volume->surface[volume->n_surface++] = v;
    measure_size(volume);
    CondStatus status = make_trees(volume);
    return status ? status : cond_volume_make_rings(volume, n_ring);
}

// The triangles of a shell and the same turned; what is wrong with them has been said before.
static CondStatus make_sides(CondVolume* volume, int n_triangle, const int* triangle,
                             CondError* error)
{
    size_t n = 2 * (size_t)n_triangle;
    volume->triangle = cond_allocate(&volume->context, n, 3 * sizeof(int));
    volume->triangle_tet = cond_allocate(&volume->context, n, sizeof(int));
    if (!volume->triangle || !volume->triangle_tet)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    volume->n_triangle = 2 * n_triangle;
    volume->n_front = n_triangle;
    for (int k = 0; k < 3 * n_triangle; k++) {
        volume->triangle[k] = triangle[k];
        volume->triangle[3 * n_triangle + k] = triangle[k - k % 3 + 2 - k % 3];
        volume->triangle_tet[k / 3] = volume->triangle_tet[n_triangle + k / 3] = -1;
    }
    return COND_OK;
}

static CondStatus create(const CondContext* context, const CondVolume* shape, int n_ring,
                         int n_triangle, const int* triangle, CondVolume** out, CondError* error)
{
    CondContext own = cond_context_or_default(context);
    CondVolume* volume = cond_allocate(&own, 1, sizeof *volume);
    if (!volume)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    *volume = *shape;
    volume->context = own;
    volume->threads = 1;
    CondStatus status = check_mesh(volume, error);
    if (!status)
        status = triangle ? make_sides(volume, n_triangle, triangle, error)
                          : make_triangles(volume, error);
    if (!status && make_parts(volume, n_ring))
        status = cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    if (status) {
        cond_volume_destroy(volume);
        return status;
    }
    cond_volume_update(volume, volume->rest);
    *out = volume;
    return COND_OK;
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
    const CondVolume shape = {
        .body = body, .n_vertex = n_vertex, .rest = rest, .n_tet = n_tet, .tet = tet};
    return create(context, &shape, n_ring, 0, NULL, out, error);
}

CondStatus cond_volume_create_shell(const CondContext* context, int body, int n_vertex,
                                    const double* rest, int n_triangle, const int* triangle,
                                    double thickness, int n_ring, CondVolume** out,
                                    CondError* error)
{
    *out = NULL;
    if (n_vertex < 3 || n_triangle < 1 || n_ring < 0 || n_triangle > (1 << 26) ||
        n_vertex > (1 << 28))
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "%d vertices, %d triangles and %d rings make no shell", n_vertex,
                              n_triangle, n_ring);
    const CondVolume shape = {
        .body = body, .n_vertex = n_vertex, .rest = rest, .thickness = thickness};
    return create(context, &shape, n_ring, n_triangle, triangle, out, error);
}

void cond_volume_destroy(CondVolume* volume)
{
    if (!volume)
        return;
    CondContext own = volume->context;
    void* const memory[] = {volume->triangle,
                            volume->surface,
                            volume->triangle_tet,
                            volume->fan_begin,
                            volume->fan,
                            volume->ring_begin,
                            volume->ring,
                            volume->position,
                            volume->normal,
                            volume->edge,
                            volume->triangle_edge,
                            volume->tet_skip.begin,
                            volume->tet_skip.node,
                            volume->tet_skip.rim_begin,
                            volume->tet_skip.rim,
                            volume->tet_skip.used_begin,
                            volume->tet_skip.used,
                            volume->triangle_skip.begin,
                            volume->triangle_skip.node,
                            volume->triangle_skip.rim_begin,
                            volume->triangle_skip.rim,
                            volume->triangle_skip.used_begin,
                            volume->triangle_skip.used,
                            volume->rest_box};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        cond_release(&own, memory[i]);
    cond_clusters_destroy(&volume->tets);
    cond_clusters_destroy(&volume->triangles);
    cond_clusters_destroy(&volume->groups);
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

void cond_volume_vertex_normal(const CondVolume* volume, int vertex, double n[3])
{
    n[0] = n[1] = n[2] = 0.0;
    // The normals of both sides of a shell cancel. Summed they would leave a rounding error, which
    // scaled to unit length is a direction that nothing gives.
    if (volume->n_front > 0)
        return;
    for (int k = volume->fan_begin[vertex]; k < volume->fan_begin[vertex + 1]; k++) {
        const int* corner = volume->triangle + 3 * (size_t)volume->fan[k];
        const double* x[3];
        int c = corner[0] == vertex ? 0 : corner[1] == vertex ? 1 : 2;
        for (int i = 0; i < 3; i++)
            x[i] = volume->position + 3 * (size_t)corner[(c + i) % 3];
        double angle = corner_angle(x[0], x[1], x[2]);
        for (int i = 0; i < 3; i++)
            n[i] += angle * volume->normal[3 * (size_t)volume->fan[k] + i];
    }
    scale_to_unit(n);
}

typedef struct NormalLoop {
    const CondVolume* volume;
} NormalLoop;

static void make_normals(const void* loop, int first, int last)
{
    const CondVolume* volume = ((const NormalLoop*)loop)->volume;
    const double* x = volume->position;
    for (int t = first; t < last; t++) {
        const int* corner = volume->triangle + 3 * (size_t)t;
        double* n = volume->normal + 3 * (size_t)t;
        triangle_area_vector(x + 3 * (size_t)corner[0], x + 3 * (size_t)corner[1],
                             x + 3 * (size_t)corner[2], n);
        scale_to_unit(n);
    }
}

// Takes the positions of the vertices, and finds the box of each part of them.
typedef struct TakeLoop {
    CondVolume* volume;
    const double* position;
    int n_part;
    double (*box)[6]; // lowest and highest corner                          (n_part)
} TakeLoop;

static void take_vertices(const void* data, int first, int last)
{
    const TakeLoop* loop = data;
    int n = loop->volume->n_vertex;
    for (int part = first; part < last; part++) {
        int begin = cond_team_first(n, part, loop->n_part);
        int end = cond_team_first(n, part + 1, loop->n_part);
        double* box = loop->box[part];
        memcpy(loop->volume->position + 3 * (size_t)begin, loop->position + 3 * (size_t)begin,
               3 * (size_t)(end - begin) * sizeof *loop->position);
        for (int k = 0; k < 3; k++) {
            box[k] = INFINITY;
            box[3 + k] = -INFINITY;
        }
        for (int v = begin; v < end; v++)
            stretch_box(loop->position + 3 * (size_t)v, box, box + 3);
    }
}

void cond_volume_update_surface(CondVolume* volume, const double* position)
{
    NormalLoop loop = {volume};
    double box[COND_LOOP_PARTS][6];
    size_t work = COND_COORDINATE_WORK * (size_t)volume->n_vertex;
    TakeLoop take = {volume, position, cond_loop_parts(work), box};
    cond_parallel(take.n_part, cond_threads(work, volume->threads), take_vertices, &take);
    memcpy(volume->bound, box[0], sizeof box[0]);
    for (int part = 1; part < take.n_part; part++)
        for (int k = 0; k < 3; k++) {
            volume->bound[k] = fmin(volume->bound[k], box[part][k]);
            volume->bound[3 + k] = fmax(volume->bound[3 + k], box[part][3 + k]);
        }
    cond_parallel(volume->n_triangle,
                  cond_threads(COND_CONTACT_WORK * (size_t)volume->n_triangle, volume->threads),
                  make_normals, &loop);
    cond_clusters_refit(&volume->triangles, volume->position, volume->threads);
    volume->tets_stale = 1;
}

void cond_volume_refit(CondVolume* volume)
{
    if (volume->tets_stale)
        cond_clusters_refit(&volume->tets, volume->position, volume->threads);
    volume->tets_stale = 0;
}

CondStatus cond_volume_triangles_in(const CondVolume* volume, const double box[6],
                                    CondTreeHits* hits)
{
    return cond_clusters_query(&volume->triangles, volume->position, box, hits);
}

void cond_volume_update(CondVolume* volume, const double* position)
{
    cond_volume_update_surface(volume, position);
    cond_volume_refit(volume);
}
