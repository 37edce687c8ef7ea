// One time step as a list of stages.
#include "step/sim.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/sum.h"
#include "base/timer.h"
#include "body/body.h"
#include "math/vec3.h"
#include "potential/attachment.h"
#include "potential/motor.h"
#include "potential/potential.h"

#include <math.h>
#include <string.h>

CondStatus cond_sim_create(const CondModel* model, CondSim** sim, CondError* error)
{
    *sim = NULL;
    const CondContext* m = &model->arena.context;
    CondSim* made = cond_allocate(m, 1, sizeof *made);
    if (!made)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    cond_arena_begin(m, &made->arena);
    made->model = model;
    made->time_step = model->settings.time_step;
    made->parts = 1;
    made->touches.context = made->halfway.context = made->near.context = made->met.context = *m;
    made->f = cond_arena_allocate(&made->arena, (size_t)model->n_dof, sizeof(double));
    made->theta = cond_arena_allocate(&made->arena, (size_t)model->n_body, sizeof(double));
    made->length = cond_arena_allocate(&made->arena, (size_t)model->n_body, sizeof(double));
    made->linear = cond_arena_allocate(&made->arena, (size_t)model->n_body, sizeof *made->linear);
    made->reach = cond_arena_allocate(&made->arena, (size_t)model->n_body, sizeof(double));
    made->v_hat = cond_arena_allocate(&made->arena, (size_t)model->n_dof, sizeof(double));
    made->centre = cond_arena_allocate(&made->arena, 3 * (size_t)model->n_body, sizeof(double));
    made->work = cond_arena_allocate(&made->arena, (size_t)model->n_dof, sizeof(double));
    made->rate = cond_arena_allocate(&made->arena, (size_t)model->n_target, sizeof(double));
    made->middle = cond_arena_allocate(&made->arena, (size_t)model->n_target, sizeof(double));
    made->ik = cond_arena_allocate(&made->arena, (size_t)model->n_body, sizeof *made->ik);
    CondStatus status = COND_OUT_OF_MEMORY;
    if (made->f && made->theta && made->length && made->linear && made->reach && made->v_hat &&
        made->centre && made->work && made->rate && made->middle && made->ik)
        status = cond_assembly_create(model, COND_ASSEMBLY_ALL, &made->assembly);
    if (!status) // Newton's method keeps damping there too
        status = cond_assembly_create(model,
                                      model->settings.integrator == COND_INTEGRATOR_THETA
                                          ? COND_ASSEMBLY_MASSES
                                          : COND_ASSEMBLY_ALL,
                                      &made->matrix);
    if (!status)
        status = cond_posture_create(model, &made->now);
    if (!status)
        status = cond_posture_create(model, &made->then);
    if (status)
        cond_error_set(error, status, "out of memory");
    if (!status)
        status = cond_collider_create(model, &made->collider, error);
    for (int i = 0; i < model->n_trajectory && !status; i++) {
        int b = model->trajectory[i].body;
        if (model->trajectory[i].link >= 0 && !made->ik[b])
            status = cond_ik_create(m, model->body[b].arm, &made->ik[b], error);
    }
    if (!status && model->settings.mass_root &&
        model->settings.integrator == COND_INTEGRATOR_VARIATIONAL)
        status = cond_error_set(error, COND_NOT_SUPPORTED,
                                "mass_root and the variational integrator exclude each other");
    if (!status && model->settings.integrator == COND_INTEGRATOR_AUTO &&
        (status = cond_balance_create(made)))
        cond_error_set(error, status, "out of memory");
    if (!status && ((status = cond_newton_create(made)) || (status = cond_sensors_create(made))))
        cond_error_set(error, status, "out of memory");
    if (!status && model->settings.method == COND_STEP_PBD)
        status = cond_pbd_create(model, &made->pbd, error);
    if (!status)
        status = cond_state_create(model, &made->next, error);
    if (!status) {
        cond_watch_create(made);
        status = cond_solver_create(m, "vfpi", &model->settings.solver, &made->solver, error);
    }
    if (status) {
        cond_sim_destroy(made);
        return status;
    }
    *sim = made;
    return COND_OK;
}

