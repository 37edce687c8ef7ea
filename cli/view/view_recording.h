// A recording behind a server: the page, the scene and the frames.
#ifndef COND_CLI_VIEW_RECORDING_H
#define COND_CLI_VIEW_RECORDING_H

#include "view/view_server.h"

#include <cond/recording.h>
#include <pthread.h>

typedef struct ViewRecording {
    CondRecording* recording;
    Bytes page;           // the viewer
    Bytes scene;          // JSON
    pthread_mutex_t lock; // one frame is read at a time
} ViewRecording;

// Exit code, after a message where it is not CLI_FINE.
int view_recording_open(const char* path, ViewRecording* view);
void view_recording_close(ViewRecording* view);

// Answers GET requests: "/", "/scene.json", "/frame/K".
void view_recording_get(void* user, const char* path, ViewAnswer* answer);

#endif
