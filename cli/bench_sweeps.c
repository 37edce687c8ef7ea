// `cond bench sweeps`: iterations over parameters on which they should not depend: links of a
// rod, stiffness, mesh size, kv.
#include "bench_run.h"
#include "bench_stage.h"
#include "paper.h"
#include "text.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_VALUE = 6, QUICK_VALUES = 2, QUICK_STEPS = 5 };

// One scene with one value changed; the steps `from` .. `to` - 1 count.
typedef struct Sweep {
    const char *name, *scene;
    const char* format;           // of the override that the value is put into, twice for a mesh
    const char* value[MAX_VALUE]; // NULL past the end
    int from, to;
    double tolerance;                // 0: that of the options
    const char* quick[QUICK_VALUES]; // values where it must be quick; none: the first ones
} Sweep;

static const Sweep sweeps[] = {
    {"rod, links",
     "cable",
     "bodies.cable.rod.links=%s",
     {"80", "160", "320", "640", "1280", "2560"},
     600,
     800,
     0.0,
     {"20", "40"}},
    {"mat, Young's modulus",
     "mat",
     "materials.mat.youngs_modulus=%s",
     {"1e5", "1e6", "1e7"},
     20,
     200,
     0.0,
     {NULL}},
    {"ball, Young's modulus",
     "ball",
     "materials.ball.youngs_modulus=%s",
     {"1e5", "1e6", "1e7"},
     20,
     200,
     0.0,
     {NULL}},
    {"gripper, Young's modulus",
     "gripper",
     "materials.ecoflex.youngs_modulus=%s",
     {"1e5", "1e6", "1e7"},
     20,
     120,
     0.0,
     {NULL}},
    {"mat, nodes a side",
     "mat",
     "bodies.mat.mesh=mat:%s,%s,2:0.4,0.4,0.008",
     {"27", "54", "108", "224"},
     2,
     6,
     0.0,
     {"9", "12"}},
    {"box, kv",
     "box",
     "contact.kv=%s",
     {"1e2", "1e3", "1e4", "1e5", "1e6", ".inf"},
     0,
     100,
     1e-12,
     {NULL}},
};
enum { N_SWEEP = sizeof sweeps / sizeof sweeps[0] };

// One value of a sweep.
typedef struct Task {
    const Sweep* sweep;
    const char* value;
    int code, dof;
    BenchRun run;
} Task;

// format with the value in place of every %s.
static void put_value(const char* format, const char* value, char* out, size_t size)
{
    size_t n = 0;
    out[0] = '\0';
    for (const char* at = format; *at && n + 1 < size; at++) {
        if (at[0] == '%' && at[1] == 's') {
            n += (size_t)snprintf(out + n, size - n, "%s", value);
            at++;
        } else {
            out[n++] = *at;
            out[n] = '\0';
        }
    }
}

static void run_task(const BenchOptions* options, Task* task)
{
    const Sweep* sweep = task->sweep;
    PaperOptions threads = {.threads = 1};
    double goal = sweep->tolerance > 0.0 ? sweep->tolerance : options->tolerance;
    int from = options->quick ? 0 : sweep->from, to = options->quick ? QUICK_STEPS : sweep->to;
    char tolerance[64], value[128];
    const char* set[BENCH_MAX_SMALL + 3] = {tolerance};
    const char* const* small = bench_small(sweep->scene);
    CondModel* model = NULL;
    int n = 1;
    for (int k = 0; k < BENCH_MAX_SMALL && options->quick && small && small[k]; k++)
        set[n++] = small[k];
    set[n] = value; // after the small ones, which it may overrule
    snprintf(tolerance, sizeof tolerance, "solver.tolerance=%.17g", goal);
    put_value(sweep->format, task->value, value, sizeof value);
    task->code = paper_load_set(sweep->scene, set, &threads, &model);
    if (task->code == CLI_FINE) {
        task->dof = cond_model_n_dof(model);
        task->code = bench_run(model, sweep->name, from, to, goal, &task->run);
    }
    double steps = task->run.steps > 0 ? task->run.steps : 1;
    fprintf(stderr, "%-26s %-6s %8d dof: %8.1f products %7.2f Newton steps a step, %d missed\n",
            sweep->name, task->value, task->dof, task->run.products / steps,
            task->run.passes / steps, task->run.missed);
    cond_model_destroy(model);
}

