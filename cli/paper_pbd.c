// The cable with 120 links (paper Sec. V-E): COND and position-based dynamics, each on a trajectory
// of its own, against the same winding made to a certificate of 1e-8 at the same time step.
#include "paper.h"
#include "progress.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N_LANE = 7, LINKS = 120 };

typedef struct Variant {
    const char* label;
    const char* set[4]; // overrides
} Variant;

// The reference comes first.
static const Variant variants[N_LANE] = {
    {"converged", {"solver.tolerance=1.0e-8"}},
    {"cond 100", {"solver.tolerance=1.0e-6", "solver.max_iterations=100"}},
    {"cond 200", {"solver.tolerance=1.0e-6", "solver.max_iterations=200"}},
    {"pbd 100", {"step.method=pbd", "pbd.substeps=100"}},
    {"pbd 200", {"step.method=pbd", "pbd.substeps=200"}},
    {"cond 100 diagonal W",
     {"solver.preset=paper", "solver.tolerance=1.0e-300", "solver.max_iterations=100"}},
    {"cond 200 diagonal W",
     {"solver.preset=paper", "solver.tolerance=1.0e-300", "solver.max_iterations=200"}},
};

// One variant on its way.
typedef struct Lane {
    CondModel* model;
    CondState* state;
    CondSim* sim;
    CondStatus status; // negative: it has ended there
    int asked;         // 1: for a row of the table
    int cable, grip;   // the rod, the attachment to the arm
    double force[3];   // of the last step [N]
    int steps;
    // sums over the steps; residual and far: worst
    double penetration, error, distance, far, seconds, residual, contacts, size;
} Lane;

static int open_lane(const PaperOptions* options, const Variant* variant, Lane* lane)
{
    char links[64], threads[64];
    const char* override[6] = {links, threads};
    int n = 2;
    CondError error = {.message = ""};
    snprintf(links, sizeof links, "bodies.cable.rod.links=%d", LINKS);
    snprintf(threads, sizeof threads, "solver.threads=%d", options->threads);
    for (int i = 0; i < 4 && variant->set[i]; i++)
        override[n++] = variant->set[i];
    int code = paper_load("cable", n, override, &lane->model);
    if (code)
        return code;
    CondStatus status = cond_state_create(lane->model, &lane->state, &error);
    if (!status)
        status = cond_sim_create(lane->model, &lane->sim, &error);
    if (status)
        cli_complain("%s", error.message);
    lane->cable = cond_model_find_body(lane->model, "cable");
    lane->grip = cond_state_n_attachment(lane->state) - 1; // the scene's last one
    return cli_exit(status);
}

static void close_lane(Lane* lane)
{
    cond_sim_destroy(lane->sim);
    cond_state_destroy(lane->state);
    cond_model_destroy(lane->model);
}

// Mean distance of the links from where the reference has them.
static double distance(const Lane* lane, const Lane* truth)
{
    int n = 0;
    const double* q = cond_state_configuration(lane->model, lane->state, lane->cable, &n);
    const double* exact = cond_state_configuration(truth->model, truth->state, truth->cable, &n);
    double sum = 0.0;
    for (int i = 0; i < n / 7; i++)
        sum += hypot(hypot(q[7 * i] - exact[7 * i], q[7 * i + 1] - exact[7 * i + 1]),
                     q[7 * i + 2] - exact[7 * i + 2]);
    return sum / (n / 7);
}

static void step_lane(Lane* lane, const Lane* truth)
{
    CondStepInfo info;
    double wrench[6], error = 0.0;
    if (lane->status < 0 || !lane->sim)
        return;
    CondStatus status = cond_sim_step(lane->sim, lane->state, &info);
    lane->status = status < 0 || status > lane->status ? status : lane->status;
    if (status < 0)
        return;
    cond_sim_attachment_wrench(lane->sim, lane->grip, wrench);
    memcpy(lane->force, wrench, sizeof lane->force);
    for (int i = 0; i < 3; i++)
        error += (wrench[i] - truth->force[i]) * (wrench[i] - truth->force[i]);
    double away = distance(lane, truth);
    lane->steps++;
    lane->error += sqrt(error);
    lane->size += hypot(hypot(wrench[0], wrench[1]), wrench[2]);
    lane->distance += away;
    lane->far = fmax(lane->far, away);
    lane->penetration += info.penetration;
    lane->contacts += info.n_contact;
    lane->residual = fmax(lane->residual, cond_certificate_residual(&info.solve.certificate));
    for (int k = 0; k < COND_N_STAGE; k++)
        lane->seconds += info.seconds[k];
}

static void add_row(const Variant* variant, const Lane* lane, PaperResult* result)
{
    double n = lane->steps > 0 ? lane->steps : 1;
    int pbd = cond_model_settings(lane->model)->method == COND_STEP_PBD;
    json_array_append_new(
        result->rows,
        json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:s}", "label",
                  variant->label, "mp_mm", json_number(1e3 * lane->penetration / n), "fe_N",
                  json_number(lane->error / n), "force_N", json_number(lane->size / n), "de_mm",
                  json_number(1e3 * lane->distance / n), "de_max_mm", json_number(1e3 * lane->far),
                  "tt_ms", json_number(1e3 * lane->seconds / n), "contacts",
                  json_number(lane->contacts / n), "residual",
                  json_number(pbd ? NAN : lane->residual), "steps", lane->steps, "status",
                  cond_status_name(lane->status)));
}

