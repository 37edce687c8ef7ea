// `cond bench motion`: how near motions are to what they should be, at several lengths of a step:
// errors, observed order, energy, certificates, work.
#include "bench_motion.h"

#include "bench.h"
#include "bench_scene.h"
#include "bench_store.h"
#include "interrupt.h"
#include "progress.h"

#include <math.h>
#include <string.h>
#include <time.h>

static const double PI = 3.14159265358979323846;
static const double LONGEST = 1e-2; // the default step, whose results error control reports [s]

static const double LEAST_ERROR = 1e-6; // what is nearer is as near as references are

enum { MOST_STEPS = 16 };

// What a run has left.
typedef struct Outcome {
    double value, error;            // error: relative to the scale of the motion
    double start, peak;             // energy at the start, largest energy of motion [J]
    double given, works;            // so far: what was given, all works that are known [J]
    double gained, lost;            // most above and below start + given [J]
    double numerical, unknown;      // work of the integrator; most that no work says [J]
    double residual, seconds;       // worst certificate; processor time
    long steps, passes, iterations; // work
    long attempts, pieces;          // steps and pieces begun; those that stand
    int missed;                     // steps
    CondStatus status;              //
} Outcome;

// ---- what is read

static int find_body(const CondModel* model, const Motion* motion)
{
    return cond_model_find_body(model, motion->body);
}

// The angle whose changes are summed up, for quantities that go round; 0 for others. Of a robot it
// is that of the ball joint that comes last.
static double angle_of(const CondModel* model, const CondState* state, const Motion* motion)
{
    int n, body = find_body(model, motion);
    CondPose pose = cond_state_pose(model, state, body);
    const double* q = pose.orientation;
    if (motion->quantity == MOTION_AZIMUTH)
        return atan2(pose.position[1], pose.position[0]);
    if (motion->quantity != MOTION_HEADING)
        return 0.0;
    if (cond_model_body_kind(model, body) == COND_BODY_ROBOT) {
        q = cond_state_body_configuration(model, state, body, &n);
        q += n - 4;
    }
    return atan2(2.0 * (q[2] * q[3] - q[0] * q[1]), 2.0 * (q[1] * q[3] + q[0] * q[2]));
}

static double read_value(const CondModel* model, const CondState* state, const Motion* motion,
                         double turned)
{
    int n, body = find_body(model, motion), axis = motion->axis;
    CondPose pose = cond_state_pose(model, state, body);
    const double *q = pose.orientation, *gravity = cond_model_settings(model)->gravity;
    double position = NAN;
    switch (motion->quantity) {
    case MOTION_POSITION:
        return pose.position[axis];
    case MOTION_VELOCITY:
        return pose.velocity[axis];
    case MOTION_SPIN:
        return pose.angular_velocity[axis];
    case MOTION_TILT:
        return atan2(2.0 * (q[1] * q[3] + q[0] * q[2]), 1.0 - 2.0 * (q[1] * q[1] + q[2] * q[2]));
    case MOTION_APEX:
        return pose.position[2] + pose.velocity[2] * pose.velocity[2] / (-2.0 * gravity[2]);
    case MOTION_TIP:
        q = cond_state_body_configuration(model, state, body, &n);
        return q[n - 7 + axis];
    case MOTION_COORDINATE:
        cond_state_coordinate(model, state, body, axis, &position, NULL);
        return position;
    case MOTION_HEADING:
    case MOTION_AZIMUTH:
        break;
    }
    return turned;
}

// ---- runs

static double worst_residual(const CondStepInfo* info)
{
    const CondSolveInfo* solve[] = {&info->solve, &info->impact, &info->correction};
    double worst = 0.0;
    for (int i = 0; i < 3; i++)
        worst = fmax(worst, fmax(solve[i]->certificate.dynamics, solve[i]->certificate.contact));
    return worst;
}

