// Triangles without area and triangles given twice leave a surface, and their neighbours close up.
#include "mesh/mesh_mend.h"
#include "base/tuning.h"

#include "base/disjoint.h"
#include "base/error.h"
#include "base/memory.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

double cond_mending_off_line(const double a[3], const double b[3], const double x[3], double* at)
{
    double along[3], to[3], off[3];
    for (int i = 0; i < 3; i++) {
        along[i] = b[i] - a[i];
        to[i] = x[i] - a[i];
    }
    double square = vec3_dot(along, along);
    *at = square > 0.0 ? vec3_dot(along, to) / square : 0.0;
    for (int i = 0; i < 3; i++)
        off[i] = to[i] - *at * along[i];
    return vec3_norm(off);
}

static double edge_length(const CondMending* mending, int a, int b)
{
    const double *p = cond_mending_place(mending, a), *q = cond_mending_place(mending, b);
    const double d[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
    return vec3_norm(d);
}

int cond_mending_same(const CondMending* mending, int i)
{
    int n = 1;
    while (i + n < 3 * mending->mesh->n_triangle &&
           cond_mesh_key_same(&mending->key[i], &mending->key[i + n]))
        n++;
    return n;
}

static CondStatus sort_edges(CondMending* mending)
{
    const CondMesh* mesh = mending->mesh;
    const CondContext* m = &mesh->context;
    int n = 3 * mesh->n_triangle;
    cond_release(m, mending->key);
    cond_release(m, mending->touched);
    mending->key = cond_allocate(m, (size_t)n, sizeof *mending->key);
    mending->touched = cond_allocate(m, (size_t)mesh->n_triangle, sizeof *mending->touched);
    if (!mending->key || !mending->touched)
        return COND_OUT_OF_MEMORY;
    for (int k = 0; k < n; k++) {
        int a = mesh->triangle[k], b = mesh->triangle[k - k % 3 + (k + 1) % 3];
        mending->key[k] = (CondMeshKey){{a < b ? a : b, a < b ? b : a, 0}, 2 * k + (a > b)};
    }
    cond_mesh_key_sort(mending->key, n);
    return COND_OK;
}

// Where the keys of the edge a b begin.
static int find_edge(const CondMending* mending, int a, int b)
{
    int low = 0, high = 3 * mending->mesh->n_triangle, first = a < b ? a : b, last = a < b ? b : a;
    while (low < high) {
        int middle = low + (high - low) / 2;
        const int* node = mending->key[middle].node;
        if (node[0] < first || (node[0] == first && node[1] < last))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Ends of edges without length become one node.
static void join_short_edges(CondMending* mending)
{
    const CondMesh* mesh = mending->mesh;
    for (int k = 0; k < 3 * mesh->n_triangle; k++) {
        int a = mesh->triangle[k], b = mesh->triangle[k - k % 3 + (k + 1) % 3];
        if (a != b && edge_length(mending, a, b) <= mending->reach)
            cond_disjoint_join(mending->of, a, b);
    }
}

// Gives the triangles the nodes that stand for theirs; a triangle with two equal ones goes.
static void drop_joined(CondMending* mending)
{
    CondMesh* mesh = mending->mesh;
    int n = 0;
    for (int t = 0; t < mesh->n_triangle; t++) {
        int *to = mesh->triangle + 3 * (size_t)n, corner[3];
        for (int k = 0; k < 3; k++) {
            corner[k] = cond_disjoint_find(mending->of, mesh->triangle[3 * (size_t)t + (size_t)k]);
            mending->changed |= corner[k] != mesh->triangle[3 * (size_t)t + (size_t)k];
        }
        if (corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0]) {
            mending->changed = 1;
            continue;
        }
        memcpy(to, corner, sizeof corner);
        n++;
    }
    mesh->n_triangle = n;
}

// The nodes in rising order; returns 1 where the triangle runs against it.
static int rising(const int* corner, int node[3])
{
    int first =
        corner[0] < corner[1] ? (corner[0] < corner[2] ? 0 : 2) : (corner[1] < corner[2] ? 1 : 2);
    int b = corner[(first + 1) % 3], c = corner[(first + 2) % 3];
    node[0] = corner[first];
    node[1] = b < c ? b : c;
    node[2] = b < c ? c : b;
    return b > c;
}

// Of triangles with the same three nodes one stays; as many the one way round as the other enclose
// nothing, and none stays.
static CondStatus drop_doubled(CondMending* mending)
{
    CondMesh* mesh = mending->mesh;
    int n = mesh->n_triangle, kept = 0;
    CondMeshKey* key = cond_allocate(&mesh->context, (size_t)n, sizeof *key);
    int* stays = cond_allocate(&mesh->context, (size_t)n, sizeof *stays);
    CondStatus status = key && stays ? COND_OK : COND_OUT_OF_MEMORY;
    for (int t = 0; t < n && !status; t++)
        key[t].origin = 2 * t + rising(mesh->triangle + 3 * (size_t)t, key[t].node);
    if (!status)
        cond_mesh_key_sort(key, n);
    for (int i = 0, next; i < n && !status; i = next) {
        int sum = 0;
        for (next = i; next < n && cond_mesh_key_same(&key[i], &key[next]); next++)
            sum += key[next].origin % 2 ? -1 : 1;
        for (int k = i, found = 0; k < next && sum && !found; k++) {
            found = (key[k].origin % 2 ? -1 : 1) * sum > 0;
            stays[key[k].origin / 2] = found;
        }
    }
    for (int t = 0; t < n && !status; t++)
        if (stays[t])
            memmove(mesh->triangle + 3 * (size_t)kept++, mesh->triangle + 3 * (size_t)t,
                    3 * sizeof *mesh->triangle);
    if (!status) {
        mending->changed |= kept < n;
        mesh->n_triangle = kept;
    }
    cond_release(&mesh->context, key);
    cond_release(&mesh->context, stays);
    return status;
}

// The corner where the longest edge of a triangle begins, -1 where the third node is not on it.
static int flat_edge(const CondMending* mending, const int* corner)
{
    double longest = 0.0, at;
    int k = 0;
    for (int i = 0; i < 3; i++) {
        double length = edge_length(mending, corner[i], corner[(i + 1) % 3]);
        if (length > longest) {
            longest = length;
            k = i;
        }
    }
    double height = cond_mending_off_line(cond_mending_place(mending, corner[k]),
                                          cond_mending_place(mending, corner[(k + 1) % 3]),
                                          cond_mending_place(mending, corner[(k + 2) % 3]), &at);
    return height <= mending->reach ? k : -1;
}

// The triangle a b c, c on its edge a b, and its neighbour b a d become a d c and d b c.
static void flip(CondMending* mending, int t, int k)
{
    int* corner = mending->mesh->triangle + 3 * (size_t)t;
    int a = corner[k], b = corner[(k + 1) % 3], c = corner[(k + 2) % 3];
    int first = find_edge(mending, a, b);
    int n = cond_mending_same(mending, first);
    if (n == 1) { // the edge of the surface is a c b instead
        corner[0] = corner[1] = corner[2];
        mending->touched[t] = mending->changed = 1;
        return;
    }
    const CondMeshKey *one = &mending->key[first], *two = one + 1;
    if (n > 2 || one->origin % 2 == two->origin % 2)
        return;
    int other = (one->origin / 6 == t ? two : one)->origin / 2; // begins at b
    int *beyond = mending->mesh->triangle + 3 * (size_t)(other / 3),
        d = beyond[(other % 3 + 2) % 3];
    if (mending->touched[other / 3] || d == c)
        return;
    const int made[2][3] = {{a, d, c}, {d, b, c}};
    memcpy(corner, made[0], sizeof made[0]);
    memcpy(beyond, made[1], sizeof made[1]);
    mending->touched[t] = mending->touched[other / 3] = mending->changed = 1;
}

static void flip_flat(CondMending* mending)
{
    for (int t = 0; t < mending->mesh->n_triangle; t++) {
        int k =
            mending->touched[t] ? -1 : flat_edge(mending, mending->mesh->triangle + 3 * (size_t)t);
        if (k >= 0)
            flip(mending, t, k);
    }
    if (mending->changed)
        drop_joined(mending);
}

// One change of a kind; what it leaves is looked at in the next round.
static CondStatus mend_round(CondMending* mending)
{
    join_short_edges(mending);
    CondStatus status = cond_mending_weld(mending);
    if (!status) {
        drop_joined(mending);
        status = drop_doubled(mending);
    }
    if (!status && !mending->changed)
        flip_flat(mending);
    if (!status && !mending->changed)
        status = cond_mending_split(mending);
    return status;
}

static CondStatus turn(CondMending* mending)
{
    int turned;
    CondStatus status = cond_mending_turn(mending, &turned);
    return !status && turned ? sort_edges(mending) : status;
}

CondStatus cond_mesh_mend(CondMesh* mesh, CondError* error)
{
    const CondContext* m = &mesh->context;
    CondMending mending = {.mesh = mesh};
    CondStatus status = cond_mesh_check_sound(mesh, error);
    if (status)
        return status;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int k = 0; k < 3 * mesh->n_triangle; k++)
        for (int i = 0; i < 3; i++) {
            double x = cond_mending_place(&mending, mesh->triangle[k])[i];
            low[i] = fmin(low[i], x);
            high[i] = fmax(high[i], x);
        }
    const double extent[3] = {high[0] - low[0], high[1] - low[1], high[2] - low[2]};
    mending.reach = mesh->n_triangle > 0 ? COND_SINGLE_PRECISION * vec3_norm(extent) : 0.0;
    mending.of = cond_allocate(m, (size_t)mesh->n_node, sizeof *mending.of);
    status = mending.of ? sort_edges(&mending) : COND_OUT_OF_MEMORY;
    for (int v = 0; v < mesh->n_node && !status; v++)
        mending.of[v] = v;
    if (!status)
        status = turn(&mending);
    for (int round = 0; round < COND_SEARCH_STEPS && !status; round++) {
        mending.changed = 0;
        status = mend_round(&mending);
        if (status || !mending.changed)
            break;
        status = sort_edges(&mending);
        if (!status)
            status = turn(&mending);
    }
    cond_release(m, mending.of);
    cond_release(m, mending.key);
    cond_release(m, mending.touched);
    return status ? cond_error_set(error, status, "no memory to mend a mesh") : COND_OK;
}
