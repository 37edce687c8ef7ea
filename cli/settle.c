// cond settle: finds the static equilibrium of a scene and writes it as a state to start from.
#define _POSIX_C_SOURCE 200809L
#include "cli.h"
#include "interrupt.h"
#include "json.h"
#include "live.h"
#include "memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct SettleOptions {
    TextList set;
    CondEquilibriumDef def;
    const char *resume, *save, *json, *csv;
    double tolerance; // of the solver
    int seed, threads, quiet;
} SettleOptions;

static int report(void* user, const CondEquilibriumInfo* info)
{
    const SettleOptions* options = user;
    if (!options->quiet && isatty(STDERR_FILENO))
        fprintf(stderr, "\r  step %d: unbalanced %.1e of the load, moved %.3g m, length %.2g s ",
                info->steps, info->balance, info->moved, info->length);
    return interrupt_signal() != 0;
}

static void print_result(const CondModel* model, const char* path, const CondEquilibriumInfo* info)
{
    fprintf(stderr, "%s%s: %s\n", isatty(STDERR_FILENO) ? "\r\033[K" : "", path,
            info->status == COND_OK ? "in equilibrium" : "not in equilibrium");
    fprintf(stderr, "  steps         %d, %d Newton steps, %d made again\n", info->steps,
            info->newton_iterations, info->discarded);
    if (info->body >= 0)
        fprintf(stderr, "  unbalanced    %.1e of the load at most: %.2e N of %.4g N of '%s'\n",
                info->balance, info->unbalanced, info->load,
                cond_model_body_name(model, info->body));
    fprintf(stderr,
            "  contacts      %d, certificate %.1e, penetration %.2e m\n  moved         %.4g m at "
            "most\n",
            info->n_contact, info->certificate, info->penetration, info->moved);
}

static json_t* result_json(const char* path, const CondModel* model,
                           const CondEquilibriumInfo* info)
{
    json_t* all = json_object();
    json_object_set_new(all, "scene", json_text(path));
    json_object_set_new(all, "status", json_string(cond_status_name(info->status)));
    json_object_set_new(all, "steps", json_integer(info->steps));
    json_object_set_new(all, "discarded", json_integer(info->discarded));
    json_object_set_new(all, "newton_iterations", json_integer(info->newton_iterations));
    json_object_set_new(all, "iterations", json_integer(info->iterations));
    json_object_set_new(all, "contacts", json_integer(info->n_contact));
    json_object_set_new(all, "body",
                        info->body < 0 ? json_null()
                                       : json_text(cond_model_body_name(model, info->body)));
    json_object_set_new(all, "balance", json_number(info->balance));
    json_object_set_new(all, "unbalanced", json_number(info->unbalanced));
    json_object_set_new(all, "load", json_number(info->load));
    json_object_set_new(all, "certificate", json_number(info->certificate));
    json_object_set_new(all, "penetration", json_number(info->penetration));
    json_object_set_new(all, "moved", json_number(info->moved));
    return all;
}

// Searches from the start of the scene, or from a saved state, and writes what was found.
static int search(SettleOptions* options, const char* path, const CondModel* model)
{
    CondState* state = NULL;
    CondSim* sim = NULL;
    CondError error = {COND_OK, ""};
    CondEquilibriumInfo info = {.body = -1};
    CondStatus status = cond_state_create(model, &state, &error);
    if (!status)
        status = cond_sim_create(model, &sim, &error);
    if (!status && options->resume)
        status = cond_state_read(model, state, options->resume, &error);
    if (status) {
        cli_complain("%s", error.message);
    } else {
        status = cond_sim_equilibrium(sim, state, &options->def, &info);
        if (!options->quiet)
            print_result(model, path, &info);
        if (status && !interrupt_signal())
            cli_complain("%s: %s", path, cond_sim_message(sim));
    }
    int code = cli_exit(status);
    if (!status && options->save && cond_state_write(model, state, options->save, &error)) {
        cli_complain("%s", error.message);
        code = CLI_INPUT;
    } else if (status && options->save) {
        cli_complain("%s: not written: there is no equilibrium to start from", options->save);
    }
    if (sim && options->json && json_put(result_json(path, model, &info), options->json))
        code = code < CLI_INPUT ? CLI_INPUT : code;
    cond_sim_destroy(sim);
    cond_state_destroy(state);
    return interrupt_code(code);
}

static int settle_scene(SettleOptions* options, const char* text)
{
    char path[4096];
    CondModel* model = NULL;
    CondError error = {COND_OK, ""};
    cli_scene_path(text, path, sizeof path);
    CondStatus status = run_load(path, options->set.n, options->set.item, options->seed,
                                 options->tolerance, options->threads, &model, &error);
    if (status) {
        cli_complain("%s", error.message);
        return cli_exit(status);
    }
    interrupt_keep(1.0);
    int code = search(options, path, model);
    cond_model_destroy(model);
    return code;
}

static int settle(int argc, char** argv)
{
    SettleOptions options = {
        .def = cond_equilibrium_def_default(), .tolerance = NAN, .seed = -1, .threads = 0};
    const Option table[] = {
        {"--set", OPTION_LIST(&options.set), "PATH=VALUE",
         "set a value of the scene; may be repeated"},
        {"--seed", OPTION_INT(&options.seed, 0, INT_MAX), "S", "seed of the scene's random values"},
        {"--balance", OPTION_POSITIVE(&options.def.tolerance), "X",
         "largest unbalanced force of a body, relative to its load (1e-6)"},
        {"--steps", OPTION_INT(&options.def.max_steps, 0, CLI_MOST_STEPS), "N",
         "number of quasi-static steps at most (1000)"},
        {"--tol", OPTION_POSITIVE(&options.tolerance), "X", "tolerance of the solver"},
        {"--threads", OPTION_INT(&options.threads, 0, CLI_MOST_THREADS), "N",
         "number of threads; 0: as the scene says"},
        {"--resume", OPTION_TEXT(&options.resume), "FILE",
         "begin with a saved state instead of the scene's start"},
        {"--save", OPTION_TEXT(&options.save), "FILE",
         "write the state, for cond run --resume; only if it is in equilibrium"},
        {"--json", OPTION_TEXT(&options.json), "FILE",
         "write the summary as JSON; -: standard output"},
        {"--quiet", OPTION_FLAG(&options.quiet), NULL,
         "no progress and no summary on standard error"},
    };
    const char* scene = NULL;
    int n_positional, code = CLI_USAGE;
    if (options_read(&cli_settle, table, sizeof table / sizeof table[0], argc, argv, &scene, 1,
                     &n_positional))
        code = n_positional < 0 ? CLI_FINE : CLI_USAGE;
    else if (!scene)
        cli_complain("settle: name a scene; usage: cond %s", cli_settle.usage);
    else {
        options.def.user = &options;
        options.def.progress = report;
        code = settle_scene(&options, scene);
    }
    free(options.set.item);
    return code;
}

const Command cli_settle = {"settle", "settle SCENE [options]",
                            "Finds the static equilibrium of a scene.", settle};
