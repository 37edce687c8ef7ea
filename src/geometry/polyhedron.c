// The polyhedron of a closed triangle surface: its flat faces, whatever triangles they were cut
// into, the straight edges between them, and the corners where these meet.
#include "geometry/polyhedron.h"
#include "base/tuning.h"

#include "base/memory.h"
#include "geometry/mesh_surface.h"
#include "geometry/tuning.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

static const double SAME = 1.0 - COND_INPUT_ROUNDING;

// A half-edge k runs from corner k % 3 of the triangle k / 3 to the next one.
static int next_of(int k)
{
    return k - k % 3 + (k + 1) % 3;
}

static int twin_of(const CondMeshSurface* mesh_surface, int k)
{
    int other = 3 * mesh_surface->neighbour[k];
    for (int i = 0; i < 3; i++)
        if (mesh_surface->face[other + i] == mesh_surface->face[next_of(k)] &&
            mesh_surface->face[next_of(other + i)] == mesh_surface->face[k])
            return other + i;
    return other;
}

static int in_plane(const CondMeshSurface* mesh_surface, int t, const double plane[4])
{
    if (!(vec3_dot(mesh_surface->plane + 4 * (size_t)t, plane) > SAME))
        return 0;
    for (int k = 0; k < 3; k++) {
        const double* x = mesh_surface->vertex + 3 * (size_t)mesh_surface->face[3 * t + k];
        if (!(fabs(vec3_dot(plane, x) - plane[3]) <= COND_SINGLE_PRECISION * mesh_surface->size))
            return 0;
    }
    return 1;
}

// Triangles that lie in one plane and hang together are one face.
static void find_faces(const CondMeshSurface* mesh_surface, CondPolyhedron* poly, int* stack)
{
    for (int t = 0; t < mesh_surface->n_face; t++)
        poly->face_of[t] = -1;
    for (int seed = 0; seed < mesh_surface->n_face; seed++) {
        if (poly->face_of[seed] >= 0)
            continue;
        const double* plane = mesh_surface->plane + 4 * (size_t)seed;
        int n = 0, face = poly->n_face++;
        memcpy(poly->plane + 4 * (size_t)face, plane, 4 * sizeof *plane);
        stack[n++] = seed;
        poly->face_of[seed] = face;
        while (n > 0) {
            int t = stack[--n];
            for (int k = 0; k < 3; k++) {
                int other = mesh_surface->neighbour[3 * t + k];
                if (poly->face_of[other] >= 0 || !in_plane(mesh_surface, other, plane))
                    continue;
                poly->face_of[other] = face;
                stack[n++] = other;
            }
        }
    }
}

static int is_border(const CondMeshSurface* mesh_surface, const CondPolyhedron* poly, int k)
{
    return poly->face_of[k / 3] != poly->face_of[mesh_surface->neighbour[k]];
}

static void direction_of(const CondMeshSurface* mesh_surface, int from, int to, double d[3])
{
    for (int i = 0; i < 3; i++)
        d[i] = mesh_surface->vertex[3 * to + i] - mesh_surface->vertex[3 * from + i];
    double length = vec3_norm(d);
    for (int i = 0; i < 3 && length > 0.0; i++)
        d[i] /= length;
}

// Two borders in one line that end at a vertex pass through it; any other vertex on a border is a
// corner.
static int is_corner(const CondMeshSurface* mesh_surface, const CondPolyhedron* poly, int v)
{
    double d[2][3];
    int n = 0;
    for (int e = mesh_surface->fan_begin[v]; e < mesh_surface->fan_begin[v + 1]; e++) {
        int k = mesh_surface->fan[e];
        if (!is_border(mesh_surface, poly, k))
            continue;
        if (n < 2)
            direction_of(mesh_surface, v, mesh_surface->face[next_of(k)], d[n]);
        n++;
    }
    return n > 0 && !(n == 2 && vec3_dot(d[0], d[1]) < -SAME);
}

// From the border half-edge k, which begins at a corner, along the border of its face to the next
// corner.
static int follow(const CondMeshSurface* mesh_surface, const CondPolyhedron* poly, int k)
{
    for (int guard = 0; guard < 3 * mesh_surface->n_face; guard++) {
        int to = mesh_surface->face[next_of(k)];
        if (poly->corner_of[to] >= 0)
            return to;
        k = next_of(k);
        while (!is_border(mesh_surface, poly, k))
            k = next_of(twin_of(mesh_surface, k));
    }
    return mesh_surface->face[k];
}

static void find_edges(const CondMeshSurface* mesh_surface, CondPolyhedron* poly)
{
    // By face: counted first, then filled in.
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < 3 * mesh_surface->n_face; k++) {
            int face = poly->face_of[k / 3], from = mesh_surface->face[k];
            if (poly->corner_of[from] < 0 || !is_border(mesh_surface, poly, k))
                continue;
            if (pass == 0) {
                poly->edge_begin[face + 1]++;
                continue;
            }
            CondPolyEdge* edge = &poly->edge[poly->edge_begin[face]++];
            *edge = (CondPolyEdge){from, follow(mesh_surface, poly, k), face, -1, 0, 0};
        }
        for (int f = 0; f < poly->n_face && pass == 0; f++)
            poly->edge_begin[f + 1] += poly->edge_begin[f];
    }
    for (int f = poly->n_face; f > 0; f--)
        poly->edge_begin[f] = poly->edge_begin[f - 1];
    poly->edge_begin[0] = 0;
    poly->n_edge = poly->edge_begin[poly->n_face];
}

