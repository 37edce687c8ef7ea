// Wall clock.
#ifndef COND_BASE_TIMER_H
#define COND_BASE_TIMER_H

// Seconds since a fixed point in time, monotonic.
double cond_seconds(void);

double cond_seconds_of(long nanoseconds);

#endif
