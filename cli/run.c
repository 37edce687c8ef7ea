// cond run: simulate a scene and say how it went.
#include "run.h"
#include "cli.h"
#include "csv.h"
#include "forces.h"
#include "interrupt.h"
#include "live.h"
#include "memory.h"
#include "overlap.h"
#include "progress.h"
#include "run_sinks.h"
#include "run_summary.h"
#include "solvers.h"

#include <cond/record.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

RunOptions run_options_default(void)
{
    return (RunOptions){.certify = 1e-6,
                        .tolerance = NAN,
                        .step_limit = INFINITY,
                        .every = 1,
                        .compress = 1,
                        .seed = -1};
}

// --dump STEP:FILE writes the contact problem of that step (from 0) as an FCLib file.
static int parse_dump(const char* text, int steps, long* step, const char** path)
{
    char* end = NULL;
    errno = 0;
    *step = text ? strtol(text, &end, 10) : -1;
    *path = NULL;
    if (!text)
        return 0;
    if (end == text || *end != ':' || !end[1] || errno || *step < 0 || *step >= steps) {
        cli_complain("run: --dump %s: expected STEP:FILE, with a step from 0 to %d", text,
                     steps - 1);
        return 1;
    }
    *path = end + 1;
    return 0;
}

// Why a run ends before its time.
static void explain_end(const RunOptions* options, const CondSim* sim, const CondState* state,
                        int k, int steps, CondStatus status)
{
    double time = cond_state_time(state);
    const char* why = cond_sim_message(sim);
    if (status == COND_CANCELLED && !interrupt_signal())
        cli_complain("step %d at t = %g s: not finished after %g s (--step-limit); the state is as "
                     "before it",
                     k, time, options->step_limit);
    else if (status < 0 && status != COND_CANCELLED)
        cli_complain("step %d at t = %g s: %s%s%s", k, time, cond_status_name(status),
                     *why ? ": " : "", why);
    if (interrupt_signal())
        cli_complain("ended by signal %d after %d of %d steps", interrupt_signal(), k, steps);
}

// Simulates; everything recorded so far is kept whatever happens.
static CondStatus simulate(const RunOptions* options, const CondModel* model, CondSim* sim,
                           CondState* state, int steps, RunSinks* sinks, RunSummary* summary)
{
    long dump_step;
    const char* dump_path;
    if (parse_dump(options->dump, steps, &dump_step, &dump_path))
        return COND_BAD_ARGUMENT;
    Progress progress = progress_start(cond_model_settings(model)->name);
    CondStatus status = COND_OK;
    run_record_frame(sinks, NULL, state, NULL);
    int k = 0;
    for (; k < steps && !interrupt_signal(); k++) {
        CondStepInfo info;
        interrupt_limit_step(options->step_limit);
        if (dump_path && k == dump_step && (status = run_dump_problem(sim, state, dump_path)) < 0)
            break;
        status = cond_sim_step(sim, state, &info);
        if (status < 0)
            break;
        if (options->untimed)
            memset(info.seconds, 0, sizeof info.seconds);
        CondStatus audited = audit_step(&summary->audit, model, state, k, info.penetration);
        if (audited < 0) {
            cli_complain("audit after step %d: %s", k, cond_status_name(audited));
            status = audited;
            break;
        }
        run_summary_judge_depth(model, k, audited, &info, summary);
        run_summary_add(summary, &info);
        forces_add(model, sim, summary->sensor);
        joints_add(model, sim, summary->joint);
        if (sinks->csv)
            run_csv_row(sinks->csv, model, state, &info);
        if (sinks->sensors)
            forces_csv_row(sinks->sensors, model, sim, info.time);
        if (sinks->joints)
            joints_csv_row(sinks->joints, model, sim, info.time);
        if ((k + 1) % options->every == 0)
            run_record_frame(sinks, sim, state, &info);
        if (options->save_every > 0 && (k + 1) % options->save_every == 0)
            run_save_state(options->save, model, state, sinks);
        progress_update(&progress, k + 1, steps);
    }
    interrupt_limit_step(INFINITY);
    progress_end(&progress);
    if (k < steps)
        explain_end(options, sim, state, k, steps, status);
    if (dump_path && k < dump_step)
        cli_complain("%s: not written: step %ld was not reached", dump_path, dump_step);
    if (options->save && status >= 0)
        run_warn_of_reuse(model, state);
    run_save_state(options->save, model, state, sinks);
    return status < 0 ? status : summary->status;
}

