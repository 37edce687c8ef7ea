// Soft scenes by the processors, with 1, 2, 4 .. threads, and by the CUDA device (solver.device):
// time, iterations, certificate, how far the velocities are from each other, and whether the device
// makes the same bits twice.
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include "cond/sim.h"
#include "cond/solver.h"
#include "interrupt.h"
#include "memory.h"
#include "roofline.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A mat of n x n x 2 nodes that slides on a floor, or a scene that ships.
typedef struct Case {
    const char* name;
    const char* scene; // NULL: the mat
    int n;             // nodes along a side of the mat
    int steps;
} Case;

static const Case cases[] = {
    {"ball", "ball", 0, 20},     {"mat", "mat", 0, 20},        {"gripper", "gripper", 0, 20},
    {"lying 15k", NULL, 50, 10}, {"lying 150k", NULL, 158, 5}, {"lying 1M", NULL, 408, 3},
    {"lying 3M", NULL, 707, 2},
};
enum { N_CASE = sizeof cases / sizeof cases[0], QUICK_NODES = 20, QUICK_LARGEST = 50 };

static const double SPACING = 0.4 / 26.0; // of the nodes of the mat, as in scenes/mat.yaml [m]

static CondStatus make_mat(int n, CondScene** scene, CondError* error)
{
    CondMaterialDef material = cond_material_def_default();
    CondPlaneDef floor = cond_plane_def_default();
    CondBodyDef mat = cond_body_def_default();
    double side = SPACING * (n - 1);
    CondStatus status = cond_scene_create(memory_context(), scene, error);
    if (status)
        return status;
    snprintf(material.name, sizeof material.name, "mat");
    material.youngs_modulus = 75e3;
    material.poisson_ratio = 0.35;
    material.density = 1070.0;
    material.stiffness_damping = 0.005;
    floor.surface.friction[0] = floor.surface.friction[1] = 0.3;
    mat.kind = COND_BODY_SOFT;
    snprintf(mat.name, sizeof mat.name, "mat");
    snprintf(mat.mesh, sizeof mat.mesh, "mat:%d,%d,2:%.9g,%.9g,0.008", n, n, side, side);
    snprintf(mat.material, sizeof mat.material, "mat");
    mat.position[2] = 0.004;
    mat.velocity[0] = 0.3;
    mat.velocity[1] = 0.1;
    mat.surface.friction[0] = mat.surface.friction[1] = 0.3;
    mat.self_contact = 0;
    if (!(status = cond_scene_add_material(*scene, &material, error)) &&
        !(status = cond_scene_add_plane(*scene, &floor, error)))
        status = cond_scene_add_body(*scene, &mat, error);
    CondSceneSettings* settings = cond_scene_settings(*scene);
    settings->time_step = 0.01;
    settings->integrator = COND_INTEGRATOR_THETA;
    settings->theta = 1.0;
    return status;
}

static CondStatus make_model(const Case* c, const BenchOptions* options, CondDeviceKind device,
                             int threads, CondModel** model)
{
    CondScene* scene = NULL;
    CondError error;
    char path[4096];
    CondStatus status;
    if (c->scene) {
        cli_scene_path(c->scene, path, sizeof path);
        status = cond_scene_read(memory_context(), path, 0, NULL, &scene, &error);
    } else {
        status = make_mat(options->quick ? QUICK_NODES : c->n, &scene, &error);
    }
    if (!status) {
        CondSceneSettings* settings = cond_scene_settings(scene);
        settings->solver.tolerance = options->tolerance;
        settings->solver.threads = threads;
        settings->solver.device = device;
        status = cond_scene_compile(scene, model, &error);
    }
    cond_scene_destroy(scene);
    if (status)
        cli_complain("bench: %s: %s", c->name, error.message);
    return status;
}

// What the steps of a scene came to.
typedef struct Steps {
    int dof, n, missed, newton, iterations;
    double ms, stage[COND_N_STAGE], residual;
    uint64_t hash;
} Steps;

