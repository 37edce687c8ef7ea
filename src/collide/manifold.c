// The gap of two facets is a linear function over the plane across the normal, because each of them
// is flat. Its smallest value over what they have in common is at a corner of that, and a force at
// any point between corners is a sum of forces at the corners with the same normal: the corners of
// the convex hull are all that is needed.
#include "collide/manifold.h"
#include "base/tuning.h"

#include "base/memory.h"
#include "collide/tuning.h"
#include "geometry/segment.h"
#include "geometry/triangle.h"
#include "geometry/tuning.h"
#include "math/scalar.h"

#include <float.h>
#include <math.h>
#include <string.h>

void cond_manifold_begin(const CondContext* context, CondManifold* manifold)
{
    memset(manifold, 0, sizeof *manifold);
    cond_arena_begin(context, &manifold->arena);
}

void cond_manifold_end(CondManifold* manifold)
{
    cond_arena_release(&manifold->arena);
}

// The plane across the normal, and what is being made.
typedef struct View {
    const CondFacet* facet[2];
    double round[2];
    double F[9]; // rows n, t1, t2
    double far, small;
    CondManifold* out;
    const double* seen[2]; // points of the facets in that plane [m]              (n_point x 2)
} View;

static void project(const View* view, const double x[3], double at[2])
{
    at[0] = vec3_dot(view->F + 3, x);
    at[1] = vec3_dot(view->F + 6, x);
}

// Where the points of both facets are in the plane across the normal.
static CondStatus see_points(View* view)
{
    CondManifold* out = view->out;
    int n = view->facet[0]->n_point + view->facet[1]->n_point;
    if (COND_RESERVE(&out->arena, out->seen, 2 * n))
        return COND_OUT_OF_MEMORY;
    double* at = out->seen;
    for (int side = 0; side < 2; side++) {
        view->seen[side] = at;
        for (int k = 0; k < view->facet[side]->n_point; k++, at += 2)
            project(view, view->facet[side]->point + 3 * (size_t)k, at);
    }
    return COND_OK;
}

// Both points are given on the cores.
static CondStatus add_meeting(View* view, const double a[3], const double b[3], double extra,
                              uint32_t role)
{
    CondManifold* out = view->out;
    double gap = extra - view->round[0] - view->round[1];
    for (int i = 0; i < 3; i++)
        gap += view->F[i] * (a[i] - b[i]);
    if (!(gap <= view->far))
        return COND_OK;
    if (COND_RESERVE(&out->arena, out->meeting, out->n + 1))
        return COND_OUT_OF_MEMORY;
    CondManifoldPoint* meeting = &out->meeting[out->n++];
    meeting->gap = gap;
    memcpy(meeting->normal, view->F, sizeof meeting->normal);
    meeting->role = role;
    for (int i = 0; i < 3; i++) {
        meeting->point[0][i] = a[i] - view->round[0] * view->F[i];
        meeting->point[1][i] = b[i] + view->round[1] * view->F[i];
    }
    project(view, a, meeting->at);
    return COND_OK;
}

CondStatus cond_manifold_add(CondManifold* manifold, const CondCore* a, const double local[3],
                             const double n[3], double gap, uint32_t role)
{
    static const double axis[3] = {1.0, 0.0, 0.0};
    double x[3], y[3];
    View view = {.round = {a->round, 0.0}, .far = INFINITY, .out = manifold};
    mat3_frame(n, axis, view.F);
    cond_core_place(a, local, x);
    for (int i = 0; i < 3; i++)
        y[i] = x[i] - (gap + a->round) * n[i];
    return add_meeting(&view, x, y, 0.0, role);
}

