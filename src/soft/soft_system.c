// The linear system of a Newton step for problems with soft bodies that are too large to factor:
// its plan and its memory.
#include "soft/soft_system.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/tuning.h"
#include "soft/soft_term.h"
#include "soft/tuning.h"

#include <string.h>

#define RESERVE(array, count) COND_RESERVE(&system->arena, system->array, count)

static int has_nodes(const CondBlock* block)
{
    return block->kind == COND_BLOCK_BSR3;
}

// 1 where a block can be neither nodes nor part of a small interface.
static int is_foreign(const CondBlock* block)
{
    return !has_nodes(block) && block->kind != COND_BLOCK_DENSE;
}

typedef struct TermLoop {
    const CondProblem* problem;
    int* most; // of each share of the contacts                              (COND_LOOP_PARTS)
} TermLoop;

static void find_largest(const void* data, int begin, int end)
{
    const TermLoop* loop = data;
    int n = loop->problem->n_contact, parts = cond_loop_parts((size_t)n);
    for (int part = begin; part < end; part++) {
        int most = 0;
        for (int c = cond_team_first(n, part, parts); c < cond_team_first(n, part + 1, parts);
             c++) {
            const CondSide* side = loop->problem->contact[c].side;
            int size = 3 * (side[0].n_coordinate + side[1].n_coordinate);
            most = size > most ? size : most;
        }
        loop->most[part] = most;
    }
}

static int largest_term(const CondProblem* problem, int threads)
{
    int most = 0, of[COND_LOOP_PARTS], parts = cond_loop_parts((size_t)problem->n_contact);
    TermLoop loop = {problem, of};
    for (int i = 0; i < problem->n_coupling; i++) {
        int size = problem->coupling[i].n_coordinate * problem->coupling[i].n_row;
        most = size > most ? size : most;
    }
    cond_parallel(parts, cond_threads(COND_COORDINATE_WORK * (size_t)problem->n_contact, threads),
                  find_largest, &loop);
    for (int part = 0; part < parts; part++)
        most = of[part] > most ? of[part] : most;
    return most;
}

// The node of a contact that acts on this node alone, at its own coordinates; -1: others.
int cond_soft_system_lone_node(const CondSoftSystem* system, const CondContact* contact)
{
    const CondSide *side = contact->side, *used = side[0].n_coordinate > 0 ? &side[0] : &side[1];
    if (side[0].n_coordinate + side[1].n_coordinate != 3 || used->n_coordinate != 3 ||
        used->jacobian)
        return -1;
    int node = system->node[used->coordinate[0]];
    for (int k = 0; k < 3 && node >= 0; k++)
        if (used->coordinate[k] != system->place[node] + k)
            return -1;
    return node;
}

// Marks every node of a term that reaches the interface.
static void mark_attached(CondSoftSystem* system, int n, const int* coordinate)
{
    int reaches = 0;
    for (int k = 0; k < n && !reaches; k++)
        reaches = system->node[coordinate[k]] < 0;
    for (int k = 0; k < n && reaches; k++)
        if (system->node[coordinate[k]] >= 0)
            system->slot[system->node[coordinate[k]]] = 0;
}

static void find_lone(const void* loop, int first, int last)
{
    const CondSoftSystem* system = loop;
    for (int c = first; c < last; c++)
        system->lone[c] = cond_soft_system_lone_node(system, &system->problem->contact[c]);
}

// Gives a slot to every attached node, in order.
static CondStatus find_attached(CondSoftSystem* system)
{
    const CondProblem* problem = system->problem;
    system->n_attached = 0;
    for (int i = 0; i < system->n_node; i++)
        system->slot[i] = -1;
    for (int i = 0; i < problem->n_coupling; i++)
        mark_attached(system, problem->coupling[i].n_coordinate, problem->coupling[i].coordinate);
    system->n_other = 0;
    size_t work = COND_COORDINATE_WORK * (size_t)problem->n_contact;
    cond_parallel(problem->n_contact, cond_threads(work, system->threads), find_lone, system);
    for (int c = 0; c < problem->n_contact; c++) {
        if (system->lone[c] >= 0) {
            system->joins[c] = COND_JOINS_LONE;
            continue;
        }
        system->other[system->n_other++] = c;
        CondTerm term = cond_soft_term_contact(system, c);
        mark_attached(system, term.n_entry, term.coordinate);
        system->joins[c] =
            cond_soft_term_count_runs(system, &term) > 1 ? COND_JOINS_SEVERAL : COND_JOINS_ONE;
    }
    for (int i = 0; i < system->n_node; i++)
        if (system->slot[i] == 0) {
            system->slot[i] = system->n_attached;
            system->attached[system->n_attached++] = i;
        }
    int size = 3 * system->n_attached * system->n_interface;
    if (RESERVE(C, size) || RESERVE(BC, size))
        return COND_OUT_OF_MEMORY;
    system->packed.arena.context = system->arena.context;
    system->packed.n_node = system->n_node;
    system->packed.ready = 0;
    return COND_OK;
}

