// Compiles which pairs may touch: collision groups, pairs excluded by the scene or the robot's
// file, and pairs of a robot's own links that a joint connects or that overlap at the start.
#include "base/error.h"
#include "base/memory.h"
#include "base/tuning.h"
#include "math/vec3.h"
#include "model/articulation.h"
#include "model/entity.h"
#include "scene/compile.h"
#include "scene/link_overlap.h"
#include "scene/tuning.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Entities {
    CondModel* model;
    const CondScene* scene;
    CondError* error;
    CondArena arena; // of the pairs
    int (*pair)[2];  // that never touch                                    (n_pair)
    int n_pair;      //
    char* has_shape; // of the links of the robot in hand
    CondLinkOverlap overlap;
} Entities;

static void name_entity(const CondModel* model, int body, int link, char name[2 * COND_NAME_SIZE])
{
    const CondArticulation* arm = model->body[body].arm;
    snprintf(name, 2 * COND_NAME_SIZE, "%.63s/%.63s", model->body[body].name, arm->link[link].name);
}

static CondStatus add_pair(Entities* p, int a, int b)
{
    if (COND_RESERVE(&p->arena, p->pair, p->n_pair + 1))
        return COND_OUT_OF_MEMORY;
    p->pair[p->n_pair][0] = a;
    p->pair[p->n_pair++][1] = b;
    return COND_OK;
}

static CondLeftOut* list_pair(Entities* p, CondLeftOutReason reason)
{
    CondModel* model = p->model;
    if (COND_RESERVE(&model->arena, model->left_out, model->n_left_out + 1))
        return NULL;
    CondLeftOut* out = &model->left_out[model->n_left_out++];
    *out = (CondLeftOut){.reason = reason};
    return out;
}

// ---- the entities

static CondStatus set_links(Entities* p, const CondBody* body, const CondBodyDef* def)
{
    for (int i = 0; i < body->arm->n_link; i++)
        p->model->entity[body->entity + i].rigid = body->arm->link[i].part;
    for (int k = 0; k < def->n_link_groups; k++) {
        int link = cond_articulation_find_link(body->arm, def->link_groups[k].name);
        if (link < 0)
            return cond_error_set(p->error, COND_BAD_INPUT,
                                  "body %s: link_groups: the robot has no link '%.63s'", def->name,
                                  def->link_groups[k].name);
        p->model->entity[body->entity + link].groups = def->link_groups[k].groups;
        p->model->entity[body->entity + link].touches = def->link_groups[k].touches;
    }
    return COND_OK;
}

// The groups of a shape are its own, of those of its entity, or all of them.
static CondStatus narrow(Entities* p, int entity, uint32_t* groups, uint32_t* touches)
{
    const CondEntity* of = &p->model->entity[entity];
    *groups = *groups ? *groups : of->groups;
    *touches = *touches ? *touches : of->touches;
    if ((*groups & ~of->groups) || (*touches & ~of->touches))
        return cond_error_set(
            p->error, COND_BAD_INPUT,
            "body %s: a shape is in groups, or touches some, that its link is not "
            "in or does not touch",
            p->model->body[of->body].name);
    return COND_OK;
}

static CondStatus set_shapes(Entities* p)
{
    CondModel* model = p->model;
    CondStatus status = COND_OK;
    for (int i = 0; i < model->n_obstacle + model->n_solid && !status; i++) {
        CondSolid* solid =
            i < model->n_obstacle ? &model->obstacle[i] : &model->solid[i - model->n_obstacle];
        status = narrow(p, solid->entity, &solid->groups, &solid->touches);
    }
    for (int k = 0; k < model->n_feature && !status; k++) {
        CondFeature* feature = &model->feature[k];
        status =
            narrow(p, cond_feature_entity(model, feature), &feature->groups, &feature->touches);
    }
    return status;
}