CondStatus cond_manifold_hold(const CondCore* a, const CondCore* b, const CondSeparation* apart,
                              CondManifold* manifold)
{
    static const double axis[3] = {1.0, 0.0, 0.0};
    const double* n = apart->normal;
    double back[3] = {-n[0], -n[1], -n[2]}, x[3], y[3];
    double small = COND_INPUT_ROUNDING * fmin(a->size, b->size);
    for (int k = 0; k < manifold->n; k++)
        if (manifold->meeting[k].gap <= apart->apart + small)
            return COND_OK;
    View view = {.round = {a->round, b->round}, .far = INFINITY, .out = manifold};
    mat3_frame(n, axis, view.F);
    cond_core_support(a, back, 0, x);
    for (int i = 0; i < 3; i++)
        y[i] = x[i] - (apart->apart + a->round + b->round) * n[i];
    return add_meeting(&view, x, y, 0.0, 3u << 30);
}

int cond_manifold_is_sharp(const CondManifold* manifold, double touching, double tie,
                           double on_a[3], double on_b[3])
{
    const CondManifoldPoint *p = NULL, *q = NULL;
    double longest = 0.0;
    for (int i = 0; i < manifold->n; i++)
        for (int j = 0; j <= i; j++) {
            const CondManifoldPoint *a = &manifold->meeting[i], *b = &manifold->meeting[j];
            double d = scalar_length(a->at[0] - b->at[0], a->at[1] - b->at[1]);
            if (a->gap > touching || b->gap > touching || (p && !(d > longest)))
                continue;
            longest = d;
            p = a;
            q = b;
        }
    if (!p)
        return 0;
    for (int k = 0; k < manifold->n; k++) {
        const CondManifoldPoint* m = &manifold->meeting[k];
        double u[2] = {m->at[0] - p->at[0], m->at[1] - p->at[1]};
        double v[2] = {q->at[0] - p->at[0], q->at[1] - p->at[1]};
        if (m->gap <= touching && fabs(u[0] * v[1] - u[1] * v[0]) > tie * longest)
            return 0;
    }
    for (int i = 0; i < 3; i++) {
        on_a[i] = 0.5 * (p->point[0][i] + q->point[0][i]);
        on_b[i] = 0.5 * (p->point[1][i] + q->point[1][i]);
    }
    return 1;
}

// The roles of corners and of crossings: kind, then the features of both.
static uint32_t role_of(unsigned kind, int a, int b)
{
    return kind << 30 | ((uint32_t)a & 0x7fff) << 15 | ((uint32_t)b & 0x7fff);
}

// y = the point of the facet's plane over or under x.
static void lift(const View* view, const CondFacet* facet, const double x[3], double y[3])
{
    double up = vec3_dot(facet->plane, view->F);
    double t = (facet->plane[3] - vec3_dot(facet->plane, x)) / up;
    for (int i = 0; i < 3; i++)
        y[i] = x[i] + t * view->F[i];
}

static const double* corner(const CondFacet* facet, int edge, int end)
{
    return facet->point + 3 * (size_t)facet->edge[2 * edge + end];
}

static const double* seen_corner(const View* view, int side, int edge, int end)
{
    return view->seen[side] + 2 * (size_t)view->facet[side]->edge[2 * edge + end];
}

// Squared distance of a place in the plane across the normal to an edge, and where on the edge.
static double edge_distance2(const View* view, int side, int edge, const double at[2],
                             double* where)
{
    const double *p = seen_corner(view, side, edge, 0), *q = seen_corner(view, side, edge, 1);
    double d[2] = {q[0] - p[0], q[1] - p[1]}, r[2] = {at[0] - p[0], at[1] - p[1]};
    double dd = d[0] * d[0] + d[1] * d[1];
    double t = dd > 0.0 ? (r[0] * d[0] + r[1] * d[1]) / dd : 0.0;
    *where = t > 0.0 ? (t < 1.0 ? t : 1.0) : 0.0;
    double u = r[0] - *where * d[0], v = r[1] - *where * d[1];
    return u * u + v * v;
}

