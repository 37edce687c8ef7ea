// What a scene holds, seen without its types: one row for each kind of definition, and what can be
// done with any of them: add, find, get, replace and remove.
#include "scene/scene_kind.h"
#include "base/definition.h"
#include "base/error.h"
#include "scene/scene_check.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define BIT(KIND) (1u << COND_SCENE_##KIND)

enum {
    BODY_USERS = BIT(EXCLUDE) | BIT(PATCH) | BIT(TRAJECTORY) | BIT(ATTACHMENT) | BIT(SENSOR) |
                 BIT(FORCE) | BIT(SPRING) | BIT(ACTION) | BIT(REWARD) | BIT(OBSERVATION) |
                 BIT(CAMERA),
    PATCH_USERS = BIT(ATTACHMENT) | BIT(SENSOR) | BIT(FORCE) | BIT(REWARD) | BIT(OBSERVATION),
};

#define SECTIONS(...)                                                                              \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define ROW(noun, Type, keys, copies, drops, refers)                                               \
    {                                                                                              \
        .word = #noun, .structure = #Type, .section = keys, .maker = "cond_" #noun "_def_default", \
        .array = offsetof(CondScene, noun), .count = offsetof(CondScene, n_##noun),                \
        .size = sizeof(Type), .check = cond_scene_check_##noun, .copy = copies, .drop = drops,     \
        .users = refers                                                                            \
    }

// clang-format off
static const CondKindRow rows[COND_SCENE_N_KIND] = {
    [COND_SCENE_MATERIAL] = ROW(material, CondMaterialDef, SECTIONS("materials"), NULL, NULL, BIT(BODY) | BIT(PATCH)),
    [COND_SCENE_BODY] = ROW(body, CondBodyDef, SECTIONS("bodies"), cond_body_copy_arrays, cond_body_drop_arrays, BODY_USERS),
    [COND_SCENE_PLANE] = ROW(plane, CondPlaneDef, SECTIONS("planes"), NULL, NULL, BIT(EXCLUDE)),
    [COND_SCENE_OBSTACLE] = ROW(obstacle, CondObstacleDef, SECTIONS("obstacles"), cond_obstacle_copy_arrays, cond_obstacle_drop_arrays, BIT(EXCLUDE)),
    [COND_SCENE_EXCLUDE] = ROW(exclude, CondExcludeDef, SECTIONS(NULL), NULL, NULL, 0),
    [COND_SCENE_PATCH] = ROW(patch, CondPatchDef, SECTIONS("patches"), NULL, NULL, PATCH_USERS),
    [COND_SCENE_TRAJECTORY] = ROW(trajectory, CondTrajectoryDef, SECTIONS("trajectories"), cond_trajectory_copy_arrays, cond_trajectory_drop_arrays, BIT(ATTACHMENT)),
    [COND_SCENE_ATTACHMENT] = ROW(attachment, CondAttachmentDef, SECTIONS("attachments", "attachments.from", "attachments.to"), NULL, NULL, BIT(SENSOR) | BIT(ACTION)),
    [COND_SCENE_SENSOR] = ROW(sensor, CondSensorDef, SECTIONS("sensors"), NULL, NULL, 0),
    [COND_SCENE_CAMERA] = ROW(camera, CondCameraDef, SECTIONS("cameras"), NULL, NULL, 0),
    [COND_SCENE_FORCE] = ROW(force, CondForceDef, SECTIONS("forces"), NULL, NULL, 0),
    [COND_SCENE_SPRING] = ROW(spring, CondSpringDef, SECTIONS("springs", "springs.from", "springs.to"), NULL, NULL, 0),
    [COND_SCENE_VARIATION] = ROW(variation, CondVariationDef, SECTIONS("randomise"), NULL, NULL, 0),
    [COND_SCENE_ACTION] = ROW(action, CondActionDef, SECTIONS("actions"), NULL, NULL, 0),
    [COND_SCENE_REWARD] = ROW(reward, CondRewardDef, SECTIONS("rewards", "rewards.to"), NULL, NULL, 0),
    [COND_SCENE_OBSERVATION] = ROW(observation, CondObservationDef, SECTIONS("observations", "observations.to"), NULL, NULL, 0),
    [COND_SCENE_MESH] = {.word = "mesh", .array = offsetof(CondScene, mesh), .count = offsetof(CondScene, n_mesh), .size = sizeof(CondSceneMesh)},
};
// clang-format on

#define BEGINS_WITH_NAME(Type)                                                                     \
    _Static_assert(offsetof(Type, name) == 0 &&                                                    \
                       offsetof(Type, struct_size) == offsetof(CondBodyDef, struct_size),          \
                   "a definition begins with its name and its size")
BEGINS_WITH_NAME(CondMaterialDef);
BEGINS_WITH_NAME(CondBodyDef);
BEGINS_WITH_NAME(CondPlaneDef);
BEGINS_WITH_NAME(CondObstacleDef);
BEGINS_WITH_NAME(CondExcludeDef);
BEGINS_WITH_NAME(CondPatchDef);
BEGINS_WITH_NAME(CondTrajectoryDef);
BEGINS_WITH_NAME(CondAttachmentDef);
BEGINS_WITH_NAME(CondSensorDef);
BEGINS_WITH_NAME(CondCameraDef);
BEGINS_WITH_NAME(CondForceDef);
BEGINS_WITH_NAME(CondSpringDef);
BEGINS_WITH_NAME(CondVariationDef);
BEGINS_WITH_NAME(CondActionDef);
BEGINS_WITH_NAME(CondRewardDef);
BEGINS_WITH_NAME(CondObservationDef);

const CondKindRow* cond_scene_kind_row(CondSceneKind kind)
{
    return (unsigned)kind < COND_SCENE_N_KIND ? &rows[kind] : NULL;
}

static int count_of(const CondScene* scene, const CondKindRow* row)
{
    int count;
    memcpy(&count, (const char*)scene + row->count, sizeof count);
    return count;
}

static void set_count(CondScene* scene, const CondKindRow* row, int count)
{
    memcpy((char*)scene + row->count, &count, sizeof count);
}

// The first of the definitions.
static char* array_of(const CondScene* scene, const CondKindRow* row)
{
    char* first;
    memcpy(&first, (const char*)scene + row->array, sizeof first);
    return first;
}

int cond_scene_count(const CondScene* scene, CondSceneKind kind)
{
    const CondKindRow* row = cond_scene_kind_row(kind);
    return row ? count_of(scene, row) : 0;
}

int cond_scene_find(const CondScene* scene, CondSceneKind kind, const char* name)
{
    const CondKindRow* row = cond_scene_kind_row(kind);
    return row ? cond_name_index_find(&scene->name[kind], array_of(scene, row), row->size, name)
               : -1;
}

const char* cond_scene_name(const CondScene* scene, CondSceneKind kind, int index)
{
    const CondKindRow* row = cond_scene_kind_row(kind);
    return row && index >= 0 && index < count_of(scene, row)
               ? array_of(scene, row) + (size_t)index * row->size
               : NULL;
}

const void* cond_scene_get(const CondScene* scene, CondSceneKind kind, int index)
{
    const char* found = cond_scene_name(scene, kind, index);
    return found && kind == COND_SCENE_MESH ? (const void*)&scene->mesh[index].mesh : found;
}

static CondStatus no_memory(const CondKindRow* row, CondSceneIssue* issue)
{
    cond_scene_issue_set(issue, "", "no memory for another %s", row->word);
    return COND_OUT_OF_MEMORY;
}

// Writes "body3" where no name is given, or the next number that is free.
static void choose_name(const CondScene* scene, CondSceneKind kind, int number, char* name)
{
    char made[COND_NAME_SIZE] = ""; // all of it is copied, and reaches files
    do
        snprintf(made, sizeof made, "%s%d", rows[kind].word, number++);
    while (cond_scene_find(scene, kind, made) >= 0);
    memcpy(name, made, sizeof made);
}

static CondStatus check_name(const CondScene* scene, CondSceneKind kind, int index,
                             const char* name, CondSceneIssue* issue)
{
    if (!memchr(name, 0, COND_NAME_SIZE))
        return cond_scene_issue_set(issue, "name", "has no end");
    int found = *name ? cond_scene_find(scene, kind, name) : -1;
    if (found >= 0 && found != index)
        return cond_scene_issue_set(issue, "name", "another %s is called '%s' already",
                                    rows[kind].word, name);
    return COND_OK;
}

// All rules that a definition with this index, or a new one, obeys.
static CondStatus check(const CondScene* scene, CondSceneKind kind, int index, const void* def,
                        CondSceneIssue* issue)
{
    const CondKindRow* row = &rows[kind];
    CondStatus status = COND_OK;
    for (int i = 0; i < 3 && row->section[i] && !status; i++)
        status = cond_keys_check(row->section[i], def, row->size, issue);
    if (!status)
        status = check_name(scene, kind, index, def, issue);
    return status ? status : row->check(scene, def, issue);
}

// Room for one more definition behind the last: a program's, of any age, becomes one of this
// library's there, with arrays of its own, and is checked. On failure nothing remains of it.
static CondStatus take(CondScene* scene, CondSceneKind kind, int index, const void* def,
                       char** slot, CondSceneIssue* issue)
{
    const CondKindRow* row = &rows[kind];
    int count = count_of(scene, row);
    size_t held = (size_t)count * row->size;
    uintptr_t at = (uintptr_t)def - (uintptr_t)array_of(scene, row);
    CondError inner;
    if (cond_arena_reserve(&scene->arena, (char*)scene + row->array, count + 1, row->size))
        return no_memory(row, issue);
    if (held > 0 && at < held) // one of the scene's own, which may have moved
        def = array_of(scene, row) + at;
    *slot = array_of(scene, row) + held;
    cond_structure_find(row->structure)->fill(*slot);
    if (cond_definition_take(def, *slot, row->size, offsetof(CondBodyDef, struct_size), row->maker,
                             &inner))
        return cond_scene_issue_set(issue, "", "%s", inner.message);
    CondStatus status = row->copy ? row->copy(scene, *slot, issue) : COND_OK;
    if (!status)
        status = check(scene, kind, index, *slot, issue);
    if (status && row->drop)
        row->drop(scene, *slot);
    return status;
}

CondStatus cond_scene_put_def(CondScene* scene, CondSceneKind kind, const void* def,
                              CondSceneIssue* issue)
{
    const CondKindRow* row = &rows[kind];
    CondNameIndex* index = &scene->name[kind];
    int number = count_of(scene, row);
    char* slot;
    if (index->put > 0)
        return cond_scene_put_def_at(scene, kind, index->put - 1, def, issue);
    CondStatus status = take(scene, kind, -1, def, &slot, issue);
    if (status)
        return status;
    if (cond_name_index_reserve(&scene->arena, index, array_of(scene, row), row->size, number,
                                number + 1)) {
        if (row->drop)
            row->drop(scene, slot);
        return no_memory(row, issue);
    }
    if (!*slot)
        choose_name(scene, kind, number, slot);
    cond_name_index_add(index, array_of(scene, row), row->size, number);
    set_count(scene, row, number + 1);
    return COND_OK;
}

// Two definitions of one kind are exchanged.
static void swap(char* a, char* b, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        char held = a[i];
        a[i] = b[i];
        b[i] = held;
    }
}

