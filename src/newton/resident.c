// The resident method: what is on the device, and how it gets there and back.
#include "newton/resident_part.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "cuda/device_cuda.h"
#include "newton/tuning.h"

#include <math.h>
#include <string.h>

#define RESERVE(array, count) COND_RESERVE(&r->arena, r->array, count)
#define ROOM(buffers, field, n)                                                                    \
    ((field) = cond_resident_room(r, &r->buffers, (size_t)(n) * sizeof *(field)))
#define PUT(buffers, field, from, n)                                                               \
    ((field) = cond_resident_put(r, &r->buffers, from, (size_t)(n) * sizeof *(field)))
#define ALIAS(buffers, field, host, n)                                                             \
    ((field) =                                                                                     \
         r->apart ? cond_resident_room(r, &r->buffers, (size_t)(n) * sizeof *(field)) : (host))

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
    give_back(r, &r->of_patches);
    give_back(r, &r->of_levels);
    CondContext context = r->arena.context;
    cond_arena_release(&r->arena);
    cond_release(&context, r);
}

// ---- which problems it serves

int cond_resident_serves(const CondSemismooth* newton, const CondCertificateData* data)
{
    const CondProblem* problem = data->problem;
    const CondSoftSystem* system = &newton->soft.system;
    if (!newton->soft.device || !newton->back_end->symmetric || data->ranks || data->carry ||
        data->bounded || data->error || problem->n_coupling > 0 || problem->n_contact == 0 ||
        system->n_interface > 0 || system->n_other > 0)
        return 0;
    return cond_soft_back_end_levels(&newton->soft);
}

// ---- the problem

// Where the blocks of the nodes are: rows of all bodies, one after the other.
static void put_pattern(CondResident* r, const CondSoftSystem* system)
{
    const CondProblem* problem = system->problem;
    const CondSoftPacked* packed = &system->packed;
    CondCoarseView* a = &r->coarse;
    int n = system->n_node, size = 0, row = 0;
    if (r->apart && r->key == packed->key)
        return;
    r->key = 0;
    r->of_pattern.next = 0;
    for (int b = 0; b < problem->n_block; b++)
        size += problem->block[b].row_begin[problem->block[b].n_dof / 3];
    if (RESERVE(list, 2 * (size_t)n + 1 + (size_t)size > INT32_MAX ? 0 : 2 * n + 1 + size)) {
        r->status = COND_OUT_OF_MEMORY;
        return;
    }
    int *begin = r->list, *diagonal = begin + n + 1, *column = diagonal + n, at = 0;
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        int first = row;
        for (int i = 0; i < block->n_dof / 3; i++, row++) {
            begin[row] = at;
            for (int k = block->row_begin[i]; k < block->row_begin[i + 1]; k++, at++) {
                column[at] = first + block->column[k];
                diagonal[row] = block->column[k] == i ? at : diagonal[row];
            }
        }
    }
    begin[n] = at;
    a->n_node = n;
    a->n_part = packed->n_part;
    a->n_place = 4 * packed->n_four;
    PUT(of_pattern, a->row_begin, begin, n + 1);
    PUT(of_pattern, a->column, column, size);
    PUT(of_pattern, a->at_diagonal, diagonal, n);
    PUT(of_pattern, a->order, packed->order, a->n_place);
    PUT(of_pattern, a->rank, packed->rank, n);
    PUT(of_pattern, a->part_four, packed->part_four, a->n_part + 1);
    r->key = packed->key;
}

// The contacts of each node, ascending.
static void list_contacts(CondResident* r, const CondSoftSystem* system)
{
    int n = system->n_node, nc = system->problem->n_contact;
    if (RESERVE(contact_begin, n + 2) || RESERVE(contact_of, nc)) {
        r->status = COND_OUT_OF_MEMORY;
        return;
    }
    int* begin = r->contact_begin; // one place further on until all are there
    memset(begin, 0, ((size_t)n + 2) * sizeof *begin);
    for (int c = 0; c < nc; c++)
        begin[system->lone[c] + 2]++;
    for (int i = 0; i < n; i++)
        begin[i + 2] += begin[i + 1];
    for (int c = 0; c < nc; c++)
        r->contact_of[begin[system->lone[c] + 1]++] = c;
}

static void room_for_pair(CondResident* r, CondPairView* pair, int n, int nc)
{
    ROOM(of_problem, pair->v, n);
    ROOM(of_problem, pair->lambda, 3 * nc);
    ROOM(of_problem, pair->r, n);
    ROOM(of_problem, pair->u, 3 * nc);
}

// A, of all bodies one after the other; it may be there.
static void put_matrix(CondResident* r, const CondProblem* problem, const CondDeviceMatrix* made)
{
    size_t size = 0, at = 0;
    if (cond_device_matrix_is_of(made, problem)) {
        r->of_problem.next++;
        r->view.A = made->A;
        return;
    }
    for (int b = 0; b < problem->n_block; b++)
        size += 9 * (size_t)problem->block[b].row_begin[problem->block[b].n_dof / 3];
    double* A;
    ROOM(of_problem, A, size);
    r->view.A = A;
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        size_t own = 9 * (size_t)block->row_begin[block->n_dof / 3];
        cond_resident_write(r, A + at, block->values, own * sizeof *A);
        at += own;
    }
}

