// A recording through the code behind `cond view --export` and `cond render`.
#include "show_recording.h"

#include "fuzz.h"
#include "view/view_encode.h"

#include "cond/record.h"
#include "cond/recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char scene_text[] =
    "name: small\n"
    "materials:\n"
    "  - {name: rubber, youngs_modulus: 1e5, poisson_ratio: 0.4, density: 1000}\n"
    "bodies:\n"
    "  - {name: soft, kind: soft, mesh: 'box:1,1,1:0.1,0.1,0.1', material: rubber, "
    "position: [0, 0, 0.05]}\n"
    "  - {name: box, mass: 1.0, shape: {box: [0.1, 0.1, 0.1]}, position: [0.5, 0, 0.05]}\n"
    "  - {name: dot, kind: particle, mass: 0.1, position: [0, 0.5, 0.001]}\n"
    "  - {name: rod, kind: rod, material: rubber, rod: {links: 4, length: 0.4, circle: 0.01}, "
    "position: [-0.5, 0, 0.011], rotation: {axis: [0, 1, 0], degrees: 90}}\n"
    "planes:\n  - {normal: [0, 0, 1], friction: 0.5}\n"
    "sensors:\n  - {name: scale, body: box}\n";

void show_recording_make(const char* path)
{
    CondScene* scene = NULL;
    CondModel* model = NULL;
    CondState* state = NULL;
    CondSim* sim = NULL;
    CondRecord* record = NULL;
    CondStepInfo info;
    CondError error;
    fuzz_put("small.yaml", (const uint8_t*)scene_text, sizeof scene_text - 1);
    CondStatus status = cond_scene_read(NULL, "small.yaml", 0, NULL, &scene, &error);
    if (!status)
        status = cond_scene_compile(scene, &model, &error);
    if (!status)
        status = cond_state_create(model, &state, &error);
    if (!status)
        status = cond_sim_create(model, &sim, &error);
    if (!status)
        status = cond_record_open(NULL, path, model, NULL, &record, &error);
    for (int k = 0; k < 3 && !status; k++) {
        if (cond_sim_step(sim, state, &info) < 0)
            abort();
        status = cond_record_frame(record, sim, state, &info, &error);
    }
    if (status) {
        fprintf(stderr, "%s\n", error.message);
        abort();
    }
    cond_record_close(record);
    cond_sim_destroy(sim);
    cond_state_destroy(state);
    cond_model_destroy(model);
    cond_scene_destroy(scene);
}

int show_recording(const char* path, size_t memory)
{
    FuzzPurse purse = {.limit = memory};
    CondContext context = fuzz_purse_context(&purse);
    CondRecording* recording;
    CondError error;
    Bytes bytes = {0};
    CondStatus status = cond_recording_open(&context, path, &recording, &error);
    if (!status) {
        const CondScenery* scenery = cond_recording_scenery(recording);
        json_t* scene = view_scene_json(scenery, cond_recording_scene(recording), recording);
        char* text = scene ? json_dumps(scene, JSON_COMPACT) : NULL;
        if (!text)
            abort(); // what was taken can be shown
        free(text);
        json_decref(scene);
    }
    int n = status ? 0 : cond_recording_n_frame(recording);
    for (int k = 0; k < n && !status; k++) {
        const CondMoment* moment;
        status = cond_recording_frame(recording, k, &moment, &error);
        if (!status)
            view_encode_frame(cond_recording_scenery(recording), moment, k, &bytes);
    }
    if (status && !strstr(error.message, path))
        abort(); // the message names the file
    cond_recording_close(recording);
    bytes_free(&bytes);
    fuzz_purse_check(&purse);
    return !status;
}
