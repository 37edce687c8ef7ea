// Joint motors of robots: proportional-derivative, implicit.
#ifndef COND_POTENTIAL_MOTOR_H
#define COND_POTENTIAL_MOTOR_H

#include "assemble/assemble.h"

// torque = k (target - q - th t v) + d (rate - v) per joint coordinate of a robot: adds
// k (target - q) + d rate to f and the coupling diag(th t k + d). target and rate are those of the
// body's joints at the representative time of the step; step = th t.
CondStatus cond_motor_add(const CondKinematics* kinematics, const CondBody* body,
                          const double* target, const double* rate, double step,
                          CondAssembly* assembly, double* f);

// The torque of each joint's motor in a step with v_hat (n_dof of the model).     torque (n_joint)
void cond_motor_torque(const CondKinematics* kinematics, const CondBody* body, const double* target,
                       const double* rate, double step, const double* v_hat, double* torque);

double cond_motor_energy(const CondKinematics* kinematics, const CondBody* body,
                         const double* target);

#endif
