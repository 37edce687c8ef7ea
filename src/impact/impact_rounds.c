// Impacts, one after the other. In each round two bodies that approach each other faster than
// either approaches any other are resolved by Newton's restitution and friction on the masses, at
// all contacts between them that approach; then those that do so now, until none approaches any
// more. An impact so runs through a row of bodies as it does through a row of hard balls, and a box
// that lands on its face has one impact and not four. As all contacts of a round approach, with s =
// -Jn v- > 0,
//     0 <= Lambda_n  _|_  Jn v+ - e s >= 0
// changes the energy by -sum Lambda_n (1 - e) s/2: it is kept for e = 1 and never grows. Bodies
// that approach as fast are resolved together, so that what is symmetric stays so.
//
// By the simultaneous law there is one round with all closed contacts, of which those that did not
// close in the step have nothing to give back.
//
// Rounds that never end, between bodies that press on each other or lose speed in every impact, are
// cut short, and so are impacts that weight outdoes within a step: what still approaches is stopped
// without restitution.
#include "base/tuning.h"
#include "impact/impact.h"

#include "impact/tuning.h"
#include "math/vec3.h"
#include "sim/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Speed at which contact k of the stage approaches with velocity v.
static double approach(const CondImpact* impact, int k, const double* v)
{
    double u[3];
    cond_contact_velocity(&impact->stage.assembly.contact[k], v, u); // whose phi is zero
    return -u[0];
}

static CondImpactIsland* island_of(const CondSim* sim, int k)
{
    return &sim->impact->island[sim->impact->islands.of[cond_impact_body(sim, k)]];
}

static int rebounds(const CondSim* sim, int k)
{
    return sim->impact->role[cond_impact_body(sim, k)] >= COND_IMPACT_INEXACT;
}

static int compare(int a, int b)
{
    return (a > b) - (a < b);
}

static int is_same_pair(const CondImpactPair* a, const CondImpactPair* b)
{
    return a->body[0] == b->body[0] && a->body[1] == b->body[1] && a->plane == b->plane;
}

static int compare_pairs(const void* left, const void* right)
{
    const CondImpactPair *a = left, *b = right;
    int order = compare(a->body[0], b->body[0]);
    order = order ? order : compare(a->body[1], b->body[1]);
    order = order ? order : compare(a->plane, b->plane);
    return order ? order : compare(a->first, b->first);
}

// The contacts between the same two: those that a step has found late stand behind the others.
static void find_pairs(CondImpact* impact)
{
    const CondCandidateList* list = &impact->stage.candidates;
    for (int k = 0; k < list->n; k++) {
        const CondCandidate* one = &list->candidate[k];
        int a = one->point[0].body, b = one->point[1].body;
        impact->order[k] = (CondImpactPair){
            .body = {a > b ? a : b, a > b ? b : a}, .plane = one->plane, .first = k};
    }
    if (list->n > 0)
        qsort(impact->order, (size_t)list->n, sizeof *impact->order, compare_pairs);
    for (int i = 0, begin = 0; i < list->n; i++) {
        begin = i > 0 && is_same_pair(&impact->order[begin], &impact->order[i]) ? begin : i;
        impact->pair[impact->order[i].first] = impact->order[begin];
    }
}

void cond_impact_begin_rounds(CondSim* sim)
{
    find_pairs(sim->impact);
    memset(sim->impact->island, 0, (size_t)sim->impact->islands.n * sizeof(CondImpactIsland));
    for (int k = 0; k < sim->impact->stage.candidates.n; k++)
        island_of(sim, k)->n_contact++;
}

// The fastest approach of each body, and of each island.
static void find_fastest(CondSim* sim)
{
    CondImpact* impact = sim->impact;
    for (int i = 0; i < impact->islands.n; i++)
        impact->island[i].fastest = 0.0;
    memset(impact->nearby, 0, (size_t)sim->model->n_body * sizeof *impact->nearby);
    for (int k = 0; k < impact->stage.candidates.n; k++) {
        double speed = rebounds(sim, k) ? approach(impact, k, impact->after) : 0.0;
        island_of(sim, k)->fastest = fmax(island_of(sim, k)->fastest, speed);
        for (int s = 0; s < 2; s++) {
            int b = impact->stage.candidates.candidate[k].point[s].body;
            if (b >= 0)
                impact->nearby[b] = fmax(impact->nearby[b], speed);
        }
    }
    for (int i = 0; i < impact->islands.n && impact->n_round == 0; i++)
        impact->island[i].first = impact->island[i].fastest;
}

static int is_spent(const CondImpactIsland* island)
{
    return island->n_impact >= COND_IMPACT_EACH * (COND_FEW_BODIES + island->n_contact);
}

