// The target of a trajectory's frame at a time.
#ifndef COND_POTENTIAL_TRAJECTORY_H
#define COND_POTENTIAL_TRAJECTORY_H

#include "body/kinematics.h"
#include "model/model.h"

// Interpolates the waypoints. The position is a cubic spline with continuous velocity, which is
// zero at the first, the last and every waypoint with `rest`. The orientation follows the shortest
// rotation between neighbouring waypoints and is at rest at each. Before the first and after the
// last waypoint the pose is constant.
CondIkTarget cond_trajectory_at(const CondTrajectory* trajectory, double time);

// The target of a joint: interpolated by 3 s^2 - 2 s^3 between waypoints, at rest at each.
double cond_trajectory_target(const CondTrajectory* trajectory, double time);

// Sets the poses of the trajectories without a body (`guide` of the kinematics) at that time.
void cond_trajectory_guide(CondKinematics* kinematics, double time);

#endif
