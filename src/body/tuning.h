// Numbers of the functions of bodies. A header of numbers alone: it includes nothing.
#ifndef COND_BODY_TUNING_H
#define COND_BODY_TUNING_H

// [1] by which the coordinates of a robot move in the differences that give dM/dt: the truncation,
// some 1e-12 of M, is then about as large as the rounding.
#define COND_MASS_STEP 1e-3

#endif