static CondStatus number_entities(Entities* p)
{
    CondModel* model = p->model;
    const CondScene* scene = p->scene;
    int n = model->n_obstacle + model->n_plane;
    CondStatus status = COND_OK;
    for (int b = 0; b < model->n_body; b++)
        n += model->body[b].arm ? model->body[b].arm->n_link : 1;
    model->entity = cond_arena_allocate(&model->arena, (size_t)n, sizeof *model->entity);
    if (!model->entity)
        return COND_OUT_OF_MEMORY;
    for (int b = 0; b < model->n_body && !status; b++) {
        CondBody* body = &model->body[b];
        const CondBodyDef* def = &scene->body[b];
        int n_link = body->arm ? body->arm->n_link : 1;
        body->entity = model->n_entity;
        for (int i = 0; i < n_link; i++)
            model->entity[model->n_entity++] = (CondEntity){.groups = def->groups,
                                                            .touches = def->touches,
                                                            .body = b,
                                                            .self_contact = body->self_contact};
        status = body->arm ? set_links(p, body, def) : COND_OK;
    }
    for (int i = 0; i < model->n_obstacle; i++) {
        model->obstacle[i].entity = model->n_entity;
        model->entity[model->n_entity++] = (CondEntity){
            .groups = scene->obstacle[i].groups, .touches = scene->obstacle[i].touches, .body = -1};
    }
    for (int i = 0; i < model->n_plane; i++) {
        model->plane[i].entity = model->n_entity;
        model->entity[model->n_entity++] = (CondEntity){
            .groups = scene->plane[i].groups, .touches = scene->plane[i].touches, .body = -1};
    }
    for (int i = 0; i < model->n_solid; i++) {
        const CondBody* body = &model->body[model->solid[i].body];
        model->solid[i].entity = cond_entity_of(body, model->solid[i].part);
    }
    return status ? status : set_shapes(p);
}

// ---- links of one robot

static int is_left_out(const Entities* p, int a, int b)
{
    for (int k = 0; k < p->n_pair; k++)
        if ((p->pair[k][0] == a && p->pair[k][1] == b) ||
            (p->pair[k][0] == b && p->pair[k][1] == a))
            return 1;
    return 0;
}

// Leaves out two links of a robot, unless they are left out already or never meet anyway.
static CondStatus leave_out(Entities* p, int body, int a, int b, CondLeftOutReason reason)
{
    const CondArticulation* arm = p->model->body[body].arm;
    int entity[2] = {p->model->body[body].entity + a, p->model->body[body].entity + b};
    if (!p->has_shape[a] || !p->has_shape[b] || arm->link[a].part == arm->link[b].part)
        return COND_OK;
    if (is_left_out(p, entity[0], entity[1]))
        return COND_OK;
    CondLeftOut* out = list_pair(p, reason);
    if (!out)
        return COND_OUT_OF_MEMORY;
    name_entity(p->model, body, a, out->name[0]);
    name_entity(p->model, body, b, out->name[1]);
    return add_pair(p, entity[0], entity[1]);
}

// 1 where a link only carries joints: it has neither shapes nor mass, or no
// shapes and the joint `next` sits where its own does, as in a universal joint. Where only moving
// neighbours are meant it is what has nothing at all.
static int is_thin(const Entities* p, int body, int part, int next)
{
    const CondArticulation* arm = p->model->body[body].arm;
    for (int i = 0; i < arm->n_link; i++)
        if (arm->link[i].part == part && p->has_shape[i])
            return 0;
    return arm->link[part].part_mass == 0.0 ||
           (p->scene->body[body].neighbours == COND_NEIGHBOURS_ALL &&
            arm->link[next].parent == part &&
            vec3_norm(arm->link[next].position) < COND_INPUT_ROUNDING);
}

// All links of two rigid parts.
static CondStatus leave_out_parts(Entities* p, int body, int one, int other)
{
    const CondArticulation* arm = p->model->body[body].arm;
    CondStatus status = COND_OK;
    for (int i = 0; i < arm->n_link; i++)
        for (int j = 0; j < arm->n_link && !status && arm->link[i].part == one; j++)
            if (arm->link[j].part == other)
                status = leave_out(p, body, i, j, COND_LEFT_OUT_ADJACENT);
    return status;
}

