// A renderer: its definition, camera and shapes (cond/renderer.h).
#include "base/cores.h"
#include "base/definition.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "cuda/device_cuda.h"
#include "math/vec3.h"
#include "model/articulation.h"
#include "model/state.h"
#include "record/light.h"
#include "record/picture.h"
#include "render/render.h"

#include <math.h>
#include <string.h>

void cond_renderer_def_default_fill(CondRendererDef* made, size_t size)
{
    const CondRendererDef defaults = {
        .width = 84, .height = 84, .triangles = 2000, .around = 16, .nearest = 0.01};
    cond_definition_fill(made, size, &defaults, sizeof defaults,
                         offsetof(CondRendererDef, struct_size));
}

void cond_renderer_arrays_default_fill(CondRendererArrays* made, size_t size)
{
    const CondRendererArrays defaults = {0};
    cond_definition_fill(made, size, &defaults, sizeof defaults,
                         offsetof(CondRendererArrays, struct_size));
}

static CondStatus check_def(const CondRendererDef* def, CondError* error)
{
    if (def->width < 1 || def->width > 4096 || def->height < 1 || def->height > 4096)
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "a picture of %d x %d pixels: each must be 1 to 4096", def->width,
                              def->height);
    if (def->around < 8 || def->around > COND_MOST_AROUND || def->around % 4)
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "around is %d: must be 8 to 64, and a multiple of 4", def->around);
    if (def->triangles < 1 || !(def->nearest > 0.0) || !isfinite(def->nearest))
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "triangles is %d and nearest %g: both must be positive",
                              def->triangles, def->nearest);
    if (def->threads < 0 || def->threads > COND_MAX_THREADS)
        return cond_error_set(error, COND_BAD_ARGUMENT, "threads is %d: must be 0 to %d",
                              def->threads, COND_MAX_THREADS);
    if (def->device < COND_DEVICE_CPU || def->device > COND_DEVICE_AUTO)
        return cond_error_set(error, COND_BAD_ARGUMENT, "device is %d: there is no such kind",
                              (int)def->device);
    return COND_OK;
}

// ---- the camera

// Axes of a camera that looks from position at target.
static CondStatus aim(CondRenderer* r, CondError* error)
{
    const CondCameraDef* c = &r->camera;
    double ahead[3], right[3], up[3];
    for (int i = 0; i < 3; i++)
        ahead[i] = c->target[i] - c->position[i];
    double distance = vec3_norm(ahead), height = vec3_norm(c->up);
    vec3_cross(ahead, c->up, right);
    double side = vec3_norm(right);
    if (!(side > COND_ROUNDING * distance * height) || !isfinite(side))
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "camera %s: position, target and up must be finite, and up must not "
                              "point along the view",
                              c->name);
    if (!(c->field > 0.0 && c->field < 180.0))
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "camera %s: field is %g: must be between 0 and 180 degrees", c->name,
                              c->field);
    for (int i = 0; i < 3; i++) {
        r->axes[i] = right[i] / side;
        r->axes[6 + i] = ahead[i] / distance;
    }
    vec3_cross(r->axes, r->axes + 6, up);
    memcpy(r->axes + 3, up, sizeof up);
    return COND_OK;
}

// What the camera is mounted on.
static CondStatus mount(CondRenderer* r, CondError* error)
{
    const CondCameraDef* c = &r->camera;
    r->camera_body = -1;
    r->camera_link = 0;
    if (!c->body[0] && !c->link[0])
        return COND_OK;
    r->camera_body = cond_model_find_body(r->model, c->body);
    if (r->camera_body < 0)
        return cond_error_set(error, COND_BAD_ARGUMENT, "camera %s: there is no body '%s'", c->name,
                              c->body);
    const CondBody* body = &r->model->body[r->camera_body];
    if (body->kind == COND_BODY_SOFT || body->kind == COND_BODY_ROD)
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "camera %s: a camera cannot be mounted on body %s: expected a rigid "
                              "body, a particle or a robot",
                              c->name, body->name);
    if (!c->link[0])
        return COND_OK;
    r->camera_link =
        body->kind == COND_BODY_ROBOT ? cond_articulation_find_link(body->arm, c->link) : -1;
    if (r->camera_link < 0)
        return cond_error_set(error, COND_BAD_ARGUMENT, "camera %s: body %s has no link '%s'",
                              c->name, body->name, c->link);
    return COND_OK;
}

