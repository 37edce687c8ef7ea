// A step that misses its tolerance is made in substeps: 2, then 4, and so on up to step.substeps.
// Shorter steps are heavier against their forces and stiffnesses and nearer to where they start,
// and other contacts close in each. They are kept only where the contact problems of all of them
// reach the tolerance; else the step is made as a whole, by all methods of the solver.
//
// Outside, a step stays a step: joint targets that move during it move in proportion, time is
// counted in whole steps, and what is read from the step is its mean over all substeps.
#include "base/memory.h"
#include "law/tuning.h"
#include "math/vec3.h"
#include "sense/event.h"
#include "sim/sim.h"
#include "step/stages.h"

#include <math.h>
#include <string.h>

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
    attempt->time_step = sim->model->settings.time_step / n;
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
    if (!substeps->sensor)
        substeps->sensor =
            cond_arena_allocate(&sim->arena, 6 * (size_t)sim->model->n_sensor, sizeof(double));
    if (!substeps->sensor)
        return COND_OUT_OF_MEMORY;
    substeps->n_all = 0;
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

static void add_info(const CondStepInfo* one, int first, CondStepInfo* sum)
{
    if (first) {
        sum->kinetic_before = one->kinetic_before;
        sum->potential_before = one->potential_before;
    }
    sum->time = one->time;
    sum->n_contact = one->n_contact;
    sum->newton_iterations += one->newton_iterations;
    sum->rounds += one->rounds;
    sum->added += one->added;
    sum->penetration = fmax(sum->penetration, one->penetration);
    sum->corrected += one->corrected;
    sum->kinetic_after = one->kinetic_after;
    sum->potential_after = one->potential_after;
    cond_sim_add_solve(&one->solve, &sum->solve);
    cond_sim_add_solve(&one->impact, &sum->impact);
    cond_sim_add_solve(&one->correction, &sum->correction);
}

// Adds the impulses of the substep that was made last. Both lists ascend with the key.
static CondStatus add_contacts(CondSim* sim)
{
    CondSubsteps* substeps = &sim->substeps;
    int n = 0, k = 0;
    if (COND_RESERVE(&sim->arena, substeps->all, substeps->n_all + sim->attempt.candidates.n) ||
        COND_RESERVE(&sim->arena, substeps->merge, substeps->n_all + sim->attempt.candidates.n))
        return COND_OUT_OF_MEMORY;
    for (int c = 0; c < sim->attempt.candidates.n; c++) {
        CondSubstepContact now = {.candidate = sim->attempt.candidates.candidate[c]};
        while (k < substeps->n_all &&
               cond_key_less(substeps->all[k].candidate.key, now.candidate.key))
            substeps->merge[n++] = substeps->all[k++];
        memcpy(now.place, sim->readings.place + 6 * c, sizeof now.place);
        mat3_multiply_transposed(now.candidate.frame, sim->attempt.impulse + 3 * c, now.impulse);
        if (k < substeps->n_all &&
            cond_key_equal(substeps->all[k].candidate.key, now.candidate.key)) {
            for (int i = 0; i < 3; i++)
                now.impulse[i] += substeps->all[k].impulse[i];
            k++;
        }
        substeps->merge[n++] = now;
    }
    while (k < substeps->n_all)
        substeps->merge[n++] = substeps->all[k++];
    memcpy(substeps->all, substeps->merge, (size_t)n * sizeof *substeps->all);
    substeps->n_all = n;
    return COND_OK;
}

// Adds what attachments and sensors read in the substep that was made last.
static CondStatus add_readings(CondSim* sim)
{
    CondSubsteps* substeps = &sim->substeps;
    if (COND_RESERVE(&sim->arena, substeps->wrench, 6 * sim->readings.n_wrench))
        return COND_OUT_OF_MEMORY;
    for (int i = 0; i < 6 * sim->readings.n_wrench; i++)
        substeps->wrench[i] =
            (sim->attempt.substep > 0 ? substeps->wrench[i] : 0.0) + sim->readings.wrench[i];
    for (int i = 0; i < sim->model->n_sensor; i++)
        for (int k = 0; k < 3; k++) {
            const CondSensorReading* reading = &sim->readings.reading[i];
            double *force = substeps->sensor + 6 * i, *torque = force + 3;
            force[k] = (sim->attempt.substep > 0 ? force[k] : 0.0) + reading->force[k];
            torque[k] = (sim->attempt.substep > 0 ? torque[k] : 0.0) + reading->torque[k];
        }
    cond_joint_rows_add_part(sim);
    return COND_OK;
}

