// The convex hull of a few points, by looking at every plane through three of them: a plane with
// all points on one side carries a face, which is the polygon around the points that lie on it.
// That is slow for many points and right for coplanar ones, of which boxes have many.
#include "base/tuning.h"
#include "math/vec3.h"
#include "record/tessellate.h"

#include <math.h>
#include <string.h>

enum { MAX_POINT = 200, MAX_FACE = 2 * MAX_POINT };

typedef struct Hull {
    int n;
    const double* point; // (n x 3)
    double size;         // diagonal of the box around the points [m]
    int n_face;
    double normal[MAX_FACE][3]; // outward, of the faces found
} Hull;

// From point b to point a.
static void along(const Hull* hull, int a, int b, double d[3])
{
    for (int i = 0; i < 3; i++)
        d[i] = hull->point[3 * a + i] - hull->point[3 * b + i];
}

static int before(const Hull* hull, int a, int b)
{
    for (int i = 0; i < 3; i++)
        if (hull->point[3 * a + i] != hull->point[3 * b + i])
            return hull->point[3 * a + i] < hull->point[3 * b + i];
    return 0;
}

// The point of `on` (m) after `current` on the way round n with all others to the left; the
// farthest of several in a line. -1: all are at the same place.
static int next_corner(const Hull* hull, const double n[3], int m, const int* on, int current)
{
    int next = -1;
    double e[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < m; k++) {
        double d[3], c[3];
        along(hull, on[k], current, d);
        if (vec3_norm(d) <= COND_INPUT_ROUNDING * hull->size)
            continue;
        vec3_cross(d, e, c);
        double right = vec3_dot(c, n), small = COND_INPUT_ROUNDING * hull->size * hull->size;
        if (next < 0 || right > small || (right > -small && vec3_norm(d) > vec3_norm(e))) {
            next = on[k];
            memcpy(e, d, sizeof e);
        }
    }
    return next;
}

// The corners of the polygon around the points `on`, counter-clockwise about n; returns how many.
static int wrap(const Hull* hull, const double n[3], int m, const int* on, int* corner)
{
    int start = on[0], count = 0;
    for (int k = 1; k < m; k++)
        if (before(hull, on[k], start))
            start = on[k];
    for (int current = start; count < m;) {
        double d[3];
        corner[count++] = current;
        current = next_corner(hull, n, m, on, current);
        if (current < 0)
            break;
        along(hull, current, start, d);
        if (vec3_norm(d) <= COND_INPUT_ROUNDING * hull->size)
            break;
    }
    return count;
}

// Adds the face with the outward normal n through point i, unless it is known or there is none.
static CondStatus add_face(Hull* hull, int i, const double n[3], CondTessellation* out)
{
    int on[MAX_POINT], corner[MAX_POINT], m = 0;
    for (int f = 0; f < hull->n_face; f++)
        if (vec3_dot(hull->normal[f], n) > 1.0 - COND_INPUT_ROUNDING)
            return COND_OK;
    for (int k = 0; k < hull->n; k++) {
        double d[3];
        along(hull, k, i, d);
        double height = vec3_dot(n, d);
        if (height > COND_INPUT_ROUNDING * hull->size)
            return COND_OK;
        if (height >= -COND_INPUT_ROUNDING * hull->size)
            on[m++] = k;
    }
    if (hull->n_face == MAX_FACE)
        return COND_OK;
    memcpy(hull->normal[hull->n_face++], n, 3 * sizeof *n);
    m = wrap(hull, n, m, on, corner);
    if (COND_RESERVE(&out->arena, out->triangle, 3 * (out->n_triangle + m)))
        return COND_OUT_OF_MEMORY;
    for (int k = 1; k + 1 < m; k++) {
        int* t = out->triangle + 3 * out->n_triangle++;
        t[0] = corner[0];
        t[1] = corner[k];
        t[2] = corner[k + 1];
    }
    return COND_OK;
}

// Both sides of the plane through three points.
static CondStatus try_plane(Hull* hull, int i, int j, int k, CondTessellation* out)
{
    double a[3], b[3], n[3];
    along(hull, j, i, a);
    along(hull, k, i, b);
    vec3_cross(a, b, n);
    double area = vec3_norm(n);
    // The normal of a sliver is not known well enough.
    if (!(area > COND_SINGLE_PRECISION * vec3_norm(a) * vec3_norm(b)) || !(area > 0.0))
        return COND_OK;
    CondStatus status = COND_OK;
    for (int side = 0; side < 2 && !status; side++) {
        for (int c = 0; c < 3; c++)
            n[c] /= side ? -1.0 : area;
        status = add_face(hull, i, n, out);
    }
    return status;
}

CondStatus cond_tessellate_hull(int n, const double* point, CondTessellation* out)
{
    Hull hull = {.n = n, .point = point};
    out->n_point = out->n_triangle = 0;
    if (COND_RESERVE(&out->arena, out->point, 3 * n))
        return COND_OUT_OF_MEMORY;
    if (n > 0)
        memcpy(out->point, point, 3 * (size_t)n * sizeof *point);
    out->n_point = n;
    if (n > MAX_POINT)
        return COND_OK;
    for (int c = 0; c < 3; c++) {
        double low = INFINITY, high = -INFINITY;
        for (int k = 0; k < n; k++) {
            low = fmin(low, point[3 * k + c]);
            high = fmax(high, point[3 * k + c]);
        }
        hull.size = hypot(hull.size, high - low);
    }
    CondStatus status = COND_OK;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            for (int k = j + 1; k < n && !status; k++)
                status = try_plane(&hull, i, j, k, out);
    return status;
}
