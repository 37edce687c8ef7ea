// The element of SRDF files that concerns contact: pairs of links of a robot that never touch.
#ifndef COND_ROBOT_FILE_SRDF_H
#define COND_ROBOT_FILE_SRDF_H

#include "model/articulation.h"

// Adds the pairs of <disable_collisions link1 link2> to the robot, and those of every link in
// <disable_default_collisions link> with all others except pairs in <enable_collisions link1
// link2>. Links that the robot does not have get a warning. Messages begin with "path:line: ".
CondStatus cond_srdf_read(const CondContext* context, const char* path, CondArticulation* robot,
                          CondError* error);

#endif
