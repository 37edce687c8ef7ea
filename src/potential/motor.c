// Adds the motors of robots to f and to the matrix of their body (motor.h).
#include "potential/motor.h"

#include <math.h>

static int is_added(const CondMotor* motor, int j, const int* left)
{
    return (motor->stiffness > 0.0 || motor->damping > 0.0) && !(left && left[j]);
}

void cond_motor_add(const CondKinematics* kinematics, const CondBody* body, const CondMotor* motor,
                    const double* target, const double* rate, double step, const int* left,
                    const double* base, CondAssembly* assembly, double* f)
{
    const double* q = kinematics->q + cond_body_joint_q(body);
    int first = cond_body_joint_v(body);
    for (int j = 0; j < body->arm->n_joint; j++) {
        if (left && left[j]) {
            f[first + j] += base[j];
            continue;
        }
        if (!is_added(&motor[j], j, left)) { // a plain torque
            f[first + j] += cond_motor_bound(&motor[j], motor[j].torque);
            continue;
        }
        cond_assembly_add_diagonal(assembly, body, first + j - body->dof_begin,
                                   step * motor[j].stiffness + motor[j].damping);
        f[first + j] +=
            motor[j].stiffness * (target[j] - q[j]) + motor[j].damping * rate[j] + motor[j].torque;
    }
}

double cond_motor_torque(const CondKinematics* kinematics, const CondBody* body,
                         const CondMotor* motor, int j, double target, double rate, double step,
                         const double* v_hat)
{
    double q = kinematics->q[cond_body_joint_q(body) + j], v = v_hat[cond_body_joint_v(body) + j];
    double torque = motor[j].stiffness * (target - q - step * v) + motor[j].damping * (rate - v) +
                    motor[j].torque;
    int plain = !is_added(&motor[j], j, NULL);
    return plain ? cond_motor_bound(&motor[j], torque) : torque;
}

// 1/2 k e^2 while k |e| is within the effort F, and F |e| - F^2/(2 k) beyond.
static double spring_energy(const CondMotor* motor, double e)
{
    double k = motor->stiffness, F = e > 0.0 ? motor->effort : motor->effort_back;
    if (!(k * fabs(e) > F))
        return 0.5 * k * e * e;
    return F * fabs(e) - 0.5 * F * F / k;
}

double cond_motor_energy(const CondKinematics* kinematics, const CondBody* body,
                         const CondMotor* motor, const double* target)
{
    const double* q = kinematics->q + cond_body_joint_q(body);
    double energy = 0.0;
    for (int j = 0; j < body->arm->n_joint; j++)
        energy += spring_energy(&motor[j], target[j] - q[j]);
    return energy;
}
