// Dynamics of an articulated body: mass matrix by composite rigid bodies, bias force by recursive
// Newton-Euler, energy and momentum.
//
// Spatial vectors are (angular, linear) in world axes at one common point O, the place where the
// origin of link 0 is at the moment: motions (w, v), forces (moment, force). With one point for
// all, inertias and forces of a subtree are plain sums. Each coordinate of a joint has a column of
// motion S; that of a mimic joint has its multiplier in it.
#include "math/quat.h"
#include "model/articulation.h"

#include <string.h>

// momentum (L, p) of the motion (w, v): L = I w + h x v, p = m v + w x h, with h = m c.
static void inertia_multiply(const double inertia[10], const double motion[6], double momentum[6])
{
    const double *w = motion, *v = motion + 3, *h = inertia + 1, *I = inertia + 4;
    double hv[3], wh[3];
    vec3_cross(h, v, hv);
    vec3_cross(w, h, wh);
    momentum[0] = I[0] * w[0] + I[3] * w[1] + I[4] * w[2] + hv[0];
    momentum[1] = I[3] * w[0] + I[1] * w[1] + I[5] * w[2] + hv[1];
    momentum[2] = I[4] * w[0] + I[5] * w[1] + I[2] * w[2] + hv[2];
    for (int k = 0; k < 3; k++)
        momentum[3 + k] = inertia[0] * v[k] + wh[k];
}

// out += scale V x S = scale (w x s_w, w x s_v + v x s_w): how a motion fixed to a link that moves
// with V changes.
static void add_motion_cross(const double V[6], const double S[6], double scale, double out[6])
{
    double a[3], b[3], c[3];
    vec3_cross(V, S, a);
    vec3_cross(V, S + 3, b);
    vec3_cross(V + 3, S, c);
    for (int k = 0; k < 3; k++) {
        out[k] += scale * a[k];
        out[3 + k] += scale * (b[k] + c[k]);
    }
}

// out += V x* P = (w x L + v x p, w x p): how a momentum carried along with V changes.
static void add_force_cross(const double V[6], const double P[6], double out[6])
{
    double a[3], b[3], c[3];
    vec3_cross(V, P, a);
    vec3_cross(V + 3, P + 3, b);
    vec3_cross(V, P + 3, c);
    for (int k = 0; k < 3; k++) {
        out[k] += a[k] + b[k];
        out[3 + k] += c[k];
    }
}

static double spatial_dot(const double a[6], const double b[6])
{
    return vec3_dot(a, b) + vec3_dot(a + 3, b + 3);
}

// Row of the base coordinates: what the spatial force F does on them. The first three move O, the
// next three turn about the axes of the base.
static void base_force(const CondArticulationWork* work, const double F[6], double f[6])
{
    memcpy(f, F + 3, 3 * sizeof *f);
    mat3_multiply_transposed(work->rotation, F, f + 3);
}

// M[base, base] = S' Ic S with S = (0, e_k) and (R e_k, 0).
static void base_mass(const CondArticulation* a, const CondArticulationWork* work, double* M)
{
    int n = a->n_dof;
    const double* R = work->rotation;
    for (int j = 0; j < 6; j++) {
        double S[6] = {0.0}, F[6], f[6];
        if (j < 3)
            S[3 + j] = 1.0;
        for (int k = 0; j >= 3 && k < 3; k++)
            S[k] = R[3 * k + j - 3];
        inertia_multiply(work->composite, S, F);
        base_force(work, F, f);
        for (int k = 0; k < 6; k++)
            M[k * n + j] = f[k];
    }
    for (int j = 0; j < 6; j++) // the two triangles differ by rounding only
        for (int k = 0; k < j; k++)
            M[j * n + k] = M[k * n + j];
}

// What the columns of motion from `begin` to `end` make of the spatial force F that column `from`
// asks for: M[dof, row] += S . F, and mirrored. A joint that mimics one above it meets its own
// coordinate: both terms are due.
static void couple(const CondArticulation* a, const CondArticulationWork* work, const double F[6],
                   int row, int begin, int end, double* M)
{
    int n = a->n_dof;
    for (int c = begin; c < end; c++) {
        double entry = spatial_dot(work->motion + 6 * c, F);
        int column = a->column_dof[c];
        M[row * n + column] += entry;
        M[column * n + row] += entry;
    }
}

