// Forces: at a point, spread over the nodes of a patch, or as a pressure on its faces.
#include "base/error.h"
#include "base/memory.h"
#include "math/vec3.h"
#include "model/fem.h"
#include "scene/compile.h"

#include <string.h>

// Place of a node in a patch; -1: it is not of it.
static int place_in(const CondPatch* patch, int node)
{
    int low = 0, high = patch->n_node - 1; // nodes ascend
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (patch->node[middle] < node)
            low = middle + 1;
        else
            high = middle;
    }
    return patch->node[low] == node ? low : -1;
}

// The faces of the body's surface all of whose corners are of the patch; all of them without one.
static CondStatus take_faces(CondModel* model, const CondBody* body, const CondPatch* patch,
                             CondForce* force)
{
    force->triangle = cond_arena_allocate(&model->arena, 3 * (size_t)body->n_triangle, sizeof(int));
    if (!force->triangle)
        return COND_OUT_OF_MEMORY;
    for (int i = 0; i < body->n_triangle; i++) {
        const int* corner = body->triangle + (ptrdiff_t)3 * i;
        int inside = 1;
        for (int k = 0; k < 3 && patch; k++)
            inside &= place_in(patch, corner[k]) >= 0;
        if (inside)
            memcpy(force->triangle + (ptrdiff_t)3 * force->n_triangle++, corner,
                   3 * sizeof *corner);
    }
    return COND_OK;
}

// A dead load is spread over the nodes by a third of the area of each face about them.
static CondStatus spread(CondModel* model, const CondBody* body, const CondPatch* patch,
                         CondForce* force)
{
    size_t n = (size_t)patch->n_node;
    double area = 0.0;
    force->node = patch->node;
    force->n_node = patch->n_node;
    force->weight = cond_arena_allocate(&model->arena, n, sizeof *force->weight);
    if (!force->weight)
        return COND_OUT_OF_MEMORY;
    for (int i = 0; i < force->n_triangle; i++) {
        const int* corner = force->triangle + (ptrdiff_t)3 * i;
        double a[3], b[3], normal[3];
        for (int k = 0; k < 3; k++) {
            a[k] = body->start[3 * corner[1] + k] - body->start[3 * corner[0] + k];
            b[k] = body->start[3 * corner[2] + k] - body->start[3 * corner[0] + k];
        }
        vec3_cross(a, b, normal);
        double third = vec3_norm(normal) / 6.0;
        for (int k = 0; k < 3; k++)
            force->weight[place_in(patch, corner[k])] += third;
        area += 3.0 * third;
    }
    for (size_t k = 0; k < n; k++)
        force->weight[k] = area > 0.0 ? force->weight[k] / area : patch->weight[k];
    return COND_OK;
}

static CondStatus compile_load(CondModel* model, const CondForceDef* def, CondForce* force,
                               CondError* error)
{
    const CondBody* body = &model->body[force->point.body];
    const CondPatch* patch =
        def->patch[0] ? &model->patch[cond_model_find_patch(model, def->patch)] : NULL;
    CondStatus status = take_faces(model, body, patch, force);
    if (!status && patch)
        status = spread(model, body, patch, force);
    if (status)
        return cond_error_set(error, status, "out of memory");
    if (def->pressure != 0.0 && force->n_triangle == 0)
        return cond_error_set(error, COND_BAD_INPUT,
                              "force %s: patch %s has no face of the surface of body %s", def->name,
                              def->patch, def->body);
    force->pressure = def->pressure;
    force->point.n_node = 1;
    return COND_OK;
}

CondStatus cond_compile_forces(CondModel* model, const CondScene* scene, CondError* error)
{
    CondStatus status = COND_OK;
    for (int i = 0; i < scene->n_force && !status; i++) {
        const CondForceDef* def = &scene->force[i];
        CondForce* force = &model->force[i];
        cond_compile_note(model, COND_SCENE_FORCE, i);
        force->point.body = cond_scene_find(scene, COND_SCENE_BODY, def->body);
        memcpy(force->force, def->force, sizeof def->force);
        memcpy(force->torque, def->torque, sizeof def->torque);
        memcpy(force->point.local, def->point, sizeof def->point);
        force->start = def->start;
        force->end = def->end;
        if (model->body[force->point.body].kind == COND_BODY_SOFT)
            status = compile_load(model, def, force, error);
        else
            cond_compile_at(model, def->at, &force->point);
    }
    return status;
}