// 1 when a place lies in the polygon, by the number of sides that a line from it crosses, or on its
// rim.
static int in_polygon(const View* view, int side, const double at[2])
{
    double where;
    int inside = 0, n = view->facet[side]->n_edge;
    for (int e = 0; e < n; e++) {
        const double *p = seen_corner(view, side, e, 0), *q = seen_corner(view, side, e, 1);
        if ((p[1] > at[1]) != (q[1] > at[1]) &&
            at[0] < p[0] + (q[0] - p[0]) * (at[1] - p[1]) / (q[1] - p[1]))
            inside = !inside;
    }
    for (int e = 0; e < n && !inside; e++)
        inside = edge_distance2(view, side, e, at, &where) <= view->small * view->small;
    return inside;
}

// The point y of the facet on one side over or under x, which is seen at `at`, where there is one;
// `wide` is how far beside a segment x may be, and *beside how far it is.
static int find_over(const View* view, int side, const double x[3], const double at[2], double wide,
                     double y[3], double* beside)
{
    const CondFacet* facet = view->facet[side];
    double d[3], where = 0.0;
    *beside = 0.0;
    if (facet->flat) {
        lift(view, facet, x, y);
        for (int i = 0; i < 3; i++)
            d[i] = y[i] - facet->centre[i];
        return facet->disc ? vec3_norm(d) <= facet->radius + view->small
                           : in_polygon(view, side, at);
    }
    memcpy(y, facet->point, 3 * sizeof *y);
    if (facet->n_edge > 0) {
        *beside = sqrt(edge_distance2(view, side, 0, at, &where));
        for (int i = 0; i < 3; i++)
            y[i] = (1.0 - where) * facet->point[i] + where * facet->point[3 + i];
    } else {
        const double* q = view->seen[side];
        *beside = scalar_length(at[0] - q[0], at[1] - q[1]);
    }
    return *beside <= fmax(wide, view->small);
}

// By how much two round lines part beside each other.
static double sagitta(double radii, double beside)
{
    return radii > 0.0 ? 0.5 * beside * beside / radii : 0.0;
}

// Corners, ends and rim points of one facet over the other.
static CondStatus add_corners(View* view, int side)
{
    const CondFacet *from = view->facet[side], *to = view->facet[1 - side];
    double radii = 0.0;
    if (from->n_edge == 1 && to->n_edge == 1) // two lines
        radii = from->curve + to->curve + view->round[0] + view->round[1];
    for (int k = 0; k < from->n_point; k++) {
        const double* x = from->point + 3 * (size_t)k;
        double y[3], beside;
        if (!find_over(view, 1 - side, x, view->seen[side] + 2 * (size_t)k, COND_LATERAL * radii, y,
                       &beside))
            continue;
        int id = from->id[k];
        CondStatus status = add_meeting(view, side ? y : x, side ? x : y, sagitta(radii, beside),
                                        role_of(side ? 1 : 0, side ? 0 : id, side ? id : 0));
        if (status)
            return status;
    }
    return COND_OK;
}

// Sides of the two facets that cross.
static CondStatus add_crossing(View* view, int i, int j)
{
    const CondFacet *a = view->facet[0], *b = view->facet[1];
    const double *p0 = corner(a, i, 0), *p1 = corner(a, i, 1);
    const double *q0 = corner(b, j, 0), *q1 = corner(b, j, 1);
    const double *p = seen_corner(view, 0, i, 0), *r = seen_corner(view, 0, i, 1);
    const double *q = seen_corner(view, 1, j, 0), *s = seen_corner(view, 1, j, 1);
    double x[3], y[3];
    double d[2] = {r[0] - p[0], r[1] - p[1]}, e[2] = {s[0] - q[0], s[1] - q[1]};
    double w[2] = {q[0] - p[0], q[1] - p[1]}, det = d[0] * e[1] - d[1] * e[0];
    if (!(fabs(det) > COND_ROUNDING * scalar_length(d[0], d[1]) * scalar_length(e[0], e[1])))
        return COND_OK;
    double t = (w[0] * e[1] - w[1] * e[0]) / det, u = (w[0] * d[1] - w[1] * d[0]) / det;
    if (!(t >= 0.0 && t <= 1.0 && u >= 0.0 && u <= 1.0))
        return COND_OK;
    for (int k = 0; k < 3; k++) {
        x[k] = p0[k] + t * (p1[k] - p0[k]);
        y[k] = q0[k] + u * (q1[k] - q0[k]);
    }
    return add_meeting(view, x, y, 0.0, role_of(2, a->edge_id[i], b->edge_id[j]));
}

