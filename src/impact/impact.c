// Contact is posed on v_hat. At theta < 1 a stopped v_hat means v_{k+1} = -v_k (1 - theta)/theta: a
// bounce nobody asked for. Where contacts closed, the velocity therefore comes from velocity-level
// problems on M alone. The first gives the forces of the step their due,
//     M v+ = M v_{k+1} - t Jc' lambda + Jc' Lambda,      0 <= Lambda_n  _|_  Jn v+ >= 0:
// the step without its contact forces, and impulses Lambda [N s] that make v+ obey the law.
// Contacts that strike where something gives speed back are left out of it. From the velocity with
// which the bodies arrive there (impact_energy.c) their impacts are made in rounds
// (impact_rounds.c).
//
// Of robots, rods and soft bodies forces of the step answer to contact forces, and the velocity
// without the latter is none that they ever had: there the impacts begin with v_k, and the first
// problem comes after them, with the speeds that they have left at the contacts as targets.
//
// Each of these problems is an attempt, and the table RETRIES says which one follows it.
//
// Contacts that last (integrate/persistent.h) are taken where they are at the end of the step, and
// so is what their forces gave: v+ differs from v_{k+1} by M^-1 J_{k+1}' (Lambda - t lambda), which
// is small.
#include "impact/impact.h"
#include "base/tuning.h"

#include "body/body.h"
#include "impact/tuning.h"
#include "integrate/group.h"
#include "integrate/persistent.h"
#include "sim/sim.h"
#include "sim/stage_retry.h"

#include <math.h>
#include <string.h>

void cond_impact_destroy(CondImpact* impact)
{
    cond_contact_stage_destroy(&impact->stage);
}

static CondStatus reserve(const CondModel* model, CondImpact* impact)
{
    CondSolverSettings settings = cond_contact_stage_settings(model);
    CondStatus status =
        cond_contact_stage_prepare(model, COND_ASSEMBLY_MASSES, &settings, &impact->stage);
    CondArena* m = &impact->stage.arena;
    impact->growth = fmax(COND_IMPACT_SAME, 10.0 * settings.tolerance);
    if (status)
        return status;
    int failed = COND_RESERVE(m, impact->before, model->n_dof) ||
                 COND_RESERVE(m, impact->after, model->n_dof) ||
                 COND_RESERVE(m, impact->push, model->n_dof) ||
                 COND_RESERVE(m, impact->momentum, model->n_dof) ||
                 COND_RESERVE(m, impact->potential, model->n_body) ||
                 COND_RESERVE(m, impact->nearby, model->n_body) ||
                 COND_RESERVE(m, impact->impact, model->n_body) ||
                 cond_components_reserve(m, model->n_body, &impact->impacts);
    return failed ? COND_OUT_OF_MEMORY : COND_OK;
}

// ---- what takes part

// 1 where the force of contact c of the step is taken back as it was posed.
static int is_replaced(const CondSim* sim, int c)
{
    return !cond_persistent_is_moved(sim, c) && cond_impact_is_listed(sim, c);
}

// Puts contact c into the list: one that lasts as it is at the end of the step, where it is there
// still; *from: where to look on. What has left there keeps its force.
static void list_contact(CondSim* sim, const CondState* state, int c, int* from)
{
    CondImpact* impact = sim->impact;
    CondCandidateList* closed = &impact->stage.candidates;
    CondCandidate candidate = sim->attempt.candidates.candidate[c];
    if (cond_persistent_is_moved(sim, c)) {
        int at = cond_persistent_find(&sim->attempt.end, &candidate, from);
        if (at < 0)
            return;
        memcpy(candidate.point, sim->attempt.end.candidate[at].point, sizeof candidate.point);
        memcpy(candidate.frame, sim->attempt.end.candidate[at].frame, sizeof candidate.frame);
        candidate.moved = 1;
    }
    impact->contact_of[closed->n] = c;
    impact->strikes[closed->n] = (unsigned char)cond_impact_strikes(sim, state, c);
    closed->candidate[closed->n++] = candidate;
}

