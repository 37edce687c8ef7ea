// One time step: the loop over its stages, which the table of retries sends back (step/retry.c),
// and the stages one by one for programs that stop between them.
#include "base/account.h"
#include "base/definition.h"
#include "base/error.h"
#include "base/timer.h"
#include "law/certificate.h"
#include "sense/event.h"
#include "sleep/sleep.h"
#include "step/stages.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Counts the time since the last stage. After any but the last, which has changed the state, a step
// can be cancelled.
static CondStatus count(CondSim* sim, CondStage stage, CondStatus status)
{
    double now = cond_seconds();
    cond_account_mark(cond_stage_name(stage));
    sim->clock.stage = stage;
    sim->clock.seconds[stage] += now - sim->clock.last;
    sim->clock.last = now;
    int ends = status >= 0 && stage != COND_STAGE_COMMIT && cond_cancelled(&sim->arena.context);
    return cond_error_pass(ends ? COND_CANCELLED : status, cond_stage_name(stage));
}

// What was measured since the last step was handed over.
static void hand_over_seconds(CondSim* sim, CondStepInfo* info)
{
    for (int k = 0; k < COND_N_STAGE; k++) {
        info->seconds[k] += sim->clock.seconds[k];
        sim->clock.seconds[k] = 0.0;
    }
}

// ---- the loop

// Runs the wanted stages whose results are missing, in their order. After each the first row of the
// table that holds changes the attempt and says which results are made again. Without such a row a
// failure ends the step. Returns the worst status of the attempt that stands.
static CondStatus run(CondSim* sim, const CondStepStage* stages, unsigned wanted)
{
    CondAttempt* attempt = &sim->attempt;
    CondStatus* worst = &attempt->verdict.status;
    sim->clock.last = cond_seconds();
    cond_account_mark("between");
    for (int p = 0; p < COND_N_RESULT; p++) {
        if (!((wanted & ~attempt->done) >> p & 1u) || !stages[p].run)
            continue;
        CondStatus status = count(sim, stages[p].clock, stages[p].run(sim, attempt));
        *worst = cond_status_worst(*worst, status);
        attempt->done |= 1u << p;
        const CondRetry* retry = cond_retry_find(sim, (CondResult)p);
        if (status < 0 && !retry)
            return status;
        if (!retry)
            continue;
        status = retry->change ? retry->change(sim, attempt) : COND_OK;
        if (status < 0)
            return status;
        attempt->done &= ~retry->again;
        p = -1;
    }
    return *worst;
}

CondStatus cond_step_make(CondSim* sim, const CondState* from, CondState* to, CondStepInfo* info)
{
    CondAttempt* attempt = &sim->attempt;
    const CondSceneSettings* settings = &sim->model->settings;
    sim->substeps.from = from;
    sim->substeps.to = to;
    attempt->contacts_last = 1;
    attempt->divides = cond_step_divides(settings);
    attempt->vain = (CondStepInfo){.attempts = 0};
    attempt->done = 0;
    CondStatus status = cond_substeps_begin(sim, 1);
    if (!status)
        status = run(sim, cond_step_stages(settings->method), COND_ALL_RESULTS);
    *info = attempt->n_substep > 1 ? attempt->made : attempt->info;
    if (attempt->n_substep > 1) // the work of one that was given up
        cond_sim_add_attempt(&attempt->info, info);
    info->attempts++;
    cond_sim_add_attempt(&attempt->vain, info);
    attempt->substep = 0; // what is read from a step is that of the whole
    attempt->n_substep = 1;
    attempt->time_step = settings->time_step;
    return status;
}

// A step by the method of the scene, of all bodies of the sim.
static CondStatus step(CondSim* sim, CondState* state, CondStepInfo* info)
{
    int knows_error = sim->model->settings.accuracy > 0.0;
    CondStatus status =
        knows_error ? cond_pieces_step(sim, state, info) : cond_step_make(sim, state, state, info);
    info->pieces = knows_error ? info->pieces : 1;
    hand_over_seconds(sim, info);
    return status;
}

