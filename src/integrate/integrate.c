// v_hat -> v_{k+1}, q_{k+1}.
#include "base/memory.h"
#include "base/parallel.h"
#include "base/tuning.h"
#include "body/body.h"
#include "integrate/balance.h"
#include "integrate/persistent.h"
#include "integrate/spectral.h"
#include "sim/sim.h"

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
    cond_sim_advance(sim->model, sim->attempt.v_hat, sim->attempt.time_step, sim->next->q);
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
    int threads = model->settings.solver.threads;
    for (int b = 0; b < model->n_body; b++) {
        int at = model->body[b].dof_begin, n = model->body[b].n_dof;
        VelocityLoop loop = {state->v + at, v_hat + at,       sim->attempt.v_hat + at,
                             next->v + at,  next->v_hat + at, sim->theta[b]};
        cond_parallel(n, cond_threads((size_t)n, threads), make_velocities, &loop);
        if (cond_spectral_of(sim, b) > 0.0)
            cond_spectral_arrive(sim, state, b, next->v);
    }
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
