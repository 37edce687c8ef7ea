// A step whose contact problem misses its tolerance is made in parts: 2, then 4, and so on up to
// step.substeps. Shorter steps are heavier against their forces and stiffnesses and nearer to where
// they start, and other contacts close in each. They are kept only where the contact problems of
// all parts reach the tolerance; else the answer to the whole step stands.
//
// Outside, a step stays a step: joint targets that move during it move in proportion, time is
// counted in whole steps, and what is read from the step is its mean over all parts.
#include "base/memory.h"
#include "math/vec3.h"
#include "sim/sim.h"

#include <math.h>
#include <string.h>

void cond_parts_destroy(CondSim* sim)
{
    cond_state_destroy(sim->split.trial);
}

#define RESERVE(array, count) COND_RESERVE(&sim->arena, split->array, count)

// Keeps the answer to the whole step.
static CondStatus keep(CondSim* sim)
{
    CondParts* split = &sim->split;
    size_t n_dof = (size_t)sim->model->n_dof, n = (size_t)sim->attempt.candidates.n;
    size_t n_force = (size_t)cond_sim_n_force(sim), n_target = (size_t)sim->model->n_target;
    if (!split->trial) {
        CondStatus status = cond_state_create(sim->model, &split->trial, NULL);
        if (status)
            return status;
    }
    if (!split->v_hat)
        split->v_hat = cond_arena_allocate(&sim->arena, n_dof, sizeof(double));
    if (!split->sensor)
        split->sensor =
            cond_arena_allocate(&sim->arena, 6 * (size_t)sim->model->n_sensor, sizeof(double));
    if (!split->wanted)
        split->wanted = cond_arena_allocate(&sim->arena, n_target, sizeof *split->wanted);
    if (!split->v_hat || !split->sensor || !split->wanted || RESERVE(lambda, 3 * (int)n_force) ||
        RESERVE(relaxed, (int)n) || RESERVE(candidate, (int)n))
        return COND_OUT_OF_MEMORY;
    split->n_candidate = (int)n;
    if (n > 0)
        memcpy(split->candidate, sim->attempt.candidates.candidate, n * sizeof *split->candidate);
    memcpy(split->v_hat, sim->attempt.v_hat, n_dof * sizeof(double));
    memcpy(split->lambda, sim->attempt.lambda, 3 * n_force * sizeof(double));
    memcpy(split->wanted, sim->rows.wanted, n_target * sizeof *split->wanted);
    memcpy(split->relaxed, sim->attempt.relaxed, n * sizeof *split->relaxed);
    return COND_OK;
}

static void set_parts(CondSim* sim, int part, int parts)
{
    sim->attempt.substep = part;
    sim->attempt.n_substep = parts;
    sim->attempt.time_step = sim->model->settings.time_step / parts;
}

// All as it was after the solve of the whole step. What is solved again for that counts in info.
static CondStatus go_back(CondSim* sim, const CondState* state, CondStepInfo* info)
{
    CondParts* split = &sim->split;
    const CondSceneSettings* settings = &sim->model->settings;
    CondStepInfo again = {0};
    set_parts(sim, 0, 1);
    cond_solver_reset(sim->solver);
    if (settings->integrator != COND_INTEGRATOR_THETA) { // its last iterate is spread too wide
        CondStatus status = cond_sim_attempt(sim, state, &again);
        cond_sim_add_attempt(&again, info);
        return status < 0 ? status : COND_OK;
    }
    CondStatus status = cond_sim_forces(sim, state);
    if (!status)
        cond_joint_rows_set(sim, state, split->wanted);
    if (!status)
        status = cond_sim_matrix(sim);
    size_t n = (size_t)split->n_candidate;
    if (status || cond_candidates_reserve(&sim->attempt.candidates, (int)n))
        return status ? status : COND_OUT_OF_MEMORY;
    if (n > 0)
        memcpy(sim->attempt.candidates.candidate, split->candidate, n * sizeof *split->candidate);
    sim->attempt.candidates.n = (int)n;
    sim->readings.n_ready = sim->attempt.checked = 0;
    status = cond_sim_assemble(sim, state);
    if (status)
        return status;
    memcpy(sim->attempt.v_hat, split->v_hat, (size_t)sim->model->n_dof * sizeof(double));
    memcpy(sim->attempt.lambda, split->lambda, 3 * (size_t)cond_sim_n_force(sim) * sizeof(double));
    memcpy(sim->attempt.relaxed, split->relaxed, n * sizeof *split->relaxed);
    return COND_OK;
}

