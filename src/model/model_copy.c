// A simulation's own copy of a model, of which it may change values.
#include "model/model_copy.h"

#include "base/memory.h"
#include "model/articulation.h"
#include "model/fem.h"
#include "model/rod.h"
#include "model/shell.h"

#include <string.h>

// The copy's surface in the place of the source's: of a body, a solid or an obstacle.
static const CondSkin* own_skin(const CondModelCopy* copy, const CondSkin* skin)
{
    const CondModel *from = copy->source, *to = &copy->model;
    uintptr_t at = (uintptr_t)skin;
    const struct {
        const void *from, *to;
        size_t bytes;
    } range[] = {{from->body, to->body, (size_t)from->n_body * sizeof *from->body},
                 {from->solid, to->solid, (size_t)from->n_solid * sizeof *from->solid},
                 {from->obstacle, to->obstacle, (size_t)from->n_obstacle * sizeof *from->obstacle}};
    for (size_t i = 0; i < sizeof range / sizeof *range; i++) {
        uintptr_t begin = (uintptr_t)range[i].from;
        if (at >= begin && at - begin < range[i].bytes)
            return (const CondSkin*)((const char*)range[i].to + (at - begin));
    }
    return skin;
}

#define COPY_ARRAY(copy, array, n)                                                                 \
    memcpy((copy)->model.array, (copy)->source->array, (size_t)(n) * sizeof *(copy)->model.array)

static void drop_own(CondModelCopy* copy, int body)
{
    const CondBody* b = &copy->model.body[body];
    if (!copy->own[body])
        return;
    if (b->fem) {
        cond_arena_drop(&copy->arena, b->fem->material);
        cond_arena_drop(&copy->arena, b->fem->moduli);
        cond_arena_drop(&copy->arena, b->fem->shell);
        cond_arena_drop(&copy->arena, b->fem->shell_moduli);
        cond_arena_drop(&copy->arena, b->fem->mass);
        cond_arena_drop(&copy->arena, b->fem->mass_damping);
    }
    if (b->arm)
        cond_arena_drop(&copy->arena, b->arm->link);
    if (b->rod) {
        cond_arena_drop(&copy->arena, b->rod->mass);
        cond_arena_drop(&copy->arena, b->rod->inertia);
    }
    cond_arena_drop(&copy->arena, b->fem);
    cond_arena_drop(&copy->arena, b->arm);
    cond_arena_drop(&copy->arena, b->rod);
    copy->own[body] = 0;
}

void cond_model_copy_renew(CondModelCopy* copy)
{
    const CondModel* source = copy->source;
    CondModel arrays = copy->model;
    for (int b = 0; b < source->n_body; b++)
        drop_own(copy, b);
    copy->model = *source;
    copy->model.body = arrays.body;
    copy->model.plane = arrays.plane;
    copy->model.obstacle = arrays.obstacle;
    copy->model.solid = arrays.solid;
    copy->model.feature = arrays.feature;
    if (source->n_body > 0)
        COPY_ARRAY(copy, body, source->n_body);
    if (source->n_plane > 0)
        COPY_ARRAY(copy, plane, source->n_plane);
    if (source->n_obstacle > 0)
        COPY_ARRAY(copy, obstacle, source->n_obstacle);
    if (source->n_solid > 0)
        COPY_ARRAY(copy, solid, source->n_solid);
    if (source->n_feature > 0)
        COPY_ARRAY(copy, feature, source->n_feature);
    for (int i = 0; i < source->n_feature; i++)
        copy->model.feature[i].surface = own_skin(copy, source->feature[i].surface);
    copy->values = cond_model_values(&copy->model);
}

