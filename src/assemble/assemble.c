#include "assemble/assemble.h"

#include "base/memory.h"
#include "body/body.h"

#include <string.h>

CondStatus cond_assembly_create(const CondModel* model, CondAssembly* assembly)
{
    const CondContext* m = &model->context;
    assembly->context = *m;
    assembly->block = cond_allocate(m, (size_t)model->n_body, sizeof *assembly->block);
    assembly->block_values = cond_allocate(m, 36 * (size_t)model->n_body, sizeof(double));
    assembly->b = cond_allocate(m, (size_t)model->n_dof, sizeof(double));
    assembly->link = cond_allocate(m, (size_t)model->n_spring, sizeof *assembly->link);
    assembly->coupling = cond_allocate(m, (size_t)model->n_spring, sizeof *assembly->coupling);
    assembly->problem = (CondProblem){.n_dof = model->n_dof,
                                      .n_block = model->n_body,
                                      .block = assembly->block,
                                      .coupling = assembly->coupling,
                                      .b = assembly->b};
    return assembly->block && assembly->block_values && assembly->b && assembly->link &&
                   assembly->coupling
               ? COND_OK
               : COND_OUT_OF_MEMORY;
}

void cond_assembly_destroy(CondAssembly* assembly)
{
    void* arrays[] = {assembly->block,      assembly->block_values, assembly->b,
                      assembly->link,       assembly->coupling,     assembly->contact,
                      assembly->coordinate, assembly->jacobian};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        if (arrays[i])
            cond_release(&assembly->context, arrays[i]);
}

void cond_assembly_masses(CondAssembly* assembly, const CondModel* model, double scale)
{
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        double* values = assembly->block_values + 36 * (size_t)b;
        cond_body_ops(body->kind)->mass(body, values);
        for (int i = 0; i < body->n_dof * body->n_dof; i++)
            values[i] *= scale;
        assembly->block[b] = (CondBlock){.kind = COND_BLOCK_DENSE,
                                         .dof_begin = body->dof_begin,
                                         .n_dof = body->n_dof,
                                         .values = values};
    }
    assembly->problem.n_coupling = 0;
    assembly->problem.n_contact = 0;
}

void cond_assembly_multiply(const CondAssembly* assembly, const double* x, double* y)
{
    CondProblem blocks = assembly->problem;
    blocks.n_coupling = 0;
    cond_problem_multiply(&blocks, x, y);
}

void cond_assembly_springs(CondAssembly* assembly, const CondModel* model)
{
    for (int i = 0; i < model->n_spring; i++) {
        const CondSpringLink* link = &assembly->link[i];
        assembly->coupling[i] = (CondCoupling){.n_row = 3,
                                               .n_coordinate = link->n_coordinate,
                                               .coordinate = link->coordinate,
                                               .jacobian = link->jacobian,
                                               .gain = link->gain};
    }
    assembly->problem.n_coupling = model->n_spring;
}

CondStatus cond_assembly_contacts(CondAssembly* assembly, const CondModel* model,
                                  const CondState* state, const CondTouchList* list, double kv)
{
    const CondContext* m = &assembly->context;
    if (cond_reserve(m, &assembly->contact, &assembly->cap_contact, list->n,
                     sizeof *assembly->contact) ||
        cond_reserve(m, &assembly->coordinate, &assembly->cap_coordinate, 6 * list->n,
                     sizeof *assembly->coordinate) ||
        cond_reserve(m, &assembly->jacobian, &assembly->cap_jacobian, 18 * list->n,
                     sizeof *assembly->jacobian))
        return COND_OUT_OF_MEMORY;
    for (int c = 0; c < list->n; c++) {
        const CondTouch* touch = &list->touch[c];
        const CondBody* body = &model->body[touch->body];
        CondContact* contact = &assembly->contact[c];
        int* coordinate = assembly->coordinate + 6 * (size_t)c;
        double* J = assembly->jacobian + 18 * (size_t)c;
        double world[3];
        for (int k = 0; k < body->n_dof; k++)
            coordinate[k] = body->dof_begin + k;
        cond_body_ops(body->kind)
            ->point(state->position + 3 * touch->body, state->orientation + 4 * touch->body,
                    model->point + 3 * (size_t)touch->point, world, J);
        *contact = (CondContact){.kv = kv, .key = touch->key};
        contact->side[0] = (CondSide){
            .n_coordinate = body->n_dof,
            .coordinate = coordinate,
            .jacobian = body->kind == COND_BODY_PARTICLE ? NULL : J, // a particle is a node
        };
        memcpy(contact->frame, model->plane[touch->plane].frame, sizeof contact->frame);
        memcpy(contact->friction, touch->friction, sizeof contact->friction);
    }
    assembly->problem.contact = assembly->contact;
    assembly->problem.n_contact = list->n;
    return COND_OK;
}
