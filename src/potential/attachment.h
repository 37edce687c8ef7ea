// Attachments: two frames connected by implicit spring-dampers, in three or six directions.
#ifndef COND_POTENTIAL_ATTACHMENT_H
#define COND_POTENTIAL_ATTACHMENT_H

#include "assemble/assemble.h"
#include "model/state.h"

// Sets the held relative pose of an attachment: the given one, or the present one.
void cond_weld_make(const CondKinematics* kinematics, CondWeld* weld);

// 1 if an end moves along a trajectory: the attachment then does work on the other end.
int cond_weld_is_led(const CondWeld* weld);

// 1 if it is rigid: its stiffness is infinite, and one end has no body.
int cond_weld_is_exact(const CondWeld* weld);

// 1 if it has damping.
int cond_weld_is_damped(const CondWeld* weld);

// Rotation vector of a rotation matrix, |log| <= pi.
void cond_rotation_log(const double R[9], double w[3]);

// The body of end 0, or that of end 1 if end 0 has none.
int cond_weld_body(const CondWeld* weld);

// Adds the force -J' K e to f and the coupling J' (th t K + D) J to the assembly; step = th t. The
// geometric stiffness of rigid bodies and links is added to their blocks. An exact attachment adds
// nothing. If the kinematics spans the step, e is its mean over the step.
CondStatus cond_weld_add(const CondKinematics* kinematics, const CondWeld* weld, double step,
                         CondAssembly* assembly, double* f);

// Force (0..2) [N] and torque (3..5) [N m] on end 0 in world axes during a step with v_hat. The
// assembly is scratch.
CondStatus cond_weld_wrench(const CondKinematics* kinematics, const CondWeld* weld, double step,
                            const double* v_hat, CondAssembly* assembly, double wrench[6]);

// The mean over the step of the error of the points, if the kinematics spans it.
void cond_weld_mean_error(const CondKinematics* kinematics, const CondWeld* weld, double e[3]);

// The terms of the derivative of an attachment's force by the velocities that the coupling omits,
// for ends on rigid bodies, in the middle of a step of length t with the velocity v: the columns of
// the rotational coordinates in the rate of the error, at the end of the step less those in the
// middle; and the change of the torque of the force in body axes by the rotation.
typedef struct CondWeldTurning {
    int turns[2];       // 1: such an end
    double lever[2][9]; // (3 x 3)
    double force[2][9]; // times h = t/2, to be added to A's block of the rotational coordinates
} CondWeldTurning;
void cond_weld_turning(const CondKinematics* kinematics, const CondWeld* weld, const double* v,
                       double t, CondWeldTurning* turning);

double cond_weld_energy(const CondKinematics* kinematics, const CondWeld* weld);

#endif
