#include "scene/scene.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

CondStatus cond_scene_create(const CondContext* context, CondScene** scene, CondError* error)
{
    CondContext own = cond_context_or_default(context);
    CondScene* made = cond_allocate(&own, 1, sizeof *made);
    *scene = made;
    if (!made)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "no memory for a scene");
    made->context = own;
    made->settings = cond_scene_settings_default();
    return COND_OK;
}

void cond_scene_destroy(CondScene* scene)
{
    if (!scene)
        return;
    CondContext context = scene->context;
    for (int i = 0; i < scene->n_body; ++i)
        cond_release(&context, (void*)scene->body[i].point);
    cond_release(&context, scene->body);
    cond_release(&context, scene->plane);
    cond_release(&context, scene->force);
    cond_release(&context, scene->spring);
    cond_release(&context, scene->body_name.slot);
    cond_release(&context, scene->plane_name.slot);
    cond_release(&context, scene->force_name.slot);
    cond_release(&context, scene->spring_name.slot);
    cond_release(&context, scene);
}

CondSceneSettings* cond_scene_settings(CondScene* scene)
{
    return &scene->settings;
}

int cond_scene_find_body(const CondScene* scene, const char* name)
{
    return cond_name_index_find(&scene->body_name, scene->body, sizeof *scene->body, name);
}

// The arrays of one kind, seen without its type: every definition begins with its name.
typedef struct Kind {
    const char* word;
    void* data; // address of the array
    int* count;
    int* capacity;
    CondNameIndex* index;
    size_t size;
} Kind;

_Static_assert(offsetof(CondBodyDef, name) == 0, "a definition begins with its name");
_Static_assert(offsetof(CondPlaneDef, name) == 0, "a definition begins with its name");
_Static_assert(offsetof(CondForceDef, name) == 0, "a definition begins with its name");
_Static_assert(offsetof(CondSpringDef, name) == 0, "a definition begins with its name");

static CondStatus no_memory(const Kind* kind, CondSceneIssue* issue)
{
    cond_scene_issue_set(issue, "", "no memory for another %s", kind->word);
    return COND_OUT_OF_MEMORY;
}

// Copies a checked definition to the end of its array and enters its name. A nameless one is called
// after its kind and its place ("body3"), or the next number that is free.
static CondStatus append(CondScene* scene, const Kind* kind, const void* def, CondSceneIssue* issue)
{
    int number = *kind->count;
    if (cond_reserve(&scene->context, kind->data, kind->capacity, number + 1, kind->size))
        return no_memory(kind, issue);
    char* first;
    memcpy(&first, kind->data, sizeof first);
    if (cond_name_index_reserve(&scene->context, kind->index, first, kind->size, number,
                                number + 1))
        return no_memory(kind, issue);
    char* place = first + (size_t)number * kind->size;
    memcpy(place, def, kind->size);
    if (!*place) {
        int suffix = number;
        char name[COND_NAME_SIZE];
        do
            snprintf(name, sizeof name, "%s%d", kind->word, suffix++);
        while (cond_name_index_find(kind->index, first, kind->size, name) >= 0);
        memcpy(place, name, sizeof name);
    }
    cond_name_index_add(kind->index, first, kind->size, number);
    *kind->count = number + 1;
    return COND_OK;
}

// A solid box of edges x, y, z: I_xx = m (y^2 + z^2) / 12 and so on round.
static void inertia_of_box(double mass, const double* size, double* inertia)
{
    for (int i = 0; i < 3; ++i) {
        double a = size[(i + 1) % 3];
        double b = size[(i + 2) % 3];
        inertia[i] = mass * (a * a + b * b) / 12.0;
        inertia[3 + i] = 0.0;
    }
}

