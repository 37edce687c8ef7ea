// Robots from URDF files: links, joints, inertias and collision shapes -> CondArticulation.
// docs/articulated.md lists the supported and the refused elements, and the one extension,
// <capsule>.
#ifndef COND_ROBOT_FILE_URDF_H
#define COND_ROBOT_FILE_URDF_H

#include "model/articulation.h"

typedef struct CondUrdfOptions {
    // Folders of the packages in package://NAME/FILE, separated by colons; NULL: only the file's
    // own folder and those above it.
    const char* package_path;
    // 1: the root link moves freely, even without a floating joint in the file.
    int floating;
} CondUrdfOptions;

// Reads and finishes an articulated body. options may be NULL. Messages begin with "path:line: ";
// the articulation's warnings list omissions. Nothing outside the file is read: document types, and
// with them external entities, are refused.
CondStatus cond_urdf_read(const CondContext* context, const char* path,
                          const CondUrdfOptions* options, CondArticulation** articulation,
                          CondError* error);

#endif