// A device that fails has said why, with the bytes that it lacks: that is the message of the step.
static void tell_cause(CondSim* sim, CondStatus status, const CondError* before)
{
    const CondError* last = cond_last_error();
    if ((status == COND_OUT_OF_MEMORY || status == COND_NOT_SUPPORTED) && last->status == status &&
        strcmp(last->message, before->message) != 0)
        snprintf(sim->watch.message, sizeof sim->watch.message, "%.*s",
                 (int)sizeof sim->watch.message - 1, last->message);
}

static CondStatus sim_step_whole(CondSim* sim, CondState* state, CondStepInfo* info)
{
    CondStepInfo own, *out = info ? info : &own;
    CondError before = *cond_last_error();
    *out = (CondStepInfo){.substeps = 1, .pieces = 1};
    cond_watch_begin(sim);
    if ((out->status = cond_events_begin(sim, state)))
        return cond_error_pass(out->status, "cond_sim_step");
    if (cond_cancelled(&sim->arena.context))
        return out->status = cond_error_set(NULL, COND_CANCELLED, "cancelled before the step");
    out->status = sim->sleep ? cond_sleep_step(sim, state, step, out) : step(sim, state, out);
    CondSim* maker = cond_sleep_maker(sim);
    if (out->status == COND_DIVERGED && !*sim->watch.message) {
        cond_watch_blame(maker);
        memcpy(sim->watch.message, maker->watch.message, sizeof sim->watch.message);
    }
    if (out->status >= 0) {
        out->deepest = sim->attempt.deepest;
        if (cond_sim_is_too_deep(maker))
            out->status = COND_TOO_DEEP;
    }
    cond_events_end(sim, out->status >= 0);
    sim->clock.stage = maker->clock.stage;
    tell_cause(sim, out->status, &before);
    cond_sim_tell(sim, out);
    if (out->status < 0)
        cond_last_error_set(out->status, cond_sim_message(sim));
    cond_hooks_tell(sim, state, out);
    return out->status;
}

// ---- the stages one by one: the same loop, for the results that a call is to leave

#define RESULT COND_RESULT
#define FROM(stage) (COND_ALL_RESULTS & ~(RESULT(stage) - 1u))
#define UP_TO(stage) (RESULT(stage) | (RESULT(stage) - 1u))

// Takes results back, and makes those that are wanted; those in `needed` must be there.
static CondStatus run_stages(CondSim* sim, const CondState* state, unsigned needed, unsigned again,
                             unsigned wanted, CondStatus status)
{
    CondAttempt* attempt = &sim->attempt;
    const CondStepStage* stages = cond_step_stages(COND_STEP_VELOCITY);
    for (int k = 0; k < COND_N_RESULT; k++)
        if (needed & ~attempt->done & 1u << k)
            return cond_error_set(NULL, COND_BAD_ARGUMENT, "the stage %s comes before this one",
                                  cond_stage_name(stages[k].clock));
    if (state)
        attempt->from = state;
    attempt->done &= ~again;
    attempt->verdict.status = status;
    return run(sim, stages, wanted);
}

CondStatus cond_sim_forces(CondSim* sim, const CondState* state)
{
    CondAttempt* attempt = &sim->attempt;
    cond_sleep_forget(sim); // the caller looks at all bodies
    sim->substeps.from = state;
    sim->substeps.to = NULL;
    attempt->divides = 0;
    attempt->contacts_last = 1;
    attempt->vain = (CondStepInfo){.attempts = 0};
    attempt->done = 0;
    CondStatus status = cond_substeps_begin(sim, 1);
    attempt->budget = COND_FULL_BUDGET;
    return status ? status : run_stages(sim, state, 0, 0, UP_TO(FORCES), COND_OK);
}

