// The appearance of a robot: the <visual> elements of its links, with the colours of their
// materials.
#ifndef COND_ROBOT_FILE_URDF_VISUAL_H
#define COND_ROBOT_FILE_URDF_VISUAL_H

#include "robot_file/urdf_xml.h"

// Reads a <visual>. Errors in it do not invalidate the robot: `counts` is then 0, and a missing
// mesh increments *missing. The caller releases the file name of a mesh.
CondStatus cond_urdf_read_visual(const CondUrdfFile* file, const xmlNode* node,
                                 CondLinkShape* shape, int* counts, int* missing);

#endif
