// Small scenes, step by step on one thread: time, contacts, penetration and certificate of COND
// and, where Python has it, of MuJoCo on the same MJCF files in the same run (scenes/small/).
#define _POSIX_C_SOURCE 200809L
#include "bench.h"
#include "bench_store.h"
#include "interrupt.h"
#include "memory.h"
#include "report.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Of so many steps those from `first` on count.
typedef struct Task {
    const char *name, *file, *integrator; // NULL: the default
    int steps, first;
} Task;

static const Task tasks[] = {
    {"panda theta", "panda", "theta", 1000, 0},
    {"panda", "panda", NULL, 1000, 0},
    {"quadruped", "quadruped", NULL, 600, 100},
    {"humanoid", "humanoid", NULL, 600, 100},
    {"hand12 closes", "hand12", NULL, 100, 0},
    {"hand12 holds", "hand12", NULL, 600, 300},
    {"hand40 closes", "hand40", NULL, 100, 0},
    {"hand40 holds", "hand40", NULL, 600, 300},
    {"peg", "peg", NULL, 800, 0},
    {"boxes", "boxes", NULL, 1000, 0},
    {"spheres", "spheres", NULL, 500, 0},
};
enum { N_TASK = sizeof tasks / sizeof tasks[0], QUICK = 20, LINE = 1024 };

