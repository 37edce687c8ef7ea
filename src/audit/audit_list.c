// The things of a model, piece by piece, and where they are.
#include "audit/audit.h"
#include "base/memory.h"
#include "geometry/mesh_surface.h" // the compiled meshes; none of its functions
#include "math/quat.h"
#include "model/entity.h"
#include "model/rod.h"

#include <string.h>

// Directions and ends of the edges of a convex mesh.
static CondStatus make_hull(const CondContext* m, const CondMeshSurface* mesh_surface,
                            CondPiece* piece, CondPieceSource* source)
{
    size_t edges = 3 * (size_t)mesh_surface->n_face / 2 + 3;
    source->vertex = cond_allocate(m, 3 * (size_t)mesh_surface->n_vertex, sizeof(double));
    source->normal = cond_allocate(m, 3 * (size_t)mesh_surface->n_face, sizeof(double));
    source->edge = cond_allocate(m, 3 * edges, sizeof(double));
    source->edge_vertex = cond_allocate(m, 2 * edges, sizeof(int));
    if (!source->vertex || !source->normal || !source->edge || !source->edge_vertex)
        return COND_OUT_OF_MEMORY;
    piece->n_vertex = mesh_surface->n_vertex;
    piece->n_face = mesh_surface->n_face;
    piece->face = mesh_surface->face;
    piece->vertex = source->vertex;
    piece->normal = source->normal;
    piece->edge = source->edge;
    for (int k = 0; k < 3 * mesh_surface->n_face; k++) {
        int u = mesh_surface->face[k], w = mesh_surface->face[k - k % 3 + (k + 1) % 3];
        if (u > w)
            continue; // the face beyond has it the other way round
        source->edge_vertex[2 * (size_t)piece->n_edge] = u;
        source->edge_vertex[2 * (size_t)piece->n_edge + 1] = w;
        piece->n_edge++;
    }
    return COND_OK;
}

static CondStatus add_piece(CondAudit* audit, const CondPiece* piece, const CondPieceSource* source)
{
    if (COND_RESERVE(&audit->arena, audit->piece, audit->n_piece + 1) ||
        COND_RESERVE(&audit->arena, audit->source, audit->n_piece + 1))
        return COND_OUT_OF_MEMORY;
    audit->piece[audit->n_piece] = *piece;
    audit->source[audit->n_piece] = *source;
    CondStatus status = COND_OK;
    if (piece->kind == COND_PIECE_HULL)
        status = make_hull(&audit->arena.context, source->solid->shape.mesh_surface,
                           &audit->piece[audit->n_piece], &audit->source[audit->n_piece]);
    audit->n_piece++;
    return status;
}

static CondStatus add_surface(CondAudit* audit, const CondSolid* solid, const CondBody* soft)
{
    if (COND_RESERVE(&audit->arena, audit->surface, audit->n_surface + 1) ||
        COND_RESERVE(&audit->arena, audit->surface_from, audit->n_surface + 1))
        return COND_OUT_OF_MEMORY;
    CondSurface* surface = &audit->surface[audit->n_surface];
    audit->surface_from[audit->n_surface++] = solid;
    if (soft && soft->shell) { // both sides of every triangle: a surface that holds nothing
        int* side = cond_arena_allocate(&audit->arena, 6 * (size_t)soft->n_triangle, sizeof *side);
        if (!side)
            return COND_OUT_OF_MEMORY;
        for (int k = 0; k < 3 * soft->n_triangle; k++) {
            side[k] = soft->triangle[k];
            side[3 * soft->n_triangle + k] = soft->triangle[k - k % 3 + 2 - k % 3];
        }
        return cond_surface_create(&audit->arena.context, soft->fem->n_node, 2 * soft->n_triangle,
                                   side, surface);
    }
    if (soft)
        return cond_surface_create(&audit->arena.context, soft->fem->n_node, soft->n_triangle,
                                   soft->triangle, surface);
    const CondMeshSurface* mesh_surface = solid->shape.mesh_surface;
    return cond_surface_create(&audit->arena.context, mesh_surface->n_vertex, mesh_surface->n_face,
                               mesh_surface->face, surface);
}

// A shape of a solid: a convex piece, or the surface of a mesh.
static CondStatus add_solid(CondAudit* audit, const CondSolid* solid)
{
    const CondShape* shape = &solid->shape;
    CondPiece piece = {.radius = shape->margin};
    const CondPieceSource source = {.solid = solid, .link = -1};
    memcpy(piece.half, shape->half, sizeof piece.half);
    switch (shape->form) {
    case COND_FORM_SPHERE:
        piece.kind = COND_PIECE_POINT;
        piece.radius += shape->radius;
        break;
    case COND_FORM_CAPSULE:
        piece.kind = COND_PIECE_SEGMENT;
        piece.radius += shape->radius;
        break;
    case COND_FORM_BOX:
        piece.kind = COND_PIECE_BOX;
        break;
    case COND_FORM_CYLINDER:
        piece.kind = COND_PIECE_CYLINDER;
        piece.half[0] = shape->radius;
        break;
    case COND_FORM_CONVEX:
        piece.kind = COND_PIECE_HULL;
        break;
    case COND_FORM_MESH:
        return add_surface(audit, solid, NULL);
    case COND_FORM_PLANE:
        return COND_OK;
    }
    return add_piece(audit, &piece, &source);
}

