// The soft ball and the soft gripper (paper Sec. V-C): tables of solvers on the same windows, the
// iterations over the ball's stiffness, and trials that say what is held.
#include "paper_windows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What the tables of both scenes compare. The first leads.
static const PaperVariant variants[] = {
    {.label = "cond", .solver = "strategy", .accelerator = COND_ACCELERATOR_CHEBYSHEV},
    {.label = "pgs", .solver = "pgs", .baseline = 1},
    {.label = "apgd", .solver = "apgd", .baseline = 1},
    {.label = "pgs simplicial", .solver = "pgs-paper", .baseline = 1},
    {.label = "apgd simplicial", .solver = "apgd-simplicial", .baseline = 1},
    {.label = "cond certificate=1e-4", .solver = "strategy", .certificate = 1e-4, .own = 1},
    {.label = "pgs certificate=1e-4", .solver = "pgs", .baseline = 1, .certificate = 1e-4},
    {.label = "apgd certificate=1e-4",
     .solver = "apgd",
     .baseline = 1,
     .certificate = 1e-4,
     .proximal = 1},
};
enum { N_VARIANT = sizeof variants / sizeof variants[0] };

static const char remarks[] =
    "Means over windows of the same run; every solver starts each window from the same state and\n"
    "goes on by itself. MP: deepest penetration of a step; IE, FE: errors of the norm of the\n"
    "internal force and of the grip force; DE: of the held body's place at the end of a window; "
    "all\n"
    "three against the same steps made to a certificate of 1e-9, our own converged run, not a\n"
    "measurement. DT: forces, collision, assembly; ST: solver. `pgs` and `apgd` use the "
    "supernodal\n"
    "factorisation, the simplicial rows the paper's kind; the rows `certificate` stop at the same\n"
    "certificate instead of the same step length (APGD at that of the convex law, which it "
    "solves).\n"
    "`creep` is the speed of the held body against the gripper while that is at rest, in the "
    "whole\n"
    "run at the paper's stop; `cond paper hold` has it at a certificate. Contacts that penetrate "
    "are\n"
    "pushed out at the end of every step, so what MP shows is made within one step: by nodes that\n"
    "were out of reach at its start, and by what the stop leaves of the contact law. V-FPI ends "
    "with\n"
    "forces that obey the law at the velocity it hands back, and so leaves nothing; PGS and APGD\n"
    "leave what their stop allows, and APGD's convex law lets slipping contacts part. The scene "
    "is\n"
    "reconstructed: sizes, orders and ratios compare, not the authors' data.";

static int run_scene(const PaperScene* scene, const PaperOptions* options,
                     const PaperColumn* column, int n_column, const PaperPlot* plot, int n_plot,
                     PaperResult* result)
{
    PaperWindows windows = {
        .scene = scene, .variant = variants, .n_variant = N_VARIANT, .trials = 1};
    result->remarks = remarks;
    result->column = column;
    result->n_column = n_column;
    int code = paper_windows_run(&windows, options, result);
    paper_windows_rows(&windows, result);
    paper_windows_plots(&windows, plot, n_plot, result);
    double creep = paper_grip_creep(&windows.grip);
    if (code == CLI_FINE && !isnan(creep) && !windows.left_out[0])
        json_object_set_new(json_array_get(result->rows, 0), "creep_um_s", json_number(creep));
    return code;
}

static int run_ball(const PaperOptions* options, PaperResult* result)
{
    static const PaperColumn columns[] = {
        {"label", "solver", NULL},
        {"mp_mm", "MP mm", "%.1e"},
        {"ie", "IE N", "%.4f"},
        {"fe_N", "FE N", "%.4f"},
        {"dt_ms", "DT ms", "%.2f"},
        {"st_ms", "ST ms", "%.2f"},
        {"delassus_ms", "Delassus ms", "%.1f"},
        {"iterations", "iterations", "%.1f"},
        {"residual", "certificate", "%.1e"},
        {"creep_um_s", "creep um/s", "%.2f"},
    };
    result->paper = paper_quote(
        "[{'label':'cond','mp_mm':0.0058,'ie':0.156,'dt_ms':18.61,'st_ms':8.464,"
        "'iterations':37.51},"
        "{'label':'pgs','mp_mm':1.9933,'ie':0.3189,'dt_ms':18.51,'st_ms':805.1,'delassus_ms':624,"
        "'iterations':233.9},"
        "{'label':'apgd','mp_mm':0.2325,'ie':0.1235,'dt_ms':18.43,'st_ms':676.7,'delassus_ms':626,"
        "'iterations':100.4}]");
    static const PaperPlot plots[] = {
        {"ball_penetration", "Gripping a soft ball: deepest penetration", paper_trace_penetration},
        {"ball_internal", "Gripping a soft ball: internal force", paper_trace_internal},
        {"ball_force", "Gripping a soft ball: grip force", paper_trace_force},
    };
    return run_scene(&paper_scene_ball, options, columns, sizeof columns / sizeof columns[0], plots,
                     sizeof plots / sizeof *plots, result);
}

