// Numbers of contact problems, for all layers that pose or solve them. A header of numbers alone:
// it includes nothing.
#ifndef COND_PROBLEM_TUNING_H
#define COND_PROBLEM_TUNING_H

// [1] greatest friction that a problem may have: beyond, mu^2 exceeds the precision of a double.
#define COND_FRICTION_MAX 1e12
// [1] relative asymmetry that a block or a gain may have: nine digits, as text files have them.
#define COND_SYMMETRY 1e-9
// [1] by which products of a contact frame's rows may differ from 0 and 1: single precision.
#define COND_ORTHONORMAL 1e-6

#endif
