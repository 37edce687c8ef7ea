// Room for the answer of an attempt, and sums of the work of several.
#include "sim/attempt.h"

#include "base/memory.h"
#include "law/answer.h"
#include "sim/sim.h"

int cond_sim_n_force(const CondSim* sim)
{
    return sim->attempt.candidates.n + sim->rows.n;
}

CondStatus cond_sim_reserve_forces(CondSim* sim, int n)
{
    if (COND_RESERVE(&sim->arena, sim->attempt.lambda, 3 * n) ||
        COND_RESERVE(&sim->arena, sim->attempt.relaxed, n) ||
        COND_RESERVE(&sim->arena, sim->attempt.impulse, 3 * n))
        return COND_OUT_OF_MEMORY;
    for (int c = 0; c < n; c++)
        sim->attempt.relaxed[c] = 0;
    return COND_OK;
}

void cond_sim_add_attempt(const CondStepInfo* other, CondStepInfo* info)
{
    cond_solve_info_add_work(&other->solve, &info->solve, &info->solve);
    cond_solve_info_add_work(&other->impact, &info->impact, &info->impact);
    cond_solve_info_add_work(&other->correction, &info->correction, &info->correction);
    info->attempts += other->attempts;
    for (int k = 0; k < COND_N_STAGE; k++)
        info->seconds[k] += other->seconds[k];
}

void cond_sim_add_solve(const CondSolveInfo* part, CondSolveInfo* sum)
{
    CondSolveInfo out =
        cond_certificate_residual(&part->certificate) > cond_certificate_residual(&sum->certificate)
            ? *part
            : *sum;
    out.status = part->status > sum->status ? part->status : sum->status;
    cond_solve_info_add_work(part, sum, &out);
    *sum = out;
}
