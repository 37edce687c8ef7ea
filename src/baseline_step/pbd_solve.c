// The corrections of position-based dynamics. A constraint C with stiffness k is met by an impulse
// P (kg m: a displacement times a mass) along it,
//     (W + S) P = -C,    S = 1/(k h^2),
// where W is the inverse mass that P feels and h the substep: one Newton step of implicit Euler for
// that constraint alone (Macklin et al. 2016), and one such step in a substep (Macklin et al.
// 2019). Rigid links and friction are as in Mueller et al. 2020, but with the tangential correction
// cut to the cone, so that sliding needs no rule of its own. Dampers act on the velocities that
// come out,
//     (W + 1/(d h)) p = -u,    p in N s,
// for the dampers inside P that XPBD has too would bend the shape at rest as long as one sweep does
// not solve all constraints.
#include "baseline_step/pbd.h"

#include "math/quat.h"
#include "math/so3.h"

#include <math.h>
#include <string.h>

static void quat_turn(const double w[3], double q[4]) // q <- exp(w) q
{
    double dq[4], old[4];
    quat_exp(w, dq);
    memcpy(old, q, sizeof old);
    quat_product(dq, old, q);
    quat_normalize(q);
}

static void rotate(const double q[4], const double local[3], double out[3])
{
    double R[9];
    quat_matrix(q, R);
    mat3_multiply(R, local, out);
}

// Position and orientation of an end: at the start of the substep, or now. share: how much of the
// step has passed then.
static void end_pose(const CondPbd* pbd, const CondPbdEnd* end, int start, double share,
                     double x[3], double q[4])
{
    if (end->link >= 0) {
        const CondPbdLink* link = &pbd->link[end->link];
        memcpy(q, start ? link->q_start : link->q, 4 * sizeof *q);
        rotate(q, end->local, x);
        for (int i = 0; i < 3; i++)
            x[i] += start ? link->x_start[i] : link->x[i];
        return;
    }
    double w[3];
    for (int i = 0; i < 3; i++) {
        x[i] = end->from[i] + share * (end->to[i] - end->from[i]);
        w[i] = share * end->turns[i];
    }
    memcpy(q, end->turn, sizeof end->turn);
    quat_turn(w, q);
}

// I_world^-1 = R I^-1 R'.
static void turn_inertia(const CondPbdLink* link, double out[9])
{
    double R[9], RI[9];
    quat_matrix(link->q, R);
    mat3_product(R, link->inverse_inertia, RI);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[3 * i + j] = vec3_dot(RI + 3 * i, R + 3 * j);
}

// Gyroscopic torque explicitly, which substeps as small as these bear.
void cond_pbd_predict(CondPbd* pbd, const double gravity[3], double h)
{
    for (int k = 0; k < pbd->n_link; k++) {
        CondPbdLink* link = &pbd->link[k];
        double R[9], w[3], L[3], torque[3], a[3], turn[3];
        memcpy(link->x_start, link->x, sizeof link->x);
        memcpy(link->q_start, link->q, sizeof link->q);
        turn_inertia(link, link->inverse_inertia_world);
        quat_matrix(link->q, R);
        mat3_multiply_transposed(R, link->w, w);
        mat3_multiply(link->inertia, w, L);
        vec3_cross(L, w, torque); // -w x I w
        for (int i = 0; i < 3; i++)
            torque[i] += link->torque[i];
        mat3_multiply(link->inverse_inertia, torque, a);
        mat3_multiply(R, a, torque);
        for (int i = 0; i < 3; i++) {
            link->v[i] += h * (gravity[i] + link->inverse_mass * link->force[i]);
            link->w[i] += h * torque[i];
            link->v[i] /= 1.0 + h * link->damping; // implicit
            link->w[i] /= 1.0 + h * link->damping;
            link->x[i] += h * link->v[i];
            turn[i] = h * link->w[i];
        }
        quat_turn(turn, link->q);
    }
}

void cond_pbd_velocities(CondPbd* pbd, double h)
{
    for (int k = 0; k < pbd->n_link; k++) {
        CondPbdLink* link = &pbd->link[k];
        double turn[3];
        quat_between(link->q_start, link->q, turn);
        for (int i = 0; i < 3; i++) {
            link->v[i] = (link->x[i] - link->x_start[i]) / h;
            link->w[i] = turn[i] / h;
        }
    }
}

// W += I/m - [r]x I^-1 [r]x: what an impulse at the lever r moves the point by.
static void add_inverse_mass(const CondPbd* pbd, int k, const double r[3], double W[9])
{
    if (k < 0)
        return;
    const CondPbdLink* link = &pbd->link[k];
    double S[9], IS[9], SIS[9];
    mat3_cross(r, S);
    mat3_product(link->inverse_inertia_world, S, IS);
    mat3_product(S, IS, SIS);
    for (int i = 0; i < 9; i++)
        W[i] -= SIS[i];
    for (int i = 0; i < 3; i++)
        W[4 * i] += link->inverse_mass;
}

