// The resident method: what is on the device, and how it gets there and back.
#include "newton/resident_part.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "cuda/device_cuda.h"
#include "newton/tuning.h"

#include <math.h>
#include <string.h>

// ---- the device, with a status that stays

void* cond_resident_room(CondResident* r, CondDeviceBuffers* buffers, size_t bytes)
{
    CondDeviceBuffer* buffer = &buffers->buffer[buffers->next++];
    bytes = bytes > 0 ? bytes : 1;
    if (r->status || buffer->size >= bytes)
        return buffer->data;
    const CondDeviceOps* ops = r->device->ops;
    if (buffer->data) {
        r->status = ops->wait(r->device);
        ops->give(r->device, buffer->data, buffer->size);
    }
    buffer->size = bytes + bytes / 8;
    buffer->data = ops->take(r->device, buffer->size);
    if (!buffer->data) {
        buffer->size = 0;
        r->status = COND_OUT_OF_MEMORY;
    }
    return buffer->data;
}

void* cond_resident_put(CondResident* r, CondDeviceBuffers* buffers, const void* from, size_t bytes)
{
    void* to = cond_resident_room(r, buffers, bytes);
    cond_resident_write(r, to, from, bytes);
    return to;
}

void cond_resident_write(CondResident* r, void* to, const void* from, size_t bytes)
{
    if (!r->status && bytes > 0)
        r->status = r->device->ops->write(r->device, to, from, bytes);
}

void cond_resident_read(CondResident* r, void* to, const void* from, size_t bytes)
{
    if (!r->status && bytes > 0)
        r->status = r->device->ops->read(r->device, to, from, bytes);
}

void cond_resident_loop(CondResident* r, const CondKernel* kernel, int n, size_t work,
                        const void* args)
{
    if (!r->status)
        r->status = r->device->ops->loop(r->device, kernel, n, work, args);
}

void cond_resident_sum(CondResident* r, const CondKernel* kernel, int n, size_t work,
                       const void* args, double* total)
{
    if (!r->status)
        r->status = r->device->ops->sum(r->device, kernel, n, work, args, total);
}

void cond_resident_most(CondResident* r, const CondKernel* kernel, int n, size_t work,
                        const void* args, double* total)
{
    if (!r->status)
        r->status = r->device->ops->most(r->device, kernel, n, work, args, total);
}

void cond_resident_wait(CondResident* r)
{
    if (!r->status)
        r->status = r->device->ops->wait(r->device);
}

CondStatus cond_resident_status(const CondResident* resident)
{
    if (resident->status && resident->apart && cond_device_cuda_failure(resident->device)[0])
        return cond_error_set(NULL, resident->status, "CUDA: %s; %zu bytes are held",
                              cond_device_cuda_failure(resident->device),
                              cond_device_cuda_held(resident->device));
    return resident->status;
}

static void give_back(CondResident* r, CondDeviceBuffers* buffers)
{
    for (int k = 0; k < COND_RESIDENT_BUFFERS; k++)
        if (buffers->buffer[k].data)
            r->device->ops->give(r->device, buffers->buffer[k].data, buffers->buffer[k].size);
}

void cond_resident_destroy(CondResident* r)
{
    if (!r)
        return;
    give_back(r, &r->of_pattern);
    give_back(r, &r->of_problem);
    give_back(r, &r->of_terms);
    give_back(r, &r->of_system);
    give_back(r, &r->of_coarse);
    give_back(r, &r->of_wide);
    give_back(r, &r->of_patches);
    give_back(r, &r->of_levels);
    CondContext context = r->arena.context;
    cond_arena_release(&r->arena);
    cond_release(&context, r);
}

// ---- which problems it serves

int cond_resident_serves(const CondSemismooth* newton, const CondCertificateData* data)
{
    return newton->soft.device && newton->back_end->symmetric && !data->ranks && !data->carry &&
           !data->error && data->problem->n_contact > 0;
}

static CondStatus make_workspace(CondSemismooth* newton)
{
    if (newton->residence)
        return COND_OK;
    CondResident* r = cond_allocate(&newton->arena.context, 1, sizeof *r);
    if (!r)
        return COND_OUT_OF_MEMORY;
    memset(r, 0, sizeof *r);
    r->arena.context = newton->arena.context;
    r->device = newton->soft.device;
    r->apart = cond_device_is_cuda(r->device);
    newton->residence = r;
    return COND_OK;
}

// The blocks of the soft bodies are laid out by the host; their values are on the device alone.
static CondStatus begin_system(CondSemismooth* newton, CondResident* r)
{
    CondSoftSystem* system = &newton->soft.system;
    system->packed.bare = r->apart;
    CondStatus status = newton->back_end->begin(newton);
    if (!status)
        status = cond_soft_system_plan_packed(system);
    system->packed.bare = 0;
    return status;
}

// Scales, and the laws as if no step had been made.
static void start(CondResident* r)
{
    const CondResidentView* v = &r->linear.v;
    int rows = r->n_row;
    cond_resident_loop(r, &cond_resident_absolute_rates, rows, COND_CONTACT_WORK, v);
    cond_resident_loop(r, &cond_resident_absolute_presses, rows, COND_COORDINATE_WORK, v);
    cond_resident_loop(r, &cond_resident_weights, v->n_point, 128, v);
    cond_resident_loop(r, &cond_resident_scales, v->n_contact, 32, v);
    cond_resident_loop(r, &cond_resident_forget_laws, v->n_contact, 16, v);
    cond_resident_forget_slips(r);
}

CondStatus cond_resident_begin(CondSemismooth* newton, const CondCertificateData* data,
                               const CondAnswer* answer)
{
    CondSoftSystem* system = &newton->soft.system;
    CondStatus status = make_workspace(newton);
    CondResident* r = newton->residence;
    if (!status)
        status = begin_system(newton, r);
    if (status)
        return status;
    r->status = COND_OK;
    r->system = system;
    r->linear.v.n_node = system->n_node;
    r->linear.v.n_point = system->n_node + (system->n_interface + 2) / 3;
    cond_resident_put_pattern(r, system);
    cond_resident_put_problem(r, newton, data, answer);
    cond_resident_put_terms(r, system);
    if (!r->status) {
        start(r);
        cond_resident_put_system(r, system);
    }
    r->n_patch_level = -1; // not looked for
    r->depth = COND_DEPTH_BLOCKS;
    r->n_begun++;
    newton->resident = r->status ? NULL : r;
    cond_device_matrix_want(newton->soft.matrix, data->problem);
    return cond_resident_status(r);
}

// ---- back to the host

CondStatus cond_resident_read_best(CondSemismooth* newton, const CondCertificateData* data)
{
    CondResident* r = newton->resident;
    size_t nc = (size_t)data->problem->n_contact;
    cond_resident_read_points(r, newton->v_best, r->linear.v.best_v);
    cond_resident_read(r, newton->lambda_best, r->linear.v.best_lambda, 3 * nc * sizeof(double));
    cond_resident_wait(r);
    return r->status;
}