void cond_sim_destroy(CondSim* sim)
{
    if (!sim)
        return;
    CondContext m = sim->arena.context;
    cond_assembly_destroy(&sim->assembly);
    cond_assembly_destroy(&sim->matrix);
    cond_posture_destroy(&sim->now);
    cond_posture_destroy(&sim->then);
    cond_newton_destroy(sim);
    cond_balance_destroy(sim);
    cond_pbd_destroy(&sim->pbd);
    cond_parts_destroy(sim);
    cond_impact_destroy(&sim->impact);
    cond_correction_destroy(&sim->correction);
    cond_spread_destroy(&sim->spread);
    cond_collider_destroy(&sim->collider);
    for (int b = 0; b < sim->model->n_body && sim->ik; b++)
        if (sim->ik[b])
            cond_ik_destroy(sim->ik[b]);
    cond_solver_destroy(sim->solver);
    cond_state_destroy(sim->next);
    CondTouchList* lists[] = {&sim->touches, &sim->near, &sim->met, &sim->halfway};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        cond_release(&m, lists[i]->touch);
    cond_arena_release(&sim->arena);
    cond_release(&m, sim);
}

void cond_sim_set_solver(CondSim* sim, CondSolver* solver)
{
    cond_solver_destroy(sim->solver);
    sim->solver = solver;
}

double cond_sim_internal_force(CondSim* sim, const CondState* state, int body)
{
    const CondModel* model = sim->model;
    if (cond_model_body_kind(model, body) != COND_BODY_SOFT)
        return 0.0;
    return cond_fem_force_norm(model->body[body].fem, state->q + model->body[body].q_begin,
                               &sim->then.fem[body], sim->then.elastic,
                               model->settings.solver.threads);
}

const char* cond_stage_name(CondStage stage)
{
    static const char* const names[] = {"forces",    "collide", "assemble", "solve",
                                        "integrate", "impact",  "correct"};
    return stage >= 0 && stage < COND_N_STAGE ? names[stage] : NULL;
}

double cond_sim_kinetic(CondSim* sim, const CondPosture* posture, const double* v)
{
    double* p = sim->work;
    int threads = sim->model->settings.solver.threads;
    cond_assembly_begin(&sim->matrix, posture, NULL, NULL);
    cond_assembly_multiply(&sim->matrix, v, p, threads);
    return 0.5 * cond_dot(sim->model->n_dof, v, p, threads);
}

double cond_sim_potential(const CondPosture* posture, const CondState* state)
{
    const CondModel* model = posture->model;
    double energy = 0.0;
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        energy += cond_body_ops(body->kind)->potential(body, posture, model->settings.gravity);
        if (body->kind == COND_BODY_ROBOT)
            energy += cond_motor_energy(posture, body, state->target + body->target_begin);
    }
    for (int i = 0; i < model->n_spring; i++)
        energy += cond_spring_energy(posture, &model->spring[i]);
    for (int i = 0; i < state->n_hold; i++)
        if (state->hold[i].active)
            energy += cond_hold_energy(posture, &state->hold[i]);
    return energy;
}

static CondStatus add_spring(const CondPosture* posture, const CondSpring* spring,
                             const double* step, CondAssembly* assembly, double* f)
{
    int body = spring->end[0].body >= 0 ? spring->end[0].body : spring->end[1].body;
    return cond_spring_add(posture, spring, step ? step[body] : 0.0, assembly, f);
}

CondStatus cond_sim_couple(CondSim* sim, const CondPosture* posture, CondCoupled which,
                           const double* step, CondAssembly* assembly, double* f)
{
    const CondModel* model = sim->model;
    CondStatus status = COND_OK;
    for (int i = 0; i < model->n_spring && (which & COND_COUPLED_OWN) && !status; i++)
        status = add_spring(posture, &model->spring[i], step, assembly, f);
    if (!status && (which & COND_COUPLED_GIVEN) && sim->pull.stiffness > 0.0 &&
        sim->pull.end[0].body >= 0)
        status = add_spring(posture, &sim->pull, step, assembly, f);
    return status ? status : cond_sim_add_leads(sim, posture, which, step, assembly, f);
}

