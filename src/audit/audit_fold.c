// A soft body against itself. A vertex or an edge is too deep where it lies in a tetrahedron that
// is no neighbour of it in the mesh; its depth is the distance to the nearest face of the surface
// that is no neighbour either. In front of the surface it counts from the thickness on, where the
// surfaces face each other and have come nearer than half their distance at rest.
#include "audit/audit.h"
#include "audit/feature.h"
#include "audit/tuning.h"
#include "math/vec3.h"

#include <string.h>

typedef struct Fold {
    const CondFem* fem;
    const CondSurface* surface;
    char* mark; // vertices within one edge of what is being looked at         (n_node)
    double thickness;
    CondTranslation* out;
    int found;
} Fold;

static const double* at(const Fold* fold, int v)
{
    return fold->surface->vertex + 3 * (size_t)v;
}

// Adds the vertices that share a tetrahedron with v.
static void mark_ring(Fold* fold, int v)
{
    for (int t = 0; t < fold->fem->n_tet; t++) {
        const int* c = fold->fem->tet + 4 * (size_t)t;
        if (c[0] == v || c[1] == v || c[2] == v || c[3] == v)
            for (int k = 0; k < 4; k++)
                fold->mark[c[k]] = 1;
    }
}

static void clear_marks(Fold* fold)
{
    memset(fold->mark, 0, (size_t)fold->fem->n_node);
}

// 1 when x lies in the tetrahedron: its four weights are not negative.
static int tet_holds(const Fold* fold, const int c[4], const double x[3])
{
    double M[9], d[3], w[3];
    for (int i = 0; i < 3; i++) {
        double low = INFINITY, high = -INFINITY;
        for (int k = 0; k < 4; k++) {
            low = fmin(low, at(fold, c[k])[i]);
            high = fmax(high, at(fold, c[k])[i]);
        }
        if (x[i] < low || x[i] > high)
            return 0;
        for (int k = 0; k < 3; k++)
            M[3 * i + k] = at(fold, c[k + 1])[i] - at(fold, c[0])[i];
        d[i] = x[i] - at(fold, c[0])[i];
    }
    return !mat3_solve(M, d, w) && w[0] >= 0.0 && w[1] >= 0.0 && w[2] >= 0.0 &&
           w[0] + w[1] + w[2] <= 1.0;
}

// A tetrahedron around x without v and w among its corners, the first one from `from` on; -1: none.
static int find_tet(const Fold* fold, const double x[3], int v, int w, int from)
{
    for (int t = from; t < fold->fem->n_tet; t++) {
        const int* c = fold->fem->tet + 4 * (size_t)t;
        int own = 0;
        for (int k = 0; k < 4; k++)
            own |= c[k] == v || c[k] == w;
        if (!own && tet_holds(fold, c, x))
            return t;
    }
    return -1;
}

// x, of the vertices v and w, which may be the same: is it in the body once more?
static void offer_point(Fold* fold, const double x[3], int v, int w)
{
    int ready = 0, face;
    double near[3];
    for (int t = find_tet(fold, x, v, w, 0); t >= 0; t = find_tet(fold, x, v, w, t + 1)) {
        const int* c = fold->fem->tet + 4 * (size_t)t;
        if (!ready) {
            clear_marks(fold);
            mark_ring(fold, v);
            mark_ring(fold, w);
            ready = 1;
        }
        if (fold->mark[c[0]] || fold->mark[c[1]] || fold->mark[c[2]] || fold->mark[c[3]])
            continue;
        double depth = cond_surface_nearest(fold->surface, x, fold->mark, INFINITY, &face, near);
        double gap = -depth - fold->thickness;
        if (face < 0 || gap >= fold->out->gap)
            continue;
        fold->out->gap = gap;
        fold->found = 1;
        for (int i = 0; i < 3; i++) {
            fold->out->point[0][i] = x[i];
            fold->out->point[1][i] = near[i];
            fold->out->normal[i] = depth > 0.0 ? (near[i] - x[i]) / depth : (double)(i == 2);
        }
    }
}

static void face_normal(const Fold* fold, int f, double n[3])
{
    const int* c = fold->surface->face + 3 * (size_t)f;
    double d[2][3];
    for (int i = 0; i < 3; i++) {
        d[0][i] = at(fold, c[1])[i] - at(fold, c[0])[i];
        d[1][i] = at(fold, c[2])[i] - at(fold, c[0])[i];
    }
    vec3_cross(d[0], d[1], n);
}

// 1 when vertex v at rest was no more than twice as far from face f as `distance`.
static int was_near(const Fold* fold, int v, int f, double distance)
{
    const int* c = fold->surface->face + 3 * (size_t)f;
    const double* rest = fold->fem->rest;
    double near[3];
    return cond_audit_triangle(rest + 3 * (size_t)c[0], rest + 3 * (size_t)c[1],
                               rest + 3 * (size_t)c[2], rest + 3 * (size_t)v,
                               near) <= 2.0 * distance;
}

