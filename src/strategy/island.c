// Islands: the parts of a contact problem that no contact and no coupling joins.
#include "strategy/island.h"

#include "base/parallel.h"
#include "base/tuning.h"

#include <string.h>

void cond_islands_begin(const CondContext* context, CondIslands* islands)
{
    memset(islands, 0, sizeof *islands);
    cond_arena_begin(context, &islands->arena);
    islands->threads = 1;
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

// Blocks and contacts that are copied.
typedef struct PlaceLoop {
    CondIslands* islands;
    const CondProblem* problem;
} PlaceLoop;

// Which block comes where, and its first coordinate within the island.
static void order_blocks(CondIslands* islands, const CondProblem* problem)
{
    for (int i = 0; i < islands->n; i++)
        islands->island[i].n_block = islands->island[i].n_dof = 0;
    for (int i = 0; i < problem->n_block; i++) {
        CondIsland* island = &islands->island[islands->blocks.of[i]];
        islands->place[i].block = island->block + island->n_block++;
        islands->place[i].dof = island->dof;
        islands->place[i].first = island->n_dof;
        island->n_dof += problem->block[i].n_dof;
    }
}

static void place_blocks(const void* loop, int first, int last)
{
    const PlaceLoop* l = loop;
    CondIslands* islands = l->islands;
    for (int i = first; i < last; i++) {
        const CondBlock* from = &l->problem->block[i];
        const CondBlockPlace* place = &islands->place[i];
        islands->block[place->block] = *from;
        islands->block[place->block].dof_begin = place->first;
        for (int k = from->dof_begin, own = place->first; k < from->dof_begin + from->n_dof;
             k++, own++) {
            islands->number[k] = own;
            islands->dof_at[place->dof + own] = k;
            islands->b[place->dof + own] = l->problem->b[k];
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
    for (int i = 0; i < islands->n; i++)
        islands->island[i].n_coupling = 0;
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

// Which contact comes where, and the places of their coordinates from `named` on.
static void order_contacts(CondIslands* islands, const CondProblem* problem, int named)
{
    for (int i = 0; i < islands->n; i++)
        islands->island[i].n_contact = 0;
    for (int c = 0; c < problem->n_contact; c++) {
        const CondContact* contact = &problem->contact[c];
        CondIsland* island = &islands->island[island_of_contact(islands, contact)];
        int at = island->contact + island->n_contact++;
        islands->contact_at[at] = c;
        islands->named[at] = named;
        named += contact->side[0].n_coordinate + contact->side[1].n_coordinate;
    }
}

static void place_contacts(const void* loop, int first, int last)
{
    const PlaceLoop* l = loop;
    CondIslands* islands = l->islands;
    for (int at = first; at < last; at++) {
        int* next = islands->coordinate + islands->named[at];
        CondContact* contact = &islands->contact[at];
        *contact = l->problem->contact[islands->contact_at[at]];
        for (int s = 0; s < 2; s++) {
            CondSide* side = &contact->side[s];
            side->coordinate = rename(islands, side->n_coordinate, side->coordinate, &next);
        }
    }
}

CondStatus cond_islands_split(CondIslands* islands, const CondProblem* problem)
{
    CondArena* arena = &islands->arena;
    if (COND_RESERVE(arena, islands->island, islands->n))
        return COND_OUT_OF_MEMORY;
    int named = measure(islands, problem), nc = problem->n_contact;
    if (COND_RESERVE(arena, islands->number, problem->n_dof) ||
        COND_RESERVE(arena, islands->dof_at, problem->n_dof) ||
        COND_RESERVE(arena, islands->b, problem->n_dof) ||
        COND_RESERVE(arena, islands->block, problem->n_block) ||
        COND_RESERVE(arena, islands->place, problem->n_block) ||
        COND_RESERVE(arena, islands->coupling, problem->n_coupling) ||
        COND_RESERVE(arena, islands->contact, nc) || COND_RESERVE(arena, islands->contact_at, nc) ||
        COND_RESERVE(arena, islands->named, nc) || COND_RESERVE(arena, islands->coordinate, named))
        return COND_OUT_OF_MEMORY;
    int* next = islands->coordinate;
    PlaceLoop loop = {islands, problem};
    order_blocks(islands, problem);
    cond_parallel(problem->n_block, cond_threads(4 * (size_t)problem->n_dof, islands->threads),
                  place_blocks, &loop);
    place_couplings(islands, problem, &next);
    order_contacts(islands, problem, (int)(next - islands->coordinate));
    cond_parallel(nc, cond_threads(COND_CONTACT_WORK * (size_t)nc, islands->threads),
                  place_contacts, &loop);
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

// Of all islands, which lie one behind the other: from v and lambda of the problem, or back.
typedef struct MoveLoop {
    const int* at; // in the problem
    const double* from;
    double* to;
    int back;
} MoveLoop;

static inline __attribute__((always_inline)) void move(const MoveLoop* l, int width, int first,
                                                       int last)
{
    for (int k = first; k < last; k++) {
        ptrdiff_t own = (ptrdiff_t)width * k, whole = (ptrdiff_t)width * l->at[k];
        memcpy(l->to + (l->back ? whole : own), l->from + (l->back ? own : whole),
               (size_t)width * sizeof *l->to);
    }
}

static void move_velocities(const void* loop, int first, int last)
{
    move(loop, 1, first, last);
}

static void move_forces(const void* loop, int first, int last)
{
    move(loop, 3, first, last);
}

static void move_all(const CondIslands* islands, const double* v, const double* lambda,
                     double* to_v, double* to_lambda, int back)
{
    const CondIsland* last = &islands->island[islands->n - 1];
    int n_dof = last->dof + last->n_dof, n_contact = last->contact + last->n_contact;
    MoveLoop velocities = {islands->dof_at, v, to_v, back},
             forces = {islands->contact_at, lambda, to_lambda, back};
    CondPhase phase[2] = {{move_velocities, &velocities, n_dof, 0},
                          {move_forces, &forces, n_contact, 0}};
    cond_parallel_phases(
        2, phase, cond_threads(2 * ((size_t)n_dof + 3 * (size_t)n_contact), islands->threads),
        __func__);
}

void cond_islands_gather_all(const CondIslands* islands, const double* v, const double* lambda,
                             double* own_v, double* own_lambda)
{
    move_all(islands, v, lambda, own_v, own_lambda, 0);
}

void cond_islands_scatter_all(const CondIslands* islands, const double* own_v,
                              const double* own_lambda, double* v, double* lambda)
{
    move_all(islands, own_v, own_lambda, v, lambda, 1);
}
