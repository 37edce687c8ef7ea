// Environments over MPI: every rank steps its batch, and rank 0 collects what they saw, as a
// learner would, and hands out what it learned. What it learns here is one number, how fast to
// push; the numbers that it prints do not depend on how many ranks there are.
//
//     mpirun -n 4 example_env_ranks scenes/pusher.yaml
#include <cond/cond.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ENVS = 12, STEPS = 30, ROUNDS = 3 };

typedef struct Share {
    int first, n; // environments first .. first + n - 1 of all
    CondEnvBatch* batch;
    double *action, *observation, *reward; // (n x n_action), (n x n_observation), (n)
    int n_action, n_observation;
} Share;

// Environments of this rank: as many as of every other, or one more.
static void take_share(int rank, int ranks, Share* share)
{
    share->first = ENVS * rank / ranks;
    share->n = ENVS * (rank + 1) / ranks - share->first;
}

static int begin(const char* scene, Share* share)
{
    CondEnvDef def = cond_env_def_default();
    CondError error;
    uint64_t seed[ENVS];
    def.scene = scene;
    for (int i = 0; i < share->n; i++)
        seed[i] = (uint64_t)(share->first + i); // the same for every number of ranks
    if (cond_env_batch_create(NULL, &def, share->n, 1, &share->batch, &error) ||
        cond_env_batch_reset(share->batch, seed, NULL, &error))
        return fprintf(stderr, "%s\n", error.message), 1;
    const CondEnv* env = cond_env_batch_env(share->batch, 0);
    share->n_action = cond_env_n_action(env);
    share->n_observation = cond_env_n_observation(env);
    size_t n = (size_t)share->n;
    share->action = calloc(n * (size_t)share->n_action, sizeof *share->action);
    share->observation = calloc(n * (size_t)share->n_observation, sizeof *share->observation);
    share->reward = calloc(n, sizeof *share->reward);
    return !share->action || !share->observation || !share->reward;
}

// One action of all environments of the rank: push by so much along x, more or less straight.
static int step(Share* share, double speed)
{
    CondEnvArrays arrays = cond_env_arrays_default();
    CondError error;
    arrays.observation = share->observation;
    arrays.reward = share->reward;
    for (int i = 0; i < share->n; i++)
        share->action[i * share->n_action] = speed;
    CondStatus status = cond_env_batch_advance(share->batch, share->action,
                                               COND_AUTORESET_SAME_STEP, &arrays, &error);
    return status < 0 ? fprintf(stderr, "%s\n", error.message), 1 : 0;
}

// All rows of all ranks, in the order of the environments, on rank 0.
static void collect(const double* own, int n, int width, double* all, int ranks)
{
    int count[ENVS], begin[ENVS];
    for (int r = 0; r < ranks; r++) {
        Share share;
        take_share(r, ranks, &share);
        count[r] = share.n * width;
        begin[r] = share.first * width;
    }
    MPI_Gatherv(own, n * width, MPI_DOUBLE, all, count, begin, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

int main(int argc, char** argv)
{
    int rank, ranks;
    double speed = 0.001, reward[ENVS], *observation = NULL;
    Share share = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks > ENVS) {
        fprintf(stderr, "at most %d ranks, one for each environment\n", ENVS);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    take_share(rank, ranks, &share);
    if (begin(argc > 1 ? argv[1] : "scenes/pusher.yaml", &share))
        MPI_Abort(MPI_COMM_WORLD, 1);
    observation = calloc(ENVS * (size_t)share.n_observation, sizeof *observation);
    for (int round = 0; observation && round < ROUNDS; round++) {
        double sum = 0.0, seen = 0.0;
        MPI_Bcast(&speed, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD); // what rank 0 has learned
        for (int k = 0; k < STEPS; k++) {
            if (step(&share, speed))
                MPI_Abort(MPI_COMM_WORLD, 1);
            collect(share.observation, share.n, share.n_observation, observation, ranks);
            collect(share.reward, share.n, 1, reward, ranks);
            for (int i = 0; i < ENVS; i++) // in the order of the environments: the same bits
                sum += reward[i];
            for (int i = 0; i < ENVS * share.n_observation; i++)
                seen += observation[i];
        }
        if (rank == 0)
            printf("speed %g m an action: reward %.17g, observations add up to %.17g\n", speed,
                   sum / (ENVS * STEPS), seen);
        speed *= 2.0; // a learner would look at the rewards first
    }
    free(observation);
    free(share.action);
    free(share.observation);
    free(share.reward);
    cond_env_batch_destroy(share.batch);
    MPI_Finalize();
    return 0;
}
