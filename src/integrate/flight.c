// Contacts that a free flight leaves open. Contacts are made for whatever is within reach, and what
// may touch is stepped as if it did: by implicit Euler, which takes (g t)^2/2 of a falling body's
// energy a kilogram, and by normal speeds that are those of the start, of a brick that turns fast
// not even by their sign. A body that bounces pays for that in every step near the floor. Where
// nothing but given forces acts on the bodies of a group, their way is known before anything is
// solved: the midpoint rule is exact for weight, and the gyroscopic torque is taken in the middle.
// Where that way leaves all contacts of the group open they take no part in the step. What it meets
// nevertheless, with other points than those that were nearest, is found where the step ends
// (step/recheck.c).
//
// Groups that land take the midpoint rule as well, from the start of the step: forces that stop
// them in it are followed by the impact stage, which settles their energy. But nothing of them may
// rest: all contacts are apart, or move by more than a quarter of what weight does in a step. A
// body alone on which some contacts rest lands where they do not last (integrate/persistent.h).
//
// Bodies that give nothing back lose their energy where they land: their contacts stay.
#include "integrate/flight.h"

#include "body/body.h"
#include "integrate/group.h"
#include "integrate/tuning.h"
#include "math/vec3.h"
#include "potential/attachment.h"
#include "sim/sim.h"
#include "sim/tuning.h"

#include <math.h>
#include <string.h>

// 1 for groups that may fly.
static void find_groups(const CondSim* sim, int* flies)
{
    const CondModel* model = sim->model;
    const CondGroups* groups = sim->groups;
    memset(flies, 0, (size_t)groups->n * sizeof *flies);
    for (int c = 0; c < sim->attempt.candidates.n; c++)
        if (sim->attempt.candidates.candidate[c].restitution > 0.0)
            flies[groups->of[sim->attempt.candidates.candidate[c].point[0].body]] = COND_LANDS;
    for (int c = 0; c < sim->attempt.candidates.n; c++) { // the way of another group is not known
        int other = cond_group_of_side(groups, &sim->attempt.candidates.candidate[c], 1);
        if (other >= 0)
            flies[other] = flies[groups->of[sim->attempt.candidates.candidate[c].point[0].body]] =
                COND_LANDS_NOT;
    }
    for (int b = 0; b < model->n_body; b++) {
        CondBodyKind kind = model->body[b].kind;
        int rigid = kind == COND_BODY_RIGID || kind == COND_BODY_PARTICLE;
        if (!rigid || (sim->held.n > 0 && cond_held_some(sim, b)))
            flies[groups->of[b]] = COND_LANDS_NOT;
    }
    for (int i = 0; i < model->n_spring; i++)
        for (int end = 0; end < 2; end++)
            if (model->spring[i].end[end].body >= 0)
                flies[groups->of[model->spring[i].end[end].body]] = COND_LANDS_NOT;
    for (int i = 0; i < sim->next->n_weld; i++)
        if (sim->next->weld[i].active)
            flies[groups->of[cond_weld_body(&sim->next->weld[i])]] = COND_LANDS_NOT;
    for (int g = 0; g < groups->n; g++)
        if (groups->anchored[g])
            flies[g] = COND_LANDS_NOT;
}

// Where bodies of these groups are at the end of the step, in sim->at_end.
static void fly(CondSim* sim, const CondState* state, const int* flies)
{
    const CondModel* model = sim->model;
    double *q = sim->next->q, *v = sim->work;
    memcpy(q, state->q, (size_t)model->n_q * sizeof *q);
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        if (!flies[sim->groups->of[b]])
            continue;
        cond_body_ops(body->kind)->accelerate(body, &sim->at_start, sim->f + body->dof_begin, v);
        for (int i = 0; i < body->n_dof; i++)
            v[i] = state->v[body->dof_begin + i] + 0.5 * sim->attempt.time_step * v[i];
        cond_body_ops(body->kind)->advance(body, v, sim->attempt.time_step, q + body->q_begin);
    }
    cond_kinematics_set(&sim->at_end, q);
}

double cond_flight_approach(const CondSim* sim, const CondState* state,
                            const CondCandidate* candidate)
{
    const CondKinematics* now = &sim->at_start;
    double speed = 0.0, *J = now->columns, world[3];
    int* coordinate = now->list;
    for (int s = 0; s < 2; s++) {
        const CondPoint* point = &candidate->point[s];
        if (point->body < 0)
            continue;
        int node = cond_kinematics_is_node(sim->model, point);
        int n = cond_kinematics_point(now, point, world, coordinate, node ? NULL : J);
        for (int k = 0; k < n; k++)
            for (int i = 0; i < 3; i++)
                speed += (s == 0 ? -1.0 : 1.0) * candidate->frame[i] *
                         (node ? i == k : J[i * n + k]) * state->v[coordinate[k]];
    }
    return speed;
}

int cond_flight_is_apart(const CondSim* sim, const CondCandidate* candidate, double speed)
{
    double fall =
        COND_FLIGHT_WEIGHT * sim->attempt.time_step * vec3_norm(sim->model->settings.gravity);
    return candidate->gap > COND_NANOMETRE + 0.5 * fall * sim->attempt.time_step ||
           fabs(speed) > COND_NANOMETRE + fall;
}

void cond_flight_find(CondSim* sim, const CondState* state)
{
    const CondCandidateList* list = &sim->attempt.candidates;
    const CondGroups* groups = sim->groups;
    int *lands = groups->lands, *apart = groups->fails; // is free
    find_groups(sim, lands);
    memset(apart, 0, (size_t)groups->n * sizeof *apart);
    for (int c = 0; c < list->n; c++) {
        const CondCandidate* candidate = &list->candidate[c];
        int g = groups->of[candidate->point[0].body];
        if (!lands[g])
            continue;
        int is_apart =
            cond_flight_is_apart(sim, candidate, cond_flight_approach(sim, state, candidate));
        apart[g] |= is_apart;
        if (!(candidate->restitution > 0.0))
            lands[g] = COND_LANDS_NOT;
        else if (!is_apart)
            lands[g] = COND_LANDS_PERHAPS;
    }
    for (int g = 0; g < groups->n; g++)
        if (lands[g] == COND_LANDS_PERHAPS &&
            !(apart[g] && cond_components_size(&groups->bodies, g) == 1))
            lands[g] = COND_LANDS_NOT;
}

int cond_flight_drop(CondSim* sim, const CondState* state)
{
    CondCandidateList* list = &sim->attempt.candidates;
    int *flies = sim->groups->fails, any = 0, kept = 0; // is free
    find_groups(sim, flies);
    for (int g = 0; g < sim->groups->n; g++)
        any |= flies[g];
    if (!any)
        return 0;
    fly(sim, state, flies);
    for (int c = 0; c < list->n; c++) {
        const CondCandidate* candidate = &list->candidate[c];
        int* free = &flies[sim->groups->of[candidate->point[0].body]];
        if (*free)
            *free = candidate->gap + cond_sim_travel(sim, candidate, 0) -
                        cond_sim_travel(sim, candidate, 1) >
                    0.0;
    }
    for (int c = 0; c < list->n; c++)
        if (!flies[sim->groups->of[list->candidate[c].point[0].body]])
            list->candidate[kept++] = list->candidate[c];
    any = kept < list->n;
    list->n = kept;
    return any;
}
