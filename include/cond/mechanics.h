// CondMechanics: the mechanics of the bodies in one state, for controllers and estimators: poses
// and velocities of points, Jacobians, mass matrices, bias forces, forward and inverse dynamics.
//
// A mechanics is a workspace of one thread. cond_mechanics_set copies q and v from a state; later
// changes of the state have no effect. Nothing allocates after the create. Arrays belong to the
// caller.
//
// Velocity coordinates of a body, from its first (cond_model_dof_begin) on:
//     particle    velocity                                                                   (3)
//     rigid       velocity of the centre of mass, world axes; angular velocity, BODY axes    (6)
//     soft        velocity of each node                                              (3 a node)
//     rod         as of a rigid body, link by link                                   (6 a link)
//     robot       where the base floats: velocity of its origin, world axes, and angular
//                 velocity, BASE axes (6); then the joints' rates
// so that power is force times velocity, coordinate by coordinate.
#ifndef COND_MECHANICS_H
#define COND_MECHANICS_H

#include "cond/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CondMechanics CondMechanics;

// Created at the initial configuration of the model, which must outlive it. Destroy it with
// cond_mechanics_destroy.
COND_API CondStatus cond_mechanics_create(const CondModel* model, CondMechanics** mechanics,
                                          CondError* error);
COND_API void cond_mechanics_destroy(CondMechanics* mechanics);
// Takes q and v of a state of the same model.
COND_API void cond_mechanics_set(CondMechanics* mechanics, const CondState* state);
// Takes one body's q (n_q) and v (n_dof) from arrays; v NULL: at rest. COND_BAD_ARGUMENT for an
// unknown body or numbers that are not finite; quaternions are made of length 1.
COND_API CondStatus cond_mechanics_set_body(CondMechanics* mechanics, int body, const double* q,
                                            const double* v);

// COND_BAD_ARGUMENT below: no such body or part, or a point that is not finite.

// Position, orientation, velocity and angular velocity of a point and the axes that move with it,
// all in world axes.
COND_API CondStatus cond_mechanics_pose(CondMechanics* mechanics, const CondPlace* place,
                                        CondPose* pose);
// J of the point's velocity (rows 0 .. 2) and of its axes' angular velocity (3 .. 5), world axes,
// on the *n coordinates from *first on: velocity = J v[first .. first + n). J NULL: only *first and
// *n are set.                                                            J (6 x n), row-major
COND_API CondStatus cond_mechanics_jacobian(CondMechanics* mechanics, const CondPlace* place,
                                            int* first, int* n, double* J);
// Acceleration of the point [m/s2] and of its axes [rad/s2], world axes, for rate = dv/dt of the
// body's coordinates; NULL: 0, so that the result is dJ/dt v.                    rate (n_dof)
COND_API CondStatus cond_mechanics_acceleration(CondMechanics* mechanics, const CondPlace* place,
                                                const double* rate, double linear[3],
                                                double angular[3]);

// M of a body, full and symmetric.                                            M (n_dof x n_dof)
COND_API CondStatus cond_mechanics_mass(CondMechanics* mechanics, int body, double* M);
// The bias forces of a body: weight, -C v, elastic forces, the damping of joints and materials. M
// dv/dt = f + tau, where tau is the sum of all other forces on it: motors, springs, attachments,
// contacts.                                                                         f (n_dof)
COND_API CondStatus cond_mechanics_bias(CondMechanics* mechanics, int body, double* f);
// The generalized weight alone: -f holds a robot against gravity.                 f (n_dof)
COND_API CondStatus cond_mechanics_weight(CondMechanics* mechanics, int body, double* f);
// rate = M^-1 (f + tau); tau NULL: 0. rate and tau may be the same array.     tau, rate (n_dof)
COND_API CondStatus cond_mechanics_forward(CondMechanics* mechanics, int body, const double* tau,
                                           double* rate);
// tau = M rate - f; rate NULL: 0. rate and tau may be the same array.         rate, tau (n_dof)
COND_API CondStatus cond_mechanics_inverse(CondMechanics* mechanics, int body, const double* rate,
                                           double* tau);
// f += J' (force, torque) of a force [N] and a torque [N m] in world axes at a point; either may be
// NULL. Nodes and particles do not feel torques.                                     f (n_dof)
COND_API CondStatus cond_mechanics_push(CondMechanics* mechanics, const CondPlace* place,
                                        const double force[3], const double torque[3], double* f);

// Impedance of a point and its axes: f += J' (K e - D twist) with the error e = (position, rotation
// vector) from the present pose to the target, in world axes, and the twist relative to the
// target's velocities. The result serves as torques for the joints of a robot
// (cond_state_set_targets), or as a force on any body (cond_state_set_force). K [N/m, N m/rad] and
// D [N s/m, N m s/rad] are diagonal in world axes.   stiffness, damping (6), f (n_dof of the body)
COND_API CondStatus cond_mechanics_impedance(CondMechanics* mechanics, const CondPlace* place,
                                             const CondPose* target, const double stiffness[6],
                                             const double damping[6], double* f);

// Kinetic energy, and potential energy of gravity and elasticity [J].
COND_API CondStatus cond_mechanics_energy(CondMechanics* mechanics, int body, double* kinetic,
                                          double* potential);

// Tolerance and limits of inverse kinematics.
typedef struct CondReachSettings {
    size_t struct_size; // of this struct, by its default function
    double tolerance;   // of the position [m] and the angle [rad]; 1e-9
    double length;      // length that a radian of error counts as [m]; 0.25
    int max_iterations; // for each start; 200
    int max_starts;     // the given configuration, then others within the limits; 20
} CondReachSettings;
COND_DEFAULT(COND_API, CondReachSettings, cond_reach_settings_default)

// Inverse kinematics: a configuration q of the robot, within its limits, in which a point of a link
// is at a position and its axes have an orientation (w, x, y, z), world [m]; NULL: any. Begins from
// q, moves joints that have one coordinate each, and leaves a floating base where it is. The
// mechanics is unchanged. COND_NOT_CONVERGED: q is the nearest configuration found. error, unless
// NULL, gets the remaining error of the position [m] and the angle [rad]. settings NULL: the
// defaults.                                                                q (n_q), error (2)
COND_API CondStatus cond_mechanics_reach(CondMechanics* mechanics, const CondPlace* place,
                                         const double position[3], const double* orientation,
                                         const CondReachSettings* settings, double* q,
                                         double* error);

#ifdef __cplusplus
}
#endif
#endif
