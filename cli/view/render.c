// cond render: pictures and films of a recording, drawn by the viewer in a browser without a
// screen. The page draws the frames that its address names and sends each back.
#define _POSIX_C_SOURCE 200809L
#include "cli.h"
#include "interrupt.h"
#include "progress.h"
#include "view/render_part.h"
#include "view/view_recording.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// One rendering: what the page is to draw, and what has come back.
typedef struct Render {
    ViewRecording view;
    const RenderOptions* options;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    FILE* film; // to ffmpeg; NULL: pictures into files
    int width, height;
    int n_picture, n_wanted;
    int n_sign; // signs of life
    int n_get;  // requests of the page and its data
    int done;   // 1: all came, -1: failed
    char message[sizeof((CondError){0}).message];
} Render;

static void fail(Render* render, const char* message)
{
    snprintf(render->message, sizeof render->message, "%s", message);
    render->done = -1;
}

void render_picture_path(const char* to, int n, long k, char* path, size_t size)
{
    const char* dot = strrchr(to, '.');
    if (n == 1)
        snprintf(path, size, "%s", to);
    else
        snprintf(path, size, "%.*s_%06ld.png", (int)(dot ? dot - to : (long)strlen(to)), to, k);
}

static void take_picture(Render* render, long k, const Bytes* body)
{
    char path[4096];
    CondError error;
    CondFile* file = NULL;
    if (!render->film) {
        render_picture_path(render->options->png, render->n_wanted, k, path, sizeof path);
        if (cond_file_begin(NULL, path, &file, &error)) {
            fail(render, error.message);
            return;
        }
    }
    FILE* stream = file ? cond_file_stream(file) : render->film;
    int whole = fwrite(body->data, 1, body->size, stream) == body->size;
    if (cond_file_end(file, whole, &error))
        fail(render, error.message);
    else if (!whole)
        fail(render, render->film ? "ffmpeg does not take the pictures" : "cannot write a picture");
    render->n_picture++;
}

static void on_post(void* user, const char* path, const Bytes* body, ViewAnswer* answer)
{
    Render* render = user;
    long k = view_path_number(path, "/picture/");
    static const unsigned char png[4] = {0x89, 'P', 'N', 'G'};
    pthread_mutex_lock(&render->lock);
    view_answer_text(answer, 200, "");
    render->n_sign++;
    if (k >= 0 && body->size > 4 && memcmp(body->data, png, 4) == 0) {
        take_picture(render, k, body);
    } else if (strcmp(path, "/alive") == 0) {
        // a picture takes its time
    } else if (strcmp(path, "/done") == 0) {
        render->done = render->done ? render->done : 1;
    } else if (strcmp(path, "/failed") == 0) {
        char text[200] = "";
        memcpy(text, body->data, body->size < sizeof text ? body->size : sizeof text - 1);
        fail(render, text);
    } else {
        view_answer_text(answer, 404, "There is nothing at this address.\n");
    }
    pthread_cond_signal(&render->changed);
    pthread_mutex_unlock(&render->lock);
}

static void on_get(void* user, const char* path, ViewAnswer* answer)
{
    Render* render = user;
    pthread_mutex_lock(&render->lock);
    render->n_get++;
    pthread_mutex_unlock(&render->lock);
    view_recording_get(&render->view, path, answer);
}

// Starts a browser that nobody sees. Its folder is removed at the end.
static pid_t start_browser(const char* program, const char* address, const char* folder,
                           int sandbox)
{
    char profile[300];
    snprintf(profile, sizeof profile, "--user-data-dir=%s", folder);
    pid_t child = fork();
    if (child != 0)
        return child;
    setpgid(0, 0);
    if (view_be_silent())
        _exit(127);
    const char* argv[] = {program,
                          "--headless=new",
                          "--disable-dev-shm-usage",
                          "--disable-extensions",
                          "--no-first-run",
                          "--use-angle=swiftshader",
                          "--enable-unsafe-swiftshader",
                          "--ignore-gpu-blocklist",
                          "--hide-scrollbars",
                          profile,
                          address,
                          sandbox ? NULL : "--no-sandbox",
                          NULL};
    execvp(program, (char* const*)argv); // which promises not to change them
    _exit(127);
}

