// Every number of the correction and of settling that was chosen, not derived, with its reason.
#ifndef COND_CORRECT_TUNING_H
#define COND_CORRECT_TUNING_H

// ---- the correction of a step

// [1] of its size: so deep a soft body's surface gives way alone; of deeper dents the energy would
// become speed (test_overlap)
#define COND_CORRECT_OF_SOFT 1e-4
// [1] compliance of contacts that may contradict each other, in Delassus scales: they miss a
// hundredth of what is asked for, and the next step asks again
#define COND_CORRECT_YIELD 1e-2
// [s] time step of the metric at most: in longer ones stiffness outweighs the masses by so much
// that the problem is hard
#define COND_CORRECT_LONGEST 0.01

// ---- settling before a run

// [1] of its size: how far a body moves in a round of correction; linear in the rotations
#define COND_SETTLE_ROUND 0.05
// [1] of its size: how near a body looks for others on its way
#define COND_SETTLE_REACH 0.5

enum {
    COND_CORRECT_ITERATIONS = 2000, // [count] of a solve: the next step goes on with what is left
    COND_CORRECT_LIMITS = 3,    // [count] solves again with limits of joints that the motion passes
    COND_SETTLE_TRIES = 8,      // [count] rounds of translations in a row without progress
    COND_SETTLE_PATIENCE = 100, // [count] the same of corrections, each of which moves little
};

#endif
