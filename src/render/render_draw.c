// Draws many states: the threads of the host place them, and the device runs the three loops of
// the item functions, a chunk of states at a time (cond/renderer.h).
#include "base/definition.h"
#include "base/error.h"
#include "base/parallel.h"
#include "cuda/device_cuda.h"
#include "render/render.h"
#include "render/render_kernel.h"

#include <string.h>

// Bytes of the workspaces of the states that are drawn together: for each thread, so that they stay
// in its cache, and for a CUDA device, so that it is busy.
enum { THREAD_BLOCK = 1 << 20, CUDA_BLOCK = 1 << 28 };

// One call.
typedef struct Round {
    CondRenderer* renderer;
    const CondModel* const* model;
    const CondState* const* state;
    int first, n; // states of the chunk
    _Atomic int next;
} Round;

static const CondModel* model_of(const CondRenderer* r, const CondModel* const* model, int i)
{
    return model ? model[i] : r->model;
}

// Prepares the shapes of models that differ from what was drawn last in their place.
static CondStatus prepare(CondRenderer* r, int n, const CondModel* const* model,
                          const CondState* const* state, CondError* error)
{
    for (int i = 0; i < n; i++) {
        CondStatus status = cond_render_check_state(r, model_of(r, model, i), state[i], i, error);
        if (status)
            return status;
    }
    if (COND_RESERVE(&r->arena, r->mesh, n + 1))
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    r->n_mesh = n + 1 > r->n_mesh ? n + 1 : r->n_mesh;
    for (int i = 0; i < n; i++) {
        const CondModel* own = model_of(r, model, i);
        if (own == r->model && !model)
            continue;
        uint64_t key = cond_render_key(r, own);
        CondRenderMesh* mesh = r->mesh[1 + i];
        if (key == r->mesh[0]->key || (mesh && mesh->key == key)) {
            if (mesh && mesh->key != key) {
                cond_render_mesh_destroy(r, mesh);
                r->mesh[1 + i] = NULL;
            }
            continue;
        }
        CondRenderMesh* made = NULL;
        CondStatus status = cond_render_model(r, own, key, &made);
        if (status)
            return cond_error_set(error, status, "out of memory");
        cond_render_mesh_destroy(r, mesh);
        r->mesh[1 + i] = made;
    }
    return COND_OK;
}

static void place_states(void* data, int rank)
{
    Round* round = data;
    CondRenderer* r = round->renderer;
    for (int i; (i = round->next++) < round->n;)
        cond_render_place(r, &r->kinematics[rank], model_of(r, round->model, round->first + i),
                          r->mesh_of[i], round->state[round->first + i], i);
}

// Room on the device for an array.
static void* room(CondRenderer* r, CondRenderRoom which, size_t bytes)
{
    CondRenderBuffer* buffer = &r->room[which];
    const CondDeviceOps* ops = r->device.ops;
    if (!r->is_cuda) { // its memory is the arena's
        int count = (int)((bytes + sizeof(double) - 1) / sizeof(double));
        double* memory = buffer->memory;
        if (COND_RESERVE(&r->arena, memory, count))
            return NULL;
        buffer->memory = memory;
        return memory;
    }
    if (buffer->size < bytes) {
        ops->give(&r->device, buffer->memory, buffer->size);
        buffer->size = 0;
        buffer->memory = ops->take(&r->device, bytes);
        buffer->size = buffer->memory ? bytes : 0;
    }
    return buffer->memory;
}

// An array of the host on the device.
static CondStatus put(CondRenderer* r, CondRenderRoom which, const void* from, size_t bytes,
                      const void** view)
{
    *view = from;
    if (!r->is_cuda)
        return COND_OK;
    void* memory = room(r, which, bytes);
    *view = memory;
    return memory ? r->device.ops->write(&r->device, memory, from, bytes) : COND_OUT_OF_MEMORY;
}

