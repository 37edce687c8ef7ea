// A CondScene: made and released, its settings, warnings and lines, and functions that add one
// definition each.
#include "scene/scene.h"

#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

CondStatus cond_scene_create(const CondContext* context, CondScene** scene, CondError* error)
{
    CondContext own = cond_context_or_default(context);
    CondScene* made = cond_allocate(&own, 1, sizeof *made);
    *scene = made;
    if (!made)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "no memory for a scene");
    cond_arena_begin(&own, &made->arena);
    made->settings = cond_scene_settings_default();
    return COND_OK;
}

void cond_scene_destroy(CondScene* scene)
{
    if (!scene)
        return;
    CondContext context = scene->arena.context;
    cond_arena_release(&scene->arena);
    cond_release(&context, scene);
}

CondStatus cond_scene_note_file(CondScene* scene, const char* file)
{
    size_t n = strlen(file) + 1;
    scene->file = cond_arena_allocate(&scene->arena, n, 1);
    if (scene->file)
        memcpy(scene->file, file, n);
    return scene->file ? COND_OK : COND_OUT_OF_MEMORY;
}

CondStatus cond_scene_note_line(CondScene* scene, CondSceneKind kind, int index, int line)
{
    if (COND_RESERVE(&scene->arena, scene->line[kind], index + 1))
        return COND_OUT_OF_MEMORY;
    for (int i = scene->n_line[kind]; i < index; i++)
        scene->line[kind][i] = 0;
    scene->line[kind][index] = line;
    if (scene->n_line[kind] < index + 1)
        scene->n_line[kind] = index + 1;
    return COND_OK;
}

CondSceneSettings* cond_scene_settings(CondScene* scene)
{
    return &scene->settings;
}

CondStatus cond_scene_warn(CondScene* scene, const char* format, ...)
{
    if (COND_RESERVE(&scene->arena, scene->warning, scene->n_warning + 1))
        return COND_OUT_OF_MEMORY;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(scene->warning[scene->n_warning], sizeof *scene->warning, format, arguments);
    va_end(arguments);
    scene->n_warning++;
    return COND_OK;
}

// 1 where a body is a robot with such a link; links of a robot's file are not known yet.
static int may_have(const CondBodyDef* def, const char* link)
{
    int found = def->n_link == 0;
    for (int i = 0; i < def->n_link && !found; i++)
        found = strcmp(def->link[i].name, link) == 0;
    return def->kind == COND_BODY_ROBOT && found;
}

int cond_scene_find_thing(const CondScene* scene, const char* name, CondSceneThing* thing)
{
    const char* slash = strchr(name, '/');
    *thing = (CondSceneThing){.body = cond_scene_find(scene, COND_SCENE_BODY, name)};
    thing->obstacle = cond_scene_find(scene, COND_SCENE_OBSTACLE, name);
    thing->plane = cond_scene_find(scene, COND_SCENE_PLANE, name);
    int n = (thing->body >= 0) + (thing->obstacle >= 0) + (thing->plane >= 0);
    if (n > 0)
        return n;
    // Names may hold a slash themselves: the robot's ends at the first at which there is one with
    // such a link, as far as its links are known here.
    for (; slash && slash - name < COND_NAME_SIZE; slash = strchr(slash + 1, '/')) {
        char robot[COND_NAME_SIZE];
        snprintf(robot, sizeof robot, "%.*s", (int)(slash - name), name);
        int body = cond_scene_find(scene, COND_SCENE_BODY, robot);
        if (body < 0 || strlen(slash + 1) >= COND_NAME_SIZE ||
            !may_have(&scene->body[body], slash + 1))
            continue;
        thing->body = body;
        snprintf(thing->link, sizeof thing->link, "%.63s", slash + 1);
        return 1;
    }
    return 0;
}

#define ADD(kind, KIND, Type)                                                                      \
    CondStatus cond_scene_add_##kind(CondScene* scene, const Type* def, CondError* error)          \
    {                                                                                              \
        return cond_scene_add(scene, COND_SCENE_##KIND, def, NULL, error);                         \
    }

ADD(material, MATERIAL, CondMaterialDef)
ADD(body, BODY, CondBodyDef)
ADD(plane, PLANE, CondPlaneDef)
ADD(obstacle, OBSTACLE, CondObstacleDef)
ADD(exclude, EXCLUDE, CondExcludeDef)
ADD(patch, PATCH, CondPatchDef)
ADD(trajectory, TRAJECTORY, CondTrajectoryDef)
ADD(attachment, ATTACHMENT, CondAttachmentDef)
ADD(sensor, SENSOR, CondSensorDef)
ADD(camera, CAMERA, CondCameraDef)
ADD(force, FORCE, CondForceDef)
ADD(spring, SPRING, CondSpringDef)
ADD(variation, VARIATION, CondVariationDef)
ADD(action, ACTION, CondActionDef)
ADD(reward, REWARD, CondRewardDef)
ADD(observation, OBSERVATION, CondObservationDef)
