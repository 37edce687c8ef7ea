// Edges of soft surfaces against edges of rigid shapes: what is thinner than the mesh passes
// between its nodes, and would sink in if only they were asked.
#include "base/tuning.h"
#include "body/body.h"
#include "collide/edge_pair.h"
#include "collide/solid.h"
#include "collide/tuning.h"
#include "geometry/box.h"
#include "geometry/tuning.h"
#include "math/vec3.h"
#include "model/entity.h"

#include <math.h>
#include <string.h>

// An edge of a soft surface now. Its cone is left open: dents turn edges inward, and the distance
// to the rigid shape tells what is real.
static CondEdge soft_edge(const CondVolume* volume, int e)
{
    const int* edge = volume->edge + 4 * (size_t)e;
    CondEdge out = {.soft = 1, .round = cond_volume_is_rim(volume, e)}; // a rim looks everywhere
    double length = 0.0;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 2; k++)
            out.end[k][i] = volume->position[3 * (size_t)edge[k] + i];
        out.out[i] =
            volume->normal[3 * (size_t)edge[2] + i] + volume->normal[3 * (size_t)edge[3] + i];
        length += out.out[i] * out.out[i];
    }
    for (int i = 0; i < 3 && length > 0.0; i++)
        out.out[i] = out.round ? 0.0 : out.out[i] / sqrt(length);
    return out;
}

typedef struct Pair {
    const CondSolid* solid;
    const double* pose;
    int i_edge; // of the model
    const CondVolume* volume;
    double far;
    double half; // of a shell
} Pair;

// Cosine by which a soft surface must look at the edge that has come into it. One that lies on a
// face looks at the face: the way over the rim of that is not its way out.
// A way out over an edge that is longer than a share of the soft edge must not be so many times
// longer than that of a point in the middle behind it, in ways through the nearer face.

// 1 when the edge is what is nearest to the soft point of the crossing. In front of it the distance
// of the shape is then the gap; behind a sharp edge it is that to the nearer one of its two faces,
// of which the gap, along a normal between theirs, says little: a point just behind one face and
// far from the edge leaves through that face.
static int is_nearest(const CondEdge* soft, const CondEdge* rigid, const CondEdgePair* cross,
                      const CondProbe* probe)
{
    double expected = cross->gap, along[3], from[3], steep = 1.0, square = 0.0;
    if (cross->gap < 0.0) {
        if (vec3_dot(soft->out, cross->normal) > -COND_STEEP)
            return 0;
        expected = -INFINITY;
        for (int i = 0; i < 3; i++) {
            along[i] = rigid->end[1][i] - rigid->end[0][i];
            from[i] = cross->point[0][i] - cross->point[1][i];
            square += (soft->end[1][i] - soft->end[0][i]) * (soft->end[1][i] - soft->end[0][i]);
        }
        for (int k = 0; k < 2; k++) {
            double face[3]; // its normal
            vec3_cross(along, rigid->side[k], face);
            double length = vec3_norm(face) * (vec3_dot(face, rigid->out) < 0.0 ? -1.0 : 1.0);
            expected = fmax(expected, vec3_dot(face, from) / length);
            steep = fmin(steep, vec3_dot(face, rigid->out) / length);
        }
        if (cross->gap < COND_WAY_LONGER * expected / steep - COND_EDGE_LONG * sqrt(square))
            return 0;
    }
    return fabs(probe->gap - expected) <=
           COND_SINGLE_PRECISION + COND_DEPTHS_AGREE * fabs(expected);
}