static CondStatus leave_out_adjacent(Entities* p, int body)
{
    const CondArticulation* arm = p->model->body[body].arm;
    CondNeighbours neighbours = p->scene->body[body].neighbours;
    CondStatus status = COND_OK;
    for (int i = 1; i < arm->n_link && !status && neighbours != COND_NEIGHBOURS_NONE; i++) {
        int next = i, carrier;
        if (arm->link[i].part != i)
            continue;
        do {
            carrier = arm->link[arm->link[next].parent].part;
            int stands = carrier == arm->link[0].part && !arm->floating;
            if (!stands || neighbours == COND_NEIGHBOURS_ALL)
                status = leave_out_parts(p, body, carrier, i);
            if (carrier == arm->link[0].part || !is_thin(p, body, carrier, next))
                break;
            next = carrier;
        } while (!status);
    }
    return status;
}

// A rule from either side; two more fit.
static void put_rule(CondModel* model, const CondPairRule* rule)
{
    model->rule[model->n_rule++] = *rule;
    if (rule->other < 0) // a plane
        return;
    CondPairRule* back = &model->rule[model->n_rule++];
    *back = *rule;
    back->solid = rule->other;
    back->other = rule->solid;
}

// Two solids that are slightly in each other touch from there on.
static CondStatus allow(Entities* p, const CondSolid* a, const CondSolid* b, double depth)
{
    CondModel* model = p->model;
    char name[2][2 * COND_NAME_SIZE];
    if (COND_RESERVE(&model->arena, model->rule, model->n_rule + 2))
        return COND_OUT_OF_MEMORY;
    const CondPairRule rule = {
        .solid = a->number, .other = b->number, .allowance = depth, .surface = {{NAN, NAN}, NAN}};
    put_rule(model, &rule);
    name_entity(model, a->body, a->part, name[0]);
    name_entity(model, b->body, b->part, name[1]);
    for (int i = 0; i < model->n_left_out; i++) {
        const CondLeftOut* out = &model->left_out[i];
        if (out->reason == COND_LEFT_OUT_SLIGHT && strcmp(out->name[0], name[0]) == 0 &&
            strcmp(out->name[1], name[1]) == 0)
            return COND_OK; // other shapes of the same two links
    }
    CondLeftOut* out = list_pair(p, COND_LEFT_OUT_SLIGHT);
    if (!out)
        return COND_OUT_OF_MEMORY;
    memcpy(out->name, name, sizeof name);
    return COND_OK;
}

// 1 where two solids of a robot touch by their groups, or as a pair of the scene.
static int is_meant(const Entities* p, const CondSolid* a, const CondSolid* b)
{
    for (int k = 0; k < p->model->n_rule; k++)
        if (p->model->rule[k].solid == a->number && p->model->rule[k].other == b->number)
            return 1;
    return (a->groups & b->touches) && (b->groups & a->touches);
}

// Solids of two links that are in each other at the start: where they are so by more than a share
// of the thinner one they were made so, and the links are left out; else the overlap is allowed.
static CondStatus leave_out_overlaps(Entities* p, int body)
{
    const CondModel* model = p->model;
    CondStatus status = cond_link_overlap_place(&p->overlap, &model->body[body]);
    for (int i = 0; i < model->n_solid && !status; i++)
        for (int j = 0; j < i && !status && model->solid[i].body == body; j++) {
            const CondSolid *a = &model->solid[j], *b = &model->solid[i];
            double depth = 0.0;
            if (a->body != body ||
                model->entity[a->entity].rigid == model->entity[b->entity].rigid ||
                is_left_out(p, a->entity, b->entity) || !is_meant(p, a, b))
                continue;
            status = cond_link_overlap_find(&p->overlap, a, b, &depth);
            if (status || depth == 0.0)
                continue;
            if (depth > COND_LINK_OVERLAP * fmin(a->width, b->width) ||
                cond_link_overlap_is_hollow(a) || cond_link_overlap_is_hollow(b))
                status = leave_out(p, body, a->part, b->part, COND_LEFT_OUT_OVERLAP);
            else
                status = allow(p, a, b, depth);
        }
    return status;
}

