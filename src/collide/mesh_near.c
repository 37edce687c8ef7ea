// Which corners, edges and triangles of two surface meshes are near each other, by trees over them.
#include "collide/mesh_near.h"
#include "base/tuning.h"

#include "base/memory.h"
#include "collide/tuning.h"
#include "geometry/box.h"
#include "geometry/mesh_surface.h"
#include "geometry/triangle.h"

#include <stdlib.h>
#include <string.h>

void cond_mesh_near_begin(const CondContext* context, CondMeshNear* near)
{
    memset(near, 0, sizeof *near);
    cond_arena_begin(context, &near->arena);
    cond_tree_hits_begin(context, &near->hits);
}

void cond_mesh_near_end(CondMeshNear* near)
{
    cond_arena_release(&near->arena);
    cond_tree_hits_end(&near->hits);
}

// The ball around a node: its centre in the axes of the other mesh.
static double ball_of(const CondCore* own, const CondCore* other, const double box[6],
                      double centre[3])
{
    double middle[3], half[3], x[3];
    for (int i = 0; i < 3; i++) {
        middle[i] = 0.5 * (box[i] + box[3 + i]);
        half[i] = 0.5 * (box[3 + i] - box[i]);
    }
    cond_core_place(own, middle, x);
    cond_core_local(other, x, centre);
    return vec3_norm(half);
}

static double box_gap(const double box[6], const double x[3])
{
    double d[3];
    for (int i = 0; i < 3; i++)
        d[i] = fmax(fmax(box[i] - x[i], x[i] - box[3 + i]), 0.0);
    return vec3_norm(d);
}

// Where the ball around a subtree lies: in front of the other's surface, behind it, or near it.
typedef enum Side { FRONT, NEAR, BEHIND } Side;

static Side side_of(const CondCore* other, const double centre[3], double radius, double far)
{
    CondMeshSurfacePoint nearest;
    cond_mesh_surface_nearest(other->mesh_surface, centre, &nearest);
    return nearest.gap > radius + far ? FRONT : -nearest.gap > radius + far ? BEHIND : NEAR;
}

static int compare(const void* a, const void* b)
{
    const int *p = a, *q = b;
    return (*p > *q) - (*p < *q);
}

static int first_leaf(const CondTree* tree, int i)
{
    while (tree->node[i].primitive < 0)
        i++;
    return tree->node[i].primitive;
}

// The primitives of a tree of `own` that are near the other's surface; with `inside` also those
// behind it, where they are farther than `far` one for each small subtree.
static CondStatus walk(const CondTree* tree, const CondCore* own, const CondCore* other, double far,
                       int inside, CondMeshNear* near)
{
    const double* whole = other->mesh_surface->tree.node[0].box;
    near->n = 0;
    if (tree->n > 0 && COND_RESERVE(&near->arena, near->item, tree->n))
        return COND_OUT_OF_MEMORY;
    for (int i = 0; i < 2 * tree->n - 1;) {
        const CondTreeNode* node = &tree->node[i];
        double centre[3], radius = ball_of(own, other, node->box, centre);
        int n = node->next - i;
        Side side = box_gap(whole, centre) > radius + far ? FRONT
                    : n > COND_SUBTREE_FEW                ? side_of(other, centre, radius, far)
                                                          : NEAR;
        if (side == BEHIND && inside && n <= COND_SUBTREE_ALIKE)
            near->item[near->n++] = first_leaf(tree, i);
        if (side == FRONT || (side == BEHIND && (!inside || n <= COND_SUBTREE_ALIKE))) {
            i = node->next;
            continue;
        }
        if (node->primitive >= 0)
            near->item[near->n++] = node->primitive;
        i++;
    }
    if (near->n > 1)
        qsort(near->item, (size_t)near->n, sizeof *near->item, compare);
    return COND_OK;
}

CondStatus cond_mesh_near_corners(const CondCore* own, const CondCore* other, double far,
                                  CondMeshNear* near)
{
    far = fmax(far, COND_NEARLY * fmin(own->size, other->size));
    return walk(&own->mesh_surface->corner_tree, own, other, far, 1, near);
}

// Numbers of sharp edges become those of edges; both ascend.
static void name_edges(const CondCore* mesh, int n, int* item)
{
    for (int k = 0; k < n; k++)
        item[k] = mesh->mesh_surface->sharp[item[k]];
}

CondStatus cond_mesh_near_edges(const CondCore* own, const CondCore* other, double far,
                                CondMeshNear* near)
{
    CondStatus status = walk(&own->mesh_surface->edge_tree, own, other, far, 0, near);
    if (!status)
        name_edges(own, near->n, near->item);
    return status;
}

CondStatus cond_mesh_near_segment(const CondCore* mesh, const double p[3], const double q[3],
                                  double far, CondMeshNear* near)
{
    double box[6], wide[6], x[3];
    cond_box_empty(box);
    cond_core_local(mesh, p, x);
    cond_box_stretch(box, x);
    cond_core_local(mesh, q, x);
    cond_box_stretch(box, x);
    cond_box_widen(box, far, wide);
    near->n = 0;
    if (cond_tree_query(&mesh->mesh_surface->edge_tree, wide, &near->hits))
        return COND_OUT_OF_MEMORY;
    if (near->hits.n > 0 && COND_RESERVE(&near->arena, near->item, near->hits.n))
        return COND_OUT_OF_MEMORY;
    for (int k = 0; k < near->hits.n; k++)
        near->item[near->n++] = near->hits.primitive[k];
    if (near->n > 1)
        qsort(near->item, (size_t)near->n, sizeof *near->item, compare);
    name_edges(mesh, near->n, near->item);
    return COND_OK;
}

// 1 where corners x lie on both sides of the plane of the triangle y.
static int is_cut(double x[3][3], double y[3][3], double small)
{
    double n[3], low = 0.0, high = 0.0;
    triangle_area_vector(y[0], y[1], y[2], n);
    double area = vec3_norm(n);
    for (int k = 0; k < 3; k++) {
        const double d[3] = {x[k][0] - y[0][0], x[k][1] - y[0][1], x[k][2] - y[0][2]};
        low = fmin(low, vec3_dot(n, d));
        high = fmax(high, vec3_dot(n, d));
    }
    return low < -small * area && high > small * area;
}

static void corners_of(const CondMeshSurface* surface, int t, double x[3][3])
{
    for (int k = 0; k < 3; k++)
        memcpy(x[k], surface->vertex + 3 * (size_t)surface->face[3 * (size_t)t + (size_t)k],
               sizeof x[k]);
}

CondStatus cond_meshes_cross(const CondCore* a, const CondCore* b, double small, CondMeshNear* near,
                             int* cross)
{
    CondStatus status = walk(&a->mesh_surface->tree, a, b, 0.0, 0, near);
    *cross = 0;
    for (int k = 0; k < near->n && !status && !*cross; k++) {
        double x[3][3], y[3][3], box[6], world[3];
        corners_of(a->mesh_surface, near->item[k], y);
        cond_box_empty(box);
        for (int c = 0; c < 3; c++) {
            cond_core_place(a, y[c], world);
            cond_core_local(b, world, x[c]);
            cond_box_stretch(box, x[c]);
        }
        status = cond_tree_query(&b->mesh_surface->tree, box, &near->hits);
        for (int h = 0; h < near->hits.n && !status && !*cross; h++) {
            corners_of(b->mesh_surface, near->hits.primitive[h], y);
            *cross = is_cut(x, y, small) && is_cut(y, x, small);
        }
    }
    return status;
}
