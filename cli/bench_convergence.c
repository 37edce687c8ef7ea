// Certificate against products with A and against time: every solver on the same problems, taken
// from the running scenes, from the same start; and contact-free conjugate gradients on the same A
// as the yardstick.
#include "bench_convergence.h"

#include "bench_stage.h"
#include "memory.h"
#include "solvers.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double CURVE_FROM = 1e-1, CURVE_TO = 1e-8; // tolerances of the curves
static const double SHORT_SOLVE = 0.1;                  // [s]; such times are the middle of three
enum {
    MAX_ITERATIONS = 5000, // of all but the default solver: a row, not a wait
    MAX_VARIANT = 48,
    YARDSTICK_PRODUCTS = 20000,
};

// One solver with its settings.
typedef struct Variant {
    char name[64];
    const char* solver;
    CondSolverSettings settings;
    int by_step; // 1: stops by step length; tolerances of it are tried until the certificate holds
} Variant;

typedef struct Convergence {
    const BenchOptions* options;
    double tolerance;
    json_t *rows, *yardstick, *summary, *curves;
    int missed; // 1: the default solver missed the tolerance somewhere
} Convergence;

// What one solve gave.
typedef struct Answer {
    int products, passes;
    double seconds;
    CondCertificate certificate;
} Answer;

// Names of a list of MAX_VARIANT places, the rest of which are empty.
static const char* variant_name(const void* list, int i)
{
    const Variant* variant = list;
    return i < MAX_VARIANT && variant[i].name[0] ? variant[i].name : NULL;
}

static int add_variant(Variant* list, int n, const char* name, const char* solver,
                       const CondSolverSettings* settings, int by_step)
{
    CondError error;
    if (n == MAX_VARIANT || cond_solver_settings_check(settings, &error))
        return n;
    for (int i = 0; i < n; i++)
        if (strcmp(list[i].name, name) == 0)
            return n;
    snprintf(list[n].name, sizeof list[n].name, "%s", name);
    list[n].solver = solver;
    list[n].settings = *settings;
    list[n].by_step = by_step;
    return n + 1;
}

// V-FPI with one surrogate and one accelerator, and nothing to fall back on.
static int add_pair(Variant* list, int n, CondSolverSettings settings, int surrogate,
                    int accelerator)
{
    char name[64];
    settings.surrogate = (CondSurrogateKind)surrogate;
    settings.accelerator = (CondAcceleratorKind)accelerator;
    settings.fallback = 0;
    snprintf(name, sizeof name, "%s+%s", cond_surrogate_name(settings.surrogate),
             cond_accelerator_name(settings.accelerator));
    return add_variant(list, n, name, "strategy", &settings, 0);
}

// The solvers of the comparison: the scene's own, the paper's, each accelerator with the default
// surrogate, each surrogate with Anderson's method (without any where that is refused), and those
// of libcond_baselines that are built in.
static int list_variants(const CondModel* model, Variant* list)
{
    static const char* const baselines[] = {"pgs", "apgd", "ccs"};
    CondSolverSettings own = cond_model_settings(model)->solver, paper, base;
    int n = add_variant(list, 0, "default", "strategy", &own, 0);
    paper = cond_solver_settings_paper();
    paper.law = own.law;
    paper.omega = own.omega;
    paper.threads = own.threads;
    paper.max_iterations = MAX_ITERATIONS;
    n = add_variant(list, n, "paper", "strategy", &paper, 1);
    base = own;
    base.max_iterations = MAX_ITERATIONS;
    for (int a = 0; cond_accelerator_name((CondAcceleratorKind)a); a++)
        n = add_pair(list, n, base, (int)own.surrogate, a);
    for (int s = 0; cond_surrogate_name((CondSurrogateKind)s); s++) {
        int before = n;
        n = add_pair(list, n, base, s, COND_ACCELERATOR_ANDERSON);
        if (n == before && s != (int)own.surrogate)
            n = add_pair(list, n, base, s, COND_ACCELERATOR_NONE);
    }
    for (size_t i = 0; i < sizeof baselines / sizeof baselines[0]; i++)
        for (int k = 0; solvers_name(k); k++)
            if (strcmp(solvers_name(k), baselines[i]) == 0) {
                CondSolverSettings settings = base;
                if (strcmp(baselines[i], "apgd") == 0) // it solves the convex law
                    settings.law = COND_LAW_PROXIMAL;
                n = add_variant(list, n, baselines[i], solvers_name(k), &settings, 0);
            }
    return n;
}

