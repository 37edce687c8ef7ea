// Piles of rigid bodies: time, contacts, Newton steps and true penetration of COND and, where it is
// installed, of Bullet on the same scenes in the same run.
#define _POSIX_C_SOURCE 200809L
#include "bench.h"
#include "interrupt.h"
#include "memory.h"
#include "progress.h"
#include "solvers.h"
#include "text.h"

#ifdef COND_BASELINES
#include <cond/baselines.h>
#endif
#include <cond/audit.h>

#include <math.h>
#include <stdlib.h>
#include <time.h>

static const double SLIPS = 1e-3; // a contact that is faster [m/s]

static const struct {
    const char* name;
    int steps; // that are run where nobody says
} tasks[] = {{"bin", 600},  {"bin1000", 300}, {"dominoes", 1000},
             {"wall", 400}, {"chain", 600},   {"chain100", 600}};

static const struct {
    const char* name;
    int iterations; // of Bullet; 0: COND
} engines[] = {{"COND", 0}, {"Bullet 10", 10}, {"Bullet 100", 100}};

enum {
    N_TASK = sizeof tasks / sizeof tasks[0],
    N_ENGINE = sizeof engines / sizeof engines[0],
    AUDITS = 20, // of a run
    QUICK_STEPS = 3,
};

// One run of one engine.
typedef struct Run {
    const CondModel* model;
    CondState* state;
    CondAudit* audit;
    double* before; // places at the beginning of the last tenth [m]          (n_body x 3)
    double* way;    // from there to the end [m]                              (n_body)
    int steps, done, missed;
    double seconds, worst;         // of all steps, of one
    double contacts, newton;       // of all steps
    double friction, wrong;        // friction that slip and load allow in all, and the part of it
                                   // that Coulomb's law does not know [N s]
    double depth;                  // deepest of all audits [m]
    double lowest, gained, motion; // energy: least so far, most above that, largest motion [J]
} Run;

