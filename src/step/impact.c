// Contact is posed on v_hat. At theta < 1 a stopped v_hat means v_{k+1} = -v_k (1 - theta)/theta: a
// bounce nobody asked for. Where contacts closed, the velocity therefore comes from a
// velocity-level problem on M alone,
//     M v+ = M v_{k+1} - t Jc' lambda + Jc' Lambda,      0 <= Lambda_n  _|_  Jn v+ - target >= 0:
// the step without its contact forces, and impulses Lambda [N s] that make v+ obey the law.
//
// Contacts that last (step/persistent.h) are taken where they are at the end of the step, and so is
// what their forces gave: v+ differs from v_{k+1} by M^-1 J_{k+1}' (Lambda - t lambda), which is
// small.
//
// Simultaneous impacts are Newton's law at all contacts at once, target = e_r times the speed of
// approach at the start of the step. Sequential ones are made one after the other before
// (impact_sequence.c); their change of v joins the right-hand side, and target is the speed with
// which they left a contact.
#include "step/impact.h"

#include "base/disjoint.h"
#include "base/memory.h"
#include "body/body.h"
#include "step/sim.h"
#include "strategy/solver.h"

#include <math.h>
#include <string.h>

static const double CLOSED = 1e-9; // a gap below this counts as closed [m]
static const double STILL = 1e-9;  // an approach below this is none [m/s]
static const double GROWTH = 1e-6; // of the energy exchanged, or ten tolerances: growth,
static const double NOISE = 1e-12; // where it is more than this share of all

enum { LOWER = 8 }; // steps from the restitution given to none

void cond_impact_destroy(CondImpact* impact)
{
    cond_contact_stage_destroy(&impact->stage);
}

static CondStatus prepare(const CondModel* model, CondImpact* impact)
{
    CondSolverSettings settings = cond_contact_stage_settings(model);
    CondStatus status =
        cond_contact_stage_prepare(model, COND_ASSEMBLY_MASSES, &settings, &impact->stage);
    if (status)
        return status;
    if (!impact->before)
        impact->before =
            cond_arena_allocate(&impact->stage.arena, (size_t)model->n_dof, sizeof *impact->before);
    if (!impact->after && model->settings.impact == COND_IMPACT_SEQUENTIAL)
        impact->after =
            cond_arena_allocate(&impact->stage.arena, (size_t)model->n_dof, sizeof *impact->after);
    impact->growth = fmax(GROWTH, 10.0 * settings.tolerance);
    int all = impact->before && (impact->after || model->settings.impact != COND_IMPACT_SEQUENTIAL);
    return all ? COND_OK : COND_OUT_OF_MEMORY;
}

// Speed at which the bodies approach at contact c with velocity v; positive: approaching.
static double approach(const CondSim* sim, int c, const double* v)
{
    const CondContact* contact = &sim->assembly.contact[c];
    double u[3];
    cond_contact_velocity(contact, v, u);
    return contact->phi[0] - u[0];
}

// Gap of contact c at the end of the step [m].
static double end_gap(const CondSim* sim, int c)
{
    const CondCandidate* candidate = &sim->candidates.candidate[c];
    return candidate->gap + candidate->bias - sim->time_step * approach(sim, c, sim->v_hat);
}

// 1 where contact c is closed at the end of the step.
static int is_closed(const CondSim* sim, int c)
{
    return sim->lambda[3 * c] > 0.0 || !(end_gap(sim, c) > CLOSED);
}

// 1 where it may take part in an impact: in a sequence, also where it was closed at the start.
static int takes_part(const CondSim* sim, int c)
{
    return is_closed(sim, c) || (sim->model->settings.impact == COND_IMPACT_SEQUENTIAL &&
                                 !(sim->candidates.candidate[c].gap > CLOSED));
}

// What the contacts of an island ask for.
enum { ALWAYS = 1, MEETS = 2, REBOUNDS = 4 };

static int asks_for(const CondSim* sim, const CondState* state, int c)
{
    const CondCandidate* candidate = &sim->candidates.candidate[c];
    int closes = approach(sim, c, state->v) > STILL, bounces = candidate->restitution > 0.0;
    int always = sim->theta[candidate->point[0].body] < 1.0 || (closes && bounces);
    return (always ? ALWAYS : 0) | (closes ? MEETS : 0) | (bounces ? REBOUNDS : 0);
}

