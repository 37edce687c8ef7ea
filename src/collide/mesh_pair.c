// Closed triangle meshes that are not convex, against planes, convex shapes and each other.
#include "collide/mesh_pair.h"
#include "base/tuning.h"

#include "base/memory.h"
#include "collide/tuning.h"
#include "geometry/mesh_surface.h"
#include "geometry/tuning.h"
#include "math/vec3.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

CondStatus cond_mesh_on_plane(const CondCore* mesh, const double n[3], double offset, double far,
                              double small, CondManifold* part, CondManifold* manifold)
{
    const CondMeshSurface* mesh_surface = mesh->mesh_surface;
    const CondPolyhedron* poly = &mesh_surface->poly;
    double local[3], lowest = INFINITY, base = vec3_dot(n, mesh->p) - offset - mesh->round;
    mat3_multiply_transposed(mesh->R, n, local);
    for (int c = 0; c < poly->n_corner; c++)
        lowest = fmin(lowest, vec3_dot(local, mesh_surface->vertex + 3 * (size_t)poly->corner[c]));
    manifold->n = 0;
    for (int layer = 0; layer < 2; layer++) {
        CondStatus status = COND_OK;
        part->n = 0;
        for (int c = 0; c < poly->n_corner && !status; c++) {
            int v = poly->corner[c];
            double height = vec3_dot(local, mesh_surface->vertex + 3 * (size_t)v);
            if ((height - lowest > 10.0 * small) == layer && base + height <= far)
                status = cond_manifold_add(part, mesh, mesh_surface->vertex + 3 * (size_t)v, n,
                                           base + height, (uint32_t)v & 0x3fffffff);
        }
        if (!status)
            status = cond_manifold_reduce(part, small);
        if (!status)
            status = cond_manifold_append(manifold, part);
        if (status)
            return status;
    }
    return COND_OK;
}

// ---- a mesh and a convex core

typedef struct Meshing {
    CondPairWork* work;
    const CondCore *mesh, *core;
    const CondShape* shape; // that the core was made of
    double far, small;
    CondManifoldPoint* spare; // the deepest point of one in the other that no meeting stands for
} Meshing;

static void keep_spare(const Meshing* m, const CondManifoldPoint* meeting)
{
    if (meeting->gap < fmin(m->spare->gap, -m->small))
        *m->spare = *meeting;
}

// A point of the core that is inside the mesh and leaves it through another face than the
// meeting's.
static void keep_point(const Meshing* m, const CondManifoldPoint* meeting)
{
    CondManifoldPoint out = *meeting;
    CondMeshSurfacePoint nearest;
    double local[3];
    cond_core_local(m->mesh, meeting->point[0], local);
    cond_mesh_surface_nearest(m->mesh->mesh_surface, local, &nearest);
    out.gap = nearest.gap - m->mesh->round;
    mat3_multiply(m->mesh->R, nearest.normal, out.normal);
    for (int i = 0; i < 3; i++)
        out.point[1][i] = out.point[0][i] - out.gap * out.normal[i];
    keep_spare(m, &out);
}

static const double* vertex_of(const Meshing* m, int v)
{
    return m->mesh->mesh_surface->vertex + 3 * (size_t)v;
}

// Signed distance of x to the mesh.
static double mesh_gap(const CondCore* mesh, const double x[3])
{
    CondMeshSurfacePoint nearest;
    double local[3];
    cond_core_local(mesh, x, local);
    cond_mesh_surface_nearest(mesh->mesh_surface, local, &nearest);
    return nearest.gap - mesh->round;
}

static int compare(const void* a, const void* b)
{
    const int *p = a, *q = b;
    return *p < *q ? -1 : *p > *q;
}

