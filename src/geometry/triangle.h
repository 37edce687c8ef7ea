// Points against triangles and tetrahedra, inline.
#ifndef COND_GEOMETRY_TRIANGLE_H
#define COND_GEOMETRY_TRIANGLE_H

#include "base/tuning.h"
#include "math/vec3.h"

// n = (b - a) x (c - a): twice the area along the normal.
static inline void triangle_area_vector(const double a[3], const double b[3], const double c[3],
                                        double n[3])
{
    double u[3], v[3];
    for (int i = 0; i < 3; i++) {
        u[i] = b[i] - a[i];
        v[i] = c[i] - a[i];
    }
    vec3_cross(u, v, n);
}

// Parameter in [0, 1] of the point of a .. b nearest to p; 0 where a = b.
static inline double segment_nearest(const double p[3], const double a[3], const double b[3])
{
    double along = 0.0, length2 = 0.0;
    for (int i = 0; i < 3; i++) {
        along += (p[i] - a[i]) * (b[i] - a[i]);
        length2 += (b[i] - a[i]) * (b[i] - a[i]);
    }
    if (!(along > 0.0 && length2 > 0.0))
        return 0.0;
    double t = along / length2;
    return t < 1.0 ? t : 1.0;
}

// Weights of the point of the triangle nearest to p, and that point; returns the squared distance.
// A triangle without area is treated as its three edges.
static inline double triangle_nearest(const double p[3], const double a[3], const double b[3],
                                      const double c[3], double weight[3], double point[3])
{
    const double* corner[3] = {a, b, c};
    double n[3], part[3], nearest = INFINITY;
    triangle_area_vector(a, b, c, n);
    double area2 = vec3_dot(n, n);
    if (area2 > 0.0) {
        // The weight of a corner is the area that p spans with the opposite edge, along n.
        int k = 0;
        for (int inside = 1; k < 3 && inside; k += inside) {
            triangle_area_vector(p, corner[(k + 1) % 3], corner[(k + 2) % 3], part);
            weight[k] = vec3_dot(part, n) / area2;
            inside = weight[k] >= 0.0;
        }
        if (k == 3) {
            nearest = 0.0;
            for (int i = 0; i < 3; i++) {
                point[i] = weight[0] * a[i] + weight[1] * b[i] + weight[2] * c[i];
                nearest += (p[i] - point[i]) * (p[i] - point[i]);
            }
            return nearest;
        }
    }
    for (int k = 0; k < 3; k++) {
        const double *from = corner[k], *to = corner[(k + 1) % 3];
        double t = segment_nearest(p, from, to), x[3], distance2 = 0.0;
        for (int i = 0; i < 3; i++) {
            x[i] = from[i] + t * (to[i] - from[i]);
            distance2 += (p[i] - x[i]) * (p[i] - x[i]);
        }
        if (distance2 < nearest) {
            nearest = distance2;
            weight[k] = 1.0 - t;
            weight[(k + 1) % 3] = t;
            weight[(k + 2) % 3] = 0.0;
            for (int i = 0; i < 3; i++)
                point[i] = x[i];
        }
    }
    return nearest;
}

// Weights of p in the tetrahedron a b c d, which sum to 1; returns 0, or 1 if the volume of the
// tetrahedron is too small to divide by. Its orientation does not matter.
static inline int tetrahedron_weights(const double p[3], const double a[3], const double b[3],
                                      const double c[3], const double d[3], double weight[4])
{
    double u[3], v[3], w[3], x[3], cross[3], longest2 = 0.0;
    for (int i = 0; i < 3; i++) {
        u[i] = b[i] - a[i];
        v[i] = c[i] - a[i];
        w[i] = d[i] - a[i];
        x[i] = p[i] - a[i];
    }
    longest2 = fmax(vec3_dot(u, u), fmax(vec3_dot(v, v), vec3_dot(w, w)));
    vec3_cross(v, w, cross);
    double volume = vec3_dot(u, cross);
    if (!(fabs(volume) > COND_PRODUCT_ROUNDING * longest2 * sqrt(longest2)))
        return 1;
    weight[1] = vec3_dot(x, cross) / volume;
    vec3_cross(w, u, cross);
    weight[2] = vec3_dot(x, cross) / volume;
    vec3_cross(u, v, cross);
    weight[3] = vec3_dot(x, cross) / volume;
    weight[0] = 1.0 - weight[1] - weight[2] - weight[3];
    return 0;
}

#endif
