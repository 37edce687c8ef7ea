// Pictures of environments for learning: how many a second CondRenderer draws, of batches after a
// few random actions, with colour alone and with depth, in two sizes. Also by seconds of processor
// time, which other programs on the machine disturb less. The hash covers all pixels.
#define _POSIX_C_SOURCE 200809L
#include "bench.h"
#include "memory.h"

#include <cond/env.h>

#include <omp.h>
#include <stdlib.h>
#include <time.h>

static const char* const scenes[] = {"pusher", "tasks/lift_soft", "tasks/ball_grip",
                                     "tasks/mat_fold", "tasks/cable_routing"};
enum { N_SCENE = sizeof scenes / sizeof scenes[0], ACTIONS = 4, SIZES = 2 };
static const int sizes[SIZES] = {84, 128};

typedef struct Shots {
    CondEnvBatch* batch;
    CondRenderer* renderer;
    CondRendererArrays arrays;
    int envs, size, passes;
} Shots;

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Pictures a second, and a second of processor time.
static CondStatus measure(const Shots* shots, int depth, double* rate, double* own,
                          CondError* error)
{
    CondRendererArrays arrays = shots->arrays;
    if (!depth)
        arrays.depth = NULL;
    CondStatus status = cond_env_batch_draw(shots->batch, shots->renderer, &arrays, error);
    double begin = omp_get_wtime(), busy = processor_seconds(), n = 0.0;
    for (int k = 0; k < shots->passes && !status; k++, n += shots->envs)
        status = cond_env_batch_draw(shots->batch, shots->renderer, &arrays, error);
    *rate = n / (omp_get_wtime() - begin);
    *own = n / (processor_seconds() - busy);
    return status;
}

static unsigned long long hash_of(const Shots* shots)
{
    unsigned long long hash = 14695981039346656037u;
    size_t n = 3 * (size_t)shots->envs * (size_t)shots->size * (size_t)shots->size;
    for (size_t k = 0; k < n; k++)
        hash = (hash ^ shots->arrays.rgb[k]) * 1099511628211u;
    return hash;
}

static CondStatus measure_size(const char* scene, Shots* shots, int threads, json_t* rows,
                               CondError* error)
{
    size_t pixels = (size_t)shots->envs * (size_t)shots->size * (size_t)shots->size;
    CondRendererDef def = cond_renderer_def_default();
    double colour, colour_own, both, both_own;
    char hash[32];
    def.width = def.height = shots->size;
    def.threads = threads;
    shots->arrays = cond_renderer_arrays_default();
    shots->arrays.rgb = malloc(3 * pixels);
    shots->arrays.depth = malloc(pixels * sizeof(float));
    CondStatus status = shots->arrays.rgb && shots->arrays.depth ? COND_OK : COND_OUT_OF_MEMORY;
    if (!status)
        status = cond_env_renderer_create(cond_env_batch_env(shots->batch, 0), &def,
                                          &shots->renderer, error);
    if (!status)
        status = measure(shots, 0, &colour, &colour_own, error);
    if (!status)
        status = measure(shots, 1, &both, &both_own, error);
    if (!status) {
        snprintf(hash, sizeof hash, "%016llx", hash_of(shots));
        json_array_append_new(
            rows, json_pack("{s:s, s:i, s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:s}", "label", scene,
                            "envs", shots->envs, "pixels", shots->size, "threads", threads,
                            "triangles", cond_renderer_n_triangle(shots->renderer), "colour",
                            json_number(colour), "colour_core", json_number(colour_own), "both",
                            json_number(both), "both_core", json_number(both_own), "hash", hash));
    }
    cond_renderer_destroy(shots->renderer);
    shots->renderer = NULL;
    free(shots->arrays.rgb);
    free(shots->arrays.depth);
    return status;
}

// Environments after a few actions by chance.
static CondStatus make_batch(const char* scene, int threads, Shots* shots, CondError* error)
{
    char path[4096];
    CondEnvDef def = cond_env_def_default();
    cli_scene_path(scene, path, sizeof path);
    def.scene = path;
    CondStatus status =
        cond_env_batch_create(memory_context(), &def, shots->envs, threads, &shots->batch, error);
    if (status)
        return status;
    size_t n = (size_t)cond_env_n_action(cond_env_batch_env(shots->batch, 0));
    double* action = calloc((size_t)shots->envs * n + 1, sizeof *action);
    CondEnvArrays arrays = cond_env_arrays_default();
    status = action ? COND_OK : COND_OUT_OF_MEMORY;
    for (int k = 0; k < ACTIONS && status >= 0; k++) {
        for (int i = 0; i < shots->envs; i++)
            cond_env_action_draw(cond_env_batch_env(shots->batch, i),
                                 (uint64_t)(k * shots->envs + i), action + (size_t)i * n);
        status =
            cond_env_batch_advance(shots->batch, action, COND_AUTORESET_NEXT_STEP, &arrays, error);
    }
    free(action);
    return status < 0 ? status : COND_OK;
}

static int run(const BenchOptions* options, json_t* result)
{
    json_t* rows = json_array();
    int threads = options->threads > 0 ? options->threads : omp_get_num_procs();
    json_object_set_new(result, "rows", rows);
    for (int i = 0; i < N_SCENE; i++) {
        CondError error = {.message = "out of memory"};
        Shots shots = {.envs = options->quick ? 2 : 64};
        if (!bench_asks(options->scenes, scenes[i]))
            continue;
        shots.passes = options->steps > 0 ? options->steps : options->quick ? 1 : 20;
        CondStatus status = make_batch(scenes[i], threads, &shots, &error);
        for (int k = 0; k < SIZES && !status; k++) {
            shots.size = sizes[k];
            status = measure_size(scenes[i], &shots, threads, rows, &error);
        }
        cond_env_batch_destroy(shots.batch);
        if (status) {
            cli_complain("%s: %s", scenes[i], error.message);
            return cli_exit(status);
        }
    }
    return CLI_FINE;
}

static const BenchColumn columns[] = {
    {"label", "scene", NULL, 0},         {"envs", "environments", "%.0f", 0},
    {"pixels", "pixels", "%.0f", 8},     {"triangles", "triangles", "%.0f", 11},
    {"colour", "colour/s", "%.0f", 11},  {"colour_core", "and core", "%.0f", 10},
    {"both", "with depth/s", "%.0f", 0}, {"both_core", "and core", "%.0f", 10},
    {"hash", "  hash", NULL, 20},
};

const Benchmark bench_pictures = {"pictures",
                                  "pictures of environments per second",
                                  {{"rows", columns, sizeof columns / sizeof columns[0]}},
                                  run};
