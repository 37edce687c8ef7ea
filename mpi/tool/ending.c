// Says what was reached when MPI ends this rank (ending.h).
#define _POSIX_C_SOURCE 200809L
#include "ending.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// A handler has no other way to know. Two texts in turn, so that it never sees half of one.
static char text[2][4400];
static atomic_int at, spoken;

static void on_signal(int which)
{
    const char* said = text[at];
    if (spoken++ == 0 && write(STDERR_FILENO, said, strlen(said)) < 0)
        _exit(128 + which);
    _exit(128 + which);
}

void ending_watch(int speaks)
{
    struct sigaction action = {.sa_handler = on_signal};
    if (!speaks)
        return;
    if (!text[at][0])
        snprintf(text[at], sizeof text[at],
                 "cond: the run was ended, or a rank has died; no checkpoint was written "
                 "(--save FILE --save-every N)\n");
    sigemptyset(&action.sa_mask);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
}

void ending_note(const char* path, int steps, double time)
{
    int next = !at;
    snprintf(text[next], sizeof text[next],
             "cond: the run was ended, or a rank has died; %.4000s holds the state after %d steps, "
             "t = %g s: go on with --resume, with any number of ranks\n",
             path, steps, time);
    at = next;
}
