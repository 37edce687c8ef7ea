// Bodies that the integrator auto steps in one way, with one energy: those that springs and
// attachments tie together, and those that touch, directly or through others.
#include "integrate/group.h"

#include "base/memory.h"
#include "body/body.h"
#include "integrate/persistent.h"
#include "integrate/tuning.h"
#include "potential/attachment.h"
#include "sim/sim.h"

#include <math.h>
#include <string.h>

CondStatus cond_groups_create(const CondContext* context, int n_body, CondGroups* groups)
{
    cond_arena_begin(context, &groups->arena);
#define RESERVE(array) COND_RESERVE(&groups->arena, groups->array, n_body)
    int failed = cond_components_reserve(&groups->arena, n_body, &groups->bodies) ||
                 RESERVE(touched) || RESERVE(borders) || RESERVE(anchored) || RESERVE(lands) ||
                 RESERVE(persistent) || RESERVE(able) || RESERVE(deforms) || RESERVE(mass) ||
                 RESERVE(euler) || RESERVE(newton) || RESERVE(fails) || RESERVE(residual) ||
                 RESERVE(share) || RESERVE(load) || RESERVE(rounding) || RESERVE(fall) ||
                 RESERVE(before) || RESERVE(kinetic) || RESERVE(excess) || RESERVE(inexact);
#undef RESERVE
    return failed ? COND_OUT_OF_MEMORY : COND_OK;
}

void cond_groups_destroy(CondGroups* groups)
{
    cond_arena_release(&groups->arena);
}

// Bodies that trajectories lead share the representative time.
static void join_led(const CondState* state, CondComponents* bodies)
{
    int led = -1;
    for (int i = 0; i < state->n_weld; i++)
        if (state->weld[i].active && cond_weld_is_led(&state->weld[i])) {
            cond_components_join(bodies, led, cond_weld_body(&state->weld[i]));
            led = cond_weld_body(&state->weld[i]);
        }
}

// What is tied to a body -1, the world, is anchored there.
static void anchor(CondGroups* groups, int body, int other)
{
    if (body >= 0 && other < 0)
        groups->anchored[groups->of[body]] = 1;
    else if (other >= 0 && body < 0)
        groups->anchored[groups->of[other]] = 1;
}

static void mark(const CondSim* sim, CondGroups* groups)
{
    const CondModel* model = sim->model;
    memset(groups->touched, 0, (size_t)groups->n * sizeof *groups->touched);
    memset(groups->borders, 0, (size_t)groups->n * sizeof *groups->borders);
    memset(groups->anchored, 0, (size_t)groups->n * sizeof *groups->anchored);
    memset(groups->deforms, 0, (size_t)groups->n * sizeof *groups->deforms);
    for (int b = 0; b < model->n_body; b++)
        groups->deforms[groups->of[b]] |= cond_body_deforms(&model->body[b]);
    for (int b = 0; b < model->n_body; b++)
        if (model->body[b].kind == COND_BODY_ROBOT && !model->body[b].arm->floating)
            groups->anchored[groups->of[b]] = 1;
    for (int i = 0, body[2]; i < cond_sim_n_tie(sim); i++)
        if (cond_sim_tie(sim, i, body))
            anchor(groups, body[0], body[1]);
    for (int g = 0; sim->hooks.force && g < groups->n; g++)
        groups->anchored[g] = 1;
    if (sim->pull.stiffness > 0.0)
        anchor(groups, sim->pull.end[0].body, sim->pull.end[1].body);
    const CondCandidateList* list = &sim->attempt.candidates;
    for (int c = 0; c < list->n; c++)
        for (int s = 0; s < 2; s++) {
            int g = cond_group_of_side(groups, &list->candidate[c], s);
            if (g >= 0)
                groups->touched[g] = 1;
            if (g >= 0 && s == 1)
                groups->borders[g] = groups->borders[groups->of[list->candidate[c].point[0].body]] =
                    1;
        }
    for (int r = 0; r < sim->rows.n; r++)
        if (cond_joint_row_strikes(&sim->rows.row[r]))
            groups->touched[groups->of[sim->rows.row[r].body]] = 1;
}

static int deforms(const CondSim* sim, int b)
{
    CondBodyKind kind = sim->model->body[b].kind;
    return kind == COND_BODY_SOFT || kind == COND_BODY_ROD;
}

// 1 where a contact joins its bodies.
static int joins(const CondSim* sim, const CondCandidateList* list, int c)
{
    const CondGroups* groups = sim->groups;
    int a = list->candidate[c].point[0].body, b = list->candidate[c].point[1].body;
    if (b < 0)
        return 0;
    if (groups->able[a] != groups->able[b] && !deforms(sim, a) && !deforms(sim, b))
        return 0;
    double light = fmin(groups->mass[a], groups->mass[b]);
    return fmax(groups->mass[a], groups->mass[b]) < COND_GROUP_GROUND * light;
}

static void weigh(CondSim* sim)
{
    for (int b = 0; b < sim->model->n_body; b++)
        sim->groups->mass[b] = cond_held_whole(sim, b)
                                   ? INFINITY
                                   : cond_newton_mass(&sim->model->body[b], &sim->at_start);
}

void cond_groups_make(CondSim* sim)
{
    CondGroups* groups = sim->groups;
    CondComponents* bodies = &groups->bodies;
    cond_components_begin(sim->model->n_body, bodies);
    cond_connect_ties(sim, bodies);
    join_led(sim->next, bodies);
    for (int b = 1; sim->hooks.force && b < sim->model->n_body; b++)
        cond_components_join(bodies, 0, b); // what forces of the program couple is not known
    cond_persistent_find_able(sim, groups->able);
    weigh(sim);
    cond_connect_contacts(sim, &sim->attempt.candidates, joins, bodies);
    cond_components_end(bodies);
    groups->n = bodies->n;
    groups->of = bodies->of;
    mark(sim, groups);
}
