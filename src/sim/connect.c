// Which bodies act on each other in a step: those that contacts, springs or attachments join,
// directly or through others.
#include "sim/connect.h"

#include "sim/sim.h"

int cond_sim_n_tie(const CondSim* sim)
{
    return sim->model->n_spring + sim->next->n_weld;
}

int cond_sim_tie(const CondSim* sim, int i, int body[2])
{
    int n_spring = sim->model->n_spring;
    for (int s = 0; s < 2; s++)
        body[s] = i < n_spring ? sim->model->spring[i].end[s].body
                               : sim->next->weld[i - n_spring].what.end[s].point.body;
    return i < n_spring || sim->next->weld[i - n_spring].active;
}

void cond_connect_contacts(const CondSim* sim, const CondCandidateList* list, CondJoins* joins,
                           CondComponents* bodies)
{
    for (int c = 0; c < list->n; c++) {
        const CondPoint* point = list->candidate[c].point;
        if (!joins || joins(sim, list, c))
            cond_components_join(bodies, point[0].body, point[1].body);
    }
}

void cond_connect_ties(const CondSim* sim, CondComponents* bodies)
{
    for (int i = 0, body[2]; i < cond_sim_n_tie(sim); i++)
        if (cond_sim_tie(sim, i, body))
            cond_components_join(bodies, body[0], body[1]);
}

void cond_connect_islands(CondSim* sim)
{
    cond_components_begin(sim->model->n_body, &sim->attempt.islands);
    cond_connect_contacts(sim, &sim->attempt.candidates, NULL, &sim->attempt.islands);
    cond_components_end(&sim->attempt.islands);
}
