// The elements of a URDF file, one function each.
#ifndef COND_ROBOT_FILE_URDF_PART_H
#define COND_ROBOT_FILE_URDF_PART_H

#include "robot_file/urdf_xml.h"

// <inertial> of a <link>: mass, centre and inertia, checked and mended.
CondStatus cond_urdf_read_inertial(const CondUrdfFile* file, const xmlNode* node, CondLink* link);

// <origin>, <axis>, <limit> and <dynamics> of a <joint> of the kind that the link has, and the
// numbers of <mimic>; checked and mended.
CondStatus cond_urdf_read_joint(const CondUrdfFile* file, const xmlNode* node, CondLink* link);

// A <collision> of a <link>; `counts` is 0 for one that holds nothing. The file of a mesh is the
// caller's to release, also where the shape is refused.
CondStatus cond_urdf_read_shape(const CondUrdfFile* file, const xmlNode* node, CondLinkShape* shape,
                                int* counts);

#endif
