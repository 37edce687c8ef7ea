// Loads scenes of experiments with the parameters of a trial (paper_scene.h).
#include "paper_scene.h"

#include <stdlib.h>

const PaperScene paper_scene_mat = {
    .name = "mat",
    .parameter = {{{"materials.mat.youngs_modulus"}, 50e3, 100e3, 75e3},
                  {{"materials.mat.poisson_ratio"}, 0.3, 0.4, 0.35},
                  {{"planes.floor.friction", "bodies.mat.friction"}, 0.1, 0.5, 0.3}},
    .friction = 2,
    .stop = 1e-4,
    .steps = 400,
    .force_unit = 1e-3,
};

const PaperScene paper_scene_ball = {
    .name = "ball",
    .parameter = {{{"materials.ball.youngs_modulus"}, 0.5e6, 2e6, 1e6},
                  {{"materials.ball.poisson_ratio"}, 0.3, 0.4, 0.35},
                  {{"planes.floor.friction", "bodies.ball.friction", "bodies.gripper.friction"},
                   0.4,
                   0.6,
                   0.5}},
    .friction = 2,
    .stop = 1e-5,
    .steps = 400,
    .force_unit = 1.0,
    .held = "ball",
    .holder = "gripper",
    .grip_time = 0.85,
    .weld_begin = 2.7,
    .weld_end = 3.2,
};

const PaperScene paper_scene_gripper = {
    .name = "gripper",
    .parameter = {{{"materials.ecoflex.youngs_modulus"}, 50e3, 100e3, 83e3},
                  {{"materials.ecoflex.poisson_ratio"}, 0.4, 0.49, 0.42},
                  {{"bodies.left_finger.friction", "bodies.right_finger.friction"}, 0.5, 2.1, 2.1}},
    .friction = 2,
    .stop = 1e-6,
    .steps = 350,
    .force_unit = 1.0,
    .held = "bar",
    .holder = "drives",
    .grip_time = 0.75,
    .weld_begin = 2.9,
    .weld_end = 3.5,
};

const PaperScene paper_scene_cable = {
    .name = "cable",
    .parameter = {{{"materials.rubber.youngs_modulus"}, 4e6, 5e6, 2.954e6},
                  {{"materials.rubber.poisson_ratio"}, 0.4, 0.49, 0.49},
                  {{"bodies.cable.friction"}, 0.5, 1.5, 1.3}},
    .friction = 2,
    .drawn = 1,
    .stop = 1e-4,
    .steps = 5500,
    .force_unit = 1.0,
    .wrench = 2, // of the hand
};

double paper_scene_value(const PaperScene* scene, const PaperOptions* options, int trial,
                         int parameter)
{
    const PaperParameter* p = &scene->parameter[parameter];
    unsigned seed = (unsigned)options->seed * 7919u + (unsigned)trial * 104729u + 1u;
    for (int i = 0; i <= parameter; i++)
        seed = seed * 1664525u + 1013904223u;
    return trial ? p->low + (p->high - p->low) * ((double)(seed >> 8) / 16777216.0) : p->middle;
}

int paper_scene_load(const PaperScene* scene, const PaperOptions* options, int trial, int n_extra,
                     const char* const* extra, CondModel** model)
{
    enum { OWN = PAPER_MAX_PARAMETER * PAPER_MAX_PATH + 1, SIZE = 96 };
    char text[OWN][SIZE];
    const char** override = malloc((size_t)(OWN + n_extra) * sizeof *override);
    int n = 0;
    if (!override) {
        cli_complain("out of memory");
        return CLI_INPUT;
    }
    int drawn = scene->drawn && trial > 0;
    for (int i = 0; i < PAPER_MAX_PARAMETER && !drawn; i++)
        for (int k = 0; k < PAPER_MAX_PATH && scene->parameter[i].path[k]; k++)
            snprintf(text[n++], SIZE, "%s=%.17g", scene->parameter[i].path[k],
                     paper_scene_value(scene, options, trial, i));
    snprintf(text[n++], SIZE, "solver.threads=%d", options->threads);
    for (int i = 0; i < n; i++)
        override[i] = text[i];
    for (int i = 0; i < n_extra; i++)
        override[n++] = extra[i];
    int code = drawn ? paper_load_drawn(scene->name, n, override, options->seed + trial, model)
                     : paper_load(scene->name, n, override, model);
    free(override);
    return code;
}

json_t* paper_scene_settings(const PaperOptions* options, const CondModel* model, int steps,
                             int trials, double mean_contacts, const char* preset)
{
    json_t* settings = paper_settings(options, model, steps, trials, mean_contacts, preset);
    int nodes = 0, tets = 0, links = 0;
    for (int b = 0; b < cond_model_n_body(model); b++) {
        nodes += cond_model_n_node(model, b);
        tets += cond_model_n_tet(model, b);
        if (cond_model_body_kind(model, b) == COND_BODY_ROD)
            links += cond_model_n_link(model, b);
    }
    if (links > 0)
        json_object_set_new(settings, "links", json_integer(links));
    json_object_set_new(settings, "nodes", json_integer(nodes));
    json_object_set_new(settings, "tets", json_integer(tets));
    return settings;
}
