// cond solve: one contact problem from a file, by one solver or by all of them.
#include "cli.h"
#include "interrupt.h"
#include "json.h"
#include "memory.h"
#include "settings.h"
#include "solvers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct SolveOptions {
    const char* problem;
    const char* solver;
    const char* law;
    const char* surrogate;
    const char* accelerator;
    const char* multilevel;
    const char* storage;
    const char* device;
    const char* stop;
    const char* preset;
    const char* write;
    const char* layout;
    const char* json;
    double certify;  // largest residual that is fine after a step-length stop
    int first, last; // the solvers of the table that are asked for
    CondFclibLayout file_layout;
    CondSolverSettings settings;
} SolveOptions;

typedef struct Answer {
    const char* solver;
    CondSolveInfo info;
    double contact_residual;
    double* v;      //                                                        (n_dof)
    double* lambda; //                                                        (n_contact x 3)
    double* u;      // Jc v + phi                                             (n_contact x 3)
} Answer;

// What all answers are held against.
typedef struct Measure {
    double q_norm;      // |q|, q = Jc A^-1 b + phi                              [m/s]
    double* compliance; // slip of virtual nodes per force, where kv is finite   (n_contact)
    int virtual_nodes;
} Measure;

static const char* preset_name(int index)
{
    static const char* const names[] = {"default", "paper"};
    return index < 2 ? names[index] : NULL;
}

static const char* layout_name(int index)
{
    static const char* const names[] = {"triplet", "columns", "rows"};
    return index < 3 ? names[index] : NULL;
}

// The solvers by name, and after the last one "all".
static const char* solver_choice(int index)
{
    const char* name = solvers_name(index);
    return name || index == 0 || !solvers_name(index - 1) ? name : "all";
}

static int read_words(int argc, char** argv, SolveOptions* o, int* n_positional)
{
    CondSolverSettings* s = &o->settings;
    const Option option[] = {
        {"--solver", OPTION_TEXT(&o->solver), "NAME",
         "a solver by name, or all (default: strategy)"},
        {"--preset", OPTION_TEXT(&o->preset), "NAME",
         "settings that other options change: default or paper"},
        {"--law", OPTION_TEXT(&o->law), "NAME", "contact law: strict or proximal"},
        {"--omega", OPTION_NUMBER(&s->omega, 0.0, DBL_MAX), "X",
         "regularisation of the law [m/(N s)]"},
        {"--surrogate", OPTION_TEXT(&o->surrogate), "NAME", "approximation of the inverse of A"},
        {"--accelerator", OPTION_TEXT(&o->accelerator), "NAME",
         "acceleration: none, chebyshev, anderson or newton"},
        {"--multilevel", OPTION_TEXT(&o->multilevel), "NAME",
         "coarse-level correction in Newton steps: auto, on or off"},
        {"--device", OPTION_TEXT(&o->device), "NAME",
         "machine of the inner iterations of soft bodies: cpu, cuda, auto"},
        {"--storage", OPTION_TEXT(&o->storage), "NAME",
         "precision of soft bodies' matrices: auto, double or float"},
        {"--stop", OPTION_TEXT(&o->stop), "NAME", "stop test: certificate or step"},
        {"--tol", OPTION_POSITIVE(&s->tolerance), "X",
         "tolerance of the stop test (default: 1e-8)"},
        {"--certify", OPTION_POSITIVE(&o->certify), "X",
         "certificate that --stop step must reach (default: 1e-6)"},
        {"--max-iterations", OPTION_INT(&s->max_iterations, 1, INT_MAX), "N",
         "limit of iterations (default: 20000)"},
        {"--threads", OPTION_INT(&s->threads, 0, CLI_MOST_THREADS), "N",
         "number of threads; 0: one per processor (default)"},
        {"--write", OPTION_TEXT(&o->write), "FILE",
         "write the problem with its best solution, in FCLib's format"},
        {"--layout", OPTION_TEXT(&o->layout), "NAME",
         "storage of matrices for --write: triplet, columns or rows"},
        {"--json", OPTION_TEXT(&o->json), "FILE", "write the results as JSON; -: standard output"},
    };
    *n_positional = 0;
    return options_read(&cli_solve, option, sizeof option / sizeof option[0], argc, argv,
                        &o->problem, 1, n_positional);
}

