// A and the forces of elements on a device.
#include "sim/device_load.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "body/body.h"
#include "body/soft_matrix.h"
#include "cuda/device_cuda.h"
#include "sim/sim.h"
#include "strategy/solver.h"

#include <math.h>
#include <string.h>

int cond_device_load_serves(const CondModel* model, const CondKinematics* kinematics)
{
    const CondSceneSettings* settings = &model->settings;
    if (settings->method != COND_STEP_VELOCITY || settings->integrator != COND_INTEGRATOR_THETA ||
        model->n_body == 0)
        return 0;
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        if (body->kind != COND_BODY_SOFT || body->shell || body->fem->n_inner > 0 ||
            kinematics->fem[b].own ||
            !cond_fem_device_serves(body->fem,
                                    cond_soft_matrix(body, kinematics, 1.0).policy.geometric))
            return 0;
    }
    return 1;
}

static void* take(CondDeviceLoad* load, size_t n)
{
    return load->device->ops->take(load->device, (n > 0 ? n : 1) * sizeof(double));
}

static void give(CondDeviceLoad* load, double* memory, size_t n)
{
    if (memory)
        load->device->ops->give(load->device, memory, (n > 0 ? n : 1) * sizeof(double));
}

static void drop(CondDeviceLoad* load)
{
    for (int b = 0; b < load->n_body; b++)
        if (load->body[b].fem)
            cond_fem_device_drop(load->device, &load->body[b]);
    if (load->apart)
        give(load, load->A, load->matrix.size);
    double* vectors[] = {load->x, load->f, load->d};
    for (int k = 0; k < 3; k++)
        give(load, vectors[k], load->n_dof);
    cond_release(&load->context, load->host);
    cond_release(&load->context, load->body);
    load->A = load->x = load->f = load->d = load->host = NULL;
    load->body = NULL;
    load->n_body = 0;
    load->matrix.block = NULL;
}

void cond_device_load_destroy(CondDeviceLoad* load)
{
    if (load->device)
        drop(load);
    if (load->opened)
        cond_device_cuda_destroy(&load->own);
    load->device = NULL;
    load->opened = 0;
}

// 1 where the device has these bodies: those of a simulation's awake part change.
static int is_laid_out(const CondDeviceLoad* load, const CondAssembly* assembly,
                       const CondModel* model)
{
    if (load->n_body != model->n_body || load->n_dof != (size_t)model->n_dof ||
        load->matrix.values != assembly->block_values)
        return 0;
    for (int b = 0; b < model->n_body; b++)
        if (load->body[b].fem != model->body[b].fem)
            return 0;
    return 1;
}

// Memory, and the bodies there.
static CondStatus lay_out(CondDeviceLoad* load, CondAssembly* assembly, const CondModel* model)
{
    CondDeviceMatrix* matrix = &load->matrix;
    CondStatus status = COND_OK;
    if (is_laid_out(load, assembly, model))
        return COND_OK;
    drop(load);
    load->n_dof = (size_t)model->n_dof;
    load->body = cond_allocate(&load->context, (size_t)model->n_body, sizeof *load->body);
    load->host = cond_allocate(&load->context, 2 * load->n_dof + 1, sizeof *load->host);
    if (!load->body || !load->host)
        return COND_OUT_OF_MEMORY;
    memset(load->body, 0, (size_t)model->n_body * sizeof *load->body);
    load->n_body = model->n_body;
    matrix->device = load->device;
    matrix->values = assembly->block_values;
    matrix->size = 0;
    for (int b = 0; b < model->n_body; b++)
        matrix->size += cond_body_block_size(&model->body[b]);
    load->A = load->apart ? take(load, matrix->size) : assembly->block_values;
    load->x = take(load, load->n_dof);
    load->f = take(load, load->n_dof);
    load->d = take(load, load->n_dof);
    if (!load->A || !load->x || !load->f || !load->d)
        return COND_OUT_OF_MEMORY;
    for (int b = 0; b < model->n_body && !status; b++)
        status = cond_fem_device_put(load->device, model->body[b].fem, &load->body[b]);
    return status;
}

static CondStatus make_body(CondDeviceLoad* load, const CondAssembly* assembly,
                            const CondKinematics* kinematics, int b, double step)
{
    const CondBody* body = &kinematics->model->body[b];
    const CondSoftMatrix scales = cond_soft_matrix(body, kinematics, step);
    const CondFemOnDeviceTask task = {.mass_scale = scales.mass_scale,
                                      .stiffness_scale = scales.stiffness_scale,
                                      .policy = scales.policy,
                                      .x = load->x + body->dof_begin,
                                      .A = load->A + assembly->block_begin[b],
                                      .f = load->f + body->dof_begin,
                                      .d = load->d + body->dof_begin};
    CondStatus status = load->device->ops->write(load->device, load->x + body->dof_begin,
                                                 kinematics->q + body->q_begin,
                                                 (size_t)body->n_dof * sizeof(double));
    return status ? status : cond_fem_device_make(load->device, &load->body[b], &task);
}

