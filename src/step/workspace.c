// The workspace of a simulation: made once, grown by the largest step it has seen.
#include "base/error.h"
#include "base/memory.h"
#include "baseline_step/pbd.h"
#include "body/body.h"
#include "correct/correction.h"
#include "correct/settle.h"
#include "correct/spread.h"
#include "impact/impact.h"
#include "integrate/balance.h"
#include "integrate/tangent.h"
#include "model/model_copy.h"
#include "sense/event.h"
#include "sim/sim.h"
#include "sleep/sleep.h"
#include "step/stages.h"

#include <string.h>

// The workspaces of the stages, empty; 0 where there is no memory for them.
static int make_stages(CondSim* sim)
{
    CondArena* arena = &sim->arena;
    sim->impact = cond_arena_allocate(arena, 1, sizeof *sim->impact);
    sim->correction = cond_arena_allocate(arena, 1, sizeof *sim->correction);
    sim->settle = cond_arena_allocate(arena, 1, sizeof *sim->settle);
    sim->spread = cond_arena_allocate(arena, 1, sizeof *sim->spread);
    sim->tangent = cond_arena_allocate(arena, 1, sizeof *sim->tangent);
    sim->groups = cond_arena_allocate(arena, 1, sizeof *sim->groups);
    sim->balance = cond_arena_allocate(arena, 1, sizeof *sim->balance);
    sim->pbd = cond_arena_allocate(arena, 1, sizeof *sim->pbd);
    sim->on_device = cond_arena_allocate(arena, 1, sizeof *sim->on_device);
    return sim->on_device && sim->impact && sim->correction && sim->settle && sim->spread &&
           sim->tangent && sim->groups && sim->balance && sim->pbd;
}

// What a device runs are systems of soft bodies: it is refused where there are none.
static CondStatus check_device(const CondModel* model, CondError* error)
{
    if (model->settings.solver.device != COND_DEVICE_CUDA)
        return COND_OK;
    for (int b = 0; b < cond_model_n_body(model); b++)
        if (cond_model_body_kind(model, b) == COND_BODY_SOFT)
            return COND_OK;
    return cond_error_set(error, COND_NOT_SUPPORTED,
                          "solver.device: cuda: the scene has no soft body");
}

static CondStatus create(const CondModel* model, CondSim* whole, CondSim** sim, CondError* error);

static CondStatus create_part(const CondModel* part, CondSim* whole, CondSim** sim)
{
    CondStatus status = create(part, whole, sim, NULL);
    if (status)
        return status;
    CondCollider* collider = &(*sim)->collider;
    collider->visited =
        cond_arena_allocate(&collider->arena, 6 * (size_t)part->n_body, sizeof(double));
    return collider->visited ? COND_OK : COND_OUT_OF_MEMORY;
}

