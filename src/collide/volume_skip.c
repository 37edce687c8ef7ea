// Most of what a surface vertex finds around it belongs to its own neighbourhood in the mesh and is
// left out of self-contact. All of that is known beforehand: a search of the body for itself passes
// it over, and then there is hardly anything left to look at.
#include "base/error.h"
#include "base/memory.h"
#include "collide/volume_ring.h"

#include <stddef.h>

// Scratch of the skips of one set of primitives.
typedef struct Cover {
    const CondClusters* clusters;
    const int *star_begin, *star; // primitives around a vertex
    int* parent;                  // of a node                                (2 n_cluster - 1)
    int* leaf;                    // node of a cluster                        (n_cluster)
    int* cluster;                 // of a primitive                           (n)
    int* stamp;                   // 1 + vertex that left a primitive out last (n)
    int* count;                   // primitives that one vertex leaves out    (n_cluster)
    int* seen;                    // 1 + group that last left out one of them (n_cluster)
    int n_near, cap_near;
    int* near; // clusters of which the group at hand leaves some out
} Cover;

static CondStatus open_cover(const CondContext* m, Cover* cover)
{
    const CondClusters* clusters = cover->clusters;
    size_t n = (size_t)clusters->n, n_cluster = (size_t)clusters->n_cluster;
    cover->parent = cond_allocate(m, 2 * n_cluster, sizeof(int));
    cover->leaf = cond_allocate(m, n_cluster, sizeof(int));
    cover->cluster = cond_allocate(m, n, sizeof(int));
    cover->stamp = cond_allocate(m, n, sizeof(int));
    cover->count = cond_allocate(m, n_cluster, sizeof(int));
    cover->seen = cond_allocate(m, n_cluster, sizeof(int));
    if (!cover->parent || !cover->leaf || !cover->cluster || !cover->stamp || !cover->count ||
        !cover->seen)
        return COND_OUT_OF_MEMORY;
    for (int i = 0; i < 2 * clusters->n_cluster - 1; i++) {
        if (clusters->node[i].cluster >= 0) {
            cover->leaf[clusters->node[i].cluster] = i;
            continue;
        }
        cover->parent[i + 1] = i;
        cover->parent[clusters->node[i + 1].next] = i;
    }
    for (int c = 0; c < clusters->n_cluster; c++)
        for (int k = clusters->begin[c]; k < clusters->begin[c + 1]; k++)
            cover->cluster[clusters->item[k]] = c;
    return COND_OK;
}

static void close_cover(const CondContext* m, Cover* cover)
{
    void* const arrays[] = {cover->parent, cover->leaf, cover->cluster, cover->stamp,
                            cover->count,  cover->seen, cover->near};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        cond_release(m, arrays[i]);
}

// Counts in each cluster the primitives that vertex v leaves out, +1, or takes the count back, -1.
// The clusters are added to those of group g.
static CondStatus count_vertex(const CondVolume* volume, int v, int g, int sign, Cover* cover)
{
    for (int r = volume->ring_begin[v]; r < volume->ring_begin[v + 1]; r++) {
        int w = volume->ring[r];
        for (int s = cover->star_begin[w]; s < cover->star_begin[w + 1]; s++) {
            int p = cover->star[s], c = cover->cluster[p];
            if (cover->stamp[p] == sign * (v + 1))
                continue;
            cover->stamp[p] = sign * (v + 1);
            cover->count[c] += sign;
            if (cover->seen[c] == g + 1)
                continue;
            cover->seen[c] = g + 1;
            if (cond_reserve(&volume->context, &cover->near, &cover->cap_near, cover->n_near + 1,
                             sizeof(int)))
                return COND_OUT_OF_MEMORY;
            int at = cover->n_near++; // ascending, as their leaves are
            for (; at > 0 && cover->near[at - 1] > c; at--)
                cover->near[at] = cover->near[at - 1];
            cover->near[at] = c;
        }
    }
    return COND_OK;
}

