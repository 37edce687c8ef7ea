// Scalability (paper Sec. V-D): the mat with ever finer meshes, solver time against coordinates.
// The paper's stop is a step length, which a larger problem may pass with a worse answer; the same
// certificate at every size is therefore shown beside it.
#include "paper.h"
#include "progress.h"
#include "solvers.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Nodes along a side of the mat, which has two layers: 512 to 20402 nodes.
static const int sizes[] = {16, 23, 32, 45, 64, 80, 101};
enum { N_SIZE = sizeof sizes / sizeof sizes[0] };

// The baselines form the Delassus operator: beyond this they take longer than all the rest.
enum { BASELINE_NODES = 2100, BASELINE_STEPS = 2, MAX_OVERRIDE = 5 };

typedef struct Mode {
    const char* label;
    const char* solver;                 // NULL: the scene's
    const char* override[MAX_OVERRIDE]; // NULL past the end
} Mode;

static const Mode modes[] = {
    {"paper stop", NULL, {"solver.preset=paper"}},
    {"certificate", NULL, {"solver.stop=certificate", "solver.tolerance=1e-4"}},
    {"pgs", "pgs", {"solver.preset=paper"}},
    {"apgd", "apgd", {"solver.preset=paper", "contact.law=proximal"}},
};
enum { N_MODE = sizeof modes / sizeof modes[0], N_OWN = 2 };

// Means over the steps of one run.
typedef struct ScalingRun {
    int dof, nodes;
    double solve;    // [s]
    double dynamics; // forces, collide and assemble [s]
    double delassus; // [s]
    double iterations;
    double contacts;
    double residual; // the worst
    CondStatus status;
} ScalingRun;

static int simulate(const CondModel* model, const char* label, const char* solver, int steps,
                    ScalingRun* out)
{
    CondState* state = NULL;
    CondSim* sim = NULL;
    CondSolver* other = NULL;
    CondError error;
    CondStatus status = cond_state_create(model, &state, &error);
    if (!status)
        status = cond_sim_create(model, &sim, &error);
    if (!status && solver)
        status = solvers_create(solver, &cond_model_settings(model)->solver, &other, &error);
    if (status)
        cli_complain("%s", error.message);
    else if (solver)
        cond_sim_set_solver(sim, other);
    Progress progress = progress_start(label);
    for (int k = 0; k < steps && status >= 0; k++) {
        CondStepInfo info;
        progress_update(&progress, k, steps);
        status = cond_sim_step(sim, state, &info);
        out->status = paper_worst(out->status, status);
        if (status < 0) {
            cli_complain("scaling: step %d: %s", k, cond_status_name(status));
            break;
        }
        out->solve += (info.seconds[COND_STAGE_NODALIZE] + info.seconds[COND_STAGE_SOLVE]) / steps;
        out->dynamics += (info.seconds[COND_STAGE_FORCES] + info.seconds[COND_STAGE_MATRIX] +
                          info.seconds[COND_STAGE_COLLIDE] + info.seconds[COND_STAGE_ASSEMBLE]) /
                         steps;
        out->delassus += info.solve.delassus_seconds / steps;
        out->iterations += (double)info.solve.iterations / steps;
        out->contacts += (double)info.n_contact / steps;
        out->residual = fmax(out->residual, cond_certificate_residual(&info.solve.certificate));
    }
    progress_end(&progress);
    cond_sim_destroy(sim);
    cond_state_destroy(state);
    return status < 0 ? cli_exit(status) : CLI_FINE;
}

static void add_row(const Mode* mode, int size, const ScalingRun* run, PaperResult* result)
{
    char label[64];
    snprintf(label, sizeof label, "%s N=%d", mode->label, size);
    json_t* row =
        json_pack("{s:s, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "label", label, "dof", run->dof,
                  "nodes", run->nodes, "st_ms", json_number(1e3 * run->solve), "dt_ms",
                  json_number(1e3 * run->dynamics), "iterations", json_number(run->iterations),
                  "ms_per_iteration", json_number(1e3 * run->solve / fmax(run->iterations, 1.0)),
                  "contacts", json_number(run->contacts), "residual", json_number(run->residual));
    if (mode->solver)
        json_object_set_new(row, "delassus_ms", json_number(1e3 * run->delassus));
    json_array_append_new(result->rows, row);
    result->status = paper_worst(result->status, run->status);
}

