// The part of a convex core's surface that a plane with a given normal meets first, and what lies
// nearly in that plane with it: a corner, a segment, a polygon or a disc.
#include "geometry/facet.h"
#include "base/tuning.h"

#include "geometry/mesh_surface.h"
#include "geometry/tuning.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

void cond_facet_begin(const CondContext* context, CondFacet* facet)
{
    memset(facet, 0, sizeof *facet);
    cond_arena_begin(context, &facet->arena);
}

void cond_facet_end(CondFacet* facet)
{
    cond_arena_release(&facet->arena);
}

static CondStatus reserve(CondFacet* facet, int n_point, int n_edge)
{
    CondArena* m = &facet->arena;
    if (COND_RESERVE(m, facet->point, 3 * n_point) || COND_RESERVE(m, facet->id, n_point) ||
        COND_RESERVE(m, facet->edge, 2 * n_edge) || COND_RESERVE(m, facet->edge_id, n_edge))
        return COND_OUT_OF_MEMORY;
    facet->n_point = facet->n_edge = facet->flat = facet->disc = 0;
    facet->curve = 0.0;
    return COND_OK;
}

// A point given in the axes of the core.
static int add_point(const CondCore* core, CondFacet* facet, const double local[3], int id)
{
    cond_core_place(core, local, facet->point + 3 * (size_t)facet->n_point);
    facet->id[facet->n_point] = id;
    return facet->n_point++;
}

static void add_edge(CondFacet* facet, int from, int to, int id)
{
    facet->edge[2 * facet->n_edge] = from;
    facet->edge[2 * facet->n_edge + 1] = to;
    facet->edge_id[facet->n_edge++] = id;
}

// The plane with a normal in the core's axes through the first point.
static void set_plane(const CondCore* core, CondFacet* facet, const double local[3])
{
    mat3_multiply(core->R, local, facet->plane);
    facet->plane[3] = vec3_dot(facet->plane, facet->point);
    facet->flat = 1;
}

static int most_along(const double d[3])
{
    int axis = 0;
    for (int i = 1; i < 3; i++)
        axis = fabs(d[i]) > fabs(d[axis]) ? i : axis;
    return axis;
}

// Corner ids are the signs of the coordinates as bits; edge ids the axis and the other two signs.
static void make_box(const CondCore* core, const double d[3], CondFacet* facet)
{
    int axis = most_along(d), u = (axis + 1) % 3, v = (axis + 2) % 3, up = d[axis] > 0.0;
    double normal[3] = {0.0, 0.0, 0.0}, x[3];
    normal[axis] = up ? 1.0 : -1.0;
    x[axis] = normal[axis] * core->half[axis];
    for (int k = 0; k < 4; k++) {
        int pu = k == 1 || k == 2, pv = k >= 2;
        x[u] = pu ? core->half[u] : -core->half[u];
        x[v] = pv ? core->half[v] : -core->half[v];
        add_point(core, facet, x, up << axis | pu << u | pv << v);
    }
    for (int k = 0; k < 4; k++) {
        int both = facet->id[k] & facet->id[(k + 1) % 4];
        int along = most_along((const double[3]){(facet->id[k] ^ facet->id[(k + 1) % 4]) & 1,
                                                 (facet->id[k] ^ facet->id[(k + 1) % 4]) & 2,
                                                 (facet->id[k] ^ facet->id[(k + 1) % 4]) & 4});
        add_edge(facet, k, (k + 1) % 4, 8 * along + both);
    }
    set_plane(core, facet, normal);
}

// Ids 0 and 1 are the deepest points of the two rims, whether it lies or stands.
static void make_cylinder(const CondCore* core, const double d[3], CondFacet* facet)
{
    const double pi = 3.14159265358979323846;
    double across = hypot(d[0], d[1]), u[2] = {1.0, 0.0}, x[3];
    if (across > COND_SINGLE_PRECISION) {
        u[0] = d[0] / across;
        u[1] = d[1] / across;
    }
    if (fabs(d[2]) < COND_LYING) {
        for (int k = 0; k < 2; k++) {
            x[0] = core->disc * u[0];
            x[1] = core->disc * u[1];
            x[2] = k ? core->half[2] : -core->half[2];
            add_point(core, facet, x, k);
        }
        add_edge(facet, 0, 1, 0);
        facet->curve = core->disc;
        return;
    }
    int top = d[2] > 0.0;
    double normal[3] = {0.0, 0.0, top ? 1.0 : -1.0}, centre[3] = {0.0, 0.0, 0.0};
    x[2] = centre[2] = normal[2] * core->half[2];
    for (int k = 0; k < COND_SECTORS; k++) {
        double c = cos(2.0 * pi * k / COND_SECTORS), s = sin(2.0 * pi * k / COND_SECTORS);
        x[0] = core->disc * (c * u[0] - s * u[1]);
        x[1] = core->disc * (c * u[1] + s * u[0]);
        add_point(core, facet, x, top + 2 * k);
    }
    set_plane(core, facet, normal);
    cond_core_place(core, centre, facet->centre);
    facet->radius = core->disc;
    facet->disc = 1;
}

