// Velocities of contacts in one unit. An interval of forces may act on an angle, and radians a
// second are not metres a second: its velocity is measured by a lever, so that contacts whose
// forces do the same work count the same.
#ifndef COND_PROBLEM_LEVER_H
#define COND_PROBLEM_LEVER_H

#include "cond/problem.h"

// lever_c u_c is a velocity in the unit of the friction cones: u_c^2 / gamma_c is a power whatever
// the unit of u_c, so lever_c = sqrt(gamma / gamma_c), gamma the geometric mean of the scales of
// all cones, or of all intervals where there are no cones. 1 of a cone.
//                                                            delassus, lever (n_contact)
void cond_contact_levers(const CondProblem* problem, const double* delassus, double* lever);

#endif
