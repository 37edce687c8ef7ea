#include "collide/collide.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "body/body.h"
#include "collide/crossing.h"
#include "collide/dent.h"
#include "collide/imprint.h"
#include "collide/plane.h"
#include "collide/rod_contact.h"
#include "collide/rod_pair.h"
#include "collide/rod_skin.h"
#include "collide/seam.h"
#include "collide/solid.h"
#include "collide/sweep.h"
#include "geometry/box.h"
#include "math/quat.h"
#include "model/fem.h"

#include <math.h>
#include <string.h>

CondStatus cond_collider_create(const CondModel* model, CondCollider* collider, CondError* error)
{
    const CondContext* m = &model->arena.context;
    collider->context = *m;
    collider->model = model;
    cond_volume_contacts_begin(m, &collider->found);
    collider->found.threads = model->settings.solver.threads;
    cond_pair_work_begin(m, &collider->pairs);
    collider->volume = cond_allocate(m, (size_t)model->n_body, sizeof *collider->volume);
    collider->soft = cond_allocate(m, (size_t)model->n_body, sizeof *collider->soft);
    if (!collider->volume || !collider->soft)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    collider->n_solid = model->n_obstacle + model->n_solid;
    collider->pose = cond_allocate(m, (size_t)collider->n_solid, 7 * sizeof(double));
    collider->box = cond_allocate(m, (size_t)collider->n_solid, 6 * sizeof(double));
    collider->far = cond_allocate(m, (size_t)collider->n_solid, sizeof(double));
    collider->edge = cond_allocate(m, (size_t)model->n_edge, sizeof *collider->edge);
    collider->soft_edge_begin = cond_allocate(m, (size_t)model->n_body, sizeof(int));
    collider->place = cond_allocate(m, (size_t)model->n_feature, 3 * sizeof(double));
    if (cond_sweep_create(model, &collider->sweep) ||
        cond_rod_links_create(model, &collider->links) ||
        cond_broad_create(m, collider->n_solid, &collider->broad) || !collider->pose ||
        !collider->box || !collider->far || !collider->edge || !collider->soft_edge_begin ||
        !collider->place)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    CondStatus status = COND_OK;
    for (int b = 0; b < model->n_body && !status; b++) {
        const CondFem* fem = model->body[b].fem;
        if (model->body[b].kind != COND_BODY_SOFT)
            continue;
        collider->soft[collider->n_soft++] = b;
        status = cond_volume_create(m, b, fem->n_node, fem->rest, fem->n_tet, fem->tet, 1,
                                    &collider->volume[b], error);
        if (!status)
            status = cond_volume_make_edges(collider->volume[b], error);
        if (!status && model->body[b].self_contact)
            status = cond_volume_make_skips(collider->volume[b], error);
        if (!status)
            collider->volume[b]->threads = model->settings.solver.threads;
        collider->soft_edge_begin[b] = collider->n_soft_edge;
        collider->n_soft_edge += status ? 0 : collider->volume[b]->n_edge;
    }
    return status;
}

void cond_collider_destroy(CondCollider* collider)
{
    if (!collider->model)
        return;
    for (int b = 0; b < collider->model->n_body && collider->volume; b++)
        if (collider->volume[b])
            cond_volume_destroy(collider->volume[b]);
    cond_volume_contacts_end(&collider->found);
    cond_rod_links_destroy(&collider->links);
    cond_pair_work_end(&collider->pairs);
    cond_sweep_destroy(&collider->context, &collider->sweep);
    cond_release(&collider->context, collider->volume);
    cond_release(&collider->context, collider->soft);
    cond_release(&collider->context, collider->last);
    cond_release(&collider->context, collider->pose);
    cond_release(&collider->context, collider->box);
    cond_release(&collider->context, collider->far);
    cond_broad_destroy(&collider->broad);
    cond_release(&collider->context, collider->edge);
    cond_release(&collider->context, collider->place);
    cond_release(&collider->context, collider->soft_edge_begin);
}

typedef struct PlaceLoop {
    const CondPosture* posture;
    double* place;
} PlaceLoop;

