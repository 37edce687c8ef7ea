// Two edges of soft surfaces touch where the planes along both, with normals n and -n, support the
// one and the other: n leads into none of the triangles beside them, nearly. Vertices keep two
// surfaces apart, by their thickness where they have one; only edges that have gone through each
// other between them are listed, which a step finds at its end and is solved again with.
#include "collide/soft_crossing.h"
#include "base/tuning.h"

#include "body/body.h"
#include "collide/tuning.h"
#include "collide/volume_ring.h"
#include "geometry/box.h"
#include "geometry/tuning.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

typedef struct Crossing {
    CondCollider* collider;
    const CondKinematics* kinematics;
    const CondVolume* volume[2]; // of bodies a and b
    double apart;                // how far they keep from each other, of shells [m]
    double reach;                // of shells: up to which gap they are listed [m]
    const CondState* state;      // of the last step
    CondCandidateList* list;
    int first; // in the list
} Crossing;

static const double* place_of(const CondVolume* volume, int v)
{
    return volume->position + 3 * (size_t)v;
}

// Nearest points of the lines of two edges and their common unit normal; 0 where they are parallel.
static int cross_lines(const double p[3], const double d[3], const double q[3], const double e[3],
                       double along[2], double n[3])
{
    double w[3], dd = vec3_dot(d, d), ee = vec3_dot(e, e), de = vec3_dot(d, e);
    for (int i = 0; i < 3; i++)
        w[i] = q[i] - p[i];
    vec3_cross(d, e, n);
    double square = vec3_dot(n, n);
    if (!(square > COND_NEARLY * COND_NEARLY * dd * ee))
        return 0;
    along[0] = (vec3_dot(w, d) * ee - vec3_dot(w, e) * de) / square;
    along[1] = (vec3_dot(w, d) * de - vec3_dot(w, e) * dd) / square;
    for (int i = 0; i < 3; i++)
        n[i] /= sqrt(square);
    return 1;
}

// 1 when the segment from p along d goes through a triangle around a vertex.
static int goes_through(const double p[3], const double d[3], const CondVolume* volume, int vertex)
{
    for (int s = volume->fan_begin[vertex]; s < volume->fan_begin[vertex + 1]; s++) {
        const int* node = volume->triangle + 3 * (size_t)volume->fan[s];
        double corner[3][3], height[2] = {0.0, 0.0}, turn[3], w[3];
        const double* n = volume->normal + 3 * (size_t)volume->fan[s];
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 3; i++)
                corner[k][i] = place_of(volume, node[k])[i] - p[i];
        for (int i = 0; i < 3; i++) {
            height[0] -= n[i] * corner[0][i];
            height[1] += n[i] * (d[i] - corner[0][i]);
        }
        for (int k = 0; k < 3; k++) { // on which side the line passes each edge
            vec3_cross(corner[k], corner[(k + 1) % 3], w);
            turn[k] = vec3_dot(w, d);
        }
        if ((height[0] < 0.0) != (height[1] < 0.0) && (turn[0] < 0.0) == (turn[1] < 0.0) &&
            (turn[0] < 0.0) == (turn[2] < 0.0))
            return 1;
    }
    return 0;
}

// How far apart two points on edges of one body are at rest [m].
static double rest_distance(const CondVolume* volume, const int* a, double s, const int* b,
                            double t)
{
    double d[3];
    for (int i = 0; i < 3; i++)
        d[i] = (1.0 - s) * volume->rest[3 * (size_t)a[0] + i] +
               s * volume->rest[3 * (size_t)a[1] + i] -
               (1.0 - t) * volume->rest[3 * (size_t)b[0] + i] -
               t * volume->rest[3 * (size_t)b[1] + i];
    return vec3_norm(d);
}

// Two edges that support each other: e[0] of the first body and e[1] of the second.
typedef struct Cross {
    int e[2];
    double length[2], direction[2][3]; // unit
    double along[2];                   // of the nearest points of their lines, 0 .. 1 on the edges
    double n[3];                       // unit, from the first to the second
    double apart;                      // along it [m]
} Cross;

