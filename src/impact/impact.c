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
// Contacts that last (integrate/persistent.h) are taken where they are at the end of the step, and
// so is what their forces gave: v+ differs from v_{k+1} by M^-1 J_{k+1}' (Lambda - t lambda), which
// is small.
#include "impact/impact.h"

#include "base/memory.h"
#include "body/body.h"
#include "integrate/group.h"
#include "integrate/persistent.h"
#include "sim/sim.h"

#include <math.h>
#include <string.h>

static const double GROWTH = 1e-6; // of the energy exchanged, or ten tolerances: growth

void cond_impact_destroy(CondImpact* impact)
{
    cond_contact_stage_destroy(&impact->stage);
}

static CondStatus prepare(const CondModel* model, CondImpact* impact)
{
    CondSolverSettings settings = cond_contact_stage_settings(model);
    CondStatus status =
        cond_contact_stage_prepare(model, COND_ASSEMBLY_MASSES, &settings, &impact->stage);
    CondArena* m = &impact->stage.arena;
    impact->growth = fmax(GROWTH, 10.0 * settings.tolerance);
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

// 1 where a body's island takes part in the impact.
static int is_struck(const CondSim* sim, int body)
{
    return sim->impact->part[body] != 0;
}

// 1 where it begins with its impacts, and the forces of the step come after them.
static int is_inexact(const CondSim* sim, int body)
{
    int part = sim->impact->part[body];
    return part & COND_IMPACT_REBOUNDS && !(part & COND_IMPACT_EXACT);
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
        if (!cond_persistent_is_moved(sim, c) &&
            is_struck(sim, sim->attempt.candidates.candidate[c].point[0].body))
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

// What the forces of the step have given is what a contact that lasts needs again. Groups of a few
// bodies are solved from nothing in a few iterations of V-FPI.
static void expect(const CondSim* sim, int k, double expected[3])
{
    enum { FEW = 10 };
    const CondImpact* impact = sim->impact;
    const CondGroups* groups = sim->groups;
    int known = k < impact->stage.candidates.n && impact->stage.candidates.candidate[k].moved &&
                cond_components_size(&groups->bodies, groups->of[cond_impact_body(sim, k)]) > FEW;
    for (int i = 0; i < 3; i++)
        expected[i] =
            known ? sim->attempt.time_step * sim->attempt.lambda[3 * impact->contact_of[k] + i]
                  : 0.0;
}

CondStatus cond_impact_solve(CondImpact* impact, const double* start, const double* expected, int n,
                             CondSolveInfo* info)
{
    CondProblem problem = impact->stage.assembly.problem;
    CondSolveInfo one = {.status = COND_OK};
    problem.contact = impact->group;
    problem.n_contact = n;
    memcpy(impact->stage.v, start, (size_t)problem.n_dof * sizeof(double));
    CondStatus status = cond_contact_stage_solve(&impact->stage, &problem, expected, &one);
    cond_sim_add_solve(&one, info);
    return status;
}

// Puts contact k of the stage, or a row, into the problem at hand, with a target of its own.
static int add_to_group(CondSim* sim, int k, int n, double target)
{
    CondImpact* impact = sim->impact;
    impact->member[n] = k;
    impact->group[n] = impact->stage.assembly.contact[k];
    if (k < impact->stage.candidates.n)
        impact->group[n].phi[0] = -target;
    expect(sim, k, impact->expected + 3 * (ptrdiff_t)n);
    return n + 1;
}

// Solves for it, and adds the impulses.
static CondStatus solve_group(CondSim* sim, const double* start, int n, CondSolveInfo* info)
{
    CondImpact* impact = sim->impact;
    CondStatus status = cond_impact_solve(impact, start, impact->expected, n, info);
    for (int k = 0; k < n && status >= 0; k++)
        for (int i = 0; i < 3; i++)
            impact->impulse[3 * (ptrdiff_t)impact->member[k] + i] +=
                impact->stage.lambda[3 * k + i];
    return status;
}

// v = the answer, for the bodies for which `of` holds.
static void copy_bodies(const CondSim* sim, int (*of)(const CondSim*, int), const double* from,
                        double* v)
{
    for (int b = 0; b < sim->model->n_body; b++) {
        const CondBody* body = &sim->model->body[b];
        if (of(sim, b))
            memcpy(v + body->dof_begin, from + body->dof_begin,
                   (size_t)body->n_dof * sizeof(double));
    }
}

static int is_plain(const CondSim* sim, int body)
{
    int part = sim->impact->part[body];
    return part & COND_IMPACT_TAKES_PART && !(part & COND_IMPACT_REBOUNDS);
}

// The forces of the step at the contacts that last: into the velocity at its end, and of islands
// that rebound into the one with which they arrive.
static CondStatus bear(CondSim* sim, const CondState* state, CondSolveInfo* info)
{
    CondImpact* impact = sim->impact;
    CondStatus status = COND_OK;
    int n = 0;
    for (int k = 0; k < impact->stage.candidates.n + impact->n_row; k++) {
        int b = cond_impact_body(sim, k),
            strikes = k < impact->stage.candidates.n && impact->strikes[k];
        if (is_plain(sim, b) || (cond_impact_is_exact(sim, b) && !strikes))
            n = add_to_group(sim, k, n, 0.0);
    }
    memcpy(impact->after, sim->next->v, (size_t)sim->model->n_dof * sizeof(double));
    copy_bodies(sim, cond_impact_is_exact, impact->before, impact->after);
    if (n > 0)
        status = solve_group(sim, impact->after, n, info);
    if (status < 0 || n == 0) {
        copy_bodies(sim, is_inexact, state->v, impact->after);
        return status;
    }
    copy_bodies(sim, is_plain, impact->stage.v, sim->next->v);
    copy_bodies(sim, cond_impact_is_exact, impact->stage.v, impact->after);
    copy_bodies(sim, is_inexact, state->v, impact->after);
    return status;
}

// The forces of the step after the impacts: what has bounced keeps the speed that it has left with.
static CondStatus bear_after(CondSim* sim, const CondState* state, CondSolveInfo* info)
{
    const CondModel* model = sim->model;
    CondImpact* impact = sim->impact;
    int n = 0, threads = model->settings.solver.threads;
    for (int k = 0; k < impact->stage.candidates.n + impact->n_row; k++) {
        double target = 0.0;
        if (!is_inexact(sim, cond_impact_body(sim, k)))
            continue;
        if (k < impact->stage.candidates.n) {
            int c = impact->contact_of[k];
            target = impact->impulse[3 * (ptrdiff_t)k] > 0.0
                         ? fmax(-cond_impact_approach(sim, c, impact->after), 0.0)
                         : -fmax(cond_impact_end_gap(sim, c), 0.0) / sim->attempt.time_step;
        }
        n = add_to_group(sim, k, n, target);
    }
    if (n == 0)
        return COND_OK;
    take_forces_back(sim);
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        for (int i = body->dof_begin; i < body->dof_begin + body->n_dof && is_inexact(sim, b); i++)
            impact->before[i] += impact->after[i] - state->v[i];
    }
    cond_held_put_end(sim, impact->before);
    cond_assembly_multiply(&impact->stage.assembly, impact->before, impact->stage.assembly.b,
                           threads);
    CondStatus status = solve_group(sim, impact->before, n, info);
    if (status >= 0)
        copy_bodies(sim, is_inexact, impact->stage.v, sim->next->v);
    return status;
}

// The impulses of all contacts that took part.
static void put_impulses(CondSim* sim)
{
    const CondImpact* impact = sim->impact;
    int n = impact->stage.candidates.n;
    for (int c = 0; c < sim->attempt.candidates.n; c++)
        if (!cond_persistent_is_moved(sim, c) &&
            is_struck(sim, sim->attempt.candidates.candidate[c].point[0].body))
            memset(sim->attempt.impulse + 3 * (ptrdiff_t)c, 0, 3 * sizeof *sim->attempt.impulse);
    for (int k = 0; k < n + impact->n_row; k++) {
        int c = k < n ? impact->contact_of[k] : sim->attempt.candidates.n + sim->rows.part[k - n];
        memcpy(sim->attempt.impulse + 3 * (ptrdiff_t)c, impact->impulse + 3 * (ptrdiff_t)k,
               3 * sizeof *sim->attempt.impulse);
    }
}

// The problems of the stage: its contacts, and the rows of joints behind them.
static CondStatus pose(CondSim* sim, const CondState* state)
{
    CondImpact* impact = sim->impact;
    CondContactStage* stage = &impact->stage;
    CondStatus status = prepare(sim->model, impact);
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
                  : cond_joint_rows_pose_impact(sim, impact->part, &stage->assembly,
                                                stage->candidates.n, &impact->n_row);
}

CondStatus cond_sim_impact(CondSim* sim, const CondState* state, CondSolveInfo* info)
{
    CondImpact* impact = sim->impact;
    CondStatus worst = COND_OK;
    int rebounds = 0;
    if (COND_RESERVE(&sim->arena, impact->island, sim->model->n_body) ||
        cond_components_reserve(&sim->arena, sim->model->n_body, &impact->islands) ||
        COND_RESERVE(&sim->arena, impact->part, sim->model->n_body))
        return COND_OUT_OF_MEMORY;
    if (!cond_impact_find_islands(sim, state))
        return COND_OK;
    for (int b = 0; b < sim->model->n_body; b++)
        rebounds |= impact->part[b] & COND_IMPACT_REBOUNDS;
    CondStatus status = pose(sim, state);
    if (status)
        return status;
    take_forces_back(sim);
    worst = status = bear(sim, state, info);
    if (status >= 0 && rebounds) {
        cond_impact_arrive(sim, state);
        status = cond_impact_rounds(sim, info);
        worst = status > worst ? status : worst;
        copy_bodies(sim, cond_impact_is_exact, impact->after, sim->next->v);
    }
    if (status >= 0 && rebounds)
        status = bear_after(sim, state, info);
    if (status < 0)
        return status;
    put_impulses(sim);
    return status > worst ? status : worst;
}
