// v_hat -> v_{k+1}, q_{k+1}; the stages that repair both; and what is read from the step.
#include "base/memory.h"
#include "base/parallel.h"
#include "base/timer.h"
#include "body/body.h"
#include "step/sim.h"
#include "step/trajectory.h"

#include <math.h>
#include <string.h>

void cond_sim_advance(const CondModel* model, const double* v, double t, double* q)
{
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        cond_body_ops(body->kind)->advance(body, v + body->dof_begin, t, q + body->q_begin);
    }
}

static void remember_contacts(const void* loop, int first, int last)
{
    const CondSim* sim = loop;
    for (int c = first; c < last; c++) {
        const CondCandidate* candidate = &sim->candidates.candidate[c];
        CondContactMemory* memory = &sim->next->memory[c];
        memory->key = candidate->key;
        memory->triangle = candidate->triangle;
        memcpy(memory->lambda, sim->lambda + (ptrdiff_t)3 * c, sizeof memory->lambda);
        memcpy(memory->tangent, candidate->frame + 3, sizeof memory->tangent);
    }
}

CondStatus cond_sim_remember(CondSim* sim)
{
    CondState* next = sim->next;
    if (COND_RESERVE(&next->arena, next->memory, sim->candidates.n))
        return COND_OUT_OF_MEMORY;
    next->n_memory = sim->candidates.n;
    cond_parallel(sim->candidates.n,
                  cond_threads(16 * (size_t)sim->candidates.n, sim->model->settings.solver.threads),
                  remember_contacts, sim);
    return COND_OK;
}

// v = v_k + (v_hat - v_k)/theta, and the velocity that was solved for
typedef struct VelocityLoop {
    const double *v_k, *v_hat, *solved;
    double *v, *kept, theta; // of one body
} VelocityLoop;

static void make_velocities(const void* loop, int first, int last)
{
    const VelocityLoop* l = loop;
    for (int i = first; i < last; i++) {
        l->v[i] = l->v_k[i] + (l->v_hat[i] - l->v_k[i]) / l->theta;
        l->kept[i] = l->solved[i];
    }
}

void cond_sim_move(CondSim* sim, const CondState* state)
{
    memcpy(sim->next->q, state->q, (size_t)sim->model->n_q * sizeof(double));
    cond_sim_advance(sim->model, sim->v_hat, sim->time_step, sim->next->q);
    cond_kinematics_set(&sim->then, sim->next->q);
}

// q_{k+1} = update(q_k, v_hat, t),  v_{k+1} = v_k + (v_hat - v_k)/theta, in sim->next.
static CondStatus make_next(CondSim* sim, const CondState* state)
{
    const CondModel* model = sim->model;
    CondState* next = sim->next;
    const double* v_hat = cond_sim_representative(sim, state);
    int threads = model->settings.solver.threads;
    for (int b = 0; b < model->n_body; b++) {
        int at = model->body[b].dof_begin, n = model->body[b].n_dof;
        VelocityLoop loop = {state->v + at, v_hat + at,       sim->v_hat + at,
                             next->v + at,  next->v_hat + at, sim->theta[b]};
        cond_parallel(n, cond_threads((size_t)n, threads), make_velocities, &loop);
    }
    // Time is counted in whole steps, and within one in its parts.
    double done = (double)(sim->part + 1) / sim->parts, whole = model->settings.time_step;
    int last = sim->part + 1 == sim->parts;
    next->step = state->step + last;
    next->time = ((double)next->step + (last ? 0.0 : done)) * whole;
    for (int i = 0; i < 3 * sim->candidates.n; i++)
        sim->impulse[i] = sim->time_step * sim->lambda[i];
    cond_sim_move(sim, state);
    CondStatus status = cond_sim_place_contacts(sim, state);
    for (int c = 0; c < sim->candidates.n; c++) // forces are in the axes of the middle
        if (cond_persistent_is_moved(sim, c))
            memcpy(sim->candidates.candidate[c].frame, sim->halfway.candidate[c].frame,
                   sizeof sim->candidates.candidate[c].frame);
    return status ? status : cond_sim_remember(sim);
}

void cond_sim_energies(CondSim* sim, const CondState* state, CondStepInfo* info)
{
    cond_trajectory_guide(&sim->now, state->time);
    cond_trajectory_guide(&sim->then, sim->next->time);
    // Mostly the state is as the last step left it.
    info->kinetic_before = sim->resumed ? sim->kinetic : cond_sim_kinetic(sim, &sim->now, state->v);
    info->potential_before = sim->resumed ? sim->potential : cond_sim_potential(&sim->now, state);
    info->kinetic_after = sim->kinetic = cond_sim_kinetic(sim, &sim->then, sim->next->v);
    info->potential_after = sim->potential = cond_sim_potential(&sim->then, sim->next);
    sim->known = 1;
}

CondStatus cond_sim_end(CondSim* sim, CondState* state, CondStepInfo* info)
{
    info->n_contact = sim->candidates.n;
    info->time = sim->next->time;
    cond_sim_energies(sim, state, info);
    CondStatus status = cond_watch_motion(sim, state, info);
    if (!status && sim->model->settings.method != COND_STEP_PBD)
        status = cond_sim_read_wrenches(sim);
    if (!status)
        status = cond_sim_read_sensors(sim, state);
    if (!status)
        status = cond_watch_forces(sim);
    if (!status)
        status = cond_state_copy(state, sim->next);
    if (status < 0)
        return status;
    sim->n_ready = sim->candidates.n;
    sim->sensors.ready = 1;
    return COND_OK;
}

CondStatus cond_sim_integrate(CondSim* sim, CondState* state, CondStepInfo* info)
{
    const CondModel* model = sim->model;
    double clock = cond_seconds(), now;
    CondStatus worst = make_next(sim, state);
    info->seconds[COND_STAGE_INTEGRATE] += (now = cond_seconds()) - clock;
    if (worst < 0)
        return worst;
    clock = now;
    if (!sim->checked) {
        CondStatus found = cond_sim_collide_next(sim, &sim->penetration);
        if (found < 0)
            return found;
    }
    clock = cond_seconds();
    if (model->settings.impact) {
        CondStatus status = cond_sim_impact(sim, state, &info->impact);
        info->seconds[COND_STAGE_IMPACT] += (now = cond_seconds()) - clock;
        if (status < 0)
            return status;
        if (status && sim->moved && sim->persistent == COND_PERSISTENT_TRIED) {
            sim->persistent = COND_PERSISTENT_BARRED; // nothing has reached the state
            return status;
        }
        worst = status > worst ? status : worst;
    }
    info->penetration = sim->penetration;
    clock = cond_seconds();
    if (model->settings.position_correction) {
        double share = model->settings.correction_rate * sim->time_step;
        CondStatus status = cond_sim_correct(sim, info->penetration, share, &info->correction,
                                             &info->corrected, NULL);
        info->seconds[COND_STAGE_CORRECT] += cond_seconds() - clock;
        if (status < 0)
            return status;
        worst = status > worst ? status : worst;
    }
    cond_sim_transport(sim);
    cond_sim_balance(sim);
    if (!cond_watch_finds_finite(sim))
        return COND_DIVERGED;
    info->newton_iterations = sim->newton.iterations;
    CondStatus status = cond_sim_end(sim, state, info);
    return status < 0 ? status : worst;
}
