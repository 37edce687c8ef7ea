// Compares solvers on the same windows of a run (paper_windows.h).
#include "paper_windows.h"

#include "progress.h"
#include "solvers.h"

#include <math.h>
#include <string.h>

static const double TRUTH = 1e-9; // certificate of the ground truth

static CondStatus make_solver(const CondModel* model, const PaperScene* scene,
                              const PaperVariant* variant, CondSolver** solver)
{
    CondSolverSettings settings = cond_model_settings(model)->solver;
    CondError error;
    if (variant->own) {
        settings = cond_solver_settings_default();
        settings.threads = cond_model_settings(model)->solver.threads;
    } else {
        settings.accelerator = variant->accelerator;
    }
    settings.stop = COND_STOP_STEP;
    settings.tolerance = variant->stop > 0.0 ? variant->stop : scene->stop;
    settings.max_iterations = 2000; // a row, not a wait
    if (variant->proximal)
        settings.law = COND_LAW_PROXIMAL;
    if (variant->certificate > 0.0) {
        settings.stop = COND_STOP_CERTIFICATE;
        settings.tolerance = variant->certificate;
        settings.max_iterations = 20000;
    }
    if (variant->iterations) {
        settings.tolerance = 1e-300;
        settings.max_iterations = variant->iterations;
    }
    CondStatus status = solvers_create(variant->solver, &settings, solver, &error);
    if (status)
        cli_complain("%s", error.message);
    return status;
}

// One simulation with a solver of its own.
static int open_sim(const CondModel* model, const PaperScene* scene, const PaperVariant* variant,
                    CondSim** sim)
{
    CondError error;
    CondSolver* solver = NULL;
    CondStatus status = cond_sim_create(model, sim, &error);
    if (status)
        cli_complain("%s", error.message);
    if (!status)
        status = make_solver(model, scene, variant, &solver);
    if (!status)
        cond_sim_set_solver(*sim, solver);
    return cli_exit(status);
}

static PaperSample take_sample(const PaperGrip* grip, CondSim* sim, const CondState* state,
                               const CondStepInfo* info)
{
    PaperSample sample = {.penetration = 1e3 * info->penetration};
    for (int b = 0; b < cond_model_n_body(grip->model); b++) {
        double norm = cond_sim_internal_force(sim, state, b);
        sample.internal += norm * norm;
    }
    sample.internal = sqrt(sample.internal);
    if (grip->scene->wrench > 0) {
        double wrench[6];
        if (!cond_sim_attachment_wrench(sim, grip->scene->wrench - 1, wrench))
            sample.force =
                sqrt(wrench[0] * wrench[0] + wrench[1] * wrench[1] + wrench[2] * wrench[2]);
    }
    if (grip->held >= 0) {
        CondPose pose = cond_state_pose(grip->model, state, grip->held);
        sample.force = paper_grip_force(grip, sim);
        memcpy(sample.place, pose.position, sizeof sample.place);
    }
    return sample;
}

static void add_step(const CondStepInfo* info, const PaperSample* own, const PaperSample* exact,
                     PaperTally* tally)
{
    tally->penetration += 1e3 * info->penetration;
    tally->internal += fabs(own->internal - exact->internal);
    tally->force += fabs(own->force - exact->force);
    tally->dynamics +=
        1e3 * (info->seconds[COND_STAGE_FORCES] + info->seconds[COND_STAGE_MATRIX] +
               info->seconds[COND_STAGE_COLLIDE] + info->seconds[COND_STAGE_ASSEMBLE]);
    tally->solve += 1e3 * info->solve.seconds;
    tally->delassus += 1e3 * info->solve.delassus_seconds;
    tally->iterations += info->solve.iterations;
    tally->passes += info->solve.passes;
    tally->residual = fmax(tally->residual, cond_certificate_residual(&info->solve.certificate));
    tally->steps++;
}

// The steps of one window. With a tally, they are judged by the truth, or by themselves where there
// is none.
static CondStatus run_window(const PaperGrip* grip, CondSim* sim, const CondState* from,
                             CondState* own, PaperSample* samples, const PaperSample* exact,
                             PaperTally* tally)
{
    CondStatus status = cond_state_copy(own, from);
    for (int k = 0; k < PAPER_WINDOW_STEPS && status >= 0; k++) {
        CondStepInfo info;
        status = cond_sim_step(sim, own, &info);
        if (status < 0)
            return status;
        samples[k] = take_sample(grip, sim, own, &info);
        if (tally)
            add_step(&info, &samples[k], exact ? &exact[k] : &samples[k], tally);
    }
    if (tally && status >= 0) {
        const double* a = samples[PAPER_WINDOW_STEPS - 1].place;
        const double* b = exact ? exact[PAPER_WINDOW_STEPS - 1].place : a;
        tally->displacement +=
            1e3 * sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                       (a[2] - b[2]) * (a[2] - b[2]));
        tally->windows++;
    }
    return status;
}

