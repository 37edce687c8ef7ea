// Islands of bodies at rest sleep: a step is made of the others alone.
#include "sleep/sleep.h"
#include "base/tuning.h"

#include "base/memory.h"
#include "body/body.h"
#include "geometry/box.h"
#include "sim/sim.h"

#include <math.h>
#include <string.h>

// ---- who may sleep

// Islands are solved apart, and a start that is an answer is taken as it is: else one island may
// change bits of another.
static int is_asked(const CondModel* model)
{
    const CondSceneSettings* settings = &model->settings;
    int able = model->n_body >= COND_FEW_BODIES;
    for (int b = 0; b < model->n_body; b++) {
        CondBodyKind kind = model->body[b].kind;
        if (kind == COND_BODY_SOFT || kind == COND_BODY_ROD)
            return 0;
    }
    return able && settings->sleeping && settings->method == COND_STEP_VELOCITY &&
           (settings->integrator == COND_INTEGRATOR_AUTO ||
            settings->integrator == COND_INTEGRATOR_THETA) &&
           settings->solver.stop == COND_STOP_CERTIFICATE && settings->solver.reuse == 1;
}

static void hold(CondSleep* sleep, int body)
{
    if (body >= 0)
        sleep->held[body] = 1;
}

static void mark_held(const CondModel* model, CondSleep* sleep)
{
    for (int b = 0; b < model->n_body; b++)
        sleep->held[b] = model->body[b].kind == COND_BODY_ROBOT;
    for (int i = 0; i < model->n_spring; i++)
        for (int end = 0; end < 2; end++)
            hold(sleep, model->spring[i].end[end].body);
    for (int i = 0; i < model->n_attachment; i++)
        for (int end = 0; end < 2; end++)
            hold(sleep, model->attachment[i].end[end].point.body);
    for (int i = 0; i < model->n_trajectory; i++)
        hold(sleep, model->trajectory[i].body);
}

CondStatus cond_sleep_create(CondSim* sim, CondSleepCreate* create)
{
    const CondModel* model = sim->model;
    if (!is_asked(model))
        return COND_OK;
    CondSleep* sleep = cond_allocate(&model->arena.context, 1, sizeof *sleep);
    if (!sleep)
        return COND_OUT_OF_MEMORY;
    sim->sleep = sleep;
    sleep->whole = sim;
    sleep->create = create;
    CondArena* arena = &sleep->arena;
    cond_arena_begin(&model->arena.context, arena);
    cond_tree_begin(&model->arena.context, &sleep->tree);
    cond_tree_hits_begin(&model->arena.context, &sleep->hits);
    int n = model->n_body;
    if (COND_RESERVE(arena, sleep->island, n) || COND_RESERVE(arena, sleep->still, n) ||
        COND_RESERVE(arena, sleep->n_candidate, n) || COND_RESERVE(arena, sleep->held, n) ||
        COND_RESERVE(arena, sleep->scratch, 3 * n) || COND_RESERVE(arena, sleep->list, n) ||
        COND_RESERVE(arena, sleep->acts, model->n_force) ||
        COND_RESERVE(arena, sleep->box, 6 * n) || COND_RESERVE(arena, sleep->list_box, 6 * n))
        return COND_OUT_OF_MEMORY;
    mark_held(model, sleep);
    for (int b = 0; b < n; b++)
        sleep->island[b] = -1;
    CondStatus status = cond_state_create(model, &sleep->left, NULL);
    return status ? status : cond_state_create(model, &sleep->before, NULL);
}

static void drop_part(CondSleep* sleep)
{
    if (sleep->awake)
        cond_sim_destroy(sleep->awake);
    cond_state_destroy(sleep->state);
    cond_state_destroy(sleep->start);
    cond_model_part_destroy(&sleep->part);
    sleep->awake = NULL;
    sleep->state = sleep->start = NULL;
    sleep->made = 0;
}