static void put_positions(CondResident* r, const CondProblem* problem, const CondDeviceMatrix* made)
{
    double* position;
    if (cond_device_matrix_is_of(made, problem)) {
        r->of_problem.next++;
        r->coarse.position = made->position;
        return;
    }
    ROOM(of_problem, position, problem->n_dof);
    for (int b = 0; b < problem->n_block; b++)
        cond_resident_write(r, position + problem->block[b].dof_begin, problem->block[b].position,
                            (size_t)problem->block[b].n_dof * sizeof *position);
    r->coarse.position = position;
}

static void put_problem(CondResident* r, CondSemismooth* newton, const CondCertificateData* data,
                        const CondAnswer* answer)
{
    const CondProblem* problem = data->problem;
    CondSoftSystem* system = &newton->soft.system;
    int n = problem->n_dof, nc = problem->n_contact;
    CondResidentView* v = &r->view;
    r->of_problem.next = 0;
    v->n_node = system->n_node;
    v->n_contact = nc;
    v->law = data->law;
    v->omega = data->omega;
    v->least = COND_RESISTANCE_ITERATIVE;
    put_matrix(r, problem, newton->soft.matrix);
    PUT(of_problem, v->b, problem->b, n);
    PUT(of_problem, v->diagonal, data->diagonal, n);
    PUT(of_problem, v->contact, problem->contact, nc);
    PUT(of_problem, v->node, system->lone, nc);
    list_contacts(r, system);
    if (r->status)
        return;
    PUT(of_problem, v->contact_begin, r->contact_begin, system->n_node + 1);
    PUT(of_problem, v->contact_of, r->contact_of, nc);
    PUT(of_problem, v->delassus, data->delassus, nc);
    PUT(of_problem, v->compliance, data->compliance, nc);
    PUT(of_problem, v->carried, data->carried, nc);
    int* relaxed;
    ROOM(of_problem, relaxed, nc);
    if (data->relaxed)
        cond_resident_write(r, relaxed, data->relaxed, (size_t)nc * sizeof *relaxed);
    v->relaxed = data->relaxed ? relaxed : NULL;
    room_for_pair(r, &v->now, n, nc);
    room_for_pair(r, &v->next, n, nc);
    room_for_pair(r, &v->tried, n, nc);
    room_for_pair(r, &r->reference, n, nc);
    cond_resident_write(r, v->now.v, answer->v, (size_t)n * sizeof *v->now.v);
    cond_resident_write(r, v->now.lambda, answer->lambda, 3 * (size_t)nc * sizeof *v->now.lambda);
    put_positions(r, problem, newton->soft.matrix);
}

static void make_room(CondResident* r, CondSoftSystem* system)
{
    int n = system->problem->n_dof, nc = system->problem->n_contact, nn = system->n_node;
    CondResidentView* v = &r->view;
    ROOM(of_problem, v->w, n);
    ROOM(of_problem, v->gamma, nc);
    ROOM(of_problem, v->best_v, n);
    ROOM(of_problem, v->best_lambda, 3 * nc);
    ROOM(of_problem, v->linear, nc);
    ROOM(of_problem, v->trial, 3 * nc);
    ROOM(of_problem, v->slip_before, 2 * nc);
    ROOM(of_problem, v->predicted, 3 * nc);
    ROOM(of_problem, v->kind, nc);
    ROOM(of_problem, v->patch, 3 * nc);
    ROOM(of_problem, v->B, 9 * nn);
    ROOM(of_problem, v->x, n);
    ROOM(of_problem, v->dx, n);
    ROOM(of_problem, v->change, n);
    ROOM(of_problem, v->norm, 4 * nn);
    ROOM(of_problem, v->speed, nc);
    ROOM(of_problem, v->error, nc);
    ROOM(of_problem, v->penetration, nc);
}

