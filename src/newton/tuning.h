// Numbers of Newton's method, of its linear systems, of proximal-point steps and of the
// interior-point method. "Random problems" are those of test/random_problem.c, above all two soft
// sheets with friction 2, 4 and 8. A header of numbers alone: it includes nothing.
#ifndef COND_NEWTON_TUNING_H
#define COND_NEWTON_TUNING_H

// ---- factorisation: where one pays

// [count] multiply-adds of one factorisation: some seconds.
#define COND_MOST_WORK 4e9
// [1] work of a factorisation over that of a product with A, where a mesh is part of the problem:
// conjugate gradients take a few hundred products (the mat: 140, the ball 3900).
#define COND_MOST_PRODUCTS 1e3

// ---- linearised law: resistance against changes of contact forces, shares of gamma

// [share] what the factorisation's rounding allows
#define COND_RESISTANCE_FACTORED 1e-6
// [share] least resistance that resisting steps may come down to; interior point
#define COND_LEAST_RESISTANCE 1e-7
// [share] of conjugate gradients, and where friction follows the normal force,
#define COND_RESISTANCE_ITERATIVE 5e-4
// [share] and where the contact joins several nodes, so that no block of one node has it
#define COND_RESISTANCE_NODES 0.05
// [share] of steps from the last step's forces: a settling heap of 200 bodies takes a tenth more
// factorisations with ten times as much, and 40 % more with a tenth.
#define COND_WARM_DAMPING 1e-3
// [share] of damped steps at first
#define COND_LEAST_DAMPING 1e-5
// [1] times as much damping where there is no way down, and back where there is; the same of rounds
// of proximal-point steps that are not solved, and of the first of them over the residual.
#define COND_MORE_DAMPING 10.0

// ---- steps

// [share] of the decrease that a step promises, which it must make
#define COND_SUFFICIENT 1e-3
// [1] of what stops, or opens, the fastest contact: beyond, forces press against each other, and
// there is no solution
#define COND_MOST_GROWTH 1e5
enum {
    COND_PATIENT_STEPS = 60, // [count] free steps of rods and over ranks, iterations of the
                             // interior-point method, and steps that resist changes of the forces:
                             // a settling heap of 200 bodies takes 20 where many contacts change,
                             // 7 elsewhere
    COND_CORRECTIONS = 3, // [count] of an answer by the residual that rounding has left. The first
                          // is made in any case: without it a bent ring at rest
                          // (test/test_ring.c) drifts, though its residual is below 1e-14 already
};

// ---- conjugate gradients for soft bodies

// COND_INNER_REDUCTION of the residual is what a Newton step leaves,
// [share] and where a coarse correction makes them cheap,
#define COND_GROUPED_REDUCTION 0.05
// [share] and where friction follows the normal force. So much less of it where steps lead nowhere.
#define COND_FULL_REDUCTION 1e-2
enum {
    COND_STEP_PRODUCTS = 300,  // [count] of a Newton step at most, and iterations of V-FPI before
                               // Newton's method, where the user asks for an accelerator of V-FPI
    COND_LEVELS_FROM = 32000,  // [count] nodes from which many levels pay from the start
    COND_GROUP_AFTER = 20,     // [count] products before a coarse correction of few groups is
                               // called for
    COND_ILL_CONDITIONED = 60, // [count] products of a step by which its system is known to be so,
                               // and a correction of many levels is called for
};

// ---- proximal-point steps

// [share] resistance of the first round, of the contact's Delassus scale: an impact on a wall
// begins well with it; the forces of a heap's last step want less.
#define COND_PROXIMAL_FIRST 0.1
// [1] times less after a round of few Newton steps, more after many,
#define COND_PROXIMAL_LESS 3.0
// [1] up to so many Delassus scales
#define COND_PROXIMAL_MOST 1e3
// The centre of the next round goes ahead where a round has left more than that share of the pull
// at the forces, in much the same direction (COND_ALIGNED), by at most so many times what it moved:
// rounds of a heap that is about to give way creep along one direction.
#define COND_PROXIMAL_STEADY 0.5 // [share]
#define COND_PROXIMAL_AHEAD 3.0  // [1] times what it moved, see above
enum {
    COND_PROXIMAL_STEPS = 15, // [count] of Newton's method in a round
    COND_PROXIMAL_FEW = 4,    // [count] after so many or fewer there is little to fear, and
                              // after more than twice as many too little resistance
};

// ---- the interior-point method

// [share] of the complementarity that is aimed at, at least and at most
#define COND_LEAST_CENTRING 0.05
#define COND_MOST_CENTRING 0.8 // [share] of the complementarity, at most
// [share] of the way to the boundary that a step goes; a length of what is left of it, twice in a
// row, is rounding
#define COND_TO_BOUNDARY 0.99
// [share] of a whole step: after a shorter one the pair goes back to the path first
#define COND_SHORT_STEP 0.3

#endif