void cond_sim_bias(CondSim* sim, const CondState* state, int body, double* f)
{
    const CondBody* one = &sim->model->body[body];
    const CondSceneSettings* settings = &sim->model->settings;
    const double* v = state->v + one->dof_begin;
    if (one->kind == COND_BODY_ROBOT && sim->carry.kind == COND_CARRY_ROOT)
        cond_carry_bias(&sim->carry, one, &sim->now, v, sim->time_step, settings->gravity,
                        f + one->dof_begin);
    else
        cond_body_ops(one->kind)->bias(one, &sim->now, v, sim->time_step, settings->gravity,
                                       f + one->dof_begin);
}

// f = -C v + weight + constant forces + elastic forces; the blocks of A and the couplings.
CondStatus cond_sim_forces(CondSim* sim, const CondState* state)
{
    cond_posture_set(&sim->now, state->q);
    cond_sim_guess_theta(sim, state);
    CondStatus status = cond_sim_lead(sim, state);
    return status ? status : cond_sim_load(sim, state);
}

CondStatus cond_sim_load(CondSim* sim, const CondState* state)
{
    for (int b = 0; b < sim->model->n_body; b++)
        cond_sim_bias(sim, state, b, sim->f);
    cond_force_add(&sim->now, state->time, sim->f);
    cond_assembly_begin(&sim->assembly, &sim->now, sim->length, sim->f);
    return cond_sim_couple(sim, &sim->now, COND_COUPLED_ALL, sim->length, &sim->assembly, sim->f);
}

// How far a body's points may travel in the step, twice over: contacts beyond it cannot close, and
// one that is made in vain costs little because phi keeps it open.
static double body_reach(CondSim* sim, const CondBody* body, const CondState* state)
{
    const CondSceneSettings* settings = &sim->model->settings;
    const CondBodyOps* ops = cond_body_ops(body->kind);
    double t = sim->time_step, *a = sim->work;
    if (!isnan(settings->margin))
        return settings->margin;
    if (!settings->gap)
        return 1e-6; // phi = 0 would stop a body before it arrives
    if (body->kind != COND_BODY_PARTICLE && body->kind != COND_BODY_RIGID) {
        // Their forces are stiff and implicit: what they would do explicitly says nothing. The last
        // step and gravity do.
        double fast = fmax(ops->speed(body, &sim->now, state->v + body->dof_begin),
                           ops->speed(body, &sim->now, state->v_hat + body->dof_begin));
        return 1e-4 + 2.0 * t * (fast + t * vec3_norm(settings->gravity));
    }
    ops->accelerate(body, &sim->now, sim->f + body->dof_begin, a);
    return 1e-6 + 2.0 * t *
                      (ops->speed(body, &sim->now, state->v + body->dof_begin) +
                       t * ops->speed(body, &sim->now, a));
}

CondStatus cond_sim_collide(CondSim* sim, const CondState* state)
{
    sim->n_ready = 0; // forces of the last step belong to contacts that are forgotten here
    sim->moved = 0;
    for (int b = 0; b < sim->model->n_body; b++)
        sim->reach[b] = body_reach(sim, &sim->model->body[b], state);
    return cond_collide(&sim->collider, &sim->now, sim->next, sim->reach, &sim->touches);
}

CondStatus cond_sim_collide_next(CondSim* sim, double* deepest)
{
    for (int b = 0; b < sim->model->n_body; b++)
        sim->reach[b] = 0.0;
    cond_lasting_widen(sim);
    // Whether a point that touches is in by a rounding must not decide on memory.
    if (cond_reserve(&sim->near.context, &sim->near.touch, &sim->near.cap_touch, sim->touches.n,
                     sizeof *sim->near.touch))
        return COND_OUT_OF_MEMORY;
    CondStatus status = cond_collide(&sim->collider, &sim->then, sim->next, sim->reach, &sim->near);
    *deepest = 0.0;
    for (int c = 0; c < sim->near.n && !status; c++)
        *deepest = fmax(*deepest, -sim->near.touch[c].gap);
    if (!status)
        cond_sim_find_deepest(sim);
    return status;
}

