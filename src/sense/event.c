// Which pairs began and ended to touch in a step. The pairs that touch are kept in the state
// (CondTouch); what this file changes is that list and the events of the simulation.
#include "sense/event.h"

#include "base/definition.h"
#include "base/enum_name.h"
#include "base/memory.h"
#include "math/vec3.h"
#include "model/index.h"
#include "sim/sim.h"
#include "sim/tuning.h"
#include "sleep/sleep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

COND_ENUM_TABLE(CondContactChange, cond_contact_change, {COND_CONTACT_BEGAN, "began"},
                {COND_CONTACT_ENDED, "ended"})

// The contacts of one pair in the step.
typedef struct PairSum {
    CondTouch touch;
    double impulse; // sum along the normals [N s]
    double largest; // of one of them [N s]
    double speed;   // of approach [m/s]
    double gap;     // least [m]
    double touched; // when the first of them came to touch [s]
    int contact;    // with the largest impulse, in the lists of the maker
    int swapped;    // 1: side 0 of that contact is the second of the pair
} PairSum;

struct CondEvents {
    CondArena arena;
    CondState* state; // whose step is being made; NULL: none
    double* v;        // at the start of the step                                   (n_dof)
    PairSum* sum;
    CondTouch* before; // that touched at the start                          (n_before)
    CondTouch* touch;  // that touch at its end
    int n_before, n;
    CondContactEvent* event; //                                              (n)
};

CondStatus cond_events_create(CondSim* sim)
{
    const CondContext* context = &sim->arena.context;
    CondEvents* events = cond_allocate(context, 1, sizeof *events);
    if (!events)
        return COND_OUT_OF_MEMORY;
    sim->events = events;
    cond_arena_begin(context, &events->arena);
    return COND_RESERVE(&events->arena, events->v, sim->model->n_dof);
}

void cond_events_destroy(CondSim* sim)
{
    if (!sim->events)
        return;
    CondContext context = sim->events->arena.context;
    cond_arena_release(&sim->events->arena);
    cond_release(&context, sim->events);
    sim->events = NULL;
}

CondStatus cond_events_begin(CondSim* sim, CondState* state)
{
    CondEvents* events = sim->events;
    events->n = 0;
    events->state = NULL;
    if (COND_RESERVE(&events->arena, events->before, state->n_touch))
        return COND_OUT_OF_MEMORY;
    events->n_before = state->n_touch;
    if (state->n_touch > 0)
        memcpy(events->before, state->touch, (size_t)state->n_touch * sizeof *state->touch);
    memcpy(events->v, state->v, (size_t)state->n_dof * sizeof *state->v);
    events->state = state;
    return COND_OK;
}

CondStatus cond_events_reserve(CondSim* maker)
{
    CondEvents* events = maker->whole ? maker->whole->events : maker->events;
    if (!events || !events->state)
        return COND_OK;
    int n = maker->attempt.candidates.n, all = n + events->n_before;
    return COND_RESERVE(&events->arena, events->sum, n) ||
                   COND_RESERVE(&events->arena, events->touch, all) ||
                   COND_RESERVE(&events->arena, events->event, all) ||
                   COND_RESERVE(&events->state->arena, events->state->touch, all)
               ? COND_OUT_OF_MEMORY
               : COND_OK;
}

static int compare_touch(const CondTouch* a, const CondTouch* b)
{
    const int p[] = {a->body[0], a->link[0], a->body[1], a->link[1], a->plane, a->obstacle};
    const int q[] = {b->body[0], b->link[0], b->body[1], b->link[1], b->plane, b->obstacle};
    for (int i = 0; i < 6; i++)
        if (p[i] != q[i])
            return p[i] < q[i] ? -1 : 1;
    return 0;
}

// Ties are broken, so that the order never depends on that of the sort.
static int compare_sum(const void* a, const void* b)
{
    const PairSum *p = a, *q = b;
    int order = compare_touch(&p->touch, &q->touch);
    return order ? order : (p->contact > q->contact) - (p->contact < q->contact);
}

static int link_of(const CondModel* model, const CondPoint* point)
{
    CondBodyKind kind = cond_model_body_kind(model, point->body);
    return kind == COND_BODY_ROBOT || kind == COND_BODY_ROD ? point->link : 0;
}

