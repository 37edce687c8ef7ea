// The appearance of a robot: the <visual> elements of its links, with the colours of their
// materials.
#ifndef COND_ROBOT_FILE_URDF_VISUAL_H
#define COND_ROBOT_FILE_URDF_VISUAL_H

#include "robot_file/urdf_xml.h"

// Reads a <visual>. What is wrong with it is no fault of the robot: `counts` is 0 then, and where
// its mesh is not there, `missing` grows. The file of a mesh is the caller's to release.
CondStatus cond_urdf_read_visual(const CondUrdfFile* file, const xmlNode* node,
                                 CondLinkShape* shape, int* counts, int* missing);

#endif
