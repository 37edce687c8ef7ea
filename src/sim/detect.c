// Collision detection as every stage of a step uses it.
#include "sim/sim.h"

CondStatus cond_sim_detect(CondSim* sim, const CondKinematics* kinematics, CondCandidateList* list)
{
    CondStatus status = cond_collide(&sim->collider, kinematics, sim->next, sim->reach, list);
    cond_held_filter(sim, kinematics, list);
    cond_hooks_filter(sim, list);
    return status;
}
