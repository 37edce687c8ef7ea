#include "potential/motor.h"

#include <string.h>

// First joint coordinate in v and in q: a floating base comes before.
static int first_v(const CondBody* body)
{
    return body->dof_begin + body->arm->n_dof - body->arm->n_joint;
}

static int first_q(const CondBody* body)
{
    return body->q_begin + body->arm->n_q - body->arm->n_joint;
}

CondStatus cond_motor_add(const CondKinematics* kinematics, const CondBody* body,
                          const double* target, const double* rate, double step,
                          CondAssembly* assembly, double* f)
{
    const double* q = kinematics->q + first_q(body);
    int n = 0;
    for (int j = 0; j < body->arm->n_joint; j++)
        n += body->motor[j].stiffness > 0.0 || body->motor[j].damping > 0.0;
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
        const CondMotor* motor = &body->motor[j];
        if (!(motor->stiffness > 0.0 || motor->damping > 0.0))
            continue;
        room.coordinate[row] = first_v(body) + j;
        room.jacobian[row * n + row] = 1.0;
        room.gain[row * n + row] = step * motor->stiffness + motor->damping;
        f[first_v(body) + j] += motor->stiffness * (target[j] - q[j]) + motor->damping * rate[j];
        row++;
    }
    cond_assembly_keep(assembly, &room);
    return COND_OK;
}

void cond_motor_torque(const CondKinematics* kinematics, const CondBody* body, const double* target,
                       const double* rate, double step, const double* v_hat, double* torque)
{
    const double *q = kinematics->q + first_q(body), *v = v_hat + first_v(body);
    for (int j = 0; j < body->arm->n_joint; j++)
        torque[j] = body->motor[j].stiffness * (target[j] - q[j] - step * v[j]) +
                    body->motor[j].damping * (rate[j] - v[j]);
}

double cond_motor_energy(const CondKinematics* kinematics, const CondBody* body,
                         const double* target)
{
    const double* q = kinematics->q + first_q(body);
    double energy = 0.0;
    for (int j = 0; j < body->arm->n_joint; j++)
        energy += 0.5 * body->motor[j].stiffness * (target[j] - q[j]) * (target[j] - q[j]);
    return energy;
}
