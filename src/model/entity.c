// Which pairs may touch: collision groups, excluded pairs, rules of single pairs (entity.h).
#include "model/entity.h"

#include "base/enum_name.h"

static int are_apart(const CondModel* model, const CondEntity* a, int b)
{
    int low = a->apart_begin, high = low + a->n_apart;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (model->apart[middle] < b)
            low = middle + 1;
        else
            high = middle;
    }
    return low < a->apart_begin + a->n_apart && model->apart[low] == b;
}

// Whatever their groups say: two different entities that no exclusion and no body keeps apart.
static int may_touch(const CondModel* model, int a, int b)
{
    const CondEntity *p = &model->entity[a], *q = &model->entity[b];
    if (a == b)
        return 0;
    if (p->body >= 0 && p->body == q->body && (!p->self_contact || p->rigid == q->rigid))
        return 0;
    return p->n_apart == 0 || !are_apart(model, p, b);
}

int cond_entities_touch(const CondModel* model, int a, int b)
{
    const CondEntity *p = &model->entity[a], *q = &model->entity[b];
    return (p->groups & q->touches) && (q->groups & p->touches) && may_touch(model, a, b);
}

const CondPairRule* cond_pair_rule(const CondModel* model, int solid, int other)
{
    int low = 0, high = model->n_rule;
    while (low < high) {
        int middle = low + (high - low) / 2;
        const CondPairRule* rule = &model->rule[middle];
        if (rule->solid < solid || (rule->solid == solid && rule->other < other))
            low = middle + 1;
        else
            high = middle;
    }
    int found =
        low < model->n_rule && model->rule[low].solid == solid && model->rule[low].other == other;
    return found ? &model->rule[low] : NULL;
}

// 1 where the scene declares the pair, so that groups do not matter.
static int is_pair(const CondModel* model, int solid, int other)
{
    const CondPairRule* rule = cond_pair_rule(model, solid, other);
    return rule && rule->touches;
}

int cond_solids_touch(const CondModel* model, const CondSolid* a, const CondSolid* b)
{
    int grouped = (a->groups & b->touches) && (b->groups & a->touches);
    return (grouped || is_pair(model, a->number, b->number)) &&
           may_touch(model, a->entity, b->entity);
}

int cond_solid_touches(const CondModel* model, const CondSolid* solid, int entity)
{
    const CondEntity* other = &model->entity[entity];
    int grouped = (solid->groups & other->touches) && (other->groups & solid->touches);
    return (grouped || is_pair(model, solid->number, -1 - entity)) &&
           may_touch(model, solid->entity, entity);
}

int cond_feature_touches(const CondModel* model, const CondFeature* feature, const CondSolid* solid)
{
    return (feature->groups & solid->touches) && (solid->groups & feature->touches) &&
           cond_entities_touch(model, cond_feature_entity(model, feature), solid->entity);
}

int cond_feature_meets(const CondModel* model, const CondFeature* feature, int entity)
{
    const CondEntity* other = &model->entity[entity];
    return (feature->groups & other->touches) && (other->groups & feature->touches) &&
           cond_entities_touch(model, cond_feature_entity(model, feature), entity);
}

double cond_pair_allowance(const CondModel* model, int solid, int other)
{
    const CondPairRule* rule = cond_pair_rule(model, solid, other);
    return rule ? rule->allowance : 0.0;
}

int cond_model_n_left_out(const CondModel* model)
{
    return model->n_left_out;
}

const CondLeftOut* cond_model_left_out(const CondModel* model, int pair)
{
    return pair >= 0 && pair < model->n_left_out ? &model->left_out[pair] : NULL;
}

COND_ENUM_TABLE(CondLeftOutReason, cond_left_out, {COND_LEFT_OUT_ADJACENT, "adjacent"},
                {COND_LEFT_OUT_SRDF, "srdf"}, {COND_LEFT_OUT_EXCLUDE, "exclude"},
                {COND_LEFT_OUT_OVERLAP, "overlap"}, {COND_LEFT_OUT_SLIGHT, "slight"})
