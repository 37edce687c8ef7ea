// Collision detection as every stage of a step uses it.
#include "sim/sim.h"

#include <math.h>
#include <string.h>

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

// The link that a point is on.
static int part_of(const CondModel* model, const CondPoint* point)
{
    CondBodyKind kind = cond_model_body_kind(model, point->body);
    return kind == COND_BODY_ROBOT || kind == COND_BODY_ROD ? point->link : 0;
}

CondContactInfo cond_candidate_info(const CondModel* model, const CondCandidate* candidate)
{
    CondContactInfo info = {.body = candidate->point[0].body,
                            .other = candidate->point[1].body,
                            .plane = candidate->plane,
                            .gap = candidate->gap,
                            .restitution = candidate->restitution,
                            .part = part_of(model, &candidate->point[0]),
                            .other_part = part_of(model, &candidate->point[1])};
    memcpy(info.friction, candidate->friction, sizeof info.friction);
    memcpy(info.position, candidate->position, sizeof info.position);
    memcpy(info.frame, candidate->frame, sizeof info.frame);
    return info;
}
