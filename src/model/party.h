// Who may touch whom. What touches as one is a party: a body, a link of a robot, an obstacle, a
// plane. Two parties touch where each is in a group that the other touches and the pair is not left
// out. The numbers of parties are those of the whole model also in its parts.
#ifndef COND_MODEL_PARTY_H
#define COND_MODEL_PARTY_H

#include "model/model.h"

// 1 where the two may touch; never a party itself, nor two links that no joint moves against each
// other. Of a body's contact with itself (soft, rod) its self_contact decides.
int cond_parties_touch(const CondModel* model, int a, int b);

// Party of a body, or of a robot's link.
static inline int cond_party_of(const CondBody* body, int link)
{
    return body->party + (body->kind == COND_BODY_ROBOT ? link : 0);
}

// Party of a feature: that of its body or link, or of its obstacle.
static inline int cond_feature_party(const CondModel* model, const CondFeature* feature)
{
    if (feature->obstacle > 0)
        return model->obstacle[feature->obstacle - 1].party;
    return cond_party_of(&model->body[feature->point.body], feature->point.part);
}

// The same of shapes, which may be in fewer groups than what they belong to, and touch fewer.
int cond_solids_touch(const CondModel* model, const CondSolid* a, const CondSolid* b);
int cond_solid_touches(const CondModel* model, const CondSolid* solid, int party);
int cond_feature_touches(const CondModel* model, const CondFeature* feature,
                         const CondSolid* solid);
int cond_feature_meets(const CondModel* model, const CondFeature* feature, int party);

// What holds for two solids by their numbers, or for a solid and -1 - the party of a plane; NULL:
// nothing of its own.
const CondPairRule* cond_pair_rule(const CondModel* model, int solid, int other);
// The overlap that counts as touching, of two solids by their numbers (-1: none): two links of a
// robot that are slightly in each other as the scene starts touch where they come deeper [m].
double cond_pair_allowance(const CondModel* model, int solid, int other);

#endif
