// The deepest points of surfaces and pieces in each other.
//
// The signed distance to a convex piece is a convex function, so its least value over a face of a
// surface is found exactly, by golden sections within golden sections. The depth in a surface is
// not: vertices are asked as they are, and edges, rims and axes between the places where they go
// through the surface, at several points and then around the deepest of them.
#include "audit/feature.h"
#include "audit/sheet.h"
#include "audit/surface.h"
#include "audit/tuning.h"
#include "base/tuning.h"
#include "math/vec3.h"

#include <string.h>

enum { MAX_CUT = 64, N_RIM = 64 };

static const double GOLDEN = 0.6180339887498949;

// Keeps x of the first and y of the second, with the way out from y to x, or from x to y inside.
static void keep(double gap, const double x[3], const double y[3], double sign,
                 CondTranslation* out)
{
    double d[3], length;
    for (int i = 0; i < 3; i++)
        d[i] = sign * (x[i] - y[i]);
    length = vec3_norm(d);
    out->gap = gap;
    memcpy(out->point[0], x, sizeof out->point[0]);
    memcpy(out->point[1], y, sizeof out->point[1]);
    for (int i = 0; i < 3 && length > 0.0; i++)
        out->normal[i] = d[i] / length;
}

static void turn_round(CondTranslation* t)
{
    for (int i = 0; i < 3; i++) {
        double x = t->point[0][i];
        t->point[0][i] = t->point[1][i];
        t->point[1][i] = x;
        t->normal[i] = -t->normal[i];
    }
}

static int is_held(const CondSurface* s, int face)
{
    const int* c = s->face + 3 * (size_t)face;
    return s->held[c[0]] || s->held[c[1]] || s->held[c[2]];
}

// A point of the first, inside the surface of the second: deeper than what is known?
static double offer_inside(const CondSurface* s, const double x[3], double radius,
                           CondTranslation* out)
{
    double near[3];
    int face;
    double depth = cond_surface_nearest(s, x, NULL, INFINITY, &face, near);
    // A stretch that goes through an edge between two faces may be taken for one that stays inside.
    if (face >= 0 && !is_held(s, face) && -depth - radius < out->gap && cond_surface_holds(s, x))
        keep(-depth - radius, x, near, -1.0, out);
    return depth;
}

static void between(const double p[3], const double q[3], double t, double x[3])
{
    for (int i = 0; i < 3; i++)
        x[i] = p[i] + t * (q[i] - p[i]);
}

// The stretch from low to high along pq lies inside.
static void search_stretch(const CondSurface* s, const double p[3], const double q[3], double low,
                           double high, double radius, CondTranslation* out)
{
    double step = (high - low) / COND_AUDIT_STARTS, best = low, most = -1.0, x[3];
    for (int k = 0; k <= COND_AUDIT_STARTS; k++) {
        between(p, q, low + step * k, x);
        double depth = offer_inside(s, x, radius, out);
        best = depth > most ? low + step * k : best;
        most = fmax(most, depth);
    }
    low = fmax(low, best - step);
    high = fmin(high, best + step);
    for (int k = 0; k < COND_GOLDEN_STEPS; k++) {
        double one = high - GOLDEN * (high - low), two = low + GOLDEN * (high - low);
        between(p, q, one, x);
        double f = offer_inside(s, x, radius, out);
        between(p, q, two, x);
        if (f > offer_inside(s, x, radius, out))
            high = two;
        else
            low = one;
    }
}

// Where a stretch goes through the faces, ascending, from 0 to 1; returns how many.
static int cut_stretch(const CondSurface* s, const double p[3], const double q[3],
                       double cut[MAX_CUT])
{
    double box[6];
    int n = 0;
    cut[n++] = 0.0;
    for (int i = 0; i < 3; i++) {
        box[i] = fmin(p[i], q[i]);
        box[3 + i] = fmax(p[i], q[i]);
    }
    for (int f = 0; f < s->n_face && n < MAX_CUT - 1; f++) {
        const int* c = s->face + 3 * (size_t)f;
        if (cond_audit_boxes(box, s->face_box + 6 * (size_t)f) > 0.0)
            continue;
        double t = cond_audit_pierce(p, q, s->vertex + 3 * (size_t)c[0],
                                     s->vertex + 3 * (size_t)c[1], s->vertex + 3 * (size_t)c[2]);
        int k = n;
        if (!(t >= 0.0))
            continue;
        for (; k > 0 && cut[k - 1] > t; k--)
            cut[k] = cut[k - 1];
        cut[k] = t;
        n++;
    }
    cut[n++] = 1.0;
    return n;
}

