// The non-linear integrators: Newton's method around the linear contact problem.
//
// With h = th t and q(v) = update(q_k, v, h), the representative velocity v of the step solves
//     g(v) = M (v - v_k)/h - f(q(v), v) + D v - Jc' lambda = 0
// and the contact law, where f holds all forces (-C v too) and M, D belong to q(v). Linearised at
// an iterate v_i, with df/dv = -h K,
//     A_i = M/h + h K + D,      b_i = M v_k/h + f_i + h K v_i = A_i v_i - r_i,
// where r_i = M (v_i - v_k)/h - f_i + D v_i: a contact problem of the very kind of the linear step,
// which is the first iteration (q(v) = q_k, K v_i = 0). Contacts are found once, at q_k. What A_i
// leaves out, the change of M, C and D and negative geometric stiffness, slows the convergence down
// but does not move the answer.
#include "base/memory.h"
#include "base/parallel.h"
#include "base/tuning.h"
#include "body/body.h"
#include "body/each.h"
#include "body/gyroscopic.h"
#include "body/spectral.h"
#include "device/sum.h"
#include "integrate/balance.h"
#include "integrate/momenta.h"
#include "integrate/spectral.h"
#include "integrate/tuning.h"
#include "law/tuning.h"
#include "potential/potential.h"
#include "problem/block.h"
#include "sim/sim.h"

#include <math.h>
#include <string.h>

double cond_sim_theta(const CondSim* sim)
{
    switch (sim->model->settings.integrator) {
    case COND_INTEGRATOR_EULER:
    case COND_INTEGRATOR_AUTO:
        return 1.0;
    case COND_INTEGRATOR_MIDPOINT:
    case COND_INTEGRATOR_VARIATIONAL:
        return 0.5;
    default:
        return sim->model->settings.theta;
    }
}

void cond_sim_set_theta(CondSim* sim, double theta)
{
    for (int b = 0; b < sim->model->n_body; b++) {
        sim->linear[b] = 1;
        sim->theta[b] = theta;
        sim->length[b] = theta * sim->attempt.time_step;
    }
}

static int is_newton(const CondSim* sim)
{
    return sim->model->settings.integrator != COND_INTEGRATOR_THETA;
}

CondStatus cond_newton_create(CondSim* sim)
{
    const CondModel* model = sim->model;
    const CondSceneSettings* settings = &model->settings;
    const CondContext* m = &sim->arena.context;
    CondNewton* newton = &sim->newton;
    CondTransportKind kind = settings->mass_root ? COND_TRANSPORT_ROOT
                             : settings->integrator == COND_INTEGRATOR_VARIATIONAL
                                 ? COND_TRANSPORT_MOMENTUM
                                 : COND_TRANSPORT_VELOCITY;
    size_t n = (size_t)model->n_dof;
    CondStatus status = cond_transport_create(model, kind, &sim->transport);
    if (status || !is_newton(sim))
        return status;
    newton->q = cond_arena_allocate(&sim->arena, (size_t)model->n_q, sizeof(double));
    newton->start = cond_arena_allocate(&sim->arena, n, sizeof(double));
    newton->v = cond_arena_allocate(&sim->arena, n, sizeof(double));
    newton->r = cond_arena_allocate(&sim->arena, n, sizeof(double));
    newton->diagonal = cond_arena_allocate(&sim->arena, n, sizeof(double));
    newton->work = cond_arena_allocate(&sim->arena, n, sizeof(double));
    newton->history.arena.context = *m;
    int all =
        newton->q && newton->start && newton->v && newton->r && newton->diagonal && newton->work;
    return all ? COND_OK : COND_OUT_OF_MEMORY;
}

void cond_newton_destroy(CondSim* sim)
{
    cond_arena_release(&sim->newton.history.arena);
    cond_transport_destroy(&sim->transport);
}

// Loops over the bodies at the iterate.
typedef struct IterateLoop {
    CondSim* sim;
    const CondState* state; // that the step begins with
} IterateLoop;

CondMomentaStep cond_newton_momenta(const CondSim* sim, int b)
{
    const CondBody* body = &sim->model->body[b];
    return (CondMomentaStep){.arm = body->arm,
                             .start = sim->at_start.arm[b].work,
                             .middle = sim->at_end.arm[b].work,
                             .end = sim->balance->end.arm[b].work,
                             .v_k = sim->newton.start + body->dof_begin,
                             .t = sim->attempt.time_step,
                             .gravity = sim->model->settings.gravity,
                             .scratch = sim->balance->links};
}

