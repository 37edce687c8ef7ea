// Whole runs of the paper's randomised trials by the default solver: is every step certified?
#include "bench.h"
#include "bench_stage.h"
#include "paper_scene.h"
#include "text.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>

enum { TRIALS = 20, QUICK_TRIALS = 2, QUICK_STEPS = 10 };

// What one trial did.
typedef struct Trial {
    const PaperScene* scene;
    int trial, code;
    int steps, missed, first_missed; // first_missed: -1 where there is none
    double residual;                 // the worst
    double contacts, products, passes;
    int most_products;
    double seconds; // of the solves
} Trial;

// Every problem of the step counts: the step itself, impact and position.
static double worst_residual(const CondStepInfo* info)
{
    double residual = cond_certificate_residual(&info->solve.certificate);
    if (info->impact.iterations > 0)
        residual = fmax(residual, cond_certificate_residual(&info->impact.certificate));
    if (info->correction.iterations > 0)
        residual = fmax(residual, cond_certificate_residual(&info->correction.certificate));
    return residual;
}

static void add_step(const CondStepInfo* info, double tolerance, Trial* trial)
{
    double residual = worst_residual(info);
    if (!(residual <= tolerance)) {
        trial->missed++;
        trial->first_missed = trial->first_missed < 0 ? trial->steps : trial->first_missed;
    }
    trial->residual = fmax(trial->residual, residual);
    trial->contacts += info->n_contact;
    trial->products += info->solve.products;
    trial->passes += info->solve.passes;
    trial->seconds += info->solve.seconds;
    if (info->solve.products > trial->most_products)
        trial->most_products = info->solve.products;
    trial->steps++;
}

static void run_trial(const BenchOptions* options, Trial* trial)
{
    PaperOptions paper = {.threads = 1};
    char tolerance[64];
    const char* set[BENCH_MAX_SMALL + 1] = {tolerance};
    CondModel* model = NULL;
    CondState* state = NULL;
    CondSim* sim = NULL;
    CondError error;
    int n = 1, steps = options->steps > 0 ? options->steps : trial->scene->steps;
    snprintf(tolerance, sizeof tolerance, "solver.tolerance=%.17g", options->tolerance);
    const char* const* small = bench_small(trial->scene->name);
    for (int k = 0; k < BENCH_MAX_SMALL && options->quick && small && small[k]; k++)
        set[n++] = small[k];
    if (options->quick && options->steps == 0)
        steps = QUICK_STEPS;
    trial->first_missed = -1;
    trial->code = paper_scene_load(trial->scene, &paper, trial->trial, n, set, &model);
    if (trial->code == CLI_FINE &&
        (cond_state_create(model, &state, &error) || cond_sim_create(model, &sim, &error))) {
        cli_complain("%s", error.message);
        trial->code = CLI_INPUT;
    }
    for (int k = 0; k < steps && trial->code == CLI_FINE; k++) {
        CondStepInfo info;
        CondStatus status = cond_sim_step(sim, state, &info);
        if (status < 0) {
            cli_complain("%s, trial %d: step %d: %s", trial->scene->name, trial->trial, k,
                         cond_status_name(status));
            trial->code = cli_exit(status);
        } else {
            add_step(&info, options->tolerance, trial);
        }
    }
    fprintf(stderr, "%-8s trial %2d: %d steps, %d missed, worst %.1e\n", trial->scene->name,
            trial->trial, trial->steps, trial->missed, trial->residual);
    cond_sim_destroy(sim);
    cond_state_destroy(state);
    cond_model_destroy(model);
}

static json_t* make_row(const Trial* trial)
{
    double n = trial->steps > 0 ? trial->steps : 1;
    return json_pack("{s:s, s:i, s:i, s:i, s:i, s:o, s:o, s:o, s:i, s:o, s:o}", "scene",
                     trial->scene->name, "trial", trial->trial, "steps", trial->steps, "missed",
                     trial->missed, "first_missed", trial->first_missed, "residual",
                     json_number(trial->residual), "contacts", json_number(trial->contacts / n),
                     "products", json_number(trial->products / n), "most_products",
                     trial->most_products, "passes", json_number(trial->passes / n), "solve_ms",
                     json_number(1e3 * trial->seconds / n));
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
        missed += trial[i].missed;
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
    {"passes", "passes", "%.2f", 8},      {"solve_ms", "solve ms", "%.2f", 10},
};

const Benchmark bench_trials = {"trials",
                                "whole runs of the paper's randomised trials: is every step "
                                "certified?",
                                {{"rows", columns, sizeof columns / sizeof columns[0]}},
                                run};
