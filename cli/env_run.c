#include "env_run.h"

#include "interrupt.h"
#include "memory.h"
#include "progress.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

typedef struct Work {
    CondEnvBatch* batch;
    double* action;        // (envs x n_action)
    CondEnvResult* result; // (envs)
    uint64_t* seed;        // of the episodes                                  (envs)
    int* over;             // (envs)
} Work;

// One seed per environment and action, far from those of the episodes.
static uint64_t action_seed(const EnvRun* run, int env, int step)
{
    return ((uint64_t)run->seed << 40) ^ ((uint64_t)env << 20) ^ (uint64_t)step ^
           UINT64_C(0xa5a5a5a5a5a5a5a5);
}

static void choose_actions(const EnvRun* run, Work* work, int n_action, int step)
{
    for (int i = 0; i < run->envs; i++) {
        const CondEnv* env = cond_env_batch_env(work->batch, i);
        double* action = work->action + (size_t)i * (size_t)n_action;
        if (run->still)
            cond_env_action_still(env, action);
        else
            cond_env_action_draw(env, action_seed(run, i, step), action);
    }
}

static void add_results(const EnvRun* run, Work* work, EnvTally* tally)
{
    for (int i = 0; i < run->envs; i++) {
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

// Steps all environments; an episode that is over is followed by the one of the next seed.
static int step_all(const EnvRun* run, Work* work, EnvTally* tally)
{
    CondError error = {.message = ""};
    CondStatus status = COND_OK;
    Progress progress = progress_start("env");
    for (int k = 0; k < run->steps && !interrupt_signal(); k++) {
        choose_actions(run, work, tally->n_action, k);
        double start = omp_get_wtime();
        status = cond_env_batch_step(work->batch, work->action, work->result);
        tally->seconds += omp_get_wtime() - start;
        if (status == COND_CANCELLED && interrupt_signal()) {
            status = COND_OK; // this action is left out
            break;
        }
        if (status < 0 && status != COND_DIVERGED) {
            cli_complain("env: step %d: %s", k, cond_status_name(status));
            break;
        }
        add_results(run, work, tally);
        for (int i = 0; i < run->envs; i++) // the order of the environments counts
            tally->hash = tally->hash * UINT64_C(1099511628211) ^
                          cond_env_hash(cond_env_batch_env(work->batch, i));
        start = omp_get_wtime();
        status = cond_env_batch_reset(work->batch, work->seed, work->over, &error);
        tally->reset_seconds += omp_get_wtime() - start;
        if (status) {
            cli_complain("%s", error.message);
            break;
        }
        if (run->progress)
            progress_update(&progress, k + 1, run->steps);
        tally->steps += run->envs;
    }
    progress_end(&progress);
    if (interrupt_signal())
        cli_complain("env: ended by signal %d after %ld of %d actions", interrupt_signal(),
                     tally->steps / run->envs, run->steps);
    return status < 0 ? cli_exit(status) : CLI_FINE;
}

static int prepare(const EnvRun* run, Work* work, EnvTally* tally)
{
    const CondEnv* first = cond_env_batch_env(work->batch, 0);
    const CondModel* model = cond_env_model(first);
    size_t n = (size_t)run->envs;
    tally->n_action = cond_env_n_action(first);
    tally->n_observation = cond_env_n_observation(first);
    tally->n_dof = cond_model_n_dof(model);
    work->action = calloc(n * (size_t)tally->n_action + 1, sizeof *work->action);
    work->result = calloc(n, sizeof *work->result);
    work->seed = calloc(n, sizeof *work->seed);
    work->over = calloc(n, sizeof *work->over);
    if (!work->action || !work->result || !work->seed || !work->over) {
        cli_complain("out of memory");
        return CLI_INPUT;
    }
    for (size_t i = 0; i < n; i++)
        work->seed[i] = (uint64_t)run->seed + i;
    return CLI_FINE;
}

int env_run(const EnvRun* run, EnvTally* tally)
{
    char path[4096];
    Work work = {0};
    CondError error = {.message = ""};
    CondEnvDef def = cond_env_def_default();
    memset(tally, 0, sizeof *tally);
    cli_scene_path(run->scene, path, sizeof path);
    def.scene = path;
    def.n_override = run->set.n;
    def.override = run->set.item;
    double start = omp_get_wtime();
    CondStatus status =
        cond_env_batch_create(memory_context(), &def, run->envs, run->threads, &work.batch, &error);
    if (status) {
        cli_complain("%s", error.message);
        return cli_exit(status);
    }
    int code = prepare(run, &work, tally);
    if (!code && run->seed != 0) {
        status = cond_env_batch_reset(work.batch, work.seed, NULL, &error);
        if (status) {
            cli_complain("%s", error.message);
            code = cli_exit(status);
        }
    }
    tally->reset_seconds = omp_get_wtime() - start;
    tally->threads = run->threads > 0 ? run->threads : omp_get_max_threads();
    if (!code)
        code = step_all(run, &work, tally);
    tally->time_steps =
        tally->steps * cond_model_settings(cond_env_model(cond_env_batch_env(work.batch, 0)))
                           ->environment.substeps;
    free(work.action);
    free(work.result);
    free(work.seed);
    free(work.over);
    cond_env_batch_destroy(work.batch);
    return code;
}
