// The tuning numbers that several layers of a time step share.
#ifndef COND_SIM_TUNING_H
#define COND_SIM_TUNING_H

// [1] of the smaller body's size: what counts as an overlap of two bodies at rest, and the gap that
// parts a pair that touched; rounding opens less than 1e-8 of the size under bodies at rest. Of a
// rod, penetration that is corrected: one that rolls on what it is wound about ends every step
// inside by half the square of its turn, which may add up a little
#define COND_OVERLAP 1e-6
// [m, rad] a gap below this counts as closed, and penetration beyond it is corrected; of a metre,
// seven digits above rounding
#define COND_CLOSED 1e-9
// [m/s, rad/s] a speed below this is none: positions that differ by rounding give less at any step
#define COND_STILL 1e-9
// [m] how much farther than they may move bodies look for contacts, and violation that does not
// count, whatever the size
#define COND_REACH 1e-6

// ---- joints

// [rad/s, m/s] against a closed limit: no impact worth the name
#define COND_JOINT_CALM 1e-6
// [rad/s, m/s, N m, N] a speed or a force that no mechanics notices
#define COND_JOINT_NOTHING 1e-30

// ---- penetration and runaways

// [1] of the width of the thinner body: the limit of penetration; and of that limit, by which a
// pair must have become deeper in the step
#define COND_DEPTH_SHARE 0.1
// [m] the same where neither has a width
#define COND_DEPTH_OF_POINT 0.001
// [1] of the limit, from which on the depth of a pair is looked at closer than its contacts do
#define COND_DEPTH_LOOK 0.02
// [1] times the energy that there may be: a run beyond has gone wrong
#define COND_RUNAWAY 1e3
// [m/s] a speed whose energy is always allowed
#define COND_RUNAWAY_SLOW 1e-3

enum {
    COND_STAGE_PRODUCTS = 100, // [count] of conjugate gradients with an island in the impact and
                               // correction problems: a settling heap of 200 bodies takes 120
};

#endif
