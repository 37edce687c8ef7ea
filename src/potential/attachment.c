// With p0, R0 and p1, R1 the frames now and anchor, turn those of end 0 seen from end 1 when the
// attachment was made, the error is
//     e_p = p0 - (p1 + R1 anchor),       e_r = log(R0 (R1 turn)'),
// and its rate, exact for e_p and to first order in e_r,
//     u_p = v0 - v1 - w1 x (R1 anchor),  u_r = w0 - w1.
// An end that moves along a trajectory gives its share g of the rate, u = J v + g. Its frame is
// taken at the representative time, so that it has moved over the step already: e + th t J v.
// The potential is 1/2 (k |e_p|^2 + k_r |e_r|^2).
#include "potential/attachment.h"

#include "base/tuning.h"
#include "math/quat.h"
#include "model/rod.h"
#include "potential/tuning.h"

#include <math.h>
#include <string.h>

typedef struct Relation {
    double e[6];   // error
    double arm[3]; // R1 anchor
    double g[6];   // share of the error's rate that the bodies have no part in
} Relation;

void cond_rotation_log(const double R[9], double w[3])
{
    double axis[3] = {0.5 * (R[7] - R[5]), 0.5 * (R[2] - R[6]), 0.5 * (R[3] - R[1])};
    double s = vec3_norm(axis), c = 0.5 * (R[0] + R[4] + R[8] - 1.0);
    double angle = atan2(s, c);
    if (s > COND_INPUT_ROUNDING) {
        for (int i = 0; i < 3; i++)
            w[i] = angle / s * axis[i];
    } else if (c > 0.0) {
        memcpy(w, axis, sizeof axis); // small angle
    } else {
        // Half a turn: R + I = 2 a a', its largest column gives the axis.
        int best = R[0] >= R[4] && R[0] >= R[8] ? 0 : R[4] >= R[8] ? 1 : 2;
        double a[3];
        for (int i = 0; i < 3; i++)
            a[i] = R[3 * i + best] + (i == best ? 1.0 : 0.0);
        double length = vec3_norm(a);
        for (int i = 0; i < 3; i++)
            w[i] = angle / length * a[i];
    }
}

int cond_weld_is_led(const CondWeld* weld)
{
    return weld->what.end[0].guide > 0 || weld->what.end[1].guide > 0;
}

int cond_weld_is_exact(const CondWeld* weld)
{
    return isinf(weld->what.stiffness[0]);
}

int cond_weld_is_damped(const CondWeld* weld)
{
    return weld->what.damping[0] != 0.0 || (weld->what.turns && weld->what.damping[1] != 0.0);
}

int cond_weld_body(const CondWeld* weld)
{
    int first = weld->what.end[0].point.body;
    return first >= 0 ? first : weld->what.end[1].point.body;
}

static void multiply_transposed(const double A[9], const double B[9], double C[9])
{
    for (int i = 0; i < 3; i++) // C = A B'
        for (int j = 0; j < 3; j++)
            C[3 * i + j] = vec3_dot(A + 3 * i, B + 3 * j);
}

static void relate(const CondWeld* weld, double p[2][3], double R[2][9], Relation* out)
{
    double turn[9], wanted[9], error[9];
    mat3_multiply(R[1], weld->anchor, out->arm);
    for (int i = 0; i < 3; i++)
        out->e[i] = p[0][i] - p[1][i] - out->arm[i];
    out->e[3] = out->e[4] = out->e[5] = 0.0;
    if (!weld->what.turns)
        return;
    quat_matrix(weld->turn, turn);
    mat3_product(R[1], turn, wanted);
    multiply_transposed(R[0], wanted, error);
    cond_rotation_log(error, out->e + 3);
}

// The error at a kinematics.
static void relate_at(const CondKinematics* kinematics, const CondWeld* weld, Relation* out)
{
    double p[2][3], R[2][9];
    for (int end = 0; end < 2; end++)
        cond_kinematics_frame(kinematics, &weld->what.end[end], p[end], R[end], NULL, NULL);
    relate(weld, p, R, out);
}

// e <- (e_k + e_{k+1})/2 in the middle of a step: the work of -K e over it is then the change of
// 1/2 e' K e.
static void take_mean(const CondKinematics* kinematics, const CondWeld* weld, Relation* relation)
{
    Relation end[2];
    if (cond_weld_is_led(weld) || !cond_kinematics_spans(kinematics, cond_weld_body(weld)))
        return;
    relate_at(kinematics->begin, weld, &end[0]);
    relate_at(kinematics->end, weld, &end[1]);
    for (int r = 0; r < 6; r++)
        relation->e[r] = 0.5 * (end[0].e[r] + end[1].e[r]);
}

