// The tuning numbers that several layers of a time step share.
#ifndef COND_SIM_TUNING_H
#define COND_SIM_TUNING_H

// [1] of the smaller body's size: what counts as an overlap of two bodies at rest, and the gap that
// parts a pair that touched; rounding opens less than 1e-8 of the size under bodies at rest. Of a
// rod, penetration that is corrected: one that rolls on what it is wound about ends every step
// inside by half the square of its turn, which may add up a little
#define COND_OVERLAP 1e-6

// ---- lengths, and the same of turns [rad] and a second [m/s, rad/s]

// [m] Gaps below it are closed, penetration beyond it is corrected, and speeds below it are none:
// of a metre, seven digits above rounding. Its square [J] is an energy that no body notices.
#define COND_NANOMETRE 1e-9
// [m] How much farther than they may move bodies look for contacts, violation that does not count
// whatever the size, and the speed against a closed limit of a joint that is no impact.
#define COND_MICROMETRE 1e-6
// [m] Limit of penetration of bodies without a width, and a speed whose energy is always allowed.
#define COND_MILLIMETRE 1e-3

// ---- joints

// [rad/s, m/s, N m, N] a speed or a force that no mechanics notices
#define COND_JOINT_NOTHING 1e-30

// ---- penetration and runaways

// [1] of the width of the thinner body: the limit of penetration; and of that limit, by which a
// pair must have become deeper in the step, and from which on its depth is looked at closer
// than its contacts do
#define COND_DEPTH_SHARE 0.1
// [1] times the energy that there may be: a run beyond has gone wrong
#define COND_RUNAWAY 1e3

enum {
    COND_STAGE_PRODUCTS = 100, // [count] of conjugate gradients with an island in the impact and
                               // correction problems: a settling heap of 200 bodies takes 120
};

#endif