void cond_sleep_destroy(CondSim* sim)
{
    CondSleep* sleep = sim->sleep;
    if (!sleep)
        return;
    CondContext m = sleep->arena.context;
    drop_part(sleep);
    cond_state_destroy(sleep->left);
    cond_state_destroy(sleep->before);
    cond_tree_end(&sleep->tree);
    cond_tree_hits_end(&sleep->hits);
    cond_arena_release(&sleep->arena);
    cond_release(&m, sleep);
    sim->sleep = NULL;
}

void cond_sleep_forget(CondSim* sim)
{
    CondSleep* sleep = sim->sleep;
    if (!sleep)
        return;
    drop_part(sleep);
    sleep->n_asleep = sleep->n_contact = 0;
    for (int b = 0; b < sim->model->n_body; b++) {
        sleep->island[b] = -1;
        sleep->still[b] = 0;
    }
}

// ---- the part that is awake

// The deepest penetration of sleepers, and the one that is deepest for its limit.
static void find_deepest(const CondModel* model, CondSleep* sleep)
{
    CondPenetration worst = {.body = -1, .other = -1, .plane = -1, .obstacle = -1};
    sleep->penetration = 0.0;
    for (int c = 0; c < sleep->n_contact; c++) {
        const CondCandidate* one = &sleep->contact[c].candidate;
        CondPenetration here = {
            one->point[0].body, one->point[1].body, one->plane, -1, -one->gap, INFINITY};
        if (!(here.depth > 0.0))
            continue;
        sleep->penetration = fmax(sleep->penetration, here.depth);
        if (here.other < 0 && here.plane < 0)
            here.obstacle = cond_model_nearest_obstacle(model, one->position);
        here.limit = cond_model_penetration_limit(model, here.body, here.other, here.obstacle);
        if (worst.body < 0 || here.depth * worst.limit > worst.depth * here.limit)
            worst = here;
    }
    sleep->deepest = worst;
}

CondStatus cond_sleep_make_part(CondSim* sim)
{
    CondSleep* sleep = sim->sleep;
    int *kept = sleep->scratch, n_body = sim->model->n_body;
    drop_part(sleep);
    find_deepest(sim->model, sleep);
    if (sleep->n_asleep == 0 || sleep->n_asleep == n_body)
        return COND_OK;
    for (int b = 0; b < n_body; b++)
        kept[b] = sleep->island[b] < 0;
    CondStatus status = cond_model_part_create(sim->model, kept, &sleep->part);
    if (!status)
        status = sleep->create(sleep->part.model, sim, &sleep->awake);
    if (!status)
        status = cond_state_create(sleep->part.model, &sleep->state, NULL);
    if (!status)
        status = cond_state_create(sleep->part.model, &sleep->start, NULL);
    if (!status) // what the step of the part leaves as it is
        status = cond_state_copy(sleep->before, sleep->left);
    if (!status)
        status = cond_state_copy(sim->next, sleep->left);
    if (status)
        cond_sleep_forget(sim);
    return status;
}

// ---- the step

// All are asleep: nothing but the time changes.
static void pass_time(CondSim* sim, CondState* state, CondStepInfo* info)
{
    state->step++;
    state->time = (double)state->step * sim->model->settings.time_step;
    info->kinetic_before = info->kinetic_after = sim->energy.kinetic;
    info->potential_before = info->potential_after = sim->energy.potential;
}

// What the sensors and attachments of the part read.
static CondStatus take_readings(CondSim* sim)
{
    const CondSleep* sleep = sim->sleep;
    const CondSim* awake = sleep->awake;
    if (COND_RESERVE(&sim->arena, sim->readings.wrench, 6 * awake->readings.n_wrench))
        return COND_OUT_OF_MEMORY;
    if (awake->readings.n_wrench > 0)
        memcpy(sim->readings.wrench, awake->readings.wrench,
               6 * (size_t)awake->readings.n_wrench * sizeof *sim->readings.wrench);
    sim->readings.n_wrench = awake->readings.n_wrench;
    for (int i = 0; i < awake->model->n_sensor; i++)
        sim->readings.reading[sleep->part.sensor[i]] = awake->readings.reading[i];
    sim->readings.ready = 1;
    return COND_OK;
}

