// Variations, actions and rewards of a scene file, and scenes whose variations are drawn.
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "io/scene_part.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

CondStatus cond_variation_read(const CondSceneReader* reader, const CondYamlNode* node,
                               const char* path, int place, void* target)
{
    (void)place;
    (void)target;
    CondVariationDef def = cond_variation_def_default();
    CondSection section;
    CondSceneIssue issue;
    CondStatus status = cond_section_read(reader, "randomise", node, path, &def, &section);
    if (status)
        return status;
    status = cond_scene_put_variation(reader->scene, &def, &issue);
    return status ? cond_scene_refuse_issue(reader, status, node, path, &issue) : COND_OK;
}

CondStatus cond_action_read(const CondSceneReader* reader, const CondYamlNode* node,
                            const char* path, int place, void* target)
{
    (void)place;
    (void)target;
    CondActionDef def = cond_action_def_default();
    CondSection section;
    CondSceneIssue issue;
    CondStatus status = cond_section_read(reader, "actions", node, path, &def, &section);
    if (status)
        return status;
    status = cond_scene_put_action(reader->scene, &def, &issue);
    return status ? cond_scene_refuse_issue(reader, status, node, path, &issue) : COND_OK;
}

CondStatus cond_reward_read(const CondSceneReader* reader, const CondYamlNode* node,
                            const char* path, int place, void* target)
{
    (void)place;
    (void)target;
    CondRewardDef def = cond_reward_def_default();
    CondSection section;
    CondSceneIssue issue;
    CondStatus status = cond_section_read(reader, "rewards", node, path, &def, &section);
    if (status)
        return status;
    status = cond_scene_put_reward(reader->scene, &def, &issue);
    return status ? cond_scene_refuse_issue(reader, status, node, path, &issue) : COND_OK;
}

double cond_scene_draw(const CondScene* scene, int variation, uint64_t seed)
{
    CondRandom random = {seed};
    double u = 0.0;
    if (variation < 0 || variation >= scene->n_variation)
        return NAN;
    const CondVariationDef* def = &scene->variation[variation];
    for (int i = 0; i <= variation; i++)
        u = cond_random_uniform(&random);
    if (def->scale == COND_SCALE_LOG)
        return exp(log(def->low) + (log(def->high) - log(def->low)) * u);
    return def->low + (def->high - def->low) * u;
}

int cond_scene_n_variation(const CondScene* scene)
{
    return scene->n_variation;
}

const CondVariationDef* cond_scene_variation(const CondScene* scene, int variation)
{
    return variation >= 0 && variation < scene->n_variation ? &scene->variation[variation] : NULL;
}

// "a.b, c.d" holds two paths.
static int count_paths(const char* path)
{
    int n = 1;
    for (; *path; path++)
        n += *path == ',';
    return n;
}

// Enough for a path, '=' and 17 digits.
typedef char DrawnText[COND_PATH_SIZE + 40];

// Writes "path=value" for every path of a variation; returns how many.
static int write_draws(const CondVariationDef* def, double value, DrawnText* text)
{
    int n = 0;
    for (const char* at = def->path; *at;) {
        at += strspn(at, ", ");
        int length = (int)strcspn(at, ", ");
        if (length > 0)
            snprintf(text[n++], sizeof *text, "%.*s=%.17g", length, at, value);
        at += length;
    }
    return n;
}

CondStatus cond_scene_read_draws(const CondScene* plain, const char* path, int n_override,
                                 const char* const* override, uint64_t seed, CondScene** scene,
                                 CondError* error)
{
    const CondContext* m = &plain->arena.context;
    int n = 0, most = 0;
    CondStatus status;
    *scene = NULL;
    for (int i = 0; i < plain->n_variation; i++)
        most += count_paths(plain->variation[i].path);
    DrawnText* text = cond_allocate(m, (size_t)most, sizeof *text);
    const char** all = cond_allocate(m, (size_t)(n_override + most), sizeof *all);
    if (text && all) {
        for (int i = 0; i < plain->n_variation; i++)
            n += write_draws(&plain->variation[i], cond_scene_draw(plain, i, seed), text + n);
        for (int i = 0; i < n_override; i++)
            all[i] = override[i];
        for (int i = 0; i < n; i++)
            all[n_override + i] = text[i];
        status = cond_scene_read(m, path, n_override + n, all, scene, error);
    } else {
        status = cond_error_set(error, COND_OUT_OF_MEMORY, "no memory to draw %.200s", path);
    }
    cond_release(m, all);
    cond_release(m, text);
    return status;
}

CondStatus cond_scene_read_drawn(const CondContext* context, const char* path, int n_override,
                                 const char* const* override, uint64_t seed, CondScene** scene,
                                 CondError* error)
{
    CondScene* plain = NULL;
    *scene = NULL;
    CondStatus status = cond_scene_read(context, path, n_override, override, &plain, error);
    if (!status)
        status = cond_scene_read_draws(plain, path, n_override, override, seed, scene, error);
    cond_scene_destroy(plain);
    return status;
}
