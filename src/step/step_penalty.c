// The penalty baseline: every penetrating point is pushed out by a spring-damper, friction is a
// viscosity capped at mu f_n, and all of it is integrated explicitly (v first, then q with the new
// v). It does not solve a contact problem; its answer depends on its gains.
#include "base/memory.h"
#include "base/timer.h"
#include "body/body.h"
#include "math/vec3.h"
#include "step/sim.h"

#include <math.h>
#include <string.h>

// Force of one touching point in its frame: f_n = max(0, k depth - c u_n), |f_t| = min(ct |u_t|,
// mu f_n) against the slip, on the ellipse when friction is anisotropic.
static void contact_force(const CondSceneSettings* settings, const CondTouch* touch,
                          const double u[3], double force[3])
{
    double n = -settings->penalty_stiffness * touch->gap - settings->penalty_damping * u[0];
    double trial[3] = {fmax(n, 0.0), -settings->penalty_friction * u[1],
                       -settings->penalty_friction * u[2]};
    cond_law_project(COND_LAW_STRICT, touch->friction, trial, force);
}

static CondStatus add_contacts(CondSim* sim, const CondState* state)
{
    const CondModel* model = sim->model;
    const CondContext* m = &sim->context;
    sim->n_ready = 0;
    for (int b = 0; b < model->n_body; b++)
        sim->reach[b] = 0.0;
    CondStatus status = cond_collide_planes(model, state, sim->reach, &sim->touches);
    if (!status)
        status = cond_assembly_contacts(&sim->assembly, model, state, &sim->touches, INFINITY);
    int n = sim->touches.n;
    if (!status && (cond_reserve(m, &sim->lambda, &sim->cap_lambda, 3 * n, sizeof *sim->lambda) ||
                    cond_reserve(m, &sim->impulse, &sim->cap_impulse, 3 * n, sizeof *sim->impulse)))
        status = COND_OUT_OF_MEMORY;
    for (int c = 0; c < n && !status; c++) {
        const CondContact* contact = &sim->assembly.contact[c];
        double u[3];
        cond_contact_velocity(contact, state->v, u);
        contact_force(&model->settings, &sim->touches.touch[c], u, sim->lambda + 3 * c);
        cond_contact_add_force(contact, 1.0, sim->lambda + 3 * c, sim->f);
        for (int i = 0; i < 3; i++)
            sim->impulse[3 * c + i] = model->settings.time_step * sim->lambda[3 * c + i];
    }
    return status;
}

CondStatus cond_sim_step_penalty(CondSim* sim, CondState* state, CondStepInfo* info)
{
    const CondModel* model = sim->model;
    CondState* next = sim->next;
    double t = model->settings.time_step, clock = cond_seconds();
    info->solve.certificate.worst_contact = -1;
    cond_sim_forces(sim, state);
    for (int i = 0; i < model->n_spring; i++)
        cond_spring_add_damping(model, state, &model->spring[i], sim->f);
    CondStatus status = add_contacts(sim, state);
    if (!status)
        status = cond_state_copy(next, state);
    if (status)
        return status;
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        const CondBodyOps* ops = cond_body_ops(body->kind);
        double a[6];
        ops->accelerate(body, sim->f + body->dof_begin, a);
        for (int i = 0; i < body->n_dof; i++)
            next->v[body->dof_begin + i] += t * a[i];
        ops->advance(next->v + body->dof_begin, t, next->position + 3 * b,
                     next->orientation + 4 * b);
    }
    memcpy(next->v_hat, next->v, (size_t)model->n_dof * sizeof(double));
    memcpy(sim->centre, state->position, 3 * (size_t)model->n_body * sizeof(double));
    next->step = state->step + 1;
    next->time = (double)next->step * t;
    for (int i = 0; i < model->n_dof; i++)
        if (!isfinite(next->v[i]))
            return COND_DIVERGED;
    info->n_contact = sim->touches.n;
    info->time = next->time;
    info->penetration =
        fmax(-cond_collide_smallest_gap(model, next->position, next->orientation), 0.0);
    info->kinetic_before = cond_sim_kinetic(model, state);
    info->potential_before = cond_sim_potential(model, state);
    info->kinetic_after = cond_sim_kinetic(model, next);
    info->potential_after = cond_sim_potential(model, next);
    status = cond_sim_remember(sim);
    if (!status)
        status = cond_state_copy(state, next);
    if (!status)
        sim->n_ready = sim->touches.n;
    info->seconds[COND_STAGE_INTEGRATE] = cond_seconds() - clock;
    return status;
}
