// Kinematics of an articulated body: poses of the links, motion of points and frames, and the step
// of the configuration. docs/articulated.md has the derivations.
#include "model/articulation.h"
#include "base/error.h"
#include "base/memory.h"
#include "math/quat.h"

#include <string.h>

// Numbers per link in the workspace, in the order of CondArticulationWork.
enum WorkLayout { N_PER_LINK = 3 + 4 + 9 + 10 + 10 + 6 + 6 + 6 + 1 };

CondStatus cond_articulation_work_create(const CondContext* context, const CondArticulation* a,
                                         CondArticulationWork** work, CondError* error)
{
    CondContext kept = cond_context_or_default(context);
    *work = NULL;
    size_t n = (size_t)a->n_link, n_column = (size_t)a->n_column;
    CondArticulationWork* w = cond_allocate(&kept, 1, sizeof *w);
    double* memory = w ? cond_allocate(&kept, n * N_PER_LINK + 6 * n_column, sizeof *memory) : NULL;
    if (!memory) {
        cond_release(&kept, w);
        return cond_error_set(error, COND_OUT_OF_MEMORY, "no memory for %d links", a->n_link);
    }
    w->context = kept;
    w->memory = memory;
    w->position = memory;
    w->orientation = w->position + 3 * n;
    w->rotation = w->orientation + 4 * n;
    w->motion = w->rotation + 9 * n;
    w->inertia = w->motion + 6 * n_column;
    w->composite = w->inertia + 10 * n;
    w->velocity = w->composite + 10 * n;
    w->acceleration = w->velocity + 6 * n;
    w->force = w->acceleration + 6 * n;
    w->moved = w->force + 6 * n;
    *work = w;
    return COND_OK;
}

void cond_articulation_work_destroy(CondArticulationWork* work)
{
    if (!work)
        return;
    CondContext context = work->context;
    cond_release(&context, work->memory);
    cond_release(&context, work);
}

void cond_articulation_ball_turn(const CondArticulation* a, const double* q, int ball, double w[3])
{
    static const double straight[4] = {1.0, 0.0, 0.0, 0.0};
    quat_between(straight, q + cond_articulation_ball_q(a) + 4 * (ptrdiff_t)ball, w);
}

void cond_articulation_rest(const CondArticulation* a, double* q)
{
    if (a->floating) {
        memcpy(q, a->base_position, 3 * sizeof *q);
        memcpy(q + 3, a->base_orientation, 4 * sizeof *q);
        q += 7;
    }
    for (int i = 0; i < a->n_ball; i++, q += 4) {
        q[0] = 1.0;
        q[1] = q[2] = q[3] = 0.0;
    }
    for (int i = 0; i < a->n_joint; i++)
        q[i] = fmin(fmax(0.0, a->coordinate[i].lower), a->coordinate[i].upper);
}

// R <- R exp(t w)
static void turn_by(const double w[3], double t, double q[4])
{
    double turn[3], step[4], turned[4];
    for (int i = 0; i < 3; i++)
        turn[i] = t * w[i];
    quat_exp(turn, step);
    quat_product(q, step, turned);
    quat_normalize(turned); // rounding only
    memcpy(q, turned, sizeof turned);
}

// base: x += t v, R <- R exp(t w);   balls: R <- R exp(t w);   joints: q += t v
void cond_articulation_advance(const CondArticulation* a, const double* v, double t, double* q)
{
    if (a->floating) {
        for (int i = 0; i < 3; i++)
            q[i] += t * v[i];
        turn_by(v + 3, t, q + 3);
        q += 7;
        v += 6;
    }
    for (int i = 0; i < a->n_ball; i++, q += 4, v += 3)
        turn_by(v, t, q);
    for (int i = 0; i < a->n_joint; i++)
        q[i] += t * v[i];
}

// Pose of a link from that of its parent; frame is the orientation before the turn.
static void place(const CondArticulation* a, const CondLink* link, const double* q,
                  const double* parent_position, const double* parent_orientation,
                  const double* parent_rotation, double* position, double* orientation,
                  double frame[4])
{
    const double* ball = q + cond_articulation_ball_q(a);
    const double* joint = ball + 4 * a->n_ball;
    double offset[3], R[9], slide[3], step[4];
    mat3_multiply(parent_rotation, link->position, offset);
    quat_product(parent_orientation, link->orientation, frame);
    if (link->n_slide > 0)
        quat_matrix(frame, R);
    for (int s = 0; s < link->n_slide; s++) {
        double x = link->scale * joint[link->coordinate + s] + link->shift;
        mat3_multiply(R, link->along + 3 * s, slide);
        for (int k = 0; k < 3; k++)
            offset[k] += x * slide[k];
    }
    memcpy(orientation, frame, 4 * sizeof *orientation);
    if (link->n_turn == 1) {
        double x = link->scale * joint[link->coordinate + link->n_slide] + link->shift;
        double turn[3] = {x * link->axis[0], x * link->axis[1], x * link->axis[2]};
        quat_exp(turn, step);
        quat_product(frame, step, orientation);
    } else if (link->n_turn == 3) {
        quat_product(frame, ball + 4 * link->ball, orientation);
    }
    quat_normalize(orientation); // long chains gather rounding
    if (link->n_slide > 0)
        quat_normalize(frame); // nothing else looks at it
    for (int k = 0; k < 3; k++)
        position[k] = parent_position[k] + offset[k];
}

