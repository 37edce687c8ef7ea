// The tuning numbers that several layers of a time step share.
#ifndef COND_SIM_TUNING_H
#define COND_SIM_TUNING_H

// [1] of the smaller body's size: the depth that counts as an overlap of two bodies at rest, and
// the gap that ends a touch; rounding opens less than 1e-8 of the size under bodies at rest. For
// rods also the penetration that is corrected: a rod that rolls on its winding axis ends every step
// inside by half the square of its rotation, which may accumulate slightly
#define COND_OVERLAP 1e-6

// ---- lengths; also used as angles [rad] and speeds [m/s, rad/s]

// [m] Gaps below it are closed, larger penetration is corrected, and speeds below it count as zero:
// for a metre, seven digits above rounding. Its square [J] is a negligible energy.
#define COND_NANOMETRE 1e-9
// [m] Added to the distance within which bodies search for contacts; a violation that is ignored
// for any size; and the speed against a closed joint limit below which there is no impact.
#define COND_MICROMETRE 1e-6
// [m] Limit of penetration of bodies without a width, and a speed whose energy is always allowed.
#define COND_MILLIMETRE 1e-3

// ---- joints

// [rad/s, m/s, N m, N] a negligible speed or force
#define COND_JOINT_NOTHING 1e-30

// ---- penetration and runaways

// [1] of the width of the thinner body: the limit of penetration. Also the share of that limit by
// which a pair must have become deeper in the step, and from which its true depth is computed
#define COND_DEPTH_SHARE 0.1
// [1] times the available energy: a run with more has diverged
#define COND_RUNAWAY 1e3

enum {
    COND_STAGE_PRODUCTS = 100, // [count] products of conjugate gradients for an island in the
                               // impact and correction problems: a settling heap of 200 bodies
                               // takes 120
};

#endif
