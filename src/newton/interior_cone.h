// The algebra of the round cone x_0 >= |x_t|, of four cones side by side: with
// a o b = (a'b, a_0 b_t + b_0 a_t) and e = (1, 0, 0) its inside is {x o x}.
#ifndef COND_NEWTON_INTERIOR_CONE_H
#define COND_NEWTON_INTERIOR_CONE_H

#include "base/lanes.h"

COND_LANES_INLINE void cond_cone_dot(const CondLanes a[3], const CondLanes b[3], CondLanes* out)
{
    *out = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// out = M x; not in place.
COND_LANES_INLINE void cond_cone_transform(const CondLanes M[9], const CondLanes x[3],
                                           CondLanes out[3])
{
    for (int i = 0; i < 3; i++)
        cond_cone_dot(M + 3 * i, x, &out[i]);
}

// x_0^2 - |x_t|^2, without cancellation.
COND_LANES_INLINE void cond_cone_determinant(const CondLanes x[3], CondLanes* out)
{
    CondLanes t = x[1] * x[1] + x[2] * x[2];
    cond_lanes_sqrt(&t);
    *out = (x[0] - t) * (x[0] + t);
}

// Its root; 0 on the boundary and outside.
COND_LANES_INLINE void cond_cone_root(const CondLanes x[3], CondLanes* out)
{
    CondLanes none = {0.0}, square;
    cond_cone_determinant(x, &square);
    square = COND_LANES_SELECT(square > 0.0, square, none);
    cond_lanes_sqrt(&square);
    *out = square;
}

// a o b
COND_LANES_INLINE void cond_cone_multiply(const CondLanes a[3], const CondLanes b[3],
                                          CondLanes out[3])
{
    CondLanes first;
    cond_cone_dot(a, b, &first);
    for (int i = 1; i < 3; i++)
        out[i] = a[0] * b[i] + b[0] * a[i];
    out[0] = first;
}

// x with a o x = b
COND_LANES_INLINE void cond_cone_divide(const CondLanes a[3], const CondLanes b[3], CondLanes x[3])
{
    CondLanes det;
    cond_cone_determinant(a, &det);
    CondLanes first = (a[0] * b[0] - a[1] * b[1] - a[2] * b[2]) / det;
    for (int i = 1; i < 3; i++)
        x[i] = (b[i] - first * a[i]) / a[0];
    x[0] = first;
}

// The scaling of Nesterov and Todd, W z = W^-1 y, W = eta [w0, q'; q, I + q q'/(1 + w0)].
typedef struct CondConeScaling {
    CondLanes eta, w[3]; // w = (w0, q), w0^2 - |q|^2 = 1
} CondConeScaling;

COND_LANES_INLINE void cond_cone_scaling(const CondLanes y[3], const CondLanes z[3],
                                         CondConeScaling* W)
{
    CondLanes ry, rz, inner;
    cond_cone_root(y, &ry);
    cond_cone_root(z, &rz);
    cond_cone_dot(y, z, &inner);
    CondLanes g = 0.5 * (1.0 + inner / (ry * rz)), eta = ry / rz;
    cond_lanes_sqrt(&g);
    cond_lanes_sqrt(&eta);
    for (int i = 1; i < 3; i++)
        W->w[i] = (y[i] / ry - z[i] / rz) / (2.0 * g);
    CondLanes unit = 1.0 + W->w[1] * W->w[1] + W->w[2] * W->w[2]; // without cancellation
    cond_lanes_sqrt(&unit);
    W->w[0] = unit;
    W->eta = eta;
}

// [w0, q'; q, I + q q'/(1 + w0)] x, with -q where sign is -1: W/eta and W^-1 eta.
COND_LANES_INLINE void cond_cone_boost(const CondLanes w[3], double sign, const CondLanes x[3],
                                       CondLanes out[3])
{
    CondLanes along = w[1] * x[1] + w[2] * x[2], first = x[0];
    CondLanes much = along / (1.0 + w[0]) + sign * first;
    out[0] = w[0] * first + sign * along;
    for (int i = 1; i < 3; i++)
        out[i] = x[i] + w[i] * much;
}

// W x
COND_LANES_INLINE void cond_cone_scale(const CondConeScaling* W, const CondLanes x[3],
                                       CondLanes out[3])
{
    cond_cone_boost(W->w, 1.0, x, out);
    for (int i = 0; i < 3; i++)
        out[i] = W->eta * out[i];
}

// W^-1 x
COND_LANES_INLINE void cond_cone_unscale(const CondConeScaling* W, const CondLanes x[3],
                                         CondLanes out[3])
{
    cond_cone_boost(W->w, -1.0, x, out);
    for (int i = 0; i < 3; i++)
        out[i] = out[i] / W->eta;
}

// W^-2 x
COND_LANES_INLINE void cond_cone_unscale_twice(const CondConeScaling* W, const CondLanes x[3],
                                               CondLanes out[3])
{
    CondLanes once[3], square = W->eta * W->eta;
    cond_cone_boost(W->w, -1.0, x, once);
    cond_cone_boost(W->w, -1.0, once, out);
    for (int i = 0; i < 3; i++)
        out[i] = out[i] / square;
}

// Adjugate of N, and its determinant.
COND_LANES_INLINE void cond_cone_adjugate(const CondLanes N[9], CondLanes C[9], CondLanes* det)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
            C[3 * i + j] = N[3 * a + c] * N[3 * b + d] - N[3 * a + d] * N[3 * b + c];
        }
    *det = N[0] * C[0] + N[1] * C[3] + N[2] * C[6];
}

