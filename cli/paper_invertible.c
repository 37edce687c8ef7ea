// Invertible contact (paper Sec. V-F): with the proximal law and omega > 0 the contact force
// follows from the motion alone,
//
//     lambda_inverse = SOL(Jc v + phi, omega),
//
// and is compared with the lambda that the solver handed back, and with A v - b, which the dynamics
// demand at the nodes in contact and in whose making no projection took part.
#include "paper.h"
#include "progress.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OVERRIDE = 6 };

typedef struct Variant {
    const char* scene;
    const char* label;
    int inverse;                            // 1: omega > 0, the force can be had from the motion
    const char* override[MAX_OVERRIDE + 1]; // NULL ends them
} Variant;

static const Variant variants[] = {
    {"mat",
     "mat",
     1,
     {"contact.law=proximal", "contact.omega=1e-3", "solver.stop=certificate",
      "solver.tolerance=1e-8"}},
    {"mat",
     "mat stop=1e-4",
     1,
     {"contact.law=proximal", "contact.omega=1e-3", "solver.preset=paper"}},
    {"mat",
     "mat strict",
     0,
     {"contact.law=strict", "solver.stop=certificate", "solver.tolerance=1e-8"}},
    {"ball", "ball", 1, {"contact.law=proximal", "contact.omega=1e-3", "solver.tolerance=1e-6"}},
    {"ball",
     "ball stop=1e-4",
     1,
     {"contact.law=proximal", "contact.omega=1e-3", "solver.preset=paper"}},
    {"ball", "ball strict", 0, {"contact.law=strict", "solver.tolerance=1e-6"}},
};
enum { N_VARIANT = sizeof variants / sizeof variants[0] };

typedef struct InverseRun {
    double force;    // mean |lambda| [N]
    double error;    // mean | |lambda| - |lambda_inverse| | [N]
    double vector;   // mean |lambda - lambda_inverse| [N]
    double dynamics; // mean |Jc' lambda_inverse - (A v - b)| over nodes in contact [N]
    double norms;    // mean | |Jc' lambda_inverse| - |A v - b| | over the same [N]
    double residual; // the worst
    double iterations;
    double contacts;
    CondStatus status;
} InverseRun;

// Work arrays, one number per coordinate each.
typedef struct Scratch {
    double* demand; // A v - b
    double* force;  // Jc' lambda_inverse
    char* touched;  // 1 where a contact acts
} Scratch;

static double square3(const double* x)
{
    return x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
}

// Forward and inverse force of the step just made; adds its errors to the sums.
static void measure(const CondModel* model, const CondSim* sim, int inverse, Scratch* work,
                    InverseRun* out, double norm[2])
{
    const CondProblem* problem = cond_sim_problem(sim);
    const CondSolverSettings* settings = &cond_model_settings(model)->solver;
    const double *v = cond_sim_solution(sim), *lambda = cond_sim_lambda(sim);
    double forward = 0.0, back = 0.0, apart = 0.0, demanded = 0.0, given = 0.0, residue = 0.0;
    cond_problem_multiply(problem, v, work->demand);
    for (int i = 0; i < problem->n_dof; i++) {
        work->demand[i] -= problem->b[i];
        work->force[i] = 0.0;
        work->touched[i] = 0;
    }
    for (int c = 0; c < problem->n_contact; c++) {
        const CondContact* contact = &problem->contact[c];
        double u[3], found[3] = {0.0, 0.0, 0.0}, difference[3];
        cond_contact_velocity(contact, v, u);
        if (contact->set == COND_FORCE_INTERVAL) // of a joint: not what is asked about
            memcpy(found, lambda + 3 * c, sizeof found);
        else if (inverse)
            cond_law_solve(settings->law, contact->friction, settings->omega, 0.0, u, found);
        cond_contact_add_force(contact, 1.0, found, work->force);
        for (int s = 0; s < 2; s++)
            for (int k = 0; k < contact->side[s].n_coordinate; k++)
                work->touched[contact->side[s].coordinate[k]] = 1;
        for (int i = 0; i < 3; i++)
            difference[i] = lambda[3 * c + i] - found[i];
        forward += square3(lambda + 3 * c);
        back += square3(found);
        apart += square3(difference);
    }
    for (int i = 0; i < problem->n_dof; i++) {
        double difference = work->force[i] - work->demand[i];
        if (!work->touched[i])
            continue;
        demanded += work->demand[i] * work->demand[i];
        given += work->force[i] * work->force[i];
        residue += difference * difference;
    }
    norm[0] = sqrt(forward);
    norm[1] = inverse ? sqrt(back) : NAN;
    out->force += norm[0];
    out->error += fabs(norm[0] - sqrt(back));
    out->vector += sqrt(apart);
    out->dynamics += sqrt(residue);
    out->norms += fabs(sqrt(given) - sqrt(demanded));
}