int cond_newton_has_momenta(const CondSim* sim, int b)
{
    return sim->model->body[b].kind == COND_BODY_ROBOT &&
           sim->transport.kind == COND_TRANSPORT_VELOCITY && cond_kinematics_spans(&sim->at_end, b);
}

// Weight, and M (v - v_k)/h less the rate of the momenta, which takes the place of the former.
static void add_momenta(CondSim* sim, int b, const double* v, double* f)
{
    const CondBody* body = &sim->model->body[b];
    const double *M = cond_kinematics_mass(&sim->at_end, b),
                 *start = sim->newton.start + body->dof_begin;
    CondMomentaStep step = cond_newton_momenta(sim, b);
    int n = body->n_dof;
    cond_momenta_begin(&step);
    cond_momenta_rate(&step, v, f);
    for (int i = 0; i < n; i++) {
        f[i] = -f[i] - body->arm->armature[i] * (v[i] - start[i]) / sim->length[b];
        for (int k = 0; k < n; k++)
            f[i] += M[i * n + k] * (v[k] - start[k]) / sim->length[b];
    }
}

// Weight and -C v at the iterate. A rigid body under implicit Euler keeps the gyroscopic rule of
// the linear step, which conserves its energy and bears any spin; under the midpoint rule -C v is
// what keeps the angular momentum in space (body/gyroscopic.h).
static void add_bias(const void* loop, int b)
{
    const IterateLoop* l = loop;
    CondSim* sim = l->sim;
    const CondBody* body = &sim->model->body[b];
    const double *gravity = sim->model->settings.gravity, *v = sim->attempt.v_hat;
    double torque[3], *f = sim->f;
    int at = body->dof_begin, euler = sim->theta[b] == 1.0;
    if (sim->linear[b])
        cond_sim_bias(sim, l->state, b, f);
    else if (cond_newton_has_momenta(sim, b))
        add_momenta(sim, b, v + at, f + at);
    else if (body->kind == COND_BODY_ROBOT)
        cond_transport_bias(&sim->transport, body, &sim->at_end, v + at, 0.0, gravity, f + at);
    else
        cond_body_ops(body->kind)
            ->bias(body, &sim->at_end, euler ? l->state->v + at : v + at,
                   euler ? sim->attempt.time_step : 0.0, gravity, f + at);
    if (sim->linear[b] || euler || body->kind != COND_BODY_RIGID)
        return;
    cond_gyroscopic_middle(body->inertia, l->state->v + at + 3, v + at + 3, sim->length[b], torque);
    for (int i = 0; i < 3; i++)
        f[at + 3 + i] = -torque[i];
}

// v_k of a body as seen from the iterate, where M^(1/2) v or M v of a robot is carried there where
// the settings say; and its bias.
static void start_body(const void* loop, int b)
{
    const IterateLoop* l = loop;
    CondSim* sim = l->sim;
    const CondBody* body = &sim->model->body[b];
    double* start = sim->newton.start;
    cond_parallel_copy(body->n_dof, l->state->v + body->dof_begin, start + body->dof_begin,
                       sim->model->settings.solver.threads);
    if (body->kind == COND_BODY_ROBOT)
        cond_transport_move(&sim->transport, body, &sim->at_start, &sim->at_end,
                            start + body->dof_begin);
    cond_spectral_start(sim, l->state, b, start);
    add_bias(loop, b);
}

CondStatus cond_newton_damp(CondSim* sim, const double* v, double* y)
{
    CondCandidateList none = {.n = 0};
    cond_assembly_begin_damping(&sim->matrix, &sim->at_end);
    // A step of length 0 leaves the damping alone in the gains. The forces are known already.
    CondStatus status = cond_sim_couple(sim, &sim->at_end, COND_COUPLED_ALL | COND_COUPLED_DAMPED,
                                        NULL, &sim->matrix, y);
    if (!status)
        status = cond_assembly_finish(&sim->matrix, &sim->at_end, NULL, &none, INFINITY);
    if (status)
        return status;
    cond_assembly_multiply_damping(&sim->matrix, &sim->at_end, v, y);
    return COND_OK;
}