static int run_size(const Mode* mode, int size, const PaperOptions* options, int steps,
                    PaperResult* result, ScalingRun* run)
{
    CondModel* model = NULL;
    char threads[32], mesh[80], label[64];
    const char* override[MAX_OVERRIDE + 2];
    int n = 0;
    while (n < MAX_OVERRIDE && mode->override[n]) {
        override[n] = mode->override[n];
        n++;
    }
    snprintf(threads, sizeof threads, "solver.threads=%d", options->threads);
    snprintf(mesh, sizeof mesh, "bodies.mat.mesh=\"mat:%d,%d,2:0.4,0.4,0.008\"", size, size);
    override[n++] = threads;
    override[n++] = mesh;
    int code = paper_load("mat", n, override, &model);
    if (code == CLI_FINE) {
        run->dof = cond_model_n_dof(model);
        run->nodes = cond_model_n_node(model, cond_model_find_body(model, "mat"));
        snprintf(label, sizeof label, "%s N=%d", mode->label, size);
        code = simulate(model, label, mode->solver, steps, run);
    }
    if (code == CLI_FINE) {
        if (!result->settings)
            result->settings = paper_settings(options, model, steps, 1, run->contacts, "paper");
        add_row(mode, size, run, result);
    }
    cond_model_destroy(model);
    return code;
}

// Least squares of y = slope x + c: the slope, and R^2 = 1 - |y - fit|^2 / |y - mean|^2.
static double fit_line(const double* x, const double* y, int n, double* r_squared)
{
    double mean_x = 0.0, mean_y = 0.0, xx = 0.0, xy = 0.0, yy = 0.0;
    for (int i = 0; i < n; i++) {
        mean_x += x[i] / n;
        mean_y += y[i] / n;
    }
    for (int i = 0; i < n; i++) {
        xx += (x[i] - mean_x) * (x[i] - mean_x);
        xy += (x[i] - mean_x) * (y[i] - mean_y);
        yy += (y[i] - mean_y) * (y[i] - mean_y);
    }
    *r_squared = xy * xy / (xx * yy);
    return xy / xx;
}

static void add_fit(const Mode* mode, const ScalingRun* run, int n_size, PaperResult* result)
{
    char label[64];
    double x[N_SIZE], y[N_SIZE], z[N_SIZE], log_x[N_SIZE], log_y[N_SIZE], r_squared, r_each, unused;
    for (int i = 0; i < n_size; i++) {
        x[i] = run[i].dof;
        y[i] = 1e3 * run[i].solve;
        z[i] = y[i] / fmax(run[i].iterations, 1.0);
        log_x[i] = log(x[i]);
        log_y[i] = log(fmax(y[i], 1e-9));
    }
    fit_line(x, y, n_size, &r_squared);
    fit_line(x, z, n_size, &r_each);
    double exponent = fit_line(log_x, log_y, n_size, &unused);
    snprintf(label, sizeof label, "fit %s", mode->label);
    json_array_append_new(result->rows,
                          json_pack("{s:s, s:o, s:o, s:o}", "label", label, "r_squared",
                                    json_number(r_squared), "exponent", json_number(exponent),
                                    "r_squared_per_iteration", json_number(r_each)));
}

// One line per size: coordinates, then solver time of each mode, nan where it was not run.
static char* make_csv(ScalingRun run[N_MODE][N_SIZE], int n_size)
{
    Text text = {0};
    text_add(&text, "dof");
    for (int m = 0; m < N_MODE; m++)
        text_add(&text, ",%s ms", modes[m].label);
    text_add(&text, "\n");
    for (int i = 0; i < n_size; i++) {
        text_add(&text, "%d", run[0][i].dof);
        for (int m = 0; m < N_MODE; m++) {
            if (run[m][i].dof > 0)
                text_add(&text, ",%.9g", 1e3 * run[m][i].solve);
            else
                text_add(&text, ",");
        }
        text_add(&text, "\n");
    }
    return text.data;
}

