// Which parts of a soft body may have passed through other parts of it in a step.
#include "collide/fold.h"

#include "geometry/box.h"
#include "math/vec3.h"

#include <string.h>

void cond_fold_begin(const CondContext* context, CondFold* fold)
{
    memset(fold, 0, sizeof *fold);
    cond_arena_begin(context, &fold->arena);
    cond_tree_begin(context, &fold->tree);
    cond_tree_pairs_begin(context, &fold->pairs);
}

void cond_fold_end(CondFold* fold)
{
    cond_tree_end(&fold->tree);
    cond_tree_pairs_end(&fold->pairs);
    cond_arena_release(&fold->arena);
}

// Boxes around the ways and the moves of all clusters, and the tree over the ways.
static CondStatus place(CondFold* fold, const CondVolume* volume, const double* from,
                        const double* to, const double shift[3])
{
    const CondClusters* clusters = &volume->triangles;
    int n = clusters->n_cluster;
    if (COND_RESERVE(&fold->arena, fold->box, 6 * n) ||
        COND_RESERVE(&fold->arena, fold->move, 6 * n) ||
        COND_RESERVE(&fold->arena, fold->mark, volume->n_vertex))
        return COND_OUT_OF_MEMORY;
    for (int c = 0; c < n; c++) {
        double *box = fold->box + 6 * (size_t)c, *move = fold->move + 6 * (size_t)c;
        cond_box_empty(box);
        cond_box_empty(move);
        for (int k = clusters->vertex_begin[c]; k < clusters->vertex_begin[c + 1]; k++) {
            const double *a = from + 3 * (size_t)clusters->vertex[k],
                         *b = to + 3 * (size_t)clusters->vertex[k];
            const double begin[3] = {a[0] + shift[0], a[1] + shift[1], a[2] + shift[2]};
            const double way[3] = {b[0] - begin[0], b[1] - begin[1], b[2] - begin[2]};
            cond_box_stretch(box, begin);
            cond_box_stretch(box, b);
            cond_box_stretch(move, way);
        }
    }
    CondStatus status = COND_OK;
    if (fold->built)
        cond_tree_refit(&fold->tree, fold->box);
    else
        status = cond_tree_build(&fold->tree, n, fold->box);
    fold->built = !status;
    return status;
}

// The longest that a corner of one cluster can have moved against one of another, squared.
static double against2(const double a[6], const double b[6])
{
    double square = 0.0;
    for (int i = 0; i < 3; i++) {
        double most = fmax(a[3 + i] - b[i], b[3 + i] - a[i]);
        square += most * most;
    }
    return square;
}

static void mark(CondFold* fold, const CondClusters* clusters, int c)
{
    for (int k = clusters->vertex_begin[c]; k < clusters->vertex_begin[c + 1]; k++)
        fold->mark[clusters->vertex[k]] = 1;
}

CondStatus cond_fold_find(CondFold* fold, const CondVolume* volume, const double* from,
                          const double* to, const double shift[3], double fast, int* any)
{
    CondStatus status = place(fold, volume, from, to, shift);
    *any = 0;
    if (!status)
        status = cond_tree_self_pairs(&fold->tree, &fold->pairs);
    if (status)
        return status;
    memset(fold->mark, 0, (size_t)volume->n_vertex);
    for (int k = 0; k < fold->pairs.n; k++) {
        int a = fold->pairs.pair[k][0], b = fold->pairs.pair[k][1];
        if (against2(fold->move + 6 * (size_t)a, fold->move + 6 * (size_t)b) < fast * fast)
            continue;
        mark(fold, &volume->triangles, a);
        mark(fold, &volume->triangles, b);
        *any = 1;
    }
    return COND_OK;
}
