// Anisotropic friction (paper Sec. V-H): a box slides to rest on ground with an elliptic friction
// cone. The maximal-dissipation motion of its centre obeys
//     a = -g (mu1^2 vx, mu2^2 vy) / s,    s = sqrt(mu1^2 vx^2 + mu2^2 vy^2),
// so that vy = vy0 (vx/vx0)^r with r = mu2^2/mu1^2, and with dt = -s/(g mu1^2 vx) dvx
//     x_stop = int_0^vx0 s/(g mu1^2) dvx,     y_stop = int_0^vx0 vy s/(g mu1^2 vx) dvx.
#include "paper.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>

static const double GRAVITY = 9.81;

typedef struct Case {
    double mu[2];
    double v0[2];
} Case;

static const Case cases[] = {
    {{0.2, 0.4}, {1.0, 1.0}}, {{0.4, 0.2}, {1.0, 1.0}}, {{0.1, 0.3}, {1.0, 1.0}},
    {{0.3, 0.3}, {1.0, 1.0}}, {{0.5, 0.2}, {0.5, 1.5}}, {{0.25, 0.35}, {2.0, 0.5}},
};
static const double time_steps[] = {4e-3, 2e-3, 1e-3};
enum {
    N_CASE = sizeof cases / sizeof cases[0],
    N_TIME_STEP = sizeof time_steps / sizeof time_steps[0],
    N_QUADRATURE = 20000,
};

// Midpoint rule in w, vx = vx0 w^p: the power takes the singularity of y at 0 for small r away.
static void stop_point(const Case* c, double stop[2])
{
    double r = pow(c->mu[1] / c->mu[0], 2.0), p = fmax(1.0, 2.0 / r);
    stop[0] = stop[1] = 0.0;
    for (int k = 0; k < N_QUADRATURE; k++) {
        double w = (k + 0.5) / N_QUADRATURE;
        double vx = c->v0[0] * pow(w, p), vy = c->v0[1] * pow(w, p * r);
        double dvx = c->v0[0] * p * pow(w, p - 1.0) / N_QUADRATURE;
        double s = hypot(c->mu[0] * vx, c->mu[1] * vy);
        double rate = s / (GRAVITY * c->mu[0] * c->mu[0]) * dvx;
        stop[0] += rate;
        stop[1] += rate * vy / vx;
    }
}

typedef struct Slide {
    double stop[2];
    double drift; // largest relative change of vy / vx^r while both are above a tenth of the start
    double residual;
    double iterations;
    double contacts;
    double rest_speed; // at the end [m/s]
    CondStatus status;
    int steps;
} Slide;

static double invariant(const Case* c, const CondPose* pose)
{
    double r = pow(c->mu[1] / c->mu[0], 2.0);
    return log(pose->velocity[1] / c->v0[1]) - r * log(pose->velocity[0] / c->v0[0]);
}

static void follow(const Case* c, const CondModel* model, CondSim* sim, CondState* state,
                   int max_steps, Slide* out, Text* path, int index)
{
    for (out->steps = 0; out->steps < max_steps; out->steps++) {
        CondStepInfo info;
        CondStatus status = cond_sim_step(sim, state, &info);
        out->status = paper_worst(out->status, status);
        if (status < 0)
            return;
        CondPose pose = cond_state_pose(model, state, 0);
        out->residual = fmax(out->residual, cond_certificate_residual(&info.solve.certificate));
        out->iterations += info.solve.iterations;
        out->contacts += info.n_contact;
        if (pose.velocity[0] > 0.1 * c->v0[0] && pose.velocity[1] > 0.1 * c->v0[1])
            out->drift = fmax(out->drift, fabs(expm1(invariant(c, &pose))));
        out->stop[0] = pose.position[0];
        out->stop[1] = pose.position[1];
        out->rest_speed = hypot(pose.velocity[0], pose.velocity[1]);
        if (path)
            text_add(path, "%d,%.9g,%.9g,%.9g\n", index, info.time, out->stop[0], out->stop[1]);
        if (out->rest_speed < 1e-9) {
            out->steps++;
            break;
        }
    }
    out->iterations /= out->steps > 0 ? out->steps : 1;
    out->contacts /= out->steps > 0 ? out->steps : 1;
}

// The maximal-dissipation path of the centre, for the plot: equal steps in w as above.
static void add_reference(const Case* c, Text* path, int index)
{
    double r = pow(c->mu[1] / c->mu[0], 2.0), stop[2], left[2] = {0.0, 0.0};
    stop_point(c, stop);
    const int n = 400;
    double p = fmax(1.0, 2.0 / r);
    for (int k = 0; k < n; k++) { // from rest backwards
        double w = (k + 0.5) / n;
        double vx = c->v0[0] * pow(w, p), vy = c->v0[1] * pow(w, p * r);
        double dvx = c->v0[0] * p * pow(w, p - 1.0) / n;
        double rate = hypot(c->mu[0] * vx, c->mu[1] * vy) / (GRAVITY * c->mu[0] * c->mu[0]) * dvx;
        left[0] += rate;
        left[1] += rate * vy / vx;
        text_add(path, "%d,0,%.9g,%.9g\n", 100 + index, stop[0] - left[0], stop[1] - left[1]);
    }
    text_add(path, "\n\n");
}