// A segment as it is seen along the normal: begin and direction.
static void flatten(const View* view, const double p[3], const double q[3], double at[3],
                    double along[3])
{
    double end[2];
    project(view, p, at);
    project(view, q, end);
    along[0] = end[0] - at[0];
    along[1] = end[1] - at[1];
    at[2] = along[2] = 0.0;
}

// Two lines at an angle touch in one point, where they are nearest across the normal: between the
// ends of both, or at an end. It has one role, so that it stays the same contact while it slides to
// an end and back. 0 where they are not such lines.
static int add_nearest(View* view, CondStatus* status)
{
    const CondFacet *a = view->facet[0], *b = view->facet[1];
    double p[3], d[3], q[3], e[3], x[3], y[3], t, u;
    if (a->n_edge != 1 || b->n_edge != 1)
        return 0;
    const double *p0 = corner(a, 0, 0), *p1 = corner(a, 0, 1);
    const double *q0 = corner(b, 0, 0), *q1 = corner(b, 0, 1);
    flatten(view, p0, p1, p, d);
    flatten(view, q0, q1, q, e);
    if (!(fabs(d[0] * e[1] - d[1] * e[0]) > COND_BESIDE * vec3_norm(d) * vec3_norm(e)))
        return 0;
    double beside = cond_segment_nearest(p, d, q, e, &t, &u);
    double radii = a->curve + b->curve + view->round[0] + view->round[1];
    if (!(beside <= fmax(COND_LATERAL * radii, view->small)))
        return 1;
    for (int i = 0; i < 3; i++) {
        x[i] = p0[i] + t * (p1[i] - p0[i]);
        y[i] = q0[i] + u * (q1[i] - q0[i]);
    }
    *status =
        add_meeting(view, x, y, sagitta(radii, beside), role_of(2, a->edge_id[0], b->edge_id[0]));
    return 1;
}

// The rim of the disc on one side across an edge of the other.
static CondStatus add_rim_crossing(View* view, int side, int edge)
{
    const CondFacet *disc = view->facet[side], *other = view->facet[1 - side];
    const double *p = corner(other, edge, 0), *q = corner(other, edge, 1);
    double p_on[3], q_on[3], d[3], r[3];
    lift(view, disc, p, p_on);
    lift(view, disc, q, q_on);
    for (int i = 0; i < 3; i++) {
        d[i] = q_on[i] - p_on[i];
        r[i] = p_on[i] - disc->centre[i];
    }
    // |r + t d|^2 = radius^2
    double dd = vec3_dot(d, d), rd = vec3_dot(r, d);
    double left = rd * rd - dd * (vec3_dot(r, r) - disc->radius * disc->radius);
    if (!(left > 0.0 && dd > 0.0))
        return COND_OK;
    for (int k = 0; k < 2; k++) {
        double t = (-rd + (k ? sqrt(left) : -sqrt(left))) / dd, x[3], y[3];
        if (!(t >= 0.0 && t <= 1.0))
            continue;
        for (int i = 0; i < 3; i++) {
            x[i] = p_on[i] + t * d[i];
            y[i] = p[i] + t * (q[i] - p[i]);
        }
        int id = other->edge_id[edge], rim = 0x4000 + k;
        CondStatus status = add_meeting(view, side ? y : x, side ? x : y, 0.0,
                                        role_of(2, side ? id : rim, side ? rim : id));
        if (status)
            return status;
    }
    return COND_OK;
}

