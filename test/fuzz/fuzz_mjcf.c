// Robots and scenes: an MJCF file.
#include "fuzz.h"

#include "cond/sim.h"

#include <stdlib.h>
#include <string.h>

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
    fuzz_put("input.xml", data, size);
    CondStatus status = cond_scene_read(&context, "input.xml", 0, NULL, &scene, &error);
    if (!status)
        status = cond_scene_compile(scene, &model, &error);
    if (status && !strstr(error.message, "input.xml") && !strstr(error.message, "body ") &&
        status != COND_OUT_OF_MEMORY)
        abort(); // the message names the file, or the body where the scene is compiled
    cond_model_destroy(model);
    cond_scene_destroy(scene);
    fuzz_purse_check(&purse);
    return 0;
}