// The faces of the mesh with triangles near the core, in work->seen as 1 and ascending in
// work->near.
static CondStatus find_faces(const Meshing* m)
{
    const CondPolyhedron* poly = &m->mesh->mesh_surface->poly;
    CondPairWork* work = m->work;
    double *box = work->box, wide = m->far + m->core->round + m->mesh->round;
    for (int k = 0; k < 6; k++) {
        double d[3], x[3], local[3], sign = k < 3 ? -1.0 : 1.0;
        cond_core_axis(m->mesh, k % 3, d);
        for (int i = 0; i < 3; i++)
            d[i] *= sign;
        cond_core_support(m->core, d, 0, x);
        cond_core_local(m->mesh, x, local);
        box[k] = local[k % 3] + sign * wide;
    }
    work->n_near = 0;
    if (cond_tree_query(&m->mesh->mesh_surface->tree, box, &work->hits[0]) ||
        COND_RESERVE(&work->arena, work->seen, poly->n_face) ||
        COND_RESERVE(&work->arena, work->near, work->hits[0].n))
        return COND_OUT_OF_MEMORY;
    for (int h = 0; h < work->hits[0].n; h++) {
        int f = poly->face_of[work->hits[0].primitive[h]];
        if (!work->seen[f])
            work->near[work->n_near++] = f;
        work->seen[f] = 1;
    }
    if (work->n_near > 1)
        qsort(work->near, (size_t)work->n_near, sizeof *work->near, compare);
    return COND_OK;
}

static void forget_faces(const Meshing* m)
{
    for (int k = 0; k < m->work->n_near; k++)
        m->work->seen[m->work->near[k]] = 0;
}

// 1 when the point x of the core, `gap` from a face or edge, would leave the mesh through it. A
// point of the core that is outside is over its face, whatever of the rounding is inside. steep:
// the smallest cosine between the normal and the faces'.
static int is_way_out(const Meshing* m, const double x[3], double gap, double steep)
{
    return !(gap < -m->small) ||
           !(mesh_gap(m->mesh, x) > fmin(COND_ALIGNED * steep * gap + m->small, 0.0));
}

// Keeps a manifold whose middle leaves the mesh through the face or edge it is on; of others the
// meetings that do, looked at from a little inside: on the rim of a face the next one is as near.
// Of a capsule only its axis can be in, and each of its points is asked for itself.
static void keep_real(const Meshing* m, double steep)
{
    CondManifold* part = &m->work->part;
    double mean[3] = {0.0, 0.0, 0.0}, mean_gap = m->core->round;
    int kept = 0;
    for (int k = 0; k < part->n; k++) {
        const CondManifoldPoint* meeting = &part->meeting[k];
        mean_gap += meeting->gap / part->n;
        for (int i = 0; i < 3; i++)
            mean[i] += (meeting->point[0][i] + m->core->round * meeting->normal[i]) / part->n;
    }
    double own = m->core->form == COND_FORM_CAPSULE ? 1.0 : COND_ALIGNED;
    if (own < 1.0 && is_way_out(m, mean, mean_gap, steep))
        return;
    for (int k = 0; k < part->n; k++) {
        const CondManifoldPoint* meeting = &part->meeting[k];
        double x[3], y[3], gap = meeting->gap + m->core->round;
        for (int i = 0; i < 3; i++) {
            x[i] = meeting->point[0][i] + m->core->round * meeting->normal[i];
            y[i] = own * x[i] + (1.0 - own) * mean[i];
        }
        // Not all of the others need be in the mesh: where the point itself leaves this way, it is
        // of no matter where the middle is.
        if (is_way_out(m, x, gap, steep) ||
            (own < 1.0 && is_way_out(m, y, own * gap + (1.0 - own) * mean_gap, steep)))
            part->meeting[kept++] = *meeting;
        else
            keep_point(m, meeting);
    }
    part->n = kept;
}

// Empties a manifold without the point s of the core that is lowest along n, and below the plane
// across n of the face or edge, which is `gap` from it. That plane cuts the core beside the face or
// edge, and no body touches with its middle along a normal that is not its own: another face, edge
// or corner of the mesh has that meeting. Where it cuts nothing, all stay on the same side of it,
// and it holds what comes fast. A corner of the core over a face is one whatever else of the core
// is lower.
static void keep_lowest(const Meshing* m, const double n[3], const double s[3], double gap)
{
    CondManifold* part = &m->work->part;
    int kept = 0;
    if (gap >= 0.0)
        return;
    for (int k = 0; k < part->n; k++) {
        double up = 0.0, apart = 0.0;
        for (int i = 0; i < 3; i++) {
            double d = part->meeting[k].point[0][i] + m->core->round * n[i] - s[i];
            up += n[i] * d;
            apart += d * d;
        }
        if (up <= m->small + COND_TOUCH * sqrt(apart))
            return;
    }
    for (int k = 0; k < part->n; k++)
        if (part->meeting[k].role >> 30 == 0)
            part->meeting[kept++] = part->meeting[k];
    part->n = kept;
}

