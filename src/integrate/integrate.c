// v_hat -> v_{k+1}, q_{k+1}.
#include "base/memory.h"
#include "base/parallel.h"
#include "base/tuning.h"
#include "body/body.h"
#include "body/each.h"
#include "integrate/balance.h"
#include "integrate/persistent.h"
#include "integrate/spectral.h"
#include "sim/sim.h"

#include <string.h>

typedef struct AdvanceLoop {
    const CondModel* model;
    const double *v, *from;
    double t, *q;
} AdvanceLoop;

static void advance(const void* loop, int b)
{
    const AdvanceLoop* l = loop;
    const CondBody* body = &l->model->body[b];
    cond_body_advance(body, l->from + body->q_begin, l->v + body->dof_begin, l->t,
                      l->model->settings.solver.threads, l->q + body->q_begin);
}

void cond_sim_advance(const CondModel* model, const double* from, const double* v, double t,
                      double* q)
{
    AdvanceLoop loop = {model, v, from, t, q};
    cond_each_body(model, COND_COORDINATE_WORK, advance, &loop);
}

static void remember_contacts(const void* loop, int first, int last)
{
    const CondSim* sim = loop;
    for (int c = first; c < last; c++) {
        const CondCandidate* candidate = &sim->attempt.candidates.candidate[c];
        CondContactMemory* memory = &sim->next->memory[c];
        memory->key = candidate->key;
        memory->triangle = candidate->triangle;
        memcpy(memory->lambda, sim->attempt.lambda + (ptrdiff_t)3 * c, sizeof memory->lambda);
        memcpy(memory->tangent, candidate->frame + 3, sizeof memory->tangent);
    }
}

CondStatus cond_sim_remember(CondSim* sim)
{
    CondState* next = sim->next;
    int n = cond_sim_n_force(sim);
    if (COND_RESERVE(&next->arena, next->memory, n))
        return COND_OUT_OF_MEMORY;
    next->n_memory = n;
    cond_parallel(sim->attempt.candidates.n,
                  cond_threads(COND_CONTACT_WORK * (size_t)sim->attempt.candidates.n,
                               sim->model->settings.solver.threads),
                  remember_contacts, sim);
    for (int r = 0, c = sim->attempt.candidates.n; r < sim->rows.n; r++, c++) {
        next->memory[c] = (CondContactMemory){.key = sim->rows.row[r].key, .triangle = -1};
        next->memory[c].lambda[0] = cond_joint_row_force(sim, r);
    }
    return COND_OK;
}

// v = v_k + (v_hat - v_k)/theta, and the velocity that was solved for
typedef struct VelocityLoop {
    const CondSim* sim;
    const double *v_k, *v_hat;
} VelocityLoop;

static void make_velocities(const void* loop, int b, int first, int last)
{
    const VelocityLoop* l = loop;
    const CondSim* sim = l->sim;
    for (int i = first; i < last; i++) {
        sim->next->v[i] = l->v_k[i] + (l->v_hat[i] - l->v_k[i]) / sim->theta[b];
        sim->next->v_hat[i] = sim->attempt.v_hat[i];
    }
}

void cond_sim_move(CondSim* sim, const CondState* state)
{
    cond_sim_advance(sim->model, state->q, sim->attempt.v_hat, sim->attempt.time_step,
                     sim->next->q);
    const CondBalance* balance = sim->balance; // which has looked there already
    cond_kinematics_set_like(&sim->at_end, balance && balance->end.model ? &balance->end : NULL,
                             sim->next->q);
}

// Time is counted in whole steps, and within one in its parts.
static void count_time(CondSim* sim, const CondState* state)
{
    const CondAttempt* attempt = &sim->attempt;
    double whole = sim->model->settings.time_step,
           done = attempt->share_begun +
                  attempt->share * ((double)(attempt->substep + 1) / attempt->n_substep);
    int last = attempt->ends && attempt->substep + 1 == attempt->n_substep;
    sim->next->step = state->step + last;
    sim->next->time = ((double)sim->next->step + (last ? 0.0 : done)) * whole;
}

CondStatus cond_sim_arrive(CondSim* sim, const CondState* state)
{
    count_time(sim, state);
    CondStatus status = cond_sim_place_contacts(sim, state);
    for (int c = 0; c < sim->attempt.candidates.n; c++) // forces are in the axes of the middle
        if (cond_persistent_is_moved(sim, c))
            memcpy(sim->attempt.candidates.candidate[c].frame,
                   sim->attempt.middle.candidate[c].frame,
                   sizeof sim->attempt.candidates.candidate[c].frame);
    return status ? status : cond_sim_remember(sim);
}

CondStatus cond_sim_make_next(CondSim* sim, const CondState* state)
{
    const CondModel* model = sim->model;
    CondState* next = sim->next;
    const double* v_hat = cond_sim_representative(sim, state);
    VelocityLoop loop = {sim, state->v, v_hat};
    cond_each_coordinate(model, 2, make_velocities, &loop);
    for (int b = 0; b < model->n_body; b++)
        if (cond_spectral_of(sim, b) > 0.0)
            cond_spectral_arrive(sim, state, b, next->v);
    cond_held_put_end(sim, next->v);
    cond_joint_rows_rest(sim);
    for (int i = 0; i < 3 * cond_sim_n_force(sim); i++)
        sim->attempt.impulse[i] = sim->attempt.time_step * sim->attempt.lambda[i];
    cond_sim_move(sim, state);
    return cond_sim_arrive(sim, state);
}

CondStatus cond_sim_finish_next(CondSim* sim)
{
    cond_sim_transport(sim);
    cond_sim_balance(sim);
    cond_held_put_end(sim, sim->next->v);
    return cond_watch_finds_finite(sim) ? COND_OK : COND_DIVERGED;
}
