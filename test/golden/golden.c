// The bits of all scenes:   golden THREADS[,THREADS]... SCENE.yaml...
//
// Makes some steps of every scene with each number of threads and prints a hash of all their
// states, which must be the same for each; tools/check_golden.sh holds what different compilers
// make of it against each other and against the kept ones. The first line tells the machine's libm,
// on which kept hashes depend: the functions that round correctly nowhere by rule.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "cond/cond.h"

// Hash of what libm makes of some arguments; volatile, so that no compiler computes them itself.
static uint64_t libm_hash(void)
{
    uint64_t hash = COND_HASH_START;
    for (int k = 1; k <= 1000; k++) {
        volatile double x = 0.0137 * k * k, y = 1.0 / k;
        double value[] = {sin(x),  cos(x),  tan(x),     exp(-y),     log(x),
                          acos(y), asin(y), atan(x),    atan2(y, x), pow(x, 1.0 / 3.0),
                          cbrt(x), sinh(y), hypot(x, y)};
        hash = cond_hash_bytes(hash, value, sizeof value);
    }
    return hash;
}

enum { LARGE = 500, STEPS = 20, STEPS_OF_LARGE = 5 };

// COND_OK, or what failed with a message.
static CondStatus run(const char* path, int threads, uint64_t* hash, CondError* error)
{
    CondScene* scene = NULL;
    CondModel* model = NULL;
    CondState* state = NULL;
    CondSim* sim = NULL;
    *hash = COND_HASH_START;
    CondStatus status = cond_scene_read(NULL, path, 0, NULL, &scene, error);
    if (!status) {
        cond_scene_settings(scene)->solver.threads = threads;
        status = cond_scene_compile(scene, &model, error);
    }
    if (!status)
        status = cond_state_create(model, &state, error);
    if (!status)
        status = cond_sim_create(model, &sim, error);
    int steps = model && cond_model_n_dof(model) > LARGE ? STEPS_OF_LARGE : STEPS;
    for (int k = 0; k < steps && status >= 0; k++) {
        status = cond_sim_step(sim, state, NULL);
        uint64_t now = cond_state_hash(state);
        *hash = cond_hash_bytes(*hash, &now, sizeof now);
        if (status < 0)
            snprintf(error->message, sizeof error->message, "step %d: %s", k,
                     cond_status_name(status));
    }
    cond_sim_destroy(sim), cond_state_destroy(state);
    cond_model_destroy(model), cond_scene_destroy(scene);
    return status < 0 ? status : COND_OK;
}

static int run_scene(const char* path, const char* list)
{
    const char* slash = strrchr(path, '/');
    uint64_t first = 0;
    for (const char* at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        uint64_t hash;
        CondError error = {COND_OK, ""};
        if (run(path, atoi(at), &hash, &error))
            return fprintf(stderr, "%s: %s\n", path, error.message), 1;
        if (at > list && hash != first)
            return fprintf(stderr, "%s: %d threads give other bits than %d\n", path, atoi(at),
                           atoi(list)),
                   1;
        first = hash;
    }
    printf("%-20s %016llx\n", slash ? slash + 1 : path, (unsigned long long)first);
    return 0;
}

int main(int argc, char** argv)
{
    int failed = 0;
    if (argc < 3 || atoi(argv[1]) < 1)
        return fprintf(stderr, "usage: golden THREADS[,THREADS]... SCENE.yaml...\n"), 2;
    printf("%-20s %016llx\n", "libm", (unsigned long long)libm_hash());
    for (int i = 2; i < argc; i++)
        failed |= run_scene(argv[i], argv[1]);
    return failed;
}