static void pose(const void* loop, int b)
{
    const IterateLoop* l = loop;
    CondSim* sim = l->sim;
    const CondBody* body = &sim->model->body[b];
    double* q = sim->newton.q + body->q_begin;
    double h = !sim->linear[b] ? sim->length[b]
               : body->kind == COND_BODY_RIGID && cond_held_whole(sim, b)
                   ? 0.5 * sim->attempt.time_step // what touches it may be in the middle
                   : 0.0;
    const double *from = l->state->q + body->q_begin, *v = sim->attempt.v_hat + body->dof_begin;
    if (h > 0.0)
        cond_body_advance(body, from, v, h, sim->model->settings.solver.threads, q);
    else
        memcpy(q, from, (size_t)body->n_q * sizeof *q);
    if (sim->model->settings.integrator != COND_INTEGRATOR_AUTO)
        return;
    cond_spectral_lead_on(sim, l->state, b, sim->newton.q);
    cond_balance_advance(sim, l->state, b);
}

void cond_newton_pose(CondSim* sim, const CondState* state)
{
    IterateLoop loop = {sim, state};
    cond_each_body(sim->model, 2 * COND_COORDINATE_WORK, pose, &loop);
    cond_kinematics_set_like(&sim->at_end, NULL, sim->newton.q);
    if (sim->model->settings.integrator == COND_INTEGRATOR_AUTO)
        cond_balance_pose(sim);
}

// The coordinates of a body.
typedef struct InertiaLoop {
    const CondSim* sim;
    int b, begin;
} InertiaLoop;

static void subtract_start(const void* loop, int first, int last)
{
    const InertiaLoop* l = loop;
    const CondSim* sim = l->sim;
    for (int i = l->begin + first; i < l->begin + last; i++)
        sim->work[i] = (sim->linear[l->b] ? 0.0 : sim->attempt.v_hat[i]) - sim->newton.start[i];
}

static void add_rate(const void* loop, int first, int last)
{
    const InertiaLoop* l = loop;
    const CondSim* sim = l->sim;
    double *r = sim->newton.r, *p = sim->newton.work, h = sim->length[l->b];
    double mass = cond_spectral_mass(cond_spectral_of(sim, l->b));
    for (int i = l->begin + first; i < l->begin + last; i++)
        r[i] = p[i] = (sim->linear[l->b] ? 0.0 : r[i]) + mass * p[i] / h - sim->f[i];
}

// r = M (v - v_k)/h - f + D v, where r = D v already; of a linear body -b = -M v_k/h - f. And in
// newton.work too, from which forces of contacts are taken next.
static void add_inertia(const void* data, int b)
{
    CondSim* sim = ((const IterateLoop*)data)->sim;
    const CondBody* body = &sim->model->body[b];
    InertiaLoop loop = {sim, b, body->dof_begin};
    int n_thread = cond_threads((size_t)body->n_dof, sim->model->settings.solver.threads);
    cond_parallel(body->n_dof, n_thread, subtract_start, &loop);
    cond_assembly_multiply_mass(&sim->matrix, &sim->at_end, b, sim->work, sim->newton.work);
    cond_parallel(body->n_dof, n_thread, add_rate, &loop);
}

CondStatus cond_newton_evaluate(CondSim* sim, const CondState* state)
{
    const CondModel* model = sim->model;
    CondNewton* newton = &sim->newton;
    IterateLoop loop = {sim, state};
    cond_newton_pose(sim, state);
    cond_each_body(model, COND_COORDINATE_WORK, start_body, &loop);
    cond_force_add(&sim->at_end, state, sim->attempt.time_step, sim->f);
    cond_assembly_begin(&sim->attempt.assembly, &sim->at_end, sim->length, sim->f);
    CondStatus status = cond_sim_couple(sim, &sim->at_end, COND_COUPLED_ALL, sim->length,
                                        &sim->attempt.assembly, sim->f);
    if (!status)
        status = cond_sim_finish(sim);
    if (!status)
        status = cond_newton_damp(sim, sim->attempt.v_hat, newton->r);
    if (status)
        return status;
    cond_each_body(model, COND_COORDINATE_WORK, add_inertia, &loop);
    cond_assembly_add_forces(&sim->attempt.assembly, model, cond_sim_n_force(sim), -1.0,
                             sim->attempt.lambda, newton->work);
    cond_problem_diagonal_by(&sim->attempt.assembly.problem, newton->diagonal,
                             model->settings.solver.threads);
    return COND_OK;
}

