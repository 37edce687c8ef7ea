// Open edges of a surface: their nodes are joined where they lie at one place and put into the edge
// where they lie on it. Triangles are turned to run as their neighbours do.
#include "base/disjoint.h"
#include "base/memory.h"
#include "base/tuning.h"
#include "math/vec3.h"
#include "mesh/mesh_mend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A node of an open edge, by its place along a direction in which no two nodes of a real file
// agree.
typedef struct OpenNode {
    double at; // [m]
    int node;
} OpenNode;

typedef struct OpenEdges {
    OpenNode* node; // rising                                                  (n)
    int n;
    int n_edge;
} OpenEdges;

static double along(const double x[3])
{
    static const double direction[3] = {0.537784, 0.618034, 0.573463};
    return vec3_dot(direction, x);
}

static int compare(const void* left, const void* right)
{
    const OpenNode *a = left, *b = right;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

static CondStatus find_open(const CondMending* mending, OpenEdges* open)
{
    const CondMesh* mesh = mending->mesh;
    int n = 3 * mesh->n_triangle, *seen;
    *open = (OpenEdges){NULL, 0, 0};
    seen = cond_allocate(&mesh->context, (size_t)mesh->n_node, sizeof *seen);
    open->node = cond_allocate(&mesh->context, (size_t)mesh->n_node, sizeof *open->node);
    CondStatus status = seen && open->node ? COND_OK : COND_OUT_OF_MEMORY;
    for (int i = 0, same; i < n && !status; i += same) {
        same = cond_mending_same(mending, i);
        open->n_edge += same == 1;
        for (int s = 0; s < 2 && same == 1; s++) {
            int v = mending->key[i].node[s];
            if (!seen[v])
                open->node[open->n++] = (OpenNode){along(cond_mending_place(mending, v)), v};
            seen[v] = 1;
        }
    }
    if (!status)
        qsort(open->node, (size_t)open->n, sizeof *open->node, compare);
    cond_release(&mesh->context, seen);
    return status;
}

CondStatus cond_mending_weld(CondMending* mending)
{
    OpenEdges open;
    CondStatus status = find_open(mending, &open);
    for (int i = 0; i < open.n && !status; i++) {
        const double* x = cond_mending_place(mending, open.node[i].node);
        for (int k = i + 1; k < open.n && open.node[k].at - open.node[i].at <= mending->reach;
             k++) {
            const double* y = cond_mending_place(mending, open.node[k].node);
            const double d[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
            if (vec3_norm(d) <= mending->reach)
                cond_disjoint_join(mending->of, open.node[i].node, open.node[k].node);
        }
    }
    cond_release(&mending->mesh->context, open.node);
    return status;
}

// The open nodes on the edge a b other than a, b and c, in order from a: at[] is the place on the
// edge. Returns how many.
static int nodes_on_edge(const CondMending* mending, const OpenEdges* open, const int corner[3],
                         OpenNode* found)
{
    const double *a = cond_mending_place(mending, corner[0]),
                 *b = cond_mending_place(mending, corner[1]);
    double reach = mending->reach, low = fmin(along(a), along(b)) - reach,
           high = fmax(along(a), along(b)) + reach;
    int first = 0, last = open->n, n = 0;
    while (first < last) {
        int middle = first + (last - first) / 2;
        if (open->node[middle].at < low)
            first = middle + 1;
        else
            last = middle;
    }
    for (int k = first; k < open->n && open->node[k].at <= high; k++) {
        int v = open->node[k].node;
        double at, off = cond_mending_off_line(a, b, cond_mending_place(mending, v), &at);
        if (off <= reach && at > 0.0 && at < 1.0 && v != corner[0] && v != corner[1] &&
            v != corner[2])
            found[n++] = (OpenNode){at, v};
    }
    qsort(found, (size_t)n, sizeof *found, compare);
    return n;
}

// The triangle a b c with p, q, .. on a b becomes a p c, p q c, .. at the place of the first and
// behind the others.
static CondStatus fan(CondMending* mending, int t, const int corner[3], const OpenNode* found,
                      int n, int* capacity)
{
    CondMesh* mesh = mending->mesh;
    CondStatus status = cond_reserve(&mesh->context, &mesh->triangle, capacity,
                                     3 * (mesh->n_triangle + n), sizeof *mesh->triangle);
    for (int i = 0; i <= n && !status; i++) {
        const int made[3] = {i > 0 ? found[i - 1].node : corner[0],
                             i < n ? found[i].node : corner[1], corner[2]};
        int at = i == 0 ? t : mesh->n_triangle++;
        memcpy(mesh->triangle + 3 * (size_t)at, made, sizeof made);
    }
    return status;
}

CondStatus cond_mending_split(CondMending* mending)
{
    CondMesh* mesh = mending->mesh;
    int n_key = 3 * mesh->n_triangle, capacity = n_key;
    OpenEdges open;
    CondStatus status = find_open(mending, &open);
    OpenNode* found = status ? NULL : cond_allocate(&mesh->context, (size_t)open.n, sizeof *found);
    if (!status && !found)
        status = COND_OUT_OF_MEMORY;
    int many = !status && open.n_edge > COND_ONE_BY_ONE;
    for (int i = 0; i < n_key && !status && !many; i++) {
        int same = (i > 0 && cond_mesh_key_same(&mending->key[i - 1], &mending->key[i])) ||
                   (i + 1 < n_key && cond_mesh_key_same(&mending->key[i], &mending->key[i + 1]));
        int edge = mending->key[i].origin / 2, t = edge / 3;
        if (same || mending->touched[t])
            continue;
        const int corner[3] = {mesh->triangle[edge], mesh->triangle[3 * t + (edge + 1) % 3],
                               mesh->triangle[3 * t + (edge + 2) % 3]};
        int n = nodes_on_edge(mending, &open, corner, found);
        if (n == 0)
            continue;
        mending->touched[t] = mending->changed = 1;
        status = fan(mending, t, corner, found, n, &capacity);
    }
    cond_release(&mesh->context, open.node);
    cond_release(&mesh->context, found);
    return status;
}

// The triangles of one connected part, and whether they run as the first does.
typedef struct Part {
    int* mate;  // edge 3 triangle + corner of the neighbour, -1: none or several   (3 n_triangle)
    int* runs;  // 1: as the first of its part, -1: against it, 0: not known        (n_triangle)
    int* queue; //                                                                  (n_triangle)
} Part;

static void find_mates(const CondMending* mending, int* mate)
{
    int n = 3 * mending->mesh->n_triangle;
    for (int i = 0, same; i < n; i += same) {
        same = cond_mending_same(mending, i);
        for (int k = i; k < i + same; k++)
            mate[mending->key[k].origin / 2] = -1;
        if (same != 2)
            continue;
        int a = mending->key[i].origin / 2, b = mending->key[i + 1].origin / 2;
        mate[a] = b;
        mate[b] = a;
    }
}

// Goes through the part of a triangle; returns how many it has, *sum of runs, and *one_sided where
// it has no two sides.
static int walk(const CondMesh* mesh, const Part* part, int start, int* sum, int* one_sided)
{
    int n = 1;
    part->queue[0] = start;
    part->runs[start] = 1;
    *sum = 1;
    *one_sided = 0;
    for (int i = 0; i < n; i++) {
        int t = part->queue[i];
        for (int edge = 3 * t; edge < 3 * t + 3; edge++) {
            int other = part->mate[edge];
            if (other < 0)
                continue;
            int runs = part->runs[t] * (mesh->triangle[edge] == mesh->triangle[other] ? -1 : 1);
            if (part->runs[other / 3] == 0) {
                part->runs[other / 3] = runs;
                part->queue[n++] = other / 3;
                *sum += runs;
            }
            *one_sided |= part->runs[other / 3] != runs;
        }
    }
    return n;
}

CondStatus cond_mending_turn(CondMending* mending, int* turned)
{
    CondMesh* mesh = mending->mesh;
    const CondContext* m = &mesh->context;
    size_t n = (size_t)mesh->n_triangle;
    *turned = 0;
    Part part = {cond_allocate(m, 3 * n, sizeof(int)), cond_allocate(m, n, sizeof(int)),
                 cond_allocate(m, n, sizeof(int))};
    CondStatus status = part.mate && part.runs && part.queue ? COND_OK : COND_OUT_OF_MEMORY;
    if (!status)
        find_mates(mending, part.mate);
    for (int t = 0; t < mesh->n_triangle && !status; t++) {
        int sum, one_sided;
        if (part.runs[t])
            continue;
        int count = walk(mesh, &part, t, &sum, &one_sided);
        for (int i = 0; i < count && !one_sided; i++) {
            int* corner = mesh->triangle + 3 * (size_t)part.queue[i];
            if (part.runs[part.queue[i]] != (sum < 0 ? 1 : -1))
                continue;
            int second = corner[1];
            corner[1] = corner[2];
            corner[2] = second;
            *turned = 1;
        }
    }
    cond_release(m, part.mate);
    cond_release(m, part.runs);
    cond_release(m, part.queue);
    return status;
}
