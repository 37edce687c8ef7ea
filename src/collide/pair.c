// Rigid shapes against each other and against planes: the contacts a pair truly has at its pose.
#include "collide/pair.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/tuning.h"
#include "body/body.h"
#include "collide/collide.h"
#include "collide/mesh_pair.h"
#include "collide/solid.h"
#include "collide/tuning.h"
#include "geometry/box.h"
#include "geometry/fan.h"
#include "geometry/mesh_surface.h"
#include "geometry/separation.h"
#include "math/quat.h"
#include "model/entity.h"

#include <math.h>
#include <string.h>

void cond_pair_work_begin(const CondContext* context, CondPairWork* work)
{
    memset(work, 0, sizeof *work);
    for (int k = 0; k < 2; k++) {
        cond_facet_begin(context, &work->facet[k]);
        cond_tree_hits_begin(context, &work->hits[k]);
        cond_mesh_near_begin(context, &work->near_of[k]);
    }
    cond_arena_begin(context, &work->arena);
    cond_manifold_begin(context, &work->manifold);
    cond_manifold_begin(context, &work->part);
    cond_pair_depth_begin(context, &work->deep);
}

void cond_pair_work_end(CondPairWork* work)
{
    for (int k = 0; k < 2; k++) {
        cond_facet_end(&work->facet[k]);
        cond_tree_hits_end(&work->hits[k]);
        cond_mesh_near_end(&work->near_of[k]);
    }
    cond_arena_release(&work->arena);
    cond_manifold_end(&work->manifold);
    cond_manifold_end(&work->part);
    cond_pair_depth_end(&work->deep);
}

// The meetings along one normal.
static CondStatus meet_along(CondPairWork* work, const CondCore* a, const CondCore* b,
                             const CondSeparation* apart, double far)
{
    const double *n = apart->normal, back[3] = {-n[0], -n[1], -n[2]};
    CondStatus status = cond_facet_make(a, back, &work->facet[0]);
    if (!status)
        status = cond_facet_make(b, n, &work->facet[1]);
    if (!status)
        status =
            cond_manifold_make(&work->facet[0], a->round, &work->facet[1], b->round, n, far,
                               COND_SINGLE_PRECISION * fmin(a->size, b->size), &work->manifold);
    return status ? status : cond_manifold_hold(a, b, apart, &work->manifold);
}

// Where two cores meet that are apart so, within `far`.
static CondStatus cores_touch(CondPairWork* work, const CondCore* a, const CondCore* b,
                              const CondSeparation* known, double far)
{
    double tie = COND_TOUCH * fmin(a->size, b->size), on_a[3], on_b[3];
    CondSeparation apart = *known;
    CondStatus status = meet_along(work, a, b, &apart, far);
    if (status || !cond_cores_may_fan(a, b, &apart, tie) ||
        !cond_manifold_is_sharp(&work->manifold, apart.apart + tie, tie, on_a, on_b) ||
        !cond_cores_fan(a, b, on_a, on_b, tie, &apart))
        return status;
    work->manifold.n = 0;
    return meet_along(work, a, b, &apart, far);
}

CondStatus cond_cores_meet(CondPairWork* work, const CondCore* a, const CondCore* b, double far)
{
    CondSeparation apart;
    work->manifold.n = 0;
    return cond_cores_separate(a, b, far, &apart) ? cores_touch(work, a, b, &apart, far) : COND_OK;
}

typedef struct Side {
    int index; // obstacles first, then the bodies'
    const CondSolid* solid;
    const double *pose, *box;
} Side;

static Side side_of(const CondCollider* collider, int index)
{
    return (Side){index, cond_solid_at(collider->model, index), collider->pose + 7 * (size_t)index,
                  collider->box + 6 * (size_t)index};
}

static int is_still(const CondSolid* solid)
{
    return solid->body < 0 || solid->fixed;
}

// The surfaces of a pair, and what the pair says itself.
static void take_surfaces(const CondSkin* a, const CondSkin* b, const CondPairRule* rule,
                          CondCandidate* candidate)
{
    cond_candidate_surfaces(a, b, candidate);
    if (rule && !isnan(rule->surface.friction[0]))
        memcpy(candidate->friction, rule->surface.friction, sizeof candidate->friction);
    if (rule && !isnan(rule->surface.restitution))
        candidate->restitution = rule->surface.restitution;
}