CondStatus cond_scene_put_body(CondScene* scene, const CondBodyDef* def, CondSceneIssue* issue)
{
    Kind kind = {"body",     &scene->body, &scene->n_body, &scene->body_capacity, &scene->body_name,
                 sizeof *def};
    CondStatus status = cond_scene_check_body(scene, def, issue);
    if (status)
        return status;
    CondBodyDef own = *def;
    double* point = NULL;
    if (own.shape == COND_SHAPE_POINTS) {
        size_t n = 3 * (size_t)own.n_point;
        point = cond_allocate(&scene->context, n, sizeof *point);
        if (!point)
            return no_memory(&kind, issue);
        memcpy(point, def->point, n * sizeof *point);
    } else {
        own.n_point = 0;
    }
    own.point = point;
    if (own.kind == COND_BODY_RIGID && own.inertia_from_shape)
        inertia_of_box(own.mass, own.size, own.inertia);
    status = append(scene, &kind, &own, issue);
    if (status)
        cond_release(&scene->context, point);
    return status;
}

// The x axis, or y for a normal within 45 degrees of x.
static void choose_direction(const double* normal, double* direction)
{
    double x2 = normal[0] * normal[0];
    int axis = x2 > normal[1] * normal[1] + normal[2] * normal[2] ? 1 : 0;
    for (int i = 0; i < 3; ++i)
        direction[i] = i == axis ? 1.0 : 0.0;
}

CondStatus cond_scene_put_plane(CondScene* scene, const CondPlaneDef* def, CondSceneIssue* issue)
{
    Kind kind = {
        "plane",    &scene->plane, &scene->n_plane, &scene->plane_capacity, &scene->plane_name,
        sizeof *def};
    CondStatus status = cond_scene_check_plane(scene, def, issue);
    if (status)
        return status;
    CondPlaneDef own = *def;
    if (isnan(own.direction[0]))
        choose_direction(own.normal, own.direction);
    return append(scene, &kind, &own, issue);
}

CondStatus cond_scene_put_force(CondScene* scene, const CondForceDef* def, CondSceneIssue* issue)
{
    Kind kind = {
        "force",    &scene->force, &scene->n_force, &scene->force_capacity, &scene->force_name,
        sizeof *def};
    CondStatus status = cond_scene_check_force(scene, def, issue);
    return status ? status : append(scene, &kind, def, issue);
}

CondStatus cond_scene_put_spring(CondScene* scene, const CondSpringDef* def, CondSceneIssue* issue)
{
    Kind kind = {
        "spring",   &scene->spring, &scene->n_spring, &scene->spring_capacity, &scene->spring_name,
        sizeof *def};
    CondStatus status = cond_scene_check_spring(scene, def, issue);
    return status ? status : append(scene, &kind, def, issue);
}

// "body 'box': mass: what is wrong"
static CondStatus report(CondError* error, CondStatus status, const char* word, const char* name,
                         const CondSceneIssue* issue)
{
    if (status)
        cond_error_set(error, status, "%s '%.*s': %s%s%s", word, COND_NAME_SIZE - 1, name,
                       issue->field, *issue->field ? ": " : "", issue->text);
    return status;
}

CondStatus cond_scene_add_body(CondScene* scene, const CondBodyDef* def, CondError* error)
{
    CondSceneIssue issue;
    return report(error, cond_scene_put_body(scene, def, &issue), "body", def->name, &issue);
}

CondStatus cond_scene_add_plane(CondScene* scene, const CondPlaneDef* def, CondError* error)
{
    CondSceneIssue issue;
    return report(error, cond_scene_put_plane(scene, def, &issue), "plane", def->name, &issue);
}

CondStatus cond_scene_add_force(CondScene* scene, const CondForceDef* def, CondError* error)
{
    CondSceneIssue issue;
    return report(error, cond_scene_put_force(scene, def, &issue), "force", def->name, &issue);
}

CondStatus cond_scene_add_spring(CondScene* scene, const CondSpringDef* def, CondError* error)
{
    CondSceneIssue issue;
    return report(error, cond_scene_put_spring(scene, def, &issue), "spring", def->name, &issue);
}
