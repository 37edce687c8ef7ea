// Many environments, stepped by threads. Each has a model, a state and a workspace of its own and
// is touched by one thread at a time: who steps it makes no difference.
#include "env/env.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"

#include <stdint.h>
#include <string.h>

struct CondEnvBatch {
    CondContext context;
    int n, threads;
    CondEnv** env;      //                                                   (n)
    CondStatus* status; // of the last call, by environment                  (n)
    CondError* error;   //                                                   (n)
};

static int team(const CondEnvBatch* batch)
{
    int threads = cond_threads(SIZE_MAX, batch->threads);
    return threads < batch->n ? threads : batch->n;
}

// The status to report: the first failure, else the worst warning.
static CondStatus gather(const CondEnvBatch* batch, CondError* error)
{
    CondStatus worst = COND_OK;
    for (int i = 0; i < batch->n; i++) {
        if (batch->status[i] < 0) {
            if (error)
                *error = batch->error[i];
            return batch->status[i];
        }
        worst = batch->status[i] > worst ? batch->status[i] : worst;
    }
    return worst;
}

CondStatus cond_env_batch_create(const CondContext* context, const CondEnvDef* def, int n,
                                 int threads, CondEnvBatch** batch, CondError* error)
{
    *batch = NULL;
    if (n < 1 || threads < 0 || threads > COND_MAX_THREADS)
        return cond_error_set(error, COND_BAD_ARGUMENT, "a batch of %d environments and %d threads",
                              n, threads);
    CondContext m = cond_context_or_default(context);
    CondEnvBatch* made = cond_allocate(&m, 1, sizeof *made);
    if (!made)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    made->context = m;
    made->n = n;
    made->threads = threads;
    made->env = cond_allocate(&m, (size_t)n, sizeof *made->env);
    made->status = cond_allocate(&m, (size_t)n, sizeof *made->status);
    made->error = cond_allocate(&m, (size_t)n, sizeof *made->error);
    CondStatus status = COND_OK;
    if (!made->env || !made->status || !made->error) {
        status = cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    } else {
#pragma omp parallel for schedule(dynamic) num_threads(team(made)) if (team(made) > 1)
        for (int i = 0; i < n; i++) {
            made->status[i] =
                cond_env_create_seeded(&m, def, (uint64_t)i, &made->env[i], &made->error[i]);
        }
        status = gather(made, error);
    }
    if (status) {
        cond_env_batch_destroy(made);
        return status;
    }
    *batch = made;
    return COND_OK;
}

void cond_env_batch_destroy(CondEnvBatch* batch)
{
    if (!batch)
        return;
    CondContext m = batch->context;
    for (int i = 0; i < batch->n && batch->env; i++)
        cond_env_destroy(batch->env[i]);
    cond_release(&m, batch->env);
    cond_release(&m, batch->status);
    cond_release(&m, batch->error);
    cond_release(&m, batch);
}

int cond_env_batch_size(const CondEnvBatch* batch)
{
    return batch->n;
}

CondEnv* cond_env_batch_env(CondEnvBatch* batch, int index)
{
    return index >= 0 && index < batch->n ? batch->env[index] : NULL;
}

CondStatus cond_env_batch_reset(CondEnvBatch* batch, const uint64_t* seed, const int* which,
                                CondError* error)
{
#pragma omp parallel for schedule(dynamic) num_threads(team(batch)) if (team(batch) > 1)
    for (int i = 0; i < batch->n; i++) {
        batch->status[i] = COND_OK;
        if (!which || which[i])
            batch->status[i] = cond_env_reset(batch->env[i], seed[i], &batch->error[i]);
    }
    return gather(batch, error);
}

CondStatus cond_env_batch_step(CondEnvBatch* batch, const double* action, CondEnvResult* result)
{
    size_t n_action = (size_t)batch->env[0]->world.n_action;
#pragma omp parallel for schedule(dynamic) num_threads(team(batch)) if (team(batch) > 1)
    for (int i = 0; i < batch->n; i++) {
        CondEnv* env = batch->env[i];
        const double* own = action ? action + (size_t)i * n_action : NULL;
        if (cond_env_is_over(env)) {
            result[i] = (CondEnvResult){.done = env->done, .cut = env->cut};
            batch->status[i] = COND_OK;
        } else {
            batch->status[i] = cond_env_step(env, own, &result[i]);
        }
    }
    return gather(batch, NULL);
}

void cond_env_batch_observe(const CondEnvBatch* batch, double* observation)
{
    size_t n = (size_t)batch->env[0]->world.n_observation;
    for (int i = 0; i < batch->n; i++)
        memcpy(observation + (size_t)i * n, batch->env[i]->world.observation,
               n * sizeof *observation);
}
