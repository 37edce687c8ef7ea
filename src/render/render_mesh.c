// The triangles of a model, in runs of vertices for the item functions (render_item.h).
#include "base/memory.h"
#include "geometry/mesh_surface.h"
#include "model/articulation.h"
#include "model/rod.h"
#include "record/light.h"
#include "record/picture.h"
#include "render/render.h"

#include <string.h>

// ---- what decides the triangles

static uint64_t mix(uint64_t key, const void* data, size_t bytes)
{
    const unsigned char* from = data;
    for (size_t at = 0; at < bytes; at += sizeof(uint64_t)) {
        uint64_t word = 0;
        size_t rest = bytes - at;
        memcpy(&word, from + at, rest < sizeof word ? rest : sizeof word);
        key = (key ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        key ^= key >> 29;
    }
    return key;
}

static uint64_t mix_int(uint64_t key, int value)
{
    return mix(key, &value, sizeof value);
}

static uint64_t mix_solid(uint64_t key, const CondSolid* solid, int hidden)
{
    const CondShape* shape = &solid->shape;
    key = mix_int(mix_int(mix_int(key, solid->body), solid->part), (int)shape->form);
    key = mix(key, solid->position, sizeof solid->position);
    key = mix(key, solid->orientation, sizeof solid->orientation);
    key = mix(key, shape->half, sizeof shape->half);
    key = mix(mix(key, &shape->radius, sizeof(double)), &shape->margin, sizeof(double));
    if (shape->form != COND_FORM_CONVEX && shape->form != COND_FORM_MESH)
        return key;
    const CondMeshSurface* surface = shape->mesh_surface;
    key = mix(mix_int(key, surface->n_vertex), &surface->size, sizeof surface->size);
    if (hidden)
        return key;
    key = mix(key, surface->vertex, 3 * (size_t)surface->n_vertex * sizeof(double));
    return mix(key, surface->face, 3 * (size_t)surface->n_face * sizeof(int));
}

static uint64_t mix_robot(uint64_t key, const CondArticulation* arm)
{
    for (int i = 0; i < arm->n_visual; i++) {
        const CondLinkShape* visual = &arm->visual[i];
        key = mix_int(mix_int(key, visual->link), (int)visual->kind);
        key = mix(key, visual->position, sizeof visual->position);
        key = mix(key, visual->orientation, sizeof visual->orientation);
        key = mix(key, visual->size, sizeof visual->size);
        key = mix(key, visual->colour, sizeof visual->colour);
        if (visual->file)
            key = mix(key, visual->file, strlen(visual->file));
    }
    return key;
}

static uint64_t mix_body(uint64_t key, const CondRenderer* renderer, const CondModel* model,
                         const CondBody* body)
{
    key = mix_int(mix_int(key, (int)body->kind), body->n_q);
    if (body->kind == COND_BODY_SOFT)
        key = mix(key, body->triangle, 3 * (size_t)body->n_triangle * sizeof(int));
    if (body->kind == COND_BODY_ROD) {
        key = mix(key, body->rod->length, (size_t)body->rod->n_link * sizeof(double));
        key = mix(key, body->rod->half, sizeof body->rod->half);
        key = mix_int(mix_int(key, body->rod->round), body->rod->closed);
    }
    if (body->kind == COND_BODY_ROBOT && !renderer->def.collision)
        key = mix_robot(key, body->arm);
    for (int k = 0; k < body->n_feature && body->kind == COND_BODY_RIGID; k++)
        key = mix(key, model->feature[body->feature_begin + k].point.local, 3 * sizeof(double));
    return key;
}

// A link with visual shapes: the vertices of its collision meshes are not drawn.
static int is_hidden(const CondRenderer* renderer, const CondModel* model, const CondSolid* solid)
{
    const CondBody* body = &model->body[solid->body];
    if (body->kind != COND_BODY_ROBOT || renderer->def.collision)
        return 0;
    for (int i = 0; i < body->arm->n_visual; i++)
        if (body->arm->visual[i].link == solid->part)
            return 1;
    return 0;
}

uint64_t cond_render_key(const CondRenderer* renderer, const CondModel* model)
{
    uint64_t key = mix_int(UINT64_C(0x243f6a8885a308d3), model->n_body);
    for (int b = 0; b < model->n_body; b++)
        key = mix_body(key, renderer, model, &model->body[b]);
    for (int i = 0; i < model->n_solid; i++)
        key = mix_solid(key, &model->solid[i], is_hidden(renderer, model, &model->solid[i]));
    for (int i = 0; i < model->n_obstacle; i++)
        key = mix_solid(key, &model->obstacle[i], 0);
    return key;
}

// ---- vertices and triangles

typedef struct Builder {
    CondRenderer* renderer;
    const CondModel* model;
    const CondDrawing* drawing;
    CondRenderMesh* mesh;
    int lane;  // the next one of the last run
    int* slot; // vertex of a point; -1: none yet                        (n_point)
} Builder;

static CondStatus add_run(Builder* b, int part, int of_nodes)
{
    CondRenderMesh* mesh = b->mesh;
    CondArena* m = &mesh->arena;
    int n = mesh->n_run, k = mesh->n_node;
    if (COND_RESERVE(m, mesh->local, 3 * COND_RENDER_RUN * (n + 1)) ||
        COND_RESERVE(m, mesh->part, n + 1) || COND_RESERVE(m, mesh->node, n + 1) ||
        COND_RESERVE(m, mesh->place, COND_RENDER_RUN * (k + 1)))
        return COND_OUT_OF_MEMORY;
    mesh->part[n] = part;
    mesh->node[n] = of_nodes ? k : -1;
    for (int lane = 0; lane < COND_RENDER_RUN && of_nodes; lane++)
        mesh->place[COND_RENDER_RUN * k + lane] = -1;
    mesh->n_node += of_nodes;
    mesh->n_run++;
    b->lane = 0;
    return COND_OK;
}

// A vertex at a point, moved by an offset in the axes of its part.
static CondStatus add_vertex(Builder* b, const CondPoint* point, const double offset[3], int* slot)
{
    CondRenderMesh* mesh = b->mesh;
    int soft = point->body >= 0 && b->model->body[point->body].kind == COND_BODY_SOFT;
    int part = soft ? 0 : point->body < 0 ? 1 : b->renderer->part_begin[point->body] + point->link;
    int last = mesh->n_run - 1;
    if (last < 0 || b->lane == COND_RENDER_RUN || mesh->part[last] != part) {
        if (add_run(b, part, soft))
            return COND_OUT_OF_MEMORY;
        last = mesh->n_run - 1;
    }
    if (soft)
        mesh->place[COND_RENDER_RUN * mesh->node[last] + b->lane] =
            b->model->body[point->body].q_begin + 3 * point->node[0];
    for (int i = 0; i < 3 && !soft; i++)
        mesh->local[(3 * last + i) * COND_RENDER_RUN + b->lane] =
            (float)(point->local[i] + offset[i]);
    *slot = COND_RENDER_RUN * last + b->lane++;
    return COND_OK;
}

static CondStatus add_triangle(Builder* b, const int corner[3], int body, int closed,
                               const float colour[3])
{
    CondRenderMesh* mesh = b->mesh;
    CondArena* m = &mesh->arena;
    int n = mesh->n_triangle;
    if (COND_RESERVE(m, mesh->corner, 3 * (n + 1)) || COND_RESERVE(m, mesh->colour, 3 * (n + 1)) ||
        COND_RESERVE(m, mesh->body, n + 1) || COND_RESERVE(m, mesh->closed, n + 1))
        return COND_OUT_OF_MEMORY;
    memcpy(mesh->corner + 3 * n, corner, 3 * sizeof *corner);
    memcpy(mesh->colour + 3 * n, colour, 3 * sizeof *colour);
    mesh->body[n] = body;
    mesh->closed[n] = closed;
    mesh->n_triangle++;
    return COND_OK;
}

// A triangle between points.
static CondStatus add_face(Builder* b, const int point[3], int body, int closed,
                           const float colour[3])
{
    static const double none[3] = {0.0, 0.0, 0.0};
    int corner[3];
    CondStatus status = COND_OK;
    for (int k = 0; k < 3 && !status; k++) {
        if (b->slot[point[k]] < 0)
            status = add_vertex(b, &b->drawing->point[point[k]], none, &b->slot[point[k]]);
        corner[k] = b->slot[point[k]];
    }
    return status ? status : add_triangle(b, corner, body, closed, colour);
}

// A body without a shape is seen as a sphere at its point.
static CondStatus add_dot(Builder* b, const CondPoint* point, int body, const float colour[3])
{
    CondTessellation t = {.arena.context = b->mesh->arena.context,
                          .around = b->renderer->def.around};
    CondShape ball = {.form = COND_FORM_SPHERE, .radius = COND_PICTURE_DOT * b->renderer->size};
    CondStatus status = cond_tessellate_shape(&ball, &t);
    int* slot = status ? NULL : cond_arena_allocate(&t.arena, (size_t)t.n_point, sizeof *slot);
    if (!status && !slot)
        status = COND_OUT_OF_MEMORY;
    for (int k = 0; k < t.n_point && !status; k++)
        status = add_vertex(b, point, t.point + 3 * k, &slot[k]);
    for (int k = 0; k < t.n_triangle && !status; k++) {
        const int* c = t.triangle + 3 * k;
        status = add_triangle(b, (int[3]){slot[c[0]], slot[c[1]], slot[c[2]]}, body, 1, colour);
    }
    cond_tessellation_destroy(&t);
    return status;
}

// Shells have no inside, and visual meshes may be open.
static int is_closed(const Builder* b, int cell)
{
    int body = b->drawing->body[cell];
    CondBodyKind kind = body < 0 ? COND_BODY_RIGID : b->model->body[body].kind;
    if (kind == COND_BODY_ROBOT)
        return b->renderer->def.collision || b->model->body[body].arm->n_visual == 0;
    return kind != COND_BODY_SOFT;
}

// Cells of a drawing, except planes, shapes that are hidden, and what is inside of soft bodies.
static CondStatus add_cells(Builder* b)
{
    const CondDrawing* drawing = b->drawing;
    CondStatus status = COND_OK;
    for (int c = 0; c < drawing->n_cell && !status; c++) {
        const int* p = drawing->corner + (c > 0 ? drawing->corner_end[c - 1] : 0);
        int body = drawing->body[c];
        float colour[3];
        if (body == COND_DRAWN_PLANE || drawing->colour[c] == COND_COLOUR_HIDDEN ||
            drawing->type[c] == COND_CELL_TETRAHEDRON)
            continue;
        cond_picture_body_colour(body, body >= 0 && b->model->body[body].kind == COND_BODY_ROBOT,
                                 colour);
        if (drawing->colour[c] >= 0)
            cond_picture_linear(drawing->colour[c], colour);
        status = drawing->type[c] == COND_CELL_TRIANGLE
                     ? add_face(b, p, body, is_closed(b, c), colour)
                     : add_dot(b, &drawing->point[p[0]], body, colour);
    }
    return status;
}

// The surfaces of bodies of tetrahedra.
static CondStatus add_surfaces(Builder* b)
{
    CondStatus status = COND_OK;
    for (int k = 0; k < b->model->n_body; k++) {
        const CondBody* body = &b->model->body[k];
        float colour[3];
        cond_picture_body_colour(k, 0, colour);
        if (body->kind != COND_BODY_SOFT || body->shell)
            continue;
        for (int t = 0; t < body->n_triangle && !status; t++) {
            const int* n = body->triangle + 3 * t;
            int first = b->drawing->point_begin[k];
            status = add_face(b, (int[3]){first + n[0], first + n[1], first + n[2]}, k, 1, colour);
        }
    }
    return status;
}

// Copies an array to the device.
static CondStatus send(CondRenderer* renderer, CondRenderMesh* mesh, int k, const void* from,
                       size_t bytes, const void** view)
{
    const CondDeviceOps* ops = renderer->device.ops;
    *view = from;
    if (!renderer->is_cuda)
        return COND_OK;
    mesh->held[k] = ops->take(&renderer->device, bytes);
    mesh->size[k] = bytes;
    *view = mesh->held[k];
    return mesh->held[k] ? ops->write(&renderer->device, mesh->held[k], from, bytes)
                         : COND_OUT_OF_MEMORY;
}

static CondStatus send_all(CondRenderer* renderer, CondRenderMesh* mesh)
{
    size_t n = (size_t)mesh->n_run, t = (size_t)mesh->n_triangle;
    const void* view[7];
    CondStatus status = COND_OK;
    const void* from[7] = {mesh->local,  mesh->part, mesh->node,  mesh->corner,
                           mesh->colour, mesh->body, mesh->closed};
    size_t bytes[7] = {3 * COND_RENDER_RUN * n * sizeof(float),
                       n * sizeof(int),
                       n * sizeof(int),
                       3 * t * sizeof(int),
                       3 * t * sizeof(float),
                       t * sizeof(int),
                       t * sizeof(int)};
    for (int k = 0; k < 7 && !status; k++)
        status = send(renderer, mesh, k, from[k], bytes[k], &view[k]);
    if (!status)
        mesh->view = (CondRenderShape){mesh->n_run, mesh->n_triangle, view[0], view[1], view[2],
                                       view[3],     view[4],          view[5], view[6]};
    return status;
}

CondStatus cond_render_mesh_create(CondRenderer* renderer, const CondModel* model,
                                   const CondDrawing* drawing, uint64_t key, CondRenderMesh** mesh)
{
    const CondContext* m = &renderer->arena.context;
    CondRenderMesh* made = cond_allocate(m, 1, sizeof *made);
    *mesh = NULL;
    if (!made)
        return COND_OUT_OF_MEMORY;
    cond_arena_begin(m, &made->arena);
    made->key = key;
    Builder b = {.renderer = renderer, .model = model, .drawing = drawing, .mesh = made};
    b.slot = cond_arena_allocate(&made->arena, (size_t)drawing->n_point + 1, sizeof *b.slot);
    CondStatus status = b.slot ? COND_OK : COND_OUT_OF_MEMORY;
    for (int p = 0; p < drawing->n_point && !status; p++)
        b.slot[p] = -1;
    if (!status)
        status = add_cells(&b);
    if (!status)
        status = add_surfaces(&b);
    cond_arena_drop(&made->arena, b.slot);
    if (!status)
        status = send_all(renderer, made);
    if (status) {
        cond_render_mesh_destroy(renderer, made);
        return status;
    }
    *mesh = made;
    return COND_OK;
}

void cond_render_mesh_destroy(CondRenderer* renderer, CondRenderMesh* mesh)
{
    CondContext m = renderer->arena.context;
    if (!mesh)
        return;
    for (int k = 0; k < 7; k++)
        if (mesh->held[k])
            renderer->device.ops->give(&renderer->device, mesh->held[k], mesh->size[k]);
    cond_arena_release(&mesh->arena);
    cond_release(&m, mesh);
}
