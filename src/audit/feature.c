// Distances of points, segments and triangles, for the audit alone.
#include "audit/feature.h"

#include "audit/tuning.h"
#include "base/tuning.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

static void take(const double a[3], const double b[3], double d[3])
{
    for (int i = 0; i < 3; i++)
        d[i] = a[i] - b[i];
}

// Nearest point of the segment from a to b.
static double segment_point(const double a[3], const double b[3], const double x[3], double near[3])
{
    double e[3], d[3];
    take(b, a, e);
    take(x, a, d);
    double length = vec3_dot(e, e), t = length > 0.0 ? vec3_dot(d, e) / length : 0.0;
    t = fmax(0.0, fmin(1.0, t));
    for (int i = 0; i < 3; i++)
        near[i] = a[i] + t * e[i];
    take(x, near, d);
    return vec3_norm(d);
}

double cond_audit_triangle(const double a[3], const double b[3], const double c[3],
                           const double x[3], double near[3])
{
    const double* corner[3] = {a, b, c};
    double ab[3], ac[3], n[3], d[3], side[3], at[3], best = INFINITY;
    take(b, a, ab);
    take(c, a, ac);
    vec3_cross(ab, ac, n);
    double area = vec3_dot(n, n);
    int over = area > 0.0; // x projects into the triangle
    for (int k = 0; k < 3 && over; k++) {
        double e[3];
        take(corner[(k + 1) % 3], corner[k], e);
        take(x, corner[k], d);
        vec3_cross(n, e, side);
        over = vec3_dot(side, d) >= 0.0;
    }
    if (over) {
        take(x, a, d);
        double height = vec3_dot(n, d) / area;
        for (int i = 0; i < 3; i++)
            near[i] = x[i] - height * n[i];
        return fabs(height) * sqrt(area);
    }
    for (int k = 0; k < 3; k++) {
        double here = segment_point(corner[k], corner[(k + 1) % 3], x, at);
        if (here < best) {
            best = here;
            memcpy(near, at, sizeof at);
        }
    }
    return best;
}

// The least of |p + s d - q - t e|^2 lies inside both segments, or at an end of one of them.
double cond_audit_segments(const double a[6], const double b[6], double* s, double* t)
{
    double d[3], e[3], r[3], best = INFINITY, near[3];
    take(a + 3, a, d);
    take(b + 3, b, e);
    take(a, b, r);
    double dd = vec3_dot(d, d), de = vec3_dot(d, e), ee = vec3_dot(e, e);
    double dr = vec3_dot(d, r), er = vec3_dot(e, r), det = dd * ee - de * de;
    *s = *t = 0.0;
    if (det > COND_AUDIT_ROUNDING * dd * ee) {
        double u = (de * er - ee * dr) / det, w = (dd * er - de * dr) / det;
        if (u >= 0.0 && u <= 1.0 && w >= 0.0 && w <= 1.0) {
            double gap[3];
            for (int i = 0; i < 3; i++)
                gap[i] = r[i] + u * d[i] - w * e[i];
            best = vec3_norm(gap);
            *s = u;
            *t = w;
        }
    }
    for (int end = 0; end < 4; end++) {
        int on_a = end >> 1;
        const double *x = (on_a ? a : b) + 3 * (end & 1), *line = on_a ? b : a;
        double here = segment_point(line, line + 3, x, near);
        if (here >= best)
            continue;
        best = here;
        double along[3], length = on_a ? ee : dd;
        take(near, line, along);
        double share = length > 0.0 ? vec3_dot(along, on_a ? e : d) / length : 0.0;
        *s = on_a ? (double)(end & 1) : share;
        *t = on_a ? share : (double)(end & 1);
    }
    return best;
}

// Six times the volume of the tetrahedron pabc.
static double volume(const double p[3], const double a[3], const double b[3], const double c[3])
{
    double u[3], v[3], w[3], n[3];
    take(a, p, u);
    take(b, p, v);
    take(c, p, w);
    vec3_cross(v, w, n);
    return vec3_dot(u, n);
}

double cond_audit_pierce(const double p[3], const double q[3], const double a[3], const double b[3],
                         const double c[3])
{
    double from = volume(p, a, b, c), to = volume(q, a, b, c);
    if ((from > 0.0) == (to > 0.0) || from == to)
        return -1.0;
    // The line passes on the same side of all three edges.
    double one = volume(p, q, a, b), two = volume(p, q, b, c), three = volume(p, q, c, a);
    if ((one < 0.0 || two < 0.0 || three < 0.0) && (one > 0.0 || two > 0.0 || three > 0.0))
        return -1.0;
    // In the plane of the triangle all of these are rounding: the point says whether it is there.
    double t = from / (from - to), d[3], x[3], near[3];
    take(q, p, d);
    for (int i = 0; i < 3; i++)
        x[i] = p[i] + t * d[i];
    return cond_audit_triangle(a, b, c, x, near) > COND_INPUT_ROUNDING * vec3_norm(d) ? -1.0 : t;
}

double cond_audit_box_point(const double box[6], const double x[3])
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        double d = fmax(fmax(box[i] - x[i], x[i] - box[3 + i]), 0.0);
        sum += d * d;
    }
    return sqrt(sum);
}

double cond_audit_boxes(const double a[6], const double b[6])
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        double d = fmax(fmax(a[i] - b[3 + i], b[i] - a[3 + i]), 0.0);
        sum += d * d;
    }
    return sqrt(sum);
}
