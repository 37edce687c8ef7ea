// Implicit midpoint rule of a free rotation, by Newton's method (gyroscopic.h). Reads its
// arguments alone.
#include "body/gyroscopic.h"
#include "base/tuning.h"

#include "math/quat.h"

#include <float.h>
#include <string.h>

// w x I w
static void gyroscopic(const double I[9], const double w[3], double out[3])
{
    double L[3];
    mat3_multiply(I, w, L);
    vec3_cross(w, L, out);
}

// The middle of the step:
//     F(w) = I (w - w0) + t/2 w x I w = 0,    dF/dw = I + t/2 ([w]x I - [I w]x),
// by Newton's method.
static void middle(const double I[9], const double w0[3], double t, double w[3])
{
    memcpy(w, w0, 3 * sizeof *w);
    for (int k = 0; k < COND_QUADRATIC_STEPS && t != 0.0; k++) {
        double F[3], L[3], S[9], SI[9], SL[9], J[9], change[3], d[3];
        gyroscopic(I, w, F);
        for (int i = 0; i < 3; i++)
            d[i] = w[i] - w0[i];
        mat3_multiply(I, d, L);
        for (int i = 0; i < 3; i++)
            F[i] = L[i] + 0.5 * t * F[i];
        mat3_multiply(I, w, L);
        mat3_cross(w, S);
        mat3_product(S, I, SI);
        mat3_cross(L, SL);
        for (int i = 0; i < 9; i++)
            J[i] = I[i] + 0.5 * t * (SI[i] - SL[i]);
        if (mat3_solve(J, F, change))
            return;
        for (int i = 0; i < 3; i++)
            w[i] -= change[i];
        if (vec3_norm(change) <= 4.0 * DBL_EPSILON * vec3_norm(w))
            return;
    }
}

void cond_gyroscopic_torque(const double I[9], const double w0[3], double t, double torque[3])
{
    double w[3];
    middle(I, w0, t, w);
    gyroscopic(I, w, torque);
}

// L' and L, and the means of exp(s [w]x) over s from 0 to h and from 0 to -h, which are those of
// the left derivatives of these turns.
typedef struct Ends {
    double momentum[2][3], mean[2][9];
} Ends;

static void see_ends(const double I[9], const double w0[3], const double w[3], double h, Ends* ends)
{
    for (int e = 0; e < 2; e++) {
        double at[3], x[3];
        for (int i = 0; i < 3; i++) {
            at[i] = e == 0 ? 2.0 * w[i] - w0[i] : w0[i];
            x[i] = e == 0 ? h * w[i] : -h * w[i];
        }
        mat3_multiply(I, at, ends->momentum[e]);
        rotation_mean(x, ends->mean[e]);
    }
}

// As exp(x) - I = [x]x L(x): torque = w x (L(h w) L' + L(-h w) L)/2.
void cond_gyroscopic_middle(const double I[9], const double w0[3], const double w[3], double h,
                            double torque[3])
{
    double sum[3], part[3];
    Ends ends;
    see_ends(I, w0, w, h, &ends);
    mat3_multiply(ends.mean[0], ends.momentum[0], sum);
    mat3_multiply(ends.mean[1], ends.momentum[1], part);
    for (int i = 0; i < 3; i++)
        sum[i] = 0.5 * (sum[i] + part[i]);
    vec3_cross(w, sum, torque);
}

// T = [w]x L(h w) I - ([exp(h [w]x) L']x L(h w) + [exp(-h [w]x) L]x L(-h w))/2
void cond_gyroscopic_derivative(const double I[9], const double w0[3], const double w[3], double h,
                                double T[9])
{
    double S[9], LI[9];
    Ends ends;
    see_ends(I, w0, w, h, &ends);
    mat3_cross(w, S);
    mat3_product(ends.mean[0], I, LI);
    mat3_product(S, LI, T);
    for (int e = 0; e < 2; e++) {
        double x[3], y[3], P[9], PL[9];
        mat3_multiply(ends.mean[e], ends.momentum[e], x);
        vec3_cross(w, x, y);
        for (int i = 0; i < 3; i++)
            y[i] = ends.momentum[e][i] + (e == 0 ? h : -h) * y[i];
        mat3_cross(y, P);
        mat3_product(P, ends.mean[e], PL);
        for (int i = 0; i < 9; i++)
            T[i] -= 0.5 * PL[i];
    }
}