static void place_features(const void* loop, int first, int last)
{
    const PlaceLoop* l = loop;
    for (int k = first; k < last; k++)
        cond_posture_point(l->posture, &l->posture->model->feature[k].point,
                           l->place + 3 * (size_t)k, NULL, NULL);
}

static void place_solids(CondCollider* collider, const CondPosture* posture)
{
    for (int i = 0; i < collider->n_solid; i++) {
        const CondSolid* solid = cond_solid_at(collider->model, i);
        double *pose = collider->pose + 7 * (size_t)i, R[9];
        cond_solid_pose(posture, solid, pose);
        cond_shape_bound(&solid->shape, pose, collider->box + 6 * (size_t)i);
        quat_matrix(pose + 3, R);
        for (int k = solid->edge_begin; k < solid->edge_begin + solid->n_edge; k++)
            cond_edge_place(&collider->model->edge[k], R, pose, &collider->edge[k]);
    }
}

void cond_collider_place(CondCollider* collider, const CondPosture* posture)
{
    const CondModel* model = collider->model;
    PlaceLoop loop = {posture, collider->place};
    cond_parallel(model->n_feature,
                  cond_threads(20 * (size_t)model->n_feature, model->settings.solver.threads),
                  place_features, &loop);
    place_solids(collider, posture);
}

// last[v] from the contact memory.
static CondStatus recall(CondCollider* collider, const CondState* state, const CondBody* a,
                         int other)
{
    const CondModel* model = collider->model;
    int n = a->fem->n_node;
    if (cond_reserve(&collider->context, &collider->last, &collider->cap_last, n,
                     sizeof *collider->last))
        return COND_OUT_OF_MEMORY;
    for (int i = 0; i < n; i++)
        collider->last[i] = -1;
    for (int k = 0; k < state->n_memory; k++) {
        uint64_t key = state->memory[k].key;
        if (key < COND_KEY_SOFT || key >= COND_KEY_PAIR || (key & COND_KEY_SECOND) ||
            state->memory[k].triangle < 0)
            continue;
        uint64_t pair = (key - COND_KEY_SOFT) >> 4;
        int node = (int)(pair / (uint64_t)model->n_body) - a->dof_begin / 3;
        if (node >= 0 && node < n && (int)(pair % (uint64_t)model->n_body) == other)
            collider->last[node] = (int)state->memory[k].triangle;
    }
    return COND_OK;
}

static CondStatus add_soft(const CondCollider* collider, const CondPosture* posture,
                           const CondVolumeContact* contact, int number, CondTouchList* list)
{
    static const double axis[3] = {1.0, 0.0, 0.0};
    const CondModel* model = collider->model;
    const CondBody *a = &model->body[contact->body], *b = &model->body[contact->other];
    const int* corner = collider->volume[contact->other]->triangle + 3 * contact->triangle;
    CondTouch touch = {.plane = -1, .triangle = contact->triangle};
    touch.point[0] =
        (CondPoint){.body = contact->body, .part = 1, .node = {contact->vertex}, .local = {1.0}};
    touch.point[1] = (CondPoint){.body = contact->other, .part = 3};
    for (int k = 0; k < 3; k++) {
        touch.point[1].node[k] = corner[k];
        touch.point[1].local[k] = contact->weight[k];
    }
    cond_posture_point(posture, &touch.point[0], touch.position, NULL, NULL);
    mat3_frame(contact->normal, axis, touch.frame);
    touch.gap = contact->gap - fmax(a->thickness, b->thickness);
    touch.key = cond_key_soft(model, a, contact->vertex, contact->other, number);
    cond_touch_surfaces(&a->surface, &b->surface, &touch);
    return cond_touch_add(list, &touch);
}

