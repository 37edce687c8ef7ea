// An environment: a ball that pushes a cube to a goal, controlled by three lines of feedback, then
// sixteen of them in a batch.
#include <cond/cond.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Where a slot of the observation begins; -1: there is none.
static int find(const CondEnv* env, const char* name)
{
    CondEnvSlot slot;
    for (int i = 0; cond_env_observation_slot(env, i, &slot); i++)
        if (strcmp(slot.name, name) == 0)
            return slot.begin;
    return -1;
}

// Drives the anchor towards the far side of the cube, at its height, beside its centre line.
static void act(const CondEnv* env, double action[3])
{
    const double* o = cond_env_observation(env);
    const double *ball = o + find(env, "ball.position"), *box = o + find(env, "box.position");
    action[0] = 0.004;
    action[1] = 0.5 * (box[1] + 0.5 * box[1] - ball[1]);
    action[2] = 0.5 * (0.05 - ball[2]);
}

int main(int argc, char** argv)
{
    enum { N = 16 };
    CondEnvDef def = cond_env_def_default();
    CondEnv* env = NULL;
    CondEnvBatch* batch = NULL;
    CondError error;
    CondEnvResult result = {0}, results[N];
    double action[3], *actions = NULL;
    int reached = 0;
    def.scene = argc > 1 ? argv[1] : "scenes/pusher.yaml";
    if (cond_env_create(NULL, &def, &env, &error) || cond_env_reset(env, 7, &error) ||
        cond_env_batch_create(NULL, &def, N, 0, &batch, &error))
        return fprintf(stderr, "%s\n", error.message), 1;
    while (!cond_env_is_over(env)) {
        act(env, action);
        if (cond_env_step(env, action, &result) < 0)
            return fprintf(stderr, "%s\n", cond_status_name(result.status)), 1;
    }
    printf("friction %.3f, mass %.3f kg: %s after %d actions, %.0f mm from the goal\n",
           cond_env_drawn(env, 0), cond_env_drawn(env, 1), result.done ? "done" : "cut off",
           cond_env_n_step(env), 1e3 * cond_env_reward_value(env, 0, NULL));
    cond_env_destroy(env);

    actions = calloc(N, sizeof action);
    for (int k = 0; actions && k < 100; k++) {
        for (int i = 0; i < N; i++)
            act(cond_env_batch_env(batch, i), actions + 3 * i);
        if (cond_env_batch_step(batch, actions, results) < 0)
            break;
    }
    for (int i = 0; i < N; i++)
        reached += results[i].done;
    printf("%d of %d episodes reached the goal within 100 actions\n", reached, N);
    free(actions);
    cond_env_batch_destroy(batch);
    return 0;
}
