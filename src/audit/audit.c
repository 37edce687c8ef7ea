// Inside of a CondAudit: the things of a scene as convex pieces and closed surfaces.
#include "audit/audit.h"

#include "audit/feature.h"
#include "audit/tuning.h"
#include "base/definition.h"
#include "base/error.h"
#include "base/memory.h"
#include "math/vec3.h"
#include "model/entity.h"
#include "model/rod.h"

#include <stdio.h>
#include <string.h>

static double diagonal(const double box[6])
{
    double d[3] = {box[3] - box[0], box[4] - box[1], box[5] - box[2]};
    return vec3_norm(d);
}

CondStatus cond_audit_create(const CondModel* model, CondAudit** out, CondError* error)
{
    int most = 1;
    *out = NULL;
    CondAudit* audit = cond_allocate(&model->arena.context, 1, sizeof *audit);
    if (!audit)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    cond_arena_begin(&model->arena.context, &audit->arena);
    audit->model = model;
    for (int b = 0; b < model->n_body; b++)
        if (model->body[b].kind == COND_BODY_SOFT && model->body[b].fem->n_node > most)
            most = model->body[b].fem->n_node;
    audit->mark = cond_arena_allocate(&audit->arena, (size_t)most, 1);
    CondStatus status =
        audit->mark ? cond_kinematics_create(model, &audit->kinematics) : COND_OUT_OF_MEMORY;
    if (!status)
        status = cond_audit_list(audit);
    CondState* start = NULL;
    if (!status)
        status = cond_state_create(model, &start, NULL);
    if (!status) {
        cond_kinematics_set(&audit->kinematics, start->q);
        cond_audit_place(audit);
        for (int t = 0; t < audit->n_thing; t++)
            audit->thing[t].size = diagonal(audit->thing[t].box);
    }
    cond_state_destroy(start);
    if (status) {
        cond_audit_destroy(audit);
        return cond_error_set(error, status, "out of memory");
    }
    *out = audit;
    return COND_OK;
}

void cond_audit_destroy(CondAudit* audit)
{
    if (!audit)
        return;
    CondContext m = audit->arena.context;
    for (int i = 0; i < audit->n_piece; i++) {
        CondPieceSource* source = &audit->source[i];
        cond_release(&m, source->vertex);
        cond_release(&m, source->normal);
        cond_release(&m, source->edge);
        cond_release(&m, source->edge_vertex);
    }
    for (int i = 0; i < audit->n_surface; i++)
        cond_surface_destroy(&m, &audit->surface[i]);
    cond_kinematics_destroy(&audit->kinematics);
    cond_arena_release(&audit->arena);
    cond_release(&m, audit);
}

static void name_thing(const CondAudit* audit, const CondThing* thing, char* name, size_t size)
{
    if (thing->obstacle >= 0) {
        snprintf(name, size, "%s", audit->model->obstacle[thing->obstacle].name);
        return;
    }
    const CondBody* body = &audit->model->body[thing->body];
    if (thing->part >= 0)
        snprintf(name, size, "%.63s/%.63s", body->name, body->arm->link[thing->part].name);
    else
        snprintf(name, size, "%s", body->name);
}

// A pair of a thing with another, with itself, or with a plane (b NULL).
static CondStatus add_pair(CondAudit* audit, const CondThing* a, const CondThing* b, int plane,
                           const CondTranslation* found)
{
    if (COND_RESERVE(&audit->arena, audit->pair, audit->n_pair + 1))
        return COND_OUT_OF_MEMORY;
    CondAuditPair* pair = &audit->pair[audit->n_pair++];
    *pair = (CondAuditPair){.body = {a->body, b ? b->body : -1},
                            .link = {a->part, b ? b->part : -1},
                            .plane = plane,
                            .obstacle = b ? b->obstacle : -1,
                            .depth = -found->gap,
                            .size = a->size};
    if (b && b->size > 0.0 && (b->size < a->size || !(a->size > 0.0)))
        pair->size = b->size;
    name_thing(audit, a, pair->name[0], sizeof pair->name[0]);
    if (b)
        name_thing(audit, b, pair->name[1], sizeof pair->name[1]);
    else
        snprintf(pair->name[1], sizeof pair->name[1], "%s", audit->model->plane[plane].name);
    memcpy(pair->normal, found->normal, sizeof pair->normal);
    memcpy(pair->point, found->point, sizeof pair->point);
    return COND_OK;
}

