// `cond bench speed`: time of a step by scene and stage, beside bounds of the machine and times
// of others on the same problem.
#include "bench_growth.h"
#include "bench_peers.h"
#include "bench_stage.h"
#include "bench_store.h"
#include "bench_time.h"
#include "memory.h"
#include "paper.h"
#include "roofline.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_THREADS = 8, REPEATS = 5 }; // thread counts 1, 2, 4, ... that are tried

typedef struct Speed {
    const BenchOptions* options;
    int most, n_threads;           // most threads, and how many counts of them
    char scene[256];               // the one at hand
    CondModel* model[MAX_THREADS]; // of it, by thread count
    BenchTimes times[MAX_THREADS];
    double peer[BENCH_N_PEER];  // seconds of each, over the moments where it has a time
    double ours[BENCH_N_PEER];  // seconds of our solver (of our step for the factorisation) there
    int at_least[BENCH_N_PEER]; // 1: one of its times is a bound from below
    json_t *rows, *counts, *ratios, *bounds, *peers;
} Speed;

static double ratio(double above, double below)
{
    return above > 0.0 && below > 0.0 ? above / below : NAN;
}

// Ends a scene: its rows and ratios.
static void close_scene(Speed* speed)
{
    if (!speed->scene[0])
        return;
    for (int k = 0; k < speed->n_threads; k++) {
        bench_time_rows(&speed->times[k], speed->scene, 1 << k, speed->rows, speed->counts);
        cond_model_destroy(speed->model[k]);
        speed->model[k] = NULL;
    }
    // Ratios that are larger than they say, because the other was stopped by the limit.
    static const char* const over[] = {NULL, "pgs_over_solver", "apgd_over_solver",
                                       "siconos_over_solver"};
    json_t* bounds = json_array();
    for (int k = 0; k < BENCH_N_PEER; k++)
        if (speed->at_least[k] && over[k])
            json_array_append_new(bounds, json_string(over[k]));
    json_object_set_new(speed->bounds, speed->scene, bounds);
    double two = speed->n_threads > 1 ? speed->times[1].time[BENCH_STEP].ms : 0.0;
    json_object_set_new(
        speed->ratios, speed->scene,
        json_pack(
            "{s:o, s:o, s:o, s:o, s:o}", "step_over_factorisation",
            json_number(ratio(speed->ours[BENCH_PEER_FACTORISATION],
                              speed->peer[BENCH_PEER_FACTORISATION])),
            "siconos_over_solver",
            json_number(ratio(speed->peer[BENCH_PEER_SICONOS], speed->ours[BENCH_PEER_SICONOS])),
            "pgs_over_solver",
            json_number(ratio(speed->peer[BENCH_PEER_PGS], speed->ours[BENCH_PEER_PGS])),
            "apgd_over_solver",
            json_number(ratio(speed->peer[BENCH_PEER_APGD], speed->ours[BENCH_PEER_APGD])),
            "threads2_over_1", json_number(ratio(speed->times[0].time[BENCH_STEP].ms, two))));
    speed->scene[0] = '\0';
}

static int open_scene(Speed* speed, const BenchStage* stage)
{
    if (strcmp(stage->scene, speed->scene) == 0)
        return CLI_FINE;
    close_scene(speed);
    memset(speed->times, 0, sizeof speed->times);
    memset(speed->peer, 0, sizeof speed->peer);
    memset(speed->ours, 0, sizeof speed->ours);
    memset(speed->at_least, 0, sizeof speed->at_least);
    snprintf(speed->scene, sizeof speed->scene, "%s", stage->scene);
    char tolerance[64];
    snprintf(tolerance, sizeof tolerance, "solver.tolerance=%.17g", speed->options->tolerance);
    const char* set[BENCH_MAX_SMALL + 2] = {tolerance};
    for (int k = 0; k < BENCH_MAX_SMALL && speed->options->quick; k++)
        set[k + 1] = stage->small[k];
    int code = CLI_FINE;
    for (int k = 0; k < speed->n_threads && code == CLI_FINE; k++) {
        PaperOptions threads = {.threads = 1 << k};
        code = paper_load_set(stage->scene, set, &threads, &speed->model[k]);
    }
    return code;
}

