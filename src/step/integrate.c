// v_hat -> v_{k+1}, q_{k+1}, and the two problems on the masses alone that keep contact honest.
//
// Contact is posed on v_hat. At theta < 1 a stopped v_hat means v_{k+1} = -v_k (1 - theta)/theta: a
// bounce nobody asked for. Where contacts closed, the velocity therefore comes from a
// velocity-level problem on M alone,
//     M v+ = M v_{k+1} - t Jc' lambda + Jc' Lambda,      0 <= Lambda_n  _|_  Jn v+ - target >= 0,
// with target = e_r times the speed of approach: the step without its contact forces, and impulses
// Lambda [N s] that make v+ obey the law. Penetration left at the end of the step is removed by
// moving the configuration along M^-1 Jn' and leaving v alone.
#include "base/memory.h"
#include "base/parallel.h"
#include "base/timer.h"
#include "body/body.h"
#include "step/sim.h"
#include "step/trajectory.h"

#include <math.h>
#include <string.h>

static const double CLOSED = 1e-9;      // a gap below this counts as closed [m]
static const double PENETRATION = 1e-9; // and a penetration above this is corrected [m]

void cond_sim_advance(const CondModel* model, const double* v, double t, double* q)
{
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        cond_body_ops(body->kind)->advance(body, v + body->dof_begin, t, q + body->q_begin);
    }
}

CondStatus cond_sim_solve_aside(CondSim* sim, CondSolveInfo* info)
{
    const CondProblem* problem = &sim->aside.problem;
    if (cond_reserve(&sim->context, &sim->aside_lambda, &sim->cap_aside_lambda,
                     3 * problem->n_contact, sizeof *sim->aside_lambda))
        return COND_OUT_OF_MEMORY;
    memset(sim->aside_lambda, 0, 3 * (size_t)problem->n_contact * sizeof *sim->aside_lambda);
    return cond_solver_solve(sim->aside_solver, problem, sim->aside_v, sim->aside_lambda, info);
}

// Speed at which the bodies approach at contact c with velocity v; positive: approaching.
static double approach(const CondSim* sim, int c, const double* v)
{
    const CondContact* contact = &sim->assembly.contact[c];
    double u[3];
    cond_contact_velocity(contact, v, u);
    return contact->phi[0] - u[0];
}

// 1 where contact c is closed at the end of the step.
static int is_closed(const CondSim* sim, int c)
{
    double gap = sim->touches.touch[c].gap - sim->time_step * approach(sim, c, sim->v_hat);
    return sim->lambda[3 * c] > 0.0 || !(gap > CLOSED);
}

// 1 when an impact stage is needed.
static int has_impact(const CondSim* sim, const CondState* state)
{
    int always = cond_sim_theta(sim) < 1.0;
    for (int c = 0; c < sim->touches.n; c++)
        if ((always ||
             (sim->touches.touch[c].restitution > 0.0 && approach(sim, c, state->v) > 0.0)) &&
            is_closed(sim, c))
            return 1;
    return 0;
}

static void list_closed(CondSim* sim)
{
    sim->near.n = 0;
    for (int c = 0; c < sim->touches.n; c++)
        if (is_closed(sim, c)) {
            sim->near_of[sim->near.n] = c;
            sim->near.touch[sim->near.n++] = sim->touches.touch[c];
        }
}

CondStatus cond_sim_impact(CondSim* sim, const CondState* state, CondSolveInfo* info)
{
    const CondModel* model = sim->model;
    const CondContext* m = &sim->context;
    CondAssembly* aside = &sim->aside;
    double t = sim->time_step;
    if (!has_impact(sim, state))
        return COND_OK;
    if (cond_reserve(m, &sim->near.touch, &sim->near.cap_touch, sim->touches.n,
                     sizeof *sim->near.touch) ||
        cond_reserve(m, &sim->near_of, &sim->cap_near_of, sim->touches.n, sizeof *sim->near_of))
        return COND_OUT_OF_MEMORY;
    list_closed(sim);
    cond_assembly_begin(aside, &sim->now, 0.0, NULL);
    cond_assembly_multiply(aside, sim->next->v, aside->b, sim->model->settings.solver.threads);
    for (int c = 0; c < sim->touches.n; c++)
        cond_contact_add_force(&sim->assembly.contact[c], -t, sim->lambda + 3 * c, aside->b);
    CondStatus status = cond_assembly_finish(aside, &sim->now, &sim->near, INFINITY);
    if (status)
        return status;
    for (int k = 0; k < sim->near.n; k++) {
        double speed = approach(sim, sim->near_of[k], state->v);
        aside->contact[k].phi[0] = -fmax(sim->near.touch[k].restitution * speed, 0.0);
    }
    memcpy(sim->aside_v, sim->next->v, (size_t)model->n_dof * sizeof(double));
    status = cond_sim_solve_aside(sim, info);
    if (status < 0)
        return status;
    memcpy(sim->next->v, sim->aside_v, (size_t)model->n_dof * sizeof(double));
    memset(sim->impulse, 0, 3 * (size_t)sim->touches.n * sizeof *sim->impulse);
    for (int k = 0; k < sim->near.n; k++)
        memcpy(sim->impulse + 3 * sim->near_of[k], sim->aside_lambda + 3 * k,
               3 * sizeof *sim->impulse);
    return status;
}