// M[c, d] += S_d . Ic_i S_c for every column c of every link i and every column d of it and of the
// links on its way to the base: what moves joint i moves its whole subtree as one composite body.
void cond_articulation_mass(const CondArticulation* a, CondArticulationWork* work, double* M)
{
    int n = a->n_dof;
    memset(M, 0, (size_t)n * (size_t)n * sizeof *M);
    memcpy(work->composite, work->inertia, (size_t)a->n_link * 10 * sizeof(double));
    for (int i = a->n_link - 1; i > 0; i--)
        for (int k = 0; k < 10; k++)
            work->composite[10 * a->link[i].parent + k] += work->composite[10 * i + k];
    for (int c = 0, i = 1; c < a->n_column; c++) {
        while (c >= cond_articulation_column_end(&a->link[i]))
            i++;
        double F[6];
        int row = a->column_dof[c];
        inertia_multiply(work->composite + 10 * i, work->motion + 6 * c, F);
        M[row * n + row] += spatial_dot(work->motion + 6 * c, F);
        couple(a, work, F, row, a->link[i].column, c, M);
        for (int l = a->link[i].parent; l > 0; l = a->link[l].parent)
            couple(a, work, F, row, a->link[l].column, cond_articulation_column_end(&a->link[l]),
                   M);
        if (a->floating) {
            double f[6];
            base_force(work, F, f);
            for (int k = 0; k < 6; k++) {
                M[row * n + k] += f[k];
                M[k * n + row] += f[k];
            }
        }
    }
    if (a->floating)
        base_mass(a, work, M);
    for (int i = 0; i < n; i++)
        M[(size_t)i * (size_t)(n + 1)] += a->armature[i];
}

// V_i = V_parent + sum of S_c rate_c
static void link_velocities(const CondArticulation* a, CondArticulationWork* work, const double* v)
{
    double* V = work->velocity;
    memset(V, 0, 6 * sizeof *V);
    if (a->floating) {
        mat3_multiply(work->rotation, v + 3, V);
        memcpy(V + 3, v, 3 * sizeof *V);
    }
    for (int i = 1; i < a->n_link; i++) {
        const CondLink* link = &a->link[i];
        memcpy(V + 6 * i, V + 6 * link->parent, 6 * sizeof *V);
        for (int c = link->column; c < cond_articulation_column_end(link); c++)
            for (int k = 0; k < 6; k++)
                V[6 * i + k] += v[a->column_dof[c]] * work->motion[6 * c + k];
    }
}

void cond_articulation_set_velocity(const CondArticulation* a, CondArticulationWork* work,
                                    const double* v)
{
    link_velocities(a, work, v);
}

// Of m, m c in the inertia: F += share (c x m g, m g).
static void add_borne(const double inertia[10], double share, const double gravity[3], double F[6])
{
    double moment[3];
    vec3_cross(inertia + 1, gravity, moment);
    for (int k = 0; k < 3; k++) {
        F[k] += share * moment[k];
        F[3 + k] += share * inertia[0] * gravity[k];
    }
}

// Newton-Euler: the force F_i that the motion and gravity ask for at every link, outwards from the
// base; a = dv/dt, NULL for 0.
//     A_0 = (R dw/dt, dv/dt - w x v - g)   a velocity v of the base's origin, seen at the fixed
//     point
//                                          O that the origin leaves; gravity as an acceleration
//     A_i = A_parent + sum of V x S_c rate_c + S_c d(rate_c)/dt, with V of the link whose axes S_c
//     keeps to: the parent for slides, the link itself for turns
//     F_i = I_i A_i + V_i x* I_i V_i + (c_i x b_i m_i g, b_i m_i g), with the share b_i of the
//     weight that is borne
static void newton_euler(const CondArticulation* a, CondArticulationWork* work, const double* v,
                         const double* acceleration, const double gravity[3])
{
    double *V = work->velocity, *A = work->acceleration, *F = work->force, wv[3];
    link_velocities(a, work, v);
    vec3_cross(V, V + 3, wv);
    memset(A, 0, 6 * sizeof *A);
    if (a->floating && acceleration) {
        mat3_multiply(work->rotation, acceleration + 3, A);
        memcpy(A + 3, acceleration, 3 * sizeof *A);
    }
    for (int k = 0; k < 3; k++)
        A[3 + k] -= wv[k] + gravity[k];
    for (int i = 0; i < a->n_link; i++) {
        const CondLink* link = &a->link[i];
        double P[6];
        if (i > 0) {
            memcpy(A + 6 * i, A + 6 * link->parent, 6 * sizeof *A);
            for (int c = link->column; c < cond_articulation_column_end(link); c++) {
                const double* S = work->motion + 6 * c;
                int keeper = c < link->column + link->n_slide ? link->parent : i;
                add_motion_cross(V + 6 * keeper, S, v[a->column_dof[c]], A + 6 * i);
                for (int k = 0; acceleration && k < 6; k++)
                    A[6 * i + k] += acceleration[a->column_dof[c]] * S[k];
            }
        }
        inertia_multiply(work->inertia + 10 * i, A + 6 * i, F + 6 * i);
        inertia_multiply(work->inertia + 10 * i, V + 6 * i, P);
        add_force_cross(V + 6 * i, P, F + 6 * i);
        if (link->borne != 0.0)
            add_borne(work->inertia + 10 * i, link->borne, gravity, F + 6 * i);
    }
}

