// What a step's contacts were: where, how strong, and between whom.
#include "base/definition.h"
#include "cond/sim.h"

#include "model/index.h"
#include "sense/event.h"
#include "sim/sim.h"
#include "sleep/sleep.h"

#include <string.h>

int cond_sim_n_contact(const CondSim* sim)
{
    cond_sleep_gather(sim);
    return sim->attempt.candidates.n;
}

static CondContactInfo sim_contact_whole(const CondSim* sim, int contact)
{
    CondContactInfo info = {.body = -1, .other = -1, .plane = -1};
    if (cond_sleep_gather(sim) || cond_index_check("contact", contact, sim->attempt.candidates.n))
        return info;
    info = cond_candidate_info(sim->model, &sim->attempt.candidates.candidate[contact]);
    if (contact >= sim->readings.n_ready)
        return info;
    info.relaxed = sim->attempt.relaxed[contact];
    memcpy(info.force, sim->attempt.lambda + 3 * contact, sizeof info.force);
    memcpy(info.impulse, sim->attempt.impulse + 3 * contact, sizeof info.impulse);
    sim = cond_sleep_source(sim, &contact);
    if (!sim)
        return info; // of sleepers
    const CondContact* made = &sim->attempt.assembly.contact[contact];
    cond_contact_velocity(made, sim->next->v, info.velocity);
    for (int i = 0; i < 3; i++)
        info.velocity[i] -= made->phi[i];
    return info;
}

void cond_sim_contact_sized(const CondSim* sim, int contact, CondContactInfo* made, size_t size)
{
    const CondContactInfo own = sim_contact_whole(sim, contact);
    cond_struct_give(made, size, &own, sizeof own);
}

// The share of a point that its nodes in a patch have.
static double share_in(const CondPatch* patch, const CondPoint* point)
{
    double sum = 0.0;
    for (int k = 0; k < point->n_node; k++)
        for (int i = 0; i < patch->n_node; i++)
            if (patch->node[i] == point->node[k]) {
                sum += point->local[k];
                break;
            }
    return sum;
}

int cond_point_patch(const CondModel* model, const CondPoint* point, double* share)
{
    int best = -1, soft = point->body >= 0 && model->body[point->body].kind == COND_BODY_SOFT;
    double most = 0.0;
    for (int i = 0; soft && i < model->n_patch; i++) {
        double here = model->patch[i].body == point->body ? share_in(&model->patch[i], point) : 0.0;
        best = here > most ? i : best;
        most = here > most ? here : most;
    }
    if (share)
        *share = most;
    return best;
}

int cond_sim_contact_patch(const CondSim* sim, int contact, int side, double* share)
{
    int known = !cond_sleep_gather(sim) &&
                !cond_index_check("contact", contact, sim->attempt.candidates.n) &&
                !cond_index_check("side", side, 2);
    if (known)
        return cond_point_patch(sim->model, &sim->attempt.candidates.candidate[contact].point[side],
                                share);
    if (share)
        *share = 0.0;
    return -1;
}
