// Which bodies take part in the impact stage. Islands are those of closed contacts; each is looked
// at by itself, so that nothing is changed by what is struck elsewhere.
#include "base/parallel.h"
#include "base/tuning.h"
#include "impact/impact.h"
#include "impact/tuning.h"
#include "integrate/flight.h"
#include "integrate/persistent.h"
#include "math/vec3.h"
#include "sim/sim.h"
#include "sim/tuning.h"

#include <math.h>
#include <string.h>

double cond_impact_still(const CondSim* sim)
{
    return fmax(COND_NANOMETRE, COND_IMPACT_STILL * sim->attempt.time_step *
                                    vec3_norm(sim->model->settings.gravity));
}

double cond_impact_approach(const CondSim* sim, int c, const double* v)
{
    const CondContact* contact = &sim->attempt.assembly.contact[c];
    double u[3];
    cond_contact_velocity(contact, v, u);
    return contact->phi[0] - u[0];
}

double cond_impact_end_gap(const CondSim* sim, int c)
{
    const CondCandidate* candidate = &sim->attempt.candidates.candidate[c];
    return candidate->gap + candidate->bias -
           sim->attempt.time_step * cond_impact_approach(sim, c, sim->attempt.v_hat);
}

// 1 where contact c is closed at the end of the step.
static int is_closed(const CondSim* sim, int c)
{
    return sim->attempt.lambda[3 * c] > 0.0 || !(cond_impact_end_gap(sim, c) > COND_NANOMETRE);
}

// 1 where it may be met by what rebounds elsewhere: closed at the start, it gives speed back.
static int may_be_met(const CondSim* sim, int c)
{
    const CondCandidate* candidate = &sim->attempt.candidates.candidate[c];
    return sim->model->settings.impact != COND_IMPACT_SIMULTANEOUS &&
           candidate->restitution > 0.0 && !(candidate->gap > COND_NANOMETRE);
}

// What was apart and carries a force has been struck, also where it has begun to approach within
// the step because it turns. Else it is struck where it approached before; but what lasts
// approaches by a rounding.
int cond_impact_strikes(const CondSim* sim, const CondState* state, int c)
{
    const CondCandidate* candidate = &sim->attempt.candidates.candidate[c];
    int lasts = cond_persistent_is_moved(sim, c); // and is posed in the middle of the step
    double speed = lasts ? cond_flight_approach(sim, state, candidate)
                         : cond_impact_approach(sim, c, state->v);
    int approaches = speed > cond_impact_still(sim);
    if (cond_flight_is_apart(sim, candidate, speed))
        return approaches || sim->attempt.lambda[3 * c] > 0.0;
    return approaches && !lasts;
}

// 1 where a side of a contact has the middle of the step for its representative time: what stops it
// there is no velocity of its end.
static int takes_middle(const CondSim* sim, const CondCandidate* candidate)
{
    int other = candidate->point[1].body;
    return sim->theta[candidate->point[0].body] < 1.0 || (other >= 0 && sim->theta[other] < 1.0);
}

// What the contacts of an island ask for.
enum { ALWAYS = 1, MEETS = 2, GIVES_BACK = 4, DOES_BOTH = 8, IS_OTHER = 16, JOINS = 32 };

static int asks_for(const CondSim* sim, const CondState* state, int c)
{
    const CondCandidate* candidate = &sim->attempt.candidates.candidate[c];
    int strikes = cond_impact_strikes(sim, state, c), bounces = candidate->restitution > 0.0;
    int always = takes_middle(sim, candidate);
    return (always ? ALWAYS : 0) | (strikes ? MEETS : 0) | (bounces ? GIVES_BACK : 0) |
           (strikes && bounces ? DOES_BOTH : 0);
}

// What an island does. At once, what is struck gives speed back itself; in rounds it may be others
// than those that the impact begins with.
static CondImpactRole role_of(const CondSim* sim, int asks)
{
    int at_once = sim->model->settings.impact == COND_IMPACT_SIMULTANEOUS;
    int rebounds = at_once ? asks & DOES_BOTH : asks & MEETS && asks & GIVES_BACK;
    return rebounds        ? asks & IS_OTHER ? COND_IMPACT_INEXACT : COND_IMPACT_EXACT
           : asks & ALWAYS ? COND_IMPACT_PLAIN
                           : COND_IMPACT_NONE;
}

// 1 for a body whose energy the stage does not keep account of.
static int is_other(const CondSim* sim, int b)
{
    CondBodyKind kind = sim->model->body[b].kind;
    return (kind != COND_BODY_RIGID && kind != COND_BODY_PARTICLE) ||
           (sim->held.n > 0 && cond_held_some(sim, b));
}

static int joins(const CondSim* sim, const CondCandidateList* list, int c)
{
    (void)list; // the contacts of the step
    return is_closed(sim, c) || may_be_met(sim, c);
}

