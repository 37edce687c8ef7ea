// Between the whole and the part of it that is awake.
#include "base/memory.h"
#include "sim/sim.h"
#include "sleep/sleep.h"

#include <string.h>

static void copy(double* to, const double* from, int n)
{
    memcpy(to, from, (size_t)n * sizeof *to);
}

// What is not of one body.
static CondStatus copy_common(const CondState* from, CondState* to)
{
    if (COND_RESERVE(&to->arena, to->weld, from->n_weld) ||
        COND_RESERVE(&to->arena, to->push, from->n_push))
        return COND_OUT_OF_MEMORY;
    to->time = from->time;
    to->step = from->step;
    to->account = from->account;
    to->pace = from->pace;
    copy(to->target, from->target, from->n_target);
    copy(to->command, from->command, from->n_target);
    if (from->n_target > 0)
        memcpy(to->motor, from->motor, (size_t)from->n_target * sizeof *to->motor);
    if (from->n_weld > 0)
        memcpy(to->weld, from->weld, (size_t)from->n_weld * sizeof *to->weld);
    to->n_weld = from->n_weld;
    if (from->n_push > 0)
        memcpy(to->push, from->push, (size_t)from->n_push * sizeof *to->push);
    to->n_push = from->n_push;
    return COND_OK;
}

// The contact forces of those that are awake.
static CondStatus take_memory(const CondSleep* sleep, const CondState* whole, CondState* part)
{
    if (COND_RESERVE(&part->arena, part->memory, whole->n_memory))
        return COND_OUT_OF_MEMORY;
    part->n_memory = 0;
    for (int k = 0, c = 0; k < whole->n_memory; k++) { // both lists ascend with the key
        CondContactKey key = whole->memory[k].key;
        while (c < sleep->n_contact && cond_key_less(sleep->contact[c].memory.key, key))
            c++;
        if (c == sleep->n_contact || cond_key_less(key, sleep->contact[c].memory.key))
            part->memory[part->n_memory++] = whole->memory[k];
    }
    return COND_OK;
}

CondStatus cond_sleep_take(const CondSleep* sleep, const CondState* whole, CondState* part)
{
    const CondModel *all = sleep->whole->model, *model = sleep->part.model;
    CondStatus status = copy_common(whole, part);
    for (int b = 0; b < model->n_body; b++) {
        const CondBody *from = &all->body[sleep->part.body[b]], *to = &model->body[b];
        copy(part->q + to->q_begin, whole->q + from->q_begin, to->n_q);
        copy(part->v + to->dof_begin, whole->v + from->dof_begin, to->n_dof);
        copy(part->v_hat + to->dof_begin, whole->v_hat + from->dof_begin, to->n_dof);
        copy(part->force + to->dof_begin, whole->force + from->dof_begin, to->n_dof);
        part->off[b] = whole->off[sleep->part.body[b]];
    }
    for (int i = 0; i < part->n_push && !status; i++)
        cond_part_enter(&sleep->part, &part->push[i].point); // who is pushed is awake
    for (int i = 0; i < part->n_weld && !status; i++)
        for (int end = 0; end < 2; end++)
            cond_part_enter(&sleep->part, &part->weld[i].what.end[end].point);
    return status ? status : take_memory(sleep, whole, part);
}

// But for the contact forces.
static CondStatus put(const CondSleep* sleep, const CondState* part, CondState* whole)
{
    const CondModel *all = sleep->whole->model, *model = sleep->part.model;
    CondStatus status = copy_common(part, whole);
    for (int b = 0; b < model->n_body; b++) {
        const CondBody *to = &all->body[sleep->part.body[b]], *from = &model->body[b];
        copy(whole->q + to->q_begin, part->q + from->q_begin, to->n_q);
        copy(whole->v + to->dof_begin, part->v + from->dof_begin, to->n_dof);
        copy(whole->v_hat + to->dof_begin, part->v_hat + from->dof_begin, to->n_dof);
        copy(whole->force + to->dof_begin, part->force + from->dof_begin, to->n_dof);
        whole->off[sleep->part.body[b]] = part->off[b];
    }
    for (int i = 0; i < whole->n_push && !status; i++)
        cond_part_leave(&sleep->part, &whole->push[i].point);
    for (int i = 0; i < whole->n_weld && !status; i++)
        for (int end = 0; end < 2; end++)
            cond_part_leave(&sleep->part, &whole->weld[i].what.end[end].point);
    return status;
}

