// Four corners that lie in a plane, or the distance of round things that falls to the radius: what
// of everything else, and of the body itself, met a soft surface on its way. A surface is met from
// outside: what was inside already and leaves has met nothing.
#include "collide/soft_sweep.h"

#include "body/body.h"
#include "collide/solid.h"
#include "collide/swept_part.h"
#include "collide/tuning.h"
#include "collide/volume_ring.h"
#include "geometry/box.h"
#include "geometry/triangle.h"
#include "geometry/tuning.h"
#include "math/quat.h"
#include "model/entity.h"
#include "model/rod.h"

#include <math.h>
#include <string.h>

// What is swept over the triangles of soft body `body`.
typedef struct Query {
    CondSweepPass* pass;
    int body;
    int own;         // 1: it is of the same body
    double shift[3]; // by which the begins of both are moved: how the body goes as a whole [m]
    double move[6];  // least and largest move of its nodes beyond that, 0 included [m]
    int grouped;     // 1: what is near to the group at hand is known
} Query;

// Vertices or edges that follow each other in the mesh, for which triangles are found at once.
typedef struct Group {
    int n;
    int item[COND_CLUSTER_BLOCK];
    CondSweptPart part[COND_CLUSTER_BLOCK];
} Group;

static Query query_of(CondSweepPass* pass, int body, int own)
{
    Query query = {.pass = pass, .body = body, .own = own, .grouped = 0};
    const double* move = pass->collider->sweep.body[body].move;
    for (int i = 0; i < 3; i++) {
        query.shift[i] = own ? 0.5 * (move[i] + move[3 + i]) : 0.0;
        query.move[i] = fmin(move[i] - query.shift[i], 0.0);
        query.move[3 + i] = fmax(move[3 + i] - query.shift[i], 0.0);
    }
    return query;
}

// Nodes of a soft body, where they were by the query.
static void place_nodes(const Query* query, int body, int n, const int* node, CondSweptPart* swept)
{
    cond_swept_nodes(query->pass, body, n, node, swept);
    for (int k = 0; k < n; k++)
        for (int i = 0; i < 3; i++)
            swept->from[k][i] += query->shift[i];
}

// Where triangles may be whose swept boxes overlap that of a part: their moves are taken back.
static void box_of(const Query* query, const CondSweptPart* part, double box[6])
{
    cond_swept_box(part, box);
    for (int i = 0; i < 6; i++)
        box[i] += query->move[i];
}

// These triangles.
static CondStatus find_triangles(const Query* query, const CondSweptPart* part)
{
    CondCollider* collider = query->pass->collider;
    double box[6];
    box_of(query, part, box);
    if (query->grouped)
        return cond_near_query(&collider->found.near, box, &collider->found.hits);
    return cond_volume_triangles_in(collider->volume[query->body], box, &collider->found.hits);
}

// How much a normal leads out of triangle t at a time, in areas.
static double lead_out(const Query* query, int t, double time, const double normal[3])
{
    const CondVolume* volume = query->pass->collider->volume[query->body];
    CondSweptPart triangle;
    double x[3][3], n[3];
    place_nodes(query, query->body, 3, volume->triangle + 3 * (size_t)t, &triangle);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            x[k][i] = (1.0 - time) * triangle.from[k][i] + time * triangle.to[k][i];
    triangle_area_vector(x[0], x[1], x[2], n);
    return vec3_dot(n, normal);
}

// 1 when the nodes of a and b are too near in the mesh for self-contact.
static int are_near(const CondVolume* volume, const CondSweptPart* a, const int* b, int n)
{
    for (int k = 0; k < a->n; k++)
        for (int i = 0; i < n; i++)
            if (cond_volume_in_ring(volume, a->node[k], b[i]))
                return 1;
    return 0;
}

// A point against the triangles: the first one that it met, or each with a key of its own.
static CondStatus sweep_point(const Query* query, const CondSweptPart* point, CondContactKey key,
                              int each)
{
    CondCollider* collider = query->pass->collider;
    const CondVolume* volume = collider->volume[query->body];
    CondMeeting met, first = {.time = INFINITY};
    CondSweptPart triangle, first_triangle = {.n = 0};
    int t_first = -1;
    CondStatus status = find_triangles(query, point);
    for (int h = 0; h < collider->found.hits.n && !status; h++) {
        int t = collider->found.hits.primitive[h];
        const int* node = volume->triangle + 3 * (size_t)t;
        if (query->own && are_near(volume, point, node, 3))
            continue;
        place_nodes(query, query->body, 3, node, &triangle);
        if (!cond_swept_meet(point, &triangle, &met) ||
            !(lead_out(query, t, met.time, met.normal) > 0.0))
            continue;
        CondContactKey own = key;
        own.pair += (uint64_t)(collider->soft_edge_begin[query->body] + t);
        if (each)
            status = cond_swept_add(query->pass, point, &triangle, &met, own, t, 1);
        if (!each && met.time < first.time) {
            first = met;
            first_triangle = triangle;
            t_first = t;
        }
    }
    if (t_first >= 0 && !status)
        status = cond_swept_add(query->pass, point, &first_triangle, &first, key, t_first, 0);
    return status;
}