// Vertices of a against the volume of b.
static CondStatus collide_pair(CondCollider* collider, const CondPosture* posture,
                               const CondState* state, int a, int b, double reach,
                               CondTouchList* list)
{
    const CondModel* model = collider->model;
    double margin = reach + fmax(model->body[a].thickness, model->body[b].thickness);
    if (a != b && cond_boxes_apart(collider->volume[a]->bound, collider->volume[b]->bound, margin))
        return COND_OK;
    cond_volume_refit(collider->volume[b]);
    CondStatus status = recall(collider, state, &model->body[a], b);
    collider->found.n = 0;
    if (!status)
        status = cond_volume_collide(collider->volume[a], collider->volume[b], margin,
                                     collider->last, &collider->found);
    for (int k = 0, number = 0; k < collider->found.n && !status; k++) {
        const CondVolumeContact* contact = &collider->found.contact[k];
        number = k > 0 && contact[-1].vertex == contact->vertex ? number + 1 : 0;
        status = add_soft(collider, posture, contact, number, list);
    }
    if (!status && a == b)
        return cond_collide_own_seams(collider, posture, a, list);
    return status || a > b ? status : cond_collide_seams(collider, posture, a, b, list);
}

static CondStatus collide_soft(CondCollider* collider, const CondPosture* posture,
                               const CondState* state, const double* reach, CondTouchList* list)
{
    const CondModel* model = collider->model;
    CondStatus status = COND_OK;
    for (int i = 0; i < collider->n_soft; i++)
        for (int j = 0; j < collider->n_soft && !status; j++) {
            int a = collider->soft[i], b = collider->soft[j];
            if (cond_cancelled(&model->arena.context))
                status = COND_CANCELLED;
            else if (i != j || model->body[a].self_contact)
                status =
                    collide_pair(collider, posture, state, a, b, fmax(reach[a], reach[b]), list);
        }
    if (!status)
        status = cond_collide_skins(collider, posture, reach, list);
    if (!status)
        status = cond_collide_imprints(collider, posture, reach, list);
    if (!status)
        status = cond_collide_dents(collider, posture, state, reach, list);
    return status;
}

// 1 when the point lies on nodes of the patch.
static int is_on_patch(const CondPatch* patch, const CondPoint* point)
{
    if (patch->body != point->body)
        return 0;
    for (int k = 0; k < patch->n_node; k++)
        for (int i = 0; i < point->part; i++)
            if (patch->node[k] == point->node[i] && point->local[i] > 0.0)
                return 1;
    return 0;
}

// 1 when the contact is between the two ends of an attachment that is being held, at the held
// nodes: they are where the attachment puts them.
static int is_held(const CondModel* model, const CondState* state, const CondTouch* touch)
{
    if (touch->point[0].body < 0 || touch->point[1].body < 0)
        return 0;
    for (int h = 0; h < state->n_hold; h++) {
        const CondHold* hold = &state->hold[h];
        for (int k = 0; k < 4 && hold->active; k++) {
            int end = k & 1, side = k >> 1;
            int patch = hold->what.end[end].patch, other = hold->what.end[1 - end].point.body;
            if (side == 0 && cond_rod_is_held(model, &hold->what, end, touch))
                return 1;
            if (patch >= 0 && other >= 0 && touch->point[1 - side].body == other &&
                is_on_patch(&model->patch[patch], &touch->point[side]))
                return 1;
        }
    }
    return 0;
}

// 1 when no motion moves the contact: both points are static or lie on the axis of a robot's joint
// that alone could move them.
static int is_idle(const CondPosture* posture, const CondTouch* touch)
{
    double moved = 0.0, world[3];
    for (int s = 0; s < 2; s++) {
        int b = touch->point[s].body;
        if (b < 0)
            continue;
        if (posture->model->body[b].kind != COND_BODY_ROBOT)
            return 0;
        int n = cond_posture_point(posture, &touch->point[s], world, NULL, posture->columns);
        for (int k = 0; k < 3 * n; k++)
            moved += posture->columns[k] * posture->columns[k];
    }
    return moved < 1e-12; // a micrometre for a radian
}

