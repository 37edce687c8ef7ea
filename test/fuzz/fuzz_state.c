// Saved states, and a step from those that are taken. The checksum at the end of the bytes is made
// right in half of the inputs, so that what lies behind it is reached as well.
#include "fuzz.h"

#include "base/hash.h"
#include "cond/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char scene_text[] = "step: {substeps: 1}\n" // what is odd is tried once
                                 "bodies:\n"
                                 "  - {name: a, kind: rigid, shape: {box: [0.1, 0.1, 0.1]}, "
                                 "mass: 1.0, position: [0, 0, 0.05]}\n"
                                 "  - {name: b, kind: particle, mass: 1.0, position: [1, 0, 0]}\n"
                                 "  - {name: c, kind: soft, mesh: 'box:1,1,1:0.1,0.1,0.1', "
                                 "material: rubber, position: [0, 0, 0.15]}\n"
                                 "materials:\n"
                                 "  - {name: rubber, youngs_modulus: 1e5, poisson_ratio: 0.4, "
                                 "density: 1000}\n"
                                 "planes:\n  - {normal: [0, 0, 1], offset: 0}\n";

static CondModel* make_model(void)
{
    CondScene* scene = NULL;
    CondModel* model = NULL;
    CondError error;
    fuzz_put("state.yaml", (const uint8_t*)scene_text, sizeof scene_text - 1);
    if (cond_scene_read(NULL, "state.yaml", 0, NULL, &scene, &error) ||
        cond_scene_compile(scene, &model, &error)) {
        fprintf(stderr, "%s\n", error.message);
        abort();
    }
    cond_scene_destroy(scene);
    return model;
}

uint8_t* fuzz_seed(size_t* size)
{
    CondModel* model = make_model();
    CondState* state = NULL;
    CondSim* sim = NULL;
    CondStepInfo info;
    CondError error;
    if (cond_state_create(model, &state, &error) || cond_sim_create(model, &sim, &error))
        abort();
    for (int k = 0; k < 3; k++)
        if (cond_sim_step(sim, state, &info) < 0)
            abort();
    cond_state_save(model, state, NULL, 0, size);
    uint8_t* bytes = malloc(*size);
    if (!bytes || cond_state_save(model, state, bytes, *size, size))
        abort();
    cond_sim_destroy(sim);
    cond_state_destroy(state);
    cond_model_destroy(model);
    return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    CondModel* model = make_model();
    CondState* state = NULL;
    CondSim* sim = NULL;
    CondStepInfo info;
    CondError error;
    uint8_t* own = malloc(size + 1);
    if (!own || cond_state_create(model, &state, &error) || cond_sim_create(model, &sim, &error))
        abort();
    memcpy(own, data, size);
    uint64_t before = cond_state_hash(state);
    for (int mended = 0; mended < 2; mended++) {
        if (mended && size > sizeof(uint64_t)) {
            uint64_t sum = cond_hash_bytes(COND_HASH_START, own, size - sizeof sum);
            memcpy(own + size - sizeof sum, &sum, sizeof sum);
        }
        error.message[0] = '\0';
        CondStatus status = cond_state_load(model, state, own, size, &error);
        if (status && (cond_state_hash(state) != before || !error.message[0]))
            abort(); // what is refused leaves the state as it was, and says why
        if (!status && cond_sim_step(sim, state, &info) >= 0 && !(cond_state_time(state) < 1e300))
            abort();
        before = cond_state_hash(state);
    }
    free(own);
    cond_sim_destroy(sim);
    cond_state_destroy(state);
    cond_model_destroy(model);
    return 0;
}
