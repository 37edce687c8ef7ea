// Which parts of a body are too near in the mesh for self-contact: the ring of each vertex, and for
// each group of vertices the subtrees that none of them need look at. Without these a body that
// does not touch itself would be searched for its own neighbourhood, and all that is found thrown
// away.
#include "collide/volume_ring.h"

#include "base/memory.h"

#include <stddef.h>

CondStatus cond_volume_incidence(const CondVolume* volume, int n, int width, const int* corner,
                                 int** begin, int** list)
{
    *begin = cond_allocate(&volume->context, (size_t)volume->n_vertex + 1, sizeof **begin);
    *list = cond_allocate(&volume->context, (size_t)n, (size_t)width * sizeof **list);
    if (!*begin || !*list)
        return COND_OUT_OF_MEMORY;
    int* end = *begin;
    for (int k = 0; k < width * n; k++)
        end[corner[k] + 1]++;
    for (int v = 0; v < volume->n_vertex; v++)
        end[v + 1] += end[v];
    // Filled from the back, each offset falls from the end of its run to the beginning, which
    // leaves the offsets shifted by one place.
    for (int k = width * n - 1; k >= 0; k--)
        (*list)[--end[corner[k] + 1]] = k / width;
    for (int v = 0; v < volume->n_vertex; v++)
        end[v] = end[v + 1];
    end[volume->n_vertex] = width * n;
    return COND_OK;
}

// Appends to the ring the unmarked corners of the tetrahedra, or of the triangles of a shell,
// around a vertex.
static CondStatus widen_ring(CondVolume* volume, const int* star_begin, const int* star, int vertex,
                             char* mark, int* n)
{
    for (int s = star_begin[vertex]; s < star_begin[vertex + 1]; s++) {
        int shell = volume->n_front > 0;
        for (int i = 0; i < (shell ? 3 : 4); i++) {
            int v = shell ? volume->triangle[3 * (size_t)star[s] + i]
                          : volume->tet[4 * (size_t)star[s] + i];
            if (mark[v])
                continue;
            mark[v] = 1;
            if (cond_reserve(&volume->context, &volume->ring, &volume->cap_ring, *n + 1,
                             sizeof(int)))
                return COND_OUT_OF_MEMORY;
            volume->ring[(*n)++] = v;
        }
    }
    return COND_OK;
}

// ring of a surface vertex = itself and all vertices within n_ring edges.
CondStatus cond_volume_make_rings(CondVolume* volume, int n_ring)
{
    const CondContext* context = &volume->context;
    int *star_begin = NULL, *star = NULL, n = 0;
    char* mark = cond_allocate(context, (size_t)volume->n_vertex, 1);
    CondStatus status = mark ? COND_OK : COND_OUT_OF_MEMORY;
    if (!status)
        status = volume->n_front > 0 ? cond_volume_incidence(volume, volume->n_front, 3,
                                                             volume->triangle, &star_begin, &star)
                                     : cond_volume_incidence(volume, volume->n_tet, 4, volume->tet,
                                                             &star_begin, &star);
    for (int v = 0; v < volume->n_vertex && !status; v++) {
        int begin = n;
        volume->ring_begin[v] = begin;
        if (volume->fan_begin[v] == volume->fan_begin[v + 1])
            continue; // an inner vertex touches nothing
        status = cond_reserve(context, &volume->ring, &volume->cap_ring, n + 1, sizeof(int));
        if (status)
            break;
        volume->ring[n++] = v;
        mark[v] = 1;
        for (int level = 0, from = begin; level < n_ring && !status; level++) {
            int to = n;
            for (; from < to && !status; from++)
                status = widen_ring(volume, star_begin, star, volume->ring[from], mark, &n);
        }
        for (int k = begin; k < n; k++)
            mark[volume->ring[k]] = 0;
    }
    volume->ring_begin[volume->n_vertex] = n;
    cond_release(context, star_begin);
    cond_release(context, star);
    cond_release(context, mark);
    return status;
}
