// cond view: a recording in the browser, or as a page to send.
#include "cli.h"
#include "interrupt.h"
#include "view/view_export.h"

static int run(int argc, char** argv)
{
    const char *path = NULL, *page = NULL;
    int port = 0, no_open = 0, n_positional;
    const Option table[] = {
        {"--export", OPTION_TEXT(&page), "PAGE.html",
         "write a single file with page and recording"},
        {"--port", OPTION_INT(&port, 0, 65535), "N", "port on this machine; 0: any free port"},
        {"--no-open", OPTION_FLAG(&no_open), NULL, "do not open the browser"},
    };
    if (options_read(&cli_view, table, sizeof table / sizeof table[0], argc, argv, &path, 1,
                     &n_positional))
        return n_positional < 0 ? CLI_FINE : CLI_USAGE;
    if (!path) {
        cli_complain("view: name a recording; usage: cond %s", cli_view.usage);
        return CLI_USAGE;
    }
    ViewRecording view;
    int code = view_recording_open(path, &view);
    if (code == CLI_FINE && page) {
        code = view_export(&view, page);
    } else if (code == CLI_FINE) {
        interrupt_keep(0.0);
        ViewHandler handler = {.user = &view, .get = view_recording_get};
        ViewServer* server = view_server_start(&handler, port);
        code = server ? CLI_FINE : CLI_INPUT;
        if (server && no_open)
            printf("%s\n", view_server_address(server)), fflush(stdout);
        else if (server)
            view_browser_open(view_server_address(server));
        if (server)
            interrupt_wait();
        view_server_stop(server);
    }
    view_recording_close(&view);
    return code;
}

const Command cli_view = {"view", "view RUN.h5 [options]", "Shows a recording in the browser.",
                          run};
