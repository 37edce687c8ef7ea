// Overlap at the start of a run: which pairs, how deep, and rounds that push them apart before time
// begins, so that no velocity comes of it. A round is an attempt: by translations of whole bodies
// (correct/spread.c) first, by the correction of a step then. Attachments, which are not stretched
// when they are made, take back what the rounds have stretched them.
#include "correct/settle.h"
#include "base/tuning.h"

#include "base/definition.h"
#include "base/memory.h"
#include "correct/correction.h"
#include "correct/spread.h"
#include "correct/tuning.h"
#include "sim/sim.h"
#include "sim/stage_retry.h"
#include "sim/tuning.h"

#include <math.h>
#include <string.h>

int cond_overlap_is_of(const CondOverlap* overlap, const CondCandidate* candidate)
{
    int a = candidate->point[0].body, b = candidate->point[1].body;
    return candidate->plane == overlap->plane && ((a == overlap->body && b == overlap->other) ||
                                                  (b == overlap->body && a == overlap->other));
}

static int is_overlap(const CondSim* sim, const CondCandidate* candidate)
{
    return -candidate->gap > COND_OVERLAP * cond_sim_smaller_size(sim, candidate);
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
        if (!is_overlap(sim, candidate))
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

// The list as the program knows its elements.
static CondStatus pack_overlaps(CondSim* sim, size_t size, const CondOverlap** overlap)
{
    CondSettle* settle = sim->settle;
    *overlap = settle->overlap;
    if (size == sizeof **overlap)
        return COND_OK;
    if (COND_RESERVE(&sim->arena, settle->packed, settle->n_overlap * (int)size))
        return COND_OUT_OF_MEMORY;
    for (int k = 0; k < settle->n_overlap; k++)
        cond_struct_give(settle->packed + (size_t)k * size, size, &settle->overlap[k],
                         sizeof *settle->overlap);
    *overlap = (const CondOverlap*)settle->packed;
    return COND_OK;
}

CondStatus cond_sim_overlaps_sized(CondSim* sim, const CondState* state,
                                   const CondOverlap** overlap, int* n, size_t size)
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
    if (!status)
        status = pack_overlaps(sim, size, overlap);
    *n = status ? 0 : sim->settle->n_overlap;
    return status;
}

// ---- rounds

static CondStatus correct(CondSim* sim, double deepest)
{
    CondSettle* settle = sim->settle;
    CondSolveInfo info = {.status = COND_OK};
    CondStatus status =
        cond_sim_correct(sim, deepest, COND_SETTLE_ROUND, &info, &settle->distance, settle->moved);
    return status < 0 ? status : COND_OK;
}

static CondStatus spread(CondSim* sim, double deepest)
{
    CondSettle* settle = sim->settle;
    return cond_sim_spread(sim, deepest, (CondSpreadAxis)settle->method, settle->moved,
                           &settle->distance);
}

// How bodies are moved in a round, one method after the other.
static const struct Method {
    const char* name;
    CondStatus (*move)(CondSim* sim, double deepest);
    int patience; // rounds in a row without progress
} METHODS[] = {
    {"translations along the normals", spread, COND_SETTLE_TRIES},
    {"translations along the axes of boxes", spread, COND_SETTLE_TRIES},
    {"translations upwards", spread, COND_SETTLE_TRIES},
    {"the correction of a step", correct, COND_SETTLE_PATIENCE},
};

enum { LAST = sizeof METHODS / sizeof *METHODS - 1 };

// Keeps the configuration of sim->next where none before had less penetration.
static void keep_best(CondSim* sim, double deepest)
{
    CondSettle* settle = sim->settle;
    if (!(deepest < settle->least))
        return;
    settle->least = deepest;
    memcpy(settle->best, sim->next->q, (size_t)sim->model->n_q * sizeof *settle->best);
}