// 1 when triangle k beside the edge on a side leads from it to an end of the other edge. Where a
// shell is folded along two neighbouring edges it goes across the gap between them, and leans into
// it by no more than the thickness.
static int is_bridge(const Crossing* crossing, const Cross* cross, int side, int k)
{
    const CondVolume *volume = crossing->volume[side], *other = crossing->volume[1 - side];
    const int* node =
        volume->triangle + 3 * (size_t)volume->edge[4 * (size_t)cross->e[side] + 2 + k];
    const int* end = other->edge + 4 * (size_t)cross->e[1 - side];
    int found = 0;
    for (int i = 0; i < 3 && volume == other && volume->n_front > 0; i++)
        found |= node[i] == end[0] || node[i] == end[1];
    return found;
}

// 1 when n is a normal of both edges, from the first to the second: it leads out of the first body
// and into the second, and along none of their triangles.
static int is_between(const Crossing* crossing, const Cross* cross)
{
    for (int side = 0; side < 2; side++) {
        const CondVolume* volume = crossing->volume[side];
        const double sign = side ? -1.0 : 1.0;
        const double m[3] = {sign * cross->n[0], sign * cross->n[1], sign * cross->n[2]};
        const int* edge = volume->edge + 4 * (size_t)cross->e[side];
        double out = 0.0;
        for (int i = 0; i < 3; i++)
            out += m[i] * (volume->normal[3 * (size_t)edge[2] + i] +
                           volume->normal[3 * (size_t)edge[3] + i]);
        // Around a rim a shell looks out everywhere.
        if (!(out > 0.0) && !cond_volume_is_rim(volume, cross->e[side]))
            return 0;
        for (int k = 0; k < 2; k++)
            if (!is_bridge(crossing, cross, side, k) &&
                cond_volume_side_lean(volume, cross->e[side], k, cross->direction[side], m) >
                    COND_BESIDE)
                return 0;
    }
    return 1;
}

// Where two edges cross, if they support each other.
static int find_cross(const Crossing* crossing, int ea, int eb, Cross* cross)
{
    const int* edge[2] = {crossing->volume[0]->edge + 4 * (size_t)ea,
                          crossing->volume[1]->edge + 4 * (size_t)eb};
    const double* from[2];
    double way[2][3], outward = 0.0;
    *cross = (Cross){.e = {ea, eb}};
    for (int k = 0; k < 2; k++) {
        from[k] = place_of(crossing->volume[k], edge[k][0]);
        for (int i = 0; i < 3; i++)
            way[k][i] = place_of(crossing->volume[k], edge[k][1])[i] - from[k][i];
        cross->length[k] = vec3_norm(way[k]);
        for (int i = 0; i < 3; i++)
            cross->direction[k][i] = way[k][i] / cross->length[k];
    }
    if (!cross_lines(from[0], way[0], from[1], way[1], cross->along, cross->n))
        return 0;
    for (int i = 0; i < 3; i++)
        outward += cross->n[i] * (crossing->volume[0]->normal[3 * (size_t)edge[0][2] + i] +
                                  crossing->volume[0]->normal[3 * (size_t)edge[0][3] + i]);
    if (cond_volume_is_rim(crossing->volume[0], ea)) {
        outward = 0.0;
        for (int i = 0; i < 3; i++)
            outward -= cross->n[i] * (crossing->volume[1]->normal[3 * (size_t)edge[1][2] + i] +
                                      crossing->volume[1]->normal[3 * (size_t)edge[1][3] + i]);
        // Two rims: as they lie.
        for (int i = 0; i < 3 && cond_volume_is_rim(crossing->volume[1], eb); i++)
            outward += cross->n[i] * (from[1][i] - from[0][i]);
    }
    for (int i = 0; i < 3; i++) {
        cross->n[i] = outward < 0.0 ? -cross->n[i] : cross->n[i];
        cross->apart += cross->n[i] * (from[1][i] - from[0][i]); // n is normal to both edges
    }
    return is_between(crossing, cross);
}

// 1 when a vertex of the body on side k lies behind both triangles of the other's edge.
static int is_behind(const Crossing* crossing, const Cross* cross, int k, int vertex)
{
    const CondVolume* other = crossing->volume[1 - k];
    const int* edge = other->edge + 4 * (size_t)cross->e[1 - k];
    for (int side = 0; side < 2; side++) {
        double height = 0.0;
        for (int i = 0; i < 3; i++)
            height += other->normal[3 * (size_t)edge[2 + side] + i] *
                      (place_of(crossing->volume[k], vertex)[i] - place_of(other, edge[0])[i]);
        if (height > 0.0)
            return 0;
    }
    return 1;
}

