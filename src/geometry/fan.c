// Where an edge touches an edge along it, or a corner an edge or a corner, a whole fan of normals
// separates the two: its ends are normals of faces, and of two edges, at the place where they
// touch. Between touching and overlapping a real edge is round, if by little: two of them meet
// along the middle of the fan, and a force along the normal of either face alone would need
// friction to be turned there (a house of cards falls that should stand).
#include "geometry/fan.h"
#include "base/tuning.h"

#include "geometry/mesh_surface.h"
#include "geometry/tuning.h"

#include <math.h>
#include <string.h>

enum { MOST_NORMALS = 32, MOST_EDGES = 12 };

typedef struct Fan {
    const CondCore *a, *b;
    double least; // of s(n)
    int n;
    double normal[MOST_NORMALS][3];
} Fan;

// What of a core contains a point: normals of faces and directions of edges, in the world.
typedef struct Corner {
    int n_face, n_edge;
    double face[MOST_NORMALS][3], edge[MOST_EDGES][3];
} Corner;

static int is_mesh(const CondCore* core)
{
    return core->form == COND_FORM_CONVEX || core->form == COND_FORM_MESH;
}

int cond_cores_may_fan(const CondCore* a, const CondCore* b, const CondSeparation* apart,
                       double tie)
{
    return fabs(apart->apart) <= tie && a->round + b->round == 0.0 &&
           (is_mesh(a) || a->form == COND_FORM_BOX) && (is_mesh(b) || b->form == COND_FORM_BOX);
}

static void box_corner(const CondCore* core, const double x[3], double tie, Corner* corner)
{
    int on[3];
    for (int k = 0; k < 3; k++) {
        double axis[3];
        on[k] = fabs(fabs(x[k]) - core->half[k]) <= tie;
        if (!on[k])
            continue;
        cond_core_axis(core, k, axis);
        for (int i = 0; i < 3; i++)
            corner->face[corner->n_face][i] = x[k] < 0.0 ? -axis[i] : axis[i];
        corner->n_face++;
    }
    for (int k = 0; k < 3; k++)
        if (on[(k + 1) % 3] && on[(k + 2) % 3])
            cond_core_axis(core, k, corner->edge[corner->n_edge++]);
}

// 1 where x lies on the segment from p to q, whose direction goes to d.
static int is_on(const double p[3], const double q[3], const double x[3], double tie, double d[3])
{
    double r[3], off[3], length, along;
    for (int i = 0; i < 3; i++) {
        d[i] = q[i] - p[i];
        r[i] = x[i] - p[i];
    }
    length = vec3_norm(d);
    for (int i = 0; i < 3; i++)
        d[i] /= length;
    along = vec3_dot(d, r);
    for (int i = 0; i < 3; i++)
        off[i] = r[i] - along * d[i];
    return along >= -tie && along <= length + tie && vec3_norm(off) <= tie;
}

static void mesh_corner(const CondCore* core, const double x[3], double tie, Corner* corner)
{
    const CondPolyhedron* poly = &core->mesh_surface->poly;
    const double* vertex = core->mesh_surface->vertex;
    double d[3];
    for (int f = 0; f < poly->n_face; f++) {
        const double* plane = poly->plane + 4 * (size_t)f;
        if (fabs(vec3_dot(plane, x) - plane[3]) > tie)
            continue;
        if (corner->n_face < MOST_NORMALS)
            mat3_multiply(core->R, plane, corner->face[corner->n_face++]);
        for (int e = poly->edge_begin[f]; e < poly->edge_begin[f + 1]; e++) {
            const CondPolyEdge* edge = &poly->edge[e];
            if (e < edge->twin && corner->n_edge < MOST_EDGES &&
                is_on(vertex + 3 * (size_t)edge->from, vertex + 3 * (size_t)edge->to, x, tie, d))
                mat3_multiply(core->R, d, corner->edge[corner->n_edge++]);
        }
    }
}

static void find_corner(const CondCore* core, const double at[3], double tie, Corner* corner)
{
    double x[3];
    cond_core_local(core, at, x);
    corner->n_face = corner->n_edge = 0;
    if (is_mesh(core))
        mesh_corner(core, x, tie, corner);
    else
        box_corner(core, x, tie, corner);
}

// Adds a unit normal that separates as well as the best and is none of those that are there.
static void add(Fan* fan, const double n[3])
{
    double x[3];
    if (fan->n == MOST_NORMALS || !(cond_cores_apart(fan->a, fan->b, n, x) >= fan->least))
        return;
    for (int k = 0; k < fan->n; k++)
        if (vec3_dot(fan->normal[k], n) > 1.0 - COND_INPUT_ROUNDING)
            return;
    memcpy(fan->normal[fan->n++], n, sizeof fan->normal[0]);
}

static void gather(Fan* fan, const Corner* a, const Corner* b)
{
    for (int k = 0; k < a->n_face; k++) {
        const double back[3] = {-a->face[k][0], -a->face[k][1], -a->face[k][2]};
        add(fan, back);
    }
    for (int k = 0; k < b->n_face; k++)
        add(fan, b->face[k]);
    for (int i = 0; i < a->n_edge; i++)
        for (int j = 0; j < b->n_edge; j++) {
            double n[3], length;
            vec3_cross(a->edge[i], b->edge[j], n);
            length = vec3_norm(n);
            if (!(length > COND_SINGLE_PRECISION))
                continue;
            for (int side = 0; side < 2; side++) {
                for (int k = 0; k < 3; k++)
                    n[k] /= side ? -1.0 : length;
                add(fan, n);
            }
        }
}

// The sum of the two ends of an arc, or of all normals where they do not lie on one.
static void middle(const Fan* fan, double sum[3])
{
    int p = 0, q = 0;
    double least = 1.0, across[3], length;
    for (int i = 0; i < fan->n; i++)
        for (int j = 0; j < i; j++) {
            double cosine = vec3_dot(fan->normal[i], fan->normal[j]);
            if (cosine < least) {
                least = cosine;
                p = j;
                q = i;
            }
        }
    vec3_cross(fan->normal[p], fan->normal[q], across);
    length = vec3_norm(across);
    int arc = 1;
    memset(sum, 0, 3 * sizeof *sum);
    for (int k = 0; k < fan->n; k++) {
        arc = arc && fabs(vec3_dot(fan->normal[k], across)) <= COND_SINGLE_PRECISION * length;
        for (int i = 0; i < 3; i++)
            sum[i] += fan->normal[k][i];
    }
    for (int i = 0; i < 3 && arc; i++)
        sum[i] = fan->normal[p][i] + fan->normal[q][i];
}

int cond_cores_fan(const CondCore* a, const CondCore* b, const double on_a[3], const double on_b[3],
                   double tie, CondSeparation* apart)
{
    Fan fan = {.a = a, .b = b, .least = apart->apart - tie};
    Corner of_a, of_b;
    double n[3], x[3];
    find_corner(a, on_a, tie, &of_a);
    find_corner(b, on_b, tie, &of_b);
    gather(&fan, &of_a, &of_b);
    if (fan.n < 2)
        return 0;
    middle(&fan, n);
    double length = vec3_norm(n);
    if (!(length > COND_BESIDE)) // they look against each other: two flat things
        return 0;
    for (int i = 0; i < 3; i++)
        n[i] /= length;
    double along = cond_cores_apart(a, b, n, x);
    if (!(along >= fan.least - tie))
        return 0;
    memcpy(apart->normal, n, sizeof n);
    apart->apart = fmax(apart->apart, along);
    return 1;
}
