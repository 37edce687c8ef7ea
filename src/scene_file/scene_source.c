// Where scenes come from: a file, a text, or memory; and what seeds draw of them.
#include "scene_file/scene_source.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "robot_file/mjcf.h"
#include "scene_file/scene_part.h"
#include "scene_file/scene_write.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static CondStatus no_memory(CondError* error)
{
    return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
}

// What messages call it, in memory of the source's own.
static CondStatus name_file(const CondSceneOrigin* origin, CondSceneSource* source,
                            CondError* error)
{
    const char* folder = !origin->path && origin->folder ? origin->folder : "";
    const char* name = origin->path ? origin->path : origin->text ? "text" : "scene";
    size_t size = strlen(folder) + strlen(name) + 2;
    source->file = cond_allocate(&source->context, size, 1);
    if (!source->file)
        return no_memory(error);
    snprintf(source->file, size, "%s%s%s", folder, *folder ? "/" : "", name);
    return COND_OK;
}

// A scene in memory goes the way of one in a file, so that there is one meaning of paths and
// draws.
static CondStatus write_scene(const CondSceneSource* source, const CondScene* scene,
                              CondYamlNode** root, CondError* error)
{
    CondSceneText text = {.context = source->context};
    CondStatus status = cond_scene_write_text(scene, &text);
    if (status)
        no_memory(error);
    else
        status = cond_yaml_parse(&source->context, text.text, (size_t)text.length, source->file,
                                 NULL, root, error);
    cond_scene_text_release(&text);
    return status;
}

static CondStatus get_tree(const CondSceneOrigin* origin, CondSceneSource* source, CondError* error)
{
    CondYamlNode** root = &source->root;
    CondStatus status;
    if (origin->path && cond_mjcf_is_xml(source->file)) {
        CondSceneReader reader = {source->context, source->file, error, NULL};
        status = cond_scene_create(&source->context, &source->notes, error);
        reader.scene = source->notes;
        return status ? status
                      : cond_mjcf_tree(&reader, origin->n_override, origin->override, root);
    }
    if (origin->path)
        status = cond_yaml_read(&source->context, source->file, root, error);
    else if (origin->text)
        status = cond_yaml_parse(&source->context, origin->text, strlen(origin->text), source->file,
                                 NULL, root, error);
    else
        status = write_scene(source, origin->scene, root, error);
    for (int i = 0; i < origin->n_override && !status; ++i)
        status = cond_yaml_override(&source->context, *root, origin->override[i], error);
    return status;
}

CondStatus cond_scene_source_open(const CondContext* context, const CondSceneOrigin* origin,
                                  CondSceneSource* source, CondError* error)
{
    *source = (CondSceneSource){.context = cond_context_or_default(context)};
    if (!origin->path + !origin->text + !origin->scene != 2)
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              origin->path || origin->text || origin->scene
                                  ? "a scene comes from one place: a path, a text or memory"
                                  : "there is no path of a scene to read");
    if (origin->n_override < 0)
        return cond_error_set(error, COND_BAD_ARGUMENT, "n_override is negative");
    CondStatus status = name_file(origin, source, error);
    if (!status)
        status = get_tree(origin, source, error);
    if (status)
        cond_scene_source_close(source);
    return status;
}

void cond_scene_source_close(CondSceneSource* source)
{
    cond_yaml_destroy(&source->context, source->root);
    cond_scene_destroy(source->notes);
    cond_release(&source->context, source->file);
    cond_release(&source->context, source->drawn);
    cond_release(&source->context, source->leaf);
    cond_release(&source->context, source->entry);
    *source = (CondSceneSource){.context = source->context};
}

double cond_variation_value(const CondVariationDef* def, double u)
{
    if (def->n_choice > 0) // u is below 1, rounded up it may not be
        return def->choice[(int)fmin(u * def->n_choice, def->n_choice - 1)];
    if (def->scale == COND_SCALE_LOG)
        return exp(log(def->low) + (log(def->high) - log(def->low)) * u);
    return def->low + (def->high - def->low) * u;
}

double cond_scene_draw(const CondScene* scene, int variation, uint64_t seed)
{
    CondRandom random = {seed};
    double u = 0.0;
    if (variation < 0 || variation >= scene->n_variation)
        return NAN;
    for (int i = 0; i <= variation; i++)
        u = cond_random_uniform(&random);
    return cond_variation_value(&scene->variation[variation], u);
}

int cond_scene_n_variation(const CondScene* scene)
{
    return scene->n_variation;
}

const CondVariationDef* cond_scene_variation(const CondScene* scene, int variation)
{
    return variation >= 0 && variation < scene->n_variation ? &scene->variation[variation] : NULL;
}

// The scene of an origin; with a seed, what it draws.
static CondStatus read_origin(const CondContext* context, const CondSceneOrigin* origin,
                              const uint64_t* seed, CondScene** scene, CondError* error)
{
    CondSceneSource source;
    CondScene* plain = NULL;
    *scene = NULL;
    CondStatus status = cond_scene_source_open(context, origin, &source, error);
    if (!status)
        status = cond_scene_source_read(&source, &plain, error);
    if (!status && seed) {
        status = cond_scene_source_draw(&source, plain, *seed, error);
        if (!status)
            status = cond_scene_source_read(&source, scene, error);
        cond_scene_destroy(plain);
    } else {
        *scene = plain;
    }
    cond_scene_source_close(&source);
    return status;
}

CondStatus cond_scene_read(const CondContext* context, const char* path, int n_override,
                           const char* const* override, CondScene** scene, CondError* error)
{
    CondSceneOrigin origin = {.path = path, .n_override = n_override, .override = override};
    return read_origin(context, &origin, NULL, scene, error);
}

CondStatus cond_scene_read_text(const CondContext* context, const char* text, const char* folder,
                                int n_override, const char* const* override, CondScene** scene,
                                CondError* error)
{
    CondSceneOrigin origin = {
        .text = text, .folder = folder, .n_override = n_override, .override = override};
    return read_origin(context, &origin, NULL, scene, error);
}

CondStatus cond_scene_read_drawn(const CondContext* context, const char* path, int n_override,
                                 const char* const* override, uint64_t seed, CondScene** scene,
                                 CondError* error)
{
    CondSceneOrigin origin = {.path = path, .n_override = n_override, .override = override};
    return read_origin(context, &origin, &seed, scene, error);
}