// Contacts from meetings, of which body and part on side 1; positions are from `origin`. allowance:
// the overlap that counts as touching.
static CondStatus add_candidates(const CondKinematics* kinematics, const CondSolid* a,
                                 CondCandidate* candidate, int body, int part,
                                 const double origin[3], uint64_t pair, double allowance,
                                 const CondManifold* manifold, CondCandidateList* list)
{
    static const double axis[3] = {1.0, 0.0, 0.0};
    CondStatus status = COND_OK;
    int first = list->n;
    for (int k = 0; k < manifold->n && !status; k++) {
        const CondManifoldPoint* meeting = &manifold->meeting[k];
        double p[3];
        for (int i = 0; i < 3; i++) {
            p[i] = meeting->point[0][i] + origin[i];
            candidate->position[i] = meeting->point[1][i] + origin[i];
        }
        if (candidate->plane < 0)
            mat3_frame(meeting->normal, axis, candidate->frame);
        candidate->point[0] = cond_point_at(kinematics, a->body, a->part, p);
        candidate->point[1] = cond_point_at(kinematics, body, part, candidate->position);
        candidate->gap = meeting->gap + allowance;
        candidate->key = (CondContactKey){.pair = pair, .role = meeting->role};
        status = cond_candidate_add(list, candidate);
    }
    for (int k = first + 1; k < list->n; k++) {
        if (!cond_key_less(list->candidate[k].key, list->candidate[k - 1].key))
            continue; // mostly they come so
        CondCandidate moving = list->candidate[k];
        int at = k;
        for (; at > first && cond_key_less(moving.key, list->candidate[at - 1].key); at--)
            list->candidate[at] = list->candidate[at - 1];
        list->candidate[at] = moving;
    }
    return status;
}

int cond_shape_is_hollow(const CondShape* shape)
{
    return shape->form == COND_FORM_MESH && !shape->mesh_surface->poly.convex;
}

CondStatus cond_shapes_meet(CondPairWork* work, const CondShape* a, const CondCore* core_a,
                            const CondShape* b, const CondCore* core_b, double far)
{
    int mesh_a = cond_shape_is_hollow(a), mesh_b = cond_shape_is_hollow(b);
    double small = COND_SINGLE_PRECISION * fmin(core_a->size, core_b->size);
    if (mesh_a && mesh_b)
        return cond_mesh_meets_mesh(work, core_a, core_b, far, small);
    if (mesh_b)
        return cond_mesh_meets_core(work, core_b, core_a, a, 0, far, small);
    if (mesh_a)
        return cond_mesh_meets_core(work, core_a, core_b, b, 1, far, small);
    return cond_cores_meet(work, core_a, core_b, far);
}

// a moves.
static CondStatus collide_pair(const CondCollider* collider, const CondKinematics* kinematics,
                               const Side* a, const Side* b, double far, CondPairKnown* known,
                               CondPairRoom* room)
{
    const CondModel* model = collider->model;
    CondPairWork* work = &room->work;
    CondCore core_a = cond_collider_core(collider, a->index, b->pose);
    CondCore core_b = cond_collider_core(collider, b->index, b->pose);
    CondStatus status = COND_OK;
    work->manifold.n = 0;
    if (cond_shape_is_hollow(&a->solid->shape) || cond_shape_is_hollow(&b->solid->shape))
        status = cond_shapes_meet(work, &a->solid->shape, &core_a, &b->solid->shape, &core_b, far);
    else if (cond_pair_separate(&collider->memory, known, &core_a, &core_b, far))
        status = cores_touch(work, &core_a, &core_b, &known->apart, far);
    if (status || work->manifold.n == 0)
        return status;
    CondCandidate candidate = {.plane = -1, .triangle = -1, .solid = {a->index, b->index}};
    uint64_t first = (uint64_t)a->solid->number * (uint64_t)model->n_numbered[1];
    uint64_t pair = first + (uint64_t)b->solid->number;
    const CondPairRule* rule = cond_pair_rule(model, a->solid->number, b->solid->number);
    take_surfaces(&a->solid->surface, &b->solid->surface, rule, &candidate);
    return add_candidates(kinematics, a->solid, &candidate, b->solid->fixed ? -1 : b->solid->body,
                          b->solid->part, b->pose, COND_KEY_PAIR + pair,
                          rule ? rule->allowance : 0.0, &work->manifold, room->to);
}

