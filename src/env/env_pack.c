// An environment as bytes: a head, the goals of its actions, its last observation and rewards, and
// the bytes of its state.
//
//     magic | order | version | counts | root | episode | n_step | done | cut | goals | values |
//     observation | checksum | state
#include "env/env.h"

#include "base/error.h"
#include "base/pack.h"

#include <string.h>

enum { VERSION = 3 };
static const char magic[8] = "CONDenv ";
static const uint32_t order = 0x01020304;

typedef struct Head {
    char magic[8];
    uint32_t order, version;
    int count[4]; // n_act, n_term, n_action, n_observation
    uint64_t root, episode;
    int n_step, done, cut;
} Head;

static Head head_of(const CondEnv* env)
{
    const CondEnvWorld* world = &env->world;
    Head head = {.order = order,
                 .version = VERSION,
                 .count = {world->n_act, world->n_term, world->n_action, world->n_observation},
                 .root = env->root,
                 .episode = env->episode,
                 .n_step = env->n_step,
                 .done = env->done,
                 .cut = env->cut};
    memcpy(head.magic, magic, sizeof head.magic);
    return head;
}

static void pass_head(CondPack* pack, Head* head)
{
    cond_pack_pass(pack, head->magic, sizeof head->magic);
    cond_pack_pass(pack, &head->order, sizeof head->order);
    cond_pack_pass(pack, &head->version, sizeof head->version);
    cond_pack_pass(pack, head->count, sizeof head->count);
    cond_pack_pass(pack, &head->root, sizeof head->root);
    cond_pack_pass(pack, &head->episode, sizeof head->episode);
    cond_pack_pass(pack, &head->n_step, sizeof head->n_step);
    cond_pack_pass(pack, &head->done, sizeof head->done);
    cond_pack_pass(pack, &head->cut, sizeof head->cut);
}

static void pass_world(CondPack* pack, CondEnvWorld* world)
{
    for (int i = 0; i < world->n_act; i++) {
        CondWeld* goal = &world->act[i].goal;
        cond_pack_pass(pack, goal->anchor, sizeof goal->anchor);
        cond_pack_pass(pack, goal->turn, sizeof goal->turn);
        if (world->act[i].def->kind == COND_ACTION_PICK ||
            world->act[i].def->kind == COND_ACTION_GRIP)
            cond_pack_pass(pack, &world->act[i].attachment, sizeof world->act[i].attachment);
    }
    cond_pack_pass(pack, &world->held, sizeof world->held);
    cond_pack_pass(pack, world->told, (size_t)world->n_action * sizeof(double));
    for (int i = 0; i < world->n_term; i++)
        cond_pack_pass(pack, &world->term[i].value, sizeof world->term[i].value);
    cond_pack_pass(pack, world->observation, (size_t)world->n_observation * sizeof(double));
}

// The bytes before those of the state, checksum included.
static size_t own_size(const CondEnv* env)
{
    CondPack pack = {.kind = COND_PACK_MEASURE};
    Head head = head_of(env);
    pass_head(&pack, &head);
    pass_world(&pack, (CondEnvWorld*)&env->world); // measuring only reads
    return pack.at + sizeof(uint64_t);
}

uint64_t cond_env_hash(const CondEnv* env)
{
    CondPack pack = {.kind = COND_PACK_HASH, .hash = COND_HASH_START};
    Head head = head_of(env);
    uint64_t state = cond_state_hash(env->world.state);
    pass_head(&pack, &head);
    pass_world(&pack, (CondEnvWorld*)&env->world); // hashing only reads
    cond_pack_pass(&pack, &state, sizeof state);
    return pack.hash;
}