static CondStatus cross_edge(const CondCollider* collider, const CondKinematics* kinematics,
                             const Pair* pair, int e, CondCandidateList* list)
{
    static const double axis[3] = {1.0, 0.0, 0.0};
    const CondEdge *rigid = &collider->edge[pair->i_edge], soft = soft_edge(pair->volume, e);
    const int* edge = pair->volume->edge + 4 * (size_t)e;
    CondEdgePair cross;
    CondProbe probe;
    if (!cond_edges_cross(&soft, rigid, pair->far, &cross))
        return COND_OK;
    // Of the two sides of a shell the one that looks at the rigid shape.
    if (pair->half > 0.0 && vec3_dot(soft.out, cross.normal) > 0.0)
        return COND_OK;
    if (cross.gap >= 0.0 && fmin(cross.along[0], 1.0 - cross.along[0]) <= COND_NEARLY)
        return COND_OK; // at a node, which sees to it
    cond_shape_probe(&pair->solid->shape, pair->pose, cross.point[0], &probe);
    if (!is_nearest(&soft, rigid, &cross, &probe))
        return COND_OK;
    CondCandidate candidate = {.plane = -1, .triangle = -1, .gap = cross.gap - pair->half};
    candidate.point[0] = (CondPoint){.body = pair->volume->body,
                                     .n_node = 2,
                                     .node = {edge[0], edge[1]},
                                     .local = {1.0 - cross.along[0], cross.along[0]}};
    for (int i = 0; i < 3; i++)
        candidate.position[i] = cross.point[1][i];
    candidate.point[1] = cond_point_at(kinematics, pair->solid->fixed ? -1 : pair->solid->body,
                                       pair->solid->part, candidate.position);
    mat3_frame(cross.normal, axis, candidate.frame);
    candidate.key.pair = COND_KEY_EDGE_ON_SOFT +
                         (uint64_t)pair->i_edge * (uint64_t)collider->n_soft_edge +
                         (uint64_t)(collider->soft_edge_begin[pair->volume->body] + e);
    cond_candidate_surfaces(&kinematics->model->body[pair->volume->body].surface,
                            &pair->solid->surface, &candidate);
    return cond_candidate_add(list, &candidate);
}

static CondStatus cross_skin(CondCollider* collider, const CondKinematics* kinematics,
                             const Pair* pair, CondCandidateList* list)
{
    const CondEdge* edge = &collider->edge[pair->i_edge];
    const CondVolume* volume = pair->volume;
    double box[6], wide = pair->far;
    for (int i = 0; i < 3; i++) {
        box[i] = fmin(edge->end[0][i], edge->end[1][i]) - wide;
        box[3 + i] = fmax(edge->end[0][i], edge->end[1][i]) + wide;
    }
    if (cond_boxes_apart(box, volume->bound, 0.0))
        return COND_OK;
    CondStatus status = cond_volume_triangles_in(volume, box, &collider->found.hits);
    for (int h = 0; h < 3 * collider->found.hits.n && !status; h++) {
        int t = collider->found.hits.primitive[h / 3];
        int e = volume->triangle_edge[3 * (size_t)t + h % 3];
        // Both triangles of an edge are found; the first one reports it.
        if (e >= 0 && volume->edge[4 * (size_t)e + 2] == t)
            status = cross_edge(collider, kinematics, pair, e, list);
    }
    return status;
}

CondStatus cond_collide_edges_on_soft(CondCollider* collider, const CondKinematics* kinematics,
                                      const double* reach, CondCandidateList* list)
{
    const CondModel* model = collider->model;
    CondStatus status = COND_OK;
    for (int s = 0; s < collider->n_soft; s++) {
        int b = collider->soft[s];
        const CondVolume* volume = collider->volume[b];
        for (int i = 0; i < collider->n_solid; i++) {
            const CondSolid* solid = cond_solid_at(model, i);
            Pair pair = {solid,    collider->pose + 7 * (size_t)i, 0, volume,
                         reach[b], cond_body_half(&model->body[b])};
            pair.far += pair.half;
            if (!cond_solid_touches(model, solid, model->body[b].entity))
                continue;
            pair.far += solid->body >= 0 ? reach[solid->body] : 0.0;
            for (int k = 0; k < solid->n_edge && !status && !cond_shape_is_round(&solid->shape);
                 k++) {
                pair.i_edge = solid->edge_begin + k;
                status = cross_skin(collider, kinematics, &pair, list);
            }
        }
    }
    return status;
}
