// The soft mat (paper Sec. V-C and V-E): tables of solvers on the same windows of a folding run.
#include "paper_windows.h"

#include <stdlib.h>

static const PaperColumn columns[] = {
    {"label", "solver", NULL},
    {"mp_mm", "MP mm", "%.4f"},
    {"ie", "IE mN", "%.4f"},
    {"dt_ms", "DT ms", "%.2f"},
    {"st_ms", "ST ms", "%.2f"},
    {"delassus_ms", "Delassus ms", "%.1f"},
    {"iterations", "iterations", "%.1f"},
    {"residual", "certificate", "%.1e"},
};

static const PaperPlot mat_plots[] = {
    {"mat_penetration", "Folding a mat: deepest penetration", paper_trace_penetration},
    {"mat_force", "Folding a mat: internal force", paper_trace_internal},
};

static int run_mat(const PaperOptions* options, PaperResult* result)
{
    static const PaperVariant variants[] = {
        {.label = "cond", .solver = "strategy", .accelerator = COND_ACCELERATOR_CHEBYSHEV},
        {.label = "cond stop=1e-5",
         .solver = "strategy",
         .stop = 1e-5,
         .accelerator = COND_ACCELERATOR_CHEBYSHEV},
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
    PaperWindows windows = {.scene = &paper_scene_mat,
                            .variant = variants,
                            .n_variant = sizeof variants / sizeof variants[0],
                            .trials = 2};
    result->paper = paper_quote(
        "[{'label':'cond','mp_mm':0.0033,'ie':1.868,'dt_ms':9.568,'st_ms':8.65,'iterations':39.72},"
        "{'label':'pgs','mp_mm':0.0328,'ie':0.917,'dt_ms':9.599,'st_ms':1412,'delassus_ms':898,"
        "'iterations':50.59},"
        "{'label':'apgd','mp_mm':0.0576,'ie':1.492,'dt_ms':9.563,'st_ms':1645,'delassus_ms':890,"
        "'iterations':81.57},"
        "{'label':'cond stop=1e-5','ie':0.407,'st_ms':18.9}]");
    result->remarks =
        "Means over windows of the same folding run; every solver starts each window from the "
        "same\n"
        "state and goes on by itself. MP: deepest penetration of a step; IE: error of the norm of\n"
        "the internal force against the same steps made to a certificate of 1e-9 (our own ground\n"
        "truth); DT: forces, collision, assembly; ST: solver. `pgs` and `apgd` use the supernodal\n"
        "factorisation, the simplicial rows the paper's kind; the last rows stop at the same\n"
        "certificate instead of the same step length (APGD at that of the convex law, which it\n"
        "solves). The scene is reconstructed: sizes, orders and ratios compare, not the authors'\n"
        "data.";
    result->column = columns;
    result->n_column = sizeof columns / sizeof columns[0];
    int code = paper_windows_run(&windows, options, result);
    paper_windows_rows(&windows, result);
    paper_windows_plots(&windows, mat_plots, sizeof mat_plots / sizeof *mat_plots, result);
    return code;
}

static int run_ccs(const PaperOptions* options, PaperResult* result)
{
    static const PaperVariant variants[] = {
        {.label = "cond 50",
         .solver = "strategy",
         .accelerator = COND_ACCELERATOR_CHEBYSHEV,
         .iterations = 50},
        {.label = "cond 100",
         .solver = "strategy",
         .accelerator = COND_ACCELERATOR_CHEBYSHEV,
         .iterations = 100},
        {.label = "ccs 50", .solver = "ccs", .iterations = 50, .baseline = 1},
        {.label = "ccs 100", .solver = "ccs", .iterations = 100, .baseline = 1},
    };
    PaperWindows windows = {.scene = &paper_scene_mat,
                            .variant = variants,
                            .n_variant = sizeof variants / sizeof variants[0],
                            .trials = 1};
    result->paper = paper_quote("[{'label':'cond 50','mp_mm':0.0049,'ie':0.9662,'st_ms':10.85},"
                                "{'label':'cond 100','mp_mm':0.005,'ie':0.162,'st_ms':20.9},"
                                "{'label':'ccs 50','mp_mm':0.0051,'ie':13.4,'st_ms':65.99},"
                                "{'label':'ccs 100','mp_mm':0.0053,'ie':6.559,'st_ms':107.9}]");
    result->remarks = "Fixed numbers of iterations, the same windows of the same run.";
    result->column = columns;
    result->n_column = sizeof columns / sizeof columns[0];
    int code = paper_windows_run(&windows, options, result);
    paper_windows_rows(&windows, result);
    free(paper_trace_csv(&windows.trace));
    if (result->status == COND_NOT_CONVERGED)
        result->status = COND_OK; // no stop test was asked for
    return code;
}

const Experiment paper_mat = {"mat", "Soft mat folded by a Panda: solvers compared", run_mat};
const Experiment paper_ccs = {"ccs", "Contact constraint splitting on the mat", run_ccs};
