// The table of a sweep, and its report.
#define _POSIX_C_SOURCE 200809L
#include "csv.h"
#include "plot.h"
#include "report.h"
#include "sweep.h"

#include <stdlib.h>
#include <string.h>

// What every table has of a run's summary.
static const struct {
    const char *key, *format;
} summary_keys[] = {{"steps", "%.0f"},       {"time", "%.9g"},        {"missed", "%.0f"},
                    {"residual", "%.3g"},    {"penetration", "%.6g"}, {"energy_start", "%.17g"},
                    {"energy_end", "%.17g"}, {"iterations", "%.6g"},  {"contacts", "%.6g"}};
enum { N_SUMMARY = sizeof summary_keys / sizeof summary_keys[0], MOST_ROWS = 300, MOST_PLOTS = 24 };

// A value of the summary by its path, such as bodies.box.position[1]: keys with dots between them,
// [i] for a place in a list, and the name of an entry that has one. NULL: there is none.
static const json_t* find_value(const json_t* at, const char* path)
{
    while (*path && at) {
        char key[256];
        size_t n = strcspn(path, ".["), i = 0;
        if (*path == '[') {
            char* end;
            at = json_array_get(at, (size_t)strtol(path + 1, &end, 10));
            path = *end == ']' ? end + 1 : "";
        } else {
            snprintf(key, sizeof key, "%.*s", (int)n, path);
            const json_t* list = json_is_array(at) ? at : NULL;
            at = list ? NULL : json_object_get(at, key);
            for (; list && !at && i < json_array_size(list); i++) {
                const json_t* item = json_array_get(list, i);
                const char* name = json_string_value(json_object_get(item, "name"));
                at = name && strcmp(name, key) == 0 ? item : NULL;
            }
            path += n;
        }
        path += *path == '.';
    }
    return at;
}

// An entry as a row: its values, what became of it, and what the table asks of its summary.
static json_t* make_row(const SweepJob* job, int entry)
{
    const CondStudy* sweep = job->sweep;
    char path[SWEEP_PATH], label[16];
    const char *name, *place;
    json_t *found = sweep_store_read(&job->store, entry),
           *noted = found ? NULL : sweep_store_noted(&job->store, entry);
    sweep_store_entry_path(&job->store, entry, "summary.json", path);
    json_t* summary = found ? json_load_file(path, 0, NULL) : NULL;
    const json_t* reason = json_object_get(found ? found : noted, "reason");
    snprintf(label, sizeof label, "%d", entry);
    json_t* row =
        json_pack("{s:s, s:s, s:s}", "label", label, "result",
                  found   ? json_string_value(json_object_get(found, "result"))
                  : noted ? "lost"
                          : "missing",
                  "reason", reason && json_string_value(reason) ? json_string_value(reason) : "");
    if (cond_study_seed(sweep, entry) >= 0)
        json_object_set_new(row, "seed", json_integer(cond_study_seed(sweep, entry)));
    for (int v = 0; (name = cond_study_variable(sweep, v)); v++) {
        char value[COND_STUDY_VALUE_SIZE], key[80];
        cond_study_value(sweep, entry, v, value);
        snprintf(key, sizeof key, "=%s", name); // a variable may be called as a column of ours
        json_object_set_new(row, key, json_text(value));
    }
    for (int k = 0; k < N_SUMMARY; k++)
        json_object_set(row, summary_keys[k].key, json_object_get(summary, summary_keys[k].key));
    json_object_set(row, "hash", json_object_get(summary, "hash"));
    for (int c = 0; (name = cond_study_column(sweep, c, &place)); c++) {
        char key[COND_NAME_SIZE * 4];
        snprintf(key, sizeof key, "+%.240s", name);
        json_object_set(row, key, (json_t*)find_value(summary, place));
    }
    json_decref(found);
    json_decref(noted);
    json_decref(summary);
    return row;
}

// Columns of the table, in their order.
typedef struct Columns {
    int n;
    PaperColumn* column; // (n)
    char (*key)[COND_NAME_SIZE * 4];
} Columns;

static void add_column(Columns* columns, const char* mark, const char* name, const char* format)
{
    char* key = columns->key[columns->n];
    snprintf(key, sizeof *columns->key, "%s%.240s", mark, name);
    columns->column[columns->n++] = (PaperColumn){key, key + strlen(mark), format};
}