// Coordinates of one block, the first of which is the node or the interface's coordinate `first`.
typedef struct SplitLoop {
    CondSoftSystem* system;
    const CondBlock* block;
    int first;
} SplitLoop;

static void split_block(const void* data, int begin, int end)
{
    const SplitLoop* loop = data;
    CondSoftSystem* system = loop->system;
    int inside = has_nodes(loop->block);
    for (int local = begin; local < end; local++) {
        int i = loop->block->dof_begin + local;
        if (inside && local % 3 == 0)
            system->place[loop->first + local / 3] = i;
        system->node[i] = inside ? loop->first + local / 3 : -1;
        system->interface[i] = inside ? -1 : loop->first + local;
        if (!inside)
            system->member[loop->first + local] = i;
    }
}

// Nodes and interface of all coordinates.
static void split(CondSoftSystem* system)
{
    const CondProblem* problem = system->problem;
    int i_node = 0, i_interface = 0;
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        int* next = has_nodes(block) ? &i_node : &i_interface;
        SplitLoop loop = {system, block, *next};
        cond_parallel(block->n_dof, cond_threads((size_t)block->n_dof, system->threads),
                      split_block, &loop);
        *next += has_nodes(block) ? block->n_dof / 3 : block->n_dof;
    }
}

CondStatus cond_soft_system_plan(CondSoftSystem* system, const CondProblem* problem, int threads,
                                 int* fits)
{
    int n = problem->n_dof, most = largest_term(problem, threads);
    *fits = 0;
    system->deep = system->grouped = system->rested = 0;
    system->pack_from = COND_SOFT_SMALL;
    system->problem = problem;
    system->threads = threads;
    system->n_node = system->n_interface = 0;
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        if (is_foreign(block))
            return COND_OK;
        if (has_nodes(block))
            system->n_node += block->n_dof / 3;
        else
            system->n_interface += block->n_dof;
    }
    int nn = system->n_node, nb = system->n_interface;
    if (nn == 0 || nb > COND_LARGEST_INTERFACE)
        return COND_OK;
    if (RESERVE(node, n) || RESERVE(place, nn) || RESERVE(interface, n) || RESERVE(member, nb) ||
        RESERVE(slot, nn) || RESERVE(attached, nn) || RESERVE(T, 9 * problem->n_contact) ||
        RESERVE(B, 9 * nn) || RESERVE(S, nb * nb) || RESERVE(small, nb) || RESERVE(pivot, nb) ||
        RESERVE(entry, most) || RESERVE(listed, most) || RESERVE(column, 2 * most) ||
        RESERVE(p, n) || RESERVE(q, n) || RESERVE(z, n) || RESERVE(joins, problem->n_contact) ||
        RESERVE(other, problem->n_contact) || RESERVE(lone, problem->n_contact) ||
        RESERVE(node_begin, cond_sum_parts(n) + 1) || RESERVE(failed, cond_sum_parts(n)) ||
        RESERVE(peak, cond_sum_parts(n)))
        return COND_OUT_OF_MEMORY;
    split(system);
    for (int part = 0, i = 0; part <= cond_sum_parts(n); part++) {
        while (i < nn && system->place[i] < part * COND_SUM_BLOCK)
            i++;
        system->node_begin[part] = i;
    }
    *fits = 1;
    system->parted = 0;
    system->parts.arena.context = system->arena.context;
    return find_attached(system);
}

// The packed system is there since the first build.
CondStatus cond_soft_system_group(CondSoftSystem* system, int* fits)
{
    *fits = 0;
    if (!system->packed.ready)
        return COND_OK;
    CondStatus status = cond_aggregation_plan(&system->packed, system->problem, 0, fits);
    system->grouped = !status && *fits;
    return status;
}

CondStatus cond_soft_system_deepen(CondSoftSystem* system, int* fits)
{
    *fits = 0;
    CondStatus status = cond_soft_system_plan_packed(system);
    if (!status)
        status = cond_aggregation_plan(&system->packed, system->problem, 1, fits);
    system->deep = !status && *fits;
    return status;
}

void cond_soft_system_destroy(CondSoftSystem* system)
{
    cond_soft_packed_destroy(&system->packed);
    cond_contact_parts_destroy(&system->parts);
    cond_arena_release(&system->arena);
}
