// Tetrahedra, triangles or points in clusters of neighbours, with a tree over the clusters.
#include "geometry/cluster.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/tuning.h"
#include "geometry/tuning.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static void empty_box(double box[6])
{
    for (int k = 0; k < 3; k++) {
        box[k] = INFINITY;
        box[3 + k] = -INFINITY;
    }
}

static inline void stretch_box(const double p[3], double box[6])
{
    for (int k = 0; k < 3; k++) {
        box[k] = p[k] < box[k] ? p[k] : box[k];
        box[3 + k] = p[k] > box[3 + k] ? p[k] : box[3 + k];
    }
}

void cond_clusters_box(const CondClusters* clusters, const double* x, int primitive, double box[6])
{
    const int* corner = clusters->corner + (size_t)clusters->width * (size_t)primitive;
    empty_box(box);
    for (int c = 0; c < clusters->width; c++)
        stretch_box(x + 3 * (size_t)corner[c], box);
}

// The corners of cluster k, ascending and each once, behind the n there are; returns how many then.
static int list_vertices(CondClusters* clusters, int k, int n)
{
    int begin = n, width = clusters->width;
    for (int m = width * clusters->begin[k]; m < width * clusters->begin[k + 1]; m++) {
        int v = clusters->corner[width * clusters->item[m / width] + m % width], at = n;
        while (at > begin && clusters->vertex[at - 1] > v)
            at--;
        if (at > begin && clusters->vertex[at - 1] == v)
            continue;
        memmove(clusters->vertex + at + 1, clusters->vertex + at, (size_t)(n - at) * sizeof(int));
        clusters->vertex[at] = v;
        n++;
    }
    return n;
}

// An exact copy of what is used of an array.
static CondStatus trim(const CondContext* context, int** array, size_t n)
{
    int* copy = cond_allocate(context, n, sizeof(int));
    if (!copy)
        return COND_OUT_OF_MEMORY;
    memcpy(copy, *array, n * sizeof(int));
    cond_release(context, *array);
    *array = copy;
    return COND_OK;
}

// Everything that follows from the boxes, for which there is room in `box`.
static CondStatus fill(CondClusters* clusters, const double* x, double* box, CondTree* tree)
{
    for (int k = 0; k < clusters->n; k++)
        cond_clusters_box(clusters, x, k, box + 6 * (size_t)k);
    CondStatus status = cond_tree_build_clusters(tree, COND_CLUSTER_BLOCK, clusters->n, box,
                                                 clusters->item, clusters->begin);
    if (status)
        return status;
    int n = 0, n_node = 2 * tree->n - 1;
    clusters->n_cluster = tree->n;
    clusters->node =
        cond_allocate(&clusters->context, n_node > 0 ? (size_t)n_node : 0, sizeof *clusters->node);
    if (!clusters->node)
        return COND_OUT_OF_MEMORY;
    for (int i = 0; i < n_node; i++) {
        clusters->node[i].next = tree->node[i].next;
        clusters->node[i].cluster = tree->node[i].primitive;
    }
    for (int k = 0; k < clusters->n_cluster; k++) {
        clusters->vertex_begin[k] = n;
        n = list_vertices(clusters, k, n);
    }
    clusters->vertex_begin[clusters->n_cluster] = n;
    if (trim(&clusters->context, &clusters->vertex, (size_t)n) ||
        trim(&clusters->context, &clusters->begin, (size_t)clusters->n_cluster + 1) ||
        trim(&clusters->context, &clusters->vertex_begin, (size_t)clusters->n_cluster + 1))
        return COND_OUT_OF_MEMORY;
    cond_clusters_refit(clusters, x, 1);
    return COND_OK;
}

CondStatus cond_clusters_create(const CondContext* context, const double* x, int n, int width,
                                const int* corner, CondClusters* clusters)
{
    CondContext own = cond_context_or_default(context);
    *clusters = (CondClusters){.context = own, .n = n, .width = width, .corner = corner};
    CondTree tree;
    cond_tree_begin(&own, &tree);
    clusters->begin = cond_allocate(&own, (size_t)n + 1, sizeof(int));
    clusters->item = cond_allocate(&own, (size_t)n, sizeof(int));
    clusters->vertex_begin = cond_allocate(&own, (size_t)n + 1, sizeof(int));
    clusters->vertex = cond_allocate(&own, (size_t)n, (size_t)width * sizeof(int));
    double* box = cond_allocate(&own, (size_t)n, 6 * sizeof *box);
    CondStatus status = COND_OUT_OF_MEMORY;
    if (clusters->begin && clusters->item && clusters->vertex_begin && clusters->vertex && box)
        status = fill(clusters, x, box, &tree);
    cond_tree_end(&tree);
    cond_release(&own, box);
    return status;
}

void cond_clusters_destroy(CondClusters* clusters)
{
    if (!clusters->context.release)
        return;
    void* const arrays[] = {clusters->begin, clusters->item, clusters->vertex_begin,
                            clusters->vertex, clusters->node};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        cond_release(&clusters->context, arrays[i]);
}