// What one trial works with.
typedef struct Bench {
    CondModel* model;
    CondState *state, *own;
    CondSim *lead, *truth, *sim[PAPER_MAX_VARIANT];
} Bench;

static void close_bench(Bench* bench)
{
    for (int i = 0; i < PAPER_MAX_VARIANT; i++)
        cond_sim_destroy(bench->sim[i]);
    cond_sim_destroy(bench->lead);
    cond_sim_destroy(bench->truth);
    cond_state_destroy(bench->state);
    cond_state_destroy(bench->own);
    cond_model_destroy(bench->model);
}

static int open_bench(const PaperWindows* windows, const PaperOptions* options, int trial,
                      Bench* bench)
{
    static const PaperVariant exact = {
        .label = "truth", .solver = "strategy", .certificate = TRUTH, .own = 1};
    const char* extra[PAPER_MAX_VARIANT] = {"solver.preset=paper"};
    CondError error;
    int n = 1;
    for (int i = 0; i < windows->n_extra && n < PAPER_MAX_VARIANT; i++)
        extra[n++] = windows->extra[i];
    int code = paper_scene_load(windows->scene, options, trial, n, extra, &bench->model);
    if (code == CLI_FINE && (cond_state_create(bench->model, &bench->state, &error) ||
                             cond_state_create(bench->model, &bench->own, &error))) {
        cli_complain("%s", error.message);
        code = CLI_INPUT;
    }
    if (code == CLI_FINE)
        code =
            open_sim(bench->model, windows->scene, &windows->variant[windows->lead], &bench->lead);
    if (code == CLI_FINE && !windows->blind)
        code = open_sim(bench->model, windows->scene, &exact, &bench->truth);
    for (int i = 0; i < windows->n_variant && code == CLI_FINE; i++)
        if (!windows->left_out[i])
            code = open_sim(bench->model, windows->scene, &windows->variant[i], &bench->sim[i]);
    return code;
}

static void trace_window(PaperWindows* windows, double time, double time_step,
                         const PaperSample* exact, PaperSample (*samples)[PAPER_WINDOW_STEPS])
{
    const char* label[PAPER_MAX_VARIANT];
    PaperSample now[PAPER_MAX_VARIANT];
    for (int i = 0; i < windows->n_variant; i++)
        label[i] = windows->variant[i].label;
    paper_trace_heading(&windows->trace, windows->n_variant, label);
    for (int k = 0; k < PAPER_WINDOW_STEPS; k++) {
        for (int i = 0; i < windows->n_variant; i++)
            now[i] = samples[i][k];
        paper_trace_window(&windows->trace, time + (k + 1) * time_step, &exact[k],
                           windows->n_variant, now);
    }
}

// All variants on the window that begins at the state of the leading run. The first trial is
// traced.
static void compare(PaperWindows* windows, const PaperGrip* grip, Bench* bench, int first)
{
    static const PaperSample not_made = {NAN, NAN, NAN, {NAN, NAN, NAN}};
    PaperSample exact[PAPER_WINDOW_STEPS], samples[PAPER_MAX_VARIANT][PAPER_WINDOW_STEPS];
    double time = cond_state_time(bench->state);
    CondStatus status = COND_OK;
    for (int k = 0; k < PAPER_WINDOW_STEPS; k++) {
        exact[k] = not_made;
        for (int i = 0; i < windows->n_variant; i++)
            samples[i][k] = not_made;
    }
    if (!windows->blind)
        status = run_window(grip, bench->truth, bench->state, bench->own, exact, NULL, NULL);
    if (status < 0)
        fprintf(stderr, "truth: %s at %g s\n", cond_status_name(status), time);
    for (int i = 0; i < windows->n_variant && status >= 0; i++) {
        if (windows->left_out[i])
            continue;
        CondStatus own = run_window(grip, bench->sim[i], bench->state, bench->own, samples[i],
                                    windows->blind ? NULL : exact, &windows->tally[i]);
        if (own < 0)
            fprintf(stderr, "%s: %s at %g s\n", windows->variant[i].label, cond_status_name(own),
                    time);
    }
    if (first)
        trace_window(windows, time, cond_model_settings(bench->model)->time_step, exact, samples);
}