void cond_surface_stretch(const CondSurface* s, const double p[3], const double q[3], double radius,
                          CondTranslation* out)
{
    double cut[MAX_CUT], box[6], x[3];
    for (int i = 0; i < 3; i++) {
        box[i] = fmin(p[i], q[i]);
        box[3 + i] = fmax(p[i], q[i]);
    }
    if (cond_audit_boxes(box, s->box) > 0.0)
        return;
    int n = cut_stretch(s, p, q, cut);
    for (int k = 0; k + 1 < n; k++) {
        between(p, q, 0.5 * (cut[k] + cut[k + 1]), x);
        if (cut[k + 1] > cut[k] && cond_surface_holds(s, x))
            search_stretch(s, p, q, cut[k], cut[k + 1], radius, out);
    }
}

// Golden section of a function that falls and then rises, over 0 .. 1.
typedef double Along(const void* what, double t);
static double least_along(Along* f, const void* what, double* at)
{
    double low = 0.0, high = 1.0, one = 1.0 - GOLDEN, two = GOLDEN;
    double p = f(what, one), q = f(what, two);
    for (int k = 0; k < COND_GOLDEN_STEPS; k++) {
        if (p < q) {
            high = two;
            two = one;
            q = p;
            p = f(what, one = high - GOLDEN * (high - low));
        } else {
            low = one;
            one = two;
            p = q;
            q = f(what, two = low + GOLDEN * (high - low));
        }
    }
    // The ends count too: the least of a convex function may lie there.
    double ends[2] = {f(what, 0.0), f(what, 1.0)}, least = fmin(p, q);
    *at = p < q ? one : two;
    if (ends[0] <= least || ends[1] < least) {
        *at = ends[0] <= ends[1] ? 0.0 : 1.0;
        least = fmin(ends[0], ends[1]);
    }
    return least;
}

// A line across a triangle, and the whole triangle as the lines from its first corner.
typedef struct Facet {
    const CondPiece* piece;
    const double* corner[3];
    double far[3]; // end of the line, on the side across from corner 0
} Facet;

static double on_line(const void* what, double t)
{
    const Facet* facet = what;
    double x[3];
    between(facet->corner[0], facet->far, t, x);
    return cond_piece_distance(facet->piece, x, NULL);
}

static double on_facet(const void* what, double t)
{
    Facet facet = *(const Facet*)what;
    double at;
    between(facet.corner[1], facet.corner[2], t, facet.far);
    return least_along(on_line, &facet, &at);
}

// Takes the corner that is farthest from the piece as the first. No line from there has its least
// distance at its beginning, so that lines of the same least distance are not taken for each other.
static void begin_farthest(Facet* facet)
{
    for (int k = 1; k < 3; k++)
        if (cond_piece_distance(facet->piece, facet->corner[k], NULL) >
            cond_piece_distance(facet->piece, facet->corner[0], NULL)) {
            const double* first = facet->corner[0];
            facet->corner[0] = facet->corner[k];
            facet->corner[k] = first;
        }
}

// A bound from below for the distance over a face: the tangent at its centre, as it is convex.
static double facet_bound(const Facet* facet)
{
    double centre[3], near[3], least = INFINITY;
    for (int i = 0; i < 3; i++)
        centre[i] = (facet->corner[0][i] + facet->corner[1][i] + facet->corner[2][i]) / 3.0;
    double gap = cond_piece_distance(facet->piece, centre, near);
    for (int k = 0; k < 3; k++) {
        double d[3], slope = 0.0;
        for (int i = 0; i < 3; i++) {
            d[i] = facet->corner[k][i] - centre[i];
            slope += fabs(gap) > COND_AUDIT_ROUNDING ? (centre[i] - near[i]) / gap * d[i] : 0.0;
        }
        least = fmin(least, fabs(gap) > COND_AUDIT_ROUNDING ? gap + slope : gap - vec3_norm(d));
    }
    return least;
}