// The drawing as a scenery, for the camera of pictures.
static CondStatus fit(CondRenderer* r, const CondDrawing* drawing, const double* position, int open,
                      CondError* error)
{
    const CondModel* model = r->model;
    char(*kind)[COND_NAME_SIZE] =
        cond_arena_allocate(&r->arena, (size_t)model->n_body + 1, sizeof *kind);
    CondScenery scenery = {.n_body = model->n_body,
                           .n_point = drawing->n_point,
                           .n_cell = drawing->n_cell,
                           .n_corner = drawing->n_corner,
                           .kind = (const char(*)[COND_NAME_SIZE])kind,
                           .corner = drawing->corner,
                           .corner_end = drawing->corner_end,
                           .type = drawing->type,
                           .body = drawing->body,
                           .colour = drawing->colour,
                           .plane_begin = drawing->plane_begin};
    CondMoment moment = {.position = position};
    CondPictureDef def = cond_picture_def_default();
    CondPicture* picture = NULL;
    def.width = r->def.width;
    def.height = r->def.height;
    def.samples = 1;
    def.shadows = 0;
    if (!kind)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    CondStatus status = cond_picture_create(&r->arena.context, &scenery, &def, &picture, error);
    if (!status)
        status = cond_picture_look(picture, NULL, &moment, error);
    if (!status) {
        r->size = picture->size;
        r->cell = picture->cell;
        memcpy(r->centre, picture->centre, sizeof r->centre);
    }
    if (!status && open) {
        memcpy(r->camera.position, picture->eye.position, sizeof r->camera.position);
        memcpy(r->camera.target, picture->camera.target, sizeof r->camera.target);
        r->camera.field = picture->camera.field;
    }
    cond_picture_destroy(picture);
    cond_arena_drop(&r->arena, kind);
    return status;
}

// Looks up the camera; *open: it is to be placed where all is seen.
static CondStatus choose_camera(CondRenderer* r, int* open, CondError* error)
{
    const CondRendererDef* def = &r->def;
    const CondModel* model = r->model;
    CondStatus status = COND_OK;
    r->camera = cond_camera_def_default();
    *open = 0;
    if (def->camera) {
        int k = cond_model_find_camera(model, def->camera);
        if (k < 0)
            return cond_error_set(error, COND_BAD_ARGUMENT, "the scene has no camera '%s'",
                                  def->camera);
        r->camera = model->camera[k];
    } else if (def->view) {
        status = cond_definition_take(def->view, &r->camera, sizeof r->camera,
                                      offsetof(CondCameraDef, struct_size),
                                      "cond_camera_def_default", error);
    } else if (model->n_camera > 0) {
        r->camera = model->camera[0];
    } else {
        *open = 1;
    }
    return status;
}

// ---- shapes

static CondDrawingDetail detail_of(CondRenderer* r)
{
    return (CondDrawingDetail){r->def.collision, r->def.triangles, r->def.around, &r->store};
}

// The triangles of a model that has other shapes than mesh 0.
CondStatus cond_render_model(CondRenderer* r, const CondModel* model, uint64_t key,
                             CondRenderMesh** mesh)
{
    CondDrawingDetail detail = detail_of(r);
    CondDrawing drawing;
    CondStatus status = cond_drawing_create(&r->arena.context, model, &detail, &drawing);
    if (status)
        return status;
    status = cond_render_mesh_create(r, model, &drawing, key, mesh);
    cond_drawing_destroy(&drawing);
    return status;
}

