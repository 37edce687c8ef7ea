// The point of A - B nearest to the origin: a simplex of points of A - B is moved towards it by the
// support of both cores.
#include "base/tuning.h"
#include "geometry/separation.h"
#include "geometry/triangle.h"
#include "geometry/tuning.h"

#include <math.h>
#include <string.h>

typedef struct Simplex {
    int n;
    double w[4][3];
} Simplex;

// `from` ascends.
static void keep_weighted(Simplex* s, const int* from, const double* weight, int n)
{
    s->n = 0;
    for (int k = 0; k < n; k++)
        if (weight[k] > 0.0)
            memmove(s->w[s->n++], s->w[from[k]], sizeof s->w[0]);
}

// v = the point of the simplex nearest to the origin; keeps the corners it depends on. 1 when the
// origin is inside. Of a tetrahedron the last corner is new, and v was nearest in the triangle of
// the others: that is looked at only where the other triangles are not nearer.
static int nearest(Simplex* s, double v[3])
{
    static const double origin[3] = {0.0, 0.0, 0.0};
    static const int corner[4][3] = {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}};
    double weight[4], point[3], least = INFINITY, kept[3] = {1.0, 0.0, 0.0};
    double before = vec3_dot(v, v);
    int triangle = 0, last = s->n == 4 ? 3 : 0;
    if (s->n == 1)
        memcpy(v, s->w[0], sizeof s->w[0]);
    if (s->n == 2) {
        weight[1] = segment_nearest(origin, s->w[0], s->w[1]);
        weight[0] = 1.0 - weight[1];
        for (int i = 0; i < 3; i++)
            v[i] = weight[0] * s->w[0][i] + weight[1] * s->w[1][i];
        keep_weighted(s, corner[0], weight, 2);
    }
    if (s->n < 3)
        return 0;
    if (s->n == 4 && !tetrahedron_weights(origin, s->w[0], s->w[1], s->w[2], s->w[3], weight) &&
        weight[0] >= 0.0 && weight[1] >= 0.0 && weight[2] >= 0.0 && weight[3] >= 0.0)
        return 1;
    for (int k = last;
         k >= 0 && (k > 0 || last == 0 || !(least < (1.0 - COND_INPUT_ROUNDING) * before)); k--) {
        const int* c = corner[k];
        double d2 = triangle_nearest(origin, s->w[c[0]], s->w[c[1]], s->w[c[2]], weight, point);
        if (d2 <= least) {
            least = d2;
            triangle = k;
            memcpy(kept, weight, sizeof kept);
            memcpy(v, point, sizeof point);
        }
    }
    keep_weighted(s, corner[triangle], kept, 3);
    return 0;
}

static int is_known(const Simplex* s, const double w[3])
{
    for (int k = 0; k < s->n; k++)
        if (s->w[k][0] == w[0] && s->w[k][1] == w[1] && s->w[k][2] == w[2])
            return 1;
    return 0;
}

int cond_cores_distance(const CondCore* a, const CondCore* b, double far, double n[3])
{
    double size = fmin(a->size, b->size), wide = fmax(a->size, b->size);
    Simplex s = {0};
    double v[3], w[3];
    for (int i = 0; i < 3; i++)
        v[i] = a->p[i] - b->p[i];
    if (!(vec3_norm(v) > 0.0))
        v[2] = 1.0;
    double last = INFINITY;
    for (int pass = 0; pass < COND_SEARCH_STEPS; pass++) {
        double along = cond_cores_apart(a, b, v, w), length = vec3_norm(v);
        if (along > far * length) {
            for (int i = 0; i < 3; i++)
                n[i] = v[i] / length;
            return 0;
        }
        // The distance lies between along/|v| and |v|, once v is a point of A - B.
        double left = length * length - along;
        if (pass > 0 &&
            (left <= COND_PRODUCT_ROUNDING * length * length + COND_EXACT * wide * length ||
             is_known(&s, w) || !(length < last)))
            break;
        last = pass > 0 ? length : INFINITY;
        memcpy(s.w[s.n++], w, sizeof w);
        if (nearest(&s, v) || !(vec3_norm(v) > COND_TOUCHING * size))
            return -1;
    }
    double length = vec3_norm(v);
    for (int i = 0; i < 3; i++)
        n[i] = v[i] / length;
    return 1;
}