static void add_csv(Text* csv, const Lane* lane)
{
    text_add(csv, "%g", cond_state_time(lane[0].state));
    for (int k = 0; k < N_LANE; k++)
        text_add(csv, ",%.6g",
                 lane[k].status < 0 || !lane[k].sim
                     ? NAN
                     : hypot(hypot(lane[k].force[0], lane[k].force[1]), lane[k].force[2]));
    text_add(csv, "\n");
}

static const PaperColumn columns[] = {
    {"label", "method", NULL},
    {"mp_mm", "MP mm", "%.4f"},
    {"fe_N", "FE N", "%.4f"},
    {"force_N", "force N", "%.4f"},
    {"de_mm", "DE mm", "%.3f"},
    {"de_max_mm", "DE max mm", "%.3f"},
    {"tt_ms", "TT ms", "%.2f"},
    {"contacts", "contacts", "%.1f"},
    {"residual", "certificate", "%.1e"},
    {"steps", "steps", "%.0f"},
};

static const PaperPlot plots[] = {
    {"pbd", "Force of the cable on the arm",
     "set xlabel 'time, s'\nset ylabel 'force, N'\nset key top left\n"
     "plot data using 1:2 with lines title 'converged', data using 1:3 with lines title 'cond "
     "100', "
     "data using 1:5 with lines title 'pbd 100', data using 1:6 with lines title 'pbd 200'\n"},
};

static int run(const PaperOptions* options, PaperResult* result)
{
    Lane lane[N_LANE];
    Text csv = {0};
    int code = CLI_FINE, steps = paper_steps(options, 1000, result);
    memset(lane, 0, sizeof lane);
    for (int k = 0; k < N_LANE && code == CLI_FINE; k++) {
        lane[k].asked = paper_asked(options, variants[k].label);
        if (k == 0 || lane[k].asked)
            code = open_lane(options, &variants[k], &lane[k]);
    }
    result->rows = json_array();
    Progress progress = progress_start("pbd");
    text_add(&csv, "time");
    for (int k = 0; k < N_LANE; k++)
        text_add(&csv, ",%s", variants[k].label);
    text_add(&csv, "\n");
    for (int s = 0; s < steps && code == CLI_FINE && lane[0].status >= 0; s++) {
        for (int k = 0; k < N_LANE; k++)
            step_lane(&lane[k], &lane[0]);
        add_csv(&csv, lane);
        progress_update(&progress, s + 1, steps);
    }
    progress_end(&progress);
    for (int k = 0; k < N_LANE && code == CLI_FINE; k++)
        if (lane[k].asked)
            add_row(&variants[k], &lane[k], result);
    if (code == CLI_FINE) {
        double n = lane[0].steps > 0 ? lane[0].steps : 1;
        result->settings =
            paper_settings(options, lane[0].model, steps, 1, lane[0].contacts / n, "default");
        json_object_set_new(result->settings, "links", json_integer(LINKS));
        result->status = lane[0].status;
    }
    result->csv = csv.data;
    result->paper = paper_quote("[{'label':'cond 100','mp_mm':0.0031,'fe_N':0.553,'tt_ms':3.949},"
                                "{'label':'cond 200','mp_mm':0.0032,'fe_N':0.553,'tt_ms':7.125},"
                                "{'label':'pbd 100','mp_mm':0.0036,'fe_N':2.654,'tt_ms':94.45},"
                                "{'label':'pbd 200','mp_mm':0.0026,'fe_N':1.575,'tt_ms':187.6}]");
    result->remarks =
        "The cable of 120 links on its way round the drum, every row on a trajectory of its own.\n"
        "MP: deepest penetration of a step, FE: error of the force that the arm feels, DE: "
        "distance\n"
        "of the links, means over the steps; FE and DE are against `converged`, the same winding\n"
        "made to a certificate of 1e-8 at the same time step: our own ground truth. (The paper's "
        "FE\n"
        "is against a measured force that is not published.) TT: whole step. `cond N`: at most N\n"
        "iterations, stop at a certificate of 1e-6; `diagonal W`: exactly N iterations with the\n"
        "paper's W and Chebyshev. `pbd N`: N substeps of 10 ms / N, one iteration each; the arm's\n"
        "joints follow their targets there. Rows with fewer steps than the others have diverged.";
    result->column = columns;
    result->n_column = sizeof columns / sizeof columns[0];
    result->plot = plots;
    result->n_plot = 1;
    for (int k = 0; k < N_LANE; k++)
        close_lane(&lane[k]);
    return code;
}

const Experiment paper_pbd = {"pbd", "Position-based dynamics on the cable", run};
