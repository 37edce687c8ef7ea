// How far apart two boundaries are that do not overlap: between corners and faces, edges and edges,
// and for what is round between cores.
#include "geometry/depth.h"
#include "geometry/segment.h"
#include "geometry/separation.h"
#include "geometry/triangle.h"

#include <math.h>
#include <string.h>

typedef struct Nearest {
    double distance;    // [m]
    double point[2][3]; // of the first and of the second body [m]
} Nearest;

static void keep(double distance, const double x[3], const double y[3], int flip, Nearest* nearest)
{
    if (!(distance < nearest->distance))
        return;
    nearest->distance = distance;
    memcpy(nearest->point[flip], x, 3 * sizeof *x);
    memcpy(nearest->point[1 - flip], y, 3 * sizeof *y);
}

static const double* corner_of(const CondBoundary* b, int t, int k)
{
    return b->vertex + 3 * (size_t)b->triangle[3 * (size_t)t + k % 3];
}

// A polygon of one, two or three corners and a triangle; x is of the polygon.
static void between_flat(int n, const double* const* p, const double* const* t, Nearest* nearest)
{
    double weight[3], x[3], y[3], s, r;
    for (int k = 0; k < n; k++) {
        double d = triangle_nearest(p[k], t[0], t[1], t[2], weight, y);
        keep(sqrt(d), p[k], y, 0, nearest);
    }
    for (int k = 0; k < 3 && n == 3; k++) {
        double d = triangle_nearest(t[k], p[0], p[1], p[2], weight, x);
        keep(sqrt(d), x, t[k], 0, nearest);
    }
    for (int k = 0; k < n && n > 1; k++)
        for (int e = 0; e < 3; e++) {
            double along[3], across[3];
            const double *from = p[k], *to = p[(k + 1) % n], *q = t[e], *end = t[(e + 1) % 3];
            for (int i = 0; i < 3; i++) {
                along[i] = to[i] - from[i];
                across[i] = end[i] - q[i];
            }
            double distance = cond_segment_nearest(from, along, q, across, &s, &r);
            for (int i = 0; i < 3; i++) {
                x[i] = from[i] + s * along[i];
                y[i] = q[i] + r * across[i];
            }
            keep(distance, x, y, 0, nearest);
        }
}

// A cylinder and a triangle: with its edges as with segments, with its face where the point of the
// cylinder that is lowest over it lies over it.
static void between_round(const CondCore* cylinder, const double* const* t, const double n[3],
                          Nearest* nearest)
{
    const double back[3] = {-n[0], -n[1], -n[2]};
    CondCore core = *cylinder;
    CondSeparation apart;
    double weight[3], x[3], y[3];
    core.round = 0.0;
    cond_core_support(&core, back, 0, x);
    keep(sqrt(triangle_nearest(x, t[0], t[1], t[2], weight, y)), x, y, 0, nearest);
    for (int e = 0; e < 3; e++) {
        CondCore line;
        cond_core_between(t[e], t[(e + 1) % 3], &line);
        if (!(line.size > 0.0) || !cond_cores_separate(&core, &line, nearest->distance, &apart) ||
            !(apart.apart < nearest->distance))
            continue;
        const double down[3] = {-apart.normal[0], -apart.normal[1], -apart.normal[2]};
        cond_core_support(&core, down, 0, x);
        for (int i = 0; i < 3; i++)
            y[i] = x[i] - apart.apart * apart.normal[i];
        keep(fmax(apart.apart, 0.0), x, y, 0, nearest);
    }
}

static double box_distance(const double a[6], const double b[6])
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        double d = fmax(0.0, fmax(a[i] - b[3 + i], b[i] - a[3 + i]));
        sum += d * d;
    }
    return sqrt(sum);
}

// What of a (triangle k, or all of a thing without triangles) is nearest to b's triangles.
static void search_one(const CondBoundary* a, int k, const CondBoundary* b, Nearest* nearest)
{
    const double* box = a->n_triangle ? a->box_of + 6 * (size_t)k : a->box;
    const double* p[3] = {NULL, NULL, NULL};
    int n = a->n_triangle ? 3 : a->n_vertex;
    for (int c = 0; c < n; c++)
        p[c] = a->n_triangle ? corner_of(a, k, c) : a->vertex + 3 * (size_t)c;
    for (int i = 0; i < 2 * b->tree.n - 1;) {
        const CondTreeNode* node = &b->tree.node[i];
        if (!(box_distance(box, node->box) < nearest->distance)) {
            i = node->next;
            continue;
        }
        i++;
        if (node->primitive < 0)
            continue;
        const double* t[3];
        for (int c = 0; c < 3; c++)
            t[c] = corner_of(b, node->primitive, c);
        if (a->side)
            between_round(&a->core, t, b->normal + 3 * (size_t)node->primitive, nearest);
        else
            between_flat(n, p, t, nearest);
    }
}

int cond_boundaries_apart(const CondBoundary* a, const CondBoundary* b, double far, CondDepth* out)
{
    int flip = !b->hollow;
    const CondBoundary *one = flip ? b : a, *two = flip ? a : b;
    Nearest nearest = {.distance = far};
    for (int k = 0; k < (one->n_triangle ? one->n_triangle : 1); k++)
        search_one(one, k, two, &nearest);
    if (!(nearest.distance < far))
        return 0;
    out->gap = nearest.distance;
    for (int s = 0; s < 2; s++)
        memcpy(out->point[s], nearest.point[flip ? 1 - s : s], sizeof out->point[s]);
    for (int i = 0; i < 3; i++)
        out->normal[i] = nearest.distance > 0.0
                             ? (out->point[0][i] - out->point[1][i]) / nearest.distance
                             : i == 2;
    return 1;
}
