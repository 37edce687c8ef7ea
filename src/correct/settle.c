// Overlap at the start of a run: which pairs, how deep, and rounds of correction that push them
// apart before time begins, so that no velocity comes of it. Attachments, which are not stretched
// when they are made, take back what the rounds have stretched them.
#include "correct/settle.h"

#include "base/memory.h"
#include "correct/correction.h"
#include "correct/spread.h"
#include "sim/sim.h"
#include "sim/tuning.h"

#include <math.h>
#include <string.h>

static const double ROUND = 0.05; // of its size: how far a body moves in a round at most
static const double SLOW = 0.99;  // of the depth: a round that leaves more makes no progress

enum {
    PATIENCE = 100, // rounds of correction without progress
    SPREADS = 60,   // rounds of translations, of each way
    TRIES = 8       // of these without progress
};

int cond_overlap_is_of(const CondOverlap* overlap, const CondCandidate* candidate)
{
    int a = candidate->point[0].body, b = candidate->point[1].body;
    return candidate->plane == overlap->plane && ((a == overlap->body && b == overlap->other) ||
                                                  (b == overlap->body && a == overlap->other));
}

static int is_overlap(const CondModel* model, const CondCandidate* candidate)
{
    double size = INFINITY;
    for (int s = 0; s < 2; s++)
        if (candidate->point[s].body >= 0)
            size = fmin(size, model->body[candidate->point[s].body].size);
    return -candidate->gap > COND_OVERLAP * size;
}

static void sort_by_depth(CondOverlap* overlap, int n)
{
    for (int i = 1; i < n; i++) {
        CondOverlap one = overlap[i];
        int k = i;
        for (; k > 0 && overlap[k - 1].depth < one.depth; k--)
            overlap[k] = overlap[k - 1];
        overlap[k] = one;
    }
}

// The pairs among the contacts at the end of the step that overlap.
static CondStatus list_overlaps(CondSim* sim)
{
    CondSettle* settle = sim->settle;
    const CondCandidateList* list = &sim->attempt.end;
    settle->n_overlap = 0;
    for (int c = 0; c < list->n; c++) {
        const CondCandidate* candidate = &list->candidate[c];
        int k = 0;
        if (!is_overlap(sim->model, candidate))
            continue;
        while (k < settle->n_overlap && !cond_overlap_is_of(&settle->overlap[k], candidate))
            k++;
        if (k == settle->n_overlap) {
            if (COND_RESERVE(&sim->arena, settle->overlap, k + 1))
                return COND_OUT_OF_MEMORY;
            settle->overlap[settle->n_overlap++] = (CondOverlap){.body = candidate->point[0].body,
                                                                 .other = candidate->point[1].body,
                                                                 .plane = candidate->plane,
                                                                 .obstacle = -1};
        }
        CondOverlap* overlap = &settle->overlap[k];
        if (-candidate->gap > overlap->depth) {
            overlap->depth = -candidate->gap;
            memcpy(overlap->position, candidate->position, sizeof overlap->position);
            if (overlap->other < 0 && overlap->plane < 0)
                overlap->obstacle = cond_model_nearest_obstacle(sim->model, candidate->position);
        }
    }
    sort_by_depth(settle->overlap, settle->n_overlap);
    return COND_OK;
}

CondStatus cond_sim_overlaps(CondSim* sim, const CondState* state, const CondOverlap** overlap,
                             int* n)
{
    double deepest;
    CondStatus status = cond_sim_forces(sim, state); // makes the attachments of the first step
    cond_kinematics_set(&sim->at_end, sim->next->q);
    if (!status)
        status = cond_sim_collide_next(sim, &deepest);
    if (!status)
        status = list_overlaps(sim);
    for (int k = 0; k < sim->settle->n_overlap && !status; k++) {
        CondOverlap* here = &sim->settle->overlap[k];
        const CondBodyPair pair = {here->body, here->other, here->obstacle};
        if (here->plane < 0)
            status = cond_sim_true_depth(sim, &sim->at_end, &pair, &here->depth);
    }
    sort_by_depth(sim->settle->overlap, sim->settle->n_overlap);
    *n = status ? 0 : sim->settle->n_overlap;
    *overlap = sim->settle->overlap;
    return status;
}

