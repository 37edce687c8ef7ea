// Rest is exact. A start v_hat = v_k + th t M^-1 (f + Jc' lambda) is as far from 0 as the last
// forces are from balance, that is by the tolerance of a solve: taken as it is, a body at rest
// would creep by it from step to step. Where all bodies of an island would move no faster than
// that, the solve starts from v_hat = 0. With the last forces this leaves the residual M v_hat/(th
// t), which the certificate bears as it bore theirs; then the start is the answer, nothing moves,
// and the forces stay to the last bit. Otherwise the solve goes on from there.
#include "base/tuning.h"
#include "body/body.h"
#include "sim/sim.h"

#include <string.h>

// 1 where a body would gain less than its forces give it in a step, times the tolerance.
static int rests(CondSim* sim, int b)
{
    const CondBody* body = &sim->model->body[b];
    const CondBodyOps* ops = cond_body_ops(body->kind);
    double a[6];
    if (body->kind != COND_BODY_PARTICLE && body->kind != COND_BODY_RIGID)
        return 0;
    ops->accelerate(body, &sim->at_start, sim->f + body->dof_begin, a);
    double gain = sim->length[b] * ops->speed(body, &sim->at_start, a);
    return ops->speed(body, &sim->at_start, sim->attempt.v_hat + body->dof_begin) <=
           COND_LEEWAY * sim->model->settings.solver.tolerance * gain;
}

void cond_sim_start_at_rest(CondSim* sim)
{
    const CondModel* model = sim->model;
    const CondComponents* islands = &sim->attempt.islands;
    cond_connect_islands(sim);
    for (int i = 0; i < islands->n; i++)
        sim->attempt.rests[i] = 1;
    for (int b = 0; b < model->n_body; b++)
        sim->attempt.rests[islands->of[b]] &= rests(sim, b);
    for (int b = 0; b < model->n_body; b++)
        if (sim->attempt.rests[islands->of[b]])
            memset(sim->attempt.v_hat + model->body[b].dof_begin, 0,
                   (size_t)model->body[b].n_dof * sizeof *sim->attempt.v_hat);
}