static CondStatus make_steps(const CondModel* model, const Variant* variant, CondSim* sim,
                             CondState* state, int steps, Scratch* work, InverseRun* out,
                             double* curve)
{
    CondStatus status = COND_OK;
    Progress progress = progress_start(variant->label);
    for (int k = 0; k < steps; k++) {
        CondStepInfo info;
        status = cond_sim_step(sim, state, &info);
        out->status = paper_worst(out->status, status);
        if (status < 0) {
            progress_end(&progress);
            cli_complain("invertible: %s, step %d: %s", variant->label, k,
                         cond_status_name(status));
            return status;
        }
        measure(model, sim, variant->inverse, work, out, curve + 2 * k);
        out->residual = fmax(out->residual, cond_certificate_residual(&info.solve.certificate));
        out->iterations += (double)info.solve.iterations / steps;
        out->contacts += (double)info.n_contact / steps;
        progress_update(&progress, k + 1, steps);
    }
    progress_end(&progress);
    out->force /= steps;
    out->error /= steps;
    out->vector /= steps;
    out->dynamics /= steps;
    out->norms /= steps;
    return COND_OK;
}

// The curve receives |lambda| and |lambda_inverse| of every step.
static int simulate(const CondModel* model, const Variant* variant, int steps, InverseRun* out,
                    double* curve)
{
    CondState* state = NULL;
    CondSim* sim = NULL;
    CondError error;
    size_t n = (size_t)cond_model_n_dof(model);
    Scratch work = {calloc(n, sizeof(double)), calloc(n, sizeof(double)), calloc(n, 1)};
    CondStatus status = COND_OUT_OF_MEMORY;
    snprintf(error.message, sizeof error.message, "out of memory");
    if (work.demand && work.force && work.touched)
        status = cond_state_create(model, &state, &error);
    if (!status)
        status = cond_sim_create(model, &sim, &error);
    if (status)
        cli_complain("%s", error.message);
    else
        status = make_steps(model, variant, sim, state, steps, &work, out, curve);
    cond_sim_destroy(sim);
    cond_state_destroy(state);
    free(work.demand);
    free(work.force);
    free(work.touched);
    return status < 0 ? cli_exit(status) : CLI_FINE;
}

static char* make_csv(const double* curve, int steps, double time_step)
{
    Text text = {0};
    text_add(&text, "time_s");
    for (int i = 0; i < N_VARIANT; i++)
        text_add(&text, ",%s forward N,%s inverse N", variants[i].label, variants[i].label);
    text_add(&text, "\n");
    for (int k = 0; k < steps; k++) {
        text_add(&text, "%.9g", (k + 1) * time_step);
        for (int i = 0; i < N_VARIANT; i++) {
            const double* norm = curve + 2 * ((size_t)i * (size_t)steps + (size_t)k);
            text_add(&text, ",%.9g,%.9g", norm[0], norm[1]);
        }
        text_add(&text, "\n");
    }
    return text.data;
}

static const PaperColumn columns[] = {
    {"label", "scene", NULL},
    {"force_error_mN", "force mN", "%.2e"},
    {"vector_error_mN", "vector mN", "%.2e"},
    {"dynamics_error_mN", "A v - b mN", "%.2e"},
    {"dynamics_norm_error_mN", "its norm mN", "%.2e"},
    {"force_mN", "|lambda| mN", "%.1f"},
    {"contacts", "contacts", "%.0f"},
    {"iterations", "iterations", "%.1f"},
    {"residual", "certificate", "%.1e"},
};

static const PaperPlot plots[] = {
    {"invertible", "Mat: norm of the contact force, forward and from the motion",
     "set xlabel 'time [s]'\nset ylabel '|lambda| [N]'\nset key right top\nset logscale y\n"
     "set datafile missing 'nan'\n"
     "plot data using 1:2 with lines lw 3 title 'proximal, forward', "
     "data using 1:3 every 5 with points pt 6 title 'proximal, inverse (every 5th step)', "
     "data using 1:6 with lines lw 1.5 dt 2 title 'strict, forward'"},
    {"invertible_ball", "Ball: norm of the contact force, forward and from the motion",
     "set xlabel 'time [s]'\nset ylabel '|lambda| [N]'\nset key right bottom\n"
     "set datafile missing 'nan'\n"
     "plot data using 1:8 with lines lw 3 title 'proximal, forward', "
     "data using 1:9 every 5 with points pt 6 title 'proximal, inverse (every 5th step)', "
     "data using 1:12 with lines lw 1.5 dt 2 title 'strict, forward'"},
};

