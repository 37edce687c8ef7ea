// Triangles of spheres, capsules, cylinders, boxes and meshes (tessellate.h).
#include "record/tessellate.h"

#include "geometry/mesh_surface.h"

#include <math.h>
#include <string.h>

// Corners of a circle.
static int corners_around(const CondTessellation* out)
{
    return out->around > 0 ? out->around : 24;
}

// A ring of a surface of revolution about z.
typedef struct Ring {
    double radius, z; // [m]
} Ring;

static CondStatus make_room(CondTessellation* out, int n_point, int n_triangle)
{
    CondStatus status = COND_RESERVE(&out->arena, out->point, 3 * n_point);
    if (!status)
        status = COND_RESERVE(&out->arena, out->triangle, 3 * n_triangle);
    out->n_point = out->n_triangle = 0;
    return status;
}

static void add_point(CondTessellation* out, double x, double y, double z)
{
    double* p = out->point + 3 * out->n_point++;
    p[0] = x;
    p[1] = y;
    p[2] = z;
}

static void add_triangle(CondTessellation* out, int a, int b, int c)
{
    int* t = out->triangle + 3 * out->n_triangle++;
    t[0] = a;
    t[1] = b;
    t[2] = c;
}

// Rings from below to above, closed by a fan at the poles z = -pole and z = pole.
static CondStatus revolve(int n_ring, const Ring* ring, double pole, CondTessellation* out)
{
    int around = corners_around(out);
    const double turn = 2.0 * 3.14159265358979323846 / around;
    CondStatus status = make_room(out, around * n_ring + 2, 2 * around * n_ring);
    if (status)
        return status;
    for (int k = 0; k < n_ring; k++)
        for (int j = 0; j < around; j++)
            add_point(out, ring[k].radius * cos(turn * j), ring[k].radius * sin(turn * j),
                      ring[k].z);
    add_point(out, 0.0, 0.0, -pole);
    add_point(out, 0.0, 0.0, pole);
    for (int j = 0; j < around; j++) {
        int next = (j + 1) % around, top = around * (n_ring - 1);
        add_triangle(out, around * n_ring, next, j);
        for (int k = 0; k + 1 < n_ring; k++) {
            int low = around * k, high = low + around;
            add_triangle(out, low + j, low + next, high + next);
            add_triangle(out, low + j, high + next, high + j);
        }
        add_triangle(out, around * n_ring + 1, top + j, top + next);
    }
    return COND_OK;
}

// Two hemispheres; those of a sphere share their equator.
static CondStatus make_capsule(double radius, double half, CondTessellation* out)
{
    int quarter = corners_around(out) / 4; // rings from the equator to a pole
    const double step = 0.5 * 3.14159265358979323846 / quarter;
    Ring ring[2 * COND_MOST_AROUND / 4];
    int n = 0;
    for (int k = 1 - quarter; k <= 0; k++)
        ring[n++] = (Ring){radius * cos(step * k), radius * sin(step * k) - half};
    for (int k = half > 0.0 ? 0 : 1; k < quarter; k++)
        ring[n++] = (Ring){radius * cos(step * k), radius * sin(step * k) + half};
    return revolve(n, ring, half + radius, out);
}

// Corner i: bit k of i chooses the side of axis k.
static CondStatus make_box(const double half[3], double margin, CondTessellation* out)
{
    static const int face[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                   {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    CondStatus status = make_room(out, 8, 12);
    if (status)
        return status;
    double e[3];
    for (int k = 0; k < 3; k++)
        e[k] = half[k] + margin;
    for (int i = 0; i < 8; i++)
        add_point(out, i & 1 ? e[0] : -e[0], i & 2 ? e[1] : -e[1], i & 4 ? e[2] : -e[2]);
    for (int f = 0; f < 6; f++) {
        add_triangle(out, face[f][0], face[f][1], face[f][2]);
        add_triangle(out, face[f][0], face[f][2], face[f][3]);
    }
    return COND_OK;
}

static CondStatus make_square(double half, CondTessellation* out)
{
    CondStatus status = make_room(out, 4, 2);
    if (status)
        return status;
    for (int i = 0; i < 4; i++)
        add_point(out, i & 1 ? half : -half, i & 2 ? half : -half, 0.0);
    add_triangle(out, 0, 1, 3);
    add_triangle(out, 0, 3, 2);
    return COND_OK;
}

static CondStatus copy_mesh_surface(const CondMeshSurface* mesh_surface, CondTessellation* out)
{
    CondStatus status = make_room(out, mesh_surface->n_vertex, mesh_surface->n_face);
    if (status)
        return status;
    out->n_point = mesh_surface->n_vertex;
    out->n_triangle = mesh_surface->n_face;
    memcpy(out->point, mesh_surface->vertex, 3 * (size_t)mesh_surface->n_vertex * sizeof(double));
    memcpy(out->triangle, mesh_surface->face, 3 * (size_t)mesh_surface->n_face * sizeof(int));
    return COND_OK;
}

CondStatus cond_tessellate_shape(const CondShape* shape, CondTessellation* out)
{
    double radius = shape->radius + shape->margin, half = shape->half[2];
    switch (shape->form) {
    case COND_FORM_SPHERE:
        return make_capsule(radius, 0.0, out);
    case COND_FORM_CAPSULE:
        return make_capsule(radius, half, out);
    case COND_FORM_CYLINDER: {
        half += shape->margin;
        const Ring rim[2] = {{radius, -half}, {radius, half}};
        return revolve(2, rim, half, out);
    }
    case COND_FORM_BOX:
        return make_box(shape->half, shape->margin, out);
    case COND_FORM_CONVEX:
    case COND_FORM_MESH:
        return copy_mesh_surface(shape->mesh_surface, out);
    case COND_FORM_PLANE:
        return make_square(shape->half[0], out);
    }
    return COND_BAD_ARGUMENT;
}

void cond_tessellation_destroy(CondTessellation* tessellation)
{
    cond_arena_release(&tessellation->arena);
    tessellation->point = NULL;
    tessellation->triangle = NULL;
}