static void turn_round(CondTranslation* t)
{
    for (int i = 0; i < 3; i++) {
        double x = t->point[0][i];
        t->point[0][i] = t->point[1][i];
        t->point[1][i] = x;
        t->normal[i] = -t->normal[i];
    }
}

// Half the thickness of a shell, whose surface is its middle [m].
static double half_of(const CondAudit* audit, const CondThing* thing)
{
    return thing->body >= 0 ? cond_body_half(&audit->model->body[thing->body]) : 0.0;
}

// The deepest point below a plane.
static void against_plane(const CondAudit* audit, const CondThing* thing, const CondPlane* plane,
                          CondTranslation* out)
{
    double minus[3], x[3];
    for (int i = 0; i < 3; i++) {
        minus[i] = -plane->frame[i];
        out->normal[i] = plane->frame[i];
    }
    out->gap = INFINITY;
    for (int k = thing->piece_begin; k < thing->piece_begin + thing->n_piece; k++) {
        const CondPiece* piece = &audit->piece[k];
        double gap = -cond_piece_support(piece, minus, x) - piece->radius - plane->offset;
        if (gap < out->gap)
            for (int i = 0; i < 3; i++)
                out->point[0][i] = x[i] - piece->radius * plane->frame[i];
        out->gap = fmin(out->gap, gap);
    }
    for (int k = thing->surface_begin; k < thing->surface_begin + thing->n_surface; k++) {
        const CondSurface* surface = &audit->surface[k];
        for (int v = 0; v < surface->n_vertex; v++) {
            const double* at = surface->vertex + 3 * (size_t)v;
            double gap = vec3_dot(plane->frame, at) - plane->offset - half_of(audit, thing);
            if (!surface->used[v] || gap >= out->gap)
                continue;
            out->gap = gap;
            memcpy(out->point[0], at, sizeof out->point[0]);
        }
    }
    for (int i = 0; i < 3; i++)
        out->point[1][i] = out->point[0][i] - out->gap * plane->frame[i];
}

// 1 when one of the two is a rod that is held to the other near this piece.
static int is_held(const CondAudit* audit, const CondState* state, const CondThing* a, int i,
                   const CondThing* b)
{
    int link = audit->source[i].link;
    return link >= 0 && cond_audit_is_held(audit->model, state, a->body, link, b);
}

static void take(const CondTranslation* here, int turned, double thickness, CondTranslation* out)
{
    if (here->gap - thickness >= out->gap)
        return;
    *out = *here;
    out->gap -= thickness;
    if (turned)
        turn_round(out);
}

// What two shapes, or a shape and what is none (NULL), may be in each other [m]; INFINITY where
// they do not touch.
static double allowance(const CondAudit* audit, const CondSolid* a, const CondSolid* b)
{
    if (!a || !b)
        return 0.0;
    return cond_solids_touch(audit->model, a, b)
               ? cond_pair_allowance(audit->model, a->number, b->number)
               : INFINITY;
}

static void pieces_pieces(const CondAudit* audit, const CondState* state, const CondThing* a,
                          const CondThing* b, double reach, CondTranslation* out)
{
    CondTranslation here;
    double box[2][6];
    for (int i = a->piece_begin; i < a->piece_begin + a->n_piece; i++) {
        cond_piece_box(&audit->piece[i], box[0]);
        if (is_held(audit, state, a, i, b) || cond_audit_boxes(box[0], b->box) > reach)
            continue;
        for (int j = b->piece_begin; j < b->piece_begin + b->n_piece; j++) {
            cond_piece_box(&audit->piece[j], box[1]);
            double apart = cond_audit_boxes(box[0], box[1]);
            if (apart > reach || (apart > 0.0 && apart >= out->gap) ||
                is_held(audit, state, b, j, a))
                continue;
            double allowed = allowance(audit, audit->source[i].solid, audit->source[j].solid);
            if (isinf(allowed))
                continue;
            cond_pieces_translation(&audit->piece[i], &audit->piece[j], &here);
            take(&here, 0, -allowed, out);
        }
    }
}

