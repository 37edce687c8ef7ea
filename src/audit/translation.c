// The least translation of two convex pieces. With the cores' Minkowski difference C = A - B,
//     s(m) = min over C of m . x,      signed distance = max over unit m of s(m),
// to which the balls around the cores add nothing but their radii. Apart, the best m belongs to the
// point of C nearest to the origin, found by growing simplices. Overlapping, the best m is one of
//  - the normal of a face of one, or across an edge of each: all of them are tried;
//  - where one of the two is a cylinder, also one across an edge of either, on a great circle, or
//    any direction at all: both are searched from a dense set of starts, and refined.
// Whatever m is tried, s(m) never exceeds the signed distance: an error of the search can only make
// a penetration look deeper.
#include "audit/piece.h"
#include "audit/tuning.h"
#include "base/tuning.h"
#include "math/vec3.h"

#include <string.h>

enum { N_CIRCLE = 96, N_SPHERE = 400 };

static const double GOLDEN = 0.6180339887498949;

typedef struct Search {
    const CondPiece *a, *b;
    double size;
    double gap; // of the cores, best so far
    double normal[3];
} Search;

// s(m), and the point of C it is taken at unless NULL.
static double separation(const Search* search, const double m[3], double w[3])
{
    double minus[3] = {-m[0], -m[1], -m[2]}, x[3], y[3];
    double s = -cond_piece_support(search->a, minus, x) - cond_piece_support(search->b, m, y);
    for (int i = 0; i < 3 && w; i++)
        w[i] = x[i] - y[i];
    return s;
}

static double try_unit(Search* search, const double m[3])
{
    double s = separation(search, m, NULL);
    if (s > search->gap) {
        search->gap = s;
        memcpy(search->normal, m, sizeof search->normal);
    }
    return s;
}

// Both signs of a direction of any length.
static void try_direction(Search* search, const double d[3])
{
    double length = vec3_norm(d), m[3];
    if (!(length > COND_AUDIT_ROUNDING))
        return;
    for (int sign = -1; sign <= 1; sign += 2) {
        for (int i = 0; i < 3; i++)
            m[i] = sign * d[i] / length;
        try_unit(search, m);
    }
}

// Solves the k x k system G x = r by elimination with pivots; 0 when done.
static int solve_small(int k, double G[4][4], double r[4], double x[4])
{
    for (int c = 0; c < k; c++) {
        int p = c;
        for (int i = c + 1; i < k; i++)
            p = fabs(G[i][c]) > fabs(G[p][c]) ? i : p;
        if (!(fabs(G[p][c]) > 0.0))
            return 1;
        for (int j = 0; j < k; j++) {
            double swap = G[c][j];
            G[c][j] = G[p][j];
            G[p][j] = swap;
        }
        double swap = r[c];
        r[c] = r[p];
        r[p] = swap;
        for (int i = c + 1; i < k; i++) {
            double f = G[i][c] / G[c][c];
            for (int j = c; j < k; j++)
                G[i][j] -= f * G[c][j];
            r[i] -= f * r[c];
        }
    }
    for (int i = k - 1; i >= 0; i--) {
        x[i] = r[i];
        for (int j = i + 1; j < k; j++)
            x[i] -= G[i][j] * x[j];
        x[i] /= G[i][i];
    }
    return 0;
}

// The point nearest to the origin of the affine hull of the listed points, where it lies between
// them: 1, with its place in v.
static int nearest_of(int k, const double* const p[4], double v[3])
{
    double G[4][4], r[4], x[4] = {0.0}, e[3][3], first = 1.0;
    for (int i = 1; i < k; i++)
        for (int j = 0; j < 3; j++)
            e[i - 1][j] = p[i][j] - p[0][j];
    for (int i = 0; i + 1 < k; i++) {
        for (int j = 0; j + 1 < k; j++)
            G[i][j] = vec3_dot(e[i], e[j]);
        r[i] = -vec3_dot(e[i], p[0]);
    }
    if (solve_small(k - 1, G, r, x))
        return 0;
    memcpy(v, p[0], 3 * sizeof *v);
    for (int i = 0; i + 1 < k; i++) {
        first -= x[i];
        if (x[i] < 0.0)
            return 0;
        for (int j = 0; j < 3; j++)
            v[j] += x[i] * e[i][j];
    }
    return first >= 0.0;
}

