// A corner that dents a soft surface between its nodes, and a small ball whose centre has got into
// the body: while that is in front, the surface meets it as it meets all that is round
// (collide/round_on_soft.c).
#include "collide/point_on_soft.h"
#include "base/tuning.h"

#include "body/body.h"
#include "collide/collide.h"
#include "collide/solid.h"
#include "model/entity.h"

#include <math.h>
#include <string.h>

// 1 when the nodes see to the contact: the ball is no smaller than the triangle at rest. The axis
// of a rod is never left to them.
static int is_left_to_nodes(const CondModel* model, const CondVolume* volume,
                            const CondFeature* feature, const CondVolumeContact* contact)
{
    int a = feature->point.body;
    if (a >= 0 && model->body[a].kind == COND_BODY_ROD)
        return 0;
    const int* corner = volume->triangle + 3 * (size_t)contact->triangle;
    double longest = 0.0;
    for (int k = 0; k < 3; k++)
        longest = fmax(longest, cond_volume_rest_length(volume, corner[k], corner[(k + 1) % 3]));
    return feature->radius >= longest;
}

static CondStatus add_point(const CondCollider* collider, const CondKinematics* kinematics,
                            const CondFeature* feature, const double x[3],
                            const CondVolumeContact* contact, CondContactKey key,
                            CondCandidateList* list)
{
    static const double axis[3] = {1.0, 0.0, 0.0};
    const CondModel* model = collider->model;
    const CondVolume* volume = collider->volume[contact->other];
    const int* corner = volume->triangle + 3 * (size_t)contact->triangle;
    CondCandidate candidate = {.plane = -1, .triangle = contact->triangle, .key = key};
    double normal[3], d[3], p[3]; // the normal out of the rigid shape
    candidate.point[0] = (CondPoint){.body = contact->other, .n_node = 3};
    for (int k = 0; k < 3; k++) {
        candidate.point[0].node[k] = corner[k];
        candidate.point[0].local[k] = contact->weight[k];
        normal[k] = -contact->normal[k];
    }
    cond_kinematics_point(kinematics, &candidate.point[0], candidate.position, NULL, NULL);
    const double half = cond_body_half(&model->body[contact->other]);
    candidate.gap = contact->gap - feature->radius - half;
    for (int i = 0; i < 3; i++)
        d[i] = candidate.position[i] - x[i];
    double distance = vec3_norm(d);
    // In front of the surface it touches along the line to its centre.
    if (!contact->inside && distance > COND_INPUT_ROUNDING * volume->size) {
        for (int i = 0; i < 3; i++)
            normal[i] = d[i] / distance;
        candidate.gap = distance - feature->radius - half;
    }
    for (int i = 0; i < 3; i++)
        p[i] = x[i] + feature->radius * normal[i];
    candidate.point[1] = cond_point_at(kinematics, feature->point.body, feature->point.link, p);
    mat3_frame(normal, axis, candidate.frame);
    cond_candidate_surfaces(&model->body[contact->other].surface, feature->surface, &candidate);
    return cond_candidate_add(list, &candidate);
}

CondContactKey cond_point_on_soft_key(const CondModel* model, int index, int other)
{
    return (CondContactKey){.pair = COND_KEY_POINT_ON_SOFT +
                                    (uint64_t)index * (uint64_t)model->n_body + (uint64_t)other};
}

CondStatus cond_collide_point_on_soft(CondCollider* collider, const CondKinematics* kinematics,
                                      const CondState* state, const CondFeature* feature, int index,
                                      int other, double far, CondCandidateList* list)
{
    static const double none[3] = {0.0, 0.0, 0.0};
    const CondModel* model = collider->model;
    const CondVolume* volume = collider->volume[other];
    const double* box = volume->bound;
    double x[3], margin = far + feature->radius + cond_body_half(&model->body[other]);
    cond_kinematics_point(kinematics, &feature->point, x, NULL, NULL);
    for (int i = 0; i < 3; i++)
        if (x[i] < box[i] - margin || x[i] > box[3 + i] + margin)
            return COND_OK;
    cond_volume_refit(collider->volume[other]);
    CondContactKey key = cond_point_on_soft_key(model, index, other);
    const CondContactMemory* last = cond_state_recall(state, key);
    collider->found.n = 0;
    CondStatus status =
        cond_volume_collide_point(volume, x, none, feature->radius > 0.0 ? 0.0 : margin,
                                  last ? (int)last->triangle : -1, &collider->found);
    for (int k = 0; k < collider->found.n && !status; k++) {
        const CondVolumeContact* contact = &collider->found.contact[k];
        if (is_left_to_nodes(model, volume, feature, contact))
            continue;
        status = add_point(collider, kinematics, feature, x, contact, key, list);
        key.role++;
    }
    return status;
}

CondStatus cond_collide_points_on_soft(CondCollider* collider, const CondKinematics* kinematics,
                                       const CondState* state, const double* reach,
                                       CondCandidateList* list)
{
    const CondModel* model = collider->model;
    CondStatus status = COND_OK;
    for (int k = 0; k < model->n_feature && collider->n_soft > 0; k++) {
        int a = model->feature[k].point.body;
        if (a >= 0 && model->body[a].kind == COND_BODY_SOFT) { // none of it
            k = model->body[a].feature_begin + model->body[a].n_feature - 1;
            continue;
        }
        if (model->feature[k].rim)
            continue;
        for (int i = 0; i < collider->n_soft && !status; i++) {
            int b = collider->soft[i];
            if (!cond_feature_meets(model, &model->feature[k], model->body[b].entity))
                continue;
            status = cond_collide_point_on_soft(collider, kinematics, state, &model->feature[k], k,
                                                b, reach[b] + (a >= 0 ? reach[a] : 0.0), list);
        }
    }
    return status;
}
