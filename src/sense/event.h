// Events of contacts that begin and end, collected by the step (cond/event.h).
#ifndef COND_SENSE_EVENT_H
#define COND_SENSE_EVENT_H

#include "cond/event.h"
#include "model/point.h"

typedef struct CondEvents CondEvents;

// Create and destroy sim->events.
CondStatus cond_events_create(CondSim* sim);
void cond_events_destroy(CondSim* sim);

// Before a step: clears the events, and takes the touching pairs at its start.
CondStatus cond_events_begin(CondSim* sim, CondState* state);
// Before the contacts of an attempt of `maker` are committed: reserves memory for their events, so
// that nothing can fail once the state has changed. Single stages, outside of a step, record no
// events.
CondStatus cond_events_reserve(CondSim* maker);
// Computes the times of touch of the contacts of an attempt of `maker` from `state`, in
// maker->readings.touched.
CondStatus cond_events_note(CondSim* maker, const CondState* state);
// After the step: sets its events, and the touching pairs in the state. made: 0 if the step failed.
void cond_events_end(CondSim* sim, int made);

// The patch with the largest share of a point, as cond_sim_contact_patch says; -1: none.
int cond_point_patch(const CondModel* model, const CondPoint* point, double* share);

#endif