// Point of a simplex nearest to the origin, by trying all its parts; keeps the part it lies on.
static int reduce(int n, double w[4][3], double v[3])
{
    double least = INFINITY, best[4][3] = {{0.0}}, at[3];
    int kept = 0;
    for (int part = 1; part < 1 << n; part++) {
        const double* p[4] = {NULL};
        int k = 0;
        for (int i = 0; i < n; i++)
            if (part >> i & 1)
                p[k++] = w[i];
        if (!nearest_of(k, p, at) || !(vec3_dot(at, at) < least))
            continue;
        least = vec3_dot(at, at);
        memcpy(v, at, sizeof at);
        kept = k;
        for (int i = 0; i < k; i++)
            memcpy(best[i], p[i], sizeof best[i]);
    }
    memcpy(w, best, sizeof best);
    return kept;
}

// Growing simplices; 1 when the cores are apart and the gap is final.
static int search_apart(Search* search)
{
    double w[4][3], v[3], m[3];
    int n = 0;
    for (int i = 0; i < 3; i++)
        v[i] = search->a->centre[i] - search->b->centre[i];
    if (!(vec3_norm(v) > 0.0))
        v[2] = 1.0;
    for (int step = 0; step < COND_AUDIT_STEPS; step++) {
        double length = vec3_norm(v);
        if (!(length > COND_AUDIT_ROUNDING * search->size) || n == 4)
            return 0;
        for (int i = 0; i < 3; i++)
            m[i] = v[i] / length;
        try_unit(search, m);
        separation(search, m, w[n]);
        if (step > 0 && length - search->gap <= COND_AUDIT_ROUNDING * search->size)
            return 1;
        n = reduce(n + 1, w, v);
    }
    return search->gap > 0.0 && vec3_norm(v) - search->gap <= COND_INPUT_ROUNDING * search->size;
}

static void try_features(Search* search)
{
    const CondPiece* piece[2] = {search->a, search->b};
    double n[3], e[3], f[3];
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < cond_piece_n_normal(piece[side]); i++) {
            cond_piece_normal(piece[side], i, n);
            try_direction(search, n);
        }
        for (int i = 0; i < cond_piece_n_edge(piece[side]); i++) { // in case nothing crosses it
            double frame[9];
            cond_piece_edge(piece[side], i, e);
            mat3_frame(e, e, frame);
            try_direction(search, frame + 3);
            try_direction(search, frame + 6);
        }
    }
    for (int i = 0; i < cond_piece_n_edge(piece[0]); i++)
        for (int j = 0; j < cond_piece_n_edge(piece[1]); j++) {
            cond_piece_edge(piece[0], i, e);
            cond_piece_edge(piece[1], j, f);
            vec3_cross(e, f, n);
            try_direction(search, n);
        }
}

// s at an angle of the great circle across an edge.
static double on_circle(Search* search, const double frame[9], double angle)
{
    double m[3];
    for (int i = 0; i < 3; i++)
        m[i] = cos(angle) * frame[3 + i] + sin(angle) * frame[6 + i];
    return try_unit(search, m);
}

// Golden section between two angles.
static void refine_circle(Search* search, const double frame[9], double low, double high)
{
    double one = high - GOLDEN * (high - low), two = low + GOLDEN * (high - low);
    double f = on_circle(search, frame, one), g = on_circle(search, frame, two);
    while (high - low > COND_AUDIT_ROUNDING) {
        if (f > g) {
            high = two;
            two = one;
            g = f;
            f = on_circle(search, frame, one = high - GOLDEN * (high - low));
        } else {
            low = one;
            one = two;
            f = g;
            g = on_circle(search, frame, two = low + GOLDEN * (high - low));
        }
    }
}