static void make_segment(const CondCore* core, const double d[3], CondFacet* facet)
{
    double x[3] = {0.0, 0.0, 0.0};
    int both = fabs(d[2]) < COND_LYING;
    for (int k = 0; k < 2; k++) {
        x[2] = k ? core->half[2] : -core->half[2];
        if (both || (d[2] > 0.0) == (k == 1))
            add_point(core, facet, x, k);
    }
    if (both)
        add_edge(facet, 0, 1, 0);
}

CondStatus cond_facet_of_face(const CondCore* core, int k, CondFacet* facet)
{
    const CondPolyhedron* poly = &core->mesh_surface->poly;
    int begin = poly->edge_begin[k], n = poly->edge_begin[k + 1] - begin;
    if (reserve(facet, 2 * n, n))
        return COND_OUT_OF_MEMORY;
    for (int e = 0; e < n; e++)
        add_point(core, facet, core->mesh_surface->vertex + 3 * (size_t)poly->edge[begin + e].from,
                  poly->edge[begin + e].from);
    for (int e = 0; e < n; e++) {
        const CondPolyEdge* edge = &poly->edge[begin + e];
        int id = edge->twin >= 0 && edge->twin < begin + e ? edge->twin : begin + e;
        add_edge(facet, e, edge->next, id);
    }
    set_plane(core, facet, poly->plane + 4 * (size_t)k);
    return COND_OK;
}

CondStatus cond_facet_of_edge(const CondCore* core, int k, CondFacet* facet)
{
    const CondPolyEdge* edge = &core->mesh_surface->poly.edge[k];
    if (reserve(facet, 2, 1))
        return COND_OUT_OF_MEMORY;
    add_point(core, facet, core->mesh_surface->vertex + 3 * (size_t)edge->from, edge->from);
    add_point(core, facet, core->mesh_surface->vertex + 3 * (size_t)edge->to, edge->to);
    add_edge(facet, 0, 1, k);
    return COND_OK;
}

static CondStatus make_convex(const CondCore* core, const double d[3], CondFacet* facet)
{
    const CondMeshSurface* mesh_surface = core->mesh_surface;
    int best = 0, corner = 0;
    double most = -INFINITY, top = -INFINITY;
    // Of the faces at the farthest corner, the one that looks most along d.
    for (int c = 0; c < mesh_surface->poly.n_corner; c++) {
        double along = vec3_dot(d, mesh_surface->vertex + 3 * (size_t)mesh_surface->poly.corner[c]);
        if (along > top) {
            top = along;
            corner = c;
        }
    }
    for (int k = mesh_surface->poly.fan_begin[corner]; k < mesh_surface->poly.fan_begin[corner + 1];
         k++) {
        int face = mesh_surface->poly.edge[mesh_surface->poly.fan[k]].face;
        double along = vec3_dot(d, mesh_surface->poly.plane + 4 * (size_t)face);
        if (along > most) {
            most = along;
            best = face;
        }
    }
    if (most > COND_STEEP)
        return cond_facet_of_face(core, best, facet);
    int v = mesh_surface->poly.corner[corner];
    add_point(core, facet, mesh_surface->vertex + 3 * (size_t)v, v);
    return COND_OK;
}

CondStatus cond_facet_make(const CondCore* core, const double d[3], CondFacet* facet)
{
    double local[3];
    mat3_multiply_transposed(core->R, d, local);
    if (reserve(facet, COND_SECTORS, 4))
        return COND_OUT_OF_MEMORY;
    switch (core->form) {
    case COND_FORM_BOX:
        make_box(core, local, facet);
        break;
    case COND_FORM_CYLINDER:
        make_cylinder(core, local, facet);
        break;
    case COND_FORM_CAPSULE:
        make_segment(core, local, facet);
        break;
    case COND_FORM_CONVEX:
    case COND_FORM_MESH:
        return make_convex(core, local, facet);
    default:
        add_point(core, facet, (const double[3]){0.0, 0.0, 0.0}, 0);
    }
    return COND_OK;
}
