// Islands: the parts of a contact problem that no contact and no coupling joins.
#include "strategy/island.h"

#include <string.h>

void cond_islands_begin(const CondContext* context, CondIslands* islands)
{
    memset(islands, 0, sizeof *islands);
    cond_arena_begin(context, &islands->arena);
}

void cond_islands_end(CondIslands* islands)
{
    cond_arena_release(&islands->arena);
}

// Joins the blocks of coordinates with each other and with the block `with`; -1: none. Returns one
// of them.
static int join(CondIslands* islands, int n, const int* coordinate, int with)
{
    for (int k = 0; k < n; k++) {
        int block = islands->block_of[coordinate[k]];
        if (block != with)
            cond_components_join(&islands->blocks, block, with);
        with = block;
    }
    return with;
}

CondStatus cond_islands_find(CondIslands* islands, const CondProblem* problem)
{
    if (cond_components_reserve(&islands->arena, problem->n_block, &islands->blocks) ||
        COND_RESERVE(&islands->arena, islands->block_of, problem->n_dof))
        return COND_OUT_OF_MEMORY;
    cond_components_begin(problem->n_block, &islands->blocks);
    if (problem->n_block <= 1) { // whatever its contacts are
        cond_components_end(&islands->blocks);
        islands->n = islands->blocks.n;
        return COND_OK;
    }
    for (int i = 0; i < problem->n_block; i++)
        for (int k = 0; k < problem->block[i].n_dof; k++)
            islands->block_of[problem->block[i].dof_begin + k] = i;
    for (int i = 0; i < problem->n_coupling; i++)
        join(islands, problem->coupling[i].n_coordinate, problem->coupling[i].coordinate, -1);
    for (int c = 0; c < problem->n_contact; c++) {
        const CondSide* side = problem->contact[c].side;
        int with = join(islands, side[0].n_coordinate, side[0].coordinate, -1);
        join(islands, side[1].n_coordinate, side[1].coordinate, with);
    }
    cond_components_end(&islands->blocks);
    islands->n = islands->blocks.n;
    return COND_OK;
}

// ---- splitting

static int island_of(const CondIslands* islands, const int* coordinate)
{
    return islands->blocks.of[islands->block_of[coordinate[0]]];
}

static int island_of_contact(const CondIslands* islands, const CondContact* contact)
{
    return island_of(islands, contact->side[contact->side[0].n_coordinate > 0 ? 0 : 1].coordinate);
}

// Sizes of the islands, and where each begins. Returns how many coordinates couplings and contacts
// name in all.
static int measure(CondIslands* islands, const CondProblem* problem)
{
    int named = 0;
    memset(islands->island, 0, (size_t)islands->n * sizeof *islands->island);
    for (int i = 0; i < problem->n_block; i++) {
        CondIsland* island = &islands->island[islands->blocks.of[i]];
        island->n_block++;
        island->n_dof += problem->block[i].n_dof;
    }
    for (int i = 0; i < problem->n_coupling; i++) {
        const CondCoupling* coupling = &problem->coupling[i];
        named += coupling->n_coordinate;
        if (coupling->n_coordinate > 0)
            islands->island[island_of(islands, coupling->coordinate)].n_coupling++;
    }
    for (int c = 0; c < problem->n_contact; c++) {
        const CondContact* contact = &problem->contact[c];
        named += contact->side[0].n_coordinate + contact->side[1].n_coordinate;
        islands->island[island_of_contact(islands, contact)].n_contact++;
    }
    for (int i = 1; i < islands->n; i++) {
        const CondIsland* last = &islands->island[i - 1];
        CondIsland* island = &islands->island[i];
        island->dof = last->dof + last->n_dof;
        island->block = last->block + last->n_block;
        island->coupling = last->coupling + last->n_coupling;
        island->contact = last->contact + last->n_contact;
    }
    return named;
}

// Counts an island's parts again while they are handed out.
static void begin_again(CondIslands* islands)
{
    for (int i = 0; i < islands->n; i++) {
        CondIsland* island = &islands->island[i];
        island->n_dof = island->n_block = island->n_coupling = island->n_contact = 0;
    }
}

static void place_blocks(CondIslands* islands, const CondProblem* problem)
{
    for (int i = 0; i < problem->n_block; i++) {
        CondIsland* island = &islands->island[islands->blocks.of[i]];
        CondBlock* block = &islands->block[island->block + island->n_block++];
        *block = problem->block[i];
        block->dof_begin = island->n_dof;
        for (int k = 0; k < block->n_dof; k++) {
            int from = problem->block[i].dof_begin + k, to = island->dof + island->n_dof;
            islands->number[from] = island->n_dof++;
            islands->dof_at[to] = from;
            islands->b[to] = problem->b[from];
        }
    }
}

