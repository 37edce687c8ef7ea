// A bounding-volume tree over axis-aligned boxes: built once, refitted when the boxes move.
// A box is low[3], high[3]; boxes that only touch overlap.
#ifndef COND_COLLIDE_TREE_H
#define COND_COLLIDE_TREE_H

#include "cond/context.h"
#include "cond/status.h"

// Nodes lie in depth-first order: the left child of node i is i + 1, the right child is the node
// where the left one's subtree ends. A walk needs no stack: it goes to i + 1 or skips to `next`.
typedef struct CondTreeNode {
    double box[6];
    int next;      // first node behind this subtree; i + 1 for a leaf
    int primitive; // of a leaf; -1 inside
} CondTreeNode;

typedef struct CondTree {
    CondContext context;
    int n;              // primitives
    CondTreeNode* node; //                                                    (2 n - 1)
    int cap_node;
    int* order;     // scratch of the build                                   (n)
    int cap_order;  //
    double* centre; // scratch of the build                                   (n x 3)
    int cap_centre;
} CondTree;

// Growing lists of what a query found, kept by the caller from query to query.
typedef struct CondTreeHits {
    CondContext context;
    int n;
    int* primitive; // in tree order: fixed by the build, not by the boxes    (n)
    int cap;
    long visited; // nodes looked at; counts on, for measuring
} CondTreeHits;

// Leaves near a group of boxes, with their boxes widened to floats: low x y z, high x y z, four
// leaves side by side.
typedef struct CondTreeNear {
    const CondTree* tree;
    CondTreeHits leaf; // numbers of nodes
    float* box;        //                                                     (n / 4 x 6 x 4)
    int cap_box;
} CondTreeNear;

typedef struct CondTreePairs {
    CondContext context;
    int n;
    int (*pair)[2]; // (n x 2)
    int cap;
    long visited; // pairs of nodes looked at; counts on
} CondTreePairs;

// Empty objects; they allocate when used. The context may be NULL.
void cond_tree_begin(const CondContext* context, CondTree* tree);
void cond_tree_end(CondTree* tree);
void cond_tree_hits_begin(const CondContext* context, CondTreeHits* hits);
void cond_tree_hits_end(CondTreeHits* hits);
void cond_tree_near_begin(const CondContext* context, CondTreeNear* near);
void cond_tree_near_end(CondTreeNear* near);
void cond_tree_pairs_begin(const CondContext* context, CondTreePairs* pairs);
void cond_tree_pairs_end(CondTreePairs* pairs);

// Splits at the median of the centres along their widest axis, so the depth is ceil(log2 n). O(n
// log n); may be called again.                                               box (n x 6)
CondStatus cond_tree_build(CondTree* tree, int n, const double* box);
// New boxes for the same primitives; O(n), no allocation.                     box (n x 6)
void cond_tree_refit(CondTree* tree, const double* box);

// The same for boxes around corners: primitive k has the points x[corner[width k]] ... as many as
// `width`. No box is kept but those of the tree.                        corner (n x width)
void cond_tree_refit_corners(CondTree* tree, int width, const int* corner, const double* x);
// Releases the scratch of the build.
void cond_tree_trim(CondTree* tree);

// All primitives whose box overlaps `box`; replaces the list.
CondStatus cond_tree_query(const CondTree* tree, const double box[6], CondTreeHits* hits);
// The same in two steps, for many boxes near to each other: what overlaps one box that holds them
// all, and what of that overlaps one of them. Together they find what a query does, in its order.
CondStatus cond_tree_near_find(const CondTree* tree, const double box[6], CondTreeNear* near);
CondStatus cond_tree_near_query(const CondTreeNear* near, const double box[6], CondTreeHits* hits);
// All pairs i < j of one tree that overlap; replaces the list.
CondStatus cond_tree_self_pairs(const CondTree* tree, CondTreePairs* pairs);
// All pairs (i of a, j of b) that overlap; replaces the list.
CondStatus cond_tree_pairs(const CondTree* a, const CondTree* b, CondTreePairs* pairs);

// A distance to a primitive, at least that to its box; INFINITY leaves the primitive out.
typedef double (*CondTreeDistance)(void* user, int primitive);
// The primitive of the smallest distance to a point, the lowest index among equals; -1 where none
// is nearer than or as near as *distance, which then is left as it is.
int cond_tree_nearest(const CondTree* tree, const double point[3], CondTreeDistance measure,
                      void* user, double* distance);

#endif
