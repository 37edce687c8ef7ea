// A piece of the surface of a body: a convex polygon, of a cylinder's cap what of the polygon lies
// on the cap, or a patch of its side between two angles and two heights.
#include "geometry/cell.h"
#include "base/tuning.h"

#include "geometry/triangle.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

static void measure(CondCell* cell)
{
    cell->radius = 0.0;
    for (int k = 0; k < cell->n_hull; k++) {
        const double *p = cell->hull[k], *x = cell->middle;
        const double d[3] = {p[0] - x[0], p[1] - x[1], p[2] - x[2]};
        cell->radius = fmax(cell->radius, vec3_norm(d));
    }
}

static void start(CondCell* cell)
{
    *cell = (CondCell){.n = 0};
    for (int k = 0; k < COND_CELL_PARTS; k++)
        cell->known[k] = -1;
}

static void add_hull(CondCell* cell, const double x[3], int outer)
{
    if (cell->n_hull == COND_CELL_HULL)
        return;
    cell->outer |= outer ? 1u << cell->n_hull : 0u;
    memcpy(cell->hull[cell->n_hull++], x, 3 * sizeof *x);
}

// Where the way from p to q, in the axes of a cylinder, goes through its side: at most two of 0..1.
static int cut_circle(const double p[3], const double q[3], double radius, double t[2])
{
    double d[2] = {q[0] - p[0], q[1] - p[1]};
    double a = d[0] * d[0] + d[1] * d[1], b = p[0] * d[0] + p[1] * d[1];
    double c = p[0] * p[0] + p[1] * p[1] - radius * radius, under = b * b - a * c;
    int n = 0;
    if (!(a > 0.0) || !(under > 0.0))
        return 0;
    const double root[2] = {(-b - sqrt(under)) / a, (-b + sqrt(under)) / a};
    for (int k = 0; k < 2; k++)
        if (root[k] > 0.0 && root[k] < 1.0)
            t[n++] = root[k];
    return n;
}

// Adds the meeting point of the tangents at the last point of the hull and at x, on the rim both.
static void add_outer(CondCell* cell, const double from[3], const double to[3])
{
    double sum[3] = {from[0] + to[0], from[1] + to[1], from[2]}, outer[3];
    double length2 = sum[0] * sum[0] + sum[1] * sum[1], r2 = cell->core->disc * cell->core->disc;
    for (int i = 0; i < 2 && length2 > 0.0; i++) // |sum| = 2 r cos, and the point is at r/cos
        sum[i] *= 2.0 * r2 / length2;
    cond_core_place(cell->core, sum, outer);
    add_hull(cell, outer, 1);
}

// The hull of what of the polygon lies on the cap: corners inside the rim, where sides cross the
// rim, and tangents along the arcs between.
static void trim_to_cap(CondCell* cell)
{
    double local[COND_CELL_CORNERS][3], radius = cell->core->disc, last[3], first[3];
    int n_kept = 0, off = 0, first_off = 0; // off: the way leads along the rim
    for (int k = 0; k < cell->n; k++)
        cond_core_local(cell->core, cell->corner[k], local[k]);
    for (int k = 0; k < cell->n; k++) {
        const double *p = local[k], *q = local[(k + 1) % cell->n];
        double t[3] = {0.0}, x[3];
        int inside = hypot(p[0], p[1]) <= radius, n = cut_circle(p, q, radius, t + inside);
        off = off || !inside;
        for (int j = 0; j < n + inside; j++) {
            for (int i = 0; i < 3; i++)
                x[i] = p[i] + t[j] * (q[i] - p[i]);
            if (n_kept == 0) {
                memcpy(first, x, sizeof first);
                first_off = off;
            } else if (off) {
                add_outer(cell, last, x);
            }
            // After a crossing outward what follows is off until the next point.
            off = 0;
            memcpy(last, x, sizeof last);
            double world[3];
            cond_core_place(cell->core, x, world);
            add_hull(cell, world, 0);
            for (int i = 0; i < 3; i++)
                cell->middle[i] += world[i];
            n_kept++;
        }
    }
    if (n_kept > 0 && (off || first_off))
        add_outer(cell, last, first);
    for (int i = 0; i < 3 && n_kept > 0; i++)
        cell->middle[i] /= n_kept;
}