void cond_clusters_forget_tree(CondClusters* clusters)
{
    cond_release(&clusters->context, clusters->node);
    cond_release(&clusters->context, clusters->vertex_begin);
    cond_release(&clusters->context, clusters->vertex);
    clusters->node = NULL;
    clusters->vertex_begin = clusters->vertex = NULL;
}

typedef struct RefitLoop {
    const CondClusters* clusters;
    const double* x;
} RefitLoop;

static void refit_leaves(const void* loop, int first, int last)
{
    const RefitLoop* l = loop;
    const CondClusters* clusters = l->clusters;
    for (int i = first; i < last; i++) {
        CondClusterNode* node = &clusters->node[i];
        if (node->cluster < 0)
            continue;
        double box[6];
        empty_box(box);
        int end = clusters->vertex_begin[node->cluster + 1];
        for (int m = clusters->vertex_begin[node->cluster]; m < end; m++)
            stretch_box(l->x + 3 * (size_t)clusters->vertex[m], box);
        node->box = cond_float_box(box);
    }
}

void cond_clusters_refit(CondClusters* clusters, const double* x, int threads)
{
    RefitLoop loop = {clusters, x};
    CondClusterNode* node = clusters->node;
    if (clusters->n_cluster == 0)
        return;
    cond_parallel(2 * clusters->n_cluster - 1,
                  cond_threads(COND_CONTACT_WORK * (size_t)clusters->n, threads), refit_leaves,
                  &loop);
    for (int i = 2 * clusters->n_cluster - 2; i >= 0; i--) {
        if (node[i].cluster >= 0)
            continue;
        const CondFloatBox *a = &node[i + 1].box, *b = &node[node[i + 1].next].box;
        for (int k = 0; k < 4; k++) {
            node[i].box.low[k] = a->low[k] < b->low[k] ? a->low[k] : b->low[k];
            node[i].box.high[k] = a->high[k] > b->high[k] ? a->high[k] : b->high[k];
        }
    }
}

// The clusters whose boxes may overlap; replaces the list.
static CondStatus find_clusters(const CondClusters* clusters, const double box[6],
                                CondTreeHits* hits)
{
    CondFloatBox wide = cond_float_box(box);
    hits->n = 0;
    for (int i = 0; i < 2 * clusters->n_cluster - 1;) {
        const CondClusterNode* node = &clusters->node[i];
        hits->visited++;
        if (!cond_float_overlap(&node->box, &wide)) {
            i = node->next;
            continue;
        }
        if (node->cluster >= 0) {
            if (hits->n == hits->cap && cond_reserve(&hits->context, &hits->primitive, &hits->cap,
                                                     hits->n + 1, sizeof *hits->primitive))
                return COND_OUT_OF_MEMORY;
            hits->primitive[hits->n++] = node->cluster;
        }
        i++;
    }
    return COND_OK;
}

int cond_clusters_may_meet(const CondClusters* clusters, const CondFloatBox* box, int n_skip,
                           const int* skip, long* visited)
{
    // The walk meets nodes in ascending order, so one look along `skip` will do.
    int s = 0, skipped = n_skip > 0 ? skip[0] : INT_MAX, met = 0;
    for (int i = 0; i < 2 * clusters->n_cluster - 1 && !met;) {
        const CondClusterNode* node = &clusters->node[i];
        ++*visited;
        while (skipped < i)
            skipped = ++s < n_skip ? skip[s] : INT_MAX;
        if (skipped == i || !cond_float_overlap(&node->box, box)) {
            i = node->next;
            continue;
        }
        met = node->cluster >= 0;
        i++;
    }
    return met;
}

CondStatus cond_clusters_query(const CondClusters* clusters, const double* x, const double box[6],
                               CondTreeHits* hits)
{
    CondStatus status = find_clusters(clusters, box, hits);
    int n_near = hits->n, n = 0;
    for (int h = 0; h < n_near; h++)
        n += clusters->begin[hits->primitive[h] + 1] - clusters->begin[hits->primitive[h]];
    // The clusters are read from the end of the list while the primitives fill its beginning.
    if (!status && cond_reserve(&hits->context, &hits->primitive, &hits->cap, n_near + n,
                                sizeof *hits->primitive))
        status = COND_OUT_OF_MEMORY;
    hits->n = 0;
    if (status)
        return status;
    int* near = hits->primitive + n;
    memmove(near, hits->primitive, (size_t)n_near * sizeof *near);
    for (int h = 0; h < n_near; h++) {
        int end = clusters->begin[near[h] + 1];
        for (int m = clusters->begin[near[h]]; m < end; m++) {
            double own[6];
            cond_clusters_box(clusters, x, clusters->item[m], own);
            if (cond_tree_overlap(own, box))
                hits->primitive[hits->n++] = clusters->item[m];
        }
    }
    return COND_OK;
}

static double box_distance(const CondFloatBox* box, const double p[3])
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        double d = fmax(fmax((double)box->low[i] - p[i], p[i] - (double)box->high[i]), 0.0);
        sum += d * d;
    }
    return sqrt(sum);
}

