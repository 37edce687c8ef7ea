// How deep two bodies are in each other, as the audit defines it, where contacts do not say so.
#include "collide/pair_depth.h"

#include "body/body.h"
#include "collide/collide.h"
#include "collide/solid.h"
#include "geometry/box.h"
#include "geometry/separation.h"
#include "model/entity.h"
#include "model/rod.h"

#include <math.h>
#include <string.h>

void cond_pair_depth_begin(const CondContext* context, CondPairDepthWork* work)
{
    cond_depth_begin(context, &work->depth);
    for (int s = 0; s < 2; s++)
        cond_boundary_begin(context, &work->boundary[s]);
}

void cond_pair_depth_end(CondPairDepthWork* work)
{
    cond_depth_end(&work->depth);
    for (int s = 0; s < 2; s++)
        cond_boundary_end(&work->boundary[s]);
}

// What a side of a pair consists of: a soft surface, the links of a rod, or the solids of a body
// or an obstacle among those from `first` on.
typedef struct Side {
    const CondVolume* volume;
    const CondRod* rod;
    int body, first, last;
} Side;

static Side side_of(const CondCollider* collider, int body, int obstacle)
{
    Side side = {.body = body, .first = obstacle, .last = obstacle + 1};
    if (body < 0)
        return side;
    const CondBody* what = &collider->model->body[body];
    side.volume = collider->volume[body];
    side.rod = what->kind == COND_BODY_ROD ? what->rod : NULL;
    side.first = side.volume || side.rod ? 0 : collider->model->n_obstacle;
    side.last = side.volume ? 1 : side.rod ? side.rod->n_link : collider->n_solid;
    return side;
}

// Its part i as a solid; NULL: it is none.
static const CondSolid* solid_of(const CondCollider* collider, const Side* side, int i)
{
    const CondSolid* solid = side->volume || side->rod ? NULL : cond_solid_at(collider->model, i);
    return solid && (side->body < 0 || solid->body == side->body) ? solid : NULL;
}

// Part i: 1 where it is a surface that may not be convex, 0 where it is convex, -1 where it is
// nothing of that side.
static int kind_of(const CondCollider* collider, const Side* side, int i)
{
    const CondSolid* solid = solid_of(collider, side, i);
    if (side->volume || side->rod)
        return side->volume != NULL;
    return solid ? cond_shape_is_hollow(&solid->shape) : -1;
}

static int most_kind(const CondCollider* collider, const Side* side)
{
    int kind = -1;
    for (int i = side->first; i < side->last && kind < 1; i++) {
        int here = kind_of(collider, side, i);
        kind = here > kind ? here : kind;
    }
    return kind;
}

static int are_welded(const CondState* state, int a, int b)
{
    for (int w = 0; w < state->n_weld; w++) {
        const CondAttachment* what = &state->weld[w].what;
        int one = what->end[0].point.body, two = what->end[1].point.body;
        if (state->weld[w].active && ((one == a && two == b) || (one == b && two == a)))
            return 1;
    }
    return 0;
}

int cond_pair_depth_applies(const CondCollider* collider, const CondState* state,
                            const CondBodyPair* pair)
{
    if (pair->body < 0 || pair->body == pair->other || (pair->other < 0 && pair->obstacle < 0) ||
        are_welded(state, pair->body, pair->other))
        return 0;
    Side a = side_of(collider, pair->body, -1), b = side_of(collider, pair->other, pair->obstacle);
    int one = most_kind(collider, &a), two = most_kind(collider, &b);
    return one >= 0 && two >= 0 && one + two > 0;
}

