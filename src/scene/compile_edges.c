// Edges of the solids that may cross those of others: the convex ones of boxes and meshes, and the
// axes of capsules and cylinders.
#include "base/memory.h"
#include "base/tuning.h"
#include "geometry/mesh_surface.h"
#include "math/vec3.h"
#include "scene/compile.h"

#include <math.h>
#include <string.h>

static CondStatus add_edge(CondModel* model, CondSolid* solid, const CondEdge* edge)
{
    if (COND_RESERVE(&model->arena, model->edge, model->n_edge + 1))
        return COND_OUT_OF_MEMORY;
    model->edge[model->n_edge++] = *edge;
    solid->n_edge++;
    return COND_OK;
}

// The edge from p to q between the faces with unit normals m, n, of which m lies to its left.
static CondStatus add_sharp(CondModel* model, CondSolid* solid, const double p[3],
                            const double q[3], const double m[3], const double n[3])
{
    CondEdge edge = {.round = 0};
    double d[3], bend[3], sum[3];
    for (int i = 0; i < 3; i++) {
        edge.end[0][i] = p[i];
        edge.end[1][i] = q[i];
        d[i] = q[i] - p[i];
        sum[i] = m[i] + n[i];
    }
    vec3_cross(m, n, bend);
    double length = vec3_norm(d), size = vec3_norm(sum);
    // Convex: the normals turn about the edge as one crosses it.
    if (!(vec3_dot(bend, d) > COND_NEARLY * length) || !(size > COND_INPUT_ROUNDING))
        return COND_OK;
    for (int i = 0; i < 3; i++) {
        d[i] /= length;
        edge.out[i] = sum[i] / size;
    }
    vec3_cross(m, d, edge.side[0]);
    vec3_cross(d, n, edge.side[1]);
    return add_edge(model, solid, &edge);
}

static CondStatus box_edges(CondModel* model, CondSolid* solid)
{
    CondStatus status = COND_OK;
    for (int k = 0; k < 12 && !status; k++) {
        int axis = k / 4, u = (axis + 1) % 3, v = (axis + 2) % 3;
        double p[3], q[3], m[3] = {0.0}, n[3] = {0.0};
        double su = k & 1 ? 1.0 : -1.0, sv = k & 2 ? 1.0 : -1.0;
        p[u] = q[u] = su * solid->shape.half[u];
        p[v] = q[v] = sv * solid->shape.half[v];
        // u x v is the axis: m turns to n about +axis where the signs agree.
        p[axis] = -su * sv * solid->shape.half[axis];
        q[axis] = -p[axis];
        m[u] = su;
        n[v] = sv;
        status = add_sharp(model, solid, p, q, m, n);
    }
    return status;
}

// One of the two directions of every edge.
static int is_forward(const double d[3])
{
    for (int i = 0; i < 3; i++)
        if (d[i] != 0.0)
            return d[i] > 0.0;
    return 0;
}

static void edge_direction(const CondMeshSurface* mesh_surface, int half, double d[3])
{
    const double* p = mesh_surface->vertex + 3 * (size_t)mesh_surface->face[half];
    const double* q =
        mesh_surface->vertex + 3 * (size_t)mesh_surface->face[half - half % 3 + (half + 1) % 3];
    for (int i = 0; i < 3; i++)
        d[i] = q[i] - p[i];
    double length = vec3_norm(d);
    for (int i = 0; i < 3; i++)
        d[i] /= length;
}

// The directed edge that begins at a vertex in direction d; -1 where there is none, or where faces
// of a third direction meet.
static int straight_on(const CondMeshSurface* mesh_surface, int vertex, const double d[3],
                       double sign)
{
    for (int e = mesh_surface->fan_begin[vertex];
         e < mesh_surface->fan_begin[vertex + 1] &&
         !cond_mesh_surface_is_corner(mesh_surface, vertex);
         e++) {
        double other[3];
        edge_direction(mesh_surface, mesh_surface->fan[e], other);
        if (sign * vec3_dot(d, other) > 1.0 - COND_INPUT_ROUNDING)
            return mesh_surface->fan[e];
    }
    return -1;
}

// Pieces of a straight edge count as one: where something crosses the vertex between two pieces, it
// would be at the end of both and inside neither.
static CondStatus mesh_surface_edges(CondModel* model, CondSolid* solid)
{
    const CondMeshSurface* mesh_surface = solid->shape.mesh_surface;
    CondStatus status = COND_OK;
    for (int k = 0; k < 3 * mesh_surface->n_face && !status; k++) {
        int from = mesh_surface->face[k], half = k, to = from;
        double d[3];
        edge_direction(mesh_surface, k, d);
        if (!is_forward(d) || straight_on(mesh_surface, from, d, -1.0) >= 0)
            continue;
        for (; half >= 0; half = straight_on(mesh_surface, to, d, 1.0))
            to = mesh_surface->face[half - half % 3 + (half + 1) % 3];
        status = add_sharp(model, solid, mesh_surface->vertex + 3 * (size_t)from,
                           mesh_surface->vertex + 3 * (size_t)to, mesh_surface->plane + 4 * (k / 3),
                           mesh_surface->plane + 4 * mesh_surface->neighbour[k]);
    }
    return status;
}

static CondStatus solid_edges(CondModel* model, CondSolid* solid)
{
    const CondShape* shape = &solid->shape;
    solid->edge_begin = model->n_edge;
    if (shape->form == COND_FORM_BOX)
        return box_edges(model, solid);
    if (shape->form == COND_FORM_CONVEX || shape->form == COND_FORM_MESH)
        return mesh_surface_edges(model, solid);
    if (shape->form != COND_FORM_CAPSULE && shape->form != COND_FORM_CYLINDER)
        return COND_OK;
    CondEdge axis = {.round = 1, .radius = shape->radius};
    axis.end[0][2] = -shape->half[2];
    axis.end[1][2] = shape->half[2];
    return add_edge(model, solid, &axis);
}

CondStatus cond_compile_edges(CondModel* model)
{
    CondStatus status = COND_OK;
    for (int i = 0; i < model->n_obstacle && !status; i++)
        status = solid_edges(model, &model->obstacle[i]);
    for (int i = 0; i < model->n_solid && !status; i++)
        status = solid_edges(model, &model->solid[i]);
    return status;
}