// Hull and middle of a polygon.
static void settle(CondCell* cell)
{
    cell->n_hull = 0;
    cell->outer = 0;
    cell->middle[0] = cell->middle[1] = cell->middle[2] = 0.0;
    if (cell->core) {
        trim_to_cap(cell);
    } else {
        for (int k = 0; k < cell->n; k++) {
            add_hull(cell, cell->corner[k], 0);
            for (int i = 0; i < 3; i++)
                cell->middle[i] += cell->corner[k][i] / cell->n;
        }
    }
    measure(cell);
}

void cond_cell_polygon(int n, const double* const* corner, const CondCore* core, CondCell* cell)
{
    start(cell);
    cell->n = n;
    cell->core = core;
    cell->cap = core != NULL;
    for (int k = 0; k < n; k++)
        memcpy(cell->corner[k], corner[k], sizeof cell->corner[k]);
    settle(cell);
}

static void place(const CondCell* cell, double u, double stretch, double angle, double x[3])
{
    double rho = stretch * cell->core->disc;
    const double local[3] = {rho * cos(angle), rho * sin(angle), u};
    cond_core_place(cell->core, local, x);
}

// Corners of the hull: the ends of the arcs, and where the tangents at the ends meet.
static void settle_patch(CondCell* cell)
{
    double middle = 0.5 * (cell->angle[0] + cell->angle[1]), x[3];
    double stretch = 1.0 / cos(middle - cell->angle[0]);
    cell->n_hull = 0;
    cell->outer = 0;
    for (int k = 0; k < 2; k++) {
        for (int j = 0; j < 2; j++) {
            place(cell, cell->u[k], 1.0, cell->angle[j], x);
            add_hull(cell, x, 0);
        }
        place(cell, cell->u[k], stretch, middle, x);
        add_hull(cell, x, 1);
    }
    place(cell, 0.5 * (cell->u[0] + cell->u[1]), 1.0, middle, cell->middle);
    measure(cell);
}

void cond_cell_patch(const CondCore* core, const double u[2], const double angle[2], CondCell* cell)
{
    start(cell);
    cell->core = core;
    memcpy(cell->u, u, sizeof cell->u);
    memcpy(cell->angle, angle, sizeof cell->angle);
    settle_patch(cell);
}

// ---- how far

// The point of a patch that is farthest along d.
static void patch_support(const CondCell* cell, const double d[3], double x[3])
{
    double local[3], low = cell->angle[0], high = cell->angle[1];
    mat3_multiply_transposed(cell->core->R, d, local);
    double best = atan2(local[1], local[0]);
    best += 2.0 * PI * ceil((low - best) / (2.0 * PI));
    double end = cos(low - best) > cos(high - best) ? low : high;
    place(cell, cell->u[local[2] > 0.0], 1.0, best <= high ? best : end, x);
}

// The point of the arc between hull corners k - 1 and k + 1 that is farthest along d; 0: an end is.
static int arc_support(const CondCell* cell, int k, const double d[3], double x[3])
{
    double a[3], b[3], n[3];
    cond_core_local(cell->core, cell->hull[(k + cell->n_hull - 1) % cell->n_hull], a);
    cond_core_local(cell->core, cell->hull[(k + 1) % cell->n_hull], b);
    mat3_multiply_transposed(cell->core->R, d, n);
    double length = hypot(n[0], n[1]), turn = a[0] * b[1] - a[1] * b[0] < 0.0 ? -1.0 : 1.0;
    if (!(length > 0.0) || turn * (a[0] * n[1] - a[1] * n[0]) < 0.0 ||
        turn * (n[0] * b[1] - n[1] * b[0]) < 0.0 ||
        n[0] * (a[0] + b[0]) + n[1] * (a[1] + b[1]) < 0.0)
        return 0;
    const double local[3] = {cell->core->disc * n[0] / length, cell->core->disc * n[1] / length,
                             a[2]};
    cond_core_place(cell->core, local, x);
    return 1;
}