static const PaperColumn columns[] = {
    {"label", "run", NULL},
    {"dof", "dof", "%.0f"},
    {"contacts", "contacts", "%.0f"},
    {"dt_ms", "dynamics ms", "%.2f"},
    {"st_ms", "solver ms", "%.2f"},
    {"delassus_ms", "Delassus ms", "%.2f"},
    {"iterations", "iterations", "%.1f"},
    {"ms_per_iteration", "ms/iteration", "%.4f"},
    {"residual", "certificate", "%.1e"},
    {"r_squared", "R^2", "%.4f"},
    {"exponent", "exponent", "%.3f"},
};

static const PaperPlot plots[] = {
    {"scaling", "Mat: solver time of a step over coordinates",
     "set logscale xy\nset xlabel 'coordinates'\nset ylabel 'solver time [ms]'\nset key right "
     "bottom\n"
     "set datafile missing 'nan'\nset xrange [1000:100000]\n"
     "plot data using 1:2 with linespoints lw 2 pt 7 title 'COND, step 10^{-4}', "
     "data using 1:3 with linespoints lw 2 pt 5 title 'COND, certificate 10^{-4}', "
     "data using 1:4 with linespoints lw 2 pt 9 title 'PGS, step 10^{-4}', "
     "data using 1:5 with linespoints lw 2 pt 11 title 'APGD, step 10^{-4}'"},
};

static int run(const PaperOptions* options, PaperResult* result)
{
    int steps = paper_steps(options, 8, result), code = CLI_FINE;
    // Nothing is random here: --trials says how many of the sizes are run, the smallest first.
    int n_size = options->trials >= 3 && options->trials < N_SIZE ? options->trials : N_SIZE;
    ScalingRun all[N_MODE][N_SIZE] = {0};
    result->rows = json_array();
    result->paper = json_pack("[{s:s, s:f}]", "label", "cond", "r_squared", 0.9997);
    for (int m = 0; m < N_MODE && code == CLI_FINE; m++) {
        const char* solver = modes[m].solver;
        int own = steps;
        if (solver && !solvers_is_built(solver)) {
            solvers_say_left_out("scaling: pgs and apgd are");
            continue;
        }
        if (solver && own > BASELINE_STEPS)
            own = BASELINE_STEPS;
        for (int i = 0; i < n_size && code == CLI_FINE; i++)
            if (!solver || 2 * sizes[i] * sizes[i] <= BASELINE_NODES)
                code = run_size(&modes[m], sizes[i], options, own, result, &all[m][i]);
    }
    if (code == CLI_FINE) {
        for (int m = 0; m < N_OWN; m++)
            add_fit(&modes[m], all[m], n_size, result);
        result->csv = make_csv(all, n_size);
    }
    result->remarks =
        "The mat with N x N x 2 nodes; means over the first steps, while it lies on the floor and\n"
        "the arm begins to lift. R^2 is of the straight line of solver time over coordinates, the\n"
        "exponent of the least-squares power law, and `r_squared_per_iteration` in the JSON is "
        "the\n"
        "R^2 of the time of one iteration. The paper stops when an iteration changes v by less\n"
        "than 1e-4 m/s (Frobenius and Chebyshev), which says little about the answer: compare the\n"
        "column of certificates. The certificate rows (Frobenius and Anderson) give an answer of\n"
        "the same quality at every size. PGS and APGD use a supernodal factorisation, the paper's\n"
        "stop and two steps, and only meshes of at most 2100 nodes; APGD solves the proximal law.";
    result->column = columns;
    result->n_column = sizeof columns / sizeof columns[0];
    result->plot = plots;
    result->n_plot = sizeof plots / sizeof plots[0];
    return code;
}

const Experiment paper_scaling = {"scaling", "Scalability: solver time over the mat's size", run};