static int on_path(const char* program)
{
    const char* path = getenv("PATH");
    char name[4096];
    if (strchr(program, '/'))
        return access(program, X_OK) == 0;
    for (const char* at = path ? path : ""; *at;) {
        size_t n = strcspn(at, ":");
        snprintf(name, sizeof name, "%.*s/%s", (int)n, at, program);
        if (access(name, X_OK) == 0)
            return 1;
        at += n + (at[n] == ':');
    }
    return 0;
}

static const char* find_browser(const char* asked)
{
    static const char* const known[] = {"chromium", "chromium-browser", "google-chrome", "chrome"};
    if (asked)
        return on_path(asked) ? asked : NULL;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (on_path(known[k]))
            return known[k];
    return NULL;
}

static void remove_folder(const char* folder)
{
    pid_t child = fork();
    if (child == 0) {
        execlp("rm", "rm", "-rf", folder, (char*)NULL);
        _exit(127);
    }
    if (child > 0)
        waitpid(child, NULL, 0);
}

// Waits until all pictures came, or nothing for a long time.
static void wait_for_pictures(Render* render, pid_t browser)
{
    enum { PATIENCE = 120 }; // seconds without a sign of life
    Progress progress = progress_start("render");
    pthread_mutex_lock(&render->lock);
    int last = 0;
    time_t since = time(NULL);
    while (!render->done) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 200000000L;
        until.tv_sec += until.tv_nsec / 1000000000L;
        until.tv_nsec %= 1000000000L;
        pthread_cond_timedwait(&render->changed, &render->lock, &until);
        progress_update(&progress, render->n_picture, render->n_wanted);
        if (render->n_sign != last) {
            last = render->n_sign;
            since = time(NULL);
        }
        if (!render->done && interrupt_signal())
            fail(render, "ended by a signal");
        if (!render->done && time(NULL) - since > PATIENCE)
            fail(render, "the browser drew nothing for two minutes");
        if (!render->done && waitpid(browser, NULL, WNOHANG) == browser)
            fail(render, "the browser ended before it drew all");
    }
    pthread_mutex_unlock(&render->lock);
    progress_end(&progress);
}

// Draws with one browser. Returns 1 when that ended before it asked for anything: it could not
// start.
static int draw_with(Render* render, const char* browser, const char* address, int sandbox)
{
    char folder[] = "/tmp/cond-render-XXXXXX";
    pid_t child = mkdtemp(folder) ? start_browser(browser, address, folder, sandbox) : -1;
    if (child <= 0) {
        fail(render, "cannot start the browser");
        return 0;
    }
    wait_for_pictures(render, child);
    kill(-child, SIGTERM);
    waitpid(child, NULL, 0);
    remove_folder(folder);
    pthread_mutex_lock(&render->lock);
    int started = render->n_get > 0;
    pthread_mutex_unlock(&render->lock);
    return !started && !interrupt_signal();
}

// The browser keeps its sandbox, but where it cannot: it refuses to start with it as root, and
// where the system does not let it make one.
static int draw(Render* render, const char* browser, const char* query)
{
    char address[1024];
    ViewHandler handler = {
        .user = render, .max_post = (size_t)64 << 20, .get = on_get, .post = on_post};
    ViewServer* server = view_server_start(&handler, 0);
    if (!server)
        return CLI_INPUT;
    snprintf(address, sizeof address, "%s?%s", view_server_address(server), query);
    int root = geteuid() == 0;
    if (root)
        cli_complain("render: as root the browser has to draw without its sandbox");
    if (draw_with(render, browser, address, !root) && !root) {
        cli_complain("render: the browser does not start with its sandbox here; it is tried "
                     "without");
        render->done = 0;
        draw_with(render, browser, address, 0);
    }
    view_server_stop(server);
    if (render->done > 0)
        return CLI_FINE;
    cli_complain("render: %s", render->message);
    return CLI_INPUT;
}

