// Runs the benchmark scenes and hands the problems of chosen steps to a benchmark
// (bench_stage.h).
#include "bench_stage.h"

#include "memory.h"
#include "paper.h"
#include "progress.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_STAGE = 16, N_OWN = 5 };

typedef struct Scene {
    const char* name;
    int step[N_OWN]; // stages: near the start, with many contacts, towards the end
    const char* small[BENCH_MAX_SMALL]; // what makes it quick
} Scene;

static const Scene scenes[] = {
    {"box", {2, 10, 30, 60, 95}, {NULL}},
    // flat on the ground, being folded, let go, lying on itself
    {"mat", {20, 100, 200, 290, 340}, {"bodies.mat.mesh=mat:9,9,2:0.4,0.4,0.008"}},
    // on the ground, gripped, lifted, shaken, let go
    {"ball", {30, 80, 120, 200, 345}, {"bodies.ball.mesh=ball:0.05:3,1"}},
    {"gripper",
     {40, 75, 110, 180, 300},
     {"bodies.left_finger.mesh=box:4,4,8:0.045,0.045,0.1",
      "bodies.right_finger.mesh=box:4,4,8:0.045,0.045,0.1"}},
    // a quarter of a turn of the winding and more
    {"cable", {700, 1500, 2500, 4000, 5300}, {"bodies.cable.rod.links=40"}},
};
enum { N_SCENE = sizeof scenes / sizeof scenes[0] };

// What one scene is run with.
typedef struct Run {
    CondModel* model;
    CondState* state;
    CondSim *lead, *idle; // the second one assembles and finds the start
    double *v, *lambda;   // zeros, where solvers start cold
} Run;

static void close_run(Run* run)
{
    cond_sim_destroy(run->lead);
    cond_sim_destroy(run->idle);
    cond_state_destroy(run->state);
    cond_model_destroy(run->model);
    free(run->v);
}

// A solver to which any start is good enough: after it the solution of a sim is its start.
static CondStatus make_idle(const CondModel* model, CondSolver** solver, CondError* error)
{
    CondSolverSettings settings = cond_model_settings(model)->solver;
    settings.stop = COND_STOP_CERTIFICATE;
    settings.tolerance = 1e300;
    return cond_solver_create(memory_context(), "strategy", &settings, solver, error);
}

static int open_run(const char* name, const Scene* scene, const BenchOptions* options, Run* run)
{
    PaperOptions threads = {.threads = options->threads};
    const char* set[BENCH_MAX_SMALL + 1] = {NULL};
    for (int k = 0; k < BENCH_MAX_SMALL && options->quick && scene; k++)
        set[k] = scene->small[k];
    CondError error;
    CondSolver* idle = NULL;
    int code = paper_load_set(name, set, &threads, &run->model);
    if (code != CLI_FINE)
        return code;
    CondStatus status = cond_state_create(run->model, &run->state, &error);
    if (!status)
        status = cond_sim_create(run->model, &run->lead, &error);
    if (!status)
        status = cond_sim_create(run->model, &run->idle, &error);
    if (!status)
        status = make_idle(run->model, &idle, &error);
    if (!status)
        cond_sim_set_solver(run->idle, idle);
    else
        cli_complain("%s", error.message);
    return cli_exit(status);
}

// Assembles the problem of the next step and hands it on with its start.
static int show(Run* run, const char* name, const Scene* scene, int step,
                const BenchOptions* options, int (*look)(void* data, const BenchStage* stage),
                void* data)
{
    CondSolveInfo info;
    BenchStage stage = {.scene = name, .step = step, .model = run->model, .state = run->state};
    if (scene)
        memcpy(stage.small, scene->small, sizeof stage.small);
    snprintf(stage.problem, sizeof stage.problem, "step %d", step);
    CondStatus status = cond_sim_forces(run->idle, run->state);
    if (!status)
        status = cond_sim_matrix(run->idle);
    if (!status)
        status = cond_sim_collide(run->idle, run->state);
    if (!status)
        status = cond_sim_assemble(run->idle, run->state);
    if (status >= 0)
        status = cond_sim_solve(run->idle, run->state, &info);
    if (status < 0) {
        cli_complain("%s: %s: %s", name, stage.problem, cond_status_name(status));
        return cli_exit(status);
    }
    stage.problem_of_step = cond_sim_problem(run->idle);
    stage.v = cond_sim_solution(run->idle);
    stage.lambda = cond_sim_lambda(run->idle);
    if (options->cold) {
        size_t n =
            (size_t)stage.problem_of_step->n_dof + 3 * (size_t)stage.problem_of_step->n_contact;
        free(run->v);
        run->v = calloc(n + 1, sizeof *run->v);
        if (!run->v) {
            cli_complain("out of memory");
            return CLI_INPUT;
        }
        stage.v = run->v;
        stage.lambda = run->v + stage.problem_of_step->n_dof;
    }
    return look(data, &stage);
}

