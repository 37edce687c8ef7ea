// With p0, R0 and p1, R1 the frames now and anchor, turn those of end 0 seen from end 1 when the
// attachment was made, the error is
//     e_p = p0 - (p1 + R1 anchor),       e_r = log(R0 (R1 turn)'),
// and its rate, exact for e_p and to first order in e_r,
//     u_p = v0 - v1 - w1 x (R1 anchor),  u_r = w0 - w1.
// An end that moves along a trajectory gives its share g of the rate, u = J v + g. Its frame is
// taken at the representative time, so that it has moved over the step already: e + th t J v.
// The potential is 1/2 (k |e_p|^2 + k_r |e_r|^2).
#include "potential/attachment.h"

#include "math/quat.h"

#include <math.h>
#include <string.h>

typedef struct Relation {
    double e[6];   // error
    double arm[3]; // R1 anchor
    double g[6];   // share of the error's rate that the bodies have no part in
} Relation;

// Rotation vector of a rotation matrix, |log| <= pi.
static void rotation_log(const double R[9], double w[3])
{
    double axis[3] = {0.5 * (R[7] - R[5]), 0.5 * (R[2] - R[6]), 0.5 * (R[3] - R[1])};
    double s = vec3_norm(axis), c = 0.5 * (R[0] + R[4] + R[8] - 1.0);
    double angle = atan2(s, c);
    if (s > 1e-9) {
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

static void multiply_transposed(const double A[9], const double B[9], double C[9])
{
    for (int i = 0; i < 3; i++) // C = A B'
        for (int j = 0; j < 3; j++)
            C[3 * i + j] = vec3_dot(A + 3 * i, B + 3 * j);
}

static void relate(const CondHold* hold, double p[2][3], double R[2][9], Relation* out)
{
    double turn[9], wanted[9], error[9];
    mat3_multiply(R[1], hold->anchor, out->arm);
    for (int i = 0; i < 3; i++)
        out->e[i] = p[0][i] - p[1][i] - out->arm[i];
    quat_matrix(hold->turn, turn);
    mat3_product(R[1], turn, wanted);
    multiply_transposed(R[0], wanted, error);
    rotation_log(error, out->e + 3);
    if (!hold->what.turns)
        out->e[3] = out->e[4] = out->e[5] = 0.0;
}

// A unit quaternion of a rotation matrix.
static void matrix_quat(const double R[9], double q[4])
{
    double w[3];
    rotation_log(R, w);
    quat_exp(w, q);
}

void cond_hold_make(const CondPosture* posture, CondHold* hold)
{
    double p[2][3], R[2][9], d[3], Q[9];
    for (int end = 0; end < 2; end++)
        cond_posture_frame(posture, &hold->what.end[end], p[end], R[end], NULL, NULL);
    for (int i = 0; i < 3; i++)
        d[i] = p[0][i] - p[1][i];
    mat3_multiply_transposed(R[1], d, hold->anchor);
    for (int i = 0; i < 3; i++) // Q = R1' R0
        for (int j = 0; j < 3; j++)
            Q[3 * i + j] =
                R[1][i] * R[0][j] + R[1][3 + i] * R[0][3 + j] + R[1][6 + i] * R[0][6 + j];
    matrix_quat(Q, hold->turn);
    hold->active = 1;
}

// g: what frames in space add to the rate.
static void given_rate(const CondPosture* posture, const CondHold* hold, Relation* relation)
{
    double rate[2][6], turned[3];
    for (int end = 0; end < 2; end++)
        cond_posture_frame_rate(posture, &hold->what.end[end], rate[end]);
    vec3_cross(rate[1] + 3, relation->arm, turned);
    for (int i = 0; i < 3; i++) {
        relation->g[i] = rate[0][i] - rate[1][i] - turned[i];
        relation->g[3 + i] = rate[0][3 + i] - rate[1][3 + i];
    }
}

// J of the error's rate over the coordinates of both ends, each listed once; rows 3 or 6.
static int jacobian(const CondPosture* posture, const CondHold* hold, int rows, Relation* relation,
                    int* coordinate, double* J)
{
    int most = posture->model->max_point_dof, n[2];
    double p[2][3], R[2][9], S[9];
    // Room for both ends: the caller's arrays hold 2 max_point_dof columns of 6 rows.
    double *J0 = posture->frame_columns, *J1 = J0 + 6 * most;
    int *c0 = posture->frame_list, *c1 = c0 + most;
    n[0] = cond_posture_frame(posture, &hold->what.end[0], p[0], R[0], c0, J0);
    n[1] = cond_posture_frame(posture, &hold->what.end[1], p[1], R[1], c1, J1);
    relate(hold, p, R, relation);
    given_rate(posture, hold, relation);
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
    int shares = hold->what.end[0].point.body == hold->what.end[1].point.body;
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

CondStatus cond_hold_add(const CondPosture* posture, const CondHold* hold, double step,
                         CondAssembly* assembly, double* f)
{
    int rows = hold->what.turns ? 6 : 3;
    CondCouplingRoom room;
    Relation relation;
    CondStatus status = cond_assembly_room(assembly, posture->model, rows, &room);
    if (status)
        return status;
    room.n_coordinate = jacobian(posture, hold, rows, &relation, room.coordinate, room.jacobian);
    int n = room.n_coordinate;
    memset(room.gain, 0, (size_t)(rows * rows) * sizeof *room.gain);
    for (int r = 0; r < rows; r++) {
        double k = hold->what.stiffness[r / 3], d = hold->what.damping[r / 3];
        room.gain[r * rows + r] = step * k + d;
        for (int i = 0; i < n; i++)
            f[room.coordinate[i]] -=
                (k * relation.e[r] + d * relation.g[r]) * room.jacobian[r * n + i];
    }
    cond_assembly_keep(assembly, &room);
    return COND_OK;
}

CondStatus cond_hold_wrench(const CondPosture* posture, const CondHold* hold, double step,
                            const double* v_hat, CondAssembly* assembly, double wrench[6])
{
    int rows = hold->what.turns ? 6 : 3;
    CondCouplingRoom room;
    Relation relation;
    CondStatus status = cond_assembly_room(assembly, posture->model, rows, &room);
    if (status)
        return status;
    int n = jacobian(posture, hold, rows, &relation, room.coordinate, room.jacobian);
    memset(wrench, 0, 6 * sizeof *wrench);
    for (int r = 0; r < rows; r++) {
        double k = hold->what.stiffness[r / 3], d = hold->what.damping[r / 3], u = 0.0;
        for (int i = 0; i < n; i++)
            u += room.jacobian[r * n + i] * v_hat[room.coordinate[i]];
        wrench[r] = -(k * (relation.e[r] + step * u) + d * (u + relation.g[r]));
    }
    return COND_OK;
}

double cond_hold_energy(const CondPosture* posture, const CondHold* hold)
{
    double p[2][3], R[2][9], energy = 0.0;
    Relation relation;
    for (int end = 0; end < 2; end++)
        cond_posture_frame(posture, &hold->what.end[end], p[end], R[end], NULL, NULL);
    relate(hold, p, R, &relation);
    for (int r = 0; r < 6; r++)
        energy += 0.5 * hold->what.stiffness[r / 3] * relation.e[r] * relation.e[r];
    return energy;
}
