// The joint between the last link of a ring and its first. It is a joint of the rod like all others
// (model/rod.h), whose energy is counted with them; its block lies in the corners of the rod's
// matrix, where a block tridiagonal one has no place, so it is a coupling.
#include "model/rod.h"
#include "potential/potential.h"

#include <string.h>

CondStatus cond_closure_add(const CondKinematics* kinematics, const CondBody* body, double step,
                            CondAssembly* assembly, double* f)
{
    const CondRod* rod = body->rod;
    CondCouplingRoom room;
    double e[6], k[6];
    if (!rod->closed)
        return COND_OK;
    CondStatus status = cond_assembly_room(assembly, kinematics->model, 6, &room);
    if (status)
        return status;
    int last = rod->n_link - 1;
    cond_rod_strain_jacobian(rod, kinematics->q + body->q_begin, last, e, room.jacobian);
    cond_rod_gains(rod, last, k);
    room.n_coordinate = 12;
    for (int i = 0; i < 12; i++) {
        room.coordinate[i] = body->dof_begin + (i < 6 ? 6 * last + i : i - 6);
        for (int r = 0; r < 6; r++)
            f[room.coordinate[i]] -= room.jacobian[12 * r + i] * k[r] * e[r];
    }
    memset(room.gain, 0, 36 * sizeof *room.gain);
    for (int r = 0; r < 6; r++)
        room.gain[7 * r] = (step + rod->stiffness_damping) * k[r];
    cond_assembly_keep(assembly, &room);
    return COND_OK;
}