static void add_row(const Variant* variant, const InverseRun* run, int steps, PaperResult* result)
{
    json_t* row = json_pack("{s:s, s:o, s:o, s:o, s:o, s:i}", "label", variant->label, "force_mN",
                            json_number(1e3 * run->force), "residual", json_number(run->residual),
                            "iterations", json_number(run->iterations), "contacts",
                            json_number(run->contacts), "steps", steps);
    if (variant->inverse) {
        json_object_set_new(row, "force_error_mN", json_number(1e3 * run->error));
        json_object_set_new(row, "vector_error_mN", json_number(1e3 * run->vector));
        json_object_set_new(row, "dynamics_error_mN", json_number(1e3 * run->dynamics));
        json_object_set_new(row, "dynamics_norm_error_mN", json_number(1e3 * run->norms));
    }
    json_array_append_new(result->rows, row);
    result->status = paper_worst(result->status, run->status);
}

static int run_variant(const Variant* variant, const PaperOptions* options, int steps,
                       double* curve, PaperResult* result, double* time_step)
{
    CondModel* model = NULL;
    InverseRun run = {0};
    int code = paper_load_set(variant->scene, variant->override, options, &model);
    if (code == CLI_FINE)
        code = simulate(model, variant, steps, &run, curve);
    if (code == CLI_FINE) {
        *time_step = cond_model_settings(model)->time_step;
        if (!result->settings)
            result->settings = paper_settings(options, model, steps, 1, run.contacts, "default");
        add_row(variant, &run, steps, result);
    }
    cond_model_destroy(model);
    return code;
}

static int run(const PaperOptions* options, PaperResult* result)
{
    int steps = paper_steps(options, 150, result), code = CLI_FINE;
    double time_step = 0.0;
    double* curve = calloc(2 * (size_t)N_VARIANT * (size_t)steps, sizeof *curve);
    if (!curve) {
        cli_complain("out of memory");
        return CLI_INPUT;
    }
    result->rows = json_array();
    result->paper = json_pack("[{s:s, s:f}, {s:s, s:f}]", "label", "mat", "force_error_mN", 0.087,
                              "label", "ball", "force_error_mN", 0.48);
    for (int i = 0; i < N_VARIANT && code == CLI_FINE; i++)
        if (paper_asked(options, variants[i].label))
            code = run_variant(&variants[i], options, steps, curve + 2 * (size_t)i * (size_t)steps,
                               result, &time_step);
    if (code == CLI_FINE)
        result->csv = make_csv(curve, steps, time_step);
    result->remarks =
        "Means over all steps, with the proximal law and omega = 1e-3 m/(N s). `force` is the\n"
        "difference of the norms of forward and inverse force over all contacts, the paper's\n"
        "index; `vector` is the norm of their difference. While only nodes touch the floor both\n"
        "are round-off whatever the stop, because every iteration of V-FPI ends in a force that\n"
        "obeys the law at the velocity it hands back: they say nothing about the quality of the\n"
        "answer. `A v - b` does. It is the distance of the inverse force from what the dynamics\n"
        "demand at the nodes in contact, in whose making no projection took part, and `its norm`\n"
        "is the difference of these two norms. The paper does not say from what its forward force\n"
        "was taken; the latter is the closest to its index that is not zero by construction. The\n"
        "first row of a scene is solved to a certificate (1e-8 on the mat, 1e-6 on the ball), the\n"
        "second to the paper's stop; the strict row, without omega, is there for its curve. The\n"
        "ball is gripped and lifted in the steps shown; its contacts with the fingers act on\n"
        "virtual nodes, whose force need not obey the law at the velocity of the finger.";
    result->column = columns;
    result->n_column = sizeof columns / sizeof columns[0];
    result->plot = plots;
    result->n_plot = sizeof plots / sizeof plots[0];
    free(curve);
    return code;
}

const Experiment paper_invertible = {"invertible",
                                     "Invertible contact: the force from the motion alone", run};
