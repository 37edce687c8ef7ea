#include "assemble/assemble.h"

#include "base/memory.h"
#include "body/body.h"

#include <string.h>

CondStatus cond_assembly_create(const CondModel* model, int only_masses, CondAssembly* assembly)
{
    const CondContext* m = &model->context;
    size_t size = 0;
    assembly->context = *m;
    assembly->block = cond_allocate(m, (size_t)model->n_body, sizeof *assembly->block);
    assembly->block_begin = cond_allocate(m, (size_t)model->n_body, sizeof(size_t));
    assembly->b = cond_allocate(m, (size_t)model->n_dof, sizeof(double));
    if (!assembly->block || !assembly->block_begin || !assembly->b)
        return COND_OUT_OF_MEMORY;
    for (int b = 0; b < model->n_body; b++) {
        assembly->block_begin[b] = size;
        size += only_masses ? cond_body_mass_size(&model->body[b])
                            : cond_body_block_size(&model->body[b]);
    }
    assembly->block_values = cond_allocate(m, size, sizeof(double));
    assembly->problem = (CondProblem){.n_dof = model->n_dof,
                                      .n_block = model->n_body,
                                      .block = assembly->block,
                                      .b = assembly->b};
    return assembly->block_values ? COND_OK : COND_OUT_OF_MEMORY;
}

void cond_assembly_destroy(CondAssembly* assembly)
{
    void* arrays[] = {assembly->block,
                      assembly->block_begin,
                      assembly->block_values,
                      assembly->b,
                      assembly->coupling,
                      assembly->place,
                      assembly->coupling_coordinate,
                      assembly->coupling_jacobian,
                      assembly->coupling_gain,
                      assembly->contact,
                      assembly->coordinate,
                      assembly->jacobian};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        if (arrays[i])
            cond_release(&assembly->context, arrays[i]);
}

static void empty(CondAssembly* assembly)
{
    assembly->n_coupling = 0;
    assembly->n_coupling_coordinate = assembly->n_coupling_jacobian = assembly->n_coupling_gain = 0;
    assembly->problem.n_coupling = assembly->problem.n_contact = 0;
}

void cond_assembly_begin(CondAssembly* assembly, const CondPosture* posture, double step, double* f)
{
    const CondModel* model = posture->model;
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        double* values = assembly->block_values + assembly->block_begin[b];
        if (step > 0.0)
            cond_body_ops(body->kind)
                ->block(body, posture, step, values, &assembly->block[b], f + body->dof_begin);
        else
            cond_body_ops(body->kind)->mass(body, posture, values, &assembly->block[b]);
        assembly->block[b].dof_begin = body->dof_begin;
    }
    empty(assembly);
}

void cond_assembly_begin_damping(CondAssembly* assembly, const CondPosture* posture)
{
    const CondModel* model = posture->model;
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        double* values = assembly->block_values + assembly->block_begin[b];
        cond_body_ops(body->kind)->damping(body, posture, values, &assembly->block[b]);
        assembly->block[b].dof_begin = body->dof_begin;
    }
    empty(assembly);
}

CondStatus cond_assembly_room(CondAssembly* assembly, const CondModel* model, int n_row,
                              CondCouplingRoom* room)
{
    const CondContext* m = &assembly->context;
    int most = 2 * model->max_point_dof;
    int coordinates = assembly->n_coupling_coordinate + most;
    int numbers = assembly->n_coupling_jacobian + n_row * most;
    int gains = assembly->n_coupling_gain + n_row * n_row;
    if (cond_reserve(m, &assembly->coupling, &assembly->cap_coupling, assembly->n_coupling + 1,
                     sizeof *assembly->coupling) ||
        cond_reserve(m, &assembly->place, &assembly->cap_place, assembly->n_coupling + 1,
                     sizeof *assembly->place) ||
        cond_reserve(m, &assembly->coupling_coordinate, &assembly->cap_coupling_coordinate,
                     coordinates, sizeof *assembly->coupling_coordinate) ||
        cond_reserve(m, &assembly->coupling_jacobian, &assembly->cap_coupling_jacobian, numbers,
                     sizeof *assembly->coupling_jacobian) ||
        cond_reserve(m, &assembly->coupling_gain, &assembly->cap_coupling_gain, gains,
                     sizeof *assembly->coupling_gain))
        return COND_OUT_OF_MEMORY;
    room->n_row = n_row;
    room->n_coordinate = 0;
    room->coordinate = assembly->coupling_coordinate + assembly->n_coupling_coordinate;
    room->jacobian = assembly->coupling_jacobian + assembly->n_coupling_jacobian;
    room->gain = assembly->coupling_gain + assembly->n_coupling_gain;
    return COND_OK;
}

