// Every number of the loop over a step that was chosen, not derived, with its reason.
#ifndef COND_STEP_TUNING_H
#define COND_STEP_TUNING_H

// ---- which contacts are looked for, and how they are posed

// [m] how much farther than they may move: soft bodies, rods and robots, whose way is known from
// the last step alone
#define COND_REACH_OF_SOFT 1e-4
// [1] share of the way that weight makes in a step: a gap below it is none in a heap, where
// nanometres would decide which of many contacts bear a body
#define COND_HEAP_GAP 0.004

// ---- contacts that the answer violates

// [1] share of the way that weight makes in a step, between rigid bodies: the order of what turning
// adds to the linear motion
#define COND_VIOLATION_FALL 0.1
// [1] of the size: that at most
#define COND_VIOLATION_MOST 3e-4
// [1] of the smaller body's size: points as far apart are other ones
#define COND_OTHER_POINT 0.05
// [1] share of both limits for two contacts that rounds have found
#define COND_OTHER_AGAIN 0.1

// ---- pieces of a step that knows its error (step/piece.c)

// Share of the step: pairs of pieces are no shorter, whatever the error.
#define COND_PIECE_SHORTEST (0.5 / COND_PIECES_MOST)

enum {
    COND_PIECES_MOST = 512, // [count] of a step; the rest of it is made as it comes
    COND_PIECE_TRUST = 16,  // [count] pieces that are like the pair before them and made but once
    COND_RECHECK_EARLY = 2, // [count] rounds for which contacts that last stay in the middle, and
                            // after which a coarse answer passes over what may be left: the
                            // answer itself will not
    COND_PROPAGATION_SWEEPS = 100, // [count] over all contacts: the next round goes on
};

#endif
