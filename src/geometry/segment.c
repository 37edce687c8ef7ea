// Nearest points of segments.
#include "geometry/segment.h"
#include "base/tuning.h"

#include "math/vec3.h"

#include <math.h>

static double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

double cond_segment_nearest(const double p[3], const double d[3], const double q[3],
                            const double e[3], double* s, double* t)
{
    double r[3], gap[3];
    for (int i = 0; i < 3; i++)
        r[i] = p[i] - q[i];
    double a = vec3_dot(d, d), b = vec3_dot(d, e), c = vec3_dot(e, e);
    double dr = vec3_dot(d, r), er = vec3_dot(e, r), det = a * c - b * b;
    if (det > COND_ROUNDING * a * c) {
        *s = clamp((b * er - c * dr) / det, 0.0, 1.0);
    } else { // along d the other segment covers from u to w
        double u = -dr / a, w = u + b / a;
        *s = 0.5 * (clamp(fmin(u, w), 0.0, 1.0) + clamp(fmax(u, w), 0.0, 1.0));
    }
    *t = (b * *s + er) / c; // the best t for this s, and the best s again where t is cut
    if (*t < 0.0 || *t > 1.0) {
        *t = clamp(*t, 0.0, 1.0);
        *s = clamp((b * *t - dr) / a, 0.0, 1.0);
    }
    for (int i = 0; i < 3; i++)
        gap[i] = r[i] + *s * d[i] - *t * e[i];
    return vec3_norm(gap);
}

double cond_segment_point(const double p[3], const double d[3], const double x[3], double* s)
{
    double gap[3] = {x[0] - p[0], x[1] - p[1], x[2] - p[2]};
    *s = clamp(vec3_dot(gap, d) / vec3_dot(d, d), 0.0, 1.0);
    for (int i = 0; i < 3; i++)
        gap[i] -= *s * d[i];
    return vec3_norm(gap);
}
