// Elements of a body on a device.
#include "model/fem_device.h"

#include "base/memory.h"
#include "model/fem_item.h"
#include "model/tuning.h"

#include <string.h>

// The arrays of a body on the device.
enum {
    CORNER_BEGIN,
    CORNER_OF,
    ELEMENT,
    MATERIAL,
    GRADIENT,
    VOLUME,
    PLACE,
    OF_MATERIAL,
    MODULI,
    MASS,
    MASS_DAMPING,
    ROW_BEGIN,
    DIAGONAL,
    ENERGY,
    N_ARRAY
};

int cond_fem_device_serves(const CondFem* fem, CondFemGeometric geometric)
{
    return fem->n_inner == 0 && cond_fem_item_serves(fem, geometric);
}

void cond_fem_device_drop(CondDevice* device, CondFemOnDevice* on)
{
    CondContext context = device->context;
    for (int k = 0; k < N_ARRAY; k++)
        if (on->array[k])
            device->ops->give(device, on->array[k], on->bytes[k]);
    cond_release(&context, on->material);
    memset(on, 0, sizeof *on);
}

static CondStatus put(CondDevice* device, CondFemOnDevice* on, int name, const void* from,
                      size_t bytes)
{
    on->bytes[name] = bytes > 0 ? bytes : 1;
    on->array[name] = device->ops->take(device, on->bytes[name]);
    if (!on->array[name])
        return COND_OUT_OF_MEMORY;
    return from ? device->ops->write(device, on->array[name], from, bytes) : COND_OK;
}

static CondStatus put_corners(CondDevice* device, const CondFem* fem, CondFemOnDevice* on)
{
    CondContext context = device->context;
    size_t nn = (size_t)fem->n_node, n = 4 * (size_t)fem->n_element;
    int* begin = cond_allocate(&context, nn + 2 + n, sizeof *begin);
    if (!begin)
        return COND_OUT_OF_MEMORY;
    cond_fem_list_corners(fem, begin, begin + nn + 2);
    CondStatus status = put(device, on, CORNER_BEGIN, begin, (nn + 1) * sizeof *begin);
    if (!status)
        status = put(device, on, CORNER_OF, begin + nn + 2, n * sizeof *begin);
    if (!status)
        status = device->ops->wait(device); // before the lists go
    cond_release(&context, begin);
    return status;
}

CondStatus cond_fem_device_put(CondDevice* device, const CondFem* fem, CondFemOnDevice* on)
{
    size_t nn = (size_t)fem->n_node, ne = (size_t)fem->n_element, nm = (size_t)fem->n_material;
    CondContext context = device->context;
    CondStatus status = put_corners(device, fem, on);
    const struct {
        int name;
        const void* from;
        size_t bytes;
    } arrays[] = {{ELEMENT, fem->element, 4 * ne * sizeof *fem->element},
                  {MATERIAL, fem->material_of_element, ne * sizeof *fem->material_of_element},
                  {GRADIENT, fem->gradient, 9 * ne * sizeof *fem->gradient},
                  {VOLUME, fem->volume, ne * sizeof *fem->volume},
                  {PLACE, fem->place, 16 * ne * sizeof *fem->place},
                  {OF_MATERIAL, fem->material, nm * sizeof *fem->material},
                  {MODULI, fem->moduli, nm * sizeof *fem->moduli},
                  {MASS, fem->mass, nn * sizeof *fem->mass},
                  {MASS_DAMPING, fem->mass_damping, nn * sizeof *fem->mass_damping},
                  {ROW_BEGIN, fem->pattern.row_begin, (nn + 1) * sizeof *fem->pattern.row_begin},
                  {DIAGONAL, fem->pattern.diagonal, nn * sizeof *fem->pattern.diagonal},
                  {ENERGY, NULL, ne * sizeof(double)}};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays && !status; k++)
        status = put(device, on, arrays[k].name, arrays[k].from, arrays[k].bytes);
    on->material = status ? NULL : cond_allocate(&context, nm, sizeof *on->material);
    if (!status && !on->material)
        status = COND_OUT_OF_MEMORY;
    if (status) {
        cond_fem_device_drop(device, on);
        return status;
    }
    memcpy(on->material, fem->material, nm * sizeof *on->material);
    on->fem = fem;
    return COND_OK;
}

// A material decides moduli, masses and damping; nothing else of a body changes.
static CondStatus renew(CondDevice* device, CondFemOnDevice* on)
{
    const CondFem* fem = on->fem;
    const CondDeviceOps* ops = device->ops;
    size_t nn = (size_t)fem->n_node, size = (size_t)fem->n_material * sizeof *fem->material;
    if (memcmp(on->material, fem->material, size) == 0)
        return COND_OK;
    CondStatus status = ops->write(device, on->array[OF_MATERIAL], fem->material, size);
    if (!status)
        status = ops->write(device, on->array[MODULI], fem->moduli, on->bytes[MODULI]);
    if (!status)
        status = ops->write(device, on->array[MASS], fem->mass, nn * sizeof *fem->mass);
    if (!status)
        status = ops->write(device, on->array[MASS_DAMPING], fem->mass_damping,
                            nn * sizeof *fem->mass_damping);
    if (!status)
        memcpy(on->material, fem->material, size);
    return status;
}

CondStatus cond_fem_device_make(CondDevice* device, CondFemOnDevice* on,
                                const CondFemOnDeviceTask* task)
{
    CondStatus status = renew(device, on);
    int constant = task->policy.geometric == COND_FEM_GEOMETRIC_CONSTANT;
    CondFemView view = {.n_node = on->fem->n_node,
                        .x = task->x,
                        .corner_begin = on->array[CORNER_BEGIN],
                        .corner_of = on->array[CORNER_OF],
                        .element = on->array[ELEMENT],
                        .material = on->array[MATERIAL],
                        .gradient = on->array[GRADIENT],
                        .volume = on->array[VOLUME],
                        .place = on->array[PLACE],
                        .of_material = on->array[OF_MATERIAL],
                        .moduli = on->array[MODULI],
                        .mass = on->array[MASS],
                        .mass_damping = on->array[MASS_DAMPING],
                        .row_begin = on->array[ROW_BEGIN],
                        .diagonal = on->array[DIAGONAL],
                        .mass_scale = task->mass_scale,
                        .stiffness_scale = task->stiffness_scale,
                        .constant = constant ? task->policy.constant : 0.0,
                        .A = task->A,
                        .f = task->f,
                        .d = task->d,
                        .energy = on->array[ENERGY]};
    size_t work = on->fem->n_node > 0
                      ? COND_ELEMENT_WORK * 4 * (size_t)on->fem->n_element / (size_t)on->fem->n_node
                      : 1;
    return status ? status : device->ops->loop(device, &cond_fem_rows, view.n_node, work, &view);
}
