// A scene that is compiled again after some of its numbers have changed: what is large and has not
// changed is taken out of the model it was compiled to before.
#include "scene/compile.h"

#include "geometry/mesh_surface.h"
#include "model/articulation.h"

// The surface now belongs to this model.
static CondStatus take_surface(CondModel* model, const CondMeshSurface* mesh_surface)
{
    CondModel* donor = model->again->donor;
    if (COND_RESERVE(&model->arena, model->mesh_surface, model->n_mesh_surface + 1))
        return COND_OUT_OF_MEMORY;
    for (int i = 0; i < donor->n_mesh_surface; i++)
        if (donor->mesh_surface[i] == mesh_surface) {
            model->mesh_surface[model->n_mesh_surface++] = donor->mesh_surface[i];
            donor->mesh_surface[i] = NULL;
        }
    return COND_OK;
}

// The coordinates that a point of the body may depend on.
static int point_dof(const CondBody* body)
{
    if (body->kind == COND_BODY_ROBOT)
        return body->arm->n_dof;
    return body->kind == COND_BODY_SOFT ? 12 : 6;
}

CondStatus cond_compile_take_body(CondModel* model, int index, int* taken)
{
    const CondCompiledAgain* again = model->again;
    CondBody* body = &model->body[index];
    *taken = 0;
    if (!again || again->body[index])
        return COND_OK;
    CondBody* old = &again->donor->body[index];
    if (!old->arm && !old->fem && !old->rod && !old->mesh_surface)
        return COND_OK;
    void* arrays[] = {old->fem,     old->rod,      old->start,
                      old->start_v, old->triangle, old->diagonal_begin,
                      old->motor,   old->bounds,   old->dry};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        cond_arena_move(&again->donor->arena, &model->arena, arrays[i]);
    *body = *old;
    old->arm = NULL;
    old->fem = NULL;
    old->rod = NULL;
    *taken = 1;
    body->radius = 0.0; // it grows with the features
    if (model->max_point_dof < point_dof(body))
        model->max_point_dof = point_dof(body);
    CondStatus status = COND_OK;
    if (body->mesh_surface)
        status = take_surface(model, body->mesh_surface);
    if (!body->arm)
        return status;
    body->target_begin = model->n_target;
    model->n_target += body->arm->n_joint;
    body->loose_begin = model->n_loose;
    model->n_loose += body->arm->n_dof - body->arm->n_joint;
    for (int i = 0; i < body->arm->n_shape && !status; i++)
        if (body->arm->shape[i].surface)
            status = take_surface(model, body->arm->shape[i].surface);
    return status;
}

CondStatus cond_compile_take_obstacle(CondModel* model, int index, CondSolid* solid,
                                      CondMeshSurface** mesh_surface)
{
    const CondCompiledAgain* again = model->again;
    *mesh_surface = NULL;
    if (!again || again->obstacle[index])
        return COND_OK;
    CondSolid* old = &again->donor->obstacle[index];
    *mesh_surface = (CondMeshSurface*)old->shape.mesh_surface; // the donor's, which gives it away
    solid->thin = old->thin;
    return *mesh_surface ? take_surface(model, *mesh_surface) : COND_OK;
}
