// Robots from URDF files: links, joints, inertias and collision shapes -> CondArticulation.
// docs/articulated.md lists what is read, what is refused and the one extension, <capsule>.
#ifndef COND_ROBOT_FILE_URDF_H
#define COND_ROBOT_FILE_URDF_H

#include "model/articulation.h"

typedef struct CondUrdfOptions {
    // Folders of the packages that package://NAME/FILE names, with colons between them; NULL: only
    // the file's own folder and those above it.
    const char* package_path;
    // 1: the root link moves freely, also where the file does not say so with a floating joint.
    int floating;
} CondUrdfOptions;

// Reads and finishes an articulated body. options may be NULL. Messages begin with "path:line: ";
// what was left out on purpose is in the articulation's warnings. Nothing outside the file is read:
// document types, and with them external entities, are refused.
CondStatus cond_urdf_read(const CondContext* context, const char* path,
                          const CondUrdfOptions* options, CondArticulation** articulation,
                          CondError* error);

#endif
