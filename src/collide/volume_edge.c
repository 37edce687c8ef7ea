// Edges of the surface of a tetrahedral volume.
#include "base/error.h"
#include "base/memory.h"
#include "collide/volume.h"
#include "geometry/sort.h"
#include "math/vec3.h"

#include <math.h>

CondStatus cond_volume_make_edges(CondVolume* volume, CondError* error)
{
    int n = 3 * volume->n_triangle;
    const CondContext* m = &volume->context;
    CondIndexKey* key = cond_allocate(m, (size_t)n, sizeof *key);
    volume->edge = cond_allocate(m, (size_t)n / 2, 4 * sizeof *volume->edge); // two sides make one
    volume->triangle_edge = cond_allocate(m, (size_t)n, sizeof *volume->triangle_edge);
    if (!key || !volume->edge || !volume->triangle_edge) {
        cond_release(m, key);
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    }
    for (int k = 0; k < n; k++) {
        int a = volume->triangle[k], b = volume->triangle[k - k % 3 + (k + 1) % 3];
        key[k] = (CondIndexKey){{a < b ? a : b, a < b ? b : a, 0}, k};
        volume->triangle_edge[k] = -1;
    }
    cond_keys_sort(key, n);
    for (int k = 0, run; k < n; k += run) {
        for (run = 1; k + run < n && !cond_keys_differ(&key[k], &key[k + run]); run++)
            ;
        // Where parts of the body meet in an edge only, nothing is done. A shell has the edge on
        // both sides, the first side's triangles first.
        int sides = volume->n_front > 0 && run == 4 ? 2 : run == 2;
        for (int s = 0; s < sides; s++) {
            int* edge = volume->edge + 4 * (size_t)volume->n_edge;
            for (int i = 0; i < 2; i++) {
                int side = key[k + 2 * s + i].value;
                edge[i] = key[k].part[i];
                edge[2 + i] = side / 3;
                volume->triangle_edge[side] = volume->n_edge;
            }
            volume->n_edge++;
        }
    }
    cond_release(m, key);
    return COND_OK;
}

int cond_volume_is_back(const CondVolume* volume, int e)
{
    return volume->n_front > 0 && volume->edge[4 * (size_t)e + 2] >= volume->n_front;
}

int cond_volume_is_rim(const CondVolume* volume, int e)
{
    const int* edge = volume->edge + 4 * (size_t)e;
    return volume->n_front > 0 && edge[3] - edge[2] == volume->n_front;
}

double cond_volume_rest_length(const CondVolume* volume, int a, int b)
{
    double d[3];
    for (int i = 0; i < 3; i++)
        d[i] = volume->rest[3 * (size_t)a + i] - volume->rest[3 * (size_t)b + i];
    return vec3_norm(d);
}

double cond_volume_side_lean(const CondVolume* volume, int e, int k, const double d[3],
                             const double n[3])
{
    const int* edge = volume->edge + 4 * (size_t)e;
    const int* node = volume->triangle + 3 * (size_t)edge[2 + k];
    double side[3];
    int begin = 0;
    while (begin < 2 && node[begin] != edge[0])
        begin++;
    vec3_cross(volume->normal + 3 * (size_t)edge[2 + k], d, side);
    // The triangle lies to the left of its own edges.
    double sign = node[(begin + 1) % 3] == edge[1] ? 1.0 : -1.0;
    return sign * vec3_dot(n, side);
}

double cond_volume_edge_lean(const CondVolume* volume, int e, const double d[3], const double n[3])
{
    return fmax(cond_volume_side_lean(volume, e, 0, d, n),
                cond_volume_side_lean(volume, e, 1, d, n));
}