static CondStatus meet_face(const Meshing* m, int f)
{
    CondPairWork* work = m->work;
    const double* plane = m->mesh->mesh_surface->poly.plane + 4 * (size_t)f;
    double n[3], back[3], x[3];
    mat3_multiply(m->mesh->R, plane, n);
    for (int i = 0; i < 3; i++)
        back[i] = -n[i];
    cond_core_support(m->core, back, 0, x);
    double round = m->core->round + m->mesh->round;
    double gap = vec3_dot(n, x) - vec3_dot(n, m->mesh->p) - plane[3] - round;
    if (!(gap <= m->far))
        return COND_OK;
    CondStatus status = cond_facet_make(m->core, back, &work->facet[0]);
    if (!status)
        status = cond_facet_of_face(m->mesh, f, &work->facet[1]);
    if (!status)
        status = cond_manifold_make(&work->facet[0], m->core->round, &work->facet[1],
                                    m->mesh->round, n, m->far, m->small, &work->part);
    if (status)
        return status;
    keep_lowest(m, n, x, gap);
    keep_real(m, 1.0);
    for (int k = 0; k < work->part.n; k++) { // the same corner may touch several faces
        uint32_t* role = &work->part.meeting[k].role;
        if (*role >> 30 == 0)
            *role |= (uint32_t)f & 0x7fff;
        else if (*role >> 30 == 1)
            *role |= ((uint32_t)f & 0x7fff) << 15;
    }
    return cond_manifold_append(&work->manifold, &work->part);
}

// The core along n in front of the edge through p, and its rate as n turns along d.
static double edge_slope(const Meshing* m, const double p[3], const double u[3], const double w[3],
                         double angle, double n[3])
{
    double back[3], x[3], slope = 0.0;
    for (int i = 0; i < 3; i++) {
        n[i] = cos(angle) * u[i] + sin(angle) * w[i];
        back[i] = -n[i];
    }
    cond_core_support(m->core, back, 0, x);
    for (int i = 0; i < 3; i++)
        slope += (x[i] - p[i]) * (cos(angle) * w[i] - sin(angle) * u[i]);
    return slope;
}

// The normal between u and the one `wide` away from it towards w along which the core is farthest
// from the edge; 0 when it is that of a face, which sees to it.
static int edge_normal(const Meshing* m, const double p[3], const double u[3], const double w[3],
                       double wide, double n[3])
{
    double low = 0.0, high = wide;
    if (!(edge_slope(m, p, u, w, low, n) > 0.0) || !(edge_slope(m, p, u, w, high, n) < 0.0))
        return 0;
    for (int pass = 0; pass < DBL_MANT_DIG; pass++) {
        double middle = 0.5 * (low + high);
        if (edge_slope(m, p, u, w, middle, n) > 0.0)
            low = middle;
        else
            high = middle;
    }
    return 1;
}