CondStatus run_load(const char* path, int n_set, const char* const* set, int seed, double tolerance,
                    int threads, CondModel** model, CondError* error)
{
    CondScene* scene = NULL;
    CondStatus status = seed < 0
                            ? cond_scene_read(memory_context(), path, n_set, set, &scene, error)
                            : cond_scene_read_drawn(memory_context(), path, n_set, set,
                                                    (uint64_t)seed, &scene, error);
    if (!status) {
        CondSceneSettings* settings = cond_scene_settings(scene);
        if (!isnan(tolerance))
            settings->solver.tolerance = tolerance;
        if (threads > 0)
            settings->solver.threads = threads;
        status = cond_scene_compile(scene, model, error);
    }
    cond_scene_destroy(scene);
    return status;
}

static int known_solver(const char* name)
{
    if (!name || solvers_is_built(name))
        return 1;
    cli_complain("run: --solver %s: no solver has that name%s", name, solvers_hint(name));
    return 0;
}

CondStatus run_use_solver(CondSim* sim, const CondModel* model, const char* name, CondError* error)
{
    CondSolver* solver = NULL;
    CondStatus status = solvers_create(name, &cond_model_settings(model)->solver, &solver, error);
    if (!status)
        cond_sim_set_solver(sim, solver);
    return status;
}

// The first few things that were changed in robots' files, or that are worth knowing of a body.
static void warn_of_model(const CondModel* model)
{
    enum { MOST = 5 };
    for (int i = 0; cond_model_warning(model, i); i++) {
        if (i == MOST) {
            cli_complain("warning: there is more; cond check lists it all");
            return;
        }
        cli_complain("warning: %s", cond_model_warning(model, i));
    }
}

static CondStatus open_record(const RunOptions* options, const CondModel* model,
                              CondRecord** record, CondError* error)
{
    CondRecordSettings settings = cond_record_settings_default();
    settings.all_digits = options->digits && strcmp(options->digits, "all") == 0;
    settings.compression = options->compress;
    return cond_record_open(memory_context(), options->record, model, &settings, record, error);
}

// Steps to the end of the scene's duration.
static int steps_left(const CondSceneSettings* settings, const CondState* state)
{
    double n = round((settings->duration - cond_state_time(state)) / settings->time_step);
    return (int)fmin(fmax(n, 0.0), CLI_MOST_STEPS);
}

// The summary as a file; without the clock and the machine where files are to have the same bits.
static int put_summary(const RunOptions* options, json_t* summary)
{
    if (options->untimed) {
        json_object_del(summary, "stage_ms");
        json_object_del(summary, "machine");
    }
    return json_put(summary, options->json);
}

static CondStatus open_sinks(const RunOptions* options, const CondModel* model, RunSinks* sinks)
{
    if (csv_open(options->csv, &sinks->csv) || csv_open(options->sensors, &sinks->sensors) ||
        csv_open(options->joints, &sinks->joints))
        return COND_NO_FILE;
    if (sinks->csv)
        run_csv_header(sinks->csv, model);
    if (sinks->sensors)
        forces_csv_header(sinks->sensors, model);
    if (sinks->joints)
        joints_csv_header(sinks->joints, model);
    return COND_OK;
}

// 1 where something could not be written to its end.
static int close_sinks(const RunOptions* options, RunSinks* sinks)
{
    if (csv_close(options->csv, sinks->csv) | csv_close(options->sensors, sinks->sensors) |
        csv_close(options->joints, sinks->joints))
        sinks->failed = 1;
    cond_record_close(sinks->record);
    return sinks->failed;
}

// Steps to the end and sums up; an exit code.
static int run_to_end(const RunOptions* options, const char* path, const CondModel* model,
                      CondSim* sim, CondState* state, RunSinks* sinks, RunSummary* summary)
{
    const CondSceneSettings* settings = cond_model_settings(model);
    int steps = options->steps > 0 ? options->steps : steps_left(settings, state);
    CondStatus status = simulate(options, model, sim, state, steps, sinks, summary);
    int code = status == COND_BAD_ARGUMENT ? CLI_USAGE : cli_exit(status);
    if (code == CLI_FINE && settings->solver.stop == COND_STOP_STEP &&
        !(summary->residual <= options->certify)) {
        cli_complain("every step passed the step test, but the worst certificate is %.1e "
                     "(--certify %.1e)",
                     summary->residual, options->certify);
        code = CLI_TOLERANCE;
    }
    if (!options->quiet)
        run_summary_print(model, state, summary);
    if (options->json &&
        put_summary(options, run_summary_json(path, model, sim, state, summary, status)))
        sinks->failed = 1;
    return code;
}

