// The target of a trajectory's frame at a time.
#ifndef COND_POTENTIAL_TRAJECTORY_H
#define COND_POTENTIAL_TRAJECTORY_H

#include "body/kinematics.h"
#include "model/model.h"

// Position by a cubic through the waypoints with a continuous velocity, at rest at both ends
// and where a waypoint says so;
// orientation by the shortest turn from waypoint to waypoint with a smooth start and end. Before
// the first and after the last waypoint it rests there.
CondIkTarget cond_trajectory_at(const CondTrajectory* trajectory, double time);

// The target of a joint: from waypoint to waypoint by 3 s^2 - 2 s^3, at rest at each.
double cond_trajectory_target(const CondTrajectory* trajectory, double time);

// Puts the frames in space of a kinematics where they are at that time.
void cond_trajectory_guide(CondKinematics* kinematics, double time);

#endif
