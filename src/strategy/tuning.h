// Numbers that say when a stage of the strategy ends and the next begins. A header of numbers
// alone: it includes nothing.
#ifndef COND_STRATEGY_TUNING_H
#define COND_STRATEGY_TUNING_H

enum {
    COND_RESTART_VFPI = 30, // [count] iterations of the first while of V-FPI between restarts,
                            // twice as many in each later one; and rounds of the multiplier loop
    COND_RESTARTS = 4,      // [count] of Newton's method with conjugate gradients after a while of
                            // V-FPI: the gripper under the proximal law needs up to three
    COND_PROXIMAL_ALL = 2000,      // [count] Newton steps of all rounds after the interior-point
                                   // method; walls under impact need 100 to 600
    COND_PROXIMAL_DIVISIBLE = 300, // [count] the same where the step may be halved
};

// [share] of the tolerance, for the step that follows where robots have limits, friction or motors
// at their effort: forces of joints at rest are then exact to six digits and more.
#define COND_SHARPER 1e-2
// [1] residual up to which rounds from Newton's pair come before the interior point,
#define COND_PILE_NEAR 1e-3
// [1] residual up to which the pair at hand is worth being near to: for the interior point, and of
// the interior point for rounds,
#define COND_CENTRAL_FROM 0.1
// [share] of what moves by which it starts inwards from that pair: in bins a sixth fewer iterations
// than from the middle of the cone, where Newton's method has come to 1e-3 a third fewer. With a
// third of it more of them end too early.
#define COND_CENTRAL_NEAR 0.03
// [share] of the velocities at play: a contact that opens faster in the pair at hand is left out of
// a solve; and of all contacts: fewer are not worth it. Ten walls under impact take 29,000 Newton
// steps with 0.03, 32,000 with 0.01 and 28,000 with 0.1, which leaves out less.
#define COND_OPEN_SPEED 0.03

#endif
