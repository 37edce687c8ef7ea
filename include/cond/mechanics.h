// CondMechanics: the mechanics of the bodies as they are in one state: where their points are and
// how they move, Jacobians, mass matrices, the forces of their own, and the way from forces to
// accelerations and back, for controllers and estimators.
//
// A mechanics is a workspace of one thread. cond_mechanics_set takes q and v out of a state; all
// that is read afterwards is about these, whatever becomes of the state. Nothing allocates after
// the create. Arrays are the caller's.
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

// At the model's start, which must outlive it. Destroy it with cond_mechanics_destroy.
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

// Where a point is, the axes it moves with, its velocity and theirs, all in the world's axes.
COND_API CondStatus cond_mechanics_pose(CondMechanics* mechanics, const CondPlace* place,
                                        CondPose* pose);
// J of the point's velocity (rows 0 .. 2) and of its axes' angular velocity (3 .. 5), world axes,
// on the *n coordinates from *first on: velocity = J v[first .. first + n). J NULL: only asks for
// these.                                                                      J (6 x n), row-major
COND_API CondStatus cond_mechanics_jacobian(CondMechanics* mechanics, const CondPlace* place,
                                            int* first, int* n, double* J);
// Acceleration of the point [m/s2] and of its axes [rad/s2], world axes, where the body's
// coordinates change by rate = dv/dt; NULL: 0, which leaves dJ/dt v.                rate (n_dof)
COND_API CondStatus cond_mechanics_acceleration(CondMechanics* mechanics, const CondPlace* place,
                                                const double* rate, double linear[3],
                                                double angular[3]);

// M of a body, full and symmetric.                                            M (n_dof x n_dof)
COND_API CondStatus cond_mechanics_mass(CondMechanics* mechanics, int body, double* M);
// The forces of a body's own: weight, -C v, elastic forces, the damping of joints and materials.
// M dv/dt = f + tau, tau being all other forces on it: motors, springs, attachments, contacts.
//                                                                                     f (n_dof)
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

// Impedance of a point and its axes: f += J' (K e - D twist) with e = (position, turn) from where
// it is to the target, world axes; as torques for the joints of a robot (cond_state_set_targets),
// or on any body (cond_state_set_force). The target's velocities count: twist is relative to them.
// K [N/m, N m/rad] and D [N s/m, N m s/rad] are diagonal in world axes.
//                                                     stiffness, damping (6), f (n_dof of the body)
COND_API CondStatus cond_mechanics_impedance(CondMechanics* mechanics, const CondPlace* place,
                                             const CondPose* target, const double stiffness[6],
                                             const double damping[6], double* f);

// Kinetic energy, and that of gravity and elasticity [J].
COND_API CondStatus cond_mechanics_energy(CondMechanics* mechanics, int body, double* kinetic,
                                          double* potential);

// How long inverse kinematics looks for a configuration.
typedef struct CondReachSettings {
    size_t struct_size; // of this struct, by its default function
    double tolerance;   // of the position [m] and the angle [rad]; 1e-9
    double length;      // one radian of error weighs as much as this many metres [m]; 0.25
    int max_iterations; // from each start; 200
    int max_starts;     // the given configuration, then others within the limits; 20
} CondReachSettings;
COND_DEFAULT(COND_API, CondReachSettings, cond_reach_settings_default)

// Inverse kinematics: a configuration q of the robot, within its limits, in which a point of a link
// is at a position and its axes have an orientation (w, x, y, z), world [m]; NULL: any. Begins from
// q, moves joints that have one coordinate each, and leaves a floating base where it is. The
// mechanics is left as it was. COND_OK, or COND_NOT_CONVERGED: q is then the nearest configuration
// seen. error, unless NULL, gets what is left of position [m] and angle [rad]. settings NULL: the
// defaults.                                                              q (n_q), error (2)
COND_API CondStatus cond_mechanics_reach(CondMechanics* mechanics, const CondPlace* place,
                                         const double position[3], const double* orientation,
                                         const CondReachSettings* settings, double* q,
                                         double* error);

#ifdef __cplusplus
}
#endif
#endif