// Where faces pass a corner twice, the first side that begins there counts.   first (n_corner)
static void link_edges(CondPolyhedron* poly, int* first)
{
    for (int f = 0; f < poly->n_face; f++) {
        int begin = poly->edge_begin[f], n = poly->edge_begin[f + 1] - begin;
        for (int e = 0; e < n; e++)
            first[poly->corner_of[poly->edge[begin + e].to]] = n - 1;
        for (int e = n - 1; e >= 0; e--)
            first[poly->corner_of[poly->edge[begin + e].from]] = e;
        for (int e = 0; e < n; e++)
            poly->edge[begin + e].next = first[poly->corner_of[poly->edge[begin + e].to]];
    }
}

// fan: the edges by the corner where they begin.
static void make_fans(CondPolyhedron* poly)
{
    for (int e = 0; e < poly->n_edge; e++)
        poly->fan_begin[poly->corner_of[poly->edge[e].from]]++;
    for (int c = 0; c < poly->n_corner; c++)
        poly->fan_begin[c + 1] += poly->fan_begin[c];
    for (int e = poly->n_edge - 1; e >= 0; e--)
        poly->fan[--poly->fan_begin[poly->corner_of[poly->edge[e].from]]] = e;
    poly->fan_begin[poly->n_corner] = poly->n_edge;
}

static void join_edges(const CondMeshSurface* mesh_surface, CondPolyhedron* poly)
{
    for (int e = 0; e < poly->n_edge; e++) {
        CondPolyEdge* edge = &poly->edge[e];
        int c = poly->corner_of[edge->to];
        for (int k = poly->fan_begin[c]; k < poly->fan_begin[c + 1] && edge->twin < 0; k++)
            if (poly->edge[poly->fan[k]].to == edge->from && poly->fan[k] != e)
                edge->twin = poly->fan[k];
        if (edge->twin < 0)
            continue;
        double d[3], bend[3];
        direction_of(mesh_surface, edge->from, edge->to, d);
        vec3_cross(poly->plane + 4 * (size_t)edge->face,
                   poly->plane + 4 * (size_t)poly->edge[edge->twin].face, bend);
        edge->convex = vec3_dot(bend, d) > 0.0;
    }
}

// A reflex edge settles it for most meshes that are not; a look at all corners for the others.
static int is_convex(const CondMeshSurface* mesh_surface, const CondPolyhedron* poly)
{
    if (poly->n_face > COND_MOST_CONVEX)
        return 0;
    for (int e = 0; e < poly->n_edge; e++) {
        const CondPolyEdge* edge = &poly->edge[e];
        const double* plane = poly->plane + 4 * (size_t)edge->face;
        double bend = 1.0;
        if (edge->twin >= 0 && !edge->convex)
            bend = 1.0 - vec3_dot(plane, poly->plane + 4 * (size_t)poly->edge[edge->twin].face);
        if (!edge->convex && bend > COND_SINGLE_PRECISION)
            return 0;
    }
    for (int f = 0; f < poly->n_face; f++)
        for (int c = 0; c < poly->n_corner; c++) {
            const double* plane = poly->plane + 4 * (size_t)f;
            const double* x = mesh_surface->vertex + 3 * (size_t)poly->corner[c];
            if (vec3_dot(plane, x) - plane[3] > COND_SINGLE_PRECISION * mesh_surface->size)
                return 0;
        }
    return 1;
}

CondStatus cond_polyhedron_make(const CondMeshSurface* mesh_surface, CondPolyhedron* poly)
{
    const CondContext* m = &mesh_surface->context;
    size_t n_face = (size_t)mesh_surface->n_face, n_vertex = (size_t)mesh_surface->n_vertex;
    memset(poly, 0, sizeof *poly);
    poly->corner = cond_allocate(m, n_vertex, sizeof(int));
    poly->plane = cond_allocate(m, n_face, 4 * sizeof(double));
    poly->edge_begin = cond_allocate(m, n_face + 1, sizeof(int));
    poly->edge = cond_allocate(m, 3 * n_face, sizeof *poly->edge);
    poly->face_of = cond_allocate(m, n_face, sizeof(int));
    poly->fan_begin = cond_allocate(m, n_vertex + 1, sizeof(int));
    poly->fan = cond_allocate(m, 3 * n_face, sizeof(int));
    poly->corner_of = cond_allocate(m, n_vertex, sizeof(int));
    int* scratch = cond_allocate(m, n_face > n_vertex ? n_face : n_vertex, sizeof(int));
    if (!poly->corner || !poly->plane || !poly->edge_begin || !poly->edge || !poly->face_of ||
        !poly->corner_of || !poly->fan_begin || !poly->fan || !scratch) {
        cond_release(m, scratch);
        cond_polyhedron_end(m, poly);
        return COND_OUT_OF_MEMORY;
    }
    find_faces(mesh_surface, poly, scratch);
    for (int v = 0; v < mesh_surface->n_vertex; v++) {
        poly->corner_of[v] = is_corner(mesh_surface, poly, v) ? poly->n_corner : -1;
        if (poly->corner_of[v] >= 0)
            poly->corner[poly->n_corner++] = v;
    }
    find_edges(mesh_surface, poly);
    link_edges(poly, scratch);
    cond_release(m, scratch);
    make_fans(poly);
    join_edges(mesh_surface, poly);
    poly->convex = is_convex(mesh_surface, poly);
    return COND_OK;
}

void cond_polyhedron_end(const CondContext* context, CondPolyhedron* poly)
{
    void* arrays[] = {poly->corner,  poly->plane,     poly->edge_begin, poly->edge,
                      poly->face_of, poly->corner_of, poly->fan_begin,  poly->fan};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        cond_release(context, arrays[i]);
    memset(poly, 0, sizeof *poly);
}