// 1 when of the edges around a vertex on side k this one is the shortest way out for the other.
static int is_shortest(const Crossing* crossing, const Cross* cross, int k, int vertex)
{
    const CondVolume* volume = crossing->volume[k];
    for (int s = 3 * volume->fan_begin[vertex]; s < 3 * volume->fan_begin[vertex + 1]; s++) {
        int t = volume->fan[s / 3], f = volume->triangle_edge[3 * (size_t)t + s % 3];
        const int* edge = f >= 0 ? volume->edge + 4 * (size_t)f : NULL;
        Cross other;
        if (!edge || f == cross->e[k] || (edge[0] != vertex && edge[1] != vertex))
            continue;
        if (find_cross(crossing, k ? cross->e[0] : f, k ? f : cross->e[1], &other) &&
            other.apart > cross->apart)
            return 0;
    }
    return 1;
}

// 1 when the nearest points lie on both edges, and not at nodes. Edges that have passed through
// each other near a node may be nearest beyond it; where one of them does go through the surface
// around the node, and this is the way out, the point is the node. The gap, across both edges, is
// the same.
static int is_crossing(const Crossing* crossing, Cross* cross)
{
    for (int k = 0; k < 2; k++) {
        double past = fmax(-cross->along[k], cross->along[k] - 1.0);
        if (past <= (cross->apart < 0.0 ? 0.0 : -COND_NEARLY))
            continue;
        const CondVolume *volume = crossing->volume[k], *other = crossing->volume[1 - k];
        const int* across = other->edge + 4 * (size_t)cross->e[1 - k];
        int vertex = volume->edge[4 * (size_t)cross->e[k] + (cross->along[k] > 0.5)];
        double way[3];
        for (int i = 0; i < 3; i++)
            way[i] = cross->length[1 - k] * cross->direction[1 - k][i];
        if (!(past < COND_BESIDE) || !(cross->apart < 0.0) ||
            is_behind(crossing, cross, k, vertex) ||
            !goes_through(place_of(other, across[0]), way, volume, vertex) ||
            !is_shortest(crossing, cross, k, vertex))
            return 0;
        cross->along[k] = fmin(fmax(cross->along[k], 0.0), 1.0);
    }
    return 1;
}

// 1 when a crossing has been found from another vertex.
static int is_listed(const Crossing* crossing, CondContactKey key)
{
    for (int c = crossing->first; c < crossing->list->n; c++)
        if (cond_key_equal(crossing->list->candidate[c].key, key))
            return 1;
    return 0;
}

static CondPoint soft_point(const CondVolume* volume, int e, double along)
{
    const int* edge = volume->edge + 4 * (size_t)e;
    return (CondPoint){.body = volume->body,
                       .n_node = 2,
                       .node = {edge[0], edge[1]},
                       .local = {1.0 - along, along}};
}

// Two edges; `borne`: they have held each other in the step before, and need not be through each
// other yet.
static CondStatus cross_edges(const Crossing* crossing, int ea, int eb, int borne)
{
    static const double axis[3] = {1.0, 0.0, 0.0};
    const CondVolume *a = crossing->volume[0], *b = crossing->volume[1];
    const int *from = a->edge + 4 * (size_t)ea, *to = b->edge + 4 * (size_t)eb;
    Cross cross;
    if (!find_cross(crossing, ea, eb, &cross))
        return COND_OK;
    double deepest = COND_FAST * fmin(fmin(a->thickness, b->thickness),
                                      fmin(cond_volume_rest_length(a, from[0], from[1]),
                                           cond_volume_rest_length(b, to[0], to[1])));
    CondCandidate candidate = {.plane = -1, .triangle = -1, .gap = cross.apart - crossing->apart};
    candidate.key = cond_key_soft_crossing(crossing->collider, a->body, ea, b->body, eb);
    borne = borne || (crossing->collider->near_edges && crossing->apart > 0.0) ||
            cond_state_bore(crossing->state, candidate.key);
    double most = (borne ? crossing->reach : 0.0) +
                  (borne ? 1.0 : -1.0) * COND_SINGLE_PRECISION * fmin(a->size, b->size);
    // A shell has a side at both ends of the normal: the one that looks at the other edge counts,
    // and edges that have gone through each other on their way are found by the sweep.
    if (cross.apart < (crossing->apart > 0.0 ? 0.0 : -deepest) ||
        (a == b && is_listed(crossing, candidate.key)) || candidate.gap >= most ||
        !is_crossing(crossing, &cross) ||
        (a == b && cross.apart >= 0.5 * rest_distance(a, from, cross.along[0], to, cross.along[1])))
        return COND_OK;
    candidate.point[0] = soft_point(b, eb, cross.along[1]);
    candidate.point[1] = soft_point(a, ea, cross.along[0]);
    cond_kinematics_point(crossing->kinematics, &candidate.point[1], candidate.position, NULL,
                          NULL);
    mat3_frame(cross.n, axis, candidate.frame);
    cond_candidate_surfaces(&crossing->kinematics->model->body[b->body].surface,
                            &crossing->kinematics->model->body[a->body].surface, &candidate);
    return cond_candidate_add(crossing->list, &candidate);
}