// whole: of which the model is a part; else NULL.
static CondStatus create(const CondModel* model, CondSim* whole, CondSim** sim, CondError* error)
{
    *sim = NULL;
    const CondContext* m = &model->arena.context;
    CondSim* made = cond_allocate(m, 1, sizeof *made);
    if (!made)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    cond_arena_begin(m, &made->arena);
    if (!make_stages(made) || (!whole && cond_model_copy_create(model, &made->values))) {
        cond_arena_release(&made->arena);
        cond_release(m, made);
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    }
    if (!whole)
        model = &made->values->model;
    made->model = model;
    made->whole = whole;
    made->attempt.time_step = model->settings.time_step;
    made->attempt.n_substep = made->attempt.ends = 1;
    made->attempt.share = 1.0;
    made->attempt.budget = COND_FULL_BUDGET;
    made->attempt.contacts_last = 1;
    CondCandidateList* lists[] = {&made->attempt.candidates, &made->attempt.middle,
                                  &made->attempt.end, &made->attempt.swept};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        cond_candidates_begin(m, lists[i]);
    made->f = cond_arena_allocate(&made->arena, (size_t)model->n_dof, sizeof(double));
    made->theta = cond_arena_allocate(&made->arena, (size_t)model->n_body, sizeof(double));
    made->length = cond_arena_allocate(&made->arena, (size_t)model->n_body, sizeof(double));
    made->linear = cond_arena_allocate(&made->arena, (size_t)model->n_body, sizeof *made->linear);
    made->attempt.rests =
        cond_arena_allocate(&made->arena, (size_t)model->n_body, sizeof *made->attempt.rests);
    made->reach = cond_arena_allocate(&made->arena, (size_t)model->n_body, sizeof(double));
    made->attempt.yields =
        cond_arena_allocate(&made->arena, 3 * (size_t)model->n_body, sizeof(double));
    made->attempt.v_hat = cond_arena_allocate(&made->arena, (size_t)model->n_dof, sizeof(double));
    made->readings.centre =
        cond_arena_allocate(&made->arena, 3 * (size_t)model->n_body, sizeof(double));
    made->work = cond_arena_allocate(&made->arena, (size_t)model->n_dof, sizeof(double));
    made->targets.rate = cond_arena_allocate(&made->arena, (size_t)model->n_target, sizeof(double));
    made->targets.middle =
        cond_arena_allocate(&made->arena, (size_t)model->n_target, sizeof(double));
    made->targets.ik =
        cond_arena_allocate(&made->arena, (size_t)model->n_body, sizeof *made->targets.ik);
    CondStatus status = COND_OUT_OF_MEMORY;
    if (made->f && made->theta && made->length && made->linear && made->attempt.rests &&
        made->reach && made->attempt.yields && made->attempt.v_hat && made->readings.centre &&
        made->work && made->targets.rate && made->targets.middle && made->targets.ik &&
        !cond_components_reserve(&made->arena, model->n_body, &made->attempt.heaps) &&
        !cond_components_reserve(&made->arena, model->n_body, &made->attempt.islands))
        status = cond_assembly_create(model, COND_ASSEMBLY_ALL, &made->attempt.assembly);
    if (!status) // Newton's method keeps damping there too
        status = cond_assembly_create(model,
                                      model->settings.integrator == COND_INTEGRATOR_THETA &&
                                              !(model->settings.accuracy > 0.0)
                                          ? COND_ASSEMBLY_MASSES
                                          : COND_ASSEMBLY_ALL,
                                      &made->matrix);
    if (!status)
        status = cond_kinematics_create(model, &made->at_start);
    if (!status)
        status = cond_kinematics_create(model, &made->at_end);
    if (!status)
        status = cond_held_create(made);
    if (status)
        cond_error_set(error, status, "out of memory");
    if (!status)
        status = cond_collider_create(model, &made->collider, error);
    for (int i = 0; i < model->n_trajectory && !status; i++) {
        int b = model->trajectory[i].body;
        if (model->trajectory[i].link >= 0 && !made->targets.ik[b])
            status = cond_ik_create(m, model->body[b].arm, &made->targets.ik[b], error);
    }
    if (!status && model->settings.mass_root &&
        model->settings.integrator == COND_INTEGRATOR_VARIATIONAL)
        status = cond_error_set(error, COND_NOT_SUPPORTED,
                                "mass_root and the variational integrator exclude each other");
    if (!status && model->settings.accuracy > 0.0 && model->settings.method != COND_STEP_VELOCITY)
        status =
            cond_error_set(error, COND_NOT_SUPPORTED, "step.accuracy needs step.method velocity");
    if (!status && model->settings.integrator == COND_INTEGRATOR_AUTO &&
        (status = cond_balance_create(made)))
        cond_error_set(error, status, "out of memory");
    if (!status && ((status = cond_newton_create(made)) || (status = cond_sensors_create(made)) ||
                    (status = cond_joint_rows_create(made))))
        cond_error_set(error, status, "out of memory");
    if (!status && model->settings.method == COND_STEP_PBD)
        status = cond_pbd_create(model, made->pbd, error);
    if (!status)
        status = cond_state_create(model, &made->next, error);
    if (!status) {
        cond_watch_create(made);
        status = whole ? COND_OK : check_device(model, error);
    }
    if (!status)
        status = cond_solver_create(m, "strategy", &model->settings.solver, &made->solver, error);
    if (!status && !whole &&
        ((status = cond_sleep_create(made, create_part)) || (status = cond_events_create(made))))
        cond_error_set(error, status, "out of memory");
    if (status) {
        cond_sim_destroy(made);
        return status;
    }
    *sim = made;
    return COND_OK;
}