// ffmpeg reads pictures from here. Its arguments are words of their own, none goes through a shell.
FILE* render_start_film(const char* path, int rate, int width, int height, pid_t* child)
{
    int ends[2];
    char rates[16], size[32];
    snprintf(rates, sizeof rates, "%d", rate);
    snprintf(size, sizeof size, "%dx%d", width, height);
    if (pipe(ends) != 0)
        return NULL;
    *child = fork();
    if (*child == 0) {
        dup2(ends[0], STDIN_FILENO);
        close(ends[0]);
        close(ends[1]);
        if (width > 0)
            execlp("ffmpeg", "ffmpeg", "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt",
                   "rgb24", "-s", size, "-framerate", rates, "-i", "-", "-pix_fmt", "yuv420p",
                   "-crf", "18", path, (char*)NULL);
        else
            execlp("ffmpeg", "ffmpeg", "-loglevel", "error", "-y", "-f", "image2pipe", "-c:v",
                   "png", "-framerate", rates, "-i", "-", "-pix_fmt", "yuv420p", "-crf", "18", path,
                   (char*)NULL);
        _exit(127);
    }
    close(ends[0]);
    if (*child < 0) {
        close(ends[1]);
        return NULL;
    }
    return fdopen(ends[1], "wb");
}

int render_end_film(FILE* film, pid_t child, const char* path, int code)
{
    int status = 0;
    fclose(film);
    waitpid(child, &status, 0);
    if (code != CLI_FINE || status == 0)
        return code;
    cli_complain("render: ffmpeg failed with %s", path);
    return CLI_INPUT;
}

// The frame nearest to a time.
static int frame_at(const CondRecording* recording, double time)
{
    const double* times = cond_recording_numbers(recording, COND_NUMBER_TIME);
    int best = 0;
    for (int k = 0; k < cond_recording_n_frame(recording); k++)
        if (fabs(times[k] - time) < fabs(times[best] - time))
            best = k;
    return best;
}

int render_choose_frames(const RenderOptions* o, const CondRecording* recording,
                         RenderFrames* frames)
{
    int n = cond_recording_n_frame(recording);
    *frames = (RenderFrames){.last = n - 1, .every = o->every > 0 ? o->every : 1};
    if (o->frame >= n) {
        cli_complain("render: --frame %d: the recording has %d", o->frame, n);
        return 1;
    }
    if (!isnan(o->time))
        frames->first = frames->last = frame_at(recording, o->time);
    else if (o->frame >= 0)
        frames->first = frames->last = o->frame;
    else if (!o->mp4 && o->every <= 0)
        frames->first = frames->last = n - 1;
    if (o->mp4 && o->every <= 0) {
        // As many frames as the film shows in its time.
        const double* time = cond_recording_numbers(recording, COND_NUMBER_TIME);
        double step = n > 1 ? (time[n - 1] - time[0]) / (n - 1) : 0.0;
        double wanted = step > 0.0 ? o->speed / (o->rate * step) : 1.0;
        frames->every = wanted > 1.0 ? (int)fmin(round(wanted), n) : 1;
    }
    frames->n = (frames->last - frames->first) / frames->every + 1;
    return 0;
}