static void add_step(const CondStepInfo* info, Outcome* out)
{
    double energy = info->kinetic_after + info->potential_after;
    if (out->steps++ == 0) {
        out->start = info->kinetic_before + info->potential_before;
        out->peak = info->kinetic_before;
    }
    out->given += info->work_given;
    out->numerical += info->work_numerical;
    out->works += info->work_friction + info->work_impact + info->work_given + info->work_damping +
                  info->work_numerical + info->work_correction;
    out->unknown = fmax(out->unknown, fabs(energy - out->start - out->works));
    out->gained = fmax(out->gained, energy - out->start - out->given);
    out->lost = fmax(out->lost, out->start + out->given - energy);
    out->peak = fmax(out->peak, info->kinetic_after);
    out->residual = fmax(out->residual, worst_residual(info));
    out->passes += info->solve.passes + info->impact.passes + info->correction.passes;
    out->iterations += info->newton_iterations;
    out->attempts += info->attempts;
    out->pieces += info->pieces > 1 ? info->pieces : info->substeps;
    out->missed += info->status != COND_OK;
}

static void run_steps(const CondModel* model, CondSim* sim, CondState* state, const Motion* motion,
                      Outcome* out)
{
    const CondSceneSettings* settings = cond_model_settings(model);
    long n = lround(settings->duration / settings->time_step);
    double before = angle_of(model, state, motion), turned = 0.0;
    clock_t begun = clock();
    for (long k = 0; k < n && !interrupt_signal(); k++) {
        CondStepInfo info;
        out->status = cond_sim_step(sim, state, &info);
        if (out->status < 0) // it has blown up
            break;
        double now = angle_of(model, state, motion);
        turned += remainder(now - before, 2.0 * PI);
        before = now;
        add_step(&info, out);
    }
    out->seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
    out->value = out->status < 0 ? NAN : read_value(model, state, motion, turned);
    out->error = fabs(out->value - motion->reference) / motion->scale;
}

// accuracy: of error control; 0: steps of length t as they are.
static int run_one(const Motion* motion, const char* integrator, double t, double accuracy,
                   int threads, Outcome* out)
{
    char name[96], step[64], rule[64], with[64], error_control[64];
    const char* set[] = {step, rule, with, error_control};
    BenchScene scene;
    *out = (Outcome){.status = COND_OK};
    snprintf(name, sizeof name, "motion/%s", motion->name);
    snprintf(step, sizeof step, "step.time_step=%.17g", t);
    snprintf(rule, sizeof rule, "step.integrator=%s", integrator);
    snprintf(error_control, sizeof error_control, "step.accuracy=%.17g", accuracy);
    snprintf(with, sizeof with, "solver.threads=%d", threads);
    CondStatus status = bench_scene_begin(name, 4, set, &scene);
    if (!status)
        run_steps(scene.model, scene.sim, scene.state, motion, out);
    bench_scene_end(&scene);
    return status ? cli_exit(status) : CLI_FINE;
}

// ---- the tables

static json_t* make_row(const Motion* motion, const char* integrator, double t, double accuracy,
                        const Outcome* out)
{
    double peak = out->peak > 0.0 ? out->peak : 1.0;
    return json_pack("{s:s, s:s, s:o, s:o, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:i, s:I, s:I, "
                     "s:o, s:o, s:o}",
                     "scene", motion->name, "integrator", integrator, "time_step", json_number(t),
                     "accuracy", json_number(accuracy), "attempts", (json_int_t)out->attempts,
                     "pieces", (json_int_t)out->pieces, "steps", (json_int_t)out->steps, "value",
                     json_number(out->value), "error", json_number(out->error), "gained",
                     json_number(out->gained / peak), "lost", json_number(out->lost / peak),
                     "residual", json_number(out->residual), "missed", out->missed, "newton",
                     (json_int_t)out->iterations, "passes", (json_int_t)out->passes, "seconds",
                     json_number(out->seconds), "numerical", json_number(out->numerical / peak),
                     "balance", json_number(out->unknown / peak));
}