// 1 when an impact stage is needed: for the bounce trap, or because bodies meet that rebound. In a
// sequence these may be others than those that the impact begins with. Islands that need none take
// no part in it: what rests stays as it is, whatever is struck elsewhere.
static int find_needed(const CondSim* sim, const CondState* state)
{
    int n_body = sim->model->n_body, *of = sim->impact.island, *asks = of + n_body, any = 0;
    int apart = sim->model->settings.impact == COND_IMPACT_SEQUENTIAL;
    for (int b = 0; b < n_body; b++) {
        of[b] = b;
        asks[b] = 0;
    }
    for (int c = 0; c < sim->candidates.n; c++) {
        const CondPoint* point = sim->candidates.candidate[c].point;
        if (takes_part(sim, c) && point[1].body >= 0)
            cond_disjoint_join(of, point[0].body, point[1].body);
    }
    for (int c = 0; c < sim->candidates.n; c++)
        if (takes_part(sim, c))
            asks[cond_disjoint_find(of, sim->candidates.candidate[c].point[0].body)] |=
                asks_for(sim, state, c);
    for (int r = 0; r < sim->rows.n; r++)
        if (cond_joint_row_needs_impact(sim, r))
            asks[cond_disjoint_find(of, sim->rows.row[r].body)] |= ALWAYS;
    for (int b = 0; b < n_body; b++) {
        int island = cond_disjoint_find(of, b);
        of[b] = island; // the lowest of its bodies, so that it is settled already
        if (island == b)
            asks[b] = asks[b] & ALWAYS || (apart && asks[b] & MEETS && asks[b] & REBOUNDS);
        else
            asks[b] = asks[island];
        any |= asks[b];
    }
    return any;
}

// 1 where a body's island takes part in the impact.
static int is_struck(const CondSim* sim, int body)
{
    return sim->impact.island[sim->model->n_body + body];
}

// Puts contact c into the list: one that lasts as it is at the end of the step, where it is there
// still; *from: where to look on. What has left there keeps its force.
static void list_contact(CondSim* sim, int c, int* from)
{
    CondImpact* impact = &sim->impact;
    CondCandidateList* closed = &impact->stage.candidates;
    CondCandidate candidate = sim->candidates.candidate[c];
    if (cond_persistent_is_moved(sim, c)) {
        int at = cond_persistent_find(&sim->end_candidates, &candidate, from);
        if (at < 0)
            return;
        memcpy(candidate.point, sim->end_candidates.candidate[at].point, sizeof candidate.point);
        memcpy(candidate.frame, sim->end_candidates.candidate[at].frame, sizeof candidate.frame);
        candidate.moved = 1;
    }
    impact->contact_of[closed->n] = c;
    closed->candidate[closed->n++] = candidate;
}

// The contacts that take part.
static CondStatus list_contacts(CondSim* sim)
{
    CondImpact* impact = &sim->impact;
    CondCandidateList* closed = &impact->stage.candidates;
    if (cond_candidates_reserve(closed, sim->candidates.n) ||
        COND_RESERVE(&impact->stage.arena, impact->contact_of, sim->candidates.n) ||
        COND_RESERVE(&impact->stage.arena, impact->expected, 3 * cond_sim_n_force(sim)))
        return COND_OUT_OF_MEMORY;
    closed->n = 0;
    for (int c = 0, from = 0; c < sim->candidates.n; c++)
        if (takes_part(sim, c) && is_struck(sim, sim->candidates.candidate[c].point[0].body))
            list_contact(sim, c, &from);
    return COND_OK;
}

