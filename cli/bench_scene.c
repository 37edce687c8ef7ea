// How benchmarks open the scenes that they step (bench_scene.h).
#include "bench_scene.h"

#include "cli.h"
#include "memory.h"

#include <string.h>

CondStatus bench_scene_begin(const char* name, int n, const char* const* set, BenchScene* scene)
{
    char path[4096];
    CondScene* read = NULL;
    CondError error;
    memset(scene, 0, sizeof *scene);
    cli_scene_path(name, path, sizeof path);
    CondStatus status = cond_scene_read(memory_context(), path, n, set, &read, &error);
    if (!status)
        status = cond_scene_compile(read, &scene->model, &error);
    if (!status)
        status = cond_state_create(scene->model, &scene->state, &error);
    if (!status)
        status = cond_sim_create(scene->model, &scene->sim, &error);
    cond_scene_destroy(read);
    if (status) {
        cli_complain("bench: %s: %s", name, error.message);
        bench_scene_end(scene);
    }
    return status;
}

void bench_scene_end(BenchScene* scene)
{
    cond_sim_destroy(scene->sim);
    cond_state_destroy(scene->state);
    cond_model_destroy(scene->model);
    memset(scene, 0, sizeof *scene);
}