static void edge_box(const CondVolume* volume, int e, double box[6])
{
    const int* edge = volume->edge + 4 * (size_t)e;
    for (int i = 0; i < 3; i++) {
        double p = place_of(volume, edge[0])[i], q = place_of(volume, edge[1])[i];
        box[i] = fmin(p, q);
        box[3 + i] = fmax(p, q);
    }
}

// Of shells alone; the vertices of other soft surfaces see to it.
static double shells_apart(const CondModel* model, int a, int b)
{
    const CondBody *p = &model->body[a], *q = &model->body[b];
    return p->shell && q->shell ? cond_body_apart(p, q) : 0.0;
}

CondStatus cond_collide_soft_crossings(CondCollider* collider, const CondKinematics* kinematics,
                                       const CondState* state, int a, int b, double reach,
                                       CondCandidateList* list)
{
    const Crossing crossing = {collider,
                               kinematics,
                               {collider->volume[a], collider->volume[b]},
                               shells_apart(collider->model, a, b),
                               shells_apart(collider->model, a, b) > 0.0 ? reach : 0.0,
                               state,
                               list,
                               list->n};
    const CondVolume* other = crossing.volume[1];
    CondStatus status = COND_OK;
    if (cond_boxes_apart(crossing.volume[0]->bound, other->bound, crossing.apart + crossing.reach))
        return COND_OK;
    for (int e = 0; e < crossing.volume[0]->n_edge && !status; e++) {
        double box[6];
        edge_box(crossing.volume[0], e, box);
        cond_box_widen(box, crossing.apart + crossing.reach, box);
        if (cond_boxes_apart(box, other->bound, 0.0))
            continue;
        status = cond_volume_triangles_in(other, box, &collider->found.hits);
        for (int h = 0; h < 3 * collider->found.hits.n && !status; h++) {
            int t = collider->found.hits.primitive[h / 3];
            int f = other->triangle_edge[3 * (size_t)t + h % 3];
            if (f >= 0 && other->edge[4 * (size_t)f + 2] == t) // its first triangle reports it
                status = cross_edges(&crossing, e, f, 0);
        }
    }
    return status;
}

// 1 when the two edges are too near in the mesh for self-contact.
static int are_neighbours(const CondVolume* volume, const int* a, const int* b)
{
    for (int k = 0; k < 4; k++)
        if (cond_volume_in_ring(volume, a[k / 2], b[k % 2]))
            return 1;
    return 0;
}

// Edge e against the edges of triangle t.
static CondStatus cross_triangle(const Crossing* crossing, int e, int t)
{
    const CondVolume* volume = crossing->volume[0];
    CondStatus status = COND_OK;
    double box[6], other[6];
    edge_box(volume, e, box);
    for (int k = 0; k < 3 && !status; k++) {
        int f = volume->triangle_edge[3 * (size_t)t + k];
        if (f < 0 || f == e)
            continue;
        edge_box(volume, f, other);
        if (!cond_boxes_apart(box, other, crossing->apart + crossing->reach) &&
            !are_neighbours(volume, volume->edge + 4 * (size_t)e, volume->edge + 4 * (size_t)f))
            status = cross_edges(crossing, e < f ? e : f, e < f ? f : e, 0);
    }
    return status;
}

