// A surface becomes the ground below it. Every edge of the border gets a wall of two triangles, and
// the lower ends of the walls are joined to one point a little below their middle: no triangle of
// the bottom is without area whatever the outline is. A hole in the surface becomes a pit of half
// the depth.
#include "scene/terrain.h"

#include "base/disjoint.h"
#include "base/error.h"
#include "base/memory.h"
#include "math/vec3.h"
#include "mesh/mesh_build.h"
#include "scene/tuning.h"

#include <math.h>
#include <string.h>

// The border of a surface: edges with one triangle, in its direction.
typedef struct Border {
    int (*edge)[2]; //                                                        (n_edge)
    int n_edge;
    int* below;   // lower vertex under each vertex, -1: none                 (n_node)
    int* part;    // of the outline that a vertex belongs to: its first one   (n_node)
    int* middle;  // vertex at the bottom of each part, -1: none              (n_node)
    double* area; // twice what the outline of each part goes round, seen from above (n_node)
    int n_below, n_part;
} Border;

static void release(const CondContext* m, Border* border)
{
    cond_release(m, border->edge);
    cond_release(m, border->below);
    cond_release(m, border->part);
    cond_release(m, border->middle);
    cond_release(m, border->area);
}

// The edges that are there once.
static CondStatus find_border(const CondMesh* open, Border* border)
{
    const CondContext* m = &open->context;
    size_t n = 3 * (size_t)open->n_triangle, n_node = (size_t)open->n_node;
    CondMeshKey* key = cond_allocate(m, n, sizeof *key);
    border->edge = cond_allocate(m, n, sizeof *border->edge);
    border->below = cond_allocate(m, n_node, sizeof *border->below);
    border->part = cond_allocate(m, n_node, sizeof *border->part);
    border->middle = cond_allocate(m, n_node, sizeof *border->middle);
    border->area = cond_allocate(m, n_node, sizeof *border->area);
    int failed = !key || !border->edge || !border->below || !border->part || !border->middle ||
                 !border->area;
    for (size_t k = 0; k < n && !failed; k++) {
        int a = open->triangle[k], b = open->triangle[k - k % 3 + (k + 1) % 3];
        key[k] = (CondMeshKey){{a < b ? a : b, a < b ? b : a, 0}, (int)(2 * k) + (a > b)};
    }
    if (!failed)
        cond_mesh_key_sort(key, (int)n);
    for (size_t k = 0; k < n && !failed; k++) {
        int same = (k > 0 && cond_mesh_key_same(&key[k], &key[k - 1])) ||
                   (k + 1 < n && cond_mesh_key_same(&key[k], &key[k + 1]));
        int turned = key[k].origin % 2;
        if (same)
            continue;
        border->edge[border->n_edge][0] = key[k].node[turned];
        border->edge[border->n_edge++][1] = key[k].node[1 - turned];
    }
    cond_release(m, key);
    return failed ? COND_OUT_OF_MEMORY : COND_OK;
}

// Numbers what lies below: one vertex under each of the border, one more for each outline.
static void number(const CondMesh* open, Border* border)
{
    for (int v = 0; v < open->n_node; v++) {
        border->below[v] = border->middle[v] = -1;
        border->part[v] = v;
    }
    for (int e = 0; e < border->n_edge; e++) {
        cond_disjoint_join(border->part, border->edge[e][0], border->edge[e][1]);
        for (int s = 0; s < 2; s++)
            if (border->below[border->edge[e][s]] < 0)
                border->below[border->edge[e][s]] = open->n_node + border->n_below++;
    }
    for (int e = 0; e < border->n_edge; e++) {
        int part = cond_disjoint_find(border->part, border->edge[e][0]);
        const double* p = open->node + 3 * (size_t)border->edge[e][0];
        const double* q = open->node + 3 * (size_t)border->edge[e][1];
        border->area[part] += p[0] * q[1] - p[1] * q[0];
        if (border->middle[part] < 0)
            border->middle[part] = open->n_node + border->n_below + border->n_part++;
    }
}