CondStatus cond_sim_finish(CondSim* sim)
{
    const CondSceneSettings* settings = &sim->model->settings;
    CondAssembly* assembly = &sim->assembly;
    CondStatus status =
        cond_assembly_finish(assembly, &sim->now, &sim->then, cond_lasting_list(sim), settings->kv);
    for (int c = 0; c < sim->touches.n && !status && settings->gap; c++)
        assembly->contact[c].phi[0] =
            (fmax(sim->touches.touch[c].gap, 0.0) + sim->touches.touch[c].bias) / sim->time_step;
    return status;
}

// b = b/step + f, of one body
typedef struct LoadLoop {
    const double* f;
    double *b, step;
} LoadLoop;

static void add_load(const void* loop, int first, int last)
{
    const LoadLoop* l = loop;
    for (int i = first; i < last; i++)
        l->b[i] = l->b[i] / l->step + l->f[i];
}

// A = M/(th t) + ..., b = M v_k/(th t) + f, phi_n = gap/t.
CondStatus cond_sim_assemble(CondSim* sim, const CondState* state)
{
    CondStatus status = cond_sim_choose(sim, state);
    return status ? status : cond_sim_pose(sim, state);
}

CondStatus cond_sim_pose(CondSim* sim, const CondState* state)
{
    const CondModel* model = sim->model;
    CondAssembly* assembly = &sim->assembly;
    int threads = model->settings.solver.threads;
    cond_assembly_begin(&sim->matrix, &sim->now, NULL, NULL);
    cond_assembly_multiply(&sim->matrix, state->v, assembly->b, threads);
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        LoadLoop loop = {sim->f + body->dof_begin, assembly->b + body->dof_begin, sim->length[b]};
        cond_parallel(body->n_dof, cond_threads((size_t)body->n_dof, threads), add_load, &loop);
    }
    return cond_sim_finish(sim);
}

const CondProblem* cond_sim_problem(const CondSim* sim)
{
    return &sim->assembly.problem;
}

// v_hat to start from: the last one for soft bodies, robots, and where springs act (and for the
// paper's stop test, which the paper combines with that start), for other particles and rigid
// bodies v_k + th t M^-1 (f + Jc' lambda). The latter leaves no residual in the dynamics. A start
// that does would be accepted whenever the change of a step is below the tolerance relative to M
// v_k / t, and a body that moves fast would never feel a small force.
static void predict(CondSim* sim, const CondState* state)
{
    const CondModel* model = sim->model;
    const CondSceneSettings* settings = &model->settings;
    double* force = sim->work; // free until the step is integrated
    memcpy(sim->v_hat, state->v_hat, (size_t)model->n_dof * sizeof(double));
    if (settings->solver.stop == COND_STOP_STEP)
        return;
    memcpy(force, sim->f, (size_t)model->n_dof * sizeof(double));
    for (int c = 0; c < sim->touches.n; c++)
        cond_contact_add_force(&sim->assembly.contact[c], 1.0, sim->lambda + 3 * c, force);
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        double* v_hat = sim->v_hat + body->dof_begin;
        if (body->kind != COND_BODY_PARTICLE && body->kind != COND_BODY_RIGID)
            continue;
        cond_body_ops(body->kind)->accelerate(body, &sim->now, force + body->dof_begin, v_hat);
        for (int i = 0; i < body->n_dof; i++)
            v_hat[i] = state->v[body->dof_begin + i] + sim->length[b] * v_hat[i];
    }
    for (int i = 0; i < model->n_spring; i++) {
        for (int end = 0; end < 2; end++) {
            int b = model->spring[i].end[end].body;
            if (b >= 0)
                memcpy(sim->v_hat + model->body[b].dof_begin,
                       state->v_hat + model->body[b].dof_begin,
                       (size_t)model->body[b].n_dof * sizeof(double));
        }
    }
}

CondStatus cond_sim_reserve_forces(CondSim* sim, int n)
{
    if (COND_RESERVE(&sim->arena, sim->lambda, 3 * n) ||
        COND_RESERVE(&sim->arena, sim->relaxed, n) ||
        COND_RESERVE(&sim->arena, sim->impulse, 3 * n))
        return COND_OUT_OF_MEMORY;
    for (int c = 0; c < n; c++)
        sim->relaxed[c] = 0;
    return COND_OK;
}

