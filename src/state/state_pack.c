// A state as bytes. One walk over its fields serves the hash, saving and loading, so that none of
// them can forget what another knows.
//
//     magic | order | version | fingerprint | n_weld | n_push | n_memory | n_touch | fields ... |
//     checksum
//
// Numbers stand as the machine holds them; `order` tells another byte order.
#include "base/error.h"
#include "base/memory.h"
#include "base/pack.h"
#include "model/articulation.h"
#include "model/rod.h"
#include "model/state.h"

#include <math.h>
#include <string.h>

enum { VERSION = 11 };
static const char magic[8] = "CONDstat";
static const uint32_t order = 0x01020304;

static void pass_numbers(CondPack* pack, double* x, int n)
{
    cond_pack_pass(pack, x, (size_t)n * sizeof *x);
}

static void pass_point(CondPack* pack, CondPoint* point)
{
    cond_pack_pass(pack, &point->body, sizeof point->body);
    cond_pack_pass(pack, &point->link, sizeof point->link);
    cond_pack_pass(pack, point->node, sizeof point->node);
    cond_pack_pass(pack, point->local, sizeof point->local);
}

static void pass_push(CondPack* pack, CondPush* push)
{
    pass_point(pack, &push->point);
    pass_numbers(pack, push->force, 3);
    pass_numbers(pack, push->torque, 3);
}

// Field by field, for there may be padding. A name plays no part in what happens.
static void pass_weld(CondPack* pack, CondWeld* weld)
{
    CondAttachment* what = &weld->what;
    if (pack->kind != COND_PACK_HASH)
        cond_pack_pass(pack, what->name, sizeof what->name);
    cond_pack_pass(pack, &weld->attachment, sizeof weld->attachment);
    cond_pack_pass(pack, &weld->active, sizeof weld->active);
    if (pack->kind != COND_PACK_HASH || weld->waits)
        cond_pack_pass(pack, &weld->waits, sizeof weld->waits);
    for (int end = 0; end < 2; end++) {
        CondFrame* frame = &what->end[end];
        pass_point(pack, &frame->point);
        cond_pack_pass(pack, &frame->patch, sizeof frame->patch);
        cond_pack_pass(pack, &frame->guide, sizeof frame->guide);
    }
    cond_pack_pass(pack, &what->turns, sizeof what->turns);
    cond_pack_pass(pack, &what->contact, sizeof what->contact);
    pass_numbers(pack, what->stiffness, 2);
    pass_numbers(pack, what->damping, 2);
    pass_numbers(pack, &what->start, 1);
    pass_numbers(pack, &what->end_time, 1);
    if (pack->kind != COND_PACK_HASH) { // what is held counts, and that is below
        cond_pack_pass(pack, &what->placed, sizeof what->placed);
        cond_pack_pass(pack, &what->oriented, sizeof what->oriented);
        pass_numbers(pack, what->position, 3);
        pass_numbers(pack, what->orientation, 4);
    }
    pass_numbers(pack, weld->anchor, 3);
    pass_numbers(pack, weld->turn, 4);
}

// Everything that influences the future. The counts come before: a state that
// is loaded has to make room for them.
static void pass_state(CondPack* pack, CondState* state)
{
    pass_numbers(pack, &state->time, 1);
    cond_pack_pass(pack, &state->step, sizeof state->step);
    cond_pack_pass(pack, &state->account.begun, sizeof state->account.begun);
    pass_numbers(pack, &state->account.supply, 1);
    pass_numbers(pack, &state->account.energy, 1);
    pass_numbers(pack, &state->account.height, 1);
    pass_numbers(pack, &state->account.lowest, 1);
    pass_numbers(pack, &state->account.penetration, 1);
    if (pack->kind != COND_PACK_HASH) // what it means is in the account
        cond_pack_pass(pack, &state->account.values, sizeof state->account.values);
    if (pack->kind != COND_PACK_HASH || state->pace.piece != 0.0) {
        pass_numbers(pack, &state->pace.piece, 1);
        cond_pack_pass(pack, &state->pace.cut, sizeof state->pace.cut);
        cond_pack_pass(pack, &state->pace.trust, sizeof state->pace.trust);
        pass_numbers(pack, &state->pace.alone, 1);
        pass_numbers(pack, &state->pace.level, 1);
        pass_numbers(pack, &state->pace.error, 1);
        pass_numbers(pack, &state->pace.last, 1);
    }
    pass_numbers(pack, state->q, state->n_q);
    pass_numbers(pack, state->v, state->n_dof);
    pass_numbers(pack, state->v_hat, state->n_dof);
    pass_numbers(pack, state->target, state->n_target);
    pass_numbers(pack, state->command, state->n_target);
    for (int i = 0; i < state->n_target; i++) {
        pass_numbers(pack, &state->motor[i].stiffness, 1);
        pass_numbers(pack, &state->motor[i].damping, 1);
        pass_numbers(pack, &state->motor[i].effort, 1);
        // The same as effort but for few: only there it is part of the hash.
        if (pack->kind != COND_PACK_HASH || state->motor[i].effort_back != state->motor[i].effort)
            pass_numbers(pack, &state->motor[i].effort_back, 1);
        pass_numbers(pack, &state->motor[i].torque, 1);
        pass_numbers(pack, &state->motor[i].speed, 1);
    }
    pass_numbers(pack, state->force, state->n_dof);
    if (pack->kind != COND_PACK_HASH || memchr(state->off, 1, (size_t)state->n_body))
        cond_pack_pass(pack, state->off, (size_t)state->n_body);
    for (int i = 0; i < state->n_push; i++)
        pass_push(pack, &state->push[i]);
    for (int i = 0; i < state->n_weld; i++)
        pass_weld(pack, &state->weld[i]);
    for (int i = 0; i < state->n_memory; i++) {
        CondContactMemory* memory = &state->memory[i];
        cond_pack_pass(pack, &memory->key, sizeof memory->key);
        pass_numbers(pack, memory->lambda, 3);
        cond_pack_pass(pack, &memory->triangle, sizeof memory->triangle);
        pass_numbers(pack, memory->tangent, 3);
    }
    for (int i = 0; i < state->n_touch && pack->kind != COND_PACK_HASH; i++) // events come of it
        cond_pack_pass(pack, &state->touch[i], sizeof state->touch[i]);
}

