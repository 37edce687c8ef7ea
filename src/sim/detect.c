// Collision detection as every stage of a step uses it.
#include "sim/sim.h"

#include <math.h>

CondStatus cond_sim_detect(CondSim* sim, const CondKinematics* kinematics, CondCandidateList* list)
{
    CondStatus status = cond_collide(&sim->collider, kinematics, sim->next, sim->reach, list);
    cond_held_filter(sim, kinematics, list);
    cond_hooks_filter(sim, list);
    return status;
}

double cond_sim_smaller_size(const CondSim* sim, const CondCandidate* candidate)
{
    double size = INFINITY;
    for (int s = 0; s < 2; s++)
        if (candidate->point[s].body >= 0)
            size = fmin(size, sim->model->body[candidate->point[s].body].size);
    return size;
}
