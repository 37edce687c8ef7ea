// Who falls asleep, and who wakes.
#include "base/memory.h"
#include "geometry/box.h"
#include "law/certificate.h"
#include "potential/potential.h"
#include "sim/sim.h"
#include "sleep/sleep.h"
#include "sleep/tuning.h"

#include <math.h>
#include <string.h>

// ---- waking

// Wakes the islands with a 1 in wakes, by their lowest body; returns 1 where there are any.
static int wake(CondSim* sim, const int* wakes)
{
    CondSleep* sleep = sim->sleep;
    int before = sleep->n_asleep, kept = 0;
    for (int c = 0; c < sleep->n_contact; c++)
        if (!wakes[sleep->island[sleep->contact[c].candidate.point[0].body]])
            sleep->contact[kept++] = sleep->contact[c];
    sleep->n_contact = kept;
    for (int b = 0; b < sim->model->n_body; b++) {
        if (sleep->island[b] < 0 || !wakes[sleep->island[b]])
            continue;
        sleep->island[b] = -1;
        sleep->still[b] = 0;
        sleep->n_asleep--;
    }
    return sleep->n_asleep < before;
}

static void mark(const CondSleep* sleep, int body, int* wakes)
{
    if (body >= 0 && sleep->island[body] >= 0)
        wakes[sleep->island[body]] = 1;
}

static void keep_awake(CondSleep* sleep, int body, int* wakes)
{
    if (body < 0)
        return;
    sleep->still[body] = 0;
    mark(sleep, body, wakes);
}

static int same(const double* a, const double* b, int n)
{
    return n == 0 || memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

static int same_memory(const CondState* a, const CondState* b)
{
    return a->n_memory == b->n_memory &&
           (a->n_memory == 0 ||
            memcmp(a->memory, b->memory, (size_t)a->n_memory * sizeof *a->memory) == 0);
}

// Marks sleepers of which the state says something else than the last step did; the others that
// changed begin to count anew. Returns 1 where anything differs.
static int mark_changed(const CondSim* sim, const CondState* state, int* wakes)
{
    const CondModel* model = sim->model;
    CondSleep* sleep = sim->sleep;
    const CondState* left = sleep->left;
    int memory = sleep->known && same_memory(state, left);
    if (memory && same(state->q, left->q, model->n_q) && same(state->v, left->v, model->n_dof) &&
        same(state->v_hat, left->v_hat, model->n_dof) &&
        (model->n_body == 0 || memcmp(state->off, left->off, (size_t)model->n_body) == 0))
        return 0;
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        int d = body->dof_begin;
        if (memory && same(state->q + body->q_begin, left->q + body->q_begin, body->n_q) &&
            same(state->v + d, left->v + d, body->n_dof) &&
            same(state->v_hat + d, left->v_hat + d, body->n_dof) && state->off[b] == left->off[b])
            continue;
        keep_awake(sleep, b, wakes);
    }
    return 1;
}

// Whether a force acts in the whole step, not at all, or in a part of it: then it is another one
// than before and after.
enum Acts { ACTS_NOT = 0, ACTS = 1, ACTS_PARTLY = 2 };

static int how_it_acts(const CondForce* force, double time, double t)
{
    double share = cond_force_share(force, time, t);
    return share == 0.0 ? ACTS_NOT : share == 1.0 ? ACTS : ACTS_PARTLY;
}

