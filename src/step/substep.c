// A step that misses its tolerance is made in substeps: 2, then 4, and so on up to step.substeps.
// Shorter steps are heavier against their forces and stiffnesses and nearer to where they start,
// and other contacts close in each. They are kept only where the contact problems of all of them
// reach the tolerance; else the step is made as a whole, by all methods of the solver.
//
// Outside, a step stays a step: joint targets that move during it move in proportion, time is
// counted in whole steps, and what is read from the step is its mean over all substeps.
#include "law/tuning.h"
#include "sense/event.h"
#include "sim/sim.h"
#include "step/stages.h"
#include "step/tally.h"

int cond_step_divides(const CondSceneSettings* settings)
{
    return settings->substeps > 1 && settings->solver.fallback &&
           settings->solver.stop == COND_STOP_CERTIFICATE;
}

void cond_substeps_destroy(CondSim* sim)
{
    cond_state_destroy(sim->substeps.trial);
}

// Joint targets that move during the step have moved in proportion after this substep.
static void share_commands(const CondAttempt* attempt, const CondState* from, CondState* trial)
{
    double done = (double)(attempt->substep + 1) / attempt->n_substep;
    int last = attempt->substep + 1 == attempt->n_substep;
    for (int i = 0; i < from->n_target; i++)
        trial->command[i] =
            last ? from->command[i] : from->target[i] + done * (from->command[i] - from->target[i]);
}

// A coarse answer serves to see which contacts join; what comes last in the solver is spared where
// smaller substeps may follow.
static CondSolveBudget budget_of(const CondSim* sim)
{
    const CondAttempt* attempt = &sim->attempt;
    int follows = attempt->divides && 2 * attempt->n_substep <= sim->model->settings.substeps;
    return (CondSolveBudget){
        .coarse_tolerance = cond_sim_may_go_on(sim) ? COND_COARSE_TOLERANCE : 0.0,
        .last_resort = !follows,
    };
}

CondStatus cond_substeps_begin(CondSim* sim, int n)
{
    CondAttempt* attempt = &sim->attempt;
    CondSubsteps* substeps = &sim->substeps;
    CondStatus status = COND_OK;
    attempt->substep = 0;
    attempt->n_substep = n;
    attempt->time_step = sim->model->settings.time_step * attempt->share / n;
    attempt->budget = budget_of(sim);
    attempt->from = substeps->from;
    attempt->to = substeps->to;
    attempt->made = (CondStepInfo){.substeps = n};
    if (attempt->vain.attempts > 0)
        cond_solver_reset(sim->solver);
    if (n == 1)
        return COND_OK;
    if (!substeps->trial)
        status = cond_state_create(sim->model, &substeps->trial, NULL);
    if (!status)
        status = cond_state_copy(substeps->trial, substeps->from);
    if (status)
        return status;
    cond_tally_begin(&substeps->tally);
    attempt->from = attempt->to = substeps->trial;
    share_commands(attempt, substeps->from, substeps->trial);
    return COND_OK;
}

CondStatus cond_substeps_next(CondSim* sim)
{
    CondAttempt* attempt = &sim->attempt;
    attempt->substep++;
    attempt->budget = budget_of(sim);
    share_commands(attempt, sim->substeps.from, sim->substeps.trial);
    return COND_OK;
}

// All substeps hold: the step is what they made together.
static CondStatus conclude(CondSim* sim)
{
    CondAttempt* attempt = &sim->attempt;
    CondStatus status = cond_tally_spread(sim, &sim->substeps.tally);
    if (!status)
        status = cond_events_reserve(sim);
    if (!status)
        status = cond_state_copy(sim->substeps.to, sim->substeps.trial);
    if (status)
        return status;
    cond_solver_reset(sim->solver);
    attempt->made.solve.solved_by = COND_BY_SUBSTEPS;
    return COND_OK;
}

CondStatus cond_substeps_take(CondSim* sim)
{
    CondAttempt* attempt = &sim->attempt;
    CondStatus status = cond_tally_add(sim, &sim->substeps.tally, &attempt->info, 1.0, NULL);
    attempt->made = sim->substeps.tally.info;
    attempt->info = (CondStepInfo){.substeps = 1};
    return status || attempt->substep + 1 < attempt->n_substep ? status : conclude(sim);
}