// The contacts that take part.
static CondStatus list_contacts(CondSim* sim, const CondState* state)
{
    CondImpact* impact = sim->impact;
    CondCandidateList* closed = &impact->stage.candidates;
    CondArena* m = &impact->stage.arena;
    int n = sim->attempt.candidates.n, all = cond_sim_n_force(sim);
    if (cond_candidates_reserve(closed, n) || COND_RESERVE(m, impact->contact_of, n) ||
        COND_RESERVE(m, impact->strikes, n) || COND_RESERVE(m, impact->pair, n) ||
        COND_RESERVE(m, impact->order, n) || COND_RESERVE(m, impact->group, all) ||
        COND_RESERVE(m, impact->member, all) || COND_RESERVE(m, impact->expected, 3 * all) ||
        COND_RESERVE(m, impact->impulse, 3 * all))
        return COND_OUT_OF_MEMORY;
    closed->n = 0;
    for (int c = 0, from = 0; c < n; c++)
        if (cond_impact_is_listed(sim, c))
            list_contact(sim, state, c, &from);
    memset(impact->impulse, 0, 3 * (size_t)all * sizeof *impact->impulse);
    return COND_OK;
}

// before = v_{k+1} - t M^-1 Jc' lambda, and b = M before.
static void take_forces_back(CondSim* sim)
{
    const CondModel* model = sim->model;
    CondImpact* impact = sim->impact;
    CondAssembly* assembly = &impact->stage.assembly;
    double *f = sim->work, *v = impact->before;
    memset(f, 0, (size_t)model->n_dof * sizeof *f);
    for (int c = 0; c < sim->attempt.candidates.n; c++)
        if (is_replaced(sim, c))
            cond_contact_add_force(&sim->attempt.assembly.contact[c], -sim->attempt.time_step,
                                   sim->attempt.lambda + 3 * c, f);
    for (int k = 0; k < impact->stage.candidates.n; k++)
        if (impact->stage.candidates.candidate[k].moved)
            cond_contact_add_force(&assembly->contact[k], -sim->attempt.time_step,
                                   sim->attempt.lambda + 3 * impact->contact_of[k], f);
    for (int k = 0; k < impact->n_row; k++) {
        int c = sim->attempt.candidates.n + sim->rows.part[k];
        cond_contact_add_force(&sim->attempt.assembly.contact[c], -sim->attempt.time_step,
                               sim->attempt.lambda + 3 * c, f);
    }
    cond_assembly_multiply(assembly, sim->next->v, assembly->b, model->settings.solver.threads);
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        cond_body_ops(body->kind)
            ->accelerate(body, &sim->at_start, f + body->dof_begin, v + body->dof_begin);
    }
    for (int i = 0; i < model->n_dof; i++) {
        assembly->b[i] += f[i];
        v[i] += sim->next->v[i];
    }
    cond_held_put_end(sim, v);
}

// The problems of the stage: its contacts, and the rows of joints behind them.
static CondStatus prepare(CondSim* sim, const CondState* state)
{
    CondImpact* impact = sim->impact;
    CondContactStage* stage = &impact->stage;
    CondStatus status = reserve(sim->model, impact);
    if (!status)
        status = list_contacts(sim, state);
    if (status)
        return status;
    stage->given = sim->held.n > 0 ? sim->held.flag : NULL;
    stage->rate = sim->held.end;
    stage->budget.last_resort = !cond_persistent_may_be_barred(sim); // or the step is made anew
    cond_assembly_begin(&stage->assembly, &sim->at_start, NULL, NULL);
    status = cond_assembly_finish(&stage->assembly, &sim->at_start, &sim->at_end,
                                  &stage->candidates, INFINITY);
    return status ? status
                  : cond_joint_rows_pose_impact(sim, impact->role, &stage->assembly,
                                                stage->candidates.n, &impact->n_row);
}

// ---- an attempt, and what follows it

// What the forces of the step have given is what contacts and rows that last need again.
static void expect(const CondSim* sim, int k, double expected[3])
{
    const CondImpact* impact = sim->impact;
    int n = impact->stage.candidates.n;
    int c = k < n ? impact->contact_of[k] : sim->attempt.candidates.n + sim->rows.part[k - n];
    for (int i = 0; i < 3; i++)
        expected[i] = sim->attempt.time_step * sim->attempt.lambda[3 * (ptrdiff_t)c + i];
}

