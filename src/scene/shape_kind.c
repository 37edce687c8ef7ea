// The table of shapes: names and keys in scenes, and how they are compiled; one row for each kind
// of shape.
#include "scene/shape_kind.h"
#include "scene/tuning.h"

#include <math.h>
#include <stddef.h>

static const double PI = 3.14159265358979323846;

// ---- box: size is its edges

static double box_point(const double* size, int k, double local[3])
{
    for (int i = 0; i < 3; i++)
        local[i] = (k >> i & 1 ? 0.5 : -0.5) * size[i];
    return 0.0;
}

static void box_solid(const double* size, CondShape* shape)
{
    for (int i = 0; i < 3; i++)
        shape->half[i] = 0.5 * size[i];
}

static double box_volume(const double* size)
{
    return size[0] * size[1] * size[2];
}

// Edges x, y, z: I_xx = m (y^2 + z^2) / 12 and so on round.
static void box_inertia(double mass, const double* size, double* inertia)
{
    for (int i = 0; i < 3; ++i) {
        double a = size[(i + 1) % 3];
        double b = size[(i + 2) % 3];
        inertia[i] = mass * (a * a + b * b) / 12.0;
    }
}

// ---- solids of revolution about z: size is radius and length

// Of radius r and length l:
//   cylinder  I_zz = m r^2 / 2,  I_xx = m (r^2 / 4 + l^2 / 12)
//   sphere    I = 2/5 m r^2, and its halves moved apart by l:  I_xx + m (l^2 / 4 + 3/8 l r)
// A capsule is both, with the mass shared as the volumes l and 4/3 r (times pi r^2) are.
static void add_inertia(double cylinder, double sphere, double r, double l, double* inertia)
{
    double across = cylinder * (r * r / 4.0 + l * l / 12.0) +
                    sphere * (0.4 * r * r + l * l / 4.0 + 0.375 * l * r);
    inertia[0] = inertia[1] = across;
    inertia[2] = cylinder * r * r / 2.0 + sphere * 0.4 * r * r;
}

static void round_solid(const double* size, CondShape* shape)
{
    shape->radius = size[0];
    shape->half[2] = 0.5 * size[1];
}

static double sphere_point(const double* size, int k, double local[3])
{
    (void)k;
    local[0] = local[1] = local[2] = 0.0;
    return size[0];
}

static double sphere_volume(const double* size)
{
    return 4.0 / 3.0 * PI * size[0] * size[0] * size[0];
}

static void sphere_inertia(double mass, const double* size, double* inertia)
{
    add_inertia(0.0, mass, size[0], 0.0, inertia);
}

static double capsule_point(const double* size, int k, double local[3])
{
    local[0] = local[1] = 0.0;
    local[2] = (k ? 0.5 : -0.5) * size[1];
    return size[0];
}

static double cylinder_volume(const double* size)
{
    return PI * size[0] * size[0] * size[1];
}

static double capsule_volume(const double* size)
{
    return sphere_volume(size) + cylinder_volume(size);
}

static void capsule_inertia(double mass, const double* size, double* inertia)
{
    double r = size[0], l = size[1], share = l / (l + r * 4.0 / 3.0); // of the cylinder
    add_inertia(share * mass, (1.0 - share) * mass, r, l, inertia);
}

static double cylinder_point(const double* size, int k, double local[3])
{
    const double angle = 2.0 * acos(-1.0) * (k / 2) / COND_RIM_POINTS;
    local[0] = size[0] * cos(angle);
    local[1] = size[0] * sin(angle);
    local[2] = (k % 2 ? 0.5 : -0.5) * size[1];
    return 0.0;
}

static void cylinder_inertia(double mass, const double* size, double* inertia)
{
    add_inertia(mass, 0.0, size[0], size[1], inertia);
}

// ---- of a surface: its mesh says all

static void mesh_solid(const double* size, CondShape* shape)
{
    (void)size;
    (void)shape;
}

// In the order of CondShapeKind.
static const CondShapeRow rows[] = {
    [COND_SHAPE_BOX] = {"box", 0, 0, COND_FORM_BOX, 8, box_point, box_solid, box_volume,
                        box_inertia},
    [COND_SHAPE_POINTS] = {.name = "points"},
    [COND_SHAPE_SPHERE] = {"sphere", 0, 0, COND_FORM_SPHERE, 1, sphere_point, round_solid,
                           sphere_volume, sphere_inertia},
    [COND_SHAPE_CAPSULE] = {"capsule", 0, 0, COND_FORM_CAPSULE, 2, capsule_point, round_solid,
                            capsule_volume, capsule_inertia},
    [COND_SHAPE_CYLINDER] = {"cylinder", 0, 1, COND_FORM_CYLINDER, 2 * COND_RIM_POINTS,
                             cylinder_point, round_solid, cylinder_volume, cylinder_inertia},
    [COND_SHAPE_CONVEX] = {.name = "convex",
                           .is_mesh = 1,
                           .form = COND_FORM_CONVEX,
                           .solid = mesh_solid},
    [COND_SHAPE_HEIGHTFIELD] = {.name = "heightfield",
                                .is_mesh = 1,
                                .form = COND_FORM_MESH,
                                .solid = mesh_solid},
    [COND_SHAPE_TERRAIN] = {.name = "terrain",
                            .is_mesh = 1,
                            .form = COND_FORM_MESH,
                            .solid = mesh_solid},
    [COND_SHAPE_MESH] = {.name = "mesh", .is_mesh = 1, .form = COND_FORM_MESH, .solid = mesh_solid},
};

const CondShapeRow* cond_shape_row(CondShapeKind kind)
{
    int known = (int)kind >= 0 && (size_t)kind < sizeof rows / sizeof rows[0] && rows[kind].name;
    return known ? &rows[kind] : NULL;
}

int cond_shape_is_mesh(CondShapeKind kind)
{
    const CondShapeRow* row = cond_shape_row(kind);
    return row && row->is_mesh;
}

CondShapeKind cond_shape_of_link(int link_shape)
{
    // In the order of CondLinkShapeKind.
    static const CondShapeKind kinds[] = {COND_SHAPE_SPHERE, COND_SHAPE_CAPSULE, COND_SHAPE_BOX,
                                          COND_SHAPE_CYLINDER, COND_SHAPE_MESH};
    return kinds[link_shape];
}
