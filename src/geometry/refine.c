// The normal between two cores where it is nearly known. What is apart along n,
//     s(n) = min over A - B of n . x,
// can be computed for any n, and its largest value is sought. Near a normal there are only these
// possibilities:
//   a flat face of a or b:                             its normal;
//   an edge of one across an edge of the other:        the normal to both;
//   an edge along a rim, or the side of a cylinder:    the largest s(n) of those normal to the
//   edge; rims and corners:                                  the largest s(n) around, where it is
//   smooth.
// All are tried, the best one is taken, and ties go to the first: a face is a face exactly.
#include "base/tuning.h"
#include "geometry/separation.h"

#include "geometry/mesh_surface.h"
#include "geometry/tuning.h"
#include "math/scalar.h"
#include "math/vec3.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_EDGES = 24 };

typedef struct Search {
    const CondCore *a, *b;
    double tie; // [m]
    double n[3], best;
} Search;

// Takes unit vector n where it is better than the best so far.
static void try_normal(Search* search, const double n[3])
{
    double x[3], apart = cond_cores_apart(search->a, search->b, n, x);
    if (!(apart > search->best + search->tie))
        return;
    search->best = apart;
    memcpy(search->n, n, sizeof search->n);
}

static int is_near(const double n[3], const double m[3])
{
    return vec3_dot(n, m) > 1.0 - 0.5 * COND_NORMAL_NEAR * COND_NORMAL_NEAR;
}

// Normals of flat faces along sign * n.
static void try_faces(Search* search, const CondCore* core, const double n[3], double sign)
{
    double m[3], out[3];
    int mesh_surface = core->form == COND_FORM_CONVEX || core->form == COND_FORM_MESH;
    int count = mesh_surface                       ? core->mesh_surface->poly.n_face
                : core->form == COND_FORM_BOX      ? 6
                : core->form == COND_FORM_CYLINDER ? 2
                                                   : 0;
    for (int k = 0; k < count; k++) {
        if (mesh_surface) {
            mat3_multiply(core->R, core->mesh_surface->poly.plane + 4 * (size_t)k, m);
        } else {
            cond_core_axis(core, core->form == COND_FORM_BOX ? k / 2 : 2, m);
            for (int i = 0; i < 3 && k % 2; i++)
                m[i] = -m[i];
        }
        for (int i = 0; i < 3; i++)
            out[i] = sign * m[i];
        if (is_near(n, out))
            try_normal(search, out);
    }
}

// Directions of edges that a plane normal to n nearly touches along: unit vectors in the world.
static int edges_near(const CondCore* core, const double n[3], double sign,
                      double edge[MOST_EDGES][3])
{
    int count = 0;
    double x[3], along[3] = {sign * n[0], sign * n[1], sign * n[2]};
    if (core->form == COND_FORM_CONVEX || core->form == COND_FORM_MESH) {
        const CondPolyhedron* poly = &core->mesh_surface->poly;
        double local[3], d[3];
        mat3_multiply_transposed(core->R, along, local);
        cond_core_support(core, along, 0, x);
        double top = vec3_dot(along, x) - vec3_dot(along, core->p);
        for (int e = 0; e < poly->n_edge && count < MOST_EDGES; e++) {
            if (poly->edge[e].twin < e)
                continue;
            const double* p = core->mesh_surface->vertex + 3 * (size_t)poly->edge[e].from;
            const double* q = core->mesh_surface->vertex + 3 * (size_t)poly->edge[e].to;
            for (int i = 0; i < 3; i++)
                d[i] = q[i] - p[i];
            double length = vec3_norm(d);
            if (fmin(vec3_dot(local, p), vec3_dot(local, q)) < top - COND_NORMAL_NEAR * length)
                continue;
            mat3_multiply(core->R, d, edge[count]);
            for (int i = 0; i < 3; i++)
                edge[count][i] /= length;
            count++;
        }
        return count;
    }
    for (int k = 0; k < 3; k++) {
        if (!(core->half[k] > 0.0))
            continue;
        cond_core_axis(core, k, edge[count]);
        count += fabs(vec3_dot(edge[count], n)) < COND_NORMAL_NEAR;
    }
    return count;
}

// n = cos u + sin w, and dn/dangle = cos w - sin u.
static void turn(const double u[3], const double w[3], double angle, double n[3], double d[3])
{
    double c = cos(angle), s = sin(angle);
    for (int i = 0; i < 3; i++) {
        n[i] = c * u[i] + s * w[i];
        d[i] = c * w[i] - s * u[i];
    }
}

// ds/dangle = x . dn/dangle, x the support point.
static double slope(const Search* search, const double u[3], const double w[3], double angle)
{
    double n[3], d[3], x[3];
    turn(u, w, angle, n, d);
    cond_cores_apart(search->a, search->b, n, x);
    return vec3_dot(x, d);
}

