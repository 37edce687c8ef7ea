#include "step/group.h"

#include "base/disjoint.h"
#include "base/memory.h"
#include "potential/attachment.h"
#include "step/sim.h"

#include <string.h>

CondStatus cond_groups_create(const CondContext* context, int n_body, CondGroups* groups)
{
    size_t n = (size_t)n_body;
    groups->context = *context;
    groups->of = cond_allocate(context, n, sizeof *groups->of);
    groups->members = cond_allocate(context, n, sizeof *groups->members);
    groups->touched = cond_allocate(context, n, sizeof *groups->touched);
    groups->anchored = cond_allocate(context, n, sizeof *groups->anchored);
    groups->persistent = cond_allocate(context, n, sizeof *groups->persistent);
    groups->euler = cond_allocate(context, n, sizeof *groups->euler);
    groups->newton = cond_allocate(context, n, sizeof *groups->newton);
    groups->fails = cond_allocate(context, n, sizeof *groups->fails);
    groups->residual = cond_allocate(context, n, sizeof(double));
    groups->load = cond_allocate(context, n, sizeof(double));
    groups->fall = cond_allocate(context, n, sizeof(double));
    groups->before = cond_allocate(context, n, sizeof(double));
    groups->kinetic = cond_allocate(context, n, sizeof(double));
    groups->excess = cond_allocate(context, n, sizeof(double));
    int all = groups->of && groups->members && groups->touched && groups->anchored &&
              groups->persistent && groups->euler && groups->newton && groups->fails &&
              groups->residual && groups->load && groups->fall && groups->before &&
              groups->kinetic && groups->excess;
    return all ? COND_OK : COND_OUT_OF_MEMORY;
}

void cond_groups_destroy(CondGroups* groups)
{
    void* arrays[] = {groups->of,         groups->members, groups->euler,   groups->fails,
                      groups->persistent, groups->newton,  groups->touched, groups->anchored,
                      groups->residual,   groups->load,    groups->fall,    groups->before,
                      groups->kinetic,    groups->excess};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        if (arrays[i])
            cond_release(&groups->context, arrays[i]);
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

static void mark(const CondSim* sim, CondGroups* groups)
{
    const CondModel* model = sim->model;
    memset(groups->members, 0, (size_t)groups->n * sizeof *groups->members);
    for (int b = 0; b < model->n_body; b++)
        groups->members[groups->of[b]]++;
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
    if (sim->pull.stiffness > 0.0)
        anchor(groups, sim->pull.end[0].body, sim->pull.end[1].body);
    for (int c = 0; c < sim->candidates.n; c++)
        groups->touched[groups->of[sim->candidates.candidate[c].point[0].body]] = 1;
}

void cond_groups_make(CondSim* sim)
{
    const CondModel* model = sim->model;
    CondGroups* groups = &sim->groups;
    int* of = groups->of;
    for (int b = 0; b < model->n_body; b++)
        of[b] = b;
    for (int i = 0; i < model->n_spring; i++)
        join(of, model->spring[i].end[0].body, model->spring[i].end[1].body);
    join_holds(sim->next, of);
    for (int c = 0; c < sim->candidates.n; c++)
        join(of, sim->candidates.candidate[c].point[0].body,
             sim->candidates.candidate[c].point[1].body);
    groups->n = 0;
    for (int b = 0; b < model->n_body; b++)
        of[b] = cond_disjoint_find(of, b);
    for (int b = 0; b < model->n_body; b++) // the first body of a group is before the others
        of[b] = of[b] == b ? groups->n++ : of[of[b]];
    mark(sim, groups);
}
