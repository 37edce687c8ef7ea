// Numbers of contact problems, for all layers that pose or solve them.
#ifndef COND_PROBLEM_TUNING_H
#define COND_PROBLEM_TUNING_H

#include "base/tuning.h"

// [1] largest friction that a problem may have: the inverse of a larger one is below rounding.
#define COND_FRICTION_MAX (1.0 / COND_ROUNDING)

#endif