// A unit quaternion of a rotation matrix.
static void matrix_quat(const double R[9], double q[4])
{
    double w[3];
    cond_rotation_log(R, w);
    quat_exp(w, q);
}

void cond_weld_make(const CondKinematics* kinematics, CondWeld* weld)
{
    double p[2][3], R[2][9], d[3], Q[9];
    for (int end = 0; end < 2; end++)
        cond_kinematics_frame(kinematics, &weld->what.end[end], p[end], R[end], NULL, NULL);
    for (int i = 0; i < 3; i++)
        d[i] = p[0][i] - p[1][i];
    mat3_multiply_transposed(R[1], d, weld->anchor);
    for (int i = 0; i < 3; i++) // Q = R1' R0
        for (int j = 0; j < 3; j++)
            Q[3 * i + j] =
                R[1][i] * R[0][j] + R[1][3 + i] * R[0][3 + j] + R[1][6 + i] * R[0][6 + j];
    matrix_quat(Q, weld->turn);
    if (weld->what.placed)
        memcpy(weld->anchor, weld->what.position, sizeof weld->anchor);
    if (weld->what.oriented)
        memcpy(weld->turn, weld->what.orientation, sizeof weld->turn);
    weld->active = 1;
}

// g: what frames in space add to the rate.
static void given_rate(const CondKinematics* kinematics, const CondWeld* weld, Relation* relation)
{
    double rate[2][6], turned[3];
    memset(relation->g, 0, sizeof relation->g);
    if (!cond_weld_is_led(weld))
        return;
    for (int end = 0; end < 2; end++)
        cond_kinematics_frame_rate(kinematics, &weld->what.end[end], rate[end]);
    vec3_cross(rate[1] + 3, relation->arm, turned);
    for (int i = 0; i < 3; i++) {
        relation->g[i] = rate[0][i] - rate[1][i] - turned[i];
        relation->g[3 + i] = rate[0][3 + i] - rate[1][3 + i];
    }
}

// 1 where an end is fixed to the world, a rigid body or a link of a rod.
static int is_solid(const CondModel* model, const CondFrame* frame)
{
    if (frame->patch >= 0 || frame->guide > 0)
        return 0;
    int body = frame->point.body;
    return body < 0 || model->body[body].kind == COND_BODY_RIGID ||
           model->body[body].kind == COND_BODY_ROD;
}

// The columns of a solid end, in rows `width` apart: those of sign (v + w x (R r + arm)), and of
// sign w, with w in body axes. Returns how many.
static int solid_columns(const CondKinematics* kinematics, const CondFrame* frame, double sign,
                         const double arm[3], const double R[9], int rows, int width,
                         int* coordinate, double* J)
{
    double out[3], S[9], turn[9];
    if (frame->point.body < 0)
        return 0;
    const CondBody* body = &kinematics->model->body[frame->point.body];
    int at = body->dof_begin + (body->kind == COND_BODY_ROD ? 6 * frame->point.link : 0);
    mat3_multiply(R, frame->point.local, out);
    for (int i = 0; i < 3; i++)
        out[i] += arm[i];
    mat3_cross(out, S);
    mat3_product(S, R, turn); // w x out = -[out]x R w
    for (int k = 0; k < 6; k++)
        coordinate[k] = at + k;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            J[i * width + k] = i == k ? sign : 0.0;
            J[i * width + 3 + k] = -sign * turn[3 * i + k];
        }
    for (int i = 3; i < rows; i++)
        for (int k = 0; k < 3; k++) {
            J[i * width + k] = 0.0;
            J[i * width + 3 + k] = sign * R[3 * (i - 3) + k];
        }
    return 6;
}

// J of the error's rate where the ends are solid and of different bodies.
static int solid_jacobian(const CondKinematics* kinematics, const CondWeld* weld, int rows,
                          Relation* relation, int* coordinate, double* J)
{
    static const double NONE[3] = {0.0, 0.0, 0.0};
    const CondFrame* end = weld->what.end;
    double p[2][3], R[2][9];
    for (int i = 0; i < 2; i++)
        cond_kinematics_frame(kinematics, &end[i], p[i], R[i], NULL, NULL);
    relate(weld, p, R, relation);
    int n = end[0].point.body >= 0 ? 6 : 0, width = n + (end[1].point.body >= 0 ? 6 : 0);
    solid_columns(kinematics, &end[0], 1.0, NONE, R[0], rows, width, coordinate, J);
    solid_columns(kinematics, &end[1], -1.0, relation->arm, R[1], rows, width, coordinate + n,
                  J + n);
    return width;
}

