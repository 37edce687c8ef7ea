// Robots and scenes from MJCF files -> definitions of a CondScene. docs/mjcf.md lists what becomes
// of every element and attribute, and what is left out.
#ifndef COND_ROBOT_FILE_MJCF_H
#define COND_ROBOT_FILE_MJCF_H

#include "cond/scene.h"

typedef struct CondMjcfOptions {
    // The keyframe that the scene starts at; "": none, NULL: "home" where there is one. All joints
    // are at their reference where there is none.
    const char* keyframe;
    int whole; // 1: the file is the scene: it sets time step, gravity and name
    // Where the file's world is, in that of the scene; a zero orientation is none.
    double position[3], orientation[4];
    const char* prefix; // of the names that the scene gives to what is in the file; NULL: none
} CondMjcfOptions;

// 1 where the file is XML, by its first bytes: a scene file is not.
int cond_mjcf_is_xml(const char* path);

// Adds all that the file describes to the scene, and sets time step, gravity and name. Messages
// begin with "path:line: ", all faults at once; what was left out is in the scene's warnings.
CondStatus cond_mjcf_read(CondScene* scene, const char* path, const CondMjcfOptions* options,
                          CondError* error);

#endif
