// Limits, friction and motors of joints as rows of the step's problem: scalars with an interval of
// forces (COND_FORCE_INTERVAL), after the contacts in the problem and in sim->attempt.lambda.
//
//     position limit   u = +-v_hat + gap/t,                    lambda in [0, inf)
//     velocity limit   u = +-v_hat + phi: |v_{k+1}| at its limit where u = 0, lambda in [0, inf)
//     dry friction     u = v_hat,                              lambda in [-F, F]
//     motor            u + lambda/g = v_hat + (base - k (target - q) - d rate + lambda)/g,
//                      g = th t k + d,          base + lambda in [-effort_back, effort]
//
// base, the torque at rest clamped to these bounds, is part of b: two large forces of opposing rows
// with nothing in b would leave the dynamics without a scale. A joint coordinate is linear in time,
// so that the gap at the end of the step is exactly t u. A motor with a row is not in the matrix:
// within its bounds the row is the linear motor.
//
// Only active rows are posed, to save work. A step begins with the limits that carried a force in
// the last step, the motors that were at their effort limit, and dry friction. Further rows that
// the answer violates are found at the end of the step and join in a round, as contacts do
// (step/recheck.c). Without rounds, a step also begins with near limits.
#ifndef COND_SIM_JOINT_ROWS_H
#define COND_SIM_JOINT_ROWS_H

#include "assemble/assemble.h"
#include "cond/sim.h"
#include "model/state.h"

typedef struct CondSim CondSim;

typedef enum CondJointRowKind {
    COND_ROW_LOWER = 0, // q >= lower
    COND_ROW_UPPER,     // q <= upper
    COND_ROW_FASTEST,   // v <= velocity limit
    COND_ROW_SLOWEST,   // v >= -velocity limit
    COND_ROW_FRICTION,  //
    COND_ROW_MOTOR,     //
    COND_N_ROW_KIND,
} CondJointRowKind;

typedef struct CondJointRow {
    CondJointRowKind kind;
    int body, joint;    // joint coordinate of the robot; after them those of base and balls
    int coordinate;     // of v: u = sign v + phi
    CondContactKey key; // identifies the row in every step
    double q;           // joint position at the start of the step [rad, m]
    double gap;         // to a position limit, at the start of the step [rad, m]
    double speed;       // sign v_k [rad/s, m/s]
} CondJointRow;

typedef struct CondJointRows {
    int n;
    int joined; // 1: some have joined since the last solve
    CondJointRow*
        row;      // by ascending key                                   (n of 6 n_target + n_loose)
    int* wanted;  // 1 << kind for the rows of each joint in this step        (n_target)
    int* motor;   // 1: its motor is a row                                    (n_target)
    double* base; // torque base of that row [N m, N]                               (n_target)
    double* kept; // scratch: forces by joint and kind          (6 n_target + n_loose)
    double* v;    // an answer that missed its tolerance, kept during a retry          (n_dof)
    double* lambda;     // its forces                                    (as CondSim.lambda)
    int* part;          // scratch of the impact stage: which rows take part (6 n_target + n_loose)
    int* passed;        // of the correction: position limits that it would exceed   (n_target)
    CondJointRow* stop; // and their rows                                          (2 n_target)
    CondJointReading* reading; // of the last step                                (n_target)
    double* loose;             // friction of base and balls in the last step      (n_loose)
} CondJointRows;

CondStatus cond_joint_rows_create(CondSim* sim);

// The sign of a kind of row: u = sign v + phi.
double cond_joint_row_sign(CondJointRowKind kind);

// Chooses the initial rows of a step, in sim->rows; needs joint targets and theta.
void cond_joint_rows_choose(CondSim* sim, const CondState* state);
// Sets the rows given by `wanted`, a stored choice.                         wanted (n_target)
void cond_joint_rows_set(CondSim* sim, const CondState* state, const int* wanted);
// Sets the torque base of a robot's motor rows; needs the joint targets.
void cond_joint_rows_set_base(CondSim* sim, int body);
// Appends the rows to the contacts of the step's problem.
CondStatus cond_joint_rows_place(CondSim* sim);
// find_violated returns the number of further rows that v_hat violates; sim->next->q is the
// configuration that it leads to. join adds these rows and keeps the forces of the others.
int cond_joint_rows_find_violated(CondSim* sim, const CondState* state);
CondStatus cond_joint_rows_join(CondSim* sim, const CondState* state);

// Sets negligible speeds of joints held by rows to zero: rounding errors would shrink from step to
// step until their squares underflow.
void cond_joint_rows_rest(CondSim* sim);

// 1 if a row's limit is struck in this step, so that the body is stopped and does not swing
// through: the limit was open, or the joint moves against it.
int cond_joint_row_strikes(const CondJointRow* row);

// For the impact stage: needs_impact returns 1 if row r requires it, with v_{k+1} in sim->next->v.
// pose_impact appends the rows of the bodies with struck[body] = 1 to the n contacts of an
// assembly, with impulses instead of forces; *n_row is their number, and sim->rows.part holds their
// indices.
int cond_joint_row_needs_impact(const CondSim* sim, int r);
CondStatus cond_joint_rows_pose_impact(CondSim* sim, const int* struck, CondAssembly* assembly,
                                       int n, int* n_row);

// For the correction, which moves sim->next->q by v t: limits that the displacement exceeds become
// rows after the contacts of its problem. forget removes all; find returns the number of further
// limits that v exceeds; add appends those found so far.
void cond_joint_stops_forget(CondSim* sim);
int cond_joint_stops_find(CondSim* sim, const double* v);
CondStatus cond_joint_stops_add(CondSim* sim, CondAssembly* assembly);

// Moves joints beyond their limits at the end of the step back, by at most `share` radians or
// metres, and updates sim->at_end. Returns the longest displacement [rad, m].
double cond_joint_rows_lead_back(CondSim* sim, double share);

// The force of row r, for a motor including its base [N m, N]; and the lambda of a given force.
double cond_joint_row_force(const CondSim* sim, int r);
double cond_joint_row_lambda(const CondSim* sim, int r, double force);

// Forces of the last step, from v_hat and the impulses.
void cond_joint_rows_read(CondSim* sim);
// For a step in pieces: add sums the readings of a piece with its weight; mean divides the sum by
// the total weight.                                                            sum (n_target)
void cond_joint_rows_add(const CondSim* sim, double weight, int first, CondJointReading* sum);
void cond_joint_rows_mean(CondSim* sim, double weight, const CondJointReading* sum);

#endif
