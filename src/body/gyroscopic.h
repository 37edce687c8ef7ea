// The gyroscopic torque of a freely rotating body.
#ifndef COND_BODY_GYROSCOPIC_H
#define COND_BODY_GYROSCOPIC_H

// torque = w x I w at the middle w of the force-free implicit midpoint step of length t from w0.
// That step keeps the energy and |I w| exactly, so taking -C v there makes tumbling neither gain
// nor lose energy at any step length, where -C v at w0 would gain.
void cond_gyroscopic_torque(const double I[9], const double w0[3], double t, double torque[3]);

// The same in the middle of a step of length 2 h that turns the body by 2 h w in its axes, from w0
// to 2 w - w0. With L = I w0 and L' = I (2 w - w0) at its ends, both seen from the middle,
//     I (w - w0)/h + torque = (exp(h [w]x) L' - exp(-h [w]x) L)/(2 h):
// without another torque the angular momentum in space is conserved for any angle of rotation, and
// since w is invariant under the rotation, so is the energy.
void cond_gyroscopic_middle(const double I[9], const double w0[3], const double w[3], double h,
                            double torque[3]);

// T = d torque/dw                                                                       (3 x 3)
void cond_gyroscopic_derivative(const double I[9], const double w0[3], const double w[3], double h,
                                double T[9]);

#endif
