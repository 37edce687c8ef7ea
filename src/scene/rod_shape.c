// The centreline a rod starts with: where its links begin and end, and how they are turned.
#include "scene/rod_shape.h"
#include "base/tuning.h"

#include "math/quat.h"
#include "math/so3.h"

#include <string.h>

int cond_rod_shape_links(const CondBodyDef* def)
{
    return def->rod.shape == COND_ROD_POINTS ? def->n_point - 1 : def->rod.links;
}

// The curve at arc length s, from the origin.
static void curve(const CondRodDef* rod, double s, double x[3])
{
    double a = rod->bend_radius, rise = rod->pitch / (2.0 * SO3_PI), u;
    x[0] = x[1] = 0.0;
    x[2] = s;
    switch (rod->shape) {
    case COND_ROD_ARC: // in the x-z plane, the first tangent along z
        x[0] = 2.0 * a * sin(0.5 * s / a) * sin(0.5 * s / a);
        x[2] = a * sin(s / a);
        break;
    case COND_ROD_HELIX: // about the line x = a, y = 0
        u = s / sqrt(a * a + rise * rise);
        x[0] = 2.0 * a * sin(0.5 * u) * sin(0.5 * u);
        x[1] = a * sin(u);
        x[2] = rise * u;
        break;
    default:
        break;
    }
}

void cond_rod_shape_points(const CondBodyDef* def, double* point)
{
    int n = cond_rod_shape_links(def);
    if (def->rod.shape == COND_ROD_POINTS) {
        memcpy(point, def->point, 3 * ((size_t)n + 1) * sizeof *point);
        return;
    }
    double chords = 0.0;
    for (int i = 0; i <= n; i++)
        curve(&def->rod, def->rod.length * i / n, point + 3 * (size_t)i);
    for (int i = 0; i < n; i++) {
        double d[3];
        for (int k = 0; k < 3; k++)
            d[k] = point[3 * (i + 1) + k] - point[3 * i + k];
        chords += vec3_norm(d);
    }
    for (int i = 0; i < 3 * (n + 1); i++)
        point[i] *= def->rod.length / chords;
}

// The smallest turn that takes the unit vector a to b.
static void turn_between(const double a[3], const double b[3], double q[4])
{
    vec3_cross(a, b, q + 1);
    q[0] = 1.0 + vec3_dot(a, b);
    if (q[0] < COND_ROUNDING) { // opposite: half a turn about any axis across
        double F[9];
        mat3_frame(a, a, F);
        q[0] = 0.0;
        memcpy(q + 1, F + 3, 3 * sizeof *q);
    }
    quat_normalize(q);
}

void cond_rod_shape_place(const CondBodyDef* def, const double* point, double* q, double* length)
{
    static const double up[3] = {0.0, 0.0, 1.0};
    double body[4], R[9], last[3] = {0.0, 0.0, 1.0}, carried[4] = {1.0, 0.0, 0.0, 0.0}, s = 0.0;
    int n = cond_rod_shape_links(def);
    memcpy(body, def->orientation, sizeof body);
    quat_normalize(body);
    quat_matrix(body, R);
    for (int i = 0; i < n; i++) {
        double t[3], middle[3], world[3], step[4], next[4], *qi = q + 7 * (size_t)i;
        for (int k = 0; k < 3; k++) {
            t[k] = point[3 * (i + 1) + k] - point[3 * i + k];
            middle[k] = 0.5 * (point[3 * (i + 1) + k] + point[3 * i + k]);
        }
        length[i] = vec3_norm(t);
        for (int k = 0; k < 3; k++)
            t[k] /= length[i];
        turn_between(last, t, step);
        quat_product(step, carried, next);
        memcpy(carried, next, sizeof next);
        memcpy(last, t, sizeof last);
        double angle = def->rod.twist * (s + 0.5 * length[i]);
        double spin[4], about[3] = {angle * up[0], angle * up[1], angle * up[2]};
        quat_exp(about, spin);
        quat_product(carried, spin, step);
        quat_product(body, step, qi + 3);
        quat_normalize(qi + 3);
        mat3_multiply(R, middle, world);
        for (int k = 0; k < 3; k++)
            qi[k] = def->position[k] + world[k];
        s += length[i];
    }
}