// Where part i of a side is: its core, or the whole box of a soft surface.
static void place(CondCollider* collider, const CondKinematics* kinematics, const Side* side, int i,
                  const double origin[3], CondCore* core, double box[6])
{
    double end[6];
    if (side->volume) {
        memcpy(box, side->volume->bound, sizeof side->volume->bound);
        return;
    }
    if (!side->rod) {
        cond_core_make(&cond_solid_at(collider->model, i)->shape, collider->pose + 7 * (size_t)i,
                       origin, core);
        memcpy(box, collider->box + 6 * (size_t)i, 6 * sizeof *box);
        return;
    }
    cond_rod_link_ends(kinematics, side->body, i, end);
    for (int k = 0; k < 3; k++) {
        box[k] = fmin(end[k], end[3 + k]) - side->rod->radius;
        box[3 + k] = fmax(end[k], end[3 + k]) + side->rod->radius;
    }
    for (int k = 0; k < 6; k++)
        end[k] -= origin[k % 3];
    cond_core_between(end, end + 3, core);
    core->round = side->rod->radius;
}

static int parts_touch(const CondCollider* collider, const Side* a, int i, const Side* b, int j)
{
    const CondSolid *one = solid_of(collider, a, i), *two = solid_of(collider, b, j);
    const CondModel* model = collider->model;
    if (one && two)
        return cond_solids_touch(model, one, two);
    if (one || two)
        return cond_solid_touches(model, one ? one : two,
                                  one ? model->body[b->body].entity : model->body[a->body].entity);
    return cond_entities_touch(model, model->body[a->body].entity, model->body[b->body].entity);
}

// Part i of one side and part j of the other.
static CondStatus meet(CondCollider* collider, const CondKinematics* kinematics, const Side* a,
                       int i, const Side* b, int j, double far, double* gap)
{
    CondPairDepthWork* work = &collider->pairs.deep;
    const CondModel* model = collider->model;
    const Side* side[2] = {a, b};
    const double* origin = kinematics->q + model->body[a->body].q_begin; // near the two
    const int part[2] = {i, j};
    double thick = 0.0, box[2][6];
    CondCore core[2] = {{.round = 0.0}, {.round = 0.0}};
    CondStatus status = COND_OK;
    CondDepth found;
    if (a->volume && b->volume)
        thick = cond_body_apart(&model->body[a->body], &model->body[b->body]);
    for (int s = 0; s < 2; s++) {
        place(collider, kinematics, side[s], part[s], origin, &core[s], box[s]);
        thick += core[s].round;
    }
    if (cond_boxes_apart(box[0], box[1], fmin(far, *gap) + thick))
        return COND_OK;
    if (kind_of(collider, a, i) + kind_of(collider, b, j) == 0) { // both convex
        CondSeparation apart;
        if (cond_cores_separate(&core[0], &core[1], fmin(far, *gap), &apart))
            *gap = fmin(*gap, apart.apart);
        return COND_OK;
    }
    for (int s = 0; s < 2 && !status; s++) {
        const CondVolume* volume = side[s]->volume;
        CondBoundary* boundary = &work->boundary[s];
        status = volume ? cond_boundary_take_surface(boundary, volume->n_vertex, volume->position,
                                                     volume->n_triangle, volume->triangle, origin)
                        : cond_boundary_take_core(boundary, &core[s]);
    }
    if (!status)
        status = cond_boundaries_depth(&work->depth, &work->boundary[0], &work->boundary[1],
                                       fmin(far, *gap) + thick, &found);
    if (!status)
        *gap = fmin(*gap, found.gap - thick);
    return status;
}

CondStatus cond_pair_depth(CondCollider* collider, const CondKinematics* kinematics,
                           const CondBodyPair* pair, double far, double* gap)
{
    Side a = side_of(collider, pair->body, -1), b = side_of(collider, pair->other, pair->obstacle);
    CondStatus status = COND_OK;
    *gap = INFINITY;
    for (int i = a.first; i < a.last; i++) {
        int kind = kind_of(collider, &a, i);
        for (int j = b.first; j < b.last && !status && kind >= 0; j++) {
            if (kind_of(collider, &b, j) >= 0 && parts_touch(collider, &a, i, &b, j))
                status = meet(collider, kinematics, &a, i, &b, j, far, gap);
        }
    }
    return status;
}