static CondStatus first_mesh(CondRenderer* r, CondError* error)
{
    CondDrawingDetail detail = detail_of(r);
    CondDrawing drawing;
    CondState* state = NULL;
    double* position = NULL;
    int open = 0;
    CondStatus status = choose_camera(r, &open, error);
    if (status || (status = cond_state_create(r->model, &state, error)))
        return status;
    status = cond_drawing_create(&r->arena.context, r->model, &detail, &drawing);
    if (!status) {
        position = cond_arena_allocate(&r->arena, 3 * (size_t)drawing.n_point + 1, sizeof(double));
        status = position ? COND_OK : COND_OUT_OF_MEMORY;
    }
    if (status) { // the drawing is empty if it failed
        cond_drawing_destroy(&drawing);
        cond_state_destroy(state);
        return cond_error_set(error, status, "out of memory");
    }
    cond_kinematics_set(&r->kinematics[0], state->q);
    for (int p = 0; p < drawing.n_point; p++)
        cond_kinematics_point(&r->kinematics[0], &drawing.point[p], position + 3 * (size_t)p, NULL,
                              NULL);
    cond_drawing_fit_planes(&drawing, r->model, position);
    status = fit(r, &drawing, position, open, error);
    if (!status && (status = cond_render_mesh_create(r, r->model, &drawing,
                                                     cond_render_key(r, r->model), &r->mesh[0])))
        cond_error_set(error, status, "out of memory");
    cond_arena_drop(&r->arena, position);
    cond_drawing_destroy(&drawing);
    cond_state_destroy(state);
    return status;
}

// ---- creation

static CondStatus choose_device(CondRenderer* r, CondError* error)
{
    CondDeviceKind kind = r->def.device;
    if (kind == COND_DEVICE_AUTO)
        kind = cond_device_cuda_name(NULL) ? COND_DEVICE_CUDA : COND_DEVICE_CPU;
    r->device = cond_device_threads(&r->arena.context, r->def.threads);
    r->n_thread = cond_threads(SIZE_MAX, r->def.threads);
    if (kind == COND_DEVICE_CPU)
        return COND_OK;
    CondStatus status = cond_device_cuda_create(&r->arena.context, r->n_thread, &r->device, error);
    r->is_cuda = !status;
    return status;
}

static CondStatus make_workspaces(CondRenderer* r)
{
    CondArena* m = &r->arena;
    if (COND_RESERVE(m, r->part_begin, r->model->n_body) || COND_RESERVE(m, r->mesh, 1) ||
        COND_RESERVE(m, r->kinematics, r->n_thread))
        return COND_OUT_OF_MEMORY;
    r->n_mesh = 1;
    for (int k = 0; k < r->n_thread; k++)
        if (cond_kinematics_create(r->model, &r->kinematics[k]))
            return COND_OUT_OF_MEMORY;
    r->n_part = cond_render_count_parts(r->model, r->part_begin);
    return COND_OK;
}

static void fill_args(CondRenderer* r)
{
    CondRenderArgs* a = &r->args;
    const CondRendererDef* def = &r->def;
    float background[3];
    for (int k = 0; k < COND_RENDER_TONES; k++) {
        double x = k / (COND_RENDER_TONES - 1.0);
        double s = x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1.0 / 2.4) - 0.055;
        r->tone[k] = (uint8_t)(255.0 * s + 0.5);
    }
    a->width = def->width;
    a->height = def->height;
    a->n_column = (def->width + COND_RENDER_TILE - 1) / COND_RENDER_TILE;
    a->n_row = (def->height + COND_RENDER_TILE - 1) / COND_RENDER_TILE;
    a->middle[0] = 0.5f * (float)def->width;
    a->middle[1] = 0.5f * (float)def->height;
    a->scale = (float)(0.5 * def->height / tan(0.5 * r->camera.field * acos(-1.0) / 180.0));
    a->step = 1.0f / a->scale;
    a->nearest = (float)def->nearest;
    a->n_part = r->n_part;
    a->n_floor = r->model->n_plane;
    a->sunlight = (float)cond_light_sunlight;
    a->skylight = (float)cond_light_skylight;
    for (int i = 0; i < 3; i++)
        a->ground[i] = (float)cond_light_ground[i];
    for (int i = 0; i < 3; i++) {
        background[i] = (float)(COND_LIGHT_BACKGROUND >> (16 - 8 * i) & 255);
        a->background[i] = background[i];
    }
}