static double middle_of(double a, double b, double c)
{
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

// Solves from the stage's start to a tolerance. 0, or an exit code after a message; a solve that
// failed leaves an infinite certificate.
static int attempt(const Variant* variant, const BenchStage* stage, double tolerance,
                   Answer* answer)
{
    const CondProblem* problem = stage->problem_of_step;
    size_t n = (size_t)problem->n_dof, nc3 = 3 * (size_t)problem->n_contact;
    CondSolverSettings settings = variant->settings;
    CondSolver* solver = NULL;
    CondSolveInfo info;
    CondError error;
    double *v = malloc((n + nc3 + 1) * sizeof *v), *lambda = v ? v + n : NULL, seconds[3];
    int times = 1;
    settings.tolerance = tolerance;
    CondStatus status =
        v ? solvers_create(variant->solver, &settings, &solver, &error) : COND_OUT_OF_MEMORY;
    if (status) {
        cli_complain("%s: %s", variant->name, v ? error.message : "out of memory");
        free(v);
        return CLI_INPUT;
    }
    for (int k = 0; k < times; k++) {
        memcpy(v, stage->v, n * sizeof *v);
        if (nc3 > 0)
            memcpy(lambda, stage->lambda, nc3 * sizeof *lambda);
        cond_solver_reset(solver);
        status = cond_solver_solve(solver, problem, v, lambda, &info);
        seconds[k] = info.seconds;
        if (k == 0 && status >= 0 && info.seconds < SHORT_SOLVE)
            times = 3;
    }
    *answer = (Answer){.products = info.products,
                       .passes = info.passes,
                       .seconds =
                           times == 3 ? middle_of(seconds[0], seconds[1], seconds[2]) : seconds[0]};
    CondStatus judged = cond_certify(memory_context(), problem, settings.law, settings.omega, v,
                                     lambda, &answer->certificate);
    if (judged || status < 0)
        answer->certificate = (CondCertificate){.dynamics = INFINITY, .contact = INFINITY};
    cond_solver_destroy(solver);
    free(v);
    return CLI_FINE;
}

static double residual_of(const Answer* answer)
{
    return cond_certificate_residual(&answer->certificate);
}

static void add_point(json_t* points, const Answer* answer)
{
    if (isfinite(residual_of(answer)))
        json_array_append_new(points, json_pack("{s:i, s:o, s:o}", "products", answer->products,
                                                "seconds", json_number(answer->seconds), "residual",
                                                json_number(residual_of(answer))));
}

// The row of one solver: the first answer that reaches the tolerance, else the last one. With a
// report there are more tolerances, for the curve.
static int run_variant(const Convergence* run, const Variant* variant, const BenchStage* stage,
                       Answer* row, json_t* points)
{
    int reached = 0, code = CLI_FINE, curve = run->options->out != NULL;
    double last = curve ? fmin(CURVE_TO, run->tolerance) : run->tolerance;
    double tolerance = curve ? CURVE_FROM : run->tolerance;
    if (variant->by_step) { // thresholds are no certificates: all of them are tried
        tolerance = 1e-2;
        last = 1e-14;
    }
    row->certificate.dynamics = INFINITY;
    for (; tolerance >= 0.99 * last && code == CLI_FINE; tolerance *= 0.1) {
        Answer answer;
        // The tolerance asked for is among those of the curve.
        if (!variant->by_step && !reached && tolerance < run->tolerance)
            tolerance = run->tolerance;
        code = attempt(variant, stage, tolerance, &answer);
        if (code != CLI_FINE)
            break;
        add_point(points, &answer);
        int right = variant->by_step || tolerance <= run->tolerance;
        if (!reached)
            *row = answer;
        if (residual_of(&answer) <= run->tolerance && right)
            reached = 1;
        if (!isfinite(residual_of(&answer)) ||
            (!variant->by_step && residual_of(&answer) > tolerance) ||
            (variant->by_step && reached && (!curve || residual_of(&answer) <= CURVE_TO)))
            break; // no further
    }
    return code;
}

// Products that conjugate gradients need without contact, and their curve.
static int run_yardstick(Convergence* run, const BenchStage* stage, json_t* points, int* products)
{
    const CondProblem* problem = stage->problem_of_step;
    size_t n = (size_t)problem->n_dof;
    double* v = malloc((n + YARDSTICK_PRODUCTS + 1) * sizeof *v);
    if (!v) {
        cli_complain("out of memory");
        return CLI_INPUT;
    }
    double* history = v + n;
    memcpy(v, stage->v, n * sizeof *v);
    CondStatus status =
        cond_contactless_solve(memory_context(), problem, run->tolerance, YARDSTICK_PRODUCTS,
                               run->options->threads, v, products, history);
    for (int k = 0; k < *products; k++)
        if (isfinite(history[k]) && history[k] > 0.0)
            json_array_append_new(points, json_pack("{s:i, s:n, s:o}", "products", k + 1, "seconds",
                                                    "residual", json_number(history[k])));
    if (status < 0)
        cli_complain("%s: %s: yardstick: %s", stage->scene, stage->problem,
                     cond_status_name(status));
    json_array_append_new(run->yardstick,
                          json_pack("{s:s, s:s, s:o}", "scene", stage->scene, "problem",
                                    stage->problem, "products",
                                    status ? json_null() : json_integer(*products)));
    free(v);
    return CLI_FINE;
}

static void add_curve(Convergence* run, const BenchStage* stage, const char* solver, json_t* points)
{
    json_array_append_new(run->curves,
                          json_pack("{s:s, s:s, s:s, s:o}", "scene", stage->scene, "problem",
                                    stage->problem, "solver", solver, "points", points));
}

static void add_summary(Convergence* run, const BenchStage* stage, int yardstick,
                        const Answer* answer)
{
    const CondProblem* problem = stage->problem_of_step;
    json_array_append_new(run->summary,
                          json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:o, s:o}", "scene",
                                    stage->scene, "problem", stage->problem, "dof", problem->n_dof,
                                    "contacts", problem->n_contact, "yardstick", yardstick,
                                    "products", answer->products, "passes", answer->passes, "ratio",
                                    json_number((double)answer->products / yardstick), "residual",
                                    json_number(residual_of(answer))));
}

