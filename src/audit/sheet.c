// The sheet is cut into quarters as long as something deeper than what is known may be in them.
// From points inside the search goes on with linear programs: the surface's faces that were nearest
// so far are planes at the present point, the smallest of their distances is made as large as it
// can be within a square around the point, and the square is halved. Where faces meet the depth is
// the smallest of linear functions, of which this finds the largest value; what is curved is less
// and less so in ever smaller squares.
#include "audit/sheet.h"

#include "audit/feature.h"
#include "audit/tuning.h"
#include "base/tuning.h"
#include "math/vec3.h"

#include <string.h>

enum { PLANES = 8, WALLS = 7 };

// x at (u, v), and its derivatives.
static void sheet_at(const CondSheet* sheet, const double uv[2], double x[3], double along[2][3])
{
    const CondPiece* piece = sheet->piece;
    if (sheet->kind == COND_SHEET_TRIANGLE) {
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < 2; k++)
                along[k][i] = sheet->corner[k + 1][i] - sheet->corner[0][i];
            x[i] = sheet->corner[0][i] + uv[0] * along[0][i] + uv[1] * along[1][i];
        }
        return;
    }
    int side = sheet->kind == COND_SHEET_SIDE;
    double angle = side ? uv[0] : uv[1], rho = side ? piece->half[0] : uv[0];
    const double out[3] = {cos(angle), sin(angle), 0.0}, round[3] = {-out[1], out[0], 0.0};
    const double local[3] = {rho * out[0], rho * out[1],
                             side ? uv[1] : sheet->top * piece->half[2]};
    double axis[3] = {piece->axes[2], piece->axes[5], piece->axes[8]};
    mat3_multiply(piece->axes, local, x);
    mat3_multiply(piece->axes, round, along[side ? 0 : 1]);
    if (!side)
        mat3_multiply(piece->axes, out, along[0]);
    for (int i = 0; i < 3; i++) {
        x[i] += piece->centre[i];
        along[side ? 0 : 1][i] *= fmax(rho, COND_INPUT_ROUNDING * piece->half[0]);
        if (side)
            along[1][i] = axis[i];
    }
}

// The (u, v) of the point of the sheet that is nearest to x, or nearly.
static void sheet_nearest(const CondSheet* sheet, const double x[3], double uv[2])
{
    const CondPiece* piece = sheet->piece;
    double d[3], local[3], near[3];
    if (sheet->kind == COND_SHEET_TRIANGLE) {
        const double *p = sheet->corner[0], *q = sheet->corner[1], *r = sheet->corner[2];
        cond_audit_triangle(p, q, r, x, near);
        double a[3], b[3];
        for (int i = 0; i < 3; i++) {
            a[i] = q[i] - p[i];
            b[i] = r[i] - p[i];
            d[i] = near[i] - p[i];
        }
        double aa = vec3_dot(a, a), ab = vec3_dot(a, b), bb = vec3_dot(b, b);
        double det = aa * bb - ab * ab, da = vec3_dot(d, a), db = vec3_dot(d, b);
        uv[0] = det > 0.0 ? fmax(0.0, (da * bb - db * ab) / det) : 0.0;
        uv[1] = det > 0.0 ? fmin(fmax(0.0, (db * aa - da * ab) / det), 1.0 - uv[0]) : 0.0;
        return;
    }
    for (int i = 0; i < 3; i++)
        d[i] = x[i] - piece->centre[i];
    mat3_multiply_transposed(piece->axes, d, local);
    double angle = atan2(local[1], local[0]), high = piece->half[2];
    int side = sheet->kind == COND_SHEET_SIDE;
    uv[0] = side ? angle : fmin(hypot(local[0], local[1]), piece->half[0]);
    uv[1] = side ? fmin(fmax(local[2], -high), high) : angle;
}

// Where (u, v) may be: wall . (u, v, 1) >= 0; returns how many.
static int sheet_walls(const CondSheet* sheet, double wall[WALLS][3])
{
    static const double triangle[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {-1.0, -1.0, 1.0}};
    if (sheet->kind == COND_SHEET_TRIANGLE) {
        memcpy(wall, triangle, sizeof triangle);
        return 3;
    }
    double half = sheet->piece->half[2], radius = sheet->piece->half[0];
    const double side[2][3] = {{0.0, 1.0, half}, {0.0, -1.0, half}};
    const double cap[2][3] = {{1.0, 0.0, 0.0}, {-1.0, 0.0, radius}};
    memcpy(wall, sheet->kind == COND_SHEET_SIDE ? side : cap, sizeof side);
    return 2;
}

// A point of the sheet, and what is known of it.
typedef struct Place {
    double uv[2];
    double x[3], along[2][3]; // [m], by uv
    double depth;             // distance to the surface, negative outside [m]
    int face;                 // the nearest one
} Place;

