// Shells with another friction on their second side: contacts are found by features, which belong
// to both; the normal tells the side.
#include "collide/shell_side.h"

#include "math/vec3.h"

#include <string.h>

// 1 where the second side of the shell at `point` looks along the direction d: the mean of the
// normals of the first side around its nodes, by their weights, looks the other way.
static int looks_back(const CondCollider* collider, const CondPoint* point, const double d[3])
{
    const CondVolume* volume = collider->volume[point->body];
    double along = 0.0;
    for (int k = 0; k < point->n_node; k++)
        for (int s = volume->fan_begin[point->node[k]]; s < volume->fan_begin[point->node[k] + 1];
             s++)
            if (volume->fan[s] < volume->n_front)
                along += point->local[k] * vec3_dot(volume->normal + 3 * (size_t)volume->fan[s], d);
    return along < 0.0;
}

void cond_shell_sides(const CondCollider* collider, CondCandidateList* list)
{
    for (int c = 0; c < list->n; c++) {
        CondCandidate* candidate = &list->candidate[c];
        CondSkin skin[2];
        if (!candidate->skin[0])
            continue;
        for (int k = 0; k < 2; k++)
            skin[k] = *candidate->skin[k];
        for (int side = 0; side < 2; side++) {
            const CondPoint* point = &candidate->point[side];
            const double* n = candidate->frame; // towards side 0
            const double sign = side ? 1.0 : -1.0, d[3] = {sign * n[0], sign * n[1], sign * n[2]};
            if (point->body < 0 || !collider->model->body[point->body].shell ||
                !looks_back(collider, point, d))
                continue;
            // Of a shell on itself one of the two, whichever: they are the same.
            const CondSkin* own = &collider->model->body[point->body].surface;
            int k = candidate->skin[side] == own ? side : 1 - side;
            if (candidate->skin[k] == own && own->two_sided)
                memcpy(skin[k].own.friction, own->back, sizeof own->back);
        }
        const CondSkin *a = candidate->skin[0], *b = candidate->skin[1];
        cond_candidate_surfaces(&skin[0], &skin[1], candidate);
        candidate->skin[0] = a;
        candidate->skin[1] = b;
    }
}
