// Repairs of masses and inertias that no body can have. A warning says what was changed.
#ifndef COND_ROBOT_FILE_URDF_REPAIR_H
#define COND_ROBOT_FILE_URDF_REPAIR_H

#include "robot_file/urdf_xml.h"

// Moments of inertia that some distribution of the mass has: those given where they are, the
// nearest ones by second moments where they are not. An inertia without mass is dropped; a negative
// mass is refused.
CondStatus cond_urdf_repair_inertia(const CondUrdfFile* file, const xmlNode* node, CondLink* link);

// Limits that leave a joint something to do: bounds the wrong way round count as none, as do speeds
// and efforts that are not above zero, which is how exporters write what they do not know.
CondStatus cond_urdf_repair_limits(const CondUrdfFile* file, const xmlNode* node, CondLink* link);

// The mass of links that move on their own and have none: a thousandth of the mean of those that
// the file gives, whatever their order.
double cond_urdf_given_mass(const CondArticulation* articulation);
// That mass, and the inertia of a ball of water.
void cond_urdf_give_inertia(double mass, CondLink* link);

#endif