// The step of those awake, again with whom they come near to.
static CondStatus step_awake(CondSim* sim, CondState* state, CondSleepStep* step,
                             CondStepInfo* info)
{
    CondSleep* sleep = sim->sleep;
    const CondStepInfo fresh = *info;
    CondStepInfo vain = {0}; // attempts that have woken somebody
    for (int near = 1; near;) {
        *info = fresh;
        if (sleep->n_asleep == 0) {
            CondStatus status = step(sim, state, info);
            cond_sim_add_attempt(&vain, info);
            return status;
        }
        CondSim* awake = sleep->awake;
        awake->pull = sim->pull;
        cond_part_enter(&sleep->part, &awake->pull.end[0]);
        for (int b = 0; b < awake->model->n_body; b++)
            cond_box_empty(awake->collider.visited + 6 * (size_t)b);
        CondStatus status = cond_sleep_take(sleep, state, sleep->start);
        if (!status)
            status = cond_state_copy(sleep->state, sleep->start);
        if (status)
            return status;
        info->status = step(awake, sleep->state, info);
        sleep->made = 1;
        status = cond_sleep_wake_near(sim, info, &near);
        if (status)
            return status;
        if (near)
            cond_sim_add_attempt(info, &vain);
    }
    cond_sim_add_attempt(&vain, info);
    if (info->status < 0)
        return info->status;
    CondStatus status = take_readings(sim);
    if (!status)
        status = cond_sleep_put(sleep, sleep->state, state);
    return status ? status : info->status;
}

// 1 where a is deeper for its limit than b; of equals the one that lists of contacts begin with.
static int is_deeper(const CondPenetration* a, const CondPenetration* b)
{
    double left = a->depth * b->limit, right = b->depth * a->limit;
    if (a->body < 0 || b->body < 0)
        return a->body >= 0;
    return left != right ? left > right : a->body < b->body;
}

// What is told of the step covers the sleepers.
static void tell(CondSim* sim, const CondState* state, CondStepInfo* info)
{
    const CondSleep* sleep = sim->sleep;
    CondSim* maker = cond_sleep_maker(sim);
    info->asleep = sleep->n_asleep;
    info->time = state->time;
    if (!sleep->made)
        return;
    sim->attempt.deepest = maker->attempt.deepest;
    for (int i = 0; i < 2; i++) {
        int* body = i ? &sim->attempt.deepest.other : &sim->attempt.deepest.body;
        *body = maker == sim || *body < 0 ? *body : sleep->part.body[*body];
    }
    if (maker == sim || is_deeper(&sleep->deepest, &sim->attempt.deepest))
        sim->attempt.deepest = sleep->deepest;
    info->n_contact += sleep->n_contact;
    info->penetration = fmax(info->penetration, sleep->penetration);
    if (cond_certificate_residual(&sleep->certificate) >
        cond_certificate_residual(&info->solve.certificate))
        info->solve.certificate = sleep->certificate;
}

CondStatus cond_sleep_step(CondSim* sim, CondState* state, CondSleepStep* step, CondStepInfo* info)
{
    CondSleep* sleep = sim->sleep;
    CondStatus status = cond_sleep_prepare(sim, state);
    if (status) {
        cond_sleep_forget(sim);
        return status;
    }
    sleep->made = sleep->gathered = 0;
    if (sleep->n_asleep == 0) {
        status = step(sim, state, info);
    } else if (sleep->n_asleep == sim->model->n_body) {
        sleep->made = 1;
        pass_time(sim, state, info);
    } else {
        status = step_awake(sim, state, step, info);
        if (status == COND_OUT_OF_MEMORY) // who woke in it, and was not stepped, is as it was
            cond_sleep_forget(sim);
    }
    info->status = status;
    if (status < 0)
        return status;
    if (sleep->n_asleep < sim->model->n_body) {
        cond_sleep_note(sim, state, info);
        sleep->known = cond_state_copy(sleep->left, state) == COND_OK; // else all begins anew
    }
    tell(sim, state, info);
    return status;
}