static int is_soft(const CondAudit* audit, const CondThing* thing)
{
    return thing->body >= 0 && audit->model->body[thing->body].kind == COND_BODY_SOFT;
}

// Surfaces of a against the pieces of b; turned: b is the first of the pair.
static void surfaces_pieces(CondAudit* audit, const CondState* state, const CondThing* a,
                            const CondThing* b, double reach, int turned, CondTranslation* out)
{
    CondTranslation here;
    for (int i = a->surface_begin; i < a->surface_begin + a->n_surface; i++) {
        CondSurface* surface = &audit->surface[i];
        if (is_soft(audit, a))
            cond_audit_mark_held(audit->model, state, a->body, b->body, surface);
        for (int j = b->piece_begin; j < b->piece_begin + b->n_piece; j++) {
            double box[6];
            cond_piece_box(&audit->piece[j], box);
            double apart = cond_audit_boxes(surface->box, box);
            if (apart > reach + half_of(audit, a) ||
                (apart > 0.0 && apart - half_of(audit, a) >= out->gap) ||
                is_held(audit, state, b, j, a))
                continue;
            double allowed = allowance(audit, audit->surface_from[i], audit->source[j].solid);
            if (isinf(allowed))
                continue;
            cond_surface_piece(surface, &audit->piece[j], &here);
            take(&here, turned, half_of(audit, a) - allowed, out);
        }
    }
}

static void surfaces_surfaces(CondAudit* audit, const CondState* state, const CondThing* a,
                              const CondThing* b, double reach, CondTranslation* out)
{
    CondTranslation here;
    double thickness = 0.0;
    if (is_soft(audit, a) && is_soft(audit, b))
        thickness = cond_body_apart(&audit->model->body[a->body], &audit->model->body[b->body]);
    else
        thickness = half_of(audit, a) + half_of(audit, b);
    for (int i = a->surface_begin; i < a->surface_begin + a->n_surface; i++) {
        if (is_soft(audit, a))
            cond_audit_mark_held(audit->model, state, a->body, b->body, &audit->surface[i]);
        for (int j = b->surface_begin; j < b->surface_begin + b->n_surface; j++) {
            if (cond_audit_boxes(audit->surface[i].box, audit->surface[j].box) > reach + thickness)
                continue;
            if (is_soft(audit, b))
                cond_audit_mark_held(audit->model, state, b->body, a->body, &audit->surface[j]);
            double allowed = allowance(audit, audit->surface_from[i], audit->surface_from[j]);
            if (isinf(allowed))
                continue;
            cond_surface_surface(&audit->surface[i], &audit->surface[j], &here);
            take(&here, 0, thickness - allowed, out);
        }
    }
}

// The links of a rod against each other.
static void rod_itself(const CondAudit* audit, const CondThing* a, double reach,
                       CondTranslation* out)
{
    const CondRod* rod = audit->model->body[a->body].rod;
    CondTranslation here;
    for (int i = 0; i < a->n_piece; i++)
        for (int j = i + 1; j < a->n_piece; j++) {
            const CondPiece* p = &audit->piece[a->piece_begin + i];
            const CondPiece* q = &audit->piece[a->piece_begin + j];
            double d[3] = {p->centre[0] - q->centre[0], p->centre[1] - q->centre[1],
                           p->centre[2] - q->centre[2]};
            double apart = vec3_norm(d) - p->half[2] - q->half[2] - p->radius - q->radius;
            if (cond_audit_are_neighbours(rod, i, j) || apart > reach || apart >= out->gap)
                continue;
            cond_pieces_translation(p, q, &here);
            take(&here, 0, 0.0, out);
        }
}

// 1 when no motion changes where the pair touches: each side is static, or lies on the axis of the
// one joint of a robot that could move it.
static int is_idle(const CondAudit* audit, const CondThing* a, const CondThing* b,
                   const CondTranslation* found)
{
    const CondThing* thing[2] = {a, b};
    double moved = 0.0;
    for (int side = 0; side < 2; side++) {
        if (!thing[side] || !thing[side]->moves)
            continue;
        if (audit->model->body[thing[side]->body].kind != COND_BODY_ROBOT)
            return 0;
        double origin[3], R[9], d[3], world[3];
        CondPoint point = {.body = thing[side]->body, .link = thing[side]->part};
        cond_kinematics_axes(&audit->kinematics, point.body, point.link, origin, R);
        for (int i = 0; i < 3; i++)
            d[i] = found->point[side][i] - origin[i];
        mat3_multiply_transposed(R, d, point.local);
        int n = cond_kinematics_point(&audit->kinematics, &point, world, NULL,
                                      audit->kinematics.columns);
        for (int k = 0; k < 3 * n; k++)
            moved += audit->kinematics.columns[k] * audit->kinematics.columns[k];
    }
    return moved < COND_AUDIT_ROUNDING;
}

