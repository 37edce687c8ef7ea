// The names of the enumerations of cond/problem.h.
#include "base/enum_name.h"
#include "cond/problem.h"

COND_ENUM_TABLE(CondBlockKind, cond_block_kind, {COND_BLOCK_DENSE, "dense"},
                {COND_BLOCK_SPARSE, "sparse"}, {COND_BLOCK_BSR3, "bsr3"},
                {COND_BLOCK_TRIDIAGONAL, "tridiagonal"})

COND_ENUM_TABLE(CondForceSet, cond_force_set, {COND_FORCE_CONE, "cone"},
                {COND_FORCE_INTERVAL, "interval"})
