// The tuning numbers that several layers of a time step share.
#ifndef COND_SIM_TUNING_H
#define COND_SIM_TUNING_H

// [1] of the smaller body's size: what counts as an overlap of two bodies at rest, and the gap that
// parts a pair that touched; rounding opens less than 1e-8 of the size under bodies at rest
#define COND_OVERLAP 1e-6
// [m, rad] a gap below this counts as closed; of a metre, seven digits above rounding
#define COND_CLOSED 1e-9
// [m/s, rad/s] a speed below this is none: positions that differ by rounding give less at any step
#define COND_STILL 1e-9

#endif