static int make_columns(const SweepJob* job, Columns* columns)
{
    const CondStudy* sweep = job->sweep;
    const char* name;
    int extra = 0;
    while (cond_study_column(sweep, extra, NULL))
        extra++;
    size_t most = (size_t)(cond_study_n_variable(sweep) + extra + N_SUMMARY + 5);
    *columns = (Columns){.column = calloc(most, sizeof *columns->column),
                         .key = calloc(most, sizeof *columns->key)};
    if (!columns->column || !columns->key) {
        cli_complain("out of memory");
        return 1;
    }
    add_column(columns, "", "label", NULL);
    columns->column[0].heading = "entry";
    for (int v = 0; (name = cond_study_variable(sweep, v)); v++)
        add_column(columns, "=", name, NULL);
    if (cond_study_seed(sweep, 0) >= 0)
        add_column(columns, "", "seed", "%.0f");
    add_column(columns, "", "result", NULL);
    for (int c = 0; (name = cond_study_column(sweep, c, NULL)); c++)
        add_column(columns, "+", name, "%.17g");
    for (int k = 0; k < N_SUMMARY; k++)
        add_column(columns, "", summary_keys[k].key, summary_keys[k].format);
    add_column(columns, "", "hash", NULL);
    add_column(columns, "", "reason", NULL);
    return 0;
}

static void free_columns(Columns* columns)
{
    free(columns->column);
    free(columns->key);
}

static Text make_csv(const Columns* columns, const json_t* rows)
{
    Text csv = {0};
    for (int c = 0; c < columns->n; c++) {
        text_add(&csv, c ? "," : "");
        csv_text(&csv, columns->column[c].heading);
    }
    text_add(&csv, "\n");
    for (size_t i = 0; i < json_array_size(rows); i++) {
        for (int c = 0; c < columns->n; c++) {
            char cell[2048];
            report_cell(json_array_get(rows, i), &columns->column[c], cell, sizeof cell);
            text_add(&csv, c ? "," : "");
            csv_text(&csv, cell);
        }
        text_add(&csv, "\n");
    }
    return csv;
}

// 1 where all values of a variable are numbers, which have a place on an axis.
static int is_number(const SweepJob* job, int variable)
{
    for (int i = 0; i < job->store.n; i++) {
        char value[COND_STUDY_VALUE_SIZE], *end;
        cond_study_value(job->sweep, i, variable, value);
        strtod(value, &end);
        if (end == value || *end)
            return 0;
    }
    return 1;
}

// A plot of a column over a variable: every entry a point, coloured by another variable (0: none).
static int add_plot(const SweepJob* job, const Columns* columns, const int* variable, int y,
                    PaperPlot* plot, Text* script, Text* name)
{
    const PaperColumn* column = columns->column;
    int x = variable[0], z = variable[1];
    text_add(name, "plot_%d_%d", x, y);
    text_add(script, "set key off\nset xlabel ");
    plot_quote(script, column[x].heading);
    text_add(script, "\nset ylabel ");
    plot_quote(script, column[y].heading);
    if (cond_study_is_log(job->sweep, x - 1))
        text_add(script, "\nset logscale x");
    if (z > 0) {
        text_add(script, "\nset palette defined (0 '#1f6feb', 0.5 '#2da44e', 1 '#e8894a')\n"
                         "set cblabel ");
        plot_quote(script, column[z].heading);
        if (cond_study_is_log(job->sweep, z - 1))
            text_add(script, "\nset logscale cb");
    }
    text_add(script, "\nplot data using %d:%d", x + 1, y + 1);
    if (z > 0)
        text_add(script, ":%d", z + 1);
    text_add(script, " every ::1 with points pt 7 ps 0.6 %s", z > 0 ? "palette" : "lt 1");
    *plot = (PaperPlot){name->data, column[y].heading, script->data};
    return name->failed || script->failed;
}

// The next variable after x that is a number, from the first one again; 0: there is no other.
static int other_number(const SweepJob* job, int x)
{
    int n = cond_study_n_variable(job->sweep);
    for (int k = 1; k < n; k++) {
        int z = 1 + (x - 1 + k) % n;
        if (is_number(job, z - 1))
            return z;
    }
    return 0;
}

// The first columns are entry and variables; those behind `result` are plotted over each of them.
static int make_plots(const SweepJob* job, const Columns* columns, PaperPlot* plot, Text* text)
{
    int n = 0, n_variable = cond_study_n_variable(job->sweep);
    int first = 1 + n_variable + (cond_study_seed(job->sweep, 0) >= 0) + 1, extra = 0;
    while (cond_study_column(job->sweep, extra, NULL))
        extra++;
    // Without columns of one's own: penetration, energy at the end, iterations, contacts.
    int begin = extra > 0 ? first : first + 4, end = extra > 0 ? first + extra : first + N_SUMMARY;
    for (int x = 1; x <= n_variable; x++) {
        int variable[2] = {x, other_number(job, x)};
        for (int y = begin; y < end && n < MOST_PLOTS && is_number(job, x - 1); y++, n++)
            if (add_plot(job, columns, variable, y, &plot[n], &text[2 * n], &text[2 * n + 1]))
                return n;
    }
    return n;
}