// The points of the surface that are deepest in the piece, or nearest to it.
static void search_faces(const CondSurface* s, const CondPiece* piece, const double box[6],
                         CondTranslation* out)
{
    double near[3], x[3], t, u;
    for (int v = 0; v < s->n_vertex; v++) {
        if (!s->used[v] || s->held[v])
            continue;
        double gap = cond_piece_distance(piece, s->vertex + 3 * (size_t)v, near);
        if (gap < out->gap)
            keep(gap, s->vertex + 3 * (size_t)v, near, gap < 0.0 ? -1.0 : 1.0, out);
    }
    for (int f = 0; f < s->n_face; f++) {
        const int* c = s->face + 3 * (size_t)f;
        Facet facet = {.piece = piece};
        for (int k = 0; k < 3; k++)
            facet.corner[k] = s->vertex + 3 * (size_t)c[k];
        begin_farthest(&facet);
        if (is_held(s, f) ||
            cond_audit_boxes(s->face_box + 6 * (size_t)f, box) > fmax(out->gap, 0.0) ||
            !(facet_bound(&facet) < out->gap))
            continue;
        least_along(on_facet, &facet, &t);
        between(facet.corner[1], facet.corner[2], t, facet.far);
        least_along(on_line, &facet, &u);
        between(facet.corner[0], facet.far, u, x);
        double gap = cond_piece_distance(piece, x, near);
        if (gap < out->gap)
            keep(gap, x, near, gap < 0.0 ? -1.0 : 1.0, out);
    }
}

static void place(const CondPiece* piece, double x, double y, double z, double world[3])
{
    const double local[3] = {x, y, z};
    mat3_multiply(piece->axes, local, world);
    for (int i = 0; i < 3; i++)
        world[i] += piece->centre[i];
}

// Signed distance of a point of the rim; keeps what is inside.
static double on_rim(const CondSurface* s, const CondPiece* piece, double z, double angle,
                     CondTranslation* out)
{
    double x[3], near[3];
    int face;
    place(piece, piece->half[0] * cos(angle), piece->half[0] * sin(angle), z, x);
    if (cond_surface_holds(s, x))
        return -offer_inside(s, x, piece->radius, out);
    return cond_surface_nearest(s, x, NULL, INFINITY, &face, near);
}

// The rim of a cylinder, from every point of it that is nearer than its neighbours.
static void search_rim(const CondSurface* s, const CondPiece* piece, double z, CondTranslation* out)
{
    const double step = 2.0 * acos(-1.0) / N_RIM;
    double gap[N_RIM];
    for (int k = 0; k < N_RIM; k++)
        gap[k] = on_rim(s, piece, z, step * k, out);
    for (int k = 0; k < N_RIM; k++) {
        double low = step * (k - 1), high = step * (k + 1);
        if (gap[k] > gap[(k + 1) % N_RIM] || gap[k] > gap[(k + N_RIM - 1) % N_RIM] ||
            gap[k] - step * piece->half[0] > fmin(out->gap, 0.0))
            continue;
        for (int i = 0; i < COND_GOLDEN_STEPS; i++) {
            double one = high - GOLDEN * (high - low), two = low + GOLDEN * (high - low);
            if (on_rim(s, piece, z, one, out) < on_rim(s, piece, z, two, out))
                high = two;
            else
                low = one;
        }
    }
}