static int run_case(int index, double time_step, const PaperOptions* options, Text* path,
                    PaperResult* result, double* stop_error)
{
    const Case* c = &cases[index];
    char text[4][96];
    snprintf(text[0], sizeof text[0], "planes.floor.friction=[%.17g, %.17g]", c->mu[0], c->mu[1]);
    snprintf(text[1], sizeof text[1], "bodies.box.velocity=[%.17g, %.17g, 0]", c->v0[0], c->v0[1]);
    snprintf(text[2], sizeof text[2], "step.time_step=%.17g", time_step);
    snprintf(text[3], sizeof text[3], "solver.threads=%d", options->threads);
    const char* override[] = {text[0], text[1], text[2], text[3]};
    CondModel* model = NULL;
    CondState* state = NULL;
    CondSim* sim = NULL;
    CondError error;
    int code = paper_load("anisotropic", 4, override, &model);
    if (code != CLI_FINE)
        return code;
    CondStatus status = cond_state_create(model, &state, &error);
    if (!status)
        status = cond_sim_create(model, &sim, &error);
    if (status) {
        cli_complain("%s", error.message);
    } else {
        Slide slide = {0};
        double exact[2], speed = hypot(c->v0[0], c->v0[1]);
        double longest = 1.5 * speed / (GRAVITY * fmin(c->mu[0], c->mu[1]));
        int max_steps = options->steps > 0 ? options->steps : (int)(longest / time_step) + 10;
        stop_point(c, exact);
        follow(c, model, sim, state, max_steps, &slide, path, index);
        *stop_error = 100.0 * hypot(slide.stop[0] - exact[0], slide.stop[1] - exact[1]) /
                      hypot(exact[0], exact[1]);
        char label[96];
        snprintf(label, sizeof label, "mu (%g, %g) v0 (%g, %g) %g ms", c->mu[0], c->mu[1], c->v0[0],
                 c->v0[1], 1e3 * time_step);
        json_array_append_new(
            result->rows,
            json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "label", label,
                      "time_step", json_number(time_step), "x_m", json_number(slide.stop[0]), "y_m",
                      json_number(slide.stop[1]), "mdp_x_m", json_number(exact[0]), "mdp_y_m",
                      json_number(exact[1]), "stop_error_percent", json_number(*stop_error),
                      "invariant_drift_percent", json_number(100.0 * slide.drift), "rest_speed",
                      json_number(slide.rest_speed), "iterations", json_number(slide.iterations),
                      "residual", json_number(slide.residual)));
        result->status = paper_worst(result->status, slide.status);
        if (!result->settings)
            result->settings =
                paper_settings(options, model, slide.steps, 1, slide.contacts, "default");
    }
    cond_sim_destroy(sim);
    cond_state_destroy(state);
    cond_model_destroy(model);
    return cli_exit(status);
}

static const PaperColumn columns[] = {
    {"label", "friction, start, step", NULL},
    {"x_m", "x stop m", "%.5f"},
    {"mdp_x_m", "exact m", "%.5f"},
    {"y_m", "y stop m", "%.5f"},
    {"mdp_y_m", "exact m", "%.5f"},
    {"stop_error_percent", "error %", "%.4f"},
    {"invariant_drift_percent", "invariant %", "%.3f"},
    {"residual", "certificate", "%.1e"},
};

static const PaperPlot plots[] = {
    {"anisotropic", "Anisotropic friction: path of the box, and maximal dissipation (dots)",
     "set xlabel 'x [m]'\nset ylabel 'y [m]'\nset key outside right\n"
     "plot for [i=0:5] data index i using ($1==i?$3:1/0):4 with lines lw 2 "
     "title word('(0.2,0.4) (0.4,0.2) (0.1,0.3) (0.3,0.3) (0.5,0.2) (0.25,0.35)', i+1), "
     "for [i=0:5] data index i using ($1==100+i?$3:1/0):4 every 20 with points pt 7 ps 0.4 "
     "lc rgb 'black' notitle"},
};

static int run(const PaperOptions* options, PaperResult* result)
{
    Text path = {0};
    int code = CLI_FINE;
    result->rows = json_array();
    result->paper = json_array();
    for (int i = 0; i < N_CASE && code == CLI_FINE; i++) {
        for (int k = 0; k < N_TIME_STEP && code == CLI_FINE; k++) {
            double error = 0.0;
            int last = k + 1 == N_TIME_STEP;
            code = run_case(i, time_steps[k], options, last ? &path : NULL, result, &error);
        }
        add_reference(&cases[i], &path, i);
    }
    result->csv = path.data;
    result->remarks =
        "Stop points of the box against the maximal-dissipation solution, for three step lengths;\n"
        "`invariant` is the largest relative change of vy / vx^(mu2^2/mu1^2) while both "
        "components\n"
        "are above a tenth of their start. The paper shows this experiment as a figure only.";
    result->column = columns;
    result->n_column = sizeof columns / sizeof columns[0];
    result->plot = plots;
    result->n_plot = sizeof plots / sizeof plots[0];
    return code;
}

const Experiment paper_anisotropic = {
    "anisotropic", "Anisotropic friction: sliding box against maximal dissipation", run};
