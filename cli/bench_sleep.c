// Many rigid bodies: what a step costs while they sleep and when one of them is struck, and how the
// time of collision detection grows with their number while all are awake.
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include "cond/sim.h"
#include "interrupt.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { SETTLING = 12, STRUCK = 60, REPEATS = 5, N_SIZE = 5 };

static const double EDGE = 0.1; // of the boxes [m]

static double seconds_of(clockid_t which)
{
    struct timespec now;
    clock_gettime(which, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef enum Layout { LAYER, HEAP, N_LAYOUT } Layout;
static const char* const layout_name[N_LAYOUT] = {"layer", "heap"};

typedef struct World {
    CondModel* model;
    CondState* state;
    CondSim* sim;
} World;

// Box i of n, in a layer with gaps as wide as half a box, or in a heap in which each touches its
// neighbours, all a little out of line.
static CondStatus add_box(CondScene* scene, Layout layout, int n, int i, CondError* error)
{
    int wide = (int)ceil(layout == HEAP ? cbrt(n) : sqrt(n));
    double apart = layout == HEAP ? 1.001 * EDGE : 1.5 * EDGE;
    CondBodyDef def = cond_body_def_default();
    def.kind = COND_BODY_RIGID;
    def.shape = COND_SHAPE_BOX;
    def.mass = 1.0;
    for (int k = 0; k < 3; k++)
        def.size[k] = EDGE;
    snprintf(def.name, sizeof def.name, "box %d", i);
    def.position[0] = apart * (i % wide) + 0.01 * EDGE * sin(i);
    def.position[1] = apart * (i / wide % (layout == HEAP ? wide : n)) + 0.01 * EDGE * cos(3.0 * i);
    def.position[2] = EDGE * (0.5 + 0.999 * (layout == HEAP ? i / wide / wide : 0));
    return cond_scene_add_body(scene, &def, error);
}

static void end(World* world)
{
    cond_sim_destroy(world->sim);
    cond_state_destroy(world->state);
    cond_model_destroy(world->model);
}

static CondStatus begin(Layout layout, int n, int threads, const BenchOptions* options,
                        World* world)
{
    CondScene* scene = NULL;
    CondError error;
    CondPlaneDef floor = cond_plane_def_default();
    memset(world, 0, sizeof *world);
    CondStatus status = cond_scene_create(NULL, &scene, &error);
    if (!status)
        status = cond_scene_add_plane(scene, &floor, &error);
    for (int i = 0; i < n && !status; i++)
        status = add_box(scene, layout, n, i, &error);
    if (!status) {
        CondSceneSettings* settings = cond_scene_settings(scene);
        settings->time_step = 0.005;
        settings->solver.tolerance = options->tolerance;
        settings->solver.threads = threads;
        status = cond_scene_compile(scene, &world->model, &error);
    }
    if (!status)
        status = cond_state_create(world->model, &world->state, &error);
    if (!status)
        status = cond_sim_create(world->model, &world->sim, &error);
    cond_scene_destroy(scene);
    if (status) {
        cli_complain("bench: %s", error.message);
        end(world);
    }
    return status;
}

// ---- sleeping

// Steps, with their mean and longest time [ms] and how many sleep after them.
typedef struct Steps {
    int n, asleep, least; // steps; asleep after the last; fewest asleep
    double mean, most, residual;
} Steps;

static CondStatus make_steps(World* world, int n, Steps* steps)
{
    *steps = (Steps){.n = n, .least = cond_model_n_body(world->model)};
    for (int k = 0; k < n && !interrupt_signal(); k++) {
        CondStepInfo info;
        double clock = seconds_of(CLOCK_MONOTONIC);
        CondStatus status = cond_sim_step(world->sim, world->state, &info);
        double ms = 1e3 * (seconds_of(CLOCK_MONOTONIC) - clock);
        if (status < 0)
            return status;
        steps->mean += ms / n;
        steps->most = fmax(steps->most, ms);
        steps->asleep = info.asleep;
        steps->least = info.asleep < steps->least ? info.asleep : steps->least;
        steps->residual = fmax(steps->residual, cond_certificate_residual(&info.solve.certificate));
    }
    return COND_OK;
}

static void add_steps(json_t* rows, int n, const char* what, const Steps* steps)
{
    json_array_append_new(
        rows, json_pack("{s:i, s:s, s:i, s:o, s:o, s:i, s:i, s:o}", "bodies", n, "what", what,
                        "steps", steps->n, "ms", json_number(steps->mean), "most_ms",
                        json_number(steps->most), "asleep", steps->asleep, "least_asleep",
                        steps->least, "residual", json_number(steps->residual)));
}

// Bodies placed at rest: until they sleep, asleep, and with one that is thrown at its neighbours.
static CondStatus measure_sleep(int n, const BenchOptions* options, json_t* rows)
{
    World world;
    Steps steps;
    CondStatus status = begin(LAYER, n, options->threads, options, &world);
    if (status)
        return status;
    status = make_steps(&world, SETTLING, &steps);
    add_steps(rows, n, "placed", &steps);
    if (status >= 0)
        status = make_steps(&world, STRUCK, &steps);
    add_steps(rows, n, "asleep", &steps);
    if (status >= 0) {
        CondPose pose = cond_state_pose(world.model, world.state, n / 2);
        pose.velocity[0] = 1.5;
        pose.velocity[2] = 0.5;
        status = cond_state_set_pose(world.model, world.state, n / 2, &pose);
    }
    if (status >= 0)
        status = make_steps(&world, options->steps ? options->steps : STRUCK, &steps);
    add_steps(rows, n, "one struck", &steps);
    end(&world);
    return status;
}

// ---- collision detection

// The least processor time of a collision detection, by one thread, over some repeats [s].
static CondStatus time_collide(World* world, double* least)
{
    *least = INFINITY;
    for (int k = 0; k < REPEATS && !interrupt_signal(); k++) {
        CondStatus status = cond_sim_forces(world->sim, world->state);
        double clock = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
        if (!status)
            status = cond_sim_collide(world->sim, world->state);
        *least = fmin(*least, seconds_of(CLOCK_PROCESS_CPUTIME_ID) - clock);
        if (status < 0)
            return status;
    }
    return COND_OK;
}

// The slope of log y over log x, by least squares.
static double fit_exponent(int n, const double* x, const double* y)
{
    double mean[2] = {0.0}, xx = 0.0, xy = 0.0;
    for (int i = 0; i < n; i++) {
        mean[0] += log(x[i]) / n;
        mean[1] += log(y[i]) / n;
    }
    for (int i = 0; i < n; i++) {
        double d = log(x[i]) - mean[0];
        xx += d * d;
        xy += d * (log(y[i]) - mean[1]);
    }
    return xy / xx;
}

static CondStatus measure_collide(Layout layout, const BenchOptions* options, json_t* rows,
                                  json_t* fits)
{
    static const int sizes[N_SIZE] = {100, 316, 1000, 3162, 10000};
    double size[N_SIZE], seconds[N_SIZE];
    int n = options->quick ? 2 : N_SIZE;
    for (int i = 0; i < n && !interrupt_signal(); i++) {
        World world;
        CondStatus status = begin(layout, sizes[i], 1, options, &world);
        if (status)
            return status;
        status = time_collide(&world, &seconds[i]);
        size[i] = sizes[i];
        json_array_append_new(rows, json_pack("{s:s, s:i, s:i, s:o}", "layout", layout_name[layout],
                                              "bodies", sizes[i], "contacts",
                                              cond_sim_n_contact(world.sim), "ms",
                                              json_number(1e3 * seconds[i])));
        end(&world);
        if (status < 0)
            return status;
    }
    if (!interrupt_signal())
        json_array_append_new(fits,
                              json_pack("{s:s, s:o}", "layout", layout_name[layout], "exponent",
                                        json_number(fit_exponent(n, size, seconds))));
    return COND_OK;
}

static int run(const BenchOptions* options, json_t* result)
{
    json_t *sleep = json_array(), *collide = json_array(), *fits = json_array();
    json_object_set_new(result, "sleep", sleep);
    json_object_set_new(result, "collide", collide);
    json_object_set_new(result, "growth", fits);
    CondStatus status = measure_sleep(options->quick ? 100 : 10000, options, sleep);
    for (int layout = 0; layout < N_LAYOUT && status >= 0; layout++)
        status = measure_collide((Layout)layout, options, collide, fits);
    return status < 0 ? cli_exit(status) : CLI_FINE;
}

static const BenchColumn sleep_columns[] = {
    {"what", "what", NULL, 14},
    {"bodies", "bodies", "%.0f", 8},
    {"steps", "steps", "%.0f", 8},
    {"ms", "ms a step", "%.3g", 12},
    {"most_ms", "at most", "%.3g", 12},
    {"asleep", "asleep", "%.0f", 10},
    {"least_asleep", "fewest", "%.0f", 10},
    {"residual", "certificate", "%.1e", 14},
};
static const BenchColumn collide_columns[] = {
    {"layout", "layout", NULL, 12},
    {"bodies", "bodies", "%.0f", 10},
    {"contacts", "contacts", "%.0f", 12},
    {"ms", "ms", "%.3g", 12},
};
static const BenchColumn growth_columns[] = {
    {"layout", "layout", NULL, 12},
    {"exponent", "exponent", "%.3f", 12},
};

const Benchmark bench_sleep = {
    "sleep",
    "many rigid bodies: asleep, struck; collision detection by their number",
    {{"sleep", sleep_columns, sizeof sleep_columns / sizeof sleep_columns[0]},
     {"collide", collide_columns, sizeof collide_columns / sizeof collide_columns[0]},
     {"growth", growth_columns, sizeof growth_columns / sizeof growth_columns[0]}},
    run};