CondStatus cond_sleep_put(const CondSleep* sleep, const CondState* part, CondState* whole)
{
    int n = part->n_memory + sleep->n_contact, k = 0, c = 0;
    if (COND_RESERVE(&whole->arena, whole->memory, n) || put(sleep, part, whole))
        return COND_OUT_OF_MEMORY;
    for (int i = 0; i < n; i++) {
        int own = c == sleep->n_contact ||
                  (k < part->n_memory &&
                   cond_key_less(part->memory[k].key, sleep->contact[c].memory.key));
        whole->memory[i] = own ? part->memory[k++] : sleep->contact[c++].memory;
    }
    whole->n_memory = n;
    return COND_OK;
}

CondStatus cond_sleep_widen(CondSim* sim, const CondState* state, CondSim** whole,
                            const CondState** from)
{
    *whole = sim;
    *from = state;
    if (!sim->whole)
        return COND_OK;
    CondSim* all = sim->whole;
    CondSleep* sleep = all->sleep;
    // Energies that are known belong to what was made last; an attempt that was given up is later.
    all->energy.resumed = all->energy.known && state->time == all->next->time;
    CondStatus status = put(sleep, state, sleep->before);
    if (!status)
        status = put(sleep, sim->next, all->next);
    cond_kinematics_set(&all->at_start, sleep->before->q);
    cond_kinematics_set(&all->at_end, all->next->q);
    copy(all->targets.rate, sim->targets.rate, sim->model->n_target);
    all->attempt.time_step = sim->attempt.time_step;
    *whole = all;
    *from = sleep->before;
    return status;
}

// ---- reading

// Room in the lists of the whole for n contacts.
static CondStatus reserve(CondSim* sim, int n)
{
    if (cond_candidates_reserve(&sim->attempt.candidates, n) || cond_sim_reserve_forces(sim, n) ||
        COND_RESERVE(&sim->arena, sim->readings.place, 6 * n) ||
        COND_RESERVE(&sim->sleep->arena, sim->sleep->source, n))
        return COND_OUT_OF_MEMORY;
    return COND_OK;
}

static void gather_own(CondSim* sim, int at, int c)
{
    const CondSim* awake = sim->sleep->awake;
    CondCandidate* candidate = &sim->attempt.candidates.candidate[at];
    *candidate = awake->attempt.candidates.candidate[c];
    cond_part_leave(&sim->sleep->part, &candidate->point[0]);
    cond_part_leave(&sim->sleep->part, &candidate->point[1]);
    copy(sim->attempt.lambda + 3 * (size_t)at, awake->attempt.lambda + 3 * (size_t)c, 3);
    copy(sim->attempt.impulse + 3 * (size_t)at, awake->attempt.impulse + 3 * (size_t)c, 3);
    copy(sim->readings.place + 6 * (size_t)at, awake->readings.place + 6 * (size_t)c, 6);
    sim->attempt.relaxed[at] = awake->attempt.relaxed[c];
    sim->sleep->source[at] = c;
}

static void gather_sleeper(CondSim* sim, int at, int c)
{
    const CondSleepContact* contact = &sim->sleep->contact[c];
    sim->attempt.candidates.candidate[at] = contact->candidate;
    copy(sim->attempt.lambda + 3 * (size_t)at, contact->memory.lambda, 3);
    copy(sim->attempt.impulse + 3 * (size_t)at, contact->impulse, 3);
    copy(sim->readings.place + 6 * (size_t)at, contact->place, 6);
    sim->attempt.relaxed[at] = contact->relaxed;
    sim->sleep->source[at] = -1 - c;
}

