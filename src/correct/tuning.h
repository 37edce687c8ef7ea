// Every number of the correction and of settling that was chosen, not derived, with its reason.
#ifndef COND_CORRECT_TUNING_H
#define COND_CORRECT_TUNING_H

// ---- the correction of a step

// [1] of its size: depth up to which only the surface of a soft body is moved; the energy of deeper
// dents would become speed (test_overlap)
#define COND_CORRECT_OF_SOFT 1e-4
// [1] compliance of contacts that may contradict each other, in Delassus scales: they miss a
// hundredth of the required displacement, which the next step corrects
#define COND_CORRECT_YIELD 1e-2
// [s] largest time step of the metric: with longer ones stiffness outweighs the masses so much that
// the problem is ill-conditioned
#define COND_CORRECT_LONGEST 0.01

// ---- settling before a run

// [1] of its size: largest displacement of a body in a round of correction, which is linear in the
// rotations
#define COND_SETTLE_ROUND 0.05
// [1] of its size: distance within which a body searches for others in its way
#define COND_SETTLE_REACH 0.5

enum {
    COND_CORRECT_ITERATIONS = 2000, // [count] iterations of a solve: the next step continues
    COND_CORRECT_LIMITS = 3,    // [count] repeated solves with joint limits that the displacement
                                // exceeds
    COND_SETTLE_TRIES = 8,      // [count] rounds of translations in a row without progress
    COND_SETTLE_PATIENCE = 100, // [count] the same for corrections, which move less
};

#endif
