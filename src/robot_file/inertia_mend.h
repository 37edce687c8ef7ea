// Repairs inertia matrices: replaces an unphysical one by the nearest one that a mass distribution
// can have.
#ifndef COND_ROBOT_FILE_INERTIA_MEND_H
#define COND_ROBOT_FILE_INERTIA_MEND_H

#include "model/articulation.h"

// Convert between I and its principal moments: I = Q diag(w) Q'.
void cond_inertia_moments(const double I[9], double w[3], double Q[9]);
void cond_inertia_put(const double w[3], const double Q[9], double I[9]);

// I = 2/5 m r^2 of a ball of mass m and the density of water.
double cond_inertia_ball(double mass);

// Replaces the link's inertia, if no mass distribution can have it, by the nearest one in second
// moments; removes an inertia without mass. Returns 1, with a description in the text, if something
// was changed.
int cond_inertia_mend(CondLink* link, char* text, size_t size);

#endif