static CondStatus leave_out_links(Entities* p, int body)
{
    const CondArticulation* arm = p->model->body[body].arm;
    p->has_shape = cond_arena_allocate(&p->arena, (size_t)arm->n_link, 1);
    if (!p->has_shape)
        return COND_OUT_OF_MEMORY;
    for (int i = 0; i < arm->n_shape; i++)
        p->has_shape[arm->shape[i].link] = 1;
    CondStatus status = leave_out_adjacent(p, body);
    for (int k = 0; k < arm->n_disabled && !status; k++)
        status = leave_out(p, body, arm->disabled[k][0], arm->disabled[k][1], COND_LEFT_OUT_SRDF);
    return status ? status : leave_out_overlaps(p, body);
}

// ---- what the scene excludes

// The first entity of a thing of the scene, and how many it has; 0 after a message.
static int entities_of(const Entities* p, const CondExcludeDef* def, int side, int* first)
{
    const CondModel* model = p->model;
    CondSceneThing thing;
    if (cond_scene_find_thing(p->scene, def->thing[side], &thing) != 1)
        return 0;
    if (thing.obstacle >= 0)
        *first = model->obstacle[thing.obstacle].entity;
    else if (thing.plane >= 0)
        *first = model->plane[thing.plane].entity;
    if (thing.body < 0)
        return 1;
    const CondBody* body = &model->body[thing.body];
    *first = body->entity;
    if (!thing.link[0])
        return body->arm ? body->arm->n_link : 1;
    int link = body->arm ? cond_articulation_find_link(body->arm, thing.link) : -1;
    *first += link;
    if (link < 0)
        cond_error_set(p->error, COND_BAD_INPUT, "exclude %s: body %s has no link '%s'", def->name,
                       body->name, thing.link);
    return link >= 0;
}

static int is_plane(const CondModel* model, int entity)
{
    return model->n_plane > 0 && entity >= model->plane[0].entity;
}

// All solids of one entity touch all of the other one.
static CondStatus pair_up(Entities* p, int one, int other, const CondSurfaceDef* surface)
{
    CondModel* model = p->model;
    CondStatus status = COND_OK;
    int n = model->n_obstacle + model->n_solid;
    if (is_plane(model, one))
        return is_plane(model, other) ? COND_OK : pair_up(p, other, one, surface);
    for (int i = 0; i < n && !status; i++) {
        const CondSolid* a =
            i < model->n_obstacle ? &model->obstacle[i] : &model->solid[i - model->n_obstacle];
        CondPairRule rule = {.solid = a->number, .touches = 1, .surface = *surface};
        for (int j = 0; j < (is_plane(model, other) ? 1 : n) && a->entity == one && !status; j++) {
            const CondSolid* b =
                j < model->n_obstacle ? &model->obstacle[j] : &model->solid[j - model->n_obstacle];
            rule.other = is_plane(model, other) ? -1 - other : b->number;
            if (rule.other >= 0 && b->entity != other)
                continue;
            if (COND_RESERVE(&model->arena, model->rule, model->n_rule + 2))
                status = COND_OUT_OF_MEMORY;
            else
                put_rule(model, &rule);
        }
    }
    return status;
}

static CondStatus exclude(Entities* p, const CondExcludeDef* def)
{
    int first[2], n[2];
    for (int s = 0; s < 2; s++) {
        n[s] = entities_of(p, def, s, &first[s]);
        if (n[s] == 0)
            return COND_BAD_INPUT;
    }
    if (def->touches) {
        CondStatus status = COND_OK;
        for (int i = 0; i < n[0]; i++)
            for (int j = 0; j < n[1] && !status; j++)
                status = pair_up(p, first[0] + i, first[1] + j, &def->surface);
        return status;
    }
    CondLeftOut* out = list_pair(p, COND_LEFT_OUT_EXCLUDE);
    CondStatus status = out ? COND_OK : COND_OUT_OF_MEMORY;
    for (int s = 0; s < 2 && out; s++)
        memcpy(out->name[s], def->thing[s], sizeof out->name[s]);
    for (int i = 0; i < n[0]; i++)
        for (int j = 0; j < n[1] && !status; j++)
            status = add_pair(p, first[0] + i, first[1] + j);
    return status;
}