static void note_relaxed(CondSim* sim)
{
    int count = 0;
    const int* relaxed = cond_solver_relaxed(sim->solver, &count);
    for (int c = 0; c < sim->touches.n; c++)
        sim->relaxed[c] = relaxed ? relaxed[c] : 0;
}

CondStatus cond_sim_solve_linear(CondSim* sim, const CondState* state, CondSolveInfo* info)
{
    int n = sim->touches.n;
    sim->checked = 0;
    if (cond_sim_reserve_forces(sim, n))
        return COND_OUT_OF_MEMORY;
    for (int c = 0, k = 0; c < n; c++) { // both lists ascend with the key
        uint64_t key = sim->touches.touch[c].key;
        while (k < state->n_memory && state->memory[k].key < key)
            k++;
        int known = k < state->n_memory && state->memory[k].key == key;
        for (int i = 0; i < 3; i++)
            sim->lambda[3 * c + i] = known ? state->memory[k].lambda[i] : 0.0;
    }
    predict(sim, state);
    // What a solver keeps is made anew at fixed steps, so that a state saved there tells all.
    if (state->step % sim->model->settings.solver.reuse == 0)
        cond_solver_reset(sim->solver);
    return cond_solver_solve(sim->solver, &sim->assembly.problem, sim->v_hat, sim->lambda, info);
}

CondStatus cond_sim_solve(CondSim* sim, const CondState* state, CondSolveInfo* info)
{
    CondStatus status = cond_sim_solve_linear(sim, state, info);
    if (status >= 0 && sim->model->settings.integrator == COND_INTEGRATOR_AUTO)
        status = cond_sim_auto(sim, state, info);
    else if (status >= 0 && sim->model->settings.integrator != COND_INTEGRATOR_THETA)
        status = cond_sim_newton(sim, state, info);
    if (status >= 0)
        note_relaxed(sim);
    return status;
}

CondStatus cond_sim_solve_again(CondSim* sim, const CondState* state, CondSolveInfo* info)
{
    CondSolveInfo last = {0};
    CondStatus status;
    CondIntegrator integrator = sim->model->settings.integrator;
    if (integrator != COND_INTEGRATOR_THETA && integrator != COND_INTEGRATOR_AUTO) {
        status = cond_sim_newton(sim, state, info);
    } else {
        status = integrator == COND_INTEGRATOR_AUTO ? cond_sim_choose_again(sim, state) : COND_OK;
        if (status)
            return status;
        status =
            cond_solver_solve(sim->solver, &sim->assembly.problem, sim->v_hat, sim->lambda, &last);
        cond_solve_info_add_work(info, &last, &last);
        *info = last;
        if (status >= 0 && integrator == COND_INTEGRATOR_AUTO)
            status = cond_sim_auto(sim, state, info);
    }
    note_relaxed(sim);
    return status;
}

const double* cond_sim_solution(const CondSim* sim)
{
    return sim->v_hat;
}

const double* cond_sim_lambda(const CondSim* sim)
{
    return sim->lambda;
}

CondStatus cond_sim_attempt(CondSim* sim, const CondState* state, CondStepInfo* info)
{
    double clock = cond_seconds();
    CondStatus worst = COND_OK;
#define STAGE(stage, call)                                                                         \
    do {                                                                                           \
        CondStatus status = (call);                                                                \
        double now = cond_seconds();                                                               \
        info->seconds[stage] += now - clock;                                                       \
        clock = now;                                                                               \
        if (status < 0)                                                                            \
            return status;                                                                         \
        if (cond_cancelled(&sim->arena.context))                                                   \
            return COND_CANCELLED;                                                                 \
        worst = status > worst ? status : worst;                                                   \
    } while (0)
    STAGE(COND_STAGE_FORCES, cond_sim_forces(sim, state));
    STAGE(COND_STAGE_COLLIDE, cond_sim_collide(sim, state));
    STAGE(COND_STAGE_ASSEMBLE, cond_sim_assemble(sim, state));
    STAGE(COND_STAGE_SOLVE, cond_sim_solve(sim, state, &info->solve));
#undef STAGE
    return worst ? worst : cond_sim_recheck(sim, state, info); // times its own stages
}

