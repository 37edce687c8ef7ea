// Memory bandwidth of this machine, the bound that times of loops over large data are compared
// with.
#ifndef COND_CLI_ROOFLINE_H
#define COND_CLI_ROOFLINE_H

#include <stddef.h>

// Seconds to read that many bytes once, from wherever they stay when they are read over and over:
// each thread reads its share of a buffer of that size again and again. The best of several
// measurements, for this is a bound; 0 when memory is short.
double roofline_seconds(size_t bytes, int threads);

// Wall clock [s].
double roofline_clock(void);

#endif
