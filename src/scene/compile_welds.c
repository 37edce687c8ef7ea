// Patches, attachments and trajectories: what holds on to bodies and leads them.
#include "base/error.h"
#include "base/memory.h"
#include "base/tuning.h"
#include "math/quat.h"
#include "model/articulation.h"
#include "model/fem.h"
#include "scene/compile.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int inside(const CondPatchDef* def, const double x[3])
{
    for (int i = 0; i < 3; i++)
        if (x[i] < def->low[i] || x[i] > def->high[i])
            return 0;
    return 1;
}

// 1 when the nodes lie on a line: they do not determine how the patch turns about it. With C the
// second moments about the centre, tr(C)^2 - tr(C^2) is twice the sum of the products of two
// principal moments, which are all zero then.
static int on_a_line(const CondPatch* patch)
{
    double C[9] = {0.0}, trace, squares = 0.0;
    for (int k = 0; k < patch->n_node; k++)
        for (int i = 0; i < 9; i++)
            C[i] += patch->weight[k] * patch->rest[3 * k + i / 3] * patch->rest[3 * k + i % 3];
    trace = C[0] + C[4] + C[8];
    for (int i = 0; i < 9; i++)
        squares += C[i] * C[i];
    return !(trace * trace - squares > COND_ROUNDING * trace * trace);
}

static CondStatus compile_patch(CondModel* model, const CondScene* scene, int index,
                                CondError* error)
{
    const CondPatchDef* def = &scene->patch[index];
    CondPatch* patch = &model->patch[index];
    memcpy(patch->name, def->name, sizeof patch->name);
    patch->body = cond_scene_find(scene, COND_SCENE_BODY, def->body);
    const CondBody* body = &model->body[patch->body];
    const CondFem* fem = body->fem;
    double mass = 0.0, centre[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < fem->n_node; i++)
        patch->n_node += inside(def, body->start + 3 * i);
    if (patch->n_node < 3)
        return cond_error_set(error, COND_BAD_INPUT,
                              "patch %s: its box holds %d nodes of body %s; a frame needs three",
                              def->name, patch->n_node, def->body);
    size_t n = (size_t)patch->n_node;
    patch->node = cond_arena_allocate(&model->arena, n, sizeof *patch->node);
    patch->weight = cond_arena_allocate(&model->arena, n, sizeof *patch->weight);
    patch->rest = cond_arena_allocate(&model->arena, 3 * n, sizeof *patch->rest);
    if (!patch->node || !patch->weight || !patch->rest)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    for (int i = 0, k = 0; i < fem->n_node; i++) {
        if (!inside(def, body->start + 3 * i))
            continue;
        patch->node[k] = i;
        patch->weight[k++] = fem->mass[i];
        mass += fem->mass[i];
    }
    for (size_t k = 0; k < n; k++) {
        patch->weight[k] /= mass;
        for (int i = 0; i < 3; i++)
            centre[i] += patch->weight[k] * body->start[3 * patch->node[k] + i];
    }
    for (size_t k = 0; k < n; k++)
        for (int i = 0; i < 3; i++)
            patch->rest[3 * k + (size_t)i] = body->start[3 * patch->node[k] + i] - centre[i];
    if (on_a_line(patch))
        return cond_error_set(error, COND_BAD_INPUT,
                              "patch %s: the %d nodes of body %s in its box lie on a line",
                              def->name, patch->n_node, def->body);
    if (model->max_point_dof < 3 * patch->n_node)
        model->max_point_dof = 3 * patch->n_node;
    return COND_OK;
}

CondStatus cond_compile_patches(CondModel* model, const CondScene* scene, CondError* error)
{
    model->patch = cond_arena_allocate(&model->arena, (size_t)scene->n_patch, sizeof *model->patch);
    if (!model->patch)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    model->n_patch = scene->n_patch;
    CondStatus status = COND_OK;
    for (int i = 0; i < scene->n_patch && !status; i++) {
        cond_compile_note(model, COND_SCENE_PATCH, i);
        status = compile_patch(model, scene, i, error);
    }
    return status;
}

CondStatus cond_compile_attachments(CondModel* model, const CondScene* scene, CondError* error)
{
    model->attachment =
        cond_arena_allocate(&model->arena, (size_t)scene->n_attachment, sizeof *model->attachment);
    if (!model->attachment)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    model->n_attachment = scene->n_attachment;
    for (int i = 0; i < scene->n_attachment; i++) {
        CondError inner = {COND_OK, ""};
        cond_compile_note(model, COND_SCENE_ATTACHMENT, i);
        if (cond_attachment_resolve(model, &scene->attachment[i], &model->attachment[i], &inner))
            return cond_error_set(error, COND_BAD_INPUT, "%s", inner.message);
    }
    return COND_OK;
}

// What follows a trajectory: a link, a joint, or nothing.
static CondStatus resolve_follower(const CondModel* model, const CondScene* scene,
                                   const CondTrajectoryDef* def, CondTrajectory* out,
                                   CondError* error)
{
    char owner[COND_NAME_SIZE + 16];
    memcpy(out->name, def->name, sizeof out->name);
    out->link = out->joint = -1;
    out->body = def->body[0] ? cond_scene_find(scene, COND_SCENE_BODY, def->body) : -1;
    snprintf(owner, sizeof owner, "trajectory %s", def->name);
    if (def->joint[0]) {
        out->joint = cond_robot_find_joint(model, out->body, owner, def->joint, error);
        return out->joint < 0 ? COND_BAD_INPUT : COND_OK;
    }
    if (out->body >= 0)
        out->link = cond_articulation_find_link(model->body[out->body].arm, def->link);
    if (out->body >= 0 && out->link < 0)
        return cond_error_set(error, COND_BAD_INPUT, "%s: robot %s has no link '%s'", owner,
                              def->body, def->link);
    return COND_OK;
}

CondStatus cond_compile_trajectories(CondModel* model, const CondScene* scene, CondError* error)
{
    model->trajectory =
        cond_arena_allocate(&model->arena, (size_t)scene->n_trajectory, sizeof *model->trajectory);
    if (!model->trajectory)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    model->n_trajectory = scene->n_trajectory;
    for (int i = 0; i < scene->n_trajectory; i++) {
        const CondTrajectoryDef* def = &scene->trajectory[i];
        CondTrajectory* out = &model->trajectory[i];
        cond_compile_note(model, COND_SCENE_TRAJECTORY, i);
        size_t n = (size_t)def->n_waypoint;
        CondStatus status = resolve_follower(model, scene, def, out, error);
        if (status)
            return status;
        memcpy(out->point, def->point, sizeof def->point);
        memcpy(out->velocity, def->velocity, sizeof def->velocity);
        memcpy(out->spin, def->spin, sizeof def->spin);
        memcpy(out->amplitude, def->amplitude, sizeof def->amplitude);
        memcpy(out->swing, def->swing, sizeof def->swing);
        out->frequency = def->frequency;
        out->phase = def->phase;
        out->waypoint = cond_arena_allocate(&model->arena, n, sizeof *out->waypoint);
        if (!out->waypoint)
            return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
        out->n_waypoint = def->n_waypoint;
        memcpy(out->waypoint, def->waypoint, n * sizeof *out->waypoint);
        for (size_t k = 0; k < n; k++)
            quat_normalize(out->waypoint[k].orientation);
    }
    return COND_OK;
}
