// Two meshes of which neither is convex: corners of each on the other, and edges across edges.
// Corners know the edges that begin at them: a contact is made only along a normal for which the
// body lies behind the corner, nearly.
#include "base/tuning.h"
#include "collide/mesh_pair.h"
#include "geometry/box.h"
#include "geometry/edge.h"
#include "geometry/mesh_surface.h"
#include "geometry/tuning.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

typedef struct Meshes {
    CondPairWork* work;
    const CondCore* core[2];
    double far, small;
    double box[2][6]; // around them
    int* inside;      // 1: a corner of one is inside the other
} Meshes;

static int is_off(const double box[6], const double x[3], double far)
{
    const double point[6] = {x[0], x[1], x[2], x[0], x[1], x[2]};
    return cond_boxes_apart(box, point, far);
}

typedef struct Corner {
    const CondCore* core;
    int corner;
    double sign; // of the normal, out of the other mesh
} Corner;

static const double unit[7] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};

// 1 when no edge of the corner points against the normal by much.
static int is_leading(void* user, const double normal[3])
{
    const Corner* corner = user;
    const CondMeshSurface* mesh_surface = corner->core->mesh_surface;
    double n[3];
    mat3_multiply_transposed(corner->core->R, normal, n);
    for (int k = mesh_surface->poly.fan_begin[corner->corner];
         k < mesh_surface->poly.fan_begin[corner->corner + 1]; k++) {
        const CondPolyEdge* edge = &mesh_surface->poly.edge[mesh_surface->poly.fan[k]];
        const double* p = mesh_surface->vertex + 3 * (size_t)edge->from;
        const double* q = mesh_surface->vertex + 3 * (size_t)edge->to;
        double d[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
        if (vec3_dot(n, d) < -COND_OVERHANG * vec3_norm(d))
            return 0;
    }
    return 1;
}

// Corner c of one mesh against the other.
static CondStatus meet_corner(const Meshes* m, int side, int c)
{
    const CondCore *own = m->core[side], *other = m->core[1 - side];
    CondShape shape = {
        .form = COND_FORM_MESH, .margin = other->round, .mesh_surface = other->mesh_surface};
    Corner corner = {own, c, 1.0};
    int v = own->mesh_surface->poly.corner[c];
    double x[3], local[3], n[3];
    CondProbe probe;
    cond_core_place(own, own->mesh_surface->vertex + 3 * (size_t)v, x);
    if (is_off(m->box[1 - side], x, m->far + own->round))
        return COND_OK;
    cond_core_local(other, x, local);
    cond_shape_probe(&shape, unit, local, &probe);
    if (!(probe.gap - own->round <= m->far))
        return COND_OK;
    *m->inside |= probe.gap + other->round < -m->small;
    CondCore seen = *own; // its axes seen from the other mesh
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            seen.R[3 * i + j] = other->R[i] * own->R[j] + other->R[3 + i] * own->R[3 + j] +
                                other->R[6 + i] * own->R[6 + j];
    corner.core = &seen;
    if (!is_leading(&corner, probe.normal) &&
        !cond_shape_probe_allowed(&shape, unit, local, is_leading, &corner, &probe) &&
        probe.gap >= 0.0)
        return COND_OK;
    double gap = probe.gap - own->round;
    if (!(gap <= m->far))
        return COND_OK;
    mat3_multiply(other->R, probe.normal, n);
    CondManifoldPoint meeting = {.gap = gap,
                                 .role = (uint32_t)side << 30 | ((uint32_t)v & 0x3fffffff)};
    for (int i = 0; i < 3; i++) {
        meeting.normal[i] = side ? -n[i] : n[i];
        meeting.point[side][i] = x[i] - own->round * n[i];
        meeting.point[1 - side][i] = x[i] - probe.gap * n[i];
    }
    return cond_manifold_append(&m->work->manifold, &(CondManifold){.n = 1, .meeting = &meeting});
}

static CondEdge edge_of(const CondCore* core, int e)
{
    const CondPolyhedron* poly = &core->mesh_surface->poly;
    const CondPolyEdge* edge = &poly->edge[e];
    const double* left = poly->plane + 4 * (size_t)edge->face;
    const double* right = poly->plane + 4 * (size_t)poly->edge[edge->twin].face;
    CondEdge local = {.round = 0}, world;
    double d[3], sum[3];
    for (int i = 0; i < 3; i++) {
        local.end[0][i] = core->mesh_surface->vertex[3 * (size_t)edge->from + (size_t)i];
        local.end[1][i] = core->mesh_surface->vertex[3 * (size_t)edge->to + (size_t)i];
        d[i] = local.end[1][i] - local.end[0][i];
        sum[i] = left[i] + right[i];
    }
    double length = vec3_norm(d), size = vec3_norm(sum);
    for (int i = 0; i < 3; i++) {
        d[i] /= length;
        local.out[i] = size > 0.0 ? sum[i] / size : 0.0;
    }
    vec3_cross(left, d, local.side[0]);
    vec3_cross(d, right, local.side[1]);
    local.radius = core->round;
    cond_edge_place(&local, core->R, core->p, &world);
    return world;
}

// The box around an edge in the world; 0 where the edge is not one of those that may cross others.
static int edge_box(const CondCore* core, int e, double box[6])
{
    const CondPolyEdge* edge = &core->mesh_surface->poly.edge[e];
    double p[3], q[3];
    if (!edge->convex || e > edge->twin)
        return 0;
    cond_core_place(core, core->mesh_surface->vertex + 3 * (size_t)edge->from, p);
    cond_core_place(core, core->mesh_surface->vertex + 3 * (size_t)edge->to, q);
    for (int i = 0; i < 3; i++) {
        box[i] = fmin(p[i], q[i]);
        box[3 + i] = fmax(p[i], q[i]);
    }
    return 1;
}

static double gap_in(const CondCore* core, const double x[3])
{
    CondMeshSurfacePoint nearest;
    double local[3];
    cond_core_local(core, x, local);
    cond_mesh_surface_nearest(core->mesh_surface, local, &nearest);
    return nearest.gap;
}

// Where two edges have passed through each other, the nearest points of each lie in the other body.
static int is_inside(const Meshes* m, const CondEdgePair* cross)
{
    double allowed = COND_INPUT_ROUNDING + COND_KEPT_DEEPER * fabs(cross->gap);
    return cross->gap >= 0.0 ||
           (gap_in(m->core[1], cross->point[0]) <= m->core[1]->round + allowed &&
            gap_in(m->core[0], cross->point[1]) <= m->core[0]->round + allowed);
}

// Edge i of the first mesh, which is `a` in the world, and edge j of the second.
static CondStatus meet_edges(const Meshes* m, int i, const CondEdge* first, int j)
{
    CondEdge a = *first, b = edge_of(m->core[1], j);
    CondEdgePair cross;
    if (!cond_edges_cross(&a, &b, m->far, &cross) || !is_inside(m, &cross))
        return COND_OK;
    CondManifoldPoint meeting = {
        .gap = cross.gap, .role = 2u << 30 | ((uint32_t)i & 0x7fff) << 15 | ((uint32_t)j & 0x7fff)};
    memcpy(meeting.normal, cross.normal, sizeof meeting.normal);
    for (int k = 0; k < 3; k++) {
        meeting.point[0][k] = cross.point[0][k] - a.radius * cross.normal[k];
        meeting.point[1][k] = cross.point[1][k] + b.radius * cross.normal[k];
    }
    return cond_manifold_append(&m->work->manifold, &(CondManifold){.n = 1, .meeting = &meeting});
}

// Meetings with one normal, as those on one face have, are reduced together.
static CondStatus reduce_by_normal(const Meshes* m)
{
    static const double axis[3] = {1.0, 0.0, 0.0};
    CondManifold *all = &m->work->manifold, *part = &m->work->part;
    int n = all->n;
    CondStatus status = COND_OK;
    for (int k = 0; k < n && !status; k++) {
        if (all->meeting[k].gap == INFINITY)
            continue; // taken
        double F[9], normal[3];
        memcpy(normal, all->meeting[k].normal, sizeof normal);
        mat3_frame(normal, axis, F);
        part->n = 0;
        for (int j = k; j < n && !status; j++) {
            CondManifoldPoint* meeting = &all->meeting[j];
            if (meeting->gap == INFINITY ||
                !(vec3_dot(meeting->normal, normal) > 1.0 - COND_INPUT_ROUNDING))
                continue;
            for (int i = 0; i < 2; i++)
                meeting->at[i] = vec3_dot(F + 3 * (i + 1), meeting->point[1]);
            status = cond_manifold_append(part, &(CondManifold){.n = 1, .meeting = meeting});
            meeting->gap = INFINITY;
        }
        if (!status)
            status = cond_manifold_reduce(part, m->small);
        if (!status)
            status = cond_manifold_append(all, part);
    }
    if (status || n == 0)
        return status;
    memmove(all->meeting, all->meeting + n, (size_t)(all->n - n) * sizeof *all->meeting);
    all->n -= n;
    return COND_OK;
}

static CondStatus cross_edges(const Meshes* m)
{
    CondMeshNear *near = &m->work->near_of[0], *others = &m->work->near_of[1];
    double wide = m->far + m->core[0]->round + m->core[1]->round, box[6], other[6];
    CondStatus status = cond_mesh_near_edges(m->core[0], m->core[1], wide, near);
    for (int i = 0; i < near->n && !status; i++) {
        if (!edge_box(m->core[0], near->item[i], box) || cond_boxes_apart(box, m->box[1], wide))
            continue;
        CondEdge a = edge_of(m->core[0], near->item[i]);
        status = cond_mesh_near_segment(m->core[1], a.end[0], a.end[1], wide, others);
        for (int j = 0; j < others->n && !status; j++)
            if (edge_box(m->core[1], others->item[j], other) && !cond_boxes_apart(box, other, wide))
                status = meet_edges(m, near->item[i], &a, others->item[j]);
    }
    return status;
}

// Corners of each on the other.
static CondStatus meet_corners(const Meshes* m)
{
    CondMeshNear* near = &m->work->near_of[0];
    double wide = m->far + m->core[0]->round + m->core[1]->round;
    CondStatus status = COND_OK;
    for (int side = 0; side < 2 && !status; side++) {
        status = cond_mesh_near_corners(m->core[side], m->core[1 - side], wide, near);
        for (int k = 0; k < near->n && !status; k++)
            status = meet_corner(m, side, near->item[k]);
    }
    return status;
}

// The deepest point of one in the other, where no meeting is as deep: near the ends of edges that
// have gone through each other by much, neither corners nor edges say that they have.
static CondStatus meet_inside(const Meshes* m)
{
    CondPairDepthWork* deep = &m->work->deep;
    double known = m->small, x[3], out[3];
    CondDepth found;
    for (int k = 0; k < m->work->manifold.n; k++)
        known = fmax(known, -m->work->manifold.meeting[k].gap);
    int overlap = *m->inside;
    if (cond_boxes_apart(m->box[0], m->box[1], 0.0))
        return COND_OK;
    if (!overlap &&
        cond_meshes_cross(m->core[0], m->core[1], m->small, &m->work->near_of[0], &overlap))
        return COND_OUT_OF_MEMORY;
    if (!overlap)
        return COND_OK;
    for (int s = 0; s < 2; s++)
        if (cond_boundary_take_core(&deep->boundary[s], m->core[s]))
            return COND_OUT_OF_MEMORY;
    known -= m->core[0]->round + m->core[1]->round;
    if (!cond_boundaries_deeper(&deep->depth, &deep->boundary[0], &deep->boundary[1],
                                fmax(known, 0.0), &found))
        return COND_OK;
    memcpy(x, found.point[found.owner], sizeof x);
    double way = cond_boundary_way_out(&deep->boundary[1 - found.owner], x, -found.gap, out);
    CondManifoldPoint meeting = {.gap = -way - m->core[0]->round - m->core[1]->round,
                                 .role = 3u << 30};
    for (int i = 0; i < 3; i++) {
        meeting.normal[i] = found.owner ? -out[i] : out[i];
        meeting.point[found.owner][i] = x[i] - m->core[found.owner]->round * out[i];
        meeting.point[1 - found.owner][i] = x[i] + (way + m->core[1 - found.owner]->round) * out[i];
    }
    return cond_manifold_append(&m->work->manifold, &(CondManifold){.n = 1, .meeting = &meeting});
}

CondStatus cond_mesh_meets_mesh(CondPairWork* work, const CondCore* a, const CondCore* b,
                                double far, double small)
{
    int inside = 0;
    Meshes m = {work, {a, b}, far, small, {{0.0}, {0.0}}, &inside};
    work->manifold.n = 0;
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < 6; k++) {
            double d[3] = {0.0, 0.0, 0.0}, x[3];
            d[k % 3] = k < 3 ? -1.0 : 1.0;
            cond_core_support(m.core[side], d, 0, x);
            m.box[side][k] = x[k % 3];
        }
    CondStatus status = meet_corners(&m);
    if (!status)
        status = cross_edges(&m);
    if (!status)
        status = cond_manifold_thin(&work->manifold, COND_NEARLY * fmin(a->size, b->size),
                                    fmin(a->size, b->size));
    if (!status)
        status = reduce_by_normal(&m);
    return status ? status : meet_inside(&m);
}