// The point of disc a's rim at an angle, and over it in the plane of b; returns by how much it lies
// outside disc b.
static double rim_point(const View* view, const double F[9], double angle, double x[3], double y[3])
{
    const CondFacet *a = view->facet[0], *b = view->facet[1];
    double d[3];
    for (int i = 0; i < 3; i++)
        x[i] = a->centre[i] + a->radius * (cos(angle) * F[3 + i] + sin(angle) * F[6 + i]);
    lift(view, b, x, y);
    for (int i = 0; i < 3; i++)
        d[i] = y[i] - b->centre[i];
    return vec3_norm(d) - b->radius;
}

// Where the rims of two discs cross: sign changes along one of them.
static CondStatus add_disc_crossings(View* view)
{
    const double pi = 3.14159265358979323846, axis[3] = {1.0, 0.0, 0.0};
    double F[9], x[3], y[3];
    mat3_frame(view->facet[0]->plane, axis, F);
    double last = rim_point(view, F, 0.0, x, y);
    int found = 0;
    for (int k = 1; k <= COND_CIRCLE_PARTS; k++) {
        double low = 2.0 * pi * (k - 1) / COND_CIRCLE_PARTS,
               high = 2.0 * pi * k / COND_CIRCLE_PARTS;
        double here = rim_point(view, F, high, x, y);
        if ((last < 0.0) != (here < 0.0)) {
            for (int pass = 0; pass < DBL_MANT_DIG; pass++) {
                double middle = 0.5 * (low + high);
                if ((rim_point(view, F, middle, x, y) < 0.0) == (last < 0.0))
                    low = middle;
                else
                    high = middle;
            }
            CondStatus status = add_meeting(view, x, y, 0.0, role_of(2, 0x5000, 0x5000 + found++));
            if (status)
                return status;
        }
        last = here;
    }
    return COND_OK;
}

// ---- reduction

static int is_before(const CondManifoldPoint* a, const CondManifoldPoint* b)
{
    if (a->at[0] != b->at[0])
        return a->at[0] < b->at[0];
    if (a->at[1] != b->at[1])
        return a->at[1] < b->at[1];
    return a->role < b->role;
}

static double turn_of(const CondManifoldPoint* a, const CondManifoldPoint* b,
                      const CondManifoldPoint* c)
{
    return (b->at[0] - a->at[0]) * (c->at[1] - a->at[1]) -
           (b->at[1] - a->at[1]) * (c->at[0] - a->at[0]);
}

// Meetings at one place are one; it keeps the lowest role.
static void merge_close(CondManifold* m, double small)
{
    int kept = 0;
    for (int k = 0; k < m->n; k++) {
        int same = -1;
        for (int j = 0; j < kept && same < 0; j++)
            if (scalar_length(m->meeting[k].at[0] - m->meeting[j].at[0],
                              m->meeting[k].at[1] - m->meeting[j].at[1]) <= small)
                same = j;
        if (same < 0)
            m->meeting[kept++] = m->meeting[k];
        else if (m->meeting[k].role < m->meeting[same].role)
            m->meeting[same] = m->meeting[k];
    }
    m->n = kept;
}

// Sorts and keeps the convex hull, by Andrew's chain; counter-clockwise. The chain needs room for
// one point more than there are.
static CondStatus keep_hull(CondManifold* m, double small)
{
    int n = m->n;
    if (n < 3)
        return COND_OK;
    if (COND_RESERVE(&m->arena, m->meeting, 3 * n + 1))
        return COND_OUT_OF_MEMORY;
    CondManifoldPoint *all = m->meeting, *hull = all + n;
    for (int i = 1; i < n; i++) {
        CondManifoldPoint moving = all[i];
        int j = i;
        for (; j > 0 && is_before(&moving, &all[j - 1]); j--)
            all[j] = all[j - 1];
        all[j] = moving;
    }
    double wide = scalar_length(all[n - 1].at[0] - all[0].at[0], all[n - 1].at[1] - all[0].at[1]);
    double flat = small * fmax(wide, small);
    int count = 0;
    for (int i = 0; i < n; i++) {
        while (count >= 2 && turn_of(&hull[count - 2], &hull[count - 1], &all[i]) <= flat)
            count--;
        hull[count++] = all[i];
    }
    for (int i = n - 2, lower = count + 1; i >= 0; i--) {
        while (count >= lower && turn_of(&hull[count - 2], &hull[count - 1], &all[i]) <= flat)
            count--;
        hull[count++] = all[i];
    }
    m->n = count - 1;
    memmove(all, hull, (size_t)m->n * sizeof *all);
    return COND_OK;
}