// f_j += sign S_c . F_i over the columns c of links i that move with coordinate j, where F_i is
// already that of the subtree; the base's six rows likewise.
static void add_projected(const CondArticulation* a, const CondArticulationWork* work, double sign,
                          const double* F, double* f)
{
    double base[6];
    for (int i = a->n_link - 1; i > 0; i--) {
        const CondLink* link = &a->link[i];
        for (int c = link->column; c < cond_articulation_column_end(link); c++)
            f[a->column_dof[c]] += sign * spatial_dot(work->motion + 6 * c, F + 6 * i);
    }
    if (!a->floating)
        return;
    base_force(work, F, base);
    for (int k = 0; k < 6; k++)
        f[k] += sign * base[k];
}

// F_i <- sum of F over the subtree of i.
static void sum_subtrees(const CondArticulation* a, double* F)
{
    for (int i = a->n_link - 1; i > 0; i--)
        for (int k = 0; k < 6; k++)
            F[6 * a->link[i].parent + k] += F[6 * i + k];
}

void cond_articulation_bias(const CondArticulation* a, CondArticulationWork* work, const double* v,
                            const double gravity[3], double* f)
{
    newton_euler(a, work, v, NULL, gravity);
    sum_subtrees(a, work->force);
    memset(f, 0, (size_t)a->n_dof * sizeof *f);
    add_projected(a, work, -1.0, work->force, f);
}

// The spatial acceleration A is that of the field of velocities at the fixed point O; a point p of
// the link has in addition what it meets on its way through that field:
//     a_p = A_v + A_w x (p - O) + w x v_p,  v_p = V_v + w x (p - O)
void cond_articulation_acceleration(const CondArticulation* a, CondArticulationWork* work,
                                    const double* v, const double* rate, int link,
                                    const double local[3], double linear[3], double angular[3])
{
    const double weightless[3] = {0.0, 0.0, 0.0};
    const double *V = work->velocity + 6 * (size_t)link, *A = work->acceleration + 6 * (size_t)link;
    double p[3], turn[3], speed[3], swept[3];
    newton_euler(a, work, v, rate, weightless);
    cond_articulation_point(a, work, link, local, p, NULL);
    for (int k = 0; k < 3; k++)
        p[k] -= work->position[k];
    vec3_cross(A, p, turn);
    vec3_cross(V, p, speed);
    for (int k = 0; k < 3; k++)
        speed[k] += V[3 + k];
    vec3_cross(V, speed, swept);
    for (int k = 0; k < 3; k++) {
        linear[k] = A[3 + k] + turn[k] + swept[k];
        angular[k] = A[k];
    }
}

void cond_articulation_push(const CondArticulationWork* work, const double at[3],
                            const double force[3], const double torque[3], double load[6])
{
    double arm[3], moment[3];
    for (int k = 0; k < 3; k++)
        arm[k] = at[k] - work->position[k];
    vec3_cross(arm, force, moment);
    for (int k = 0; k < 3; k++) {
        load[k] += moment[k] + (torque ? torque[k] : 0.0);
        load[3 + k] += force[k];
    }
}

