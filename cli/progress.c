// A progress line on terminals (progress.h).
#define _POSIX_C_SOURCE 200809L
#include "progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

Progress progress_start(const char* what)
{
    Progress progress = {what, seconds(), 0.0, 0};
    progress.last = progress.start;
    return progress;
}

void progress_update(Progress* progress, long done, long total)
{
    double now = seconds();
    double used = now - progress->start;
    if (used < 2.0 || now - progress->last < 0.2 || !isatty(STDERR_FILENO) || done < 1)
        return;
    progress->last = now;
    progress->shown = 1;
    static const char full[] = "####################", empty[] = "....................";
    int bar = (int)((double)(sizeof full - 1) * (double)done / (double)total);
    fprintf(stderr, "\r\033[K%s  [%s%s]  %ld of %ld  %.0f%%  %.0f s left", progress->what,
            full + sizeof full - 1 - bar, empty + bar, done, total,
            100.0 * (double)done / (double)total, used * (double)(total - done) / (double)done);
}

void progress_end(Progress* progress)
{
    if (progress->shown)
        fputs("\r\033[K", stderr);
}