// Evaluates the iterate, with the size of its residual: sqrt(g' diag(A)^-1 g) [sqrt(W)].
static CondStatus evaluate(CondSim* sim, const CondState* state, double* size)
{
    const CondNewton* newton = &sim->newton;
    CondStatus status = cond_newton_evaluate(sim, state);
    if (status)
        return status;
    double* left = sim->work; // what holds a coordinate gives what is missing
    for (int i = 0; i < sim->model->n_dof; i++)
        left[i] = sim->held.flag[i] ? 0.0 : newton->work[i];
    *size = sqrt(cond_dot_over(sim->model->n_dof, newton->diagonal, left, left,
                               sim->model->settings.solver.threads));
    return isfinite(*size) ? COND_OK : COND_DIVERGED;
}

// b = A v - r, and -r of a linear body.
static void subtract_residual(const void* loop, int k, int first, int last)
{
    const CondSim* sim = loop;
    double* b = sim->attempt.assembly.b;
    for (int i = first; i < last; i++) {
        b[i] = (sim->linear[k] ? 0.0 : b[i]) - sim->newton.r[i];
        // Of a coordinate that is held, what holds it: it asks for no other.
        sim->work[i] = sim->held.flag[i] ? sim->newton.work[i] : b[i];
    }
}

void cond_newton_right_hand_side(CondSim* sim)
{
    cond_problem_multiply_by(&sim->attempt.assembly.problem, sim->attempt.v_hat,
                             sim->attempt.assembly.b, sim->model->settings.solver.threads);
    cond_each_coordinate(sim->model, 2, subtract_residual, sim);
}

// Its size in the norm of the residual, sqrt(b' diag(A)^-1 b).
static double size_of_right_hand_side(const CondSim* sim)
{
    const double *b = sim->work, *d = sim->newton.diagonal;
    return sqrt(cond_dot_over(sim->model->n_dof, d, b, b, sim->model->settings.solver.threads));
}

double cond_newton_mass(const CondBody* body, const CondKinematics* kinematics)
{
    double centre[3];
    if (body->kind == COND_BODY_SOFT)
        return body->fem->total_mass;
    if (body->kind == COND_BODY_ROBOT)
        return cond_articulation_center(body->arm, kinematics->arm[body->index].work, centre);
    return body->mass;
}

// |dv| in m/s: the largest sqrt(dv' M dv / mass) of any body, which weighs turning by the inertia.
static double change_of(CondSim* sim)
{
    const CondModel* model = sim->model;
    double *dv = sim->work, *p = sim->newton.work, largest = 0.0;
    for (int i = 0; i < model->n_dof; i++)
        dv[i] = sim->attempt.v_hat[i] - sim->newton.v[i];
    cond_assembly_multiply_masses(&sim->matrix, &sim->at_end, dv, p);
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        double energy = 0.0;
        for (int i = body->dof_begin; i < body->dof_begin + body->n_dof; i++)
            energy += dv[i] * p[i];
        largest = fmax(largest, sqrt(fmax(energy, 0.0) / cond_newton_mass(body, &sim->at_end)));
    }
    return largest;
}

void cond_newton_halve(int n, const double* base, double* x)
{
    for (int i = 0; i < n; i++)
        x[i] = 0.5 * (x[i] + base[i]);
}

// Evaluates the iterate; while its residual is larger than the last one's, goes back half the way.
// Below `noise` the residual is that of the linear solves and says nothing.
static CondStatus descend(CondSim* sim, const CondState* state, double noise, double* size)
{
    CondNewton* newton = &sim->newton;
    double last = *size;
    CondStatus status = evaluate(sim, state, size);
    for (int i = 0; i < COND_HALVINGS; i++) {
        int worse = status == COND_DIVERGED || (!status && *size > fmax(last, noise));
        if (!worse || !isfinite(last))
            break;
        cond_newton_halve(sim->model->n_dof, newton->v, sim->attempt.v_hat);
        cond_newton_halve(3 * cond_sim_n_force(sim), newton->lambda, sim->attempt.lambda);
        status = evaluate(sim, state, size);
    }
    return status;
}