// Puts the value that `text` names into *value, which is an enum of the library.
#define CHOOSE(option, text, name, value)                                                          \
    do {                                                                                           \
        int chosen = (text) ? cli_enum(option, text, name) : (int)(value);                         \
        if (chosen < 0)                                                                            \
            return CLI_USAGE;                                                                      \
        (value) = chosen;                                                                          \
    } while (0)

static int read_options(int argc, char** argv, SolveOptions* o, int* helped)
{
    int n_positional;
    memset(o, 0, sizeof *o);
    o->certify = 1e-6;
    int wrong = read_words(argc, argv, o, &n_positional);
    *helped = n_positional < 0;
    if (wrong)
        return *helped ? CLI_FINE : CLI_USAGE;
    if (n_positional != 1) {
        cli_complain("solve: no problem given; usage: cond %s", cli_solve.usage);
        return CLI_USAGE;
    }
    int preset = 0, choice = 0;
    CHOOSE("--preset", o->preset, preset_name, preset);
    o->settings = preset == 1 ? cond_solver_settings_paper() : cond_solver_settings_default();
    // Once more, because numbers go straight into the settings and must come after the preset.
    read_words(argc, argv, o, &n_positional);
    CHOOSE("--law", o->law, cli_law_name, o->settings.law);
    CHOOSE("--surrogate", o->surrogate, cli_surrogate_name, o->settings.surrogate);
    CHOOSE("--accelerator", o->accelerator, cli_accelerator_name, o->settings.accelerator);
    CHOOSE("--multilevel", o->multilevel, cli_multilevel_name, o->settings.multilevel);
    CHOOSE("--storage", o->storage, cli_storage_name, o->settings.storage);
    CHOOSE("--device", o->device, cli_device_name, o->settings.device);
    CHOOSE("--stop", o->stop, cli_stop_name, o->settings.stop);
    CHOOSE("--layout", o->layout, layout_name, o->file_layout);
    if (o->solver && *solvers_hint(o->solver)) {
        cli_complain("--solver %s: not in this build%s", o->solver, solvers_hint(o->solver));
        return CLI_USAGE;
    }
    CHOOSE("--solver", o->solver, solver_choice, choice);
    o->first = solvers_name(choice) ? choice : 0;
    o->last = solvers_name(choice) ? choice : choice - 1;
    CondError error;
    if (cond_solver_settings_check(&o->settings, &error)) {
        cli_complain("solve: %s", error.message);
        return CLI_USAGE;
    }
    return CLI_FINE;
}

static void* zeros(int n, size_t size)
{
    return calloc((size_t)n + 1, size); // one more, so that none is no special case
}

// |q| with q = Jc A^-1 b + phi: A^-1 b is the answer of the same problem without its contacts.
static CondStatus free_velocity_norm(const CondProblem* problem, int threads, double* norm)
{
    CondProblem free_problem = *problem;
    CondSolverSettings settings = cond_solver_settings_default();
    CondSolver* solver = NULL;
    CondSolveInfo info;
    double none[3] = {0.0}, sum = 0.0;
    double* v = zeros(problem->n_dof, sizeof *v);
    free_problem.n_contact = 0;
    settings.tolerance = 1e-12;
    settings.threads = threads;
    CondStatus status = COND_OUT_OF_MEMORY;
    if (v)
        status =
            cond_solver_create(memory_context(), cond_solver_name(0), &settings, &solver, NULL);
    if (status == COND_OK)
        status = cond_solver_solve(solver, &free_problem, v, none, &info);
    if (status == COND_NOT_CONVERGED) {
        cli_complain("warning: the velocity without contacts is known to %.1e only, "
                     "and so is the scale of contact_residual",
                     cond_certificate_residual(&info.certificate));
        status = COND_OK;
    }
    for (int c = 0; status == COND_OK && c < problem->n_contact; c++) {
        double q[3];
        cond_contact_velocity(&problem->contact[c], v, q);
        sum += q[0] * q[0] + q[1] * q[1] + q[2] * q[2];
    }
    *norm = sqrt(sum);
    cond_solver_destroy(solver);
    free(v);
    return status;
}

static CondStatus measure_make(const CondProblem* problem, int threads, Measure* measure)
{
    CondStatus status = COND_OUT_OF_MEMORY;
    int* sides = zeros(problem->n_contact, sizeof *sides);
    measure->compliance = zeros(problem->n_contact, sizeof *measure->compliance);
    if (sides && measure->compliance)
        status = cond_problem_virtual_sides(memory_context(), problem, sides);
    for (int c = 0; status == COND_OK && c < problem->n_contact; c++) {
        double kv = problem->contact[c].kv;
        measure->compliance[c] = isfinite(kv) ? sides[c] / kv : 0.0;
        measure->virtual_nodes += sides[c];
    }
    free(sides);
    return status ? status : free_velocity_norm(problem, threads, &measure->q_norm);
}