// What acts on sleepers and did not, or does no more.
static void mark_acted_on(const CondSim* sim, const CondState* state, int* wakes)
{
    const CondModel* model = sim->model;
    CondSleep* sleep = sim->sleep;
    for (int i = 0; i < model->n_force; i++) {
        int acts = how_it_acts(&model->force[i], state->time, sim->attempt.time_step);
        if (acts != sleep->acts[i] || acts == ACTS_PARTLY)
            keep_awake(sleep, model->force[i].point.body, wakes);
        sleep->acts[i] = acts;
    }
    for (int i = 0; i < state->n_weld; i++)
        for (int end = 0; end < 2; end++)
            keep_awake(sleep, state->weld[i].what.end[end].point.body, wakes);
    for (int i = 0; i < state->n_push; i++)
        keep_awake(sleep, state->push[i].point.body, wakes);
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        double sum = 0.0;
        for (int i = 0; i < body->n_dof; i++)
            sum += fabs(state->force[body->dof_begin + i]);
        if (sum > 0.0)
            keep_awake(sleep, b, wakes);
    }
    for (int b = 0; cond_hooks_wake(sim) && b < model->n_body; b++)
        keep_awake(sleep, b, wakes);
    if (sim->pull.stiffness > 0.0)
        keep_awake(sleep, sim->pull.end[0].body, wakes);
}

// Sleepers that something awake has come near to in the step that was tried; *any: 1 where there
// are any. The correction looks farther, by twice the penetration on either side.
CondStatus cond_sleep_wake_near(CondSim* sim, const CondStepInfo* info, int* any)
{
    CondSleep* sleep = sim->sleep;
    int* wakes = sleep->scratch;
    memset(wakes, 0, (size_t)sim->model->n_body * sizeof *wakes);
    for (int b = 0; b < sleep->part.model->n_body; b++) {
        double box[6];
        cond_box_widen(sleep->awake->collider.visited + 6 * (size_t)b, 4.0 * info->penetration,
                       box);
        CondStatus status = cond_tree_query(&sleep->tree, box, &sleep->hits);
        if (status)
            return status;
        for (int h = 0; h < sleep->hits.n; h++) {
            int near = sleep->list[sleep->hits.primitive[h]];
            if (!sleep->left->off[near])
                mark(sleep, near, wakes);
        }
    }
    *any = wake(sim, wakes);
    sim->energy.known &= !*any; // the energies are those of the step that was tried
    return *any ? cond_sleep_make_part(sim) : COND_OK;
}

// ---- falling asleep

// 1 where nothing of a body has changed and it does not move.
static int is_still(const CondBody* body, const CondState* before, const CondState* after)
{
    const double *v = after->v + body->dof_begin, *v_hat = after->v_hat + body->dof_begin;
    double speed = 0.0;
    for (int i = 0; i < body->n_dof; i++)
        speed = fmax(speed, fmax(fabs(v[i]), fabs(v_hat[i])));
    return speed == 0.0 && same(before->q + body->q_begin, after->q + body->q_begin, body->n_q) &&
           same(before->v + body->dof_begin, v, body->n_dof) &&
           same(before->v_hat + body->dof_begin, v_hat, body->n_dof);
}

static int whole_body(const CondSim* maker, const CondSleep* sleep, int body)
{
    return maker == sleep->whole || body < 0 ? body : sleep->part.body[body];
}

// Counts for each body of the maker the steps that have changed nothing of it and its contacts.
static void count_still(const CondSim* maker, CondSleep* sleep, const CondState* before,
                        const CondState* after)
{
    const CondModel* model = maker->model;
    int *still = sleep->scratch, *n_candidate = still + sleep->whole->model->n_body;
    for (int b = 0; b < model->n_body; b++) {
        int w = whole_body(maker, sleep, b);
        still[b] = !sleep->held[w] && is_still(&model->body[b], before, after);
        n_candidate[b] = 0;
    }
    for (int c = 0, k = 0; c < maker->attempt.candidates.n; c++) { // both lists ascend with the key
        const CondContactMemory* memory = &after->memory[c];
        while (k < before->n_memory && cond_key_less(before->memory[k].key, memory->key))
            k++;
        int known = k < before->n_memory && memcmp(&before->memory[k], memory, sizeof *memory) == 0;
        for (int s = 0; s < 2; s++) {
            int b = maker->attempt.candidates.candidate[c].point[s].body;
            if (b < 0)
                continue;
            still[b] &= known;
            n_candidate[b]++;
        }
    }
    for (int b = 0; b < model->n_body; b++) {
        int w = whole_body(maker, sleep, b);
        still[b] &= n_candidate[b] == sleep->n_candidate[w];
        sleep->n_candidate[w] = n_candidate[b];
        sleep->still[w] = still[b] ? sleep->still[w] + 1 : 0;
    }
}

