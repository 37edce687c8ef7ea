// Signals and the time limit of a step (interrupt.h). Holds the only signal handlers of the
// tool.
#define _POSIX_C_SOURCE 200809L
#include "interrupt.h"

#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

// A handler has no other way to tell. Waiting for blocked signals does not do: libraries start
// threads before main, which block nothing.
static atomic_int first, count; // the first signal, and how many came
static _Atomic int64_t since;   // when it came [ns]
static atomic_int keeping;      // 1: there is something to keep
static double grace;            // seconds that a step has left after a signal
static double deadline = INFINITY;

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void on_signal(int which)
{
    if (!keeping || count >= 2)
        _exit(128 + which);
    if (count++ == 0) {
        since = now();
        first = which;
    }
}

void interrupt_watch(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART}, before;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) // as nohup has it
        sigaction(SIGHUP, &action, NULL);
}

void interrupt_keep(double seconds)
{
    grace = seconds;
    keeping = 1;
}

int interrupt_signal(void)
{
    return first;
}

int interrupt_code(int code)
{
    return first ? 128 + first : code;
}

void interrupt_wait(void)
{
    const struct timespec moment = {0, 100000000L};
    while (!first)
        nanosleep(&moment, NULL);
}

void interrupt_limit_step(double seconds)
{
    deadline = 1e-9 * (double)now() + seconds;
}

int interrupt_cancels(void* user)
{
    (void)user;
    if (!first && deadline == INFINITY)
        return 0;
    double time = 1e-9 * (double)now();
    return count > 1 || time > deadline || (first && time > 1e-9 * (double)since + grace);
}
