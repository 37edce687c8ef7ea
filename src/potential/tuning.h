// Numbers of forces, springs and attachments. A header of numbers alone: it includes nothing.
#ifndef COND_POTENTIAL_TUNING_H
#define COND_POTENTIAL_TUNING_H

// [1] -h^2 k d'I^-1 d / d'd from which the negative curvature of an attachment's turning is left
// out of K: beyond 1 the step would lose its unique answer, and a fifth keeps clear of that.
#define COND_STEEP_TURNING 0.2

#endif