// Shell sort by key: in place, without memory of its own. Planes and soft bodies alone come sorted.
static void sort_by_key(CondTouch* touch, int n)
{
    int sorted = 1;
    for (int i = 1; i < n && sorted; i++)
        sorted = touch[i - 1].key <= touch[i].key;
    if (sorted)
        return;
    for (int gap = n / 2; gap > 0; gap /= 2)
        for (int i = gap; i < n; i++) {
            CondTouch moving = touch[i];
            int j = i;
            for (; j >= gap && touch[j - gap].key > moving.key; j -= gap)
                touch[j] = touch[j - gap];
            touch[j] = moving;
        }
}

// Turns the tangents of a contact that persists as little as its normal allows. A fixed rule for
// the tangents would jump somewhere, whatever the rule: no field of tangents on a sphere is
// continuous. Planes, and surfaces that slip more easily along one of two directions, keep theirs.
static void follow_frames(const CondState* state, CondTouchList* list)
{
    for (int c = 0, k = 0; c < list->n; c++) { // both lists ascend with the key
        CondTouch* touch = &list->touch[c];
        while (k < state->n_memory && state->memory[k].key < touch->key)
            k++;
        if (k == state->n_memory)
            return;
        double normal[3] = {touch->frame[0], touch->frame[1], touch->frame[2]};
        if (state->memory[k].key == touch->key && touch->plane < 0 &&
            touch->friction[0] == touch->friction[1])
            mat3_frame(normal, state->memory[k].tangent, touch->frame);
    }
}

// Leaves out what attachments hold or nothing moves, puts the list in order and turns the frames.
static void finish(const CondCollider* collider, const CondPosture* posture, const CondState* state,
                   CondTouchList* list)
{
    const CondModel* model = collider->model;
    int kept = 0;
    for (int c = 0; c < list->n; c++)
        if (!is_held(model, state, &list->touch[c]) && !is_idle(posture, &list->touch[c])) {
            if (kept < c)
                list->touch[kept] = list->touch[c];
            kept++;
        }
    list->n = kept;
    for (int c = 0; c < list->n && model->settings.friction_scale != 1.0; c++)
        for (int i = 0; i < 2; i++)
            list->touch[c].friction[i] *= model->settings.friction_scale;
    sort_by_key(list->touch, list->n);
    follow_frames(state, list);
}

static CondStatus build_broad(CondCollider* collider, const double* reach)
{
    for (int i = 0; i < collider->n_solid; i++) {
        int b = cond_solid_at(collider->model, i)->body;
        collider->far[i] = b >= 0 ? reach[b] : 0.0;
    }
    return cond_broad_build(&collider->broad, collider->n_solid, collider->box, collider->far);
}

CondStatus cond_collide(CondCollider* collider, const CondPosture* posture, const CondState* state,
                        const double* reach, CondTouchList* list)
{
    const CondModel* model = collider->model;
    list->n = 0;
    for (int i = 0; i < collider->n_soft; i++) {
        int b = collider->soft[i];
        cond_volume_update_surface(collider->volume[b], posture->q + model->body[b].q_begin);
    }
    cond_collider_place(collider, posture);
    CondStatus status = cond_collide_planes(posture, collider->place, reach, list);
    if (!status)
        status = build_broad(collider, reach);
    if (!status)
        status = cond_collide_solids(collider, posture, reach, list);
    if (!status)
        status = cond_collide_pairs(collider, posture, reach, list);
    if (!status)
        status = collide_soft(collider, posture, state, reach, list);
    if (!status)
        status = cond_rod_links_place(&collider->links, posture, state, reach);
    if (!status)
        status = cond_collide_rod_pairs(collider, posture, reach, list);
    if (!status)
        status = cond_collide_rod_skins(collider, posture, state, reach, list);
    if (!status)
        status = cond_collide_rods(&collider->links, posture, reach, list);
    if (!status)
        finish(collider, posture, state, list);
    return status;
}

CondStatus cond_collide_swept(CondCollider* collider, const CondPosture* before,
                              const CondPosture* after, const CondState* state, CondTouchList* list)
{
    list->n = 0;
    CondStatus status = cond_collide_sweep(collider, before, after, list);
    if (!status)
        finish(collider, after, state, list);
    return status;
}
