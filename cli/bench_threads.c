// cond bench threads: the default number of threads against every fixed one, on the machine as it
// is and with as many busy programs beside it as it has processors.
#define _POSIX_C_SOURCE 200809L // fork, kill
#include "bench.h"
#include "bench_scene.h"

#include "bench_time.h"
#include "env_run.h"
#include "interrupt.h"
#include "roofline.h"

#include <math.h>
#include <omp.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_COUNT = 8, ROUNDS = 5, MOST_LOAD = 64, BUSY_SECONDS = 600 };

typedef struct Case {
    const char *name, *scene;
    int steps, envs; // envs > 0: environments side by side
} Case;

static const Case cases[] = {{"box", "box", 3000, 0},
                             {"quadruped", "quadruped", 100, 0},
                             {"mat", "mat", 5, 0},
                             {"gripper", "gripper", 2, 0},
                             {"bin", "bin", 8, 0},
                             {"cable", "cable", 60, 0},
                             {"16 pushers", "pusher", 60, 16}};
enum { N_CASE = sizeof cases / sizeof cases[0] };

// Times by number of threads; the first is the default.
typedef struct Threads {
    int n_count;
    double ms[MOST_COUNT + 1][ROUNDS]; // of a step
} Threads;

static int threads_of(int count)
{
    return count == 0 ? 0 : 1 << (count - 1);
}

static int run_scene(const Case* c, const BenchOptions* options, int threads, double* ms)
{
    char number[32], tolerance[64];
    const char* set[] = {number, tolerance};
    BenchScene scene;
    snprintf(number, sizeof number, "solver.threads=%d", threads);
    snprintf(tolerance, sizeof tolerance, "solver.tolerance=%.17g", options->tolerance);
    CondStatus status = bench_scene_begin(c->scene, 2, set, &scene);
    if (status)
        return cli_exit(status);
    int steps = options->quick ? 1 : c->steps;
    double start = 0.0;
    for (int k = -1; k < steps && status >= 0; k++) { // the first one plans
        start = k == 0 ? roofline_clock() : start;
        status = cond_sim_step(scene.sim, scene.state, NULL);
    }
    *ms = 1e3 * (roofline_clock() - start) / steps;
    if (status < 0)
        cli_complain("bench: %s: %s", c->name, cond_status_name(status));
    bench_scene_end(&scene);
    return status < 0 ? cli_exit(status) : CLI_FINE;
}

static int run_envs(const Case* c, const BenchOptions* options, int threads, double* ms)
{
    EnvRun what = {.scene = c->scene,
                   .envs = options->quick ? 2 : c->envs,
                   .steps = options->quick ? 1 : c->steps,
                   .threads = threads,
                   .resets = 1};
    EnvTally tally;
    int code = env_run(&what, &tally);
    if (code == CLI_FINE)
        *ms = 1e3 * tally.seconds / what.steps;
    return code;
}

// All numbers of threads in turn, several times, so that all see the same machine.
static int measure(const Case* c, const BenchOptions* options, int rounds, Threads* threads)
{
    int code = CLI_FINE;
    for (int r = 0; r < rounds; r++)
        for (int k = 0; k < threads->n_count && code == CLI_FINE && !interrupt_signal(); k++)
            code =
                (c->envs > 0 ? run_envs : run_scene)(c, options, threads_of(k), &threads->ms[k][r]);
    return code;
}

static void add_row(const Case* c, int load, int rounds, Threads* threads, json_t* rows)
{
    double best = INFINITY, own = bench_middle(rounds, threads->ms[0]);
    int best_threads = 1;
    for (int k = 1; k < threads->n_count; k++) {
        double ms = bench_middle(rounds, threads->ms[k]);
        if (ms < best) {
            best = ms;
            best_threads = threads_of(k);
        }
    }
    json_array_append_new(rows, json_pack("{s:s, s:i, s:o, s:o, s:i, s:o}", "scene", c->name,
                                          "load", load, "ms", json_number(own), "best_ms",
                                          json_number(best), "best_threads", best_threads, "loss",
                                          json_number(own / best - 1.0)));
}

// Programs that want a processor each; they end by themselves where nobody ends them.
static int begin_load(int n, pid_t* child)
{
    int count = 0;
    cond_threads_end();
    for (; count < n; count++) {
        child[count] = fork();
        if (child[count] < 0)
            break;
        if (child[count] == 0) {
            double start = roofline_clock();
            while (roofline_clock() - start < BUSY_SECONDS)
                ;
            _exit(0);
        }
    }
    return count;
}

static void end_load(int n, const pid_t* child)
{
    for (int k = 0; k < n; k++) {
        kill(child[k], SIGKILL);
        waitpid(child[k], NULL, 0);
    }
}

static int run(const BenchOptions* options, json_t* result)
{
    json_t* rows = json_array();
    int processors = omp_get_num_procs(), code = CLI_FINE, rounds = options->quick ? 1 : ROUNDS;
    int most = options->threads > 0 ? options->threads : processors;
    Threads threads = {.n_count = 1};
    while (threads.n_count <= MOST_COUNT && threads_of(threads.n_count) <= most)
        threads.n_count++;
    json_object_set_new(result, "rows", rows);
    for (int busy = 0; busy < 2 && code == CLI_FINE; busy++) {
        pid_t child[MOST_LOAD];
        int wanted = processors < MOST_LOAD ? processors : MOST_LOAD;
        int load = busy ? begin_load(wanted, child) : 0;
        for (int i = 0; i < N_CASE && code == CLI_FINE && !interrupt_signal(); i++) {
            if (!bench_asks(options->scenes, cases[i].name))
                continue;
            code = measure(&cases[i], options, rounds, &threads);
            if (code == CLI_FINE && !interrupt_signal())
                add_row(&cases[i], load, rounds, &threads, rows);
        }
        end_load(load, child);
    }
    return code;
}

static const BenchColumn columns[] = {
    {"scene", "scene", NULL, 16},         {"load", "other programs", "%.0f", 14},
    {"ms", "default, ms", "%.3f", 12},    {"best_ms", "best, ms", "%.3f", 12},
    {"best_threads", "of it", "%.0f", 8}, {"loss", "loss", "%.3f", 9},
};

const Benchmark bench_threads = {
    "threads",
    "the default number of threads against every fixed one, idle and busy",
    {{"rows", columns, sizeof columns / sizeof columns[0]}},
    run};
