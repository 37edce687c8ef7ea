// Steps environments for a while and sums up rewards and times (env_run.h).
#include "env_run.h"

#include "interrupt.h"
#include "memory.h"
#include "progress.h"
#include "ranks.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

// The share of one rank in the environments; without ranks, all of them.
typedef struct Work {
    int first, n;          // environments first .. first + n - 1 are its own
    CondEnvBatch* batch;   //
    double* action;        // (n x n_action)
    CondEnvResult* result; // (n)
    uint64_t* seed;        // of the episodes                                  (n)
    uint64_t* hash;        // of the environments: own ones, then on rank 0 all (n + envs)
    int* over;             // (n)
} Work;

// One seed per environment and action, far from those of the episodes.
static uint64_t action_seed(const EnvRun* run, int env, int step)
{
    return ((uint64_t)run->seed << 40) ^ ((uint64_t)env << 20) ^ (uint64_t)step ^
           UINT64_C(0xa5a5a5a5a5a5a5a5);
}

static void choose_actions(const EnvRun* run, Work* work, int n_action, int step)
{
    for (int i = 0; i < work->n; i++) {
        const CondEnv* env = cond_env_batch_env(work->batch, i);
        double* action = work->action + (size_t)i * (size_t)n_action;
        if (run->still)
            cond_env_action_still(env, action);
        else
            cond_env_action_draw(env, action_seed(run, work->first + i, step), action);
    }
}

static void add_results(const EnvRun* run, Work* work, EnvTally* tally)
{
    for (int i = 0; i < work->n; i++) {
        const CondEnvResult* result = &work->result[i];
        CondEnv* env = cond_env_batch_env(work->batch, i);
        tally->missed += result->missed;
        tally->reward += result->reward;
        tally->certificate = fmax(tally->certificate, result->certificate);
        tally->contacts += cond_sim_n_contact(cond_env_sim(env));
        tally->diverged += result->status == COND_DIVERGED;
        tally->status = result->status > tally->status ? result->status : tally->status;
        work->over[i] = cond_env_is_over(env);
        tally->episodes += work->over[i];
        tally->done += work->over[i] && result->done;
        if (work->over[i])
            work->seed[i] += (uint64_t)run->envs;
    }
}

// The order of the environments counts, not which rank has them.
static void add_hashes(const EnvRun* run, Work* work, EnvTally* tally)
{
    uint64_t* all = work->hash + work->n;
    for (int i = 0; i < work->n; i++)
        work->hash[i] = cond_env_hash(cond_env_batch_env(work->batch, i));
    ranks_gather(work->hash, work->n, all);
    for (int i = 0; i < run->envs && ranks_own() == 0; i++)
        tally->hash = tally->hash * UINT64_C(1099511628211) ^ all[i];
}

// One action of all environments; 0, or 1 where a rank cannot go on.
static int step_once(const EnvRun* run, Work* work, EnvTally* tally, int k, CondStatus* status)
{
    CondError error = {.message = ""};
    choose_actions(run, work, tally->n_action, k);
    double start = omp_get_wtime();
    *status = cond_env_batch_step(work->batch, work->action, work->result);
    int cancelled = *status == COND_CANCELLED && interrupt_signal(); // this action is left out
    int failed = *status < 0 && *status != COND_DIVERGED && !cancelled;
    if (failed)
        cli_complain("env: step %d: %s", k, cond_status_name(*status));
    int over = ranks_agree(failed || cancelled); // all ranks are through
    tally->seconds += omp_get_wtime() - start;
    if (cancelled)
        *status = COND_OK;
    if (over)
        return 1;
    add_results(run, work, tally);
    add_hashes(run, work, tally);
    start = omp_get_wtime();
    *status = cond_env_batch_reset(work->batch, work->seed, work->over, &error);
    if (*status)
        cli_complain("%s", error.message);
    over = ranks_agree(*status != COND_OK);
    tally->reset_seconds += omp_get_wtime() - start;
    for (int i = 0; i < work->n; i++)
        tally->resets += work->over[i];
    return over;
}

// Steps all environments; an episode that is over is followed by the one of the next seed.
static int step_all(const EnvRun* run, Work* work, EnvTally* tally)
{
    CondStatus status = COND_OK;
    Progress progress = progress_start("env");
    for (int k = 0; k < run->steps && !ranks_agree(interrupt_signal() != 0); k++) {
        if (step_once(run, work, tally, k, &status))
            break;
        if (run->progress && ranks_own() == 0)
            progress_update(&progress, k + 1, run->steps);
        tally->steps += work->n;
    }
    progress_end(&progress);
    if (interrupt_signal())
        cli_complain("env: ended by signal %d after %ld of %d actions", interrupt_signal(),
                     tally->steps / work->n, run->steps);
    return status < 0 ? cli_exit(status) : CLI_FINE;
}

