// Messages of a tool that was built without an HTTP server.
#include "cli.h"
#include "live.h"
#include "view_page.h"

static int say(const char* what)
{
    cli_complain("%s: this tool was built without libmicrohttpd; install it, "
                 "configure and build again",
                 what);
    return CLI_INPUT;
}

static int view(int argc, char** argv)
{
    (void)argc;
    (void)argv;
    return say("view");
}

static int render(int argc, char** argv)
{
    (void)argc;
    (void)argv;
    return say("render");
}

int live_run(const LiveRun* run)
{
    (void)run;
    return say("run --view");
}

int view_page_write(const char* recording, const char* page)
{
    (void)recording;
    (void)page;
    say("an interactive view is left out");
    return 0;
}

const Command cli_view = {"view", "view RUN.h5 [options]", "a recording in the browser (not built)",
                          view};
const Command cli_render = {"render", "render RUN.h5 --png|--mp4 FILE",
                            "pictures of a recording (not built)", render};