// The slope of log error over log step, by least squares over the steps whose errors are errors of
// the motion at all, not of the reference.
static double observed_order(int n, const double* t, const Outcome* out)
{
    double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0, m = 0.0;
    for (int i = 0; i < n; i++) {
        if (!(out[i].error > 1e-9 && out[i].error < 1.0))
            continue;
        double a = log(t[i]), b = log(out[i].error);
        m += 1.0, x += a, y += b, xx += a * a, xy += a * b;
    }
    return m > 1.0 ? (m * xy - x * y) / (m * xx - x * x) : NAN;
}

// A line of the summary: the errors at all steps, and the worst of the rest.
static json_t* make_summary(const Motion* motion, const char* integrator, int n, const double* t,
                            const Outcome* out)
{
    double gained = 0.0, residual = 0.0, seconds = 0.0, balance = 0.0;
    int missed = 0;
    json_t* row = json_pack("{s:s, s:s, s:s}", "scene", motion->name, "integrator", integrator,
                            "from", motion->from);
    for (int i = 0; i < n; i++) {
        char key[32];
        snprintf(key, sizeof key, "error_%gms", 1e3 * t[i]);
        json_object_set_new(row, key, json_number(out[i].error));
        double peak = out[i].peak > 0.0 ? out[i].peak : 1.0;
        gained = fmax(gained, out[i].gained / peak);
        balance = fmax(balance, out[i].unknown / peak);
        residual = fmax(residual, out[i].residual);
        seconds += out[i].seconds;
        missed += out[i].missed;
    }
    json_object_set_new(row, "order", json_number(observed_order(n, t, out)));
    json_object_set_new(row, "smooth", json_integer(motion->smooth));
    json_object_set_new(row, "gained", json_number(gained));
    json_object_set_new(row, "balance", json_number(balance));
    json_object_set_new(row, "residual", json_number(residual));
    json_object_set_new(row, "missed", json_integer(missed));
    json_object_set_new(row, "seconds", json_number(seconds));
    return row;
}

// The lengths of a step in seconds; returns how many, 0 after a message.
static int read_steps(const char* list, double* t)
{
    int n = options_numbers(list, ',', OPTION_KIND_NUMBER, 1e-6, 1e6, MOST_STEPS, t);
    if (n <= 0)
        cli_complain("bench: --time-steps %s: expected lengths in ms, separated by commas", list);
    for (int i = 0; i < n; i++)
        t[i] *= 1e-3;
    return n;
}

static int check_names(const char* list)
{
    for (const char* at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        size_t n = strcspn(at, ",");
        int known = 0;
        for (int i = 0; i < n_motion; i++)
            known |= strlen(motions[i].name) == n && strncmp(at, motions[i].name, n) == 0;
        if (known)
            continue;
        cli_complain("bench: no motion is named '%.*s'; there are:", (int)n, at);
        for (int i = 0; i < n_motion; i++)
            fprintf(stderr, "  %s\n", motions[i].name);
        return CLI_USAGE;
    }
    return CLI_FINE;
}

// What error control has made of the motion, and its work over that of the longest of the n steps
// that is as accurate; NaN where none of them is.
static void add_controlled(int n, const Outcome* fixed, const Outcome* out, json_t* row)
{
    double ratio = NAN;
    for (int i = 0; i < n; i++)
        if (fixed[i].error <= out->error || fixed[i].error < LEAST_ERROR) {
            double now = (double)out->attempts / (double)fixed[i].attempts;
            ratio = ratio > now ? ratio : now; // of the steps that serve the one with least work
        }
    json_object_set_new(row, "error_controlled", json_number(out->error));
    json_object_set_new(row, "work_controlled", json_number((double)out->attempts));
    json_object_set_new(row, "work_ratio", json_number(ratio));
}