// Begins a thing; its pieces and surfaces follow.
static CondStatus begin_thing(CondAudit* audit, int body, int part, int obstacle)
{
    if (COND_RESERVE(&audit->arena, audit->thing, audit->n_thing + 1))
        return COND_OUT_OF_MEMORY;
    audit->thing[audit->n_thing++] = (CondThing){.body = body,
                                                 .part = part,
                                                 .obstacle = obstacle,
                                                 .moves = body >= 0,
                                                 .piece_begin = audit->n_piece,
                                                 .surface_begin = audit->n_surface};
    audit->thing[audit->n_thing - 1].entity =
        body < 0 ? audit->model->obstacle[obstacle].entity
                 : cond_entity_of(&audit->model->body[body], part < 0 ? 0 : part);
    return COND_OK;
}

static void end_thing(CondAudit* audit)
{
    CondThing* thing = &audit->thing[audit->n_thing - 1];
    thing->n_piece = audit->n_piece - thing->piece_begin;
    thing->n_surface = audit->n_surface - thing->surface_begin;
    if (thing->n_piece + thing->n_surface == 0)
        audit->n_thing--;
}

// All solids of a body, or of one link of it.
static CondStatus list_solids(CondAudit* audit, int body, int part)
{
    const CondModel* model = audit->model;
    CondStatus status = begin_thing(audit, body, part, -1);
    for (int i = 0; i < model->n_solid && !status; i++) {
        const CondSolid* solid = &model->solid[i];
        if (solid->body != body || (part >= 0 && solid->part != part))
            continue;
        status = add_solid(audit, solid);
        audit->thing[audit->n_thing - 1].moves = !solid->fixed;
    }
    return status;
}

static CondStatus list_points(CondAudit* audit, const CondBody* body)
{
    CondStatus status = COND_OK;
    CondThing* thing = &audit->thing[audit->n_thing - 1];
    if (audit->n_piece > thing->piece_begin || audit->n_surface > thing->surface_begin)
        return COND_OK;
    thing->hollow = 1;
    for (int k = 0; k < body->n_feature && !status; k++) {
        const CondFeature* feature = &audit->model->feature[body->feature_begin + k];
        const CondPiece piece = {.kind = COND_PIECE_POINT, .radius = feature->radius};
        const CondPieceSource source = {.point = feature->point, .link = -1};
        status = add_piece(audit, &piece, &source);
    }
    return status;
}

static CondStatus list_rod(CondAudit* audit, const CondBody* body)
{
    CondStatus status = begin_thing(audit, body->index, -1, -1);
    for (int i = 0; i < body->rod->n_link && !status; i++) {
        CondPiece piece = {.kind = COND_PIECE_SEGMENT, .radius = body->rod->radius};
        const CondPieceSource source = {.link = i};
        piece.half[2] = 0.5 * body->rod->length[i];
        status = add_piece(audit, &piece, &source);
    }
    return status;
}

static CondStatus list_body(CondAudit* audit, const CondBody* body)
{
    CondStatus status = COND_OK;
    switch (body->kind) {
    case COND_BODY_PARTICLE:
    case COND_BODY_RIGID:
        status = list_solids(audit, body->index, -1);
        if (!status)
            status = list_points(audit, body);
        break;
    case COND_BODY_SOFT:
    case COND_BODY_SHELL:
        status = begin_thing(audit, body->index, -1, -1);
        if (!status)
            status = add_surface(audit, NULL, body);
        break;
    case COND_BODY_ROD:
        status = list_rod(audit, body);
        break;
    case COND_BODY_ROBOT:
        for (int i = 0; i < body->arm->n_link && !status; i++) {
            status = list_solids(audit, body->index, i);
            if (!status)
                end_thing(audit);
        }
        return status;
    }
    if (!status)
        end_thing(audit);
    return status;
}

CondStatus cond_audit_list(CondAudit* audit)
{
    const CondModel* model = audit->model;
    CondStatus status = COND_OK;
    for (int i = 0; i < model->n_obstacle && !status; i++) {
        status = begin_thing(audit, -1, -1, i);
        if (!status)
            status = add_solid(audit, &model->obstacle[i]);
        if (!status)
            end_thing(audit);
    }
    for (int b = 0; b < model->n_body && !status; b++)
        status = list_body(audit, &model->body[b]);
    return status;
}

