// A recording through the code behind `cond view --export` and `cond render`.
#ifndef COND_FUZZ_SHOW_RECORDING_H
#define COND_FUZZ_SHOW_RECORDING_H

#include <stddef.h>

// Makes a small recording with one of every kind of body and a sensor; ends the program when that
// fails.
void show_recording_make(const char* path);

// Opens the recording, makes the scene and every frame as the page gets them, within so much
// memory. 1 when all of it could be shown, 0 when it was refused with a message; anything else ends
// the program.
int show_recording(const char* path, size_t memory);

#endif