// A segment against the edges, which are side 0; of the same body against those from `from` on.
static CondStatus sweep_segment(const Query* query, const CondSweptPart* segment, int from,
                                CondContactKey key)
{
    CondCollider* collider = query->pass->collider;
    const CondVolume* volume = collider->volume[query->body];
    CondStatus status = find_triangles(query, segment);
    for (int h = 0; h < 3 * collider->found.hits.n && !status; h++) {
        int t = collider->found.hits.primitive[h / 3];
        int e = volume->triangle_edge[3 * (size_t)t + h % 3];
        const int* node = e >= from ? volume->edge + 4 * (size_t)e : NULL;
        if (!node || node[2] != t || (query->own && are_near(volume, segment, node, 2)))
            continue; // its first triangle reports it
        CondSweptPart edge;
        CondMeeting met;
        place_nodes(query, query->body, 2, node, &edge);
        if (!cond_swept_meet(&edge, segment, &met) ||
            (!(lead_out(query, node[2], met.time, met.normal) +
                   lead_out(query, node[3], met.time, met.normal) <
               0.0) &&
             !cond_volume_is_rim(volume, e)))
            continue;
        CondContactKey own = key;
        own.pair += (uint64_t)(collider->soft_edge_begin[query->body] + e);
        status = cond_swept_add(query->pass, &edge, segment, &met, own, -1, 0);
    }
    return status;
}

// Key of thing i of a kind with the first edge of all soft bodies.
static CondContactKey key_on_soft(const CondSweepPass* pass, uint64_t kind, int i)
{
    return (CondContactKey){.pair = kind + (uint64_t)i * (uint64_t)pass->collider->n_soft_edge};
}

// 1 where nothing of the two can have passed through the other unseen.
static int is_slow(double travel_a, double travel_b, double thickness_a, double thickness_b)
{
    return travel_a + travel_b < COND_LATERAL * fmin(thickness_a, thickness_b);
}

// Edges of solids.
static CondStatus sweep_solids(const Query* query)
{
    CondCollider* collider = query->pass->collider;
    const CondSweep* sweep = &collider->sweep;
    const CondSweptBody* swept = &sweep->body[query->body];
    CondStatus status = COND_OK;
    for (int i = 0; i < collider->n_solid && !status; i++) {
        const CondSolid* solid = cond_solid_at(collider->model, i);
        if (!cond_solid_touches(collider->model, solid,
                                collider->model->body[query->body].entity) ||
            is_slow(swept->travel, sweep->travel[i], collider->volume[query->body]->thickness,
                    sweep->thickness[i]) ||
            cond_boxes_apart(swept->box, sweep->box + 6 * (size_t)i, 0.0))
            continue;
        double R[9];
        quat_matrix(sweep->pose + 7 * (size_t)i + 3, R);
        for (int k = solid->edge_begin; k < solid->edge_begin + solid->n_edge && !status; k++) {
            CondSweptPart edge;
            cond_swept_edge(query->pass, i, R, k, &edge);
            status =
                sweep_segment(query, &edge, 0, key_on_soft(query->pass, COND_KEY_EDGE_ON_SOFT, k));
        }
    }
    return status;
}

// Corners, points and balls of everything that is not soft.
static CondStatus sweep_features(const Query* query)
{
    const CondModel* model = query->pass->model;
    const CondCollider* collider = query->pass->collider;
    const CondSweptBody* swept = &collider->sweep.body[query->body];
    CondStatus status = COND_OK;
    for (int k = 0; k < model->n_feature && !status; k++) {
        int a = model->feature[k].point.body;
        if (a >= 0 && (model->body[a].kind == COND_BODY_SOFT ||
                       cond_boxes_apart(collider->sweep.body[a].box, swept->box, 0.0))) {
            k = model->body[a].feature_begin + model->body[a].n_feature - 1;
            continue;
        }
        CondSweptPart point;
        cond_swept_feature(query->pass, k, &point);
        if (cond_feature_meets(model, &model->feature[k], model->body[query->body].entity) &&
            !is_slow(swept->travel, point.travel, collider->volume[query->body]->thickness,
                     INFINITY))
            status = sweep_point(query, &point, key_on_soft(query->pass, COND_KEY_BALL, k), 1);
    }
    return status;
}

// Links of rods, which meet the edges.
static CondStatus sweep_rods(const Query* query)
{
    const CondModel* model = query->pass->model;
    const CondCollider* collider = query->pass->collider;
    const CondSweptBody *all = collider->sweep.body, *swept = &all[query->body];
    CondStatus status = COND_OK;
    for (int a = 0; a < model->n_body; a++) {
        const CondBody* body = &model->body[a];
        if (body->kind != COND_BODY_ROD ||
            !cond_entities_touch(model, body->entity, model->body[query->body].entity) ||
            cond_boxes_apart(all[a].box, swept->box, body->rod->radius) ||
            is_slow(all[a].travel, swept->travel, 2.0 * body->rod->radius,
                    collider->volume[query->body]->thickness))
            continue;
        for (int k = 0; k < body->rod->n_link && !status; k++) {
            CondSweptPart link;
            cond_swept_link(query->pass, a, k, &link);
            status = sweep_segment(query, &link, 0,
                                   key_on_soft(query->pass, COND_KEY_THREAD, body->dof_begin + k));
        }
    }
    return status;
}