// What the solver of the linear system reads: on the host its own arrays.
static void make_system_room(CondResident* r, CondSoftSystem* system)
{
    CondSoftPacked* packed = &system->packed;
    CondAggregation* coarse = &packed->coarse;
    CondResidentView* v = &r->view;
    CondCoarseView* a = &r->coarse;
    int places = a->n_place;
    ROOM(of_problem, v->on_diagonal, 9 * places);
    ALIAS(of_problem, v->pairs, packed->B, 12 * (size_t)places);
    ALIAS(of_problem, v->packed_r, packed->r, 4 * (size_t)places);
    ALIAS(of_problem, v->packed_x, packed->x, 4 * (size_t)places);
    ALIAS(of_problem, a->frame, coarse->frame, 8 * (size_t)places);
    ALIAS(of_problem, a->rows, coarse->rows, 24 * (size_t)places);
    ALIAS(of_problem, a->held, coarse->held, places);
    ALIAS(of_problem, a->changed, coarse->changed, places);
    ALIAS(of_problem, a->skew, coarse->skew, places);
    ALIAS(of_problem, a->n_skew, coarse->n_skew, a->n_part);
    ROOM(of_problem, a->skewed, places);
    ROOM(of_problem, a->near_change, places);
    ROOM(of_problem, a->due, a->n_part);
    ROOM(of_problem, a->skew_begin, a->n_part + 1);
    ROOM(of_problem, a->skew_place, places);
    ROOM(of_problem, a->skew_rows, 24 * (size_t)places);
    ROOM(of_problem, a->middle, 3 * (size_t)a->n_part);
    v->row_begin = a->row_begin;
    v->column = a->column;
    v->at_diagonal = a->at_diagonal;
    v->rank = a->rank;
    v->order = a->order;
    a->A = v->A;
    a->B = v->B;
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

CondStatus cond_resident_begin(CondSemismooth* newton, const CondCertificateData* data,
                               const CondAnswer* answer)
{
    CondSoftSystem* system = &newton->soft.system;
    CondStatus status = make_workspace(newton);
    CondResident* r = newton->residence;
    if (status)
        return status;
    system->packed.bare = r->apart;
    status = newton->back_end->begin(newton);
    system->packed.bare = 0;
    if (status)
        return status;
    if (!system->deep || system->packed.coarse.n_level < 2) {
        status = cond_device_matrix_fetch(newton->soft.matrix, data->problem);
        if (!status && r->apart && system->packed.ready)
            cond_soft_packed_fill(&system->packed, system->problem, newton->threads);
        return status;
    }
    r->status = COND_OK;
    r->system = system;
    put_pattern(r, system);
    put_problem(r, newton, data, answer);
    make_room(r, system);
    make_system_room(r, system);
    cond_resident_lay_out_levels(r, system);
    CondResidentView* v = &r->view;
    cond_resident_loop(r, &cond_resident_weights, v->n_node, 128, v);
    cond_resident_loop(r, &cond_resident_scales, v->n_contact, 8, v);
    cond_resident_loop(r, &cond_resident_forget_laws, v->n_contact, 16, v);
    cond_resident_forget_slips(r);
    cond_resident_place_levels(r, system);
    r->n_patch_level = -1; // not looked for
    newton->resident = r->status ? NULL : r;
    cond_device_matrix_want(newton->soft.matrix, data->problem);
    return cond_resident_status(r);
}

// ---- back to the host

static void read_pair(CondResident* r, const CondPairView* from, CondPair* to, size_t n, size_t nc)
{
    cond_resident_read(r, to->v, from->v, n * sizeof *to->v);
    cond_resident_read(r, to->lambda, from->lambda, 3 * nc * sizeof *to->lambda);
    cond_resident_read(r, to->r, from->r, n * sizeof *to->r);
    cond_resident_read(r, to->u, from->u, 3 * nc * sizeof *to->u);
}

CondStatus cond_resident_leave(CondSemismooth* newton, const CondCertificateData* data)
{
    CondResident* r = newton->resident;
    CondSoftSystem* system = &newton->soft.system;
    const CondResidentView* v = &r->view;
    size_t n = (size_t)data->problem->n_dof, nc = (size_t)data->problem->n_contact;
    read_pair(r, &v->now, &newton->now, n, nc);
    read_pair(r, &v->next, &newton->next, n, nc);
    read_pair(r, &r->reference, &newton->reference, n, nc);
    cond_resident_read(r, newton->v_best, v->best_v, n * sizeof *newton->v_best);
    cond_resident_read(r, newton->lambda_best, v->best_lambda, 3 * nc * sizeof(double));
    cond_resident_read(r, newton->law, v->linear, nc * sizeof *newton->law);
    cond_resident_read(r, newton->slip_before, v->slip_before, 2 * nc * sizeof(double));
    cond_resident_read(r, newton->predicted, v->predicted, 3 * nc * sizeof(double));
    cond_resident_read(r, newton->kind, v->kind, nc * sizeof *newton->kind);
    cond_resident_wait(r);
    newton->resident = NULL;
    r->n_left++;
    if (!r->status)
        r->status = cond_device_matrix_fetch(newton->soft.matrix, data->problem);
    if (r->apart && !r->status)
        cond_soft_packed_fill(&system->packed, system->problem, newton->threads);
    return r->status;
}

CondStatus cond_resident_read_best(CondSemismooth* newton, const CondCertificateData* data)
{
    CondResident* r = newton->resident;
    size_t n = (size_t)data->problem->n_dof, nc = (size_t)data->problem->n_contact;
    cond_resident_read(r, newton->v_best, r->view.best_v, n * sizeof *newton->v_best);
    cond_resident_read(r, newton->lambda_best, r->view.best_lambda, 3 * nc * sizeof(double));
    cond_resident_wait(r);
    return r->status;
}