// The largest s(n) over the normals to an edge e near n, where it lies between: a root of the slope
// by the Illinois rule. Where its steps have come down to rounding it is found, though the other
// end of the bracket may still be far.
static void try_circle(Search* search, const double e[3], const double n[3])
{
    double u[3], w[3], m[3], d[3], along = vec3_dot(e, n), low = -COND_NORMAL_NEAR,
                                   high = COND_NORMAL_NEAR;
    for (int i = 0; i < 3; i++)
        u[i] = n[i] - along * e[i];
    double length = vec3_norm(u);
    for (int i = 0; i < 3; i++)
        u[i] /= length;
    vec3_cross(e, u, w);
    double at_low = slope(search, u, w, low), at_high = slope(search, u, w, high), angle = 0.0;
    if (!(at_low > 0.0 && at_high < 0.0))
        return;
    for (int pass = 0, side = 0; pass < DBL_MANT_DIG && high - low > COND_EXACT; pass++) {
        double last = angle;
        angle = (low * at_high - high * at_low) / (at_high - at_low);
        if (pass > 0 && fabs(angle - last) <= COND_EXACT)
            break;
        if (pass % 8 == 7)
            angle = 0.5 * (low + high); // kinks stall the rule
        double here = slope(search, u, w, angle);
        if (here == 0.0)
            break;
        if (here > 0.0) {
            low = angle;
            at_low = here;
            at_high *= side == 1 ? 0.5 : 1.0;
            side = 1;
        } else {
            high = angle;
            at_high = here;
            at_low *= side == -1 ? 0.5 : 1.0;
            side = -1;
        }
    }
    turn(u, w, angle, m, d);
    try_normal(search, m);
}

// H += the change of the support point with the direction: r (I - c c' - u u')/rho on a rim with
// the axis c and the radial direction u; nothing at a corner.
static void add_rim(const CondCore* core, const double n[3], double H[9])
{
    double c[3], u[3];
    if (core->form != COND_FORM_CYLINDER)
        return;
    cond_core_axis(core, 2, c);
    double along = vec3_dot(c, n);
    for (int i = 0; i < 3; i++)
        u[i] = n[i] - along * c[i];
    double rho = vec3_norm(u);
    if (!(rho > COND_SINGLE_PRECISION))
        return;
    for (int i = 0; i < 9; i++)
        H[i] -= core->disc / rho *
                ((i % 4 == 0) - c[i / 3] * c[i % 3] - u[i / 3] * u[i % 3] / (rho * rho));
}

// Newton's method for the largest s(n) on the sphere: gradient x - s n, Hessian P (dx/dn - s) P.
static void try_smooth(Search* search, const double start[3])
{
    double n[3], x[3], F[9];
    memcpy(n, start, sizeof n);
    for (int pass = 0; pass < COND_QUADRATIC_STEPS; pass++) {
        double H[9] = {0.0}, g[2], K[3], step[2], s = cond_cores_apart(search->a, search->b, n, x);
        const double first[3] = {1.0, 0.0, 0.0};
        add_rim(search->a, n, H);
        add_rim(search->b, n, H);
        mat3_frame(n, first, F); // rows n, t1, t2
        for (int k = 0; k < 2; k++)
            g[k] = vec3_dot(F + 3 * (k + 1), x);
        for (int k = 0; k < 3; k++) { // tt of t1 t1, t1 t2, t2 t2
            double Ht[3];
            const double *t = F + (k < 2 ? 3 : 6), *q = F + (k < 1 ? 3 : 6);
            mat3_multiply(H, t, Ht);
            K[k] = vec3_dot(q, Ht) - (k == 1 ? 0.0 : s);
        }
        double det = K[0] * K[2] - K[1] * K[1];
        if (!(K[0] < 0.0 && det > 0.0))
            return; // not a maximum here
        step[0] = -(K[2] * g[0] - K[1] * g[1]) / det;
        step[1] = -(K[0] * g[1] - K[1] * g[0]) / det;
        double length = scalar_length(step[0], step[1]);
        double shorten = length > COND_NORMAL_NEAR ? COND_NORMAL_NEAR / length : 1.0;
        if (length > COND_NORMAL_NEAR && pass >= COND_REFINE_LONG)
            return; // it leads away
        for (int i = 0; i < 3; i++)
            n[i] += shorten * (step[0] * F[3 + i] + step[1] * F[6 + i]);
        double norm = vec3_norm(n);
        for (int i = 0; i < 3; i++)
            n[i] /= norm;
        if (length < COND_PRODUCT_ROUNDING)
            break;
    }
    try_normal(search, n);
}

void cond_cores_refine(const CondCore* a, const CondCore* b, double n[3])
{
    double ea[MOST_EDGES][3], eb[MOST_EDGES][3], m[3], x[3];
    double given = cond_cores_apart(a, b, n, x),
           tie = COND_PRODUCT_ROUNDING * fmax(a->size, b->size);
    int round = a->form == COND_FORM_CYLINDER || b->form == COND_FORM_CYLINDER;
    Search search = {.a = a, .b = b, .tie = tie, .best = -INFINITY};
    try_faces(&search, b, n, 1.0);
    try_faces(&search, a, n, -1.0);
    if (search.best >= given - 10.0 * tie) { // nothing else is better than a face to rounding
        memcpy(n, search.n, sizeof search.n);
        return;
    }
    int na = edges_near(a, n, -1.0, ea), nb = edges_near(b, n, 1.0, eb);
    for (int i = 0; i < na; i++)
        for (int j = 0; j < nb; j++) {
            vec3_cross(ea[i], eb[j], m);
            double length = vec3_norm(m), sign = vec3_dot(m, n) < 0.0 ? -1.0 : 1.0;
            for (int k = 0; k < 3 && length > COND_SINGLE_PRECISION; k++)
                m[k] *= sign / length;
            if (length > COND_SINGLE_PRECISION && is_near(n, m))
                try_normal(&search, m);
        }
    for (int i = 0; i < na && round; i++)
        try_circle(&search, ea[i], n);
    for (int j = 0; j < nb && round; j++)
        try_circle(&search, eb[j], n);
    if (round)
        try_smooth(&search, n);
    if (search.best >= given - 10.0 * tie)
        memcpy(n, search.n, sizeof search.n);
}