// Takes the best one up again.
static void restore_best(CondSim* sim)
{
    memcpy(sim->next->q, sim->settle->best, (size_t)sim->model->n_q * sizeof(double));
    cond_kinematics_set(&sim->at_end, sim->next->q);
}

// A round: what overlaps, and a motion of sim->next where something does.
static CondStatus attempt(CondSim* sim)
{
    CondSettle* settle = sim->settle;
    double deepest, sum = 0.0;
    CondStatus status = cond_sim_collide_next(sim, &deepest);
    if (!status)
        status = list_overlaps(sim);
    if (status)
        return status;
    if (settle->info->rounds == 0)
        settle->info->before = deepest;
    keep_best(sim, deepest);
    for (int i = 0; i < settle->n_overlap; i++)
        sum += settle->overlap[i].depth;
    settle->idle = sum < COND_PROGRESS * settle->depth_sum ? 0 : settle->idle + 1;
    settle->depth_sum = fmin(settle->depth_sum, sum);
    settle->distance = 0.0;
    if (settle->info->rounds < settle->max_round &&
        (settle->n_overlap > 0 || settle->method == LAST))
        status = METHODS[settle->method].move(sim, deepest);
    settle->info->rounds += settle->distance > 0.0;
    return status;
}

static int makes_progress(CondSim* sim)
{
    const CondSettle* settle = sim->settle;
    return settle->distance > 0.0 && settle->idle < METHODS[settle->method].patience;
}

static CondStatus go_on(CondSim* sim)
{
    (void)sim;
    return COND_OK;
}

static int has_other_method(CondSim* sim)
{
    return sim->settle->method < LAST;
}

// The next method; the correction, from the best configuration, where nothing overlaps any more.
static CondStatus change_method(CondSim* sim)
{
    CondSettle* settle = sim->settle;
    settle->method = settle->n_overlap == 0 ? LAST : settle->method + 1;
    settle->depth_sum = INFINITY;
    settle->idle = 0;
    if (settle->method == LAST)
        restore_best(sim);
    return COND_OK;
}

static const CondStageRetry RETRIES[] = {
    {"another round by the same method", makes_progress, go_on, COND_STAGE_BOUNDED},
    {"the next method", has_other_method, change_method, COND_STAGE_BOUNDED},
};

static CondStatus sim_settle_whole(CondSim* sim, CondState* state, int max_rounds, double* moved,
                                   CondSettleInfo* info)
{
    const CondModel* model = sim->model;
    CondSettle* settle = sim->settle;
    const CondOverlap* overlap;
    int n;
    memset(info, 0, sizeof *info);
    if (moved)
        memset(moved, 0, (size_t)model->n_body * sizeof *moved);
    if (COND_RESERVE(&sim->arena, settle->best, model->n_q))
        return COND_OUT_OF_MEMORY;
    CondStatus status = cond_sim_forces(sim, state); // sim->next is a copy of the state
    if (status)
        return status;
    cond_kinematics_set(&sim->at_end, sim->next->q);
    settle->method = 0;
    settle->max_round = max_rounds;
    settle->moved = moved;
    settle->info = info;
    settle->least = settle->depth_sum = INFINITY;
    settle->idle = 0;
    sim->correction->restore = 1;
    status = cond_stage_retry(sim, attempt, RETRIES, sizeof RETRIES / sizeof *RETRIES);
    sim->correction->restore = 0;
    if (status)
        return status;
    restore_best(sim);
    info->after = settle->least;
    memcpy(state->q, sim->next->q, (size_t)model->n_q * sizeof(double));
    status = cond_sim_overlaps(sim, state, &overlap, &n);
    return status || n == 0 ? status : COND_NOT_CONVERGED;
}

CondStatus cond_sim_settle_sized(CondSim* sim, CondState* state, int max_rounds, double* moved,
                                 CondSettleInfo* info, size_t size)
{
    COND_SIZED(CondStatus, CondSettleInfo, info, size,
               sim_settle_whole(sim, state, max_rounds, moved, it));
}