// A search for pairs, in as many parts as there are rooms for it.
typedef struct PairLoop {
    CondCollider* collider;
    const CondKinematics* kinematics;
    const double* reach;
    int n_part;
} PairLoop;

// 1 for a body, or what is static, whose contacts with others of this kind are not asked for.
static int is_unwanted(const CondCollider* collider, const CondSolid* solid)
{
    return collider->wanted && (solid->body < 0 || !collider->wanted[solid->body]);
}

// Pair k of those that the broad phase has left.
static CondStatus collide_solids(const PairLoop* l, int k, CondPairRoom* room)
{
    const CondCollider* collider = l->collider;
    const int* pair = collider->broad.pairs.pair[k];
    CondPairKnown* known = &collider->memory.known[collider->memory.place[k]];
    Side a = side_of(collider, pair[1]), b = side_of(collider, pair[0]);
    if ((is_still(a.solid) && is_still(b.solid)) ||
        (is_unwanted(collider, a.solid) && is_unwanted(collider, b.solid)) ||
        !cond_solids_touch(collider->model, a.solid, b.solid))
        return COND_OK;
    // A body's reach is twice its way: enough for two of its links that come towards each other.
    int other = b.solid->body == a.solid->body ? -1 : b.solid->body;
    double far = l->reach[a.solid->body] + (other >= 0 ? l->reach[other] : 0.0);
    return is_still(a.solid) ? collide_pair(collider, l->kinematics, &b, &a, far, known, room)
                             : collide_pair(collider, l->kinematics, &a, &b, far, known, room);
}

// ---- planes

// 1 where a box is farther from a plane than `far`, by more than rounding.
static int is_above(const CondPlane* plane, const double box[6], double far)
{
    double least = -plane->offset, size = 0.0;
    for (int i = 0; i < 3; i++) {
        double n = plane->frame[i];
        least += n * (n > 0.0 ? box[i] : box[3 + i]);
        size += box[3 + i] - box[i];
    }
    return least > far + COND_SINGLE_PRECISION * size;
}

static CondStatus collide_plane(const CondCollider* collider, const CondKinematics* kinematics,
                                const Side* a, int i_plane, double far, CondPairRoom* room)
{
    const CondModel* model = collider->model;
    const CondPlane* plane = &model->plane[i_plane];
    CondPairWork* work = &room->work;
    const double *n = plane->frame, back[3] = {-n[0], -n[1], -n[2]};
    double x[3], offset = plane->offset - vec3_dot(n, a->pose);
    if (is_above(plane, a->box, far))
        return COND_OK;
    CondCore core = cond_collider_core(collider, a->index, a->pose);
    cond_core_support(&core, back, 0, x);
    if (!(vec3_dot(n, x) - offset - core.round <= far))
        return COND_OK;
    CondStatus status =
        cond_shape_is_hollow(&a->solid->shape)
            ? cond_mesh_on_plane(&core, n, offset, far, COND_SINGLE_PRECISION * core.size,
                                 &work->part, &work->manifold)
            : cond_facet_make(&core, back, &work->facet[0]);
    if (!status && !cond_shape_is_hollow(&a->solid->shape))
        status = cond_manifold_on_plane(&work->facet[0], core.round, n, offset, far,
                                        COND_SINGLE_PRECISION * core.size, &work->manifold);
    if (status)
        return status;
    CondCandidate candidate = {.plane = i_plane, .triangle = -1, .solid = {a->index, -1}};
    uint64_t pair = (uint64_t)a->solid->number * (uint64_t)model->n_plane + (uint64_t)i_plane;
    memcpy(candidate.frame, plane->frame, sizeof candidate.frame);
    take_surfaces(&plane->surface, &a->solid->surface,
                  cond_pair_rule(model, a->solid->number, -1 - plane->entity), &candidate);
    return add_candidates(kinematics, a->solid, &candidate, -1, 0, a->pose, COND_KEY_GROUND + pair,
                          0.0, &work->manifold, room->to);
}