int render_read_view(const RenderOptions* o, double seen[3], double at[3])
{
    const double first[3] = {-58.0, 24.0, 1.0}; // azimuth, elevation, zoom
    memcpy(seen, first, sizeof first);
    if (o->view && (options_numbers(o->view, ',', OPTION_KIND_NUMBER, -1e6, 1e6, 3, seen) < 2 ||
                    seen[2] < 1e-3 || seen[2] > 1e3)) {
        cli_complain("render: --view %s: expected AZIMUTH,ELEVATION[,ZOOM], in degrees, and a zoom "
                     "from 0.001 to 1000",
                     o->view);
        return 1;
    }
    if (o->target && options_numbers(o->target, ',', OPTION_KIND_NUMBER, -1e9, 1e9, 3, at) < 3) {
        cli_complain("render: --target %s: expected X,Y,Z in metres", o->target);
        return 1;
    }
    return 0;
}

int render_read_size(const RenderOptions* o, int* width, int* height)
{
    double size[2] = {1280.0, 720.0};
    if (o->size && options_numbers(o->size, 'x', OPTION_KIND_INT, 16.0, 8192.0, 2, size) != 2) {
        cli_complain("render: --size %s: expected WIDTHxHEIGHT, each 16 to 8192", o->size);
        return 1;
    }
    *width = (int)size[0];
    *height = (int)size[1];
    return 0;
}

static int make_query(Render* render, char* query, size_t size)
{
    const RenderOptions* o = render->options;
    RenderFrames frames;
    double seen[3], at[3];
    char target[128] = "";
    if (render_choose_frames(o, render->view.recording, &frames) || render_read_view(o, seen, at))
        return 1;
    if (o->target)
        snprintf(target, sizeof target, "&target=%g,%g,%g", at[0], at[1], at[2]);
    render->n_wanted = frames.n;
    snprintf(query, size,
             "pictures=1&first=%d&last=%d&every=%d&width=%d&height=%d&azimuth=%g&elevation=%g"
             "&zoom=%g%s&colour=%s&arrows=%d&arrowscale=%g&cones=%d&dots=%d&wire=%d&collision=%d"
             "&samples=%d",
             frames.first, frames.last, frames.every, render->width, render->height, seen[0],
             seen[1], seen[2], target, o->colour ? o->colour : "body", !o->no_arrows, o->arrows,
             o->cones, o->dots, o->wire, o->collision,
             o->samples > 0          ? o->samples
             : render->n_wanted == 1 ? 64
                                     : 1);
    return 0;
}

static int render_recording(const RenderOptions* options, const char* path)
{
    Render render = {.options = options};
    char query[512];
    pid_t child = -1;
    const char* browser = find_browser(options->browser);
    if (render_read_size(options, &render.width, &render.height))
        return CLI_USAGE;
    if (!browser) {
        cli_complain("render: no browser to draw with; install chromium%s, or draw with --fast",
                     options->browser ? ", name one that is there" : "");
        return CLI_INPUT;
    }
    if (options->mp4 && !on_path("ffmpeg")) {
        cli_complain("render: ffmpeg is not installed");
        return CLI_INPUT;
    }
    pthread_mutex_init(&render.lock, NULL);
    pthread_cond_init(&render.changed, NULL);
    signal(SIGPIPE, SIG_IGN);
    interrupt_keep(0.0);
    int code = view_recording_open(path, &render.view);
    if (code == CLI_FINE && make_query(&render, query, sizeof query))
        code = CLI_USAGE;
    if (code == CLI_FINE && options->mp4 &&
        !(render.film = render_start_film(options->mp4, options->rate, 0, 0, &child))) {
        cli_complain("render: cannot start ffmpeg");
        code = CLI_INPUT;
    }
    if (code == CLI_FINE)
        code = draw(&render, browser, query);
    if (render.film)
        code = render_end_film(render.film, child, options->mp4, code);
    if (code == CLI_FINE)
        fprintf(stderr, "%s: %d pictures of %d x %d\n", options->mp4 ? options->mp4 : options->png,
                render.n_picture, render.width, render.height);
    view_recording_close(&render.view);
    pthread_cond_destroy(&render.changed);
    pthread_mutex_destroy(&render.lock);
    return interrupt_code(code);
}