CondStatus cond_scene_put_def_at(CondScene* scene, CondSceneKind kind, int index, const void* def,
                                 CondSceneIssue* issue)
{
    const CondKindRow* row = &rows[kind];
    char* slot;
    CondStatus status = take(scene, kind, index, def, &slot, issue);
    if (status)
        return status;
    char* old = array_of(scene, row) + (size_t)index * row->size;
    memcpy(slot, old, COND_NAME_SIZE);
    swap(slot, old, row->size);
    if (row->drop)
        row->drop(scene, slot);
    return COND_OK;
}

// Every definition that may refer to one of this kind still obeys its rules.
static CondStatus check_users(const CondScene* scene, CondSceneKind kind, CondSceneIssue* issue)
{
    for (int k = 0; k < COND_SCENE_N_KIND; k++) {
        if (!(rows[kind].users >> k & 1u))
            continue;
        for (int i = 0; i < cond_scene_count(scene, (CondSceneKind)k); i++) {
            const char* def = cond_scene_name(scene, (CondSceneKind)k, i);
            CondSceneIssue inner;
            if (check(scene, (CondSceneKind)k, i, def, &inner))
                return cond_scene_issue_set(issue, "", "%s '%s' refers to it: %s%s%s", rows[k].word,
                                            def, inner.field, *inner.field ? ": " : "", inner.text);
        }
    }
    return COND_OK;
}