static int run_motion(const Motion* motion, const char* integrator, int n, const double* t,
                      const BenchOptions* options, json_t* rows, json_t* summary)
{
    Outcome out[MOST_STEPS + 1];
    int n_run = n + (options->accuracy > 0.0);
    for (int i = 0; i < n_run; i++) {
        double length = i < n ? t[i] : LONGEST, accuracy = i < n ? 0.0 : options->accuracy;
        int code = run_one(motion, integrator, length, accuracy, options->threads, &out[i]);
        if (code != CLI_FINE)
            return code;
        if (interrupt_signal())
            return CLI_FINE;
        json_array_append_new(rows, make_row(motion, integrator, length, accuracy, &out[i]));
    }
    json_t* row = make_summary(motion, integrator, n, t, out);
    if (n_run > n)
        add_controlled(n, out, &out[n], row);
    json_array_append_new(summary, row);
    return CLI_FINE;
}

static const char* const integrators[] = {"auto", "theta", "euler", "midpoint", "variational"};
enum { N_INTEGRATOR = sizeof integrators / sizeof integrators[0] };

static int run(const BenchOptions* options, json_t* result)
{
    double t[MOST_STEPS] = {1e-2, 5e-3, 2e-3, 1e-3};
    json_t *rows = json_array(), *summary = json_array();
    int n = options->time_steps ? read_steps(options->time_steps, t) : options->quick ? 1 : 4;
    int code = n > 0 ? check_names(options->scenes) : CLI_USAGE;
    const char* asked = options->solvers ? options->solvers : "auto";
    json_object_set_new(result, "summary", summary);
    json_object_set_new(result, "rows", rows);
    Progress progress = progress_start("motions");
    for (int k = 0; k < N_INTEGRATOR && code == CLI_FINE; k++)
        for (int i = 0; i < n_motion && code == CLI_FINE && !interrupt_signal(); i++) {
            if (bench_asks(options->scenes, motions[i].name) && bench_asks(asked, integrators[k]))
                code = run_motion(&motions[i], integrators[k], n, t, options, rows, summary);
            progress_update(&progress, i + 1, n_motion);
        }
    progress_end(&progress);
    if (code == CLI_FINE && options->results && json_array_size(rows) > 0 &&
        bench_store_csv(options->results, json_object_get(result, "machine"), rows))
        code = CLI_INPUT;
    return code;
}

static const BenchColumn summary_columns[] = {
    {"scene", "scene", NULL, 20},
    {"error_10ms", "10 ms", "%.1e", 9},
    {"error_5ms", "5 ms", "%.1e", 9},
    {"error_2ms", "2 ms", "%.1e", 9},
    {"error_1ms", "1 ms", "%.1e", 9},
    {"order", "order", "%.1f", 7},
    {"error_controlled", "control", "%.1e", 9},
    {"work_ratio", "work", "%.1f", 7},
    {"gained", "gained/peak", "%.0e", 13},
    {"balance", "balance", "%.0e", 9},
    {"residual", "certificate", "%.0e", 13},
    {"missed", "missed", "%.0f", 8},
    {"seconds", "s", "%.2f", 8},
};
static const BenchColumn row_columns[] = {
    {"scene", "scene", NULL, 20},
    {"time_step", "step, s", "%g", 10},
    {"accuracy", "accuracy", "%g", 10},
    {"attempts", "steps", "%.0f", 9},
    {"value", "value", "%.9g", 16},
    {"error", "error", "%.2e", 11},
    {"gained", "gained", "%.0e", 9},
    {"lost", "lost", "%.0e", 9},
    {"numerical", "numerical", "%.0e", 10},
    {"balance", "balance", "%.0e", 9},
    {"newton", "Newton", "%.0f", 9},
    {"passes", "passes", "%.0f", 9},
    {"residual", "certificate", "%.0e", 13},
    {"missed", "missed", "%.0f", 8},
    {"seconds", "s", "%.2f", 8},
};

const Benchmark bench_motion = {
    "motion",
    "motions against theory and converged runs, at several lengths of a step",
    {{"rows", row_columns, sizeof row_columns / sizeof row_columns[0]},
     {"summary", summary_columns, sizeof summary_columns / sizeof summary_columns[0]}},
    run};
