// The dynamics of an articulated body straight from Lagrange's equations: dense, slow, and sharing
// with the library nothing but the description of the links.
//
// Coordinates x (n_dof) are true ones: for a floating base position, then yaw, pitch and roll, then
// the joints. The rates dx/dt and the library's velocities v are related by v = W(x) dx/dt.
#ifndef COND_TEST_LAGRANGIAN_H
#define COND_TEST_LAGRANGIAN_H

#include "model/articulation.h"

// The library's configuration at x.                                           q (n_q)
void lagrangian_configuration(const CondArticulation* a, const double* x, double* q);
// W(x), row-major.                                                            W (n_dof x n_dof)
void lagrangian_rates(const CondArticulation* a, const double* x, double* W);
// Pose of a link as a 4x4 matrix.
void lagrangian_pose(const CondArticulation* a, const double* x, int link, double T[16]);
// M(x) of the kinetic energy 1/2 x' M x, by traces of derivatives of the poses.
void lagrangian_mass(const CondArticulation* a, const double* x, double* M);
// The free acceleration dv/dt in the library's velocities, for rates dx/dt: M x'' = -c - dU/dx with
// Christoffel symbols from differences of M.                                  dv (n_dof)
void lagrangian_acceleration(const CondArticulation* a, const double* x, const double* rate,
                             const double gravity[3], double* dv);

#endif
