// Tables and plots of `cond bench convergence`, from its JSON result.
#include "bench_convergence.h"

#include "csv.h"
#include "plot.h"
#include "report.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PLOT = 64 };

static const char* text_in(const json_t* object, const char* key)
{
    const char* text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

// scene, problem, solver, products, seconds, residual: a line a point of a curve.
static char* make_csv(const json_t* curves)
{
    static const char* const names[] = {"scene", "problem", "solver"};
    Text csv = {0};
    text_add(&csv, "scene,problem,solver,products,seconds,residual\n");
    for (size_t i = 0; i < json_array_size(curves); i++) {
        const json_t* curve = json_array_get(curves, i);
        const json_t* points = json_object_get(curve, "points");
        for (size_t k = 0; k < json_array_size(points); k++) {
            const json_t* point = json_array_get(points, k);
            const json_t* seconds = json_object_get(point, "seconds");
            for (int n = 0; n < 3; n++) {
                csv_text(&csv, text_in(curve, names[n]));
                text_add(&csv, ",");
            }
            text_add(&csv, "%.0f,", json_number_value(json_object_get(point, "products")));
            if (json_is_number(seconds))
                text_add(&csv, "%.6g", json_number_value(seconds));
            text_add(&csv, ",%.6g\n", json_number_value(json_object_get(point, "residual")));
        }
    }
    return csv.data;
}

// The problem of a scene with the most contacts.
static const char* busiest(const json_t* summary, const char* scene)
{
    const char* best = "";
    double most = -1.0;
    for (size_t i = 0; i < json_array_size(summary); i++) {
        const json_t* row = json_array_get(summary, i);
        double contacts = json_number_value(json_object_get(row, "contacts"));
        if (strcmp(text_in(row, "scene"), scene) == 0 && contacts > most) {
            most = contacts;
            best = text_in(row, "problem");
        }
    }
    return best;
}

// One plot: every curve of the problem over products (column 4) or seconds (column 5).
static void make_script(const json_t* curves, const char* scene, const char* problem, int seconds,
                        Text* script)
{
    int first = 1;
    text_add(script,
             "set logscale xy\nset format y '10^{%%T}'\nset key outside right font ',10'\n"
             "set xlabel '%s'\nset ylabel 'certificate'\nset yrange [1e-9:10]\nplot ",
             seconds ? "seconds" : "products with A");
    for (size_t i = 0; i < json_array_size(curves); i++) {
        const json_t* curve = json_array_get(curves, i);
        const char* solver = text_in(curve, "solver");
        if (strcmp(text_in(curve, "scene"), scene) != 0 ||
            strcmp(text_in(curve, "problem"), problem) != 0 ||
            json_array_size(json_object_get(curve, "points")) == 0 ||
            (seconds && json_is_null(json_object_get(
                            json_array_get(json_object_get(curve, "points"), 0), "seconds"))))
            continue;
        const char* names[] = {scene, problem, solver};
        text_add(script, "%sdata using (", first ? "" : ", ");
        for (int n = 0; n < 3; n++) {
            text_add(script, "%sstrcol(%d) eq ", n > 0 ? " && " : "", n + 1);
            plot_quote(script, names[n]);
        }
        text_add(script, " ? column(%d) : NaN):6 with linespoints pt %d ps 0.5 lw %d title ",
                 seconds ? 5 : 4, (int)(i % 12 + 1), strcmp(solver, "default") == 0 ? 3 : 1);
        plot_quote(script, solver);
        first = 0;
    }
}

// What the plots are made of.
typedef struct Plots {
    int n;
    PaperPlot plot[MAX_PLOT];
    Text name[MAX_PLOT], title[MAX_PLOT], script[MAX_PLOT];
} Plots;

static void add_plots(const json_t* result, const char* scene, Plots* plots)
{
    const char* problem = busiest(json_object_get(result, "summary"), scene);
    const char* last = strrchr(scene, '/');
    for (int seconds = 0; seconds < 2 && plots->n < MAX_PLOT; seconds++) {
        Text* text[] = {&plots->name[plots->n], &plots->title[plots->n], &plots->script[plots->n]};
        // Only what a file's name and a page can have as it is.
        text_add(text[0], "convergence_");
        for (const char* c = last ? last + 1 : scene; *c; c++)
            text_add(text[0], "%c", isalnum((unsigned char)*c) || strchr("._-", *c) ? *c : '-');
        text_add(text[0], "_%s", seconds ? "seconds" : "products");
        text_add(text[1], "%s, %s", scene, problem);
        make_script(json_object_get(result, "curves"), scene, problem, seconds, text[2]);
        plots->plot[plots->n++] = (PaperPlot){text[0]->data, text[1]->data, text[2]->data};
    }
}

int bench_convergence_report(const BenchOptions* options, const json_t* result)
{
    static const PaperColumn columns[] = {
        {"scene", "scene", NULL},         {"problem", "problem", NULL},
        {"solver", "solver", NULL},       {"products", "products", "%.0f"},
        {"passes", "Newton", "%.0f"},     {"seconds", "seconds", "%.2e"},
        {"dynamics", "dynamics", "%.1e"}, {"contact", "contact", "%.1e"},
    };
    static const Experiment experiment = {"convergence", "Certificate against products and time",
                                          NULL};
    const json_t* summary = json_object_get(result, "summary");
    Plots* plots = calloc(1, sizeof *plots);
    if (!plots) {
        cli_complain("out of memory");
        return CLI_INPUT;
    }
    for (size_t i = 0; i < json_array_size(summary); i++) {
        const char* scene = text_in(json_array_get(summary, i), "scene");
        if (i == 0 || strcmp(scene, text_in(json_array_get(summary, i - 1), "scene")) != 0)
            add_plots(result, scene, plots);
    }
    PaperResult page = {
        .rows = json_object_get(result, "rows"),
        .remarks = "Every solver starts from the same velocity and forces. Products are those with "
                   "A; of\nPGS, APGD and CCS they are sweeps, products with the Delassus operator "
                   "and linear solves,\nand only time compares. APGD solves, and is judged by, the "
                   "convex law. The plots show the\nproblem of each scene with the most contacts.",
        .column = columns,
        .n_column = sizeof columns / sizeof columns[0],
        .plot = plots->plot,
        .n_plot = plots->n,
        .csv = make_csv(json_object_get(result, "curves")),
    };
    Report report = {.title = "Benchmarks",
                     .about = "All rows were measured by this run.",
                     .command = "cond bench"};
    int failed = report_add(&report, &experiment, &page, result, options->out) ||
                 report_write(&report, options->out, json_object_get(result, "machine"));
    if (!failed)
        fprintf(stderr, "report: %s/report.html\n\n", options->out);
    report_free(&report);
    for (int i = 0; i < plots->n; i++) {
        free(plots->name[i].data);
        free(plots->title[i].data);
        free(plots->script[i].data);
    }
    free(plots);
    free(page.csv);
    return failed ? CLI_INPUT : CLI_FINE;
}
