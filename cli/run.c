// cond run: simulate a scene and say how it went.
#include "audit.h"
#include "cli.h"
#include "csv.h"
#include "forces.h"
#include "interrupt.h"
#include "json.h"
#include "live.h"
#include "memory.h"
#include "overlap.h"
#include "progress.h"
#include "solvers.h"

#include <cond/record.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct RunOptions {
    const char *json, *csv, *sensors, *solver, *dump, *record, *save, *resume, *digits;
    int steps, threads, quiet, every, save_every, compress, seed, view, port, no_open, settle,
        audit;
    double tolerance, certify, step_limit;
    TextList set;
} RunOptions;

// What a run adds up.
typedef struct Summary {
    CondStatus status;  // worst of all steps
    int steps, missed;  // steps made, steps beyond their tolerance or too deep
    int unsolved;       // those beyond their tolerance
    int first_unsolved; // -1: none
    int too_deep;       // steps that left something beyond contact.penetration_limit
    double residual;    // worst certificate of all three problems of a step
    double penetration;
    double iterations, passes, contacts; // sums over steps
    int max_iterations, max_passes;
    int rounds, added;     // solves again, with so many contacts found at the end of a step
    int rechecked;         // steps with any
    int rung[COND_N_RUNG]; // steps by what made their answer
    int max_relaxed;       // contacts held to the proximal law instead of the strict one
    double seconds[COND_N_STAGE];
    double energy_start, energy_end;
    SensorSum* sensor; //                                                     (n_sensor)
    AuditSum audit;
} Summary;

static double step_residual(const CondStepInfo* info)
{
    double worst = cond_certificate_residual(&info->solve.certificate);
    worst = fmax(worst, cond_certificate_residual(&info->impact.certificate));
    return fmax(worst, cond_certificate_residual(&info->correction.certificate));
}

static void add_step(Summary* s, const CondStepInfo* info)
{
    if (s->steps == 0)
        s->energy_start = info->kinetic_before + info->potential_before;
    int unsolved = info->solve.status > 0 || info->impact.status > 0 || info->correction.status > 0;
    s->missed += info->status > 0;
    if (unsolved && s->unsolved++ == 0)
        s->first_unsolved = s->steps;
    s->steps++;
    s->status = info->status > s->status ? info->status : s->status;
    s->residual = fmax(s->residual, step_residual(info));
    s->penetration = fmax(s->penetration, info->penetration);
    s->iterations += info->solve.iterations;
    s->contacts += info->n_contact;
    if (info->solve.iterations > s->max_iterations)
        s->max_iterations = info->solve.iterations;
    s->rung[info->solve.rung]++;
    s->rounds += info->rounds;
    s->added += info->added;
    s->rechecked += info->rounds > 0;
    if (info->solve.relaxed > s->max_relaxed)
        s->max_relaxed = info->solve.relaxed;
    s->passes += info->solve.passes;
    s->max_passes = info->solve.passes > s->max_passes ? info->solve.passes : s->max_passes;
    for (int k = 0; k < COND_N_STAGE; k++)
        s->seconds[k] += info->seconds[k];
    s->energy_end = info->kinetic_after + info->potential_after;
}

static void csv_header(FILE* file, const CondModel* model)
{
    static const char* const parts[] = {"x",  "y",  "z",  "qw", "qx", "qy", "qz",
                                        "vx", "vy", "vz", "wx", "wy", "wz"};
    Text text = {0};
    text_add(&text, "time");
    for (int b = 0; b < cond_model_n_body(model); b++)
        for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
            csv_column(&text, cond_model_body_name(model, b), parts[k]);
    text_add(&text, ",certificate,penetration,kinetic,potential,contacts,iterations\n");
    fputs(text.data ? text.data : "", file);
    free(text.data);
}

