// One entry of a sweep: a run with its own values, in a folder that appears whole.
#define _POSIX_C_SOURCE 200809L
#include "interrupt.h"
#include "live.h"
#include "run.h"
#include "sweep.h"
#include "text.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void sweep_entry_name(const SweepJob* job, int entry, char* out, size_t size)
{
    char value[COND_STUDY_VALUE_SIZE];
    Text text = {0};
    for (int v = 0; v < cond_study_n_variable(job->sweep); v++) {
        cond_study_value(job->sweep, entry, v, value);
        text_add(&text, "%s%s=%s", v ? ", " : "", cond_study_variable(job->sweep, v), value);
    }
    if (cond_study_seed(job->sweep, entry) >= 0)
        text_add(&text, "%sseed %d", text.size ? ", " : "", cond_study_seed(job->sweep, entry));
    snprintf(out, size, "%s", text.data ? text.data : "");
    free(text.data);
}

// The overrides of an entry; the caller releases text and list.
static int make_overrides(const SweepJob* job, int entry, TextList* list, char** text)
{
    char one[COND_STUDY_OVERRIDE_SIZE];
    int n = 0;
    while (cond_study_override(job->sweep, entry, n, one))
        n++;
    *text = calloc((size_t)n + 1, sizeof one);
    for (int i = 0; *text && i < n; i++) {
        char* at = *text + (size_t)i * sizeof one;
        cond_study_override(job->sweep, entry, i, at);
        if (text_list_add(list, at))
            return 1;
    }
    return !*text;
}

// The messages of the run go to a file of the entry; standard error is kept for ours.
static int keep_messages(const char* path)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666), before = dup(STDERR_FILENO);
    if (file < 0 || before < 0 || dup2(file, STDERR_FILENO) < 0) {
        cli_complain("%s: cannot be written", path);
        return -1;
    }
    close(file);
    return before;
}

static void give_messages_back(int before)
{
    fflush(stderr);
    dup2(before, STDERR_FILENO);
    close(before);
}

static json_t* values_json(const SweepJob* job, int entry)
{
    json_t* values = json_object();
    for (int v = 0; v < cond_study_n_variable(job->sweep); v++) {
        char text[COND_STUDY_VALUE_SIZE];
        cond_study_value(job->sweep, entry, v, text);
        char* end;
        double number = strtod(text, &end);
        json_object_set_new(values, cond_study_variable(job->sweep, v),
                            *end || !isfinite(number) ? json_text(text) : json_number(number));
    }
    return values;
}

static const char* result_name(int code)
{
    return code == CLI_FINE        ? "fine"
           : code == CLI_TOLERANCE ? "missed"
           : code == CLI_DIVERGED  ? "diverged"
                                   : "failed";
}

void sweep_last_message(const char* path, char* out, size_t size)
{
    char line[1024];
    FILE* file = fopen(path, "r");
    out[0] = '\0';
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        snprintf(out, size, "%s", strncmp(line, "cond: ", 6) == 0 ? line + 6 : line);
    }
    if (file)
        fclose(file);
}

// Writes entry.json and gives the folder its name.
static int keep_entry(const SweepJob* job, int entry, int code, const char* messages)
{
    char path[SWEEP_PATH], reason[1024];
    sweep_last_message(messages, reason, sizeof reason);
    if (!*reason)
        remove(messages);
    sweep_store_part_path(&job->store, entry, getpid(), "entry.json", path);
    json_t* what = json_pack("{s:i, s:o, s:i, s:s, s:o}", "entry", entry, "values",
                             values_json(job, entry), "code", code, "result", result_name(code),
                             "reason", code == CLI_FINE ? json_null() : json_text(reason));
    if (cond_study_seed(job->sweep, entry) >= 0)
        json_object_set_new(what, "seed", json_integer(cond_study_seed(job->sweep, entry)));
    return json_put(what, path) || sweep_store_commit(&job->store, entry) ? CLI_INPUT : code;
}

typedef struct Files {
    char json[SWEEP_PATH], csv[SWEEP_PATH], sensors[SWEEP_PATH], joints[SWEEP_PATH],
        record[SWEEP_PATH], state[SWEEP_PATH], messages[SWEEP_PATH];
} Files;

static void name_files(const SweepJob* job, int entry, Files* files)
{
    const struct {
        const char* name;
        char* path;
    } all[] = {{"summary.json", files->json},    {"run.csv", files->csv},
               {"sensors.csv", files->sensors},  {"joints.csv", files->joints},
               {"run.h5", files->record},        {"final.state", files->state},
               {"messages.txt", files->messages}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        sweep_store_part_path(&job->store, entry, getpid(), all[k].name, all[k].path);
}

static RunOptions run_options(const SweepJob* job, const Files* files)
{
    const CondStudyRun* run = cond_study_run(job->sweep);
    RunOptions options = run_options_default();
    options.json = files->json;
    options.csv = run->csv ? files->csv : NULL;
    options.sensors = run->sensors ? files->sensors : NULL;
    options.joints = run->joints ? files->joints : NULL;
    options.record = run->record ? files->record : NULL;
    options.save = run->state ? files->state : NULL;
    options.every = run->every;
    options.steps = run->steps;
    options.step_limit = job->options->step_limit;
    options.quiet = options.untimed = 1;
    return options;
}

// Simulates; *keep is 1 where the entry would be the same another time, whatever its code.
static int simulate(const SweepJob* job, int entry, const Files* files, int* keep)
{
    char path[SWEEP_PATH], *text = NULL;
    const char* scene = cond_study_scene(job->sweep);
    RunOptions options = run_options(job, files);
    CondModel* model = NULL;
    CondError error = {COND_OK, ""};
    int failed = 0, code = CLI_INPUT;
    cli_scene_path(scene, path, sizeof path);
    *keep = 0;
    if (make_overrides(job, entry, &options.set, &text)) {
        cli_complain("out of memory");
    } else {
        CondStatus status =
            run_load(path, options.set.n, options.set.item, cond_study_seed(job->sweep, entry), NAN,
                     job->options->threads, &model, &error);
        code = status ? cli_exit(status) : run_model(&options, scene, model, &failed);
        *keep = status ? status != COND_OUT_OF_MEMORY && status != COND_CANCELLED
                       : !failed && code != CLI_CANCELLED;
        if (status)
            cli_complain("%s", error.message);
    }
    cond_model_destroy(model);
    free(options.set.item);
    free(text);
    return code;
}

int sweep_entry_run(const SweepJob* job, int entry)
{
    Files files;
    int keep = 0;
    name_files(job, entry, &files);
    if (sweep_store_begin(&job->store, entry))
        return CLI_INPUT;
    int before = keep_messages(files.messages);
    if (before < 0)
        return CLI_INPUT;
    int code = simulate(job, entry, &files, &keep);
    give_messages_back(before);
    if (keep && !interrupt_signal())
        return keep_entry(job, entry, code, files.messages);
    return interrupt_code(code);
}