// Of islands where nothing rebounds only those bodies take part that have to do with one in the
// middle of the step; the others have obeyed the law at the end already.
static void leave_out(CondSim* sim)
{
    CondImpact* impact = sim->impact;
    int* near = sim->attempt.rests; // is free
    for (int b = 0; b < sim->model->n_body; b++)
        near[b] = impact->role[b] != COND_IMPACT_PLAIN || sim->theta[b] < 1.0;
    for (int r = 0; r < sim->rows.n; r++)
        near[sim->rows.row[r].body] |= cond_joint_row_needs_impact(sim, r);
    for (int c = 0; c < sim->attempt.candidates.n; c++) {
        const CondCandidate* candidate = &sim->attempt.candidates.candidate[c];
        if (!joins(sim, &sim->attempt.candidates, c) || !takes_middle(sim, candidate))
            continue;
        near[candidate->point[0].body] = 1;
        if (candidate->point[1].body >= 0)
            near[candidate->point[1].body] = 1;
    }
    for (int b = 0; b < sim->model->n_body; b++)
        if (!near[b])
            impact->role[b] = COND_IMPACT_NONE;
}

typedef struct AskLoop {
    const CondSim* sim;
    const CondState* state;
    unsigned char* asks;
} AskLoop;

static void ask_one(const AskLoop* loop, int c)
{
    loop->asks[c] = joins(loop->sim, &loop->sim->attempt.candidates, c)
                        ? (unsigned char)(JOINS | asks_for(loop->sim, loop->state, c))
                        : 0;
}

// All contacts but those posed in the middle of the step, whose approach takes scratch of the
// kinematics.
static void ask(const void* data, int first, int last)
{
    const AskLoop* loop = data;
    for (int c = first; c < last; c++)
        if (!cond_persistent_is_moved(loop->sim, c))
            ask_one(loop, c);
}

int cond_impact_find_islands(CondSim* sim, const CondState* state)
{
    CondImpact* impact = sim->impact;
    CondImpactIsland* island = impact->island;
    const int* of = impact->islands.of;
    int any = 0;
    int n = sim->attempt.candidates.n;
    AskLoop loop = {sim, state, impact->asks};
    cond_parallel(n,
                  cond_threads(COND_CONTACT_WORK * (size_t)n, sim->model->settings.solver.threads),
                  ask, &loop);
    for (int c = 0; c < n; c++)
        if (cond_persistent_is_moved(sim, c))
            ask_one(&loop, c);
    cond_components_begin(sim->model->n_body, &impact->islands);
    for (int c = 0; c < n; c++)
        if (impact->asks[c]) {
            const CondPoint* point = sim->attempt.candidates.candidate[c].point;
            cond_components_join(&impact->islands, point[0].body, point[1].body);
        }
    cond_components_end(&impact->islands);
    memset(island, 0, (size_t)impact->islands.n * sizeof *island);
    for (int c = 0; c < n; c++)
        if (impact->asks[c])
            island[of[sim->attempt.candidates.candidate[c].point[0].body]].asks |=
                impact->asks[c] & ~JOINS;
    for (int r = 0; r < sim->rows.n; r++)
        if (cond_joint_row_needs_impact(sim, r))
            island[of[sim->rows.row[r].body]].asks |= ALWAYS;
    for (int b = 0; b < sim->model->n_body; b++)
        if (island[of[b]].asks && is_other(sim, b))
            island[of[b]].asks |= IS_OTHER;
    impact->n_exact = impact->rebounds = 0;
    for (int b = 0; b < sim->model->n_body; b++) {
        impact->role[b] = role_of(sim, island[of[b]].asks);
        any |= impact->role[b] != COND_IMPACT_NONE;
        impact->rebounds |= impact->role[b] >= COND_IMPACT_INEXACT;
        impact->n_exact += impact->role[b] == COND_IMPACT_EXACT;
    }
    if (any)
        leave_out(sim);
    return any;
}

int cond_impact_is_listed(const CondSim* sim, int c)
{
    const CondPoint* point = sim->attempt.candidates.candidate[c].point;
    int role = sim->impact->role[point[0].body];
    if (point[1].body >= 0 && sim->impact->role[point[1].body] == COND_IMPACT_NONE)
        return 0;
    return role != COND_IMPACT_NONE &&
           (is_closed(sim, c) || (role != COND_IMPACT_PLAIN && may_be_met(sim, c)));
}

int cond_impact_body(const CondSim* sim, int k)
{
    const CondImpact* impact = sim->impact;
    int n = impact->stage.candidates.n;
    return k < n ? impact->stage.candidates.candidate[k].point[0].body
                 : sim->rows.row[sim->rows.part[k - n]].body;
}
