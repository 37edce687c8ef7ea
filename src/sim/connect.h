// Islands of a step: the connected components of bodies that contacts, springs or attachments join.
#ifndef COND_SIM_CONNECT_H
#define COND_SIM_CONNECT_H

#include "base/components.h"
#include "collide/candidate.h"

typedef struct CondSim CondSim;

// Springs and attachments of sim->next: their number, and the two bodies of one, -1 for the world.
// cond_sim_tie returns 0 for an inactive attachment.
int cond_sim_n_tie(const CondSim* sim);
int cond_sim_tie(const CondSim* sim, int i, int body[2]);

// 1 if contact c of a list joins its bodies.
typedef int CondJoins(const CondSim* sim, const CondCandidateList* list, int c);

// Join bodies by contacts (all if joins is NULL), and by springs and attachments. To be called
// between cond_components_begin for the bodies of the model and cond_components_end.
void cond_connect_contacts(const CondSim* sim, const CondCandidateList* list, CondJoins* joins,
                           CondComponents* bodies);
void cond_connect_ties(const CondSim* sim, CondComponents* bodies);

// Computes the islands of all contacts of the step in sim->attempt.islands.
void cond_connect_islands(CondSim* sim);

#endif
