// With R_k the axes of a rigid body at the start of the step, turned by exp of t w, and w in its
// axes,
//     d(R_{k+1} r) = -[R_{k+1} r]x R_k L(t w) t dw,      L(x) = sum x^n/(n + 1)!,  x = [t w]x,
// so that half the change of e at the end of the step is that of a lever R_{k+1} r about axes R_k
// L. A force F on the body acts on it by r x R_m' F, and R_m' F turns by
//     d(R_m' F) = [R_m' F]x L(-h w) h dw.
#include "math/quat.h"
#include "potential/attachment.h"

#include <string.h>

static void turn_end(const CondKinematics* kinematics, const CondFrame* frame, const double* w,
                     double t, double sign, const double force[3], const double r[3],
                     double lever[9], double turned[9])
{
    int body = frame->point.body, part = frame->point.link;
    double origin[3], R[3][9], at[3], x[3], L[9], axes[9], S[9], here[9], F[3], SF[9], Sr[9];
    cond_kinematics_axes(kinematics->begin, body, part, origin, R[0]);
    cond_kinematics_axes(kinematics, body, part, origin, R[1]);
    cond_kinematics_axes(kinematics->end, body, part, origin, R[2]);
    for (int i = 0; i < 3; i++)
        x[i] = t * w[i];
    rotation_mean(x, L);
    mat3_product(R[0], L, axes);
    mat3_multiply(R[2], r, at);
    mat3_cross(at, S);
    mat3_product(S, axes, lever);
    mat3_multiply(R[1], r, at);
    mat3_cross(at, S);
    mat3_product(S, R[1], here);
    for (int i = 0; i < 9; i++)
        lever[i] = sign * (here[i] - lever[i]);
    for (int i = 0; i < 3; i++)
        x[i] = -0.5 * t * w[i];
    rotation_mean(x, L);
    mat3_multiply_transposed(R[1], force, F);
    mat3_cross(F, SF);
    mat3_cross(r, Sr);
    mat3_product(Sr, SF, S);
    mat3_product(S, L, turned);
    for (int i = 0; i < 9; i++)
        turned[i] = -turned[i];
}

void cond_weld_turning(const CondKinematics* kinematics, const CondWeld* weld, const double* v,
                       double t, CondWeldTurning* turning)
{
    double e[3], force[3];
    memset(turning, 0, sizeof *turning);
    if (cond_weld_is_led(weld)) // its error is that in the middle
        return;
    cond_weld_mean_error(kinematics, weld, e);
    for (int end = 0; end < 2; end++) {
        const CondFrame* frame = &weld->what.end[end];
        double r[3], sign = end == 0 ? 1.0 : -1.0;
        int b = frame->point.body;
        if (b < 0 || frame->patch >= 0 || frame->guide > 0 ||
            kinematics->model->body[b].kind != COND_BODY_RIGID ||
            !cond_kinematics_spans(kinematics, b))
            continue;
        for (int i = 0; i < 3; i++) {
            force[i] = -sign * weld->what.stiffness[0] * e[i];
            r[i] = frame->point.local[i] + (end == 1 ? weld->anchor[i] : 0.0);
        }
        turning->turns[end] = 1;
        turn_end(kinematics, frame, v + kinematics->model->body[b].dof_begin + 3, t, sign, force, r,
                 turning->lever[end], turning->force[end]);
    }
}