// before = v_{k+1} - t M^-1 Jc' lambda, and b = M before.
static void take_forces_back(CondSim* sim)
{
    const CondModel* model = sim->model;
    CondImpact* impact = &sim->impact;
    CondAssembly* assembly = &impact->stage.assembly;
    double *f = sim->work, *v = impact->before;
    memset(f, 0, (size_t)model->n_dof * sizeof *f);
    for (int c = 0; c < sim->candidates.n; c++)
        if (!cond_persistent_is_moved(sim, c) &&
            is_struck(sim, sim->candidates.candidate[c].point[0].body))
            cond_contact_add_force(&sim->assembly.contact[c], -sim->time_step, sim->lambda + 3 * c,
                                   f);
    for (int k = 0; k < impact->stage.candidates.n; k++)
        if (impact->stage.candidates.candidate[k].moved)
            cond_contact_add_force(&assembly->contact[k], -sim->time_step,
                                   sim->lambda + 3 * impact->contact_of[k], f);
    for (int k = 0; k < impact->n_row; k++) {
        int c = sim->candidates.n + sim->rows.part[k];
        cond_contact_add_force(&sim->assembly.contact[c], -sim->time_step, sim->lambda + 3 * c, f);
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

// 1 where the impulses of an answer raised the kinetic energy: sum Lambda' (u- + u+)/2, against
// what they exchanged, the same with sizes.
static int has_gained(const CondImpact* impact, const CondContact* contact, int n)
{
    const CondProblem* problem = &impact->stage.assembly.problem;
    double gain = 0.0, exchanged = 0.0, all = 0.0; // all: twice the kinetic energy before
    for (int i = 0; i < problem->n_dof; i++)
        all += impact->before[i] * problem->b[i];
    for (int k = 0; k < n; k++) {
        double u[3], w[3];
        cond_contact_velocity(&contact[k], impact->before, u);
        cond_contact_velocity(&contact[k], impact->stage.v, w);
        for (int i = 0; i < 3; i++) {
            double lambda = impact->stage.lambda[3 * k + i], phi = contact[k].phi[i];
            gain += 0.5 * lambda * (u[i] - phi + w[i] - phi);
            exchanged += 0.5 * fabs(lambda) * (fabs(u[i] - phi) + fabs(w[i] - phi));
        }
    }
    return gain > fmax(impact->growth * exchanged, NOISE * all);
}

static CondStatus solve_from(CondImpact* impact, const CondProblem* problem, const double* start,
                             const double* expected, CondSolveInfo* info)
{
    CondSolveInfo one = {.status = COND_OK};
    memcpy(impact->stage.v, start, (size_t)problem->n_dof * sizeof(double));
    CondStatus status = cond_contact_stage_solve(&impact->stage, problem, expected, &one);
    cond_sim_add_solve(&one, info);
    return status;
}

CondStatus cond_impact_solve(CondImpact* impact, const double* start, const double* expected,
                             CondContact* contact, int n, CondSolveInfo* info)
{
    CondProblem problem = impact->stage.assembly.problem;
    int rebounds = 0;
    problem.contact = contact;
    problem.n_contact = n;
    for (int k = 0; k < n; k++)
        rebounds |= contact[k].phi[0] < 0.0;
    CondStatus status = solve_from(impact, &problem, start, expected, info);
    for (int left = LOWER; left > 0 && rebounds && status >= 0; left--) {
        if (!has_gained(impact, contact, n))
            break;
        for (int k = 0; k < n; k++)
            contact[k].phi[0] *= (left - 1.0) / left;
        status = solve_from(impact, &problem, start, expected, info);
    }
    return status;
}

// What the forces of the step have given is what a contact that lasts needs again. Groups of a few
// bodies are solved from nothing in a few iterations of V-FPI.
static void expect(const CondSim* sim, int k)
{
    enum { FEW = 10 };
    const CondImpact* impact = &sim->impact;
    const CondCandidate* candidate = &impact->stage.candidates.candidate[k];
    const CondGroups* groups = &sim->groups;
    int known = candidate->moved && groups->members[groups->of[candidate->point[0].body]] > FEW;
    for (int i = 0; i < 3; i++)
        impact->expected[3 * k + i] =
            known ? sim->time_step * sim->lambda[3 * impact->contact_of[k] + i] : 0.0;
}

// The problem at the end: v and the impulses of all contacts.
static CondStatus finish(CondSim* sim, const CondState* state, CondSolveInfo* info)
{
    CondImpact* impact = &sim->impact;
    CondContactStage* stage = &impact->stage;
    int sequence = sim->model->settings.impact == COND_IMPACT_SEQUENTIAL, n = stage->candidates.n;
    take_forces_back(sim);
    for (int i = 0; i < sim->model->n_dof && sequence; i++)
        impact->before[i] += impact->after[i] - state->v[i];
    if (sequence)
        cond_assembly_multiply(&stage->assembly, impact->before, stage->assembly.b,
                               sim->model->settings.solver.threads);
    memset(impact->expected + 3 * n, 0, 3 * (size_t)impact->n_row * sizeof *impact->expected);
    for (int k = 0; k < n; k++)
        expect(sim, k);
    for (int k = 0; k < n; k++) {
        int c = impact->contact_of[k], struck = sequence && impact->impulse[3 * k] > 0.0;
        double* phi = &stage->assembly.contact[k].phi[0];
        if (struck)
            *phi = -fmax(-approach(sim, c, impact->after), 0.0);
        else if (sequence)
            *phi = fmax(end_gap(sim, c), 0.0) / sim->time_step;
        else if (!stage->candidates.candidate[k].moved) {
            double speed = approach(sim, c, state->v);
            *phi = speed > STILL ? -stage->candidates.candidate[k].restitution * speed : 0.0;
        }
    }
    // After a sequence the impulses only hold what it has left against the forces of the step.
    CondStatus status =
        sequence ? solve_from(impact, &stage->assembly.problem, impact->before, NULL, info)
                 : cond_impact_solve(impact, sim->next->v, impact->expected,
                                     stage->assembly.contact, n + impact->n_row, info);
    for (int i = 0; i < 3 * n && status >= 0 && sequence; i++)
        stage->lambda[i] += impact->impulse[i];
    return status;
}

CondStatus cond_sim_impact(CondSim* sim, const CondState* state, CondSolveInfo* info)
{
    CondImpact* impact = &sim->impact;
    CondContactStage* stage = &impact->stage;
    if (COND_RESERVE(&sim->arena, impact->island, 2 * sim->model->n_body))
        return COND_OUT_OF_MEMORY;
    if (!find_needed(sim, state))
        return COND_OK;
    CondStatus status = prepare(sim->model, impact);
    if (!status)
        status = list_contacts(sim);
    if (status)
        return status;
    stage->given = sim->held.n > 0 ? sim->held.flag : NULL;
    stage->rate = sim->held.end;
    cond_solver_hurry(stage->solver, cond_persistent_may_be_barred(sim)); // there is another way
    cond_assembly_begin(&stage->assembly, &sim->at_start, NULL, NULL);
    status = cond_assembly_finish(&stage->assembly, &sim->at_start, &sim->at_end,
                                  &stage->candidates, INFINITY);
    if (!status)
        status = cond_joint_rows_pose_impact(sim, impact->island + sim->model->n_body,
                                             &stage->assembly, stage->candidates.n, &impact->n_row);
    CondStatus worst = COND_OK;
    if (!status && sim->model->settings.impact == COND_IMPACT_SEQUENTIAL)
        worst = status = cond_impact_sequence(sim, state, info);
    if (status >= 0)
        status = finish(sim, state, info);
    if (status < 0)
        return status;
    for (int b = 0; b < sim->model->n_body; b++) {
        const CondBody* body = &sim->model->body[b];
        if (is_struck(sim, b))
            memcpy(sim->next->v + body->dof_begin, stage->v + body->dof_begin,
                   (size_t)body->n_dof * sizeof(double));
    }
    for (int c = 0; c < sim->candidates.n; c++)
        if (!cond_persistent_is_moved(sim, c) &&
            is_struck(sim, sim->candidates.candidate[c].point[0].body))
            memset(sim->impulse + 3 * (ptrdiff_t)c, 0, 3 * sizeof *sim->impulse);
    for (int k = 0; k < stage->candidates.n + impact->n_row; k++) {
        int row = k - stage->candidates.n;
        int c = row < 0 ? impact->contact_of[k] : sim->candidates.n + sim->rows.part[row];
        memcpy(sim->impulse + 3 * (ptrdiff_t)c, stage->lambda + 3 * (ptrdiff_t)k,
               3 * sizeof *sim->impulse);
    }
    return status > worst ? status : worst;
}
