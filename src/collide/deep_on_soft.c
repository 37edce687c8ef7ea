// Nodes in a rigid shape, its corners in the soft surface and edges across edges are the places
// where a soft surface and a rigid shape meet (collide/solid.c, point_on_soft.c, edge_on_soft.c).
// Which of them is the way out where several have gone through each other cannot always be told
// from each of them alone: a corner that is near to the side of the soft body leaves through it,
// and what of that side is under the face of the shape is then nobody's. So the deepest point of
// the surface in the shape is looked for, and is a contact where no other says that it is there.
#include "collide/deep_on_soft.h"
#include "base/tuning.h"

#include "body/body.h"
#include "collide/solid.h"
#include "collide/tuning.h"
#include "geometry/box.h"
#include "geometry/triangle.h"
#include "geometry/tuning.h"
#include "model/entity.h"

#include <math.h>
#include <string.h>

typedef struct Pair {
    CondCollider* collider;
    const CondSolid* solid;
    const CondVolume* volume;
    double floor; // [m]
    int i_solid;
} Pair;

static void corners_of(const CondVolume* volume, int t, const double* corner[3])
{
    for (int k = 0; k < 3; k++)
        corner[k] = volume->position + 3 * (size_t)volume->triangle[3 * (size_t)t + k];
}

// The deepest point of the surface in the shape, and its triangle; -1: nothing is that deep.
static int find_deepest(const Pair* pair, CondDeepest* deepest, CondStatus* status)
{
    CondCollider* collider = pair->collider;
    CondPairDepthWork* deep = &collider->pairs.deep;
    int i = pair->i_solid, still = i < collider->model->n_obstacle;
    CondBoundary* body = still ? &collider->boundary[i] : &deep->boundary[0];
    static const double origin[3] = {0.0, 0.0, 0.0};
    const double* box = collider->box + 6 * (size_t)pair->i_solid;
    int best = -1;
    CondCore core;
    *status = cond_volume_triangles_in(pair->volume, box, &collider->found.hits);
    if (*status || collider->found.hits.n == 0)
        return -1;
    cond_core_make(&pair->solid->shape, collider->pose + 7 * (size_t)pair->i_solid, origin, &core);
    if (!still || !collider->bounded[i]) // obstacles stay where they are
        *status = cond_boundary_take_core(body, &core);
    if (still)
        collider->bounded[i] = !*status;
    *deepest = (CondDeepest){.depth = fmax(pair->floor - core.round, 0.0), .part = -1};
    for (int h = 0; h < collider->found.hits.n && !*status; h++) {
        int t = collider->found.hits.primitive[h];
        const double* corner[3];
        corners_of(pair->volume, t, corner);
        if (cond_triangle_deepest(&deep->depth, body, corner, COND_INPUT_ROUNDING * body->size,
                                  deepest))
            best = t;
    }
    return best;
}

// 1 where a contact of the list says it: between the same two, not much less deep, along the same
// way, and at one of the triangle's nodes.
static int is_said(const Pair* pair, const CondCandidateList* list, int t, double way,
                   const double out[3])
{
    const int* node = pair->volume->triangle + 3 * (size_t)t;
    for (int c = 0; c < list->n; c++) {
        const CondCandidate* other = &list->candidate[c];
        const CondPoint* point = &other->point[0];
        if (point->body != pair->volume->body || other->plane >= 0 ||
            -other->gap < COND_DEPTHS_AGREE * way || vec3_dot(other->frame, out) < COND_STEEP ||
            other->point[1].body != (pair->solid->fixed ? -1 : pair->solid->body))
            continue;
        for (int k = 0; k < 3 * point->n_node; k++)
            if (point->node[k / 3] == node[k % 3])
                return 1;
    }
    return 0;
}

static CondStatus add(const Pair* pair, const CondKinematics* kinematics, int t,
                      const CondDeepest* deepest, CondCandidateList* list)
{
    static const double axis[3] = {1.0, 0.0, 0.0};
    const CondCollider* collider = pair->collider;
    const CondBoundary* body = &collider->pairs.deep.boundary[0];
    const CondSolid* solid = pair->solid;
    const double* corner[3];
    double out[3], weight[3], x[3];
    double way = cond_boundary_way_out(body, deepest->x, deepest->depth, out) + solid->shape.margin;
    if (is_said(pair, list, t, way, out))
        return COND_OK;
    corners_of(pair->volume, t, corner);
    triangle_nearest(deepest->x, corner[0], corner[1], corner[2], weight, x);
    CondCandidate candidate = {.plane = -1,
                               .triangle = -1,
                               .gap = -way -
                                      cond_body_half(&collider->model->body[pair->volume->body])};
    candidate.point[0] = (CondPoint){.body = pair->volume->body, .n_node = 3};
    for (int k = 0; k < 3; k++) {
        candidate.point[0].node[k] = pair->volume->triangle[3 * (size_t)t + k];
        candidate.point[0].local[k] = weight[k];
        candidate.position[k] = deepest->x[k] + way * out[k];
    }
    candidate.point[1] =
        cond_point_at(kinematics, solid->fixed ? -1 : solid->body, solid->part, candidate.position);
    mat3_frame(out, axis, candidate.frame);
    candidate.key =
        (CondContactKey){.pair = COND_KEY_DEEP_ON_SOFT +
                                 (uint64_t)pair->i_solid * (uint64_t)collider->model->n_body +
                                 (uint64_t)pair->volume->body,
                         .role = (uint64_t)t};
    cond_candidate_surfaces(&collider->model->body[pair->volume->body].surface, &solid->surface,
                            &candidate);
    return cond_candidate_add(list, &candidate);
}

CondStatus cond_collide_deep_on_soft(CondCollider* collider, const CondKinematics* kinematics,
                                     CondCandidateList* list)
{
    const CondModel* model = collider->model;
    CondStatus status = COND_OK;
    for (int s = 0; s < collider->n_soft; s++)
        for (int i = 0; i < collider->n_solid && !status; i++) {
            const CondVolume* volume = collider->volume[collider->soft[s]];
            const CondSolid* solid = cond_solid_at(model, i);
            const double* box = collider->box + 6 * (size_t)i;
            if (cond_shape_is_round(&solid->shape) ||
                !cond_solid_touches(model, solid, model->body[volume->body].entity) ||
                cond_boxes_apart(volume->bound, box, 0.0))
                continue;
            const double d[3] = {box[3] - box[0], box[4] - box[1], box[5] - box[2]};
            Pair pair = {collider, solid, volume, COND_TOUCH * fmin(vec3_norm(d), volume->size), i};
            CondDeepest deepest;
            int t = find_deepest(&pair, &deepest, &status);
            if (t >= 0 && !status)
                status = add(&pair, kinematics, t, &deepest, list);
        }
    return status;
}
