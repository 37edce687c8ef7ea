// Robots and scenes from MJCF files -> definitions of a CondScene. docs/mjcf.md lists the
// conversion of every element and attribute, and the omissions.
#ifndef COND_ROBOT_FILE_MJCF_H
#define COND_ROBOT_FILE_MJCF_H

#include "cond/scene.h"

typedef struct CondMjcfOptions {
    // The initial keyframe; "": none, NULL: "home" if it exists. Without a keyframe all joints are
    // at their reference.
    const char* keyframe;
    int whole; // 1: the file is the scene: it sets time step, gravity and name
    // Pose of the file's world in that of the scene; a zero orientation is the identity.
    double position[3], orientation[4];
    const char* prefix; // of the scene's names of the file's elements; NULL: none
} CondMjcfOptions;

// 1 if the file is XML, by its first bytes; scene files are not.
int cond_mjcf_is_xml(const char* path);

// Adds all that the file describes to the scene, and sets time step, gravity and name. Messages
// begin with "path:line: " and list all faults; the scene's warnings list omissions.
CondStatus cond_mjcf_read(CondScene* scene, const char* path, const CondMjcfOptions* options,
                          CondError* error);

#endif
