// Repairs of inertia matrices: the nearest one that some distribution of mass has.
#ifndef COND_ROBOT_FILE_INERTIA_MEND_H
#define COND_ROBOT_FILE_INERTIA_MEND_H

#include "model/articulation.h"

// I = Q diag(w) Q', both ways.
void cond_inertia_moments(const double I[9], double w[3], double Q[9]);
void cond_inertia_put(const double w[3], const double Q[9], double I[9]);

// I = 2/5 m r^2 of a ball of mass m and the density of water.
double cond_inertia_ball(double mass);

// The link's moments where some distribution of the mass has them, the nearest ones by second
// moments where not; an inertia without mass is dropped. Returns 1 where something was changed,
// with what in the text.
int cond_inertia_mend(CondLink* link, char* text, size_t size);

#endif
