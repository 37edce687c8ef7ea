// Collision detection of a whole scene: features against planes and solids, soft bodies against
// soft bodies.
#include "collide/collide.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/tuning.h"
#include "body/body.h"
#include "collide/deep_on_soft.h"
#include "collide/edge_pair.h"
#include "collide/finish.h"
#include "collide/plane.h"
#include "collide/point_on_soft.h"
#include "collide/rod_contact.h"
#include "collide/rod_on_soft.h"
#include "collide/rod_pair.h"
#include "collide/round_on_soft.h"
#include "collide/seam.h"
#include "collide/soft_crossing.h"
#include "collide/solid.h"
#include "collide/sweep.h"
#include "collide/tuning.h"
#include "geometry/box.h"
#include "math/quat.h"
#include "model/articulation.h"
#include "model/entity.h"
#include "model/fem.h"

#include <math.h>
#include <string.h>

CondStatus cond_collider_create(const CondModel* model, CondCollider* collider, CondError* error)
{
    const CondContext* m = &model->arena.context;
    cond_arena_begin(m, &collider->arena);
    collider->model = model;
    cond_volume_contacts_begin(m, &collider->found);
    collider->found.threads = model->settings.solver.threads;
    cond_pair_work_begin(m, &collider->pairs);
    cond_shared_context_begin(m, &collider->shared);
    collider->volume =
        cond_arena_allocate(&collider->arena, (size_t)model->n_body, sizeof *collider->volume);
    collider->soft =
        cond_arena_allocate(&collider->arena, (size_t)model->n_body, sizeof *collider->soft);
    if (!collider->volume || !collider->soft)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    collider->n_solid = model->n_obstacle + model->n_solid;
    if (cond_pair_memory_create(m, collider->n_solid, &collider->memory))
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    collider->pose =
        cond_arena_allocate(&collider->arena, (size_t)collider->n_solid, 7 * sizeof(double));
    collider->box =
        cond_arena_allocate(&collider->arena, (size_t)collider->n_solid, 6 * sizeof(double));
    collider->core =
        cond_arena_allocate(&collider->arena, (size_t)collider->n_solid, sizeof *collider->core);
    collider->seam_of =
        cond_arena_allocate(&collider->arena, (size_t)collider->n_solid, sizeof(int));
    collider->far =
        cond_arena_allocate(&collider->arena, (size_t)collider->n_solid, sizeof(double));
    collider->edge =
        cond_arena_allocate(&collider->arena, (size_t)model->n_edge, sizeof *collider->edge);
    collider->soft_edge_begin =
        cond_arena_allocate(&collider->arena, (size_t)model->n_body, sizeof(int));
    collider->place =
        cond_arena_allocate(&collider->arena, (size_t)model->n_feature, 3 * sizeof(double));
    collider->boundary = cond_arena_allocate(&collider->arena, (size_t)model->n_obstacle,
                                             sizeof *collider->boundary);
    collider->bounded =
        cond_arena_allocate(&collider->arena, (size_t)model->n_obstacle, sizeof(int));
    for (; collider->boundary && collider->n_boundary < model->n_obstacle; collider->n_boundary++)
        cond_boundary_begin(m, &collider->boundary[collider->n_boundary]);
    if (!collider->boundary || !collider->bounded || cond_sweep_create(model, &collider->sweep) ||
        cond_clearance_create(m, model, &collider->clearance) ||
        cond_rod_links_create(model, &collider->links) ||
        cond_broad_create(m, collider->n_solid, &collider->broad) || !collider->pose ||
        !collider->box || !collider->core || !collider->far || !collider->seam_of ||
        !collider->edge || !collider->soft_edge_begin || !collider->place)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    CondStatus status = COND_OK;
    collider->broad.threads = model->settings.solver.threads;
    collider->plain = 1;
    for (int b = 0; b < model->n_body && !status; b++) {
        const CondFem* fem = model->body[b].fem;
        CondBodyKind kind = model->body[b].kind;
        collider->plain &= kind != COND_BODY_SOFT && kind != COND_BODY_ROD;
        if (kind != COND_BODY_SOFT)
            continue;
        collider->soft[collider->n_soft++] = b;
        if (model->body[b].shell)
            status = cond_volume_create_shell(m, b, fem->n_node, fem->rest,
                                              model->body[b].n_triangle, model->body[b].triangle,
                                              fem->thickness, 0, &collider->volume[b], error);
        else
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

void cond_collider_renew(CondCollider* collider)
{
    const CondModel* model = collider->model;
    collider->placed = 0;
    cond_pair_memory_forget(&collider->memory);
    collider->links.built = 0;
    if (model->n_obstacle > 0)
        memset(collider->bounded, 0, (size_t)model->n_obstacle * sizeof *collider->bounded);
    cond_sweep_measure(model, &collider->sweep);
    cond_clearance_renew(model, &collider->clearance);
}

void cond_collider_destroy(CondCollider* collider)
{
    if (!collider->model)
        return;
    for (int b = 0; b < collider->model->n_body && collider->volume; b++)
        if (collider->volume[b])
            cond_volume_destroy(collider->volume[b]);
    for (int i = 0; i < collider->n_boundary; i++)
        cond_boundary_end(&collider->boundary[i]);
    cond_volume_contacts_end(&collider->found);
    cond_rod_links_destroy(&collider->links);
    cond_pair_work_end(&collider->pairs);
    cond_pair_rooms_end(collider);
    cond_pair_memory_destroy(&collider->memory);
    cond_shared_context_end(&collider->shared);
    cond_sweep_destroy(&collider->arena.context, &collider->sweep);
    cond_clearance_destroy(&collider->clearance);
    cond_broad_destroy(&collider->broad);
    cond_arena_release(&collider->arena);
}

typedef struct PlaceLoop {
    const CondKinematics* kinematics;
    double* place;
    int corners; // 1: those of solids as well
} PlaceLoop;

static void place_features(const void* loop, int first, int last)
{
    const PlaceLoop* l = loop;
    const CondFeature* feature = l->kinematics->model->feature;
    for (int k = first; k < last; k++)
        if (l->corners || !feature[k].shaped)
            cond_kinematics_point(l->kinematics, &feature[k].point, l->place + 3 * (size_t)k, NULL,
                                  NULL);
}

typedef struct SolidLoop {
    CondCollider* collider;
    const CondKinematics* kinematics;
    int first; // solid
} SolidLoop;

static void place_some(const void* loop, int first, int last)
{
    const SolidLoop* l = loop;
    CondCollider* collider = l->collider;
    for (int i = l->first + first; i < l->first + last; i++) {
        const CondSolid* solid = cond_solid_at(collider->model, i);
        double *pose = collider->pose + 7 * (size_t)i, now[7], R[9];
        cond_solid_pose(l->kinematics, solid, now);
        if (collider->placed && memcmp(now, pose, sizeof now) == 0)
            continue;
        memcpy(pose, now, sizeof now);
        cond_pair_memory_move(&collider->memory, i);
        cond_shape_bound(&solid->shape, pose, collider->box + 6 * (size_t)i);
        cond_core_make(&solid->shape, pose, pose, &collider->core[i]);
        if (collider->n_soft == 0)
            continue; // edges meet soft bodies alone
        quat_matrix(pose + 3, R);
        for (int k = solid->edge_begin; k < solid->edge_begin + solid->n_edge; k++)
            cond_edge_place(&collider->model->edge[k], R, pose, &collider->edge[k]);
    }
}

// Obstacles stay where they were placed first.
static void place_solids(CondCollider* collider, const CondKinematics* kinematics)
{
    SolidLoop loop = {collider, kinematics, collider->placed ? collider->model->n_obstacle : 0};
    int n = collider->n_solid - loop.first;
    cond_parallel(
        n, cond_threads(COND_CONTACT_WORK * (size_t)n, collider->model->settings.solver.threads),
        place_some, &loop);
}

static void place(CondCollider* collider, const CondKinematics* kinematics, int corners)
{
    const CondModel* model = collider->model;
    PlaceLoop loop = {kinematics, collider->place, corners || !collider->placed};
    // Behind those of the bodies are the features of obstacles, which stay where they are.
    const CondBody* last = model->n_body > 0 ? &model->body[model->n_body - 1] : NULL;
    int moving = last ? last->feature_begin + last->n_feature : 0;
    int n = collider->placed ? moving : model->n_feature;
    cond_parallel(n, cond_threads(COND_CONTACT_WORK * (size_t)n, model->settings.solver.threads),
                  place_features, &loop);
    collider->cornered = loop.corners;
}

static void place_all(CondCollider* collider, const CondKinematics* kinematics, int corners)
{
    const CondModel* model = collider->model;
    for (int i = 0; i < collider->n_soft; i++) {
        int b = collider->soft[i];
        cond_volume_update_surface(collider->volume[b], kinematics->q + model->body[b].q_begin);
    }
    place(collider, kinematics, corners);
    place_solids(collider, kinematics);
    collider->placed = 1;
}

void cond_collider_place(CondCollider* collider, const CondKinematics* kinematics)
{
    place_all(collider, kinematics, 1);
}

void cond_collider_cover(const CondCollider* collider, const double* reach, const int* which,
                         double* box)
{
    const CondModel* model = collider->model;
    double wide[6];
    for (int k = 0; k < model->n_feature; k++) {
        const CondFeature* feature = &model->feature[k];
        int b = feature->point.body;
        const double* x = collider->place + 3 * (size_t)k;
        const double point[6] = {x[0], x[1], x[2], x[0], x[1], x[2]};
        if (b < 0 || (which && !which[b]))
            continue;
        cond_box_widen(point, feature->radius + reach[b], wide);
        cond_box_join(wide, box + 6 * (size_t)b);
    }
    for (int i = model->n_obstacle; i < collider->n_solid; i++) {
        int b = cond_solid_at(model, i)->body;
        if (which && !which[b])
            continue;
        cond_box_widen(collider->box + 6 * (size_t)i, reach[b], wide);
        cond_box_join(wide, box + 6 * (size_t)b);
    }
}

// last[v] from the contact memory.
static CondStatus recall(CondCollider* collider, const CondState* state, const CondBody* a,
                         int other)
{
    const CondModel* model = collider->model;
    int n = a->fem->n_node;
    if (COND_RESERVE(&collider->arena, collider->last, n))
        return COND_OUT_OF_MEMORY;
    for (int i = 0; i < n; i++)
        collider->last[i] = -1;
    for (int k = 0; k < state->n_memory; k++) {
        uint64_t key = state->memory[k].key.pair;
        if (key < COND_KEY_SOFT || key >= COND_KEY_PAIR || (key & COND_KEY_SECOND) ||
            state->memory[k].triangle < 0)
            continue;
        uint64_t pair = key - COND_KEY_SOFT;
        int node = (int)(pair / (uint64_t)model->n_body) - a->dof_begin / 3;
        if (node >= 0 && node < n && (int)(pair % (uint64_t)model->n_body) == other)
            collider->last[node] = (int)state->memory[k].triangle;
    }
    return COND_OK;
}

static CondStatus add_soft(const CondCollider* collider, const CondKinematics* kinematics,
                           const CondVolumeContact* contact, int number, CondCandidateList* list)
{
    static const double axis[3] = {1.0, 0.0, 0.0};
    const CondModel* model = collider->model;
    const CondBody *a = &model->body[contact->body], *b = &model->body[contact->other];
    const int* corner = collider->volume[contact->other]->triangle + 3 * contact->triangle;
    CondCandidate candidate = {.plane = -1, .triangle = contact->triangle};
    candidate.point[0] =
        (CondPoint){.body = contact->body, .n_node = 1, .node = {contact->vertex}, .local = {1.0}};
    candidate.point[1] = (CondPoint){.body = contact->other, .n_node = 3};
    for (int k = 0; k < 3; k++) {
        candidate.point[1].node[k] = corner[k];
        candidate.point[1].local[k] = contact->weight[k];
    }
    cond_kinematics_point(kinematics, &candidate.point[0], candidate.position, NULL, NULL);
    mat3_frame(contact->normal, axis, candidate.frame);
    candidate.gap = contact->gap - cond_body_apart(a, b);
    candidate.key = cond_key_soft(model, a, contact->vertex, contact->other, number);
    cond_candidate_surfaces(&a->surface, &b->surface, &candidate);
    return cond_candidate_add(list, &candidate);
}

// Vertices of a against the volume of b.
static CondStatus collide_pair(CondCollider* collider, const CondKinematics* kinematics,
                               const CondState* state, int a, int b, double reach,
                               CondCandidateList* list)
{
    const CondModel* model = collider->model;
    double margin = reach + cond_body_apart(&model->body[a], &model->body[b]);
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
        status = add_soft(collider, kinematics, contact, number, list);
    }
    if (!status && a == b)
        return cond_collide_own_soft_crossings(collider, kinematics, state, a, reach, list);
    return status || a > b
               ? status
               : cond_collide_soft_crossings(collider, kinematics, state, a, b, reach, list);
}

static CondStatus collide_soft(CondCollider* collider, const CondKinematics* kinematics,
                               const CondState* state, const double* reach, CondCandidateList* list)
{
    const CondModel* model = collider->model;
    CondStatus status = COND_OK;
    for (int i = 0; i < collider->n_soft; i++)
        for (int j = 0; j < collider->n_soft && !status; j++) {
            int a = collider->soft[i], b = collider->soft[j];
            if (cond_cancelled(&model->arena.context))
                status = COND_CANCELLED;
            else if (i == j
                         ? model->body[a].self_contact
                         : cond_entities_touch(model, model->body[a].entity, model->body[b].entity))
                status =
                    collide_pair(collider, kinematics, state, a, b, fmax(reach[a], reach[b]), list);
        }
    if (!status)
        status = cond_collide_edges_on_soft(collider, kinematics, reach, list);
    if (!status)
        status = cond_collide_rounds_on_soft(collider, kinematics, reach, list);
    if (!status)
        status = cond_collide_points_on_soft(collider, kinematics, state, reach, list);
    if (!status)
        status = cond_collide_deep_on_soft(collider, kinematics, list);
    return status;
}

static CondStatus build_broad(CondCollider* collider, const double* reach)
{
    for (int i = 0; i < collider->n_solid; i++) {
        int b = cond_solid_at(collider->model, i)->body;
        collider->far[i] = b >= 0 ? reach[b] : 0.0;
    }
    return cond_broad_build(&collider->broad, collider->n_solid, collider->box, collider->far);
}

static CondStatus search(CondCollider* collider, const CondKinematics* kinematics,
                         const CondState* state, const double* reach, CondCandidateList* list)
{
    list->n = 0;
    place_all(collider, kinematics, !collider->plain || collider->visited);
    if (collider->visited)
        cond_collider_cover(collider, reach, NULL, collider->visited);
    CondStatus status = cond_collide_planes(kinematics, collider->place, reach, list);
    if (!status)
        status = build_broad(collider, reach);
    if (!status)
        status = cond_collide_solids(collider, kinematics, reach, list);
    int first = list->n;
    if (!status)
        status = cond_collide_pairs(collider, kinematics, reach, list);
    if (!status)
        status = cond_seams_leave_out(collider, first, list);
    if (!status)
        status = collide_soft(collider, kinematics, state, reach, list);
    if (!status)
        status = cond_rod_links_place(&collider->links, kinematics, state, reach);
    if (!status)
        status = cond_collide_rod_pairs(collider, kinematics, reach, list);
    if (!status)
        status = cond_collide_rods_on_soft(collider, kinematics, state, reach, list);
    if (!status)
        status = cond_collide_rods(&collider->links, kinematics, state, reach, list);
    collider->clearance.found = list->n > 0 || status; // whatever attachments hold
    if (!status)
        status = cond_collide_finish(collider, kinematics, state, list);
    return status;
}

CondStatus cond_collide(CondCollider* collider, const CondKinematics* kinematics,
                        const CondState* state, const double* reach, CondCandidateList* list)
{
    CondClearance* clearance = &collider->clearance;
    int all = !collider->visited && !collider->wanted;
    list->n = 0;
    if (all && cond_clearance_holds(clearance, kinematics, reach))
        return COND_OK;
    const double* asked = all ? cond_clearance_ask(clearance, collider->model, reach) : NULL;
    int near_edges = collider->near_edges;
    collider->near_edges |= asked != NULL; // clearance is of everything
    CondStatus status = asked ? search(collider, kinematics, state, asked, list) : COND_OK;
    collider->near_edges = near_edges;
    if (asked && !status)
        cond_clearance_answer(clearance, kinematics);
    if (!status && (!asked || clearance->found))
        status = search(collider, kinematics, state, reach, list);
    return status;
}

CondStatus cond_collide_swept(CondCollider* collider, const CondKinematics* before,
                              const CondKinematics* after, const CondState* state,
                              CondCandidateList* list)
{
    list->n = 0;
    if (cond_clearance_holds(&collider->clearance, before, NULL) &&
        cond_clearance_holds(&collider->clearance, after, NULL))
        return COND_OK;
    CondStatus status = cond_collide_sweep(collider, before, after, list);
    if (!status)
        status = cond_collide_finish(collider, after, state, list);
    return status;
}