// S: the spatial velocity of the link, relative to its parent, per unit of rate. For a turn about
// an axis through p it is (axis, (p - O) x axis), for a slide (0, axis). Slides are along axes of
// the joint's frame, turns about axes of the link. A joint that mimics another moves `scale` times
// as fast.
static void joint_motion(const CondLink* link, const double frame[4], const double* rotation,
                         const double r[3], double* S)
{
    double axis[3], R[9];
    memset(S, 0, (size_t)(6 * (link->n_slide + link->n_turn)) * sizeof *S);
    if (link->n_slide > 0)
        quat_matrix(frame, R);
    for (int s = 0; s < link->n_slide; s++, S += 6) {
        mat3_multiply(R, link->along + 3 * s, axis);
        for (int k = 0; k < 3; k++)
            S[3 + k] = link->scale * axis[k];
    }
    for (int t = 0; t < link->n_turn; t++, S += 6) {
        if (link->n_turn == 1)
            mat3_multiply(rotation, link->axis, axis);
        for (int k = 0; k < 3; k++) {
            if (link->n_turn == 3)
                axis[k] = rotation[3 * k + t];
            S[k] = link->scale * axis[k];
        }
        vec3_cross(r, S, S + 3);
    }
}

// (m, m c, I_O) with c the centre of mass from O and I_O = R I R' + m (c.c - c c').
static void spatial_inertia(const CondLink* link, const double* R, const double r[3],
                            double inertia[10])
{
    double c[3], RI[9], I[9];
    memset(inertia, 0, 10 * sizeof *inertia);
    if (link->mass == 0.0)
        return;
    mat3_multiply(R, link->com, c);
    for (int k = 0; k < 3; k++)
        c[k] += r[k];
    mat3_product(R, link->inertia, RI);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            I[3 * i + j] = vec3_dot(RI + 3 * i, R + 3 * j);
    double m = link->mass, cc = vec3_dot(c, c);
    inertia[0] = m;
    for (int k = 0; k < 3; k++) {
        inertia[1 + k] = m * c[k];
        inertia[4 + k] = I[4 * k] + m * (cc - c[k] * c[k]);
    }
    inertia[7] = 0.5 * (I[1] + I[3]) - m * c[0] * c[1];
    inertia[8] = 0.5 * (I[2] + I[6]) - m * c[0] * c[2];
    inertia[9] = 0.5 * (I[5] + I[7]) - m * c[1] * c[2];
}

// All of a link, from its parent.
static void place_link(const CondArticulation* a, const double* q, int i,
                       CondArticulationWork* work)
{
    const CondLink* link = &a->link[i];
    double *p = work->position + 3 * i, *R = work->rotation + 9 * i, r[3], frame[4];
    if (i > 0) {
        int parent = link->parent;
        place(a, link, q, work->position + 3 * parent, work->orientation + 4 * parent,
              work->rotation + 9 * parent, p, work->orientation + 4 * i, frame);
    }
    quat_matrix(work->orientation + 4 * i, R);
    for (int k = 0; k < 3; k++)
        r[k] = p[k] - work->position[k];
    joint_motion(link, frame, R, r, work->motion + 6 * link->column);
    spatial_inertia(link, R, r, work->inertia + 10 * i);
}

void cond_articulation_kinematics(const CondArticulation* a, const double* q,
                                  CondArticulationWork* work)
{
    const double* base_position = a->floating ? q : a->base_position;
    const double* base_orientation = a->floating ? q + 3 : a->base_orientation;
    memcpy(work->position, base_position, 3 * sizeof(double));
    memcpy(work->orientation, base_orientation, 4 * sizeof(double));
    quat_normalize(work->orientation);
    for (int i = 0; i < a->n_link; i++)
        place_link(a, q, i, work);
}

// 1 where a link's own joint has a coordinate of the velocity.
static int has_dof(const CondArticulation* a, const CondLink* link, int dof)
{
    for (int c = link->column; c < cond_articulation_column_end(link); c++)
        if (a->column_dof[c] == dof)
            return 1;
    return 0;
}

void cond_articulation_kinematics_of(const CondArticulation* a, const double* q, int dof,
                                     CondArticulationWork* work)
{
    if (a->floating && dof < 6) {
        for (int i = 0; i < a->n_link; i++)
            work->moved[i] = 1.0;
        cond_articulation_kinematics(a, q, work);
        return;
    }
    work->moved[0] = 0.0;
    for (int i = 1; i < a->n_link; i++) {
        const CondLink* link = &a->link[i];
        work->moved[i] = work->moved[link->parent] > 0.0 || has_dof(a, link, dof);
        if (work->moved[i] > 0.0)
            place_link(a, q, i, work);
    }
}