// The piece's own edges, rims and axis, as points that may be deep in the surface.
static void search_edges(const CondSurface* s, const CondPiece* piece, CondTranslation* out)
{
    double p[3], q[3];
    const double* half = piece->half;
    if (piece->kind == COND_PIECE_POINT && cond_surface_holds(s, piece->centre))
        offer_inside(s, piece->centre, piece->radius, out);
    if (piece->kind == COND_PIECE_SEGMENT) {
        place(piece, 0.0, 0.0, -half[2], p);
        place(piece, 0.0, 0.0, half[2], q);
        cond_surface_stretch(s, p, q, piece->radius, out);
    }
    for (int k = 0; piece->kind == COND_PIECE_BOX && k < 12; k++) {
        int axis = k / 4, one = (axis + 1) % 3, two = (axis + 2) % 3;
        double from[3], to[3];
        from[one] = to[one] = k & 1 ? half[one] : -half[one];
        from[two] = to[two] = k & 2 ? half[two] : -half[two];
        from[axis] = -half[axis];
        to[axis] = half[axis];
        place(piece, from[0], from[1], from[2], p);
        place(piece, to[0], to[1], to[2], q);
        cond_surface_stretch(s, p, q, piece->radius, out);
    }
    for (int k = 0; piece->kind == COND_PIECE_CYLINDER && k < 2; k++)
        search_rim(s, piece, k ? half[2] : -half[2], out);
    for (int k = 0; piece->kind == COND_PIECE_HULL && k < 3 * piece->n_face; k++) {
        int u = piece->face[k], w = piece->face[k - k % 3 + (k + 1) % 3];
        if (u < w)
            cond_surface_stretch(s, piece->vertex + 3 * (size_t)u, piece->vertex + 3 * (size_t)w,
                                 piece->radius, out);
    }
}

// A triangle of something, as far as it is in the box of the surface.
static void search_triangle(const CondSurface* s, const double* a, const double* b, const double* c,
                            double radius, CondTranslation* out)
{
    const CondSheet sheet = {.kind = COND_SHEET_TRIANGLE, .corner = {a, b, c}};
    double box[6];
    for (int i = 0; i < 3; i++) {
        box[i] = fmin(a[i], fmin(b[i], c[i]));
        box[3 + i] = fmax(a[i], fmax(b[i], c[i]));
    }
    if (!(cond_audit_boxes(box, s->box) > 0.0))
        cond_sheet_search(&sheet, s, radius, out);
}

// The faces of the piece.
static void search_sides(const CondSurface* s, const CondPiece* piece, CondTranslation* out)
{
    const double* half = piece->half;
    for (int k = 0; piece->kind == COND_PIECE_HULL && k < piece->n_face; k++) {
        const int* c = piece->face + 3 * (size_t)k;
        search_triangle(s, piece->vertex + 3 * (size_t)c[0], piece->vertex + 3 * (size_t)c[1],
                        piece->vertex + 3 * (size_t)c[2], piece->radius, out);
    }
    for (int k = 0; piece->kind == COND_PIECE_CYLINDER && k < 3; k++) {
        const CondSheet sheet = {.kind = k ? COND_SHEET_CAP : COND_SHEET_SIDE,
                                 .piece = piece,
                                 .top = k == 1 ? -1.0 : 1.0};
        cond_sheet_search(&sheet, s, piece->radius, out);
    }
    for (int k = 0; piece->kind == COND_PIECE_BOX && k < 6; k++) {
        int axis = k / 2, one = (axis + 1) % 3, two = (axis + 2) % 3;
        double x[4][3], local[3];
        for (int c = 0; c < 4; c++) {
            local[axis] = k % 2 ? half[axis] : -half[axis];
            local[one] = c & 1 ? half[one] : -half[one];
            local[two] = c & 2 ? half[two] : -half[two];
            place(piece, local[0], local[1], local[2], x[c]);
        }
        search_triangle(s, x[0], x[1], x[2], piece->radius, out);
        search_triangle(s, x[3], x[1], x[2], piece->radius, out);
    }
}

void cond_surface_piece(const CondSurface* a, const CondPiece* b, CondTranslation* out)
{
    double box[6];
    *out = (CondTranslation){.gap = INFINITY, .normal = {0.0, 0.0, 1.0}};
    cond_piece_box(b, box);
    CondTranslation other = *out;
    search_faces(a, b, box, out);
    other.gap = out->gap;
    search_edges(a, b, &other);
    if (out->gap < 0.0 || other.gap < 0.0)
        search_sides(a, b, &other);
    if (other.gap < out->gap) {
        turn_round(&other);
        *out = other;
    }
}

