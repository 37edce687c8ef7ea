// The names in an attachment's definition become indices of a compiled model: once for the scene's
// own attachments, and again for those that are made while a simulation runs.
#include "base/definition.h"
#include "base/error.h"
#include "base/tuning.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "model/articulation.h"
#include "scene/compile.h"
#include "scene/scene_check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int find_guide(const CondModel* model, const char* name)
{
    for (int i = 0; i < model->n_trajectory; i++)
        if (model->trajectory[i].body < 0 && strcmp(model->trajectory[i].name, name) == 0)
            return i;
    return -1;
}

// What a body of each kind is held by: a link, a patch, or a point alone.
CondStatus cond_end_resolve(const CondModel* model, const CondEndDef* at, int turns,
                            const char* owner, CondFrame* frame, CondError* error)
{
    memset(frame, 0, sizeof *frame);
    frame->patch = -1;
    frame->point.body = at->body[0] ? cond_model_find_body(model, at->body) : -1;
    memcpy(frame->point.local, at->point, sizeof at->point);
    if (!at->body[0]) {
        frame->guide = at->trajectory[0] ? 1 + find_guide(model, at->trajectory) : 0;
        return !at->trajectory[0] || frame->guide > 0
                   ? COND_OK
                   : cond_error_set(error, COND_BAD_ARGUMENT,
                                    "%s: there is no trajectory '%s' without a body", owner,
                                    at->trajectory);
    }
    if (frame->point.body < 0)
        return cond_error_set(error, COND_BAD_ARGUMENT, "%s: there is no body called '%s'", owner,
                              at->body);
    const CondBody* body = &model->body[frame->point.body];
    if (body->kind == COND_BODY_SOFT) {
        frame->patch = cond_model_find_patch(model, at->patch);
        if (frame->patch < 0 || model->patch[frame->patch].body != body->index)
            return cond_error_set(error, COND_BAD_ARGUMENT, "%s: soft body %s has no patch '%s'",
                                  owner, at->body, at->patch);
    } else if (body->kind == COND_BODY_ROBOT) {
        frame->point.link = cond_articulation_find_link(body->arm, at->link);
        if (frame->point.link < 0)
            return cond_error_set(error, COND_BAD_ARGUMENT, "%s: robot %s has no link '%s'", owner,
                                  at->body, at->link);
    } else if (body->kind == COND_BODY_ROD) {
        if (!isfinite(at->at))
            return cond_error_set(error, COND_BAD_ARGUMENT, "%s: at is required: %s is a rod",
                                  owner, at->body);
        cond_compile_at(model, at->at, &frame->point);
    } else if (body->kind == COND_BODY_PARTICLE && turns) {
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "%s: '%s' is a particle, which has no orientation to hold", owner,
                              at->body);
    }
    return COND_OK;
}

// Two ends must be able to move against each other.
static CondStatus check_pair(const CondAttachmentDef* def, const CondFrame end[2], CondError* error)
{
    int same = end[0].point.body == end[1].point.body;
    // Two links of a robot: a closed loop.
    int links = def->end[0].link[0] && end[0].point.link != end[1].point.link;
    if (same && !links && (end[0].patch < 0 || end[0].patch == end[1].patch))
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "attachment %s: its ends must be on two different things", def->name);
    const double* q = def->orientation;
    if (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] <
        COND_INPUT_ROUNDING * COND_INPUT_ROUNDING)
        return cond_error_set(error, COND_BAD_ARGUMENT, "attachment %s: orientation is zero",
                              def->name);
    if (def->turns && !(def->rotation_stiffness > 0.0))
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "attachment %s: rotation_stiffness must be > 0 where orientation is "
                              "held",
                              def->name);
    return COND_OK;
}

// A rigid one prescribes the motion of coordinates: of one body, all of them at once but for
// what turns about its own origin.
static CondStatus check_exact(const CondModel* model, const CondAttachmentDef* def,
                              const CondFrame end[2], CondError* error)
{
    if (!isinf(def->stiffness))
        return COND_OK;
    if (!isnan(def->position[0]) || !isnan(def->orientation[0]))
        return cond_error_set(
            error, COND_BAD_ARGUMENT,
            "attachment %s: stiffness .inf holds things as they are: position and "
            "orientation cannot be given",
            def->name);
    int side = end[0].point.body >= 0 ? 0 : 1;
    if (end[1 - side].point.body >= 0)
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "attachment %s: stiffness .inf needs an end without a body",
                              def->name);
    const CondPoint* point = &end[side].point;
    CondBodyKind kind = model->body[point->body].kind;
    if (kind == COND_BODY_ROBOT)
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "attachment %s: stiffness .inf is not for robots, whose links move "
                              "by their joints",
                              def->name);
    if (model->settings.method != COND_STEP_VELOCITY)
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "attachment %s: stiffness .inf needs step.method velocity",
                              def->name);
    if (kind == COND_BODY_SOFT && !def->turns)
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "attachment %s: turns must be true: stiffness .inf holds every node",
                              def->name);
    if ((kind == COND_BODY_RIGID || kind == COND_BODY_ROD) && !def->turns &&
        vec3_norm(point->local) > 0.0)
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "attachment %s: turns: false with stiffness .inf holds the origin "
                              "of a body or the middle of a link of a rod, no other point",
                              def->name);
    return COND_OK;
}

CondStatus cond_attachment_resolve(const CondModel* model, const CondAttachmentDef* given,
                                   CondAttachment* out, CondError* error)
{
    CondSceneIssue issue;
    char owner[COND_NAME_SIZE + 16];
    CondAttachmentDef own = cond_attachment_def_default();
    const CondAttachmentDef* def = &own;
    CondStatus status =
        cond_definition_take(given, &own, sizeof own, offsetof(CondAttachmentDef, struct_size),
                             "cond_attachment_def_default", error);
    if (status)
        return status;
    status = cond_keys_check("attachments", def, sizeof *def, &issue);
    if (!status)
        status = cond_keys_check("attachments.from", def, sizeof *def, &issue);
    if (!status)
        status = cond_keys_check("attachments.to", def, sizeof *def, &issue);
    if (status)
        return cond_error_set(error, COND_BAD_ARGUMENT, "attachment %s: %s: %s", def->name,
                              issue.field, issue.text);
    snprintf(owner, sizeof owner, "attachment %.63s", def->name);
    memset(out, 0, sizeof *out);
    memcpy(out->name, def->name, sizeof out->name);
    for (int end = 0; end < 2 && !status; end++)
        status = cond_end_resolve(model, &def->end[end], def->turns, owner, &out->end[end], error);
    if (!status)
        status = check_pair(def, out->end, error);
    if (!status)
        status = check_exact(model, def, out->end, error);
    out->turns = def->turns;
    out->contact = def->contact;
    out->stiffness[0] = def->stiffness;
    out->stiffness[1] = def->rotation_stiffness;
    out->damping[0] = def->damping;
    out->damping[1] = def->rotation_damping;
    out->placed = !isnan(def->position[0]);
    out->oriented = !isnan(def->orientation[0]);
    if (out->placed)
        memcpy(out->position, def->position, sizeof out->position);
    if (out->oriented) {
        memcpy(out->orientation, def->orientation, sizeof out->orientation);
        quat_normalize(out->orientation);
    }
    out->start = def->start;
    out->end_time = def->end_time;
    return status;
}
