// Where a trajectory wants its frame to be.
#ifndef COND_STEP_TRAJECTORY_H
#define COND_STEP_TRAJECTORY_H

#include "body/articulation.h"
#include "scene/model.h"

// Position by a cubic through the waypoints with a continuous velocity, at rest at both ends;
// orientation by the shortest turn from waypoint to waypoint with a smooth start and end. Before
// the first and after the last waypoint it rests there.
CondIkTarget cond_trajectory_at(const CondTrajectory* trajectory, double time);

#endif