static CondStatus meet_edge(const Meshing* m, int e)
{
    CondPairWork* work = m->work;
    const CondPolyhedron* poly = &m->mesh->mesh_surface->poly;
    const CondPolyEdge* edge = &poly->edge[e];
    double u[3], v[3], w[3], p[3], n[3], x[3], back[3];
    mat3_multiply(m->mesh->R, poly->plane + 4 * (size_t)edge->face, u);
    mat3_multiply(m->mesh->R, poly->plane + 4 * (size_t)poly->edge[edge->twin].face, v);
    double cosine = vec3_dot(u, v), sine;
    for (int i = 0; i < 3; i++)
        w[i] = v[i] - cosine * u[i];
    sine = vec3_norm(w);
    for (int i = 0; i < 3 && sine > 0.0; i++)
        w[i] /= sine;
    cond_core_place(m->mesh, vertex_of(m, edge->from), p);
    if (!(sine > COND_SINGLE_PRECISION || cosine < 0.0) ||
        !edge_normal(m, p, u, w, atan2(sine, cosine), n))
        return COND_OK;
    for (int i = 0; i < 3; i++)
        back[i] = -n[i];
    cond_core_support(m->core, back, 0, x);
    double gap = vec3_dot(n, x) - vec3_dot(n, p) - m->core->round - m->mesh->round;
    if (!(gap <= m->far))
        return COND_OK;
    CondStatus status = cond_facet_make(m->core, back, &work->facet[0]);
    if (!status)
        status = cond_facet_of_edge(m->mesh, e, &work->facet[1]);
    if (!status)
        status = cond_manifold_make(&work->facet[0], m->core->round, &work->facet[1],
                                    m->mesh->round, n, m->far, m->small, &work->part);
    if (status)
        return status;
    keep_lowest(m, n, x, gap);
    keep_real(m, fmin(vec3_dot(n, u), vec3_dot(n, v)));
    for (int k = 0; k < work->part.n; k++) {
        uint32_t *role = &work->part.meeting[k].role, kind = *role >> 30;
        uint32_t id = kind == 1 ? *role & 0x7fff : *role >> 15 & 0x7fff;
        *role = 3u << 30 | kind << 28 | (id & 0x1fff) << 15 | ((uint32_t)e & 0x7fff);
    }
    return cond_manifold_append(&work->manifold, &work->part);
}

// 1 when a plane with the normal n (mesh axes) touches the corner from outside and nothing else.
static int supports_corner(const Meshing* m, int c, const double n[3])
{
    const CondPolyhedron* poly = &m->mesh->mesh_surface->poly;
    for (int k = poly->fan_begin[c]; k < poly->fan_begin[c + 1]; k++) {
        const CondPolyEdge* edge = &poly->edge[poly->fan[k]];
        const double *p = vertex_of(m, edge->from), *q = vertex_of(m, edge->to);
        double d[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
        if (!(vec3_dot(n, d) < -COND_SINGLE_PRECISION * vec3_norm(d)))
            return 0;
    }
    return 1;
}

static CondStatus meet_corner(const Meshing* m, int c)
{
    static const double unit[7] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};
    int v = m->mesh->mesh_surface->poly.corner[c];
    double x[3], local[3], n[3], in_mesh[3];
    CondProbe probe;
    cond_core_place(m->mesh, vertex_of(m, v), x);
    cond_core_local(m->core, x, local);
    cond_shape_probe(m->shape, unit, local, &probe);
    double gap = probe.gap - m->mesh->round;
    if (!(gap <= m->far))
        return COND_OK;
    mat3_multiply(m->core->R, probe.normal, n);
    for (int i = 0; i < 3; i++)
        n[i] = -n[i];
    mat3_multiply_transposed(m->mesh->R, n, in_mesh);
    CondManifoldPoint meeting = {.gap = gap,
                                 .role = 1u << 30 | 0x7fffu << 15 | ((uint32_t)v & 0x7fff)};
    memcpy(meeting.normal, n, sizeof n);
    for (int i = 0; i < 3; i++) {
        meeting.point[1][i] = x[i] + m->mesh->round * n[i];
        meeting.point[0][i] = meeting.point[1][i] + gap * n[i];
    }
    if (!supports_corner(m, c, in_mesh)) {
        keep_spare(m, &meeting);
        return COND_OK;
    }
    return cond_manifold_append(&m->work->manifold, &(CondManifold){.n = 1, .meeting = &meeting});
}

