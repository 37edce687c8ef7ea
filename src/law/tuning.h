// Every number of the solver that was chosen, not derived, with its reason. "random problems" are
// those of test/random_problem.c, above all two soft sheets with friction 2, 4 and 8.
#ifndef COND_LAW_TUNING_H
#define COND_LAW_TUNING_H

// ---- strategy: when a stage ends and the next begins

enum {
    COND_TINY_PROBLEM = 60, // coordinates of a problem of a few bodies, whose factorisation costs
                            // next to nothing
    COND_FIRST_VFPI = 300,  // iterations of V-FPI before Newton's method, where the user asks for
                            // an accelerator of V-FPI
    COND_FIRST_OUTER = 30,  // and rounds of the multiplier loop
    COND_RESTARTS = 4,      // of Newton's method with conjugate gradients after a while of V-FPI:
                            // the gripper under the proximal law needs up to three
    COND_SHARP_PRODUCTS = 3000, // of Newton's method with sharper steps: balls of layers a
                                // thousandth of their size thick need 700 to 2500
    COND_RESTART_VFPI = 30, // iterations of the first such while, twice as many in each later one
    COND_NEWTON_STEPS = 12, // with a factorisation, before the interior-point method: dominoes
                            // waste them, random problems with friction 8 need them
    COND_RESISTING_STEPS = 40,     // those that resist changes of the forces: a settling heap of
                                   // 200 bodies takes 20 where many contacts change, 7 elsewhere;
    COND_RESISTING_PATIENCE = 12,  // of which this many in a row may halve nothing,
    COND_PILE_PATIENCE = 3,        // and of piles this many: steps that go to and fro between two
                                   // sets do so for ever, and the interior point needs no start
    COND_PILE_PROXIMAL = 12,       // steps of rounds from there, before the interior point
    COND_PATIENT_STEPS = 60,       // free ones, for the problems of the last two stages
    COND_PROXIMAL_STEPS = 15,      // of Newton's method in a round of proximal-point steps
    COND_PROXIMAL_FEW = 4,         // after so many or fewer a round has little resistance to fear,
    COND_PROXIMAL_MANY = 8,        // and after more than so many too little resistance
    COND_PROXIMAL_PATIENCE = 25,   // rounds that may make no progress: forces go a long way round
    COND_PROXIMAL_ALL = 2000,      // Newton steps of all rounds; walls under impact need 100 to 600
    COND_PROXIMAL_DIVISIBLE = 300, // the same where the step may be made in parts
};

// Resistance of Newton steps from the last step's forces, a share of gamma: a settling heap of 200
// bodies takes a tenth more factorisations with ten times as much, and 40 % more with a tenth.
#define COND_WARM_DAMPING 1e-3
// Of the tolerance, for the step that follows where robots have limits, friction or motors at their
// effort: forces of joints at rest are then exact to six digits and more.
#define COND_SHARPER 1e-2
// Proximal point: the resistance of the first round, a share of the contact's Delassus scale: an
// impact on a wall begins well with it; the forces of a heap's last step want less.
#define COND_PROXIMAL_FIRST 0.1
#define COND_PROXIMAL_NEAR 10.0 // times the residual of a start that is near, where that is less
#define COND_PROXIMAL_FROM_BEST 1e-2 // residual of Newton's method up to which its pair is a start
#define COND_PROXIMAL_LESS 3.0  // times less after a round of few Newton steps, more after many,
#define COND_PROXIMAL_MORE 10.0 // and that much more where they do not find the answer,
#define COND_PROXIMAL_MOST 1e3  // up to here
#define COND_PROXIMAL_SHARE                                                                        \
    0.3                       // of the residual at the start of a round: to there its problem is
                              // solved, fewer Newton steps in all than with 0.1 or 0.03,
#define COND_PROXIMAL_AIM 0.3 // or to that share of the tolerance
// The centre of the next round goes ahead where a round has left more than that share of the pull
// at the forces, in much the same direction (the cosine), by at most so many times what it moved:
// rounds of a heap that is about to give way creep along one direction.
#define COND_PROXIMAL_STEADY 0.5
#define COND_PROXIMAL_ALONG 0.9
#define COND_PROXIMAL_AHEAD 3.0

// The first start of the interior point, inwards from the pair at hand by so much of what moves: in
// bins a sixth fewer iterations than from the middle of the cone, where Newton's method has come to
// 1e-3 a third fewer. With a third of it more of them end too early.
#define COND_CENTRAL_NEAR 0.03
#define COND_CENTRAL_FROM 0.1 // residual up to which the pair at hand is worth being near to

// Residual up to which rounds from Newton's pair come before the interior point.
#define COND_PILE_NEAR 1e-3

// Coarse tolerance of problems that will be posed again with more contacts. In a step of a
// millisecond such an error moves what is as fast as 1 m/s by 1e-7 m.
#define COND_COARSE_TOLERANCE 1e-4

// No stage is asked for less: a residual of so many roundings is as far as double precision goes,
// and all that follows would be in vain. Whoever asks for less is told that it was missed.
#define COND_ROUNDING 1e-15

// ---- factorisation: where one pays

#define COND_MOST_WORK 4e9 // multiply-adds of one: some seconds
#define COND_MOST_PRODUCTS                                                                         \
    1e3                          // its work over that of a product with A, where a mesh is part of
                                 // the problem: conjugate gradients take a few hundred (the mat:
                                 // 140, the ball 3900)
enum { COND_LARGEST_NODE = 12 }; // coordinates that a node of a sparse block gathers

// ---- linearised law: least resistance against changes of contact forces, a share of gamma

#define COND_LEAST_RESISTANCE 1e-7     // that resisting steps may come down to; interior point
#define COND_RESISTANCE_FACTORED 1e-6  // what the factorisation's rounding allows
#define COND_RESISTANCE_NODE 1e-4      // conjugate gradients, where the preconditioner is exact
#define COND_RESISTANCE_NODES 0.05     // and where the contact joins several nodes: it is not
#define COND_RESISTANCE_FOLLOWING 5e-4 // where friction follows the normal force

// ---- Newton's method

enum {
    COND_WATCHDOG = 4, // steps that may leave the least merit behind: on the way round a corner of
                       // the law it grows at first
    COND_STALL = 3,    // steps of little progress after which conjugate gradients change their ways
    COND_SETTLED = 1000, // closed contacts per one that changes its kind: then they have settled
};
#define COND_PROGRESS 0.9       // of the merit, or of the certificate: less than that is progress
#define COND_SUFFICIENT 1e-3    // of the decrease that a step promises
#define COND_SHORTEST 0.05      // part of a step that is tried
#define COND_CREEPS 0.3         // of the merit: a step that leaves more creeps, and is prolonged
#define COND_LONGER 1.5         // times as far, as long as that helps,
#define COND_LONGEST 20.0       // up to here
#define COND_LEAST_DAMPING 1e-5 // resistance of damped steps, a share of gamma: at first,
#define COND_MORE_DAMPING 10.0  // times that where there is no way down, and back where there is,
#define COND_MOST_DAMPING 1.0   // up to here
#define COND_MOST_GROWTH 1e5    // of the fastest contact: beyond, forces feed on each other

#endif