// Puts contact k of the stage, or a row, into the problem at hand, with a target of its own.
static void add(CondSim* sim, int k, double target)
{
    CondImpact* impact = sim->impact;
    int n = impact->n++;
    impact->member[n] = k;
    impact->group[n] = impact->stage.assembly.contact[k];
    if (k < impact->stage.candidates.n)
        impact->group[n].phi[0] = -target;
    expect(sim, k, impact->expected + 3 * (ptrdiff_t)n);
}

// v = the answer, for the bodies of a role.
static void copy_bodies(const CondSim* sim, CondImpactRole role, const double* from, double* v)
{
    for (int b = 0; b < sim->model->n_body; b++) {
        const CondBody* body = &sim->model->body[b];
        if (sim->impact->role[b] == (int)role)
            memcpy(v + body->dof_begin, from + body->dof_begin,
                   (size_t)body->n_dof * sizeof(double));
    }
}

// The forces of the step at the contacts that last: into the velocity at its end, and of islands
// that rebound into the one with which they arrive.
static void pose_forces(CondSim* sim)
{
    CondImpact* impact = sim->impact;
    impact->phase = COND_IMPACT_FORCES;
    impact->n = impact->n_round = 0;
    take_forces_back(sim);
    for (int k = 0; k < impact->stage.candidates.n + impact->n_row; k++) {
        CondImpactRole role = impact->role[cond_impact_body(sim, k)];
        int strikes = k < impact->stage.candidates.n && impact->strikes[k];
        if (role == COND_IMPACT_PLAIN || (role == COND_IMPACT_EXACT && !strikes))
            add(sim, k, 0.0);
    }
    memcpy(impact->after, sim->next->v, (size_t)sim->model->n_dof * sizeof(double));
    copy_bodies(sim, COND_IMPACT_EXACT, impact->before, impact->after);
    impact->start = impact->after;
}

// Where the forces of the step have led, impacts begin.
static void take_forces(CondSim* sim)
{
    CondImpact* impact = sim->impact;
    if (impact->n > 0) {
        copy_bodies(sim, COND_IMPACT_PLAIN, impact->stage.v, sim->next->v);
        copy_bodies(sim, COND_IMPACT_EXACT, impact->stage.v, impact->after);
    }
    copy_bodies(sim, COND_IMPACT_INEXACT, impact->from->v, impact->after);
    if (impact->rebounds) {
        cond_impact_arrive(sim, impact->from);
        cond_impact_begin_rounds(sim);
    }
}

// The problem at hand, and what its answer gives to the bodies.
static CondStatus attempt(CondSim* sim)
{
    CondImpact* impact = sim->impact;
    CondProblem problem = impact->stage.assembly.problem;
    CondSolveInfo one = {.status = COND_OK};
    CondStatus status = COND_OK;
    int rounds = impact->phase == COND_IMPACT_ROUND || impact->phase == COND_IMPACT_STOP;
    problem.contact = impact->group;
    problem.n_contact = impact->n;
    if (impact->n > 0) {
        memcpy(impact->stage.v, impact->start, (size_t)problem.n_dof * sizeof(double));
        status = cond_contact_stage_solve(&impact->stage, &problem,
                                          rounds ? NULL : impact->expected, &one);
        cond_sim_add_solve(&one, impact->info);
    }
    if (status < 0)
        return status;
    impact->worst = cond_status_worst(status, impact->worst);
    if (rounds) {
        cond_impact_take_round(sim);
        return status;
    }
    for (int k = 0; k < impact->n; k++)
        for (int i = 0; i < 3; i++)
            impact->impulse[3 * (ptrdiff_t)impact->member[k] + i] +=
                impact->stage.lambda[3 * k + i];
    if (impact->phase == COND_IMPACT_FORCES)
        take_forces(sim);
    else
        copy_bodies(sim, COND_IMPACT_INEXACT, impact->stage.v, sim->next->v);
    return status;
}

static int is_inexact(const CondSim* sim, int k)
{
    return sim->impact->role[cond_impact_body(sim, k)] == COND_IMPACT_INEXACT;
}

