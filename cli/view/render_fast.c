// cond render --fast: pictures and films of a recording, drawn by the library itself.
#include "view/render_part.h"

#include "interrupt.h"
#include "progress.h"

#include <cond/picture.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

typedef struct Fast {
    const RenderOptions* options;
    CondRecording* recording;
    CondPicture* picture;
    RenderFrames frames;
    CondCamera camera;
    int width, height;
    uint8_t* rgb; // (height x width x 3)
    FILE* film;   // NULL: pictures into files
    int n_picture;
} Fast;

static int fail(CondStatus status, const CondError* error)
{
    cli_complain("render: %s", error->message);
    return cli_exit(status);
}

static CondStatus draw_frame(Fast* fast, int k, CondError* error)
{
    char path[4096];
    const CondMoment* moment;
    CondStatus status = cond_recording_frame(fast->recording, k, &moment, error);
    if (!status && fast->n_picture == 0)
        status = cond_picture_look(fast->picture, &fast->camera, moment, error);
    if (!status)
        status = cond_picture_draw(fast->picture, moment, fast->rgb, error);
    if (status)
        return status;
    fast->n_picture++;
    if (fast->film) {
        size_t row = 3 * (size_t)fast->width, n = (size_t)fast->height;
        if (fwrite(fast->rgb, row, n, fast->film) == n)
            return COND_OK;
        snprintf(error->message, sizeof error->message, "ffmpeg does not take the pictures");
        return COND_NO_FILE;
    }
    render_picture_path(fast->options->png, fast->frames.n, k, path, sizeof path);
    return cond_png_write(NULL, path, fast->width, fast->height, fast->rgb, error);
}

static int draw_frames(Fast* fast)
{
    CondError error = {.message = ""};
    CondStatus status = COND_OK;
    Progress progress = progress_start("render");
    const RenderFrames* frames = &fast->frames;
    for (int k = frames->first; k <= frames->last && !status && !interrupt_signal();
         k += frames->every) {
        status = draw_frame(fast, k, &error);
        progress_update(&progress, fast->n_picture, frames->n);
    }
    progress_end(&progress);
    return status ? fail(status, &error) : CLI_FINE;
}

static int prepare(Fast* fast)
{
    const RenderOptions* options = fast->options;
    CondPictureDef def = cond_picture_def_default();
    CondError error;
    double seen[3], at[3];
    if (render_choose_frames(options, fast->recording, &fast->frames) ||
        render_read_view(options, seen, at))
        return CLI_USAGE;
    fast->camera = cond_camera_default();
    fast->camera.azimuth = seen[0];
    fast->camera.elevation = fmin(fmax(seen[1], -89.0), 89.0);
    fast->camera.zoom = seen[2];
    if (options->target)
        memcpy(fast->camera.target, at, sizeof at);
    def.width = fast->width;
    def.height = fast->height;
    CondStatus status = cond_picture_create(NULL, cond_recording_scenery(fast->recording), &def,
                                            &fast->picture, &error);
    if (status)
        return fail(status, &error);
    fast->rgb = malloc(3 * (size_t)fast->width * (size_t)fast->height);
    if (!fast->rgb)
        cli_complain("out of memory");
    return fast->rgb ? CLI_FINE : CLI_INPUT;
}

int render_fast(const RenderOptions* options, const char* path)
{
    Fast fast = {.options = options};
    CondError error;
    pid_t child = -1;
    if (options->colour && strcmp(options->colour, "body") != 0) {
        cli_complain("render: --colour %s: with --fast only body", options->colour);
        return CLI_USAGE;
    }
    if (render_read_size(options, &fast.width, &fast.height))
        return CLI_USAGE;
    CondStatus status = cond_recording_open(NULL, path, &fast.recording, &error);
    if (status)
        return fail(status, &error);
    signal(SIGPIPE, SIG_IGN);
    interrupt_keep(0.0);
    int code = prepare(&fast);
    if (code == CLI_FINE && options->mp4 &&
        !(fast.film =
              render_start_film(options->mp4, options->rate, fast.width, fast.height, &child))) {
        cli_complain("render: cannot start ffmpeg");
        code = CLI_INPUT;
    }
    if (code == CLI_FINE)
        code = draw_frames(&fast);
    if (fast.film)
        code = render_end_film(fast.film, child, options->mp4, code);
    if (code == CLI_FINE)
        fprintf(stderr, "%s: %d pictures of %d x %d\n", options->mp4 ? options->mp4 : options->png,
                fast.n_picture, fast.width, fast.height);
    cond_picture_destroy(fast.picture);
    cond_recording_close(fast.recording);
    free(fast.rgb);
    return interrupt_code(code);
}