// A meeting of an edge or a corner at the place of an earlier one of nearly the same normal is the
// same contact; the shorter way between the two, without their rounding, is the true one.
static void drop_repeated(const Meshing* m, int first)
{
    CondManifold* all = &m->work->manifold;
    double near = COND_NEARLY * fmin(m->core->size, m->mesh->size),
           round = m->core->round + m->mesh->round;
    int kept = first;
    for (int k = first; k < all->n; k++) {
        const CondManifoldPoint* b = &all->meeting[k];
        int same = -1;
        for (int j = 0; j < kept && same < 0; j++) {
            const CondManifoldPoint* a = &all->meeting[j];
            double d[3];
            for (int i = 0; i < 3; i++)
                d[i] = a->point[1][i] - b->point[1][i];
            if (vec3_dot(a->normal, b->normal) > COND_ALIGNED && vec3_norm(d) < near)
                same = j;
        }
        if (same < 0)
            all->meeting[kept++] = *b;
        else if (fabs(b->gap + round) < fabs(all->meeting[same].gap + round) - m->small)
            all->meeting[same] = *b;
    }
    all->n = kept;
}

// How deep the point t along the axis of a capsule is in the mesh, and where its ball would leave.
static double axis_depth(const Meshing* m, double t, CondManifoldPoint* out)
{
    CondMeshSurfacePoint nearest;
    double x[3], local[3], at[3] = {0.0, 0.0, t * m->core->half[2]};
    cond_core_place(m->core, at, x);
    cond_core_local(m->mesh, x, local);
    cond_mesh_surface_nearest(m->mesh->mesh_surface, local, &nearest);
    *out = (CondManifoldPoint){.gap = nearest.gap - m->core->round - m->mesh->round,
                               .role = 3u << 30 | 0x7ffe};
    mat3_multiply(m->mesh->R, nearest.normal, out->normal);
    for (int i = 0; i < 3; i++) {
        out->point[0][i] = x[i] - m->core->round * out->normal[i];
        out->point[1][i] = out->point[0][i] - out->gap * out->normal[i];
    }
    return -nearest.gap;
}

// The deepest point of a capsule's axis that goes into the mesh: not always an end of it, as on its
// way it may come from the nearest face of one side to that of another.
static void keep_axis(const Meshing* m)
{
    const double golden = 0.6180339887498949;
    double best = -INFINITY, where = 0.0;
    CondManifoldPoint out;
    if (m->core->form != COND_FORM_CAPSULE)
        return;
    for (int k = 0; k <= COND_SECTORS; k++) {
        double t = 2.0 * k / COND_SECTORS - 1.0, depth = axis_depth(m, t, &out);
        where = depth > best ? t : where;
        best = fmax(best, depth);
    }
    if (!(best > -2.0 * m->core->half[2] / COND_SECTORS)) // no stretch between the points is inside
        return;
    double low = fmax(where - 2.0 / COND_SECTORS, -1.0),
           high = fmin(where + 2.0 / COND_SECTORS, 1.0);
    for (int pass = 0; pass < COND_GOLDEN_STEPS; pass++) {
        double one = high - golden * (high - low), two = low + golden * (high - low);
        if (axis_depth(m, one, &out) > axis_depth(m, two, &out))
            high = two;
        else
            low = one;
    }
    axis_depth(m, axis_depth(m, where, &out) < axis_depth(m, low, &out) ? low : where, &out);
    keep_spare(m, &out);
}

// The deepest point, where no meeting is as deep. A core whose middle is inside, but none of whose
// parts is found to be, leaves along the way of its middle.
static CondStatus meet_inside(const Meshing* m)
{
    CondMeshSurfacePoint nearest;
    double local[3], n[3], back[3], x[3], surface[3];
    double deepest = 0.0;
    keep_axis(m);
    for (int k = 0; k < m->work->manifold.n; k++)
        deepest = fmin(deepest, m->work->manifold.meeting[k].gap);
    if (m->spare->gap < deepest - m->small)
        return cond_manifold_append(&m->work->manifold,
                                    &(CondManifold){.n = 1, .meeting = m->spare});
    if (deepest < 0.0)
        return COND_OK;
    cond_core_local(m->mesh, m->core->p, local);
    cond_mesh_surface_nearest(m->mesh->mesh_surface, local, &nearest);
    if (!(nearest.gap < 0.0))
        return COND_OK;
    mat3_multiply(m->mesh->R, nearest.normal, n);
    cond_core_place(m->mesh, nearest.point, surface);
    for (int i = 0; i < 3; i++)
        back[i] = -n[i];
    cond_core_support(m->core, back, 0, x);
    double gap = vec3_dot(n, x) - vec3_dot(n, surface) - m->core->round - m->mesh->round;
    cond_core_local(m->core, x, local);
    return cond_manifold_add(&m->work->manifold, m->core, local, n, gap, 3u << 30 | 0x7fff);
}

