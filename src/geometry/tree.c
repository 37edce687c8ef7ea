// A bounding-volume tree over axis-aligned boxes: built once, refitted when the boxes move.
#include "geometry/tree.h"
#include "base/tuning.h"

#include "base/memory.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// A tree of int many primitives is at most 31 levels deep. A walk over pairs of nodes goes down
// one level of one tree at a time and leaves at most two pairs behind on each.
enum { LEVELS = 32, STACK = 4 * LEVELS + 4 };

void cond_tree_begin(const CondContext* context, CondTree* tree)
{
    *tree = (CondTree){.node = NULL};
    cond_arena_begin(context, &tree->arena);
}

void cond_tree_end(CondTree* tree)
{
    cond_arena_release(&tree->arena);
    *tree = (CondTree){.arena = tree->arena};
}

void cond_tree_hits_begin(const CondContext* context, CondTreeHits* hits)
{
    *hits = (CondTreeHits){.context = cond_context_or_default(context)};
}

void cond_tree_hits_end(CondTreeHits* hits)
{
    cond_release(&hits->context, hits->primitive);
    *hits = (CondTreeHits){.context = hits->context};
}

void cond_tree_pairs_begin(const CondContext* context, CondTreePairs* pairs)
{
    *pairs = (CondTreePairs){.context = cond_context_or_default(context)};
}

void cond_tree_pairs_end(CondTreePairs* pairs)
{
    cond_release(&pairs->context, pairs->pair);
    *pairs = (CondTreePairs){.context = pairs->context};
}

static int is_leaf(const CondTree* tree, int i)
{
    return tree->node[i].primitive >= 0;
}

static int right_child(const CondTree* tree, int i)
{
    return tree->node[i + 1].next;
}

// Total order of primitives along an axis, so that equal centres split the same way everywhere.
static int centre_before(const CondTree* tree, int axis, int a, int b)
{
    double x = tree->centre[3 * (size_t)a + axis], y = tree->centre[3 * (size_t)b + axis];
    return x < y || (x == y && a < b);
}

// Reorders order[begin .. end) so that the one at `middle` is in its sorted place and none before
// it comes after it. Quickselect with the median of three as pivot.
static void select_middle(CondTree* tree, int axis, int begin, int end, int middle)
{
    int* order = tree->order;
    while (end - begin > 1) {
        int a = order[begin], b = order[begin + (end - begin) / 2], c = order[end - 1], pivot;
        if (centre_before(tree, axis, b, a) != centre_before(tree, axis, c, a))
            pivot = a;
        else
            pivot = centre_before(tree, axis, a, b) != centre_before(tree, axis, c, b) ? b : c;
        int i = begin, j = end - 1;
        while (i <= j) {
            while (centre_before(tree, axis, order[i], pivot))
                i++;
            while (centre_before(tree, axis, pivot, order[j]))
                j--;
            if (i <= j) {
                int swap = order[i];
                order[i++] = order[j];
                order[j--] = swap;
            }
        }
        // Now order[begin .. j] <= pivot <= order[i .. end), and what is between equals the pivot.
        if (middle <= j)
            end = j + 1;
        else if (middle >= i)
            begin = i;
        else
            return;
    }
}

// The axis along which the centres of order[begin .. end) spread most.
static int widest_axis(const CondTree* tree, int begin, int end)
{
    double low[3], high[3];
    for (int i = 0; i < 3; i++)
        low[i] = high[i] = tree->centre[3 * (size_t)tree->order[begin] + i];
    for (int k = begin + 1; k < end; k++) {
        for (int i = 0; i < 3; i++) {
            double x = tree->centre[3 * (size_t)tree->order[k] + i];
            low[i] = fmin(low[i], x);
            high[i] = fmax(high[i], x);
        }
    }
    int axis = 0;
    for (int i = 1; i < 3; i++)
        axis = high[i] - low[i] > high[axis] - low[axis] ? i : axis;
    return axis;
}

