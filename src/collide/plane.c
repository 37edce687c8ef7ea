#include "collide/plane.h"

#include "body/body.h"
#include "math/quat.h"
#include "math/vec3.h"

#include <string.h>

// The point of a feature that is nearest to the plane: its centre, moved by the radius against the
// normal. Its place in the body's axes is found by turning that move back.
static CondPoint nearest_point(const CondPosture* posture, const CondFeature* feature,
                               const double normal[3])
{
    CondPoint point = feature->point;
    if (feature->radius == 0.0)
        return point;
    double R[9], origin[3], local[3];
    cond_posture_axes(posture, point.body, point.part, origin, R);
    mat3_multiply_transposed(R, normal, local);
    for (int i = 0; i < 3; i++)
        point.local[i] -= feature->radius * local[i];
    return point;
}

CondStatus cond_collide_planes(const CondPosture* posture, const double* place, const double* reach,
                               CondTouchList* list)
{
    const CondModel* model = posture->model;
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        for (int i = 0; i < model->n_plane; i++) {
            const CondPlane* plane = &model->plane[i];
            // Rigid bodies far away are passed over whole.
            if (body->kind == COND_BODY_RIGID &&
                vec3_dot(plane->frame, posture->q + body->q_begin) - plane->offset >
                    body->radius + reach[b])
                continue;
            for (int k = 0; k < body->n_feature; k++) {
                const CondFeature* feature = &model->feature[body->feature_begin + k];
                const double* x = place + 3 * (size_t)(body->feature_begin + k);
                double gap = vec3_dot(plane->frame, x) - plane->offset - feature->radius;
                if (!(gap <= reach[b]))
                    continue;
                CondTouch touch = {.plane = i, .triangle = -1, .gap = gap};
                touch.point[0] = nearest_point(posture, feature, plane->frame);
                touch.point[1].body = -1;
                for (int j = 0; j < 3; j++)
                    touch.position[j] = x[j] - feature->radius * plane->frame[j];
                memcpy(touch.frame, plane->frame, sizeof touch.frame);
                // Ascends with (body, plane, feature), the order of these loops.
                touch.key = 1 + (uint64_t)k +
                            (uint64_t)model->n_feature *
                                ((uint64_t)i + (uint64_t)model->n_plane * (uint64_t)b);
                cond_touch_surfaces(&plane->surface, &body->surface, &touch);
                CondStatus status = cond_touch_add(list, &touch);
                if (status)
                    return status;
            }
        }
    }
    return COND_OK;
}
