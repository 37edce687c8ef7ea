// Where the files are that a robot names.
#ifndef COND_IO_URDF_PACKAGE_H
#define COND_IO_URDF_PACKAGE_H

#include "io/urdf_xml.h"

// The file that a mesh names. package://NAME/REST is NAME/REST in one of the folders of packages,
// in the folder of the robot's file or in one above it, or REST beside the robot's file; other
// relative names are beside the robot's file. Where nothing is found the last guess stays, for the
// reader of meshes to refuse, and a warning is kept. *path is the caller's to release.
CondStatus cond_urdf_find_file(const CondUrdfFile* file, const xmlNode* node, const char* name,
                               char** path);

#endif
