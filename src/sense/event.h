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
CondStatus cond_events_begin(CondSim* sim, CondState* state);
// Before the contacts of an attempt of `maker` are committed: memory for their events, so that
// nothing can fail once the state has changed. Where no step was begun, as in single stages,
// there are none.
CondStatus cond_events_reserve(CondSim* maker);
// When the contacts of an attempt of `maker` from `state` came to touch: maker->readings.touched.
CondStatus cond_events_note(CondSim* maker, const CondState* state);
// After the step: its events, and in the state what touches now. made: 0 where the step failed.
void cond_events_end(CondSim* sim, int made);

// The patch with the largest share of a point, as cond_sim_contact_patch says; -1: none.
int cond_point_patch(const CondModel* model, const CondPoint* point, double* share);

#endif