// The coordinates with their numbers within the island, written at *next, which goes on.
static const int* rename(const CondIslands* islands, int n, const int* coordinate, int** next)
{
    int* own = *next;
    for (int k = 0; k < n; k++)
        own[k] = islands->number[coordinate[k]];
    *next += n;
    return own;
}

static void place_couplings(CondIslands* islands, const CondProblem* problem, int** next)
{
    for (int i = 0; i < problem->n_coupling; i++) {
        const CondCoupling* from = &problem->coupling[i];
        if (from->n_coordinate == 0)
            continue;
        CondIsland* island = &islands->island[island_of(islands, from->coordinate)];
        CondCoupling* coupling = &islands->coupling[island->coupling + island->n_coupling++];
        *coupling = *from;
        coupling->coordinate = rename(islands, from->n_coordinate, from->coordinate, next);
    }
}

static void place_contacts(CondIslands* islands, const CondProblem* problem, int** next)
{
    for (int c = 0; c < problem->n_contact; c++) {
        CondIsland* island = &islands->island[island_of_contact(islands, &problem->contact[c])];
        int at = island->contact + island->n_contact++;
        CondContact* contact = &islands->contact[at];
        islands->contact_at[at] = c;
        *contact = problem->contact[c];
        for (int s = 0; s < 2; s++) {
            CondSide* side = &contact->side[s];
            side->coordinate = rename(islands, side->n_coordinate, side->coordinate, next);
        }
    }
}

CondStatus cond_islands_split(CondIslands* islands, const CondProblem* problem)
{
    CondArena* arena = &islands->arena;
    if (COND_RESERVE(arena, islands->island, islands->n))
        return COND_OUT_OF_MEMORY;
    int named = measure(islands, problem);
    if (COND_RESERVE(arena, islands->number, problem->n_dof) ||
        COND_RESERVE(arena, islands->dof_at, problem->n_dof) ||
        COND_RESERVE(arena, islands->b, problem->n_dof) ||
        COND_RESERVE(arena, islands->block, problem->n_block) ||
        COND_RESERVE(arena, islands->coupling, problem->n_coupling) ||
        COND_RESERVE(arena, islands->contact, problem->n_contact) ||
        COND_RESERVE(arena, islands->contact_at, problem->n_contact) ||
        COND_RESERVE(arena, islands->coordinate, named))
        return COND_OUT_OF_MEMORY;
    int* next = islands->coordinate;
    begin_again(islands);
    place_blocks(islands, problem);
    place_couplings(islands, problem, &next);
    place_contacts(islands, problem, &next);
    return COND_OK;
}

CondProblem cond_islands_problem(const CondIslands* islands, int i)
{
    const CondIsland* island = &islands->island[i];
    return (CondProblem){.n_dof = island->n_dof,
                         .n_block = island->n_block,
                         .n_coupling = island->n_coupling,
                         .n_contact = island->n_contact,
                         .block = islands->block + island->block,
                         .coupling = islands->coupling + island->coupling,
                         .contact = islands->contact + island->contact,
                         .b = islands->b + island->dof};
}

void cond_islands_gather(const CondIslands* islands, int i, const double* v, const double* lambda,
                         double* own_v, double* own_lambda)
{
    const CondIsland* island = &islands->island[i];
    for (int k = 0; k < island->n_dof; k++)
        own_v[k] = v[islands->dof_at[island->dof + k]];
    for (int k = 0; k < island->n_contact; k++)
        memcpy(own_lambda + 3 * (size_t)k,
               lambda + 3 * (size_t)islands->contact_at[island->contact + k], 3 * sizeof *lambda);
}

void cond_islands_scatter(const CondIslands* islands, int i, const double* own_v,
                          const double* own_lambda, double* v, double* lambda)
{
    const CondIsland* island = &islands->island[i];
    for (int k = 0; k < island->n_dof; k++)
        v[islands->dof_at[island->dof + k]] = own_v[k];
    for (int k = 0; k < island->n_contact; k++)
        memcpy(lambda + 3 * (size_t)islands->contact_at[island->contact + k],
               own_lambda + 3 * (size_t)k, 3 * sizeof *lambda);
}