// Meshes are named where files are.
static CondStatus check_mesh_users(const CondScene* scene, const char* name, CondSceneIssue* issue)
{
    for (int b = 0; b < scene->n_body; b++) {
        const CondBodyDef* body = &scene->body[b];
        int used = strcmp(body->mesh, name) == 0;
        for (int i = 0; i < body->n_link; i++)
            for (int k = 0; k < body->link[i].n_shape; k++)
                used |= strcmp(body->link[i].shape[k].mesh, name) == 0;
        if (used)
            return cond_scene_issue_set(issue, "", "body '%s' refers to it", body->name);
    }
    for (int i = 0; i < scene->n_obstacle; i++)
        if (strcmp(scene->obstacle[i].mesh, name) == 0)
            return cond_scene_issue_set(issue, "", "obstacle '%s' refers to it",
                                        scene->obstacle[i].name);
    return COND_OK;
}

// "body 'box': mass: what is wrong"
static CondStatus report(CondError* error, CondStatus status, CondSceneKind kind, const char* name,
                         const CondSceneIssue* issue)
{
    if (status)
        cond_error_set(error, status, "%s '%.*s': %s%s%s", rows[kind].word, COND_NAME_SIZE - 1,
                       name, issue->field, *issue->field ? ": " : "", issue->text);
    return status;
}

