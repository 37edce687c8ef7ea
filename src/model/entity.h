// Which pairs may touch. An entity is a body, a link of a robot, an obstacle or a plane. Two
// entities may touch when each is in a collision group that the other one touches and the pair is
// not excluded. A sub-model numbers entities as the whole model does. Reads the model alone.
#ifndef COND_MODEL_ENTITY_H
#define COND_MODEL_ENTITY_H

#include "model/model.h"

// 1 if the two may touch; never an entity and itself, nor two links without relative motion. The
// field self_contact decides on contact of a body with itself (soft, rod).
int cond_entities_touch(const CondModel* model, int a, int b);

// Entity of a body, or of a robot's link.
static inline int cond_entity_of(const CondBody* body, int link)
{
    return body->entity + (body->kind == COND_BODY_ROBOT ? link : 0);
}

// Entity of a feature: that of its body or link, or of its obstacle.
static inline int cond_feature_entity(const CondModel* model, const CondFeature* feature)
{
    if (feature->obstacle > 0)
        return model->obstacle[feature->obstacle - 1].entity;
    return cond_entity_of(&model->body[feature->point.body], feature->point.link);
}

// The same for shapes; a shape may be in fewer groups than its entity, and touch fewer.
int cond_solids_touch(const CondModel* model, const CondSolid* a, const CondSolid* b);
int cond_solid_touches(const CondModel* model, const CondSolid* solid, int entity);
int cond_feature_touches(const CondModel* model, const CondFeature* feature,
                         const CondSolid* solid);
int cond_feature_meets(const CondModel* model, const CondFeature* feature, int entity);

// The rule of a pair of solids, given by their numbers, or of a solid and a plane (-1 - the plane's
// entity); NULL if the pair has no rule of its own.
const CondPairRule* cond_pair_rule(const CondModel* model, int solid, int other);
// The overlap at which two solids, given by their numbers (-1: none), count as touching [m]. It is
// positive for two links of a robot that overlap slightly at the start of the scene.
double cond_pair_allowance(const CondModel* model, int solid, int other);

#endif