// The point of a cell that is farthest along d.
static void support(const CondCell* cell, const double d[3], double x[3])
{
    double most = -INFINITY;
    if (cell->core && !cell->cap) {
        patch_support(cell, d, x);
        return;
    }
    for (int k = 0; k < cell->n_hull; k++) {
        double y[3];
        memcpy(y, cell->hull[k], sizeof y);
        if ((cell->outer >> k & 1u && !arc_support(cell, k, d, y)) || !(vec3_dot(d, y) > most))
            continue;
        most = vec3_dot(d, y);
        memcpy(x, y, sizeof y);
    }
}

// The point of a polygon that is nearest to the axis of a cylinder: in the plane across the axis,
// that of the polygon there nearest to the origin.
static void axis_nearest(const CondCell* cell, const CondCore* core, double x[3])
{
    static const double origin[3] = {0.0, 0.0, 0.0};
    double flat[COND_CELL_CORNERS][3], least = INFINITY;
    for (int k = 0; k < cell->n; k++) {
        cond_core_local(core, cell->corner[k], flat[k]);
        flat[k][2] = 0.0;
    }
    for (int k = cell->n > 2; k + 1 < cell->n; k++) { // a segment is the triangle 0 0 1
        double weight[3], point[3];
        double d = triangle_nearest(origin, flat[0], flat[k], flat[k + 1], weight, point);
        if (!(d < least))
            continue;
        least = d;
        for (int i = 0; i < 3; i++)
            x[i] = weight[0] * cell->corner[0][i] + weight[1] * cell->corner[k][i] +
                   weight[2] * cell->corner[k + 1][i];
    }
}

// 1 where all of the hull lies over the triangle, so that the distance is that to its plane.
static int is_over(const CondCell* cell, const CondBoundary* b, int t)
{
    double inward[3];
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < cell->n_hull; c++)
            if (cond_boundary_wall(b, t, k, cell->hull[c], inward) < 0.0)
                return 0;
    return 1;
}

// The way into the body from a part that is flat.
static void inward_of(const CondBoundary* b, int part, double d[3])
{
    const double* n = b->hollow ? b->normal + 3 * (size_t)part : b->plane + 4 * (size_t)part;
    for (int i = 0; i < 3; i++)
        d[i] = -n[i];
}

// Of a plane the distance is linear, of a triangle it is convex, of the side of a cylinder concave.
double cond_cell_most(const CondCell* cell, const CondBoundary* b, int part, double x[3])
{
    double g[3], most = -INFINITY, local[3];
    int at = 0;
    if (!b->hollow && part == b->n_plane) {
        axis_nearest(cell, &b->core, x);
        return cond_boundary_part(b, part, x, g);
    }
    if (!b->hollow || (cell->core && is_over(cell, b, part))) {
        inward_of(b, part, g);
        support(cell, g, x);
        return cond_boundary_part(b, part, x, g);
    }
    for (int k = 0; k < cell->n_hull; k++) {
        double distance = cond_boundary_part(b, part, cell->hull[k], g);
        at = distance > most ? k : at;
        most = fmax(most, distance);
    }
    memcpy(x, cell->hull[at], sizeof cell->hull[at]);
    if (cell->outer >> at & 1u) { // back onto the rim or the side
        cond_core_local(cell->core, cell->hull[at], local);
        double shrink = cell->core->disc / hypot(local[0], local[1]);
        local[0] *= shrink;
        local[1] *= shrink;
        cond_core_place(cell->core, local, x);
    }
    return most;
}

// No more than a mean of both distances, whatever the weights; the best weights say most. Where
// both parts are planes for the cell, their mean is linear; else it is convex.
typedef struct Mean {
    const CondCell* cell;
    int flat;
    double inward[2][3], offset[2];
    double distance[2][COND_CELL_HULL];
} Mean;

