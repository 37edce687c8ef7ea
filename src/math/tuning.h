// Numbers of the decompositions of 3x3 matrices. A header of numbers alone: it includes nothing.
#ifndef COND_MATH_TUNING_H
#define COND_MATH_TUNING_H

// Newton's iteration for the rotation R nearest to F (polar.c, and by lanes in
// model/strain_batch.h). [1] det F^2, of (|F|^2 / 3)^3, from which the iteration converges in a few
// steps; below it the singular values are computed instead.
#define COND_POLAR_REGULAR 1e-3
// [1] squared change of a step above which the iterate is scaled before the next one (Higham).
#define COND_POLAR_FAR 1e-2

// [rad] angle below which the derivatives of the exponential map are taken from their series: to
// rounding at a tenth, where their formulas lose three digits.
#define COND_SERIES_ANGLE 0.1

#endif
