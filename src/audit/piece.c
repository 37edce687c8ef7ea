// A convex piece of a body as the audit sees it, in world axes: a core (point, segment, box,
// cylinder or the hull of a closed mesh) and all that lies within `radius` of it.
#include "audit/piece.h"

#include "audit/feature.h"
#include "math/vec3.h"

#include <string.h>

static double axis_dot(const CondPiece* p, int k, const double d[3])
{
    return p->axes[k] * d[0] + p->axes[3 + k] * d[1] + p->axes[6 + k] * d[2];
}

double cond_piece_support(const CondPiece* piece, const double d[3], double x[3])
{
    double local[3] = {0.0, 0.0, 0.0}, at[3];
    if (piece->kind == COND_PIECE_HULL) {
        int best = 0;
        double most = vec3_dot(piece->vertex, d);
        for (int i = 1; i < piece->n_vertex; i++) {
            double here = vec3_dot(piece->vertex + 3 * (size_t)i, d);
            best = here > most ? i : best;
            most = here > most ? here : most;
        }
        if (x)
            memcpy(x, piece->vertex + 3 * (size_t)best, 3 * sizeof *x);
        return most;
    }
    if (piece->kind == COND_PIECE_SEGMENT || piece->kind == COND_PIECE_CYLINDER)
        local[2] = copysign(piece->half[2], axis_dot(piece, 2, d));
    if (piece->kind == COND_PIECE_BOX)
        for (int i = 0; i < 3; i++)
            local[i] = copysign(piece->half[i], axis_dot(piece, i, d));
    if (piece->kind == COND_PIECE_CYLINDER) {
        double u = axis_dot(piece, 0, d), v = axis_dot(piece, 1, d), across = hypot(u, v);
        local[0] = across > 0.0 ? piece->half[0] * u / across : piece->half[0];
        local[1] = across > 0.0 ? piece->half[0] * v / across : 0.0;
    }
    mat3_multiply(piece->axes, local, at);
    for (int i = 0; i < 3; i++)
        at[i] += piece->centre[i];
    if (x)
        memcpy(x, at, sizeof at);
    return vec3_dot(at, d);
}

// In the axes of the piece: nearest point of the core's surface, and the signed distance.
static double box_distance(const double half[3], const double x[3], double near[3])
{
    double outside = 0.0, inside = -INFINITY;
    int face = 0;
    for (int i = 0; i < 3; i++) {
        double over = fabs(x[i]) - half[i];
        near[i] = over > 0.0 ? copysign(half[i], x[i]) : x[i];
        outside += over > 0.0 ? over * over : 0.0;
        face = over > inside ? i : face;
        inside = fmax(inside, over);
    }
    if (outside > 0.0)
        return sqrt(outside);
    near[face] = copysign(half[face], x[face]);
    return inside;
}

static double cylinder_distance(double radius, double half, const double x[3], double near[3])
{
    double across = hypot(x[0], x[1]), u = across > 0.0 ? x[0] / across : 1.0;
    double v = across > 0.0 ? x[1] / across : 0.0;
    double side = across - radius, cap = fabs(x[2]) - half;
    double rho = across, z = x[2];
    if (side > 0.0 || (cap <= 0.0 && side >= cap))
        rho = radius;
    if (cap > 0.0 || (side <= 0.0 && cap > side))
        z = copysign(half, x[2]);
    near[0] = rho * u;
    near[1] = rho * v;
    near[2] = z;
    return side > 0.0 && cap > 0.0 ? hypot(side, cap) : fmax(side, cap);
}

static double hull_distance(const CondPiece* p, const double x[3], double near[3])
{
    double inside = -INFINITY, nearest = INFINITY, at[3];
    int face = 0;
    for (int f = 0; f < p->n_face; f++) {
        const double* corner = p->vertex + 3 * (size_t)p->face[3 * (size_t)f];
        const double* n = p->normal + 3 * (size_t)f;
        double over = vec3_dot(n, x) - vec3_dot(n, corner);
        face = over > inside ? f : face;
        inside = fmax(inside, over);
    }
    if (inside <= 0.0) {
        for (int i = 0; i < 3; i++)
            near[i] = x[i] - inside * p->normal[3 * (size_t)face + i];
        return inside;
    }
    for (int f = 0; f < p->n_face; f++) {
        const int* c = p->face + 3 * (size_t)f;
        double d = cond_audit_triangle(p->vertex + 3 * (size_t)c[0], p->vertex + 3 * (size_t)c[1],
                                       p->vertex + 3 * (size_t)c[2], x, at);
        if (d < nearest) {
            nearest = d;
            memcpy(near, at, sizeof at);
        }
    }
    return nearest;
}

double cond_piece_distance(const CondPiece* piece, const double point[3], double near[3])
{
    double d[3], x[3], at[3] = {0.0, 0.0, 0.0}, world[3], gap;
    for (int i = 0; i < 3; i++)
        d[i] = point[i] - piece->centre[i];
    mat3_multiply_transposed(piece->axes, d, x);
    if (piece->kind == COND_PIECE_HULL) {
        gap = hull_distance(piece, point, world);
    } else {
        if (piece->kind == COND_PIECE_BOX)
            gap = box_distance(piece->half, x, at);
        else if (piece->kind == COND_PIECE_CYLINDER)
            gap = cylinder_distance(piece->half[0], piece->half[2], x, at);
        else {
            if (piece->kind == COND_PIECE_SEGMENT)
                at[2] = fmax(-piece->half[2], fmin(piece->half[2], x[2]));
            gap = hypot(hypot(x[0], x[1]), x[2] - at[2]);
        }
        if (!near)
            return gap - piece->radius;
        mat3_multiply(piece->axes, at, world);
        for (int i = 0; i < 3; i++)
            world[i] += piece->centre[i];
    }
    for (int i = 0; i < 3 && near; i++)
        near[i] = world[i] + (gap != 0.0 ? piece->radius / gap * (point[i] - world[i]) : 0.0);
    return gap - piece->radius;
}

void cond_piece_box(const CondPiece* piece, double box[6])
{
    for (int i = 0; i < 3; i++) {
        double d[3] = {0.0, 0.0, 0.0};
        d[i] = 1.0;
        box[3 + i] = cond_piece_support(piece, d, NULL) + piece->radius;
        d[i] = -1.0;
        box[i] = -cond_piece_support(piece, d, NULL) - piece->radius;
    }
}

int cond_piece_n_normal(const CondPiece* piece)
{
    static const int count[] = {0, 0, 3, 1, 0};
    return piece->kind == COND_PIECE_HULL ? piece->n_face : count[piece->kind];
}

static void column(const CondPiece* piece, int k, double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = piece->axes[3 * i + k];
}

void cond_piece_normal(const CondPiece* piece, int i, double n[3])
{
    if (piece->kind == COND_PIECE_HULL)
        memcpy(n, piece->normal + 3 * (size_t)i, 3 * sizeof *n);
    else
        column(piece, piece->kind == COND_PIECE_CYLINDER ? 2 : i, n);
}

int cond_piece_n_edge(const CondPiece* piece)
{
    static const int count[] = {0, 1, 3, 1, 0};
    return piece->kind == COND_PIECE_HULL ? piece->n_edge : count[piece->kind];
}

void cond_piece_edge(const CondPiece* piece, int i, double e[3])
{
    if (piece->kind == COND_PIECE_HULL)
        memcpy(e, piece->edge + 3 * (size_t)i, 3 * sizeof *e);
    else
        column(piece, piece->kind == COND_PIECE_BOX ? i : 2, e);
}
