// Forces and energies at a kinematics: the stage that loads the step.
#include "base/tuning.h"
#include "body/body.h"
#include "body/each.h"
#include "device/sum.h"
#include "potential/attachment.h"
#include "potential/motor.h"
#include "potential/potential.h"
#include "sim/sim.h"

double cond_sim_kinetic(CondSim* sim, const CondKinematics* kinematics, const double* v)
{
    double* p = sim->work;
    int threads = sim->model->settings.solver.threads;
    cond_assembly_multiply_masses(&sim->matrix, kinematics, v, p);
    return 0.5 * cond_dot(sim->model->n_dof, v, p, threads);
}

double cond_sim_potential(const CondKinematics* kinematics, const CondState* state)
{
    const CondModel* model = kinematics->model;
    double energy = 0.0;
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        energy += cond_body_ops(body->kind)->potential(body, kinematics, model->settings.gravity);
        if (body->kind == COND_BODY_ROBOT)
            energy += cond_motor_energy(kinematics, body, state->motor + body->target_begin,
                                        state->target + body->target_begin);
    }
    for (int i = 0; i < model->n_spring; i++)
        if (!cond_spring_is_off(state, &model->spring[i]))
            energy += cond_spring_energy(kinematics, &model->spring[i]);
    for (int i = 0; i < state->n_weld; i++)
        if (state->weld[i].active)
            energy += cond_weld_energy(kinematics, &state->weld[i]);
    return energy;
}

double cond_sim_given_energy(CondSim* sim, const CondKinematics* kinematics, const CondState* state,
                             const double* v)
{
    const CondModel* model = kinematics->model;
    double energy = 0.0, *p = sim->work;
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        if (body->kind == COND_BODY_ROBOT)
            energy += cond_motor_energy(kinematics, body, state->motor + body->target_begin,
                                        state->target + body->target_begin);
    }
    for (int i = 0; i < state->n_weld; i++)
        if (state->weld[i].active && cond_weld_is_led(&state->weld[i]))
            energy += cond_weld_energy(kinematics, &state->weld[i]);
    if (sim->held.n == 0)
        return energy;
    cond_assembly_multiply_masses(&sim->matrix, kinematics, v, p);
    for (int i = 0; i < model->n_dof; i++)
        energy += sim->held.flag[i] ? 0.5 * v[i] * p[i] : 0.0;
    return energy;
}

static CondStatus add_spring(const CondKinematics* kinematics, const CondSpring* spring,
                             const double* step, CondAssembly* assembly, double* f)
{
    int body = spring->end[0].body >= 0 ? spring->end[0].body : spring->end[1].body;
    return cond_spring_add(kinematics, spring, step ? step[body] : 0.0, assembly, f);
}

CondStatus cond_sim_couple(CondSim* sim, const CondKinematics* kinematics, CondCoupled which,
                           const double* step, CondAssembly* assembly, double* f)
{
    const CondModel* model = sim->model;
    CondStatus status = COND_OK;
    for (int i = 0; i < model->n_spring && (which & COND_COUPLED_OWN) && !status; i++) {
        const CondSpring* spring = &model->spring[i];
        int acts = !(which & COND_COUPLED_DAMPED) || spring->damping != 0.0;
        if (acts && !cond_spring_is_off(sim->next, spring))
            status = add_spring(kinematics, spring, step, assembly, f);
    }
    int rods = (which & COND_COUPLED_OWN) && model->n_kind[COND_BODY_ROD] > 0;
    for (int b = 0; b < model->n_body && rods && !status; b++)
        if (model->body[b].kind == COND_BODY_ROD)
            status =
                cond_closure_add(kinematics, &model->body[b], step ? step[b] : 0.0, assembly, f);
    if (!status && (which & COND_COUPLED_GIVEN) && sim->pull.stiffness > 0.0 &&
        sim->pull.end[0].body >= 0)
        status = add_spring(kinematics, &sim->pull, step, assembly, f);
    if (!status && (which & COND_COUPLED_GIVEN))
        status = cond_hooks_add_forces(sim, kinematics, step, assembly, f);
    if (!status && (which & COND_COUPLED_GIVEN) && step)
        cond_load_stiffen(kinematics, sim->attempt.begun, sim->attempt.time_step, step, assembly);
    return status ? status : cond_sim_add_controls(sim, kinematics, which, step, assembly, f);
}

void cond_sim_bias(CondSim* sim, const CondState* state, int body, double* f)
{
    const CondBody* one = &sim->model->body[body];
    const CondSceneSettings* settings = &sim->model->settings;
    const double* v = state->v + one->dof_begin;
    if (one->kind == COND_BODY_ROBOT && sim->transport.kind == COND_TRANSPORT_ROOT)
        cond_transport_bias(&sim->transport, one, &sim->at_start, v, sim->attempt.time_step,
                            settings->gravity, f + one->dof_begin);
    else
        cond_body_ops(one->kind)->bias(one, &sim->at_start, v, sim->attempt.time_step,
                                       settings->gravity, f + one->dof_begin);
}

CondStatus cond_sim_begin(CondSim* sim, const CondState* state)
{
    cond_kinematics_set_from(&sim->at_start, &sim->at_end, state->q); // the end of the last step
    cond_sim_guess_theta(sim, state);
    CondStatus status = cond_sim_control(sim, state);
    if (!status)
        cond_held_begin(sim, state);
    if (!status)
        cond_joint_rows_choose(sim, state);
    return status;
}

typedef struct BiasLoop {
    CondSim* sim;
    const CondState* state;
} BiasLoop;

static void bias(const void* loop, int b)
{
    const BiasLoop* l = loop;
    cond_sim_bias(l->sim, l->state, b, l->sim->f);
}

CondStatus cond_sim_load_forces(CondSim* sim, const CondState* state)
{
    BiasLoop loop = {sim, state};
    cond_each_body(sim->model, COND_COORDINATE_WORK, bias, &loop);
    cond_force_add(&sim->at_start, state, sim->attempt.time_step, sim->f);
    return COND_OK;
}

CondStatus cond_sim_load_matrix(CondSim* sim)
{
    int made = 0;
    CondStatus status = cond_device_load_try(sim, &made);
    if (status)
        return status;
    if (!made)
        cond_assembly_begin(&sim->attempt.assembly, &sim->at_start, sim->length, sim->f);
    return cond_sim_couple(sim, &sim->at_start, COND_COUPLED_ALL, sim->length,
                           &sim->attempt.assembly, sim->f);
}
