// Writes a scene as YAML: every key that differs from its default, by the table of keys.
#ifndef COND_SCENE_FILE_SCENE_WRITE_H
#define COND_SCENE_FILE_SCENE_WRITE_H

#include "scene/scene_keys.h"

#include <stdio.h>

// Text that grows in memory; `status` keeps the first failure.
typedef struct CondSceneText {
    CondContext context;
    CondStatus status;
    int capacity, length;
    char* text;             // ends in a zero byte
    const char* folder;     // paths are written from here; NULL: as they are
    const CondScene* scene; // whose mesh names are not paths; NULL: none
} CondSceneText;

// Fills the text, which is released by cond_scene_text_release in any case.
CondStatus cond_scene_write_text(const CondScene* scene, CondSceneText* text);
void cond_scene_text_release(CondSceneText* text);

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void cond_scene_put(CondSceneText* text, const char* format, ...);
// A text, in quotes where it needs them.
void cond_scene_put_word(CondSceneText* text, const char* word);
// The path of a file as seen from the folder; generators and meshes of the scene stay.
void cond_scene_put_path(CondSceneText* text, const char* path);
// The shortest decimal number that is read as the same.
void cond_scene_put_number(CondSceneText* text, double value);
void cond_number_write(double value, char number[40]);

#endif