static int run_gripper(const PaperOptions* options, PaperResult* result)
{
    static const PaperColumn columns[] = {
        {"label", "solver", NULL},
        {"mp_mm", "MP mm", "%.1e"},
        {"fe_N", "FE N", "%.4f"},
        {"de_mm", "DE mm", "%.2e"},
        {"dt_ms", "DT ms", "%.2f"},
        {"st_ms", "ST ms", "%.2f"},
        {"delassus_ms", "Delassus ms", "%.1f"},
        {"iterations", "iterations", "%.1f"},
        {"residual", "certificate", "%.1e"},
        {"creep_um_s", "creep um/s", "%.2f"},
    };
    result->paper = paper_quote(
        "[{'label':'cond','mp_mm':0.0005,'fe_N':0.1169,'de_mm':1.898,'dt_ms':43.24,'st_ms':18.24,"
        "'iterations':30.88},"
        "{'label':'pgs','mp_mm':0.0397,'fe_N':0.1175,'de_mm':1.895,'dt_ms':42.89,'st_ms':547.0,"
        "'delassus_ms':533,'iterations':59.06},"
        "{'label':'apgd','mp_mm':0.0409,'fe_N':0.1172,'de_mm':1.896,'dt_ms':42.78,'st_ms':547.3,"
        "'delassus_ms':533,'iterations':57.81}]");
    static const PaperPlot plots[] = {
        {"gripper_penetration", "Soft gripper: deepest penetration", paper_trace_penetration},
        {"gripper_force", "Soft gripper: grip force", paper_trace_force},
    };
    return run_scene(&paper_scene_gripper, options, columns, sizeof columns / sizeof columns[0],
                     plots, sizeof plots / sizeof *plots, result);
}

// A line per modulus, a column per row of the table, the paper's behind ours.
static char* stiffness_csv(const PaperResult* result)
{
    static const double modulus[] = {0.1, 1.0, 10.0};
    const json_t* parts[] = {result->rows, result->paper};
    Text text = {0};
    text_add(&text, "modulus_MPa");
    for (int line = 0; line < 4; line++) {
        if (line > 0)
            text_add(&text, "%g", modulus[line - 1]);
        for (int p = 0; p < 2; p++)
            for (size_t i = 0; i < json_array_size(parts[p]); i++) {
                const json_t* row = json_array_get(parts[p], i);
                const json_t* n =
                    json_array_get(json_object_get(row, "iterations"), (size_t)(line - 1));
                if (line == 0)
                    text_add(&text, ",%s%s", p ? "paper: " : "",
                             json_string_value(json_object_get(row, "label")));
                else if (json_is_number(n) && !(p && result->whole))
                    text_add(&text, ",%.9g", json_number_value(n));
                else
                    text_add(&text, ",nan");
            }
        text_add(&text, "\n");
    }
    return text.data;
}

