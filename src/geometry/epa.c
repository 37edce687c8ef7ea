// The shortest way of the origin out of A - B. A polytope inside A - B grows where its faces are
// nearest to the origin, until the nearest one lies in the surface: its distance is then the depth,
// because all of the polytope is inside A - B. Distances are signed, so the origin need not be in
// the polytope, nor, by rounding, in A - B.
#include "base/tuning.h"
#include "geometry/separation.h"
#include "geometry/triangle.h"
#include "geometry/tuning.h"

#include <math.h>
#include <string.h>

enum { MOST_POINTS = 256, MOST_FACES = 1536, MOST_RIM = 192 };

typedef struct Face {
    int corner[3]; // counter-clockwise seen from outside
    int beyond[3]; // face beyond the edge from corner k to k + 1
    int gone;
    double normal[3];
    double offset; // of its plane; infinite where it has no area
} Face;

typedef struct Polytope {
    const CondCore *a, *b;
    double size;
    int n_point, n_face, n_rim, broken;
    double point[MOST_POINTS][3];
    Face face[MOST_FACES];
    int rim[MOST_RIM][2]; // faces around what the new point sees, and their edges there
} Polytope;

// w = the point of A - B farthest along d.
static double support(const Polytope* p, const double d[3], double w[3])
{
    const double n[3] = {-d[0], -d[1], -d[2]};
    return -cond_cores_apart(p->a, p->b, n, w);
}

static int add_face(Polytope* p, int i, int j, int k)
{
    if (p->n_face == MOST_FACES) {
        p->broken = 1;
        return 0;
    }
    Face* face = &p->face[p->n_face];
    *face = (Face){.corner = {i, j, k}, .beyond = {-1, -1, -1}, .offset = INFINITY};
    triangle_area_vector(p->point[i], p->point[j], p->point[k], face->normal);
    double area = vec3_norm(face->normal);
    if (area > COND_EXACT * p->size * p->size) {
        for (int c = 0; c < 3; c++)
            face->normal[c] /= area;
        // The mean of the corners: any one of them may be far away.
        face->offset = (vec3_dot(face->normal, p->point[i]) + vec3_dot(face->normal, p->point[j]) +
                        vec3_dot(face->normal, p->point[k])) /
                       3.0;
    }
    return p->n_face++;
}

static double across(const double from[3], const double to[3], const double d[3])
{
    double u[3], v[3];
    for (int i = 0; i < 3; i++)
        u[i] = to[i] - from[i];
    vec3_cross(u, d, v);
    return vec3_norm(v);
}