// Solid i against the planes.
static CondStatus collide_planes(const PairLoop* l, int i, CondPairRoom* room)
{
    const CondModel* model = l->collider->model;
    Side a = side_of(l->collider, i);
    CondStatus status = COND_OK;
    if (is_still(a.solid) || is_unwanted(l->collider, a.solid))
        return COND_OK;
    for (int p = 0; p < model->n_plane && !status; p++)
        if (cond_solid_touches(model, a.solid, model->plane[p].entity))
            status =
                collide_plane(l->collider, l->kinematics, &a, p, l->reach[a.solid->body], room);
    return status;
}

// ---- the search

static CondStatus reserve_rooms(CondCollider* collider, int n)
{
    CondContext context = cond_shared_context(&collider->shared);
    if (COND_RESERVE(&collider->arena, collider->room, n))
        return COND_OUT_OF_MEMORY;
    for (; collider->n_room < n; collider->n_room++) {
        CondPairRoom* room = &collider->room[collider->n_room];
        cond_pair_work_begin(&context, &room->work);
        cond_candidates_begin(&context, &room->list);
    }
    return COND_OK;
}

void cond_pair_rooms_end(CondCollider* collider)
{
    for (int k = 0; k < collider->n_room; k++) {
        cond_pair_work_end(&collider->room[k].work);
        cond_candidates_end(&collider->room[k].list);
    }
    collider->n_room = 0;
}

// Parts of the pairs and of the solids; what is found does not depend on how many there are.
static void search_parts(const void* loop, int first, int last)
{
    const PairLoop* l = loop;
    int n_pair = l->collider->broad.pairs.n, begin = l->collider->model->n_obstacle;
    int n_solid = l->collider->n_solid - begin, n = l->n_part;
    for (int part = first; part < last; part++) {
        CondPairRoom* room = &l->collider->room[part];
        CondStatus status = COND_OK;
        for (int k = cond_team_first(n_pair, part, n);
             k < cond_team_first(n_pair, part + 1, n) && !status; k++)
            status = collide_solids(l, k, room);
        for (int i = cond_team_first(n_solid, part, n);
             i < cond_team_first(n_solid, part + 1, n) && !status; i++)
            status = collide_planes(l, begin + i, room);
        room->status = status;
    }
}

// Appends what the parts have found.
static CondStatus gather_parts(const CondCollider* collider, int n, CondCandidateList* list)
{
    int found = list->n;
    for (int k = 0; k < n; k++) {
        if (collider->room[k].status)
            return collider->room[k].status;
        found += collider->room[k].list.n;
    }
    if (cond_candidates_reserve(list, found))
        return COND_OUT_OF_MEMORY;
    for (int k = 0; k < n; k++) {
        const CondCandidateList* part = &collider->room[k].list;
        if (part->n > 0)
            memcpy(list->candidate + list->n, part->candidate,
                   (size_t)part->n * sizeof *part->candidate);
        list->n += part->n;
    }
    return COND_OK;
}

CondStatus cond_collide_pairs(CondCollider* collider, const CondKinematics* kinematics,
                              const double* reach, CondCandidateList* list)
{
    const CondTreePairs* pairs = &collider->broad.pairs;
    CondStatus status = cond_broad_pairs(&collider->broad);
    int n_thread = cond_threads(COND_CONTACT_WORK * ((size_t)pairs->n + (size_t)collider->n_solid),
                                collider->model->settings.solver.threads);
    int n_part = n_thread > 1 ? COND_LOOP_SHARES * n_thread : 1;
    if (!status)
        status = cond_pair_memory_begin(&collider->memory, pairs);
    if (!status)
        status = reserve_rooms(collider, n_part);
    if (status)
        return status;
    for (int k = 0; k < n_part; k++) {
        collider->room[k].list.n = 0;
        collider->room[k].to = n_thread > 1 ? &collider->room[k].list : list;
    }
    PairLoop loop = {collider, kinematics, reach, n_part};
    cond_parallel(n_part, n_thread, search_parts, &loop);
    return gather_parts(collider, n_part, list);
}
