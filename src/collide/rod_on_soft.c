// Rods against the surfaces of soft bodies, between their nodes.
#include "collide/rod_on_soft.h"
#include "base/tuning.h"

#include "collide/point_on_soft.h"
#include "collide/round_on_soft.h"
#include "geometry/tuning.h"
#include "math/vec3.h"
#include "model/entity.h"
#include "model/rod.h"

#include <math.h>
#include <string.h>

enum { MAX_CUT = 32 };

// A link and a soft body.
typedef struct Pair {
    CondCollider* collider;
    const CondKinematics* kinematics;
    const CondState* state;
    int i, b;
    int last;        // triangle by which the deepest point was to leave in the last step; -1: none
    const double* p; // both ends of the link's axis
} Pair;

// Where on pq a line goes through a triangle; negative: nowhere.
static double pierce(const double p[3], const double q[3], const double a[3], const double b[3],
                     const double c[3])
{
    double d[3], u[3], v[3], w[3], n[3], m[3];
    for (int i = 0; i < 3; i++) {
        d[i] = q[i] - p[i];
        u[i] = b[i] - a[i];
        v[i] = c[i] - a[i];
        w[i] = p[i] - a[i];
    }
    vec3_cross(u, v, n);
    vec3_cross(d, w, m);
    // w + t d = s u + r v
    double det = vec3_dot(n, d);
    if (det == 0.0)
        return -1.0;
    double t = -vec3_dot(n, w) / det, s = vec3_dot(m, v) / det, r = -vec3_dot(m, u) / det;
    return t >= 0.0 && t <= 1.0 && s >= 0.0 && r >= 0.0 && s + r <= 1.0 ? t : -1.0;
}

// Where the axis goes through the surface, ascending, from 0 to 1.
static CondStatus cut_axis(const Pair* pair, double cut[MAX_CUT], int* n)
{
    const CondVolume* volume = pair->collider->volume[pair->b];
    const double* p = pair->p;
    double box[6];
    for (int i = 0; i < 3; i++) {
        box[i] = fmin(p[i], p[3 + i]);
        box[3 + i] = fmax(p[i], p[3 + i]);
    }
    CondTreeHits* hits = &pair->collider->found.hits;
    CondStatus status = cond_volume_triangles_in(volume, box, hits);
    *n = 1;
    cut[0] = 0.0;
    for (int h = 0; h < hits->n && *n < MAX_CUT - 1 && !status; h++) {
        const int* node = volume->triangle + 3 * (size_t)hits->primitive[h];
        double t =
            pierce(p, p + 3, volume->position + 3 * (size_t)node[0],
                   volume->position + 3 * (size_t)node[1], volume->position + 3 * (size_t)node[2]);
        int k = *n;
        if (!(t >= 0.0))
            continue;
        for (; k > 0 && cut[k - 1] > t; k--)
            cut[k] = cut[k - 1];
        cut[k] = t;
        ++*n;
    }
    cut[(*n)++] = 1.0;
    return status;
}

static void axis_point(const Pair* pair, double t, double x[3])
{
    for (int i = 0; i < 3; i++)
        x[i] = pair->p[i] + t * (pair->p[3 + i] - pair->p[i]);
}

// How deep the point t along the axis is in the soft body; 0 outside.
static CondStatus depth_at(const Pair* pair, double t, double* depth)
{
    static const double none[3] = {0.0, 0.0, 0.0};
    CondVolumeContacts* found = &pair->collider->found;
    double x[3];
    axis_point(pair, t, x);
    found->n = 0;
    *depth = 0.0;
    CondStatus status =
        cond_volume_collide_point(pair->collider->volume[pair->b], x, none, 0.0, pair->last, found);
    for (int k = 0; k < found->n && !status; k++)
        if (found->contact[k].inside)
            *depth = fmax(*depth, -found->contact[k].gap);
    return status;
}