int cond_sim_can_renew(const CondSim* sim)
{
    const CondSceneSettings* settings = &sim->model->settings;
    return settings->method == COND_STEP_VELOCITY && settings->solver.reuse <= 1 && !sim->sleep &&
           !sim->readings.query && !sim->hooks.force && !sim->hooks.contact &&
           sim->pull.stiffness == 0.0;
}

void cond_sim_renew(CondSim* sim)
{
    const CondModel* model = sim->model;
    cond_model_copy_renew(sim->values);
    CondCandidateList* lists[] = {&sim->attempt.candidates, &sim->attempt.middle, &sim->attempt.end,
                                  &sim->attempt.swept};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        lists[i]->n = 0;
    for (int b = 0; b < model->n_body; b++)
        if (sim->targets.ik[b])
            cond_ik_rebind(sim->targets.ik[b], model->body[b].arm);
    cond_collider_renew(&sim->collider);
    cond_kinematics_forget(&sim->at_start);
    cond_kinematics_forget(&sim->at_end);
    if (sim->balance->end.model)
        cond_kinematics_forget(&sim->balance->end);
    sim->attempt.substep = 0;
    sim->attempt.n_substep = 1;
    sim->readings.n_ready = sim->readings.n_wrench = 0;
    sim->energy.known = sim->energy.resumed = 0;
    sim->attempt.done = 0;
    sim->attempt.moved = 0;
    sim->settle->n_overlap = 0;
    memset(sim->attempt.v_hat, 0, (size_t)model->n_dof * sizeof *sim->attempt.v_hat);
    if (model->n_sensor > 0)
        memset(sim->readings.reading, 0, (size_t)model->n_sensor * sizeof *sim->readings.reading);
    sim->readings.ready = 0;
    cond_watch_create(sim);
    cond_watch_begin(sim);
}

CondStatus cond_sim_create(const CondModel* model, CondSim** sim, CondError* error)
{
    return create(model, NULL, sim, error);
}

void cond_sim_destroy(CondSim* sim)
{
    if (!sim)
        return;
    CondContext m = sim->arena.context;
    cond_sleep_destroy(sim);
    cond_events_destroy(sim);
    cond_assembly_destroy(&sim->attempt.assembly);
    cond_assembly_destroy(&sim->matrix);
    cond_kinematics_destroy(&sim->at_start);
    cond_kinematics_destroy(&sim->at_end);
    cond_sensors_destroy(sim);
    cond_newton_destroy(sim);
    cond_balance_destroy(sim);
    cond_pbd_destroy(sim->pbd);
    cond_held_destroy(sim);
    cond_substeps_destroy(sim);
    cond_pieces_destroy(sim);
    cond_impact_destroy(sim->impact);
    cond_correction_destroy(sim->correction);
    cond_spread_destroy(sim->spread);
    cond_collider_destroy(&sim->collider);
    for (int b = 0; b < sim->model->n_body && sim->targets.ik; b++)
        if (sim->targets.ik[b])
            cond_ik_destroy(sim->targets.ik[b]);
    cond_solver_destroy(sim->solver);
    if (sim->on_device)
        cond_device_load_destroy(sim->on_device);
    cond_state_destroy(sim->next);
    CondCandidateList* lists[] = {&sim->attempt.candidates, &sim->attempt.end, &sim->attempt.swept,
                                  &sim->attempt.middle};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        cond_candidates_end(lists[i]);
    cond_model_copy_destroy(sim->values);
    cond_arena_release(&sim->arena);
    cond_release(&m, sim);
}

void cond_sim_set_solver(CondSim* sim, CondSolver* solver)
{
    cond_solver_destroy(sim->solver);
    cond_sleep_destroy(sim); // whether it takes a start that is an answer is not known
    sim->solver = solver;
}

double cond_sim_internal_force(CondSim* sim, const CondState* state, int body)
{
    const CondModel* model = sim->model;
    if (cond_model_body_kind(model, body) != COND_BODY_SOFT)
        return 0.0;
    return cond_fem_force_norm(model->body[body].fem, state->q + model->body[body].q_begin,
                               &sim->at_end.fem[body], sim->at_end.elastic,
                               model->settings.solver.threads);
}