// The pair of a contact, with the bodies of the whole model; *swapped: as in PairSum.
static CondTouch touch_of(const CondSim* sim, const CondSim* maker, const CondCandidate* candidate,
                          int* swapped)
{
    const CondPoint* point = candidate->point;
    int static_one = point[1].body < 0;
    int body[2] = {point[0].body, point[1].body};
    for (int side = 0; side < 2 && maker != sim; side++)
        body[side] = body[side] < 0 ? -1 : sim->sleep->part.body[body[side]];
    *swapped = !static_one && body[1] < body[0];
    CondTouch touch = {.plane = candidate->plane, .obstacle = -1};
    for (int side = 0; side < 2; side++) {
        int from = side ^ *swapped;
        touch.body[side] = body[from];
        touch.link[side] = point[from].body < 0 ? 0 : link_of(maker->model, &point[from]);
        touch.patch[side] = -1;
    }
    if (static_one && candidate->plane < 0)
        touch.obstacle = cond_model_nearest_obstacle(sim->model, candidate->position);
    return touch;
}

// Speed at which the two sides of a contact approach each other at the start of the step.
static double approach(const CondSim* maker, int contact, const double* v)
{
    const CondContact* made = &maker->attempt.assembly.contact[contact];
    double u[3];
    cond_contact_velocity(made, v, u);
    return fmax(made->phi[0] - u[0], 0.0);
}

// Seconds after the start of the step until the gap of a contact closes: at the speed that it has
// there, and by weight where the other side is static.
static double closing_time(const CondSim* maker, const CondState* state, int contact)
{
    const CondCandidate* candidate = &maker->attempt.candidates.candidate[contact];
    const CondContact* made = &maker->attempt.assembly.contact[contact];
    double gap = candidate->gap, t = maker->attempt.time_step, u[3];
    if (!(gap > COND_NANOMETRE))
        return 0.0;
    cond_contact_velocity(made, state->v, u);
    double speed = made->phi[0] - u[0];
    double fall = candidate->point[1].body < 0
                      ? -vec3_dot(candidate->frame, maker->model->settings.gravity)
                      : 0.0;
    double root = speed * speed + 2.0 * fall * gap;
    double last = speed + sqrt(fmax(root, 0.0)); // twice the mean speed on the way
    return root >= 0.0 && last * t > 2.0 * gap ? 2.0 * gap / last : t;
}

CondStatus cond_events_note(CondSim* maker, const CondState* state)
{
    int n = maker->attempt.candidates.n;
    int posed = maker->model->settings.method == COND_STEP_VELOCITY; // on velocities
    if (COND_RESERVE(&maker->arena, maker->readings.touched, n))
        return COND_OUT_OF_MEMORY;
    for (int c = 0; c < n; c++)
        maker->readings.touched[c] = posed && maker->attempt.impulse[3 * (ptrdiff_t)c] > 0.0
                                         ? state->time + closing_time(maker, state, c)
                                         : INFINITY;
    return COND_OK;
}

static void add_contact(PairSum* sum, const PairSum* one)
{
    sum->impulse += one->impulse;
    sum->speed = fmax(sum->speed, one->speed);
    sum->gap = fmin(sum->gap, one->gap);
    sum->touched = fmin(sum->touched, one->touched);
    if (one->largest > sum->largest) {
        sum->largest = one->largest;
        sum->contact = one->contact;
        sum->swapped = one->swapped;
    }
}

// One sum for each pair that the maker of the step has found, in the order of the pairs.
static int sum_pairs(CondSim* sim, const CondSim* maker)
{
    CondEvents* events = sim->events;
    const double* v = maker == sim ? events->v : sim->sleep->start->v;
    int n = 0, count = 0,
        ready = maker->readings.n_ready < maker->attempt.candidates.n ? maker->readings.n_ready
                                                                      : maker->attempt.candidates.n;
    for (int c = 0; c < ready; c++) {
        const CondCandidate* candidate = &maker->attempt.candidates.candidate[c];
        PairSum one = {.contact = c,
                       .gap = candidate->gap,
                       .touched = maker->readings.touched[c],
                       .largest = maker->attempt.impulse[3 * c]};
        one.touch = touch_of(sim, maker, candidate, &one.swapped);
        one.impulse = one.largest;
        one.speed = one.impulse > 0.0 ? approach(maker, c, v) : 0.0;
        if (count > 0 && compare_touch(&events->sum[count - 1].touch, &one.touch) == 0)
            add_contact(&events->sum[count - 1], &one);
        else
            events->sum[count++] = one;
    }
    qsort(events->sum, (size_t)count, sizeof *events->sum, compare_sum);
    for (int i = 0; i < count; i++) {
        PairSum* last = n > 0 ? &events->sum[n - 1] : NULL;
        if (last && compare_touch(&last->touch, &events->sum[i].touch) == 0)
            add_contact(last, &events->sum[i]);
        else
            events->sum[n++] = events->sum[i];
    }
    return n;
}