// Iterations over the ball's stiffness.
static int run_stiffness(const PaperOptions* options, PaperResult* result)
{
    static const char* const keys[] = {"at_0.1_MPa", "at_1_MPa", "at_10_MPa"};
    static const char* const modulus[] = {"materials.ball.youngs_modulus=1e5",
                                          "materials.ball.youngs_modulus=1e6",
                                          "materials.ball.youngs_modulus=1e7"};
    static const PaperColumn columns[] = {{"label", "solver", NULL},
                                          {"at_0.1_MPa", "0.1 MPa", "%.2f"},
                                          {"at_1_MPa", "1 MPa", "%.2f"},
                                          {"at_10_MPa", "10 MPa", "%.2f"},
                                          {"residual", "certificate", "%.1e"}};
    static const PaperPlot plots[] = {
        {"stiffness", "Iterations a step over the ball's modulus",
         "set xlabel \"Young's modulus [MPa]\"\nset ylabel 'iterations'\nset logscale xy\n"
         "set xrange [0.07:14]\nset key below\nset datafile missing 'nan'\n"
         "stats data skip 1 nooutput\nn = STATS_columns - 1\n"
         "plot for [i=2:n-2] data using 1:i with linespoints lw 2 pt i+3 lt i-1 "
         "title columnheader(i), for [i=n-1:n+1] data using 1:i with linespoints lw 2 dt 3 pt i+3 "
         "lt i-n+2 title columnheader(i)"},
    };
    // One of each method, the factorisation aside, which does not change iterations.
    static const int chosen[] = {0, 1, 2, 5, 6, 7};
    enum { N_CHOSEN = sizeof chosen / sizeof chosen[0] };
    PaperVariant variant[N_CHOSEN];
    int code = CLI_FINE;
    result->rows = json_array();
    for (int i = 0; i < N_CHOSEN; i++) {
        variant[i] = variants[chosen[i]];
        json_array_append_new(result->rows, json_pack("{s:s, s:[], s:f}", "label", variant[i].label,
                                                      "iterations", "residual", 0.0));
    }
    for (int k = 0; k < 3 && code == CLI_FINE; k++) {
        PaperWindows windows = {.scene = &paper_scene_ball,
                                .variant = variant,
                                .n_variant = N_CHOSEN,
                                .trials = 1,
                                .blind = 1,
                                .steps = 260, // to the end of the shaking
                                .n_extra = 1,
                                .extra = &modulus[k]};
        code = paper_windows_run(&windows, options, result);
        free(paper_trace_csv(&windows.trace));
        for (int i = 0; i < N_CHOSEN; i++) {
            if (windows.left_out[i])
                continue;
            json_t* row = json_array_get(result->rows, (size_t)i);
            const PaperTally* t = &windows.tally[i];
            double mean = t->iterations / (t->steps ? t->steps : 1);
            double worst = json_number_value(json_object_get(row, "residual"));
            json_array_append_new(json_object_get(row, "iterations"), json_number(mean));
            json_object_set_new(row, keys[k], json_number(mean));
            json_object_set_new(row, "residual", json_number(fmax(worst, t->residual)));
        }
    }
    for (size_t i = json_array_size(result->rows); i-- > 0;)
        if (json_array_size(json_object_get(json_array_get(result->rows, i), "iterations")) == 0)
            json_array_remove(result->rows, i); // not asked for
    result->paper = paper_quote("[{'label':'cond','iterations':[39.72,37.93,34.99],"
                                "'at_0.1_MPa':39.72,'at_1_MPa':37.93,'at_10_MPa':34.99},"
                                "{'label':'pgs','iterations':[145.8,224.0,306.7],"
                                "'at_0.1_MPa':145.8,'at_1_MPa':224.0,'at_10_MPa':306.7},"
                                "{'label':'apgd','iterations':[48.07,100.9,200.5],"
                                "'at_0.1_MPa':48.07,'at_1_MPa':100.9,'at_10_MPa':200.5}]");
    result->remarks =
        "Mean iterations a step on the same windows of a run until the ball was shaken, for three\n"
        "moduli of the ball: the first rows at the paper's stop of 1e-5 m/s (at most 2000), the "
        "rows\n"
        "`certificate` at the same certificate (at most 20000; COND with its default settings, "
        "APGD\n"
        "with the certificate of the convex law). An iteration of COND is a product with A, one "
        "of\n"
        "PGS a sweep over the dense Delassus matrix, which takes a factorisation of A to make.";
    result->column = columns;
    result->n_column = sizeof columns / sizeof columns[0];
    result->plot = plots;
    result->n_plot = sizeof plots / sizeof *plots;
    result->csv = stiffness_csv(result);
    if (result->settings)
        json_object_set_new(result->settings, "columns_MPa", json_pack("[f, i, i]", 0.1, 1, 10));
    return code;
}

const Experiment paper_ball = {"ball", "Soft ball in a gripper: solvers compared", run_ball};
const Experiment paper_stiffness = {"stiffness", "Iterations over the ball's stiffness",
                                    run_stiffness};
const Experiment paper_gripper = {"gripper", "Soft gripper: solvers compared", run_gripper};
