// Triangles and colours of robot links, coarsened where there are too many (visual.h).
#include "record/visual.h"

#include "base/hash.h"
#include "base/memory.h"
#include "cond/snapshot.h"
#include "mesh_file/mesh_coloured.h"
#include "scene/shape_kind.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

// Triangles of a robot, and the least and the most of one mesh. Every point is written in every
// frame.
enum { MOST_OF_ALL = 24000, LEAST = 400, MOST = 4000 };

static int pack_colour(const float colour[4])
{
    int packed = 0;
    if (colour[0] < 0.0f)
        return COND_COLOUR_NONE;
    for (int k = 0; k < 3; k++)
        packed = packed << 8 | (int)lrint(255.0 * (double)colour[k]);
    return packed;
}

// Points of a mesh by the cell of a grid that they are in.
typedef struct Clusters {
    uint64_t* key; // cell + 1 by hash, 0 where empty                     (n_slot)
    int* at;       // the cluster there                                   (n_slot)
    size_t n_slot; // a power of two
    int* of;       // cluster of each node                                (n_node)
    double* sum;   // of the places of its nodes                          (n_cluster x 3)
    int* count;    //                                                     (n_cluster)
    int n_cluster;
} Clusters;

static CondStatus clusters_create(CondArena* arena, int n_node, Clusters* c)
{
    size_t n = (size_t)n_node;
    c->n_slot = 16;
    while (c->n_slot < 2 * n)
        c->n_slot *= 2;
    c->key = cond_arena_allocate(arena, c->n_slot, sizeof *c->key);
    c->at = cond_arena_allocate(arena, c->n_slot, sizeof *c->at);
    c->of = cond_arena_allocate(arena, n, sizeof *c->of);
    c->sum = cond_arena_allocate(arena, 3 * n, sizeof *c->sum);
    c->count = cond_arena_allocate(arena, n, sizeof *c->count);
    return c->key && c->at && c->of && c->sum && c->count ? COND_OK : COND_OUT_OF_MEMORY;
}

// Puts every node into its cell of a grid with `resolution` cells along the longest side.
static void cluster(const CondColouredMesh* mesh, const double low[3], double size,
                    double resolution, Clusters* c)
{
    memset(c->key, 0, c->n_slot * sizeof *c->key);
    c->n_cluster = 0;
    for (int i = 0; i < mesh->n_node; i++) {
        const double* p = mesh->node + 3 * (size_t)i;
        uint64_t key = 0;
        for (int k = 0; k < 3; k++)
            key = key << 21 | (uint64_t)(resolution * (p[k] - low[k]) / size);
        key++;
        size_t slot = (size_t)(key * 0x9e3779b97f4a7c15u >> 20) & (c->n_slot - 1);
        while (c->key[slot] && c->key[slot] != key)
            slot = (slot + 1) & (c->n_slot - 1);
        if (!c->key[slot]) {
            c->key[slot] = key;
            c->at[slot] = c->n_cluster;
            memset(c->sum + 3 * (size_t)c->n_cluster, 0, 3 * sizeof *c->sum);
            c->count[c->n_cluster++] = 0;
        }
        c->of[i] = c->at[slot];
        c->count[c->of[i]]++;
        for (int k = 0; k < 3; k++)
            c->sum[3 * (size_t)c->of[i] + (size_t)k] += p[k];
    }
}

// Triangles whose corners stay apart.
static int count_triangles(const CondColouredMesh* mesh, const Clusters* c)
{
    int n = 0;
    for (int t = 0; t < mesh->n_triangle; t++) {
        const int* corner = mesh->triangle + 3 * (size_t)t;
        int a = c->of[corner[0]], b = c->of[corner[1]], d = c->of[corner[2]];
        n += a != b && b != d && a != d;
    }
    return n;
}

static CondStatus take(const CondColouredMesh* mesh, const Clusters* c, const CondLinkShape* visual,
                       int n_triangle, CondTessellation* out)
{
    int given = pack_colour(visual->colour);
    int mirrored = visual->size[0] * visual->size[1] * visual->size[2] < 0.0;
    if (COND_RESERVE(&out->arena, out->point, 3 * c->n_cluster) ||
        COND_RESERVE(&out->arena, out->triangle, 3 * n_triangle) ||
        COND_RESERVE(&out->arena, out->colour, n_triangle))
        return COND_OUT_OF_MEMORY;
    out->n_point = c->n_cluster;
    for (int i = 0; i < 3 * c->n_cluster; i++)
        out->point[i] = visual->size[i % 3] * c->sum[i] / c->count[i / 3];
    for (int t = 0; t < mesh->n_triangle; t++) {
        const int* corner = mesh->triangle + 3 * (size_t)t;
        int a = c->of[corner[0]], b = c->of[corner[1]], d = c->of[corner[2]];
        if (a == b || b == d || a == d)
            continue;
        int* to = out->triangle + 3 * (size_t)out->n_triangle;
        to[0] = a;
        to[1] = mirrored ? d : b;
        to[2] = mirrored ? b : d;
        out->colour[out->n_triangle++] =
            given >= 0 ? given : pack_colour(mesh->colour + 4 * (size_t)t);
    }
    return COND_OK;
}