static int look(void* data, const BenchStage* stage)
{
    Convergence* run = data;
    Variant* variant = calloc(MAX_VARIANT, sizeof *variant);
    if (!variant) {
        cli_complain("out of memory");
        return CLI_INPUT;
    }
    int n = list_variants(stage->model, variant), yardstick = 0;
    char unknown[64];
    if (run->options->solvers &&
        text_unknown(run->options->solvers, variant_name, variant, unknown, sizeof unknown)) {
        cli_complain("bench: --solvers: none is named '%s' here%s", unknown, solvers_hint(unknown));
        free(variant);
        return CLI_USAGE;
    }
    json_t* points = json_array();
    int code = run_yardstick(run, stage, points, &yardstick);
    add_curve(run, stage, "contact-free CG", points);
    for (int i = 0; i < n && code == CLI_FINE; i++) {
        Answer answer = {0};
        if (run->options->solvers && !text_lists(run->options->solvers, variant[i].name))
            continue;
        points = json_array();
        code = run_variant(run, &variant[i], stage, &answer, points);
        add_curve(run, stage, variant[i].name, points);
        fprintf(stderr, "%-8s %-12s %-24s %6d products %4d Newton %9.2f ms  %.1e\n", stage->scene,
                stage->problem, variant[i].name, answer.products, answer.passes,
                1e3 * answer.seconds, residual_of(&answer));
        json_array_append_new(run->rows,
                              json_pack("{s:s, s:s, s:s, s:i, s:i, s:o, s:o, s:o}", "scene",
                                        stage->scene, "problem", stage->problem, "solver",
                                        variant[i].name, "products", answer.products, "passes",
                                        answer.passes, "seconds", json_number(answer.seconds),
                                        "dynamics", json_number(answer.certificate.dynamics),
                                        "contact", json_number(answer.certificate.contact)));
        if (i == 0) {
            add_summary(run, stage, yardstick, &answer);
            run->missed |= !(residual_of(&answer) <= run->tolerance);
        }
    }
    free(variant);
    return code;
}

static int run(const BenchOptions* options, json_t* result)
{
    Convergence run = {.options = options,
                       .tolerance = options->tolerance,
                       .rows = json_array(),
                       .yardstick = json_array(),
                       .summary = json_array(),
                       .curves = json_array()};
    json_object_set_new(result, "rows", run.rows);
    json_object_set_new(result, "yardstick", run.yardstick);
    json_object_set_new(result, "summary", run.summary);
    json_object_set_new(result, "curves", run.curves);
    json_object_set_new(result, "settings",
                        json_pack("{s:o, s:b, s:i}", "tolerance", json_number(run.tolerance),
                                  "cold", options->cold, "threads", options->threads));
    int code = bench_visit(options, look, &run);
    fputc('\n', stderr);
    if (code == CLI_FINE && options->out)
        code = bench_convergence_report(options, result);
    return code == CLI_FINE && run.missed ? CLI_TOLERANCE : code;
}

static const BenchColumn summary[] = {
    {"scene", "scene", NULL, 10},
    {"problem", "problem", NULL, 12},
    {"dof", "dof", "%.0f", 8},
    {"contacts", "contacts", "%.0f", 10},
    {"yardstick", "yardstick", "%.0f", 11},
    {"products", "default", "%.0f", 10},
    {"passes", "Newton", "%.0f", 8},
    {"ratio", "ratio", "%.2f", 8},
    {"residual", "residual", "%.1e", 10},
};

const Benchmark bench_convergence = {
    "convergence",
    "certificate against products with A and time, all solvers on the same problems",
    {{"summary", summary, sizeof summary / sizeof summary[0]}},
    run};
