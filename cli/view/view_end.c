#define _POSIX_C_SOURCE 200809L
#include "view/view_end.h"

#include <signal.h>
#include <time.h>

// A handler has no other way to tell. Waiting for blocked signals does not do: libraries start
// threads before main, which block nothing.
static volatile sig_atomic_t asked;

static void on_signal(int which)
{
    (void)which;
    asked = 1;
}

void view_end_watch(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    asked = 0;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

int view_end_asked(void)
{
    return asked;
}

void view_end_wait(void)
{
    const struct timespec moment = {0, 100000000L};
    while (!asked)
        nanosleep(&moment, NULL);
}