CondStatus cond_sim_correct(CondSim* sim, double deepest, CondSolveInfo* info)
{
    const CondModel* model = sim->model;
    CondAssembly* aside = &sim->aside;
    double t = sim->time_step;
    if (!(deepest > PENETRATION))
        return COND_OK;
    // Points within reach of the correction are kept out as well.
    for (int b = 0; b < model->n_body; b++)
        sim->reach[b] = 2.0 * deepest;
    CondStatus status = cond_collide(&sim->collider, &sim->then, sim->next, sim->reach, &sim->near);
    if (status)
        return status;
    cond_assembly_begin(aside, &sim->then, 0.0, NULL);
    memset(aside->b, 0, (size_t)model->n_dof * sizeof(double));
    memset(sim->aside_v, 0, (size_t)model->n_dof * sizeof(double));
    status = cond_assembly_finish(aside, &sim->then, &sim->near, INFINITY);
    if (status)
        return status;
    for (int k = 0; k < sim->near.n; k++) {
        aside->contact[k].phi[0] = sim->near.touch[k].gap / t;
        aside->contact[k].friction[0] = aside->contact[k].friction[1] = 0.0;
    }
    status = cond_sim_solve_aside(sim, info);
    if (status >= 0) {
        cond_sim_advance(model, sim->aside_v, t, sim->next->q);
        cond_posture_set(&sim->then, sim->next->q);
    }
    return status;
}

static void remember_contacts(const void* loop, int first, int last)
{
    const CondSim* sim = loop;
    for (int c = first; c < last; c++) {
        const CondTouch* touch = &sim->touches.touch[c];
        CondContactMemory* memory = &sim->next->memory[c];
        memory->key = touch->key;
        memory->triangle = touch->triangle;
        memcpy(memory->lambda, sim->lambda + (ptrdiff_t)3 * c, sizeof memory->lambda);
        memcpy(memory->tangent, touch->frame + 3, sizeof memory->tangent);
    }
}

CondStatus cond_sim_remember(CondSim* sim)
{
    CondState* next = sim->next;
    if (cond_reserve(&next->context, &next->memory, &next->cap_memory, sim->touches.n,
                     sizeof *next->memory))
        return COND_OUT_OF_MEMORY;
    next->n_memory = sim->touches.n;
    cond_parallel(sim->touches.n,
                  cond_threads(16 * (size_t)sim->touches.n, sim->model->settings.solver.threads),
                  remember_contacts, sim);
    return COND_OK;
}

// v = v_k + (v_hat - v_k)/theta, and the velocity that was solved for
typedef struct VelocityLoop {
    const double *v_k, *v_hat, *solved;
    double *v, *kept, theta;
} VelocityLoop;

static void make_velocities(const void* loop, int first, int last)
{
    const VelocityLoop* l = loop;
    for (int i = first; i < last; i++) {
        l->v[i] = l->v_k[i] + (l->v_hat[i] - l->v_k[i]) / l->theta;
        l->kept[i] = l->solved[i];
    }
}

// q_{k+1} = update(q_k, v_hat, t),  v_{k+1} = v_k + (v_hat - v_k)/theta, in sim->next.
static CondStatus make_next(CondSim* sim, const CondState* state)
{
    const CondModel* model = sim->model;
    CondState* next = sim->next;
    const double* v_hat = cond_sim_representative(sim, state);
    int threads = model->settings.solver.threads;
    // next is a copy of state since cond_sim_lead
    cond_sim_advance(model, sim->v_hat, sim->time_step, next->q);
    VelocityLoop loop = {state->v, v_hat, sim->v_hat, next->v, next->v_hat, cond_sim_theta(sim)};
    cond_parallel(model->n_dof, cond_threads((size_t)model->n_dof, threads), make_velocities,
                  &loop);
    // Time is counted in whole steps, and within one in its parts.
    double done = (double)(sim->part + 1) / sim->parts, whole = model->settings.time_step;
    int last = sim->part + 1 == sim->parts;
    next->step = state->step + last;
    next->time = ((double)next->step + (last ? 0.0 : done)) * whole;
    for (int i = 0; i < 3 * sim->touches.n; i++)
        sim->impulse[i] = sim->time_step * sim->lambda[i];
    cond_posture_set(&sim->then, next->q);
    CondStatus status = cond_sim_place_contacts(sim, state);
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

static int finite_state(const CondState* state)
{
    for (int i = 0; i < state->n_dof; i++)
        if (!isfinite(state->v[i]))
            return 0;
    for (int i = 0; i < state->n_q; i++)
        if (!isfinite(state->q[i]))
            return 0;
    return 1;
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
    if (model->settings.impact) {
        CondStatus status = cond_sim_impact(sim, state, &info->impact);
        info->seconds[COND_STAGE_IMPACT] += (now = cond_seconds()) - clock;
        if (status < 0)
            return status;
        worst = status > worst ? status : worst;
    }
    CondStatus found = cond_sim_collide_next(sim, &info->penetration);
    if (found < 0)
        return found;
    clock = cond_seconds();
    if (model->settings.position_correction) {
        CondStatus status = cond_sim_correct(sim, info->penetration, &info->correction);
        info->seconds[COND_STAGE_CORRECT] += cond_seconds() - clock;
        if (status < 0)
            return status;
        worst = status > worst ? status : worst;
    }
    cond_sim_carry(sim);
    if (!finite_state(sim->next))
        return COND_DIVERGED;
    info->n_contact = sim->touches.n;
    info->newton_iterations = sim->newton.iterations;
    info->time = sim->next->time;
    cond_sim_energies(sim, state, info);
    CondStatus status = cond_sim_read_wrenches(sim);
    if (!status)
        status = cond_sim_read_sensors(sim, state);
    if (!status)
        status = cond_state_copy(state, sim->next);
    if (status < 0)
        return status;
    sim->n_ready = sim->touches.n;
    sim->sensors.ready = 1;
    return worst;
}
