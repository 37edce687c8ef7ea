// Paths of the files that a robot's file names.
#ifndef COND_ROBOT_FILE_URDF_PACKAGE_H
#define COND_ROBOT_FILE_URDF_PACKAGE_H

#include "robot_file/urdf_xml.h"

// The file that a mesh names. package://NAME/REST, also model:// and $(find NAME)/REST, is
// NAME/REST in one of the folders of packages or in its share/, in the folder of the robot's file
// or in one above it, or REST in one of these; other relative names are in the folder of the
// robot's file or in one above it. If nothing is found, `found` is 0, the name is unchanged, and a
// warning is stored. The caller releases *path.
CondStatus cond_urdf_find_file(const CondUrdfFile* file, const xmlNode* node, const char* name,
                               char** path, int* found);

#endif
