// Inline functions of one or two numbers for loops over contacts: those of libm are function calls,
// and handle rare special values.
#ifndef COND_MATH_SCALAR_H
#define COND_MATH_SCALAR_H

#include "base/inline.h"
#include <math.h>

// The larger of two; `a` where b is NaN.
COND_DEVICE double scalar_max(double a, double b)
{
    return b > a ? b : a;
}

// max(x, 0); 0 where x is NaN.
COND_DEVICE double scalar_positive(double x)
{
    return x > 0.0 ? x : 0.0;
}

// 1 if a square is in the range in which neither it nor its root is inexact by over- or underflow.
COND_DEVICE int scalar_is_moderate(double square)
{
    return square > 1e-200 && square < 1e200;
}

// sqrt(x^2 + y^2)
COND_DEVICE double scalar_length(double x, double y)
{
    double square = x * x + y * y;
    return scalar_is_moderate(square) ? sqrt(square) : hypot(x, y);
}

#endif