void cond_articulation_project(const CondArticulation* a, CondArticulationWork* work,
                               const double* load, double* f)
{
    memcpy(work->force, load, 6 * (size_t)a->n_link * sizeof *load);
    sum_subtrees(a, work->force);
    add_projected(a, work, 1.0, work->force, f);
}

void cond_articulation_transmit(const CondArticulation* a, CondArticulationWork* work,
                                const double* v, const double* acceleration,
                                const double gravity[3], double* load)
{
    newton_euler(a, work, v, acceleration, gravity);
    for (int i = 0; i < 6 * a->n_link; i++)
        load[i] -= work->force[i];
    sum_subtrees(a, load);
}

void cond_articulation_energy(const CondArticulation* a, CondArticulationWork* work,
                              const double* v, const double gravity[3], double* kinetic,
                              double* potential)
{
    if (kinetic) {
        link_velocities(a, work, v);
        *kinetic = 0.0;
        for (int i = 0; i < a->n_link; i++) {
            double P[6];
            inertia_multiply(work->inertia + 10 * i, work->velocity + 6 * i, P);
            *kinetic += 0.5 * spatial_dot(work->velocity + 6 * i, P);
        }
        for (int i = 0; i < a->n_dof; i++)
            *kinetic += 0.5 * a->armature[i] * v[i] * v[i];
    }
    if (potential) {
        double center[3];
        double mass = cond_articulation_center(a, work, center);
        *potential = -mass * vec3_dot(gravity, center);
        for (int i = 0; i < a->n_link; i++)
            if (a->link[i].borne != 0.0) { // m c is about the origin of link 0
                const double* I = work->inertia + 10 * i;
                *potential += a->link[i].borne *
                              (vec3_dot(gravity, I + 1) + I[0] * vec3_dot(gravity, work->position));
            }
    }
}

void cond_articulation_momentum(const CondArticulation* a, CondArticulationWork* work,
                                const double* v, const double about[3], double momentum[6])
{
    double L[6] = {0.0}, arm[3], moment[3];
    link_velocities(a, work, v);
    for (int i = 0; i < a->n_link; i++) {
        double P[6];
        inertia_multiply(work->inertia + 10 * i, work->velocity + 6 * i, P);
        for (int k = 0; k < 6; k++)
            L[k] += P[k];
    }
    for (int k = 0; k < 3; k++)
        arm[k] = work->position[k] - about[k];
    vec3_cross(arm, L + 3, moment); // L(about) = L(O) + (O - about) x p
    for (int k = 0; k < 3; k++) {
        momentum[k] = L[3 + k];
        momentum[3 + k] = L[k] + moment[k];
    }
}

double cond_articulation_link_centre(const CondArticulationWork* work, int link, double centre[3])
{
    const double* I = work->inertia + 10 * (size_t)link;
    for (int k = 0; k < 3; k++)
        centre[k] = work->position[k] + (I[0] > 0.0 ? I[1 + k] / I[0] : 0.0);
    return I[0];
}

// Of the momentum (L, p) about the reference: p, and L - c x p.
void cond_articulation_momenta(const CondArticulation* a, CondArticulationWork* work,
                               const double* v, double* momenta)
{
    link_velocities(a, work, v);
    for (int i = 0; i < a->n_link; i++) {
        double P[6], c[3], moment[3], *out = momenta + 6 * (size_t)i;
        inertia_multiply(work->inertia + 10 * (size_t)i, work->velocity + 6 * (size_t)i, P);
        cond_articulation_link_centre(work, i, c);
        for (int k = 0; k < 3; k++)
            c[k] -= work->position[k];
        vec3_cross(c, P + 3, moment);
        for (int k = 0; k < 3; k++) {
            out[k] = P[3 + k];
            out[3 + k] = P[k] - moment[k];
        }
    }
}

double cond_articulation_center(const CondArticulation* a, const CondArticulationWork* work,
                                double center[3])
{
    double mass = 0.0, first[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < a->n_link; i++) {
        mass += work->inertia[10 * i];
        for (int k = 0; k < 3; k++)
            first[k] += work->inertia[10 * i + 1 + k];
    }
    for (int k = 0; k < 3; k++)
        center[k] = work->position[k] + (mass > 0.0 ? first[k] / mass : 0.0);
    return mass;
}