static double most_of_mean(const Mean* mean, double share)
{
    double d[3], x[3], most = -INFINITY;
    if (mean->flat) {
        for (int i = 0; i < 3; i++)
            d[i] = (1.0 - share) * mean->inward[0][i] + share * mean->inward[1][i];
        support(mean->cell, d, x);
        return vec3_dot(d, x) + (1.0 - share) * mean->offset[0] + share * mean->offset[1];
    }
    for (int k = 0; k < mean->cell->n_hull; k++)
        most = fmax(most, (1.0 - share) * mean->distance[0][k] + share * mean->distance[1][k]);
    return most;
}

double cond_cell_most_of_two(const CondCell* cell, const CondBoundary* b, int one, int two)
{
    const double golden = 0.6180339887498949;
    const int part[2] = {one, two};
    Mean mean = {.cell = cell};
    double low = 0.0, high = 1.0, g[3];
    mean.flat = !b->hollow || (is_over(cell, b, one) && is_over(cell, b, two));
    for (int s = 0; s < 2; s++) {
        inward_of(b, part[s], mean.inward[s]);
        mean.offset[s] = cond_boundary_part(b, part[s], cell->middle, g) -
                         vec3_dot(mean.inward[s], cell->middle);
        for (int k = 0; k < cell->n_hull && !mean.flat; k++)
            mean.distance[s][k] = cond_boundary_part(b, part[s], cell->hull[k], g);
    }
    double p = high - golden * (high - low), q = low + golden * (high - low);
    double at_p = most_of_mean(&mean, p), at_q = most_of_mean(&mean, q);
    double least = fmin(at_p, at_q);
    for (int k = 0; k < COND_GOLDEN_STEPS; k++) {
        if (at_p < at_q) {
            high = q;
            q = p;
            at_q = at_p;
            at_p = most_of_mean(&mean, p = high - golden * (high - low));
        } else {
            low = p;
            p = q;
            at_p = at_q;
            at_q = most_of_mean(&mean, q = low + golden * (high - low));
        }
        least = fmin(least, fmin(at_p, at_q));
    }
    return least;
}

void cond_cell_between(const CondCell* cell, const double x[3], const double y[3], double share,
                       double z[3])
{
    double a[3], b[3];
    cond_core_local(cell->core, x, a);
    cond_core_local(cell->core, y, b);
    double from = atan2(a[1], a[0]), turn = remainder(atan2(b[1], b[0]) - from, 2.0 * PI);
    place(cell, a[2] + share * (b[2] - a[2]), 1.0, from + share * turn, z);
}

// ---- cutting

static void add_corner(CondCell* cell, const double x[3])
{
    memcpy(cell->corner[cell->n++], x, sizeof cell->corner[0]);
}

static void start_halves(const CondCell* cell, CondCell half[2])
{
    for (int s = 0; s < 2; s++) {
        half[s] = *cell;
        half[s].n = 0;
        half[s].level++;
    }
}

// How often a plane crosses the sides: twice at most, unless rounding has bent a thin polygon.
static int count_crossings(const CondCell* cell, const double* height)
{
    int n = 0;
    for (int k = 0; k < cell->n; k++)
        n += height[k] * height[(k + 1) % cell->n] < 0.0;
    return n;
}

int cond_cell_cut(const CondCell* cell, const double p[3], const double n[3], CondCell half[2])
{
    double height[COND_CELL_CORNERS], low = 0.0, high = 0.0;
    if (cell->n == 0 || cell->n >= COND_CELL_CORNERS)
        return 0;
    for (int k = 0; k < cell->n; k++) {
        const double* x = cell->corner[k];
        const double d[3] = {x[0] - p[0], x[1] - p[1], x[2] - p[2]};
        height[k] = vec3_dot(n, d);
        low = fmin(low, height[k]);
        high = fmax(high, height[k]);
    }
    double small = COND_SINGLE_PRECISION * (high - low);
    if (!(low < -small && high > small) || count_crossings(cell, height) > 2)
        return 0;
    start_halves(cell, half);
    for (int k = 0; k < cell->n; k++) {
        int next = (k + 1) % cell->n;
        if (height[k] >= 0.0)
            add_corner(&half[0], cell->corner[k]);
        if (height[k] <= 0.0)
            add_corner(&half[1], cell->corner[k]);
        if (!(height[k] * height[next] < 0.0) || (cell->n == 2 && k == 1))
            continue;
        double x[3], t = height[k] / (height[k] - height[next]);
        for (int i = 0; i < 3; i++)
            x[i] = cell->corner[k][i] + t * (cell->corner[next][i] - cell->corner[k][i]);
        add_corner(&half[0], x);
        add_corner(&half[1], x);
    }
    settle(&half[0]);
    settle(&half[1]);
    return 1;
}