// Lists the pair where it is near enough.
static CondStatus conclude(CondAudit* audit, const CondThing* a, const CondThing* b, int plane,
                           double reach, const CondTranslation* found)
{
    if (!(found->gap <= reach) || isinf(found->gap) || (a != b && is_idle(audit, a, b, found)))
        return COND_OK;
    return add_pair(audit, a, b, plane, found);
}

static CondStatus audit_pair(CondAudit* audit, const CondState* state, const CondThing* a,
                             const CondThing* b, double reach)
{
    CondTranslation out = {.gap = INFINITY};
    double thickness = 0.0;
    if (is_soft(audit, a) && is_soft(audit, b))
        thickness =
            fmax(audit->model->body[a->body].thickness, audit->model->body[b->body].thickness);
    if (!cond_audit_may_touch(audit->model, state, a, b) ||
        cond_audit_boxes(a->box, b->box) > reach + thickness)
        return COND_OK;
    pieces_pieces(audit, state, a, b, reach, &out);
    surfaces_pieces(audit, state, a, b, reach, 0, &out);
    surfaces_pieces(audit, state, b, a, reach, 1, &out);
    surfaces_surfaces(audit, state, a, b, reach, &out);
    return conclude(audit, a, b, -1, reach, &out);
}

// Planes, and a body with itself.
static CondStatus audit_alone(CondAudit* audit, const CondThing* thing, double reach)
{
    CondStatus status = COND_OK;
    CondTranslation out = {.gap = INFINITY};
    for (int i = 0; i < audit->model->n_plane && thing->moves && !status; i++) {
        if (!cond_entities_touch(audit->model, thing->entity, audit->model->plane[i].entity))
            continue;
        against_plane(audit, thing, &audit->model->plane[i], &out);
        status = conclude(audit, thing, NULL, i, reach, &out);
    }
    if (status || thing->body < 0 || !audit->model->body[thing->body].self_contact ||
        audit->model->body[thing->body].kind == COND_BODY_ROBOT)
        return status;
    out = (CondTranslation){.gap = INFINITY};
    if (audit->model->body[thing->body].kind == COND_BODY_ROD)
        rod_itself(audit, thing, reach, &out);
    else if (!is_soft(audit, thing) || !cond_audit_fold(audit, thing, &out))
        return COND_OK;
    return conclude(audit, thing, thing, -1, reach, &out);
}

CondStatus cond_audit_run(CondAudit* audit, const CondState* state, double reach)
{
    CondStatus status = COND_OK;
    reach = fmax(reach, 0.0);
    audit->n_pair = 0;
    cond_kinematics_set(&audit->kinematics, state->q);
    cond_audit_place(audit);
    for (int i = 0; i < audit->n_thing && !status; i++) {
        status = audit_alone(audit, &audit->thing[i], reach);
        for (int j = 0; j < i && !status; j++)
            status = audit_pair(audit, state, &audit->thing[i], &audit->thing[j], reach);
    }
    return cond_error_pass(status, "cond_audit_run");
}

int cond_audit_n_pair(const CondAudit* audit)
{
    return audit->n_pair;
}

static CondAuditPair audit_pair_whole(const CondAudit* audit, int pair)
{
    return audit->pair[pair];
}

void cond_audit_pair_sized(const CondAudit* audit, int pair, CondAuditPair* made, size_t size)
{
    const CondAuditPair own = audit_pair_whole(audit, pair);
    cond_struct_give(made, size, &own, sizeof own);
}

int cond_audit_deepest(const CondAudit* audit)
{
    int best = -1;
    for (int i = 0; i < audit->n_pair; i++)
        if (best < 0 || audit->pair[i].depth > audit->pair[best].depth)
            best = i;
    return best;
}