// The edges that begin at the vertex of a contact against those of its triangle and of the three
// beside it.
static CondStatus cross_around(const Crossing* crossing, const CondVolumeContact* contact)
{
    const CondVolume* volume = crossing->volume[0];
    int t = contact->triangle, v = contact->vertex, near[4] = {t, -1, -1, -1};
    CondStatus status = COND_OK;
    for (int k = 0; k < 3; k++) {
        int f = volume->triangle_edge[3 * (size_t)t + k];
        const int* pair = f >= 0 ? volume->edge + 4 * (size_t)f + 2 : NULL;
        near[1 + k] = !pair ? -1 : pair[0] == t ? pair[1] : pair[0];
    }
    for (int s = volume->fan_begin[v]; s < volume->fan_begin[v + 1]; s++)
        for (int k = 0; k < 3 && !status; k++) {
            int e = volume->triangle_edge[3 * (size_t)volume->fan[s] + k];
            const int* edge = e >= 0 ? volume->edge + 4 * (size_t)e : NULL;
            if (!edge || edge[2] != volume->fan[s] || (edge[0] != v && edge[1] != v))
                continue; // the first of its triangles reports it
            for (int m = 0; m < 4 && !status; m++)
                status = near[m] >= 0 ? cross_triangle(crossing, e, near[m]) : COND_OK;
        }
    return status;
}

// Of a shell that is folded along an edge by more than a right angle, the other edges of the two
// triangles there: they come near each other where no vertex is.
static CondStatus cross_folded(const Crossing* crossing)
{
    const CondVolume* volume = crossing->volume[0];
    CondStatus status = COND_OK;
    for (int e = 0; e < volume->n_edge && volume->n_front > 0 && !status; e++) {
        const int* side = volume->edge + 4 * (size_t)e + 2;
        if (!(vec3_dot(volume->normal + 3 * (size_t)side[0], volume->normal + 3 * (size_t)side[1]) <
              0.0) ||
            cond_volume_is_rim(volume, e))
            continue;
        for (int k = 0; k < 3 && !status; k++) {
            int f = volume->triangle_edge[3 * (size_t)side[0] + k];
            if (f >= 0 && f != e)
                status = cross_triangle(crossing, f, side[1]);
        }
    }
    return status;
}

// Edges that have held each other in the step before, wherever the nearest vertices are.
static CondStatus cross_borne(const Crossing* crossing, const CondState* state)
{
    const CondCollider* collider = crossing->collider;
    const CondVolume* volume = crossing->volume[0];
    uint64_t n = (uint64_t)collider->n_soft_edge;
    uint64_t begin = (uint64_t)collider->soft_edge_begin[volume->body];
    uint64_t end = begin + (uint64_t)volume->n_edge;
    CondStatus status = COND_OK;
    for (int k = 0; k < state->n_memory && !status; k++) {
        const CondContactMemory* memory = &state->memory[k];
        if (memory->key.pair >> 60 != COND_KEY_SOFT_CROSSING >> 60 ||
            (memory->key.pair & COND_KEY_SECOND) || !(memory->lambda[0] > 0.0))
            continue;
        uint64_t pair = memory->key.pair - COND_KEY_SOFT_CROSSING, ea = pair / n, eb = pair % n;
        if (ea >= begin && ea < end && eb >= begin && eb < end)
            status = cross_edges(crossing, (int)(ea - begin), (int)(eb - begin), 1);
    }
    return status;
}

CondStatus cond_collide_own_soft_crossings(CondCollider* collider, const CondKinematics* kinematics,
                                           const CondState* state, int a, double reach,
                                           CondCandidateList* list)
{
    const Crossing crossing = {collider,
                               kinematics,
                               {collider->volume[a], collider->volume[a]},
                               shells_apart(collider->model, a, a),
                               shells_apart(collider->model, a, a) > 0.0 ? reach : 0.0,
                               state,
                               list,
                               list->n};
    CondStatus status = COND_OK;
    for (int k = 0; k < collider->found.n && !status; k++)
        status = cross_around(&crossing, &collider->found.contact[k]);
    if (!status)
        status = cross_folded(&crossing);
    return status ? status : cross_borne(&crossing, state);
}