// Our own answer, far below the tolerance, to compare contact velocities with.
static int solve_well(const BenchStage* stage, double tolerance, BenchReference* ours)
{
    const CondProblem* problem = stage->problem_of_step;
    CondSolverSettings settings = cond_model_settings(stage->model)->solver;
    CondSolver* solver = NULL;
    CondSolveInfo info;
    CondError error;
    double* lambda = malloc((3 * (size_t)problem->n_contact + 1) * sizeof *lambda);
    settings.tolerance = 1e-3 * tolerance;
    if (!lambda || cond_solver_create(memory_context(), "strategy", &settings, &solver, &error)) {
        free(lambda);
        cli_complain("out of memory");
        return CLI_INPUT;
    }
    memcpy(ours->v, stage->v, (size_t)problem->n_dof * sizeof *ours->v);
    if (problem->n_contact > 0)
        memcpy(lambda, stage->lambda, 3 * (size_t)problem->n_contact * sizeof *lambda);
    cond_solver_solve(solver, problem, ours->v, lambda, &info);
    ours->scale = info.certificate.velocity_scale;
    cond_solver_destroy(solver);
    free(lambda);
    return CLI_FINE;
}

// Of the contact problem: what other solvers are held against.
static double solve_ms(const BenchTimes* times)
{
    return times->last_ms[COND_STAGE_NODALIZE] + times->last_ms[COND_STAGE_SOLVE];
}

static int time_peers(Speed* speed, const BenchStage* stage)
{
    size_t n = (size_t)stage->problem_of_step->n_dof;
    BenchReference ours = {malloc((n + 1) * sizeof *ours.v), speed->options->limit, 0.0};
    int code = ours.v ? solve_well(stage, speed->options->tolerance, &ours) : CLI_INPUT;
    const BenchTimes *one = &speed->times[0], *all = &speed->times[speed->n_threads - 1];
    for (int k = 0; k < BENCH_N_PEER && code == CLI_FINE; k++) {
        BenchPeerTime time =
            bench_peer_time((BenchPeer)k, stage, speed->options->tolerance, speed->most, &ours);
        speed->at_least[k] |= time.at_least;
        if (isfinite(time.seconds)) {
            speed->peer[k] += time.seconds;
            speed->ours[k] +=
                1e-3 * (k == BENCH_PEER_FACTORISATION ? all->last_ms[BENCH_STEP] : solve_ms(one));
        }
        json_array_append_new(
            speed->peers,
            json_pack("{s:s, s:s, s:s, s:o, s:b, s:o, s:o, s:o}", "scene", stage->scene, "problem",
                      stage->problem, "peer", bench_peer_name((BenchPeer)k), "ms",
                      json_number(1e3 * time.seconds), "at_least", time.at_least, "residual",
                      json_number(time.residual), "u_difference", json_number(time.difference),
                      "note", time.note ? json_string(time.note) : json_null()));
    }
    free(ours.v);
    return code;
}

static int look(void* data, const BenchStage* stage)
{
    Speed* speed = data;
    int code = open_scene(speed, stage);
    for (int k = 0; k < speed->n_threads && code == CLI_FINE; k++)
        code = bench_time_step(speed->model[k], stage->model, stage->state, 1 << k,
                               speed->options->quick ? 1 : REPEATS, &speed->times[k]);
    if (code == CLI_FINE)
        fprintf(stderr, "%-8s %-12s %8.2f ms a step, solve %8.2f ms, %5d products, 1 thread\n",
                stage->scene, stage->problem, speed->times[0].last_ms[BENCH_STEP],
                solve_ms(&speed->times[0]), speed->times[0].products);
    return code == CLI_FINE ? time_peers(speed, stage) : code;
}

// Read bandwidth from a few sizes, for every thread count.
static void measure_machine(const Speed* speed, json_t* roofline)
{
    size_t largest = (size_t)1 << (speed->options->quick ? 20 : 28);
    for (int k = 0; k < speed->n_threads; k++)
        for (size_t bytes = 16 << 10; bytes <= largest; bytes *= 4)
            json_array_append_new(
                roofline,
                json_pack("{s:i, s:i, s:o}", "threads", 1 << k, "kilobytes", (int)(bytes >> 10),
                          "gbytes_per_second",
                          json_number(1e-9 * (double)bytes / roofline_seconds(bytes, 1 << k))));
}