// The matrix adds to the forces: these are made again where they have it already.
CondStatus cond_sim_matrix(CondSim* sim)
{
    int made = (sim->attempt.done & RESULT(MATRIX)) != 0;
    return run_stages(sim, NULL, RESULT(FORCES), made ? FROM(FORCES) : FROM(THETA) | RESULT(MATRIX),
                      RESULT(FORCES) | RESULT(MATRIX), COND_OK);
}

CondStatus cond_sim_collide(CondSim* sim, const CondState* state)
{
    return run_stages(sim, state, RESULT(FORCES), FROM(COLLIDE), RESULT(COLLIDE), COND_OK);
}

CondStatus cond_sim_assemble(CondSim* sim, const CondState* state)
{
    CondAttempt* attempt = &sim->attempt;
    int solved = (attempt->done & RESULT(SOLVE)) != 0; // which may have moved forces and matrix
    attempt->late = attempt->at_iterate = attempt->retreats = 0;
    return run_stages(sim, state, RESULT(MATRIX) | RESULT(COLLIDE),
                      FROM(THETA) | (solved ? RESULT(FORCES) | RESULT(MATRIX) : 0), UP_TO(ASSEMBLE),
                      COND_OK);
}

CondStatus cond_sim_nodalize(CondSim* sim)
{
    return run_stages(sim, NULL, RESULT(ASSEMBLE), FROM(NODALIZE), RESULT(NODALIZE), COND_OK);
}

CondStatus cond_sim_solve(CondSim* sim, const CondState* state, CondSolveInfo* info)
{
    CondAttempt* attempt = &sim->attempt;
    CondStatus status = COND_OK;
    *info = (CondSolveInfo){.status = COND_OK};
    attempt->info.solve = *info;
    if (attempt->done & RESULT(SOLVE)) // the problem may be that of Newton's last iterate
        status = cond_sim_assemble(sim, state);
    if (!status)
        status = run_stages(sim, state, RESULT(ASSEMBLE), FROM(START) & ~RESULT(NODALIZE),
                            UP_TO(ITERATE), COND_OK);
    *info = attempt->info.solve;
    return status;
}

static CondStatus sim_recheck_whole(CondSim* sim, const CondState* state, CondStepInfo* info)
{
    CondAttempt* attempt = &sim->attempt;
    attempt->info = *info;
    attempt->round = 0;
    CondStatus status =
        run_stages(sim, state, RESULT(ITERATE), FROM(RECHECK), UP_TO(RECHECK), info->solve.status);
    *info = attempt->info;
    return status;
}

static CondStatus sim_integrate_whole(CondSim* sim, CondState* state, CondStepInfo* info)
{
    CondAttempt* attempt = &sim->attempt;
    attempt->info = *info;
    attempt->to = state;
    CondStatus status =
        run_stages(sim, state, RESULT(ITERATE), FROM(INTEGRATE), FROM(INTEGRATE), COND_OK);
    attempt->done = 0; // the next step begins with the forces
    *info = attempt->info;
    hand_over_seconds(sim, info);
    return status;
}

// ---- as programs call them, with the size of the struct that they know

CondStatus cond_sim_step_sized(CondSim* sim, CondState* state, CondStepInfo* info, size_t size)
{
    COND_SIZED(CondStatus, CondStepInfo, info, size, sim_step_whole(sim, state, it));
}

CondStatus cond_sim_recheck_sized(CondSim* sim, const CondState* state, CondStepInfo* info,
                                  size_t size)
{
    COND_SIZED(CondStatus, CondStepInfo, info, size, sim_recheck_whole(sim, state, it));
}

CondStatus cond_sim_integrate_sized(CondSim* sim, CondState* state, CondStepInfo* info, size_t size)
{
    COND_SIZED(CondStatus, CondStepInfo, info, size, sim_integrate_whole(sim, state, it));
}
