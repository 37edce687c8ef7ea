// W = L L' of a local problem, by pivoted Cholesky, for W positive semi-definite.
#ifndef COND_FCLIB_FCLIB_FACTOR_H
#define COND_FCLIB_FCLIB_FACTOR_H

#include "fclib/csr.h"

// L (n x rank), rows in the order of W. *error becomes max |W - L L'| / max |W|; it is far above
// rounding exactly if W has a negative eigenvalue, and L is then invalid.
CondStatus cond_fclib_factor(const CondContext* context, const CondCsr* W, CondCsr* L,
                             double* error);

#endif