// Vertices and edges of a in b.
static void search_one_way(const CondSurface* a, const CondSurface* b, CondTranslation* out)
{
    double near[3];
    int face;
    for (int v = 0; v < a->n_vertex; v++) {
        const double* x = a->vertex + 3 * (size_t)v;
        if (!a->used[v] || a->held[v] || cond_audit_box_point(b->box, x) > fmax(out->gap, 0.0))
            continue;
        if (cond_surface_holds(b, x)) {
            offer_inside(b, x, 0.0, out);
            continue;
        }
        double gap = cond_surface_nearest(b, x, NULL, fmax(out->gap, 0.0), &face, near);
        if (face >= 0 && !is_held(b, face) && gap < out->gap)
            keep(gap, x, near, 1.0, out);
    }
    for (int e = 0; e < a->n_edge; e++) {
        const int* c = a->edge + 2 * (size_t)e;
        if (!a->held[c[0]] && !a->held[c[1]])
            cond_surface_stretch(b, a->vertex + 3 * (size_t)c[0], a->vertex + 3 * (size_t)c[1], 0.0,
                                 out);
    }
}

// Faces of a in b.
static void search_triangles(const CondSurface* a, const CondSurface* b, CondTranslation* out)
{
    for (int f = 0; f < a->n_face; f++) {
        const int* c = a->face + 3 * (size_t)f;
        if (!is_held(a, f))
            search_triangle(b, a->vertex + 3 * (size_t)c[0], a->vertex + 3 * (size_t)c[1],
                            a->vertex + 3 * (size_t)c[2], 0.0, out);
    }
}

// Edges that pass each other.
static void search_passing(const CondSurface* a, const CondSurface* b, CondTranslation* out)
{
    for (int e = 0; e < a->n_edge && out->gap > 0.0; e++) {
        const int* c = a->edge + 2 * (size_t)e;
        double p[6], q[6], box[6], other[6], x[3], y[3], s, t;
        for (int i = 0; i < 3; i++) {
            p[i] = a->vertex[3 * (size_t)c[0] + i];
            p[3 + i] = a->vertex[3 * (size_t)c[1] + i];
            box[i] = fmin(p[i], p[3 + i]);
            box[3 + i] = fmax(p[i], p[3 + i]);
        }
        if (a->held[c[0]] || a->held[c[1]] || cond_audit_boxes(box, b->box) >= out->gap)
            continue;
        for (int f = 0; f < b->n_edge; f++) {
            const int* d = b->edge + 2 * (size_t)f;
            for (int i = 0; i < 3; i++) {
                q[i] = b->vertex[3 * (size_t)d[0] + i];
                q[3 + i] = b->vertex[3 * (size_t)d[1] + i];
                other[i] = fmin(q[i], q[3 + i]);
                other[3 + i] = fmax(q[i], q[3 + i]);
            }
            if (b->held[d[0]] || b->held[d[1]] || cond_audit_boxes(box, other) >= out->gap)
                continue;
            double gap = cond_audit_segments(p, q, &s, &t);
            if (gap >= out->gap)
                continue;
            between(p, p + 3, s, x);
            between(q, q + 3, t, y);
            keep(gap, x, y, 1.0, out);
        }
    }
}

void cond_surface_surface(const CondSurface* a, const CondSurface* b, CondTranslation* out)
{
    *out = (CondTranslation){.gap = INFINITY, .normal = {0.0, 0.0, 1.0}};
    CondTranslation other = *out;
    search_one_way(a, b, out);
    if (out->gap < 0.0)
        search_triangles(a, b, out);
    other.gap = out->gap;
    search_one_way(b, a, &other);
    if (other.gap < 0.0)
        search_triangles(b, a, &other);
    if (other.gap < out->gap) {
        turn_round(&other);
        *out = other;
    }
    search_passing(a, b, out);
}
