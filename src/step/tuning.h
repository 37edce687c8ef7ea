// Every number of the loop over a step that was chosen, not derived, with its reason.
#ifndef COND_STEP_TUNING_H
#define COND_STEP_TUNING_H

// ---- which contacts are detected, and how they are posed

// [m] added to the search distance of soft bodies, rods and robots, whose motion is estimated from
// the last step alone
#define COND_REACH_OF_SOFT 1e-4
// [1] share of the distance that weight causes in a step: in a heap a smaller gap counts as 0,
// since otherwise nanometres would decide which of many contacts support a body
#define COND_HEAP_GAP 0.004

// ---- contacts that the answer violates

// [1] share of the distance that weight causes in a step, between rigid bodies: the order of the
// error of linearised rotations
#define COND_VIOLATION_FALL 0.1
// [1] of the size: upper limit of that
#define COND_VIOLATION_MOST 3e-4
// [1] of the smaller body's size: points farther apart are different contacts
#define COND_OTHER_POINT 0.05
// [1] factor of both limits for two contacts found by rounds
#define COND_OTHER_AGAIN 0.1

// ---- pieces of a step with error control (step/piece.c)

// Share of the step: pairs of pieces are never shorter, whatever the error.
#define COND_PIECE_SHORTEST (0.5 / COND_PIECES_MOST)

enum {
    COND_PIECES_MOST = 512, // [count] of a step; the rest is made without error control
    COND_PIECE_TRUST = 16, // [count] pieces that resemble the pair before them and are made without
                           // an error estimate
    COND_RECHECK_EARLY = 2, // [count] rounds during which persistent contacts stay at the middle of
                            // the step, and after which a coarse answer may leave tolerable
                            // violations; the final answer may not
    COND_PROPAGATION_SWEEPS = 100, // [count] sweeps over all contacts: the next round continues
};

#endif
