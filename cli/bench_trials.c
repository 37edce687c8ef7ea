// `cond bench trials`: whole runs of the paper's randomised trials by the default solver, with
// the certificate of every step.
#include "bench_run.h"
#include "bench_stage.h"
#include "paper_scene.h"
#include "text.h"

#include <omp.h>
#include <stdlib.h>

enum { TRIALS = 20, QUICK_TRIALS = 2, QUICK_STEPS = 10 };

typedef struct Trial {
    const PaperScene* scene;
    int trial, code;
    BenchRun run;
} Trial;

static void run_trial(const BenchOptions* options, Trial* trial)
{
    PaperOptions paper = {.threads = 1};
    char tolerance[64];
    const char* set[BENCH_MAX_SMALL + 1] = {tolerance};
    CondModel* model = NULL;
    int n = 1, steps = options->steps > 0 ? options->steps : trial->scene->steps;
    snprintf(tolerance, sizeof tolerance, "solver.tolerance=%.17g", options->tolerance);
    const char* const* small = bench_small(trial->scene->name);
    for (int k = 0; k < BENCH_MAX_SMALL && options->quick && small && small[k]; k++)
        set[n++] = small[k];
    if (options->quick && options->steps == 0)
        steps = QUICK_STEPS;
    trial->code = paper_scene_load(trial->scene, &paper, trial->trial, n, set, &model);
    if (trial->code == CLI_FINE)
        trial->code =
            bench_run(model, trial->scene->name, 0, steps, options->tolerance, &trial->run);
    fprintf(stderr, "%-8s trial %2d: %d steps, %d missed, worst %.1e\n", trial->scene->name,
            trial->trial, trial->run.steps, trial->run.missed, trial->run.residual);
    cond_model_destroy(model);
}

static json_t* make_row(const Trial* trial)
{
    json_t* row = json_pack("{s:s, s:i}", "scene", trial->scene->name, "trial", trial->trial);
    bench_run_row(&trial->run, row);
    return row;
}

static int run(const BenchOptions* options, json_t* result)
{
    static const PaperScene* const scenes[] = {&paper_scene_mat, &paper_scene_ball,
                                               &paper_scene_gripper, &paper_scene_cable};
    enum { N_SCENE = sizeof scenes / sizeof scenes[0] };
    int own = options->quick ? QUICK_TRIALS : TRIALS, n = 0, code = CLI_FINE, missed = 0;
    int trials = options->trials > 0 ? options->trials : own;
    int threads = options->threads > 0 ? options->threads : omp_get_num_procs();
    json_t* rows = json_array();
    json_object_set_new(result, "rows", rows);
    Trial* trial = calloc((size_t)trials * N_SCENE, sizeof *trial);
    if (!trial) {
        cli_complain("out of memory");
        return CLI_INPUT;
    }
    for (int s = 0; s < N_SCENE; s++)
        for (int k = 0; k < trials; k++)
            if (!options->scenes || text_lists(options->scenes, scenes[s]->name))
                trial[n++] = (Trial){.scene = scenes[s], .trial = k};
                // Trials share nothing, and each of them runs on one thread.
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int i = 0; i < n; i++)
        run_trial(options, &trial[i]);
    for (int i = 0; i < n; i++) {
        json_array_append_new(rows, make_row(&trial[i]));
        code = trial[i].code > code ? trial[i].code : code;
        missed += trial[i].run.missed;
    }
    free(trial);
    fputc('\n', stderr);
    return code == CLI_FINE && missed > 0 ? CLI_TOLERANCE : code;
}

static const BenchColumn columns[] = {
    {"scene", "scene", NULL, 10},         {"trial", "trial", "%.0f", 6},
    {"steps", "steps", "%.0f", 8},        {"missed", "missed", "%.0f", 8},
    {"residual", "worst", "%.1e", 10},    {"contacts", "contacts", "%.1f", 10},
    {"products", "products", "%.1f", 10}, {"most_products", "most", "%.0f", 8},
    {"passes", "Newton", "%.2f", 8},      {"solve_ms", "solve ms", "%.2f", 10},
};

const Benchmark bench_trials = {"trials",
                                "whole runs of the paper's randomised trials: is every step "
                                "certified?",
                                {{"rows", columns, sizeof columns / sizeof columns[0]}},
                                run};
