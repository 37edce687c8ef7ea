// Joint motors of robots: proportional-derivative, implicit.
#ifndef COND_POTENTIAL_MOTOR_H
#define COND_POTENTIAL_MOTOR_H

#include "assemble/assemble.h"

#include <math.h>

// Motors are those of a state, from the body's first joint on (n_joint).
//
// torque = k (target - q - th t v) + d (rate - v) + torque of the user for each joint coordinate of
// a robot: adds k (target - q) + d rate to f and th t k + d to the diagonal of the body's block.
// target and rate are those of the body's joints at the representative time of the step; step = th
// t. A motor that is marked in `left` (NULL: none) is a row of the problem (sim/joint_rows.h): it
// adds only the torque base of the row. left, base (n_joint)
void cond_motor_add(const CondKinematics* kinematics, const CondBody* body, const CondMotor* motor,
                    const double* target, const double* rate, double step, const int* left,
                    const double* base, CondAssembly* assembly, double* f);

// The torque of the motor of joint j in a step with v_hat (n_dof of the model), without effort
// limits.
double cond_motor_torque(const CondKinematics* kinematics, const CondBody* body,
                         const CondMotor* motor, int j, double target, double rate, double step,
                         const double* v_hat);

// A torque clamped to the motor's effort limits.
static inline double cond_motor_bound(const CondMotor* motor, double torque)
{
    return fmax(-motor->effort_back, fmin(torque, motor->effort));
}

// Energy of the motors as springs whose torques are limited by the effort.
double cond_motor_energy(const CondKinematics* kinematics, const CondBody* body,
                         const CondMotor* motor, const double* target);

#endif
