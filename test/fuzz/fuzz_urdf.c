// Robots: a URDF file as a scene names it.
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
    static const char text[] = "bodies:\n  - {name: arm, kind: robot, urdf: input.urdf}\n";
    FuzzPurse purse = {.limit = MEMORY};
    CondContext context = fuzz_purse_context(&purse);
    CondScene* scene = NULL;
    CondModel* model = NULL;
    CondError error;
    fuzz_put("input.urdf", data, size);
    fuzz_put("robot.yaml", (const uint8_t*)text, sizeof text - 1);
    CondStatus status = cond_scene_read(&context, "robot.yaml", 0, NULL, &scene, &error);
    if (!status)
        status = cond_scene_compile(scene, &model, &error);
    if (status && !strstr(error.message, "input.urdf") && !strstr(error.message, "body arm") &&
        status != COND_OUT_OF_MEMORY)
        abort(); // the message names the file, or the body where the scene is compiled
    cond_model_destroy(model);
    cond_scene_destroy(scene);
    fuzz_purse_check(&purse);
    return 0;
}
