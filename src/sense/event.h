// Contacts that begin and end, as the loop of a step makes them (cond/event.h).
#ifndef COND_SENSE_EVENT_H
#define COND_SENSE_EVENT_H

#include "cond/event.h"
#include "model/point.h"

typedef struct CondEvents CondEvents;

// Makes and destroys sim->events.
CondStatus cond_events_create(CondSim* sim);
void cond_events_destroy(CondSim* sim);

// Before a step: no events, and what touches at its start.
CondStatus cond_events_begin(CondSim* sim, const CondState* state);
// After it: its events, and in the state what touches now. Where memory is short there are no
// events, and the state has what touched before: the step was made, and cannot fail any more.
void cond_events_end(CondSim* sim, CondState* state);

// The patch with the largest share of a point, as cond_sim_contact_patch says; -1: none.
int cond_point_patch(const CondModel* model, const CondPoint* point, double* share);

#endif
