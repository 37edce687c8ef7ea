// The linear system of a Newton step with soft bodies, solved by conjugate gradients, and how deep
// their preconditioner goes.
#include "newton/soft_back_end.h"
#include "law/tuning.h"

#include "cuda/device_cuda.h"
#include "cuda/soft_cg.h"
#include "newton/tuning.h"

#include <limits.h>

CondStatus cond_soft_back_end_plan(CondSoftBackEnd* soft, const CondProblem* problem, int threads,
                                   int* serves)
{
    CondStatus status = COND_OK;
    CondSoftPacked* packed = &soft->system.packed;
    if (soft->on_device && !packed->device)
        status = cond_cuda_soft_create(&soft->system.arena.context, &packed->device, NULL);
    if (status)
        return status;
    if (!soft->planned) {
        status = cond_soft_system_plan(&soft->system, problem, threads, &soft->serves);
        soft->planned = !status;
        soft->sharper = 1.0;
        soft->longest = soft->sharpened = 0;
        if (soft->storage == COND_STORAGE_DOUBLE)
            soft->system.pack_from = INT_MAX;
        if (soft->on_device)
            soft->system.pack_from = 0;
    }
    *serves = soft->planned && soft->serves;
    if (!status && *serves && soft->on_device && !soft->device) { // the method itself goes there
        status = cond_device_cuda_create(&soft->system.arena.context, threads, &soft->cuda, NULL);
        soft->device = status ? NULL : &soft->cuda;
    }
    return status;
}

int cond_soft_back_end_levels(const CondSoftBackEnd* soft)
{
    return soft->multilevel == COND_MULTILEVEL_ON ||
           (soft->multilevel == COND_MULTILEVEL_AUTO && soft->system.n_node >= COND_LEVELS_FROM);
}

// The next depth that fits.
static CondStatus deepen(CondSoftBackEnd* soft)
{
    CondStatus status = COND_OK;
    int fits = 0;
    if (soft->depth == COND_DEPTH_BLOCKS && !cond_soft_back_end_levels(soft))
        status = cond_soft_system_group(&soft->system, &fits);
    soft->depth = fits ? COND_DEPTH_GROUPS : COND_DEPTH_LEVELS;
    return status || fits ? status : cond_soft_system_deepen(&soft->system, &fits);
}

CondStatus cond_soft_back_end_begin(CondSoftBackEnd* soft)
{
    soft->depth = COND_DEPTH_BLOCKS;
    soft->products = 0;
    soft->system.deep = soft->system.grouped = 0;
    return cond_soft_back_end_levels(soft) ? deepen(soft) : COND_OK;
}

CondStatus cond_soft_back_end_build(CondSoftBackEnd* soft, const CondLinearLaw* law, int follows,
                                    int slipping)
{
    int n_contact = soft->system.problem->n_contact;
    int stride = (int)(sizeof *law / sizeof law->D[0]);
    if (follows)
        soft->system.deep = 0;
    return cond_soft_system_build(&soft->system, n_contact > 0 ? law[0].D : NULL, stride,
                                  follows && slipping > 0);
}

// Products of the next step before the preconditioner is to go deeper.
static int most_products(const CondSoftBackEnd* soft, int follows)
{
    const CondSoftSystem* system = &soft->system;
    if (soft->multilevel != COND_MULTILEVEL_AUTO || follows || soft->depth == COND_DEPTH_LEVELS)
        return COND_STEP_PRODUCTS;
    if (soft->depth == COND_DEPTH_BLOCKS && system->n_node >= system->pack_from)
        return COND_GROUP_AFTER;
    return COND_ILL_CONDITIONED;
}

CondSoftEffort cond_soft_back_end_effort(const CondSoftBackEnd* soft, int follows, int max_products)
{
    CondSoftEffort effort = {.most = most_products(soft, follows)};
    effort.limit = max_products < effort.most ? max_products : effort.most;
    effort.reduction = follows                            ? COND_FULL_REDUCTION
                       : soft->depth == COND_DEPTH_BLOCKS ? COND_INNER_REDUCTION
                                                          : COND_GROUPED_REDUCTION;
    effort.reduction *= follows ? 1.0 : soft->sharper;
    return effort;
}

CondStatus cond_soft_back_end_record(CondSoftBackEnd* soft, const CondSoftEffort* effort, int count)
{
    soft->products += count > 0 ? count : 0;
    soft->longest = count > soft->longest ? count : soft->longest;
    return effort->most < COND_STEP_PRODUCTS && count >= effort->most ? deepen(soft) : COND_OK;
}

int cond_soft_back_end_solve(CondSoftBackEnd* soft, double* f, double* x, int follows,
                             int max_products)
{
    CondSoftSystem* system = &soft->system;
    CondSoftEffort effort = cond_soft_back_end_effort(soft, follows, max_products);
    int count;
    if (system->general && COND_RESERVE(&system->arena, soft->work, 5 * system->problem->n_dof))
        return COND_OUT_OF_MEMORY;
    if (system->general)
        count = cond_soft_system_solve_general(system, f, x, effort.reduction, effort.limit,
                                               soft->work);
    else
        count = cond_soft_system_solve(system, f, x, effort.reduction, effort.limit);
    CondStatus status = cond_soft_back_end_record(soft, &effort, count);
    return status ? (int)status : count;
}

int cond_soft_back_end_sharpen(CondSoftBackEnd* soft)
{
    int may = soft->planned && !soft->sharpened && soft->longest >= COND_ILL_CONDITIONED;
    soft->sharpened |= may;
    soft->sharper = may ? COND_FULL_REDUCTION : soft->sharper;
    return may;
}

void cond_soft_back_end_blunt(CondSoftBackEnd* soft)
{
    soft->sharper = 1.0;
}

double cond_soft_back_end_resistance(const CondSoftBackEnd* soft, const CondContact* contact)
{
    int count = 0, last = -1; // nodes of soft bodies that the contact joins
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < contact->side[s].n_coordinate; k++) {
            int node = soft->system.node[contact->side[s].coordinate[k]];
            count += node >= 0 && node != last;
            last = node;
        }
    return count > 1 ? COND_RESISTANCE_NODES : COND_RESISTANCE_ITERATIVE;
}

void cond_soft_back_end_destroy(CondSoftBackEnd* soft)
{
    cond_cuda_soft_destroy(soft->system.packed.device);
    soft->system.packed.device = NULL;
    if (soft->device == &soft->cuda && soft->on_device)
        cond_device_cuda_destroy(&soft->cuda);
    soft->device = NULL;
    cond_soft_system_destroy(&soft->system);
}
