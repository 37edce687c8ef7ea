#include "integrate/group.h"

#include "base/disjoint.h"
#include "base/memory.h"
#include "potential/attachment.h"
#include "sim/sim.h"

#include <string.h>

CondStatus cond_groups_create(const CondContext* context, int n_body, CondGroups* groups)
{
    cond_arena_begin(context, &groups->arena);
#define RESERVE(array) COND_RESERVE(&groups->arena, groups->array, n_body)
    int failed = RESERVE(of) || RESERVE(members) || RESERVE(begin) || RESERVE(body) ||
                 RESERVE(touched) || RESERVE(anchored) || RESERVE(lands) || RESERVE(persistent) ||
                 RESERVE(euler) || RESERVE(newton) || RESERVE(fails) || RESERVE(residual) ||
                 RESERVE(load) || RESERVE(rounding) || RESERVE(fall) || RESERVE(before) ||
                 RESERVE(kinetic) || RESERVE(excess) || RESERVE(inexact);
#undef RESERVE
    return failed ? COND_OUT_OF_MEMORY : COND_OK;
}

void cond_groups_destroy(CondGroups* groups)
{
    cond_arena_release(&groups->arena);
}

static void join(int* of, int body, int other)
{
    if (body >= 0 && other >= 0)
        cond_disjoint_join(of, body, other);
}

static void join_holds(const CondState* state, int* of)
{
    int led = -1; // those that trajectories lead share the representative time
    for (int i = 0; i < state->n_weld; i++) {
        const CondWeld* weld = &state->weld[i];
        if (!weld->active)
            continue;
        join(of, weld->what.end[0].point.body, weld->what.end[1].point.body);
        if (cond_weld_is_led(weld)) {
            join(of, led, cond_weld_body(weld));
            led = cond_weld_body(weld);
        }
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

// Which bodies are in a group.
static void list_members(int n_body, CondGroups* groups)
{
    memset(groups->members, 0, (size_t)groups->n * sizeof *groups->members);
    for (int b = 0; b < n_body; b++)
        groups->members[groups->of[b]]++;
    for (int g = 0, at = 0; g < groups->n; at += groups->members[g++])
        groups->begin[g] = at;
    memset(groups->members, 0, (size_t)groups->n * sizeof *groups->members);
    for (int b = 0, g; b < n_body; b++) {
        g = groups->of[b];
        groups->body[groups->begin[g] + groups->members[g]++] = b;
    }
}

static void mark(const CondSim* sim, CondGroups* groups)
{
    const CondModel* model = sim->model;
    memset(groups->touched, 0, (size_t)groups->n * sizeof *groups->touched);
    memset(groups->anchored, 0, (size_t)groups->n * sizeof *groups->anchored);
    for (int b = 0; b < model->n_body; b++)
        if (model->body[b].kind == COND_BODY_ROBOT && !model->body[b].arm->floating)
            groups->anchored[groups->of[b]] = 1;
    for (int i = 0; i < model->n_spring; i++)
        anchor(groups, model->spring[i].end[0].body, model->spring[i].end[1].body);
    for (int i = 0; i < sim->next->n_weld; i++)
        if (sim->next->weld[i].active)
            anchor(groups, sim->next->weld[i].what.end[0].point.body,
                   sim->next->weld[i].what.end[1].point.body);
    for (int g = 0; sim->hooks.force && g < groups->n; g++)
        groups->anchored[g] = 1;
    if (sim->pull.stiffness > 0.0)
        anchor(groups, sim->pull.end[0].body, sim->pull.end[1].body);
    for (int c = 0; c < sim->candidates.n; c++)
        groups->touched[groups->of[sim->candidates.candidate[c].point[0].body]] = 1;
    for (int r = 0; r < sim->rows.n; r++)
        if (cond_joint_row_strikes(&sim->rows.row[r]))
            groups->touched[groups->of[sim->rows.row[r].body]] = 1;
}

void cond_groups_make(CondSim* sim)
{
    const CondModel* model = sim->model;
    CondGroups* groups = sim->groups;
    int* of = groups->of;
    for (int b = 0; b < model->n_body; b++)
        of[b] = b;
    for (int i = 0; i < model->n_spring; i++)
        join(of, model->spring[i].end[0].body, model->spring[i].end[1].body);
    join_holds(sim->next, of);
    for (int b = 1; sim->hooks.force && b < model->n_body; b++)
        join(of, 0, b); // what forces of the program couple is not known
    for (int c = 0; c < sim->candidates.n; c++)
        join(of, sim->candidates.candidate[c].point[0].body,
             sim->candidates.candidate[c].point[1].body);
    groups->n = 0;
    for (int b = 0; b < model->n_body; b++)
        of[b] = cond_disjoint_find(of, b);
    for (int b = 0; b < model->n_body; b++) // the first body of a group is before the others
        of[b] = of[b] == b ? groups->n++ : of[of[b]];
    list_members(model->n_body, groups);
    mark(sim, groups);
}