// Makes a group known and sweeps its vertices or its edges, of soft body a. It is empty then.
static CondStatus sweep_group(Query* query, int a, int of_edges, Group* group)
{
    CondCollider* collider = query->pass->collider;
    const CondModel* model = query->pass->model;
    const CondVolume* volume = collider->volume[query->body];
    int b = query->body, none = -collider->soft_edge_begin[b], n = group->n;
    double all[6], box[6];
    if (n == 0)
        return COND_OK;
    cond_box_empty(all);
    for (int k = 0; k < n; k++) {
        box_of(query, &group->part[k], box);
        cond_box_join(box, all);
    }
    group->n = 0;
    CondStatus status =
        cond_near_find(&volume->triangles, volume->position, all, &collider->found.near);
    query->grouped = 1;
    for (int k = 0; k < n && !status; k++) {
        const CondSweptPart* part = &group->part[k];
        int item = group->item[k];
        status = of_edges ? sweep_segment(query, part, query->own ? item + 1 : 0,
                                          cond_key_soft_crossing(collider, a, item, b, none))
                          : sweep_point(query, part,
                                        cond_key_soft(model, &model->body[a], item, b, 15), 0);
    }
    query->grouped = 0;
    return status;
}

// Puts a vertex or an edge into a group, and sweeps this where it is full.
static CondStatus join_group(Query* query, int a, int of_edges, int item, const int* node,
                             Group* group)
{
    group->item[group->n] = item;
    place_nodes(query, a, of_edges ? 2 : 1, node, &group->part[group->n++]);
    return group->n < COND_CLUSTER_BLOCK ? COND_OK : sweep_group(query, a, of_edges, group);
}

// Vertices of soft body a, and its edges, these once for every pair; where there are marks, those
// that are marked.                                                            mark (n_vertex)
static CondStatus sweep_vertices(const Query* asked, int a, const char* mark)
{
    Query query = *asked;
    const CondVolume* volume = query.pass->collider->volume[a];
    Group group = {.n = 0};
    CondStatus status = COND_OK;
    for (int k = 0; k < volume->n_surface && !status; k++) {
        int v = volume->surface[k];
        if (!mark || mark[v])
            status = join_group(&query, a, 0, v, &v, &group);
    }
    if (!status)
        status = sweep_group(&query, a, 0, &group);
    for (int e = 0; e < volume->n_edge && a <= query.body && !status; e++) {
        const int* node = volume->edge + 4 * (size_t)e;
        if (!mark || (mark[node[0]] && mark[node[1]]))
            status = join_group(&query, a, 1, e, node, &group);
    }
    return status ? status : sweep_group(&query, a, 1, &group);
}

// 1 where soft body a can have passed through soft body b.
static int may_have_passed(const CondCollider* collider, int a, int b)
{
    const CondSweptBody* swept = collider->sweep.body;
    return a != b && collider->volume[a] &&
           cond_entities_touch(collider->model, collider->model->body[a].entity,
                               collider->model->body[b].entity) &&
           !cond_boxes_apart(swept[a].box, swept[b].box, 0.0) &&
           !is_slow(swept[a].travel, swept[b].travel, collider->volume[a]->thickness,
                    collider->volume[b]->thickness);
}

// A soft body against itself, where parts of it have moved against others by much of a layer.
// Slower ones are seen at the end of the step.
static CondStatus sweep_own(CondSweepPass* pass, int b)
{
    CondSweep* sweep = &pass->collider->sweep;
    const CondVolume* volume = pass->collider->volume[b];
    const double *move = sweep->body[b].move, fast = COND_FAST * volume->layer;
    const double wide[3] = {move[3] - move[0], move[4] - move[1], move[5] - move[2]};
    int begin = pass->model->body[b].q_begin, any = 0;
    if (!pass->model->body[b].self_contact || vec3_norm(wide) < fast)
        return COND_OK;
    const Query query = query_of(pass, b, 1);
    CondStatus status = cond_fold_find(&sweep->fold[b], volume, pass->before->q + begin,
                                       pass->after->q + begin, query.shift, fast, &any);
    return !status && any ? sweep_vertices(&query, b, sweep->fold[b].mark) : status;
}

CondStatus cond_sweep_soft(CondSweepPass* pass, int b)
{
    const Query query = query_of(pass, b, 0);
    CondStatus status = sweep_solids(&query);
    if (!status)
        status = sweep_features(&query);
    if (!status)
        status = sweep_rods(&query);
    for (int a = 0; a < pass->model->n_body && !status; a++)
        if (may_have_passed(pass->collider, a, b))
            status = sweep_vertices(&query, a, NULL);
    return status ? status : sweep_own(pass, b);
}