CondStatus cond_env_save(const CondEnv* env, void* buffer, size_t capacity, size_t* size)
{
    size_t own = own_size(env), rest = 0;
    CondStatus status = cond_state_save(env->world.model, env->world.state, NULL, 0, &rest);
    *size = own + rest;
    if (status || !buffer)
        return status;
    if (capacity < *size)
        return cond_error_set(NULL, COND_BAD_ARGUMENT,
                              "capacity %zu: the environment needs %zu bytes", capacity, *size);
    CondPack pack = {.kind = COND_PACK_SAVE, .bytes = buffer};
    Head head = head_of(env);
    pass_head(&pack, &head);
    pass_world(&pack, (CondEnvWorld*)&env->world); // saving only reads
    uint64_t checksum = cond_hash_bytes(COND_HASH_START, buffer, pack.at);
    cond_pack_pass(&pack, &checksum, sizeof checksum);
    return cond_state_save(env->world.model, env->world.state, pack.bytes + pack.at, rest, &rest);
}

static CondStatus check(const CondEnv* env, const void* buffer, size_t size, Head* head,
                        CondError* error)
{
    size_t own = own_size(env);
    CondPack pack = {.kind = COND_PACK_LOAD, .bytes = (unsigned char*)buffer};
    Head expected = head_of(env);
    uint64_t checksum;
    if (size < sizeof magic || memcmp(buffer, magic, sizeof magic) != 0)
        return cond_error_set(error, COND_BAD_INPUT, "is not a saved environment");
    if (size < own)
        return cond_error_set(error, COND_BAD_INPUT,
                              "is cut short, or belongs to another environment");
    pass_head(&pack, head);
    if (head->order != order)
        return cond_error_set(error, COND_NOT_SUPPORTED,
                              "was saved on a machine with another byte order");
    if (head->version != VERSION)
        return cond_error_set(error, COND_NOT_SUPPORTED,
                              "has format version %lu; this program reads version %d",
                              (unsigned long)head->version, VERSION);
    if (memcmp(head->count, expected.count, sizeof head->count) != 0)
        return cond_error_set(error, COND_BAD_INPUT,
                              "belongs to another environment: actions, rewards or observation "
                              "differ");
    memcpy(&checksum, (const unsigned char*)buffer + own - sizeof checksum, sizeof checksum);
    if (checksum != cond_hash_bytes(COND_HASH_START, buffer, own - sizeof checksum))
        return cond_error_set(error, COND_BAD_INPUT, "is damaged: its checksum does not fit");
    return COND_OK;
}

// What picks and grips hold must be attachments that were made by them.
static int sound(const CondEnvWorld* world)
{
    for (int i = 0; i < world->n_act; i++) {
        CondActionKind kind = world->act[i].def->kind;
        int held = world->act[i].attachment;
        if ((kind == COND_ACTION_PICK || kind == COND_ACTION_GRIP) &&
            (held < -1 || held >= world->state->n_weld ||
             (held >= 0 && held < world->model->n_attachment)))
            return 0;
    }
    return world->held >= 0;
}

CondStatus cond_env_load(CondEnv* env, const void* buffer, size_t size, CondError* error)
{
    Head head;
    CondEnvWorld world;
    CondStatus status = check(env, buffer, size, &head, error);
    if (status)
        return status;
    size_t own = own_size(env);
    uint64_t seed = cond_env_episode_seed(head.root, head.episode);
    status = cond_env_world_create(env, seed, &world, error);
    if (!status)
        status = cond_state_load(world.model, world.state, (const unsigned char*)buffer + own,
                                 size - own, error);
    if (status) {
        cond_env_world_destroy(&world);
        return status;
    }
    CondPack pack = {.kind = COND_PACK_LOAD, .bytes = (unsigned char*)buffer};
    pass_head(&pack, &head);
    pass_world(&pack, &world);
    if (!sound(&world)) {
        cond_env_world_destroy(&world);
        return cond_error_set(error, COND_BAD_INPUT, "holds what its state does not");
    }
    cond_env_world_destroy(&env->world);
    env->world = world;
    env->root = head.root;
    env->episode = head.episode;
    env->seed = seed;
    env->n_step = head.n_step;
    env->done = head.done;
    env->cut = head.cut;
    return COND_OK;
}