void cond_articulation_put_back(const CondArticulation* a, const CondArticulationWork* from,
                                CondArticulationWork* work)
{
    for (int i = 0; i < a->n_link; i++) {
        int column = a->link[i].column, end = cond_articulation_column_end(&a->link[i]);
        if (!(work->moved[i] > 0.0))
            continue;
        memcpy(work->position + 3 * i, from->position + 3 * i, 3 * sizeof(double));
        memcpy(work->orientation + 4 * i, from->orientation + 4 * i, 4 * sizeof(double));
        memcpy(work->rotation + 9 * i, from->rotation + 9 * i, 9 * sizeof(double));
        memcpy(work->motion + 6 * column, from->motion + 6 * column,
               6 * (size_t)(end - column) * sizeof(double));
        memcpy(work->inertia + 10 * i, from->inertia + 10 * i, 10 * sizeof(double));
    }
}

void cond_articulation_copy_kinematics(const CondArticulation* a, const CondArticulationWork* from,
                                       CondArticulationWork* to)
{
    size_t n = (size_t)a->n_link, n_column = (size_t)a->n_column;
    memcpy(to->position, from->position, 3 * n * sizeof(double));
    memcpy(to->orientation, from->orientation, 4 * n * sizeof(double));
    memcpy(to->rotation, from->rotation, 9 * n * sizeof(double));
    memcpy(to->motion, from->motion, 6 * n_column * sizeof(double));
    memcpy(to->inertia, from->inertia, 10 * n * sizeof(double));
}

// The velocity of the point at r from O in a rigid motion (w, v) is v + w x r. Rows 0..2 of J are
// that of every joint on the way to the base; rows 3..5, where asked for, are w.
static void jacobian(const CondArticulation* a, const CondArticulationWork* work, int link,
                     const double r[3], int with_angular, double* J)
{
    int n = a->n_dof;
    memset(J, 0, (size_t)(with_angular ? 6 : 3) * (size_t)n * sizeof *J);
    for (int i = link; i > 0; i = a->link[i].parent) {
        int end = cond_articulation_column_end(&a->link[i]);
        for (int c = a->link[i].column; c < end; c++) {
            const double* S = work->motion + 6 * c;
            double *column = J + a->column_dof[c], wr[3];
            vec3_cross(S, r, wr);
            for (int k = 0; k < 3; k++) {
                column[k * n] += S[3 + k] + wr[k];
                if (with_angular)
                    column[(3 + k) * n] += S[k];
            }
        }
    }
    if (!a->floating)
        return;
    for (int c = 0; c < 3; c++) {
        const double* R = work->rotation;
        double axis[3] = {R[c], R[3 + c], R[6 + c]}, wr[3];
        vec3_cross(axis, r, wr);
        J[c * n + c] = 1.0;
        for (int k = 0; k < 3; k++) {
            J[k * n + 3 + c] = wr[k];
            if (with_angular)
                J[(3 + k) * n + 3 + c] = axis[k];
        }
    }
}

// r = (position of the link + R local) - O
static void point_from_reference(const CondArticulationWork* work, int link, const double local[3],
                                 double r[3])
{
    double turned[3];
    mat3_multiply(work->rotation + 9 * link, local, turned);
    for (int k = 0; k < 3; k++)
        r[k] = (work->position[3 * link + k] - work->position[k]) + turned[k];
}

void cond_articulation_point(const CondArticulation* a, const CondArticulationWork* work, int link,
                             const double local[3], double world[3], double* J)
{
    double r[3];
    point_from_reference(work, link, local, r);
    for (int k = 0; world && k < 3; k++)
        world[k] = work->position[k] + r[k];
    if (J)
        jacobian(a, work, link, r, 0, J);
}

void cond_articulation_motion(const CondArticulationWork* work, int link, double origin[3],
                              double turn[9])
{
    const double *V = work->velocity + 6 * (size_t)link, *R = work->rotation + 9 * (size_t)link;
    double r[3];
    for (int k = 0; k < 3; k++)
        r[k] = work->position[3 * link + k] - work->position[k];
    vec3_cross(V, r, origin);
    for (int k = 0; k < 3; k++) {
        origin[k] += V[3 + k];
        turn[k] = V[1] * R[6 + k] - V[2] * R[3 + k];
        turn[3 + k] = V[2] * R[k] - V[0] * R[6 + k];
        turn[6 + k] = V[0] * R[3 + k] - V[1] * R[k];
    }
}

void cond_articulation_frame_jacobian(const CondArticulation* a, const CondArticulationWork* work,
                                      int link, const double local[3], double* J)
{
    double r[3];
    point_from_reference(work, link, local, r);
    jacobian(a, work, link, r, 1, J);
}