CondStatus cond_model_copy_create(const CondModel* source, CondModelCopy** copy)
{
    const CondContext* context = &source->arena.context;
    CondModelCopy* made = cond_allocate(context, 1, sizeof *made);
    *copy = made;
    if (!made)
        return COND_OUT_OF_MEMORY;
    cond_arena_begin(context, &made->arena);
    made->source = source;
    CondArena* arena = &made->arena;
    if (COND_RESERVE(arena, made->own, source->n_body) ||
        COND_RESERVE(arena, made->model.body, source->n_body) ||
        COND_RESERVE(arena, made->model.plane, source->n_plane) ||
        COND_RESERVE(arena, made->model.obstacle, source->n_obstacle) ||
        COND_RESERVE(arena, made->model.solid, source->n_solid) ||
        COND_RESERVE(arena, made->model.feature, source->n_feature)) {
        cond_model_copy_destroy(made);
        *copy = NULL;
        return COND_OUT_OF_MEMORY;
    }
    cond_model_copy_renew(made);
    return COND_OK;
}

void cond_model_copy_destroy(CondModelCopy* copy)
{
    if (!copy)
        return;
    CondContext context = copy->arena.context;
    cond_arena_release(&copy->arena);
    cond_release(&context, copy);
}

// A copy of an array in the arena; NULL where memory is short.
static void* duplicate(CondArena* arena, const void* from, size_t n, size_t size)
{
    void* to = cond_arena_allocate(arena, n, size);
    if (to && n > 0)
        memcpy(to, from, n * size);
    return to;
}

static CondStatus own_fem(CondModelCopy* copy, CondBody* body)
{
    CondArena* arena = &copy->arena;
    CondFem* fem = duplicate(arena, body->fem, 1, sizeof *fem);
    if (!fem)
        return COND_OUT_OF_MEMORY;
    fem->material = duplicate(arena, fem->material, (size_t)fem->n_material, sizeof *fem->material);
    fem->moduli = duplicate(arena, fem->moduli, (size_t)fem->n_material, sizeof *fem->moduli);
    if (fem->shell) {
        fem->shell = duplicate(arena, fem->shell, (size_t)fem->n_element, sizeof *fem->shell);
        fem->shell_moduli =
            duplicate(arena, fem->shell_moduli, (size_t)fem->n_material, sizeof *fem->shell_moduli);
        if (!fem->shell || !fem->shell_moduli) {
            body->fem = fem;
            return COND_OUT_OF_MEMORY;
        }
    }
    fem->mass = duplicate(arena, fem->mass, (size_t)fem->n_node, sizeof *fem->mass);
    fem->mass_damping =
        duplicate(arena, fem->mass_damping, (size_t)fem->n_node, sizeof *fem->mass_damping);
    body->fem = fem;
    return fem->material && fem->moduli && fem->mass && fem->mass_damping ? COND_OK
                                                                          : COND_OUT_OF_MEMORY;
}

static CondStatus own_arm(CondModelCopy* copy, CondBody* body)
{
    CondArticulation* arm = duplicate(&copy->arena, body->arm, 1, sizeof *arm);
    if (!arm)
        return COND_OUT_OF_MEMORY;
    arm->link = duplicate(&copy->arena, arm->link, (size_t)arm->n_link, sizeof *arm->link);
    body->arm = arm;
    return arm->link ? COND_OK : COND_OUT_OF_MEMORY;
}

static CondStatus own_rod(CondModelCopy* copy, CondBody* body)
{
    CondRod* rod = duplicate(&copy->arena, body->rod, 1, sizeof *rod);
    if (!rod)
        return COND_OUT_OF_MEMORY;
    size_t n = (size_t)rod->n_link;
    rod->mass = duplicate(&copy->arena, rod->mass, n, sizeof *rod->mass);
    rod->inertia = duplicate(&copy->arena, rod->inertia, 3 * n, sizeof *rod->inertia);
    body->rod = rod;
    return rod->mass && rod->inertia ? COND_OK : COND_OUT_OF_MEMORY;
}

CondStatus cond_model_copy_own(CondModelCopy* copy, int body)
{
    CondBody* b = &copy->model.body[body];
    CondStatus status = COND_OK;
    if (copy->own[body] || (!b->fem && !b->arm && !b->rod))
        return COND_OK;
    if (b->fem)
        status = own_fem(copy, b);
    else if (b->arm)
        status = own_arm(copy, b);
    else
        status = own_rod(copy, b);
    copy->own[body] = 1;
    if (status) { // the arena keeps what was made until the copy is destroyed
        copy->own[body] = 0;
        *b = copy->source->body[body];
    }
    return status;
}