// Orders order[begin .. end) as a tree with single leaves would.
static void order_cluster(CondTree* tree, int begin, int end)
{
    if (end - begin < 2)
        return;
    int middle = begin + (end - begin) / 2;
    select_middle(tree, widest_axis(tree, begin, end), begin, end, middle);
    order_cluster(tree, begin, middle);
    order_cluster(tree, middle, end);
}

// Makes the subtree of order[begin .. end) at node i, with leaves of up to `size` primitives; as
// deep a recursion as the tree. Leaves are numbered on from tree->n; first[k], where there is one,
// becomes the place of the first primitive of leaf k. Returns the node behind the subtree.
static int build_subtree(CondTree* tree, int size, int i, int begin, int end, int* first)
{
    CondTreeNode* node = &tree->node[i];
    if (end - begin <= size) {
        order_cluster(tree, begin, end);
        node->primitive = tree->n++;
        if (first)
            first[node->primitive] = begin;
        return node->next = i + 1;
    }
    int middle = begin + (end - begin) / 2;
    node->primitive = -1;
    select_middle(tree, widest_axis(tree, begin, end), begin, end, middle);
    int right = build_subtree(tree, size, i + 1, begin, middle, first);
    return node->next = build_subtree(tree, size, right, middle, end, first);
}

// The nodes of a tree with leaves of up to `size` primitives, whose boxes are left out.
static CondStatus build_nodes(CondTree* tree, int size, int n, const double* box, int* first)
{
    tree->n = 0;
    if (n < 0 || n > (1 << 29) || size < 1)
        return COND_BAD_ARGUMENT;
    if (n == 0)
        return COND_OK;
    // What is split has more than `size` primitives, so a leaf has half of that at least.
    int least = (size + 1) / 2, leaves = n < least ? 1 : n / least;
    if (COND_RESERVE(&tree->arena, tree->node, 2 * leaves - 1) ||
        COND_RESERVE(&tree->arena, tree->order, n) ||
        cond_arena_reserve(&tree->arena, &tree->centre, n, 3 * sizeof(double)))
        return COND_OUT_OF_MEMORY;
    for (int k = 0; k < n; k++) {
        tree->order[k] = k;
        for (int i = 0; i < 3; i++) {
            double x = 0.5 * box[6 * (size_t)k + i] + 0.5 * box[6 * (size_t)k + 3 + i];
            tree->centre[3 * (size_t)k + i] = isfinite(x) ? x : 0.0; // boxes without end
        }
    }
    build_subtree(tree, size, 0, 0, n, first);
    return COND_OK;
}

CondStatus cond_tree_build(CondTree* tree, int n, const double* box)
{
    CondStatus status = build_nodes(tree, 1, n, box, NULL);
    for (int i = 0; i < 2 * tree->n - 1 && !status; i++)
        if (is_leaf(tree, i))
            tree->node[i].primitive = tree->order[tree->node[i].primitive];
    if (!status)
        cond_tree_refit(tree, box);
    return status;
}

CondStatus cond_tree_build_as(CondTree* tree, const CondTree* like, const double* box)
{
    int n_node = like->n > 0 ? 2 * like->n - 1 : 0;
    if (COND_RESERVE(&tree->arena, tree->node, n_node))
        return COND_OUT_OF_MEMORY;
    tree->n = like->n;
    for (int i = 0; i < n_node; i++)
        tree->node[i] = like->node[i];
    cond_tree_refit(tree, box);
    return COND_OK;
}

CondStatus cond_tree_build_clusters(CondTree* tree, int size, int n, const double* box, int* item,
                                    int* first)
{
    CondStatus status = build_nodes(tree, size, n, box, first);
    if (status)
        return status;
    first[tree->n] = n;
    if (n > 0)
        memcpy(item, tree->order, (size_t)n * sizeof *item);
    cond_tree_trim(tree);
    return COND_OK;
}