// Impulses of the whole step for the contacts of its last substep; those of earlier ones follow,
// with nothing on their sides.
static CondStatus spread_contacts(CondSim* sim)
{
    CondSubsteps* substeps = &sim->substeps;
    int n = sim->attempt.candidates.n, all = substeps->n_all, next = n;
    if (cond_candidates_reserve(&sim->attempt.candidates, all) ||
        COND_RESERVE(&sim->attempt.assembly.arena, sim->attempt.assembly.contact, all) ||
        COND_RESERVE(&sim->arena, sim->attempt.lambda, 3 * all) ||
        COND_RESERVE(&sim->arena, sim->attempt.relaxed, all) ||
        COND_RESERVE(&sim->arena, sim->attempt.impulse, 3 * all) ||
        COND_RESERVE(&sim->arena, sim->readings.place, 6 * all))
        return COND_OUT_OF_MEMORY;
    sim->attempt.assembly.problem.contact = sim->attempt.assembly.contact;
    for (int k = 0, c = 0; k < all; k++) {
        const CondSubstepContact* one = &substeps->all[k];
        int last = c < n &&
                   cond_key_equal(sim->attempt.candidates.candidate[c].key, one->candidate.key),
            at = last ? c++ : next++;
        if (!last) {
            sim->attempt.candidates.candidate[at] = one->candidate;
            sim->attempt.assembly.contact[at] =
                (CondContact){.key = cond_key_mix(one->candidate.key)};
            memset(sim->attempt.lambda + 3 * at, 0, 3 * sizeof *sim->attempt.lambda);
            sim->attempt.relaxed[at] = 0;
            memcpy(sim->readings.place + 6 * at, one->place, sizeof one->place);
        }
        mat3_multiply(sim->attempt.candidates.candidate[at].frame, one->impulse,
                      sim->attempt.impulse + 3 * at);
    }
    sim->attempt.candidates.n = sim->readings.n_ready = next;
    sim->attempt.assembly.problem.n_contact = n; // where the rows of the joints were
    sim->rows.n = 0;
    return COND_OK;
}

// What is read from the step is its mean.
static void spread_readings(CondSim* sim, int n)
{
    const CondSubsteps* substeps = &sim->substeps;
    for (int i = 0; i < 6 * sim->readings.n_wrench; i++)
        sim->readings.wrench[i] = substeps->wrench[i] / n;
    for (int i = 0; i < sim->model->n_sensor; i++)
        for (int k = 0; k < 3; k++) {
            sim->readings.reading[i].force[k] = substeps->sensor[6 * i + k] / n;
            sim->readings.reading[i].torque[k] = substeps->sensor[6 * i + 3 + k] / n;
        }
    cond_joint_rows_mean(sim, n);
}

// All substeps hold: the step is what they made together.
static CondStatus conclude(CondSim* sim)
{
    CondAttempt* attempt = &sim->attempt;
    CondStatus status = spread_contacts(sim);
    if (!status)
        status = cond_events_reserve(sim);
    if (!status)
        status = cond_state_copy(sim->substeps.to, sim->substeps.trial);
    if (status)
        return status;
    spread_readings(sim, attempt->n_substep);
    cond_solver_reset(sim->solver);
    attempt->made.solve.solved_by = COND_BY_SUBSTEPS;
    return COND_OK;
}

CondStatus cond_substeps_take(CondSim* sim)
{
    CondAttempt* attempt = &sim->attempt;
    add_info(&attempt->info, attempt->substep == 0, &attempt->made);
    attempt->info = (CondStepInfo){.substeps = 1};
    CondStatus status = add_contacts(sim);
    if (!status)
        status = add_readings(sim);
    return status || attempt->substep + 1 < attempt->n_substep ? status : conclude(sim);
}
