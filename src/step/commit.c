// The last stage of every step by every method: what is read from it, whether it is sound, and the
// one place where the state changes.
#include "integrate/balance.h"
#include "model/shell.h"
#include "potential/trajectory.h"
#include "sense/event.h"
#include "sim/sim.h"
#include "sleep/sleep.h"

void cond_sim_energies(CondSim* sim, const CondState* state, CondStepInfo* info)
{
    cond_trajectory_guide(&sim->at_start, state->time);
    cond_trajectory_guide(&sim->at_end, sim->next->time);
    // Mostly the state is as the last step left it.
    info->kinetic_before =
        sim->energy.resumed ? sim->energy.kinetic : cond_sim_kinetic(sim, &sim->at_start, state->v);
    info->potential_before =
        sim->energy.resumed ? sim->energy.potential : cond_sim_potential(&sim->at_start, state);
    info->kinetic_after = sim->energy.kinetic = cond_sim_kinetic(sim, &sim->at_end, sim->next->v);
    info->potential_after = sim->energy.potential = cond_sim_potential(&sim->at_end, sim->next);
    sim->energy.known = 1;
}

// The works of a step that the balance of energy has measured, and what none of them says.
static void account(CondSim* sim, const CondState* state, CondStepInfo* info)
{
    const CondSceneSettings* settings = &sim->model->settings;
    if (settings->method == COND_STEP_VELOCITY && settings->integrator == COND_INTEGRATOR_AUTO) {
        const CondWorks* works = &sim->balance->works;
        cond_trajectory_guide(&sim->at_start, state->time);
        cond_trajectory_guide(&sim->at_end, sim->next->time);
        info->work_given += works->given +
                            cond_sim_given_energy(sim, &sim->at_end, sim->next, sim->next->v) -
                            cond_sim_given_energy(sim, &sim->at_start, state, state->v);
        info->work_damping += works->damping;
        info->work_numerical = works->numerical;
        info->work_correction = works->correction;
        info->work_impact += works->impact;
    }
    info->work_other = info->kinetic_after + info->potential_after - info->kinetic_before -
                       info->potential_before - info->work_friction - info->work_impact -
                       info->work_given - info->work_damping - info->work_numerical -
                       info->work_correction;
}

// Shells that are bent beyond their yield keep the excess. What that takes is lost.
static double crease(CondSim* sim)
{
    const CondModel* model = sim->model;
    double work = 0.0;
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        if (body->shell && body->fem->n_inner > 0)
            work -= cond_shell_yield(body->fem, sim->next->q + body->q_begin);
    }
    return work;
}

CondStatus cond_sim_commit(CondSim* sim, const CondState* state, CondState* to, CondStepInfo* info)
{
    info->n_contact = sim->attempt.candidates.n;
    info->time = sim->next->time;
    info->newton_iterations = sim->newton.iterations;
    double creased = crease(sim);
    CondSim* whole;
    const CondState* from; // sleepers count in what the run has to spend
    CondStatus status = cond_sleep_widen(sim, state, &whole, &from);
    if (status)
        return status;
    cond_sim_energies(whole, from, info);
    info->work_damping = creased;
    account(sim, state, info);
    status = cond_watch_motion(whole, from, info);
    sim->watch.energy = whole->watch.energy;
    sim->next->account = whole->next->account;
    if (!status && sim->model->settings.method != COND_STEP_PBD)
        status = cond_sim_read_wrenches(sim);
    if (!status)
        cond_joint_rows_read(sim);
    if (!status)
        status = cond_sim_read_sensors(sim, state);
    if (!status)
        status = cond_watch_forces(sim);
    if (!status)
        status = cond_events_reserve(sim);
    if (!status)
        status = cond_events_note(sim, state);
    if (!status)
        status = cond_state_copy_by(to, sim->next, sim->model->settings.solver.threads);
    if (status < 0)
        return status;
    to->pace.last = sim->attempt.time_step;
    sim->readings.n_ready = sim->attempt.candidates.n;
    sim->readings.ready = 1;
    return COND_OK;
}