typedef struct DiagonalLoop {
    const CondFem* fem;
    const double* d;
    double* values;
} DiagonalLoop;

static void set_diagonal(const void* data, int first, int last)
{
    const DiagonalLoop* l = data;
    for (int i = first; i < last; i++)
        for (int k = 0; k < 3; k++)
            l->values[9 * (size_t)l->fem->pattern.diagonal[i] + 4 * (size_t)k] =
                l->d[3 * (size_t)i + (size_t)k];
}

// What the host has of a body: forces, the diagonal, and a NaN that no product with A misses.
static void take_body(CondDeviceLoad* load, CondAssembly* assembly,
                      const CondKinematics* kinematics, int b, double* f)
{
    const CondBody* body = &kinematics->model->body[b];
    double *values = assembly->block_values + assembly->block_begin[b],
           *d = load->host + load->n_dof + body->dof_begin;
    int n = body->fem->n_node;
    DiagonalLoop loop = {body->fem, d, values};
    assembly->block[b] = cond_soft_block(body, kinematics, values);
    cond_soft_add_elastic(body, kinematics, load->host + body->dof_begin, f + body->dof_begin);
    if (load->apart) {
        cond_parallel(n, cond_threads(3 * (size_t)n, load->device->threads), set_diagonal, &loop);
        values[1] = NAN;
    }
}

CondStatus cond_device_load_make(CondDeviceLoad* load, CondAssembly* assembly,
                                 const CondKinematics* kinematics, const double* step, double* f)
{
    const CondModel* model = kinematics->model;
    const CondDeviceOps* ops = load->device->ops;
    CondStatus status = lay_out(load, assembly, model);
    size_t bytes = load->n_dof * sizeof(double);
    load->matrix.block = NULL;
    for (int b = 0; b < model->n_body && !status; b++)
        status = make_body(load, assembly, kinematics, b, step[b]);
    if (!status)
        status = ops->read(load->device, load->host, load->f, bytes);
    if (!status)
        status = ops->read(load->device, load->host + load->n_dof, load->d, bytes);
    if (!status)
        status = ops->wait(load->device);
    if (status)
        return status;
    cond_assembly_begin_made(assembly);
    for (int b = 0; b < model->n_body; b++)
        take_body(load, assembly, kinematics, b, f);
    CondDeviceMatrix* matrix = &load->matrix;
    matrix->whole = matrix->block = assembly->block;
    matrix->A = load->A;
    matrix->position = load->x;
    matrix->there = !load->apart;
    matrix->n_made++;
    return COND_OK;
}

// The device, once; in the first step A is made there.
static CondStatus open_device(CondSim* sim, CondDeviceLoad* load)
{
    CondError error;
    if (load->device)
        return COND_OK;
    load->context = sim->arena.context;
    CondStatus status = cond_device_cuda_create(&load->context, sim->model->settings.solver.threads,
                                                &load->own, &error);
    if (status)
        return cond_error_set(NULL, status, "%s", error.message);
    load->opened = load->apart = load->matrix.wanted = 1;
    load->device = &load->own;
    return COND_OK;
}

CondStatus cond_device_load_try(CondSim* sim, int* made)
{
    CondDeviceLoad* load = sim->on_device;
    *made = 0;
    load->matrix.block = NULL;
    if (sim->held.n > 0 || !cond_solver_reads_on_device(sim->solver) ||
        !cond_device_load_serves(sim->model, &sim->at_start))
        return COND_OK;
    CondStatus status = open_device(sim, load);
    load->matrix.whole = sim->attempt.assembly.block;
    cond_solver_set_matrix(sim->solver, &load->matrix);
    if (status || !load->matrix.wanted)
        return status;
    status =
        cond_device_load_make(load, &sim->attempt.assembly, &sim->at_start, sim->length, sim->f);
    *made = !status;
    if (!status)
        return COND_OK;
    cond_error_set(NULL, status, "CUDA: %s; %zu bytes are held",
                   cond_device_cuda_failure(&load->own), cond_device_cuda_held(&load->own));
    drop(load);
    return status;
}

const CondDeviceMatrix* cond_sim_device_matrix(const CondSim* sim)
{
    return &sim->on_device->matrix;
}