uint64_t cond_state_hash(const CondState* state)
{
    CondPack pack = {.kind = COND_PACK_HASH, .hash = COND_HASH_START};
    pass_state(&pack, (CondState*)state); // this kind of walk only reads
    return pack.hash;
}

// What a state must share with the model it is loaded for: the layout of its arrays, the meaning of
// its indices, and the length of the steps it counts. Masses, materials, friction and the like may
// differ: a saved state can go on under other conditions.
static uint64_t fingerprint(const CondModel* model)
{
    uint64_t hash = cond_hash_bytes(COND_HASH_START, &model->settings.time_step, sizeof(double));
    int counts[] = {model->n_body, model->n_attachment, model->n_patch, model->n_target,
                    model->n_trajectory};
    hash = cond_hash_bytes(hash, counts, sizeof counts);
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        int sizes[] = {(int)body->kind, body->n_dof, body->n_q};
        hash = cond_hash_bytes(hash, sizes, sizeof sizes);
        hash = cond_hash_bytes(hash, body->name, strlen(body->name) + 1);
    }
    for (int i = 0; i < model->n_attachment; i++)
        hash =
            cond_hash_bytes(hash, model->attachment[i].name, strlen(model->attachment[i].name) + 1);
    for (int i = 0; i < model->n_patch; i++) {
        int sizes[] = {model->patch[i].body, model->patch[i].n_node};
        hash = cond_hash_bytes(hash, sizes, sizeof sizes);
    }
    return hash;
}

typedef struct Head {
    char magic[8];
    uint32_t order, version;
    uint64_t fingerprint;
    int n_weld, n_push, n_memory, n_touch;
} Head;

static void pass_head(CondPack* pack, Head* head)
{
    cond_pack_pass(pack, head->magic, sizeof head->magic);
    cond_pack_pass(pack, &head->order, sizeof head->order);
    cond_pack_pass(pack, &head->version, sizeof head->version);
    cond_pack_pass(pack, &head->fingerprint, sizeof head->fingerprint);
    cond_pack_pass(pack, &head->n_weld, sizeof head->n_weld);
    cond_pack_pass(pack, &head->n_push, sizeof head->n_push);
    cond_pack_pass(pack, &head->n_memory, sizeof head->n_memory);
    cond_pack_pass(pack, &head->n_touch, sizeof head->n_touch);
}

static int fits(const CondModel* model, const CondState* state)
{
    return model->n_body == state->n_body && model->n_dof == state->n_dof &&
           model->n_q == state->n_q && model->n_target == state->n_target;
}

