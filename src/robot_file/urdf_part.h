// The elements of a URDF file, one function each.
#ifndef COND_ROBOT_FILE_URDF_PART_H
#define COND_ROBOT_FILE_URDF_PART_H

#include "robot_file/urdf_xml.h"

// <inertial> of a <link>: mass, centre and inertia, checked and repaired.
CondStatus cond_urdf_read_inertial(const CondUrdfFile* file, const xmlNode* node, CondLink* link);

// <origin>, <axis>, <limit> and <dynamics> of a <joint> of the kind that the link has, and the
// values of <mimic>; checked and repaired.
CondStatus cond_urdf_read_joint(const CondUrdfFile* file, const xmlNode* node, CondLink* link);

// A <collision> of a <link>; `counts` is 0 for an empty one. The caller releases the file name of a
// mesh, even if the shape is refused.
CondStatus cond_urdf_read_shape(const CondUrdfFile* file, const xmlNode* node, CondLinkShape* shape,
                                int* counts);

#endif