// The columns as people read them: fewer digits than the file has.
static void shorten(Columns* columns)
{
    for (int c = 0; c < columns->n; c++)
        if (columns->column[c].format && strcmp(columns->column[c].format, "%.17g") == 0)
            columns->column[c].format = "%.6g";
}

static json_t* settings_of(const SweepJob* job, int rows, int all)
{
    return json_pack("{s:s, s:s, s:i, s:i}", "scene", cond_study_scene(job->sweep), "file",
                     job->name, "entries", all, "rows shown", rows);
}

static int write_report(const SweepJob* job, const Columns* columns, json_t* rows, const Text* csv)
{
    char folder[SWEEP_PATH], remarks[256];
    int all = (int)json_array_size(rows), shown = all < MOST_ROWS ? all : MOST_ROWS;
    PaperPlot plot[MOST_PLOTS];
    Text text[2 * MOST_PLOTS] = {{0}};
    json_t* few = json_array();
    for (int i = 0; i < shown; i++)
        json_array_append(few, json_array_get(rows, (size_t)i));
    const Experiment experiment = {"sweep", "All entries", NULL};
    snprintf(remarks, sizeof remarks, "%d of %d entries are shown; `table.csv` has them all.",
             shown, all);
    PaperResult result = {.alone = 1,
                          .rows = few,
                          .remarks = remarks,
                          .column = columns->column,
                          .n_column = columns->n,
                          .plot = plot,
                          .n_plot = make_plots(job, columns, plot, text),
                          .csv = csv->data};
    Report report = {.title = job->name, .about = "A sweep.", .command = "cond"};
    json_t* json = json_pack("{s:o, s:o}", "settings", settings_of(job, shown, all), "machine",
                             json_machine(job->options->threads));
    snprintf(folder, sizeof folder, "%s/report", job->store.folder);
    int failed = report_folder(folder) || report_add(&report, &experiment, &result, json, folder) ||
                 report_write(&report, folder, json_object_get(json, "machine"));
    if (!failed && !job->options->quiet)
        fprintf(stderr, "%s/report.html\n", folder);
    report_free(&report);
    for (int k = 0; k < 2 * MOST_PLOTS; k++)
        free(text[k].data);
    json_decref(few);
    json_decref(json);
    return failed;
}

int sweep_report_write(const SweepJob* job)
{
    Columns columns;
    char path[SWEEP_PATH];
    if (make_columns(job, &columns)) {
        free_columns(&columns);
        return 1;
    }
    json_t* rows = json_array();
    for (int i = 0; i < job->store.n; i++)
        json_array_append_new(rows, make_row(job, i));
    Text csv = make_csv(&columns, rows);
    const Text* part = &csv;
    snprintf(path, sizeof path, "%s/table.csv", job->store.folder);
    int failed = text_put(path, &part, 1);
    shorten(&columns);
    if (!failed && job->options->report)
        failed = write_report(job, &columns, rows, &csv);
    free(csv.data);
    json_decref(rows);
    free_columns(&columns);
    return failed;
}

int sweep_report_status(const SweepJob* job)
{
    int there = 0, missed = 0, failed = 0, lost = 0, code = CLI_FINE;
    for (int i = 0; i < job->store.n; i++) {
        json_t *entry = sweep_store_read(&job->store, i), *noted = NULL;
        int own = (int)json_integer_value(json_object_get(entry, "code"));
        if (!entry)
            noted = sweep_store_noted(&job->store, i);
        const char* reason = json_string_value(json_object_get(entry ? entry : noted, "reason"));
        int wrong = noted || (entry && own != CLI_FINE && own != CLI_TOLERANCE);
        char name[160];
        sweep_entry_name(job, i, name, sizeof name);
        if (wrong)
            cli_complain("entry %d (%s): %s", i, name, reason ? reason : "failed");
        there += entry != NULL;
        missed += own == CLI_TOLERANCE;
        failed += wrong;
        lost += noted != NULL;
        code = own > code ? own : code;
        json_decref(entry);
        json_decref(noted);
    }
    fprintf(stderr,
            "%s: %d of %d entries are there; %d missed a tolerance, %d failed, %d of them "
            "left nothing\n",
            job->name, there, job->store.n, missed, failed, lost);
    return there < job->store.n && code < CLI_INPUT ? CLI_INPUT : code;
}
