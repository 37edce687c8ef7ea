// `cond paper`: the table of experiments, and what prints, writes and plots their results
// (paper.h).
#include "paper.h"

#include "interrupt.h"
#include "memory.h"
#include "report.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

static const Experiment* const experiments[] = {
    &paper_box,       &paper_manipulation, &paper_anisotropic, &paper_mat,  &paper_ball,
    &paper_stiffness, &paper_gripper,      &paper_cable,       &paper_hold, &paper_ccs,
    &paper_chebyshev, &paper_scaling,      &paper_invertible,  &paper_pbd,  &paper_hertz};
enum { N_EXPERIMENT = sizeof experiments / sizeof experiments[0] };

CondStatus paper_worst(CondStatus a, CondStatus b)
{
    if (a < 0 || b < 0)
        return a < b ? a : b;
    return a > b ? a : b;
}

json_t* paper_quote(const char* text)
{
    Text json = {0};
    for (const char* c = text; *c; c++)
        text_add(&json, "%c", *c == '\'' ? '"' : *c);
    json_t* rows = json_loads(json.data ? json.data : "", 0, NULL);
    free(json.data);
    return rows;
}

int paper_steps(const PaperOptions* options, int own, PaperResult* result)
{
    int steps = options->steps > 0 ? options->steps : own;
    if (steps < own)
        result->whole = own;
    return steps;
}

int paper_asked(const PaperOptions* options, const char* label)
{
    return !options->rows || text_lists(options->rows, label);
}

// seed < 0: nothing is drawn.
static int load(const char* scene, int n_override, const char* const* override, int seed,
                CondModel** model)
{
    char path[4096];
    CondError error;
    CondScene* read = NULL;
    cli_scene_path(scene, path, sizeof path);
    CondStatus status =
        seed < 0 ? cond_scene_read(memory_context(), path, n_override, override, &read, &error)
                 : cond_scene_read_drawn(memory_context(), path, n_override, override,
                                         (uint64_t)seed, &read, &error);
    if (!status)
        status = cond_scene_compile(read, model, &error);
    cond_scene_destroy(read);
    if (status)
        cli_complain("%s", error.message);
    return cli_exit(status);
}

int paper_load(const char* scene, int n_override, const char* const* override, CondModel** model)
{
    return load(scene, n_override, override, -1, model);
}

int paper_load_drawn(const char* scene, int n_override, const char* const* override, int seed,
                     CondModel** model)
{
    return load(scene, n_override, override, seed, model);
}

int paper_load_set(const char* scene, const char* const* override, const PaperOptions* options,
                   CondModel** model)
{
    enum { MOST = 15 };
    const char* all[MOST + 1];
    char threads[32];
    int n = 0;
    for (; n < MOST && override[n]; n++)
        all[n] = override[n];
    snprintf(threads, sizeof threads, "solver.threads=%d", options->threads);
    all[n++] = threads;
    return paper_load(scene, n, all, model);
}

json_t* paper_settings(const PaperOptions* options, const CondModel* model, int steps, int trials,
                       double mean_contacts, const char* preset)
{
    const CondSceneSettings* s = cond_model_settings(model);
    return json_pack("{s:s, s:i, s:i, s:o, s:i, s:i, s:i, s:i, s:o, s:o, s:s, s:s, s:s, s:o}",
                     "preset", preset, "dof", cond_model_n_dof(model), "bodies",
                     cond_model_n_body(model), "contacts", json_number(mean_contacts), "steps",
                     steps, "trials", trials, "seed", options->seed, "threads", options->threads,
                     "time_step", json_number(s->time_step), "theta", json_number(s->theta), "law",
                     cond_law_name(s->solver.law), "surrogate",
                     cond_surrogate_name(s->solver.surrogate), "accelerator",
                     cond_accelerator_name(s->solver.accelerator), "tolerance",
                     json_number(s->solver.tolerance));
}

static json_t* result_json(const Experiment* experiment, const PaperResult* result,
                           const PaperOptions* options)
{
    return json_pack("{s:s, s:b, s:O, s:o, s:O, s:O}", "experiment", experiment->name, "comparable",
                     !result->whole, "settings", result->settings, "machine",
                     json_machine(options->threads), "rows", result->rows, "paper", result->paper);
}

static void release(PaperResult* result)
{
    json_decref(result->settings);
    json_decref(result->rows);
    json_decref(result->paper);
    free(result->csv);
}

static const char* row_label(const void* rows, int i)
{
    return json_string_value(json_object_get(json_array_get(rows, (size_t)i), "label"));
}

// Every row that was asked for is there; 1 after a message.
static int misses_row(const PaperOptions* options, const json_t* rows)
{
    char label[64];
    if (!options->rows || !text_unknown(options->rows, row_label, rows, label, sizeof label))
        return 0;
    cli_complain("paper: --rows: no row is named '%s'", label);
    return 1;
}