// An approach of the island that is worth an impact; in the end, that is stopped at all.
static double least(const CondSim* sim, const CondImpactIsland* island, CondImpactPhase phase)
{
    double fall = sim->attempt.time_step * vec3_norm(sim->model->settings.gravity);
    return fmax(COND_IMPACT_SAME * island->first,
                phase == COND_IMPACT_STOP ? cond_impact_still(sim)
                                          : fmax(cond_impact_still(sim), COND_IMPACT_FALL * fall));
}

// 1 where contact k approaches as fast as any of its two bodies does.
static int is_fastest(const CondSim* sim, int k)
{
    const CondImpact* impact = sim->impact;
    double nearby = least(sim, island_of(sim, k), COND_IMPACT_ROUND);
    for (int s = 0; s < 2; s++) {
        int b = impact->stage.candidates.candidate[k].point[s].body;
        nearby = b < 0 ? nearby : fmax(nearby, impact->nearby[b]);
    }
    return approach(impact, k, impact->after) >= (1.0 - COND_IMPACT_SAME) * nearby;
}

// 1 where contact k brings all contacts between the same two into the round.
static int leads(const CondSim* sim, int k, CondImpactPhase phase)
{
    const CondImpactIsland* island = island_of(sim, k);
    if (!rebounds(sim, k))
        return 0;
    if (sim->model->settings.impact == COND_IMPACT_SIMULTANEOUS)
        return island->n_impact == 0;
    if (!(island->fastest > least(sim, island, phase)))
        return 0;
    return phase == COND_IMPACT_STOP || (!is_spent(island) && is_fastest(sim, k));
}

// Puts contact k into the round, where it belongs there.
static void put(CondSim* sim, int k)
{
    CondImpact* impact = sim->impact;
    const CondContactStage* stage = &impact->stage;
    int at_once = sim->model->settings.impact == COND_IMPACT_SIMULTANEOUS;
    double speed = approach(impact, k, impact->after);
    double e = impact->phase == COND_IMPACT_STOP || (at_once && !impact->strikes[k])
                   ? 0.0
                   : stage->candidates.candidate[k].restitution;
    if (impact->phase == COND_IMPACT_ROUND && !at_once &&
        !(speed > least(sim, island_of(sim, k), impact->phase)))
        return;
    impact->member[impact->n] = k;
    impact->group[impact->n] = stage->assembly.contact[k];
    impact->group[impact->n++].phi[0] = -e * fmax(speed, 0.0);
}

// Impacts of a round that share a body are one.
static void join_impacts(CondSim* sim)
{
    CondImpact* impact = sim->impact;
    cond_components_begin(sim->model->n_body, &impact->impacts);
    for (int i = 0; i < impact->n; i++) {
        const CondPoint* point = impact->stage.candidates.candidate[impact->member[i]].point;
        cond_components_join(&impact->impacts, point[0].body, point[1].body);
    }
    cond_components_end(&impact->impacts);
    for (int i = 0; i < impact->impacts.n; i++)
        impact->impact[i].left = COND_IMPACT_LOWER;
}

// Sums of the impact that contact k of the stage is part of in this round.
static CondImpactOne* impact_of(const CondSim* sim, int k)
{
    return &sim->impact->impact[sim->impact->impacts.of[cond_impact_body(sim, k)]];
}

// Marks the pairs whose contacts belong in a round; returns 1 where there are any.
static int find_pairs_of(CondSim* sim, CondImpactPhase phase)
{
    CondImpact* impact = sim->impact;
    int any = 0;
    for (int k = 0; k < impact->stage.candidates.n; k++)
        impact->pair[k].led = 0;
    for (int k = 0; k < impact->stage.candidates.n; k++) {
        int one = leads(sim, k, phase);
        impact->pair[impact->pair[k].first].led |= one;
        any |= one;
    }
    return any;
}

int cond_impact_approaches(CondSim* sim)
{
    CondImpact* impact = sim->impact;
    if (!impact->rebounds || impact->phase > COND_IMPACT_ROUND)
        return 0;
    find_fastest(sim);
    return find_pairs_of(sim, COND_IMPACT_ROUND);
}

int cond_impact_still_approaches(CondSim* sim)
{
    return sim->impact->rebounds && sim->impact->phase <= COND_IMPACT_ROUND &&
           sim->model->settings.impact != COND_IMPACT_SIMULTANEOUS &&
           find_pairs_of(sim, COND_IMPACT_STOP);
}