// 1 where a smaller step may come next.
static int is_divisible(const CondSceneSettings* settings)
{
    return settings->substeps > 1 && settings->solver.fallback &&
           settings->solver.stop == COND_STOP_CERTIFICATE;
}

// By velocities, in parts where that is needed.
static CondStatus try_velocity(CondSim* sim, CondState* state, CondStepInfo* out)
{
    int divisible = is_divisible(&sim->model->settings);
    sim->divisible = divisible;
    CondStatus worst = cond_sim_attempt(sim, state, out);
    sim->divisible = 0;
    if (worst == COND_NOT_CONVERGED && divisible && out->solve.solved_by != COND_BY_OTHER) {
        CondStatus status = cond_sim_step_in_parts(sim, state, out);
        if (status != COND_NOT_CONVERGED)
            return status;
    }
    if (worst < 0)
        return worst;
    cond_watch_begin(sim);                                   // of a part that was made in vain
    CondStatus status = cond_sim_integrate(sim, state, out); // times its own stages
    return status < 0 || status > worst ? status : worst;
}

// Where the impact stage misses with contacts that last, none does in a second attempt: implicit
// Euler needs no such stage.
static CondStatus step_velocity(CondSim* sim, CondState* state, CondStepInfo* out)
{
    int64_t step = state->step;
    sim->lasting = COND_LASTING_TRIED;
    CondStatus status = try_velocity(sim, state, out);
    if (status >= 0 && state->step == step) { // parts may have made it without them already
        CondStepInfo first = *out;
        *out = (CondStepInfo){.substeps = 1};
        cond_watch_begin(sim);
        status = try_velocity(sim, state, out);
        cond_solve_info_add_work(&first.solve, &out->solve, &out->solve);
        for (int k = 0; k < COND_N_STAGE; k++)
            out->seconds[k] += first.seconds[k];
    }
    sim->lasting = COND_LASTING_FREE;
    return status;
}

CondStatus cond_sim_step(CondSim* sim, CondState* state, CondStepInfo* info)
{
    CondStepInfo own;
    CondStepInfo* out = info ? info : &own;
    memset(out, 0, sizeof *out);
    out->substeps = 1;
    cond_watch_begin(sim);
    if (cond_cancelled(&sim->arena.context))
        return out->status = COND_CANCELLED;
    if (sim->model->settings.method == COND_STEP_PENALTY)
        out->status = cond_sim_step_penalty(sim, state, out);
    else if (sim->model->settings.method == COND_STEP_PBD)
        out->status = cond_sim_step_pbd(sim, state, out);
    else
        out->status = step_velocity(sim, state, out);
    if (out->status == COND_DIVERGED)
        cond_watch_blame(sim);
    if (out->status >= 0) {
        out->deepest = sim->deepest;
        if (cond_sim_is_too_deep(sim))
            out->status = COND_TOO_DEEP;
    }
    return out->status;
}

int cond_sim_n_contact(const CondSim* sim)
{
    return sim->touches.n;
}

CondContactInfo cond_sim_contact(const CondSim* sim, int contact)
{
    CondContactInfo info = {.body = -1, .other = -1, .plane = -1};
    if (contact < 0 || contact >= sim->touches.n)
        return info;
    const CondTouch* touch = &sim->touches.touch[contact];
    info.body = touch->point[0].body;
    info.other = touch->point[1].body;
    info.plane = touch->plane;
    info.gap = touch->gap;
    info.restitution = touch->restitution;
    memcpy(info.friction, touch->friction, sizeof info.friction);
    memcpy(info.position, touch->position, sizeof info.position);
    memcpy(info.frame, touch->frame, sizeof info.frame);
    if (contact >= sim->n_ready)
        return info;
    const CondContact* made = &sim->assembly.contact[contact];
    info.relaxed = sim->relaxed[contact];
    memcpy(info.force, sim->lambda + 3 * contact, sizeof info.force);
    memcpy(info.impulse, sim->impulse + 3 * contact, sizeof info.impulse);
    cond_contact_velocity(made, sim->next->v, info.velocity);
    for (int i = 0; i < 3; i++)
        info.velocity[i] -= made->phi[i];
    return info;
}
