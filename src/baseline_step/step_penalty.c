// The penalty baseline: every penetrating point is pushed out by a spring-damper, friction is a
// viscosity capped at mu f_n, and all of it is integrated explicitly (v first, then q with the new
// v). It does not solve a contact problem; its answer depends on its gains.
#include "base/memory.h"
#include "body/body.h"
#include "potential/potential.h"
#include "sim/sim.h"

#include <math.h>
#include <string.h>

// Force of one touching point in its frame: f_n = max(0, k depth - c u_n), |f_t| = min(ct |u_t|,
// mu f_n) against the slip, on the ellipse when friction is anisotropic.
static void contact_force(const CondSceneSettings* settings, const CondCandidate* candidate,
                          const double u[3], double force[3])
{
    double n = -settings->penalty_stiffness * candidate->gap - settings->penalty_damping * u[0];
    double trial[3] = {fmax(n, 0.0), -settings->penalty_friction * u[1],
                       -settings->penalty_friction * u[2]};
    cond_law_project(COND_LAW_STRICT, candidate->friction, trial, force);
}

CondStatus cond_penalty_contacts(CondSim* sim, const CondState* state)
{
    const CondModel* model = sim->model;
    sim->readings.n_ready = 0;
    for (int b = 0; b < model->n_body; b++)
        sim->reach[b] = 0.0;
    CondStatus status = cond_sim_detect(sim, &sim->at_start, &sim->attempt.candidates);
    if (!status)
        status = cond_assembly_finish(&sim->attempt.assembly, &sim->at_start, NULL,
                                      &sim->attempt.candidates, INFINITY);
    if (!status)
        status = cond_sim_reserve_forces(sim, sim->attempt.candidates.n);
    for (int c = 0; c < sim->attempt.candidates.n && !status; c++) {
        const CondContact* contact = &sim->attempt.assembly.contact[c];
        double u[3];
        cond_contact_velocity(contact, state->v, u);
        contact_force(&model->settings, &sim->attempt.candidates.candidate[c], u,
                      sim->attempt.lambda + 3 * c);
        cond_contact_add_force(contact, 1.0, sim->attempt.lambda + 3 * c, sim->f);
        for (int i = 0; i < 3; i++)
            sim->attempt.impulse[3 * c + i] =
                model->settings.time_step * sim->attempt.lambda[3 * c + i];
    }
    return status;
}

// f = -C v + weight + constant forces + elasticity, springs, motors and attachments with their
// damping, all explicit: the couplings of a step of length 0 hold the damping alone.
CondStatus cond_penalty_forces(CondSim* sim, const CondState* state)
{
    const CondModel* model = sim->model;
    CondCandidateList none = {.n = 0};
    double* y = sim->work;
    cond_kinematics_set(&sim->at_start, state->q);
    cond_sim_set_theta(sim, cond_sim_theta(sim));
    CondStatus status = cond_sim_control(sim, state);
    if (status)
        return status;
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        cond_body_ops(body->kind)
            ->bias(body, &sim->at_start, state->v + body->dof_begin, model->settings.time_step,
                   model->settings.gravity, sim->f + body->dof_begin);
    }
    cond_force_add(&sim->at_start, state, sim->attempt.time_step, sim->f);
    cond_assembly_begin(&sim->attempt.assembly, &sim->at_start, sim->length, sim->f);
    cond_assembly_begin_damping(&sim->attempt.assembly, &sim->at_start);
    status = cond_sim_couple(sim, &sim->at_start, COND_COUPLED_ALL, NULL, &sim->attempt.assembly,
                             sim->f);
    if (!status)
        status =
            cond_assembly_finish(&sim->attempt.assembly, &sim->at_start, NULL, &none, INFINITY);
    if (status)
        return status;
    cond_assembly_multiply_damping(&sim->attempt.assembly, &sim->at_start, state->v, y);
    for (int i = 0; i < model->n_dof; i++)
        sim->f[i] -= y[i];
    memcpy(sim->attempt.v_hat, state->v, (size_t)model->n_dof * sizeof(double));
    return COND_OK;
}

CondStatus cond_penalty_advance(CondSim* sim)
{
    const CondModel* model = sim->model;
    CondState* next = sim->next;
    double t = model->settings.time_step;
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        const CondBodyOps* ops = cond_body_ops(body->kind);
        double* a = sim->work;
        ops->accelerate(body, &sim->at_start, sim->f + body->dof_begin, a);
        for (int i = 0; i < body->n_dof; i++)
            next->v[body->dof_begin + i] += t * a[i];
        ops->advance(body, next->v + body->dof_begin, t, next->q + body->q_begin);
    }
    memcpy(next->v_hat, next->v, (size_t)model->n_dof * sizeof(double));
    if (!cond_watch_finds_finite(sim))
        return COND_DIVERGED;
    cond_kinematics_set(&sim->at_end, next->q);
    return COND_OK;
}