// The largest over the smallest mean of a sweep.
static double spread_of(const json_t* rows, const char* sweep, const char* key)
{
    double low = INFINITY, high = 0.0;
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t* row = json_array_get(rows, i);
        double value = json_number_value(json_object_get(row, key));
        if (strcmp(json_string_value(json_object_get(row, "sweep")), sweep) == 0) {
            low = fmin(low, value);
            high = fmax(high, value);
        }
    }
    return low > 0.0 && high > 0.0 ? high / low : NAN;
}

static void add_spreads(const json_t* rows, json_t* spreads)
{
    for (int i = 0; i < N_SWEEP; i++) {
        double products = spread_of(rows, sweeps[i].name, "products");
        if (isfinite(products))
            json_array_append_new(
                spreads,
                json_pack("{s:s, s:o, s:o, s:o}", "sweep", sweeps[i].name, "products",
                          json_number(products), "passes",
                          json_number(spread_of(rows, sweeps[i].name, "passes")), "iterations",
                          json_number(spread_of(rows, sweeps[i].name, "iterations"))));
    }
}

static int run(const BenchOptions* options, json_t* result)
{
    Task task[N_SWEEP * MAX_VALUE];
    int n = 0, code = CLI_FINE, missed = 0;
    int threads = options->threads > 0 ? options->threads : omp_get_num_procs();
    json_t *rows = json_array(), *spreads = json_array();
    json_object_set_new(result, "rows", rows);
    json_object_set_new(result, "spreads", spreads);
    for (int i = 0; i < N_SWEEP; i++) {
        const Sweep* sweep = &sweeps[i];
        const char* const* value = options->quick && sweep->quick[0] ? sweep->quick : sweep->value;
        int most = options->quick ? QUICK_VALUES : MAX_VALUE;
        for (int k = 0; k < most && value[k]; k++)
            if (!options->scenes || text_lists(options->scenes, sweep->scene))
                task[n++] = (Task){.sweep = sweep, .value = value[k]};
    }
    // They share nothing, and each of them runs on one thread.
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int i = 0; i < n; i++)
        run_task(options, &task[i]);
    for (int i = 0; i < n; i++) {
        json_t* row = json_pack("{s:s, s:s, s:s, s:i}", "sweep", task[i].sweep->name, "scene",
                                task[i].sweep->scene, "value", task[i].value, "dof", task[i].dof);
        bench_run_row(&task[i].run, row);
        json_array_append_new(rows, row);
        code = task[i].code > code ? task[i].code : code;
        missed += task[i].run.missed;
    }
    add_spreads(rows, spreads);
    fputc('\n', stderr);
    return code == CLI_FINE && missed > 0 ? CLI_TOLERANCE : code;
}

static const BenchColumn columns[] = {
    {"sweep", "sweep", NULL, 28},
    {"value", "value", NULL, 8},
    {"dof", "dof", "%.0f", 9},
    {"steps", "steps", "%.0f", 7},
    {"missed", "missed", "%.0f", 8},
    {"residual", "worst", "%.1e", 10},
    {"contacts", "contacts", "%.1f", 10},
    {"iterations", "iterations", "%.1f", 12},
    {"products", "products", "%.1f", 10},
    {"most_products", "most", "%.0f", 8},
    {"passes", "Newton", "%.2f", 8},
    {"solve_ms", "solve ms", "%.2f", 10},
};
static const BenchColumn spreads[] = {
    {"sweep", "largest over smallest", NULL, 28},
    {"products", "products", "%.2f", 10},
    {"iterations", "iterations", "%.2f", 12},
    {"passes", "Newton", "%.2f", 8},
};

const Benchmark bench_sweeps = {"sweeps",
                                "counts over what they should not depend on",
                                {{"rows", columns, sizeof columns / sizeof columns[0]},
                                 {"spreads", spreads, sizeof spreads / sizeof spreads[0]}},
                                run};