// The same for ends of any kind, each coordinate listed once.
static int any_jacobian(const CondKinematics* kinematics, const CondWeld* weld, int rows,
                        Relation* relation, int* coordinate, double* J)
{
    int most = kinematics->model->max_point_dof, n[2];
    double p[2][3], R[2][9], S[9];
    // Room for both ends: the caller's arrays hold 2 max_point_dof columns of 6 rows.
    double *J0 = kinematics->frame_columns, *J1 = J0 + 6 * most;
    int *c0 = kinematics->frame_list, *c1 = c0 + most;
    n[0] = cond_kinematics_frame(kinematics, &weld->what.end[0], p[0], R[0], c0, J0);
    n[1] = cond_kinematics_frame(kinematics, &weld->what.end[1], p[1], R[1], c1, J1);
    relate(weld, p, R, relation);
    mat3_cross(relation->arm, S);
    for (int k = 0; k < n[1]; k++) { // v1 + w1 x arm = v1 - [arm]x w1
        double w[3], turned[3];
        for (int r = 0; r < 3; r++)
            w[r] = J1[(3 + r) * n[1] + k];
        mat3_multiply(S, w, turned);
        for (int r = 0; r < 3; r++)
            J1[r * n[1] + k] -= turned[r];
    }
    int total = n[0];
    int* place = c1 + most; // of end 1's columns in the merged list
    memcpy(coordinate, c0, (size_t)n[0] * sizeof *coordinate);
    // Ends on different bodies share none.
    int shares = weld->what.end[0].point.body == weld->what.end[1].point.body;
    for (int k = 0; k < n[1]; k++) {
        int at = shares ? 0 : total;
        while (at < total && coordinate[at] != c1[k])
            at++;
        if (at == total)
            coordinate[total++] = c1[k];
        place[k] = at;
    }
    for (int r = 0; r < rows; r++) {
        for (int k = 0; k < total; k++)
            J[r * total + k] = k < n[0] ? J0[r * n[0] + k] : 0.0;
        for (int k = 0; k < n[1]; k++)
            J[r * total + place[k]] -= J1[r * n[1] + k];
    }
    return total;
}

// J of the error's rate over the coordinates of both ends; rows 3 or 6.
static int jacobian(const CondKinematics* kinematics, const CondWeld* weld, int rows,
                    Relation* relation, int* coordinate, double* J)
{
    const CondFrame* end = weld->what.end;
    int solid = end[0].point.body != end[1].point.body && is_solid(kinematics->model, &end[0]) &&
                is_solid(kinematics->model, &end[1]);
    int n =
        (solid ? solid_jacobian : any_jacobian)(kinematics, weld, rows, relation, coordinate, J);
    take_mean(kinematics, weld, relation);
    given_rate(kinematics, weld, relation);
    return n;
}

// 1 for a frame of a rigid body or of a link of a rod, with its inertia.
static int turns_alone(const CondKinematics* kinematics, const CondFrame* frame, double inertia[9])
{
    if (frame->point.body < 0 || !is_solid(kinematics->model, frame))
        return 0;
    const CondBody* body = &kinematics->model->body[frame->point.body];
    if (body->kind == COND_BODY_RIGID) {
        memcpy(inertia, body->inertia, 9 * sizeof *inertia);
        return 1;
    }
    memset(inertia, 0, 9 * sizeof *inertia);
    for (int i = 0; i < 3; i++)
        inertia[4 * i] = body->rod->inertia[3 * (size_t)frame->point.link + (size_t)i];
    return 1;
}

// Takes a negative eigenvalue along d, of any length, out of H where a step h would not bear it:
// h^2 |value| d' I^-1 d > 1/5.
static void leave_out(double value, const double d[3], const double inertia[9], double step,
                      double H[9])
{
    double square = vec3_dot(d, d), solved[3];
    mat3_solve(inertia, d, solved);
    if (!(-step * step * value * vec3_dot(d, solved) > COND_STEEP_TURNING * square))
        return;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            H[3 * i + j] -= value * d[i] * d[j] / square;
}