// The contacts of the pairs that were marked, with their restitution.
static CondStatus pose(CondSim* sim, CondImpactPhase phase)
{
    CondImpact* impact = sim->impact;
    impact->phase = phase;
    impact->n = 0;
    impact->n_round++;
    for (int k = 0; k < impact->stage.candidates.n; k++)
        if (impact->pair[impact->pair[k].first].led)
            put(sim, k);
    for (int i = 0; i < impact->n; i++)
        island_of(sim, impact->member[i])->n_impact++;
    join_impacts(sim);
    memcpy(impact->before, impact->after, (size_t)sim->model->n_dof * sizeof(double));
    cond_assembly_multiply(&impact->stage.assembly, impact->before, impact->stage.assembly.b,
                           sim->model->settings.solver.threads);
    impact->start = impact->before;
    return COND_OK;
}

CondStatus cond_impact_pose_round(CondSim* sim)
{
    return pose(sim, COND_IMPACT_ROUND);
}

CondStatus cond_impact_pose_stop(CondSim* sim)
{
    return pose(sim, COND_IMPACT_STOP);
}

// Energy that the impulses of an answer have won in each impact, sum Lambda' (u- + u+)/2, and what
// they have exchanged, the same with sizes; and the energy of motion before.
static void measure(CondSim* sim)
{
    CondImpact* impact = sim->impact;
    const CondProblem* problem = &impact->stage.assembly.problem;
    for (int i = 0; i < impact->impacts.n; i++)
        impact->impact[i].gain = impact->impact[i].exchanged = impact->impact[i].all = 0.0;
    for (int b = 0; b < sim->model->n_body; b++) {
        const CondBody* body = &sim->model->body[b];
        for (int i = body->dof_begin; i < body->dof_begin + body->n_dof; i++)
            impact->impact[impact->impacts.of[b]].all += impact->before[i] * problem->b[i];
    }
    for (int k = 0; k < impact->n; k++) {
        CondImpactOne* one = impact_of(sim, impact->member[k]);
        const CondContact* contact = &impact->group[k];
        double u[3], w[3];
        cond_contact_velocity(contact, impact->before, u);
        cond_contact_velocity(contact, impact->stage.v, w);
        for (int i = 0; i < 3; i++) {
            double lambda = impact->stage.lambda[3 * k + i], phi = contact->phi[i];
            one->gain += 0.5 * lambda * (u[i] - phi + w[i] - phi);
            one->exchanged += 0.5 * fabs(lambda) * (fabs(u[i] - phi) + fabs(w[i] - phi));
        }
    }
}

static int has_gained(const CondImpact* impact, const CondImpactOne* one)
{
    return one->left > 0 &&
           one->gain > fmax(impact->growth * one->exchanged, COND_ROUNDING * one->all);
}

// Takes the answer for contact k of the group.
static void take(CondSim* sim, int k)
{
    CondImpact* impact = sim->impact;
    int at = impact->member[k];
    for (int i = 0; i < 3; i++)
        impact->impulse[3 * at + i] += impact->stage.lambda[3 * k + i];
    for (int s = 0; s < 2; s++) {
        int b = impact->stage.candidates.candidate[at].point[s].body;
        const CondBody* body = b < 0 ? NULL : &sim->model->body[b];
        if (body)
            memcpy(impact->after + body->dof_begin, impact->stage.v + body->dof_begin,
                   (size_t)body->n_dof * sizeof(double));
    }
}

// Newton's restitution with friction can raise the energy: of a rod that hits the floor askew, say.
// Where it does, all restitution of that impact is lowered until it does not.
void cond_impact_take_round(CondSim* sim)
{
    CondImpact* impact = sim->impact;
    int left = 0;
    measure(sim);
    for (int k = 0; k < impact->n; k++) {
        if (!has_gained(impact, impact_of(sim, impact->member[k]))) {
            take(sim, k);
            continue;
        }
        impact->member[left] = impact->member[k];
        impact->group[left++] = impact->group[k];
    }
    impact->n = left;
}

int cond_impact_gains(CondSim* sim)
{
    int rounds = sim->impact->phase == COND_IMPACT_ROUND || sim->impact->phase == COND_IMPACT_STOP;
    return rounds && sim->impact->n > 0;
}

CondStatus cond_impact_lower(CondSim* sim)
{
    CondImpact* impact = sim->impact;
    for (int k = 0; k < impact->n; k++) {
        const CondImpactOne* one = impact_of(sim, impact->member[k]);
        impact->group[k].phi[0] *= (one->left - 1.0) / one->left;
    }
    for (int k = 0; k < impact->n; k++) { // once an impact
        CondImpactOne* one = impact_of(sim, impact->member[k]);
        one->left -= one->gain > 0.0;
        one->gain = 0.0;
    }
    return COND_OK;
}