// Vertex v in front of faces that are no neighbours, nearer than the thickness.
static void offer_front(Fold* fold, int v, const double normal[3])
{
    const CondSurface* s = fold->surface;
    const double* x = at(fold, v);
    int ready = 0;
    for (int f = 0; f < s->n_face; f++) {
        const int* c = s->face + 3 * (size_t)f;
        double near[3], n[3], d[3];
        if (c[0] == v || c[1] == v || c[2] == v ||
            cond_audit_box_point(s->face_box + 6 * (size_t)f, x) >= fold->thickness)
            continue;
        if (!ready) {
            clear_marks(fold);
            mark_ring(fold, v);
            ready = 1;
        }
        double distance =
            cond_audit_triangle(at(fold, c[0]), at(fold, c[1]), at(fold, c[2]), x, near);
        double gap = distance - fold->thickness;
        if (fold->mark[c[0]] || fold->mark[c[1]] || fold->mark[c[2]] || gap >= fold->out->gap ||
            was_near(fold, v, f, distance))
            continue;
        face_normal(fold, f, n);
        for (int i = 0; i < 3; i++)
            d[i] = x[i] - near[i];
        if (vec3_dot(n, d) <= 0.0 ||
            vec3_dot(n, normal) > -COND_AUDIT_FACING * vec3_norm(n) * vec3_norm(normal))
            continue;
        fold->out->gap = gap;
        fold->found = 1;
        memcpy(fold->out->point[0], x, 3 * sizeof *x);
        memcpy(fold->out->point[1], near, sizeof near);
        for (int i = 0; i < 3; i++)
            fold->out->normal[i] = d[i] / distance;
    }
}

// Stretches of an edge between the faces, not its own, that it goes through.
static void offer_edge(Fold* fold, int v, int w)
{
    enum { MAX_CUT = 16 };
    const CondSurface* s = fold->surface;
    double cut[MAX_CUT], box[6], x[3];
    int n = 0;
    for (int i = 0; i < 3; i++) {
        box[i] = fmin(at(fold, v)[i], at(fold, w)[i]);
        box[3 + i] = fmax(at(fold, v)[i], at(fold, w)[i]);
    }
    for (int f = 0; f < s->n_face && n < MAX_CUT; f++) {
        const int* c = s->face + 3 * (size_t)f;
        int own = 0;
        for (int k = 0; k < 3; k++)
            own |= c[k] == v || c[k] == w;
        if (own || cond_audit_boxes(box, s->face_box + 6 * (size_t)f) > 0.0)
            continue;
        double t = cond_audit_pierce(at(fold, v), at(fold, w), at(fold, c[0]), at(fold, c[1]),
                                     at(fold, c[2]));
        int k = n;
        if (!(t >= 0.0))
            continue;
        for (; k > 0 && cut[k - 1] > t; k--)
            cut[k] = cut[k - 1];
        cut[k] = t;
        n++;
    }
    if (n > 0 && fold->fem->shell && -fold->thickness < fold->out->gap) { // through a shell
        fold->out->gap = -fold->thickness;
        fold->found = 1;
        for (int i = 0; i < 3; i++)
            fold->out->point[0][i] = fold->out->point[1][i] =
                at(fold, v)[i] + cut[0] * (at(fold, w)[i] - at(fold, v)[i]);
    }
    for (int k = 0; n > 0 && k <= n && !fold->fem->shell; k++)
        for (int sample = 1; sample < 8; sample++) {
            double from = k > 0 ? cut[k - 1] : 0.0, to = k < n ? cut[k] : 1.0;
            double share = from + sample * (to - from) / 8.0;
            for (int i = 0; i < 3; i++)
                x[i] = at(fold, v)[i] + share * (at(fold, w)[i] - at(fold, v)[i]);
            offer_point(fold, x, v, w);
        }
}

int cond_audit_fold(CondAudit* audit, const CondThing* thing, CondTranslation* out)
{
    const CondBody* body = &audit->model->body[thing->body];
    const CondSurface* s = &audit->surface[thing->surface_begin];
    Fold fold = {body->fem, s, audit->mark, cond_body_apart(body, body), out, 0};
    *out = (CondTranslation){.gap = INFINITY, .normal = {0.0, 0.0, 1.0}};
    for (int v = 0; v < s->n_vertex; v++) {
        double normal[3] = {0.0, 0.0, 0.0}, n[3];
        if (!s->used[v])
            continue;
        for (int f = 0; f < s->n_face && fold.thickness > 0.0; f++) {
            const int* c = s->face + 3 * (size_t)f;
            if (c[0] != v && c[1] != v && c[2] != v)
                continue;
            face_normal(&fold, f, n);
            for (int i = 0; i < 3; i++)
                normal[i] += n[i];
        }
        offer_point(&fold, at(&fold, v), v, v);
        if (fold.thickness > 0.0)
            offer_front(&fold, v, normal);
    }
    for (int e = 0; e < s->n_edge; e++)
        offer_edge(&fold, s->edge[2 * (size_t)e], s->edge[2 * (size_t)e + 1]);
    return fold.found;
}
