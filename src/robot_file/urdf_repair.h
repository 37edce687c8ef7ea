// Repairs impossible masses and inertias. A warning describes each change.
#ifndef COND_ROBOT_FILE_URDF_REPAIR_H
#define COND_ROBOT_FILE_URDF_REPAIR_H

#include "robot_file/urdf_xml.h"

// Replaces an inertia that no mass distribution can have by the nearest one in second moments.
// Removes an inertia without mass; refuses a negative mass.
CondStatus cond_urdf_repair_inertia(const CondUrdfFile* file, const xmlNode* node, CondLink* link);

// Ignores limits that would block a joint: swapped bounds, and speeds and efforts that are not
// positive, which exporters write for unknown values.
CondStatus cond_urdf_repair_limits(const CondUrdfFile* file, const xmlNode* node, CondLink* link);

// The mass for moving links that have none: a thousandth of the mean of those in the file,
// regardless of order.
double cond_urdf_given_mass(const CondArticulation* articulation);
// Sets that mass, and the inertia of a ball of water.
void cond_urdf_give_inertia(double mass, CondLink* link);

#endif