static int leaves_forces(CondSim* sim)
{
    const CondImpact* impact = sim->impact;
    for (int k = 0; k < impact->stage.candidates.n + impact->n_row; k++)
        if (is_inexact(sim, k))
            return 1;
    return 0;
}

// The forces of the step after the impacts: what has bounced keeps the speed that it has left with.
static CondStatus pose_forces_after(CondSim* sim)
{
    const CondModel* model = sim->model;
    CondImpact* impact = sim->impact;
    impact->phase = COND_IMPACT_FORCES_AFTER;
    impact->n = 0;
    for (int k = 0; k < impact->stage.candidates.n + impact->n_row; k++) {
        double target = 0.0;
        if (!is_inexact(sim, k))
            continue;
        if (k < impact->stage.candidates.n) {
            int c = impact->contact_of[k];
            target = impact->impulse[3 * (ptrdiff_t)k] > 0.0
                         ? fmax(-cond_impact_approach(sim, c, impact->after), 0.0)
                         : -fmax(cond_impact_end_gap(sim, c), 0.0) / sim->attempt.time_step;
        }
        add(sim, k, target);
    }
    copy_bodies(sim, COND_IMPACT_EXACT, impact->after, sim->next->v);
    take_forces_back(sim);
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        int n = impact->role[b] == COND_IMPACT_INEXACT ? body->n_dof : 0;
        for (int i = body->dof_begin; i < body->dof_begin + n; i++)
            impact->before[i] += impact->after[i] - impact->from->v[i];
    }
    cond_held_put_end(sim, impact->before);
    cond_assembly_multiply(&impact->stage.assembly, impact->before, impact->stage.assembly.b,
                           model->settings.solver.threads);
    impact->start = impact->before;
    return COND_OK;
}

static const CondStageRetry RETRIES[] = {
    {"less restitution", cond_impact_gains, cond_impact_lower, COND_STAGE_BOUNDED},
    {"next round", cond_impact_approaches, cond_impact_pose_round, COND_STAGE_BOUNDED},
    {"stop", cond_impact_still_approaches, cond_impact_pose_stop, 1},
    {"forces of the step after the impacts", leaves_forces, pose_forces_after, 1},
};

// The impulses of all contacts that took part.
static void put_impulses(CondSim* sim)
{
    const CondImpact* impact = sim->impact;
    int n = impact->stage.candidates.n;
    for (int c = 0; c < sim->attempt.candidates.n; c++)
        if (is_replaced(sim, c))
            memset(sim->attempt.impulse + 3 * (ptrdiff_t)c, 0, 3 * sizeof *sim->attempt.impulse);
    for (int k = 0; k < n + impact->n_row; k++) {
        int c = k < n ? impact->contact_of[k] : sim->attempt.candidates.n + sim->rows.part[k - n];
        memcpy(sim->attempt.impulse + 3 * (ptrdiff_t)c, impact->impulse + 3 * (ptrdiff_t)k,
               3 * sizeof *sim->attempt.impulse);
    }
}

CondStatus cond_sim_impact(CondSim* sim, const CondState* state, CondSolveInfo* info)
{
    CondImpact* impact = sim->impact;
    int n_body = sim->model->n_body;
    if (COND_RESERVE(&sim->arena, impact->island, n_body) ||
        cond_components_reserve(&sim->arena, n_body, &impact->islands) ||
        COND_RESERVE(&sim->arena, impact->role, n_body) ||
        COND_RESERVE(&sim->arena, impact->asks, sim->attempt.candidates.n))
        return COND_OUT_OF_MEMORY;
    if (!cond_impact_find_islands(sim, state))
        return COND_OK;
    CondStatus status = prepare(sim, state);
    if (status)
        return status;
    impact->from = state;
    impact->info = info;
    impact->worst = COND_OK;
    pose_forces(sim);
    status = cond_stage_retry(sim, attempt, RETRIES, sizeof RETRIES / sizeof *RETRIES);
    if (status < 0)
        return status;
    copy_bodies(sim, COND_IMPACT_EXACT, impact->after, sim->next->v);
    put_impulses(sim);
    return impact->worst;
}