// Work is summed over the iterations; everything else is that of the last.
void cond_solve_info_add(CondSolveInfo* info, const CondSolveInfo* last)
{
    CondSolveInfo sum = *last;
    cond_solve_info_add_work(info, last, &sum);
    *info = sum;
}

// The linear step is the first iteration.
static CondStatus begin(CondSim* sim)
{
    CondNewton* newton = &sim->newton;
    newton->iterations = 1;
    newton->size = INFINITY;
    newton->noise = 0.0;
    newton->history.n = newton->history.failed = 0;
    cond_history_add(&newton->history, INFINITY);
    for (int b = 0; b < sim->model->n_body && sim->model->settings.newton_iterations > 1; b++)
        sim->linear[b] = 0;
    return COND_RESERVE(&sim->arena, newton->lambda, 3 * cond_sim_n_force(sim));
}

void cond_newton_keep(CondSim* sim)
{
    int n = sim->model->n_dof, n_lambda = 3 * cond_sim_n_force(sim);
    int threads = sim->model->settings.solver.threads;
    cond_parallel_copy(n, sim->attempt.v_hat, sim->newton.v, threads);
    cond_parallel_copy(n_lambda, sim->attempt.lambda, sim->newton.lambda, threads);
}

// Poses the problem at the iterate.
static CondStatus pose_iterate(CondSim* sim, const CondState* state)
{
    const CondSolverSettings* solver = &sim->model->settings.solver;
    CondNewton* newton = &sim->newton;
    double floor = solver->stop == COND_STOP_CERTIFICATE
                       ? fmax(COND_ROUNDING, 10.0 * solver->tolerance)
                       : 10.0 * COND_NEWTON_WITHOUT_CERTIFICATE;
    CondStatus status = descend(sim, state, newton->noise, &newton->size);
    if (status < 0)
        return status;
    cond_newton_right_hand_side(sim);
    newton->noise = floor * size_of_right_hand_side(sim);
    cond_newton_keep(sim);
    sim->attempt.at_iterate = 1;
    return COND_OK;
}

CondStatus cond_newton_resume(CondSim* sim, const CondState* state)
{
    CondStatus status = begin(sim);
    if (!status)
        status = pose_iterate(sim, state);
    sim->newton.size = INFINITY; // what has joined may raise a residual that was nothing
    return status;
}

CondStatus cond_newton_next(CondSim* sim, const CondState* state, CondStatus solved,
                            CondSolveInfo* info, CondNext* next)
{
    const CondSceneSettings* settings = &sim->model->settings;
    CondNewton* newton = &sim->newton;
    if (solved < 0)
        return solved;
    if (!sim->attempt.at_iterate) {
        if (begin(sim))
            return COND_OUT_OF_MEMORY;
    } else {
        double change = change_of(sim);
        cond_history_add(&newton->history, change);
        newton->iterations++;
        if (newton->history.failed)
            return COND_OUT_OF_MEMORY;
        if (change < settings->newton_tolerance)
            return solved;
    }
    if (newton->iterations >= settings->newton_iterations)
        return info->status = COND_NOT_CONVERGED;
    CondStatus status = pose_iterate(sim, state);
    *next = status < 0 ? COND_NEXT_DONE : COND_NEXT_SOLVE;
    return status;
}

const double* cond_sim_representative(CondSim* sim, const CondState* state)
{
    const CondModel* model = sim->model;
    double* v = sim->work;
    memcpy(v, sim->attempt.v_hat, (size_t)model->n_dof * sizeof *v);
    if (model->n_body == 0 || sim->linear[0] || sim->transport.kind == COND_TRANSPORT_VELOCITY)
        return v;
    cond_newton_pose(sim, state);
    for (int b = 0; b < model->n_body; b++)
        if (model->body[b].kind == COND_BODY_ROBOT)
            cond_transport_move(&sim->transport, &model->body[b], &sim->at_end, &sim->at_start,
                                v + model->body[b].dof_begin);
    return v;
}

void cond_sim_transport(CondSim* sim)
{
    const CondModel* model = sim->model;
    for (int b = 0; b < model->n_body; b++)
        if (model->body[b].kind == COND_BODY_ROBOT)
            cond_transport_move(&sim->transport, &model->body[b], &sim->at_start, &sim->at_end,
                                sim->next->v + model->body[b].dof_begin);
}