// Room of the host and of the device for n states with the largest shapes there are.
static CondStatus make_room(CondRenderer* r, int n)
{
    CondRenderArgs* a = &r->args;
    CondArena* m = &r->arena;
    size_t s = (size_t)n, triangles = s * (size_t)a->n_block * COND_RENDER_BLOCK;
    if (COND_RESERVE(m, r->shape, n) || COND_RESERVE(m, r->shape_of, n) ||
        COND_RESERVE(m, r->mesh_of, n) || COND_RESERVE(m, r->light, n) ||
        COND_RESERVE(m, r->pose, 12 * n * a->n_part) ||
        COND_RESERVE(m, r->node, 3 * COND_RENDER_RUN * n * a->n_node) ||
        COND_RESERVE(m, r->floor, n * a->n_floor))
        return COND_OUT_OF_MEMORY;
    a->vertex =
        room(r, COND_ROOM_VERTEX, s * (size_t)a->n_run * COND_RENDER_VERTEX * sizeof *a->vertex);
    a->box = room(r, COND_ROOM_BOX, triangles * sizeof *a->box);
    a->shade = room(r, COND_ROOM_SHADE, triangles * sizeof *a->shade);
    a->block = room(r, COND_ROOM_BLOCK, s * (size_t)a->n_block * sizeof *a->block);
    return a->vertex && a->box && a->shade && a->block ? COND_OK : COND_OUT_OF_MEMORY;
}

// Largest shapes, and how many states are drawn together.
static int measure(CondRenderer* r, int n)
{
    CondRenderArgs* a = &r->args;
    int n_triangle = 1;
    a->n_run = a->n_node = 1;
    for (int k = 0; k <= n; k++) {
        const CondRenderMesh* mesh = r->mesh[k] ? r->mesh[k] : r->mesh[0];
        a->n_run = mesh->n_run > a->n_run ? mesh->n_run : a->n_run;
        a->n_node = mesh->n_node > a->n_node ? mesh->n_node : a->n_node;
        n_triangle = mesh->n_triangle > n_triangle ? mesh->n_triangle : n_triangle;
    }
    a->n_block = (n_triangle + COND_RENDER_BLOCK - 1) / COND_RENDER_BLOCK;
    size_t bytes = (size_t)a->n_run * COND_RENDER_VERTEX * sizeof *a->vertex;
    bytes += (size_t)a->n_block * COND_RENDER_BLOCK * (sizeof *a->box + sizeof *a->shade);
    size_t all = r->is_cuda ? (size_t)CUDA_BLOCK : (size_t)r->n_thread * THREAD_BLOCK;
    size_t most = all / bytes, least = (size_t)(r->is_cuda ? 1 : r->n_thread);
    most = most < least ? least : most;
    return most < (size_t)n ? (int)most : n;
}

static CondStatus send(CondRenderer* r, int n)
{
    CondRenderArgs* a = &r->args;
    size_t s = (size_t)n;
    struct {
        CondRenderRoom room;
        const void* from;
        size_t bytes;
        const void* view;
    } row[] = {
        {COND_ROOM_SHAPE, r->shape, s * sizeof *r->shape, NULL},
        {COND_ROOM_SHAPE_OF, r->shape_of, s * sizeof *r->shape_of, NULL},
        {COND_ROOM_POSE, r->pose, 12 * s * (size_t)a->n_part * sizeof *r->pose, NULL},
        {COND_ROOM_NODE, r->node, 3 * COND_RENDER_RUN * s * (size_t)a->n_node * sizeof *r->node,
         NULL},
        {COND_ROOM_LIGHT, r->light, s * sizeof *r->light, NULL},
        {COND_ROOM_FLOOR, r->floor, s * (size_t)a->n_floor * sizeof *r->floor, NULL},
        {COND_ROOM_TONE, r->tone, sizeof r->tone, NULL},
    };
    CondStatus status = COND_OK;
    for (int k = 0; k < (int)(sizeof row / sizeof *row) && !status; k++)
        status = put(r, row[k].room, row[k].from, row[k].bytes, &row[k].view);
    a->shape = row[0].view;
    a->shape_of = row[1].view;
    a->pose = row[2].view;
    a->node = row[3].view;
    a->light = row[4].view;
    a->floor = row[5].view;
    a->tone = row[6].view;
    return status;
}

