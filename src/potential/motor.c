// Adds the motors of robots to f and to the matrix of their body (motor.h).
#include "potential/motor.h"

#include <math.h>
#include <string.h>

static int is_added(const CondMotor* motor, int j, const int* left)
{
    return (motor->stiffness > 0.0 || motor->damping > 0.0) && !(left && left[j]);
}

CondStatus cond_motor_add(const CondKinematics* kinematics, const CondBody* body,
                          const CondMotor* motor, const double* target, const double* rate,
                          double step, const int* left, const double* base, CondAssembly* assembly,
                          double* f)
{
    const double* q = kinematics->q + cond_body_joint_q(body);
    int n = 0, first = cond_body_joint_v(body);
    for (int j = 0; j < body->arm->n_joint; j++) {
        n += is_added(&motor[j], j, left);
        if (left && left[j])
            f[first + j] += base[j];
        else if (!is_added(&motor[j], j, left)) // a plain torque
            f[first + j] += cond_motor_bound(&motor[j], motor[j].torque);
    }
    if (n == 0)
        return COND_OK;
    CondCouplingRoom room;
    CondStatus status = cond_assembly_room(assembly, kinematics->model, n, &room);
    if (status)
        return status;
    room.n_coordinate = n;
    memset(room.jacobian, 0, (size_t)n * (size_t)n * sizeof *room.jacobian);
    memset(room.gain, 0, (size_t)n * (size_t)n * sizeof *room.gain);
    for (int j = 0, row = 0; j < body->arm->n_joint; j++) {
        if (!is_added(&motor[j], j, left))
            continue;
        room.coordinate[row] = first + j;
        room.jacobian[row * n + row] = 1.0;
        room.gain[row * n + row] = step * motor[j].stiffness + motor[j].damping;
        f[first + j] +=
            motor[j].stiffness * (target[j] - q[j]) + motor[j].damping * rate[j] + motor[j].torque;
        row++;
    }
    cond_assembly_keep(assembly, &room);
    return COND_OK;
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
