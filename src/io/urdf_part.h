// The elements of a URDF file, one function each.
#ifndef COND_IO_URDF_PART_H
#define COND_IO_URDF_PART_H

#include "io/urdf_xml.h"

// <inertial> of a <link>: mass, centre and inertia, checked.
CondStatus cond_urdf_read_inertial(const CondUrdfFile* file, const xmlNode* node, CondLink* link);

// <origin>, <axis>, <limit> and <dynamics> of a <joint> of the kind that the link has, and the
// numbers of <mimic>; checked.
CondStatus cond_urdf_read_joint(const CondUrdfFile* file, const xmlNode* node, CondLink* link);

// Every <collision> of a <link>, added to the articulation's link of that number.
CondStatus cond_urdf_read_shapes(const CondUrdfFile* file, const xmlNode* node, int link);

#endif
