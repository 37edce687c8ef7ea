// Compiles the sensors and cameras of a scene.
#include "base/error.h"
#include "base/memory.h"
#include "math/quat.h"
#include "model/articulation.h"
#include "scene/compile.h"

#include <string.h>

static CondStatus compile_sensor(const CondModel* model, const CondScene* scene,
                                 const CondSensorDef* def, CondSensor* out, CondError* error)
{
    double unit[4];
    memcpy(out->name, def->name, sizeof out->name);
    memcpy(unit, def->orientation, sizeof unit);
    quat_normalize(unit);
    quat_matrix(unit, out->axes);
    memcpy(out->point, def->on.point, sizeof out->point);
    out->kind = def->kind;
    out->world_axes = def->world_axes;
    out->range = def->range;
    out->attachment = -1;
    out->frame.patch = -1;
    out->against = def->against[0] ? cond_scene_find(scene, COND_SCENE_BODY, def->against)
                                   : (int)COND_ANY_BODY;
    if (def->attachment[0]) {
        out->attachment = cond_scene_find(scene, COND_SCENE_ATTACHMENT, def->attachment);
        out->frame = model->attachment[out->attachment].end[0];
        return COND_OK;
    }
    out->frame.point.body = cond_scene_find(scene, COND_SCENE_BODY, def->on.body);
    out->whole = !def->on.link[0] && !def->on.patch[0];
    if (def->on.patch[0])
        out->frame.patch = cond_model_find_patch(model, def->on.patch);
    if (!def->on.link[0])
        return COND_OK;
    const CondBody* body = &model->body[out->frame.point.body];
    out->frame.point.link = cond_articulation_find_link(body->arm, def->on.link);
    if (out->frame.point.link < 0)
        return cond_error_set(error, COND_BAD_INPUT, "sensor %s: robot %s has no link '%s'",
                              def->name, body->name, def->on.link);
    return COND_OK;
}

CondStatus cond_compile_sensors(CondModel* model, const CondScene* scene, CondError* error)
{
    model->sensor =
        cond_arena_allocate(&model->arena, (size_t)scene->n_sensor, sizeof *model->sensor);
    if (!model->sensor)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    model->n_sensor = scene->n_sensor;
    CondStatus status = COND_OK;
    for (int i = 0; i < scene->n_sensor && !status; i++) {
        cond_compile_note(model, COND_SCENE_SENSOR, i);
        status = compile_sensor(model, scene, &scene->sensor[i], &model->sensor[i], error);
    }
    return status;
}

// The names of bodies were checked with the scene; those of links are known now.
CondStatus cond_compile_cameras(CondModel* model, const CondScene* scene, CondError* error)
{
    model->camera =
        cond_arena_allocate(&model->arena, (size_t)scene->n_camera, sizeof *model->camera);
    if (!model->camera)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    model->n_camera = scene->n_camera;
    for (int i = 0; i < scene->n_camera; i++) {
        const CondCameraDef* def = &scene->camera[i];
        cond_compile_note(model, COND_SCENE_CAMERA, i);
        model->camera[i] = *def;
        if (!def->link[0])
            continue;
        const CondBody* body = &model->body[cond_scene_find(scene, COND_SCENE_BODY, def->body)];
        if (cond_articulation_find_link(body->arm, def->link) < 0)
            return cond_error_set(error, COND_BAD_INPUT, "camera %s: robot %s has no link '%s'",
                                  def->name, body->name, def->link);
    }
    return COND_OK;
}