// Runs one experiment: table to standard error, report to a folder, JSON into *json.
static int run_one(const Experiment* experiment, const PaperOptions* options, Report* report,
                   json_t** json)
{
    PaperResult result = {0};
    fprintf(stderr, "%s\n\n", experiment->title);
    int code = experiment->run(options, &result);
    if (code == CLI_FINE && interrupt_signal())
        code = CLI_CANCELLED; // what was measured of it is not all
    if (code == CLI_FINE) {
        Text table = {0};
        report_table(&table, &result, 0);
        fprintf(stderr, "%s\n", table.data ? table.data : "");
        free(table.data);
        if (result.whole)
            fprintf(stderr, REPORT_CUT_SHORT "\n\n", result.whole);
        *json = result_json(experiment, &result, options);
        if (!*json) {
            cli_complain("out of memory");
            code = CLI_INPUT;
        } else if (options->directory) {
            if (report_add(report, experiment, &result, *json, options->directory))
                code = CLI_INPUT;
            else
                fprintf(stderr, "report: %s/%s.md\n\n", options->directory, experiment->name);
        }
        if (code == CLI_FINE)
            code = cli_exit(result.status);
        if (!options->all && misses_row(options, result.rows))
            code = code > CLI_USAGE ? code : CLI_USAGE;
    }
    release(&result);
    return code;
}

static int put_report(const Report* report, const PaperOptions* options)
{
    json_t* machine = json_machine(options->threads);
    int failed = report_write(report, options->directory, machine);
    json_decref(machine);
    return failed;
}

static void list_experiments(void)
{
    for (int i = 0; i < N_EXPERIMENT; i++)
        fprintf(stderr, "  %-14s %s\n", experiments[i]->name, experiments[i]->title);
}

// Marks the experiments of these names and returns how many there are; 0 after a message.
static int choose(int n_name, const char* const* name, int* asked)
{
    int n = 0;
    memset(asked, 0, N_EXPERIMENT * sizeof *asked);
    if (n_name == 0)
        cli_complain("paper: name an experiment");
    for (int k = 0; k < n_name; k++) {
        int all = strcmp(name[k], "all") == 0, found = all;
        for (int i = 0; i < N_EXPERIMENT; i++) {
            int is = all || strcmp(name[k], experiments[i]->name) == 0;
            n += is && !asked[i];
            asked[i] |= is;
            found |= is;
        }
        if (!found) {
            cli_complain("paper: no experiment is named '%s'", name[k]);
            return 0;
        }
    }
    return n;
}

static int run(int argc, char** argv)
{
    PaperOptions options = {0};
    const char *json_path = NULL, *name[N_EXPERIMENT];
    const Option table[] = {
        {"--json", OPTION_TEXT(&json_path), "FILE", "write the result as JSON; -: standard output"},
        {"--out", OPTION_TEXT(&options.directory), "DIR",
         "write a report with table, data and plots"},
        {"--trials", OPTION_INT(&options.trials, 1, 100000), "N", "number of randomised trials"},
        {"--steps", OPTION_INT(&options.steps, 1, CLI_MOST_STEPS), "N",
         "number of time steps; by default the experiment's own"},
        {"--rows", OPTION_TEXT(&options.rows), "LABELS", "only these rows, separated by commas"},
        {"--seed", OPTION_INT(&options.seed, 0, 1000000000), "N", "seed of the randomised trials"},
        {"--threads", OPTION_INT(&options.threads, 0, CLI_MOST_THREADS), "N",
         "number of threads; 0: one per processor"},
    };
    int n_name;
    if (options_read(&cli_paper, table, sizeof table / sizeof table[0], argc, argv, name,
                     N_EXPERIMENT, &n_name))
        return n_name < 0 ? CLI_FINE : CLI_USAGE;
    int asked[N_EXPERIMENT], n_asked = choose(n_name, name, asked), worst = CLI_FINE;
    if (n_asked == 0) {
        list_experiments();
        return CLI_USAGE;
    }
    options.all = n_asked > 1;
    if (options.directory && report_folder(options.directory))
        return CLI_INPUT;
    json_t* list = json_array();
    Report report = {.title = "The paper's experiments",
                     .about = "Rows marked COND were measured by this run, rows marked paper are "
                              "the paper's numbers.",
                     .command = "cond paper"};
    interrupt_keep(0.0);
    for (int i = 0, n = 0; i < N_EXPERIMENT && !interrupt_signal(); i++) {
        if (!asked[i])
            continue;
        json_t* json = NULL;
        n++;
        if (n_asked > 1)
            fprintf(stderr, "[%d of %d] ", n, n_asked);
        int code = run_one(experiments[i], &options, &report, &json);
        worst = code > worst ? code : worst;
        if (json)
            json_array_append_new(list, json);
        else
            report_add_failure(&report, experiments[i]);
        // After each of them, so that what was measured stays when the rest is broken off.
        if (options.directory && put_report(&report, &options))
            worst = CLI_INPUT;
    }
    if (options.directory && worst != CLI_INPUT)
        fprintf(stderr, "report: %s/report.html\n", options.directory);
    report_free(&report);
    if (json_path && json_array_size(list) > 0) {
        json_t* out = n_asked > 1 ? json_incref(list) : json_incref(json_array_get(list, 0));
        if (json_put(out, json_path))
            worst = CLI_INPUT;
    }
    json_decref(list);
    if (interrupt_signal())
        cli_complain("paper: ended by signal %d; what was measured before is kept",
                     interrupt_signal());
    return interrupt_code(worst);
}

const Command cli_paper = {"paper", "paper NAME..|all [options]",
                           "Repeats experiments of the paper and prints its numbers beside ours.",
                           run};
