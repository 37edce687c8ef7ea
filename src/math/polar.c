// Polar and singular value decomposition of 3x3 matrices (row-major) with proper rotations.
#include "math/polar.h"

#include "math/polar_item.h"

void cond_svd3(const double F[9], double U[9], double s[3], double V[9])
{
    cond_polar_svd(F, U, s, V);
}

void cond_polar_rotation(const double F[9], double R[9])
{
    cond_polar_rotate(F, R);
}