// The nodes in one cell of a grid become one, at their mean; the finest grid that leaves few enough
// triangles is taken. The first only joins what is at one place.
static CondStatus thin(const CondColouredMesh* mesh, const CondLinkShape* visual, int most,
                       CondTessellation* out)
{
    static const double resolution[] = {1e6, 256, 192, 128, 96, 64, 48, 32, 24, 16, 12, 8, 5};
    double low[3] = {INFINITY, INFINITY, INFINITY}, size = 0.0;
    for (int i = 0; i < 3 * mesh->n_node; i++)
        low[i % 3] = fmin(low[i % 3], mesh->node[i]);
    for (int i = 0; i < 3 * mesh->n_node; i++)
        size = fmax(size, mesh->node[i] - low[i % 3]);
    if (!(size > 0.0) || !isfinite(size))
        return COND_OK;
    CondArena arena = {.context = out->arena.context};
    Clusters c;
    CondStatus status = clusters_create(&arena, mesh->n_node, &c);
    int n = 0;
    for (size_t k = 0; k < sizeof resolution / sizeof *resolution && !status; k++) {
        cluster(mesh, low, size, resolution[k], &c);
        n = count_triangles(mesh, &c);
        if (n <= most)
            break;
    }
    if (!status)
        status = take(mesh, &c, visual, n, out);
    cond_arena_release(&arena);
    return status;
}

static CondStatus tessellate_mesh(const CondLinkShape* visual, int n_mesh, int limit,
                                  CondTessellation* out)
{
    CondColouredMesh mesh;
    CondStatus status = cond_coloured_mesh_read(&out->arena.context, visual->file, &mesh, NULL);
    int all = limit > 0 ? limit : MOST_OF_ALL, most = all / (n_mesh > 0 ? n_mesh : 1);
    int low = (int)((int64_t)LEAST * all / MOST_OF_ALL),
        high = (int)((int64_t)MOST * all / MOST_OF_ALL);
    out->n_point = out->n_triangle = 0;
    if (!status)
        status = thin(&mesh, visual, most < low ? low : most > high ? high : most, out);
    cond_coloured_mesh_release(&mesh);
    return status;
}

CondStatus cond_visual_tessellate(const CondLinkShape* visual, int n_mesh, int most,
                                  CondTessellation* out)
{
    if (visual->kind == COND_LINK_MESH)
        return tessellate_mesh(visual, n_mesh, most, out);
    const CondShapeRow* row = cond_shape_row(cond_shape_of_link(visual->kind));
    CondShape shape = {.form = row->form};
    row->solid(visual->size, &shape);
    CondStatus status = cond_tessellate_shape(&shape, out);
    if (!status)
        status = COND_RESERVE(&out->arena, out->colour, out->n_triangle);
    for (int k = 0; k < out->n_triangle && !status; k++)
        out->colour[k] = pack_colour(visual->colour);
    return status;
}

static uint64_t visual_key(const CondLinkShape* visual)
{
    uint64_t key = cond_hash_bytes(COND_HASH_START, &visual->kind, sizeof visual->kind);
    key = cond_hash_bytes(key, visual->size, sizeof visual->size);
    key = cond_hash_bytes(key, visual->colour, sizeof visual->colour);
    return visual->file ? cond_hash_bytes(key, visual->file, strlen(visual->file)) : key;
}

CondStatus cond_visual_store_get(CondVisualStore* store, const CondLinkShape* visual, int n_mesh,
                                 int most, int around, const CondTessellation** out)
{
    uint64_t key = visual_key(visual);
    int k = 0;
    while (k < store->n && store->key[k] != key)
        k++;
    if (k == store->n) {
        if (COND_RESERVE(&store->arena, store->key, k + 1) ||
            COND_RESERVE(&store->arena, store->shape, k + 1))
            return COND_OUT_OF_MEMORY;
        CondTessellation* made = cond_arena_allocate(&store->arena, 1, sizeof *made);
        if (!made)
            return COND_OUT_OF_MEMORY;
        made->around = around;
        cond_arena_begin(&store->arena.context, &made->arena);
        CondStatus status = cond_visual_tessellate(visual, n_mesh, most, made);
        if (status == COND_OUT_OF_MEMORY) {
            cond_tessellation_destroy(made);
            cond_arena_drop(&store->arena, made);
            return status;
        }
        if (status)
            made->n_point = made->n_triangle = 0;
        store->key[k] = key;
        store->shape[k] = made;
        store->n++;
    }
    *out = store->shape[k]->n_triangle > 0 ? store->shape[k] : NULL;
    return COND_OK;
}

void cond_visual_store_release(CondVisualStore* store)
{
    for (int k = 0; k < store->n; k++)
        cond_tessellation_destroy(store->shape[k]);
    cond_arena_release(&store->arena);
    store->n = 0;
    store->shape = NULL;
    store->key = NULL;
}