typedef struct Measured {
    double* us; // of each step that counts                                      (n)
    int n, missed;
    double contacts, newton, depth_mm, residual, energy;
} Measured;

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int by_size(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static void scene_path(const Task* task, char* path, size_t size)
{
    char name[64];
    snprintf(name, sizeof name, "scenes/small/%s.xml", task->file);
    cli_share_path(name, path, size);
}

static void take(Measured* out, double seconds, const CondStepInfo* info)
{
    out->us[out->n++] = 1e6 * seconds;
    out->missed += info->status != COND_OK;
    out->contacts += info->n_contact;
    out->newton += info->solve.passes;
    out->depth_mm = fmax(out->depth_mm, 1e3 * info->penetration);
    out->residual = fmax(out->residual, cond_certificate_residual(&info->solve.certificate));
    out->energy = info->kinetic_after + info->potential_after;
}

static CondStatus run_steps(const CondModel* model, int steps, int first, Measured* out,
                            CondError* error)
{
    CondState* state = NULL;
    CondSim* sim = NULL;
    CondStatus status = cond_state_create(model, &state, error);
    if (!status)
        status = cond_sim_create(model, &sim, error);
    for (int k = 0; k < steps && status >= 0 && !interrupt_signal(); k++) {
        CondStepInfo info;
        double begin = seconds_now();
        status = cond_sim_step(sim, state, &info);
        double seconds = seconds_now() - begin;
        if (k >= first && status >= 0)
            take(out, seconds, &info);
    }
    cond_sim_destroy(sim);
    cond_state_destroy(state);
    return status < 0 ? status : COND_OK;
}

static CondStatus measure(const Task* task, const BenchOptions* options, int steps, int first,
                          Measured* out, CondError* error)
{
    char path[1024], tolerance[64], integrator[64];
    const char* set[] = {tolerance, "solver.threads=1", integrator};
    CondScene* scene = NULL;
    CondModel* model = NULL;
    scene_path(task, path, sizeof path);
    snprintf(tolerance, sizeof tolerance, "solver.tolerance=%.17g", options->tolerance);
    snprintf(integrator, sizeof integrator, "step.integrator=%s",
             task->integrator ? task->integrator : "auto");
    CondStatus status = cond_scene_read(memory_context(), path, 3, set, &scene, error);
    if (!status)
        status = cond_scene_compile(scene, &model, error);
    cond_scene_destroy(scene);
    if (!status)
        status = run_steps(model, steps, first, out, error);
    cond_model_destroy(model);
    return status;
}

static json_t* make_row(const Task* task, Measured* m)
{
    double sum = 0.0, n = m->n > 0 ? m->n : 1;
    for (int i = 0; i < m->n; i++)
        sum += m->us[i];
    qsort(m->us, (size_t)m->n, sizeof *m->us, by_size);
    return json_pack("{s:s, s:s, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:o}", "task",
                     task->name, "engine", "COND", "steps", m->n, "us", json_number(sum / n),
                     "median_us", json_number(m->n > 0 ? m->us[m->n / 2] : 0.0), "worst_us",
                     json_number(m->n > 0 ? m->us[m->n - 1] : 0.0), "ratio", json_null(),
                     "contacts", json_number(m->contacts / n), "iterations",
                     json_number(m->newton / n), "depth_mm", json_number(m->depth_mm), "residual",
                     json_number(m->residual), "missed", m->missed, "energy",
                     json_number(m->energy));
}

// ---- MuJoCo, by a Python that has it: scenes/small/time_mujoco.py

// Starts it on one task; NULL where it cannot be started.
static FILE* start_python(const char* task, pid_t* child)
{
    const char *given = getenv("COND_PYTHON"), *python = given ? given : "python3";
    char script[1024];
    int ends[2];
    cli_share_path("scenes/small/time_mujoco.py", script, sizeof script);
    if (pipe(ends) != 0)
        return NULL;
    *child = fork();
    if (*child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execlp(python, python, script, task, (char*)NULL);
        _exit(127);
    }
    close(ends[1]);
    if (*child < 0) {
        close(ends[0]);
        return NULL;
    }
    return fdopen(ends[0], "r");
}

// The line that it prints, as an object; NULL after a message.
static json_t* ask_mujoco(const Task* task, int steps, int first)
{
    char path[1024], what[1200], line[LINE] = "";
    pid_t child = -1;
    int ended = -1;
    scene_path(task, path, sizeof path);
    snprintf(what, sizeof what, "%d:%d:%s", steps, first, path);
    FILE* stream = start_python(what, &child);
    if (stream && !fgets(line, sizeof line, stream))
        line[0] = '\0';
    if (stream)
        fclose(stream);
    if (child > 0)
        waitpid(child, &ended, 0);
    json_t* answer = json_loads(line, 0, NULL);
    const json_t* missing = json_object_get(answer, "missing");
    if (answer && !missing)
        return answer;
    fprintf(stderr, "%s: without MuJoCo: %s\n", task->name,
            missing ? json_string_value(missing)
                    : "python3 did not answer (COND_PYTHON names another)");
    json_decref(answer);
    return NULL;
}

static void add_mujoco(const Task* task, json_t* answer, json_t* rows)
{
    json_t* ours = json_array_get(rows, json_array_size(rows) - 1);
    double us = json_number_value(json_object_get(ours, "median_us"));
    double theirs = json_number_value(json_object_get(answer, "median_us"));
    json_object_set_new(ours, "ratio", json_number(us / theirs));
    json_t* row = json_pack("{s:s, s:s}", "task", task->name, "engine", "MuJoCo");
    static const char* const keys[] = {"steps",    "us",       "median_us",  "worst_us",
                                       "ratio",    "contacts", "iterations", "depth_mm",
                                       "residual", "missed",   "energy"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        json_t* value = json_object_get(answer, keys[k]);
        json_object_set_new(row, keys[k], value ? json_incref(value) : json_null());
    }
    json_array_append_new(rows, row);
    json_decref(answer);
}

static int run_task(const Task* task, const BenchOptions* options, json_t* rows)
{
    int steps = options->steps > 0 ? options->steps : options->quick ? QUICK : task->steps;
    int first = task->first < steps ? task->first : 0;
    Measured out = {.us = malloc((size_t)steps * sizeof(double))};
    CondError error = {COND_OK, ""};
    CondStatus status =
        out.us ? measure(task, options, steps, first, &out, &error) : COND_OUT_OF_MEMORY;
    if (!status && !interrupt_signal())
        json_array_append_new(rows, make_row(task, &out));
    free(out.us);
    if (status) {
        cli_complain("%s: %s %s", task->name, cond_status_name(status), error.message);
        return cli_exit(status);
    }
    int asks = !options->solvers || text_lists(options->solvers, "MuJoCo");
    json_t* answer = asks && !interrupt_signal() ? ask_mujoco(task, steps, first) : NULL;
    if (answer)
        add_mujoco(task, answer, rows);
    return out.missed > 0 ? CLI_TOLERANCE : CLI_FINE;
}

static int run(const BenchOptions* options, json_t* result)
{
    json_t* rows = json_array();
    int code = CLI_FINE;
    json_object_set_new(result, "rows", rows);
    for (int i = 0; i < N_TASK && !interrupt_signal(); i++)
        if (!options->scenes || text_lists(options->scenes, tasks[i].file)) {
            int now = run_task(&tasks[i], options, rows);
            code = now > code ? now : code;
        }
    if (options->results && json_array_size(rows) > 0) {
        char folder[1024];
        snprintf(folder, sizeof folder, "%s/small", options->results);
        if (report_folder(options->results) ||
            bench_store_csv(folder, json_object_get(result, "machine"), rows))
            return CLI_INPUT;
    }
    return code;
}

static const BenchColumn columns[] = {
    {"task", "task", NULL, 16},
    {"engine", "engine", NULL, 8},
    {"steps", "steps", "%.0f", 7},
    {"median_us", "median, us", "%.1f", 12},
    {"us", "mean, us", "%.1f", 11},
    {"worst_us", "worst, us", "%.0f", 11},
    {"ratio", "COND/it", "%.2f", 9},
    {"contacts", "contacts", "%.1f", 10},
    {"iterations", "Newton", "%.1f", 8},
    {"depth_mm", "depth, mm", "%.1e", 11},
    {"residual", "certificate", "%.0e", 13},
    {"missed", "missed", "%.0f", 8},
    {"energy", "energy, J", "%.4g", 11},
};

const Benchmark bench_smalls = {"small",
                                "small scenes on one thread, beside MuJoCo where Python has it",
                                {{"rows", columns, sizeof columns / sizeof columns[0]}},
                                run};