// The box of node i from those of its children, which lie behind it.
static void join_children(CondTree* tree, int i)
{
    const double *a = tree->node[i + 1].box, *b = tree->node[right_child(tree, i)].box;
    double* box = tree->node[i].box;
    for (int k = 0; k < 3; k++) {
        box[k] = a[k] < b[k] ? a[k] : b[k];
        box[3 + k] = a[3 + k] > b[3 + k] ? a[3 + k] : b[3 + k];
    }
}

void cond_tree_refit(CondTree* tree, const double* box)
{
    for (int i = 2 * tree->n - 2; i >= 0; i--) {
        CondTreeNode* node = &tree->node[i];
        if (is_leaf(tree, i))
            memcpy(node->box, box + 6 * (size_t)node->primitive, sizeof node->box);
        else
            join_children(tree, i);
    }
}

void cond_tree_trim(CondTree* tree)
{
    cond_arena_drop(&tree->arena, tree->order);
    cond_arena_drop(&tree->arena, tree->centre);
    tree->order = NULL;
    tree->centre = NULL;
}

static CondStatus reserve_hits(CondTreeHits* hits, int n)
{
    return cond_reserve(&hits->context, &hits->primitive, &hits->cap, n, sizeof *hits->primitive);
}

CondStatus cond_tree_query(const CondTree* tree, const double box[6], CondTreeHits* hits)
{
    hits->n = 0;
    for (int i = 0; i < 2 * tree->n - 1;) {
        const CondTreeNode* node = &tree->node[i];
        hits->visited++;
        if (!cond_tree_overlap(node->box, box)) {
            i = node->next;
            continue;
        }
        if (node->primitive >= 0) {
            if (hits->n == hits->cap && reserve_hits(hits, hits->n + 1))
                return COND_OUT_OF_MEMORY;
            hits->primitive[hits->n++] = node->primitive;
        }
        i++;
    }
    return COND_OK;
}

CondStatus cond_tree_pairs_add(CondTreePairs* pairs, int a, int b)
{
    if (cond_reserve(&pairs->context, &pairs->pair, &pairs->cap, pairs->n + 1, sizeof *pairs->pair))
        return COND_OUT_OF_MEMORY;
    pairs->pair[pairs->n][0] = a;
    pairs->pair[pairs->n++][1] = b;
    return COND_OK;
}

// What is to be looked at in place of nodes i of a and j of b; returns how many pairs these are, at
// most three. *meet: 1 where they are two leaves that overlap. For a == b and i == j every
// unordered pair is met once: a node against itself becomes left-left, right-right and left-right.
static inline __attribute__((always_inline)) int open_pair(const CondTree* a, const CondTree* b,
                                                           int i, int j, int next[3][2], int* meet)
{
    const CondTreeNode *x = &a->node[i], *y = &b->node[j];
    *meet = 0;
    if (a == b && i == j) {
        if (is_leaf(a, i))
            return 0;
        int left = i + 1, right = right_child(a, i);
        next[0][0] = next[2][0] = next[2][1] = left;
        next[0][1] = next[1][0] = next[1][1] = right;
        return 3;
    }
    if (!cond_tree_overlap(x->box, y->box))
        return 0;
    int leaf_x = is_leaf(a, i), leaf_y = is_leaf(b, j);
    *meet = leaf_x && leaf_y;
    if (*meet)
        return 0;
    // The larger subtree is opened, so that both shrink together.
    int open_x = !leaf_x && (leaf_y || x->next - i >= y->next - j), n = 0;
    for (int side = 1; side >= 0; side--) {
        next[n][0] = !open_x ? i : side ? right_child(a, i) : i + 1;
        next[n++][1] = open_x ? j : side ? right_child(b, j) : j + 1;
    }
    return n;
}

