// `cond convert` to a scene file: reads a scene or an MJCF file, writes it as YAML.
#include "convert_scene.h"

#include "memory.h"

#include <cond/cond.h>
#include <stdlib.h>
#include <string.h>

int convert_is_scene(const char* output)
{
    const char* dot = output ? strrchr(output, '.') : NULL;
    return dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

// Reads the scene, compiles it so that what is written runs, writes it.
static CondStatus write_scene(const char* input, const char* output, int n_override,
                              const char* const* override, CondModel** model, CondError* error)
{
    CondScene* scene = NULL;
    CondStatus status =
        cond_scene_read(memory_context(), input, n_override, override, &scene, error);
    if (!status)
        status = cond_scene_compile(scene, model, error);
    if (!status)
        status = cond_scene_write(scene, output, error);
    cond_scene_destroy(scene);
    return status;
}

int convert_scene(const char* input, const char* output, const char* keyframe, const TextList* set)
{
    char path[4096], key[128] = "";
    CondModel* model = NULL;
    CondError error = {0};
    const char** override = calloc((size_t)set->n + 1, sizeof *override);
    int n = 0;
    cli_scene_path(input, path, sizeof path);
    if (!override) {
        cli_complain("convert: no memory");
        return cli_exit(COND_OUT_OF_MEMORY);
    }
    for (int i = 0; i < set->n; i++)
        override[n++] = set->item[i];
    if (keyframe) {
        snprintf(key, sizeof key, "keyframe=%s", keyframe);
        override[n++] = key;
    }
    CondStatus status = write_scene(path, output, n, override, &model, &error);
    free(override);
    if (status) {
        cli_complain("%s", error.message[0] ? error.message : cond_status_name(status));
        return cli_exit(status);
    }
    for (int i = 0; cond_model_warning(model, i); i++)
        fprintf(stderr, "cond: warning: %s\n", cond_model_warning(model, i));
    printf("%s: %d bodies with %d coordinates\n", output, cond_model_n_body(model),
           cond_model_n_dof(model));
    cond_model_destroy(model);
    return CLI_FINE;
}
