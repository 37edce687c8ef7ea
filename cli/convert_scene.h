// cond convert of scenes: an MJCF file, or a scene file, is written as a scene file.
#ifndef COND_CLI_CONVERT_SCENE_H
#define COND_CLI_CONVERT_SCENE_H

#include "cli.h"

// 1 where OUT is a scene file by its ending.
int convert_is_scene(const char* output);
// keyframe: where an MJCF file starts; NULL: as it says. Returns the exit code.
int convert_scene(const char* input, const char* output, const char* keyframe, const TextList* set);

#endif