// All overlapping pairs below node i of a and node j of b.
static CondStatus walk_pairs(const CondTree* a, const CondTree* b, int i, int j,
                             CondTreePairs* pairs)
{
    int stack[STACK][2] = {{i, j}}, top = 1, meet;
    while (top > 0) {
        int x = stack[--top][0], y = stack[top][1];
        pairs->visited++;
        top += open_pair(a, b, x, y, &stack[top], &meet);
        if (!meet)
            continue;
        int one = a->node[x].primitive, other = b->node[y].primitive;
        int swap = a == b && one > other;
        if (cond_tree_pairs_add(pairs, swap ? other : one, swap ? one : other))
            return COND_OUT_OF_MEMORY;
    }
    return COND_OK;
}

// Opens pair k; returns 0 where it is two leaves that overlap. The others keep their places, but
// that the last one takes that of one which has nothing to look at.
static int open_start(const CondTree* tree, int start[COND_TREE_STARTS][2], int k, int* n)
{
    int next[3][2], meet;
    int count = open_pair(tree, tree, start[k][0], start[k][1], next, &meet);
    if (meet)
        return 0;
    for (int c = 1; c < count; c++)
        memcpy(start[(*n)++], next[c], sizeof next[c]);
    if (count == 0)
        memcpy(next[0], start[--*n], sizeof next[0]);
    memcpy(start[k], next[0], sizeof next[0]);
    return 1;
}

int cond_tree_self_starts(const CondTree* tree, int start[COND_TREE_STARTS][2], long* visited)
{
    int n = tree->n > 0, opened = n;
    start[0][0] = start[0][1] = 0;
    while (opened) {
        opened = 0;
        for (int k = 0; k < n && n + 2 <= COND_TREE_STARTS;) {
            int before = n, is_opened = open_start(tree, start, k, &n);
            *visited += is_opened;
            opened |= is_opened;
            k += n >= before;
        }
    }
    return n;
}

CondStatus cond_tree_self_pairs_from(const CondTree* tree, const int start[2], CondTreePairs* pairs)
{
    return walk_pairs(tree, tree, start[0], start[1], pairs);
}

CondStatus cond_tree_self_pairs(const CondTree* tree, CondTreePairs* pairs)
{
    return cond_tree_pairs(tree, tree, pairs);
}

CondStatus cond_tree_pairs(const CondTree* a, const CondTree* b, CondTreePairs* pairs)
{
    pairs->n = 0;
    return a->n > 0 && b->n > 0 ? walk_pairs(a, b, 0, 0, pairs) : COND_OK;
}

static double box_distance(const double box[6], const double p[3])
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        double low = box[i] - p[i], high = p[i] - box[3 + i], d = low > high ? low : high;
        sum += d > 0.0 ? d * d : 0.0;
    }
    return sqrt(sum);
}

int cond_tree_nearest(const CondTree* tree, const double point[3], CondTreeDistance measure,
                      void* user, double* distance)
{
    // Rounding may put a box a little farther away than what it holds.
    const double slack = 1.0 - COND_ROUNDING;
    int stack[LEVELS + 2], top = 0, best = -1;
    if (tree->n > 0)
        stack[top++] = 0;
    while (top > 0) {
        int i = stack[--top];
        if (slack * box_distance(tree->node[i].box, point) > *distance)
            continue;
        if (is_leaf(tree, i)) {
            int primitive = tree->node[i].primitive;
            double found = measure(user, primitive);
            if (found < *distance || (found == *distance && (best < 0 || primitive < best))) {
                *distance = found;
                best = found < INFINITY ? primitive : best;
            }
            continue;
        }
        int left = i + 1, right = right_child(tree, i);
        int right_first =
            box_distance(tree->node[right].box, point) < box_distance(tree->node[left].box, point);
        stack[top++] = right_first ? left : right; // the nearer child is looked at first
        stack[top++] = right_first ? right : left;
    }
    return best;
}