// What a step of an engine gives.
typedef struct Step {
    CondStatus status;
    double seconds, energy;
    int contacts, newton;
} Step;

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double motion_of(const Run* run)
{
    double sum = 0.0;
    for (int b = 0; b < cond_model_n_body(run->model); b++) {
        CondPose pose = cond_state_pose(run->model, run->state, b);
        const double* v = pose.velocity;
        sum += 0.5 * cond_model_mass(run->model, b) * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
    return sum;
}

static CondStatus look(Run* run, int k)
{
    int every = run->steps / AUDITS > 0 ? run->steps / AUDITS : 1;
    if ((k + 1) % every != 0)
        return COND_OK;
    CondStatus status = cond_audit_run(run->audit, run->state, 0.0);
    int deepest = status ? -1 : cond_audit_deepest(run->audit);
    if (deepest >= 0)
        run->depth = fmax(run->depth, cond_audit_pair(run->audit, deepest).depth);
    return status;
}

static void keep_places(Run* run, int k)
{
    int n = cond_model_n_body(run->model), begin = run->steps - (run->steps + 9) / 10 - 1;
    for (int b = 0; b < n && (k == begin || k == run->steps - 1); b++) {
        CondPose pose = cond_state_pose(run->model, run->state, b);
        double* x = run->before + 3 * b;
        if (k != run->steps - 1)
            x[0] = pose.position[0], x[1] = pose.position[1], x[2] = pose.position[2];
        else
            run->way[b] = hypot(hypot(pose.position[0] - x[0], pose.position[1] - x[1]),
                                pose.position[2] - x[2]);
    }
}

static CondStatus add_step(Run* run, int k, const Step* step)
{
    run->done++;
    run->missed += step->status != COND_OK;
    run->seconds += step->seconds;
    run->worst = fmax(run->worst, step->seconds);
    run->contacts += step->contacts;
    run->newton += step->newton;
    run->lowest = k == 0 ? step->energy : fmin(run->lowest, step->energy);
    run->gained = fmax(run->gained, step->energy - run->lowest);
    run->motion = fmax(run->motion, motion_of(run));
    keep_places(run, k);
    return look(run, k);
}

// Coulomb's law: no more than mu lambda_n, against the slip and all of that where there is some.
// An impulse of friction is wrong by its distance from what the law says.
static void judge_friction(void* data, const CondContactInfo* contact)
{
    Run* run = data;
    const double *f = contact->impulse, *u = contact->velocity;
    double most = contact->friction[0] * fmax(f[0], 0.0), slip = hypot(u[1], u[2]);
    run->friction += most;
    run->wrong += slip > SLIPS ? hypot(f[1] + most * u[1] / slip, f[2] + most * u[2] / slip)
                               : fmax(hypot(f[1], f[2]) - most, 0.0);
}

static CondStatus run_cond(Run* run, CondError* error)
{
    CondSim* sim = NULL;
    CondStatus status = cond_sim_create(run->model, &sim, error);
    Progress progress = progress_start("COND");
    for (int k = 0; k < run->steps && status >= 0 && !interrupt_signal(); k++) {
        CondStepInfo info;
        double begin = seconds_now();
        status = cond_sim_step(sim, run->state, &info);
        Step step = {info.status, seconds_now() - begin, info.kinetic_after + info.potential_after,
                     info.n_contact, info.solve.passes};
        if (status >= 0 && add_step(run, k, &step) < 0)
            status = COND_OUT_OF_MEMORY;
        for (int c = 0; c < cond_sim_n_contact(sim) && status >= 0; c++) {
            CondContactInfo contact = cond_sim_contact(sim, c);
            judge_friction(run, &contact);
        }
        progress_update(&progress, k + 1, run->steps);
    }
    progress_end(&progress);
    cond_sim_destroy(sim);
    return status < 0 ? status : COND_OK;
}

#ifdef COND_BASELINES
static CondStatus run_bullet(Run* run, int iterations, CondError* error)
{
    CondBullet* bullet = NULL;
    CondStatus status = cond_bullet_create(run->model, run->state, iterations, &bullet, error);
    for (int k = 0; k < run->steps && !status && !interrupt_signal(); k++) {
        CondBulletInfo info;
        status = cond_bullet_step(bullet, run->state, &info);
        Step step = {COND_OK, info.seconds, info.energy, info.contacts, 0};
        if (!status)
            status = add_step(run, k, &step);
        cond_bullet_contacts(bullet, judge_friction, run);
    }
    cond_bullet_destroy(bullet);
    return status;
}
#else
static CondStatus run_bullet(Run* run, int iterations, CondError* error)
{
    (void)run;
    (void)iterations;
    (void)error;
    return COND_NOT_SUPPORTED;
}
#endif

static int by_size(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// `ours`: milliseconds of COND's step on the same scene in the same run; 0: it was not run.
static json_t* make_row(const char* scene, int engine, Run* run, double ours)
{
    int n = cond_model_n_body(run->model), tenth = (run->steps + 9) / 10;
    double steps = fmax(run->done, 1), t = cond_model_settings(run->model)->time_step;
    qsort(run->way, (size_t)n, sizeof *run->way, by_size);
    double creep = n > 0 && run->steps > 1 ? run->way[n / 2] / (tenth * t) : 0.0;
    double ms = 1e3 * run->seconds / steps;
    json_t* missed = engines[engine].iterations > 0 ? json_null() : json_integer(run->missed);
    json_t* newton =
        engines[engine].iterations > 0 ? json_null() : json_number(run->newton / steps);
    return json_pack(
        "{s:s, s:s, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "scene", scene,
        "engine", engines[engine].name, "bodies", n, "steps", run->done, "ms", json_number(ms),
        "ratio", ours > 0.0 ? json_number(ours / ms) : json_null(), "worst_ms",
        json_number(1e3 * run->worst), "contacts", json_number(run->contacts / steps), "newton",
        newton, "missed", missed, "depth_mm", json_number(1e3 * run->depth), "friction_error",
        json_number(run->wrong / fmax(run->friction, 1e-300)), "creep_mm_s",
        json_number(1e3 * creep), "gained", json_number(run->gained / fmax(run->motion, 1e-30)));
}

// One engine on one scene; a row where it knows the scene.
static int run_engine(const CondModel* model, const char* scene, int engine, int steps,
                      double* ours, json_t* rows)
{
    Run run = {.model = model, .steps = steps};
    size_t n = (size_t)cond_model_n_body(model) + 1;
    CondError error = {COND_OK, ""};
    CondStatus status = cond_state_create(model, &run.state, &error);
    if (!status)
        status = cond_audit_create(model, &run.audit, &error);
    run.before = calloc(3 * n, sizeof *run.before);
    run.way = calloc(n, sizeof *run.way);
    if (!status && (!run.before || !run.way))
        status = COND_OUT_OF_MEMORY;
    if (!status)
        status = engines[engine].iterations == 0
                     ? run_cond(&run, &error)
                     : run_bullet(&run, engines[engine].iterations, &error);
    if (!status && run.done > 0 && engines[engine].iterations == 0)
        *ours = 1e3 * run.seconds / run.done;
    if (!status && run.done > 0)
        json_array_append_new(rows, make_row(scene, engine, &run, *ours));
    if (status == COND_NOT_SUPPORTED) {
        solvers_say_left_out("Bullet is");
        fprintf(stderr, "%s: without %s\n", scene, engines[engine].name);
    } else if (status)
        cli_complain("%s: %s: step %d: %s %s", scene, engines[engine].name, run.done,
                     cond_status_name(status), error.message);
    free(run.before);
    free(run.way);
    cond_audit_destroy(run.audit);
    cond_state_destroy(run.state);
    return status && status != COND_NOT_SUPPORTED ? cli_exit(status)
           : run.missed > 0                       ? CLI_TOLERANCE
                                                  : CLI_FINE;
}

static int run_task(const BenchOptions* options, const char* name, int own, json_t* rows)
{
    char path[1024], tolerance[64], threads[64];
    const char* set[] = {tolerance, threads};
    CondScene* scene = NULL;
    CondModel* model = NULL;
    CondError error;
    double ours = 0.0;
    int code = CLI_FINE, steps = options->steps > 0 ? options->steps : own;
    snprintf(tolerance, sizeof tolerance, "solver.tolerance=%.17g", options->tolerance);
    snprintf(threads, sizeof threads, "solver.threads=%d", options->threads);
    cli_scene_path(name, path, sizeof path);
    CondStatus status = cond_scene_read(memory_context(), path, 2, set, &scene, &error);
    if (!status)
        status = cond_scene_compile(scene, &model, &error);
    cond_scene_destroy(scene);
    if (status) {
        cli_complain("%s: %s", name, error.message);
        return cli_exit(status);
    }
    for (int e = 0; e < N_ENGINE && !interrupt_signal(); e++)
        if (!options->solvers || text_lists(options->solvers, engines[e].name)) {
            fprintf(stderr, "%s, %s: %d steps\n", name, engines[e].name, steps);
            int now = run_engine(model, name, e, steps, &ours, rows);
            code = now > code ? now : code;
        }
    cond_model_destroy(model);
    return code;
}

static int run(const BenchOptions* options, json_t* result)
{
    json_t* rows = json_array();
    int code = CLI_FINE;
    json_object_set_new(result, "rows", rows);
    for (int i = 0; i < N_TASK && !interrupt_signal(); i++)
        if (!options->scenes || text_lists(options->scenes, tasks[i].name)) {
            int own = options->quick ? QUICK_STEPS : tasks[i].steps;
            int now = run_task(options, tasks[i].name, own, rows);
            code = now > code ? now : code;
        }
    return code;
}

static const BenchColumn columns[] = {
    {"scene", "scene", NULL, 10},
    {"engine", "engine", NULL, 12},
    {"bodies", "bodies", "%.0f", 8},
    {"steps", "steps", "%.0f", 8},
    {"ms", "ms a step", "%.3g", 11},
    {"ratio", "COND/it", "%.3g", 9},
    {"worst_ms", "worst ms", "%.3g", 10},
    {"contacts", "contacts", "%.0f", 10},
    {"newton", "Newton", "%.1f", 9},
    {"missed", "missed", "%.0f", 8},
    {"depth_mm", "depth, mm", "%.2g", 11},
    {"friction_error", "friction off", "%.1e", 14},
    {"creep_mm_s", "creep, mm/s", "%.2g", 13},
    {"gained", "gained", "%.1e", 10},
};

const Benchmark bench_piles = {"piles",
                               "piles of rigid bodies, beside Bullet where it is installed",
                               {{"rows", columns, sizeof columns / sizeof columns[0]}},
                               run};
