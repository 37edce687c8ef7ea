// Few of many meetings far inside: the deepest, then again and again the one that differs most from
// those that are kept.
#include "collide/manifold.h"

#include "base/memory.h"
#include "collide/tuning.h"
#include "math/vec3.h"

#include <math.h>

static double difference(const CondManifoldPoint* a, const CondManifoldPoint* b, double size)
{
    double d[3], n[3];
    for (int i = 0; i < 3; i++) {
        d[i] = a->point[0][i] - b->point[0][i];
        n[i] = a->normal[i] - b->normal[i];
    }
    return vec3_norm(d) / size + vec3_norm(n);
}

// What differs[] says of a meeting: how much from the nearest of those that are kept; -1: it is
// kept itself or not deep.
static int most_different(int n, const double* differs)
{
    int best = -1;
    for (int k = 0; k < n; k++)
        if (differs[k] > 0.0 && (best < 0 || differs[k] > differs[best]))
            best = k;
    return best;
}

CondStatus cond_manifold_thin(CondManifold* manifold, double deep, double size)
{
    int n = manifold->n, n_deep = 0, next = -1, kept = 0;
    for (int k = 0; k < n; k++) {
        if (!(manifold->meeting[k].gap < -deep))
            continue;
        n_deep++;
        if (next < 0 || manifold->meeting[k].gap < manifold->meeting[next].gap)
            next = k;
    }
    if (n_deep <= COND_THINNED)
        return COND_OK;
    if (COND_RESERVE(&manifold->arena, manifold->differs, n))
        return COND_OUT_OF_MEMORY;
    double* differs = manifold->differs; // 0: dropped unless it is chosen
    for (int k = 0; k < n; k++)
        differs[k] = manifold->meeting[k].gap < -deep ? INFINITY : -1.0;
    for (int pass = 0; pass < COND_THINNED && next >= 0; pass++) {
        const CondManifoldPoint* chosen = &manifold->meeting[next];
        for (int k = 0; k < n; k++)
            if (differs[k] > 0.0)
                differs[k] = fmin(differs[k], difference(&manifold->meeting[k], chosen, size));
        differs[next] = -1.0;
        next = most_different(n, differs);
    }
    for (int k = 0; k < n; k++)
        if (differs[k] < 0.0)
            manifold->meeting[kept++] = manifold->meeting[k];
    manifold->n = kept;
    return COND_OK;
}