// v: velocities after the last step                                               (n_dof)
static CondStatus make_steps(const Case* c, const BenchOptions* options, CondDeviceKind device,
                             int threads, Steps* steps, double** v)
{
    CondModel* model = NULL;
    CondState* state = NULL;
    CondSim* sim = NULL;
    CondError error;
    *steps = (Steps){.n = options->steps ? options->steps : options->quick ? 2 : c->steps};
    CondStatus status = make_model(c, options, device, threads, &model);
    if (status)
        return status;
    if ((status = cond_state_create(model, &state, &error)) ||
        (status = cond_sim_create(model, &sim, &error)))
        cli_complain("bench: %s: %s", c->name, error.message);
    steps->dof = cond_model_n_dof(model);
    if (!status) // what is made once: plans, workspaces, the device's memory
        status = cond_sim_step(sim, state, NULL);
    for (int k = 0; k < steps->n && status >= 0 && !interrupt_signal(); k++) {
        CondStepInfo info;
        double start = roofline_clock();
        status = cond_sim_step(sim, state, &info);
        steps->ms += 1e3 * (roofline_clock() - start) / steps->n;
        for (int stage = 0; stage < COND_N_STAGE; stage++)
            steps->stage[stage] += 1e3 * info.seconds[stage] / steps->n;
        steps->newton += info.solve.passes;
        steps->iterations += info.solve.cg_iterations;
        steps->missed += info.status != COND_OK;
        steps->residual = fmax(steps->residual, cond_certificate_residual(&info.solve.certificate));
    }
    if (status < 0)
        cli_complain("bench: %s: %s", c->name, cond_last_error()->message);
    *v = status < 0 ? NULL : malloc((size_t)steps->dof * sizeof **v);
    if (*v)
        memcpy(*v, cond_state_velocity(state), (size_t)steps->dof * sizeof **v);
    steps->hash = status < 0 ? 0 : cond_state_hash(state);
    cond_sim_destroy(sim);
    cond_state_destroy(state);
    cond_model_destroy(model);
    return status;
}

// max |a - b| / max |b|
static double difference(int n, const double* a, const double* b)
{
    double most = 0.0, scale = 0.0;
    for (int i = 0; i < n && a && b; i++) {
        most = fmax(most, fabs(a[i] - b[i]));
        scale = fmax(scale, fabs(b[i]));
    }
    return scale > 0.0 ? most / scale : most;
}

static json_t* row_of(const Case* c, const char* device, int threads, const Steps* s)
{
    json_t* row = json_pack(
        "{s:s, s:s, s:i, s:i, s:i, s:i, s:o, s:o, s:o, s:o}", "scene", c->name, "device", device,
        "threads", threads, "dof", s->dof, "steps", s->n, "missed", s->missed, "ms",
        json_number(s->ms), "newton", json_number((double)s->newton / s->n), "iterations",
        json_number((double)s->iterations / s->n), "residual", json_number(s->residual));
    for (int stage = 0; stage < COND_N_STAGE && row; stage++)
        json_object_set_new(row, cond_stage_name((CondStage)stage), json_number(s->stage[stage]));
    return row;
}

// The processors with 1, 2, 4 .. threads; the velocities of the last of these.
static CondStatus measure_processors(const Case* c, const BenchOptions* options, json_t* rows,
                                     double* best, double** v)
{
    long there = sysconf(_SC_NPROCESSORS_ONLN);
    int most = options->threads ? options->threads : (int)there;
    CondStatus status = COND_OK;
    *best = INFINITY;
    for (int threads = options->threads ? most : 1; threads <= most && status >= 0;
         threads = threads < most && 4 * threads > most ? most : 4 * threads) {
        Steps steps;
        free(*v);
        *v = NULL;
        if (interrupt_signal())
            return status;
        status = make_steps(c, options, COND_DEVICE_CPU, threads, &steps, v);
        if (status >= 0)
            json_array_append_new(rows, row_of(c, "cpu", threads, &steps));
        *best = fmin(*best, steps.ms);
    }
    return status;
}

