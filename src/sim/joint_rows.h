// Limits, friction and motors of joints as rows of the step's problem: scalars with an interval of
// forces (COND_FORCE_INTERVAL), behind the contacts of the problem and of sim->attempt.lambda.
//
//     position limit   u = +-v_hat + gap/t,                    lambda in [0, inf)
//     velocity limit   u = +-v_hat + phi: |v_{k+1}| at its limit where u = 0, lambda in [0, inf)
//     dry friction     u = v_hat,                              lambda in [-F, F]
//     motor            u + lambda/g = v_hat + (base - k (target - q) - d rate + lambda)/g,
//                      g = th t k + d,          base + lambda in [-effort_back, effort]
//
// base, the torque at rest within these bounds, stands in b: two large forces of rows that hold
// each other with nothing in b would leave the dynamics without a scale. A joint moves along a
// straight line, so that the gap at the end of the step is t u exactly. A motor that is a row has
// left the matrix: within its bounds the row is the linear motor.
//
// Rows cost something, so there are only those that act. A step begins with the limits that carried
// a force in the last one, the motors that were at their effort, and dry friction. What the answer
// violates beyond these is found at the end of the step and joins in a round, as contacts do
// (step/recheck.c). Where there are no rounds, a step begins also with what is near.
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
    int body, joint;    // joint coordinate of the robot; behind them those of base and balls
    int coordinate;     // of v: u = sign v + phi
    CondContactKey key; // the same row in any step
    double q;           // joint position at the start of the step [rad, m]
    double gap;         // of a position limit there [rad, m]
    double speed;       // sign v_k [rad/s, m/s]
} CondJointRow;

typedef struct CondJointRows {
    int n;
    int joined; // 1: some have joined since the step was solved last
    CondJointRow*
        row;      // by ascending key                                   (n of 6 n_target + n_loose)
    int* wanted;  // 1 << kind for the rows of each joint in this step        (n_target)
    int* motor;   // 1: its motor is a row                                    (n_target)
    double* base; // what that row is counted from [N m, N]                   (n_target)
    double* kept; // scratch: forces by joint and kind          (6 n_target + n_loose)
    double* v;    // an answer that missed, while another is looked for      (n_dof)
    double* lambda;     // its forces                                    (as CondSim.lambda)
    int* part;          // scratch of the impact stage: which rows take part (6 n_target + n_loose)
    int* passed;        // of the correction: position limits that it would pass     (n_target)
    CondJointRow* stop; // and their rows                                          (2 n_target)
    CondJointReading* reading; // of the last step                                (n_target)
    double* loose;             // friction of base and balls in the last step      (n_loose)
} CondJointRows;

CondStatus cond_joint_rows_create(CondSim* sim);

// Of a kind: u = sign v + phi.
double cond_joint_row_sign(CondJointRowKind kind);

// The rows that a step begins with, in sim->rows; needs joint targets and theta.
void cond_joint_rows_choose(CondSim* sim, const CondState* state);
// The rows that `wanted` says, as once chosen.                              wanted (n_target)
void cond_joint_rows_set(CondSim* sim, const CondState* state, const int* wanted);
// Says from which torques the rows of a robot's motors are counted; needs the joint targets.
void cond_joint_rows_set_base(CondSim* sim, int body);
// Puts them behind the contacts of the step's problem.
CondStatus cond_joint_rows_place(CondSim* sim);
// What v_hat violates and is no row yet, sim->next->q being where it leads: how many there are.
// They are rows from the next call of join on, which keeps the forces of the others.
int cond_joint_rows_find_violated(CondSim* sim, const CondState* state);
CondStatus cond_joint_rows_join(CondSim* sim, const CondState* state);

// What a row holds keeps a speed of rounding, which falls from step to step to where squares
// vanish: long before that it is none.
void cond_joint_rows_rest(CondSim* sim);

// Of row r: 1 where a limit is struck in this step, so that its body should be stopped rather than
// swing on: the limit was open, or the joint moves against it.
int cond_joint_row_strikes(const CondJointRow* row);

// Of the impact stage: whether row r asks for it, with v_{k+1} in sim->next->v; and the rows of
// those bodies that take part (of `struck`, by body) as contacts behind the n of an assembly, with
// impulses in the place of forces. *n_row of them; their numbers are in sim->rows.part.
int cond_joint_row_needs_impact(const CondSim* sim, int r);
CondStatus cond_joint_rows_pose_impact(CondSim* sim, const int* struck, CondAssembly* assembly,
                                       int n, int* n_row);

// Of the correction, which moves sim->next->q by v t: the limits that a motion passes become rows,
// to be added behind the contacts of its problem. forget: there are none yet; find: how many more v
// passes; add: those found so far.
void cond_joint_stops_forget(CondSim* sim);
int cond_joint_stops_find(CondSim* sim, const double* v);
CondStatus cond_joint_stops_add(CondSim* sim, CondAssembly* assembly);

// Joints beyond their limits at the end of the step are moved back, by share radians or metres at
// the most, and sim->at_end is made anew. The longest way [rad, m].
double cond_joint_rows_lead_back(CondSim* sim, double share);

// The force of row r, that of a motor with its base [N m, N]; and the lambda that stands for one.
double cond_joint_row_force(const CondSim* sim, int r);
double cond_joint_row_lambda(const CondSim* sim, int r, double force);

// Forces of the last step, from v_hat and the impulses.
void cond_joint_rows_read(CondSim* sim);
// Of a step that is made in pieces: adds those of a piece, `weight` long; their mean over the step.
//                                                                              sum (n_target)
void cond_joint_rows_add(const CondSim* sim, double weight, int first, CondJointReading* sum);
void cond_joint_rows_mean(CondSim* sim, double weight, const CondJointReading* sum);

#endif