// Programs may ask for what is not there.
static CondStatus check_asked(const CondScene* scene, CondSceneKind kind, int index,
                              CondError* error)
{
    if (!cond_scene_kind_row(kind))
        return cond_error_set(error, COND_BAD_ARGUMENT, "there is no kind of definition %d",
                              (int)kind);
    if (index < 0 || index >= count_of(scene, &rows[kind]))
        return cond_error_set(error, COND_BAD_ARGUMENT, "the scene has no %s %d: it has %d",
                              rows[kind].word, index, count_of(scene, &rows[kind]));
    return COND_OK;
}

static CondStatus refuse_mesh(CondError* error)
{
    return cond_error_set(error, COND_BAD_ARGUMENT,
                          "meshes are added by cond_scene_add_mesh() and cannot be replaced");
}

CondStatus cond_scene_add(CondScene* scene, CondSceneKind kind, const void* def, int* index,
                          CondError* error)
{
    CondSceneIssue issue;
    if (!cond_scene_kind_row(kind))
        return check_asked(scene, kind, 0, error);
    if (kind == COND_SCENE_MESH)
        return refuse_mesh(error);
    CondStatus status = cond_scene_put_def(scene, kind, def, &issue);
    if (!status && index)
        *index = count_of(scene, &rows[kind]) - 1;
    return report(error, status, kind, def, &issue);
}

// Enters all names of a kind anew; as many as before, so that there is room for them.
static void index_names(CondScene* scene, CondSceneKind kind)
{
    CondNameIndex* index = &scene->name[kind];
    const CondKindRow* row = &rows[kind];
    memset(index->slot, 0, (size_t)index->n_slot * sizeof *index->slot);
    for (int i = 0; i < count_of(scene, row); i++)
        cond_name_index_add(index, array_of(scene, row), row->size, i);
}

CondStatus cond_scene_replace(CondScene* scene, CondSceneKind kind, int index, const void* def,
                              CondError* error)
{
    CondStatus status = check_asked(scene, kind, index, error);
    if (status)
        return status;
    if (kind == COND_SCENE_MESH)
        return refuse_mesh(error);
    const CondKindRow* row = &rows[kind];
    CondSceneIssue issue;
    char* slot;
    char name[COND_NAME_SIZE];
    memcpy(name, array_of(scene, row) + (size_t)index * row->size, sizeof name);
    status = take(scene, kind, index, def, &slot, &issue);
    if (status)
        return report(error, status, kind, name, &issue);
    char* old = array_of(scene, row) + (size_t)index * row->size;
    if (!*slot)
        memcpy(slot, name, sizeof name);
    int renamed = strcmp(slot, name) != 0;
    swap(slot, old, row->size);
    if (renamed)
        index_names(scene, kind);
    status = check_users(scene, kind, &issue);
    if (status) {
        swap(slot, old, row->size);
        if (renamed)
            index_names(scene, kind);
    }
    if (row->drop)
        row->drop(scene, slot);
    return report(error, status, kind, name, &issue);
}

// The definition at `from` moves to `to`, those between by one.
static void move(CondScene* scene, CondSceneKind kind, int from, int to)
{
    const CondKindRow* row = &rows[kind];
    char* first = array_of(scene, row);
    for (int i = from; i < to; i++)
        swap(first + (size_t)i * row->size, first + (size_t)(i + 1) * row->size, row->size);
    for (int i = from; i > to; i--)
        swap(first + (size_t)i * row->size, first + (size_t)(i - 1) * row->size, row->size);
}

CondStatus cond_scene_remove(CondScene* scene, CondSceneKind kind, int index, CondError* error)
{
    CondStatus status = check_asked(scene, kind, index, error);
    if (status)
        return status;
    const CondKindRow* row = &rows[kind];
    CondSceneIssue issue;
    int last = count_of(scene, row) - 1;
    move(scene, kind, index, last);
    set_count(scene, row, last);
    index_names(scene, kind);
    char* slot = array_of(scene, row) + (size_t)last * row->size;
    status = kind == COND_SCENE_MESH ? check_mesh_users(scene, slot, &issue)
                                     : check_users(scene, kind, &issue);
    if (status) {
        set_count(scene, row, last + 1);
        move(scene, kind, last, index);
        index_names(scene, kind);
        return report(error, status, kind, cond_scene_name(scene, kind, index), &issue);
    }
    if (row->drop)
        row->drop(scene, slot);
    if (kind == COND_SCENE_MESH)
        cond_scene_mesh_drop(scene, &scene->mesh[last]);
    if (index < scene->n_line[kind]) {
        int* line = scene->line[kind];
        memmove(line + index, line + index + 1,
                (size_t)(--scene->n_line[kind] - index) * sizeof *line);
    }
    return COND_OK;
}