static void turn_round(CondManifold* manifold)
{
    for (int k = 0; k < manifold->n; k++)
        for (int i = 0; i < 3; i++) {
            CondManifoldPoint* meeting = &manifold->meeting[k];
            double first = meeting->point[0][i];
            meeting->point[0][i] = meeting->point[1][i];
            meeting->point[1][i] = first;
            meeting->normal[i] = -meeting->normal[i];
        }
}

// 1 for one of the faces around a corner that are near.
static int is_first_in_fan(const Meshing* m, int e)
{
    const CondPolyhedron* poly = &m->mesh->mesh_surface->poly;
    int c = poly->corner_of[poly->edge[e].from];
    for (int k = poly->fan_begin[c]; k < poly->fan_begin[c + 1]; k++)
        if (m->work->seen[poly->edge[poly->fan[k]].face])
            return poly->fan[k] == e;
    return 0;
}

// 1 where the segment between two vertices, or a vertex alone, does not come near the core: of a
// wide face few sides do.
static int is_far(const Meshing* m, int from, int to)
{
    const double *p = vertex_of(m, from), *q = vertex_of(m, to), *box = m->work->box;
    for (int i = 0; i < 3; i++)
        if (fmax(p[i], q[i]) < box[i] || fmin(p[i], q[i]) > box[3 + i])
            return 1;
    return 0;
}

// Edges and corners of the faces that are near.
static CondStatus meet_sharp(const Meshing* m)
{
    const CondPolyhedron* poly = &m->mesh->mesh_surface->poly;
    CondStatus status = COND_OK;
    for (int k = 0; k < m->work->n_near; k++) {
        int f = m->work->near[k];
        for (int e = poly->edge_begin[f]; e < poly->edge_begin[f + 1]; e++) {
            const CondPolyEdge* edge = &poly->edge[e];
            int other = edge->twin >= 0 ? poly->edge[edge->twin].face : f;
            if (is_far(m, edge->from, edge->to))
                continue;
            if (edge->convex && (e < edge->twin || !m->work->seen[other]))
                status = meet_edge(m, e);
            if (!status && !is_far(m, edge->from, edge->from) && is_first_in_fan(m, e))
                status = meet_corner(m, poly->corner_of[edge->from]);
            if (status)
                return status;
        }
    }
    return COND_OK;
}

// No two meetings of a pair have the same role.
static void tell_apart(CondManifold* manifold)
{
    for (int k = 1; k < manifold->n; k++)
        for (int j = 0; j < k; j++)
            if (manifold->meeting[j].role == manifold->meeting[k].role) {
                manifold->meeting[k].role++;
                j = -1;
            }
}

CondStatus cond_mesh_meets_core(CondPairWork* work, const CondCore* mesh, const CondCore* core,
                                const CondShape* shape, int flip, double far, double small)
{
    CondManifoldPoint spare = {.gap = 0.0};
    const Meshing m = {work, mesh, core, shape, far, small, &spare};
    CondStatus status = find_faces(&m);
    work->manifold.n = 0;
    for (int k = 0; k < work->n_near && !status; k++)
        status = meet_face(&m, work->near[k]);
    int first = work->manifold.n;
    if (!status)
        status = meet_sharp(&m);
    forget_faces(&m);
    if (status)
        return status;
    drop_repeated(&m, first);
    status = cond_manifold_thin(&work->manifold, COND_NEARLY * fmin(core->size, mesh->size),
                                fmin(core->size, mesh->size));
    if (!status)
        status = meet_inside(&m);
    tell_apart(&work->manifold);
    if (flip)
        turn_round(&work->manifold);
    return status;
}