typedef struct Climb {
    const CondSheet* sheet;
    const CondSurface* surface;
    double radius;
    CondTranslation* out;
} Climb;

static int is_held(const CondSurface* s, int face)
{
    const int* c = s->face + 3 * (size_t)face;
    return s->held[c[0]] || s->held[c[1]] || s->held[c[2]];
}

// Asks for the depth at a place, and keeps the deepest. What lies within `reach` of nothing deeper
// is not looked at any closer: 0.
static int ask(const Climb* climb, double reach, Place* place)
{
    CondTranslation* out = climb->out;
    double near[3];
    sheet_at(climb->sheet, place->uv, place->x, place->along);
    double d = cond_surface_nearest(climb->surface, place->x, NULL, INFINITY, &place->face, near);
    place->depth = -d;
    if (place->face < 0 || !(-d - reach - climb->radius < out->gap) ||
        is_held(climb->surface, place->face) || !cond_surface_holds(climb->surface, place->x))
        return 0;
    place->depth = d;
    if (!(-d - climb->radius < out->gap))
        return 1;
    out->gap = -d - climb->radius;
    for (int i = 0; i < 3; i++) {
        out->point[0][i] = place->x[i];
        out->point[1][i] = near[i];
        out->normal[i] = d > 0.0 ? (near[i] - place->x[i]) / d : out->normal[i];
    }
    return 1;
}

// The (s, t) with the largest least value of plane . (s, t, 1), where wall . (s, t, 1) >= 0: at one
// of the corners that three of the bounds have, which are all tried.
static int best_corner(int n_plane, double plane[PLANES][3], int n_wall, double wall[WALLS][3],
                       double st[2])
{
    double row[PLANES + WALLS][4], best = -INFINITY; // row . (s, t, value, 1) >= 0
    int n = n_plane + n_wall;
    for (int k = 0; k < n; k++) {
        const double* from = k < n_plane ? plane[k] : wall[k - n_plane];
        const double to[4] = {from[0], from[1], k < n_plane ? -1.0 : 0.0, from[2]};
        memcpy(row[k], to, sizeof to);
    }
    for (int a = 0; a < n_plane; a++)
        for (int b = a + 1; b < n; b++)
            for (int c = b + 1; c < n; c++) {
                const double A[9] = {row[a][0], row[a][1], row[a][2], row[b][0], row[b][1],
                                     row[b][2], row[c][0], row[c][1], row[c][2]};
                const double right[3] = {-row[a][3], -row[b][3], -row[c][3]};
                double z[3];
                int fits = !mat3_solve(A, right, z) && z[2] > best;
                for (int k = 0; k < n && fits; k++)
                    fits = row[k][0] * z[0] + row[k][1] * z[1] + row[k][2] * z[2] + row[k][3] >=
                           -COND_AUDIT_ROUNDING * (fabs(row[k][3]) + COND_AUDIT_ROUNDING);
                if (!fits)
                    continue;
                best = z[2];
                st[0] = z[0];
                st[1] = z[1];
            }
    return best > -INFINITY;
}

// The distance to a face as a linear function of steps from the place: plane . (s, t, 1).
static void plane_at(const CondSurface* s, int face, const Place* place, double plane[3])
{
    const int* c = s->face + 3 * (size_t)face;
    double near[3];
    double d = cond_audit_triangle(s->vertex + 3 * (size_t)c[0], s->vertex + 3 * (size_t)c[1],
                                   s->vertex + 3 * (size_t)c[2], place->x, near);
    for (int k = 0; k < 2; k++) {
        plane[k] = 0.0;
        for (int i = 0; i < 3 && d > 0.0; i++)
            plane[k] += place->along[k][i] * (place->x[i] - near[i]) / d;
    }
    plane[2] = d;
}

// The best place by the faces that are known, in a square of half width r [m] around `from`.
static int step(const Climb* climb, const Place* from, double r, int n_face, const int* face,
                Place* to)
{
    double wall[WALLS][3], plane[PLANES][3], st[2] = {0.0, 0.0};
    int n_wall = sheet_walls(climb->sheet, wall);
    for (int k = 0; k < n_face; k++)
        plane_at(climb->surface, face[k], from, plane[k]);
    for (int k = 0; k < n_wall; k++)
        wall[k][2] += wall[k][0] * from->uv[0] + wall[k][1] * from->uv[1];
    for (int k = 0; k < 4; k++) {
        double* square = wall[n_wall + k];
        square[k / 2] = (k % 2 ? -1.0 : 1.0) * vec3_norm(from->along[k / 2]);
        square[1 - k / 2] = 0.0;
        square[2] = r;
    }
    if (!best_corner(n_face, plane, n_wall + 4, wall, st))
        return 0;
    to->uv[0] = from->uv[0] + st[0];
    to->uv[1] = from->uv[1] + st[1];
    return 1;
}

