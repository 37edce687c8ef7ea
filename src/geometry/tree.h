// A bounding-volume tree over axis-aligned boxes: built once, refitted when the boxes move.
// A box is low[3], high[3]; boxes that only touch overlap.
#ifndef COND_GEOMETRY_TREE_H
#define COND_GEOMETRY_TREE_H

#include "base/arena.h"
#include "cond/status.h"

// Nodes lie in depth-first order: the left child of node i is i + 1, the right child follows the
// subtree of the left one. A traversal needs no stack: it continues at i + 1 or skips to `next`.
typedef struct CondTreeNode {
    double box[6];
    int next;      // first node behind this subtree; i + 1 for a leaf
    int primitive; // of a leaf; -1 inside
} CondTreeNode;

typedef struct CondTree {
    CondArena arena;
    int n;              // primitives
    CondTreeNode* node; //                                                    (2 n - 1)
    int* order;         // scratch of the build                                   (n)
    double* centre;     // scratch of the build                                   (n x 3)
} CondTree;

// Growing lists of query results, which the caller reuses from query to query.
typedef struct CondTreeHits {
    CondContext context;
    int n;
    int* primitive; // in tree order: fixed by the build, not by the boxes    (n)
    int cap;
    long visited; // nodes visited so far, for measurements
} CondTreeHits;

typedef struct CondTreePairs {
    CondContext context;
    int n;
    int (*pair)[2]; // (n x 2)
    int cap;
    long visited; // pairs of nodes visited so far
} CondTreePairs;

static inline int cond_tree_overlap(const double a[6], const double b[6])
{
    // No short-circuit: a mispredicted branch costs more than the other five comparisons.
    return (a[0] <= b[3]) & (b[0] <= a[3]) & (a[1] <= b[4]) & (b[1] <= a[4]) & (a[2] <= b[5]) &
           (b[2] <= a[5]);
}

// Empty objects; they allocate when used. The context may be NULL.
void cond_tree_begin(const CondContext* context, CondTree* tree);
void cond_tree_end(CondTree* tree);
void cond_tree_hits_begin(const CondContext* context, CondTreeHits* hits);
void cond_tree_hits_end(CondTreeHits* hits);
void cond_tree_pairs_begin(const CondContext* context, CondTreePairs* pairs);
void cond_tree_pairs_end(CondTreePairs* pairs);
CondStatus cond_tree_pairs_add(CondTreePairs* pairs, int a, int b);

// Splits at the median of the centres along their widest axis, so the depth is ceil(log2 n). O(n
// log n); may be called again.                                               box (n x 6)
CondStatus cond_tree_build(CondTree* tree, int n, const double* box);
// The same with the splits of another tree of the same primitives at other positions; O(n).
//                                                                                 box (n x 6)
CondStatus cond_tree_build_as(CondTree* tree, const CondTree* like, const double* box);
// New boxes for the same primitives; O(n), no allocation.                     box (n x 6)
void cond_tree_refit(CondTree* tree, const double* box);

// The same with clusters of up to `size` neighbouring primitives as leaves. The `primitive` of a
// leaf is then the index of its cluster, tree->n is the number of clusters, and cluster k has the
// primitives item[first[k]] .. item[first[k + 1] - 1]. The boxes of the nodes are not set.
//                                                       item (n primitives), first (one more)
CondStatus cond_tree_build_clusters(CondTree* tree, int size, int n, const double* box, int* item,
                                    int* first);
// Releases the scratch of the build.
void cond_tree_trim(CondTree* tree);

// All primitives whose box overlaps `box`; replaces the list.
CondStatus cond_tree_query(const CondTree* tree, const double box[6], CondTreeHits* hits);
// All pairs i < j of one tree that overlap; replaces the list.
CondStatus cond_tree_self_pairs(const CondTree* tree, CondTreePairs* pairs);
// The same divided into parts, for threads. cond_tree_self_starts returns the number of start pairs
// of nodes; *visited counts the nodes opened to find them. cond_tree_self_pairs_from appends the
// pairs below one start; each pair is below exactly one.
enum { COND_TREE_STARTS = 96 };
int cond_tree_self_starts(const CondTree* tree, int start[COND_TREE_STARTS][2], long* visited);
CondStatus cond_tree_self_pairs_from(const CondTree* tree, const int start[2],
                                     CondTreePairs* pairs);
// All pairs (i of a, j of b) that overlap; replaces the list.
CondStatus cond_tree_pairs(const CondTree* a, const CondTree* b, CondTreePairs* pairs);

// The distance to a primitive, at least that to its box; INFINITY excludes the primitive.
typedef double (*CondTreeDistance)(void* user, int primitive);
// The primitive of the smallest distance to a point; among equals the lowest index. -1, with
// *distance unchanged, if none has a distance of at most *distance.
int cond_tree_nearest(const CondTree* tree, const double point[3], CondTreeDistance measure,
                      void* user, double* distance);

#endif