static void csv_row(FILE* file, const CondModel* model, const CondState* state,
                    const CondStepInfo* info)
{
    fprintf(file, "%.9g", info->time);
    for (int b = 0; b < cond_model_n_body(model); b++) {
        CondPose p = cond_state_pose(model, state, b);
        csv_numbers(file, 17, p.position, 3);
        csv_numbers(file, 17, p.orientation, 4);
        csv_numbers(file, 17, p.velocity, 3);
        csv_numbers(file, 17, p.angular_velocity, 3);
    }
    csv_number(file, 3, step_residual(info));
    csv_number(file, 6, info->penetration);
    csv_number(file, 17, info->kinetic_after);
    csv_number(file, 17, info->potential_after);
    fprintf(file, ",%d,%d\n", info->n_contact, info->solve.iterations);
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

static CondStatus dump_problem(CondSim* sim, const CondState* state, const char* path)
{
    CondError error;
    CondStatus status = cond_sim_forces(sim, state);
    if (!status)
        status = cond_sim_collide(sim, state);
    if (!status)
        status = cond_sim_assemble(sim, state);
    if (!status)
        status = cond_fclib_write(memory_context(), path, cond_sim_problem(sim), COND_FCLIB_ROWS,
                                  "COND contact problem", NULL, NULL, &error);
    if (status)
        cli_complain("%s: %s", path, error.message);
    return status;
}

// Where a run is written to while it goes on; NULL: not wanted, or given up after a failure.
typedef struct Sinks {
    FILE *csv, *sensors;
    CondRecord* record;
    int failed; // 1: the record has ended early, or the state could not be saved
} Sinks;

// Saves the state where that is wanted; a failure does not end the run.
static void save_state(const RunOptions* options, const CondModel* model, const CondState* state,
                       Sinks* sinks)
{
    CondError error;
    if (!options->save || !cond_state_write(model, state, options->save, &error))
        return;
    cli_complain("%s; the run goes on", error.message);
    sinks->failed = 1;
}

// A surrogate that is kept over several steps is made anew at steps that are multiples of
// solver.reuse. A state saved in between goes on well, but not with the same bits.
static void warn_of_reuse(const CondModel* model, const CondState* state)
{
    const CondSceneSettings* settings = cond_model_settings(model);
    long step = lround(cond_state_time(state) / settings->time_step);
    if (step % settings->solver.reuse != 0)
        cli_complain("the state was saved at step %ld, not a multiple of solver.reuse: %d; a run "
                     "resumed from it has other bits than one that was not interrupted",
                     step, settings->solver.reuse);
}

// A frame that cannot be written ends the record, not the run.
static void record_frame(Sinks* sinks, const CondSim* sim, const CondState* state,
                         const CondStepInfo* info)
{
    CondError error;
    if (!sinks->record || !cond_record_frame(sinks->record, sim, state, info, &error))
        return;
    cli_complain("%s; the record ends here with %d frames, the run goes on", error.message,
                 cond_record_n_frame(sinks->record));
    cond_record_close(sinks->record);
    sinks->record = NULL;
    sinks->failed = 1;
}

// Why a run ends before its time.
static void explain_end(const RunOptions* options, const CondSim* sim, const CondState* state,
                        int k, int steps, CondStatus status)
{
    double time = cond_state_time(state);
    const char* why = cond_sim_runaway(sim);
    if (status == COND_CANCELLED && !interrupt_signal())
        cli_complain("step %d at t = %g s: not through after %g s (--step-limit); the state is as "
                     "before it",
                     k, time, options->step_limit);
    else if (status < 0 && status != COND_CANCELLED)
        cli_complain("step %d at t = %g s: %s%s%s", k, time, cond_status_name(status),
                     *why ? ": " : "", why);
    if (interrupt_signal())
        cli_complain("ended by signal %d after %d of %d steps", interrupt_signal(), k, steps);
}

// A step that left something too deep, by its contacts or by the audit, is missed; the first one is
// named.
static void judge_depth(const CondModel* model, int k, CondStatus audited, CondStepInfo* info,
                        Summary* summary)
{
    const CondPenetration* d = &info->deepest;
    const CondAuditPair* pair = &summary->audit.too_deep;
    if (info->status != COND_TOO_DEEP && audited != COND_TOO_DEEP)
        return;
    if (summary->too_deep++ == 0 && info->status == COND_TOO_DEEP) {
        const char* other = d->other >= 0      ? cond_model_body_name(model, d->other)
                            : d->plane >= 0    ? cond_model_plane_name(model, d->plane)
                            : d->obstacle >= 0 ? cond_model_obstacle_name(model, d->obstacle)
                                               : "something fixed";
        cli_complain("step %d: %s and %s overlap by %.3g m, more than contact.penetration_limit: "
                     "%.3g m",
                     k, cond_model_body_name(model, d->body), other, d->depth, d->limit);
    } else if (summary->too_deep == 1) {
        cli_complain(
            "step %d: %s and %s overlap by %.3g m, as the audit says, more than "
            "contact.penetration_limit: %.3g m; the step found %.3g m",
            k, pair->name[0], pair->name[1], pair->depth,
            cond_model_penetration_limit(model, pair->body[0], pair->body[1], pair->obstacle),
            info->penetration);
    }
    info->status = COND_TOO_DEEP;
}

// Simulates; everything recorded so far is kept whatever happens.
static CondStatus simulate(const RunOptions* options, const CondModel* model, CondSim* sim,
                           CondState* state, int steps, Sinks* sinks, Summary* summary)
{
    long dump_step;
    const char* dump_path;
    if (parse_dump(options->dump, steps, &dump_step, &dump_path))
        return COND_BAD_ARGUMENT;
    Progress progress = progress_start(cond_model_settings(model)->name);
    CondStatus status = COND_OK;
    record_frame(sinks, NULL, state, NULL);
    int k = 0;
    for (; k < steps && !interrupt_signal(); k++) {
        CondStepInfo info;
        interrupt_limit_step(options->step_limit);
        if (dump_path && k == dump_step && (status = dump_problem(sim, state, dump_path)) < 0)
            break;
        status = cond_sim_step(sim, state, &info);
        if (status < 0)
            break;
        CondStatus audited = audit_step(&summary->audit, model, state, k, info.penetration);
        if (audited < 0) {
            cli_complain("audit after step %d: %s", k, cond_status_name(audited));
            status = audited;
            break;
        }
        judge_depth(model, k, audited, &info, summary);
        add_step(summary, &info);
        forces_add(model, sim, summary->sensor);
        if (sinks->csv)
            csv_row(sinks->csv, model, state, &info);
        if (sinks->sensors)
            forces_csv_row(sinks->sensors, model, sim, info.time);
        if ((k + 1) % options->every == 0)
            record_frame(sinks, sim, state, &info);
        if (options->save_every > 0 && (k + 1) % options->save_every == 0)
            save_state(options, model, state, sinks);
        progress_update(&progress, k + 1, steps);
    }
    interrupt_limit_step(INFINITY);
    progress_end(&progress);
    if (k < steps)
        explain_end(options, sim, state, k, steps, status);
    if (dump_path && k < dump_step)
        cli_complain("%s: not written, for step %ld was not reached", dump_path, dump_step);
    if (options->save && status >= 0)
        warn_of_reuse(model, state);
    save_state(options, model, state, sinks);
    return status < 0 ? status : summary->status;
}

static void print_rungs(const Summary* s)
{
    fprintf(stderr, "  answers by   ");
    for (int k = 0, first = 1; k < COND_N_RUNG; k++)
        if (s->rung[k] > 0) {
            fprintf(stderr, "%s %s %d", first ? "" : ",", cond_rung_name((CondRung)k), s->rung[k]);
            first = 0;
        }
    fputc('\n', stderr);
}

static json_t* rungs_json(const Summary* s)
{
    json_t* rungs = json_object();
    for (int k = 0; k < COND_N_RUNG; k++)
        if (s->rung[k] > 0)
            json_object_set_new(rungs, cond_rung_name((CondRung)k), json_integer(s->rung[k]));
    return rungs;
}

static void print_summary(const CondModel* model, const CondState* state, const Summary* s)
{
    double total = 0.0;
    int n = s->steps > 0 ? s->steps : 1;
    for (int k = 0; k < COND_N_STAGE; k++)
        total += s->seconds[k];
    fprintf(stderr, "%s: %d steps to t = %g s, %d bodies, %d dof\n",
            cond_model_settings(model)->name, s->steps, cond_state_time(state),
            cond_model_n_body(model), cond_model_n_dof(model));
    fprintf(stderr, "  contacts      %.1f a step\n", s->contacts / n);
    fprintf(stderr, "  iterations    %.1f a step, at most %d\n", s->iterations / n,
            s->max_iterations);
    if (s->max_passes > 0)
        fprintf(stderr, "  passes        %.1f a step, at most %d\n", s->passes / n, s->max_passes);
    if (s->steps > s->rung[COND_RUNG_OTHER])
        print_rungs(s);
    if (s->rounds > 0)
        fprintf(stderr, "  rounds        %d more solves in %d steps, %d contacts found late\n",
                s->rounds, s->rechecked, s->added);
    if (s->max_relaxed > 0)
        fprintf(stderr,
                "  relaxed       %d contacts at most held to the proximal law, in %d steps\n",
                s->max_relaxed, s->rung[COND_RUNG_RELAXED]);
    fprintf(stderr, "  certificate   %.1e at worst", s->residual);
    if (s->unsolved > 0)
        fprintf(stderr, "; %d steps missed the tolerance %.1e, the first is step %d", s->unsolved,
                cond_model_settings(model)->solver.tolerance, s->first_unsolved);
    fprintf(stderr, "\n  penetration   %.3g m at most", s->penetration);
    if (s->too_deep > 0)
        fprintf(stderr, "; %d steps went beyond contact.penetration_limit", s->too_deep);
    fputc('\n', stderr);
    audit_print(stderr, &s->audit);
    fprintf(stderr, "  energy        %.6g J to %.6g J\n", s->energy_start, s->energy_end);
    forces_print(stderr, model, s->sensor);
    fprintf(stderr, "  time a step   %.3g ms:", 1e3 * total / n);
    for (int k = 0; k < COND_N_STAGE; k++)
        fprintf(stderr, " %s %.3g", cond_stage_name((CondStage)k), 1e3 * s->seconds[k] / n);
    fputc('\n', stderr);
}

// How the run ended, for the summary.
static const char* end_name(CondStatus status)
{
    return interrupt_signal()         ? "signal"
           : status == COND_CANCELLED ? "step limit"
           : status < 0               ? "failed"
                                      : "finished";
}

static json_t* summary_json(const char* path, const CondModel* model, const CondSim* sim,
                            const CondState* state, const Summary* s, CondStatus status)
{
    const CondSceneSettings* settings = cond_model_settings(model);
    int n = s->steps > 0 ? s->steps : 1;
    char hash[32];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)cond_state_hash(state));
    json_t* stages = json_object();
    for (int k = 0; k < COND_N_STAGE; k++)
        json_object_set_new(stages, cond_stage_name((CondStage)k),
                            json_number(1e3 * s->seconds[k] / n));
    json_t* bodies = json_array();
    for (int b = 0; b < cond_model_n_body(model); b++) {
        CondPose p = cond_state_pose(model, state, b);
        json_array_append_new(bodies, json_pack("{s:s, s:o, s:o, s:o, s:o}", "name",
                                                cond_model_body_name(model, b), "position",
                                                json_numbers(p.position, 3), "orientation",
                                                json_numbers(p.orientation, 4), "velocity",
                                                json_numbers(p.velocity, 3), "angular_velocity",
                                                json_numbers(p.angular_velocity, 3)));
    }
    return json_pack(
        "{s:o, s:s, s:s, s:i, s:o, s:i, s:o, s:o, s:i, s:o, s:i, s:o, s:i, s:o, s:i, s:o, s:o, "
        "s:o, "
        "s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:i, s:i, s:i}",
        "scene", json_text(path), "name", settings->name, "status", cond_status_name(status),
        "steps", s->steps, "time", json_number(cond_state_time(state)), "missed", s->missed,
        "residual", json_number(s->residual), "iterations", json_number(s->iterations / n),
        "max_iterations", s->max_iterations, "passes", json_number(s->passes / n), "max_passes",
        s->max_passes, "answers", rungs_json(s), "max_relaxed", s->max_relaxed, "contacts",
        json_number(s->contacts / n), "dof", cond_model_n_dof(model), "penetration",
        json_number(s->penetration), "energy_start", json_number(s->energy_start), "energy_end",
        json_number(s->energy_end), "hash", hash, "end", end_name(status), "stage_ms", stages,
        "bodies", bodies, "pairs", forces_pairs_json(model, sim), "sensors",
        forces_sensors_json(model, s->sensor), "audit", audit_json(&s->audit), "machine",
        json_machine(settings->solver.threads), "rounds", s->rounds, "rechecked", s->rechecked,
        "added", s->added, "too_deep", s->too_deep);
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
    for (int i = 0; name && solvers_name(i); i++)
        if (strcmp(name, solvers_name(i)) == 0)
            return 1;
    if (name)
        cli_complain("run: --solver %s: no solver has that name", name);
    return !name;
}