// The deepest point of a stretch that lies inside, where it is deeper than what is known.
static CondStatus search_stretch(const Pair* pair, double low, double high, double* where,
                                 double* most)
{
    const double golden = 0.6180339887498949, step = (high - low) / COND_SECTORS;
    double depth[2], best = low, deepest = -1.0;
    CondStatus status = COND_OK;
    for (int k = 0; k <= COND_SECTORS && !status; k++) {
        status = depth_at(pair, low + k * step, depth);
        best = depth[0] > deepest ? low + k * step : best;
        deepest = fmax(deepest, depth[0]);
    }
    low = fmax(low, best - step);
    high = fmin(high, best + step);
    for (int pass = 0; pass < COND_GOLDEN_STEPS && !status; pass++) {
        double one = high - golden * (high - low), two = low + golden * (high - low);
        status = depth_at(pair, one, &depth[0]);
        if (!status)
            status = depth_at(pair, two, &depth[1]);
        for (int k = 0; k < 2; k++)
            best = depth[k] > deepest ? (k ? two : one) : best;
        deepest = fmax(deepest, fmax(depth[0], depth[1]));
        if (depth[0] > depth[1])
            high = two;
        else
            low = one;
    }
    *where = deepest > *most ? best : *where;
    *most = fmax(*most, deepest);
    return status;
}

// A contact where the axis of a link is deepest, beside those of its ends.
static CondStatus meet_axis(const Pair* pair, double far, CondCandidateList* list)
{
    const CondModel* model = pair->kinematics->model;
    const CondRodLinks* links = &pair->collider->links;
    const CondRod* rod = model->body[links->body[pair->i]].rod;
    double cut[MAX_CUT], where = 0.5, most = 0.0, inside = 0.0;
    int n;
    CondStatus status = cut_axis(pair, cut, &n);
    for (int k = 0; k + 1 < n && !status; k++) {
        status = depth_at(pair, 0.5 * (cut[k] + cut[k + 1]), &inside);
        if (!status && inside > 0.0)
            status = search_stretch(pair, cut[k], cut[k + 1], &where, &most);
    }
    if (status || !(most > 0.0) || where <= 0.0 || where >= 1.0)
        return status;
    CondFeature feature = {
        .radius = rod->radius, .surface = &model->body[links->body[pair->i]].surface, .solid = -1};
    feature.point.body = links->body[pair->i];
    feature.point.link = links->link[pair->i];
    feature.point.local[2] = (where - 0.5) * rod->length[links->link[pair->i]];
    return cond_collide_point_on_soft(pair->collider, pair->kinematics, pair->state, &feature,
                                      model->n_feature + pair->i, pair->b, far, list);
}

static CondStatus meet_link(const Pair* pair, double far, CondCandidateList* list)
{
    CondCollider* collider = pair->collider;
    CondRodLinks* links = &collider->links;
    int rod = links->body[pair->i];
    CondRoundOnSoft on_soft = {.body = rod,
                               .part = links->link[pair->i],
                               .surface = &collider->model->body[rod].surface,
                               .open = 1,
                               .index = collider->n_solid + pair->i};
    memcpy(on_soft.origin, pair->p, sizeof on_soft.origin);
    cond_rod_link_core(links, pair->kinematics, pair->i, 0, on_soft.origin, &on_soft.core);
    CondStatus status =
        cond_collide_round_on_soft(collider, pair->kinematics, &on_soft, pair->b, far, list);
    return status ? status : meet_axis(pair, far, list);
}

// The links near soft body b.
static CondStatus meet_soft(CondCollider* collider, const CondKinematics* kinematics,
                            const CondState* state, int b, const double* reach,
                            CondCandidateList* list)
{
    CondRodLinks* links = &collider->links;
    double box[6];
    for (int k = 0; k < 6; k++)
        box[k] = collider->volume[b]->bound[k] + (k < 3 ? -reach[b] : reach[b]);
    CondStatus status = cond_tree_query(&links->tree, box, &links->hits);
    if (links->hits.n > 0)
        cond_volume_refit(collider->volume[b]);
    for (int h = 0; h < links->hits.n && !status; h++) {
        int i = links->hits.primitive[h];
        if (!cond_entities_touch(collider->model, collider->model->body[b].entity,
                                 collider->model->body[links->body[i]].entity))
            continue;
        const CondContactMemory* last = cond_state_recall(
            state, cond_point_on_soft_key(collider->model, collider->model->n_feature + i, b));
        const Pair pair = {collider,
                           kinematics,
                           state,
                           i,
                           b,
                           last ? (int)last->triangle : -1,
                           links->end + 6 * (size_t)i};
        status = meet_link(&pair, reach[links->body[i]] + reach[b], list);
    }
    return status;
}

CondStatus cond_collide_rods_on_soft(CondCollider* collider, const CondKinematics* kinematics,
                                     const CondState* state, const double* reach,
                                     CondCandidateList* list)
{
    CondStatus status = COND_OK;
    for (int s = 0; s < collider->n_soft && collider->links.n > 0 && !status; s++)
        status = meet_soft(collider, kinematics, state, collider->soft[s], reach, list);
    return status;
}