CondStatus cond_state_save(const CondModel* model, const CondState* state, void* buffer,
                           size_t capacity, size_t* size)
{
    if (!fits(model, state))
        return cond_error_set(NULL, COND_BAD_ARGUMENT, "the state is not one of this model");
    Head head = {.order = order,
                 .version = VERSION,
                 .fingerprint = fingerprint(model),
                 .n_weld = state->n_weld,
                 .n_push = state->n_push,
                 .n_memory = state->n_memory,
                 .n_touch = state->n_touch};
    memcpy(head.magic, magic, sizeof head.magic);
    CondPack pack = {.kind = COND_PACK_MEASURE};
    pass_head(&pack, &head);
    pass_state(&pack, (CondState*)state); // measuring and saving only read
    *size = pack.at + sizeof(uint64_t);
    if (!buffer)
        return COND_OK;
    if (capacity < *size)
        return cond_error_set(NULL, COND_BAD_ARGUMENT, "capacity %zu: the state needs %zu bytes",
                              capacity, *size);
    pack = (CondPack){.kind = COND_PACK_SAVE, .bytes = buffer};
    pass_head(&pack, &head);
    pass_state(&pack, (CondState*)state);
    uint64_t checksum = cond_hash_bytes(COND_HASH_START, buffer, pack.at);
    cond_pack_pass(&pack, &checksum, sizeof checksum);
    return COND_OK;
}

// Whether the bytes are a whole state of this model; fills the head.
static CondStatus check_bytes(const CondModel* model, const CondState* state, const void* bytes,
                              size_t size, Head* head, CondError* error)
{
    CondState counts = *state;
    CondPack pack = {.kind = COND_PACK_LOAD,
                     .bytes = (unsigned char*)bytes}; // loading only reads them
    CondPack measure = {.kind = COND_PACK_MEASURE};
    uint64_t checksum;
    pass_head(&measure, head);
    if (size < sizeof magic || memcmp(bytes, magic, sizeof magic) != 0)
        return cond_error_set(error, COND_BAD_INPUT, "is not a saved state");
    if (size < measure.at + sizeof checksum)
        return cond_error_set(error, COND_BAD_INPUT, "is cut short: %zu bytes", size);
    pass_head(&pack, head);
    if (head->order != order)
        return cond_error_set(error, COND_NOT_SUPPORTED,
                              "was saved on a machine with another byte order");
    if (head->version != VERSION)
        return cond_error_set(error, COND_NOT_SUPPORTED,
                              "has format version %lu; this program reads version %d",
                              (unsigned long)head->version, VERSION);
    memcpy(&checksum, (const unsigned char*)bytes + size - sizeof checksum, sizeof checksum);
    if (checksum != cond_hash_bytes(COND_HASH_START, bytes, size - sizeof checksum))
        return cond_error_set(error, COND_BAD_INPUT,
                              "is damaged or cut short: its checksum does not fit");
    if (head->fingerprint != fingerprint(model))
        return cond_error_set(error, COND_BAD_INPUT,
                              "belongs to another scene: bodies, attachments, patches or the "
                              "time step differ");
    if (head->n_weld < model->n_attachment || head->n_push < 0 || head->n_memory < 0 ||
        head->n_touch < 0 || (size_t)head->n_touch > size || (size_t)head->n_weld > size ||
        (size_t)head->n_push > size || (size_t)head->n_memory > size)
        return cond_error_set(error, COND_BAD_INPUT, "holds impossible counts");
    counts.n_weld = counts.n_push = counts.n_memory = counts.n_touch = 0;
    pass_state(&measure, &counts);
    CondWeld weld;
    CondPush push;
    CondPack one = {.kind = COND_PACK_MEASURE}, other = one;
    pass_weld(&one, &weld);
    pass_push(&other, &push);
    size_t expected =
        measure.at + one.at * (size_t)head->n_weld + other.at * (size_t)head->n_push +
        (size_t)head->n_memory * (sizeof(CondContactKey) + 6 * sizeof(double) + sizeof(int64_t)) +
        (size_t)head->n_touch * sizeof(CondTouch) + sizeof checksum;
    if (size != expected)
        return cond_error_set(error, COND_BAD_INPUT, "has %zu bytes instead of %zu", size,
                              expected);
    return COND_OK;
}

static int sound_frame(const CondModel* model, const CondFrame* frame)
{
    int b = frame->point.body;
    if (b < -1 || b >= model->n_body || frame->patch < -1 || frame->patch >= model->n_patch ||
        frame->guide < 0 || frame->guide > model->n_trajectory)
        return 0;
    if (frame->guide > 0)
        return b < 0 && frame->patch < 0 && model->trajectory[frame->guide - 1].body < 0;
    if (frame->patch >= 0)
        return model->patch[frame->patch].body == b;
    if (b >= 0 && model->body[b].kind == COND_BODY_ROBOT)
        return frame->point.link >= 0 && frame->point.link < model->body[b].arm->n_link;
    if (b >= 0 && model->body[b].kind == COND_BODY_ROD)
        return frame->point.link >= 0 && frame->point.link < model->body[b].rod->n_link;
    if (b >= 0 && model->body[b].kind == COND_BODY_SOFT) // one of its nodes
        return frame->point.n_node == 1 && frame->point.node[0] >= 0 &&
               frame->point.node[0] < model->body[b].n_dof / 3;
    return 1;
}