// 1 for the outlines of holes: their area has the other sign than that of all outlines together.
static int is_hole(const Border* border, int part, double whole)
{
    return border->area[part] * whole < 0.0;
}

// What lies below: walls end at the bottom, those of a hole half way there.
static void put_below(const CondMesh* open, const Border* border, double low, double depth,
                      CondMesh* closed)
{
    double whole = 0.0;
    memcpy(closed->node, open->node, 3 * (size_t)open->n_node * sizeof(double));
    for (int v = 0; v < open->n_node; v++)
        whole += border->area[v];
    for (int e = 0; e < border->n_edge; e++) { // sums over each outline, with its count as z
        int v = border->edge[e][0], part = cond_disjoint_find(border->part, v);
        const double* x = open->node + 3 * (size_t)v;
        double* middle = closed->node + 3 * (size_t)border->middle[part];
        double* under = closed->node + 3 * (size_t)border->below[v];
        middle[0] += x[0];
        middle[1] += x[1];
        middle[2] += 1.0;
        memcpy(under, x, 2 * sizeof *x);
        under[2] = low - (is_hole(border, part, whole) ? 0.5 : 1.0) * depth;
    }
    for (int part = 0; part < open->n_node; part++) {
        if (border->middle[part] < 0)
            continue;
        double* middle = closed->node + 3 * (size_t)border->middle[part];
        middle[0] /= middle[2];
        middle[1] /= middle[2];
        middle[2] =
            low - (is_hole(border, part, whole) ? 0.5 : 1.0) * (1.0 + COND_GROUND_DEPTH) * depth;
    }
}

static void join(const CondMesh* open, const Border* border, CondMesh* closed)
{
    int* t = closed->triangle + 3 * (size_t)open->n_triangle;
    memcpy(closed->triangle, open->triangle, 3 * (size_t)open->n_triangle * sizeof *t);
    for (int e = 0; e < border->n_edge; e++, t += 9) {
        int a = border->edge[e][0], b = border->edge[e][1];
        int c = border->below[a], d = border->below[b];
        int middle = border->middle[cond_disjoint_find(border->part, a)];
        const int made[9] = {b, a, c, b, c, d, d, c, middle};
        memcpy(t, made, sizeof made);
    }
}

CondStatus cond_terrain_close(const CondMesh* open, double depth, CondMesh** closed, double* thin,
                              CondError* error)
{
    Border border = {.n_edge = 0};
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    double length = 0.0;
    *closed = NULL;
    for (int k = 0; k < 3 * open->n_node; k++) {
        low[k % 3] = fmin(low[k % 3], open->node[k]);
        high[k % 3] = fmax(high[k % 3], open->node[k]);
    }
    for (int k = 0; k < 3 * open->n_triangle; k++) {
        const double* p = open->node + 3 * (size_t)open->triangle[k];
        const double* q = open->node + 3 * (size_t)open->triangle[k - k % 3 + (k + 1) % 3];
        const double d[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
        length += vec3_norm(d);
    }
    *thin = length / (3.0 * open->n_triangle);
    if (isnan(depth))
        depth = COND_GROUND_DEPTH * fmax(high[0] - low[0], high[1] - low[1]);
    CondStatus status = find_border(open, &border);
    if (!status && border.n_edge == 0)
        status = cond_error_set(error, COND_BAD_INPUT, "the surface is closed: its shape is mesh");
    if (!status) {
        number(open, &border);
        status = cond_mesh_create(&open->context, open->n_node + border.n_below + border.n_part, 0,
                                  open->n_triangle + 3 * border.n_edge, closed, error);
    }
    if (!status) {
        put_below(open, &border, low[2], depth, *closed);
        join(open, &border, *closed);
    }
    release(&open->context, &border);
    return status == COND_OUT_OF_MEMORY ? cond_error_set(error, status, "out of memory") : status;
}
