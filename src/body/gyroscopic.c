// Implicit midpoint rule of a free rotation, by Newton's method (gyroscopic.h). Reads its
// arguments alone.
#include "body/gyroscopic.h"

#include "body/tuning.h"
#include "math/vec3.h"

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
    for (int k = 0; k < COND_GYROSCOPIC_STEPS && t != 0.0; k++) {
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
