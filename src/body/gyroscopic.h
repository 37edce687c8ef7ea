// The gyroscopic torque of a body that turns freely.
#ifndef COND_BODY_GYROSCOPIC_H
#define COND_BODY_GYROSCOPIC_H

// torque = w x I w at the middle w of the force-free implicit midpoint step of length t from w0.
// That step keeps the energy and |I w| exactly, so taking -C v there makes tumbling neither gain
// nor lose energy at any step length, where -C v at w0 would gain.
void cond_gyroscopic_torque(const double I[9], const double w0[3], double t, double torque[3]);

#endif