// Resets all environments some more times, each with the seed that comes next, and times these
// alone.
static int reset_all(const EnvRun* run, Work* work, EnvTally* tally)
{
    CondError error = {.message = ""};
    CondStatus status = COND_OK;
    tally->reset_seconds = 0.0;
    tally->resets = 0;
    for (int k = -1; k < run->resets && !status && !interrupt_signal(); k++) {
        for (int i = 0; i < work->n; i++)
            work->seed[i] += (uint64_t)run->envs;
        double start = omp_get_wtime();
        status = cond_env_batch_reset(work->batch, work->seed, NULL, &error);
        if (k < 0) // the first one makes what the others change
            continue;
        tally->reset_seconds += omp_get_wtime() - start;
        tally->resets += work->n;
    }
    if (status)
        cli_complain("%s", error.message);
    return status ? cli_exit(status) : CLI_FINE;
}

// What all ranks have together; the clock is that of the slowest.
static void sum_ranks(EnvTally* tally)
{
    double sum[] = {(double)tally->steps, (double)tally->time_steps, (double)tally->episodes,
                    (double)tally->done,  (double)tally->missed,     (double)tally->diverged,
                    tally->reward,        tally->contacts,           (double)tally->resets};
    double most[] = {tally->certificate, tally->seconds, tally->reset_seconds,
                     tally->create_seconds};
    ranks_total(sum, sizeof sum / sizeof *sum, most, sizeof most / sizeof *most);
    long* count[] = {&tally->steps, &tally->time_steps, &tally->episodes,
                     &tally->done,  &tally->missed,     &tally->diverged};
    for (int k = 0; k < 6; k++)
        *count[k] = (long)sum[k];
    tally->reward = sum[6];
    tally->contacts = sum[7];
    tally->certificate = most[0];
    tally->seconds = most[1];
    tally->reset_seconds = most[2];
    tally->create_seconds = most[3];
    tally->resets = (long)sum[8];
}

static int prepare(const EnvRun* run, Work* work, EnvTally* tally)
{
    const CondEnv* first = cond_env_batch_env(work->batch, 0);
    const CondModel* model = cond_env_model(first);
    size_t n = (size_t)work->n;
    tally->n_action = cond_env_n_action(first);
    tally->n_observation = cond_env_n_observation(first);
    tally->n_dof = cond_model_n_dof(model);
    work->action = calloc(n * (size_t)tally->n_action + 1, sizeof *work->action);
    work->result = calloc(n, sizeof *work->result);
    work->seed = calloc(n, sizeof *work->seed);
    work->over = calloc(n, sizeof *work->over);
    work->hash = calloc(n + (size_t)run->envs, sizeof *work->hash);
    if (!work->action || !work->result || !work->seed || !work->over || !work->hash) {
        cli_complain("out of memory");
        return CLI_INPUT;
    }
    for (size_t i = 0; i < n; i++)
        work->seed[i] = (uint64_t)(run->seed + work->first) + i;
    return CLI_FINE;
}

// Environments of this rank: as many as of every other, or one more.
static int take_share(const EnvRun* run, Work* work)
{
    long ranks = ranks_count(), own = ranks_own();
    if (run->envs < ranks) {
        cli_complain("env: %d environments for %ld ranks: there must be one for each", run->envs,
                     ranks);
        return CLI_USAGE;
    }
    work->first = (int)(run->envs * own / ranks);
    work->n = (int)(run->envs * (own + 1) / ranks) - work->first;
    return CLI_FINE;
}

// Makes and resets the environments; an exit code.
static int begin(const EnvRun* run, Work* work, EnvTally* tally)
{
    char path[4096];
    CondError error = {.message = ""};
    CondEnvDef def = cond_env_def_default();
    cli_scene_path(run->scene, path, sizeof path);
    def.scene = path;
    def.n_override = run->set.n;
    def.override = run->set.item;
    CondStatus status =
        cond_env_batch_create(memory_context(), &def, work->n, run->threads, &work->batch, &error);
    int code = status ? CLI_FINE : prepare(run, work, tally);
    if (!status && !code && run->seed + work->first != 0)
        status = cond_env_batch_reset(work->batch, work->seed, NULL, &error);
    if (status)
        cli_complain("%s", error.message);
    return status ? cli_exit(status) : code;
}

int env_run(const EnvRun* run, EnvTally* tally)
{
    Work work = {0};
    memset(tally, 0, sizeof *tally);
    double start = omp_get_wtime();
    int code = take_share(run, &work);
    if (!code)
        code = begin(run, &work, tally);
    code = ranks_agree(code);
    tally->create_seconds = omp_get_wtime() - start;
    tally->threads = run->threads > 0 ? run->threads : omp_get_max_threads();
    if (!code) {
        code = step_all(run, &work, tally);
        tally->time_steps =
            tally->steps * cond_model_settings(cond_env_model(cond_env_batch_env(work.batch, 0)))
                               ->environment.substeps;
        if (!code && run->resets > 0)
            code = reset_all(run, &work, tally);
        sum_ranks(tally);
    }
    free(work.action);
    free(work.result);
    free(work.seed);
    free(work.hash);
    free(work.over);
    cond_env_batch_destroy(work.batch);
    return code;
}
