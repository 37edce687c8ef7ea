// Polar and singular value decomposition of 3x3 matrices (row-major) with proper rotations.
#ifndef COND_MATH_POLAR_H
#define COND_MATH_POLAR_H

// Steps after which Newton's iteration for the rotation gives up; it takes a few.

// F = U diag(s) V' with det U = det V = +1 and s0 >= s1 >= |s2|: a reflection shows as s2 < 0. If F
// does not determine U (rank 0 or 1), U V' is the admissible rotation nearest to the identity, as
// far as a short formula gives it. F that is not finite gives U = V = I and s = 0.
void cond_svd3(const double F[9], double U[9], double s[3], double V[9]);

// The proper rotation R closest to F, which maximises tr(R'F): R = U V' above. Then S = R'F is
// symmetric; it is positive definite when det F > 0. R is a rotation for every F, even for zero and
// for reflections; R = I where F is zero or not finite.
void cond_polar_rotation(const double F[9], double R[9]);

#endif
