// The algebra of the round cone x_0 >= |x_t| that the interior-point method moves in.
#ifndef COND_NEWTON_INTERIOR_CONE_H
#define COND_NEWTON_INTERIOR_CONE_H

// out = a o b = (a'b, a_0 b_t + b_0 a_t).
void cond_cone_multiply(const double a[3], const double b[3], double out[3]);

// x with a o x = b.
void cond_cone_divide(const double a[3], const double b[3], double x[3]);

// The Nesterov-Todd scaling of a pair inside the cone: W with W z = W^-1 y.
void cond_cone_scaling(const double y[3], const double z[3], double W[9]);

// out = W x, which may be x; x = W^-1 x.
void cond_cone_scale(const double W[9], const double x[3], double out[3]);
void cond_cone_unscale(const double W[9], double x[3]);

// M = (W^2 + slip E T^2)^-1 with E = I + e1 (0, e)' and the diagonal of T.
void cond_cone_gain(const double W[9], double slip, const double T[3], const double e[2],
                    double M[9]);

// The longest step, at most 1, that leaves x + a d in the cone.
double cond_cone_longest(const double x[3], const double d[3]);

#endif