// ---- all pairs, from either side

static int compare(const void* a, const void* b)
{
    const int *p = a, *q = b;
    return *p < *q ? -1 : *p > *q;
}

static int compare_rules(const void* a, const void* b)
{
    const CondPairRule *p = a, *q = b;
    return p->solid != q->solid ? (p->solid < q->solid ? -1 : 1)
                                : (p->other > q->other) - (p->other < q->other);
}

// Sorts the rules; those for the same two become one.
static void join_rules(CondModel* model)
{
    int n = 0;
    if (model->n_rule > 0)
        qsort(model->rule, (size_t)model->n_rule, sizeof *model->rule, compare_rules);
    for (int k = 0; k < model->n_rule; k++) {
        CondPairRule rule = model->rule[k];
        if (n == 0 || compare_rules(&model->rule[n - 1], &rule) != 0) {
            model->rule[n++] = rule;
            continue;
        }
        CondPairRule* last = &model->rule[n - 1];
        last->touches |= rule.touches;
        last->allowance = fmax(last->allowance, rule.allowance);
        if (!isnan(rule.surface.friction[0]))
            memcpy(last->surface.friction, rule.surface.friction, sizeof rule.surface.friction);
        if (!isnan(rule.surface.restitution))
            last->surface.restitution = rule.surface.restitution;
    }
    model->n_rule = n;
}

static CondStatus sort_pairs(Entities* p)
{
    CondModel* model = p->model;
    int begin = 0;
    model->apart = cond_arena_allocate(&model->arena, 2 * (size_t)p->n_pair, sizeof *model->apart);
    if (!model->apart)
        return COND_OUT_OF_MEMORY;
    for (int k = 0; k < 2 * p->n_pair; k++)
        model->entity[p->pair[k / 2][k % 2]].n_apart++;
    for (int i = 0; i < model->n_entity; i++) {
        model->entity[i].apart_begin = begin;
        begin += model->entity[i].n_apart;
        model->entity[i].n_apart = 0;
    }
    for (int k = 0; k < 2 * p->n_pair; k++) {
        CondEntity* entity = &model->entity[p->pair[k / 2][k % 2]];
        model->apart[entity->apart_begin + entity->n_apart++] = p->pair[k / 2][1 - k % 2];
    }
    for (int i = 0; i < model->n_entity; i++)
        qsort(model->apart + model->entity[i].apart_begin, (size_t)model->entity[i].n_apart,
              sizeof *model->apart, compare);
    return COND_OK;
}

CondStatus cond_compile_entities(CondModel* model, const CondScene* scene, CondError* error)
{
    CondError inner = {COND_OK, "out of memory"};
    Entities p = {.model = model, .scene = scene, .error = &inner};
    cond_arena_begin(&model->arena.context, &p.arena);
    cond_link_overlap_begin(&model->arena.context, &p.overlap);
    CondStatus status = number_entities(&p);
    for (int pass = 0; pass < 2; pass++) { // pairs that touch before links that overlap
        for (int i = 0; i < scene->n_exclude && !status; i++) {
            cond_compile_note(model, COND_SCENE_EXCLUDE, i);
            if (scene->exclude[i].touches == !pass)
                status = exclude(&p, &scene->exclude[i]);
        }
        for (int b = 0; b < model->n_body && !status && pass == 0; b++)
            if (model->body[b].arm && model->body[b].self_contact)
                status = leave_out_links(&p, b);
    }
    if (!status)
        status = sort_pairs(&p);
    if (!status)
        join_rules(model);
    cond_link_overlap_end(&p.overlap);
    cond_arena_release(&p.arena);
    return status ? cond_error_set(error, status, "%s", inner.message) : COND_OK;
}
