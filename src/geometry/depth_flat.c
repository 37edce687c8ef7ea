// The deepest point of a triangle in a convex body with flat faces. With d_fk the distance of
// corner k from face f it is the solution of the linear program
//     max_w min_f sum_k w_k d_fk,    w >= 0,  sum w = 1,
// which has a solution with at most three faces. Any few faces give an upper bound, and the depth
// at the point where these have it a lower one: the face that is nearest there joins them, those
// that do not hold the bound leave, until both agree.
#include "base/tuning.h"
#include "geometry/depth.h"

#include <math.h>
#include <string.h>

enum { FEW = 4 }; // three faces that hold the bound, and the one that joins

// The faces at hand, and a point of the triangle.
typedef struct Program {
    int n;
    int face[FEW];
    double d[FEW][3];    // at the corners [m]
    double most;         // the bound by these faces [m]
    double weight[3];    // where they have it
    int n_hold, hold[3]; // numbers of the faces that hold it
} Program;

static double distance(const CondBoundary* b, int face, const double x[3])
{
    const double* plane = b->plane + 4 * (size_t)face;
    return plane[3] - vec3_dot(plane, x);
}

// What the faces say of the point with these weights; it is taken if that is the most so far.
static void offer(Program* p, const double weight[3], int n_hold, const int hold[3])
{
    double least = INFINITY;
    int nearest = 0;
    for (int s = 0; s < p->n; s++) {
        double here = vec3_dot(p->d[s], weight);
        nearest = here < least ? s : nearest;
        least = fmin(least, here);
    }
    if (!(least > p->most))
        return;
    p->most = least;
    memcpy(p->weight, weight, sizeof p->weight);
    p->n_hold = n_hold;
    for (int k = 0; k < n_hold; k++)
        p->hold[k] = hold[k];
    if (n_hold == 1)
        p->hold[0] = nearest;
}

// Where two faces are equally near on a side of the triangle.
static void offer_sides(Program* p, int s, int t)
{
    for (int k = 0; k < 3; k++) {
        int l = (k + 1) % 3;
        double at_k = p->d[s][k] - p->d[t][k], at_l = p->d[s][l] - p->d[t][l];
        double weight[3] = {0.0, 0.0, 0.0};
        if (!(at_k * at_l < 0.0))
            continue;
        weight[l] = at_k / (at_k - at_l);
        weight[k] = 1.0 - weight[l];
        offer(p, weight, 2, (const int[3]){s, t});
    }
}

// Where three faces are, inside the triangle.
static void offer_inside(Program* p, int s, int t, int u)
{
    double one[3], two[3], weight[3];
    for (int k = 0; k < 3; k++) {
        one[k] = p->d[s][k] - p->d[t][k];
        two[k] = p->d[s][k] - p->d[u][k];
    }
    vec3_cross(one, two, weight);
    double sum = weight[0] + weight[1] + weight[2];
    for (int k = 0; k < 3; k++) {
        weight[k] /= sum;
        if (!(weight[k] >= 0.0)) // outside, or the three meet nowhere
            return;
    }
    offer(p, weight, 3, (const int[3]){s, t, u});
}

// The linear program of the faces at hand.
static void solve(Program* p)
{
    static const double corner[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    p->most = -INFINITY;
    for (int k = 0; k < 3; k++)
        offer(p, corner[k], 1, (const int[3]){0});
    for (int s = 0; s < p->n; s++)
        for (int t = 0; t < s; t++) {
            offer_sides(p, s, t);
            for (int u = 0; u < t; u++)
                offer_inside(p, s, t, u);
        }
}

static void join(const CondBoundary* b, const double* const corner[3], int face, Program* p)
{
    p->face[p->n] = face;
    for (int k = 0; k < 3; k++)
        p->d[p->n][k] = distance(b, face, corner[k]);
    p->n++;
}

// Those that hold the bound stay.
static void leave(Program* p)
{
    Program before = *p;
    p->n = before.n_hold;
    for (int k = 0; k < p->n; k++) {
        p->face[k] = before.face[before.hold[k]];
        memcpy(p->d[k], before.d[before.hold[k]], sizeof p->d[k]);
    }
}

// The face that says least of the whole triangle.
static int first_face(const CondBoundary* b, const double* const corner[3], double* bound)
{
    int first = 0;
    *bound = INFINITY;
    for (int f = 0; f < b->n_plane; f++) {
        double most = fmax(distance(b, f, corner[0]),
                           fmax(distance(b, f, corner[1]), distance(b, f, corner[2])));
        first = most < *bound ? f : first;
        *bound = fmin(*bound, most);
    }
    return first;
}

int cond_triangle_deepest_flat(const CondBoundary* b, const double* const corner[3], double small,
                               CondDeepest* deepest)
{
    Program p = {.n = 0};
    double bound, before = deepest->depth;
    int first = first_face(b, corner, &bound), found = 0;
    if (!(bound > before + small))
        return 0;
    join(b, corner, first, &p);
    for (int pass = 0; pass < b->n_plane + FEW; pass++) {
        double x[3];
        int nearest;
        solve(&p);
        if (!(p.most > before + small))
            return found;
        for (int i = 0; i < 3; i++)
            x[i] = p.weight[0] * corner[0][i] + p.weight[1] * corner[1][i] +
                   p.weight[2] * corner[2][i];
        double depth = cond_boundary_depth(b, x, -1, &nearest);
        if (depth > deepest->depth) {
            found = 1;
            deepest->depth = depth;
            deepest->part = nearest;
            memcpy(deepest->x, x, sizeof x);
        }
        if (!(p.most > depth + small))
            return found;
        leave(&p);
        join(b, corner, nearest, &p);
    }
    return found;
}
