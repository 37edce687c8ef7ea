// Environment-steps per second: batches of tasks with random actions, on 1, 2, 4 ... threads, and
// over the ranks of MPI. The hash covers every state of every environment, so that equal hashes are
// equal bits.
#include "bench.h"
#include "env_run.h"
#include "ranks.h"

#include <omp.h>

static const struct {
    const char* name;
    const char* scene;
    const char* set; // an override, or NULL
    int envs, steps;
} tasks[] = {
    {"pusher", "pusher", NULL, 64, 200},
    {"cable, 40 links", "cable", "bodies.cable.rod.links=40", 64, 20},
    {"cable, 320 links", "cable", NULL, 8, 10},
};
enum { N_TASK = sizeof tasks / sizeof tasks[0] };

static json_t* make_row(const char* name, const EnvRun* run, const EnvTally* tally)
{
    char label[64], hash[32];
    if (ranks_are_many())
        snprintf(label, sizeof label, "%s, %d ranks x %d", name, ranks_count(), run->threads);
    else
        snprintf(label, sizeof label, "%s, %d threads", name, run->threads);
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)tally->hash);
    return json_pack(
        "{s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:I, s:s}", "label", label,
        "scene", run->scene, "envs", run->envs, "ranks", ranks_count(), "threads", run->threads,
        "steps", run->steps, "dof", tally->n_dof, "steps_per_second",
        json_number((double)tally->steps / tally->seconds), "time_steps_per_second",
        json_number((double)tally->time_steps / tally->seconds), "reset_ms",
        json_number(1e3 * tally->reset_seconds / (double)tally->resets), "create_ms",
        json_number(1e3 * tally->create_seconds / (double)run->envs), "residual",
        json_number(tally->certificate), "missed", (json_int_t)tally->missed, "hash", hash);
}

static int run(const BenchOptions* options, json_t* result)
{
    json_t* rows = json_array();
    json_object_set_new(result, "rows", rows);
    int own = ranks_are_many() ? 1 : omp_get_num_procs(); // ranks have processors of their own
    int most = options->threads > 0 ? options->threads : own;
    int code = CLI_FINE;
    for (int i = 0; i < N_TASK && code == CLI_FINE; i++)
        for (int threads = 1; threads <= most && code == CLI_FINE; threads *= 2) {
            EnvRun what = {.scene = tasks[i].scene,
                           .envs = options->quick ? 4 : tasks[i].envs,
                           .steps = options->quick ? 5 : tasks[i].steps,
                           .threads = threads,
                           .resets = options->quick ? 2 : 100,
                           .progress = 1};
            const char* set[] = {tasks[i].set};
            what.set = (TextList){tasks[i].set ? 1 : 0, set};
            EnvTally tally;
            if (options->steps > 0)
                what.steps = options->steps;
            code = env_run(&what, &tally);
            if (code == CLI_FINE)
                json_array_append_new(rows, make_row(tasks[i].name, &what, &tally));
        }
    return code;
}

static const BenchColumn columns[] = {
    {"label", "task", NULL, 0},
    {"envs", "environments", "%.0f", 0},
    {"steps", "actions each", "%.0f", 0},
    {"steps_per_second", "env-steps/s", "%.0f", 0},
    {"time_steps_per_second", "time steps/s", "%.0f", 0},
    {"create_ms", "made in, ms", "%.2f", 0},
    {"reset_ms", "reset, ms", "%.4f", 0},
    {"residual", "certificate", "%.1e", 0},
    {"missed", "missed", "%.0f", 0},
};

const Benchmark bench_env = {"env",
                             "environment-steps per second, random actions",
                             {{"rows", columns, sizeof columns / sizeof columns[0]}},
                             run};