static CondStatus measure(const Case* c, const BenchOptions* options, const char* name,
                          json_t* rows, json_t* answers)
{
    double best, *v = NULL, *mine = NULL, *again = NULL;
    Steps once, twice;
    CondStatus status = measure_processors(c, options, rows, &best, &v);
    int threads = options->threads ? options->threads : (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (status >= 0 && name)
        status = make_steps(c, options, COND_DEVICE_CUDA, threads, &once, &mine);
    if (status >= 0 && name)
        status = make_steps(c, options, COND_DEVICE_CUDA, threads, &twice, &again);
    if (status >= 0 && name) {
        json_array_append_new(rows, row_of(c, "cuda", threads, &once));
        json_array_append_new(answers, json_pack("{s:s, s:i, s:o, s:s, s:o}", "scene", c->name,
                                                 "dof", once.dof, "difference",
                                                 json_number(difference(once.dof, mine, v)), "bits",
                                                 once.hash == twice.hash ? "same" : "OTHER", "gain",
                                                 json_number(best / fmin(once.ms, twice.ms))));
    }
    free(v);
    free(mine);
    free(again);
    return status;
}

static int run(const BenchOptions* options, json_t* result)
{
    json_t *rows = json_array(), *answers = json_array();
    const char* reason = "";
    const char* name = cond_device_cuda_name(&reason);
    json_object_set_new(result, "steps", rows);
    json_object_set_new(result, "answers", answers);
    json_object_set_new(result, "gpu", json_string(name ? name : "none"));
    if (!name)
        cli_complain("bench: no rows of the device cuda: %s", reason);
    CondStatus status = COND_OK;
    for (int k = 0; k < N_CASE && status >= 0 && !interrupt_signal(); k++) {
        int dof = 6 * cases[k].n * cases[k].n;
        if (options->quick && cases[k].n > QUICK_LARGEST) // they would all be the same
            break;
        if (!bench_asks(options->scenes, cases[k].name) ||
            (options->max_dof && dof > options->max_dof))
            continue;
        status = measure(&cases[k], options, name, rows, answers);
    }
    return status < 0 ? cli_exit(status) : CLI_FINE;
}

static const BenchColumn step_columns[] = {
    {"scene", "scene", NULL, 12},
    {"dof", "coordinates", "%.0f", 12},
    {"device", "device", NULL, 8},
    {"threads", "threads", "%.0f", 8},
    {"ms", "ms a step", "%.4g", 10},
    {"solve", "solve", "%.4g", 10},
    {"matrix", "matrix", "%.3g", 8},
    {"collide", "collide", "%.3g", 8},
    {"assemble", "assemble", "%.3g", 9},
    {"nodalize", "nodalize", "%.3g", 9},
    {"integrate", "integrate", "%.3g", 10},
    {"impact", "impact", "%.3g", 8},
    {"commit", "commit", "%.3g", 8},
    {"newton", "Newton", "%.1f", 8},
    {"iterations", "iterations", "%.1f", 11},
    {"residual", "certificate", "%.1e", 12},
    {"missed", "missed", "%.0f", 8},
};
static const BenchColumn answer_columns[] = {
    {"scene", "scene", NULL, 12},
    {"dof", "coordinates", "%.0f", 12},
    {"difference", "velocities apart", "%.1e", 18},
    {"bits", "bits twice", NULL, 12},
    {"gain", "best cpu over cuda", "%.2f", 20},
};

const Benchmark bench_gpu = {
    "gpu",
    "soft scenes by the processors and by the CUDA device",
    {{"steps", step_columns, sizeof step_columns / sizeof step_columns[0]},
     {"answers", answer_columns, sizeof answer_columns / sizeof answer_columns[0]}},
    run};