// The nearest of a cluster, as below.
static void measure_cluster(const CondClusters* clusters, int cluster, CondTreeDistance measure,
                            void* user, int* best, double* distance)
{
    for (int m = clusters->begin[cluster]; m < clusters->begin[cluster + 1]; m++) {
        int primitive = clusters->item[m];
        double found = measure(user, primitive);
        if (found < *distance || (found == *distance && (*best < 0 || primitive < *best))) {
            *distance = found;
            *best = found < INFINITY ? primitive : *best;
        }
    }
}

int cond_clusters_nearest(const CondClusters* clusters, const CondFloatBox* box,
                          const double point[3], CondTreeDistance measure, void* user,
                          double* distance)
{
    const double slack = 1.0 - COND_ROUNDING;
    const CondClusterNode* node = clusters->node;
    int stack[34], top = 0, best = -1; // a tree of int many is at most 31 levels deep
    if (clusters->n_cluster > 0)
        stack[top++] = 0;
    while (top > 0) {
        int i = stack[--top];
        if (slack * box_distance(&box[i], point) > *distance)
            continue;
        if (node[i].cluster >= 0) {
            measure_cluster(clusters, node[i].cluster, measure, user, &best, distance);
            continue;
        }
        int left = i + 1, right = node[left].next;
        int right_first = box_distance(&box[right], point) < box_distance(&box[left], point);
        stack[top++] = right_first ? left : right; // the nearer child is looked at first
        stack[top++] = right_first ? right : left;
    }
    return best;
}

void cond_near_begin(const CondContext* context, CondNear* near)
{
    *near = (CondNear){.n = 0};
    cond_arena_begin(context, &near->arena);
    cond_tree_hits_begin(context, &near->hit);
}

void cond_near_end(CondNear* near)
{
    CondContext own = near->arena.context;
    cond_arena_release(&near->arena);
    cond_tree_hits_end(&near->hit);
    cond_near_begin(&own, near);
}

static CondStatus reserve_near(CondNear* near, int n)
{
    CondArena* m = &near->arena;
    if (COND_RESERVE(m, near->primitive, n) || COND_RESERVE(m, near->box, 6 * n) ||
        COND_RESERVE(m, near->wide, 6 * (n + 3)))
        return COND_OUT_OF_MEMORY;
    return COND_OK;
}

CondStatus cond_near_find(const CondClusters* clusters, const double* x, const double box[6],
                          CondNear* near)
{
    near->n = 0;
    CondStatus status = find_clusters(clusters, box, &near->hit);
    if (!status && near->hit.n > 0)
        status = reserve_near(near, COND_CLUSTER_BLOCK * near->hit.n);
    for (int h = 0; h < near->hit.n && !status; h++) {
        int end = clusters->begin[near->hit.primitive[h] + 1];
        for (int m = clusters->begin[near->hit.primitive[h]]; m < end; m++) {
            double* own = near->box + 6 * (size_t)near->n;
            cond_clusters_box(clusters, x, clusters->item[m], own);
            if (cond_tree_overlap(own, box))
                near->primitive[near->n++] = clusters->item[m];
        }
    }
    for (int k = 0; k < (near->n + 3) / 4 * 4 && !status; k++) {
        float* to = near->wide + 6 * (size_t)(k & ~3) + (k & 3);
        const double* from = k < near->n ? near->box + 6 * (size_t)k : NULL;
        for (int i = 0; i < 3; i++) { // places left over hold nothing
            to[4 * i] = from ? cond_float_widen(from[i], -1.0f) : INFINITY;
            to[4 * i + 12] = from ? cond_float_widen(from[3 + i], 1.0f) : -INFINITY;
        }
    }
    return status;
}

CondStatus cond_near_query(const CondNear* near, const double box[6], CondTreeHits* hits)
{
    typedef float Floats __attribute__((vector_size(16), aligned(4), may_alias));
    typedef int Mask __attribute__((vector_size(16)));
    typedef long long Halves __attribute__((vector_size(16)));
    int n = near->n;
    float low[3], high[3];
    hits->n = 0;
    if (n > hits->cap &&
        cond_reserve(&hits->context, &hits->primitive, &hits->cap, n, sizeof *hits->primitive))
        return COND_OUT_OF_MEMORY;
    hits->visited += n;
    for (int i = 0; i < 3; i++) {
        low[i] = cond_float_widen(box[i], -1.0f);
        high[i] = cond_float_widen(box[3 + i], 1.0f);
    }
    for (int k = 0; k < n; k += 4) {
        const Floats* of = (const Floats*)(near->wide + 6 * (size_t)k);
        Mask apart = (of[0] > high[0]) | (of[1] > high[1]) | (of[2] > high[2]) | (of[3] < low[0]) |
                     (of[4] < low[1]) | (of[5] < low[2]);
        Halves all = (Halves)apart;
        if ((all[0] & all[1]) == -1)
            continue;
        for (int l = 0; l < 4 && k + l < n; l++)
            if (!apart[l] && cond_tree_overlap(near->box + 6 * (size_t)(k + l), box))
                hits->primitive[hits->n++] = near->primitive[k + l];
    }
    return COND_OK;
}