static int known_colour(const char* colour)
{
    static const char* const names[] = {"body",     "stress",  "velocity", "force",
                                        "residual", "tension", "bending",  "twist"};
    for (size_t k = 0; colour && k < sizeof names / sizeof *names; k++)
        if (strcmp(colour, names[k]) == 0)
            return 1;
    if (colour)
        cli_complain(
            "render: --colour %s: not one of body, stress, velocity, force, residual, tension, "
            "bending, twist",
            colour);
    return !colour;
}

static int run(int argc, char** argv)
{
    RenderOptions options = {.frame = -1, .time = NAN, .rate = 30, .speed = 1.0, .arrows = 1.0};
    const char* path = NULL;
    int n_positional;
    const Option table[] = {
        {"--png", OPTION_TEXT(&options.png), "FILE",
         "draw a picture, by default of the last frame"},
        {"--mp4", OPTION_TEXT(&options.mp4), "FILE", "draw a video of all frames"},
        {"--frame", OPTION_INT(&options.frame, 0, INT_MAX), "N", "number of the frame, from 0"},
        {"--time", OPTION_NUMBER(&options.time, -DBL_MAX, DBL_MAX), "T",
         "the frame nearest to this time [s]"},
        {"--every", OPTION_INT(&options.every, 1, INT_MAX), "N",
         "every N-th frame, as one picture each"},
        {"--size", OPTION_TEXT(&options.size), "WxH", "size in pixels (1280x720)"},
        {"--colour", OPTION_TEXT(&options.colour), "BY",
         "body, stress, velocity, force, residual, tension, "
         "bending, twist"},
        {"--view", OPTION_TEXT(&options.view), "AZ,EL,ZOOM",
         "azimuth and elevation in degrees, zoom (-58,24,1)"},
        {"--target", OPTION_TEXT(&options.target), "X,Y,Z",
         "point that the camera looks at (the whole scene)"},
        {"--speed", OPTION_NUMBER(&options.speed, 1e-6, 1e6), "X", "speed of the video (1)"},
        {"--rate", OPTION_INT(&options.rate, 1, 1000), "N", "frames per second of the video (30)"},
        {"--samples", OPTION_INT(&options.samples, 1, 4096), "N",
         "samples per pixel, for soft shadows (64; 1 for many pictures)"},
        {"--arrows", OPTION_NUMBER(&options.arrows, 0.0, 1e6), "X", "length of force arrows (1)"},
        {"--no-arrows", OPTION_FLAG(&options.no_arrows), NULL, "draw no contact forces"},
        {"--cones", OPTION_FLAG(&options.cones), NULL, "draw friction cones"},
        {"--points", OPTION_FLAG(&options.dots), NULL, "draw contact points"},
        {"--wireframe", OPTION_FLAG(&options.wire), NULL, "draw edges of meshes"},
        {"--collision", OPTION_FLAG(&options.collision), NULL,
         "draw collision shapes of robots instead of visual meshes"},
        {"--fast", OPTION_FLAG(&options.fast), NULL,
         "draw without a browser: bodies alone, in milliseconds"},
        {"--browser", OPTION_TEXT(&options.browser), "PROGRAM", "browser that draws (chromium)"},
    };
    if (options_read(&cli_render, table, sizeof table / sizeof table[0], argc, argv, &path, 1,
                     &n_positional))
        return n_positional < 0 ? CLI_FINE : CLI_USAGE;
    if (!path || !!options.png == !!options.mp4) {
        cli_complain("render: name a recording and either --png or --mp4; usage: cond %s",
                     cli_render.usage);
        return CLI_USAGE;
    }
    if (!known_colour(options.colour))
        return CLI_USAGE;
    return options.fast ? render_fast(&options, path) : render_recording(&options, path);
}

const Command cli_render = {"render", "render RUN.h5 --png|--mp4 FILE",
                            "Draws pictures or a video of a recording.", run};