static int run_trial(PaperWindows* windows, const PaperOptions* options, int trial, int steps,
                     int trials, double* contacts, PaperResult* result)
{
    Bench bench = {0};
    int code = open_bench(windows, options, trial, &bench), every = steps / PAPER_N_WINDOW;
    PaperGrip grip = {0};
    if (code == CLI_FINE)
        grip = paper_grip_begin(windows->scene, bench.model);
    Progress progress = progress_start(windows->scene->name);
    every = every > 0 ? every : 1;
    for (int k = 0; k < steps && code == CLI_FINE; k++) {
        CondStepInfo info;
        if (k % every == every / 2)
            compare(windows, &grip, &bench, trial == 0);
        CondStatus status = cond_sim_step(bench.lead, bench.state, &info);
        result->status = paper_worst(result->status, status);
        windows->led++;
        windows->missed += status > 0;
        if (status < 0) {
            cli_complain("%s: trial %d: step %d: %s", windows->scene->name, trial, k,
                         cond_status_name(status));
            code = cli_exit(status);
        }
        paper_grip_see(&grip, bench.lead, bench.state);
        if (trial == 0 && status >= 0) {
            PaperSample sample = take_sample(&grip, bench.lead, bench.state, &info);
            paper_trace_step(&windows->trace, cond_state_time(bench.state), &sample,
                             info.solve.iterations);
        }
        *contacts += info.n_contact;
        progress_update(&progress, k + 1, steps);
    }
    progress_end(&progress);
    if (code == CLI_FINE && trial == 0) {
        windows->grip = grip;
        windows->grip.model = NULL; // which ends with the trial
    }
    if (code == CLI_FINE && !result->settings) {
        result->settings = paper_scene_settings(options, bench.model, steps, trials,
                                                *contacts / (steps ? steps : 1), "paper");
        json_object_set_new(result->settings, "tolerance", json_number(windows->scene->stop));
        json_object_set_new(result->settings, "windows", json_integer(PAPER_N_WINDOW));
        json_object_set_new(result->settings, "window_steps", json_integer(PAPER_WINDOW_STEPS));
    }
    close_bench(&bench);
    return code;
}

int paper_windows_run(PaperWindows* windows, const PaperOptions* options, PaperResult* result)
{
    int own = windows->steps > 0 ? windows->steps : windows->scene->steps, code = CLI_FINE;
    int steps = paper_steps(options, own, result);
    int trials = options->trials > 0 ? options->trials : windows->trials;
    double contacts = 0.0;
    memset(windows->tally, 0, sizeof windows->tally);
    memset(&windows->trace, 0, sizeof windows->trace);
    for (int i = 0; i < windows->n_variant; i++) {
        windows->left_out[i] = !paper_asked(options, windows->variant[i].label);
        if (windows->left_out[i] || solvers_is_built(windows->variant[i].solver))
            continue;
        windows->left_out[i] = 1;
        solvers_say_left_out("rows of pgs, apgd and ccs are");
    }
    for (int trial = 0; trial < trials && code == CLI_FINE; trial++)
        code = run_trial(windows, options, trial, steps, trials, &contacts, result);
    windows->contacts = contacts / ((double)steps * trials);
    if (result->settings) {
        json_object_set_new(result->settings, "lead_steps", json_integer(windows->led));
        json_object_set_new(result->settings, "lead_missed", json_integer(windows->missed));
    }
    return code;
}

void paper_windows_plots(PaperWindows* windows, const PaperPlot* plot, int n_plot,
                         PaperResult* result)
{
    result->csv = paper_trace_csv(&windows->trace);
    result->plot = plot;
    result->n_plot = result->csv ? n_plot : 0;
}

void paper_windows_rows(const PaperWindows* windows, PaperResult* result)
{
    if (!result->rows)
        result->rows = json_array();
    for (int i = 0; i < windows->n_variant; i++) {
        const PaperTally* t = &windows->tally[i];
        if (windows->left_out[i])
            continue;
        double n = t->steps ? t->steps : 1, m = t->windows ? t->windows : 1;
        json_t* row = json_pack(
            "{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:i}", "label", windows->variant[i].label,
            "mp_mm", json_number(t->penetration / n), "ie",
            json_number(t->internal / n / windows->scene->force_unit), "dt_ms",
            json_number(t->dynamics / n), "st_ms", json_number(t->solve / n), "iterations",
            json_number(t->iterations / n), "passes", json_number(t->passes / n), "residual",
            json_number(t->residual), "steps", t->steps);
        if (windows->variant[i].baseline)
            json_object_set_new(row, "delassus_ms", json_number(t->delassus / n));
        if (windows->scene->held || windows->scene->wrench)
            json_object_set_new(row, "fe_N", json_number(t->force / n));
        if (windows->scene->held) {
            json_object_set_new(row, "de_mm", json_number(t->displacement / m));
        }
        json_array_append_new(result->rows, row);
    }
}