void cond_sim_add_attempt(const CondStepInfo* other, CondStepInfo* info)
{
    cond_solve_info_add_work(&other->solve, &info->solve, &info->solve);
    cond_solve_info_add_work(&other->impact, &info->impact, &info->impact);
    cond_solve_info_add_work(&other->correction, &info->correction, &info->correction);
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

static void add_info(const CondStepInfo* part, int first, CondStepInfo* sum)
{
    if (first) {
        sum->kinetic_before = part->kinetic_before;
        sum->potential_before = part->potential_before;
    }
    sum->time = part->time;
    sum->n_contact = part->n_contact;
    sum->newton_iterations += part->newton_iterations;
    sum->rounds += part->rounds;
    sum->added += part->added;
    sum->penetration = fmax(sum->penetration, part->penetration);
    sum->corrected += part->corrected;
    sum->kinetic_after = part->kinetic_after;
    sum->potential_after = part->potential_after;
    cond_sim_add_solve(&part->solve, &sum->solve);
    cond_sim_add_solve(&part->impact, &sum->impact);
    cond_sim_add_solve(&part->correction, &sum->correction);
    for (int k = 0; k < COND_N_STAGE; k++)
        sum->seconds[k] += part->seconds[k];
}

// Adds the impulses of the part that was made last. Both lists ascend with the key.
static CondStatus add_contacts(CondSim* sim)
{
    CondParts* split = &sim->split;
    int n = 0, k = 0;
    if (RESERVE(all, split->n_all + sim->attempt.candidates.n) ||
        RESERVE(merge, split->n_all + sim->attempt.candidates.n))
        return COND_OUT_OF_MEMORY;
    for (int c = 0; c < sim->attempt.candidates.n; c++) {
        CondPartContact now = {.candidate = sim->attempt.candidates.candidate[c]};
        while (k < split->n_all && cond_key_less(split->all[k].candidate.key, now.candidate.key))
            split->merge[n++] = split->all[k++];
        memcpy(now.place, sim->readings.place + 6 * c, sizeof now.place);
        mat3_multiply_transposed(now.candidate.frame, sim->attempt.impulse + 3 * c, now.impulse);
        if (k < split->n_all && cond_key_equal(split->all[k].candidate.key, now.candidate.key)) {
            for (int i = 0; i < 3; i++)
                now.impulse[i] += split->all[k].impulse[i];
            k++;
        }
        split->merge[n++] = now;
    }
    while (k < split->n_all)
        split->merge[n++] = split->all[k++];
    memcpy(split->all, split->merge, (size_t)n * sizeof *split->all);
    split->n_all = n;
    return COND_OK;
}

// Adds what attachments and sensors read in the part that was made last.
static CondStatus add_readings(CondSim* sim)
{
    CondParts* split = &sim->split;
    if (RESERVE(wrench, 6 * sim->readings.n_wrench))
        return COND_OUT_OF_MEMORY;
    for (int i = 0; i < 6 * sim->readings.n_wrench; i++)
        split->wrench[i] =
            (sim->attempt.substep > 0 ? split->wrench[i] : 0.0) + sim->readings.wrench[i];
    for (int i = 0; i < sim->model->n_sensor; i++)
        for (int k = 0; k < 3; k++) {
            const CondSensorReading* reading = &sim->readings.reading[i];
            double *force = split->sensor + 6 * i, *torque = force + 3;
            force[k] = (sim->attempt.substep > 0 ? force[k] : 0.0) + reading->force[k];
            torque[k] = (sim->attempt.substep > 0 ? torque[k] : 0.0) + reading->torque[k];
        }
    cond_joint_rows_add_part(sim);
    return COND_OK;
}

#undef RESERVE

// Joint targets that move during the step have moved in proportion after this part.
static void share_commands(CondSim* sim, const CondState* state)
{
    CondState* trial = sim->split.trial;
    double done = (double)(sim->attempt.substep + 1) / sim->attempt.n_substep;
    for (int i = 0; i < state->n_target; i++)
        trial->command[i] = sim->attempt.substep + 1 == sim->attempt.n_substep
                                ? state->command[i]
                                : state->target[i] + done * (state->command[i] - state->target[i]);
}

// All parts, from the state on, into sim->split.trial; COND_NOT_CONVERGED where one of them misses.
static CondStatus make_parts(CondSim* sim, const CondState* state, int parts, CondStepInfo* sum)
{
    CondState* trial = sim->split.trial;
    CondStatus status = cond_state_copy(trial, state);
    sim->split.n_all = 0;
    cond_solver_reset(sim->solver);
    for (int k = 0; k < parts && !status; k++) {
        CondStepInfo part = {0};
        set_parts(sim, k, parts);
        share_commands(sim, state);
        sim->attempt.divisible = 2 * parts <= sim->model->settings.substeps;
        status = cond_sim_attempt(sim, trial, &part);
        sim->attempt.divisible = 0;
        if (!status)
            status = cond_sim_integrate(sim, trial, &part);
        add_info(&part, k == 0, sum);
        if (!status)
            status = add_contacts(sim);
        if (!status)
            status = add_readings(sim);
    }
    int ends = status == COND_OK || status == COND_OUT_OF_MEMORY || status == COND_CANCELLED;
    return ends ? status : COND_NOT_CONVERGED;
}

// Impulses of the whole step for the contacts of its last part; those of earlier parts follow, with
// nothing on their sides.
static CondStatus spread_contacts(CondSim* sim)
{
    CondParts* split = &sim->split;
    int n = sim->attempt.candidates.n, all = split->n_all, next = n;
    if (cond_candidates_reserve(&sim->attempt.candidates, all) ||
        COND_RESERVE(&sim->attempt.assembly.arena, sim->attempt.assembly.contact, all) ||
        COND_RESERVE(&sim->arena, sim->attempt.lambda, 3 * all) ||
        COND_RESERVE(&sim->arena, sim->attempt.relaxed, all) ||
        COND_RESERVE(&sim->arena, sim->attempt.impulse, 3 * all) ||
        COND_RESERVE(&sim->arena, sim->readings.place, 6 * all))
        return COND_OUT_OF_MEMORY;
    sim->attempt.assembly.problem.contact = sim->attempt.assembly.contact;
    for (int k = 0, c = 0; k < all; k++) {
        const CondPartContact* one = &split->all[k];
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
static void spread_readings(CondSim* sim, int parts)
{
    const CondParts* split = &sim->split;
    for (int i = 0; i < 6 * sim->readings.n_wrench; i++)
        sim->readings.wrench[i] = split->wrench[i] / parts;
    for (int i = 0; i < sim->model->n_sensor; i++)
        for (int k = 0; k < 3; k++) {
            sim->readings.reading[i].force[k] = split->sensor[6 * i + k] / parts;
            sim->readings.reading[i].torque[k] = split->sensor[6 * i + 3 + k] / parts;
        }
    cond_joint_rows_mean(sim, parts);
}

// All parts have been made and hold: the step is what they made together.
static CondStatus commit(CondSim* sim, CondState* state, int parts)
{
    CondStatus status = spread_contacts(sim);
    if (!status)
        status = cond_state_copy(state, sim->split.trial);
    if (status)
        return status;
    spread_readings(sim, parts);
    cond_solver_reset(sim->solver);
    return COND_OK;
}

CondStatus cond_sim_step_in_parts(CondSim* sim, CondState* state, CondStepInfo* info)
{
    CondStatus status = keep(sim);
    if (status)
        return status;
    for (int parts = 2; parts <= sim->model->settings.substeps; parts *= 2) {
        CondStepInfo made = {.substeps = parts};
        status = make_parts(sim, state, parts, &made);
        set_parts(sim, 0, 1);
        if (status == COND_NOT_CONVERGED) {
            cond_sim_add_attempt(&made, info);
            continue;
        }
        if (!status)
            status = commit(sim, state, parts);
        if (status)
            return status;
        made.solve.solved_by = COND_BY_SUBSTEPS;
        cond_sim_add_attempt(info, &made);
        *info = made;
        return COND_OK;
    }
    status = go_back(sim, state, info);
    return status ? status : COND_NOT_CONVERGED;
}