// Where the state before a step is kept; an empty text when it is not.
static void state_path(const BenchOptions* options, const char* name, int step, char* path,
                       size_t size)
{
    const char* last = strrchr(name, '/');
    path[0] = '\0';
    if (options->states)
        snprintf(path, size, "%s/%s%s_%d.state", options->states, last ? last + 1 : name,
                 options->quick ? "_quick" : "", step);
}

// Takes the state before a step from its file; 0 when there is none that fits.
static int recall(const BenchOptions* options, Run* run, const char* name, int step)
{
    char path[4096];
    CondError error;
    state_path(options, name, step, path, sizeof path);
    return path[0] && cond_state_read(run->model, run->state, path, &error) == COND_OK;
}

static int keep(const BenchOptions* options, const Run* run, const char* name, int step)
{
    char path[4096];
    CondError error;
    state_path(options, name, step, path, sizeof path);
    if (!path[0] || !cond_state_write(run->model, run->state, path, &error))
        return CLI_FINE;
    cli_complain("%s", error.message);
    return CLI_INPUT;
}

static int lead_to(const BenchOptions* options, Run* run, const char* name, int from, int to)
{
    if (recall(options, run, name, to))
        return CLI_FINE;
    Progress progress = progress_start(name);
    for (int k = from; k < to; k++) {
        CondStepInfo info;
        CondStatus status = cond_sim_step(run->lead, run->state, &info);
        if (status < 0) {
            cli_complain("%s: step %d: %s", name, k, cond_status_name(status));
            progress_end(&progress);
            return cli_exit(status);
        }
        progress_update(&progress, k + 1 - from, to - from);
    }
    progress_end(&progress);
    return keep(options, run, name, to);
}

static int ascending(const void* a, const void* b)
{
    int x = *(const int*)a, y = *(const int*)b;
    return (x > y) - (x < y);
}

// The stages of a scene, ascending; how many, or -1 after a message.
static int find_stages(const BenchOptions* options, const Scene* scene, const Run* run, int* step)
{
    double asked[MAX_STAGE];
    int n = options->stages ? options_numbers(options->stages, ',', OPTION_KIND_INT, 0.0,
                                              CLI_MOST_STEPS, MAX_STAGE, asked)
                            : 0;
    for (int k = 0; k < n; k++)
        step[k] = (int)asked[k];
    if (n < 0) {
        cli_complain("bench: --stages %s: expected at most %d steps, separated by commas",
                     options->stages, MAX_STAGE);
        return -1;
    }
    const CondSceneSettings* settings = cond_model_settings(run->model);
    int own = options->quick ? 1 : N_OWN;
    for (int k = 0; k < own && !options->stages; k++) {
        double part = (0.1 + 0.2 * k) * settings->duration / settings->time_step;
        step[n++] = options->quick ? 3 : scene ? scene->step[k] : (int)part;
    }
    qsort(step, (size_t)n, sizeof *step, ascending);
    return n;
}

static int visit_scene(const char* name, const Scene* scene, const BenchOptions* options,
                       int (*look)(void* data, const BenchStage* stage), void* data)
{
    Run run = {0};
    int step[MAX_STAGE], n = 0, at = 0;
    int code = open_run(name, scene, options, &run);
    if (code == CLI_FINE && (n = find_stages(options, scene, &run, step)) < 0)
        code = CLI_USAGE;
    for (int k = 0; k < n && code == CLI_FINE; k++) {
        code = lead_to(options, &run, name, at, step[k]);
        at = step[k];
        if (code == CLI_FINE)
            code = show(&run, name, scene, at, options, look, data);
    }
    close_run(&run);
    return code;
}

static const Scene* find_scene(const char* name)
{
    for (int i = 0; i < N_SCENE; i++)
        if (strcmp(scenes[i].name, name) == 0)
            return &scenes[i];
    return NULL;
}

const char* const* bench_small(const char* scene)
{
    const Scene* found = find_scene(scene);
    return found ? found->small : NULL;
}

int bench_visit(const BenchOptions* options, int (*look)(void* data, const BenchStage* stage),
                void* data)
{
    int code = CLI_FINE;
    for (int i = 0; i < N_SCENE && !options->scenes; i++) {
        code = visit_scene(scenes[i].name, &scenes[i], options, look, data);
        if (code != CLI_FINE)
            return code;
    }
    for (const char* at = options->scenes; at && *at && code == CLI_FINE;) {
        char name[512];
        size_t length = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        at += length + (at[length] == ',');
        code = visit_scene(name, find_scene(name), options, look, data);
    }
    return code;
}