// 1 where a pair was left out of the step, because a body of it slept.
static int slept(const CondSim* sim, const CondTouch* touch)
{
    if (!sim->sleep)
        return 0;
    int a = touch->body[0], b = touch->body[1];
    return sim->sleep->island[a] >= 0 || (b >= 0 && sim->sleep->island[b] >= 0);
}

// 1 where the pair touches at the end of a step in which it touched before, or did not.
static int touches(const CondModel* model, const PairSum* sum, int before)
{
    double size = model->body[sum->touch.body[0]].size;
    if (sum->touch.body[1] >= 0)
        size = fmin(size, model->body[sum->touch.body[1]].size);
    return sum->impulse > 0.0 || (before && sum->gap <= COND_OVERLAP * size);
}

static CondContactEvent event_of(const CondTouch* touch, CondContactChange change, double time)
{
    CondContactEvent event = {.change = change,
                              .time = time,
                              .plane = touch->plane,
                              .obstacle = touch->obstacle,
                              .contact_time = time};
    memcpy(event.body, touch->body, sizeof event.body);
    memcpy(event.link, touch->link, sizeof event.link);
    memcpy(event.patch, touch->patch, sizeof event.patch);
    return event;
}

static void begin_pair(CondSim* sim, const CondSim* maker, PairSum* sum, double time)
{
    const CondCandidate* candidate = &maker->attempt.candidates.candidate[sum->contact];
    for (int side = 0; side < 2;
         side++) // soft bodies never sleep: the points are those of the whole
        sum->touch.patch[side] =
            cond_point_patch(maker->model, &candidate->point[side ^ sum->swapped], NULL);
    CondContactEvent event = event_of(&sum->touch, COND_CONTACT_BEGAN, time);
    event.impulse = sum->impulse;
    event.speed = sum->speed;
    event.contact_time = fmin(sum->touched, time);
    memcpy(event.position, candidate->position, sizeof event.position);
    for (int k = 0; k < 3; k++)
        event.normal[k] = sum->swapped ? -candidate->frame[k] : candidate->frame[k];
    sim->events->event[sim->events->n++] = event;
}

// Both lists ascend with the pair: what touches now, with events for what is new.
static int merge(CondSim* sim, const CondSim* maker, int n_sum, double time)
{
    CondEvents* events = sim->events;
    int n = 0, old = 0;
    for (int i = 0; i < n_sum || old < events->n_before;) {
        int order = i == n_sum ? 1
                    : old == events->n_before
                        ? -1
                        : compare_touch(&events->sum[i].touch, &events->before[old]);
        if (order > 0) { // was found no more: it goes on where it slept
            if (slept(sim, &events->before[old]))
                events->touch[n++] = events->before[old];
            old++;
            continue;
        }
        PairSum* sum = &events->sum[i++];
        int before = order == 0;
        if (touches(sim->model, sum, before)) {
            if (!before)
                begin_pair(sim, maker, sum, time);
            events->touch[n++] = before ? events->before[old] : sum->touch;
        }
        old += before;
    }
    return n;
}

// Of those that touched before and do not now.
static void end_pairs(CondEvents* events, int n_touch, double time)
{
    for (int old = 0, i = 0; old < events->n_before; old++) {
        while (i < n_touch && compare_touch(&events->touch[i], &events->before[old]) < 0)
            i++;
        if (i < n_touch && compare_touch(&events->touch[i], &events->before[old]) == 0)
            continue;
        events->event[events->n++] = event_of(&events->before[old], COND_CONTACT_ENDED, time);
    }
}

void cond_events_end(CondSim* sim, int made)
{
    CondEvents* events = sim->events;
    CondState* state = events->state;
    events->state = NULL;
    if (!made)
        return;
    const CondSim* maker = cond_sleep_reader(sim);
    int all_sleep = sim->sleep && sim->sleep->n_asleep == sim->model->n_body;
    int n_touch = merge(sim, maker, all_sleep ? 0 : sum_pairs(sim, maker), state->time);
    end_pairs(events, n_touch, state->time);
    state->n_touch = n_touch;
    if (n_touch > 0)
        memcpy(state->touch, events->touch, (size_t)n_touch * sizeof *state->touch);
}

int cond_sim_n_event(const CondSim* sim)
{
    return sim->events->n;
}

static CondContactEvent sim_event_whole(const CondSim* sim, int event)
{
    if (!cond_index_check("event", event, sim->events->n))
        return sim->events->event[event];
    return (CondContactEvent){.body = {-1, -1}, .patch = {-1, -1}, .plane = -1, .obstacle = -1};
}

void cond_sim_event_sized(const CondSim* sim, int event, CondContactEvent* made, size_t size)
{
    const CondContactEvent own = sim_event_whole(sim, event);
    cond_struct_give(made, size, &own, sizeof own);
}