// |r - P(r - u_hat)| / |q| over all contacts, with P the nearest point of the friction cone,
//   u_hat = u + omega r + |u_t|_mu n  for the strict law, the last term left out for the proximal;
// of an interval of forces the clip, with its compliance in the place of omega.
// Where kv is finite the law holds at the virtual node, whose slip belongs to u.
static double contact_residual(const CondProblem* problem, const CondSolverSettings* settings,
                               const Measure* measure, const Answer* answer)
{
    double sum = 0.0;
    for (int c = 0; c < problem->n_contact; c++) {
        const CondContact* contact = &problem->contact[c];
        const double *mu = contact->friction, *r = answer->lambda + 3 * c;
        int interval = contact->set == COND_FORCE_INTERVAL;
        double u_hat[3], trial[3], nearest[3];
        double slip = interval ? contact->compliance : settings->omega;
        for (int i = 0; i < 3; i++)
            u_hat[i] = answer->u[3 * c + i] + (slip + measure->compliance[c]) * r[i];
        if (settings->law == COND_LAW_STRICT)
            u_hat[0] += hypot(mu[0] * u_hat[1], mu[1] * u_hat[2]);
        for (int i = 0; i < 3; i++)
            trial[i] = r[i] - u_hat[i];
        if (interval)
            cond_interval_project(contact->bound, trial, nearest);
        else
            cond_law_project(COND_LAW_PROXIMAL, mu, trial, nearest);
        for (int i = 0; i < 3; i++)
            sum += (r[i] - nearest[i]) * (r[i] - nearest[i]);
    }
    return sum == 0.0 ? 0.0 : sqrt(sum) / measure->q_norm;
}

static CondStatus answer_make(const CondProblem* problem, const CondSolverSettings* settings,
                              const Measure* measure, Answer* answer)
{
    CondSolver* solver = NULL;
    CondStatus status = COND_OUT_OF_MEMORY;
    answer->v = zeros(problem->n_dof, sizeof *answer->v);
    answer->lambda = zeros(3 * problem->n_contact, sizeof *answer->lambda);
    answer->u = zeros(3 * problem->n_contact, sizeof *answer->u);
    if (answer->v && answer->lambda && answer->u)
        status = solvers_create(answer->solver, settings, &solver, NULL);
    if (status == COND_OK)
        status = cond_solver_solve(solver, problem, answer->v, answer->lambda, &answer->info);
    cond_solver_destroy(solver);
    if (status < 0 && status != COND_DIVERGED)
        return status;
    for (int c = 0; c < problem->n_contact; c++)
        cond_contact_velocity(&problem->contact[c], answer->v, answer->u + 3 * c);
    answer->contact_residual = contact_residual(problem, settings, measure, answer);
    return COND_OK;
}

// The exit code an answer earns. Whatever the stop test was, it is never 0 unless the certificate
// agrees.
static int answer_judge(const SolveOptions* o, const Answer* answer)
{
    if (answer->info.status != COND_OK)
        return cli_exit(answer->info.status);
    double residual = cond_certificate_residual(&answer->info.certificate);
    double bound = o->settings.stop == COND_STOP_STEP ? o->certify : o->settings.tolerance;
    if (residual <= bound)
        return CLI_FINE;
    cli_complain("warning: %s passed the %s test, but its certificate says %.2e, above %g",
                 answer->solver, cond_stop_name(o->settings.stop), residual, bound);
    return CLI_TOLERANCE;
}

// Contacts whose force lies in an interval.
static int count_intervals(const CondProblem* problem)
{
    int count = 0;
    for (int c = 0; c < problem->n_contact; c++)
        count += problem->contact[c].set == COND_FORCE_INTERVAL;
    return count;
}