// falls[b] = 1 + the lowest body of its island, by number in the whole, where all of the island
// have been still for long enough; returns how many bodies that are.
static int find_islands(CondSim* maker, const CondSleep* sleep, int* still, int* falls)
{
    const CondComponents* islands = &maker->attempt.islands;
    int n = maker->model->n_body, count = 0;
    cond_connect_islands(maker);
    for (int i = 0; i < islands->n; i++)
        still[i] = 1;
    for (int b = 0; b < n; b++)
        still[islands->of[b]] &= sleep->still[whole_body(maker, sleep, b)] >= COND_SLEEP_STEPS;
    for (int b = 0; b < n; b++) {
        int lowest = whole_body(maker, sleep, cond_components_lowest(islands, b));
        falls[b] = still[islands->of[b]] ? 1 + lowest : 0;
        count += falls[b] > 0;
    }
    return count;
}

// Contact c of the maker, as a sleeper's.
static CondSleepContact keep_contact(const CondSim* maker, const CondSleep* sleep,
                                     const CondState* after, int c)
{
    CondSleepContact out = {.candidate = maker->attempt.candidates.candidate[c],
                            .memory = after->memory[c],
                            .error = sleep->error[c],
                            .relaxed = maker->attempt.relaxed[c]};
    for (int s = 0; s < 2; s++)
        out.candidate.point[s].body = whole_body(maker, sleep, out.candidate.point[s].body);
    memcpy(out.impulse, maker->attempt.impulse + 3 * (size_t)c, sizeof out.impulse);
    memcpy(out.place, maker->readings.place + 6 * (size_t)c, sizeof out.place);
    return out;
}

// Adds the contacts of those that fall asleep, by ascending key.
static CondStatus keep_contacts(const CondSim* maker, CondSleep* sleep, const CondState* after,
                                const int* falls)
{
    int n = maker->attempt.candidates.n, made = 0, k = 0;
    if (COND_RESERVE(&sleep->arena, sleep->merge, sleep->n_contact + n) ||
        COND_RESERVE(&sleep->arena, sleep->contact, sleep->n_contact + n) ||
        COND_RESERVE(&sleep->arena, sleep->error, n))
        return COND_OUT_OF_MEMORY;
    CondStatus status = cond_sim_contact_errors(maker, sleep->error);
    for (int c = 0; c < n && !status; c++) {
        const CondCandidate* candidate = &maker->attempt.candidates.candidate[c];
        if (!falls[candidate->point[0].body])
            continue;
        while (k < sleep->n_contact &&
               cond_key_less(sleep->contact[k].candidate.key, candidate->key))
            sleep->merge[made++] = sleep->contact[k++];
        sleep->merge[made++] = keep_contact(maker, sleep, after, c);
    }
    while (k < sleep->n_contact)
        sleep->merge[made++] = sleep->contact[k++];
    CondSleepContact* old = sleep->contact;
    sleep->contact = sleep->merge;
    sleep->merge = old;
    sleep->n_contact = made;
    return status;
}

