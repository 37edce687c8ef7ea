// `cond bench growth`: time and memory of a step by the size of the mesh.
#include "bench_growth.h"

#include "bench_time.h"
#include "interrupt.h"
#include "roofline.h"

#include <math.h>
#include <stdlib.h>

static const double PATIENCE = 300.0; // [s] that a size may take, going by the last one
enum { MAX_SIZE = 8, FIRST_STEPS = 2, LARGE = 100000 };

// Memory of a scene, model and simulation, by a context that counts.
typedef struct Counter {
    size_t live, most; // bytes
} Counter;

enum { HEAD = 64 }; // bytes before every piece, which hold its size; keeps the alignment

static void* count_allocate(size_t bytes, void* user)
{
    Counter* counter = user;
    char* memory = malloc(bytes + HEAD);
    if (!memory)
        return NULL;
    *(size_t*)memory = bytes;
    counter->live += bytes;
    counter->most = counter->live > counter->most ? counter->live : counter->most;
    return memory + HEAD;
}

static void count_release(void* memory, void* user)
{
    Counter* counter = user;
    if (!memory)
        return;
    char* begin = (char*)memory - HEAD;
    counter->live -= *(size_t*)begin;
    free(begin);
}

static int load(const BenchOptions* options, const CondContext* context, int nodes, int threads,
                CondModel** model)
{
    char path[4096], mesh[96], number[32], tolerance[64];
    const char* set[] = {mesh, number, tolerance};
    CondScene* scene = NULL;
    CondError error;
    cli_scene_path("mat", path, sizeof path);
    snprintf(mesh, sizeof mesh, "bodies.mat.mesh=mat:%d,%d,2:0.4,0.4,0.008", nodes, nodes);
    snprintf(number, sizeof number, "solver.threads=%d", threads);
    snprintf(tolerance, sizeof tolerance, "solver.tolerance=%.17g", options->tolerance);
    CondStatus status = cond_scene_read(context, path, 3, set, &scene, &error);
    if (!status)
        status = cond_scene_compile(scene, model, &error);
    cond_scene_destroy(scene);
    if (status)
        cli_complain("%s", error.message);
    return cli_exit(status);
}

// What one size gave.
typedef struct Size {
    int dof;
    double ms, bytes; // of a step with the most threads; the most that was held in it
} Size;

static CondStatus first_steps(const CondModel* model, CondState* state, double* residual)
{
    CondSim* sim = NULL;
    CondError error;
    CondStatus status = cond_sim_create(model, &sim, &error);
    for (int k = 0; k < FIRST_STEPS && status >= 0; k++) {
        CondStepInfo info;
        status = cond_sim_step(sim, state, &info);
        if (status >= 0)
            *residual = cond_certificate_residual(&info.solve.certificate);
    }
    cond_sim_destroy(sim);
    return status;
}

// "mat 15k"
static void name_size(int dof, char* out, size_t size)
{
    if (dof < 1500)
        snprintf(out, size, "mat %d", dof);
    else if (dof < 999500)
        snprintf(out, size, "mat %.0fk", 1e-3 * dof);
    else
        snprintf(out, size, "mat %.1fM", 1e-6 * dof);
}

// A few steps from the start, then the next one timed.
static int run_size(const BenchOptions* options, int nodes, int threads, json_t* rows,
                    json_t* counts, Size* size)
{
    Counter counter = {0};
    CondContext context = {.allocate = count_allocate,
                           .release = count_release,
                           .user = &counter,
                           .cancelled = interrupt_cancels};
    CondModel* model = NULL;
    CondState* state = NULL;
    CondError error;
    BenchTimes* times = calloc(1, sizeof *times);
    double residual = INFINITY;
    int code = times ? load(options, &context, nodes, threads, &model) : CLI_INPUT;
    CondStatus status = COND_OK;
    if (code == CLI_FINE)
        status = cond_state_create(model, &state, &error);
    if (code == CLI_FINE && status >= 0)
        status = first_steps(model, state, &residual);
    if (code == CLI_FINE && status >= 0) {
        int dof = cond_model_n_dof(model);
        double held = (double)counter.most; // up to here it is a run like any other
        code = bench_time_step(model, model, state, threads, options->quick || dof > LARGE ? 1 : 3,
                               times);
        char name[32];
        name_size(dof, name, sizeof name);
        bench_time_rows(times, name, threads, rows, counts);
        *size = (Size){dof, times->last_ms[BENCH_STEP], held};
        fprintf(stderr,
                "%-10s %d threads: %10.2f ms a step, %5d products, residual %.1e, %.0f "
                "bytes a coordinate\n",
                name, threads, size->ms, times->products, residual, size->bytes / dof);
    } else if (code == CLI_FINE) {
        cli_complain("mat, %d nodes a side: %s", nodes, cond_status_name(status));
        code = cli_exit(status);
    }
    cond_state_destroy(state);
    cond_model_destroy(model);
    free(times);
    return code;
}

// Slope of log(ms) over log(dof), by least squares.
static double slope(int n, const Size* size)
{
    double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
    for (int i = 0; i < n; i++) {
        double a = log(size[i].dof), b = log(size[i].ms);
        x += a;
        y += b;
        xx += a * a;
        xy += a * b;
    }
    return n > 1 ? (n * xy - x * y) / (n * xx - x * x) : NAN;
}

int bench_growth_run(const BenchOptions* options, int most, json_t* rows, json_t* counts,
                     json_t** growth)
{
    // Nodes a side of the mat, two layers: 4 k, 15 k, 150 k and 1 M coordinates.
    static const int full[] = {27, 50, 158, 409}, quick[] = {9, 12};
    const int* nodes = options->quick ? quick : full;
    int n = options->quick ? 2 : 4, code = CLI_FINE, done = 0;
    double limit = options->max_dof > 0 ? options->max_dof : 1.1e6, wall = 0.0;
    Size size[MAX_SIZE];
    for (int i = 0; i < n && code == CLI_FINE; i++) {
        if (6.0 * nodes[i] * nodes[i] > limit)
            continue;
        double grown = done > 0 ? 6.0 * nodes[i] * nodes[i] / size[done - 1].dof : 1.0;
        if (wall * pow(grown, 1.2) > PATIENCE) {
            fprintf(stderr, "%d nodes a side: left out, it would take about %.0f s\n", nodes[i],
                    wall * pow(grown, 1.2));
            break;
        }
        Size one = {0};
        if (most > 1 && 6 * nodes[i] * nodes[i] < 5 * LARGE) // a million takes its time
            code = run_size(options, nodes[i], 1, rows, counts, &one);
        double start = roofline_clock();
        if (code == CLI_FINE)
            code = run_size(options, nodes[i], most, rows, counts, &size[done]);
        wall = roofline_clock() - start;
        done += code == CLI_FINE;
    }
    *growth = json_pack("{s:o, s:i, s:o}", "exponent", json_number(slope(done, size)), "max_dof",
                        done > 0 ? size[done - 1].dof : 0, "bytes_per_dof",
                        json_number(done > 0 ? size[done - 1].bytes / size[done - 1].dof : NAN));
    return code;
}
