// The equations are those of body/spectral.h. The energy that they take in a step is, with f = M a
// and F the elastic forces,
//     t v.(F(q_m) - F(q*)) - t f.((v_k + v_{k+1})/2 - v):
// the power of F at q* in place of the middle q_m, and what the mean of the velocities at the ends
// of the step differs from v. The sum over many steps is never negative for a linear body, what a
// step takes is: both terms store some of what they take, of the order t^2, for the next step.
#include "integrate/spectral.h"

#include "base/parallel.h"
#include "body/body.h"
#include "body/spectral.h"
#include "device/sum.h"
#include "integrate/balance.h"
#include "integrate/tuning.h"
#include "model/fem.h"
#include "model/rod.h"
#include "sim/sim.h"

#include <math.h>
#include <string.h>

// By default bodies in contact are damped, whose impacts excite all their modes; free motion keeps
// its energy, and so do pieces, which follow what is excited.
static double damping_of(const CondSim* sim, int b)
{
    const CondBody* body = &sim->model->body[b];
    double asked = sim->model->settings.damping;
    if (!cond_body_deforms(body) || sim->linear[b] || !(sim->theta[b] < 1.0))
        return 0.0;
    if (isnan(asked))
        return sim->groups->touched[sim->groups->of[b]] && !(sim->model->settings.accuracy > 0.0)
                   ? COND_SPECTRAL_DEFAULT
                   : 0.0;
    return asked;
}

// w at coordinate i: the representative velocity of a step before this one that is as long, on the
// line through v_k and that of a last one that was longer.
static double past(const CondSim* sim, const CondState* state, int i)
{
    double last = state->pace.last, t = sim->attempt.time_step;
    if (t == last || !(last > 0.0))
        return state->v_hat[i];
    return state->v[i] - fmin(t / last, 1.0) * (state->v[i] - state->v_hat[i]);
}

double cond_spectral_of(const CondSim* sim, int body)
{
    return sim->model->settings.integrator == COND_INTEGRATOR_AUTO ? sim->balance->damped[body]
                                                                   : 0.0;
}

void cond_spectral_lead_on(CondSim* sim, const CondState* state, int b, double* q)
{
    CondBalance* balance = sim->balance;
    const CondBody* body = &sim->model->body[b];
    double damping = balance->damped[b] = damping_of(sim, b), *ahead = sim->work + body->dof_begin;
    cond_parallel_copy(body->n_q, q + body->q_begin, balance->middle + body->q_begin,
                       sim->model->settings.solver.threads);
    if (damping == 0.0)
        return;
    for (int i = 0, k = body->dof_begin; i < body->n_dof; i++, k++)
        ahead[i] = sim->attempt.v_hat[k] - past(sim, state, k);
    cond_body_ops(body->kind)
        ->advance(body, ahead, cond_spectral_lead(damping) * sim->attempt.time_step,
                  q + body->q_begin);
}

void cond_spectral_start(const CondSim* sim, const CondState* state, int b, double* v)
{
    const CondBody* body = &sim->model->body[b];
    double damping = cond_spectral_of(sim, b), m = cond_spectral_velocity(damping);
    for (int i = body->dof_begin; i < body->dof_begin + body->n_dof && damping != 0.0; i++)
        v[i] = ((1.0 - m) * v[i] + 0.5 * m * past(sim, state, i)) / (1.0 - 0.5 * m);
}

void cond_spectral_arrive(const CondSim* sim, const CondState* state, int b, double* v)
{
    const CondBody* body = &sim->model->body[b];
    double m = cond_spectral_velocity(cond_spectral_of(sim, b));
    for (int i = body->dof_begin; i < body->dof_begin + body->n_dof; i++) {
        double v_k = state->v[i], change = (sim->attempt.v_hat[i] - v_k) / sim->theta[b];
        v[i] = v_k + change;
        if (m > 0.0)
            v[i] -= m * (sim->attempt.v_hat[i] - 2.0 * v_k + past(sim, state, i));
    }
}

// M is diagonal.
static double mass_of(const CondBody* body, int i)
{
    return body->kind == COND_BODY_SOFT ? body->fem->mass[i / 3]
           : i % 6 < 3                  ? body->rod->mass[i / 6]
                                        : body->rod->inertia[3 * (i / 6) + i % 6 - 3];
}

// Elastic forces of a body at its own q.
static void elastic(CondSim* sim, const CondBody* body, const double* q, double* f)
{
    if (body->kind == COND_BODY_SOFT)
        cond_fem_forces(body->fem, q, &sim->at_end.fem[body->index], f, NULL,
                        sim->model->settings.solver.threads);
    else
        cond_rod_forces(body->rod, q, f);
}

void cond_spectral_account(CondSim* sim, const CondState* state, const double* v, double* energy)
{
    const CondModel* model = sim->model;
    CondBalance* balance = sim->balance;
    int threads = model->settings.solver.threads;
    double t = sim->attempt.time_step, *f = sim->work, *change = balance->p;
    balance->taken = 0.0;
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        const double* v_hat = sim->attempt.v_hat + body->dof_begin;
        size_t at = (size_t)body->dof_begin;
        if (balance->damped[b] == 0.0)
            continue;
        elastic(sim, body, balance->middle + body->q_begin, f);
        double taken = t * cond_dot(body->n_dof, v_hat, f, threads);
        elastic(sim, body, sim->newton.q + body->q_begin, f);
        taken -= t * cond_dot(body->n_dof, v_hat, f, threads);
        for (int i = 0; i < body->n_dof; i++) {
            double v_k = state->v[at + (size_t)i], v_next = v[at + (size_t)i];
            int held = sim->held.flag[body->dof_begin + i];
            change[i] = held ? 0.0 : mass_of(body, i) * (v_next - v_k);
            f[i] = 0.5 * (v_next + v_k) - v_hat[i];
        }
        taken -= cond_dot(body->n_dof, f, change, threads);
        energy[sim->groups->of[b]] += taken;
        balance->taken += taken;
    }
}