// Boxes around those that fall asleep, within which collision detection would see them.
static void keep_boxes(CondSim* maker, CondSleep* sleep, const CondState* after, const int* falls)
{
    const CondModel* model = maker->model;
    double* box = maker == sleep->whole ? sleep->box : maker->collider.visited;
    for (int b = 0; b < model->n_body; b++)
        maker->reach[b] = falls[b] ? cond_sim_reach(maker, b, after) : 0.0;
    for (int b = 0; b < model->n_body; b++)
        if (falls[b])
            cond_box_empty(box + 6 * (size_t)b);
    cond_kinematics_set(&maker->at_end, after->q);
    cond_collider_place(&maker->collider, &maker->at_end);
    cond_collider_cover(&maker->collider, maker->reach, falls, box);
    for (int b = 0; b < model->n_body && maker != sleep->whole; b++)
        if (falls[b])
            memcpy(sleep->box + 6 * (size_t)sleep->part.body[b], box + 6 * (size_t)b,
                   6 * sizeof *box);
}

static CondStatus build_tree(CondSleep* sleep)
{
    int n = 0;
    for (int b = 0; b < sleep->whole->model->n_body; b++) {
        if (sleep->island[b] < 0)
            continue;
        memcpy(sleep->list_box + 6 * (size_t)n, sleep->box + 6 * (size_t)b, 6 * sizeof(double));
        sleep->list[n++] = b;
    }
    return cond_tree_build(&sleep->tree, n, sleep->list_box);
}

// Whether it is worth it: a new workspace costs about as much as a step.
static int is_worth(const CondSim* maker, int n)
{
    return n > 0 && n * COND_SLEEP_SHARE >= maker->model->n_body;
}

// Those that have been still for long enough fall asleep. Done before the next step, so that until
// then the contacts of the last one can be read.
static CondStatus fall_asleep(CondSim* sim)
{
    CondSleep* sleep = sim->sleep;
    CondSim* maker = cond_sleep_maker(sim);
    const CondState* after = maker == sim ? sleep->left : sleep->state;
    int n_body = sim->model->n_body;
    int *still = sleep->scratch + n_body, *falls = still + n_body;
    if (sleep->n_asleep == n_body)
        return COND_OK;
    int n = find_islands(maker, sleep, still, falls);
    if (!is_worth(maker, n))
        return COND_OK;
    CondStatus status = keep_contacts(maker, sleep, after, falls);
    if (status)
        return status;
    keep_boxes(maker, sleep, after, falls);
    if (cond_certificate_residual(&sleep->last) >= cond_certificate_residual(&sleep->certificate))
        sleep->certificate = sleep->last;
    for (int b = 0; b < maker->model->n_body; b++)
        if (falls[b])
            sleep->island[whole_body(maker, sleep, b)] = falls[b] - 1;
    sleep->n_asleep += n;
    status = build_tree(sleep);
    return status ? status : cond_sleep_make_part(sim);
}

CondStatus cond_sleep_prepare(CondSim* sim, const CondState* state)
{
    CondSleep* sleep = sim->sleep;
    int* wakes = sleep->scratch;
    memset(wakes, 0, (size_t)sim->model->n_body * sizeof *wakes);
    int changed = mark_changed(sim, state, wakes);
    mark_acted_on(sim, state, wakes);
    int woken = wake(sim, wakes);
    CondStatus status = changed ? cond_state_copy(sleep->left, state) : COND_OK;
    sleep->known = !status;
    sim->energy.known &= !changed;
    if (!status && !woken && !changed)
        status = fall_asleep(sim);
    if (!status && woken)
        status = cond_sleep_make_part(sim);
    if (!status && sleep->n_asleep == 0)
        memset(&sleep->certificate, 0, sizeof sleep->certificate);
    return status;
}

void cond_sleep_note(CondSim* sim, const CondState* state, const CondStepInfo* info)
{
    CondSleep* sleep = sim->sleep;
    const CondSim* maker = cond_sleep_maker(sim);
    int whole = maker == sim;
    sleep->last = info->solve.certificate;
    if (info->status == COND_OK && info->substeps == 1) {
        count_still(maker, sleep, whole ? sleep->left : sleep->start, whole ? state : sleep->state);
        return;
    }
    for (int b = 0; b < maker->model->n_body; b++)
        sleep->still[whole_body(maker, sleep, b)] = 0;
}