// (W + S) P = -C where S is diagonal in the axes that are the columns of R.
static void impulse(const double W[9], const double R[9], const double S[3], const double C[3],
                    double P[3])
{
    double A[9], RW[9], right[3], local[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            RW[3 * i + j] = R[i] * W[j] + R[3 + i] * W[3 + j] + R[6 + i] * W[6 + j];
    mat3_product(RW, R, A);
    mat3_multiply_transposed(R, C, right);
    for (int i = 0; i < 3; i++) {
        A[4 * i] += S[i];
        right[i] = -right[i];
    }
    mat3_solve(A, right, local); // positive definite
    mat3_multiply(R, local, P);
}

// 1/(k h^2) or 1/(d h), infinite for none.
static void softness(const double gain[3], double scale, double S[3])
{
    for (int i = 0; i < 3; i++)
        S[i] = 1.0 / (gain[i] * scale);
}

// A constraint between two ends: levers, what an impulse or a moment (part 1) moves.
typedef struct Pair {
    int link[2];
    int part;       // 0: impulses at points, 1: moments
    double r[2][3]; //
    double W[9];    //
} Pair;

static void make_pair(const CondPbd* pbd, const CondPbdEnd end[2], double p[2][3], int part,
                      Pair* pair)
{
    memset(pair, 0, sizeof *pair);
    pair->part = part;
    for (int e = 0; e < 2; e++) {
        int k = pair->link[e] = end[e].link;
        for (int i = 0; i < 3 && k >= 0; i++)
            pair->r[e][i] = p[e][i] - pbd->link[k].x[i];
        if (part == 0)
            add_inverse_mass(pbd, k, pair->r[e], pair->W);
        for (int i = 0; i < 9 && part == 1 && k >= 0; i++)
            pair->W[i] += pbd->link[k].inverse_inertia_world[i];
    }
}

// P on end 0 and -P on end 1, as displacements or (velocities) as changes of velocity.
static void apply_pair(CondPbd* pbd, const Pair* pair, const double P[3], int velocities)
{
    for (int e = 0; e < 2; e++) {
        double moment[3], turn[3], sign = e ? -1.0 : 1.0;
        if (pair->link[e] < 0)
            continue;
        CondPbdLink* link = &pbd->link[pair->link[e]];
        if (pair->part == 0)
            vec3_cross(pair->r[e], P, moment);
        else
            memcpy(moment, P, sizeof moment);
        mat3_multiply(link->inverse_inertia_world, moment, turn);
        for (int i = 0; i < 3; i++) {
            double move = pair->part == 0 ? sign * link->inverse_mass * P[i] : 0.0;
            turn[i] *= sign;
            if (velocities) {
                link->v[i] += move;
                link->w[i] += turn[i];
            } else {
                link->x[i] += move;
            }
        }
        if (!velocities)
            quat_turn(turn, link->q);
    }
}

// Velocity of end 0 at its point relative to end 1, or of their angular velocities.
static void pair_velocity(const CondPbd* pbd, const Pair* pair, const CondPbdEnd end[2],
                          double step, double u[3])
{
    u[0] = u[1] = u[2] = 0.0;
    for (int e = 0; e < 2; e++) {
        double v[3], spin[3] = {0.0, 0.0, 0.0}, sign = e ? -1.0 : 1.0;
        if (end[e].link >= 0) {
            const CondPbdLink* link = &pbd->link[end[e].link];
            memcpy(v, pair->part == 0 ? link->v : link->w, sizeof v);
            if (pair->part == 0)
                vec3_cross(link->w, pair->r[e], spin);
        } else {
            for (int i = 0; i < 3; i++)
                v[i] = (pair->part == 0 ? end[e].to[i] - end[e].from[i] : end[e].turns[i]) / step;
        }
        for (int i = 0; i < 3; i++)
            u[i] += sign * (v[i] + spin[i]);
    }
}

// The axes halfway between two orientations.
static void halfway(const double a[4], const double b[4], double R[9])
{
    double sign = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0.0 ? -1.0 : 1.0, q[4];
    for (int i = 0; i < 4; i++)
        q[i] = a[i] + sign * b[i];
    quat_normalize(q);
    quat_matrix(q, R);
}

// The strains of a joint, the axes R halfway between the links and where the two ends are.
static void joint_strain(const CondPbd* pbd, const CondPbdJoint* joint, double e[6], double R[9],
                         double p[2][3])
{
    double q[2][4], Q[4], d[3];
    for (int end = 0; end < 2; end++)
        end_pose(pbd, &joint->end[end], 0, 0.0, p[end], q[end]);
    double inverse[4] = {q[0][0], -q[0][1], -q[0][2], -q[0][3]};
    quat_product(inverse, q[1], Q);
    so3_log(Q, e + 3);
    halfway(q[0], q[1], R);
    for (int i = 0; i < 3; i++)
        d[i] = p[1][i] - p[0][i];
    mat3_multiply_transposed(R, d, e);
    for (int i = 0; i < 6; i++)
        e[i] -= joint->rest[i];
}

// Stretch and shear, then bending and twist. The impulses act at the joint, where the links meet;
// that the axes R turn with the links is left out, as is the curvature of theta: both are of second
// order in the strains. Strains grow with end 1, so C of end 0 against end 1 is their negative.
void cond_pbd_solve_joint(CondPbd* pbd, const CondPbdJoint* joint, double h)
{
    for (int part = 0; part < 2; part++) {
        double e[6], R[9], p[2][3], C[3], P[3], S[3];
        Pair pair;
        joint_strain(pbd, joint, e, R, p);
        mat3_multiply(R, e + 3 * part, C);
        for (int i = 0; i < 3; i++)
            C[i] = -C[i];
        make_pair(pbd, joint->end, p, part, &pair);
        softness(joint->stiffness + 3 * part, h * h, S);
        impulse(pair.W, R, S, C, P);
        apply_pair(pbd, &pair, P, 0);
    }
}

void cond_pbd_damp_joint(CondPbd* pbd, const CondPbdJoint* joint, double h)
{
    if (!(joint->damping[0] > 0.0))
        return;
    for (int part = 0; part < 2; part++) {
        double e[6], R[9], p[2][3], u[3], P[3], S[3];
        Pair pair;
        joint_strain(pbd, joint, e, R, p);
        make_pair(pbd, joint->end, p, part, &pair);
        pair_velocity(pbd, &pair, joint->end, 1.0, u);
        softness(joint->damping + 3 * part, h, S);
        impulse(pair.W, R, S, u, P);
        apply_pair(pbd, &pair, P, 1);
    }
}

// As src/potential/attachment.c: e_p = p0 - (p1 + R1 anchor), e_r = log(R0 (R1 turn)'); and where
// the two points are.
static void weld_error(const CondPbd* pbd, const CondPbdWeld* weld, const CondWeld* what,
                       double share, double e[6], double point[2][3])
{
    double q[2][4], arm[3], wanted[4];
    for (int end = 0; end < 2; end++)
        end_pose(pbd, &weld->end[end], 0, share, point[end], q[end]);
    rotate(q[1], what->anchor, arm);
    for (int i = 0; i < 3; i++) {
        point[1][i] += arm[i];
        e[i] = point[0][i] - point[1][i];
    }
    quat_product(q[1], what->turn, wanted);
    quat_between(wanted, q[0], e + 3);
}

static const double UNIT[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};

void cond_pbd_solve_weld(CondPbd* pbd, CondPbdWeld* weld, const CondWeld* what, double share,
                         double h)
{
    for (int part = 0; part < (what->what.turns ? 2 : 1); part++) { // position, then orientation
        double e[6], p[2][3], P[3], k = what->what.stiffness[part], S[3];
        double stiffness[3] = {k, k, k};
        Pair pair;
        weld_error(pbd, weld, what, share, e, p);
        make_pair(pbd, weld->end, p, part, &pair);
        softness(stiffness, h * h, S);
        impulse(pair.W, UNIT, S, e + 3 * part, P);
        apply_pair(pbd, &pair, P, 0);
        for (int i = 0; i < 3; i++)
            weld->impulse[3 * part + i] += P[i] / h;
    }
}

void cond_pbd_damp_weld(CondPbd* pbd, CondPbdWeld* weld, const CondWeld* what, double share,
                        double step, double h)
{
    for (int part = 0; part < (what->what.turns ? 2 : 1); part++) {
        double e[6], p[2][3], P[3], u[3], d = what->what.damping[part], S[3];
        double damping[3] = {d, d, d};
        Pair pair;
        if (!(d > 0.0))
            continue;
        weld_error(pbd, weld, what, share, e, p);
        make_pair(pbd, weld->end, p, part, &pair);
        pair_velocity(pbd, &pair, weld->end, step, u);
        softness(damping, h, S);
        impulse(pair.W, UNIT, S, u, P);
        apply_pair(pbd, &pair, P, 1);
        for (int i = 0; i < 3; i++)
            weld->impulse[3 * part + i] += P[i];
    }
}

// Ends of a contact now; W in its frame.
static void contact_pair(const CondPbd* pbd, const CondPbdContact* contact,
                         const CondCandidate* candidate, double share, double p[2][3], Pair* pair,
                         double W[9])
{
    double q[4], FW[9];
    for (int end = 0; end < 2; end++)
        end_pose(pbd, &contact->end[end], 0, share, p[end], q);
    make_pair(pbd, contact->end, p, 0, pair);
    mat3_product(candidate->frame, pair->W, FW);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            W[3 * i + j] = vec3_dot(FW + 3 * i, candidate->frame + 3 * j);
}

// The impulse against a slip that undoes it, as far as the cone above the normal one allows: along
// the slip, and not the one that W would turn aside, for sliding friction is opposite to it.
static void tangential(const double W[9], const double friction[2], double normal,
                       const double slip[3], double P[3])
{
    double along = W[4] * slip[1] * slip[1] + 2.0 * W[5] * slip[1] * slip[2] +
                   W[8] * slip[2] * slip[2]; // slip' W slip
    double square = slip[1] * slip[1] + slip[2] * slip[2],
           size = along > 0.0 ? square / along : 0.0;
    double trial[3] = {normal, -size * slip[1], -size * slip[2]};
    cond_law_project(COND_LAW_STRICT, friction, trial, P);
}

// The normal correction that closes what has gone too far; then the one along the tangents that
// undoes the slip of the substep, cut to the cone.
void cond_pbd_solve_contact(CondPbd* pbd, CondPbdContact* contact, const CondCandidate* candidate,
                            double before, double share, double h)
{
    double p[2][3], s[2][3], q[4], W[9], P[3] = {0.0, 0.0, 0.0}, world[3], slip[3], local[3];
    Pair pair;
    contact_pair(pbd, contact, candidate, share, p, &pair, W);
    for (int i = 0; i < 3; i++)
        local[i] = p[0][i] - p[1][i] - contact->apart[i];
    double depth = -(candidate->gap + vec3_dot(candidate->frame, local));
    contact->push = 0.0;
    if (!(depth > 0.0 && W[0] > 0.0)) // open, or nothing that could move
        return;
    P[0] = contact->push = depth / W[0];
    mat3_multiply_transposed(candidate->frame, P, world);
    apply_pair(pbd, &pair, world, 0);
    contact->impulse[0] += P[0] / h;
    for (int end = 0; end < 2; end++) {
        end_pose(pbd, &contact->end[end], 0, share, p[end], q);
        end_pose(pbd, &contact->end[end], 1, before, s[end], q);
    }
    for (int i = 0; i < 3; i++)
        slip[i] = p[0][i] - s[0][i] - (p[1][i] - s[1][i]);
    mat3_multiply(candidate->frame, slip, local);
    tangential(W, candidate->friction, contact->push, local, P);
    P[0] = 0.0;
    mat3_multiply_transposed(candidate->frame, P, world);
    apply_pair(pbd, &pair, world, 0);
    for (int i = 1; i < 3; i++)
        contact->impulse[i] += P[i] / h;
}

void cond_pbd_approach(const CondPbd* pbd, CondPbdContact* contact, const CondCandidate* candidate,
                       double before, double step)
{
    double p[2][3], W[9], u[3];
    Pair pair;
    contact_pair(pbd, contact, candidate, before, p, &pair, W);
    pair_velocity(pbd, &pair, contact->end, step, u);
    contact->approach = vec3_dot(candidate->frame, u);
}

void cond_pbd_restore(CondPbd* pbd, CondPbdContact* contact, const CondCandidate* candidate,
                      double share, double step, double slow)
{
    double p[2][3], W[9], u[3], P[3] = {0.0, 0.0, 0.0}, world[3], local[3];
    Pair pair;
    if (!(contact->push > 0.0))
        return;
    contact_pair(pbd, contact, candidate, share, p, &pair, W);
    pair_velocity(pbd, &pair, contact->end, step, u);
    double bounce = contact->approach < -slow ? -candidate->restitution * contact->approach : 0.0;
    P[0] = (bounce - vec3_dot(candidate->frame, u)) / W[0];
    mat3_multiply_transposed(candidate->frame, P, world);
    apply_pair(pbd, &pair, world, 1);
    contact->impulse[0] += P[0];
    if (!(P[0] > 0.0))
        return;
    // What the corrections of the others left over pushes as well, and so rubs.
    pair_velocity(pbd, &pair, contact->end, step, u);
    mat3_multiply(candidate->frame, u, local);
    tangential(W, candidate->friction, P[0], local, P);
    P[0] = 0.0;
    mat3_multiply_transposed(candidate->frame, P, world);
    apply_pair(pbd, &pair, world, 1);
    for (int i = 1; i < 3; i++)
        contact->impulse[i] += P[i];
}