// The leaves of the clusters near group g, two children that are both there replaced by their
// parent.
static CondStatus add_nodes(const CondContext* m, const Cover* cover, int g, CondVolumeSkip* skip)
{
    const CondClusterNode* node = cover->clusters->node;
    int begin = skip->begin[g], top = begin;
    if (cond_reserve(m, &skip->node, &skip->cap_node, begin + cover->n_near, sizeof(int)))
        return COND_OUT_OF_MEMORY;
    for (int k = 0; k < cover->n_near; k++) {
        int i = cover->leaf[cover->near[k]];
        while (top > begin && i > 0 && skip->node[top - 1] == cover->parent[i] + 1 &&
               node[cover->parent[i] + 1].next == i) {
            top--;
            i = cover->parent[i];
        }
        skip->node[top++] = i;
    }
    skip->begin[g + 1] = top;
    return COND_OK;
}

// The clusters near group g of which a vertex of it does not leave out all.
static CondStatus add_rims(const CondVolume* volume, int g, Cover* cover, CondVolumeSkip* skip)
{
    const CondClusters* clusters = cover->clusters;
    const CondContext* m = &volume->context;
    CondStatus status = COND_OK;
    for (int k = volume->groups.begin[g]; k < volume->groups.begin[g + 1] && !status; k++) {
        int v = volume->surface[volume->groups.item[k]], n = skip->rim_begin[k];
        status = count_vertex(volume, v, g, 1, cover);
        if (!status &&
            cond_reserve(m, &skip->rim, &skip->cap_rim, n + cover->n_near, sizeof *skip->rim))
            status = COND_OUT_OF_MEMORY;
        for (int i = 0; i < cover->n_near && !status; i++) {
            int c = cover->near[i], begin = clusters->begin[c],
                size = clusters->begin[c + 1] - begin;
            if (cover->count[c] == size)
                continue;
            CondVolumeRim rim = {cover->leaf[c], 0};
            for (int j = 0; j < size; j++)
                if (cover->stamp[clusters->item[begin + j]] != v + 1)
                    rim.usable |= 1u << j;
            skip->rim[n++] = rim;
        }
        skip->rim_begin[k + 1] = n;
        if (!status)
            status = count_vertex(volume, v, g, -1, cover);
    }
    return status;
}

static CondStatus make_skip(const CondVolume* volume, Cover* cover, CondVolumeSkip* skip)
{
    const CondContext* m = &volume->context;
    const CondClusters* groups = &volume->groups;
    CondStatus status = open_cover(m, cover);
    skip->begin = cond_allocate(m, (size_t)groups->n_cluster + 1, sizeof(int));
    skip->rim_begin = cond_allocate(m, (size_t)groups->n + 1, sizeof(int));
    if (!skip->begin || !skip->rim_begin)
        status = COND_OUT_OF_MEMORY;
    for (int g = 0; g < groups->n_cluster && !status; g++) {
        cover->n_near = 0;
        // Which clusters are near is known when all vertices of the group have been counted.
        for (int k = groups->begin[g]; k < groups->begin[g + 1] && !status; k++) {
            int v = volume->surface[groups->item[k]];
            status = count_vertex(volume, v, g, 1, cover);
            if (!status)
                status = count_vertex(volume, v, g, -1, cover);
        }
        if (!status)
            status = add_nodes(m, cover, g, skip);
        if (!status)
            status = add_rims(volume, g, cover, skip);
    }
    close_cover(m, cover);
    if (!status)
        status = cond_shrink(m, &skip->node, &skip->cap_node, skip->begin[groups->n_cluster],
                             sizeof(int));
    if (!status)
        status = cond_shrink(m, &skip->rim, &skip->cap_rim, skip->rim_begin[groups->n],
                             sizeof *skip->rim);
    return status;
}

CondStatus cond_volume_make_skips(CondVolume* volume, CondError* error)
{
    int *star_begin = NULL, *star = NULL;
    CondStatus status =
        cond_volume_incidence(volume, volume->n_tet, 4, volume->tet, &star_begin, &star);
    Cover tets = {.clusters = &volume->tets, .star_begin = star_begin, .star = star};
    Cover triangles = {
        .clusters = &volume->triangles, .star_begin = volume->fan_begin, .star = volume->fan};
    if (!status)
        status = make_skip(volume, &tets, &volume->tet_skip);
    if (!status)
        status = make_skip(volume, &triangles, &volume->triangle_skip);
    cond_release(&volume->context, star_begin);
    cond_release(&volume->context, star);
    return status ? cond_error_set(error, status, "out of memory") : COND_OK;
}
