// Makes the sub-model of some bodies (part.h). Reads the whole model; writes the sub-model.
#include "model/part.h"

#include <string.h>

enum { LEFT_OUT = -3 }; // the number of a body that is not there: no contact has it

void cond_part_enter(const CondModelPart* part, CondPoint* point)
{
    if (point->body >= 0)
        point->body = part->place[point->body];
}

void cond_part_leave(const CondModelPart* part, CondPoint* point)
{
    if (point->body >= 0)
        point->body = part->body[point->body];
}

static void add_features(const CondModel* whole, int first, int n, int body, CondModel* model)
{
    for (int i = 0; i < n; i++) {
        CondFeature* feature = &model->feature[model->n_feature++];
        *feature = whole->feature[first + i];
        feature->point.body = body;
    }
}

static void add_body(const CondModel* whole, int b, CondModelPart* part)
{
    CondModel* model = part->model;
    int k = model->n_body++;
    CondBody* body = &model->body[k];
    *body = whole->body[b];
    body->index = k;
    body->dof_begin = model->n_dof;
    body->q_begin = model->n_q;
    body->feature_begin = model->n_feature;
    cond_model_count(model, body);
    add_features(whole, whole->body[b].feature_begin, body->n_feature, k, model);
    part->body[k] = b;
    part->place[b] = k;
}

// Bodies with their features, then the features of the obstacles.
static void add_bodies(const CondModel* whole, const int* kept, CondModelPart* part)
{
    int behind = 0;
    for (int b = 0; b < whole->n_body; b++) {
        part->place[b] = -1;
        behind = whole->body[b].feature_begin + whole->body[b].n_feature;
        if (kept[b])
            add_body(whole, b, part);
    }
    add_features(whole, behind, whole->n_feature - behind, -1, part->model);
}

static void add_solids(const CondModel* whole, CondModelPart* part)
{
    CondModel* model = part->model;
    for (int i = 0; i < whole->n_solid; i++) {
        int place = part->place[whole->solid[i].body];
        if (place < 0)
            continue;
        model->solid[model->n_solid] = whole->solid[i];
        model->solid[model->n_solid++].body = place;
    }
}

static void enter_frame(const CondModelPart* part, CondFrame* frame)
{
    cond_part_enter(part, &frame->point);
}

static void add_actions(const CondModel* whole, CondModelPart* part)
{
    CondModel* model = part->model;
    for (int i = 0; i < whole->n_force; i++) {
        CondForce force = whole->force[i];
        cond_part_enter(part, &force.point);
        if (force.point.body >= 0)
            model->force[model->n_force++] = force;
    }
    for (int i = 0; i < model->n_spring; i++) {
        model->spring[i] = whole->spring[i];
        cond_part_enter(part, &model->spring[i].end[0]);
        cond_part_enter(part, &model->spring[i].end[1]);
    }
    for (int i = 0; i < model->n_attachment; i++) {
        model->attachment[i] = whole->attachment[i];
        enter_frame(part, &model->attachment[i].end[0]);
        enter_frame(part, &model->attachment[i].end[1]);
    }
    for (int i = 0; i < model->n_trajectory; i++) {
        model->trajectory[i] = whole->trajectory[i];
        if (model->trajectory[i].body >= 0)
            model->trajectory[i].body = part->place[model->trajectory[i].body];
    }
}

static void add_sensors(const CondModel* whole, CondModelPart* part)
{
    CondModel* model = part->model;
    for (int i = 0; i < whole->n_sensor; i++) {
        CondSensor sensor = whole->sensor[i];
        int placed = sensor.frame.point.body >= 0;
        enter_frame(part, &sensor.frame);
        if (placed && sensor.frame.point.body < 0)
            continue;
        if (sensor.against >= 0)
            sensor.against =
                part->place[sensor.against] < 0 ? LEFT_OUT : part->place[sensor.against];
        part->sensor[model->n_sensor] = i;
        model->sensor[model->n_sensor++] = sensor;
    }
}

#define ROOM(array, count) ((array) = cond_arena_allocate(arena, (size_t)(count), sizeof *(array)))

// Room for as many of everything as the whole has, and what is shared with it.
static CondStatus begin(const CondModel* whole, int n_body, CondModelPart* part)
{
    const CondContext* m = &whole->arena.context;
    CondModel* model = part->model = cond_allocate(m, 1, sizeof *model);
    if (!model)
        return COND_OUT_OF_MEMORY;
    *model = *whole;
    model->arena = (CondArena){.context = *m};
    CondArena* arena = &model->arena;
    model->n_body = model->n_dof = model->n_q = model->n_feature = model->n_alone = 0;
    memset(model->n_kind, 0, sizeof model->n_kind);
    model->n_solid = model->n_force = model->n_sensor = 0;
    int all = ROOM(model->body, n_body) && ROOM(model->feature, whole->n_feature) &&
              ROOM(model->solid, whole->n_solid) && ROOM(model->force, whole->n_force) &&
              ROOM(model->spring, whole->n_spring) &&
              ROOM(model->attachment, whole->n_attachment) &&
              ROOM(model->trajectory, whole->n_trajectory) &&
              ROOM(model->sensor, whole->n_sensor) && ROOM(part->body, n_body) &&
              ROOM(part->place, whole->n_body) && ROOM(part->sensor, whole->n_sensor);
    return all ? COND_OK : COND_OUT_OF_MEMORY;
}

#undef ROOM

CondStatus cond_model_part_create(const CondModel* whole, const int* kept, CondModelPart* part)
{
    int n_body = 0;
    for (int b = 0; b < whole->n_body; b++)
        n_body += kept[b] != 0;
    memset(part, 0, sizeof *part);
    CondStatus status = begin(whole, n_body, part);
    if (status) {
        cond_model_part_destroy(part);
        return status;
    }
    add_bodies(whole, kept, part);
    add_solids(whole, part);
    add_actions(whole, part);
    add_sensors(whole, part);
    return COND_OK;
}

void cond_model_part_destroy(CondModelPart* part)
{
    if (part->model) { // bodies and shapes belong to the whole
        CondContext m = part->model->arena.context;
        cond_arena_release(&part->model->arena);
        cond_release(&m, part->model);
    }
    memset(part, 0, sizeof *part);
}