static void search_circle(Search* search, const double edge[3])
{
    const double step = 2.0 * acos(-1.0) / N_CIRCLE;
    double frame[9], s[N_CIRCLE];
    mat3_frame(edge, edge, frame);
    for (int k = 0; k < N_CIRCLE; k++)
        s[k] = on_circle(search, frame, step * k);
    for (int k = 0; k < N_CIRCLE; k++) { // every local maximum that may hide a better one
        double before = s[(k + N_CIRCLE - 1) % N_CIRCLE], after = s[(k + 1) % N_CIRCLE];
        if (s[k] >= before && s[k] >= after && s[k] + search->size * step > search->gap)
            refine_circle(search, frame, step * (k - 1), step * (k + 1));
    }
}

// Compass search around m: the better one of four neighbours, or half the distance to them.
static void refine_sphere(Search* search, const double start[3], double step)
{
    double m[3], s = separation(search, start, NULL);
    memcpy(m, start, sizeof m);
    for (int k = 0; k < COND_AUDIT_STEPS && step > COND_AUDIT_ROUNDING; k++) {
        double frame[9], best[3], most = s;
        mat3_frame(m, m, frame);
        for (int d = 0; d < 8; d++) {
            double angle = 0.25 * acos(-1.0) * d, at[3];
            for (int i = 0; i < 3; i++)
                at[i] = m[i] + step * (cos(angle) * frame[3 + i] + sin(angle) * frame[6 + i]);
            double length = vec3_norm(at);
            for (int i = 0; i < 3; i++)
                at[i] /= length;
            double here = try_unit(search, at);
            if (here > most) {
                most = here;
                memcpy(best, at, sizeof best);
            }
        }
        if (most > s) {
            s = most;
            memcpy(m, best, sizeof m);
        } else {
            step *= 0.5;
        }
    }
}

// Directions spread evenly: a spiral with the golden angle.
static void sphere_point(int k, double m[3])
{
    double z = 1.0 - (2.0 * k + 1.0) / N_SPHERE, rho = sqrt(1.0 - z * z);
    double angle = 2.0 * acos(-1.0) * GOLDEN * k;
    m[0] = rho * cos(angle);
    m[1] = rho * sin(angle);
    m[2] = z;
}

static void search_sphere(Search* search)
{
    double s[N_SPHERE], m[3];
    for (int k = 0; k < N_SPHERE; k++) {
        sphere_point(k, m);
        s[k] = try_unit(search, m);
    }
    for (int start = 0; start < COND_AUDIT_STARTS; start++) {
        int best = 0;
        for (int k = 1; k < N_SPHERE; k++)
            best = s[k] > s[best] ? k : best;
        s[best] = -INFINITY;
        sphere_point(best, m);
        refine_sphere(search, m, COND_AUDIT_FIRST);
    }
    memcpy(m, search->normal, sizeof m);
    refine_sphere(search, m, COND_AUDIT_FIRST);
}

static void search_curved(Search* search)
{
    const CondPiece* piece[2] = {search->a, search->b};
    double e[3];
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < cond_piece_n_edge(piece[side]); i++) {
            cond_piece_edge(piece[side], i, e);
            search_circle(search, e);
        }
    search_sphere(search);
}

void cond_pieces_translation(const CondPiece* a, const CondPiece* b, CondTranslation* out)
{
    double box[2][6], minus[3];
    Search search = {.a = a, .b = b, .gap = -INFINITY, .normal = {0.0, 0.0, 1.0}};
    cond_piece_box(a, box[0]);
    cond_piece_box(b, box[1]);
    for (int i = 0; i < 3; i++)
        search.size += fmax(box[0][3 + i], box[1][3 + i]) - fmin(box[0][i], box[1][i]);
    if (!search_apart(&search)) {
        try_features(&search);
        if (a->kind == COND_PIECE_CYLINDER || b->kind == COND_PIECE_CYLINDER)
            search_curved(&search);
    }
    out->gap = search.gap - a->radius - b->radius;
    memcpy(out->normal, search.normal, sizeof out->normal);
    for (int i = 0; i < 3; i++)
        minus[i] = -search.normal[i];
    cond_piece_support(a, minus, out->point[0]);
    cond_piece_support(b, search.normal, out->point[1]);
    for (int i = 0; i < 3; i++) {
        out->point[0][i] -= a->radius * search.normal[i];
        out->point[1][i] += b->radius * search.normal[i];
    }
}