static void print_problem(const SolveOptions* o, const CondProblemFile* file,
                          const Measure* measure)
{
    const CondProblem* problem = cond_problem_file_problem(file);
    const char* title = cond_problem_file_title(file);
    fprintf(stderr, "%s: %s problem, coordinates: %d, contacts: %d, virtual nodes: %d", o->problem,
            cond_problem_file_local(file) ? "local" : "global", problem->n_dof, problem->n_contact,
            measure->virtual_nodes);
    if (count_intervals(problem) > 0)
        fprintf(stderr, ", intervals: %d", count_intervals(problem));
    if (title[0])
        fprintf(stderr, ", \"%.*s\"", (int)strcspn(title, "\r\n"), title);
    // The certificate is what the tolerance bounds; the natural map is what others print.
    char bound[40];
    snprintf(bound, sizeof bound, "certificate, at most %g",
             o->settings.stop == COND_STOP_STEP ? o->certify : o->settings.tolerance);
    fprintf(stderr, "\n%-16s %-14s %10s %9s %6s %9s | %-31s | %s\n", "", "", "", "", "", "", bound,
            "to compare");
    fprintf(stderr, "%-16s %-14s %10s %9s %6s %9s | %9s %9s %11s | %11s\n", "solver", "status",
            "iterations", "products", "outer", "seconds", "dynamics", "contact", "the larger",
            "natural map");
}

static void print_answer(const Answer* answer)
{
    const CondSolveInfo* info = &answer->info;
    fprintf(stderr, "%-16s %-14s %10d %9d %6d %9.2e | %9.2e %9.2e %11.2e | %11.2e\n",
            answer->solver, cond_status_name(info->status), info->iterations, info->products,
            info->outer, info->seconds, info->certificate.dynamics, info->certificate.contact,
            cond_certificate_residual(&info->certificate), answer->contact_residual);
}

static json_t* certificate_json(const CondCertificate* certificate)
{
    json_t* out = json_object();
    json_object_set_new(out, "dynamics", json_number(certificate->dynamics));
    json_object_set_new(out, "contact", json_number(certificate->contact));
    json_object_set_new(out, "contact_speed", json_number(certificate->contact_speed));
    json_object_set_new(out, "velocity_scale", json_number(certificate->velocity_scale));
    json_object_set_new(out, "penetration", json_number(certificate->penetration));
    json_object_set_new(out, "pull", json_number(certificate->pull));
    json_object_set_new(out, "cone", json_number(certificate->cone));
    json_object_set_new(out, "complementarity", json_number(certificate->complementarity));
    json_object_set_new(out, "angle", json_number(certificate->angle));
    json_object_set_new(out, "coupling_slip", json_number(certificate->coupling_slip));
    json_object_set_new(out, "worst_contact", json_integer(certificate->worst_contact));
    return out;
}

static json_t* answer_json(const CondProblem* problem, const Answer* answer)
{
    const CondSolveInfo* info = &answer->info;
    json_t* out = json_object();
    json_object_set_new(out, "solver", json_string(answer->solver));
    json_object_set_new(out, "status", json_string(cond_status_name(info->status)));
    json_object_set_new(out, "iterations", json_integer(info->iterations));
    json_object_set_new(out, "outer", json_integer(info->outer));
    json_object_set_new(out, "products", json_integer(info->products));
    json_object_set_new(out, "restarts", json_integer(info->restarts));
    json_object_set_new(out, "passes", json_integer(info->passes));
    json_object_set_new(out, "rung", json_string(cond_solved_by_name(info->solved_by)));
    json_object_set_new(out, "relaxed", json_integer(info->relaxed));
    json_object_set_new(out, "relaxed_residual", json_number(info->relaxed_residual));
    json_object_set_new(out, "virtual_nodes", json_integer(info->virtual_nodes));
    json_object_set_new(out, "step_length", json_number(info->step_length));
    json_object_set_new(out, "seconds", json_number(info->seconds));
    json_object_set_new(out, "delassus_seconds", json_number(info->delassus_seconds));
    json_object_set_new(out, "dynamics_residual", json_number(info->certificate.dynamics));
    json_object_set_new(out, "contact_residual", json_number(answer->contact_residual));
    json_object_set_new(out, "certificate", certificate_json(&info->certificate));
    json_object_set_new(out, "u", json_numbers(answer->u, 3 * problem->n_contact));
    json_object_set_new(out, "v", json_numbers(answer->v, problem->n_dof));
    json_object_set_new(out, "lambda", json_numbers(answer->lambda, 3 * problem->n_contact));
    return out;
}

