// Reading a recording in HDF5 back, frame by frame.
#ifndef COND_RECORDING_H
#define COND_RECORDING_H

#include "cond/snapshot.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CondRecording CondRecording;

// Opens a file that cond_record_open has begun. The file may still grow; only the frames that it
// holds now are read. COND_NO_FILE: there is no such file. COND_BAD_INPUT: the file is not a
// recording, or is damaged; the message names the fault and its position.
COND_IO_API CondStatus cond_recording_open(const CondContext* context, const char* path,
                                           CondRecording** recording, CondError* error);
COND_IO_API void cond_recording_close(CondRecording* recording); // NULL is fine

COND_IO_API int cond_recording_n_frame(const CondRecording* recording);
COND_IO_API const char* cond_recording_scene(const CondRecording* recording); // name of the scene
COND_IO_API const CondScenery* cond_recording_scenery(const CondRecording* recording);
// The values of one number in all frames.                                           (n_frame)
COND_IO_API const double* cond_recording_numbers(const CondRecording* recording, CondNumber number);
// Forces of all sensors in all frames [N].                              (n_frame x n_sensor x 3)
COND_IO_API const double* cond_recording_sensor_forces(const CondRecording* recording);

// Reads a frame, counted from 0; *moment is valid until the next call. COND_BAD_INPUT: the file is
// damaged there.
COND_IO_API CondStatus cond_recording_frame(CondRecording* recording, int frame,
                                            const CondMoment** moment, CondError* error);

#ifdef __cplusplus
}
#endif
#endif
