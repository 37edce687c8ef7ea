// springdamper: stiffness and damping of a joint by a time constant T and a damping ratio z,
//     k = I / (T z)^2,   d = 2 I / T,   I = 1 / (M^-1)_jj
// with the mass matrix M of its tree at the references: the inertia that the joint feels where all
// others are free.
#include "math/eigen.h"
#include "math/quat.h"
#include "robot_file/mjcf_model.h"

#include <string.h>

// How a body's centre of mass moves with one coordinate of a joint above it: v and w.
static void column(const CondMjcf* m, const CondMjcfJoint* joint, int k, const double com[3],
                   double v[3], double w[3])
{
    const CondMjcfPose* own = &m->body[joint->body].world;
    double R[9], at[3], r[3], axis[3] = {0.0, 0.0, 0.0};
    quat_matrix(own->q, R);
    int slides = joint->kind == COND_MJCF_SLIDE || (joint->kind == COND_MJCF_FREE && k < 3);
    memset(w, 0, 3 * sizeof *w);
    if (joint->kind == COND_MJCF_SLIDE || joint->kind == COND_MJCF_HINGE) {
        mat3_multiply(R, joint->axis, axis);
    } else if (slides) {
        axis[k] = 1.0;
    } else { // about the body's own axes
        for (int i = 0; i < 3; i++)
            axis[i] = R[3 * i + k % 3];
    }
    if (slides) {
        memcpy(v, axis, sizeof axis);
        return;
    }
    cond_mjcf_place(own, joint->pos, at);
    for (int i = 0; i < 3; i++)
        r[i] = com[i] - at[i];
    memcpy(w, axis, sizeof axis);
    vec3_cross(axis, r, v);
}

// 1 where a body is the other one or beyond it.
static int is_beyond(const CondMjcf* m, int body, int other)
{
    while (body > other)
        body = m->body[body].parent;
    return body == other;
}

// Of a tree's joints j0 .. j1: M = sum over bodies of m v'v + w' I w, and armature.   M (n x n)
static void fill_mass(const CondMjcf* m, int top, int j0, int j1, int n, double* M, double* J)
{
    static const int n_v[] = {6, 3, 1, 1};
    memset(M, 0, (size_t)n * (size_t)n * sizeof *M);
    for (int b = top; b < m->n_body && m->body[b].top == top; b++) {
        const CondMjcfBody* body = &m->body[b];
        double com[3], R[9], local[3], Iw[3];
        if (!(body->mass > 0.0))
            continue;
        cond_mjcf_place(&body->world, body->com, com);
        quat_matrix(body->world.q, R);
        memset(J, 0, 6 * (size_t)n * sizeof *J);
        for (int j = j0; j < j1; j++)
            for (int k = 0; k < n_v[m->joint[j].kind] && is_beyond(m, b, m->joint[j].body); k++) {
                double* one = J + 6 * (m->joint[j].qvel - m->joint[j0].qvel + k);
                column(m, &m->joint[j], k, com, one, one + 3);
            }
        for (int c = 0; c < n; c++) {
            mat3_multiply_transposed(R, J + 6 * c + 3, local);
            mat3_multiply(body->inertia, local, Iw);
            mat3_multiply(R, Iw, local);
            for (int d = 0; d < n; d++)
                M[c * n + d] +=
                    body->mass * vec3_dot(J + 6 * c, J + 6 * d) + vec3_dot(local, J + 6 * d + 3);
        }
    }
    for (int j = j0; j < j1; j++)
        for (int k = 0; k < n_v[m->joint[j].kind]; k++)
            M[(m->joint[j].qvel - m->joint[j0].qvel + k) * (n + 1)] += m->joint[j].armature;
}

// (M^-1)_jj = sum of Q_jk^2 / w_k, with M = Q diag(w) Q'; 0 where M is singular.
static double inverse_entry(int n, const double* w, const double* Q, int j)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++) {
        if (!(w[k] > 0.0))
            return 0.0; // some joint moves nothing, which is refused where the robot is made
        sum += Q[j * n + k] * Q[j * n + k] / w[k];
    }
    return sum;
}

// The joints of one tree.
static void set_tree(CondMjcf* m, int j0, int j1)
{
    int n = (j1 < m->n_joint ? m->joint[j1].qvel : m->n_v) - m->joint[j0].qvel;
    double* M = cond_arena_allocate(&m->arena, (size_t)n * (size_t)(2 * n + 7), sizeof *M);
    if (!M) {
        cond_mjcf_no_memory(m);
        return;
    }
    double *Q = M + (ptrdiff_t)n * n, *J = Q + (ptrdiff_t)n * n, *w = J + 6 * (ptrdiff_t)n;
    fill_mass(m, m->body[m->joint[j0].body].top, j0, j1, n, M, J);
    cond_eigen_symmetric(n, M, w, Q);
    for (int j = j0; j < j1; j++) {
        CondMjcfJoint* joint = &m->joint[j];
        double T = joint->spring_damper[0], z = joint->spring_damper[1];
        if (!cond_mjcf_is_single(joint) || !(T > 0.0) || !(z > 0.0))
            continue;
        double inverse = inverse_entry(n, w, Q, joint->qvel - m->joint[j0].qvel);
        if (!(inverse > 0.0))
            continue;
        joint->stiffness = 1.0 / (inverse * T * T * z * z);
        joint->damping = 2.0 / (inverse * T);
    }
}

void cond_mjcf_spring_dampers(CondMjcf* m)
{
    for (int j0 = 0, j1; j0 < m->n_joint && !cond_mjcf_ends(m); j0 = j1) {
        int asked = 0, top = m->body[m->joint[j0].body].top;
        for (j1 = j0; j1 < m->n_joint && m->body[m->joint[j1].body].top == top; j1++)
            asked |= m->joint[j1].spring_damper[0] > 0.0;
        if (asked)
            set_tree(m, j0, j1);
    }
}