CondStatus cond_sleep_gather(const CondSim* reader)
{
    CondSleep* sleep = reader->sleep;
    if (!sleep || !sleep->made || sleep->gathered)
        return COND_OK;
    CondSim* sim = sleep->whole;
    const CondSim* awake = sleep->awake;
    int own = awake ? awake->readings.n_ready : 0; // none where the step has failed
    int n = own + sleep->n_contact, k = 0, c = 0;
    if (reserve(sim, n))
        return COND_OUT_OF_MEMORY;
    for (int i = 0; i < n; i++) { // contacts of earlier parts of a step are behind the others
        if (c == sleep->n_contact ||
            (k < own && cond_key_less(awake->attempt.candidates.candidate[k].key,
                                      sleep->contact[c].candidate.key)))
            gather_own(sim, i, k++);
        else
            gather_sleeper(sim, i, c++);
    }
    for (int b = 0; b < sim->model->n_body; b++) {
        CondPose pose = cond_state_pose(sim->model, sleep->left, b);
        int place = awake ? sleep->part.place[b] : -1;
        copy(sim->readings.centre + 3 * (size_t)b,
             place < 0 ? pose.position : awake->readings.centre + 3 * (size_t)place, 3);
    }
    sim->attempt.candidates.n = sim->readings.n_ready = n;
    sleep->gathered = 1;
    return COND_OK;
}

const CondSim* cond_sleep_source(const CondSim* sim, int* contact)
{
    const CondSleep* sleep = sim->sleep;
    if (!sleep || !sleep->made)
        return sim;
    *contact = sleep->source[*contact];
    return *contact >= 0 ? sleep->awake : NULL;
}

const CondSim* cond_sleep_reader(const CondSim* sim)
{
    return sim->sleep && sim->sleep->made && sim->sleep->awake ? sim->sleep->awake : sim;
}

CondSim* cond_sleep_maker(CondSim* sim)
{
    return sim->sleep && sim->sleep->made && sim->sleep->awake ? sim->sleep->awake : sim;
}

int cond_sleep_touches(const CondSim* sim, const CondState* state)
{
    int touches = state->n_memory > 0 && state->memory[0].key.pair < COND_KEY_JOINT;
    return touches || (sim->whole && sim->whole->sleep->n_contact > 0);
}

// Contacts beyond those of the problem belong to earlier parts of the step.
static CondStatus own_errors(const CondSim* maker, double* error)
{
    const CondSolverSettings* solver = &maker->model->settings.solver;
    const CondProblem* problem = &maker->attempt.assembly.problem;
    for (int c = 0; c < maker->attempt.candidates.n; c++)
        error[c] = 0.0;
    CondProblem contacts = *problem; // without the rows behind them
    contacts.n_contact -= maker->rows.n;
    if (maker->attempt.candidates.n == 0 || contacts.n_contact > maker->attempt.candidates.n)
        return COND_OK;
    return cond_certify_contacts(&maker->arena.context, &contacts, solver->law, solver->omega,
                                 maker->attempt.v_hat, maker->attempt.lambda, error);
}

CondStatus cond_sim_contact_errors(const CondSim* sim, double* error)
{
    CondSleep* sleep = sim->sleep;
    if (sim->model->settings.method != COND_STEP_VELOCITY) {
        for (int c = 0; c < sim->attempt.candidates.n; c++)
            error[c] = 0.0; // the baselines solve no problem
        return COND_OK;
    }
    if (!sleep || !sleep->made)
        return own_errors(sim, error);
    int own = sleep->awake ? sleep->awake->attempt.candidates.n : 0;
    if (cond_sleep_gather(sim) || COND_RESERVE(&sleep->arena, sleep->error, own))
        return COND_OUT_OF_MEMORY;
    CondStatus status = sleep->awake ? own_errors(sleep->awake, sleep->error) : COND_OK;
    for (int c = 0; c < sim->attempt.candidates.n && !status; c++) {
        int from = sleep->source[c];
        error[c] = from >= 0 ? sleep->error[from] : sleep->contact[-1 - from].error;
    }
    return status;
}