// Four points of A - B that span a volume.
static void begin(Polytope* p)
{
    double d[3], back[3], best[3], most = 0.0;
    for (int i = 0; i < 3; i++) {
        d[i] = p->a->p[i] - p->b->p[i];
        most = fmax(most, fabs(d[i]));
    }
    if (!(most > 0.0))
        d[2] = 1.0;
    for (int i = 0; i < 3; i++) // towards the origin and away from it
        back[i] = -d[i];
    support(p, back, p->point[0]);
    support(p, d, p->point[1]);
    most = 0.0;
    for (int k = 0; k < 6; k++) { // farthest from the line
        double axis[3] = {0.0, 0.0, 0.0}, w[3], line[3];
        axis[k / 2] = k % 2 ? -1.0 : 1.0;
        support(p, axis, w);
        for (int i = 0; i < 3; i++)
            line[i] = p->point[1][i] - p->point[0][i];
        double far = across(p->point[0], w, line);
        if (far > most) {
            most = far;
            memcpy(best, w, sizeof best);
        }
    }
    memcpy(p->point[2], best, sizeof best);
    triangle_area_vector(p->point[0], p->point[1], p->point[2], d);
    most = 0.0;
    for (int k = 0; k < 2; k++) { // and from the plane
        double w[3], far;
        for (int i = 0; i < 3; i++)
            back[i] = k ? -d[i] : d[i];
        support(p, back, w);
        far = vec3_dot(back, w) - vec3_dot(back, p->point[0]);
        if (far > most) {
            most = far;
            memcpy(best, w, sizeof best);
        }
    }
    memcpy(p->point[3], best, sizeof best);
    p->n_point = 4;
    double side = vec3_dot(d, p->point[3]) - vec3_dot(d, p->point[0]);
    int i = side > 0.0 ? 1 : 0, j = 1 - i; // point 3 behind the face i j 2
    add_face(p, i, j, 2);
    add_face(p, j, i, 3);
    add_face(p, 2, j, 3);
    add_face(p, i, 2, 3);
    static const int beyond[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    for (int f = 0; f < 4; f++)
        memcpy(p->face[f].beyond, beyond[f], sizeof beyond[f]);
}

// Removes what the new point sees, from one face on; the rim comes out in order.
static void carve(Polytope* p, int f, int edge, const double w[3])
{
    Face* face = &p->face[f];
    if (face->gone || p->broken)
        return;
    int seen = !isfinite(face->offset) ||
               vec3_dot(face->normal, w) - face->offset > COND_PRODUCT_ROUNDING * p->size;
    if (!seen) {
        if (p->n_rim == MOST_RIM) {
            p->broken = 1;
            return;
        }
        p->rim[p->n_rim][0] = f;
        p->rim[p->n_rim++][1] = edge;
        return;
    }
    face->gone = 1;
    for (int k = 1; k < 3; k++) {
        int side = (edge + k) % 3, other = face->beyond[side], at = 0;
        while (at < 2 && p->face[other].beyond[at] != f)
            at++;
        carve(p, other, at, w);
    }
}

// New faces from the rim to the point w.
static void cover(Polytope* p, int w)
{
    int first = p->n_face;
    for (int k = 0; k < p->n_rim && !p->broken; k++) {
        Face* outer = &p->face[p->rim[k][0]];
        int edge = p->rim[k][1];
        int f = add_face(p, outer->corner[(edge + 1) % 3], outer->corner[edge], w);
        if (p->broken)
            return;
        p->face[f].beyond[0] = p->rim[k][0];
        outer->beyond[edge] = f;
    }
    for (int k = 0; k < p->n_rim; k++) {
        Face* face = &p->face[first + k];
        int next = first + (k + 1) % p->n_rim;
        if (face->corner[0] == p->face[next].corner[1]) {
            face->beyond[2] = next;
            p->face[next].beyond[1] = first + k;
        } else if (face->corner[1] == p->face[next].corner[0]) {
            face->beyond[1] = next;
            p->face[next].beyond[2] = first + k;
        } else {
            p->broken = 1;
        }
    }
}

static int nearest_face(const Polytope* p)
{
    int best = -1;
    for (int f = 0; f < p->n_face; f++)
        if (!p->face[f].gone && (best < 0 || p->face[f].offset < p->face[best].offset))
            best = f;
    return best;
}

void cond_cores_expand(const CondCore* a, const CondCore* b, double n[3])
{
    Polytope p;
    p.a = a;
    p.b = b;
    p.size = fmax(a->size, b->size);
    p.n_point = p.n_face = p.n_rim = p.broken = 0;
    begin(&p);
    double tolerance = COND_INPUT_ROUNDING * fmin(a->size, b->size), least = INFINITY;
    while (!p.broken) {
        int f = nearest_face(&p);
        if (f < 0 || !isfinite(p.face[f].offset))
            break;
        double* w = p.point[p.n_point];
        double out = support(&p, p.face[f].normal, w);
        if (out < least) { // the best so far: also where the work ends early
            least = out;
            for (int i = 0; i < 3; i++)
                n[i] = -p.face[f].normal[i];
        }
        if (out - p.face[f].offset <= tolerance || p.n_point == MOST_POINTS - 1)
            break;
        p.n_point++;
        p.n_rim = 0;
        p.face[f].gone = 1;
        for (int k = 0; k < 3; k++) {
            int other = p.face[f].beyond[k], at = 0;
            while (at < 2 && p.face[other].beyond[at] != f)
                at++;
            carve(&p, other, at, w);
        }
        cover(&p, p.n_point - 1);
    }
}
