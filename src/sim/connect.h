// Which bodies act on each other in a step: those that contacts, springs or attachments join,
// directly or through others. Islands of bodies are the connected components of these.
#ifndef COND_SIM_CONNECT_H
#define COND_SIM_CONNECT_H

#include "base/components.h"
#include "collide/candidate.h"

typedef struct CondSim CondSim;

// Springs and attachments of sim->next: how many there are, and the two bodies of one, -1 for the
// world. Returns 0 where an attachment is not active.
int cond_sim_n_tie(const CondSim* sim);
int cond_sim_tie(const CondSim* sim, int i, int body[2]);

// 1 where contact c of a list joins its bodies.
typedef int CondJoins(const CondSim* sim, const CondCandidateList* list, int c);

// Join bodies by contacts, all where joins is NULL, and by springs and attachments. Between
// cond_components_begin for the bodies of the model and cond_components_end.
void cond_connect_contacts(const CondSim* sim, const CondCandidateList* list, CondJoins* joins,
                           CondComponents* bodies);
void cond_connect_ties(const CondSim* sim, CondComponents* bodies);

// The islands of the contacts of the step, all of them, in sim->attempt.islands.
void cond_connect_islands(CondSim* sim);

#endif
