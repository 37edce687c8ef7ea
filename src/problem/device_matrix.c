// A on a device, and its way to the host.
#include "problem/device_matrix.h"

int cond_device_matrix_is_of(const CondDeviceMatrix* matrix, const CondProblem* problem)
{
    return matrix && matrix->block && matrix->block == problem->block;
}

CondStatus cond_device_matrix_fetch(CondDeviceMatrix* matrix, const CondProblem* problem)
{
    if (!cond_device_matrix_is_of(matrix, problem) || matrix->there)
        return COND_OK;
    CondDevice* device = matrix->device;
    CondStatus status =
        device->ops->read(device, matrix->values, matrix->A, matrix->size * sizeof *matrix->A);
    if (!status)
        status = device->ops->wait(device);
    matrix->there = !status;
    matrix->wanted = 0;
    matrix->n_fetched++;
    return status;
}

void cond_device_matrix_want(CondDeviceMatrix* matrix, const CondProblem* problem)
{
    if (matrix && matrix->whole == problem->block)
        matrix->wanted = 1;
}
