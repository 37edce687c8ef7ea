// `cond bench energy`: energy over time in scenes without driving, damping and contact, for
// every integrator and three step lengths: how much is gained, and how much lost.
#include "bench.h"
#include "bench_scene.h"

#include <math.h>
#include <string.h>

typedef struct Task {
    const char* scene;
    double spin;    // of the first body about z at the start [rad/s]
    double damping; // of all joints, the work of which is deducted [N m s]
} Task;

static const Task tasks[] = {
    {"pendulum2", 0.0, 0.0}, {"pendulum3", 0.0, 0.0}, {"limp", 0.0, 0.003}, {"chain10", 0.0, 0.0},
    {"chain100", 0.0, 0.0},  {"tumble", 0.0, 0.0},    {"spin", 20.0, 0.0},  {"loop", 0.0, 0.0},
};

static const struct {
    const char* name;
    const char* set; // the override that chooses it
} integrators[] = {
    {"auto", "step.integrator=auto"},         {"theta 1", "step.theta=1"},
    {"theta 0.5", "step.theta=0.5"},          {"euler", "step.integrator=euler"},
    {"midpoint", "step.integrator=midpoint"}, {"variational", "step.integrator=variational"},
};

static const double time_steps[] = {1e-3, 5e-3, 1e-2};

enum {
    N_TASK = sizeof tasks / sizeof tasks[0],
    N_INTEGRATOR = sizeof integrators / sizeof integrators[0],
    N_TIME_STEP = sizeof time_steps / sizeof time_steps[0],
};

typedef struct Tally {
    double start, highest, lowest, peak; // [J]
    double newton;                       // iterations
    int steps, missed;
    CondStatus status;
} Tally;

static void add_step(const CondStepInfo* info, double deducted, Tally* tally)
{
    double energy = info->kinetic_after + info->potential_after + deducted;
    if (tally->steps++ == 0) {
        tally->start = tally->highest = tally->lowest =
            info->kinetic_before + info->potential_before;
        tally->peak = info->kinetic_before;
    }
    tally->highest = fmax(tally->highest, energy);
    tally->lowest = fmin(tally->lowest, energy);
    tally->peak = fmax(tally->peak, info->kinetic_after);
    tally->newton += info->newton_iterations;
    tally->missed += info->status != COND_OK;
}

static void run_scene(const CondModel* model, const Task* task, int steps, CondSim* sim,
                      CondState* state, Tally* tally)
{
    double deducted = 0.0, t = cond_model_settings(model)->time_step;
    if (task->spin > 0.0) {
        CondPose pose = cond_state_pose(model, state, 0);
        pose.angular_velocity[2] = task->spin;
        cond_state_set_pose(model, state, 0, &pose);
    }
    for (int k = 0; k < steps; k++) {
        CondStepInfo info;
        tally->status = cond_sim_step(sim, state, &info);
        if (tally->status < 0) // it has blown up
            return;
        const double* v = cond_sim_solution(sim);
        for (int i = 0; i < cond_model_n_dof(model) && task->damping > 0.0; i++)
            deducted += t * task->damping * v[i] * v[i];
        add_step(&info, deducted, tally);
    }
}

static int run_one(const Task* task, int integrator, double t, int steps, Tally* tally)
{
    char step[64];
    const char* set[] = {step, integrators[integrator].set};
    BenchScene scene;
    snprintf(step, sizeof step, "step.time_step=%g", t);
    CondStatus status = bench_scene_begin(task->scene, 2, set, &scene);
    if (!status)
        run_scene(scene.model, task, steps, scene.sim, scene.state, tally);
    bench_scene_end(&scene);
    return status ? cli_exit(status) : CLI_FINE;
}

static json_t* make_row(const Task* task, int integrator, double t, const Tally* tally)
{
    double peak = tally->peak > 0.0 ? tally->peak : 1.0;
    int blown = tally->status < 0;
    return json_pack("{s:s, s:s, s:o, s:i, s:o, s:o, s:o, s:o, s:i}", "scene", task->scene,
                     "integrator", integrators[integrator].name, "time_step", json_number(t),
                     "steps", tally->steps, "peak", json_number(tally->peak), "gained",
                     json_number(blown ? INFINITY : (tally->highest - tally->start) / peak), "lost",
                     json_number((tally->start - tally->lowest) / peak), "newton",
                     json_number(tally->newton / fmax(tally->steps, 1)), "missed", tally->missed);
}

static int run(const BenchOptions* options, json_t* result)
{
    json_t* rows = json_array();
    json_object_set_new(result, "rows", rows);
    for (int i = 0; i < N_TASK; i++)
        for (int k = 0; k < N_INTEGRATOR; k++)
            for (int s = 0; s < N_TIME_STEP; s++) {
                double t = time_steps[s];
                int steps = options->steps > 0 ? options->steps
                            : options->quick   ? 4
                                               : (int)(10.0 / t + 0.5);
                Tally tally = {0};
                if (!bench_asks(options->scenes, tasks[i].scene) ||
                    !bench_asks(options->solvers, integrators[k].name))
                    continue;
                int code = run_one(&tasks[i], k, t, steps, &tally);
                if (code != CLI_FINE)
                    return code;
                json_array_append_new(rows, make_row(&tasks[i], k, t, &tally));
            }
    return CLI_FINE;
}

static const BenchColumn columns[] = {
    {"scene", "scene", NULL, 12},          {"integrator", "integrator", NULL, 14},
    {"time_step", "step, s", "%g", 10},    {"peak", "peak T, J", "%.3g", 12},
    {"gained", "gained/peak", "%.1e", 14}, {"lost", "lost/peak", "%.1e", 14},
    {"newton", "Newton", "%.1f", 10},      {"missed", "missed", "%.0f", 10},
};

const Benchmark bench_energy = {"energy",
                                "energy over 10 s, every integrator, three lengths of a step",
                                {{"rows", columns, sizeof columns / sizeof columns[0]}},
                                run};