// Drops the corner of the hull whose triangle with its neighbours is smallest, but not the deepest,
// until few enough are left.
static void keep_few(CondManifold* m)
{
    while (m->n > COND_MOST_CONTACTS) {
        int deepest = 0, drop = -1;
        double least = INFINITY;
        for (int k = 1; k < m->n; k++)
            deepest = m->meeting[k].gap < m->meeting[deepest].gap ? k : deepest;
        for (int k = 0; k < m->n; k++) {
            double area = turn_of(&m->meeting[(k + m->n - 1) % m->n], &m->meeting[k],
                                  &m->meeting[(k + 1) % m->n]);
            if (k != deepest && area < least) {
                least = area;
                drop = k;
            }
        }
        memmove(&m->meeting[drop], &m->meeting[drop + 1],
                (size_t)(m->n - drop - 1) * sizeof *m->meeting);
        m->n--;
    }
}

CondStatus cond_manifold_reduce(CondManifold* manifold, double small)
{
    merge_close(manifold, small);
    CondStatus status = keep_hull(manifold, small);
    keep_few(manifold);
    return status;
}

CondStatus cond_manifold_append(CondManifold* manifold, const CondManifold* part)
{
    if (COND_RESERVE(&manifold->arena, manifold->meeting, manifold->n + part->n))
        return COND_OUT_OF_MEMORY;
    for (int k = 0; k < part->n; k++)
        manifold->meeting[manifold->n++] = part->meeting[k];
    return COND_OK;
}

CondStatus cond_manifold_make(const CondFacet* a, double round_a, const CondFacet* b,
                              double round_b, const double n[3], double far, double small,
                              CondManifold* manifold)
{
    static const double axis[3] = {1.0, 0.0, 0.0};
    View view = {.facet = {a, b}, .round = {round_a, round_b}, .far = far, .small = small};
    view.out = manifold;
    mat3_frame(n, axis, view.F);
    manifold->n = 0;
    CondStatus status = COND_OK;
    if (add_nearest(&view, &status))
        return status;
    status = see_points(&view);
    if (!status)
        status = add_corners(&view, 0);
    if (!status)
        status = add_corners(&view, 1);
    for (int i = 0; i < a->n_edge && !status; i++)
        for (int j = 0; j < b->n_edge && !status; j++)
            status = add_crossing(&view, i, j);
    for (int j = 0; j < b->n_edge && a->disc && !status; j++)
        status = add_rim_crossing(&view, 0, j);
    for (int i = 0; i < a->n_edge && b->disc && !status; i++)
        status = add_rim_crossing(&view, 1, i);
    if (a->disc && b->disc && !status)
        status = add_disc_crossings(&view);
    return status ? status : cond_manifold_reduce(manifold, small);
}

CondStatus cond_manifold_on_plane(const CondFacet* a, double round_a, const double n[3],
                                  double offset, double far, double small, CondManifold* manifold)
{
    static const double axis[3] = {1.0, 0.0, 0.0};
    CondFacet ground = {.flat = 1, .plane = {n[0], n[1], n[2], offset}};
    View view = {.facet = {a, &ground}, .round = {round_a, 0.0}, .far = far, .out = manifold};
    CondStatus status = COND_OK;
    mat3_frame(n, axis, view.F);
    manifold->n = 0;
    for (int k = 0; k < a->n_point && !status; k++) {
        double y[3];
        lift(&view, &ground, a->point + 3 * (size_t)k, y);
        status = add_meeting(&view, a->point + 3 * (size_t)k, y, 0.0, role_of(0, a->id[k], 0));
    }
    return status ? status : cond_manifold_reduce(manifold, small);
}