// A force F on a point r of something rigid, both in its axes, stays in world axes when it turns:
// the energy -F.x has by the rotation the second derivative
//     H = (F.r) I - (F r' + r F')/2
// with the eigenvalues F.r along F x r, and (F.r +- |F||r|)/2 along F/|F| -+ r/|r|. The last is not
// positive, and neither is the first where F points against r; such are left out where A would not
// bear them.
static void turning_stiffness(const double F[3], const double r[3], const double inertia[9],
                              double step, double H[9])
{
    double f = vec3_norm(F), l = vec3_norm(r), c = vec3_dot(F, r), d[3], across[3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            H[3 * i + j] = (i == j ? c : 0.0) - 0.5 * (F[i] * r[j] + r[i] * F[j]);
    for (int i = 0; i < 3; i++)
        d[i] = f > 0.0 && l > 0.0 ? F[i] / f + r[i] / l : 0.0;
    if (!(vec3_norm(d) > COND_INPUT_ROUNDING)) { // F against r: all of H is negative
        for (int i = 0; i < 9; i++)
            H[i] = 0.0;
        return;
    }
    leave_out(0.5 * (c - f * l), d, inertia, step, H);
    vec3_cross(F, r, across);
    if (c < 0.0)
        leave_out(c, across, inertia, step, H);
}

// The geometric stiffness of one end, on which a force acts at an arm from its origin; both in
// world axes. Newton's method and auto take it; the theta rule is as the paper has it.
static void add_turning(const CondKinematics* kinematics, const CondFrame* frame,
                        const double force[3], const double arm[3], double step,
                        CondAssembly* assembly)
{
    double inertia[9], origin[3], R[9], F[3], r[3], H[9];
    if (!(step > 0.0) || kinematics->model->settings.integrator == COND_INTEGRATOR_THETA ||
        !turns_alone(kinematics, frame, inertia))
        return;
    cond_kinematics_axes(kinematics, frame->point.body, frame->point.link, origin, R);
    mat3_multiply_transposed(R, force, F);
    mat3_multiply_transposed(R, arm, r);
    for (int i = 0; i < 3; i++)
        r[i] += frame->point.local[i];
    turning_stiffness(F, r, inertia, step, H);
    cond_assembly_turn(assembly, frame->point.body, frame->point.link, step, H);
}

CondStatus cond_weld_add(const CondKinematics* kinematics, const CondWeld* weld, double step,
                         CondAssembly* assembly, double* f)
{
    int rows = weld->what.turns ? 6 : 3;
    CondCouplingRoom room;
    Relation relation;
    if (cond_weld_is_exact(weld)) // no force: its coordinates leave the problem
        return COND_OK;
    CondStatus status = cond_assembly_room(assembly, kinematics->model, rows, &room);
    if (status)
        return status;
    room.n_coordinate = jacobian(kinematics, weld, rows, &relation, room.coordinate, room.jacobian);
    int n = room.n_coordinate;
    memset(room.gain, 0, (size_t)(rows * rows) * sizeof *room.gain);
    for (int r = 0; r < rows; r++) {
        double k = weld->what.stiffness[r / 3], d = weld->what.damping[r / 3];
        room.gain[r * rows + r] = step * k + d;
        for (int i = 0; i < n; i++)
            f[room.coordinate[i]] -=
                (k * relation.e[r] + d * relation.g[r]) * room.jacobian[r * n + i];
    }
    cond_assembly_keep(assembly, &room);
    double force[2][3], none[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < 3; i++) {
        force[1][i] = weld->what.stiffness[0] * relation.e[i];
        force[0][i] = -force[1][i];
    }
    add_turning(kinematics, &weld->what.end[0], force[0], none, step, assembly);
    add_turning(kinematics, &weld->what.end[1], force[1], relation.arm, step, assembly);
    return COND_OK;
}

CondStatus cond_weld_wrench(const CondKinematics* kinematics, const CondWeld* weld, double step,
                            const double* v_hat, CondAssembly* assembly, double wrench[6])
{
    int rows = weld->what.turns ? 6 : 3;
    CondCouplingRoom room;
    Relation relation;
    CondStatus status = cond_assembly_room(assembly, kinematics->model, rows, &room);
    if (status)
        return status;
    int n = jacobian(kinematics, weld, rows, &relation, room.coordinate, room.jacobian);
    memset(wrench, 0, 6 * sizeof *wrench);
    for (int r = 0; r < rows; r++) {
        double k = weld->what.stiffness[r / 3], d = weld->what.damping[r / 3], u = 0.0;
        for (int i = 0; i < n; i++)
            u += room.jacobian[r * n + i] * v_hat[room.coordinate[i]];
        wrench[r] = -(k * (relation.e[r] + step * u) + d * (u + relation.g[r]));
    }
    return COND_OK;
}

void cond_weld_mean_error(const CondKinematics* kinematics, const CondWeld* weld, double e[3])
{
    Relation relation;
    relate_at(kinematics, weld, &relation);
    take_mean(kinematics, weld, &relation);
    memcpy(e, relation.e, 3 * sizeof *e);
}

double cond_weld_energy(const CondKinematics* kinematics, const CondWeld* weld)
{
    double energy = 0.0;
    Relation relation;
    if (cond_weld_is_exact(weld))
        return 0.0;
    relate_at(kinematics, weld, &relation);
    for (int r = 0; r < 6; r++)
        energy += 0.5 * weld->what.stiffness[r / 3] * relation.e[r] * relation.e[r];
    return energy;
}