CondStatus cond_renderer_create(const CondContext* context, const CondModel* model,
                                const CondRendererDef* def, CondRenderer** renderer,
                                CondError* error)
{
    CondContext m = cond_context_or_default(context);
    CondRendererDef own = cond_renderer_def_default();
    CondStatus status = COND_OK;
    *renderer = NULL;
    if (def)
        status = cond_definition_take(def, &own, sizeof own, offsetof(CondRendererDef, struct_size),
                                      "cond_renderer_def_default", error);
    if (status || (status = check_def(&own, error)))
        return status;
    CondRenderer* made = cond_allocate(&m, 1, sizeof *made);
    if (!made)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    cond_arena_begin(&m, &made->arena);
    cond_arena_begin(&m, &made->store.arena);
    made->def = own;
    made->model = model;
    status = choose_device(made, error);
    if (!status && (status = make_workspaces(made)))
        cond_error_set(error, status, "out of memory");
    if (!status)
        status = first_mesh(made, error);
    if (!status)
        status = mount(made, error);
    if (!status)
        status = aim(made, error);
    if (status) {
        cond_renderer_destroy(made);
        return status;
    }
    fill_args(made);
    made->def.camera = NULL;
    made->def.view = NULL;
    *renderer = made;
    return COND_OK;
}

void cond_renderer_destroy(CondRenderer* renderer)
{
    if (!renderer)
        return;
    CondContext m = renderer->arena.context;
    for (int k = 0; k < renderer->n_mesh; k++)
        cond_render_mesh_destroy(renderer, renderer->mesh[k]);
    for (int k = 0; k < renderer->n_thread && renderer->kinematics; k++)
        cond_kinematics_destroy(&renderer->kinematics[k]);
    for (int k = 0; k < COND_N_ROOM && renderer->is_cuda; k++)
        renderer->device.ops->give(&renderer->device, renderer->room[k].memory,
                                   renderer->room[k].size);
    if (renderer->is_cuda)
        cond_device_cuda_destroy(&renderer->device);
    cond_model_destroy(renderer->owned);
    cond_visual_store_release(&renderer->store);
    cond_arena_release(&renderer->arena);
    cond_release(&m, renderer);
}

void cond_renderer_own(CondRenderer* renderer, CondModel* model)
{
    renderer->owned = model;
}

int cond_renderer_n_triangle(const CondRenderer* renderer)
{
    return renderer->mesh[0]->n_triangle;
}

// Places of one body are those of the other.
static int is_alike(const CondBody* a, const CondBody* b)
{
    int same = a->kind == b->kind && a->n_q == b->n_q;
    return same && (a->kind != COND_BODY_ROBOT || a->arm->n_link == b->arm->n_link);
}

CondStatus cond_render_check_state(const CondRenderer* r, const CondModel* model,
                                   const CondState* state, int i, CondError* error)
{
    const CondModel* own = r->model;
    if (model != own) {
        int same = model->n_body == own->n_body && model->n_q == own->n_q &&
                   model->n_plane == own->n_plane;
        for (int b = 0; b < own->n_body && same; b++)
            same = is_alike(&model->body[b], &own->body[b]);
        if (!same)
            return cond_error_set(error, COND_BAD_ARGUMENT,
                                  "model %d has other bodies than the model of the renderer", i);
    }
    if (state->n_q != own->n_q || state->n_dof != own->n_dof)
        return cond_error_set(error, COND_BAD_ARGUMENT, "state %d belongs to another model", i);
    return COND_OK;
}

CondStatus cond_renderer_camera(CondRenderer* renderer, const CondState* state, double position[3],
                                double axes[9], double* field)
{
    CondStatus status = cond_render_check_state(renderer, renderer->model, state, 0, NULL);
    if (status)
        return status;
    cond_kinematics_set(&renderer->kinematics[0], state->q);
    cond_render_eye(renderer, &renderer->kinematics[0], position, axes);
    *field = renderer->camera.field;
    return COND_OK;
}