int run_model(const RunOptions* options, const char* path, const CondModel* model, int* failed)
{
    CondState* state = NULL;
    CondSim* sim = NULL;
    CondError error = {COND_OK, ""};
    RunSummary summary = {.first_unsolved = -1};
    RunSinks sinks = {.csv = NULL};
    CondStatus status = cond_state_create(model, &state, &error);
    if (!status)
        status = cond_sim_create(model, &sim, &error);
    if (!status && options->solver)
        status = run_use_solver(sim, model, options->solver, &error);
    if (!status && options->resume)
        status = cond_state_read(model, state, options->resume, &error);
    if (!status)
        status = overlap_start(model, sim, state, options->settle, options->quiet, &error);
    if (!status)
        status = audit_begin(model, state, options->audit, &summary.audit, &error);
    if (!status && options->record)
        status = open_record(options, model, &sinks.record, &error);
    if (status)
        cli_complain("%s", error.message);
    interrupt_keep(1.0);
    if (!status)
        status = open_sinks(options, model, &sinks);
    if (!status) {
        summary.sensor = calloc((size_t)cond_model_n_sensor(model) + 1, sizeof *summary.sensor);
        summary.joint = calloc((size_t)joints_count(model) + 1, sizeof *summary.joint);
    }
    if (!status && (!summary.sensor || !summary.joint)) {
        cli_complain("out of memory");
        status = COND_OUT_OF_MEMORY;
    }
    int code = cli_exit(status);
    *failed = status != COND_OK;
    if (!status)
        code = run_to_end(options, path, model, sim, state, &sinks, &summary);
    code = interrupt_code(code);
    if (close_sinks(options, &sinks)) {
        *failed = 1;
        code = code < CLI_INPUT ? CLI_INPUT : code;
    }
    audit_end(&summary.audit);
    free(summary.sensor);
    free(summary.joint);
    cond_sim_destroy(sim);
    cond_state_destroy(state);
    return code;
}

static int run_scene(const RunOptions* options, const char* text)
{
    char path[4096];
    CondModel* model = NULL;
    CondError error = {COND_OK, ""};
    int failed;
    cli_scene_path(text, path, sizeof path);
    CondStatus status = run_load(path, options->set.n, options->set.item, options->seed,
                                 options->tolerance, options->threads, &model, &error);
    if (status) {
        cli_complain("%s", error.message);
        return cli_exit(status);
    }
    if (!options->quiet)
        warn_of_model(model);
    int code = run_model(options, path, model, &failed);
    cond_model_destroy(model);
    return code;
}

static int run_live(const RunOptions* options, const char* text)
{
    char path[4096];
    cli_scene_path(text, path, sizeof path);
    LiveRun live = {.path = path,
                    .set = options->set,
                    .tolerance = options->tolerance,
                    .threads = options->threads,
                    .step_limit = options->step_limit,
                    .steps = options->steps,
                    .seed = options->seed,
                    .solver = options->solver,
                    .port = options->port,
                    .no_open = options->no_open};
    return live_run(&live);
}

static int is_output(const char* path)
{
    return path && strcmp(path, "-") == 0;
}

// An option that a run that is watched does not heed; NULL: none was given.
static const char* not_for_view(const RunOptions* o)
{
    return o->csv       ? "--csv"
           : o->sensors ? "--sensors"
           : o->joints  ? "--joints"
           : o->record  ? "--record"
           : o->dump    ? "--dump"
           : o->save    ? "--save"
           : o->resume  ? "--resume"
           : o->json    ? "--json"
                        : NULL;
}

// Two of the files that a run writes have one name; *name is it.
static int writes_twice(const RunOptions* o, const char** name)
{
    const char* const files[] = {o->csv, o->sensors, o->joints, o->record, o->save, o->json};
    enum { N = sizeof files / sizeof files[0] };
    for (int i = 0; i < N; i++)
        for (int k = 0; k < i; k++)
            if (files[i] && files[k] && !is_output(files[i]) && strcmp(files[i], files[k]) == 0) {
                *name = files[i];
                return 1;
            }
    return 0;
}

// --device NAME is short for --set solver.device=NAME. 1, with a message: there is no such device.
static int add_device(const char* name, TextList* set)
{
    static const char* const settings[] = {"solver.device=cpu", "solver.device=cuda",
                                           "solver.device=auto"};
    int index = cli_enum("run: --device", name, cli_device_name);
    return index < 0 || text_list_add(set, settings[index]);
}

