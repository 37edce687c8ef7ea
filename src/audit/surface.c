// A closed triangle surface as the audit sees it: a mesh or the boundary of a soft body, in world
// axes.
#include "audit/surface.h"

#include "audit/feature.h"
#include "base/memory.h"
#include "math/vec3.h"

#include <stdlib.h>
#include <string.h>

static int compare_edges(const void* a, const void* b)
{
    const int *p = a, *q = b;
    if (p[0] != q[0])
        return p[0] < q[0] ? -1 : 1;
    return p[1] < q[1] ? -1 : p[1] > q[1];
}

// Every edge once, the edges of all faces being sorted.
static void list_edges(CondSurface* s)
{
    int n = 3 * s->n_face, kept = 0;
    for (int k = 0; k < n; k++) {
        int u = s->face[k], w = s->face[k - k % 3 + (k + 1) % 3];
        s->edge[2 * (size_t)k] = u < w ? u : w;
        s->edge[2 * (size_t)k + 1] = u < w ? w : u;
        s->used[u] = 1;
    }
    qsort(s->edge, (size_t)n, 2 * sizeof *s->edge, compare_edges);
    for (int k = 0; k < n; k++) {
        int* last = s->edge + 2 * (size_t)(kept - 1);
        if (kept > 0 && compare_edges(last, s->edge + 2 * (size_t)k) == 0)
            continue;
        memmove(s->edge + 2 * (size_t)kept++, s->edge + 2 * (size_t)k, 2 * sizeof *s->edge);
    }
    s->n_edge = kept;
}

CondStatus cond_surface_create(const CondContext* context, int n_vertex, int n_face,
                               const int* face, CondSurface* surface)
{
    size_t faces = (size_t)n_face, vertices = (size_t)n_vertex;
    *surface = (CondSurface){.n_vertex = n_vertex, .n_face = n_face, .face = face};
    surface->edge = cond_allocate(context, 6 * faces, sizeof(int));
    surface->used = cond_allocate(context, vertices, 1);
    surface->held = cond_allocate(context, vertices, 1);
    surface->vertex = cond_allocate(context, 3 * vertices, sizeof(double));
    surface->face_box = cond_allocate(context, 6 * faces, sizeof(double));
    if (!surface->edge || !surface->used || !surface->held || !surface->vertex ||
        !surface->face_box)
        return COND_OUT_OF_MEMORY;
    list_edges(surface);
    return COND_OK;
}

void cond_surface_destroy(const CondContext* context, CondSurface* surface)
{
    cond_release(context, surface->edge);
    cond_release(context, surface->used);
    cond_release(context, surface->held);
    cond_release(context, surface->vertex);
    cond_release(context, surface->face_box);
}

void cond_surface_place(CondSurface* s)
{
    for (int i = 0; i < 3; i++) {
        s->box[i] = INFINITY;
        s->box[3 + i] = -INFINITY;
    }
    for (int f = 0; f < s->n_face; f++) {
        double* box = s->face_box + 6 * (size_t)f;
        for (int i = 0; i < 3; i++) {
            box[i] = INFINITY;
            box[3 + i] = -INFINITY;
            for (int k = 0; k < 3; k++) {
                double x = s->vertex[3 * (size_t)s->face[3 * (size_t)f + k] + i];
                box[i] = fmin(box[i], x);
                box[3 + i] = fmax(box[3 + i], x);
            }
            s->box[i] = fmin(s->box[i], box[i]);
            s->box[3 + i] = fmax(s->box[3 + i], box[3 + i]);
        }
    }
}

double cond_surface_nearest(const CondSurface* s, const double x[3], const char* skip, double limit,
                            int* face, double near[3])
{
    double best = limit, at[3];
    *face = -1;
    for (int f = 0; f < s->n_face; f++) {
        const int* c = s->face + 3 * (size_t)f;
        if (cond_audit_box_point(s->face_box + 6 * (size_t)f, x) >= best ||
            (skip && (skip[c[0]] || skip[c[1]] || skip[c[2]])))
            continue;
        double d = cond_audit_triangle(s->vertex + 3 * (size_t)c[0], s->vertex + 3 * (size_t)c[1],
                                       s->vertex + 3 * (size_t)c[2], x, at);
        if (d < best) {
            best = d;
            *face = f;
            memcpy(near, at, sizeof at);
        }
    }
    return best;
}

// Solid angle of the triangle abc as seen from the origin, by van Oosterom and Strackee:
// tan(angle/2) = a . (b x c) / (|a||b||c| + (a . b)|c| + (b . c)|a| + (c . a)|b|)
static double solid_angle(const double a[3], const double b[3], const double c[3])
{
    double n[3], la = vec3_norm(a), lb = vec3_norm(b), lc = vec3_norm(c);
    vec3_cross(b, c, n);
    double below = la * lb * lc + vec3_dot(a, b) * lc + vec3_dot(b, c) * la + vec3_dot(c, a) * lb;
    return 2.0 * atan2(vec3_dot(a, n), below);
}

int cond_surface_holds(const CondSurface* s, const double x[3])
{
    double sum = 0.0;
    if (cond_audit_box_point(s->box, x) > 0.0)
        return 0;
    for (int f = 0; f < s->n_face; f++) {
        double corner[3][3];
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 3; i++)
                corner[k][i] = s->vertex[3 * (size_t)s->face[3 * (size_t)f + k] + i] - x[i];
        sum += solid_angle(corner[0], corner[1], corner[2]);
    }
    return sum > 2.0 * acos(-1.0);
}