static int write_json(const SolveOptions* o, const CondProblemFile* file, const Answer* answer,
                      int n_answer)
{
    const CondProblem* problem = cond_problem_file_problem(file);
    json_t* out = json_object();
    json_t* settings = settings_json(&o->settings);
    json_t* results = json_array();
    json_object_set_new(settings, "preset", json_string(o->preset ? o->preset : "default"));
    json_object_set_new(settings, "certify", json_number(o->certify));
    for (int i = 0; i < n_answer; i++)
        json_array_append_new(results, answer_json(problem, &answer[i]));
    json_object_set_new(out, "problem", json_text(o->problem));
    json_object_set_new(out, "title", json_text(cond_problem_file_title(file)));
    json_object_set_new(out, "dof", json_integer(problem->n_dof));
    json_object_set_new(out, "contacts", json_integer(problem->n_contact));
    json_object_set_new(out, "intervals", json_integer(count_intervals(problem)));
    json_object_set_new(out, "law", json_string(cond_law_name(o->settings.law)));
    json_object_set_new(out, "settings", settings);
    json_object_set_new(out, "machine", json_machine(o->settings.threads));
    json_object_set_new(out, "results", results);
    return json_put(out, o->json) ? CLI_INPUT : CLI_FINE;
}

// Writes the problem with the answer whose certificate is best.
static int write_problem(const SolveOptions* o, const CondProblemFile* file, const Answer* answer,
                         int n_answer)
{
    const Answer* best = &answer[0];
    for (int i = 1; i < n_answer; i++)
        if (cond_certificate_residual(&answer[i].info.certificate) <
            cond_certificate_residual(&best->info.certificate))
            best = &answer[i];
    CondError error = {0};
    if (cond_fclib_write(memory_context(), o->write, cond_problem_file_problem(file),
                         o->file_layout, cond_problem_file_title(file), best->v, best->lambda,
                         &error)) {
        cli_complain("%s", error.message);
        return CLI_INPUT;
    }
    return CLI_FINE;
}

static int worse(int a, int b)
{
    return a > b ? a : b;
}

// Solves with every solver asked for; answer (last - first + 1).
static int solve_all(const SolveOptions* o, const CondProblemFile* file, Answer* answer)
{
    const CondProblem* problem = cond_problem_file_problem(file);
    int n_answer = o->last - o->first + 1, n_whole = 0, code = CLI_FINE;
    Measure measure = {0};
    interrupt_keep(0.0);
    CondStatus status = measure_make(problem, o->settings.threads, &measure);
    if (status == COND_OK)
        print_problem(o, file, &measure);
    for (int i = 0; status == COND_OK && i < n_answer; i++) {
        answer[i].solver = solvers_name(o->first + i);
        status = answer_make(problem, &o->settings, &measure, &answer[i]);
        if (status == COND_OK) {
            n_whole++;
            print_answer(&answer[i]);
            code = worse(code, answer_judge(o, &answer[i]));
        }
    }
    free(measure.compliance);
    if (status == COND_CANCELLED) {
        cli_complain("%s: ended by signal %d", o->problem, interrupt_signal());
        n_answer = n_whole;
        if (n_answer == 0)
            return interrupt_code(CLI_CANCELLED);
    } else if (status != COND_OK) {
        cli_complain("%s: %s", o->problem, cond_status_name(status));
        return cli_exit(status);
    }
    if (o->write)
        code = worse(code, write_problem(o, file, answer, n_answer));
    if (o->json)
        code = worse(code, write_json(o, file, answer, n_answer));
    return interrupt_code(code);
}

static int run(int argc, char** argv)
{
    SolveOptions o;
    int helped;
    int code = read_options(argc, argv, &o, &helped);
    if (code != CLI_FINE || helped)
        return code;
    CondError error = {0};
    CondProblemFile* file = NULL;
    CondStatus status = cond_fclib_read(memory_context(), o.problem, &file, &error);
    if (status) {
        cli_complain("%s", error.message);
        return CLI_INPUT;
    }
    status = cond_problem_check(memory_context(), cond_problem_file_problem(file), &error);
    int n_answer = o.last - o.first + 1;
    Answer* answer = zeros(n_answer, sizeof *answer);
    if (status || !answer) {
        cli_complain("%s: %s", o.problem, status ? error.message : "out of memory");
        code = CLI_INPUT;
    } else {
        code = solve_all(&o, file, answer);
    }
    for (int i = 0; answer && i < n_answer; i++) {
        free(answer[i].v);
        free(answer[i].lambda);
        free(answer[i].u);
    }
    free(answer);
    cond_problem_file_destroy(file);
    return code;
}

const Command cli_solve = {
    "solve",
    "solve PROBLEM [options]",
    "Solves one contact problem from an FCLib file and certifies the answer.",
    run,
};