void cond_assembly_keep(CondAssembly* assembly, const CondCouplingRoom* room)
{
    if (room->n_coordinate == 0)
        return;
    assembly->place[assembly->n_coupling++] =
        (CondCouplingPlace){.n_row = room->n_row,
                            .n_coordinate = room->n_coordinate,
                            .coordinate = assembly->n_coupling_coordinate,
                            .jacobian = assembly->n_coupling_jacobian,
                            .gain = assembly->n_coupling_gain};
    assembly->n_coupling_coordinate += room->n_coordinate;
    assembly->n_coupling_jacobian += room->n_row * room->n_coordinate;
    assembly->n_coupling_gain += room->n_row * room->n_row;
}

// How many coordinates the sides of the contacts have, and numbers their Jacobians.
static void count_sides(const CondPosture* posture, const CondTouchList* list, int* coordinates,
                        int* numbers)
{
    *coordinates = *numbers = 0;
    for (int c = 0; c < 2 * list->n; c++) {
        const CondPoint* point = &list->touch[c / 2].point[c % 2];
        double world[3];
        int n = cond_posture_point(posture, point, world, NULL, NULL);
        *coordinates += n;
        *numbers += cond_posture_is_node(posture->model, point) ? 0 : 3 * n;
    }
}

// Takes its room from the pools behind *coordinate and *J; a node has no Jacobian.
static CondSide make_side(const CondPosture* posture, const CondPoint* point, int** coordinate,
                          double** J)
{
    int is_node = cond_posture_is_node(posture->model, point);
    double world[3];
    CondSide side = {.coordinate = *coordinate, .jacobian = is_node ? NULL : *J};
    side.n_coordinate = cond_posture_point(posture, point, world, *coordinate, is_node ? NULL : *J);
    *coordinate += side.n_coordinate;
    *J += is_node ? 0 : 3 * side.n_coordinate;
    return side;
}

CondStatus cond_assembly_finish(CondAssembly* assembly, const CondPosture* posture,
                                const CondTouchList* list, double kv)
{
    const CondContext* m = &assembly->context;
    int coordinates, numbers;
    count_sides(posture, list, &coordinates, &numbers);
    if (cond_reserve(m, &assembly->contact, &assembly->cap_contact, list->n,
                     sizeof *assembly->contact) ||
        cond_reserve(m, &assembly->coordinate, &assembly->cap_coordinate, coordinates,
                     sizeof *assembly->coordinate) ||
        cond_reserve(m, &assembly->jacobian, &assembly->cap_jacobian, numbers,
                     sizeof *assembly->jacobian))
        return COND_OUT_OF_MEMORY;
    int* coordinate = assembly->coordinate;
    double* J = assembly->jacobian;
    for (int c = 0; c < list->n; c++) {
        const CondTouch* touch = &list->touch[c];
        CondContact* contact = &assembly->contact[c];
        *contact = (CondContact){.kv = kv, .key = touch->key};
        for (int s = 0; s < 2; s++)
            contact->side[s] = make_side(posture, &touch->point[s], &coordinate, &J);
        memcpy(contact->frame, touch->frame, sizeof contact->frame);
        memcpy(contact->friction, touch->friction, sizeof contact->friction);
    }
    for (int i = 0; i < assembly->n_coupling; i++) {
        const CondCouplingPlace* place = &assembly->place[i];
        assembly->coupling[i] =
            (CondCoupling){.n_row = place->n_row,
                           .n_coordinate = place->n_coordinate,
                           .coordinate = assembly->coupling_coordinate + place->coordinate,
                           .jacobian = assembly->coupling_jacobian + place->jacobian,
                           .gain = assembly->coupling_gain + place->gain};
    }
    assembly->problem.coupling = assembly->coupling;
    assembly->problem.n_coupling = assembly->n_coupling;
    assembly->problem.contact = assembly->contact;
    assembly->problem.n_contact = list->n;
    return COND_OK;
}

void cond_assembly_multiply(const CondAssembly* assembly, const double* x, double* y)
{
    CondProblem blocks = assembly->problem;
    blocks.n_coupling = 0;
    cond_problem_multiply(&blocks, x, y);
}
