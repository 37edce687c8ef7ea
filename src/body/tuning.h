// Numbers of the functions of bodies. A header of numbers alone: it includes nothing.
#ifndef COND_BODY_TUNING_H
#define COND_BODY_TUNING_H

// [1] step of the coordinates of a robot in the finite differences for dM/dt: the truncation error,
// some 1e-12 of M, is then about as large as the rounding error.
#define COND_MASS_STEP 1e-3

#endif
