// cond env: a scene as environments, stepped for a while.
#include "env_run.h"
#include "interrupt.h"
#include "json.h"
#include "memory.h"

#include <stdlib.h>
#include <string.h>

// Names, places, sizes and units of what goes in and out.
static int print_layout(const char* scene, const TextList* set)
{
    char path[4096];
    CondEnv* env = NULL;
    CondError error;
    CondEnvSlot slot;
    CondEnvDef def = cond_env_def_default();
    cli_scene_path(scene, path, sizeof path);
    def.scene = path;
    def.n_override = set->n;
    def.override = set->item;
    CondStatus status = cond_env_create(memory_context(), &def, &env, &error);
    if (status) {
        cli_complain("%s", error.message);
        return cli_exit(status);
    }
    printf("action, %d values\n", cond_env_n_action(env));
    double* low = calloc(2 * (size_t)cond_env_n_action(env) + 1, sizeof *low);
    if (low)
        cond_env_action_bounds(env, low, low + cond_env_n_action(env));
    for (int i = 0; low && cond_env_action_slot(env, i, &slot); i++)
        printf("  %4d %3d  %-40s %-6s %g to %g\n", slot.begin, slot.size, slot.name, slot.unit,
               low[slot.begin], low[cond_env_n_action(env) + slot.begin]);
    free(low);
    printf("observation, %d values\n", cond_env_n_observation(env));
    for (int i = 0; cond_env_observation_slot(env, i, &slot); i++)
        printf("  %4d %3d  %-40s %s\n", slot.begin, slot.size, slot.name, slot.unit);
    printf("goal, %d values\n", cond_env_n_goal(env));
    for (int i = 0; cond_env_goal_slot(env, i, &slot); i++)
        printf("  %4d %3d  %-40s %s\n", slot.begin, slot.size, slot.name, slot.unit);
    printf("rewards\n");
    for (int i = 0; i < cond_env_n_reward(env); i++) {
        const char* name = "";
        double value = cond_env_reward_value(env, i, &name);
        printf("  %4d      %-40s %g at the start\n", i, name, value);
    }
    cond_env_destroy(env);
    return CLI_FINE;
}

static void print_tally(const EnvRun* run, const EnvTally* t)
{
    double steps = t->steps > 0 ? (double)t->steps : 1.0;
    fprintf(stderr, "%s: %d environments, %d actions each, %s, seed %d\n", run->scene, run->envs,
            run->steps, run->still ? "still" : "random", run->seed);
    fprintf(stderr, "  sizes         %d actions, %d observations, %d dof\n", t->n_action,
            t->n_observation, t->n_dof);
    fprintf(stderr, "  episodes      %ld ended, %ld of them by a goal or a failure, %ld diverged\n",
            t->episodes, t->done, t->diverged);
    fprintf(stderr, "  reward        %.6g a step\n", t->reward / steps);
    fprintf(stderr, "  contacts      %.1f a step\n", t->contacts / steps);
    fprintf(stderr, "  certificate   %.1e at worst; %ld of %ld time steps missed the tolerance\n",
            t->certificate, t->missed, t->time_steps);
    fprintf(stderr,
            "  speed         %.0f environment-steps a second on %d threads (%.0f time steps)\n",
            (double)t->steps / t->seconds, t->threads, (double)t->time_steps / t->seconds);
    fprintf(stderr, "  made          %.3g ms each\n", 1e3 * t->create_seconds / run->envs);
    if (t->resets > 0)
        fprintf(stderr, "  resets        %ld, %.3g ms each\n", t->resets,
                1e3 * t->reset_seconds / (double)t->resets);
    fprintf(stderr, "  hash          %016llx\n", (unsigned long long)t->hash);
}

static json_t* tally_json(const EnvRun* run, const EnvTally* t)
{
    char hash[32];
    double steps = t->steps > 0 ? (double)t->steps : 1.0;
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)t->hash);
    return json_pack(
        "{s:o, s:i, s:i, s:i, s:s, s:i, s:i, s:i, s:I, s:I, s:I, s:I, s:I, s:o, s:o, "
        "s:o, s:o, s:o, s:o, s:I, s:o, s:s, s:o}",
        "scene", json_text(run->scene), "envs", run->envs, "steps", run->steps, "seed", run->seed,
        "actions", run->still ? "still" : "random", "n_action", t->n_action, "n_observation",
        t->n_observation, "dof", t->n_dof, "environment_steps", (json_int_t)t->steps, "time_steps",
        (json_int_t)t->time_steps, "episodes", (json_int_t)t->episodes, "missed",
        (json_int_t)t->missed, "diverged", (json_int_t)t->diverged, "reward",
        json_number(t->reward / steps), "contacts", json_number(t->contacts / steps), "residual",
        json_number(t->certificate), "seconds", json_number(t->seconds), "reset_seconds",
        json_number(t->reset_seconds), "create_seconds", json_number(t->create_seconds), "resets",
        (json_int_t)t->resets, "steps_per_second", json_number((double)t->steps / t->seconds),
        "hash", hash, "machine", json_machine(t->threads));
}

static int run(int argc, char** argv)
{
    EnvRun what = {.envs = 64, .steps = 200, .progress = 1};
    EnvTally tally;
    const char *json = NULL, *actions = "random";
    int layout = 0, n_positional, code = CLI_USAGE;
    const Option table[] = {
        {"--envs", OPTION_INT(&what.envs, 1, 1000000), "N", "number of environments (64)"},
        {"--steps", OPTION_INT(&what.steps, 1, CLI_MOST_STEPS), "N",
         "actions per environment (200)"},
        {"--seed", OPTION_INT(&what.seed, 0, INT_MAX), "S",
         "environment i starts with seed S + i (0)"},
        {"--threads", OPTION_INT(&what.threads, 0, CLI_MOST_THREADS), "N",
         "number of threads; 0: one per processor"},
        {"--actions", OPTION_TEXT(&actions), "KIND", "random (within their bounds) or still"},
        {"--set", OPTION_LIST(&what.set), "PATH=VALUE",
         "set a value of the scene; may be repeated"},
        {"--resets", OPTION_INT(&what.resets, 0, 1000000), "N",
         "reset all N times at the end and time it"},
        {"--layout", OPTION_FLAG(&layout), NULL,
         "print the names of actions and observations, and stop"},
        {"--json", OPTION_TEXT(&json), "FILE", "write the totals as JSON; -: standard output"},
    };
    if (options_read(&cli_env, table, sizeof table / sizeof table[0], argc, argv, &what.scene, 1,
                     &n_positional)) {
        code = n_positional < 0 ? CLI_FINE : CLI_USAGE;
    } else if (!what.scene) {
        cli_complain("env: name a scene; usage: cond %s", cli_env.usage);
    } else if (strcmp(actions, "random") != 0 && strcmp(actions, "still") != 0) {
        cli_complain("env: --actions %s: not one of random, still", actions);
    } else if (layout) {
        code = print_layout(what.scene, &what.set);
    } else {
        what.still = strcmp(actions, "still") == 0;
        interrupt_keep(1.0);
        code = env_run(&what, &tally);
        if (!code) {
            print_tally(&what, &tally);
            code = tally.diverged > 0 ? CLI_DIVERGED : cli_exit(tally.status);
            if (json && json_put(tally_json(&what, &tally), json) && code < CLI_INPUT)
                code = CLI_INPUT;
        }
    }
    free(what.set.item);
    return interrupt_code(code);
}

const Command cli_env = {"env", "env SCENE [options]",
                         "Steps a scene as environments for learning.", run};