CondStatus run_use_solver(CondSim* sim, const CondModel* model, const char* name, CondError* error)
{
    CondSolver* solver = NULL;
    CondStatus status = solvers_create(name, &cond_model_settings(model)->solver, &solver, error);
    if (!status)
        cond_sim_set_solver(sim, solver);
    return status;
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

static int run_scene(const RunOptions* options, const char* text)
{
    char path[4096];
    CondModel* model = NULL;
    CondState* state = NULL;
    CondSim* sim = NULL;
    CondError error;
    Summary summary = {.first_unsolved = -1};
    Sinks sinks = {.csv = NULL};
    cli_scene_path(text, path, sizeof path);
    CondStatus status = run_load(path, options->set.n, options->set.item, options->seed,
                                 options->tolerance, options->threads, &model, &error);
    if (status) {
        cli_complain("%s", error.message);
        return cli_exit(status);
    }
    status = cond_state_create(model, &state, &error);
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
    if (!status &&
        (csv_open(options->csv, &sinks.csv) || csv_open(options->sensors, &sinks.sensors)))
        status = COND_NO_FILE;
    if (!status && !(summary.sensor =
                         calloc((size_t)cond_model_n_sensor(model) + 1, sizeof *summary.sensor))) {
        cli_complain("out of memory");
        status = COND_OUT_OF_MEMORY;
    }
    int code = cli_exit(status);
    if (!status) {
        const CondSceneSettings* settings = cond_model_settings(model);
        int steps = options->steps > 0 ? options->steps : steps_left(settings, state);
        if (sinks.csv)
            csv_header(sinks.csv, model);
        if (sinks.sensors)
            forces_csv_header(sinks.sensors, model);
        status = simulate(options, model, sim, state, steps, &sinks, &summary);
        code = status == COND_BAD_ARGUMENT ? CLI_USAGE : cli_exit(status);
        if (code == CLI_FINE && settings->solver.stop == COND_STOP_STEP &&
            !(summary.residual <= options->certify)) {
            cli_complain("every step passed the step test, but the worst certificate is %.1e "
                         "(--certify %.1e)",
                         summary.residual, options->certify);
            code = CLI_TOLERANCE;
        }
        if (!options->quiet)
            print_summary(model, state, &summary);
        if (options->json &&
            json_put(summary_json(path, model, sim, state, &summary, status), options->json))
            sinks.failed = 1;
    }
    code = interrupt_code(code);
    if (csv_close(options->csv, sinks.csv) | csv_close(options->sensors, sinks.sensors))
        sinks.failed = 1;
    if (sinks.failed && code < CLI_INPUT)
        code = CLI_INPUT;
    cond_record_close(sinks.record);
    audit_end(&summary.audit);
    free(summary.sensor);
    cond_sim_destroy(sim);
    cond_state_destroy(state);
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
    const char* const files[] = {o->csv, o->sensors, o->record, o->save, o->json};
    enum { N = sizeof files / sizeof files[0] };
    for (int i = 0; i < N; i++)
        for (int k = 0; k < i; k++)
            if (files[i] && files[k] && !is_output(files[i]) && strcmp(files[i], files[k]) == 0) {
                *name = files[i];
                return 1;
            }
    return 0;
}

static int run(int argc, char** argv)
{
    RunOptions options = {.certify = 1e-6,
                          .tolerance = NAN,
                          .step_limit = INFINITY,
                          .every = 1,
                          .compress = 1,
                          .seed = -1};
    const Option table[] = {
        {"--steps", OPTION_INT(&options.steps, 1, CLI_MOST_STEPS), "N",
         "steps instead of the scene's duration"},
        {"--set", OPTION_LIST(&options.set), "PATH=VALUE", "change a value of the scene"},
        {"--seed", OPTION_INT(&options.seed, 0, INT_MAX), "S", "draw what the scene randomises"},
        {"--solver", OPTION_TEXT(&options.solver), "NAME", "velocity solver, as in cond solve"},
        {"--tol", OPTION_POSITIVE(&options.tolerance), "X", "tolerance of the solver"},
        {"--certify", OPTION_POSITIVE(&options.certify), "X", "largest certificate that is fine"},
        {"--step-limit", OPTION_POSITIVE(&options.step_limit), "S", "seconds a step may take"},
        {"--threads", OPTION_INT(&options.threads, 0, CLI_MOST_THREADS), "N",
         "0: as OpenMP decides"},
        {"--csv", OPTION_TEXT(&options.csv), "FILE", "poses of every step; - is standard output"},
        {"--sensors", OPTION_TEXT(&options.sensors), "FILE",
         "what sensors read; - is standard output"},
        {"--record", OPTION_TEXT(&options.record), "FILE", "frames in .h5 (VTKHDF) or .pvd files"},
        {"--every", OPTION_INT(&options.every, 1, INT_MAX), "N",
         "steps from one frame to the next (1)"},
        {"--digits", OPTION_TEXT(&options.digits), "few|all", "of what is drawn: 32 bits or 64"},
        {"--compress", OPTION_INT(&options.compress, 0, 9), "N", "0 fastest ... 9 smallest (1)"},
        {"--dump", OPTION_TEXT(&options.dump), "STEP:FILE", "contact problem of a step, FCLib"},
        {"--save", OPTION_TEXT(&options.save), "FILE", "the state at the end, to resume from"},
        {"--save-every", OPTION_INT(&options.save_every, 1, INT_MAX), "N",
         "save also every N steps"},
        {"--resume", OPTION_TEXT(&options.resume), "FILE", "go on from a saved state"},
        {"--settle", OPTION_FLAG(&options.settle), NULL, "push apart what overlaps, then start"},
        {"--audit", OPTION_INT(&options.audit, 1, INT_MAX), "N",
         "true depth of all pairs, every N steps; slow"},
        {"--view", OPTION_FLAG(&options.view), NULL, "watch and steer it in the browser"},
        {"--port", OPTION_INT(&options.port, 0, 65535), "N", "of --view; 0: any free one"},
        {"--no-open", OPTION_FLAG(&options.no_open), NULL, "--view without opening the browser"},
        {"--json", OPTION_TEXT(&options.json), "FILE", "summary as JSON; - is standard output"},
        {"--quiet", OPTION_FLAG(&options.quiet), NULL, "no summary on standard error"},
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
    else if (is_output(options.csv) + is_output(options.sensors) + is_output(options.json) > 1)
        cli_complain("run: only one of --csv, --sensors and --json can be standard output");
    else if (options.digits && strcmp(options.digits, "few") != 0 &&
             strcmp(options.digits, "all") != 0)
        cli_complain("run: --digits %s: expected few or all", options.digits);
    else if (known_solver(options.solver))
        code = options.view ? run_live(&options, scene) : run_scene(&options, scene);
    free(options.set.item);
    return code;
}

const Command cli_run = {"run", "run SCENE [options]", "simulate a scene", run};
