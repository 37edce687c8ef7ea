// Numbers of forces, springs and attachments. A header of numbers alone: it includes nothing.
#ifndef COND_POTENTIAL_TUNING_H
#define COND_POTENTIAL_TUNING_H

// [1] -h^2 k d'I^-1 d / d'd above which the negative curvature of an attachment's rotation is
// omitted from K: beyond 1 the step would have no unique answer; a fifth leaves a margin.
#define COND_STEEP_TURNING 0.2

#endif
