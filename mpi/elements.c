// Distributes the elements of soft bodies over the ranks (elements.h).
#include "elements.h"

#include "model/fem.h"
#include "share.h"

#include <math.h>

static void complete(void* data, double* f)
{
    const CondMpiBody* body = data;
    CondMpiElements* e = body->elements;
    cond_mpi_spread(e->world, body->n_dof, e->deal.owner + body->dof_begin, e->spread, e->lengths,
                    e->begins, f);
}

static double sum(void* data, double of_own)
{
    const CondMpiBody* body = data;
    CondMpiWorld* world = body->elements->world;
    double total = 0.0;
    MPI_Allreduce(&of_own, &total, 1, MPI_DOUBLE, MPI_SUM, world->comm);
    world->count.gathers += 1.0;
    world->count.gather_bytes += (double)sizeof total;
    return total;
}

// The bodies as blocks without values.
static CondStatus deal_out(CondMpiElements* e, const CondModel* model)
{
    CondBlock* block = cond_arena_allocate(&e->arena, (size_t)model->n_body + 1, sizeof *block);
    if (!block)
        return COND_OUT_OF_MEMORY;
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        block[b] = (CondBlock){
            .kind = COND_BLOCK_DENSE, .dof_begin = body->dof_begin, .n_dof = body->n_dof};
        if (body->kind == COND_BODY_SOFT) {
            block[b].kind = COND_BLOCK_BSR3;
            block[b].row_begin = body->fem->pattern.row_begin;
            block[b].column = body->fem->pattern.column;
        }
    }
    CondProblem problem = {.n_dof = model->n_dof, .n_block = model->n_body, .block = block};
    CondStatus status = cond_mpi_deal_out(&e->deal, &problem, e->world->size);
    cond_arena_drop(&e->arena, block);
    return status;
}

// 1 where nothing but the solver reads rows of A: one linear problem a step, and no attachment that
// does not give, whose wrench is read from them.
static int reads_rows_alone(const CondSim* sim)
{
    const CondModel* model = sim->model;
    if (model->settings.integrator != COND_INTEGRATOR_THETA)
        return 0;
    for (int i = 0; i < model->n_attachment; i++)
        if (isinf(model->attachment[i].stiffness[0]))
            return 0;
    return 1;
}

CondStatus cond_mpi_elements_begin(CondMpiElements* e, CondMpiWorld* world, const CondModel* model,
                                   CondSim* sim)
{
    e->world = world;
    e->arena.context = e->deal.arena.context = model->arena.context;
    CondStatus status = deal_out(e, model);
    e->body = cond_arena_allocate(&e->arena, (size_t)model->n_body + 1, sizeof *e->body);
    e->spread = cond_arena_allocate(&e->arena, (size_t)model->n_dof + 1, sizeof *e->spread);
    e->lengths = cond_arena_allocate(&e->arena, (size_t)world->size, sizeof *e->lengths);
    e->begins = cond_arena_allocate(&e->arena, (size_t)world->size, sizeof *e->begins);
    if (status || !e->body || !e->spread || !e->lengths || !e->begins)
        return status ? status : COND_OUT_OF_MEMORY;
    world->owner = e->deal.owner;
    world->n_dof = model->n_dof;
    int rows = reads_rows_alone(sim);
    for (int b = 0; b < model->n_body; b++) {
        CondMpiBody* body = &e->body[b];
        if (model->body[b].kind != COND_BODY_SOFT)
            continue;
        int n = model->body[b].fem->n_node;
        body->elements = e;
        body->dof_begin = model->body[b].dof_begin;
        body->n_dof = model->body[b].n_dof;
        body->node = cond_arena_allocate(&e->arena, (size_t)n, sizeof *body->node);
        if (!body->node)
            return COND_OUT_OF_MEMORY;
        for (int i = 0; i < n; i++)
            body->node[i] = e->deal.owner[body->dof_begin + 3 * i] == world->rank;
        for (int k = 0; k < 2; k++)
            body->own[k] = (CondFemOwn){
                .node = body->node, .rows = k, .data = body, .complete = complete, .sum = sum};
        sim->at_start.fem[b].own = &body->own[rows];
        sim->at_end.fem[b].own = &body->own[0];
    }
    return COND_OK;
}

void cond_mpi_elements_destroy(CondMpiElements* elements)
{
    cond_mpi_deal_destroy(&elements->deal);
    cond_arena_release(&elements->arena);
}
