// Times the stages of a step and compares them with bounds of the machine (bench_time.h).
#include "bench_time.h"

#include "bench_count.h"
#include "memory.h"
#include "roofline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_REPEATS = 15, SHORT_RUN = 5, LONG_RUN = 25, TRIES = 3 };

static const char* time_name(int i)
{
    static const char* const more[] = {"step", "iteration", "iteration, floats",
                                       "product in solve"};
    return i < COND_N_STAGE ? cond_stage_name((CondStage)i) : more[i - COND_N_STAGE];
}

static int ascending(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

double bench_middle(int n, double* x)
{
    qsort(x, (size_t)n, sizeof *x, ascending);
    return n % 2 ? x[n / 2] : 0.5 * (x[n / 2 - 1] + x[n / 2]);
}

// A copy of the state for another model of the scene; NULL after a message.
static CondState* carry_over(const CondModel* model, const CondModel* owner, const CondState* state)
{
    CondState* copy = NULL;
    CondError error = {.message = "out of memory"};
    size_t size = 0;
    cond_state_save(owner, state, NULL, 0, &size);
    void* bytes = malloc(size);
    CondStatus status =
        bytes ? cond_state_save(owner, state, bytes, size, &size) : COND_OUT_OF_MEMORY;
    if (!status)
        status = cond_state_create(model, &copy, &error);
    if (!status)
        status = cond_state_load(model, copy, bytes, size, &error);
    if (status) {
        cli_complain("%s", error.message);
        cond_state_destroy(copy);
        copy = NULL;
    }
    free(bytes);
    return copy;
}

// What the repetitions of one step gave [ms].
typedef struct Samples {
    int n;
    double ms[BENCH_N_TIME][MAX_REPEATS];
} Samples;

static CondStatus repeat_step(const CondModel* model, const CondState* from, int repeats,
                              Samples* samples, BenchTimes* times)
{
    CondSim* sim = NULL;
    CondState* state = NULL;
    CondError error;
    CondStatus status = cond_sim_create(model, &sim, &error);
    if (!status)
        status = cond_state_create(model, &state, &error);
    samples->n = 0;
    for (int k = repeats > 1 ? 0 : 1; k <= repeats && status >= 0; k++) { // number 0 warms up
        CondStepInfo info;
        status = cond_state_copy(state, from);
        double start = roofline_clock();
        if (!status)
            status = cond_sim_step(sim, state, &info);
        double wall = 1e3 * (roofline_clock() - start);
        if (k == 0 || status < 0)
            continue;
        for (int i = 0; i < COND_N_STAGE; i++)
            samples->ms[i][samples->n] = 1e3 * info.seconds[i];
        if (info.impact.iterations == 0) // it was asked whether there is one, no more
            samples->ms[COND_STAGE_IMPACT][samples->n] = 0.0;
        if (info.correction.iterations == 0)
            samples->ms[COND_STAGE_CORRECT][samples->n] = 0.0;
        times->products = info.solve.products;
        times->contacts = info.n_contact;
        samples->ms[BENCH_STEP][samples->n] = wall;
        samples->ms[BENCH_SOLVE_PRODUCT][samples->n] =
            1e3 * info.solve.seconds / (info.solve.products > 0 ? info.solve.products : 1);
        samples->n++;
    }
    cond_state_destroy(state);
    cond_sim_destroy(sim);
    return status;
}

// Seconds of so many iterations of V-FPI, the best of a few solves, or a negative number.
static double run_iterations(const CondModel* model, const CondProblem* problem,
                             CondStorage storage, int iterations, double* v, double* lambda)
{
    CondSolverSettings settings = cond_model_settings(model)->solver;
    CondSolver* solver = NULL;
    CondSolveInfo info;
    CondError error;
    settings.accelerator = COND_ACCELERATOR_NONE;
    settings.fallback = 0;
    settings.storage = storage;
    settings.stop = COND_STOP_STEP;
    settings.tolerance = 1e-300;
    settings.max_iterations = iterations;
    if (cond_solver_create(memory_context(), "strategy", &settings, &solver, &error))
        return -1.0;
    CondStatus status = COND_OK;
    double best = INFINITY;
    for (int k = 0; k < TRIES && status >= 0; k++) {
        memset(v, 0, (size_t)problem->n_dof * sizeof *v);
        memset(lambda, 0, 3 * (size_t)problem->n_contact * sizeof *lambda);
        status = cond_solver_solve(solver, problem, v, lambda, &info);
        best = fmin(best, info.seconds);
    }
    cond_solver_destroy(solver);
    return status >= 0 && info.iterations == iterations ? best : -1.0;
}

// One iteration from the difference of a long and a short solve, so that its set-up drops out.
static void time_iteration(const CondModel* model, const CondProblem* problem, CondStorage storage,
                           Samples* samples)
{
    size_t n = (size_t)problem->n_dof + 3 * (size_t)problem->n_contact;
    double* v = malloc((n + 1) * sizeof *v);
    for (int k = 0; k < samples->n; k++) {
        double *lambda = v ? v + problem->n_dof : NULL, few = -1.0, many = -1.0;
        if (v) {
            few = run_iterations(model, problem, storage, SHORT_RUN, v, lambda);
            many = run_iterations(model, problem, storage, LONG_RUN, v, lambda);
        }
        samples->ms[storage == COND_STORAGE_FLOAT ? BENCH_ITERATION_FLOAT : BENCH_ITERATION][k] =
            few >= 0.0 && many > few ? 1e3 * (many - few) / (LONG_RUN - SHORT_RUN)
            : many > 0.0             ? 1e3 * many / LONG_RUN // the clock is too coarse
                                     : 0.0;
    }
    free(v);
}

static void add_time(BenchTime* time, double* last, const BenchCount* count, int threads, int n,
                     double* ms)
{
    double middle = bench_middle(n, ms); // sorts
    *last = middle;
    if (!(middle > 0.0))
        return;
    time->ms += middle;
    time->spread += ms[3 * (n - 1) / 4] - ms[(n - 1) / 4];
    time->bytes += count->bytes;
    time->flops += count->flops;
    time->stream_ms += 1e3 * count->passes * roofline_seconds((size_t)count->set, threads);
    time->n++;
}

static void add_count(BenchCount* sum, const BenchCount* one)
{
    sum->bytes += one->bytes;
    sum->flops += one->flops;
}

int bench_time_step(const CondModel* model, const CondModel* owner, const CondState* state,
                    int threads, int repeats, BenchTimes* times)
{
    CondSim* sim = NULL;
    CondError error;
    CondState* from = carry_over(model, owner, state);
    if (!from)
        return CLI_INPUT;
    Samples* samples = calloc(1, sizeof *samples);
    repeats = repeats < MAX_REPEATS ? repeats : MAX_REPEATS;
    CondStatus status =
        samples ? repeat_step(model, from, repeats, samples, times) : COND_OUT_OF_MEMORY;
    if (status >= 0)
        status = cond_sim_create(model, &sim, &error);
    if (status >= 0)
        status = cond_sim_forces(sim, from);
    if (status >= 0)
        status = cond_sim_matrix(sim);
    if (status >= 0)
        status = cond_sim_collide(sim, from);
    if (status >= 0)
        status = cond_sim_assemble(sim, from);
    if (status >= 0) {
        const CondProblem* problem = cond_sim_problem(sim);
        BenchCount A = bench_count_matrix(problem), whole = {.passes = 1.0};
        double stream = 0.0;
        time_iteration(model, problem, COND_STORAGE_DOUBLE, samples);
        time_iteration(model, problem, COND_STORAGE_FLOAT, samples);
        for (int i = 0; i < COND_N_STAGE; i++) {
            BenchTime* time = &times->time[i];
            BenchCount count = bench_count_stage((CondStage)i, model, problem, times->products);
            double before = time->stream_ms;
            add_time(time, &times->last_ms[i], &count, threads, samples->n, samples->ms[i]);
            if (times->last_ms[i] > 0.0)
                add_count(&whole, &count);
            stream += time->stream_ms - before;
        }
        for (int i = COND_N_STAGE; i < BENCH_N_TIME; i++) {
            const BenchCount* count = i == BENCH_STEP ? &whole : &A;
            BenchTime* time = &times->time[i];
            double before = time->stream_ms;
            add_time(time, &times->last_ms[i], count, threads, samples->n, samples->ms[i]);
            if (i == BENCH_STEP) // stage by stage
                time->stream_ms = before + stream;
        }
    }
    cond_sim_destroy(sim);
    cond_state_destroy(from);
    free(samples);
    if (status < 0)
        cli_complain("%s", cond_status_name(status));
    return status < 0 ? cli_exit(status) : CLI_FINE;
}

void bench_time_rows(const BenchTimes* times, const char* scene, int threads, json_t* rows,
                     json_t* counts)
{
    for (int i = 0; i < BENCH_N_TIME; i++) {
        const BenchTime* time = &times->time[i];
        if (time->n == 0)
            continue;
        double n = time->n;
        json_t* row =
            json_pack("{s:s, s:s, s:i, s:o, s:o, s:o, s:o}", "scene", scene, "stage", time_name(i),
                      "threads", threads, "ms", json_number(time->ms / n), "spread",
                      json_number(time->spread / n), "bytes", json_number(time->bytes / n),
                      "fraction", json_number(time->stream_ms / time->ms));
        json_array_append_new(rows, row);
        json_t* more = json_copy(row);
        json_object_set_new(more, "flops", json_number(time->flops / n));
        json_object_set_new(more, "gbytes_per_second", json_number(1e-6 * time->bytes / time->ms));
        json_object_set_new(more, "gflops", json_number(1e-6 * time->flops / time->ms));
        json_object_set_new(more, "moments", json_integer(time->n));
        json_array_append_new(counts, more);
    }
}