// M = (W^2 + slip E T^2)^-1 as (I + slip W^-2 E T^2)^-1 W^-2, which bears a W that is nearly
// singular; T = diag(1, mu), E = I + e1 (0, e)'.
COND_LANES_INLINE void cond_cone_gain(const CondConeScaling* W, const CondLanes* slip,
                                      const CondLanes mu[2], const CondLanes e[2], CondLanes M[9])
{
    CondLanes none = {0.0}, one = {1.0, 1.0, 1.0, 1.0}, N[9], P[9], C[9], det;
    for (int j = 0; j < 3; j++) {
        CondLanes unit[3] = {none, none, none}, soft[3] = {none, none, none}, a[3], b[3];
        unit[j] = one;
        soft[j] = j > 0 ? *slip * mu[j - 1] * mu[j - 1] : *slip;
        if (j > 0)
            soft[0] = e[j - 1] * soft[j];
        cond_cone_unscale_twice(W, unit, a);
        cond_cone_unscale_twice(W, soft, b);
        for (int i = 0; i < 3; i++) {
            P[3 * i + j] = a[i];
            N[3 * i + j] = b[i] + (i == j ? one : none);
        }
    }
    cond_cone_adjugate(N, C, &det);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            M[3 * i + j] =
                (C[3 * i] * P[j] + C[3 * i + 1] * P[3 + j] + C[3 * i + 2] * P[6 + j]) / det;
}

// Shortens the step to where x + step d leaves the cone: the least positive root of
// (x_0 + a d_0)^2 = |x_t + a d_t|^2, the one of two that does not cancel.
COND_LANES_INLINE void cond_cone_shorten(const CondLanes x[3], const CondLanes d[3],
                                         CondLanes* step)
{
    CondLanes c, a = d[0] * d[0] - d[1] * d[1] - d[2] * d[2], least = *step;
    CondLanes b = x[0] * d[0] - x[1] * d[1] - x[2] * d[2];
    cond_cone_determinant(x, &c);
    CondLanes under = b * b - a * c, root = under;
    cond_lanes_sqrt(&root); // NaN where there is none: then no comparison holds
    CondLanes q = -(b + COND_LANES_SELECT(b < 0.0, -root, root));
    CondLanes way[3] = {q / a, c / q, -x[0] / d[0]};
    for (int i = 0; i < 3; i++) {
        CondLaneMask shorter = (way[i] > 0.0) & (way[i] < least);
        least = COND_LANES_SELECT(shorter, way[i], least);
    }
    *step = least;
}

#endif
