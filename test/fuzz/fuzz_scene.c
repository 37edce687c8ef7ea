// Scenes: read, and compiled where that worked.
#include "fuzz.h"

#include "cond/sim.h"

#include <stdio.h>
#include <stdlib.h>

enum { MEMORY = 64 << 20 };

uint8_t* fuzz_seed(size_t* size)
{
    *size = 0;
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    FuzzPurse purse = {.limit = MEMORY};
    CondContext context = fuzz_purse_context(&purse);
    CondScene* scene = NULL;
    CondModel* model = NULL;
    CondError error;
    fuzz_put("input.yaml", data, size);
    CondStatus status = cond_scene_read(&context, "input.yaml", 0, NULL, &scene, &error);
    if (!status)
        status = cond_scene_compile(scene, &model, &error);
    if (status && !error.message[0])
        abort();
    cond_model_destroy(model);
    cond_scene_destroy(scene);
    fuzz_purse_check(&purse);
    return 0;
}