static int finish(const BenchOptions* options, const Speed* speed, json_t* result, int code)
{
    if (code == CLI_FINE && options->results &&
        (bench_store_csv(options->results, json_object_get(result, "machine"), speed->counts) ||
         bench_store_ratios(options->results, result)))
        code = CLI_INPUT;
    if (code == CLI_FINE && options->check) {
        int worse = bench_store_check(options->check, result);
        code = worse < 0 ? CLI_INPUT : worse ? CLI_TOLERANCE : CLI_FINE;
    }
    return code;
}

static int run(const BenchOptions* options, json_t* result)
{
    Speed* speed = calloc(1, sizeof *speed);
    json_t *growth = NULL, *roofline = json_array();
    if (!speed) {
        cli_complain("out of memory");
        return CLI_INPUT;
    }
    *speed = (Speed){.options = options,
                     .most = options->threads > 0 ? options->threads : omp_get_num_procs(),
                     .rows = json_array(),
                     .counts = json_array(),
                     .ratios = json_object(),
                     .bounds = json_object(),
                     .peers = json_array()};
    while (speed->n_threads < MAX_THREADS && 1 << speed->n_threads <= speed->most)
        speed->n_threads++;
    speed->most = 1 << (speed->n_threads - 1);
    json_object_set_new(result, "rows", speed->rows);
    json_object_set_new(result, "ratios", speed->ratios);
    json_object_set_new(result, "at_least", speed->bounds);
    json_object_set_new(result, "peers", speed->peers);
    json_object_set_new(result, "roofline", roofline);
    double start = roofline_clock();
    measure_machine(speed, roofline);
    int code = bench_visit(options, look, speed);
    close_scene(speed);
    if (code == CLI_FINE)
        code = bench_growth_run(options, speed->most, speed->rows, speed->counts, &growth);
    json_object_set_new(result, "growth", growth ? growth : json_object());
    json_object_set_new(result, "counts", speed->counts);
    json_object_set_new(result, "settings",
                        json_pack("{s:o, s:o, s:i, s:o}", "tolerance",
                                  json_number(options->tolerance), "limit",
                                  json_number(options->limit), "threads", speed->most, "seconds",
                                  json_number(roofline_clock() - start)));
    fprintf(stderr, "all of it took %.0f s\n\n", roofline_clock() - start);
    code = finish(options, speed, result, code);
    for (int k = 0; k < MAX_THREADS; k++)
        cond_model_destroy(speed->model[k]);
    free(speed);
    return code;
}

static const BenchColumn columns[] = {
    {"scene", "scene", NULL, 12},      {"stage", "stage", NULL, 18},
    {"threads", "threads", "%.0f", 8}, {"ms", "ms", "%.3f", 12},
    {"spread", "spread", "%.3f", 10},  {"bytes", "bytes", "%.3g", 12},
    {"flops", "flops", "%.3g", 12},    {"gbytes_per_second", "GB/s", "%.1f", 8},
    {"gflops", "Gflop/s", "%.2f", 9},  {"fraction", "fraction", "%.2f", 10},
};
static const BenchColumn peers[] = {
    {"scene", "scene", NULL, 12},         {"problem", "problem", NULL, 12},
    {"peer", "peer", NULL, 24},           {"ms", "ms", "%.2f", 12},
    {"residual", "residual", "%.1e", 10}, {"u_difference", "u differs", "%.1e", 11},
    {"note", "  note", NULL, 0},
};
static const BenchColumn levels[] = {
    {"threads", "threads", "%.0f", 8},
    {"kilobytes", "KB", "%.0f", 10},
    {"gbytes_per_second", "read GB/s", "%.1f", 12},
};

const Benchmark bench_speed = {"speed",
                               "stages of a step beside the roofline, and others on the same "
                               "problems",
                               {{"roofline", levels, sizeof levels / sizeof levels[0]},
                                {"peers", peers, sizeof peers / sizeof peers[0]},
                                {"counts", columns, sizeof columns / sizeof columns[0]}},
                               run};