// The place that a push was made at.
static int sound_point(const CondModel* model, const CondPoint* point)
{
    CondPoint made;
    int soft = point->body < model->n_body && model->body[point->body].kind == COND_BODY_SOFT;
    CondPlace place = {.body = point->body, .part = soft ? point->node[0] : point->link};
    for (int k = 0; k < 3; k++)
        place.point[k] = soft ? 0.0 : point->local[k];
    return cond_place_point(model, &place, &made) == COND_OK && made.link == point->link;
}

// Nothing that a step could trip over, however the bytes came about.
static int sound(const CondModel* model, const CondState* state)
{
    double finite = 0.0 * state->time; // NaN and infinity survive a sum of products with 0
    for (int i = 0; i < state->n_q; i++)
        finite += 0.0 * state->q[i];
    for (int i = 0; i < state->n_dof; i++)
        finite += 0.0 * state->v[i] + 0.0 * state->v_hat[i];
    const CondAccount* account = &state->account;
    finite += 0.0 * account->supply + 0.0 * account->energy + 0.0 * account->height +
              0.0 * account->lowest + 0.0 * account->penetration + 0.0 * state->pace.piece +
              0.0 * state->pace.alone + 0.0 * state->pace.level + 0.0 * state->pace.error +
              0.0 * state->pace.last;
    if (finite != 0.0 || state->step < 0)
        return 0;
    for (int i = 0; i < state->n_weld; i++) {
        const CondWeld* weld = &state->weld[i];
        int index = i < model->n_attachment ? i : -1;
        if (weld->attachment != index || !sound_frame(model, &weld->what.end[0]) ||
            !sound_frame(model, &weld->what.end[1]))
            return 0;
    }
    for (int b = 0; b < state->n_body; b++)
        if (state->off[b] > 1)
            return 0;
    for (int i = 0; i < state->n_dof; i++)
        finite += 0.0 * state->force[i];
    for (int i = 0; i < state->n_target; i++) {
        const CondMotor* motor = &state->motor[i];
        finite += 0.0 * motor->torque + 0.0 * motor->speed + 0.0 * motor->stiffness +
                  0.0 * motor->damping;
        if (!(motor->stiffness >= 0.0) || !(motor->damping >= 0.0) || !(motor->effort >= 0.0) ||
            !(motor->effort_back >= 0.0))
            return 0;
    }
    for (int i = 0; i < state->n_push; i++) {
        const CondPush* push = &state->push[i];
        for (int k = 0; k < 3; k++)
            finite += 0.0 * push->force[k] + 0.0 * push->torque[k];
        if (push->point.body >= 0 && !sound_point(model, &push->point))
            return 0;
    }
    if (finite != 0.0)
        return 0;
    for (int i = 0; i < state->n_touch; i++) {
        const CondTouch* touch = &state->touch[i];
        if (touch->body[0] < 0 || touch->body[0] >= state->n_body || touch->body[1] < -1 ||
            touch->body[1] >= state->n_body)
            return 0;
    }
    for (int i = 1; i < state->n_memory; i++)
        if (cond_key_less(state->memory[i].key, state->memory[i - 1].key))
            return 0;
    return 1;
}

static CondStatus fill(const CondModel* model, const Head* head, const void* bytes, CondState* made,
                       CondError* error)
{
    CondPack pack = {.kind = COND_PACK_LOAD, .bytes = (unsigned char*)bytes};
    Head again;
    if (COND_RESERVE(&made->arena, made->weld, head->n_weld) ||
        COND_RESERVE(&made->arena, made->push, head->n_push) ||
        COND_RESERVE(&made->arena, made->memory, head->n_memory) ||
        COND_RESERVE(&made->arena, made->touch, head->n_touch))
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    made->n_weld = head->n_weld;
    made->n_push = head->n_push;
    made->n_memory = head->n_memory;
    made->n_touch = head->n_touch;
    pass_head(&pack, &again);
    pass_state(&pack, made);
    return sound(model, made) ? COND_OK
                              : cond_error_set(error, COND_BAD_INPUT, "holds impossible values");
}

CondStatus cond_state_load(const CondModel* model, CondState* state, const void* buffer,
                           size_t size, CondError* error)
{
    Head head;
    CondState* made = NULL;
    if (!fits(model, state))
        return cond_error_set(error, COND_BAD_ARGUMENT, "the state is not one of this model");
    CondStatus status = check_bytes(model, state, buffer, size, &head, error);
    if (!status)
        status = cond_state_create(model, &made, error);
    if (!status)
        status = fill(model, &head, buffer, made, error);
    if (!status && (status = cond_state_copy(state, made)))
        cond_error_set(error, status, "out of memory");
    cond_state_destroy(made);
    return status;
}