static int run(int argc, char** argv)
{
    RunOptions options = run_options_default();
    const Option table[] = {
        {"--steps", OPTION_INT(&options.steps, 1, CLI_MOST_STEPS), "N",
         "number of steps; by default the scene's duration"},
        {"--set", OPTION_LIST(&options.set), "PATH=VALUE",
         "set a value of the scene; may be repeated"},
        {"--seed", OPTION_INT(&options.seed, 0, INT_MAX), "S", "seed of the scene's random values"},
        {"--solver", OPTION_TEXT(&options.solver), "NAME", "velocity solver, as in cond solve"},
        {"--tol", OPTION_POSITIVE(&options.tolerance), "X", "tolerance of the solver"},
        {"--certify", OPTION_POSITIVE(&options.certify), "X",
         "largest certificate for exit code 0"},
        {"--step-limit", OPTION_POSITIVE(&options.step_limit), "S", "time limit of a step [s]"},
        {"--threads", OPTION_INT(&options.threads, 0, CLI_MOST_THREADS), "N",
         "number of threads; 0: as the scene says"},
        {"--device", OPTION_TEXT(&options.device), "cpu|cuda|auto",
         "machine of the inner iterations of soft bodies (solver.device)"},
        {"--csv", OPTION_TEXT(&options.csv), "FILE",
         "write the poses of every step; -: standard output"},
        {"--sensors", OPTION_TEXT(&options.sensors), "FILE",
         "write the readings of sensors; -: standard output"},
        {"--joints", OPTION_TEXT(&options.joints), "FILE",
         "write joint positions, rates, torques and limits; -: standard output"},
        {"--record", OPTION_TEXT(&options.record), "FILE",
         "write frames: .h5 (VTKHDF), .xdmf or .pvd"},
        {"--every", OPTION_INT(&options.every, 1, INT_MAX), "N", "steps between frames (1)"},
        {"--digits", OPTION_TEXT(&options.digits), "few|all",
         "precision of drawn values: 32 or 64 bits"},
        {"--compress", OPTION_INT(&options.compress, 0, 9), "N",
         "compression of recordings, 0 (fastest) to 9 (smallest) (1)"},
        {"--dump", OPTION_TEXT(&options.dump), "STEP:FILE",
         "write the contact problem of a step, in FCLib's format"},
        {"--save", OPTION_TEXT(&options.save), "FILE", "write the state at the end"},
        {"--save-every", OPTION_INT(&options.save_every, 1, INT_MAX), "N",
         "write the state every N steps as well"},
        {"--resume", OPTION_TEXT(&options.resume), "FILE", "continue from a saved state"},
        {"--settle", OPTION_FLAG(&options.settle), NULL,
         "separate overlapping bodies before the first step"},
        {"--no-sleeping", OPTION_FLAG(&options.no_sleeping), NULL, "keep bodies at rest awake"},
        {"--audit", OPTION_INT(&options.audit, 1, INT_MAX), "N",
         "measure the true penetration of all pairs every N steps (slow)"},
        {"--view", OPTION_FLAG(&options.view), NULL, "watch and control the run in the browser"},
        {"--port", OPTION_INT(&options.port, 0, 65535), "N", "port of --view; 0: any free port"},
        {"--no-open", OPTION_FLAG(&options.no_open), NULL, "do not open the browser for --view"},
        {"--json", OPTION_TEXT(&options.json), "FILE",
         "write the summary as JSON; -: standard output"},
        {"--quiet", OPTION_FLAG(&options.quiet), NULL,
         "do not print the summary on standard error"},
        {"--untimed", OPTION_FLAG(&options.untimed), NULL,
         "leave timings and host names out, so that files are reproducible"},
    };
    const char *scene = NULL, *twice = NULL;
    int n_positional, code = CLI_USAGE;
    if (options_read(&cli_run, table, sizeof table / sizeof table[0], argc, argv, &scene, 1,
                     &n_positional))
        code = n_positional < 0 ? CLI_FINE : CLI_USAGE;
    else if (!scene)
        cli_complain("run: name a scene; usage: cond %s", cli_run.usage);
    else if (writes_twice(&options, &twice))
        cli_complain("run: %s: two files under one name", twice);
    else if (options.view && not_for_view(&options))
        cli_complain("run: --view and %s exclude each other", not_for_view(&options));
    else if (options.save_every > 0 && !options.save)
        cli_complain("run: --save-every needs --save FILE");
    else if (is_output(options.csv) + is_output(options.sensors) + is_output(options.joints) +
                 is_output(options.json) >
             1)
        cli_complain(
            "run: only one of --csv, --sensors, --joints and --json can be standard output");
    else if (options.digits && strcmp(options.digits, "few") != 0 &&
             strcmp(options.digits, "all") != 0)
        cli_complain("run: --digits %s: expected few or all", options.digits);
    else if (options.device && add_device(options.device, &options.set))
        code = CLI_USAGE;
    else if (options.no_sleeping && text_list_add(&options.set, "step.sleeping=false"))
        code = CLI_USAGE;
    else if (known_solver(options.solver))
        code = options.view ? run_live(&options, scene) : run_scene(&options, scene);
    free(options.set.item);
    return code;
}

const Command cli_run = {"run", "run SCENE [options]", "Simulates a scene.", run};
