// What the two ways of cond render share: by the viewer's page, and by the library alone.
#ifndef COND_CLI_VIEW_RENDER_PART_H
#define COND_CLI_VIEW_RENDER_PART_H

#include "cli.h"

#include <cond/recording.h>
#include <stdio.h>
#include <sys/types.h>

typedef struct RenderOptions {
    const char *png, *mp4, *size, *colour, *view, *target, *browser;
    int frame, every, rate, samples, cones, dots, wire, collision, no_arrows, fast;
    double time, speed, arrows;
} RenderOptions;

typedef struct RenderFrames {
    int first, last, every, n;
} RenderFrames;

// Each returns 1 after a message where the options are wrong. at is written with --target alone.
int render_choose_frames(const RenderOptions* options, const CondRecording* recording,
                         RenderFrames* frames);
int render_read_view(const RenderOptions* options, double seen[3], double at[3]);
int render_read_size(const RenderOptions* options, int* width, int* height);

// out.png of one frame; of several, out_000012.png.
void render_picture_path(const char* to, int n, long k, char* path, size_t size);

// A film that is written by ffmpeg: of PNG files one after the other, or with a width of rows of
// red, green, blue. NULL: it does not start. Ending it gives the exit code, after a message where
// that changes.
FILE* render_start_film(const char* path, int rate, int width, int height, pid_t* child);
int render_end_film(FILE* film, pid_t child, const char* path, int code);

// Draws a recording with the library's own pictures. Exit code, after a message.
int render_fast(const RenderOptions* options, const char* path);

#endif