// Of a polygon with as many corners as it may have: across a diagonal.
static void cut_diagonal(const CondCell* cell, CondCell half[2])
{
    int middle = cell->n / 2;
    start_halves(cell, half);
    for (int k = 0; k <= middle; k++)
        add_corner(&half[0], cell->corner[k]);
    for (int k = middle; k <= cell->n; k++)
        add_corner(&half[1], cell->corner[k % cell->n]);
    settle(&half[0]);
    settle(&half[1]);
}

static void halve_polygon(const CondCell* cell, CondCell half[2])
{
    double longest = 0.0, n[3] = {0.0, 0.0, 0.0};
    for (int j = 0; j < cell->n_hull; j++)
        for (int k = 0; k < j; k++) {
            const double *x = cell->hull[j], *y = cell->hull[k];
            const double d[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
            if (!(vec3_norm(d) > longest))
                continue;
            longest = vec3_norm(d);
            memcpy(n, d, sizeof n);
        }
    if (!(longest > 0.0) || !cond_cell_cut(cell, cell->middle, n, half))
        cut_diagonal(cell, half);
}

void cond_cell_halve(const CondCell* cell, CondCell half[2])
{
    if (cell->n > 0) {
        halve_polygon(cell, half);
        return;
    }
    int across = cell->core->disc * (cell->angle[1] - cell->angle[0]) > cell->u[1] - cell->u[0];
    start_halves(cell, half);
    for (int s = 0; s < 2; s++) {
        double* range = across ? half[s].angle : half[s].u;
        range[1 - s] = 0.5 * (range[0] + range[1]);
        settle_patch(&half[s]);
    }
}

// ---- crossing

// 1 where pq goes through the triangle abc.
static int pierces(const double p[3], const double q[3], const double a[3], const double b[3],
                   const double c[3], const double n[3], double small)
{
    const double* corner[3] = {a, b, c};
    double from = 0.0, to = 0.0, x[3], part[3];
    for (int i = 0; i < 3; i++) {
        from += n[i] * (p[i] - a[i]);
        to += n[i] * (q[i] - a[i]);
    }
    if (!(fmin(from, to) < -small && fmax(from, to) > small))
        return 0;
    for (int i = 0; i < 3; i++)
        x[i] = p[i] + from / (from - to) * (q[i] - p[i]);
    for (int k = 0; k < 3; k++) {
        triangle_area_vector(x, corner[k], corner[(k + 1) % 3], part);
        if (vec3_dot(part, n) < 0.0)
            return 0;
    }
    return 1;
}

int cond_cell_is_crossed(const CondCell* cell, double t[3][3], const double normal[3], double small)
{
    int m = cell->n_hull;
    for (int k = 0; k + (m == 2) < m; k++)
        if (pierces(cell->hull[k], cell->hull[(k + 1) % m], t[0], t[1], t[2], normal, small))
            return 1;
    for (int k = 1; k + 1 < m; k++) {
        double n[3];
        triangle_area_vector(cell->hull[0], cell->hull[k], cell->hull[k + 1], n);
        double length = vec3_norm(n);
        for (int i = 0; i < 3 && length > 0.0; i++)
            n[i] /= length;
        for (int e = 0; e < 3 && length > 0.0; e++)
            if (pierces(t[e], t[(e + 1) % 3], cell->hull[0], cell->hull[k], cell->hull[k + 1], n,
                        small))
                return 1;
    }
    return 0;
}