// The sum of the depths of all pairs that overlap [m].
static double total_depth(const CondSettle* settle)
{
    double sum = 0.0;
    for (int i = 0; i < settle->n_overlap; i++)
        sum += settle->overlap[i].depth;
    return sum;
}

// Keeps the configuration of sim->next where none before had less penetration.
static void note(CondSim* sim, double deepest)
{
    CondSettle* settle = sim->settle;
    if (!(deepest < settle->least))
        return;
    settle->least = deepest;
    memcpy(settle->best, sim->next->q, (size_t)sim->model->n_q * sizeof *settle->best);
}

// Takes the best one up again.
static void restore(CondSim* sim)
{
    memcpy(sim->next->q, sim->settle->best, (size_t)sim->model->n_q * sizeof(double));
    cond_kinematics_set(&sim->at_end, sim->next->q);
}

// Rounds of translations of sim->next, by one way after the other while pairs are left.
static CondStatus spread_rounds(CondSim* sim, int max_rounds, double* moved, CondSettleInfo* info)
{
    for (int which = 0; which < COND_N_SPREAD_WAY; which++) {
        double best = INFINITY;
        for (int i = 0, idle = 0; i < SPREADS && idle < TRIES; i++) {
            double deepest, way;
            CondStatus status = cond_sim_collide_next(sim, &deepest);
            if (!status)
                status = list_overlaps(sim);
            if (status)
                return status;
            if (info->rounds == 0)
                info->before = deepest;
            note(sim, deepest);
            double sum = total_depth(sim->settle);
            if (sim->settle->n_overlap == 0 || info->rounds >= max_rounds)
                return COND_OK;
            idle = sum < 0.9 * best ? 0 : idle + 1;
            best = fmin(best, sum);
            status = cond_sim_spread(sim, deepest, (CondSpreadWay)which, moved, &way);
            if (status)
                return status;
            if (way == 0.0)
                break;
            info->rounds++;
        }
    }
    restore(sim);
    return COND_OK;
}

// Rounds of correction of sim->next, until nothing overlaps or nothing is won any more.
static CondStatus settle_rounds(CondSim* sim, int max_rounds, double* moved, CondSettleInfo* info)
{
    double deepest = 0.0, way;
    for (int idle = 0; idle < PATIENCE; idle++) {
        CondStatus status = cond_sim_collide_next(sim, &deepest);
        if (status)
            return status;
        if (info->rounds == 0)
            info->before = deepest;
        if (deepest < SLOW * sim->settle->least)
            idle = 0;
        note(sim, deepest);
        CondSolveInfo solve = {.status = COND_OK};
        status = info->rounds < max_rounds
                     ? cond_sim_correct(sim, deepest, ROUND, &solve, &way, moved)
                     : COND_OK;
        if (status < 0)
            return status;
        if (info->rounds == max_rounds || way == 0.0)
            break;
        info->rounds++;
    }
    restore(sim);
    info->after = sim->settle->least;
    return COND_OK;
}

CondStatus cond_sim_settle(CondSim* sim, CondState* state, int max_rounds, double* moved,
                           CondSettleInfo* info)
{
    const CondModel* model = sim->model;
    const CondOverlap* overlap;
    int n;
    memset(info, 0, sizeof *info);
    if (moved)
        memset(moved, 0, (size_t)model->n_body * sizeof *moved);
    if (!sim->settle->best)
        sim->settle->best = cond_arena_allocate(&sim->arena, (size_t)model->n_q, sizeof(double));
    if (!sim->settle->best)
        return COND_OUT_OF_MEMORY;
    CondStatus status = cond_sim_forces(sim, state); // sim->next is a copy of the state
    if (status)
        return status;
    cond_kinematics_set(&sim->at_end, sim->next->q);
    sim->correction->restore = 1;
    sim->settle->least = INFINITY;
    status = spread_rounds(sim, max_rounds, moved, info);
    if (!status)
        status = settle_rounds(sim, max_rounds, moved, info);
    sim->correction->restore = 0;
    if (status)
        return status;
    memcpy(state->q, sim->next->q, (size_t)model->n_q * sizeof(double));
    status = cond_sim_overlaps(sim, state, &overlap, &n);
    return status || n == 0 ? status : COND_NOT_CONVERGED;
}