// An array of results: that of the caller, or one on the device.
static CondStatus take_result(CondRenderer* r, CondRenderRoom which, void* to, size_t bytes,
                              void** view)
{
    *view = !to || !r->is_cuda ? to : room(r, which, bytes);
    return to && !*view ? COND_OUT_OF_MEMORY : COND_OK;
}

static CondStatus read_result(CondRenderer* r, void* to, const void* view, size_t bytes)
{
    return to && r->is_cuda ? r->device.ops->read(&r->device, to, view, bytes) : COND_OK;
}

// The loops on the device, and the results of a chunk.
static CondStatus draw_chunk(CondRenderer* r, int n, uint8_t* rgb, float* depth, int32_t* body)
{
    CondRenderArgs* a = &r->args;
    CondDevice* device = &r->device;
    size_t pixels = (size_t)n * (size_t)a->width * (size_t)a->height;
    void* to[3] = {rgb, depth, body};
    void* view[3] = {NULL, NULL, NULL};
    const size_t bytes[3] = {3 * pixels, pixels * sizeof *depth, pixels * sizeof *body};
    CondStatus status = send(r, n);
    for (int k = 0; k < 3 && !status; k++)
        status = take_result(r, (CondRenderRoom)(COND_ROOM_RGB + k), to[k], bytes[k], &view[k]);
    a->rgb = view[0];
    a->depth = view[1];
    a->body = view[2];
    if (!status)
        status = device->ops->loop(device, cond_render_vertices_kernel(), n * a->n_run,
                                   COND_RENDER_VERTEX, a);
    if (!status)
        status = device->ops->loop(device, cond_render_triangles_kernel(), n * a->n_block,
                                   (size_t)COND_RENDER_BLOCK * COND_RENDER_VERTEX, a);
    if (!status)
        status = device->ops->loop(device, cond_render_tiles_kernel(), n * a->n_column * a->n_row,
                                   (size_t)COND_RENDER_PIXELS * COND_RENDER_RUN, a);
    for (int k = 0; k < 3 && !status; k++)
        status = read_result(r, to[k], view[k], bytes[k]);
    return status ? status : device->ops->wait(device);
}

CondStatus cond_renderer_draw(CondRenderer* renderer, int n, const CondModel* const* model,
                              const CondState* const* state, const CondRendererArrays* arrays,
                              CondError* error)
{
    CondRenderer* r = renderer;
    CondRendererArrays own = cond_renderer_arrays_default();
    CondStatus status =
        cond_definition_take(arrays, &own, sizeof own, offsetof(CondRendererArrays, struct_size),
                             "cond_renderer_arrays_default", error);
    if (!status && n < 0)
        status = cond_error_set(error, COND_BAD_ARGUMENT, "%d states: must not be negative", n);
    if (status || (status = prepare(r, n, model, state, error)))
        return status;
    int chunk = measure(r, n);
    size_t pixels = (size_t)r->args.width * (size_t)r->args.height;
    if (n > 0 && make_room(r, chunk))
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    for (int first = 0; first < n && !status; first += chunk) {
        Round round = {.renderer = r, .model = model, .state = state, .first = first};
        size_t at = (size_t)first * pixels;
        round.n = n - first < chunk ? n - first : chunk;
        for (int i = 0; i < round.n; i++) {
            const CondRenderMesh* mesh = model ? r->mesh[1 + first + i] : NULL;
            r->mesh_of[i] = mesh ? mesh : r->mesh[0];
            r->shape[i] = r->mesh_of[i]->view;
            r->shape_of[i] = i;
        }
        cond_parallel_serve(r->n_thread < round.n ? r->n_thread : round.n, place_states, &round,
                            __func__);
        status = draw_chunk(r, round.n, own.rgb ? own.rgb + 3 * at : NULL,
                            own.depth ? own.depth + at : NULL, own.body ? own.body + at : NULL);
    }
    if (status)
        return cond_error_set(error, status, "the device failed: %s",
                              r->is_cuda ? cond_device_cuda_failure(&r->device) : "out of memory");
    return COND_OK;
}