// Goes on from a place. Where a step finds a face that was not known it is taken again with it.
static void go_on(const Climb* climb, Place place, double r)
{
    int face[PLANES] = {place.face}, n_face = 1;
    for (int pass = 0; pass < COND_AUDIT_STEPS && r > COND_AUDIT_ROUNDING; pass++) {
        Place next = place;
        int known = 0;
        if (!step(climb, &place, r, n_face, face, &next))
            return;
        int inside = ask(climb, 4.0 * r, &next);
        for (int k = 0; k < n_face; k++)
            known = known || face[k] == next.face;
        if (!known && next.face >= 0) {
            n_face = n_face < PLANES ? n_face + 1 : PLANES;
            memmove(face + 1, face, (PLANES - 1) * sizeof *face);
            face[0] = next.face;
        }
        if (inside && next.depth >= place.depth)
            place = next;
        else if (known && !(place.depth + 4.0 * r + climb->radius > -climb->out->gap))
            return;
        r *= known ? 0.5 : COND_AUDIT_SHRINK;
    }
}

// From the deepest point that is known: where it lies on a rim, the sheet may lead on from there.
static void search_known(const Climb* climb, double spacing)
{
    Place place = {.depth = 0.0};
    if (!(climb->out->gap < 0.0))
        return;
    const double* known = climb->out->point[0];
    sheet_nearest(climb->sheet, known, place.uv);
    sheet_at(climb->sheet, place.uv, place.x, place.along);
    const double d[3] = {place.x[0] - known[0], place.x[1] - known[1], place.x[2] - known[2]};
    if (vec3_norm(d) < COND_INPUT_ROUNDING * spacing && ask(climb, spacing, &place))
        go_on(climb, place, spacing);
}

// A rectangle in (u, v): its middle, and its four quarters where something deeper may be in them.
// A point is not deeper than one at the distance d from it by more than d.
static void search_within(const Climb* climb, const double low[2], const double high[2],
                          double least)
{
    Place place = {.uv = {0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1])}};
    double radius = 0.0;
    if (climb->sheet->kind == COND_SHEET_TRIANGLE && !(low[0] + low[1] < 1.0))
        return;
    if (climb->sheet->kind == COND_SHEET_TRIANGLE && place.uv[0] + place.uv[1] > 1.0) {
        double over = place.uv[0] + place.uv[1] - 1.0; // onto the side of the triangle
        place.uv[0] -= 0.5 * over;
        place.uv[1] -= 0.5 * over;
    }
    sheet_at(climb->sheet, place.uv, place.x, place.along);
    for (int k = 0; k < 2; k++)
        radius += fmax(high[k] - place.uv[k], place.uv[k] - low[k]) * vec3_norm(place.along[k]);
    if (climb->sheet->kind == COND_SHEET_CAP) // lengths around grow with the distance
        radius *= high[0] / fmax(place.uv[0], 0.5 * high[0]);
    int inside = ask(climb, radius, &place);
    double best = -climb->out->gap - climb->radius;
    int last = !(radius > fmax(least, 0.5 * best));
    if (inside && (last || place.depth >= best))
        go_on(climb, place, radius);
    if (last || !(place.depth + radius > -climb->out->gap - climb->radius))
        return;
    for (int k = 0; k < 4; k++) {
        double from[2], to[2];
        for (int c = 0; c < 2; c++) {
            double middle = 0.5 * (low[c] + high[c]);
            from[c] = k >> c & 1 ? middle : low[c];
            to[c] = k >> c & 1 ? high[c] : middle;
        }
        search_within(climb, from, to, least);
    }
}

void cond_sheet_search(const CondSheet* sheet, const CondSurface* surface, double radius,
                       CondTranslation* out)
{
    const Climb climb = {sheet, surface, radius, out};
    const double turn = 2.0 * acos(-1.0);
    double size = 0.0, low[2] = {0.0, 0.0}, high[2] = {1.0, 1.0};
    for (int i = 0; i < 3; i++)
        size = fmax(size, surface->box[3 + i] - surface->box[i]);
    search_known(&climb, COND_AUDIT_FIRST * size);
    if (sheet->kind == COND_SHEET_SIDE) {
        high[0] = turn;
        low[1] = -sheet->piece->half[2];
        high[1] = sheet->piece->half[2];
    } else if (sheet->kind == COND_SHEET_CAP) {
        high[0] = sheet->piece->half[0];
        high[1] = turn;
    }
    search_within(&climb, low, high, COND_AUDIT_FINE * size);
}
