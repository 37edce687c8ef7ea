// Wall clock.
#define _POSIX_C_SOURCE 200809L
#include "base/timer.h"

#include <time.h>

double cond_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + cond_seconds_of(now.tv_nsec);
}

double cond_seconds_of(long nanoseconds)
{
    return 1e-9 * (double)nanoseconds;
}
