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
#include "impact/impact.h"

#include "math/vec3.h"
#include "sim/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double TIE = 1e-6;    // of the fastest approach: as fast
static const double OVER = 1e-6;   // of the first approach: no approach any more
static const double FALL = 0.03;   // of the speed that weight gives in a step: no impact any more
static const double NOISE = 1e-12; // of the energy of motion: no gain

enum {
    LOWER = 8,    // steps from the restitution given to none
    IMPACTS = 20, // that the contacts of an island may make, each in the mean,
    SEVERAL = 200 // and more, so that a few bodies may go to and fro
};

typedef enum Round { RESTITUTION, STOP } Round;

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
    return sim->impact->part[cond_impact_body(sim, k)] & COND_IMPACT_REBOUNDS;
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

static void begin(CondSim* sim)
{
    find_pairs(sim->impact);
    memset(sim->impact->island, 0, (size_t)sim->impact->islands.n * sizeof(CondImpactIsland));
    for (int k = 0; k < sim->impact->stage.candidates.n; k++)
        island_of(sim, k)->n_contact++;
}

// The fastest approach of each body, and of each island.
static void find_fastest(CondSim* sim, int first)
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
    for (int i = 0; i < impact->islands.n && first; i++)
        impact->island[i].first = impact->island[i].fastest;
}

static int is_spent(const CondImpactIsland* island)
{
    return island->n_impact >= SEVERAL + IMPACTS * island->n_contact;
}

// An approach of the island that is worth an impact; in the end, that is stopped at all.
static double least(const CondSim* sim, const CondImpactIsland* island, Round round)
{
    double fall = sim->attempt.time_step * vec3_norm(sim->model->settings.gravity);
    return fmax(OVER * island->first,
                round == STOP ? cond_impact_still(sim) : fmax(cond_impact_still(sim), FALL * fall));
}

// 1 where contact k approaches as fast as any of its two bodies does.
static int is_fastest(const CondSim* sim, int k)
{
    const CondImpact* impact = sim->impact;
    double nearby = least(sim, island_of(sim, k), RESTITUTION);
    for (int s = 0; s < 2; s++) {
        int b = impact->stage.candidates.candidate[k].point[s].body;
        nearby = b < 0 ? nearby : fmax(nearby, impact->nearby[b]);
    }
    return approach(impact, k, impact->after) >= (1.0 - TIE) * nearby;
}

// 1 where contact k brings all contacts between the same two into the round.
static int leads(const CondSim* sim, int k, Round round)
{
    const CondImpactIsland* island = island_of(sim, k);
    if (!rebounds(sim, k))
        return 0;
    if (sim->model->settings.impact == COND_IMPACT_SIMULTANEOUS)
        return island->n_impact == 0;
    if (!(island->fastest > least(sim, island, round)))
        return 0;
    return round == STOP || (!is_spent(island) && is_fastest(sim, k));
}

// Puts contact k into the round, where it belongs there.
static int put(CondSim* sim, int k, Round round, int n)
{
    CondImpact* impact = sim->impact;
    const CondContactStage* stage = &impact->stage;
    int at_once = sim->model->settings.impact == COND_IMPACT_SIMULTANEOUS;
    double speed = approach(impact, k, impact->after);
    double e = round == STOP || (at_once && !impact->strikes[k])
                   ? 0.0
                   : stage->candidates.candidate[k].restitution;
    if (round == RESTITUTION && !at_once && !(speed > least(sim, island_of(sim, k), round)))
        return n;
    impact->member[n] = k;
    impact->group[n] = stage->assembly.contact[k];
    impact->group[n].phi[0] = -e * fmax(speed, 0.0);
    return n + 1;
}

// Impacts of a round that share a body are one.
static void join_impacts(CondSim* sim, int n)
{
    CondImpact* impact = sim->impact;
    cond_components_begin(sim->model->n_body, &impact->impacts);
    for (int i = 0; i < n; i++) {
        const CondPoint* point = impact->stage.candidates.candidate[impact->member[i]].point;
        cond_components_join(&impact->impacts, point[0].body, point[1].body);
    }
    cond_components_end(&impact->impacts);
    for (int i = 0; i < impact->impacts.n; i++)
        impact->impact[i].left = LOWER;
}

// Sums of the impact that contact k of the stage is part of in this round.
static CondImpactOne* impact_of(const CondSim* sim, int k)
{
    return &sim->impact->impact[sim->impact->impacts.of[cond_impact_body(sim, k)]];
}

// The contacts of a round, with their restitution; returns how many.
static int gather(CondSim* sim, Round round)
{
    CondImpact* impact = sim->impact;
    int n = 0;
    for (int k = 0; k < impact->stage.candidates.n; k++)
        impact->pair[k].led = 0;
    for (int k = 0; k < impact->stage.candidates.n; k++)
        impact->pair[impact->pair[k].first].led |= leads(sim, k, round);
    for (int k = 0; k < impact->stage.candidates.n; k++)
        if (impact->pair[impact->pair[k].first].led)
            n = put(sim, k, round, n);
    for (int i = 0; i < n; i++)
        island_of(sim, impact->member[i])->n_impact++;
    join_impacts(sim, n);
    return n;
}

// Energy that the impulses of an answer have won in each impact, sum Lambda' (u- + u+)/2, and what
// they have exchanged, the same with sizes; and the energy of motion before.
static void measure(CondSim* sim, int n)
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
    for (int k = 0; k < n; k++) {
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
    return one->gain > fmax(impact->growth * one->exchanged, NOISE * one->all);
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
static CondStatus resolve(CondSim* sim, int n, CondSolveInfo* info)
{
    CondImpact* impact = sim->impact;
    CondStatus worst = COND_OK;
    memcpy(impact->before, impact->after, (size_t)sim->model->n_dof * sizeof(double));
    cond_assembly_multiply(&impact->stage.assembly, impact->before, impact->stage.assembly.b,
                           sim->model->settings.solver.threads);
    while (n > 0) {
        CondStatus status = cond_impact_solve(impact, impact->before, NULL, n, info);
        int again = 0;
        if (status < 0)
            return status;
        worst = status > worst ? status : worst;
        measure(sim, n);
        for (int k = 0; k < n; k++) {
            CondImpactOne* one = impact_of(sim, impact->member[k]);
            if (one->left == 0 || !has_gained(impact, one)) {
                take(sim, k);
                continue;
            }
            impact->member[again] = impact->member[k];
            impact->group[again] = impact->group[k];
            impact->group[again++].phi[0] *= (one->left - 1.0) / one->left;
        }
        for (int k = 0; k < again; k++) { // once an impact
            CondImpactOne* one = impact_of(sim, impact->member[k]);
            one->left -= one->gain > 0.0;
            one->gain = 0.0;
        }
        n = again;
    }
    return worst;
}

CondStatus cond_impact_rounds(CondSim* sim, CondSolveInfo* info)
{
    CondStatus worst = COND_OK;
    begin(sim);
    for (int first = 1;; first = 0) {
        find_fastest(sim, first);
        int n = gather(sim, RESTITUTION);
        if (n == 0)
            break;
        CondStatus status = resolve(sim, n, info);
        if (status < 0)
            return status;
        worst = status > worst ? status : worst;
    }
    int n = sim->model->settings.impact == COND_IMPACT_SIMULTANEOUS ? 0 : gather(sim, STOP);
    CondStatus status = n > 0 ? resolve(sim, n, info) : COND_OK;
    return status < 0 || status > worst ? status : worst;
}
