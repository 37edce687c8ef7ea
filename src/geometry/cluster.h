// Clusters of neighbouring primitives (tetrahedra, triangles, points), with a tree over the
// clusters. It has a tenth of the nodes of a tree over the primitives, and the boxes of the
// primitives are computed only in queries that reach their cluster.
#ifndef COND_GEOMETRY_CLUSTER_H
#define COND_GEOMETRY_CLUSTER_H

#include "geometry/tree.h"
#include "geometry/tuning.h"

#include <float.h>
#include <math.h>

// A float that is at most x (sign -1) or at least x (sign 1).
static inline float cond_float_widen(double x, float sign)
{
    float f = (float)x, wide = f + sign * (2.0f * FLT_EPSILON * fabsf(f) + FLT_MIN);
    return isnan(wide) ? -sign * FLT_MAX : wide; // x is beyond all floats, on the other side
}

// A box in single precision that contains a box in double precision [m].
typedef struct CondFloatBox {
    float low[4], high[4]; // the fourth is 0
} CondFloatBox;

static inline CondFloatBox cond_float_box(const double box[6])
{
    CondFloatBox wide = {{0.0f}, {0.0f}};
    for (int k = 0; k < 3; k++) {
        wide.low[k] = cond_float_widen(box[k], -1.0f);
        wide.high[k] = cond_float_widen(box[3 + k], 1.0f);
    }
    return wide;
}

// 0 if the boxes do not overlap.
static inline int cond_float_overlap(const CondFloatBox* a, const CondFloatBox* b)
{
    typedef float Floats __attribute__((vector_size(16), aligned(4), may_alias));
    typedef int Mask __attribute__((vector_size(16)));
    typedef long long Halves __attribute__((vector_size(16)));
    Mask apart = (*(const Floats*)a->low > *(const Floats*)b->high) |
                 (*(const Floats*)b->low > *(const Floats*)a->high);
    Halves all = (Halves)apart;
    return (all[0] | all[1]) == 0;
}

// Depth-first, as in a CondTree. Boxes in single precision, widened: they are used only to prune.
typedef struct CondClusterNode {
    CondFloatBox box;
    int next;    // first node behind this subtree; i + 1 for a leaf
    int cluster; // of a leaf; -1 inside
} CondClusterNode;

typedef struct CondClusters {
    CondContext context;
    int n;             // primitives
    int width;         // corners of each
    const int* corner; // the caller's                                        (n x width)
    int n_cluster;
    int* begin;            // first index of a cluster in `item`               (n_cluster + 1)
    int* item;             // primitives, cluster by cluster                               (n)
    int* vertex_begin;     //                                                 (n_cluster + 1)
    int* vertex;           // corners of the clusters, each once per cluster
    CondClusterNode* node; // with the boxes of the last refit                (2 n_cluster - 1)
} CondClusters;

// Clusters the primitives by the points x; `corner` must stay in memory. Zeroed memory is an empty
// object, which may be destroyed.                                            x (n_vertex x 3)
CondStatus cond_clusters_create(const CondContext* context, const double* x, int n, int width,
                                const int* corner, CondClusters* clusters);
void cond_clusters_destroy(CondClusters* clusters);
// Releases all but `begin` and `item`; queries are no longer possible.
void cond_clusters_forget_tree(CondClusters* clusters);

// The box of a primitive.
void cond_clusters_box(const CondClusters* clusters, const double* x, int primitive, double box[6]);

// New points; no allocation.
void cond_clusters_refit(CondClusters* clusters, const double* x, int threads);

// All primitives whose box overlaps `box`, in the order of `item`; x: as in the last refit.
CondStatus cond_clusters_query(const CondClusters* clusters, const double* x, const double box[6],
                               CondTreeHits* hits);

// 0 if no cluster overlaps the box, ignoring the subtrees of the nodes in `skip` (ascending).
// *visited counts the nodes.                                                    skip (n_skip)
int cond_clusters_may_meet(const CondClusters* clusters, const CondFloatBox* box, int n_skip,
                           const int* skip, long* visited);

// As cond_tree_nearest; box: that of each node.
int cond_clusters_nearest(const CondClusters* clusters, const CondFloatBox* box,
                          const double point[3], CondTreeDistance measure, void* user,
                          double* distance);

// Primitives near a group of boxes; the memory is reused from group to group.
typedef struct CondNear {
    CondArena arena;
    CondTreeHits hit; // scratch: clusters
    int n;
    int* primitive; // in the order of `item`                                 (n)
    double* box;    // theirs                                                 (n x 6)
    float* wide;    // widened to floats: low x y z, high x y z, four side by side (n / 4 x 6 x 4)
} CondNear;

void cond_near_begin(const CondContext* context, CondNear* near);
void cond_near_end(CondNear* near);
// A query in two steps, for many boxes near each other: cond_near_find finds the primitives that
// overlap a box around all of them, cond_near_query those of them that overlap one box. The results
// are those of cond_clusters_query, in the same order.
CondStatus cond_near_find(const CondClusters* clusters, const double* x, const double box[6],
                          CondNear* near);
CondStatus cond_near_query(const CondNear* near, const double box[6], CondTreeHits* hits);

#endif
