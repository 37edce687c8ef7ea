// Hertz' contact, which the paper does not have: an elastic ball between two plates, its force over
// the approach d of one of them, on meshes that are finer and finer at the pole.
//
//     F = 4/3 E* sqrt(R) d^(3/2),    E* = E / (1 - nu^2)
#include "paper.h"
#include "progress.h"

#include <math.h>
#include <string.h>

// Physical data of scenes/hertz.yaml.
static const double RADIUS = 0.05, YOUNG = 1e6, POISSON = 0.3;

typedef struct Variant {
    const char* label;
    int n;           // elements over the radius of contact at d = 1 mm
    double approach; // d [m]
} Variant;

// The meshes, then other approaches on one of them, for the power of d.
static const Variant variants[] = {
    {"n=2", 2, 1e-3}, {"n=3", 3, 1e-3},         {"n=4", 4, 1e-3},
    {"n=6", 6, 1e-3}, {"n=4 d=0.5", 4, 0.5e-3}, {"n=4 d=2", 4, 2e-3},
};
enum { N_VARIANT = sizeof variants / sizeof variants[0], N_MESH = 4 };

typedef struct HertzRun {
    double force;    // of the plate [N]
    double approach; // where the plate is [m]
    double change;   // of the force in the last step, relative
    double residual; // worst certificate
    double iterations, contacts;
    CondStatus status;
} HertzRun;

static double hertz(double d)
{
    return 4.0 / 3.0 * YOUNG / (1.0 - POISSON * POISSON) * sqrt(RADIUS) * pow(d, 1.5);
}

static CondStatus make_steps(const CondModel* model, CondSim* sim, CondState* state, int steps,
                             HertzRun* out)
{
    int press = cond_model_find_body(model, "press"),
        plate = cond_model_find_sensor(model, "plate");
    CondStatus status = COND_OK;
    Progress progress = progress_start("hertz");
    for (int k = 0; k < steps && status >= 0; k++) {
        CondStepInfo info;
        CondSensorReading reading;
        int n_q;
        progress_update(&progress, k, steps);
        status = cond_sim_step(sim, state, &info);
        out->status = paper_worst(out->status, status);
        if (status < 0 || cond_sim_sensor(sim, plate, &reading))
            break;
        out->change = fabs(reading.force[2] / out->force - 1.0);
        out->force = reading.force[2];
        out->approach = -cond_state_configuration(model, state, press, &n_q)[0];
        out->contacts = reading.n_contact;
        out->residual = fmax(out->residual, cond_certificate_residual(&info.solve.certificate));
        out->iterations += (double)info.solve.iterations / steps;
    }
    progress_end(&progress);
    return status;
}

static int simulate(const CondModel* model, int steps, HertzRun* out)
{
    CondState* state = NULL;
    CondSim* sim = NULL;
    CondError error;
    CondStatus status = cond_state_create(model, &state, &error);
    if (!status)
        status = cond_sim_create(model, &sim, &error);
    if (status)
        cli_complain("%s", error.message);
    else
        status = make_steps(model, sim, state, steps, out);
    cond_sim_destroy(sim);
    cond_state_destroy(state);
    return status < 0 ? cli_exit(status) : CLI_FINE;
}

// The row, with the order at which its error falls from that of the mesh before (0: none).
static json_t* make_row(const Variant* variant, const CondModel* model, const HertzRun* run,
                        const Variant* before, double error_before)
{
    int ball = cond_model_find_body(model, "ball");
    double expected = hertz(run->approach), error = run->force / expected - 1.0;
    double radius = sqrt(RADIUS * 1e-3); // of contact, at the approach that the meshes are made for
    json_t* row = json_pack(
        "{s:s, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "label", variant->label,
        "nodes", cond_model_n_node(model, ball), "tets", cond_model_n_tet(model, ball), "h_mm",
        json_number(1e3 * radius / variant->n), "d_mm", json_number(1e3 * run->approach), "force_N",
        json_number(run->force), "hertz_N", json_number(expected), "error_percent",
        json_number(1e2 * error), "change", json_number(run->change), "contacts",
        json_number(run->contacts), "iterations", json_number(run->iterations), "residual",
        json_number(run->residual));
    if (before)
        json_object_set_new(
            row, "order",
            json_number(log(error_before / error) / log((double)variant->n / before->n)));
    return row;
}

static int run_variant(int i, const PaperOptions* options, int steps, double* error,
                       PaperResult* result)
{
    const Variant* variant = &variants[i];
    CondModel* model = NULL;
    HertzRun run = {0};
    char mesh[64], place[96];
    const char* const override[] = {mesh, place, NULL};
    snprintf(mesh, sizeof mesh, "bodies.ball.mesh=hertz_%d.msh", variant->n);
    snprintf(place, sizeof place, "trajectories.press.waypoints[1].position=[0,0,%.6f]",
             RADIUS - variant->approach);
    fprintf(stderr, "%s\n", variant->label);
    int code = paper_load_set("hertz", override, options, &model);
    if (code == CLI_FINE)
        code = simulate(model, steps, &run);
    if (code == CLI_FINE) {
        int follows = i > 0 && i < N_MESH;
        if (!result->settings)
            result->settings = paper_settings(options, model, steps, 1, run.contacts, "default");
        json_array_append_new(result->rows, make_row(variant, model, &run,
                                                     follows ? &variants[i - 1] : NULL, *error));
        *error = run.force / hertz(run.approach) - 1.0;
        result->status = paper_worst(result->status, run.status);
    }
    cond_model_destroy(model);
    return code;
}

static const PaperColumn columns[] = {
    {"label", "mesh", NULL},          {"tets", "tetrahedra", "%.0f"},
    {"h_mm", "h at pole mm", "%.3f"}, {"d_mm", "d mm", "%.4f"},
    {"contacts", "contacts", "%.0f"}, {"force_N", "F N", "%.4f"},
    {"hertz_N", "Hertz N", "%.4f"},   {"error_percent", "error %", "%.2f"},
    {"order", "order", "%.2f"},       {"residual", "certificate", "%.1e"},
};

// --trials N takes the first N of the variants.
static int run(const PaperOptions* options, PaperResult* result)
{
    int steps = paper_steps(options, 6, result), code = CLI_FINE;
    int n = options->trials > 0 && options->trials < N_VARIANT ? options->trials : (int)N_VARIANT;
    double error = 0.0;
    result->rows = json_array();
    result->paper = json_array();
    for (int i = 0; i < n && code == CLI_FINE; i++)
        code = run_variant(i, options, steps, &error, result);
    fprintf(stderr, "\n");
    result->remarks =
        "Not of the paper: an elastic ball of 50 mm radius between two plates, one half of it on\n"
        "the plane of symmetry. n is the number of elements over the radius of contact at d = 1\n"
        "mm. Nodes touch the plate and the surface between them is flat, so the area of contact\n"
        "is known to about an element and the force comes out too large, of the first order in\n"
        "the size of the elements.";
    result->column = columns;
    result->n_column = sizeof columns / sizeof columns[0];
    return code;
}

const Experiment paper_hertz = {"hertz", "Hertz' contact: an elastic ball between two plates", run};
