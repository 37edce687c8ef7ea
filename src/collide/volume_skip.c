// Most of what a surface vertex finds around it belongs to its own neighbourhood in the mesh and is
// left out of self-contact. All of that is known beforehand: a search of the body for itself passes
// it over, and then there is hardly anything left to look at.
#include "base/error.h"
#include "base/memory.h"
#include "collide/volume_ring.h"

#include <stddef.h>
#include <string.h>

// Scratch of the skips of one set of primitives.
typedef struct Cover {
    const CondClusters* clusters;
    const int *star_begin, *star; // primitives around a vertex
    int* parent;                  // of a node                                (2 n_cluster - 1)
    int* leaf;                    // node of a cluster                        (n_cluster)
    int* cluster;                 // of a primitive                           (n)
    int* stamp;                   // 1 + vertex that left a primitive out last (n)
    int* seen;                    // 1 + group that last left out one of them (n_cluster)
    int n_near, cap_near, cap_list, cap_used;
    int* near;           // clusters of which the group at hand leaves some out
    int* list;           // nodes, places in near
    unsigned char* used; // as in CondVolumeSkip, for all of near
} Cover;

static CondStatus open_cover(const CondContext* m, Cover* cover)
{
    const CondClusters* clusters = cover->clusters;
    size_t n = (size_t)clusters->n, n_cluster = (size_t)clusters->n_cluster;
    cover->parent = cond_allocate(m, 2 * n_cluster, sizeof(int));
    cover->leaf = cond_allocate(m, n_cluster, sizeof(int));
    cover->cluster = cond_allocate(m, n, sizeof(int));
    cover->stamp = cond_allocate(m, n, sizeof(int));
    cover->seen = cond_allocate(m, n_cluster, sizeof(int));
    if (!cover->parent || !cover->leaf || !cover->cluster || !cover->stamp || !cover->seen)
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
                            cover->seen,   cover->near, cover->list,    cover->used};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        cond_release(m, arrays[i]);
}

// Marks the primitives that vertex v leaves out; their clusters are added to those of group g.
static CondStatus mark_vertex(const CondVolume* volume, int v, int g, Cover* cover)
{
    for (int r = volume->ring_begin[v]; r < volume->ring_begin[v + 1]; r++) {
        int w = volume->ring[r];
        for (int s = cover->star_begin[w]; s < cover->star_begin[w + 1]; s++) {
            int p = cover->star[s], c = cover->cluster[p];
            cover->stamp[p] = v + 1;
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
// parent; counted first and put into skip->node where there is one.
static void add_nodes(Cover* cover, int g, CondVolumeSkip* skip)
{
    const CondClusterNode* node = cover->clusters->node;
    int *list = cover->list, top = 0;
    for (int k = 0; k < cover->n_near; k++) {
        int i = cover->leaf[cover->near[k]];
        while (top > 0 && i > 0 && list[top - 1] == cover->parent[i] + 1 &&
               node[cover->parent[i] + 1].next == i) {
            top--;
            i = cover->parent[i];
        }
        list[top++] = i;
    }
    if (skip->node)
        memcpy(skip->node + skip->begin[g], list, (size_t)top * sizeof *list);
    skip->begin[g + 1] = skip->begin[g] + top;
}

// Bits of the items of cluster c that vertex v, which was marked last, does not leave out.
static unsigned char used_items(const Cover* cover, int c, int v)
{
    const int* begin = cover->clusters->begin;
    unsigned used = 0;
    for (int k = begin[c]; k < begin[c + 1]; k++)
        used |= (unsigned)(cover->stamp[cover->clusters->item[k]] != v + 1) << (k - begin[c]);
    return (unsigned char)used;
}

// The clusters near group g that one of its vertices does not leave out as a whole, and what each
// of them leaves; counted first, too.
static CondStatus add_rims(const CondVolume* volume, int g, Cover* cover, CondVolumeSkip* skip)
{
    int begin = volume->groups.begin[g], size = volume->groups.begin[g + 1] - begin, n = 0;
    int n_near = cover->n_near;
    unsigned char* used = cover->used;
    for (int k = 0; k < size; k++) {
        int v = volume->surface[volume->groups.item[begin + k]];
        if (mark_vertex(volume, v, g, cover))
            return COND_OUT_OF_MEMORY;
        for (int i = 0; i < n_near; i++)
            used[k * n_near + i] = used_items(cover, cover->near[i], v);
    }
    for (int i = 0; i < n_near; i++) {
        unsigned any = 0;
        for (int k = 0; k < size; k++)
            any |= used[k * n_near + i];
        if (any)
            cover->list[n++] = i;
    }
    skip->rim_begin[g + 1] = skip->rim_begin[g] + n;
    skip->used_begin[g + 1] = skip->used_begin[g] + n * size;
    for (int i = 0; i < n && skip->rim; i++) {
        skip->rim[skip->rim_begin[g] + i] = cover->leaf[cover->near[cover->list[i]]];
        for (int k = 0; k < size; k++)
            skip->used[skip->used_begin[g] + k * n + i] = used[k * n_near + cover->list[i]];
    }
    return COND_OK;
}

static CondStatus fill_skip(const CondVolume* volume, Cover* cover, CondVolumeSkip* skip)
{
    const CondClusters* groups = &volume->groups;
    const CondContext* m = &volume->context;
    CondStatus status = COND_OK;
    memset(cover->stamp, 0, (size_t)cover->clusters->n * sizeof(int));
    memset(cover->seen, 0, (size_t)cover->clusters->n_cluster * sizeof(int));
    for (int g = 0; g < groups->n_cluster && !status; g++) {
        cover->n_near = 0;
        // Which clusters are near is known when all vertices of the group have been marked.
        for (int k = groups->begin[g]; k < groups->begin[g + 1] && !status; k++)
            status = mark_vertex(volume, volume->surface[groups->item[k]], g, cover);
        if (status || cond_reserve(m, &cover->list, &cover->cap_list, cover->n_near, sizeof(int)) ||
            cond_reserve(m, &cover->used, &cover->cap_used, COND_CLUSTER_BLOCK * cover->n_near, 1))
            return COND_OUT_OF_MEMORY;
        add_nodes(cover, g, skip);
        status = add_rims(volume, g, cover, skip);
    }
    return status;
}

// Twice over the groups, so that the lists are as long as they need to be.
static CondStatus make_skip(const CondVolume* volume, Cover* cover, CondVolumeSkip* skip)
{
    const CondContext* m = &volume->context;
    int n = volume->groups.n_cluster;
    CondStatus status = open_cover(m, cover);
    skip->begin = cond_allocate(m, (size_t)n + 1, sizeof(int));
    skip->rim_begin = cond_allocate(m, (size_t)n + 1, sizeof(int));
    skip->used_begin = cond_allocate(m, (size_t)n + 1, sizeof(int));
    if (!skip->begin || !skip->rim_begin || !skip->used_begin)
        status = COND_OUT_OF_MEMORY;
    if (!status)
        status = fill_skip(volume, cover, skip);
    if (!status) {
        skip->node = cond_allocate(m, (size_t)skip->begin[n], sizeof(int));
        skip->rim = cond_allocate(m, (size_t)skip->rim_begin[n], sizeof(int));
        skip->used = cond_allocate(m, (size_t)skip->used_begin[n], 1);
        status = skip->node && skip->rim && skip->used ? fill_skip(volume, cover, skip)
                                                       : COND_OUT_OF_MEMORY;
    }
    close_cover(m, cover);
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