// Centre and axes of a solid.
static void solid_frame(const CondKinematics* kinematics, const CondSolid* solid, double centre[3],
                        double axes[9])
{
    double origin[3] = {0.0, 0.0, 0.0}, R[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    double local[9], moved[3];
    if (solid->body >= 0)
        cond_kinematics_axes(kinematics, solid->body, solid->part, origin, R);
    quat_matrix(solid->orientation, local);
    mat3_product(R, local, axes);
    mat3_multiply(R, solid->position, moved);
    for (int i = 0; i < 3; i++)
        centre[i] = origin[i] + moved[i];
}

static void place_hull(const CondMeshSurface* mesh_surface, CondPiece* piece,
                       CondPieceSource* source)
{
    double moved[3], middle[3] = {0.0, 0.0, 0.0};
    for (int v = 0; v < mesh_surface->n_vertex; v++) {
        mat3_multiply(piece->axes, mesh_surface->vertex + 3 * (size_t)v, moved);
        for (int i = 0; i < 3; i++) {
            source->vertex[3 * (size_t)v + i] = piece->centre[i] + moved[i];
            middle[i] += source->vertex[3 * (size_t)v + i] / mesh_surface->n_vertex;
        }
    }
    for (int f = 0; f < mesh_surface->n_face; f++) {
        const double* p[3];
        double d[2][3], n[3];
        for (int k = 0; k < 3; k++)
            p[k] = source->vertex + 3 * (size_t)mesh_surface->face[3 * (size_t)f + k];
        for (int i = 0; i < 3; i++) {
            d[0][i] = p[1][i] - p[0][i];
            d[1][i] = p[2][i] - p[0][i];
        }
        vec3_cross(d[0], d[1], n);
        for (int i = 0; i < 3; i++)
            source->normal[3 * (size_t)f + i] = n[i] / vec3_norm(n);
    }
    for (int e = 0; e < piece->n_edge; e++) {
        const int* end = source->edge_vertex + 2 * (size_t)e;
        double d[3];
        for (int i = 0; i < 3; i++)
            d[i] = source->vertex[3 * (size_t)end[1] + i] - source->vertex[3 * (size_t)end[0] + i];
        for (int i = 0; i < 3; i++)
            source->edge[3 * (size_t)e + i] = d[i] / vec3_norm(d);
    }
    memcpy(piece->centre, middle, sizeof middle);
}

static void place_piece(const CondAudit* audit, int body, int k)
{
    static const double unit[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    CondPiece* piece = &audit->piece[k];
    CondPieceSource* source = &audit->source[k];
    if (source->solid) {
        solid_frame(&audit->kinematics, source->solid, piece->centre, piece->axes);
        if (piece->kind == COND_PIECE_HULL)
            place_hull(source->solid->shape.mesh_surface, piece, source);
    } else if (source->link >= 0) {
        cond_kinematics_axes(&audit->kinematics, body, source->link, piece->centre, piece->axes);
    } else {
        cond_kinematics_point(&audit->kinematics, &source->point, piece->centre, NULL, NULL);
        memcpy(piece->axes, unit, sizeof unit);
    }
}

static void place_surface(const CondAudit* audit, int body, int k)
{
    CondSurface* surface = &audit->surface[k];
    const CondSolid* solid = audit->surface_from[k];
    double centre[3], axes[9], moved[3];
    if (solid) {
        solid_frame(&audit->kinematics, solid, centre, axes);
        for (int v = 0; v < surface->n_vertex; v++) {
            mat3_multiply(axes, solid->shape.mesh_surface->vertex + 3 * (size_t)v, moved);
            for (int i = 0; i < 3; i++)
                surface->vertex[3 * (size_t)v + i] = centre[i] + moved[i];
        }
    } else {
        memcpy(surface->vertex, audit->kinematics.q + audit->model->body[body].q_begin,
               3 * (size_t)surface->n_vertex * sizeof(double));
    }
    cond_surface_place(surface);
}

static void widen(double box[6], const double by[6])
{
    for (int i = 0; i < 3; i++) {
        box[i] = fmin(box[i], by[i]);
        box[3 + i] = fmax(box[3 + i], by[3 + i]);
    }
}

void cond_audit_place(CondAudit* audit)
{
    for (int t = 0; t < audit->n_thing; t++) {
        CondThing* thing = &audit->thing[t];
        for (int i = 0; i < 3; i++) {
            thing->box[i] = INFINITY;
            thing->box[3 + i] = -INFINITY;
        }
        for (int k = thing->piece_begin; k < thing->piece_begin + thing->n_piece; k++) {
            double box[6];
            place_piece(audit, thing->body, k);
            cond_piece_box(&audit->piece[k], box);
            widen(thing->box, box);
        }
        for (int k = thing->surface_begin; k < thing->surface_begin + thing->n_surface; k++) {
            place_surface(audit, thing->body, k);
            widen(thing->box, audit->surface[k].box);
        }
    }
}
